// SPDX-License-Identifier: Apache-2.0
// Nodes that stand for methods of the class library: counts of bits, rounding, memory at an offset from an object, C functions.
#include "class/class.h"
#include "frame/frame.h"
#include "jit/x86_64_emit.h"

// ---- numbers ----

// By an instruction of one operand that may be in memory.
static void from_any(Emitter *e, NodeId n, void (*r_r)(Asm *, X86Reg, X86Reg),
                     void (*r_m)(Asm *, X86Reg, X86Mem))
{
    X86Reg to = gpr(result_register(e, n));
    Location x = input_location(e, n, 0);
    if (x.kind == AT_SLOT)
        r_m(&e->a, to, location_memory(e, x));
    else
        r_r(&e->a, to, gpr(input_register(e, n, 0)));
}

void emit_count_bits(Emitter *e, NodeId n)
{
    switch (ir_node(e->g, n)->op) {
    case IR_BitCountI: from_any(e, n, x86_popcnt_r32_r32, x86_popcnt_r32_m32); break;
    case IR_BitCountL: from_any(e, n, x86_popcnt_r64_r64, x86_popcnt_r64_m64); break;
    case IR_LeadingZerosI: from_any(e, n, x86_lzcnt_r32_r32, x86_lzcnt_r32_m32); break;
    case IR_LeadingZerosL: from_any(e, n, x86_lzcnt_r64_r64, x86_lzcnt_r64_m64); break;
    case IR_TrailingZerosI: from_any(e, n, x86_tzcnt_r32_r32, x86_tzcnt_r32_m32); break;
    default: from_any(e, n, x86_tzcnt_r64_r64, x86_tzcnt_r64_m64); break;
    }
}

void emit_reverse_bytes(Emitter *e, NodeId n)
{
    uint8_t to = result_register(e, n);
    emit_load(e, to, input_location(e, n, 0));
    (ir_node(e->g, n)->op == IR_ReverseBytesL ? x86_bswap_r64 : x86_bswap_r32)(&e->a, gpr(to));
}

void emit_multiply_high(Emitter *e, NodeId n)
{
    X86Reg by = gpr(input_register(e, n, 1));
    VM_ASSERT(by != RAX && by != RDX);
    emit_load(e, RAX, input_location(e, n, 0));
    x86_imul_r64(&e->a, by);
    emit_load(e, result_register(e, n), (Location){AT_REGISTER, RDX});
}

// Exact: no bits but the sign change.
void emit_absolute(Emitter *e, NodeId n)
{
    uint8_t to = result_register(e, n);
    emit_load(e, to, input_location(e, n, 0));
    x86_movabs_r64_i64(&e->a, SCRATCH, INT64_MAX);
    if (xmm(to) == xmm(SCRATCH_FLOAT)) // nobody wants it
        return;
    x86_movq_x_r64(&e->a, xmm(SCRATCH_FLOAT), SCRATCH);
    x86_andpd_x_x(&e->a, xmm(to), xmm(SCRATCH_FLOAT));
}

void emit_square_root(Emitter *e, NodeId n)
{
    uint8_t from = input_register(e, n, 0);
    x86_sqrtsd_x_x(&e->a, xmm(result_register(e, n)), xmm(from));
}

void emit_round(Emitter *e, NodeId n)
{
    enum {
        NEAREST = 0,
        DOWN = 1,
        UP = 2,
        QUIET = 8
    }; // QUIET: no exception where it is inexact
    uint16_t op = ir_node(e->g, n)->op;
    int mode = op == IR_FloorD ? DOWN : op == IR_CeilD ? UP : NEAREST;
    uint8_t from = input_register(e, n, 0);
    x86_roundsd_x_x_u8(&e->a, xmm(result_register(e, n)), xmm(from), mode | QUIET);
}

void emit_move_bits(Emitter *e, NodeId n)
{
    uint8_t to = result_register(e, n), from = input_register(e, n, 0);
    switch (ir_node(e->g, n)->op) {
    case IR_BitsOfF: x86_movd_r32_x(&e->a, gpr(to), xmm(from)); break;
    case IR_BitsOfD: x86_movq_r64_x(&e->a, gpr(to), xmm(from)); break;
    case IR_FOfBits: x86_movd_x_r32(&e->a, xmm(to), gpr(from)); break;
    default: x86_movq_x_r64(&e->a, xmm(to), gpr(from)); break;
    }
}

// ---- objects ----

// to = what the handle in it leads to, or null.
static void follow_handle(Emitter *e, X86Reg to)
{
    x86_and_r64_i8(&e->a, to, ~HANDLE_TAG);
    x86_mov_r64_m64(&e->a, to, x86_mem(to, 0));
}

void emit_current_thread(Emitter *e, NodeId n)
{
    X86Reg to = gpr(result_register(e, n));
    AsmLabel none = asm_label(&e->a);
    x86_mov_r64_m64(&e->a, to, x86_mem(THREAD, THREAD_OFFSET_java_thread));
    x86_test_r64_r64(&e->a, to, to);
    x86_j_cc_l8(&e->a, X86_E, none);
    follow_handle(e, to);
    asm_bind(&e->a, none);
}

void emit_mirror_of(Emitter *e, NodeId n)
{
    if (ir_is_const(e->g, input_of(e, n, 0))) { // null, behind a check that fails
        x86_ud2(&e->a);
        return;
    }
    X86Reg to = gpr(result_register(e, n)), object = gpr(input_register(e, n, 0));
    emit_load_class(e, to, object);
    x86_mov_r64_m64(&e->a, to, x86_mem(to, offsetof(Class, mirror)));
    follow_handle(e, to);
}

// ---- memory ----

// Offsets that are no number of 32 bits lie outside of every object.
static X86Mem place(Emitter *e, NodeId n)
{
    Location offset = input_location(e, n, 1);
    X86Reg object = gpr(input_register(e, n, 0));
    if (offset.kind != AT_CONSTANT)
        return x86_mem_index(object, gpr(input_register(e, n, 1)), X86_TIMES_1, 0);
    int64_t value = (int64_t)ir_value(e->g, ir_node(e->g, offset.index));
    if (value != (int32_t)value)
        emit_refuse(e, REFUSED_CODE);
    return x86_mem(object, (int32_t)value);
}

static bool is_of_null(Emitter *e, NodeId n)
{
    bool null = ir_is_const(e->g, input_of(e, n, 0));
    if (null) // behind a branch that goes elsewhere
        x86_ud2(&e->a);
    return null;
}

void emit_load_at(Emitter *e, NodeId n)
{
    if (!is_of_null(e, n))
        emit_load_kind(e, (char)ir_node(e->g, n)->aux, result_register(e, n), place(e, n));
}

// The code from `begin` on is an access that may fault; what it was to change is unchanged then.
static void note_guard(Emitter *e, NodeId n, size_t begin)
{
    vec_push(&e->notes.guards, ((CodeGuard){(uint32_t)begin, (uint32_t)asm_size(&e->a), 0}));
    vec_push(&e->faults, emit_deopt_label(e, n));
}

void emit_load_raw(Emitter *e, NodeId n)
{
    X86Reg address = gpr(input_register(e, n, 0));
    size_t begin = asm_size(&e->a);
    emit_load_kind(e, (char)ir_node(e->g, n)->aux, result_register(e, n), x86_mem(address, 0));
    note_guard(e, n, begin);
}

void emit_store_raw(Emitter *e, NodeId n)
{
    Location at = input_location(e, n, 0);
    uint8_t address = at.kind == AT_CONSTANT ? temporary_register(e, n, 0) : (uint8_t)at.index;
    if (at.kind == AT_CONSTANT)
        emit_load(e, address, at);
    size_t begin = asm_size(&e->a);
    emit_store_input(e, n, 1, (char)ir_node(e->g, n)->aux, x86_mem(gpr(address), 0));
    note_guard(e, n, begin);
}

void emit_store_at(Emitter *e, NodeId n)
{
    if (!is_of_null(e, n))
        emit_store_input(e, n, 2, (char)ir_node(e->g, n)->aux, place(e, n));
}

// Of I and J: what was there comes in the register whose value is stored.
void emit_get_and_add_at(Emitter *e, NodeId n)
{
    if (is_of_null(e, n))
        return;
    uint8_t to = result_register(e, n);
    X86Mem at = place(e, n);
    emit_load(e, to, input_location(e, n, 2));
    if (ir_node(e->g, n)->aux == 'J')
        x86_lock_xadd_m64_r64(&e->a, at, gpr(to));
    else
        x86_lock_xadd_m32_r32(&e->a, at, gpr(to));
}

void emit_get_and_set_at(Emitter *e, NodeId n)
{
    if (is_of_null(e, n))
        return;
    Asm *a = &e->a;
    uint8_t to = result_register(e, n);
    X86Mem at = place(e, n);
    emit_load(e, to, input_location(e, n, 2));
    switch (ir_node(e->g, n)->aux) {
    case 'I': x86_xchg_m32_r32(a, at, gpr(to)); return;
    case 'J': x86_xchg_m64_r64(a, at, gpr(to)); return;
    default: break;
    }
    emit_narrow(e, gpr(to));
    x86_xchg_m32_r32(a, at, SCRATCH);
    if (gpr(to) != SCRATCH) {
        x86_mov_r32_r32(a, gpr(to), SCRATCH);
        emit_widen(e, gpr(to));
    }
    emit_mark_card(e, at, gpr(temporary_register(e, n, 0)));
}

// All inputs go to registers of their own, which the node clobbers.
void emit_compare_and_set_at(Emitter *e, NodeId n)
{
    static const uint8_t registers[] = {RSI, RDX, RAX, RCX}; // object, offset, expected, new
    Asm *a = &e->a;
    char kind = (char)ir_node(e->g, n)->aux;
    X86Mem at = x86_mem_index(RSI, RDX, X86_TIMES_1, 0);
    Moves moves = {0};
    for (uint32_t i = 0; i < ARRAY_LEN(registers); i++)
        vec_push(&moves, ((Move){{AT_REGISTER, registers[i]}, input_location(e, n, i)}));
    emit_moves(e, &moves);
    vec_free(&moves);
    for (uint32_t i = 2; kind == 'A' && i < ARRAY_LEN(registers); i++) {
        emit_narrow(e, registers[i]);
        x86_mov_r32_r32(a, registers[i], SCRATCH);
    }
    if (kind == 'J')
        x86_lock_cmpxchg_m64_r64(a, at, RCX);
    else
        x86_lock_cmpxchg_m32_r32(a, at, RCX);
    x86_set_cc_r8(a, X86_E, RAX);
    x86_movzx_r32_r8(a, RAX, RAX);
    if (kind == 'A')
        emit_mark_card(e, at, RCX);
    emit_load(e, result_register(e, n), (Location){AT_REGISTER, RAX});
}
