// SPDX-License-Identifier: Apache-2.0
// Runs are found by an automaton over ops, a trie of the rows of spec/fused_ops.def. A state is an op, when the run is one
// long, or a node behind them; the edges stand in a hash table.
#include "interp/fuse.h"

typedef struct FusedInfo {
    uint16_t parts[FUSE_MAX]; // ops, 0 behind the last
} FusedInfo;
static const FusedInfo infos[] = {
#define FUSED(name, ...) {{__VA_ARGS__}},
#include "spec/fused_ops.def"
#undef FUSED
};
enum { FIRST_FUSED = OP_ENTER + 1, EDGES = 2048, NODES = 1024 };
_Static_assert(FIRST_FUSED + ARRAY_LEN(infos) == OP_COUNT, "a row for each fused op");

typedef struct Edge {
    uint16_t from, op, to; // to 0: a free place
} Edge;

static Edge edges[EDGES]; // open addressing, at most half full
static uint32_t edge_count;
static uint16_t node_op[NODES]; // the fused op that ends at state OP_COUNT + i; 0: none
static uint32_t node_count;
static bool starts[OP_COUNT]; // begins some run

uint16_t fused_first(uint16_t op)
{
    return op >= FIRST_FUSED ? infos[op - FIRST_FUSED].parts[0] : op;
}

// The edge from a state by an op, or the free place where it would stand.
static Edge *edge_at(uint32_t from, uint32_t op)
{
    uint32_t i = (from * 0x9E3779B1u ^ op * 0x85EBCA6Bu) >> 16;
    for (;; i++) {
        Edge *e = &edges[i % EDGES];
        if (e->to == 0 || (e->from == from && e->op == op))
            return e;
    }
}

static uint32_t edge_or_new(uint32_t from, uint32_t op)
{
    Edge *e = edge_at(from, op);
    if (e->to == 0) {
        VM_CHECK(node_count < NODES && ++edge_count <= EDGES / 2);
        *e = (Edge){(uint16_t)from, (uint16_t)op, (uint16_t)(OP_COUNT + node_count++)};
    }
    return e->to;
}

void fuse_init(void)
{
    for (uint32_t i = 0; i < ARRAY_LEN(infos); i++) {
        const uint16_t *parts = infos[i].parts;
        uint32_t state = parts[0];
        starts[state] = true;
        for (int k = 1; k < FUSE_MAX && parts[k] != 0; k++)
            state = edge_or_new(state, parts[k]);
        node_op[state - OP_COUNT] = (uint16_t)(FIRST_FUSED + i);
    }
}

static uint16_t op_at(const Insn *pc)
{
    return fused_first(atomic_load_explicit(&pc->op, memory_order_relaxed));
}

// The op of the longest run that begins at pc; its own when none does.
static uint16_t longest(const Insn *pc)
{
    uint16_t best = op_at(pc);
    if (!starts[best])
        return best;
    uint32_t state = best;
    for (int k = 1; k < FUSE_MAX;
         k++) { // a run never reaches behind the method: nothing follows a jump or return
        state = edge_at(state, op_at(&pc[k]))->to;
        if (state == 0)
            break;
        if (node_op[state - OP_COUNT] != 0)
            best = node_op[state - OP_COUNT];
    }
    return best;
}

void fuse_code(Insn *code, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        atomic_store_explicit(&code[i].op, longest(&code[i]), memory_order_relaxed);
}

void fuse_around(Insn *pc)
{
    for (int k = 0; k < FUSE_MAX; k++, pc--) {
        uint16_t op = longest(pc);
        if (op != atomic_load_explicit(&pc->op, memory_order_relaxed))
            atomic_store_explicit(&pc->op, op, memory_order_release);
        if (pc->bci == 0)
            break;
    }
}
