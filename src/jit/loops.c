// SPDX-License-Identifier: Apache-2.0
// The order of blocks, dominators (Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm) and loops. The
// builder has refused loops with two entries, so an edge back leads to a block that dominates where it comes from.
#include "jit/ir.h"

typedef struct Step {
    BlockId block;
    uint32_t next;
} Step;

static void find_order(Graph *g)
{
    VEC(Step) steps = {0};
    IrList post = {0};
    for (BlockId b = 1; b < g->blocks.len; b++)
        ir_at(g, b)->order = 0;
    ir_at(g, 1)->order = 1;
    vec_push(&steps, ((Step){1, 0}));
    while (steps.len) {
        Step *s = &steps.at[steps.len - 1];
        const Block *block = ir_at(g, s->block);
        if (s->next == block->succs.len) {
            ir_list_push(g, &post, s->block);
            steps.len--;
            continue;
        }
        BlockId to = block->succs.at[s->next++];
        if (ir_at(g, to)->order)
            continue;
        ir_at(g, to)->order = 1; // seen
        vec_push(&steps, ((Step){to, 0}));
    }
    vec_free(&steps);
    g->order.len = 0;
    for (uint32_t i = post.len; i-- > 0;) {
        vec_push(&g->order, post.at[i]);
        ir_at(g, post.at[i])->order = (uint32_t)g->order.len;
    }
}

static BlockId common_dominator(const Graph *g, BlockId a, BlockId b)
{
    while (a != b) {
        while (ir_at(g, a)->order > ir_at(g, b)->order)
            a = ir_at(g, a)->idom;
        while (ir_at(g, b)->order > ir_at(g, a)->order)
            b = ir_at(g, b)->idom;
    }
    return a;
}

static BlockId dominator_of(const Graph *g, const Block *block)
{
    BlockId idom = 0;
    for (uint32_t i = 0; i < block->preds.len; i++) {
        BlockId pred = block->preds.at[i];
        if (ir_at(g, pred)->idom)
            idom = idom ? common_dominator(g, pred, idom) : pred;
    }
    return idom;
}

static void find_dominators(Graph *g)
{
    for (BlockId b = 1; b < g->blocks.len; b++)
        ir_at(g, b)->idom = 0;
    ir_at(g, 1)->idom = 1; // while the others are found
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 1; i < g->order.len; i++) {
            Block *block = ir_at(g, g->order.at[i]);
            BlockId idom = dominator_of(g, block);
            changed |= idom != block->idom;
            block->idom = idom;
        }
    }
    ir_at(g, 1)->idom = 0;
}

// What a block dominates has the numbers behind its own: a block comes behind its dominator in the order.
static void number_dominated(Graph *g)
{
    for (BlockId b = 1; b < g->blocks.len; b++) {
        Block *block = ir_at(g, b);
        block->dominated = block->order != 0; // itself
        block->dominance = 0;
    }
    for (size_t i = g->order.len; i-- > 1;) {
        const Block *block = ir_at(g, g->order.at[i]);
        ir_at(g, block->idom)->dominated += block->dominated;
    }
    uint32_t *next = vm_calloc(g->blocks.len, sizeof *next);
    for (size_t i = 0; i < g->order.len; i++) {
        Block *block = ir_at(g, g->order.at[i]);
        block->dominance = 1 + next[block->idom];
        next[block->idom] += block->dominated;
        next[g->order.at[i]] = block->dominance;
    }
    vm_free(next);
}

bool ir_dominates(const Graph *g, BlockId a, BlockId b)
{
    const Block *x = ir_at(g, a), *y = ir_at(g, b);
    return a == b || y->dominance - x->dominance < x->dominated;
}

// All blocks from which a latch can be reached without the header are in its loop. Outer headers come first in the
// order: what inner ones write stays.
static void add_to_loop(Graph *g, BlockId header, BlockId b, IrList *work)
{
    Block *block = ir_at(g, b);
    if (block->loop == header || !block->order)
        return;
    VM_ASSERT(ir_dominates(g, header, b));
    block->loop = header;
    block->loop_depth++;
    ir_list_push(g, work, b);
}

static void find_loop(Graph *g, BlockId header)
{
    const Block *h = ir_at(g, header);
    IrList work = {0};
    for (uint32_t i = 0; i < h->preds.len; i++) {
        BlockId latch = h->preds.at[i];
        if (ir_at(g, latch)->order < h->order)
            continue;
        if (!h->is_header) {
            ir_at(g, header)->is_header = true;
            add_to_loop(g, header, header, &work);
            work.len = 0; // the back edge ends here
        }
        add_to_loop(g, header, latch, &work);
    }
    while (work.len) {
        const Block *block = ir_at(g, work.at[--work.len]);
        for (uint32_t i = 0; i < block->preds.len; i++)
            add_to_loop(g, header, block->preds.at[i], &work);
    }
}

void ir_find_loops(Graph *g)
{
    if (g->flow_known)
        return;
    g->flow_known = true;
    find_order(g);
    find_dominators(g);
    number_dominated(g);
    for (BlockId b = 1; b < g->blocks.len; b++) {
        Block *block = ir_at(g, b);
        block->loop = 0;
        block->loop_depth = 0;
        block->is_header = false;
    }
    for (size_t i = 0; i < g->order.len; i++)
        find_loop(g, g->order.at[i]);
}

BlockId ir_outer_loop(const Graph *g, BlockId header)
{
    uint32_t depth = ir_at(g, header)->loop_depth;
    BlockId b = header;
    do {
        b = ir_at(g, b)->idom;
    } while (b && ir_at(g, b)->loop_depth >= depth);
    VM_ASSERT(depth == 1 || ir_at(g, b)->loop_depth == depth - 1);
    return b ? ir_at(g, b)->loop : 0;
}
