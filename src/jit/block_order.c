// SPDX-License-Identifier: Apache-2.0
// The order in which blocks become code: reverse post-order, but what is cold behind all else. A block is cold when
// it ends in a Deopt or a throw, when all that it leads to is, or all that leads to it (handlers).
#include "jit/ir.h"

static bool leads_to_cold(const Graph *g, const Block *block)
{
    const Node *end = ir_node(g, ir_end(block));
    if (end->op == IR_Deopt || ir_throws(end))
        return true;
    for (uint32_t i = 0; i < block->succs.len; i++)
        if (!ir_at(g, block->succs.at[i])->cold)
            return false;
    return block->succs.len > 0;
}

static bool is_landing(const Graph *g, const Block *block)
{
    return ir_node(g, block->nodes.at[0])->op == IR_Landing;
}

// All edges to a block that come from before it in the order.
static bool comes_from_cold(const Graph *g, const Block *block)
{
    for (uint32_t i = 0; i < block->preds.len; i++) {
        const Block *pred = ir_at(g, block->preds.at[i]);
        if (!pred->cold && pred->order < block->order)
            return false;
    }
    return true;
}

void ir_layout(Graph *g)
{
    IrList cold = {0};
    uint32_t kept = 0;
    for (size_t i = g->order.len; i-- > 0;) {
        Block *block = ir_at(g, g->order.at[i]);
        block->cold = is_landing(g, block) || leads_to_cold(g, block);
    }
    for (size_t i = 1; i < g->order.len; i++)
        ir_at(g, g->order.at[i])->cold |= comes_from_cold(g, ir_at(g, g->order.at[i]));
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        if (ir_at(g, b)->cold && i > 0)
            ir_list_push(g, &cold, b);
        else
            g->order.at[kept++] = b;
    }
    VM_ASSERT(kept + cold.len == g->order.len);
    for (uint32_t i = 0; i < cold.len; i++)
        g->order.at[kept++] = cold.at[i];
}
