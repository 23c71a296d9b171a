// SPDX-License-Identifier: Apache-2.0
// A monitor that is exited and then entered again stays entered, where nothing stands between at which anybody could look at the frame:
// both nodes go. So calls of synchronized methods of one object that follow one another enter its monitor once.
#include "jit/ir.h"

typedef struct Coarsening {
    Graph *g;
    NodeId *
        exits; // by block: the MonitorExit behind which nobody looks at the frame up to the block's end; 0: none
    bool *gone; // by node
} Coarsening;

static bool has_any(const Graph *g, IrOp op)
{
    for (NodeId n = 1; n < g->nodes.len; n++)
        if (ir_node(g, n)->op == op)
            return true;
    return false;
}

static bool is_same_object(const Graph *g, NodeId a, NodeId b)
{
    return ir_unchecked(g, ir_node(g, a)->in[0]) == ir_unchecked(g, ir_node(g, b)->in[0]);
}

// `exited` before the node. Gives what it is behind it.
static NodeId pass_node(Coarsening *c, NodeId exited, NodeId id)
{
    const Node *n = ir_node(c->g, id);
    if (n->op == IR_MonitorExit)
        return id;
    if (n->op == IR_MonitorEnter && exited && is_same_object(c->g, exited, id)) {
        VM_ASSERT(!c->gone[exited]);
        c->gone[exited] = c->gone[id] = true;
        return 0;
    }
    return n->state ? 0 : exited;
}

// What only one block leads to, and always, goes on as that ended.
static NodeId exited_before(const Coarsening *c, const Block *block)
{
    if (block->preds.len != 1)
        return 0;
    BlockId pred = block->preds.at[0];
    return ir_node(c->g, ir_end(ir_at(c->g, pred)))->op == IR_Goto ? c->exits[pred] : 0;
}

static void drop_gone(const Coarsening *c, IrList *nodes)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < nodes->len; i++)
        if (!c->gone[nodes->at[i]])
            nodes->at[kept++] = nodes->at[i];
    nodes->len = kept;
}

void ir_coarsen_locks(Graph *g)
{
    if (!has_any(g, IR_MonitorExit))
        return;
    Coarsening c = {.g = g,
                    .exits = vm_calloc(g->blocks.len, sizeof *c.exits),
                    .gone = vm_calloc(g->nodes.len, sizeof *c.gone)};
    ir_find_loops(g);
    for (size_t i = 0; i < g->order.len; i++) {
        const Block *block = ir_at(g, g->order.at[i]);
        NodeId exited = exited_before(&c, block);
        for (uint32_t k = 0; k < block->nodes.len; k++)
            exited = pass_node(&c, exited, block->nodes.at[k]);
        c.exits[g->order.at[i]] = exited;
    }
    for (size_t i = 0; i < g->order.len; i++)
        drop_gone(&c, &ir_at(g, g->order.at[i])->nodes);
    vm_free(c.exits);
    vm_free(c.gone);
}
