// SPDX-License-Identifier: Apache-2.0
// Control flow and abstract interpretation of a method's bytecodes, by the table of bytecode.h: the
// basic blocks, and what each word of a frame is before any instruction, in a lattice of the client's
// (docs/FLOW.md). Pure; knows nothing of threads, locks or the heap. Any code is accepted; of code that
// no verifier has seen the answer may be that it makes no sense.
#ifndef CLASSFILE_FLOW_H
#define CLASSFILE_FLOW_H

#include "base/vec.h"
#include "classfile/effect.h"

// ---- basic blocks ----
// A block is entered at its first instruction alone and left behind its last one, or from anywhere in
// it to an exception handler; all of it is covered by the same handlers.
typedef struct FlowGraph {
    const ClassFile *cf;
    CodeInfo code;
    uint32_t block_count;
    uint16_t
        *starts; // bci of the first instruction of each block; behind them the code's length
    bool has_jsr;
} FlowGraph;

typedef enum FlowEdge { FLOW_NEXT, FLOW_BRANCH, FLOW_CASE, FLOW_JSR, FLOW_HANDLER } FlowEdge;
typedef void (*FlowEdgeVisitor)(void *ctx, FlowEdge kind, uint32_t to);

// Finds the blocks of the code of a method of cf; both must stay. False when an instruction is undefined or a target is
// none; then nothing has to be freed.
NODISCARD bool flow_graph_init(FlowGraph *g, const ClassFile *cf, const CodeInfo *code);
void flow_graph_free(FlowGraph *g);
// The block that an instruction is in.
uint32_t flow_graph_block(const FlowGraph *g, uint32_t bci);
// Visits the edges from a block to others: its branch target or the cases of its switch (the default first), where it
// falls through to, its handlers in the order of the exception table. Where a ret goes stands in no instruction: it
// has no edge. False when the block falls through the end of the code.
NODISCARD bool flow_graph_edges(const FlowGraph *g, uint32_t block, FlowEdgeVisitor visit,
                                void *ctx);

// ---- abstract interpretation ----
// What is known of a word of a frame. A lattice is flat: words that differ meet in `mixed`. The client's
// words are below FLOW_RETURN; those from it on are return addresses, FLOW_RETURN + bci.
typedef uint32_t FlowWord;
#define FLOW_UNSET  ((FlowWord)0) // no path has written the local
#define FLOW_RETURN ((FlowWord)1 << 31)

typedef struct FlowLattice {
    // Writes the kind_words(kind) words of a value that `in` pushes.
    void (*push)(FlowWord *at, const Instruction *in, char kind);
    // `in` writes the local in->local: a value whose first word was `value`. There is room for both words. A return
    // address is put there afterwards, whatever the client did.
    void (*store)(FlowWord *locals, const Instruction *in, FlowWord value);
    FlowWord caught; // what a handler finds on the stack
    FlowWord mixed;
    bool ret_ends; // a ret is taken to lead nowhere
} FlowLattice;

// Before the first instruction of a block. In code with jsr there is a state for each set of return
// addresses that the words may hold: a subroutine is followed once for each jsr that enters it.
typedef struct FlowState {
    struct FlowState *next; // of the same block
    uint16_t block, depth;
    bool queued;
    FlowWord words[]; // locals, then operands
} FlowState;

typedef struct Flow {
    FlowGraph graph;
    const FlowLattice *lattice;
    FlowState **entry; // by block; NULL: no path leads there
    uint32_t locals;
    bool gave_up; // a block has more states than anybody writes
    // The frame that is stepped: locals, then `depth` operands.
    FlowWord *words;
    uint32_t depth;
    VEC(FlowState *) work;
} Flow;

// Prepares f for code as flow_graph_init does, with all locals FLOW_UNSET: the client writes what the
// arguments are into f->words.
NODISCARD bool flow_init(Flow *f, const ClassFile *cf, const CodeInfo *code,
                         const FlowLattice *lattice);
// Finds f->entry from there. False when the code makes no sense, or it gave up: the states are those found
// so far.
NODISCARD bool flow_solve(Flow *f);
// Steps f->words and f->depth from a state of the block that bci is in to before the instruction at bci.
// False when the code makes no sense, or no instruction begins there.
NODISCARD bool flow_step_to(Flow *f, const FlowState *s, uint32_t bci);
void flow_free(Flow *f);

#endif
