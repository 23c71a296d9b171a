// SPDX-License-Identifier: Apache-2.0
// See arch.h.
#ifndef ARCH_X86_64_H
#define ARCH_X86_64_H

#include <elf.h>

enum { RELOCATION_JUMP_SLOT = R_X86_64_JUMP_SLOT, RELOCATION_GLOB_DAT = R_X86_64_GLOB_DAT };

#define ARCH_LOADS_ACQUIRE 1 // total store order

#if defined __GNUC__ \
    && !defined __clang__ // gives `locals` a place on the C stack if it may choose
#    define LOCALS_REGISTER __asm__("r12")
#else
#    define LOCALS_REGISTER
#endif

static inline void cpu_relax(void)
{
    __builtin_ia32_pause();
}

static inline uint64_t cpu_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

#endif
