// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and conversions. What the nodes mean stands in spec/semantics.def, by their bytecode.
#include "jit/x86_64_emit.h"

#include <math.h>

static bool is_long(const Emitter *e, NodeId n)
{
    uint8_t type = ir_node(e->g, n)->type;
    return type == IRT_L || type == IRT_A || type == IRT_D;
}

// ---- two integers ----

typedef struct Binary {
    uint16_t op;
    void (*r32_r32)(Asm *, X86Reg, X86Reg), (*r64_r64)(Asm *, X86Reg, X86Reg);
    void (*r32_m32)(Asm *, X86Reg, X86Mem), (*r64_m64)(Asm *, X86Reg, X86Mem);
    void (*r32_i)(Asm *, X86Reg, int64_t), (*r64_i)(Asm *, X86Reg, int64_t);
} Binary;
#define BINARY(node, insn)                                                           \
    {                                                                                \
        IR_##node, x86_##insn##_r32_r32, x86_##insn##_r64_r64, x86_##insn##_r32_m32, \
            x86_##insn##_r64_m64, x86_##insn##_r32_i, x86_##insn##_r64_i             \
    }

static void multiply_32(Asm *a, X86Reg to, int64_t by)
{
    x86_imul_r32_r32_i(a, to, to, by);
}
static void multiply_64(Asm *a, X86Reg to, int64_t by)
{
    x86_imul_r64_r64_i(a, to, to, by);
}

static const Binary binaries[] = {
    BINARY(AddI, add),
    BINARY(AddL, add),
    BINARY(SubI, sub),
    BINARY(SubL, sub),
    BINARY(AndI, and),
    BINARY(AndL, and),
    BINARY(OrI, or),
    BINARY(OrL, or),
    BINARY(XorI, xor),
    BINARY(XorL, xor),
    {IR_MulI, x86_imul_r32_r32, x86_imul_r64_r64, x86_imul_r32_m32, x86_imul_r64_m64,
     multiply_32, multiply_64},
    {IR_MulL, x86_imul_r32_r32, x86_imul_r64_r64, x86_imul_r32_m32, x86_imul_r64_m64,
     multiply_32, multiply_64},
};

static const Binary *binary_of(uint16_t op)
{
    for (size_t i = 0; i < ARRAY_LEN(binaries); i++)
        if (binaries[i].op == op)
            return &binaries[i];
    VM_ASSERT(false);
    return NULL;
}

static void add_constant(Emitter *e, bool wide, X86Reg to, X86Reg from, int32_t value)
{
    if (to == from)
        (wide ? x86_add_r64_i : x86_add_r32_i)(&e->a, to, value);
    else
        (wide ? x86_lea_r64_m : x86_lea_r32_m)(&e->a, to, x86_mem(from, value));
}

void emit_two(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    const Binary *op = binary_of(node->op);
    bool wide = is_long(e, n);
    X86Reg to = gpr(result_register(e, n));
    Location x = input_location(e, n, 0), y = input_location(e, n, 1);
    int32_t value = 0;
    bool immediate = input_is_immediate(e, n, 1, &value);
    bool subtracts = (node->op == IR_SubI || node->op == IR_SubL) && value != INT32_MIN;
    bool adds = node->op == IR_AddI || node->op == IR_AddL || subtracts;
    if (adds && immediate && x.kind == AT_REGISTER) {
        add_constant(e, wide, to, gpr((uint8_t)x.index), subtracts ? -value : value);
        return;
    }
    if (ir_info(node)->flags & IRF_COMMUTES && location_equal(y, (Location){AT_REGISTER, to})) {
        y = x;
        immediate = false;
        x = (Location){AT_REGISTER, to};
        if (y.kind == AT_CONSTANT)
            immediate = input_is_immediate(e, n, 0, &value);
    }
    emit_load(e, (uint8_t)to, x);
    if (immediate)
        (wide ? op->r64_i : op->r32_i)(&e->a, to, value);
    else if (y.kind == AT_SLOT)
        (wide ? op->r64_m64 : op->r32_m32)(&e->a, to, location_memory(e, y));
    else {
        if (y.kind == AT_CONSTANT) {
            emit_constant(e, SCRATCH, y.index);
            y = (Location){AT_REGISTER, SCRATCH};
        }
        VM_ASSERT(y.index != to || location_equal(x, y));
        (wide ? op->r64_r64 : op->r32_r32)(&e->a, to, gpr((uint8_t)y.index));
    }
}

void emit_negate(Emitter *e, NodeId n)
{
    uint8_t to = result_register(e, n);
    bool wide = is_long(e, n);
    emit_load(e, to, input_location(e, n, 0));
    if (to < MACHINE_FIRST_FLOAT) {
        (wide ? x86_neg_r64 : x86_neg_r32)(&e->a, gpr(to));
        return;
    }
    x86_movabs_r64_i64(&e->a, SCRATCH, wide ? INT64_MIN : (int64_t)1 << 31);
    x86_movq_x_r64(&e->a, xmm(SCRATCH_FLOAT), SCRATCH);
    x86_xorps_x_x(&e->a, xmm(to), xmm(SCRATCH_FLOAT));
}

void emit_shift(Emitter *e, NodeId n)
{
    static const struct {
        uint16_t op;
        void (*by_cl)(Asm *, X86Reg);
        void (*by_value)(Asm *, X86Reg, int64_t);
    } shifts[] = {
        {IR_ShlI, x86_shl_r32, x86_shl_r32_u8},  {IR_ShlL, x86_shl_r64, x86_shl_r64_u8},
        {IR_ShrI, x86_sar_r32, x86_sar_r32_u8},  {IR_ShrL, x86_sar_r64, x86_sar_r64_u8},
        {IR_UshrI, x86_shr_r32, x86_shr_r32_u8}, {IR_UshrL, x86_shr_r64, x86_shr_r64_u8},
    };
    uint16_t op = ir_node(e->g, n)->op;
    size_t i = 0;
    while (shifts[i].op != op)
        i++;
    uint8_t to = result_register(e, n);
    Location by = input_location(e, n, 1);
    emit_load(e, to, input_location(e, n, 0));
    if (by.kind == AT_CONSTANT) {
        uint32_t count = (uint32_t)ir_value(e->g, ir_node(e->g, by.index));
        shifts[i].by_value(&e->a, gpr(to), (uint8_t)(count & (is_long(e, n) ? 63 : 31)));
        return;
    }
    VM_ASSERT(to != RCX);
    emit_load(e, RCX, by);
    shifts[i].by_cl(&e->a, gpr(to));
}

// Dividing the least number by -1 traps: x / -1 is -x, its rest 0.
void emit_divide(Emitter *e, NodeId n)
{
    uint16_t op = ir_node(e->g, n)->op;
    bool wide = is_long(e, n), wants_rest = op == IR_RemI || op == IR_RemL;
    uint8_t to = result_register(e, n);
    Location x = input_location(e, n, 0);
    X86Reg by = gpr(input_register(e, n, 1));
    AsmLabel minus_one = asm_label(&e->a), done = asm_label(&e->a);
    VM_ASSERT(by != RAX && by != RDX);
    emit_load(e, RAX, x);
    (wide ? x86_cmp_r64_i8 : x86_cmp_r32_i8)(&e->a, by, -1);
    x86_j_cc_l8(&e->a, X86_E, minus_one);
    if (wide)
        x86_cqo(&e->a);
    else
        x86_cdq(&e->a);
    (wide ? x86_idiv_r64 : x86_idiv_r32)(&e->a, by);
    x86_jmp_l8(&e->a, done);
    asm_bind(&e->a, minus_one);
    if (wants_rest)
        x86_xor_r32_r32(&e->a, RDX, RDX);
    else
        (wide ? x86_neg_r64 : x86_neg_r32)(&e->a, RAX);
    asm_bind(&e->a, done);
    emit_load(e, to, (Location){AT_REGISTER, wants_rest ? RDX : RAX});
}

// ---- two floats or doubles ----

void emit_float_two(Emitter *e, NodeId n)
{
    static const struct {
        uint16_t op;
        void (*x_x)(Asm *, X86Xmm, X86Xmm);
        void (*x_m)(Asm *, X86Xmm, X86Mem);
    } ops[] = {
        {IR_AddF, x86_addss_x_x, x86_addss_x_m32}, {IR_AddD, x86_addsd_x_x, x86_addsd_x_m64},
        {IR_SubF, x86_subss_x_x, x86_subss_x_m32}, {IR_SubD, x86_subsd_x_x, x86_subsd_x_m64},
        {IR_MulF, x86_mulss_x_x, x86_mulss_x_m32}, {IR_MulD, x86_mulsd_x_x, x86_mulsd_x_m64},
        {IR_DivF, x86_divss_x_x, x86_divss_x_m32}, {IR_DivD, x86_divsd_x_x, x86_divsd_x_m64},
    };
    size_t i = 0;
    while (ops[i].op != ir_node(e->g, n)->op)
        i++;
    uint8_t to = result_register(e, n);
    Location y = input_location(e, n, 1);
    if (y.kind == AT_CONSTANT) { // first, as SCRATCH is needed for it
        emit_constant(e, SCRATCH_FLOAT, y.index);
        y = (Location){AT_REGISTER, SCRATCH_FLOAT};
    }
    emit_load(e, to, input_location(e, n, 0));
    if (y.kind == AT_SLOT)
        ops[i].x_m(&e->a, xmm(to), location_memory(e, y));
    else
        ops[i].x_x(&e->a, xmm(to), xmm((uint8_t)y.index));
}

// By the C library, as the interpreter does it.
void emit_float_rest(Emitter *e, NodeId n)
{
    Moves moves = {0};
    for (uint32_t i = 0; i < 2; i++)
        vec_push(&moves,
                 ((Move){{AT_REGISTER, MACHINE_FIRST_FLOAT + i}, input_location(e, n, i)}));
    emit_moves(e, &moves);
    vec_free(&moves);
    uintptr_t function = is_long(e, n) ? (uintptr_t)fmod : (uintptr_t)fmodf;
    x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)function);
    x86_call_r64(&e->a, SCRATCH);
    emit_load(e, result_register(e, n), (Location){AT_REGISTER, MACHINE_FIRST_FLOAT});
}

// ---- conversions ----

void emit_convert(Emitter *e, NodeId n)
{
    uint8_t to = result_register(e, n), from = input_register(e, n, 0);
    Asm *a = &e->a;
    uint16_t op = ir_node(e->g, n)->op;
    if (to >= MACHINE_FIRST_FLOAT && to != from) // the upper bits would be waited for
        x86_xorps_x_x(a, xmm(to), xmm(to));
    switch (op) {
    case IR_I2L: x86_movsxd_r64_r32(a, gpr(to), gpr(from)); break;
    case IR_L2I: x86_mov_r32_r32(a, gpr(to), gpr(from)); break;
    case IR_I2B: x86_movsx_r32_r8(a, gpr(to), gpr(from)); break;
    case IR_I2C: x86_movzx_r32_r16(a, gpr(to), gpr(from)); break;
    case IR_I2S: x86_movsx_r32_r16(a, gpr(to), gpr(from)); break;
    case IR_I2F: x86_cvtsi2ss_x_r32(a, xmm(to), gpr(from)); break;
    case IR_I2D: x86_cvtsi2sd_x_r32(a, xmm(to), gpr(from)); break;
    case IR_L2F: x86_cvtsi2ss_x_r64(a, xmm(to), gpr(from)); break;
    case IR_L2D: x86_cvtsi2sd_x_r64(a, xmm(to), gpr(from)); break;
    case IR_F2D: x86_cvtss2sd_x_x(a, xmm(to), xmm(from)); break;
    default: VM_ASSERT(op == IR_D2F); x86_cvtsd2ss_x_x(a, xmm(to), xmm(from));
    }
}

// An int has no upper half.
void emit_extend_zero(Emitter *e, NodeId n)
{
    emit_load(e, result_register(e, n), input_location(e, n, 0));
}

// The processor gives its least number for all that does not fit: of these NaN becomes 0, what is too large the
// greatest number.
void emit_to_integer(Emitter *e, NodeId n)
{
    Asm *a = &e->a;
    uint16_t op = ir_node(e->g, n)->op;
    bool wide = op == IR_F2L || op == IR_D2L, single = op == IR_F2I || op == IR_F2L;
    uint8_t from = input_register(e, n, 0);
    X86Reg to = gpr(result_register(e, n));
    AsmLabel done = asm_label(a), number = asm_label(a);
    if (wide) {
        (single ? x86_cvttss2si_r64_x : x86_cvttsd2si_r64_x)(a, to, xmm(from));
        x86_movabs_r64_i64(a, SCRATCH, INT64_MIN);
        x86_cmp_r64_r64(a, to, SCRATCH);
    } else {
        (single ? x86_cvttss2si_r32_x : x86_cvttsd2si_r32_x)(a, to, xmm(from));
        x86_cmp_r32_i32(a, to, INT32_MIN);
    }
    x86_j_cc_l8(a, X86_NE, done);
    (single ? x86_ucomiss_x_x : x86_ucomisd_x_x)(a, xmm(from), xmm(from));
    x86_j_cc_l8(a, X86_NP, number);
    x86_xor_r32_r32(a, to, to);
    x86_jmp_l8(a, done);
    asm_bind(
        a, number); // what is less than any integer has a sign; a constant is in SCRATCH_FLOAT
    (single ? x86_movd_r32_x : x86_movq_r64_x)(a, SCRATCH, xmm(from));
    (single ? x86_test_r32_r32 : x86_test_r64_r64)(a, SCRATCH, SCRATCH);
    x86_j_cc_l8(a, X86_S, done);
    (wide ? x86_not_r64 : x86_not_r32)(a, to); // the greatest number
    asm_bind(a, done);
}

// ---- comparisons whose result is a number ----

// to = (above ? 1 : 0) - (below ? 1 : 0), by the flags.
static void number_of_flags(Emitter *e, X86Reg to, X86Cond above, X86Cond below)
{
    Asm *a = &e->a;
    x86_set_cc_r8(a, above, SCRATCH);
    x86_set_cc_r8(a, below, to);
    x86_movzx_r32_r8(a, SCRATCH, SCRATCH);
    x86_movzx_r32_r8(a, to, to);
    x86_sub_r32_r32(a, SCRATCH, to);
    x86_mov_r32_r32(a, to, SCRATCH);
}

void emit_compare(Emitter *e, NodeId n)
{
    uint16_t op = ir_node(e->g, n)->op;
    X86Reg to = gpr(result_register(e, n));
    emit_flags(e, n);
    switch (op) {
    case IR_CmpL: number_of_flags(e, to, X86_G, X86_L); break;
    case IR_CmpFl:
    case IR_CmpDl: number_of_flags(e, to, X86_A, X86_B); break;
    default: number_of_flags(e, to, X86_B, X86_A); break; // the operands are exchanged
    }
}

void emit_flags(Emitter *e, NodeId n)
{
    uint16_t op = ir_node(e->g, n)->op;
    Asm *a = &e->a;
    if (op == IR_CmpL) {
        int32_t value;
        X86Reg x = gpr(input_register(e, n, 0)); // SCRATCH if constant
        Location y = input_location(e, n, 1);
        if (input_is_immediate(e, n, 1, &value))
            x86_cmp_r64_i(a, x, value);
        else if (y.kind == AT_SLOT)
            x86_cmp_r64_m64(a, x, location_memory(e, y));
        else if (y.kind == AT_REGISTER)
            x86_cmp_r64_r64(a, x, gpr((uint8_t)y.index));
        else if (x != SCRATCH) {
            emit_constant(e, SCRATCH, y.index);
            x86_cmp_r64_r64(a, x, SCRATCH);
        } else { // two constants
            x86_push_r64(a, RAX);
            emit_constant(e, (uint8_t)RAX, y.index);
            x86_cmp_r64_r64(a, x, RAX);
            x86_pop_r64(a, RAX);
        }
        return;
    }
    bool exchanged = op == IR_CmpFg || op == IR_CmpDg,
         single = op == IR_CmpFl || op == IR_CmpFg;
    Location y = input_location(e, n, !exchanged);
    if (y.kind == AT_CONSTANT) { // by memory: the other one may need the scratch register
        emit_load(e, SCRATCH_FLOAT, y);
        x86_movsd_m64_x(a, x86_mem(RSP, 0), xmm(SCRATCH_FLOAT));
        uint8_t x = input_register(e, n, exchanged);
        (single ? x86_ucomiss_x_m32 : x86_ucomisd_x_m64)(a, xmm(x), x86_mem(RSP, 0));
        return;
    }
    uint8_t x = input_register(e, n, exchanged);
    (single ? x86_ucomiss_x_x : x86_ucomisd_x_x)(a, xmm(x), xmm((uint8_t)y.index));
}
