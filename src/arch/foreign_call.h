// SPDX-License-Identifier: Apache-2.0
// Calls between C functions of any signature and code that has their arguments as the registers and
// stack words of the calling convention (System V, x86-64). Nothing here knows of Java.
#ifndef ARCH_FOREIGN_CALL_H
#define ARCH_FOREIGN_CALL_H

#include "base/common.h"

#ifdef __x86_64__
#    define FOREIGN_CALLS 1
#else
#    define FOREIGN_CALLS 0 // none of these functions exists
#endif

typedef struct VectorRegister {
    _Alignas(16) uint8_t bytes[16];
} VectorRegister;

// What a call passes and what it returns. x86_64_foreign_call.S knows the layout.
typedef struct ForeignCall {
    uint64_t arguments[7]; // rdi rsi rdx rcx r8 r9 rax
    VectorRegister vector_arguments[8];
    uint64_t results[2]; // rax rdx
    VectorRegister vector_results[2];
    uint64_t *stack_arguments;
    uint64_t stack_size; // bytes of them, a multiple of 8; of no use in an upcall
    void *target;        // likewise
} ForeignCall;

// Calls call->target with the arguments and stores the results.
void foreign_call(ForeignCall *call);

#endif
