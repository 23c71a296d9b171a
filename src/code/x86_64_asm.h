// SPDX-License-Identifier: Apache-2.0
// The assembler for x86-64. A function an instruction form, x86_<mnemonic>_<operands>, made from spec/x86_64.def:
//
//     x86_add_r32_i8(&a, RAX, 1);                                  add eax, 1
//     x86_mov_r64_m64(&a, RCX, x86_mem_index(RBX, RSI, X86_TIMES_8, 16));   mov rcx, [rbx+rsi*8+16]
//     x86_cmov_cc_r32_r32(&a, X86_L, RAX, RDX);                    cmovl eax, edx
//     x86_jcc(&a, X86_NE, loop);                                   jne loop
//
// Immediates must fit their form (asserted). Nothing is chosen for the caller but the length of branches backwards (below), and that of
// an immediate by those whose name ends in _i: x86_add_r32_i(&a, RAX, 1).
// code/asm.h says how code is begun and finished, code/x86_64_encode.h what addresses there are. NO_GC.
#ifndef CODE_X86_64_ASM_H
#define CODE_X86_64_ASM_H

#include "code/generated/x86_64_insns.h"

// Whether a branch from here reaches a bound label with a distance of 8 bits.
static inline bool x86_is_near(const Asm *a, AsmLabel label)
{
    enum { SHORT_BRANCH = 2 }; // bytes
    int32_t at = asm_label_at(a, label);
    return at >= 0 && at - (int32_t)asm_size(a) - SHORT_BRANCH >= INT8_MIN;
}
// Branches. Backwards the short form is taken where it reaches; forwards the long one. Who knows that a label ahead is near says
// x86_jmp_l8 or x86_j_cc_l8; if it is not, asm_finish fails.
static inline void x86_jmp(Asm *a, AsmLabel label)
{
    if (x86_is_near(a, label))
        x86_jmp_l8(a, label);
    else
        x86_jmp_l32(a, label);
}
static inline void x86_jcc(Asm *a, X86Cond cond, AsmLabel label)
{
    if (x86_is_near(a, label))
        x86_j_cc_l8(a, cond, label);
    else
        x86_j_cc_l32(a, cond, label);
}

#endif
