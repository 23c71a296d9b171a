// SPDX-License-Identifier: Apache-2.0
// What the parts of the builder share: build_flow.c finds the blocks of the bytecodes and their loops, build.c
// walks them and merges, build_state.c keeps the frame and makes states, build_step.c and build_invoke.c turn
// instructions into nodes. All of it may refuse; who comes to it next looks at graph->refused.
#ifndef JIT_BUILD_H
#define JIT_BUILD_H

#include "jit/ir.h"

enum { MAX_STATE_WORDS = 1000 }; // of all frames that a state describes

// The frame on an edge from one block to another.
typedef struct Env {
    uint32_t depth, locks;
    NodeId words[]; // locals, operands, locks
} Env;

typedef struct Edge {
    struct Edge *next;
    const Env *env;
} Edge;

// A block of the bytecodes.
typedef struct CodeBlock {
    IrList succs, handlers, preds; // code blocks; preds of those that can be reached
    uint64_t *stored; // a bit for each local: stored in the block; in a header: in its loop
    Edge *edges,
        **last_edge; // those that came so far, in the order of the predecessors of `block`
    BlockId block;   // 0: no edge came yet
    uint32_t order;  // in reverse post-order, from 1; 0: cannot be reached
    NodeId *phis;    // of a header that was begun, by word
    uint8_t mark;    // of build_flow.c
    bool is_header, begun;
} CodeBlock;

typedef struct Returned { // by an inlined method
    BlockId block;        // which has no end yet
    NodeId value;         // 0: none
} Returned;

typedef struct Builder {
    Graph *g;
    struct Builder *caller; // that it inlines for; NULL: none
    const IrSource *source;
    uint32_t scope;
    VEC(Returned) returned; // with a caller
    const BuildOptions *options;
    FlowGraph flow;
    CodeBlock *blocks;
    IrList order; // code blocks in reverse post-order
    // Where it is: the block that nodes are added to, 0 behind the end of one; the instruction.
    CodeBlock *at;
    BlockId block;
    Instruction in;
    const Insn *insn; // its decoded form; NULL: the method never ran
    // The frame there: locals, then operands; wide values in their first word, 0 in the second.
    NodeId *words;
    uint32_t depth, start_depth; // start_depth: before the instruction
    VEC(NodeId) locks;
    StateId *note_loop; // where the state at options->loop_bci is put; NULL: nowhere
    uint32_t locals_at; // of a state with these locals, in Graph.words; 0: none
    StateId again;      // of the instruction; 0: none was asked for
    uint8_t reported;   // Reported: of the instruction, so far
} Builder;

static inline uint32_t build_locals(const Builder *b)
{
    return b->source->code.max_locals;
}
// The first reason stays.
static inline void build_refuse(Builder *b, IrRefusal why)
{
    if (b->g->refused == REFUSED_NOT)
        b->g->refused = why;
    b->block = 0;
}

// Nodes are made for this instruction from now on.
static inline void build_at(const Builder *b, uint32_t bci)
{
    b->g->at_bci = (uint16_t)bci;
    b->g->at_scope = (uint16_t)b->scope;
}

static inline BlockId build_new_block(const Builder *b, uint32_t bci)
{
    BlockId n = ir_block(b->g, bci);
    ir_at(b->g, n)->scope = b->scope;
    return n;
}

// ---- build_flow.c ----
// Finds blocks, their order and loops; refuses loops with two entries.
NODISCARD bool build_find_blocks(Builder *b);

// ---- build_osr.c ----
// The frame where a loop is entered in its middle, by the types of locals and operands and where the monitors are. Refuses what
// has monitors in no local.
typedef struct LoopFrame {
    uint8_t *types; // IrType of each local; IRT_V: it is unset
    uint8_t
        *operand_types; // likewise of each word of operands; IRT_V: the second half of a value
    uint32_t depth;     // words of operands
    uint16_t *locks;    // CompiledCode.osr_locks
    uint32_t lock_count;
} LoopFrame;
NODISCARD bool build_loop_frame(Graph *g, const BuildOptions *options, LoopFrame *out);
// The entry block of code that begins there.
void build_loop_entry(Builder *b, const LoopFrame *frame);

// ---- build_state.c ----
// What is in the frame; a word of another type refuses the code.
NodeId build_load(Builder *b, uint32_t slot, IrType type);
void build_store(Builder *b, uint32_t slot, NodeId value);
NodeId build_pop(Builder *b, IrType type);
// 0, a node without a value, is not pushed.
void build_push(Builder *b, NodeId value);
// Pops values into in[0 ... count-1], the last one first, of the types that the letters name (I J F D A ...).
void build_pop_kinds(Builder *b, const char *kinds, uint32_t count, NodeId *in);
// The state before the instruction; that with its operands popped.
StateId build_state_again(Builder *b);
StateId build_state(Builder *b, uint32_t bci, StateKind kind);
const Env *build_env(Builder *b);
void build_enter_env(Builder *b, const Env *env);

// ---- build.c ----
// Makes the graph of b->g's source; `loop`: where it is entered, NULL: at its beginning. g->refused says whether.
void build_graph(Builder *b, const LoopFrame *loop);
// A node that is folded, found or made in the block. Checks get the state before the instruction.
NodeId build_value(Builder *b, IrOp op, IrType type, uint32_t count, const NodeId *in,
                   uint32_t aux);
static inline NodeId build_unary(Builder *b, IrOp op, NodeId x)
{
    return build_value(b, op, IRT_X, 1, &x, 0);
}
static inline NodeId build_binary(Builder *b, IrOp op, NodeId x, NodeId y)
{
    return build_value(b, op, IRT_X, 2, (NodeId[]){x, y}, 0);
}
static inline NodeId build_int(Builder *b, int32_t v)
{
    return ir_const(b->g, IRT_I, (uint32_t)v);
}
// A node with an effect, with a state or none.
NodeId build_effect(Builder *b, IrOp op, IrType type, uint32_t count, const NodeId *in,
                    uint32_t aux, StateId state);
// Whether a node is an object that was just made; as the input of a node that shows it to others it is an Escape of that.
bool build_is_new(const Builder *b, NodeId n);
NodeId build_escape(Builder *b, NodeId n);
// Paths meet where the builder is; the frame is that before the instruction at bci, when the result of a call was pushed: an object may be
// made on one of them that the others have made.
void build_meeting(Builder *b, uint32_t bci);
// Of accesses to an object; 0, or a mirror: of what other threads see in any case. Goes where the object is not made.
void build_fence(Builder *b, NodeId object, IrFence kind);
// Ends the block: the rest of the code block is not compiled.
void build_deopt(Builder *b, DeoptReason reason);
// Edges from a block that has ended; to_one puts a Goto there, with a Poll when it goes back.
void build_go(Builder *b, BlockId from, uint32_t code_block);
void build_branch(Builder *b, BlockId from, uint32_t code_block);
// The call or throw that was just made may come to the handlers of the block, and to those of the methods that it is inlined in: ends
// it, and goes on in a new one unless it `ends`.
void build_landings(Builder *b, bool ends);

// Whether there is such a handler.
bool build_handler_in_reach(Builder *b);

// Makes room for the frame: no local is set.
void build_words(Builder *b);
// What comes before the first instruction: the method's monitor, if it is synchronized, which this code enters unless its caller
// has, and METHOD_ENTRY where calls are posted. The arguments are in the frame.
void build_begin_method(Builder *b, bool enters);
// The blocks of the bytecodes, all of which must be found: the builder's block leads to code block `first`.
void build_blocks(Builder *b, uint32_t first);
void build_free(Builder *b);

// ---- build_reduce.c ----
// Cheaper nodes that give what one of two inputs would: of a division by a constant, of a mask. 0: there are none.
NodeId build_reduced(Builder *b, IrOp op, const NodeId *in);

// ---- build_throw.c ----
// Whether an exception came out of an instruction while it was interpreted.
bool build_has_thrown(const Builder *b, uint32_t bci);
// In front of a check that is about to be made: if it has failed before and a handler is in reach, a branch to what throws.
void build_test_check(Builder *b, IrOp check, uint32_t count, const NodeId *in, uint32_t aux);

// ---- build_inline.c ----
// Whether m, called where b stands, is worth its nodes and has no reason against it.
bool build_is_inlined(const Builder *b, const Method *m);
// Whether it is given an object that was just made.
bool build_sees_new(const Builder *b, uint32_t count, const NodeId *in);
// Nodes of method m in place of its call, whose arguments were popped. False: it is to be called.
NODISCARD bool build_inlined(Builder *b, Method *m, uint32_t count, const NodeId *in);
// The same of Object.<init> of an object without a finalizer.
NODISCARD bool build_inlined_init(Builder *b, Method *m, uint32_t count, const NodeId *in);

// ---- build_post.c: events; those of calls in code that posts them ----
// The builder's method was entered, with its monitor; it returns a value (0: none), its monitor exited.
void build_post_entry(Builder *b);
void build_post_exit(Builder *b, NodeId value);
// The instruction's breakpoint, before all else of it.
void build_breakpoint(Builder *b);
// The access to a watched field by the instruction, whose operands were popped: gives what a LoadField does, or stores in[1].
NodeId build_watched(Builder *b, IrOp op, IrType type, uint32_t count, const NodeId *in,
                     uint32_t field);

// ---- build_dispatch.c: calls that select by their receiver's class ----
// The class that an object is of, no other; NULL: not known. NO_GC.
const Class *build_exact_class(const Builder *b, NodeId receiver);
// What a call of m selects where it is known to be one method: then *op calls just that. Else m.
Method *build_target(Builder *b, Method *m, NodeId receiver, IrOp *op);
// The call, its arguments popped, with the methods inlined that were selected most. False: none is worth it.
NODISCARD bool build_guarded(Builder *b, IrOp op, IrType type, Method *m, uint32_t count,
                             const NodeId *in);

// ---- build_known.c: objects that are constants, and what is known by them ----
// What the call of m, which was inlined, has pushed is a box of the value, if m makes some.
void build_note_box(Builder *b, const Method *m, NodeId value);
// The class of a node that is a box; NULL: it is none.
const Class *build_box_class(const Builder *b, NodeId n);
// The node of a handle, one of the pool's.
NodeId build_constant_object(Builder *b, void *handle, struct ConstantPool *pool);
// The object of a node that is a constant reference, not null; NULL: it is none. NO_GC.
Object *build_object_of(const Builder *b, NodeId n);
// What a PURE or CHECK node gives whose first input is a constant object. 0: not known.
NodeId build_known_value(Builder *b, IrOp op, const NodeId *in, uint32_t aux);
// What a field of `holder` holds (a mirror, of a static one) that does not change any more. 0: it may.
NodeId build_known_field(Builder *b, const Field *f, NodeId holder);
// The same of an element of an array.
NodeId build_known_element(Builder *b, NodeId array, NodeId index, char kind);
// What a method gives that has an INTRINSIC_KNOWN of this node. 0: it is not known, or done by no node.
NodeId build_known_call(Builder *b, IrOp op, const NodeId *in);
// Where m is MethodHandle.invokeBasic or linkTo* of a constant: the method that it calls, how, and of how many of the arguments, the
// receiver checked. Else m.
Method *build_linked(Builder *b, Method *m, IrOp *op, uint32_t *count, NodeId *in);

// ---- build_intrinsic.c ----
// Nodes in place of a call of m (CallStatic, CallExact), whose arguments were popped, the receiver checked. False: it is to be called.
NODISCARD bool build_intrinsic(Builder *b, IrOp op, Method *m, uint32_t count,
                               const NodeId *in);

// ---- build_step.c ----
void build_step(Builder *b);
// What a field or element of this kind may be given in place of a value: it keeps the lowest bits alone.
NodeId build_stored(const Builder *b, char kind, NodeId value);

// ---- build_invoke.c: instructions that name a constant ----
// The form that the instruction has now, its breakpoint's and that of fused runs apart.
uint16_t build_form(const Builder *b);
void build_constant(Builder *b);
void build_field(Builder *b);
void build_invoke(Builder *b);
// A call of m, its arguments popped: leads to handlers, and pushes the result.
void build_call(Builder *b, IrOp op, IrType type, Method *m, uint32_t count, const NodeId *in);
void build_object(
    Builder *b); // new, newarray, anewarray, multianewarray, checkcast, instanceof
// Does the instruction by a call of the runtime, or deoptimizes before it, as the options say.
void build_unresolved(Builder *b);

#endif
