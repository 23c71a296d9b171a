// SPDX-License-Identifier: Apache-2.0
// Registers to and from a ForeignCall (foreign_call.h), whose layout the offsets repeat;
// platform/upcall_stub.c checks them.
#include "arch/x86_64_foreign_call.h"

        .intel_syntax noprefix
        .text

// void foreign_call(ForeignCall *call)
        .globl  foreign_call
        .hidden foreign_call
        .type   foreign_call, @function
foreign_call:
        .cfi_startproc
        endbr64
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        push    rbx
        .cfi_offset rbx, -24
        mov     rbx, rdi
        mov     rcx, [rbx + CALL_STACK_SIZE]
        sub     rsp, rcx
        and     rsp, -16
        mov     rsi, [rbx + CALL_STACK]
        mov     rdi, rsp
        shr     rcx, 3
        rep movsq
        movaps  xmm0, [rbx + CALL_VECTORS]
        movaps  xmm1, [rbx + CALL_VECTORS + 16]
        movaps  xmm2, [rbx + CALL_VECTORS + 32]
        movaps  xmm3, [rbx + CALL_VECTORS + 48]
        movaps  xmm4, [rbx + CALL_VECTORS + 64]
        movaps  xmm5, [rbx + CALL_VECTORS + 80]
        movaps  xmm6, [rbx + CALL_VECTORS + 96]
        movaps  xmm7, [rbx + CALL_VECTORS + 112]
        mov     rdi, [rbx]
        mov     rsi, [rbx + 8]
        mov     rdx, [rbx + 16]
        mov     rcx, [rbx + 24]
        mov     r8, [rbx + 32]
        mov     r9, [rbx + 40]
        mov     rax, [rbx + 48]
        call    [rbx + CALL_TARGET]
        mov     [rbx + CALL_RESULTS], rax
        mov     [rbx + CALL_RESULTS + 8], rdx
        movaps  [rbx + CALL_VECTOR_RESULTS], xmm0
        movaps  [rbx + CALL_VECTOR_RESULTS + 16], xmm1
        mov     rbx, [rbp - 8]
        leave
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc
        .size   foreign_call, . - foreign_call

// Where the stubs of upcall_stub.c go: r10 is the address of their UpcallSlot.
        .globl  upcall_enter
        .hidden upcall_enter
        .type   upcall_enter, @function
upcall_enter:
        .cfi_startproc
        endbr64
        push    rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     rbp, rsp
        .cfi_def_cfa_register rbp
        sub     rsp, CALL_SIZE
        mov     [rsp], rdi
        mov     [rsp + 8], rsi
        mov     [rsp + 16], rdx
        mov     [rsp + 24], rcx
        mov     [rsp + 32], r8
        mov     [rsp + 40], r9
        mov     [rsp + 48], rax
        movaps  [rsp + CALL_VECTORS], xmm0
        movaps  [rsp + CALL_VECTORS + 16], xmm1
        movaps  [rsp + CALL_VECTORS + 32], xmm2
        movaps  [rsp + CALL_VECTORS + 48], xmm3
        movaps  [rsp + CALL_VECTORS + 64], xmm4
        movaps  [rsp + CALL_VECTORS + 80], xmm5
        movaps  [rsp + CALL_VECTORS + 96], xmm6
        movaps  [rsp + CALL_VECTORS + 112], xmm7
        lea     rax, [rbp + 16]
        mov     [rsp + CALL_STACK], rax
        mov     rdi, [r10 + SLOT_UPCALL]
        mov     rsi, rsp
        call    [rdi]
        mov     rax, [rsp + CALL_RESULTS]
        mov     rdx, [rsp + CALL_RESULTS + 8]
        movaps  xmm0, [rsp + CALL_VECTOR_RESULTS]
        movaps  xmm1, [rsp + CALL_VECTOR_RESULTS + 16]
        leave
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc
        .size   upcall_enter, . - upcall_enter
        .section .note.GNU-stack, "", @progbits
