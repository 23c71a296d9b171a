// SPDX-License-Identifier: Apache-2.0
// Global value numbering by one walk of the dominator tree: a pure node or a check that a dominating block has already
// is that one, and a load of what was loaded or stored before, with nothing between that could change it, is that
// value. Memory is followed along blocks with one predecessor; where ways meet nothing is known of it.
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

typedef struct Gvn {
    Graph *g;
    NodeId *replaced;     // by node
    NodeId *heads, *next; // available nodes: chains by hash
    uint32_t mask;
    IrList *children; // by block, in the dominator tree
    Memory **memory;  // by block, at its end
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
    uint16_t load = n->op == IR_StoreField ? IR_LoadField : IR_LoadElem;
    NodeId value = n->in[n->op == IR_StoreField ? 1 : 2];
    bool exact = ir_stores_whole(v->g, n);
    forget(v, load, n->aux);
    if (exact)
        learn(v, load, n, value);
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
    if (n->op == IR_NullCheck && ir_is_not_null(v->g, in[0])) {
        v->replaced[id] = in[0];
    } else if (flags & (IRF_PURE | IRF_CHECK)) {
        v->replaced[id] = find_or_add(v, id);
    } else if (flags & IRF_LOAD) {
        v->replaced[id] = known_value(v, n);
        if (!v->replaced[id])
            learn(v, n->op, n, id);
    } else if (flags & IRF_STORE) {
        store(v, n);
    } else if (flags & (IRF_FENCE | IRF_ONLY_CALL) || n->op == IR_Poll) {
        v->known_count = 0;
    }
}

static void enter(Gvn *v, BlockId b)
{
    const Block *block = ir_at(v->g, b);
    const Memory *before = block->preds.len == 1 ? v->memory[block->preds.at[0]] : NULL;
    v->known_count = before ? before->count : 0;
    if (before)
        memcpy(v->known, before->at, before->count * sizeof *before->at);
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
        vec_push(&visits, ((Visit){now.block, true}));
        const IrList *children = &v->children[now.block];
        for (uint32_t i = 0; i < children->len; i++)
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
    for (size_t i = 1; i < g->order.len; i++)
        ir_list_push(g, &v.children[ir_at(g, g->order.at[i])->idom], g->order.at[i]);
    walk(&v);
    ir_replace(g, v.replaced);
    vm_free(v.replaced);
    vm_free(v.next);
    vm_free(v.heads);
    vm_free(v.children);
    vm_free(v.memory);
}
