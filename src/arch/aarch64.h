// SPDX-License-Identifier: Apache-2.0
// See arch.h.
#ifndef ARCH_AARCH64_H
#define ARCH_AARCH64_H

#include <elf.h>

enum { RELOCATION_JUMP_SLOT = R_AARCH64_JUMP_SLOT, RELOCATION_GLOB_DAT = R_AARCH64_GLOB_DAT };

#define ARCH_LOADS_ACQUIRE 0

#define LOCALS_REGISTER // enough registers

static inline void cpu_relax(void)
{
    __asm__ volatile("yield" ::: "memory");
}

static inline uint64_t cpu_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

#endif
