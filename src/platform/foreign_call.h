// SPDX-License-Identifier: Apache-2.0
// Calls between C functions of any signature and code that has their arguments as the registers and
// stack words of the calling convention (System V, x86-64). Nothing here knows of Java.
#ifndef PLATFORM_FOREIGN_CALL_H
#define PLATFORM_FOREIGN_CALL_H

#include "platform/platform.h"

#ifdef __x86_64__
#    define FOREIGN_CALLS 1
#else
#    define FOREIGN_CALLS 0 // none of these functions exists
#endif

typedef struct VectorRegister {
    _Alignas(16) uint8_t bytes[16];
} VectorRegister;

// What a call passes and what it returns. foreign_call_x86_64.S knows the layout.
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

// A function pointer that calls `run` with the arguments of the C caller, and returns the results that it
// leaves there. run is the first member of what its maker needs to know.
typedef struct Upcall {
    void (*run)(struct Upcall *upcall, ForeignCall *call);
} Upcall;
// The function pointer; NULL when memory is short. The upcall must live until upcall_free.
void *upcall_make(Upcall *upcall);
// Gives the function pointer back; its upcall, NULL when it is none.
Upcall *upcall_free(void *function);
// The code at a function pointer, for tools.
#define UPCALL_NAME "upcall_stub"
enum { UPCALL_CODE_SIZE = 14 }; // bytes
// Calls visit for each function pointer, under a lock of which nothing may be asked.
void upcalls_each(void (*visit)(void *ctx, const void *function), void *ctx);

#endif
