// SPDX-License-Identifier: Apache-2.0
// Function pointers to code that is made at run time, for C callers. They exist where FOREIGN_CALLS is 1.
#ifndef PLATFORM_UPCALL_H
#define PLATFORM_UPCALL_H

#include "arch/foreign_call.h"

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
