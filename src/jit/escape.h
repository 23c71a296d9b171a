// SPDX-License-Identifier: Apache-2.0
// What the parts of escape analysis share (docs/GRAPHS.md, "Objects that are not made"): escape_find.c chooses objects, escape_places.c
// finds where those are made that only some paths let others see, escape.c makes values of their fields.
#ifndef JIT_ESCAPE_H
#define JIT_ESCAPE_H

#include "code/compiled_code.h"
#include "jit/ir.h"

enum {
    VARIABLES_MAX = 64, // fields of all objects together
    VARIABLES_IN_BLOCKS_MAX = 1 << 18,
    TIMES = 3,
    CANDIDATES_MAX = CODE_VIRTUALS_MAX / TIMES,
    ENTERS_MAX = THIN_RECURSION_MAX, // each is entered once at most at a time
    MAKES_MAX = 6,                   // places where the code of one is made
};

typedef struct Candidate {
    NodeId node; // a New, or the phi of a box
    BlockId block;
    uint32_t first, count; // of its fields among all variables
    uint32_t enters;       // places where its monitor is entered
    uint32_t shown;        // places where others come to see it
    bool fenced;           // accesses of it stood before a Fence
} Candidate;

typedef struct Pending { // a phi without inputs yet
    NodeId phi;
    BlockId block;
    uint32_t of; // a variable; of an object that was made, VARIABLES_MAX + its number
} Pending;

typedef struct Escape {
    Graph *g;
    bool
        partial; // looks for objects that others see on some paths; else for those that nobody sees
    Candidate at[CANDIDATES_MAX];
    uint32_t count;
    const Field *fields[VARIABLES_MAX];
    uint32_t variables;
    uint32_t nodes, states; // those that were there before
    uint8_t *number;        // by node: of the candidate + 1
    uint32_t *mentioned;    // by state: bits of the candidates that it, or one below it, names
    bool *asked;            // by state: whether that is known
    // Where objects are made, as bits by block. NULL: nowhere.
    uint32_t *made_in;     // before it
    uint32_t *made_at_end; // before its Goto
    // While escape.c walks:
    uint64_t *stored; // by loop header: variables that the loop stores to
    NodeId **
        out; // by block: the variables at its end; behind them the objects that are made by then
    NodeId now[VARIABLES_MAX];
    NodeId made[CANDIDATES_MAX]; // 0: it is not made
    VEC(Pending) pending;
    StateId *meeting; // by block: its state from then on
    NodeId *replaced; // by node that was there before
} Escape;

// ---- escape_find.c ----
// Chooses the candidates, and what is to be asked of nodes and states. False: there are none.
NODISCARD bool escape_find(Escape *e);
// Those of which the number was taken away are none any more.
void escape_keep(Escape *e);
// Which variable a field access means; VARIABLES_MAX: the node is none, of no candidate.
uint32_t escape_variable(const Escape *e, const Node *n);
// The candidate that a node is; NULL: it is none.
static inline Candidate *escape_candidate(Escape *e, NodeId n)
{
    return n < e->nodes && e->number[n] ? &e->at[e->number[n] - 1] : NULL;
}
static inline uint32_t escape_bit(const Escape *e, NodeId n)
{
    return n < e->nodes && e->number[n] ? 1u << (e->number[n] - 1) : 0;
}
// Whether a node orders accesses of a candidate.
bool escape_is_fence(const Escape *e, Node *n);
// Whether a node asks if two references are the same.
static inline bool escape_is_comparison(const Node *n)
{
    return n->op == IR_IfA || n->op == IR_TestA;
}
// The candidate whose monitor a node enters or exits; NULL: the node does not, or of none. A box may be one that others see.
Candidate *escape_locked(Escape *e, const Node *n);
// Whether a block ends in an exception, or never ran, or is entered by an exception: what happens there does not count.
bool escape_is_rare(const Graph *g, BlockId b);
// Bits of the candidates that a state, or one below it, names.
uint32_t escape_mentions(Escape *e, StateId id);

// ---- escape.c ----
// Takes away all Escape nodes, and the states of blocks.
void escape_drop_all(Graph *g);

// ---- escape_places.c ----
// Where the candidates are made, for those for which there are paths on which they need not be; the others are none any more.
void escape_find_places(Escape *e);
// Blocks from `first` on, which were made for edges, go where nothing was put in them.
void escape_join_edges(Graph *g, BlockId first);
// The frame where block b is left for the one block that it goes to: the state there, less its phis.
StateId escape_state_on_edge(Graph *g, BlockId b);

#endif
