// SPDX-License-Identifier: Apache-2.0
// The compiler's intermediate representation: SSA values in ordered lists of basic blocks, with frame states
// (docs/GRAPHS.md). A Graph is one thread's; nothing here touches the heap, a lock or another thread. What
// nodes there are stands in spec/ir_ops.def. All is named by 32-bit numbers, 0 is none.
#ifndef JIT_IR_H
#define JIT_IR_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "classfile/flow.h"
#include "frame/insn.h"

typedef uint32_t NodeId, BlockId, StateId;

typedef enum IrOp {
    IR_NONE,
#define IR(name, ...) IR_##name,
#include "spec/ir_ops.def"
#undef IR
    IR_OP_COUNT
} IrOp;

typedef enum IrType { IRT_V, IRT_I, IRT_L, IRT_F, IRT_D, IRT_A, IRT_X } IrType;

enum {                  // IrOpInfo.flags
    IRF_PURE = 1,       // a function of its inputs and aux: may be shared, moved, dropped
    IRF_CHECK = 2,      // may deoptimize (state: AGAIN); may be shared, not dropped
    IRF_LOAD = 4,       // of what aux names
    IRF_STORE = 8,      // likewise
    IRF_FENCE = 16,     // loads and stores stay on their side
    IRF_SAFEPOINT = 32, // tools may look at the frame: has a state
    IRF_CALL = 64 | IRF_SAFEPOINT,   // any memory may be another afterwards
    IRF_ALLOC = 128 | IRF_SAFEPOINT, // changes no memory that is known here
    IRF_END = 256,
    IRF_COMMUTES = 512,
    IRF_PINNED = 1024, // where it stands is part of what it means
    IRF_NOT_NULL = 2048,
};
enum { IRF_ONLY_CALL = 64, IRF_ONLY_ALLOC = 128 };

typedef enum IrAux {
    AUX_NONE,
    AUX_VALUE,     // ir_value: the bits of a constant
    AUX_POINTER,   // ir_value: a Field, Method, Class or handle
    AUX_BYTECODE,  // ir_value: bytecode << 16 | constant pool index
    AUX_SLOT,      // a local
    AUX_KIND,      // the kind of an array's elements
    AUX_CONDITION, // Condition of bytecode.h
    AUX_SWITCH,    // index of Graph.keys: the first key, the others behind it
    AUX_BCI,
    AUX_REASON, // DeoptReason
    AUX_FENCE,  // IrFence
} IrAux;

typedef struct IrOpInfo {
    const char *name;
    const char *inputs;
    uint16_t flags;
    uint8_t type; // IRT_X: the node says
    uint8_t aux;
} IrOpInfo;
extern const IrOpInfo ir_ops[IR_OP_COUNT];

typedef enum DeoptReason {
    DEOPT_UNRESOLVED,   // the instruction never ran
    DEOPT_CHECK,        // a check failed
    DEOPT_CLASS,        // a receiver of a class that was never seen there
    DEOPT_NOT_COMPILED, // an operation that the interpreter does
    DEOPT_EVERY,        // -XX:JitDeoptEvery
    DEOPT_MONITOR,      // an exception has left an inlined method that holds a monitor
    DEOPT_COUNT
} DeoptReason;

typedef enum IrFence { FENCE_ACQUIRE, FENCE_RELEASE, FENCE_FULL } IrFence;

enum { NODE_INPUTS = 3 };
typedef struct Node {
    uint16_t op;
    uint8_t type;
    uint8_t count; // of inputs; NODE_LONG: in[0] is an index of Graph.lists, in[1] the count
    BlockId block; // 0: a constant
    NodeId in[NODE_INPUTS];
    StateId state;
    uint32_t aux;
    uint16_t bci, scope; // the instruction that it was made for, for people
} Node;
_Static_assert(sizeof(Node) <= 32, "two nodes in a cache line");
enum { NODE_LONG = 255 };

typedef struct IrList { // in the graph's arena
    uint32_t *at, len, cap;
} IrList;

typedef struct Block {
    IrList nodes; // phis first, the node that ends the block last
    IrList preds;
    IrList succs;
    uint32_t bci;   // of the first instruction
    uint32_t scope; // whose instruction that is
    BlockId idom;   // loops.c, like those below; 0: the entry block
    uint32_t dominance,
        dominated;  // its number; how many blocks it dominates, which have those from there on
    uint32_t order; // in reverse post-order
    StateId
        state; // where paths meet: the frame there, AGAIN; 0: nobody will ask. Until escape.c is done
    BlockId loop; // the innermost loop's header; 0: none
    uint16_t loop_depth;
    bool is_header;
    bool cold; // ends in a Deopt or a throw
} Block;

// How the interpreter goes on with the frame that a state describes.
typedef enum StateKind {
    STATE_AGAIN,    // with the instruction, from its beginning
    STATE_BEHIND,   // behind it: its operands are gone; the node's value is to be pushed
    STATE_THROWING, // an exception is pending in it; its operands are gone
    STATE_LEAVING, // it returns: its result, if any, is the last operand; METHOD_EXIT was posted
} StateKind;

// What of the events of a state's instruction was posted: the interpreter, which does it again, posts the rest.
typedef enum Reported {
    REPORTED_NOTHING,
    REPORTED_BREAKPOINT,
    REPORTED_ACCESS,
    REPORTED_NO_ENTRY // METHOD_ENTRY is still to come, before the method's first instruction
} Reported;

// The interpreter's frame at an instruction. `words` in Graph.words are all locals that are set, at their slots, 0
// for others and for second halves; `operands` the same for operands; behind these the objects that are locked, the
// oldest first, as it was before the instruction. Locals are shared by states between which none was stored.
typedef struct State {
    uint16_t bci;
    uint8_t kind;
    uint8_t locks;
    uint16_t depth;   // of operands
    uint8_t reported; // Reported
    uint32_t scope;   // whose frame it is; those below it are named by its scope
    uint32_t locals, operands;
    uint32_t
        virtuals; // in Graph.words, of a node's own state: the Virtual nodes that it or those below it name, each with its fields
    uint32_t virtual_count;
    uint32_t made; // likewise: Virtual nodes that were made by then, each with the object
    uint32_t made_count;
} State;

// What a graph is made from. Pure data of a class file, and, where there is a VM, what its instructions were
// resolved to.
typedef struct IrSource {
    const ClassFile *cf;
    CodeInfo code;
    Bytes descriptor;
    uint16_t access;
    Method *method; // NULL: nothing is resolved
} IrSource;

// A method whose bytecodes are in the graph.
typedef struct IrScope {
    const IrSource *source;
    StateId
        caller; // of the method that it is inlined in, behind the call; 0: the graph's own method, scope 0
    uint32_t height; // how many it is inlined in
    uint32_t depth;  // those apart that are always inlined
    uint32_t words;  // of their frames
} IrScope;

// A call of `called` selects `selected` alone.
typedef struct IrUnique {
    Method *called, *selected;
} IrUnique;

// An object that the graph names by a handle.
typedef struct IrConstant {
    void *handle;              // a jobject
    struct ConstantPool *pool; // whose handle it is
    bool stable;               // an array whose elements stay once they are not 0 or null
} IrConstant;

#define IR_REFUSALS(X)                                           \
    X(SIZE, "more than 8,000 bytes")                             \
    X(SUBROUTINES, "has subroutines")                            \
    X(IRREDUCIBLE, "a loop with two entries")                    \
    X(LOCKING, "locking that is not structured")                 \
    X(SLOTS, "a frame of more than 1,000 slots")                 \
    X(NODES, "too many nodes")                                   \
    X(CODE, "code that makes no sense")                          \
    X(CHANGED, "what it was made for has changed")               \
    X(MEMORY, "no memory for its compilation")                   \
    X(FAILED, "the compiler failed")                             \
    X(LOOP, "a loop that cannot be entered in its middle")       \
    X(REGISTERS, "more values at once than there are registers") \
    X(ROOM, "no room for its stubs")                             \
    X(BACKEND, "an operation that has no machine code yet")
typedef enum IrRefusal {
    REFUSED_NOT,
#define X(name, text) REFUSED_##name,
    IR_REFUSALS(X)
#undef X
        REFUSED_COUNT
} IrRefusal;

// What Integer.valueOf and its like gave of a value: an old box or a new one.
typedef struct IrBox {
    NodeId box, value;
    const Class *cls;
    void *cache; // the handle of the array that has the old ones; NULL: it is not known
} IrBox;

enum { PHI_NOT_NULL = 1 }; // in aux of a phi: no input is null

typedef struct Graph {
    const IrSource *source;
    Arena arena;
    VEC(Node) nodes;   // [0] is none
    VEC(Block) blocks; // [0] is none, [1] the entry
    VEC(State) states; // [0] is none
    VEC(IrScope) scopes;
    VEC(IrUnique) unique;       // what the code relies on
    VEC(Method *) skipped;      // methods that do nothing, whose calls were left out
    VEC(const Class *) guessed; // receivers' classes that nodes may be going to name
    VEC(IrConstant) constants;
    VEC(IrBox) boxes;
    VEC(const Field *) folded; // fields whose values are constants of the graph
    VEC(NodeId) words;         // of states; [0] is none
    VEC(NodeId) lists;         // long inputs
    VEC(uint64_t) values;      // of constants, each once
    VEC(int32_t) keys;         // of switches
    VEC(BlockId) order;        // blocks that can be reached, in reverse post-order
    bool flow_known;           // no edge has changed since ir_find_loops
    uint32_t *value_table;     // open hash of indices of values + 1
    uint32_t value_mask;
    NodeId *numbered; // open hash of pure nodes, see ir_number
    uint32_t numbered_mask;
    bool has_new, has_escape; // nodes of these kinds were made
    bool virtualizes;        // objects that nobody sees are not made: no event may tell of them
    bool posts_calls;        // METHOD_ENTRY and METHOD_EXIT of all methods that it does
    bool calls_object_init;  // a breakpoint is in it
    int32_t osr_bci;         // -1: the method's own entry
    VEC(uint16_t) osr_locks; // CompiledCode.osr_locks
    IrRefusal refused;
    uint16_t at_bci, at_scope; // of nodes that are made
    struct View *view;         // is shown what becomes of the method; NULL: nobody looks
    // Called often in the steps behind the building: somebody may wait for the processor. NULL: nothing is.
    void (*between)(void *ctx);
    void *between_ctx;
} Graph;

// The source of a method with code. Good until a redefinition.
IrSource ir_source(Method *m);
// An empty graph; the source must stay as long as it does.
void ir_init(Graph *g, const IrSource *source);
void ir_free(Graph *g);

// ---- making ----
BlockId ir_block(Graph *g, uint32_t bci);
void ir_edge(Graph *g, BlockId from, BlockId to);
// A new node at the end of a block (0: a constant). `type` counts only where the row says X.
NodeId ir_add(Graph *g, BlockId block, IrOp op, IrType type, uint32_t count, const NodeId *in,
              uint32_t aux);
// The same for what is PURE or a CHECK; a node that is there already, in the same block, is found.
NodeId ir_number(Graph *g, BlockId block, IrOp op, IrType type, uint32_t count,
                 const NodeId *in, uint32_t aux);
NodeId ir_const(Graph *g, IrType type, uint64_t bits);
void ir_list_push(Graph *g, IrList *list, uint32_t value);
// Whether two nodes are the same but for the block; equal ones have the same hash.
uint32_t ir_hash(const Graph *g, NodeId n);
bool ir_equal(const Graph *g, NodeId a, NodeId b);
// Whether a load gives back what a StoreField or StoreElem stored: kinds that are narrowed may not.
bool ir_stores_whole(const Graph *g, const Node *store);
// The index of a value of 64 bits, for aux.
uint32_t ir_intern(Graph *g, uint64_t bits);
// Which of the predecessors of `to` is `from`, one of them: the first edge, where there are several.
uint32_t ir_edge_from(const Graph *g, BlockId from, BlockId to);
// A block of its own for edge k from b: it only goes on.
BlockId ir_split_edge(Graph *g, BlockId b, uint32_t k);
// Gives a node other inputs than it had.
void ir_set_inputs(Graph *g, NodeId n, uint32_t count, const NodeId *in);

// ---- reading ----
static inline Node *ir_node(const Graph *g, NodeId n)
{
    VM_ASSERT(n != 0 && n < g->nodes.len);
    return &g->nodes.at[n];
}
static inline Block *ir_at(const Graph *g, BlockId b)
{
    VM_ASSERT(b != 0 && b < g->blocks.len);
    return &g->blocks.at[b];
}
static inline State *ir_state(const Graph *g, StateId s)
{
    VM_ASSERT(s != 0 && s < g->states.len);
    return &g->states.at[s];
}
static inline uint32_t ir_input_count(const Node *n)
{
    return n->count == NODE_LONG ? n->in[1] : n->count;
}
// Good until a node is made.
static inline NodeId *ir_inputs(const Graph *g, Node *n)
{
    return n->count == NODE_LONG ? g->lists.at + n->in[0] : n->in;
}
static inline const IrOpInfo *ir_info(const Node *n)
{
    return &ir_ops[n->op];
}
static inline void ir_between(const Graph *g)
{
    if (g->between)
        g->between(g->between_ctx);
}
// Ends its block by an exception: leads to landings, or nowhere.
static inline bool ir_throws(const Node *n)
{
    uint16_t ends = IRF_END | IRF_ONLY_CALL;
    return (ir_info(n)->flags & ends) == ends;
}
static inline uint64_t ir_value(const Graph *g, const Node *n)
{
    VM_ASSERT(n->aux < g->values.len);
    return g->values.at[n->aux];
}
static inline void *ir_pointer(const Graph *g, const Node *n)
{
    return (void *)(uintptr_t)ir_value(g, n);
}
static inline bool ir_is_const(const Graph *g, NodeId n)
{
    return ir_node(g, n)->op == IR_Const;
}
// Of the frame that a state describes, those below it apart.
static inline uint32_t ir_state_locals(const Graph *g, const State *s)
{
    return g->scopes.at[s->scope].source->code.max_locals;
}
// The state of the frame below that of a state, the caller's that it is inlined in; 0: none.
static inline StateId ir_state_below(const Graph *g, const State *s)
{
    return g->scopes.at[s->scope].caller;
}
// The last node of a block.
static inline NodeId ir_end(const Block *b)
{
    VM_ASSERT(b->nodes.len > 0);
    return b->nodes.at[b->nodes.len - 1];
}
// The words of a state; how many operands and, behind them, locks there are.
static inline uint32_t ir_state_words(const Graph *g, const State *s, const NodeId **locals,
                                      const NodeId **operands)
{
    *locals = g->words.at + s->locals;
    *operands = g->words.at + s->operands;
    return s->depth + (uint32_t)s->locks;
}
// Calls visit for each word of a state, and of those below it, and for each field of an object that is not made.
void ir_state_each(const Graph *g, StateId s, void (*visit)(void *ctx, NodeId value),
                   void *ctx);
// How many words a state has of objects that are not made.
uint32_t ir_state_virtual_words(const Graph *g, const State *s);
// The same of the objects alone: each Virtual node, and its fields behind it; and each that was made, and its object.
void ir_state_each_virtual(const Graph *g, const State *s,
                           void (*visit)(void *ctx, NodeId value), void *ctx);
// Whether a node is a Virtual or a Boxed one.
static inline bool ir_is_unmade(const Node *n)
{
    return n->op == IR_Virtual || n->op == IR_Boxed;
}
// The box that a node is; NULL: it is none.
const IrBox *ir_find_box(const Graph *g, NodeId n);
// The fields of a Virtual or Boxed node in the order of a state's words. False: there is no such order.
NODISCARD bool ir_virtual_fields(const Graph *g, const Node *n, const Field **out,
                                 uint32_t *count);
// How many operand words the instruction of a state has popped: of one that is AGAIN or LEAVING, 0.
uint32_t ir_popped_words(const Graph *g, const State *s);
// The type of a value of a descriptor's kind.
IrType ir_type_of_kind(char kind);
// Of what a computed node's row says, given its inputs. False: the node is not a computed one.
typedef union IrValue {
    uint64_t bits;
    int32_t I;
    int64_t L;
    float F;
    double D;
    Object *A;
} IrValue;
NODISCARD bool ir_compute(IrOp op, IrValue a, IrValue b, IrValue *result);
NODISCARD bool ir_condition_holds(Condition condition, int32_t a, int32_t b);
// The node that a bytecode with nothing but operands and a value stands for; IR_NONE: it is no such.
IrOp ir_op_of_bytecode(uint8_t op);
const char *ir_refusal_text(IrRefusal r);
const char *ir_deopt_text(DeoptReason r);

// ---- ir_print.c ----
// The graph as text, a line a node; for developers.
void ir_print(const Graph *g, StrBuf *out);
// What a node's aux means, behind a blank; nothing if it has none.
void ir_print_aux(const Graph *g, const Node *n, StrBuf *out);
const char *ir_state_text(const State *s);

// ---- ir_verify.c ----
// Whether the graph is as the table and docs/GRAPHS.md say; what is wrong first, if not. Finds dominators anew.
NODISCARD bool ir_verify(Graph *g, StrBuf *wrong);

// ---- build.c ----
typedef struct BuildOptions {
    bool link;     // what is not resolved becomes a CallRuntime; else a Deopt
    bool landings; // handlers are compiled; else an exception leaves the method's code
    bool
        enters; // the monitor of a synchronized method is entered by its code, else it was before
    bool intrinsics;  // calls of methods of spec/intrinsics.def become their nodes
    bool inlines;     // calls of small methods become their nodes
    bool inlines_all; // calls of all methods that can be inlined
    bool returns;     // each Return has a state, for who looks at the frame there
    bool posts_calls; // the code posts METHOD_ENTRY and METHOD_EXIT of the methods that it does
    // The activation goes on in the middle, where a branch back leads to: at this bytecode index. The frame there must have no operands,
    // and a local for each monitor that it holds.
    bool enters_loop;
    uint32_t loop_bci;
    // Called between blocks; NULL: nothing is. The caller's thread may come to a safepoint there, if what the graph names stays valid.
    // False: the graph is of no use any more.
    bool (*pause)(void *ctx, Graph *g);
    void *pause_ctx;
} BuildOptions;
// Makes the graph of its source's code. False: refused, g->refused says why.
NODISCARD bool ir_build(Graph *g, const BuildOptions *options);

// ---- fold.c ----
// What a PURE or CHECK node with such inputs is without making it: an input, a constant, a node that is there. 0: itself.
NodeId ir_fold(Graph *g, IrOp op, uint32_t count, const NodeId *in);
bool ir_is_not_null(const Graph *g, NodeId n);
// The value that checks passed on.
NodeId ir_unchecked(const Graph *g, NodeId n);

// ---- loops.c ----
// Blocks in reverse post-order, dominators, loops. What cannot be reached is left out of the order.
void ir_find_loops(Graph *g);
bool ir_dominates(const Graph *g, BlockId a, BlockId b);
// The header of the loop around that of a header; 0: none.
BlockId ir_outer_loop(const Graph *g, BlockId header);

// ---- conditions.c ----
// Whether a check cannot fail, by the branches that lead to it. Dominators are known.
bool ir_is_answered(const Graph *g, NodeId check);

// The condition that holds where c does not.
Condition ir_opposite(Condition c);

// ---- passes; each leaves a graph that ir_verify accepts ----
// Edges that lead to a branch whose answer is known lead to where that does. thread_jumps.c
void ir_thread_jumps(Graph *g);
// Edges from blocks that are never reached go. branches.c
void ir_drop_unreached(Graph *g);
// Edge i to block b goes, and the inputs that its phis have for it.
void ir_remove_pred(Graph *g, BlockId b, uint32_t i);
// Branches that choose between 1 and 0, or nothing, become values, or go. choices.c
void ir_choices(Graph *g);
// Monitors that are exited and at once entered again; of objects that are not made those that are entered and at once exited. coarsen_locks.c
void ir_coarsen_locks(Graph *g);
void ir_drop_unseen_locks(Graph *g);
// Common values, loads of what is known, checks that were done; by one walk of the dominator tree. gvn.c
void ir_gvn(Graph *g);
// Branches whose answer is known. branches.c
void ir_branches(Graph *g);
// Objects that are seen by nobody become values of their fields, on the paths where that is so. escape.c
void ir_escape(Graph *g);
// The same at once, where no path is seen that would be spared an object. escape_find.c
void ir_prune_escapes(Graph *g);
// No object is made later than the bytecodes say any more: Escape nodes and the states of blocks go. escape.c
void ir_drop_escapes(Graph *g);
// The loop that OSR code is entered in gets a header of its own. Loops are known. nest_loop.c
void ir_nest_loop(Graph *g);
// Small inner loops that do the same in each turn have their first turn before them. True: some are, and gvn has to do. Loops are known.
// loop_copies.c
NODISCARD bool ir_peel(Graph *g);
// Small inner loops have their body several times. Loops are known. loop_copies.c
void ir_unroll(Graph *g);
// Phis of one value, nodes without use. dce.c
void ir_dce(Graph *g);
// Every use of n, by nodes and states, becomes one of replaced[n], where that is not 0.
void ir_replace(Graph *g, const NodeId *replaced);
// The order in which code is made: what is cold comes last. block_order.c
void ir_layout(Graph *g);

#endif
