// SPDX-License-Identifier: Apache-2.0
// Where values live: which are live at the beginning of each block, by the usual equations, and from that the intervals, by one
// walk backwards over each block. See machine.h.
#include "jit/machine.h"

enum { MOST_BITS_OF_LIVENESS = 1 << 28 };

// ---- liveness ----

typedef struct Live {
    Machine *m;
    uint64_t *bits; // of the block under way
    size_t words;
    uint64_t **killed; // by block: what it defines
} Live;

static void add(Live *l, NodeId value)
{
    uint32_t number = l->m->number[value];
    VM_ASSERT(number != 0);
    l->bits[number / 64] |= 1ull << (number % 64);
}

static void add_input(void *ctx, NodeId input, uint8_t use)
{
    (void)use;
    add(ctx, input);
}

static void add_state_value(void *ctx, NodeId value)
{
    add(ctx, value);
}

// What phis of a successor read on the edge from b.
static void add_phi_inputs(Live *l, BlockId b, const Block *succ)
{
    const Graph *g = l->m->g;
    for (uint32_t k = 0; k < succ->nodes.len && ir_node(g, succ->nodes.at[k])->op == IR_Phi;
         k++)
        for (uint32_t p = 0; p < succ->preds.len; p++) {
            NodeId in = ir_inputs(g, ir_node(g, succ->nodes.at[k]))[p];
            if (succ->preds.at[p] == b && !ir_is_const(g, l->m->value[in]))
                add(l, l->m->value[in]);
        }
}

// The live values at the end of b, into l->bits.
static void live_out(Live *l, BlockId b)
{
    const Block *block = ir_at(l->m->g, b);
    memset(l->bits, 0, l->words * sizeof *l->bits);
    for (uint32_t i = 0; i < block->succs.len; i++) {
        BlockId s = block->succs.at[i];
        for (size_t w = 0; w < l->words; w++)
            l->bits[w] |= l->m->live_in[s][w];
        add_phi_inputs(l, b, ir_at(l->m->g, s));
    }
}

static void pass_node(Live *l, uint64_t *killed, NodeId n)
{
    const Machine *m = l->m;
    if (machine_is_value(m, n)) {
        uint32_t number = m->number[n];
        l->bits[number / 64] &= ~(1ull << (number % 64));
        killed[number / 64] |= 1ull << (number % 64);
    }
    if (ir_node(m->g, n)->op == IR_Phi || m->form[n] == FORM_FOLDED)
        return;
    machine_inputs(m, n, add_input, l);
    if (ir_node(m->g, n)->state)
        machine_state_values(m, ir_node(m->g, n)->state, add_state_value, l);
}

// What b reads, itself or by its edges, without having defined it; and what it defines.
static void pass_nodes(Live *l, BlockId b)
{
    const Block *block = ir_at(l->m->g, b);
    l->bits = l->m->live_in[b];
    for (uint32_t i = 0; i < block->succs.len; i++)
        add_phi_inputs(l, b, ir_at(l->m->g, block->succs.at[i]));
    for (uint32_t k = block->nodes.len; k-- > 0;)
        pass_node(l, l->killed[b], block->nodes.at[k]);
}

// What lives behind b and is not defined by it lives where it begins. Whether that has become more.
static bool pass_on(const Live *l, BlockId b)
{
    const Block *block = ir_at(l->m->g, b);
    uint64_t *in = l->m->live_in[b], changed = 0;
    for (uint32_t i = 0; i < block->succs.len; i++) {
        const uint64_t *out = l->m->live_in[block->succs.at[i]];
        for (size_t w = 0; w < l->words; w++) {
            uint64_t more = out[w] & ~l->killed[b][w] & ~in[w];
            in[w] |= more;
            changed |= more;
        }
    }
    return changed != 0;
}

void machine_find_live(Machine *m)
{
    size_t words = m->numbered.len / 64 + 1, blocks = m->g->blocks.len;
    if (words * 64 * blocks > MOST_BITS_OF_LIVENESS) {
        m->failed = true;
        return;
    }
    Live l = {m, NULL, words, arena_alloc(&m->arena, blocks * sizeof *l.killed)};
    for (size_t i = m->g->order.len; i-- > 0;) {
        BlockId b = m->g->order.at[i];
        m->live_in[b] = arena_alloc(&m->arena, words * sizeof **m->live_in);
        l.killed[b] = arena_alloc(&m->arena, words * sizeof **l.killed);
        pass_nodes(&l, b);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = m->g->order.len; i-- > 0;)
            changed |= pass_on(&l, m->g->order.at[i]);
    }
}

// ---- intervals ----

static uint32_t new_interval(Machine *m, NodeId value, bool is_float)
{
    vec_push(
        &m->intervals,
        ((Interval){
            .value = value, .hint = NO_REGISTER, .reg = NO_REGISTER, .is_float = is_float}));
    return (uint32_t)m->intervals.len - 1;
}

static Interval *interval_of(Machine *m, NodeId value)
{
    if (!m->interval[value])
        m->interval[value] = new_interval(m, value, machine_is_float(m, value));
    return &m->intervals.at[m->interval[value]];
}

// The walk goes backwards: what is added lies before all that is there, or overlaps the first range.
static void add_range(Machine *m, Interval *i, uint32_t from, uint32_t to)
{
    VM_ASSERT(from < to);
    Range *first = i->ranges ? &m->ranges.at[i->ranges] : NULL;
    if (first && first->from <= to) {
        first->from = MIN_OF(first->from, from);
        first->to = MAX_OF(first->to, to);
        i->end = MAX_OF(i->end, first->to);
        return;
    }
    vec_push(&m->ranges, ((Range){from, to, i->ranges}));
    i->ranges = (uint32_t)m->ranges.len - 1;
    i->end = MAX_OF(i->end, to);
}

static void add_use(Machine *m, Interval *i, uint32_t at, bool in_register)
{
    uint32_t *link = &i->uses; // one node may read it twice
    while (*link && m->uses.at[*link].at < at)
        link = &m->uses.at[*link].next;
    uint32_t next = *link;
    *link = (uint32_t)m->uses.len;
    vec_push(&m->uses, ((Use){at, next, in_register}));
}

typedef struct Building {
    Machine *m;
    uint32_t from; // of the block
    uint32_t at;   // of the node
    uint32_t state_end;
    uint32_t input;
    NodeId node;
} Building;

static void use_input(void *ctx, NodeId input, uint8_t use)
{
    Building *b = ctx;
    Interval *i = interval_of(b->m, input);
    add_range(b->m, i, b->from, b->at + (use & USE_LATE ? 3 : 1));
    bool in_register = (use & ~USE_LATE) == USE_REGISTER;
    if (use & USE_LATE)
        add_use(b->m, i, b->at + 2, in_register);
    add_use(b->m, i, b->at, in_register);
    uint8_t hint = machine_argument_hint(b->m, b->node, b->input++);
    if (hint != NO_REGISTER)
        i->hint = hint;
}

static void use_state_value(void *ctx, NodeId value)
{
    const Building *b = ctx;
    add_range(b->m, interval_of(b->m, value), b->from, b->state_end);
}

// A value begins to be at `at`.
static void define(Machine *m, NodeId n, uint32_t at, bool in_register)
{
    Interval *i = interval_of(m, n);
    if (!i->ranges)
        add_range(m, i, at, at + 1);
    m->ranges.at[i->ranges].from = at;
    add_use(m, i, at, in_register);
}

static void take_registers(Machine *m, NodeId n, const Demand *d, uint32_t at)
{
    if (d->clobbers_all)
        vec_push(&m->clobbers.all, at + 1);
    for (uint32_t r = 0; r < MACHINE_REGISTERS; r++)
        if (d->clobbers >> r & 1)
            vec_push(&m->clobbers.some[r], at + 1);
    for (uint8_t i = 0; i < d->temporaries; i++) {
        uint32_t id = new_interval(m, 0, false);
        if (!m->temporary[n])
            m->temporary[n] = id;
        add_range(m, &m->intervals.at[id], at, at + 3);
        add_use(m, &m->intervals.at[id], at, true);
    }
}

static void hint(Machine *m, NodeId n, const Demand *d)
{
    Interval *i = interval_of(m, n);
    if (d->hint != NO_REGISTER)
        i->hint = d->hint;
    if (d->same)
        i->like = m->value[ir_inputs(m->g, ir_node(m->g, n))[d->same - 1]];
}

static void build_node(Building *b, NodeId n)
{
    Machine *m = b->m;
    if (m->form[n] == FORM_FOLDED)
        return;
    const Node *node = ir_node(m->g, n);
    const Demand d = machine_demand(m, n);
    b->at = m->position[n];
    b->node = n;
    b->input = 0;
    if (machine_is_value(m, n)) {
        define(m, n, b->at + 2, true);
        hint(m, n, &d);
    }
    take_registers(m, n, &d, b->at);
    b->state_end = b->at + (machine_reads_state_late(m, node) ? 3 : 1);
    if (node->state)
        machine_state_values(m, node->state, use_state_value, b);
    machine_inputs(m, n, use_input, b);
}

static void live_at_end(Machine *m, BlockId b, Live *l)
{
    live_out(l, b);
    for (size_t w = 0; w < l->words; w++)
        for (uint64_t bits = l->bits[w]; bits; bits &= bits - 1) {
            NodeId v = m->numbered.at[w * 64 + (size_t)__builtin_ctzll(bits)];
            add_range(m, interval_of(m, v), m->from[b], m->to[b]);
        }
}

static void build_block(Machine *m, BlockId b, Live *l)
{
    const IrList *nodes = &ir_at(m->g, b)->nodes;
    Building building = {.m = m, .from = m->from[b]};
    live_at_end(m, b, l);
    for (uint32_t k = nodes->len; k-- > 0;) {
        NodeId n = nodes->at[k];
        if (!machine_begins_block(m->g, n))
            build_node(&building, n);
        else if (m->number[n])
            define(m, n, m->from[b], false);
    }
    for (uint32_t k = 0; k < nodes->len && ir_node(m->g, nodes->at[k])->op == IR_Phi; k++)
        interval_of(m, nodes->at[k])->like =
            m->value[ir_inputs(m->g, ir_node(m->g, nodes->at[k]))[0]];
}

static void reverse(uint32_t *at, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t other = at[i];
        at[i] = at[count - 1 - i];
        at[count - 1 - i] = other;
    }
}

void machine_build_intervals(Machine *m)
{
    Live l = {m, NULL, m->numbered.len / 64 + 1, NULL};
    l.bits = arena_alloc(&m->arena, l.words * sizeof *l.bits);
    vec_reserve(&m->intervals, 2 * m->numbered.len);
    vec_reserve(&m->ranges, 2 * m->numbered.len);
    vec_reserve(&m->uses, 4 * m->numbered.len);
    vec_push(&m->intervals, (Interval){0});
    vec_push(&m->ranges, (Range){0});
    vec_push(&m->uses, (Use){0});
    for (size_t i = m->g->order.len; i-- > 0;) {
        build_block(m, m->g->order.at[i], &l);
        ir_between(m->g);
    }
    reverse(m->clobbers.all.at, m->clobbers.all.len);
    for (int r = 0; r < MACHINE_REGISTERS; r++)
        reverse(m->clobbers.some[r].at, m->clobbers.some[r].len);
}
