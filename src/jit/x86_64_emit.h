// SPDX-License-Identifier: Apache-2.0
// What the parts of the emitter for x86-64 share: x86_64_emit.c goes through the line of nodes, x86_64_moves.c moves values to where they
// are wanted, x86_64_values.c computes, x86_64_intrinsic.c too, x86_64_memory.c reads and writes objects, x86_64_control.c branches and checks, x86_64_call.c calls;
// x86_64_notes.c writes down what the code means. Registers: docs/CODE.md, "Calls of compiled code".
#ifndef JIT_X86_64_EMIT_H
#define JIT_X86_64_EMIT_H

#include "code/compiled_code.h"
#include "code/java_stubs.h"
#include "code/x86_64_asm.h"
#include "jit/machine.h"

#define SCRATCH       R11
#define THREAD        R15
#define HEAP_BASE     R14
#define SCRATCH_FLOAT ((uint8_t)(MACHINE_FIRST_FLOAT + XMM15))

enum { WORD_BYTES = sizeof(uint64_t) };

// ---- places ----
typedef enum LocationKind {
    AT_NOWHERE,
    AT_REGISTER, // index: number
    AT_SLOT,     // index
    AT_CONSTANT, // index: node
    AT_ARGUMENT, // index: word of the caller's
    AT_OUTGOING, // index: word
    AT_LOCAL,    // index: slot of the interpreter's frame that SCRATCH points to
} LocationKind;
typedef struct Location {
    LocationKind kind;
    uint32_t index;
} Location;
typedef struct Move {
    Location to, from;
} Move;
typedef VEC(Move) Moves;

typedef struct ArgumentWalk {
    uint32_t generals, floats, stack;
} ArgumentWalk;
typedef struct ArgumentPlace {
    uint8_t reg;    // NO_REGISTER: on the stack
    uint32_t stack; // word
} ArgumentPlace;
// The place of the next argument, of a type, in a call of a Java method.
ArgumentPlace machine_next_argument(ArgumentWalk *w, IrType type);
// Where the result of a call is; NO_REGISTER: it has none.
uint8_t machine_result_register(IrType type);

// ---- debug information of the code ----
typedef struct Notes {
    VEC(CodeSite) sites;
    VEC(CodeState) states;
    VEC(CodeValue) values;
    VEC(CodeScope) scopes;
    VEC(const IrSource *) sources; // of the scopes
    VEC(uint64_t) constants;
    VEC(CodePosition) positions;
    VEC(uint32_t) root_words;
    VEC(CodeLanding) landings; // offset: the block, until all code is made
    VEC(CodeGuard) guards;     // fault: once all code is made
} Notes;

typedef enum ColdKind {
    COLD_DEOPT, // a site that deoptimizes
    COLD_EVERY, // one for -XX:JitDeoptEvery; node: what gave the result that is in a register, or 0
    COLD_NEW,
    COLD_NEW_ARRAY,
    COLD_NEW_MULTI,
    COLD_STORE_CHECK,
    COLD_SELECT, // the method of an interface call
    COLD_POLL,
    COLD_MONITOR, // what is no thin lock
    COLD_REPORT,  // a breakpoint, an access to a watched field
    COLD_EDGE, // moves of an edge from a block with several successors to one with several predecessors
} ColdKind;
typedef struct Cold { // code behind all other
    ColdKind kind;
    AsmLabel label, back; // back: where it goes on
    NodeId node;
    uint32_t at;               // its position
    uint32_t state;            // of Notes.states
    uint32_t roots, registers; // as note_roots gave them
    uint8_t reason;            // COLD_DEOPT
    uint32_t failed;           // COLD_MONITOR: the state when it throws
    uint8_t object;            // likewise: a register
    bool enters;               // likewise
    BlockId from, to;          // COLD_EDGE
} Cold;

typedef struct Part {
    uint32_t from, interval;
} Part;

typedef struct Emitter {
    Machine *m;
    Graph *g;
    Asm a;
    AsmLabel *labels; // by block
    VEC(Cold) cold;
    VEC(AsmLabel) faults;                // of Notes.guards
    VEC(struct InterfaceCache *) caches; // that the code names
    VEC(Part) parts; // intervals that are not the first of their value, by where they begin
    size_t next_part;
    Notes notes;
    StateId noted;        // the state that is noted
    uint32_t *last_scope; // by the graph's scopes: the one that was noted last; 0: none
    uint32_t *bare_scope; // likewise: one for positions alone
    const void *deopt_stub, *throw_stub, *athrow_stub, *poll_stub,
        *entry_stub; // entry_stub: JavaShape.interpret
    AsmLabel deopt_address, throw_address, athrow_address, poll_address,
        entry_address; // of 8 bytes each: where they are
    AsmLabel entry_slow;
    VEC(Part) live; // intervals of references, those that begin before note_roots was asked
    size_t next_reference;
    VEC(Part) references; // all such, by where they begin
    uint32_t outgoing;    // words
    uint32_t frame_size;
    bool has_floats; // some value, or part of one, is in a floating-point register
    uint32_t at;     // position of the node under way
    BlockId block;   // its block
    BlockId follows; // the block whose code comes next; 0: none
    IrRefusal refused;
} Emitter;

typedef void NodeEmitter(Emitter *e, NodeId n);
extern NodeEmitter *const x86_node_emitters[IR_OP_COUNT];

static inline void emit_refuse(Emitter *e, IrRefusal why)
{
    if (e->refused == REFUSED_NOT)
        e->refused = why;
}

// ---- x86_64_moves.c ----
Location location_at(const Emitter *e, NodeId value, uint32_t position);
static inline bool location_equal(Location a, Location b)
{
    return a.kind == b.kind && a.index == b.index;
}
X86Mem location_memory(const Emitter *e, Location l);
// Does all moves as if at once. Empties the list.
void emit_moves(Emitter *e, Moves *moves);
// What goes with the edge between two blocks: values that lie elsewhere there, phis.
void edge_moves(const Emitter *e, BlockId from, BlockId to, Moves *moves);
void emit_constant(Emitter *e, uint8_t reg, NodeId constant);
void emit_load(Emitter *e, uint8_t reg, Location from);
void emit_store_slot(Emitter *e, uint32_t slot, uint8_t reg);

// ---- operands of the node under way ----
// An input as it is in the graph, checks looked through.
NodeId input_of(const Emitter *e, NodeId n, uint32_t i);
Location input_location(const Emitter *e, NodeId n, uint32_t i);
// The register that an input is in; of a constant, SCRATCH or SCRATCH_FLOAT, which has it then.
uint8_t input_register(Emitter *e, NodeId n, uint32_t i);
uint8_t result_register(const Emitter *e, NodeId n);
uint8_t temporary_register(const Emitter *e, NodeId n, uint32_t i);
// Whether an input is a constant that an instruction may have as a signed number of 32 bits.
bool input_is_immediate(const Emitter *e, NodeId n, uint32_t i, int32_t *value);
static inline X86Xmm xmm(uint8_t reg)
{
    VM_ASSERT(reg >= MACHINE_FIRST_FLOAT && reg < MACHINE_REGISTERS);
    return (X86Xmm)(reg - MACHINE_FIRST_FLOAT);
}
static inline X86Reg gpr(uint8_t reg)
{
    VM_ASSERT(reg < MACHINE_FIRST_FLOAT);
    return (X86Reg)reg;
}

// ---- x86_64_values.c ----
// The flags of a comparison of longs, floats or doubles: signed; unsigned, those of CmpFg and CmpDg with exchanged operands.
void emit_flags(Emitter *e, NodeId n);

// ---- x86_64_notes.c ----
typedef enum StateUse {
    STATE_AS_IT_IS,
    STATE_BEFORE,   // the node is still to be done, whatever its state says
    STATE_LOCKED,   // of MonitorEnter: its object is recorded as entered
    STATE_UNLOCKED, // of MonitorExit and Return: the monitor that was entered last no more
} StateUse;
// The interpreter's frame at node n, whose values lie where they do at a position.
uint32_t note_state(Emitter *e, NodeId n, uint32_t position, StateUse use);
// Whether that before the node is known: where nodes stand for a method, or a call leaves out arguments, operands are not.
bool has_state_before(const Emitter *e, NodeId n);
// A method whose bytecodes the code does: a scope of the graph, and the state that it is called in or CODE_NO_STATE. What its source
// says of it holds; the method itself may be redefined meanwhile.
void note_method(Emitter *e, uint32_t scope, uint32_t caller);
// A site of node n whose return address is here; roots and registers as note_roots gave them.
void note_site(Emitter *e, CodeSiteKind kind, NodeId n, uint32_t state, uint32_t roots,
               uint32_t registers);
// What slots and registers hold references that are needed at a position or later; positions do not go back. Gives
// CodeSite.roots and CodeSite.registers.
uint32_t note_roots(Emitter *e, uint32_t position, uint32_t *registers);
void note_position(Emitter *e, NodeId n);
// Inlined methods that no state names: their classes stay as long as the code is run.
void note_methods(Emitter *e);

// ---- x86_64_memory.c ----
// to = the Class of an object that is not null. `to` is not the object.
void emit_load_class(Emitter *e, X86Reg to, X86Reg object);
// reg has a Narrow, upper bits 0: becomes the full reference.
void emit_widen(Emitter *e, X86Reg reg);
// SCRATCH becomes the Narrow of a reference.
void emit_narrow(Emitter *e, X86Reg from);
// As heap_barrier. Changes `temporary` and SCRATCH.
void emit_mark_card(Emitter *e, X86Mem at, X86Reg temporary);
// A value in memory, by the kind of its field or elements (A: a reference); what is stored is input i of node n, which has a temporary.
void emit_load_kind(Emitter *e, char kind, uint8_t to, X86Mem from);
void emit_store_input(Emitter *e, NodeId n, uint32_t i, char kind, X86Mem to);

// ---- x86_64_control.c ----
// To the interpreter with node n's state where the condition holds.
void emit_deopt_if(Emitter *e, NodeId n, X86Cond cond);
// Before the node: the interpreter does it then, where the condition holds.
void emit_deopt_before_if(Emitter *e, NodeId n, X86Cond cond);
// -XX:JitDeoptEvery: it goes there at every so many passages of such places, before node n or behind the call n, at its site.
void emit_deopt_every(Emitter *e, NodeId n);
void emit_deopt_every_behind(Emitter *e, NodeId n, uint32_t state);
void emit_cold_every(Emitter *e, const Cold *c);
// A label from which it goes there.
AsmLabel emit_deopt_label(Emitter *e, NodeId n);
// Goes there, with a state of the notes.
void emit_deopt_exit(Emitter *e, uint32_t state, uint8_t reason);
// The end of the block: goes to its successors.
void emit_block_end(Emitter *e, const Block *block);
// A label that leads to a block, with the moves of the edge.
AsmLabel edge_label(Emitter *e, BlockId from, BlockId to);
void emit_return_sequence(Emitter *e);

// What the functions below need of it.
void emit_begin(Emitter *e);
// The code of a graph whose registers are given.
void emit_graph(Emitter *e);
// Moves of parts of intervals that begin before the node under way elsewhere than those before. What begins with a block
// is moved on its edges.
void part_moves(Emitter *e, Moves *moves);
void skip_parts(Emitter *e, uint32_t position);
// Behind the moves of an edge back to a loop's header: the header's own code once more where it is small, so that a turn of the
// loop has one jump. False: it is to be jumped to.
NODISCARD bool emit_header_again(Emitter *e, BlockId header);

// The flags of the comparison that a HasClass stands for: equal if it has. x86_64_memory.c
void emit_has_class_flags(Emitter *e, NodeId n);

// ---- x86_64_check.c ----
// Whether each place that is read holds what it should on all paths; what is wrong first, if not.
NODISCARD bool allocation_verify(Emitter *e, StrBuf *wrong);

// ---- x86_64_call.c ----
// Exits the monitor of a synchronized method, which returns by node n.
void emit_exit_method(Emitter *e, NodeId n);
// Calls a function that neither collects nor throws, by its stub; its result is in SCRATCH.
void emit_ask_runtime(Emitter *e, const Cold *c, JavaRuntime *function);
void emit_cold_monitor(Emitter *e, const Cold *c);
void emit_entry_check(Emitter *e);
// Words on the stack that node n passes to what it calls.
uint32_t emit_outgoing_words(const Emitter *e, NodeId n);
void emit_cold_new(Emitter *e, const Cold *c);
void emit_cold_new_array(Emitter *e, const Cold *c);
void emit_cold_new_multi(Emitter *e, const Cold *c);
void emit_cold_store_check(Emitter *e, const Cold *c);
void emit_cold_select(Emitter *e, const Cold *c);
void emit_cold_poll(Emitter *e, const Cold *c);
void emit_cold_report(Emitter *e, const Cold *c);

NodeEmitter emit_two, emit_float_two, emit_float_rest, emit_divide, emit_negate, emit_shift,
    emit_test, emit_extend_zero, emit_convert, emit_to_integer, emit_compare, emit_load_field,
    emit_store_field, emit_load_element, emit_store_element, emit_array_length, emit_handle,
    emit_null_check, emit_range_check, emit_zero_check, emit_size_check, emit_type_check,
    emit_store_check, emit_instance_of, emit_has_class, emit_fence, emit_deopt_before,
    emit_return, emit_deopt, emit_poll, emit_nothing, emit_unknown, emit_call, emit_new,
    emit_new_array, emit_new_multi, emit_monitor, emit_hold_unmade, emit_release_unmade,
    emit_throw, emit_throw_check, emit_landing, emit_post, emit_trace, emit_count_bits,
    emit_reverse_bytes, emit_multiply_high, emit_absolute, emit_square_root, emit_round,
    emit_move_bits, emit_current_thread, emit_mirror_of, emit_load_at, emit_load_raw,
    emit_store_raw, emit_store_at, emit_compare_and_set_at, emit_get_and_add_at,
    emit_get_and_set_at, emit_call_c, emit_breakpoint, emit_watched;

#endif
