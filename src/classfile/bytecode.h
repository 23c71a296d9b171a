// SPDX-License-Identifier: Apache-2.0
// The Java bytecodes, from the one table spec/bytecodes.def:
//   BYTECODE(opcode, mnemonic, operand format, stack effect "pops>pushes", flags)
#ifndef CLASSFILE_BYTECODE_H
#define CLASSFILE_BYTECODE_H

#include "base/common.h"

typedef enum Bytecode {
#define BYTECODE(opcode, name, format, effect, flags) BC_##name = opcode,
#include "spec/bytecodes.def"
#undef BYTECODE
    BC_COUNT = 202
} Bytecode;

typedef struct BytecodeInfo {
    const char *name;
    const char *format; // one letter an operand, see spec/bytecodes.def
    const char *effect;
    uint8_t length; // bytes with the opcode, 0 for tableswitch, lookupswitch, wide
    uint8_t flags;
} BytecodeInfo;
enum { BCF_BRANCH = 1, BCF_END = 2 /* never falls through */, BCF_THROWS = 4, BCF_CALL = 8 };

extern const BytecodeInfo bytecode_info[BC_COUNT];

// Length in bytes of the instruction at `bci` (switches and wide included); 0 when it is
// undefined or runs over the end.
uint32_t bytecode_length(const uint8_t *code, uint32_t code_len, uint32_t bci);

static inline uint16_t get_u2(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t get_u4(const uint8_t *p)
{
    return (uint32_t)get_u2(p) << 16 | get_u2(p + 2);
}
static inline int16_t get_s2(const uint8_t *p)
{
    return (int16_t)get_u2(p);
}
static inline int32_t get_s4(const uint8_t *p)
{
    return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
}

#endif
