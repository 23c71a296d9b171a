// SPDX-License-Identifier: Apache-2.0
// Where objects are made that only some paths let others see: in front of what shows them, and at the end of a block from which a path comes
// to meet another on which the object is made already. Once it is made it stays so on that path; so no path makes it more than once, and
// one that shows it to nobody never. See escape.h.
#include "jit/escape.h"

typedef struct Places {
    Escape *e;
    // Bits of candidates, by block:
    uint32_t *shown;    // a node shows it
    uint32_t *used;     // a node or state asks for it
    uint32_t *live;     // where the block begins, somebody will
    uint32_t *known;    // the block is dominated by the one that it belongs to
    uint32_t *own;      // it belongs to the block
    uint32_t *in_loop;  // by header: the loop shows it
    uint32_t *made_out; // it is made where the block ends
    uint32_t *places;   // by candidate: where it is made
    bool *present;      // by node: it stands in a block
    uint32_t wrong;     // these cannot be made where they would have to be
} Places;

// ---- edges ----

static bool only_goes_to(const Graph *g, BlockId from, BlockId to)
{
    const Block *block = ir_at(g, from);
    return ir_node(g, ir_end(block))->op == IR_Goto && block->succs.at[0] == to;
}

// What a word of the state of block `to` is on its edge i.
static NodeId word_on_edge(const Graph *g, BlockId to, uint32_t i, NodeId word)
{
    if (!word)
        return 0;
    Node *n = ir_node(g, word);
    return n->op == IR_Phi && n->block == to ? ir_inputs(g, n)[i] : word;
}

static uint32_t words_on_edge(Graph *g, BlockId to, uint32_t i, uint32_t first, uint32_t count)
{
    uint32_t at = (uint32_t)g->words.len;
    for (uint32_t k = 0; k < count; k++) {
        NodeId word = word_on_edge(g, to, i, g->words.at[first + k]);
        vec_push(&g->words, word);
    }
    return at;
}

StateId escape_state_on_edge(Graph *g, BlockId b)
{
    BlockId to = ir_at(g, b)->succs.at[0];
    uint32_t i = ir_edge_from(g, b, to);
    VM_ASSERT(ir_at(g, to)->state);
    State s = *ir_state(g, ir_at(g, to)->state);
    const State old = s;
    VM_ASSERT(s.kind == STATE_AGAIN && ir_at(g, b)->succs.len == 1);
    s.locals = words_on_edge(g, to, i, s.locals, ir_state_locals(g, &s));
    s.operands = words_on_edge(g, to, i, s.operands, s.depth + (uint32_t)s.locks);
    s.virtuals = words_on_edge(g, to, i, s.virtuals, ir_state_virtual_words(g, &old));
    s.made = words_on_edge(g, to, i, s.made, 2 * s.made_count);
    vec_push(&g->states, s);
    return (StateId)g->states.len - 1;
}

// Of two edges between the same blocks nobody could tell which input of a phi is whose.
static bool leads_alone(const Graph *g, BlockId from, BlockId to)
{
    const IrList *preds = &ir_at(g, to)->preds;
    uint32_t times = 0;
    for (uint32_t i = 0; i < preds->len; i++)
        times += preds->at[i] == from;
    return times == 1 && ir_at(g, to)->state;
}

typedef struct WordSearch {
    const Places *p;
    BlockId from, to;
    uint32_t edge;
    bool ok;
} WordSearch;

// Passes may have taken away what the state of a block names, as nobody had asked for it.
static void find_word(void *ctx, NodeId word)
{
    WordSearch *s = ctx;
    const Graph *g = s->p->e->g;
    NodeId n = word_on_edge(g, s->to, s->edge, word);
    BlockId block = ir_node(g, n)->block;
    s->ok &= block == 0 || (s->p->present[n] && ir_dominates(g, block, s->from));
}

// Whether an object can be made where block `from` is left for `to`.
static bool may_make_on_edge(const Places *p, BlockId from, BlockId to)
{
    const Graph *g = p->e->g;
    if (!leads_alone(g, from, to) || !only_goes_to(g, from, to))
        return false;
    WordSearch s = {p, from, to, ir_edge_from(g, from, to), true};
    ir_state_each(g, ir_at(g, to)->state, find_word, &s);
    return s.ok;
}

static bool is_behind_candidate(const Escape *e, BlockId b)
{
    bool behind = false;
    for (uint32_t c = 0; c < e->count && !behind; c++)
        behind = ir_dominates(e->g, e->at[c].block, b);
    return behind;
}

// Edges that lead from a branch to where paths meet get blocks of their own.
static void split_edges(Escape *e)
{
    Graph *g = e->g;
    bool any = false;
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        uint32_t count = ir_at(g, b)->succs.len;
        if (count == 1 || !is_behind_candidate(e, b))
            continue;
        for (uint32_t k = 0; k < count; k++)
            if (leads_alone(g, b, ir_at(g, b)->succs.at[k])) {
                (void)ir_split_edge(g, b, k);
                any = true;
            }
    }
    if (!any)
        return;
    g->flow_known = false;
    ir_find_loops(g);
    e->number = vm_realloc(e->number, g->nodes.len * sizeof *e->number);
    memset(e->number + e->nodes, 0, g->nodes.len - e->nodes);
    e->nodes = (uint32_t)g->nodes.len;
}

void escape_join_edges(Graph *g, BlockId first)
{
    for (BlockId b = first; b < g->blocks.len; b++) {
        Block *block = ir_at(g, b);
        if (block->nodes.len != 1 || block->preds.len != 1)
            continue;
        BlockId from = block->preds.at[0], to = block->succs.at[0];
        uint32_t edge = ir_edge_from(g, b, to), k = 0;
        VM_ASSERT(ir_node(g, ir_end(block))->op == IR_Goto);
        while (ir_at(g, from)->succs.at[k] != b)
            k++;
        ir_at(g, from)->succs.at[k] = to;
        ir_at(g, to)->preds.at[edge] = from;
        block->nodes.len = block->preds.len = block->succs.len = 0;
        g->flow_known = false;
    }
    ir_find_loops(g);
}

// ---- who asks, who shows ----

static void note_phi(Places *p, Node *phi)
{
    Graph *g = p->e->g;
    const IrList *preds = &ir_at(g, phi->block)->preds;
    for (uint32_t i = 0; i < preds->len; i++) {
        uint32_t bit = escape_bit(p->e, ir_inputs(g, phi)[i]);
        if (!bit)
            continue;
        p->e->made_at_end[preds->at[i]] |= bit;
        p->used[preds->at[i]] |= bit;
        if (!may_make_on_edge(p, preds->at[i], phi->block))
            p->wrong |= bit;
    }
}

static void note_node(Places *p, BlockId b, NodeId id)
{
    Escape *e = p->e;
    Node *n = ir_node(e->g, id);
    if (n->op == IR_Phi)
        note_phi(p, n);
    for (uint32_t i = 0; n->op != IR_Phi && i < ir_input_count(n); i++)
        p->used[b] |= escape_bit(e, ir_inputs(e->g, n)[i]);
    if (n->op == IR_Escape)
        p->shown[b] |= escape_bit(e, n->in[0]);
    p->used[b] |= escape_mentions(e, n->state);
}

static void note_blocks(Places *p)
{
    const Graph *g = p->e->g;
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            p->present[nodes->at[k]] = true;
    }
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        const IrList *nodes = &ir_at(g, b)->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            note_node(p, b, nodes->at[k]);
        p->used[b] |= escape_mentions(p->e, ir_at(g, b)->state);
        for (uint32_t c = 0; c < p->e->count; c++) {
            BlockId of = p->e->at[c].block;
            p->own[b] |= (uint32_t)(of == b) << c;
            p->known[b] |= (uint32_t)(of != b && ir_dominates(g, of, b)) << c;
        }
    }
}

static void find_live(Places *p)
{
    const Graph *g = p->e->g;
    bool changed;
    do {
        changed = false;
        for (size_t i = g->order.len; i-- > 0;) {
            BlockId b = g->order.at[i];
            uint32_t live = p->used[b];
            for (uint32_t k = 0; k < ir_at(g, b)->succs.len; k++)
                live |= p->live[ir_at(g, b)->succs.at[k]];
            live &= ~p->own[b];
            changed |= live != p->live[b];
            p->live[b] = live;
        }
    } while (changed);
}

// ---- where ----

static void find_in_loops(Places *p)
{
    const Graph *g = p->e->g;
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        for (BlockId h = ir_at(g, b)->loop; h; h = ir_outer_loop(g, h))
            p->in_loop[h] |= p->shown[b] | p->e->made_at_end[b];
    }
}

static bool comes_before(const Graph *g, BlockId pred, BlockId b)
{
    return ir_at(g, pred)->order && ir_at(g, pred)->order < ir_at(g, b)->order;
}

// Those that one path to b has made, or that a loop which begins there makes, are made on all paths to it.
static uint32_t made_before(Places *p, BlockId b)
{
    const Block *block = ir_at(p->e->g, b);
    uint32_t made = block->is_header ? p->in_loop[b] : 0;
    for (uint32_t i = 0; i < block->preds.len; i++)
        if (comes_before(p->e->g, block->preds.at[i], b))
            made |= p->made_out[block->preds.at[i]];
    made &= p->known[b] & p->live[b];
    for (uint32_t i = 0; i < block->preds.len; i++) {
        BlockId pred = block->preds.at[i];
        uint32_t missing = comes_before(p->e->g, pred, b) ? made & ~p->made_out[pred] : 0;
        if (missing && !may_make_on_edge(p, pred, b))
            p->wrong |= missing;
        p->e->made_at_end[pred] |= missing;
        p->made_out[pred] |= missing;
    }
    return made;
}

static void find_made(Places *p)
{
    const Graph *g = p->e->g;
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        p->e->made_in[b] = i ? made_before(p, b) : 0;
        p->made_out[b] = p->e->made_in[b] | p->shown[b] | p->e->made_at_end[b];
    }
}

// Whether what is made where a block begins is made where all that lead to it end.
static bool is_consistent(const Places *p)
{
    const Graph *g = p->e->g;
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        const IrList *preds = &ir_at(g, b)->preds;
        for (uint32_t k = 0; k < preds->len; k++)
            if (ir_at(g, preds->at[k])->order && p->e->made_in[b] & ~p->made_out[preds->at[k]])
                return false;
    }
    return true;
}

static uint32_t count_places(const Places *p, uint32_t candidate)
{
    const Graph *g = p->e->g;
    uint32_t places = p->e->at[candidate].shown;
    for (size_t i = 0; i < g->order.len; i++)
        places += p->e->made_at_end[g->order.at[i]] >> candidate & 1;
    return places;
}

// ---- whether it is of use ----

// Whether a path from where the candidate stands comes to an end without having made it.
static bool is_spared(const Places *p, uint32_t candidate)
{
    const Graph *g = p->e->g;
    bool *seen = vm_calloc(g->blocks.len, sizeof *seen), spared = false;
    IrList work = {0};
    ir_list_push(p->e->g, &work, p->e->at[candidate].block);
    while (work.len && !spared) {
        BlockId b = work.at[--work.len];
        const IrList *succs = &ir_at(g, b)->succs;
        if (seen[b] || escape_is_rare(g, b) || p->made_out[b] >> candidate & 1)
            continue;
        seen[b] = true;
        spared = succs->len == 0;
        for (uint32_t k = 0; k < succs->len; k++)
            if (p->live[succs->at[k]] >> candidate & 1)
                ir_list_push(p->e->g, &work, succs->at[k]);
            else
                spared |= !escape_is_rare(g, succs->at[k]);
    }
    vm_free(seen);
    return spared;
}

// ---- all of it ----

static uint32_t *bits(Graph *g)
{
    return arena_alloc(&g->arena, g->blocks.len * sizeof(uint32_t));
}

static void find(Places *p)
{
    Escape *e = p->e;
    Graph *g = e->g;
    e->made_in = bits(g);
    e->made_at_end = bits(g);
    p->shown = bits(g);
    p->used = bits(g);
    p->live = bits(g);
    p->known = bits(g);
    p->own = bits(g);
    p->in_loop = bits(g);
    p->made_out = bits(g);
    p->present = arena_alloc(&g->arena, g->nodes.len * sizeof *p->present);
    note_blocks(p);
    find_live(p);
    find_in_loops(p);
    find_made(p);
    VM_ASSERT(is_consistent(p));
    for (uint32_t c = 0; c < e->count; c++)
        if (count_places(p, c) > MAKES_MAX || !is_spared(p, c))
            p->wrong |= 1u << c;
}

void escape_find_places(Escape *e)
{
    Places p;
    VM_ASSERT(e->partial && e->count > 0);
    split_edges(e);
    do {
        p = (Places){.e = e};
        find(&p);
        for (uint32_t c = 0; c < e->count; c++)
            if (p.wrong >> c & 1)
                e->number[e->at[c].node] = 0;
        escape_keep(e);
        // What states name is asked for anew: numbers have changed.
        memset(e->asked, 0, e->states * sizeof *e->asked);
    } while (p.wrong && e->count);
}
