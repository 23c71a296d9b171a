// SPDX-License-Identifier: Apache-2.0
// Copies of the bodies of small inner loops, each with its tests, checks and their states; one of them polls. What others read of what the
// body computes comes together in phis behind the loop's exits.
//
// A loop is peeled when it loads or checks in each turn what no turn changes: its first turn is done before it, and what that has loaded and
// checked the others need not (gvn.c). And it is unrolled: its body stands several times behind one another.
//
// Not for it: loops with calls, allocations, volatile accesses, or with more than one edge back to their beginning.
#include "jit/ir.h"

enum {
    COPIES = 4, // of the body of an unrolled loop, itself included
    UNROLLED_NODES = 32,
    PEELED_NODES = 64,
    BODY_BLOCKS = 12,
    EXITS = 6,
    GRAPH_NODES = 6000,
    GRAPH_SCOPES = 30000,
};

// What stands for nodes in a copy of the body, or behind an exit. States and scopes that name none of these stay as they are.
typedef struct Renaming {
    NodeId *nodes;    // 0: itself
    StateId *states;  // 0: nobody has asked
    uint32_t *scopes; // likewise
} Renaming;

typedef struct LoopCopies {
    Graph *g;
    bool peels;
    uint32_t count, most_nodes; // of copies, the body itself included; of its nodes
    BlockId header, latch;
    uint32_t nodes, states, scopes, blocks; // how many there were before
    IrList body;                            // blocks, the header first
    IrList exits; // blocks behind the loop that only one of its blocks leads to
    bool *inside; // by block
    uint32_t
        *behind; // by block: the exit that it is behind, whatever way leads to it, + 1; 0: none
    Renaming copies[COPIES], at_exit[EXITS];
    BlockId *copied[COPIES]; // by block
} LoopCopies;

// ---- which loops ----

static bool may_be_copied(const Node *n)
{
    uint16_t flags = ir_info(n)->flags;
    if (n->op == IR_Poll || n->op == IR_Phi)
        return true;
    return (flags & (IRF_SAFEPOINT | IRF_FENCE | IRF_PINNED)) == 0;
}

static bool has_inner_loop(const Graph *g, BlockId header)
{
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        if (ir_at(g, b)->is_header && b != header && ir_outer_loop(g, b) == header)
            return true;
    }
    return false;
}

static bool collect_body(LoopCopies *u)
{
    Graph *g = u->g;
    uint32_t nodes = 0;
    u->body.len = 0;
    for (size_t i = 0; i < g->order.len; i++) {
        const Block *block = ir_at(g, g->order.at[i]);
        if (block->loop != u->header)
            continue;
        ir_list_push(g, &u->body, g->order.at[i]);
        nodes += block->nodes.len;
        if (u->body.len > BODY_BLOCKS || nodes > u->most_nodes)
            return false;
        for (uint32_t k = 0; k < block->nodes.len; k++)
            if (!may_be_copied(ir_node(g, block->nodes.at[k])))
                return false;
    }
    VM_ASSERT(u->body.at[0] == u->header);
    return true;
}

// Nothing that is never reached leads into the body.
static bool is_closed(const LoopCopies *u)
{
    for (uint32_t i = 1; i < u->body.len; i++) {
        const IrList *preds = &ir_at(u->g, u->body.at[i])->preds;
        for (uint32_t k = 0; k < preds->len; k++)
            if (ir_at(u->g, preds->at[k])->loop != u->header)
                return false;
    }
    return true;
}

// The only block that leads back; 0: there are more.
static BlockId only_latch(const Graph *g, BlockId header)
{
    const IrList *preds = &ir_at(g, header)->preds;
    BlockId latch = 0;
    for (uint32_t i = 0; i < preds->len; i++)
        if (ir_at(g, preds->at[i])->loop == header) {
            if (latch)
                return 0;
            latch = preds->at[i];
        }
    return latch;
}

// Ends in a Poll and the edge back, and polls nowhere else.
static bool polls_at_end(const LoopCopies *u)
{
    uint32_t polls = 0;
    for (uint32_t i = 0; i < u->body.len; i++) {
        const IrList *nodes = &ir_at(u->g, u->body.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            polls += ir_node(u->g, nodes->at[k])->op == IR_Poll;
    }
    const IrList *last = &ir_at(u->g, u->latch)->nodes;
    return polls == 1 && last->len >= 2 && ir_node(u->g, last->at[last->len - 2])->op == IR_Poll
           && ir_node(u->g, last->at[last->len - 1])->op == IR_Goto;
}

static uint32_t count_exits(const LoopCopies *u)
{
    uint32_t exits = 0;
    for (uint32_t i = 0; i < u->body.len; i++) {
        const IrList *succs = &ir_at(u->g, u->body.at[i])->succs;
        for (uint32_t k = 0; k < succs->len; k++)
            exits += ir_at(u->g, succs->at[k])->loop != u->header;
    }
    return exits;
}

// ---- what no turn changes ----

static bool is_stored(const LoopCopies *u, const Node *load)
{
    for (uint32_t i = 0; i < u->body.len; i++) {
        const IrList *nodes = &ir_at(u->g, u->body.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++) {
            const Node *n = ir_node(u->g, nodes->at[k]);
            bool same = (n->op == IR_StoreField && load->op == IR_LoadField)
                        || (n->op == IR_StoreElem && load->op == IR_LoadElem);
            if (same && n->aux == load->aux)
                return true;
        }
    }
    return false;
}

// Whether a node of the body is the same in each turn, given those before it that are.
static bool stays(const LoopCopies *u, NodeId id, const bool *same)
{
    Node *n = ir_node(u->g, id);
    bool ok = (ir_info(n)->flags & (IRF_PURE | IRF_CHECK | IRF_LOAD)) != 0;
    for (uint32_t i = 0; ok && i < ir_input_count(n); i++) {
        NodeId in = ir_inputs(u->g, n)[i];
        BlockId of = ir_node(u->g, in)->block;
        ok = same[in] || of == 0 || ir_at(u->g, of)->loop != u->header;
    }
    return ok && (!(ir_info(n)->flags & IRF_LOAD) || !is_stored(u, n));
}

// Whether each turn does a load or check that gives the same as in the first.
static bool has_invariant(const LoopCopies *u)
{
    bool *same = vm_calloc(u->g->nodes.len, sizeof *same), found = false;
    for (uint32_t i = 0; i < u->body.len; i++) {
        const IrList *nodes = &ir_at(u->g, u->body.at[i])->nodes;
        bool always = ir_dominates(u->g, u->body.at[i], u->latch);
        for (uint32_t k = 0; k < nodes->len; k++) {
            const Node *n = ir_node(u->g, nodes->at[k]);
            same[nodes->at[k]] = stays(u, nodes->at[k], same);
            found |=
                always && same[nodes->at[k]] && (ir_info(n)->flags & (IRF_CHECK | IRF_LOAD));
        }
    }
    vm_free(same);
    return found;
}

// ---- exits ----

static bool begins_with_phi(const Graph *g, const Block *block)
{
    return ir_node(g, block->nodes.at[0])->op == IR_Phi;
}

static void make_exits(LoopCopies *u)
{
    Graph *g = u->g;
    u->exits.len = 0;
    for (uint32_t i = 0; i < u->body.len; i++) {
        BlockId b = u->body.at[i];
        for (uint32_t k = 0; k < ir_at(g, b)->succs.len; k++) {
            BlockId to = ir_at(g, b)->succs.at[k];
            const Block *block = ir_at(g, to);
            if (block->loop == u->header)
                continue;
            bool alone = block->preds.len == 1 && !begins_with_phi(g, block);
            ir_list_push(g, &u->exits, alone ? to : ir_split_edge(g, b, k));
        }
    }
    VM_ASSERT(u->exits.len <= EXITS);
    ir_find_loops(g);
}

// Of each block, inside or behind which exit it is. Those that are behind several, as ways meet, are behind none.
static void find_places(LoopCopies *u)
{
    Graph *g = u->g;
    u->blocks = (uint32_t)g->blocks.len;
    u->inside = vm_calloc(u->blocks, sizeof *u->inside);
    u->behind = vm_calloc(u->blocks, sizeof *u->behind);
    for (uint32_t i = 0; i < u->body.len; i++)
        u->inside[u->body.at[i]] = true;
    for (uint32_t i = 0; i < u->exits.len; i++)
        u->behind[u->exits.at[i]] = i + 1;
    for (size_t i = 1; i < g->order.len; i++) {
        BlockId b = g->order.at[i], idom = ir_at(g, b)->idom;
        if (!u->inside[b] && !u->behind[b] && !u->inside[idom])
            u->behind[b] = u->behind[idom];
    }
}

// ---- what is read behind the loop ----

typedef struct Use {
    LoopCopies *u;
    uint32_t behind; // where it is
    bool ok;
} Use;

static bool is_inside(const LoopCopies *u, NodeId n)
{
    return u->inside[ir_node(u->g, n)->block];
}

// A value of the body that is read behind exit `behind` gets a phi there: it is marked by itself until make_phis. What is read where ways of several
// exits have met cannot be had.
static void note_use(void *ctx, NodeId n)
{
    Use *use = ctx;
    if (!n || !is_inside(use->u, n))
        return;
    if (use->behind)
        use->u->at_exit[use->behind - 1].nodes[n] = n;
    else
        use->ok = false;
}

static bool note_uses(LoopCopies *u, BlockId b, NodeId id)
{
    Node *n = ir_node(u->g, id);
    Use use = {u, u->behind[b], true};
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        if (n->op == IR_Phi)
            use.behind = u->behind[ir_at(u->g, b)->preds.at[i]];
        note_use(&use, ir_inputs(u->g, n)[i]);
    }
    use.behind = u->behind[b];
    ir_state_each(u->g, n->state, note_use, &use);
    return use.ok;
}

// The objects of boxes that escape analysis leaves unmade get the value that the box was made of: a use that no node has.
static bool note_boxes(LoopCopies *u)
{
    bool ok = true;
    for (size_t i = 0; i < u->g->boxes.len && ok; i++) {
        const IrBox *box = &u->g->boxes.at[i];
        BlockId b = ir_node(u->g, box->box)->block;
        Use use = {u, u->behind[b], true};
        if (b && !u->inside[b] && ir_at(u->g, b)->order)
            note_use(&use, box->value);
        ok = use.ok;
    }
    return ok;
}

// The state of a block is renamed as those of nodes, or is known no more.
static void note_uses_of_block(LoopCopies *u, BlockId b)
{
    Block *block = ir_at(u->g, b);
    Use use = {u, u->behind[b], true};
    ir_state_each(u->g, block->state, note_use, &use);
    if (!use.ok)
        block->state = 0;
}

// Blocks behind the loop, or beside it.
static bool note_all_uses(LoopCopies *u)
{
    if (!note_boxes(u))
        return false;
    for (size_t i = 0; i < u->g->order.len; i++) {
        BlockId b = u->g->order.at[i];
        const IrList *nodes = &ir_at(u->g, b)->nodes;
        // Phis of the header have what came before the loop, and what comes round.
        for (uint32_t k = 0; !u->inside[b] && k < nodes->len; k++)
            if (!note_uses(u, b, nodes->at[k]))
                return false;
        if (!u->inside[b])
            note_uses_of_block(u, b);
    }
    return true;
}

// ---- renaming ----

static NodeId renamed(const Renaming *r, NodeId n)
{
    return r->nodes[n] ? r->nodes[n] : n;
}

static StateId renamed_state(LoopCopies *u, Renaming *r, StateId id);

static uint32_t renamed_scope(LoopCopies *u, Renaming *r, uint32_t id)
{
    if (id == 0 || r->scopes[id])
        return id ? r->scopes[id] : 0;
    IrScope scope = u->g->scopes.at[id];
    StateId caller = renamed_state(u, r, scope.caller);
    r->scopes[id] = id;
    if (caller != scope.caller) {
        scope.caller = caller;
        vec_push(&u->g->scopes, scope);
        r->scopes[id] = (uint32_t)u->g->scopes.len - 1;
    }
    return r->scopes[id];
}

static bool any_renamed(const LoopCopies *u, const Renaming *r, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (r->nodes[u->g->words.at[first + i]])
            return true;
    return false;
}

static uint32_t rename_words(LoopCopies *u, const Renaming *r, uint32_t first, uint32_t count)
{
    uint32_t at = (uint32_t)u->g->words.len;
    if (!any_renamed(u, r, first, count))
        return first;
    for (uint32_t i = 0; i < count; i++) {
        NodeId word = renamed(r, u->g->words.at[first + i]);
        vec_push(&u->g->words, word);
    }
    return at;
}

static StateId renamed_state(LoopCopies *u, Renaming *r, StateId id)
{
    if (id == 0 || r->states[id])
        return id ? r->states[id] : 0;
    Graph *g = u->g;
    const State old = *ir_state(g, id);
    State s = old;
    s.scope = renamed_scope(u, r, s.scope);
    s.locals = rename_words(u, r, s.locals, ir_state_locals(g, &old));
    s.operands = rename_words(u, r, s.operands, s.depth + (uint32_t)s.locks);
    s.virtuals = rename_words(u, r, s.virtuals, ir_state_virtual_words(g, &old));
    s.made = rename_words(u, r, s.made, 2 * old.made_count);
    r->states[id] = id;
    if (s.scope != old.scope || s.locals != old.locals || s.operands != old.operands
        || s.virtuals != old.virtuals || s.made != old.made) {
        vec_push(&g->states, s);
        r->states[id] = (StateId)g->states.len - 1;
    }
    return r->states[id];
}

static void renaming_init(const LoopCopies *u, Renaming *r)
{
    r->nodes = vm_calloc(u->nodes, sizeof *r->nodes);
    r->states = vm_calloc(u->states, sizeof *r->states);
    r->scopes = vm_calloc(u->scopes, sizeof *r->scopes);
}

static void renaming_free(Renaming *r)
{
    vm_free(r->nodes);
    vm_free(r->states);
    vm_free(r->scopes);
    *r = (Renaming){0};
}

// ---- copies ----

static uint32_t latch_edge(const LoopCopies *u)
{
    return ir_edge_from(u->g, u->latch, u->header);
}

// The header's phis are in copy k what they became at the end of the one before; in the turn that is done before the loop what they are
// at the loop's beginning.
static void carry_phis(LoopCopies *u, uint32_t k)
{
    const IrList *nodes = &ir_at(u->g, u->header)->nodes;
    uint32_t edge = u->peels ? 1 - latch_edge(u) : latch_edge(u);
    for (uint32_t i = 0; ir_node(u->g, nodes->at[i])->op == IR_Phi; i++) {
        NodeId next = ir_inputs(u->g, ir_node(u->g, nodes->at[i]))[edge];
        u->copies[k].nodes[nodes->at[i]] = k == 1 ? next : renamed(&u->copies[k - 1], next);
    }
}

static void copy_node(LoopCopies *u, uint32_t k, BlockId to, NodeId id)
{
    Graph *g = u->g;
    Renaming *r = &u->copies[k];
    const Node n = *ir_node(g, id);
    uint32_t count = ir_input_count(&n);
    NodeId *in = arena_alloc(&g->arena, MAX_OF(count, 1u) * sizeof *in);
    for (uint32_t i = 0; i < count; i++)
        in[i] = renamed(r, ir_inputs(g, ir_node(g, id))[i]);
    bool may_fold = (ir_info(&n)->flags & (IRF_PURE | IRF_CHECK)) != 0;
    NodeId known = may_fold ? ir_fold(g, (IrOp)n.op, count, in) : 0;
    if (known) {
        r->nodes[id] = known;
        return;
    }
    StateId state = renamed_state(u, r, n.state);
    g->at_bci = n.bci;
    g->at_scope = (uint16_t)renamed_scope(u, r, n.scope);
    NodeId copy = ir_add(g, to, (IrOp)n.op, (IrType)n.type, count, in, n.aux);
    ir_node(g, copy)->state = state;
    r->nodes[id] = copy;
}

static void copy_nodes(LoopCopies *u, uint32_t k)
{
    Graph *g = u->g;
    carry_phis(u, k);
    for (uint32_t i = 0; i < u->body.len; i++) {
        BlockId b = u->body.at[i];
        for (uint32_t j = 0; j < ir_at(g, b)->nodes.len; j++) {
            NodeId n = ir_at(g, b)->nodes.at[j];
            if (b != u->header || ir_node(g, n)->op != IR_Phi)
                copy_node(u, k, u->copied[k][b], n);
        }
    }
}

// Those of b's copy, in the order of b's. Edges to and from headers are for chain_copies.
static void copy_edges(LoopCopies *u, uint32_t k, BlockId b)
{
    Graph *g = u->g;
    const BlockId *copied = u->copied[k];
    for (uint32_t i = 0; b != u->header && i < ir_at(g, b)->preds.len; i++)
        ir_list_push(g, &ir_at(g, copied[b])->preds, copied[ir_at(g, b)->preds.at[i]]);
    for (uint32_t i = 0; i < ir_at(g, b)->succs.len; i++) {
        BlockId to = ir_at(g, b)->succs.at[i];
        if (to == u->header)
            continue;
        ir_list_push(g, &ir_at(g, copied[b])->succs, u->inside[to] ? copied[to] : to);
        if (!u->inside[to])
            ir_list_push(g, &ir_at(g, to)->preds, copied[b]);
    }
}

static void copy_body(LoopCopies *u, uint32_t k)
{
    Graph *g = u->g;
    u->copied[k] = vm_calloc(u->blocks, sizeof *u->copied[k]);
    for (uint32_t i = 0; i < u->body.len; i++)
        u->copied[k][u->body.at[i]] = ir_block(g, ir_at(g, u->body.at[i])->bci);
    copy_nodes(
        u,
        k); // first: what a scope becomes is noted once, and what it names must have its name by then
    for (uint32_t i = 0; i < u->body.len; i++) {
        BlockId b = u->body.at[i];
        uint32_t scope = renamed_scope(u, &u->copies[k], ir_at(g, b)->scope);
        ir_at(g, u->copied[k][b])->scope = scope;
        copy_edges(u, k, b);
    }
}

static void drop_poll(Graph *g, BlockId latch)
{
    IrList *nodes = &ir_at(g, latch)->nodes;
    VM_ASSERT(ir_node(g, nodes->at[nodes->len - 2])->op == IR_Poll);
    nodes->at[nodes->len - 2] = nodes->at[nodes->len - 1];
    nodes->len--;
}

// What the header's phis get by an edge is what they have at the end of a copy.
static void come_from_copy(LoopCopies *u, uint32_t edge, const Renaming *r)
{
    const IrList *nodes = &ir_at(u->g, u->header)->nodes;
    uint32_t latch = latch_edge(u);
    for (uint32_t i = 0; ir_node(u->g, nodes->at[i])->op == IR_Phi; i++) {
        NodeId *in = ir_inputs(u->g, ir_node(u->g, nodes->at[i]));
        in[edge] = renamed(r, in[latch]);
    }
}

// The copy stands between what leads to the loop and its header.
static void put_before(LoopCopies *u)
{
    Graph *g = u->g;
    uint32_t edge = 1 - latch_edge(u), k = 0;
    BlockId entry = ir_at(g, u->header)->preds.at[edge];
    BlockId first = u->copied[1][u->header], last = u->copied[1][u->latch];
    come_from_copy(u, edge, &u->copies[1]);
    while (ir_at(g, entry)->succs.at[k] != u->header)
        k++;
    ir_at(g, entry)->succs.at[k] = first;
    ir_list_push(g, &ir_at(g, first)->preds, entry);
    ir_list_push(g, &ir_at(g, last)->succs, u->header);
    ir_at(g, u->header)->preds.at[edge] = last;
    drop_poll(g, last);
}

// Each copy leads to the next one, the last to the header.
static void chain_copies(LoopCopies *u)
{
    Graph *g = u->g;
    uint32_t edge = latch_edge(u);
    come_from_copy(u, edge, &u->copies[u->count - 1]);
    BlockId from = u->latch;
    ir_at(g, from)->succs.len = 0;
    for (uint32_t k = 1; k < u->count; k++) {
        ir_edge(g, from, u->copied[k][u->header]);
        drop_poll(g, from);
        from = u->copied[k][u->latch];
    }
    ir_list_push(g, &ir_at(g, from)->succs, u->header);
    ir_at(g, u->header)->preds.at[edge] = from;
}

// ---- behind the exits ----

static void push_front(Graph *g, IrList *list, uint32_t value)
{
    ir_list_push(g, list, value);
    memmove(list->at + 1, list->at, (list->len - 1) * sizeof *list->at);
    list->at[0] = value;
}

// The phis of exit i, for what note_use has marked.
static void make_phis(LoopCopies *u, uint32_t i, BlockId b)
{
    Graph *g = u->g;
    Renaming *r = &u->at_exit[i];
    g->at_bci = (uint16_t)ir_at(g, u->exits.at[i])->bci;
    g->at_scope = (uint16_t)ir_at(g, u->exits.at[i])->scope;
    for (uint32_t k = 0; k < ir_at(g, b)->nodes.len; k++) {
        NodeId n = ir_at(g, b)->nodes.at[k], in[COPIES] = {n};
        if (n >= u->nodes || !r->nodes[n])
            continue;
        for (uint32_t c = 1; c < u->count; c++)
            in[c] = renamed(&u->copies[c], n);
        NodeId phi = ir_add(g, 0, IR_Phi, (IrType)ir_node(g, n)->type, u->count, in, 0);
        ir_node(g, phi)->block = u->exits.at[i];
        push_front(g, &ir_at(g, u->exits.at[i])->nodes, phi);
        r->nodes[n] = phi;
    }
}

static void rename_in_node(LoopCopies *u, BlockId b, NodeId id)
{
    Graph *g = u->g;
    for (uint32_t i = 0; i < ir_input_count(ir_node(g, id)); i++) {
        bool merges = ir_node(g, id)->op == IR_Phi;
        uint32_t behind = u->behind[merges ? ir_at(g, b)->preds.at[i] : b];
        NodeId *in = &ir_inputs(g, ir_node(g, id))[i];
        if (behind)
            *in = renamed(&u->at_exit[behind - 1], *in);
    }
    if (!u->behind[b])
        return;
    Renaming *r = &u->at_exit[u->behind[b] - 1];
    StateId state = renamed_state(u, r, ir_node(g, id)->state);
    uint32_t scope = renamed_scope(u, r, ir_node(g, id)->scope);
    ir_node(g, id)->state = state;
    ir_node(g, id)->scope = (uint16_t)scope;
}

static void rename_boxes(LoopCopies *u)
{
    for (size_t i = 0; i < u->g->boxes.len; i++) {
        IrBox *box = &u->g->boxes.at[i];
        uint32_t behind = u->behind[ir_node(u->g, box->box)->block];
        if (behind)
            box->value = renamed(&u->at_exit[behind - 1], box->value);
    }
}

static void rename_behind(LoopCopies *u)
{
    Graph *g = u->g;
    rename_boxes(u);
    for (size_t i = 0; i < g->order.len; i++) {
        BlockId b = g->order.at[i];
        for (uint32_t k = 0; !u->inside[b] && k < ir_at(g, b)->nodes.len; k++)
            if (ir_at(g, b)->nodes.at[k] < u->nodes)
                rename_in_node(u, b, ir_at(g, b)->nodes.at[k]);
        if (!u->behind[b])
            continue;
        Renaming *r = &u->at_exit[u->behind[b] - 1];
        ir_at(g, b)->scope = renamed_scope(u, r, ir_at(g, b)->scope);
        ir_at(g, b)->state = renamed_state(u, r, ir_at(g, b)->state);
    }
}

// ---- one loop ----

static void copy(LoopCopies *u)
{
    for (uint32_t k = 1; k < u->count; k++) {
        renaming_init(u, &u->copies[k]);
        copy_body(u, k);
    }
    (u->peels ? put_before : chain_copies)(u);
    for (uint32_t i = 0; i < u->exits.len; i++)
        for (uint32_t k = 0; k < u->body.len; k++)
            make_phis(u, i, u->body.at[k]);
    rename_behind(u);
    for (uint32_t k = 1; k < u->count; k++) {
        renaming_free(&u->copies[k]);
        vm_free(u->copied[k]);
    }
    ir_find_loops(u->g);
}

static bool is_wanted(LoopCopies *u)
{
    if (has_inner_loop(u->g, u->header) || !collect_body(u) || !is_closed(u))
        return false;
    u->latch = only_latch(u->g, u->header);
    uint32_t exits = count_exits(u);
    bool can = u->latch && polls_at_end(u) && exits > 0 && exits <= EXITS;
    if (can && u->peels) // by one edge, from before
        return ir_at(u->g, u->header)->preds.len == 2 && has_invariant(u);
    return can;
}

static bool try_loop(Graph *g, BlockId header, bool peels)
{
    LoopCopies u = {.g = g,
                    .header = header,
                    .peels = peels,
                    .count = peels ? 2 : COPIES,
                    .most_nodes = peels ? PEELED_NODES : UNROLLED_NODES};
    if (!is_wanted(&u))
        return false;
    make_exits(&u);
    find_places(&u);
    u.nodes = (uint32_t)g->nodes.len;
    u.states = (uint32_t)g->states.len;
    u.scopes = (uint32_t)g->scopes.len;
    for (uint32_t i = 0; i < u.exits.len; i++)
        renaming_init(&u, &u.at_exit[i]);
    bool can = note_all_uses(&u);
    if (can)
        copy(&u);
    for (uint32_t i = 0; i < u.exits.len; i++)
        renaming_free(&u.at_exit[i]);
    vm_free(u.inside);
    vm_free(u.behind);
    return can;
}

static bool try_all(Graph *g, bool peels)
{
    IrList headers = {0};
    bool any = false;
    for (size_t i = 0; i < g->order.len; i++)
        if (ir_at(g, g->order.at[i])->is_header)
            ir_list_push(g, &headers, g->order.at[i]);
    for (uint32_t i = 0; i < headers.len; i++) {
        if (g->nodes.len < GRAPH_NODES && g->scopes.len < GRAPH_SCOPES)
            any |= try_loop(g, headers.at[i], peels);
        ir_between(g);
    }
    return any;
}

bool ir_peel(Graph *g)
{
    return try_all(g, true);
}

void ir_unroll(Graph *g)
{
    (void)try_all(g, false);
}
