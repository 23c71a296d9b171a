// SPDX-License-Identifier: Apache-2.0
// The registers of a thread on x86-64. See arch.h.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <ucontext.h>

#include "arch/arch.h"

static const greg_t *registers_of(const void *ucontext)
{
    return ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
}

ArchPlace arch_place(const void *ucontext)
{
    const greg_t *r = registers_of(ucontext);
    return (ArchPlace){
        .pc = (uintptr_t)r[REG_RIP], .sp = (uintptr_t)r[REG_RSP], .fp = (uintptr_t)r[REG_RBP]};
}

void arch_set_pc(void *ucontext, uintptr_t pc)
{
    ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

int arch_preserved(const void *ucontext, uintptr_t values[ARCH_PRESERVED_MAX])
{
    static const int preserved[] = {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15};
    _Static_assert(ARRAY_LEN(preserved) <= ARCH_PRESERVED_MAX, "room for all");
    for (size_t i = 0; i < ARRAY_LEN(preserved); i++)
        values[i] = (uintptr_t)registers_of(ucontext)[preserved[i]];
    return ARRAY_LEN(preserved);
}

const char *arch_register(const void *ucontext, int i, uintptr_t *value)
{
    static const struct {
        const char *name;
        int index;
    } registers[] = {
        {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX}, {"rdx", REG_RDX},
        {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"rbp", REG_RBP}, {"rsp", REG_RSP},
        {"r8 ", REG_R8},  {"r9 ", REG_R9},  {"r10", REG_R10}, {"r11", REG_R11},
        {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15},
        {"rip", REG_RIP}, {"efl", REG_EFL},
    };
    if (i >= (int)ARRAY_LEN(registers))
        return NULL;
    *value = (uintptr_t)registers_of(ucontext)[registers[i].index];
    return registers[i].name;
}
