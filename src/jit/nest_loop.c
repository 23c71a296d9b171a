// SPDX-License-Identifier: Apache-2.0
// Code that is entered in the middle of a nest of loops has one header for the loop where it is entered and for those around it: all edges
// back lead there. The edge that comes round by the fewest blocks keeps it; the others, and the entry, get one of their own in front of it.
#include "jit/ir.h"

static bool leads_back(const Graph *g, BlockId header, BlockId pred)
{
    return ir_dominates(g, header, pred);
}

// How many blocks lead to a latch without the header.
static uint32_t blocks_around(Graph *g, BlockId header, BlockId latch)
{
    if (latch == header)
        return 1;
    bool *seen = vm_calloc(g->blocks.len, sizeof *seen);
    IrList work = {0};
    uint32_t count = 0;
    seen[header] = seen[latch] = true;
    ir_list_push(g, &work, latch);
    while (work.len) {
        const IrList *preds = &ir_at(g, work.at[--work.len])->preds;
        count++;
        for (uint32_t i = 0; i < preds->len; i++) {
            if (seen[preds->at[i]])
                continue;
            seen[preds->at[i]] = true;
            ir_list_push(g, &work, preds->at[i]);
        }
    }
    vm_free(seen);
    return count;
}

// The edge that comes round by the fewest blocks; UINT32_MAX: only one leads back.
static uint32_t innermost_edge(Graph *g, BlockId header)
{
    const IrList *preds = &ir_at(g, header)->preds;
    uint32_t best = UINT32_MAX, least = UINT32_MAX, latches = 0;
    for (uint32_t i = 0; i < preds->len; i++) {
        if (!leads_back(g, header, preds->at[i]))
            continue;
        uint32_t count = blocks_around(g, header, preds->at[i]);
        latches++;
        if (count < least) {
            least = count;
            best = i;
        }
    }
    return latches > 1 ? best : UINT32_MAX;
}

// Where all edges of a phi but one come together.
static void merge_others(Graph *g, BlockId outer, NodeId phi, uint32_t inner)
{
    uint32_t count = ir_input_count(ir_node(g, phi)), others = 0;
    NodeId *in = arena_alloc(&g->arena, count * sizeof *in);
    for (uint32_t i = 0; i < count; i++)
        if (i != inner)
            in[others++] = ir_inputs(g, ir_node(g, phi))[i];
    NodeId stays = ir_inputs(g, ir_node(g, phi))[inner];
    NodeId merged = ir_add(g, outer, IR_Phi, (IrType)ir_node(g, phi)->type, others, in,
                           ir_node(g, phi)->aux);
    ir_set_inputs(g, phi, 2, (NodeId[]){merged, stays});
}

// A loop whose header is that of the loop around it, too, as code that is entered there has it, gets one of its own.
static void nest(Graph *g, BlockId header, uint32_t inner)
{
    BlockId outer = ir_block(g, ir_at(g, header)->bci);
    ir_at(g, outer)->scope = ir_at(g, header)->scope;
    g->at_bci = (uint16_t)ir_at(g, header)->bci;
    g->at_scope = (uint16_t)ir_at(g, header)->scope;
    for (uint32_t k = 0; ir_node(g, ir_at(g, header)->nodes.at[k])->op == IR_Phi; k++)
        merge_others(g, outer, ir_at(g, header)->nodes.at[k], inner);
    (void)ir_add(g, outer, IR_Goto, IRT_V, 0, NULL, 0);
    IrList preds = ir_at(g, header)->preds;
    BlockId latch = preds.at[inner];
    ir_at(g, header)->preds = (IrList){0};
    for (uint32_t i = 0; i < preds.len; i++) {
        if (i == inner)
            continue;
        IrList *succs = &ir_at(g, preds.at[i])->succs;
        uint32_t k = 0;
        while (succs->at[k] != header)
            k++;
        succs->at[k] = outer;
        ir_list_push(g, &ir_at(g, outer)->preds, preds.at[i]);
    }
    ir_edge(g, outer, header);
    ir_list_push(g, &ir_at(g, header)->preds, latch);
    ir_find_loops(g);
}

void ir_nest_loop(Graph *g)
{
    for (size_t i = 0; g->osr_bci >= 0 && i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        const Block *block = ir_at(g, b);
        if (!block->is_header || block->scope != 0 || block->bci != (uint32_t)g->osr_bci)
            continue;
        uint32_t inner = innermost_edge(g, b);
        if (inner != UINT32_MAX)
            nest(g, b, inner);
        return;
    }
}
