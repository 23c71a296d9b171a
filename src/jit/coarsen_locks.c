// SPDX-License-Identifier: Apache-2.0
// Two nodes that change the monitor of one object and then change it back go, where nothing stands between at which anybody could look at the
// frame. A monitor that is exited and then entered again stays entered: so calls of synchronized methods of one object that follow one another
// enter its monitor once. Of an object that is not made, to enter and then exit it is nothing.
#include "jit/ir.h"

typedef struct Pairs {
    Graph *g;
    IrOp first, second; // what goes
    NodeId *
        open; // by block: the first one behind which nobody looks at the frame up to the block's end; 0: none
    bool *gone; // by node
} Pairs;

static bool has_any(const Graph *g, IrOp op)
{
    for (NodeId n = 1; n < g->nodes.len; n++)
        if (ir_node(g, n)->op == op)
            return true;
    return false;
}

// What an object that is not made enters last, it exits first: those fit.
static bool fits(const Graph *g, NodeId first, NodeId second)
{
    const Node *a = ir_node(g, first), *b = ir_node(g, second);
    return b->op == IR_ReleaseUnmade || ir_unchecked(g, a->in[0]) == ir_unchecked(g, b->in[0]);
}

// `open` before the node. Gives what it is behind it.
static NodeId pass_node(Pairs *p, NodeId open, NodeId id)
{
    const Node *n = ir_node(p->g, id);
    if (n->op == p->first)
        return id;
    if (n->op == p->second && open && fits(p->g, open, id)) {
        VM_ASSERT(!p->gone[open]);
        p->gone[open] = p->gone[id] = true;
        return 0;
    }
    return n->state || n->op == p->second ? 0 : open;
}

// What only one block leads to, and always, goes on as that ended.
static NodeId open_before(const Pairs *p, const Block *block)
{
    if (block->preds.len != 1)
        return 0;
    BlockId pred = block->preds.at[0];
    return ir_node(p->g, ir_end(ir_at(p->g, pred)))->op == IR_Goto ? p->open[pred] : 0;
}

static void drop_gone(const Pairs *p, IrList *nodes)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < nodes->len; i++)
        if (!p->gone[nodes->at[i]])
            nodes->at[kept++] = nodes->at[i];
    nodes->len = kept;
}

static void drop_pairs(Graph *g, IrOp first, IrOp second)
{
    if (!has_any(g, first))
        return;
    Pairs p = {.g = g,
               .first = first,
               .second = second,
               .open = vm_calloc(g->blocks.len, sizeof *p.open),
               .gone = vm_calloc(g->nodes.len, sizeof *p.gone)};
    ir_find_loops(g);
    for (size_t i = 0; i < g->order.len; i++) {
        const Block *block = ir_at(g, g->order.at[i]);
        NodeId open = open_before(&p, block);
        for (uint32_t k = 0; k < block->nodes.len; k++)
            open = pass_node(&p, open, block->nodes.at[k]);
        p.open[g->order.at[i]] = open;
    }
    for (size_t i = 0; i < g->order.len; i++)
        drop_gone(&p, &ir_at(g, g->order.at[i])->nodes);
    vm_free(p.open);
    vm_free(p.gone);
}

void ir_coarsen_locks(Graph *g)
{
    drop_pairs(g, IR_MonitorExit, IR_MonitorEnter);
}

void ir_drop_unseen_locks(Graph *g)
{
    drop_pairs(g, IR_HoldUnmade, IR_ReleaseUnmade);
}
