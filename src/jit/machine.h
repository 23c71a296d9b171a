// SPDX-License-Identifier: Apache-2.0
// From a graph to machine code: lower.c puts the nodes in a line, x86_64_select.c says what each asks of registers, live.c finds where
// values live, regalloc.c gives them registers and slots (linear scan over intervals that are split: Wimmer and Mössenböck,
// Optimized Interval Splitting in a Linear Scan Register Allocator), x86_64_emit.c makes code. All of it belongs to one compilation
// and touches no heap.
//
// Positions: node i of the line has four, from 4 * i on: inputs are read at the first, registers are clobbered from the second on, the
// result is there from the third on, and what is read "late" is still there at it. A block begins with a position of its
// own, at which its phis are defined.
//
// A value is a node with a result. What a check passes on is the value that it checked. A constant is no value here: whoever needs
// it makes it. A value is spilled by one store, where it is defined, to one slot; so it may be in a register and in its slot.
#ifndef JIT_MACHINE_H
#define JIT_MACHINE_H

#include "jit/ir.h"

enum {
    MACHINE_REGISTERS = 32, // numbers as in code/compiled_code.h
    MACHINE_FIRST_FLOAT = 16,
    NO_REGISTER = 255,
    POSITIONS = 4, // of a node
};
#define NO_SLOT UINT32_MAX

typedef enum NodeForm {
    FORM_ALONE,  // has code of its own
    FORM_FOLDED, // the node that uses it does it
} NodeForm;

typedef struct Range { // [from, to)
    uint32_t from, to;
    uint32_t next; // index in Machine.ranges; 0: none
} Range;
typedef struct Use {
    uint32_t at;
    uint32_t next; // index in Machine.uses; 0: none
    bool in_register;
} Use;
typedef struct Interval {  // of a value, or a part of one
    NodeId value;          // 0: a register for the time of one node
    uint32_t ranges, uses; // the first
    uint32_t end;
    uint32_t next; // the part of the value that follows; 0: none
    NodeId like;   // a value whose register would be good; 0: none
    uint8_t hint;  // a register that would be; NO_REGISTER
    uint8_t reg;   // NO_REGISTER: it is in the value's slot
    bool is_float;
    bool is_part; // not the first
} Interval;

typedef struct Clobbers {                  // positions where registers change
    VEC(uint32_t) all;                     // all of them, at [at, at + 1)
    VEC(uint32_t) some[MACHINE_REGISTERS]; // this one, at [at, at + 2)
} Clobbers;

typedef struct Machine {
    Graph *g;
    uint32_t available;      // bits of registers that values may be in
    VEC(NodeId) line;        // 0 begins a block
    uint32_t *from, *to;     // by block: positions
    uint32_t *position;      // by node
    NodeId *value;           // by node: the node whose value it has
    uint8_t *form;           // by node: NodeForm
    uint32_t *use_count;     // by node: inputs and words of states
    VEC(Interval) intervals; // [0] is none
    uint32_t *interval;      // by value: the first part
    uint32_t *last_part;     // by value: what machine_part_at gave last; 0: nothing
    uint32_t *temporary;     // by node: its first interval, the others follow; 0: none
    VEC(Range) ranges;       // [0] is none
    VEC(Use) uses;           // [0] is none
    Clobbers clobbers;
    uint64_t **live_in;   // by block: bits by value number
    uint32_t *number;     // by value: from 1
    VEC(NodeId) numbered; // the value of a number
    uint32_t *slot;       // by value; NO_SLOT
    uint32_t slot_count;
    Arena arena;
    bool failed; // the allocator has met what it cannot do
} Machine;

// What a node asks of registers; of the processor (x86_64_select.c).
enum { USE_NONE, USE_ANY, USE_REGISTER, USE_LATE = 4 };
typedef struct Demand {
    bool clobbers_all;
    uint32_t clobbers;   // bits of registers
    uint8_t temporaries; // general registers it needs beside those of its inputs and result
    uint8_t hint;        // a good register for the result
    uint8_t same;        // 1 + the input whose register is good for the result; 0: none
    uint8_t uses[NODE_INPUTS]; // of long lists: all USE_ANY
} Demand;
Demand machine_demand(const Machine *m, NodeId n);
// Registers that values may be in.
uint32_t machine_available(void);
// For people.
const char *machine_register_name(uint32_t reg);
// A good register for what comes in as input i of a call; NO_REGISTER.
uint8_t machine_argument_hint(const Machine *m, NodeId call, uint32_t i);

// ---- lower.c ----
void machine_init(Machine *m, Graph *g);
void machine_free(Machine *m);
// Whether a node is defined where its block begins.
static inline bool machine_begins_block(const Graph *g, NodeId n)
{
    uint16_t op = ir_node(g, n)->op;
    return op == IR_Phi || op == IR_Param || op == IR_OsrLocal;
}
static inline bool machine_is_value(const Machine *m, NodeId n)
{
    const Node *node = ir_node(m->g, n);
    return node->type != IRT_V && node->op != IR_Const && !ir_is_unmade(node)
           && m->value[n] == n && m->form[n] == FORM_ALONE;
}
static inline bool machine_is_float(const Machine *m, NodeId n)
{
    uint8_t type = ir_node(m->g, n)->type;
    return type == IRT_F || type == IRT_D;
}
// A return that exits the monitor of its method.
static inline bool machine_exits_method(const Machine *m, const Node *n)
{
    return n->op == IR_Return && n->state && m->g->source->access & ACC_SYNCHRONIZED;
}
// Whether the values of a node's state are read while it does what it does; else before that. While a C function runs
// a profiler alone looks, which reads none.
static inline bool machine_reads_state_late(const Machine *m, const Node *n)
{
    return (ir_info(n)->flags & IRF_SAFEPOINT && n->op != IR_CallC)
           || machine_exits_method(m, n);
}
// Whether a node compares an object's class with one and no other: as HasClass does, or because the class that it names has no subclasses.
bool machine_tests_one_class(const Graph *g, const Node *n);
// Calls visit for each input that is read where n is: of folded inputs theirs.
void machine_inputs(const Machine *m, NodeId n,
                    void (*visit)(void *ctx, NodeId input, uint8_t use), void *ctx);
void machine_state_values(const Machine *m, StateId s, void (*visit)(void *ctx, NodeId value),
                          void *ctx);

// ---- live.c ----
void machine_find_live(Machine *m);
void machine_build_intervals(Machine *m);
static inline bool machine_is_live_in(const Machine *m, BlockId b, uint32_t number)
{
    return m->live_in[b][number / 64] >> (number % 64) & 1;
}

// ---- regalloc.c ----
// Gives each interval a register or a slot. False: it cannot (m->failed).
NODISCARD bool machine_allocate(Machine *m);
// Whether one of the interval's ranges has the position in it.
bool machine_covers(const Machine *m, const Interval *i, uint32_t at);
// The part of a value's interval that covers a position; 0: none does.
uint32_t machine_part_at(const Machine *m, NodeId value, uint32_t position);

#endif
