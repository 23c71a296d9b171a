// SPDX-License-Identifier: Apache-2.0
// Branches whose answer is known, by what their operands are, become Gotos; what nothing leads to any more is left out.
#include "jit/ir.h"

// ---- answers ----

static bool is_null(const Graph *g, NodeId n)
{
    const Node *node = ir_node(g, n);
    return node->op == IR_Const && ir_value(g, node) == 0;
}

static bool is_made_here(const Graph *g, NodeId n)
{
    uint16_t op = ir_node(g, n)->op;
    return op == IR_New || op == IR_NewArray || op == IR_Virtual;
}

static bool are_apart(const Graph *g, NodeId a, NodeId b)
{
    return (is_null(g, a) && ir_is_not_null(g, b)) || (is_null(g, b) && ir_is_not_null(g, a))
           || (a != b && is_made_here(g, a) && is_made_here(g, b));
}

// Whether the condition of a branch holds, if that is known.
static bool answer(const Graph *g, const Node *n, bool *holds)
{
    NodeId a = ir_unchecked(g, n->in[0]), b = ir_unchecked(g, n->in[1]);
    Condition condition = (Condition)n->aux;
    if (a == b) {
        *holds = ir_condition_holds(condition, 0, 0);
        return true;
    }
    if (n->op == IR_IfA && are_apart(g, a, b)) {
        *holds = condition == CONDITION_NE;
        return true;
    }
    if (n->op == IR_IfA || !ir_is_const(g, a) || !ir_is_const(g, b))
        return false;
    *holds = ir_condition_holds(condition, (int32_t)ir_value(g, ir_node(g, a)),
                                (int32_t)ir_value(g, ir_node(g, b)));
    return true;
}

// ---- edges ----

// Of the branch that ends b, the edge that is never taken goes.
static void settle(Graph *g, BlockId b, bool holds)
{
    Block *block = ir_at(g, b);
    VM_ASSERT(block->succs.len == 2);
    BlockId other = block->succs.at[holds ? 1 : 0];
    block->succs.at[0] = block->succs.at[holds ? 0 : 1];
    block->succs.len = 1;
    ir_remove_pred(g, other, ir_edge_from(g, b, other));
    NodeId end = ir_end(block);
    ir_set_inputs(g, end, 0, NULL);
    ir_node(g, end)->op = IR_Goto;
    ir_node(g, end)->aux = 0;
}

void ir_drop_unreached(Graph *g)
{
    bool *reached = vm_calloc(g->blocks.len, sizeof *reached);
    ir_find_loops(g);
    for (size_t i = 0; i < g->order.len; i++)
        reached[g->order.at[i]] = true;
    for (BlockId b = 1; b < g->blocks.len; b++) {
        IrList *preds = &ir_at(g, b)->preds;
        for (uint32_t i = preds->len; i-- > 0;)
            if (!reached[preds->at[i]])
                ir_remove_pred(g, b, i);
        if (!reached[b])
            ir_at(g, b)->succs.len = 0;
    }
    ir_find_loops(g);
    vm_free(reached);
}

void ir_branches(Graph *g)
{
    bool any = false;
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        const Node *end = ir_node(g, ir_end(ir_at(g, b)));
        bool holds;
        if ((end->op == IR_IfI || end->op == IR_IfA) && answer(g, end, &holds)) {
            settle(g, b, holds);
            any = true;
        }
    }
    if (any)
        ir_drop_unreached(g);
}
