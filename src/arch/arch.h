// SPDX-License-Identifier: Apache-2.0
// What differs between processors, behind one set of names. Each processor has a header of its own with
// what must be inline, and files named after it (x86_64_context.c); CMake compiles those of the target.
// docs/MEMORY_MODEL.md says what is asked of a processor's memory order. No locks, NO_GC.
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "base/common.h"

// Each defines:
//   RELOCATION_JUMP_SLOT, RELOCATION_GLOB_DAT   the dynamic linker's relocations of imported names
//   ARCH_LOADS_ACQUIRE   1: any load acquires, so that a volatile field needs no read of its own
//   LOCALS_REGISTER      the register for `locals` in the interpreter loop, where gcc must be given it
//   cpu_relax()          in a loop that waits for another thread
//   cpu_ticks()          a counter that runs at one rate on all processors; 0: there is none
#if defined(__x86_64__)
#    include "arch/x86_64.h"
#elif defined(__aarch64__)
#    include "arch/aarch64.h"
#else
#    error "src/arch has no header for this processor"
#endif

// Whether this processor and build have code generated at all.
#if defined(__x86_64__) \
    && !defined(        \
        __SANITIZE_THREAD__) // which sees nothing of the order of accesses in generated code
#    define CODE_IS_GENERATED 1
#else
#    define CODE_IS_GENERATED 0
#endif

// ---- the registers of a thread, from a signal handler's third argument (a ucontext_t) ----
// Async-signal-safe.

typedef struct ArchPlace {
    uintptr_t pc, sp, fp;
    uintptr_t link; // return address of a leaf function; 0 where that is on the stack
} ArchPlace;

ArchPlace arch_place(const void *ucontext);
void arch_set_pc(void *ucontext, uintptr_t pc);

// The registers that a function keeps for its caller: the interpreter's variables live there.
// Returns how many.
enum { ARCH_PRESERVED_MAX = 12 };
int arch_preserved(const void *ucontext, uintptr_t values[ARCH_PRESERVED_MAX]);

// Register i with its name, padded; NULL: there is no such register.
const char *arch_register(const void *ucontext, int i, uintptr_t *value);

#endif
