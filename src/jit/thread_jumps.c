// SPDX-License-Identifier: Apache-2.0
// Jump threading: a block that does no more than to branch on what it was entered with, as behind an inlined method that returns true or
// false. An edge on which the branch has a known answer leads to where the branch would.
#include "jit/ir.h"

typedef struct Threading {
    Graph *g;
    bool *passed_by; // by block: an edge to it leads elsewhere now; NULL: to none
    bool *
        is_used; // by node: elsewhere than in its block and by phis of the blocks that this leads to
} Threading;

// ---- which blocks ----

static void note_uses(Threading *t, BlockId b, NodeId n)
{
    Graph *g = t->g;
    Node *node = ir_node(g, n);
    const NodeId *in = ir_inputs(g, node);
    for (uint32_t i = 0; i < ir_input_count(node); i++) {
        BlockId from = ir_node(g, in[i])->block;
        bool by_edge = node->op == IR_Phi && ir_at(g, b)->preds.at[i] == from;
        t->is_used[in[i]] |= from != b && !by_edge;
    }
}

static void note_word(void *ctx, NodeId n)
{
    ((Threading *)ctx)->is_used[n] = true;
}

// States of nodes: those of blocks, whose phis nobody may ever ask for, prevent nothing.
static void find_uses(Threading *t)
{
    Graph *g = t->g;
    bool *seen = vm_calloc(g->states.len, sizeof *seen);
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++) {
            StateId state = ir_node(g, nodes->at[k])->state;
            note_uses(t, g->order.at[i], nodes->at[k]);
            if (state && !seen[state])
                ir_state_each(g, state, note_word, t);
            seen[state] = true;
        }
    }
    vm_free(seen);
}

static bool only_branches(const Threading *t, BlockId b)
{
    const Block *block = ir_at(t->g, b);
    if (block->is_header || ir_node(t->g, ir_end(block))->op != IR_IfI)
        return false;
    for (uint32_t k = 0; k + 1 < block->nodes.len; k++) {
        const Node *n = ir_node(t->g, block->nodes.at[k]);
        if (t->is_used[block->nodes.at[k]]
            || (n->op != IR_Phi && !(ir_info(n)->flags & IRF_PURE)))
            return false;
    }
    return block->nodes.len > 1 && ir_node(t->g, block->nodes.at[0])->op == IR_Phi;
}

// ---- what is known on an edge ----

// What n, read in block b, is when b is entered by its edge i; 0: nothing that was there before.
static NodeId value_on_edge(Graph *g, BlockId b, uint32_t i, NodeId n)
{
    Node *node = ir_node(g, n);
    if (node->block != b)
        return n;
    if (node->op == IR_Phi)
        return ir_inputs(g, node)[i];
    uint32_t count = ir_input_count(node);
    NodeId in[NODE_INPUTS];
    if (count == 0 || count > 2)
        return 0;
    for (uint32_t k = 0; k < count; k++) {
        in[k] = value_on_edge(g, b, i, ir_inputs(g, ir_node(g, n))[k]);
        if (!in[k] || !ir_is_const(g, in[k]))
            return 0;
    }
    return ir_fold(g, (IrOp)ir_node(g, n)->op, count, in);
}

// Where block b leads when it is entered by its edge i; 0: that is not known.
static BlockId target_on_edge(Graph *g, BlockId b, uint32_t i)
{
    NodeId end = ir_end(ir_at(g, b)), x, y;
    x = value_on_edge(g, b, i, ir_node(g, end)->in[0]);
    y = value_on_edge(g, b, i, ir_node(g, end)->in[1]);
    if (!x || !y || !ir_is_const(g, x) || !ir_is_const(g, y))
        return 0;
    bool holds =
        ir_condition_holds((Condition)ir_node(g, end)->aux, (int32_t)ir_value(g, ir_node(g, x)),
                           (int32_t)ir_value(g, ir_node(g, y)));
    return ir_at(g, b)->succs.at[holds ? 0 : 1];
}

// ---- edges ----

static uint32_t times_in(const IrList *list, uint32_t value, uint32_t *last)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < list->len; i++) {
        if (list->at[i] != value)
            continue;
        *last = i;
        times++;
    }
    return times;
}

static bool is_phi(const Graph *g, BlockId b, uint32_t k)
{
    const IrList *nodes = &ir_at(g, b)->nodes;
    return k < nodes->len && ir_node(g, nodes->at[k])->op == IR_Phi;
}

// The phis of `to`, whose edge from_b comes from b, get what they have when b is entered by its edge i. False: one has a value that is made in b.
static bool extend_phis(Graph *g, BlockId to, uint32_t from_b, BlockId b, uint32_t i)
{
    uint32_t count = ir_at(g, to)->preds.len;
    for (int extends = 0; extends < 2; extends++)
        for (uint32_t k = 0; is_phi(g, to, k); k++) {
            NodeId phi = ir_at(g, to)->nodes.at[k];
            NodeId value = value_on_edge(g, b, i, ir_inputs(g, ir_node(g, phi))[from_b]);
            if (!value)
                return false;
            if (!extends)
                continue;
            NodeId *in = arena_alloc(&g->arena, (count + 1) * sizeof *in);
            memcpy(in, ir_inputs(g, ir_node(g, phi)), count * sizeof *in);
            in[count] = value;
            ir_set_inputs(g, phi, count + 1, in);
        }
    return true;
}

void ir_remove_pred(Graph *g, BlockId b, uint32_t i)
{
    IrList *preds = &ir_at(g, b)->preds;
    for (uint32_t k = 0; is_phi(g, b, k); k++) {
        NodeId phi = ir_at(g, b)->nodes.at[k];
        uint32_t count = 0;
        NodeId *in = arena_alloc(&g->arena, (preds->len + 1) * sizeof *in);
        for (uint32_t j = 0; j < preds->len; j++)
            if (j != i)
                in[count++] = ir_inputs(g, ir_node(g, phi))[j];
        ir_set_inputs(g, phi, count, in);
    }
    memmove(preds->at + i, preds->at + i + 1, (preds->len - i - 1) * sizeof *preds->at);
    preds->len--;
    g->flow_known = false;
}

// Nothing leads to b any more.
static void disconnect(Graph *g, BlockId b)
{
    IrList *succs = &ir_at(g, b)->succs;
    for (uint32_t k = 0, at = 0; k < succs->len; k++)
        if (times_in(&ir_at(g, succs->at[k])->preds, b, &at))
            ir_remove_pred(g, succs->at[k], at);
    succs->len = 0;
}

static void thread(Threading *t, BlockId b, uint32_t i)
{
    Graph *g = t->g;
    BlockId from = ir_at(g, b)->preds.at[i], to = target_on_edge(g, b, i);
    uint32_t out = 0, back = 0, other = 0;
    // Of two edges between the same blocks nobody could tell which input of a phi is whose.
    if (!to || times_in(&ir_at(g, from)->succs, to, &other) != 0
        || times_in(&ir_at(g, from)->succs, b, &out) != 1
        || times_in(&ir_at(g, to)->preds, b, &back) != 1 || !extend_phis(g, to, back, b, i))
        return;
    ir_at(g, from)->succs.at[out] = to;
    ir_list_push(g, &ir_at(g, to)->preds, from);
    ir_remove_pred(g, b, i);
    if (!t->passed_by)
        t->passed_by = vm_calloc(g->blocks.len, sizeof *t->passed_by);
    t->passed_by[b] = true;
}

typedef struct WordSearch {
    const Threading *t;
    bool found;
} WordSearch;

static void find_word(void *ctx, NodeId n)
{
    WordSearch *s = ctx;
    s->found |= s->t->passed_by[ir_node(s->t->g, n)->block];
}

// What a block that was passed by has is not what the states of blocks mean on the paths that pass it by.
static void forget_states(const Threading *t)
{
    for (BlockId b = 1; b < t->g->blocks.len; b++) {
        WordSearch s = {.t = t};
        ir_state_each(t->g, ir_at(t->g, b)->state, find_word, &s);
        if (s.found)
            ir_at(t->g, b)->state = 0;
    }
}

void ir_thread_jumps(Graph *g)
{
    ir_find_loops(g);
    Threading t = {.g = g, .is_used = vm_calloc(g->nodes.len, sizeof *t.is_used)};
    find_uses(&t);
    for (size_t k = 0; k < g->order.len; k++) {
        BlockId b = g->order.at[k];
        if (!only_branches(&t, b))
            continue;
        for (uint32_t i = ir_at(g, b)->preds.len; i-- > 0;)
            thread(&t, b, i);
        if (ir_at(g, b)->preds.len == 0)
            disconnect(g, b);
    }
    if (t.passed_by) {
        forget_states(&t);
        ir_drop_unreached(g);
    }
    vm_free(t.passed_by);
    vm_free(t.is_used);
}
