// SPDX-License-Identifier: Apache-2.0
// Listings of x86-64 code: the text of each instruction from the table that it was encoded by, as GNU objdump writes it with
// -M intel. So no disassembler is needed. See x86_64_encode.h.
#include "code/x86_64_asm.h"

static const char *register_name(unsigned kind, unsigned reg)
{
    static const char names[4][16][5] = {
        {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b",
         "r12b", "r13b", "r14b", "r15b"},
        {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w",
         "r13w", "r14w", "r15w"},
        {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d",
         "r12d", "r13d", "r14d", "r15d"},
        {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11",
         "r12", "r13", "r14", "r15"}};
    VM_ASSERT(kind >= X86_OPERAND_R8 && kind <= X86_OPERAND_R64 && reg < 16);
    return names[kind - X86_OPERAND_R8][reg];
}

static void print_disp(StrBuf *out, int64_t disp, bool always, bool signed_)
{
    if (disp == 0 && !always)
        return;
    const char *sign = !signed_ ? "" : disp < 0 ? "-" : "+";
    sb_printf(out, "%s0x%llx", sign, (unsigned long long)(signed_ && disp < 0 ? -disp : disp));
}

static void print_memory(StrBuf *out, unsigned kind, const X86Mem *m, int64_t disp)
{
    static const char *const sizes[] = {[X86_OPERAND_M] = "",
                                        [X86_OPERAND_M8] = "BYTE PTR ",
                                        [X86_OPERAND_M16] = "WORD PTR ",
                                        [X86_OPERAND_M32] = "DWORD PTR ",
                                        [X86_OPERAND_M64] = "QWORD PTR ",
                                        [X86_OPERAND_M128] = "XMMWORD PTR "};
    sb_add(out, sizes[kind]);
    if (m->base == X86_NO_REG && m->index == X86_NO_REG) {
        sb_add(out, "ds:");
        print_disp(out, disp, true, false);
        return;
    }
    bool has_base = m->base < X86_NO_REG;
    sb_putc(out, '[');
    if (m->base != X86_NO_REG)
        sb_add(out, has_base ? register_name(X86_OPERAND_R64, m->base) : "rip");
    if (m->index != X86_NO_REG)
        sb_printf(out, "%s%s*%d", has_base ? "+" : "", register_name(X86_OPERAND_R64, m->index),
                  1 << m->scale);
    print_disp(out, disp, !has_base || x86_mem_has_disp(m), true);
    sb_putc(out, ']');
}

// Bits of an instruction: those of its first register or address.
static unsigned width_of(const X86Form *f)
{
    for (int i = 0; i < f->operand_count; i++) {
        unsigned kind = f->operands[i].kind;
        if (kind >= X86_OPERAND_R8 && kind <= X86_OPERAND_R64)
            return 8u << (kind - X86_OPERAND_R8);
        if (kind >= X86_OPERAND_M8 && kind <= X86_OPERAND_M64)
            return 8u << (kind - X86_OPERAND_M8);
    }
    return 64;
}

static void print_immediate(StrBuf *out, const X86Form *f, unsigned kind, int64_t imm)
{
    uint64_t value = (uint64_t)imm;
    unsigned bits = kind == X86_OPERAND_U8 ? 8 : width_of(f);
    if (bits < 64)
        value &= (UINT64_C(1) << bits) - 1;
    sb_printf(out, "0x%llx", (unsigned long long)value);
}

static size_t end_of(const Asm *a, size_t i)
{
    return i + 1 < a->records.len ? x86_listed_at(a, i + 1) : asm_size(a);
}

// What a displacement reads as: that to a label is known by now.
static int64_t disp_of(const Asm *a, size_t i, const X86Mem *m)
{
    return m->has_label ? asm_label_at(a, m->label) - (int64_t)end_of(a, i) : m->disp;
}

static void print_operand(StrBuf *out, const Asm *a, size_t i, int operand, uint64_t base)
{
    const X86Record *r = (const X86Record *)a->records.at + i;
    const X86Form *f = &x86_forms[r->record.form];
    unsigned kind = f->operands[operand].kind, place = f->operands[operand].place;
    unsigned reg = place == X86_IN_REG ? r->args.reg : r->args.rm;
    if (place == X86_IN_NONE)
        sb_add(out, "cl");
    else if (place == X86_IN_MEM)
        print_memory(out, kind, &r->args.mem, disp_of(a, i, &r->args.mem));
    else if (place == X86_IN_IMM)
        print_immediate(out, f, kind, r->args.imm);
    else if (place == X86_IN_LABEL)
        sb_printf(out, "0x%llx",
                  (unsigned long long)(base + (uint64_t)asm_label_at(a, r->label)));
    else if (kind == X86_OPERAND_X)
        sb_printf(out, "xmm%u", reg);
    else
        sb_add(out, register_name(kind, reg));
}

size_t x86_listed_at(const Asm *a, size_t i)
{
    VM_ASSERT(i < a->records.len);
    return ((const X86Record *)a->records.at)[i].record.at;
}

bool x86_print_one(const Asm *a, size_t i, uint64_t base, StrBuf *out)
{
    static const char conditions[16][3] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                           "s", "ns", "p", "np", "l", "ge", "le", "g"};
    if (i >= a->records.len)
        return false;
    const X86Record *r = (const X86Record *)a->records.at + i;
    const X86Form *f = &x86_forms[r->record.form];
    sb_add(out, f->mnemonic);
    char before = ' ';
    for (int operand = 0; operand < f->operand_count; operand++) {
        if (f->operands[operand].place == X86_IN_COND) {
            sb_add(out, conditions[r->args.cond]);
            continue;
        }
        sb_putc(out, before);
        print_operand(out, a, i, operand, base);
        before = ',';
    }
    return true;
}

void x86_print(const Asm *a, uint64_t base, StrBuf *out)
{
    enum { BYTES_COLUMN = 24 };
    VM_ASSERT(a->keeps_listing);
    for (size_t i = 0; i < a->records.len; i++) {
        size_t at = x86_listed_at(a, i), end = end_of(a, i), column = 0;
        sb_printf(out, "  0x%llx: ", (unsigned long long)(base + at));
        for (; at < end; at++, column += 2)
            sb_printf(out, "%02x", asm_code(a)[at]);
        for (; column <= BYTES_COLUMN; column++)
            sb_putc(out, ' ');
        x86_print_one(a, i, base, out);
        sb_putc(out, '\n');
    }
}
