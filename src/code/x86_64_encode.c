// SPDX-License-Identifier: Apache-2.0
// Encodes x86-64 instructions by the table of forms. See x86_64_encode.h; Intel's manual, volume 2, chapter 2.
#include "code/x86_64_asm.h"

enum {
    REX = 0x40,
    REX_W = 8,
    REX_R = 4,
    REX_X = 2,
    REX_B = 1,
    MOD_NO_DISP = 0,
    MOD_DISP8 = 0x40,
    MOD_DISP32 = 0x80,
    MOD_REGISTER = 0xC0,
    RM_SIB = 4, // in ModRM.rm: a SIB byte follows
    RM_DISP32 =
        5, // in ModRM.rm or SIB.base without displacement: no base, but a displacement of 32 bits
    SIB_NO_INDEX = 4,
    INSN_MAX = 15,
};

typedef struct Bytes { // of an instruction
    uint8_t *at;
    size_t len;
} Bytes;

static void put(Bytes *b, unsigned byte)
{
    VM_ASSERT(b->len < INSN_MAX);
    b->at[b->len++] = (uint8_t)byte;
}

static void put_number(Bytes *b, int64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        put(b, (unsigned)(value >> (8 * i)) & 0xFF);
}

static bool is_high(unsigned reg)
{
    return reg < X86_NO_REG && reg >= R8;
}

// Without a REX prefix 4 to 7 would be ah, ch, dh and bh.
static bool needs_rex_for_byte(const X86Form *f, const X86Args *args)
{
    for (int i = 0; i < f->operand_count; i++) {
        unsigned place = f->operands[i].place;
        unsigned reg = place == X86_IN_REG ? args->reg : args->rm;
        if (f->operands[i].kind == X86_OPERAND_R8 && reg >= RSP)
            return true;
    }
    return false;
}

static void put_prefixes(Bytes *b, const X86Form *f, const X86Args *args, bool memory)
{
    static const uint8_t prefixes[] = {0x66, 0xF0, 0xF2, 0xF3}; // by the bits of flags
    for (unsigned left = f->flags & X86_PREFIXES; left; left &= left - 1)
        put(b, prefixes[__builtin_ctz(left)]);
    unsigned rex = f->flags & X86_WIDE ? REX_W : 0;
    if (f->flags & X86_IN_OPCODE)
        rex |= is_high(args->reg) ? REX_B : 0;
    else
        rex |= is_high(args->reg) ? REX_R : 0;
    if (memory)
        rex |= (is_high(args->mem.base) ? REX_B : 0) | (is_high(args->mem.index) ? REX_X : 0);
    else
        rex |= is_high(args->rm) ? REX_B : 0;
    if (rex || (f->flags & X86_BYTES && needs_rex_for_byte(f, args)))
        put(b, REX | rex);
}

static void put_opcode(Bytes *b, const X86Form *f, const X86Args *args)
{
    for (int i = 0; i < f->opcode_bytes - 1; i++)
        put(b, f->opcode[i]);
    unsigned last = f->opcode[f->opcode_bytes - 1];
    put(b, last + args->cond + (f->flags & X86_IN_OPCODE ? args->reg & 7u : 0));
}

static unsigned mod_of(const X86Mem *m)
{
    if (!x86_mem_has_disp(m))
        return MOD_NO_DISP;
    return m->disp == (int8_t)m->disp ? MOD_DISP8 : MOD_DISP32;
}

// ModRM, SIB and displacement of an address; `reg` is in ModRM's place. *disp_at: where the displacement is.
static void put_memory(Bytes *b, const X86Mem *m, unsigned reg, size_t *disp_at)
{
    VM_ASSERT(m->index != RSP && m->index != X86_RIP);
    bool has_base = m->base < X86_NO_REG;
    unsigned mod = has_base ? mod_of(m) : MOD_NO_DISP;
    if (m->base == X86_RIP) {
        put(b, reg | RM_DISP32);
    } else if (has_base && m->index == X86_NO_REG && (m->base & 7) != RSP) {
        put(b, mod | reg | (m->base & 7));
    } else { // rsp and r12 as a base have no form without SIB
        unsigned index = m->index == X86_NO_REG ? SIB_NO_INDEX : m->index & 7;
        put(b, mod | reg | RM_SIB);
        put(b, (unsigned)m->scale << 6 | index << 3 | (has_base ? m->base & 7u : RM_DISP32));
    }
    *disp_at = b->len;
    if (!has_base || mod == MOD_DISP32)
        put_number(b, m->disp, 4);
    else if (mod == MOD_DISP8)
        put_number(b, m->disp, 1);
}

UNUSED static bool fits(int64_t value, unsigned bytes)
{
    if (bytes == 0 || bytes == sizeof value)
        return bytes > 0 || value == 0;
    unsigned free_bits = 64 - 8 * bytes;
    return (int64_t)((uint64_t)value << free_bits) >> free_bits == value
           || (uint64_t)value >> (8 * bytes) == 0;
}

static void encode(Asm *a, uint32_t id, const AsmLabel *label, const X86Args *args)
{
    VM_ASSERT(id < X86_FORM_COUNT);
    const X86Form *f = &x86_forms[id];
    VM_ASSERT(fits(args->imm, f->immediate));
    Bytes b = {asm_room(a, INSN_MAX), 0};
    if (!b.at)
        return;
    bool memory = f->flags & X86_MEMORY;
    size_t disp_at = 0, start = asm_size(a);
    put_prefixes(&b, f, args, memory);
    put_opcode(&b, f, args);
    unsigned reg = (f->modrm == X86_MODRM_REG ? args->reg & 7u : f->modrm) << 3;
    if (memory)
        put_memory(&b, &args->mem, reg, &disp_at);
    else if (f->modrm != X86_NO_MODRM)
        put(&b, MOD_REGISTER | reg | (args->rm & 7u));
    size_t immediate_at = b.len;
    put_number(&b, args->imm, f->immediate);
    if (a->keeps_listing) {
        X86Record record = {{(uint32_t)start, id}, label ? *label : (AsmLabel){0}, *args};
        asm_record(a, &record, sizeof record);
    }
    asm_take(a, b.len);
    if (label)
        asm_fixup(a, *label, start + immediate_at, f->immediate, start + b.len);
    if (memory && args->mem.has_label)
        asm_fixup(a, args->mem.label, start + disp_at, 4, start + b.len);
}

void x86_emit(Asm *a, uint32_t form, const X86Args *args)
{
    encode(a, form, NULL, args);
}

void x86_emit_to(Asm *a, uint32_t form, AsmLabel label, const X86Args *args)
{
    encode(a, form, &label, args);
}
