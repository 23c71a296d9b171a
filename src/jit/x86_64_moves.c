// SPDX-License-Identifier: Apache-2.0
// Values are moved to where they are wanted. All eight bytes of a slot or register are moved, whatever the type.
#include "jit/x86_64_emit.h"

// ---- places ----

Location location_at(const Emitter *e, NodeId value, uint32_t position)
{
    value = e->m->value[value];
    if (ir_is_const(e->g, value))
        return (Location){AT_CONSTANT, value};
    uint32_t part = machine_part_at(e->m, value, position);
    VM_ASSERT(part != 0);
    uint8_t reg = e->m->intervals.at[part].reg;
    if (reg != NO_REGISTER)
        return (Location){AT_REGISTER, reg};
    VM_ASSERT(e->m->slot[value] != NO_SLOT);
    return (Location){AT_SLOT, e->m->slot[value]};
}

X86Mem location_memory(const Emitter *e, Location l)
{
    (void)e;
    VM_ASSERT(l.kind == AT_SLOT || l.kind == AT_ARGUMENT || l.kind == AT_OUTGOING
              || l.kind == AT_LOCAL);
    int32_t bytes = (int32_t)(l.index * sizeof(uint64_t));
    switch (l.kind) {
    case AT_SLOT: return x86_mem(RBP, -CODE_SLOTS_AT - bytes);
    case AT_LOCAL: return x86_mem(SCRATCH, bytes);
    case AT_ARGUMENT: return x86_mem(RBP, 2 * (int32_t)sizeof(uint64_t) + bytes);
    default: return x86_mem(RSP, bytes);
    }
}

// ---- one value ----

static void constant_to_general(Emitter *e, X86Reg to, uint64_t bits)
{
    if (bits == 0)
        x86_xor_r32_r32(&e->a, to, to);
    else if (bits <= UINT32_MAX)
        x86_mov_r32_i32(&e->a, to, (int32_t)(uint32_t)bits);
    else if ((int64_t)bits == (int32_t)bits)
        x86_mov_r64_i32(&e->a, to, (int32_t)bits);
    else
        x86_movabs_r64_i64(&e->a, to, (int64_t)bits);
}

static uint64_t constant_bits(const Emitter *e, NodeId constant)
{
    const Node *n = ir_node(e->g, constant);
    uint64_t bits = ir_value(e->g, n);
    return n->type == IRT_I || n->type == IRT_F ? (uint32_t)bits : bits;
}

void emit_constant(Emitter *e, uint8_t reg, NodeId constant)
{
    uint64_t bits = constant_bits(e, constant);
    if (reg < MACHINE_FIRST_FLOAT) {
        constant_to_general(e, gpr(reg), bits);
    } else if (bits == 0) {
        x86_xorps_x_x(&e->a, xmm(reg), xmm(reg));
    } else {
        constant_to_general(e, SCRATCH, bits);
        x86_movq_x_r64(&e->a, xmm(reg), SCRATCH);
    }
}

void emit_store_slot(Emitter *e, uint32_t slot, uint8_t reg)
{
    X86Mem at = location_memory(e, (Location){AT_SLOT, slot});
    if (reg < MACHINE_FIRST_FLOAT)
        x86_mov_m64_r64(&e->a, at, gpr(reg));
    else
        x86_movsd_m64_x(&e->a, at, xmm(reg));
}

static void load_register(Emitter *e, uint8_t to, uint8_t from)
{
    if (to == from)
        return;
    bool to_float = to >= MACHINE_FIRST_FLOAT, from_float = from >= MACHINE_FIRST_FLOAT;
    if (to_float && from_float)
        x86_movaps_x_x(&e->a, xmm(to), xmm(from));
    else if (to_float)
        x86_movq_x_r64(&e->a, xmm(to), gpr(from));
    else if (from_float)
        x86_movq_r64_x(&e->a, gpr(to), xmm(from));
    else
        x86_mov_r64_r64(&e->a, gpr(to), gpr(from));
}

void emit_load(Emitter *e, uint8_t reg, Location from)
{
    if (from.kind == AT_REGISTER)
        load_register(e, reg, (uint8_t)from.index);
    else if (from.kind == AT_CONSTANT)
        emit_constant(e, reg, from.index);
    else if (reg < MACHINE_FIRST_FLOAT)
        x86_mov_r64_m64(&e->a, gpr(reg), location_memory(e, from));
    else
        x86_movsd_x_m64(&e->a, xmm(reg), location_memory(e, from));
}

static void constant_to_memory(Emitter *e, Location to, NodeId constant)
{
    uint64_t bits = constant_bits(e, constant);
    if ((int64_t)bits == (int32_t)bits) {
        x86_mov_m64_i32(&e->a, location_memory(e, to), (int32_t)bits);
        return;
    }
    constant_to_general(e, SCRATCH, bits);
    x86_mov_m64_r64(&e->a, location_memory(e, to), SCRATCH);
}

static void emit_move(Emitter *e, Move m)
{
    if (m.to.kind == AT_REGISTER) {
        emit_load(e, (uint8_t)m.to.index, m.from);
    } else if (m.from.kind == AT_CONSTANT) {
        constant_to_memory(e, m.to, m.from.index);
    } else {
        uint8_t via = SCRATCH_FLOAT; // SCRATCH may hold what a cycle waits for
        if (m.from.kind == AT_REGISTER)
            via = (uint8_t)m.from.index;
        else
            emit_load(e, via, m.from);
        if (via < MACHINE_FIRST_FLOAT)
            x86_mov_m64_r64(&e->a, location_memory(e, m.to), gpr(via));
        else
            x86_movsd_m64_x(&e->a, location_memory(e, m.to), xmm(via));
    }
}

// ---- many at once ----

static bool is_read(const Moves *moves, size_t but, Location l)
{
    for (size_t i = 0; i < moves->len; i++)
        if (i != but && location_equal(moves->at[i].from, l))
            return true;
    return false;
}

// Does what may be done: what it overwrites is read by no other. False: there is none.
static bool move_one(Emitter *e, Moves *moves, bool constants)
{
    for (size_t i = 0; i < moves->len; i++) {
        if ((moves->at[i].from.kind == AT_CONSTANT) != constants
            || is_read(moves, i, moves->at[i].to))
            continue;
        emit_move(e, moves->at[i]);
        moves->at[i] = moves->at[--moves->len];
        return true;
    }
    return false;
}

// All that is left are cycles (and constants): what one overwrites goes to SCRATCH.
static void break_cycle(Emitter *e, Moves *moves)
{
    size_t i = 0;
    while (moves->at[i].from.kind == AT_CONSTANT)
        i++;
    Location lost = moves->at[i].to;
    emit_load(e, SCRATCH, lost);
    for (size_t k = 0; k < moves->len; k++)
        if (location_equal(moves->at[k].from, lost))
            moves->at[k].from = (Location){AT_REGISTER, SCRATCH};
}

static bool is_all_constants(const Moves *moves)
{
    for (size_t i = 0; i < moves->len; i++)
        if (moves->at[i].from.kind != AT_CONSTANT)
            return false;
    return true;
}

void emit_moves(Emitter *e, Moves *moves)
{
    for (size_t i = 0; i < moves->len; i++)
        if (location_equal(moves->at[i].to, moves->at[i].from)) {
            moves->at[i] = moves->at[--moves->len];
            i--;
        }
    while (!is_all_constants(moves))
        if (!move_one(e, moves, false))
            break_cycle(e, moves);
    while (move_one(e, moves, true)) {
    }
    VM_ASSERT(moves->len == 0);
}

// ---- edges ----

static uint32_t predecessor_index(const Block *block, BlockId from)
{
    uint32_t i = 0;
    while (block->preds.at[i] != from)
        i++;
    return i;
}

void edge_moves(const Emitter *e, BlockId from, BlockId to, Moves *moves)
{
    const Machine *m = e->m;
    const Block *block = ir_at(e->g, to);
    uint32_t p = predecessor_index(block, from), end = m->to[from] - 1, start = m->from[to];
    for (uint32_t k = 0; k < block->nodes.len; k++) {
        NodeId phi = block->nodes.at[k];
        if (ir_node(e->g, phi)->op != IR_Phi)
            break;
        if (!m->interval[phi])
            continue; // nobody needs it
        NodeId in = ir_inputs(e->g, ir_node(e->g, phi))[p];
        vec_push(moves, ((Move){location_at(e, phi, start), location_at(e, in, end)}));
    }
    for (size_t word = 0; word < (m->numbered.len + 63) / 64; word++)
        for (uint64_t bits = m->live_in[to][word]; bits; bits &= bits - 1) {
            NodeId n = m->numbered.at[word * 64 + (size_t)__builtin_ctzll(bits)];
            if (!m->intervals.at[m->interval[n]].next)
                continue;
            Move move = {location_at(e, n, start), location_at(e, n, end)};
            if (move.to.kind == AT_REGISTER) // else it was stored where it was defined
                vec_push(moves, move);
        }
}
