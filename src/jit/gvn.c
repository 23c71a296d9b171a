// SPDX-License-Identifier: Apache-2.0
// Global value numbering by one walk of the dominator tree: a pure node or a check that a dominating block has already
// is that one, and a load of what was loaded or stored before, with nothing between that could change it, is that
// value. Where paths meet is known what is on all of them; at a loop's header, what was before and the loop does not change.
// Checks that a branch has answered before are dropped (conditions.c).
//
// A poll changes no memory: what other threads store meanwhile need not be seen (JLS 17.4), as by HotSpot's compilers.
#include "jit/ir.h"

enum { KNOWN_MAX = 32 }; // values of memory that are remembered at a time

typedef struct
    Known { // what is in memory: the value that `load`, a LoadField or LoadElem with such inputs, would give
    uint16_t load;
    uint32_t aux;
    NodeId in[2];
    NodeId value;
} Known;

typedef struct Memory {
    uint32_t count;
    Known at[];
} Memory;

typedef struct Visit {
    BlockId block;
    bool leaving;
} Visit;

typedef struct Changes { // of memory, by the blocks of a loop
    bool all;
    IrList stored; // pairs: a load's op, its aux
} Changes;

typedef struct Gvn {
    Graph *g;
    NodeId *replaced;     // by node
    NodeId *heads, *next; // available nodes: chains by hash
    uint32_t mask;
    IrList *children; // by block, in the dominator tree
    Memory **memory;  // by block, at its end
    Changes *changes; // by loop header
    Known known[KNOWN_MAX];
    uint32_t known_count;
} Gvn;

// ---- available nodes ----

static uint32_t hash_of(const Gvn *v, NodeId n)
{
    return ir_hash(v->g, n) & v->mask;
}

// The node that is the same, or 0, and then n is available.
static NodeId find_or_add(Gvn *v, NodeId n)
{
    uint32_t hash = hash_of(v, n);
    for (NodeId other = v->heads[hash]; other; other = v->next[other])
        if (ir_equal(v->g, n, other))
            return other;
    v->next[n] = v->heads[hash];
    v->heads[hash] = n;
    return 0;
}

// What a block made available ends with the blocks that it dominates. The last one came first in its chain.
static void leave(Gvn *v, BlockId b)
{
    const IrList *nodes = &ir_at(v->g, b)->nodes;
    for (uint32_t i = nodes->len; i-- > 0;) {
        NodeId n = nodes->at[i];
        if (ir_info(ir_node(v->g, n))->flags & (IRF_PURE | IRF_CHECK)) {
            uint32_t hash = hash_of(v, n);
            if (v->heads[hash] == n)
                v->heads[hash] = v->next[n];
        }
    }
}

// ---- memory ----

static uint16_t load_of(const Node *store)
{
    return store->op == IR_StoreField ? IR_LoadField : IR_LoadElem;
}

static void forget(Gvn *v, uint16_t load, uint32_t aux)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < v->known_count; i++)
        if (v->known[i].load != load || v->known[i].aux != aux)
            v->known[kept++] = v->known[i];
    v->known_count = kept;
}

static void learn(Gvn *v, uint16_t load, Node *n, NodeId value)
{
    if (v->known_count == KNOWN_MAX)
        v->known_count = 0;
    Known k = {.load = load, .aux = n->aux, .in = {n->in[0]}, .value = value};
    k.in[1] = load == IR_LoadElem ? n->in[1] : 0;
    v->known[v->known_count++] = k;
}

static NodeId known_value(const Gvn *v, const Node *n)
{
    NodeId index = n->op == IR_LoadElem ? n->in[1] : 0;
    for (uint32_t i = 0; i < v->known_count; i++) {
        const Known *k = &v->known[i];
        if (k->load == n->op && k->aux == n->aux && k->in[0] == n->in[0] && k->in[1] == index
            && ir_node(v->g, k->value)->type == n->type)
            return k->value;
    }
    return 0;
}

// A store narrows small kinds: what comes back may be another value.
static void store(Gvn *v, Node *n)
{
    uint16_t load = load_of(n);
    NodeId value = n->in[n->op == IR_StoreField ? 1 : 2];
    if (ir_node(v->g, value)->op == IR_Escape) // what is read is the same object
        value = ir_node(v->g, value)->in[0];
    bool exact = ir_stores_whole(v->g, n);
    forget(v, load, n->aux);
    if (exact)
        learn(v, load, n, value);
}

// ---- memory where paths meet ----

static bool is_changed(const Changes *c, uint16_t load, uint32_t aux)
{
    for (uint32_t i = 0; i < c->stored.len; i += 2)
        if (c->stored.at[i] == load && c->stored.at[i + 1] == aux)
            return true;
    return c->all;
}

static void add_changes(Gvn *v, Changes *c, const Block *block)
{
    for (uint32_t i = 0; i < block->nodes.len && !c->all; i++) {
        const Node *n = ir_node(v->g, block->nodes.at[i]);
        uint16_t flags = ir_info(n)->flags;
        c->all = (flags & (IRF_FENCE | IRF_ONLY_CALL)) != 0;
        if (flags & IRF_STORE && !is_changed(c, load_of(n), n->aux)) {
            ir_list_push(v->g, &c->stored, load_of(n));
            ir_list_push(v->g, &c->stored, n->aux);
        }
    }
}

static void find_changes(Gvn *v)
{
    for (size_t i = 0; i < v->g->order.len; i++) {
        const Block *block = ir_at(v->g, v->g->order.at[i]);
        for (BlockId h = block->loop; h; h = ir_outer_loop(v->g, h))
            add_changes(v, &v->changes[h], block);
    }
}

static bool is_known(const Memory *m, const Known *k)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const Known *other = &m->at[i];
        if (other->load == k->load && other->aux == k->aux && other->in[0] == k->in[0]
            && other->in[1] == k->in[1])
            return other->value == k->value;
    }
    return false;
}

static bool is_known_on_all_paths(const Gvn *v, const Block *block, const Known *k)
{
    for (uint32_t i = 0; i < block->preds.len; i++) {
        const Memory *m = v->memory[block->preds.at[i]];
        if (m ? !is_known(m, k) : !block->is_header)
            return false;
    }
    return true;
}

// Blocks that come before it in the order were numbered; edges back to a header come from others.
static void meet(Gvn *v, BlockId b)
{
    const Block *block = ir_at(v->g, b);
    const Memory *first = NULL;
    for (uint32_t i = 0; i < block->preds.len && !first; i++)
        first = v->memory[block->preds.at[i]];
    v->known_count = 0;
    for (uint32_t i = 0; first && i < first->count; i++) {
        const Known *k = &first->at[i];
        bool changed = block->is_header && is_changed(&v->changes[b], k->load, k->aux);
        if (!changed && is_known_on_all_paths(v, block, k))
            v->known[v->known_count++] = *k;
    }
}

// ---- the walk ----

static void number_node(Gvn *v, NodeId id)
{
    Node *n = ir_node(v->g, id);
    uint16_t flags = ir_info(n)->flags;
    NodeId *in = ir_inputs(v->g, n);
    for (uint32_t i = 0; n->op != IR_Phi && i < ir_input_count(n); i++)
        if (v->replaced[in[i]])
            in[i] = v->replaced[in[i]];
    if ((n->op == IR_NullCheck && ir_is_not_null(v->g, in[0]))
        || (flags & IRF_CHECK && ir_is_answered(v->g, id))) {
        v->replaced[id] = in[0];
    } else if (flags & (IRF_PURE | IRF_CHECK)) {
        v->replaced[id] = find_or_add(v, id);
    } else if (flags & IRF_LOAD) {
        v->replaced[id] = known_value(v, n);
        if (!v->replaced[id])
            learn(v, n->op, n, id);
    } else if (flags & IRF_STORE) {
        store(v, n);
    } else if (flags & (IRF_FENCE | IRF_ONLY_CALL)) {
        v->known_count = 0;
    }
}

static void enter(Gvn *v, BlockId b)
{
    const Block *block = ir_at(v->g, b);
    meet(v, b);
    for (uint32_t i = 0; i < block->nodes.len; i++)
        number_node(v, block->nodes.at[i]);
    Memory *after =
        arena_alloc(&v->g->arena, sizeof *after + v->known_count * sizeof *after->at);
    after->count = v->known_count;
    memcpy(after->at, v->known, v->known_count * sizeof *after->at);
    v->memory[b] = after;
}

static void walk(Gvn *v)
{
    VEC(Visit) visits = {0};
    vec_push(&visits, ((Visit){1, false}));
    while (visits.len) {
        Visit now = visits.at[--visits.len];
        if (now.leaving) {
            leave(v, now.block);
            continue;
        }
        enter(v, now.block);
        ir_between(v->g);
        vec_push(&visits, ((Visit){now.block, true}));
        const IrList *children = &v->children[now.block];
        for (uint32_t i = children->len; i-- > 0;) // the first in the order first
            vec_push(&visits, ((Visit){children->at[i], false}));
    }
    vec_free(&visits);
}

void ir_gvn(Graph *g)
{
    Gvn v = {.g = g, .mask = 63};
    while (v.mask < g->nodes.len)
        v.mask = v.mask * 2 + 1;
    ir_find_loops(g);
    v.replaced = vm_calloc(g->nodes.len, sizeof *v.replaced);
    v.next = vm_calloc(g->nodes.len, sizeof *v.next);
    v.heads = vm_calloc(v.mask + 1u, sizeof *v.heads);
    v.children = vm_calloc(g->blocks.len, sizeof *v.children);
    v.memory = vm_calloc(g->blocks.len, sizeof *v.memory);
    v.changes = vm_calloc(g->blocks.len, sizeof *v.changes);
    for (size_t i = 1; i < g->order.len; i++)
        ir_list_push(g, &v.children[ir_at(g, g->order.at[i])->idom], g->order.at[i]);
    find_changes(&v);
    walk(&v);
    ir_replace(g, v.replaced);
    vm_free(v.replaced);
    vm_free(v.next);
    vm_free(v.heads);
    vm_free(v.children);
    vm_free(v.memory);
    vm_free(v.changes);
}
