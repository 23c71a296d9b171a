// SPDX-License-Identifier: Apache-2.0
// Pre-decoded instructions: what the pc of an interpreted frame points to.
#ifndef FRAME_INSN_H
#define FRAME_INSN_H

#include <stdatomic.h>
#include <stdint.h>

// `op` is a Bytecode or one of the engine's own quick forms. `a`
// never changes after decoding (constant pool index, local index, immediate, relative target in
// Insns); `u` is written once, whole, before `op` is replaced by a quick form (release), so
// that a thread that saw either op reads operands that fit. A conditional branch has no operand in
// `u`: there it counts, while its method is profiled, how often it was taken (b) and not (c).
typedef struct Insn {
    _Atomic uint16_t op;
    uint16_t bci;
    int32_t a;
    union {
        void *p;
        int64_t l;
        double d;
        uint64_t raw;
        struct {
            int32_t b, c;
        };
    };
} Insn;
_Static_assert(sizeof(Insn) == 16, "instructions are 16 bytes");

#endif
