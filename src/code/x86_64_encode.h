// SPDX-License-Identifier: Apache-2.0
// The encoder of x86-64 instructions: operands, the table of forms made from spec/x86_64.def, and what encodes by it. Who emits
// includes code/x86_64_asm.h. NO_GC.
#ifndef CODE_X86_64_ENCODE_H
#define CODE_X86_64_ENCODE_H

#include "base/strbuf.h"
#include "code/asm.h"

typedef enum X86Reg {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    X86_NO_REG, // of an X86Mem: no base, no index
    X86_RIP,    // base of an X86Mem: the address of the next instruction
} X86Reg;

typedef enum X86Xmm {
    XMM0,
    XMM1,
    XMM2,
    XMM3,
    XMM4,
    XMM5,
    XMM6,
    XMM7,
    XMM8,
    XMM9,
    XMM10,
    XMM11,
    XMM12,
    XMM13,
    XMM14,
    XMM15,
} X86Xmm;

typedef enum X86Cond { // by the number in opcodes; each even one's contrary is the next
    X86_O,
    X86_NO,
    X86_B,
    X86_AE,
    X86_E,
    X86_NE,
    X86_BE,
    X86_A,
    X86_S,
    X86_NS,
    X86_P,
    X86_NP,
    X86_L,
    X86_GE,
    X86_LE,
    X86_G,
} X86Cond;

typedef enum X86Scale { X86_TIMES_1, X86_TIMES_2, X86_TIMES_4, X86_TIMES_8 } X86Scale;

typedef struct X86Mem { // an address; made by the functions below
    uint8_t base, index, scale;
    bool has_label;
    int32_t disp;
    AsmLabel label;
} X86Mem;

// [base + disp]
static inline X86Mem x86_mem(X86Reg base, int32_t disp)
{
    return (X86Mem){.base = (uint8_t)base, .index = X86_NO_REG, .disp = disp};
}
// [base + index * scale + disp]; base may be X86_NO_REG, index may not be RSP.
static inline X86Mem x86_mem_index(X86Reg base, X86Reg index, X86Scale scale, int32_t disp)
{
    return (X86Mem){
        .base = (uint8_t)base, .index = (uint8_t)index, .scale = (uint8_t)scale, .disp = disp};
}
// [disp], sign-extended: the lowest and the highest 2 GiB. An address beyond goes through a register (x86_movabs_r64_i64).
static inline X86Mem x86_mem_absolute(int32_t disp)
{
    return x86_mem(X86_NO_REG, disp);
}
// What stands at a label of the same code, a constant for instance.
static inline X86Mem x86_mem_label(AsmLabel label)
{
    return (X86Mem){.base = X86_RIP, .index = X86_NO_REG, .has_label = true, .label = label};
}

// Whether the encoding of an address with a base holds a displacement: rbp and r13 have none without.
static inline bool x86_mem_has_disp(const X86Mem *m)
{
    return m->disp != 0 || (m->base & 7) == RBP;
}

// ---- the table ----
typedef enum X86Operand {
    X86_OPERAND_NONE,
    X86_OPERAND_R8,
    X86_OPERAND_R16,
    X86_OPERAND_R32,
    X86_OPERAND_R64,
    X86_OPERAND_M,
    X86_OPERAND_M8,
    X86_OPERAND_M16,
    X86_OPERAND_M32,
    X86_OPERAND_M64,
    X86_OPERAND_M128,
    X86_OPERAND_X,
    X86_OPERAND_I8,
    X86_OPERAND_I16,
    X86_OPERAND_I32,
    X86_OPERAND_I64,
    X86_OPERAND_U8,
    X86_OPERAND_CL,
    X86_OPERAND_CC,
    X86_OPERAND_L8,
    X86_OPERAND_L32,
} X86Operand;

typedef enum X86Place { // the member of X86Args that an operand is in
    X86_IN_NONE,
    X86_IN_REG,
    X86_IN_RM,
    X86_IN_MEM,
    X86_IN_IMM,
    X86_IN_COND,
    X86_IN_LABEL,
} X86Place;

enum { // X86Form.flags
    X86_PREFIX_66 = 1,
    X86_PREFIX_LOCK = 2,
    X86_PREFIX_F2 = 4,
    X86_PREFIX_F3 = 8,
    X86_PREFIXES = 15,
    X86_WIDE = 16,      // REX.W
    X86_IN_OPCODE = 32, // the register is in the opcode's last byte
    X86_MEMORY = 64,    // an operand is in memory
    X86_BYTES = 128,    // one is a register of 8 bits
};
enum { X86_MODRM_REG = 8, X86_NO_MODRM = 9 }; // X86Form.modrm, beside the digits 0 to 7

typedef struct X86Form {
    const char *mnemonic;
    struct {
        uint8_t kind, place; // X86Operand, X86Place
    } operands[4];
    uint8_t operand_count, flags;
    uint8_t opcode[4];
    uint8_t opcode_bytes, modrm;
    uint8_t immediate; // bytes of an immediate or a distance
} X86Form;

typedef struct X86Args { // of one instruction, as the form has them
    uint8_t reg, rm;     // X86Reg or X86Xmm
    uint8_t cond;        // X86Cond
    X86Mem mem;
    int64_t imm;
} X86Args;

extern const X86Form x86_forms[]; // by X86FormId
// Emits one instruction.
void x86_emit(Asm *a, uint32_t form, const X86Args *args);
// The same of a form with a label.
void x86_emit_to(Asm *a, uint32_t form, AsmLabel label, const X86Args *args);

// ---- listings ----
typedef struct X86Record { // an instruction of a listing
    AsmRecord record;
    AsmLabel label; // of a form that has one
    X86Args args;
} X86Record;

// What was emitted, in Intel's syntax, as if the code lay at `base`; a line an instruction: address, bytes, text. The Asm kept a
// listing (keeps_listing before the first instruction) and is finished.
void x86_print(const Asm *a, uint64_t base, StrBuf *out);
// The text of instruction i alone; false: there are no more.
bool x86_print_one(const Asm *a, size_t i, uint64_t base, StrBuf *out);
// Where it begins.
size_t x86_listed_at(const Asm *a, size_t i);

#endif
