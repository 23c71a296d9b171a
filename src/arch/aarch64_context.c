// SPDX-License-Identifier: Apache-2.0
// The registers of a thread on aarch64. See arch.h.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <ucontext.h>

#include "arch/arch.h"

enum { FIRST_PRESERVED = 19, LAST_PRESERVED = 28, FRAME_POINTER = 29, LINK = 30 };

static const mcontext_t *registers_of(const void *ucontext)
{
    return &((const ucontext_t *)ucontext)->uc_mcontext;
}

ArchPlace arch_place(const void *ucontext)
{
    const mcontext_t *m = registers_of(ucontext);
    return (ArchPlace){m->pc, m->sp, m->regs[FRAME_POINTER], m->regs[LINK]};
}

void arch_set_pc(void *ucontext, uintptr_t pc)
{
    ((ucontext_t *)ucontext)->uc_mcontext.pc = pc;
}

int arch_preserved(const void *ucontext, uintptr_t values[ARCH_PRESERVED_MAX])
{
    _Static_assert(LAST_PRESERVED - FIRST_PRESERVED < ARCH_PRESERVED_MAX, "room for all");
    for (int i = FIRST_PRESERVED; i <= LAST_PRESERVED; i++)
        values[i - FIRST_PRESERVED] = registers_of(ucontext)->regs[i];
    return LAST_PRESERVED - FIRST_PRESERVED + 1;
}

const char *arch_register(const void *ucontext, int i, uintptr_t *value)
{
    static const char names[][4] = {
        "x0 ", "x1 ", "x2 ", "x3 ", "x4 ", "x5 ", "x6 ", "x7 ", "x8 ", "x9 ", "x10",
        "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
        "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp ", "pc "};
    const mcontext_t *m = registers_of(ucontext);
    if (i >= (int)ARRAY_LEN(names))
        return NULL;
    *value = i <= LINK ? m->regs[i] : i == LINK + 1 ? m->sp : m->pc;
    return names[i];
}
