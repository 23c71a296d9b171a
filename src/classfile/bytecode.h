// SPDX-License-Identifier: Apache-2.0
// The Java bytecodes: the table that tools/gen_bytecodes.py makes from spec/bytecodes.def, whose head
// says what its letters mean, and how an instruction is read by it. Pure; knows no class file.
#ifndef CLASSFILE_BYTECODE_H
#define CLASSFILE_BYTECODE_H

#include "base/common.h"

typedef enum Bytecode {
#define BYTECODE(opcode, name, ...) BC_##name = opcode,
#include "spec/bytecodes.def"
#undef BYTECODE
    BC_COUNT = 202
} Bytecode;

enum { // BytecodeInfo.flags
    BCF_BRANCH = 1,
    BCF_END = 2, // never falls through
    BCF_THROWS = 4,
    BCF_CALL = 8,
    BCF_JSR = 16,
    BCF_RET = 32,
    BCF_WORDS = 64,   // moves untyped words: the effect's letters are names of them
    BCF_SWITCH = 128, // a branch with many targets: switch_read
};
enum { LOCAL_READ = 1, LOCAL_WRITE = 2 };
enum { BY_OPERAND = 255 }; // the operand says it, with the constant pool

typedef enum Condition { // of a branch that may fall through
    CONDITION_NONE,
    CONDITION_EQ,
    CONDITION_NE,
    CONDITION_LT,
    CONDITION_GE,
    CONDITION_GT,
    CONDITION_LE,
} Condition;

typedef struct BytecodeInfo {
    const char *name;
    const char *format;        // one letter an operand
    const char *pops, *pushes; // one letter a value, the top last
    uint8_t length;            // bytes with the opcode, 0 for tableswitch, lookupswitch, wide
    uint8_t pop_words, push_words; // or BY_OPERAND
    uint8_t flags;
    uint8_t condition;
    struct {
        uint8_t use; // LOCAL_*
        char kind;   // of what is read or written: I J F D A R; astore may write what is R
        uint8_t index;
    } local;
} BytecodeInfo;

extern const BytecodeInfo bytecode_info[BC_COUNT];

// Kinds are the first letters of descriptors; A stands for any reference, R for a return address.
static inline uint32_t kind_words(char kind)
{
    return kind == 'V' ? 0 : kind == 'J' || kind == 'D' ? 2 : 1;
}
static inline bool kind_is_wide(char kind)
{
    return kind == 'J' || kind == 'D';
}
static inline bool kind_is_reference(char kind)
{
    return kind == 'L' || kind == '[' || kind == 'A';
}

// bytecode_length where the table has none: tableswitch, lookupswitch and wide.
uint32_t bytecode_varying_length(const uint8_t *code, uint32_t code_len, uint32_t bci);
// Length in bytes of the instruction at `bci` (switches and wide included); 0 when it is
// undefined or runs over the end.
static inline uint32_t bytecode_length(const uint8_t *code, uint32_t code_len, uint32_t bci)
{
    if (bci >= code_len || code[bci] >= BC_COUNT)
        return 0;
    uint32_t length = bytecode_info[code[bci]].length;
    if (UNLIKELY(length == 0))
        return bytecode_varying_length(code, code_len, bci);
    return length <= code_len - bci ? length : 0;
}

// An instruction with its operands read; those that it has not are 0.
typedef struct Instruction {
    const BytecodeInfo *info; // under wide: of the instruction that is widened
    uint32_t bci, length;
    uint8_t op;        // likewise
    uint8_t count;     // of dimensions, or the redundant one of invokeinterface
    uint16_t local;    // where info->local.use is not 0
    uint16_t constant; // constant pool index
    int32_t value;     // immediate number, increment, array type
    int32_t offset;    // of the branch target from bci; switches: see switch_read
} Instruction;

// Reads the instruction at `bci`. False when it is undefined or runs over the end.
NODISCARD bool instruction_read(const uint8_t *code, uint32_t code_len, uint32_t bci,
                                Instruction *out);

typedef struct SwitchOperands {
    int32_t other; // offset of the default target
    int32_t low;   // tableswitch
    uint32_t count;
    bool keyed;        // lookupswitch
    const uint8_t *at; // offsets, behind their keys where there are keys
} SwitchOperands;

// Operands of the tableswitch or lookupswitch at `bci`, which instruction_read has accepted.
SwitchOperands switch_read(const uint8_t *code, uint32_t bci);

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

// The key and the offset of the target of case i < count.
static inline int32_t switch_key(const SwitchOperands *s, uint32_t i)
{
    return s->keyed ? get_s4(s->at + (size_t)i * 8) : (int32_t)((int64_t)s->low + i);
}
static inline int32_t switch_offset(const SwitchOperands *s, uint32_t i)
{
    return s->keyed ? get_s4(s->at + (size_t)i * 8 + 4) : get_s4(s->at + (size_t)i * 4);
}

#endif
