// SPDX-License-Identifier: Apache-2.0
// Checks a register allocation by going through the code as the emitter does, with no more than the names of values: which value each
// register and slot holds, on all paths that lead there. A place that an input, a state or a phi is read from must hold that value.
// Nothing of it is shared with what chose the places, but for the moves, which are the emitter's own.
#include "jit/x86_64_emit.h"

typedef struct Places { // what they hold: values; 0: nothing that is known
    NodeId *at;         // registers, then slots
} Places;

typedef struct Checker {
    Emitter *e; // of places and moves alone: no code
    Machine *m;
    uint32_t count; // of places
    Places *in;     // by block: at its beginning; at NULL: no path leads there yet
    Places now;
    StrBuf *wrong;
    bool failed, reports;
} Checker;

static uint32_t place_of(Location l)
{
    VM_ASSERT(l.kind == AT_REGISTER || l.kind == AT_SLOT);
    return l.kind == AT_REGISTER ? l.index : MACHINE_REGISTERS + l.index;
}

static void fail(Checker *c, NodeId n, NodeId value, const char *what)
{
    if (c->reports && !c->failed)
        sb_printf(c->wrong, "n%u: n%u is not where its %s is read", n, value, what);
    c->failed = true;
}

static void expect(Checker *c, NodeId n, NodeId value, uint32_t position, const char *what)
{
    value = c->m->value[value];
    if (ir_is_const(c->m->g, value))
        return;
    if (!machine_part_at(c->m, value, position)
        || c->now.at[place_of(location_at(c->e, value, position))] != value)
        fail(c, n, value, what);
}

// ---- what changes places ----

// `as`: what each destination holds then; NULL: what its source held.
static void do_moves(Checker *c, const Moves *moves, const NodeId *as)
{
    NodeId *held = vm_malloc((moves->len + 1) * sizeof *held);
    for (size_t i = 0; i < moves->len; i++) {
        Location from = moves->at[i].from;
        bool known = from.kind == AT_REGISTER || from.kind == AT_SLOT;
        held[i] = known ? c->now.at[place_of(from)] : 0;
        if (as && as[i])
            held[i] = as[i];
    }
    for (size_t i = 0; i < moves->len; i++)
        c->now.at[place_of(moves->at[i].to)] = held[i];
    vm_free(held);
}

// Phis take their inputs' names off: they hold what they are.
static void pass_edge(Checker *c, BlockId from, BlockId to)
{
    const Block *block = ir_at(c->m->g, to);
    Moves moves = {0};
    edge_moves(c->e, from, to, &moves);
    NodeId *as = vm_calloc(moves.len + 1, sizeof *as);
    size_t k = 0;
    uint32_t p = 0;
    while (block->preds.at[p] != from)
        p++;
    for (uint32_t i = 0; i < block->nodes.len; i++) {
        NodeId phi = block->nodes.at[i];
        Node *node = ir_node(c->m->g, phi);
        if (node->op != IR_Phi)
            break;
        if (!c->m->interval[phi])
            continue;
        expect(c, phi, ir_inputs(c->m->g, node)[p], c->m->to[from] - 1, "input");
        as[k++] = phi;
    }
    do_moves(c, &moves, as);
    vm_free(as);
    vec_free(&moves);
}

static void put(Checker *c, NodeId n, uint32_t position)
{
    if (!c->m->number[n] || !c->m->interval[n])
        return;
    c->now.at[place_of(location_at(c->e, n, position))] = n;
    if (c->m->slot[n] != NO_SLOT)
        c->now.at[MACHINE_REGISTERS + c->m->slot[n]] = n;
}

typedef struct Reading {
    Checker *c;
    NodeId node;
    uint32_t position;
} Reading;

static void read_input(void *ctx, NodeId input, uint8_t use)
{
    const Reading *r = ctx;
    expect(r->c, r->node, input, r->position, "input");
    Location at = location_at(r->c->e, input, r->position);
    if ((use & ~USE_LATE) == USE_REGISTER && at.kind != AT_REGISTER)
        fail(r->c, r->node, input, "register");
    if (!(use & USE_LATE) || at.kind != AT_REGISTER || !machine_is_value(r->c->m, r->node)
        || !r->c->m->interval[r->node])
        return;
    if (location_equal(at, location_at(r->c->e, r->node, r->position + 2)))
        fail(r->c, r->node, input, "late input");
}

static void read_state_value(void *ctx, NodeId value)
{
    const Reading *r = ctx;
    expect(r->c, r->node, value, r->position, "state");
}

// The node's value may be written before the node calls what looks at roots and states: its register holds none of them then.
static void check_result(Checker *c, NodeId n)
{
    Machine *m = c->m;
    uint32_t at = m->position[n] + 1;
    if (!machine_is_value(m, n) || !m->interval[n])
        return;
    Location to = location_at(c->e, n, at + 1);
    NodeId held = c->now.at[place_of(to)];
    uint32_t part = held ? machine_part_at(m, held, at) : 0;
    if (part && machine_covers(m, &m->intervals.at[part], at)
        && location_equal(to, location_at(c->e, held, at)))
        fail(c, n, held, "root");
}

static void clobber(Checker *c, NodeId n)
{
    const Demand d = machine_demand(c->m, n);
    for (uint32_t r = 0; r < MACHINE_REGISTERS; r++)
        if (d.clobbers_all || d.clobbers >> r & 1)
            c->now.at[r] = 0;
    for (uint32_t i = 0; i < d.temporaries; i++)
        c->now.at[temporary_register(c->e, n, i)] = 0;
}

static void pass_node(Checker *c, NodeId n)
{
    if (c->m->form[n] == FORM_FOLDED)
        return;
    const Node *node = ir_node(c->m->g, n);
    uint32_t at = c->m->position[n];
    Moves moves = {0};
    c->e->at = at;
    part_moves(c->e, &moves);
    do_moves(c, &moves, NULL);
    vec_free(&moves);
    Reading r = {c, n, at};
    machine_inputs(c->m, n, read_input, &r);
    bool late = machine_reads_state_late(c->m, node);
    if (!late)
        machine_state_values(c->m, node->state, read_state_value, &r);
    clobber(c, n);
    r.position = at + 1;
    if (late) {
        machine_state_values(c->m, node->state, read_state_value, &r);
        check_result(c, n);
    }
    if (machine_is_value(c->m, n))
        put(c, n, at + 2);
}

// ---- blocks ----

// What is the same on all paths. True: something became less.
static bool merge(Checker *c, BlockId to)
{
    Places *in = &c->in[to];
    if (!in->at) {
        in->at = arena_alloc(&c->m->arena, c->count * sizeof *in->at);
        memcpy(in->at, c->now.at, c->count * sizeof *in->at);
        return true;
    }
    bool changed = false;
    for (uint32_t i = 0; i < c->count; i++)
        if (in->at[i] && in->at[i] != c->now.at[i]) {
            in->at[i] = 0;
            changed = true;
        }
    return changed;
}

static bool pass_block(Checker *c, BlockId b)
{
    const Block *block = ir_at(c->m->g, b);
    memcpy(c->now.at, c->in[b].at, c->count * sizeof *c->now.at);
    for (uint32_t k = 0;
         k < block->nodes.len && machine_begins_block(c->m->g, block->nodes.at[k]); k++)
        put(c, block->nodes.at[k], c->m->from[b]);
    skip_parts(c->e, c->m->from[b]);
    for (uint32_t k = 0; k < block->nodes.len; k++)
        if (!machine_begins_block(c->m->g, block->nodes.at[k]))
            pass_node(c, block->nodes.at[k]);
    NodeId *end = vm_malloc(c->count * sizeof *end);
    memcpy(end, c->now.at, c->count * sizeof *end);
    bool changed = false;
    for (uint32_t i = 0; i < block->succs.len; i++) {
        memcpy(c->now.at, end, c->count * sizeof *end);
        pass_edge(c, b, block->succs.at[i]);
        changed |= merge(c, block->succs.at[i]);
    }
    vm_free(end);
    return changed;
}

bool allocation_verify(Emitter *e, StrBuf *wrong)
{
    Machine *m = e->m;
    Checker c = {.e = e, .m = m, .count = MACHINE_REGISTERS + m->slot_count, .wrong = wrong};
    c.in = arena_alloc(&m->arena, m->g->blocks.len * sizeof *c.in);
    c.now.at = arena_alloc(&m->arena, c.count * sizeof *c.now.at);
    c.in[1].at = arena_alloc(&m->arena, c.count * sizeof *c.now.at);
    for (bool changed = true; changed || !c.reports;) {
        c.reports = !changed; // what all paths agree on is known
        c.failed = changed = false;
        e->next_part = 0;
        for (size_t i = 0; i < m->g->order.len; i++)
            if (c.in[m->g->order.at[i]].at)
                changed |= pass_block(&c, m->g->order.at[i]);
            else
                changed = true;
        if (c.reports)
            break;
    }
    e->next_part = 0;
    return !c.failed;
}
