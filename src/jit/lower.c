// SPDX-License-Identifier: Apache-2.0
// The line of nodes, and which of them need no code of their own. See machine.h.
#include "class/class.h"
#include "jit/machine.h"

static void *table(Machine *m, size_t count, size_t size)
{
    return arena_alloc(&m->arena, count * size);
}

// ---- uses ----

static void count_use(void *ctx, NodeId value)
{
    Machine *m = ctx;
    m->use_count[value]++;
}

static void count_uses(Machine *m, NodeId n)
{
    Node *node = ir_node(m->g, n);
    for (uint32_t i = 0; i < ir_input_count(node); i++)
        m->use_count[ir_inputs(m->g, node)[i]]++;
    ir_state_each(m->g, node->state, count_use, m);
}

// ---- folding ----

bool machine_tests_one_class(const Graph *g, const Node *n)
{
    if (n->op == IR_HasClass)
        return true;
    if (n->op != IR_InstanceOf && n->op != IR_TypeCheck)
        return false;
    const Class *c = ir_pointer(g, n);
    const Class *base = class_is_array(c) ? class_base_element(c) : c;
    return base->kind != 'L' || (base->access & ACC_FINAL);
}

// Whether node n, a comparison, is looked at by `user` alone, which compares its result with 0 in the same block.
static bool is_only_for(const Machine *m, NodeId n, NodeId user)
{
    const Node *node = ir_node(m->g, n), *by = ir_node(m->g, user);
    if (by->in[0] != n || m->use_count[n] != 1 || node->block != by->block)
        return false;
    const Node *zero = ir_node(m->g, by->in[1]);
    return zero->op == IR_Const && (uint32_t)ir_value(m->g, zero) == 0;
}

// Whether a branch on this condition can take the flags of n.
static bool compares(const Machine *m, const Node *n, Condition condition)
{
    if (n->op >= IR_CmpL && n->op <= IR_CmpDg)
        return true;
    bool is_equality = condition == CONDITION_EQ || condition == CONDITION_NE;
    return is_equality && n->type == IRT_I && machine_tests_one_class(m->g, n);
}

// The flags that a comparison of longs sets are those that a branch or TestI asks for; those of other comparisons only a branch can take.
static void fold(Machine *m, const Block *block)
{
    for (uint32_t k = 0; k < block->nodes.len; k++) {
        NodeId user = block->nodes.at[k];
        const Node *by = ir_node(m->g, user);
        if (by->op != IR_IfI && by->op != IR_TestI)
            continue;
        const Node *compare = ir_node(m->g, by->in[0]);
        bool can = by->op == IR_IfI ? compares(m, compare, (Condition)by->aux)
                                    : compare->op == IR_CmpL;
        if (can && is_only_for(m, by->in[0], user))
            m->form[by->in[0]] = FORM_FOLDED;
    }
}

// ---- the line ----

static void line_up(Machine *m)
{
    Graph *g = m->g;
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        const IrList *nodes = &ir_at(g, b)->nodes;
        m->from[b] = (uint32_t)m->line.len * POSITIONS;
        vec_push(&m->line, 0);
        for (uint32_t k = 0; k < nodes->len; k++) {
            m->position[nodes->at[k]] = m->from[b];
            if (machine_begins_block(g, nodes->at[k]))
                continue;
            m->position[nodes->at[k]] = (uint32_t)m->line.len * POSITIONS;
            vec_push(&m->line, nodes->at[k]);
        }
        m->to[b] = (uint32_t)m->line.len * POSITIONS;
    }
}

static void number_values(Machine *m)
{
    vec_push(&m->numbered, 0);
    for (NodeId n = 1; n < m->g->nodes.len; n++) {
        const Node *node = ir_node(m->g, n);
        if (!m->position[n] && !machine_begins_block(m->g, n))
            continue; // dropped, or a constant
        if (!node->block || !m->to[node->block] || !machine_is_value(m, n))
            continue;
        m->number[n] = (uint32_t)m->numbered.len;
        vec_push(&m->numbered, n);
    }
}

void machine_init(Machine *m, Graph *g)
{
    *m = (Machine){.g = g, .available = machine_available()};
    size_t nodes = g->nodes.len, blocks = g->blocks.len;
    m->from = table(m, blocks, sizeof *m->from);
    m->to = table(m, blocks, sizeof *m->to);
    m->live_in = table(m, blocks, sizeof *m->live_in);
    m->position = table(m, nodes, sizeof *m->position);
    m->value = table(m, nodes, sizeof *m->value);
    m->form = table(m, nodes, sizeof *m->form);
    m->use_count = table(m, nodes, sizeof *m->use_count);
    m->interval = table(m, nodes, sizeof *m->interval);
    m->last_part = table(m, nodes, sizeof *m->last_part);
    m->temporary = table(m, nodes, sizeof *m->temporary);
    m->number = table(m, nodes, sizeof *m->number);
    m->slot = table(m, nodes, sizeof *m->slot);
    vec_reserve(&m->line, nodes + blocks);
    vec_reserve(&m->numbered, nodes);
    for (NodeId n = 1; n < nodes; n++) {
        m->slot[n] = NO_SLOT;
        m->value[n] = ir_unchecked(g, n);
    }
    line_up(m);
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *in = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < in->len; k++)
            count_uses(m, in->at[k]);
    }
    for (size_t i = 0; i < g->order.len; i++)
        fold(m, ir_at(g, g->order.at[i]));
    number_values(m);
}

void machine_free(Machine *m)
{
    vec_free(&m->line);
    vec_free(&m->intervals);
    vec_free(&m->ranges);
    vec_free(&m->uses);
    vec_free(&m->numbered);
    vec_free(&m->clobbers.all);
    for (int r = 0; r < MACHINE_REGISTERS; r++)
        vec_free(&m->clobbers.some[r]);
    arena_free(&m->arena);
}

// ---- what is read ----

void machine_inputs(const Machine *m, NodeId n,
                    void (*visit)(void *ctx, NodeId input, uint8_t use), void *ctx)
{
    Node *node = ir_node(m->g, n);
    const Demand demand = machine_demand(m, n);
    bool is_list = node->count == NODE_LONG;
    for (uint32_t i = 0; i < ir_input_count(node); i++) {
        NodeId in = m->value[ir_inputs(m->g, node)[i]];
        uint8_t use = is_list ? USE_ANY : demand.uses[i];
        if (m->form[in] == FORM_FOLDED)
            machine_inputs(m, in, visit, ctx);
        else if (use != USE_NONE && ir_node(m->g, in)->op != IR_Const)
            visit(ctx, in, use);
    }
}

typedef struct StateVisit {
    const Machine *m;
    void (*visit)(void *ctx, NodeId value);
    void *ctx;
} StateVisit;

static void visit_state_value(void *ctx, NodeId value)
{
    const StateVisit *v = ctx;
    NodeId n = v->m->value[value];
    const Node *node = ir_node(v->m->g, n);
    if (node->op != IR_Const && !ir_is_unmade(node))
        v->visit(v->ctx, n);
}

void machine_state_values(const Machine *m, StateId s, void (*visit)(void *ctx, NodeId value),
                          void *ctx)
{
    StateVisit v = {m, visit, ctx};
    ir_state_each(m->g, s, visit_state_value, &v);
}
