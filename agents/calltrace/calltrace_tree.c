// SPDX-License-Identifier: Apache-2.0
// A tree of calling contexts: nodes in one array in order of their making (a parent comes
// before its children), found by (parent, key) through an index of open addressing. A tree that
// has reached the limit of nodes is pruned: a context that so far has less than some small
// share of both all time and all calls is joined into one (other) node under its caller. It may
// come back and be joined again; what it loses each time is below that share (lossy counting).
#include "calltrace.h"

#include <stdlib.h>

enum { FIRST_NODES = 128, FIRST_INDEX = 512 };

static const uintptr_t OTHER_KEY = UINTPTR_MAX;

bool tree_is_at_limit(const CallTree *tree)
{
    return tree->len == tree->cap && tree->cap >= tree->limit;
}

bool tree_init(CallTree *tree, uint64_t nodes)
{
    uint64_t limit = nodes < FIRST_NODES ? FIRST_NODES : nodes;
    tree->limit = limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit;
    tree->nodes = agent_alloc(FIRST_NODES * sizeof *tree->nodes);
    tree->index = agent_alloc(FIRST_INDEX * sizeof *tree->index);
    if (tree->nodes == NULL || tree->index == NULL) {
        return false;
    }
    tree->cap = FIRST_NODES;
    tree->index_cap = FIRST_INDEX;
    tree->len = 1;
    tree->nodes[0].method = NO_METHOD;
    return true;
}

void tree_free(CallTree *tree)
{
    free(tree->nodes);
    free(tree->index);
    *tree = (CallTree){0};
}

static inline uint64_t hash_of(uint32_t parent, uintptr_t key)
{
    return agent_mix(key * 31 + parent * 0x9E3779B97F4A7C15u);
}

// The slot of (parent, key), or the free one where it belongs.
static inline Slot *find_slot(const CallTree *tree, uint32_t parent, uintptr_t key,
                              uint64_t hash)
{
    assert((tree->index_cap & (tree->index_cap - 1)) == 0 && tree->len < tree->index_cap);
    assert(tree->index != NULL); // a copy has none
    uint32_t mask = tree->index_cap - 1;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
        Slot *slot = &tree->index[i];
        const Node *node = &tree->nodes[slot->node];
        if (slot->node == 0
            || (slot->tag == tag && node->key == key && node->parent == parent)) {
            return slot;
        }
    }
}

static void put_slot(CallTree *tree, uint32_t node)
{
    uint32_t parent = tree->nodes[node].parent;
    uintptr_t key = tree->nodes[node].key;
    uint64_t hash = hash_of(parent, key);
    Slot *slot = find_slot(tree, parent, key, hash);
    assert(slot->node == 0); // it is in no other place
    *slot = (Slot){.tag = (uint32_t)(hash >> 32), .node = node};
}

uint32_t tree_find(const CallTree *tree, uint32_t parent, uintptr_t key)
{
    return find_slot(tree, parent, key, hash_of(parent, key))->node;
}

static bool grow_nodes(CallTree *tree)
{
    uint32_t cap = tree->cap > tree->limit / 2 ? tree->limit : tree->cap * 2;
    if (cap <= tree->cap) {
        return false;
    }
    Node *nodes =
        agent_grow(tree->nodes, tree->cap * sizeof *nodes, (size_t)cap * sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    tree->nodes = nodes;
    tree->cap = cap;
    return true;
}

static void fill_index(CallTree *tree)
{
    for (uint32_t n = 1; n < tree->len; n++) {
        put_slot(tree, n);
    }
}

static bool grow_index(CallTree *tree)
{
    uint32_t cap = tree->index_cap * 2;
    Slot *index = agent_alloc(cap * sizeof *index);
    if (index == NULL) {
        return false;
    }
    free(tree->index);
    tree->index = index;
    tree->index_cap = cap;
    fill_index(tree);
    return true;
}

uint32_t tree_add(CallTree *tree, uint32_t parent, uintptr_t key, uint32_t method)
{
    assert(parent < tree->len);
    if (tree->full || (tree->len == tree->cap && !grow_nodes(tree))
        || (tree->len > tree->index_cap / 2 && !grow_index(tree))) {
        tree->full = true;
        return 0;
    }
    uint32_t n = tree->len++;
    tree->nodes[n] = (Node){.key = key, .parent = parent, .method = method};
    put_slot(tree, n);
    return n;
}

typedef struct Sum {
    uint64_t time, calls;
} Sum;

static Sum *sum_subtrees(const CallTree *tree)
{
    Sum *sums = agent_alloc(tree->len * sizeof *sums);
    for (uint32_t n = tree->len; sums != NULL && n-- > 0;) {
        sums[n].time += tree->nodes[n].self;
        sums[n].calls += tree->nodes[n].calls;
        if (n > 0) {
            assert(tree->nodes[n].parent < n);
            sums[tree->nodes[n].parent].time += sums[n].time;
            sums[tree->nodes[n].parent].calls += sums[n].calls;
        }
    }
    return sums;
}

// A node stays if `kept` marks it or its subtree has at least 1/share of all time or calls.
static bool stays(const Sum *sums, const bool *kept, uint32_t n, uint64_t share)
{
    return n == 0 || kept[n] || sums[n].time > sums[0].time / share
           || sums[n].calls > sums[0].calls / share;
}

// The share at which at most half of the nodes stay; 0 if there is none.
static uint64_t choose_share(const CallTree *tree, const Sum *sums, const bool *kept)
{
    for (uint64_t share = 1000000; share > 10; share /= 2) {
        uint32_t staying = 0;
        for (uint32_t n = 0; n < tree->len; n++) {
            staying += stays(sums, kept, n, share);
        }
        if (staying <= tree->len / 2) {
            return share;
        }
    }
    return 0;
}

// Puts the dropped nodes' figures into (other) nodes. There are not more of these than dropped
// nodes, so that there is room; `place` maps all nodes to where they went.
static void join_dropped(CallTree *tree, const Node *old, uint32_t old_len, uint32_t *place)
{
    for (uint32_t n = 1; n < old_len; n++) {
        if (place[n] != 0) {
            continue;
        }
        uint32_t top = n; // the topmost dropped caller: its own caller stays
        while (old[top].parent != 0 && place[old[top].parent] == 0) {
            top = old[top].parent;
        }
        uint32_t caller = place[old[top].parent];
        uint32_t other = tree_find(tree, caller, OTHER_KEY);
        if (other == 0) {
            other = tree_add(tree, caller, OTHER_KEY, OTHER_METHOD);
        }
        tree->nodes[other == 0 ? caller : other].calls += old[n].calls;
        tree->nodes[other == 0 ? caller : other].self += old[n].self;
        tree->dropped++;
    }
}

// Rebuilds `tree` from those nodes of `old` that stay. False when memory ends.
static bool rebuild(CallTree *tree, const CallTree *old, const Sum *sums, const bool *kept,
                    uint64_t share, uint32_t *place)
{
    tree->nodes = agent_alloc(old->cap * sizeof *tree->nodes);
    tree->index = agent_alloc(old->index_cap * sizeof *tree->index);
    if (tree->nodes == NULL || tree->index == NULL) {
        free(tree->nodes);
        free(tree->index);
        return false;
    }
    tree->len = 0;
    for (uint32_t n = 0; n < old->len; n++) {
        if (stays(sums, kept, n, share)) {
            place[n] = tree->len;
            tree->nodes[tree->len] = old->nodes[n];
            tree->nodes[tree->len].parent = place[old->nodes[n].parent];
            tree->nodes[tree->len].then = 0;
            tree->nodes[tree->len++].last = 0;
        }
    }
    fill_index(tree);
    join_dropped(tree, old->nodes, old->len, place);
    return true;
}

uint32_t *tree_prune(CallTree *tree, const bool *kept)
{
    CallTree old = *tree;
    uint32_t *place = agent_alloc(old.len * sizeof *place);
    Sum *sums = sum_subtrees(tree);
    uint64_t share = place != NULL && sums != NULL ? choose_share(tree, sums, kept) : 0;
    if (share != 0 && rebuild(tree, &old, sums, kept, share, place)) {
        assert(tree->len <= old.len && tree->cap == old.cap);
        free(old.nodes);
        free(old.index);
    } else {
        *tree = old;
        tree->full = true;
        free(place);
        place = NULL;
    }
    free(sums);
    return place;
}

bool tree_merge(CallTree *to, const CallTree *from)
{
    uint32_t *place = agent_alloc(from->len * sizeof *place);
    if (place == NULL) {
        return false;
    }
    for (uint32_t n = 0; n < from->len; n++) {
        const Node *node = &from->nodes[n];
        if (n > 0) {
            assert(node->parent < n); // it has its place
            uint32_t parent = place[node->parent];
            uintptr_t key = (uintptr_t)node->method + 1;
            place[n] = tree_find(to, parent, key);
            if (place[n] == 0) {
                place[n] = tree_add(to, parent, key, node->method);
            }
            if (place[n] == 0) {
                free(place);
                return false;
            }
        }
        to->nodes[place[n]].calls += node->calls;
        to->nodes[place[n]].self += node->self;
    }
    to->dropped += from->dropped;
    to->full |= from->full;
    free(place);
    return true;
}
