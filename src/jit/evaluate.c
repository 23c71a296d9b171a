// SPDX-License-Identifier: Apache-2.0
// Runs graphs on Java's own values, in every build but release, to prove that builder, passes and frame states are right
// without machine code. When the environment has PELLUCID_EVALUATE=n, one in n calls of Java methods, by
// chance, begins here: the method's graph is made, improved and run on the frame that the interpreter has entered, up
// to the first node that is no plain computation or memory access (a call, an allocation, a monitor, a check that
// fails, a return). There the state of the node is written into the frame, and the interpreter goes on with
// that. PELLUCID_EVALUATE=n:m deoptimizes at one in m passages of a node with a state, too; with n:m:least the process ends by an
// error when it has evaluated fewer calls than that up to their return.
//
// What a state says to be unset is poisoned in the frame. Nothing here collects: references are raw.
#include "jit/jit.h"

#ifdef PELLUCID_DEBUG
#    include <inttypes.h>
#    include <stdio.h>
#    include <stdlib.h>

#    include "heap/no_gc.h"
#    include "interp/arith.h"
#    include "interp/evaluate.h"
#    include "interp/field_access.h"
#    include "java/shutdown.h"
#    include "jit/ir.h"

enum { POISON = 0x5B };

static uint32_t one_of_calls, one_of_states; // 0: none
static uint64_t least_returns;
static _Atomic uint64_t returns;    // calls that were evaluated to their end
static _Thread_local uint32_t seed; // of this thread's chances

typedef struct Evaluation {
    Thread *self;
    Frame *frame;
    Graph *g;
    IrValue *values; // by node
    BlockId to;      // where the block that is run leads
} Evaluation;

static bool by_chance(uint32_t one_of)
{
    seed = seed * 1664525u + 1013904223u;
    return one_of && (seed >> 8) % one_of == 0;
}

static IrValue input(const Evaluation *e, const Node *n, uint32_t i)
{
    VM_ASSERT(i < n->count);
    return e->values[n->in[i]];
}

// ---- slots ----

static IrValue value_of(Slot s, IrType type)
{
    IrValue v = {.bits = s.raw};
    if (type == IRT_I || type == IRT_F)
        v.bits = (uint32_t)s.i;
    return v;
}

static Slot slot_of(const Evaluation *e, NodeId n)
{
    Slot s = {0};
    if (n)
        s.raw = e->values[n].bits;
    else
        memset(&s, POISON, sizeof s);
    return s;
}

// ---- deoptimization ----

// The interpreter does the node's instruction, from its beginning.
static void deoptimize(Evaluation *e, Node *n)
{
    const State *s = ir_state(e->g, n->state);
    Frame *f = e->frame;
    const NodeId *locals, *operands;
    ir_state_words(e->g, s, &locals, &operands);
    for (uint32_t i = 0; i < ir_state_locals(e->g, s); i++)
        f->locals[i] = slot_of(e, locals[i]);
    Slot *sp = frame_operands(f);
    for (uint32_t i = 0; i < s->depth; i++)
        *sp++ = slot_of(e, operands[i]);
    const Slot *end = sp + ir_popped_words(e->g, s);
    for (uint32_t i = 0; sp < end; i++) {
        NodeId in = ir_inputs(e->g, n)[i];
        uint8_t type = ir_node(e->g, in)->type;
        *sp = slot_of(e, in);
        sp += type == IRT_L || type == IRT_D ? 2 : 1;
    }
    f->sp = sp;
    f->pc = method_insn_at(f->method, s->bci);
    VM_ASSERT(f->pc && sp == end);
}

// ---- nodes; false: the frame is deoptimized at the node's state ----

typedef bool (*NodeFunction)(Evaluation *e, const Node *n, IrValue *result);

static bool do_object(Evaluation *e, const Node *n, IrValue *result)
{
    result->A = deref(ir_pointer(e->g, n));
    return true;
}
static bool do_param(Evaluation *e, const Node *n, IrValue *result)
{
    *result = value_of(e->frame->locals[n->aux], (IrType)n->type);
    return true;
}
static bool do_mirror(Evaluation *e, const Node *n, IrValue *result)
{
    result->A = class_mirror(ir_pointer(e->g, n));
    return true;
}
static bool do_null_check(Evaluation *e, const Node *n, IrValue *result)
{
    *result = input(e, n, 0);
    return result->A != NULL;
}
static bool do_range_check(Evaluation *e, const Node *n, IrValue *result)
{
    *result = input(e, n, 0);
    return (uint32_t)result->I < (uint32_t)input(e, n, 1).I;
}
static bool do_zero_check_int(Evaluation *e, const Node *n, IrValue *result)
{
    *result = input(e, n, 0);
    return result->I != 0;
}
static bool do_zero_check_long(Evaluation *e, const Node *n, IrValue *result)
{
    *result = input(e, n, 0);
    return result->L != 0;
}
static bool do_size_check(Evaluation *e, const Node *n, IrValue *result)
{
    *result = input(e, n, 0);
    return result->I >= 0;
}
static bool do_type_check(Evaluation *e, const Node *n, IrValue *result)
{
    *result = input(e, n, 0);
    return !result->A || object_is_instance(result->A, ir_pointer(e->g, n));
}
static bool do_store_check(Evaluation *e, const Node *n, IrValue *result)
{
    *result = input(e, n, 0);
    return !result->A || object_is_instance(result->A, object_class(input(e, n, 1).A)->element);
}
static bool do_instance_of(Evaluation *e, const Node *n, IrValue *result)
{
    Object *o = input(e, n, 0).A;
    result->I = o && object_is_instance(o, ir_pointer(e->g, n));
    return true;
}
static bool do_has_class(Evaluation *e, const Node *n, IrValue *result)
{
    result->I = object_class(input(e, n, 0).A) == ir_pointer(e->g, n);
    return true;
}
static bool do_array_length(Evaluation *e, const Node *n, IrValue *result)
{
    result->I = array_length(input(e, n, 0).A);
    return true;
}

static bool do_load_field(Evaluation *e, const Node *n, IrValue *result)
{
    Slot s[2];
    field_push(s, input(e, n, 0).A, ir_pointer(e->g, n));
    *result = value_of(s[0], (IrType)n->type);
    return true;
}
static bool do_store_field(Evaluation *e, const Node *n, IrValue *result)
{
    (void)result;
    field_store(input(e, n, 0).A, ir_pointer(e->g, n), (Slot){.raw = input(e, n, 1).bits});
    return true;
}
static bool do_fence(Evaluation *e, const Node *n, IrValue *result)
{
    (void)e, (void)n, (void)result;
    atomic_thread_fence(
        memory_order_seq_cst); // for all kinds; field_access.h orders the accesses
    return true;
}

// ---- what stands for methods of the class library ----

static bool do_current_thread(Evaluation *e, const Node *n, IrValue *result)
{
    (void)n;
    result->A = deref(e->self->java_thread);
    return true;
}
static bool do_mirror_of(Evaluation *e, const Node *n, IrValue *result)
{
    result->A = class_mirror(object_class(input(e, n, 0).A));
    return true;
}
static bool do_load_at(Evaluation *e, const Node *n, IrValue *result)
{
    Object *o = input(e, n, 0).A;
    size_t at = (size_t)input(e, n, 1).L;
    switch (n->aux) {
    case 'B': result->I = object_get_byte(o, at); break;
    case 'C': result->I = object_get_char(o, at); break;
    case 'S': result->I = object_get_short(o, at); break;
    case 'I': result->I = object_get_int(o, at); break;
    case 'J': result->L = object_get_long(o, at); break;
    default: result->A = object_get_ref(o, at); break;
    }
    return true;
}
static bool do_store_at(Evaluation *e, const Node *n, IrValue *result)
{
    (void)result;
    Object *o = input(e, n, 0).A;
    size_t at = (size_t)input(e, n, 1).L;
    IrValue v = input(e, n, 2);
    switch (n->aux) {
    case 'B': object_set_byte(o, at, (int8_t)v.I); break;
    case 'C':
    case 'S': object_set_char(o, at, (uint16_t)v.I); break;
    case 'I': object_set_int(o, at, v.I); break;
    case 'J': object_set_long(o, at, v.L); break;
    default: object_set_ref(o, at, v.A); break;
    }
    return true;
}
static bool do_compare_and_set_at(Evaluation *e, const Node *n, IrValue *result)
{
    const NodeId *in = ir_inputs(e->g, (Node *)(uintptr_t)n);
    Object *o = e->values[in[0]].A, *witness;
    void *at = object_at(o, (size_t)e->values[in[1]].L);
    IrValue expected = e->values[in[2]], v = e->values[in[3]];
    switch (n->aux) {
    case 'I':
        result->I = atomic_compare_exchange_strong((_Atomic int32_t *)at, &expected.I, v.I);
        break;
    case 'J':
        result->I = atomic_compare_exchange_strong((_Atomic int64_t *)at, &expected.L, v.L);
        break;
    default:
        result->I = object_cas_ref(o, (size_t)e->values[in[1]].L, expected.A, v.A, &witness);
        break;
    }
    return true;
}
static bool do_get_and_add_at(Evaluation *e, const Node *n, IrValue *result)
{
    void *at = object_at(input(e, n, 0).A, (size_t)input(e, n, 1).L);
    if (n->aux == 'I')
        result->I = atomic_fetch_add((_Atomic int32_t *)at, input(e, n, 2).I);
    else
        result->L = atomic_fetch_add((_Atomic int64_t *)at, input(e, n, 2).L);
    return true;
}
static bool do_get_and_set_at(Evaluation *e, const Node *n, IrValue *result)
{
    Object *o = input(e, n, 0).A;
    void *at = object_at(o, (size_t)input(e, n, 1).L);
    IrValue v = input(e, n, 2);
    switch (n->aux) {
    case 'I': result->I = atomic_exchange((_Atomic int32_t *)at, v.I); break;
    case 'J': result->L = atomic_exchange((_Atomic int64_t *)at, v.L); break;
    default:
        result->A = narrow_decode(atomic_exchange((_Atomic Narrow *)at, narrow_encode(v.A)));
        heap_barrier(at);
        break;
    }
    return true;
}

#    define ELEMENT(type) (((JAVA_SHARED type *)array_data(array))[index])

static bool do_load_element(Evaluation *e, const Node *n, IrValue *result)
{
    Object *array = input(e, n, 0).A;
    int32_t index = input(e, n, 1).I;
    VM_ASSERT((uint32_t)index < (uint32_t)array_length(array));
    switch (n->aux) {
    case 'B': result->I = ELEMENT(int8_t); break;
    case 'C': result->I = ELEMENT(uint16_t); break;
    case 'S': result->I = ELEMENT(int16_t); break;
    case 'I':
    case 'F': result->I = ELEMENT(int32_t); break;
    case 'J':
    case 'D': result->L = ELEMENT(int64_t); break;
    default: result->A = array_get_ref(array, index); break;
    }
    return true;
}

static bool do_store_element(Evaluation *e, const Node *n, IrValue *result)
{
    (void)result;
    Object *array = input(e, n, 0).A;
    int32_t index = input(e, n, 1).I;
    IrValue v = input(e, n, 2);
    VM_ASSERT((uint32_t)index < (uint32_t)array_length(array));
    bool is_boolean = object_class(array) == class_primitive_array('Z');
    switch (n->aux) {
    case 'B': ELEMENT(int8_t) = (int8_t)(is_boolean ? v.I & 1 : v.I); break;
    case 'C':
    case 'S': ELEMENT(uint16_t) = (uint16_t)v.I; break;
    case 'I':
    case 'F': ELEMENT(int32_t) = v.I; break;
    case 'J':
    case 'D': ELEMENT(int64_t) = v.L; break;
    default: array_set_ref(array, index, v.A); break;
    }
    return true;
}

static BlockId successor(const Evaluation *e, const Node *n, uint32_t i)
{
    const Block *block = ir_at(e->g, n->block);
    VM_ASSERT(i < block->succs.len);
    return block->succs.at[i];
}

static bool do_goto(Evaluation *e, const Node *n, IrValue *result)
{
    (void)result;
    e->to = successor(e, n, 0);
    return true;
}
static bool do_if_int(Evaluation *e, const Node *n, IrValue *result)
{
    (void)result;
    bool holds = ir_condition_holds((Condition)n->aux, input(e, n, 0).I, input(e, n, 1).I);
    e->to = successor(e, n, holds ? 0 : 1);
    return true;
}
static bool do_if_reference(Evaluation *e, const Node *n, IrValue *result)
{
    (void)result;
    bool equal = input(e, n, 0).A == input(e, n, 1).A;
    e->to = successor(e, n, equal == (n->aux == CONDITION_EQ) ? 0 : 1);
    return true;
}
static bool do_switch(Evaluation *e, const Node *n, IrValue *result)
{
    (void)result;
    const Block *block = ir_at(e->g, n->block);
    const int32_t *keys = e->g->keys.at + n->aux;
    e->to = successor(e, n, 0);
    for (uint32_t i = 1; i < block->succs.len; i++)
        if (keys[i - 1] == input(e, n, 0).I)
            e->to = successor(e, n, i);
    return true;
}
static bool do_poll(Evaluation *e, const Node *n, IrValue *result)
{
    (void)n, (void)result;
    return !thread_poll_wanted(e->self);
}

// The others deoptimize.
static const NodeFunction functions[IR_OP_COUNT] = {
    [IR_Object] = do_object,
    [IR_Param] = do_param,
    [IR_Mirror] = do_mirror,
    [IR_NullCheck] = do_null_check,
    [IR_RangeCheck] = do_range_check,
    [IR_ZeroCheckI] = do_zero_check_int,
    [IR_ZeroCheckL] = do_zero_check_long,
    [IR_NegSizeCheck] = do_size_check,
    [IR_TypeCheck] = do_type_check,
    [IR_StoreCheck] = do_store_check,
    [IR_InstanceOf] = do_instance_of,
    [IR_HasClass] = do_has_class,
    [IR_ArrayLength] = do_array_length,
    [IR_LoadField] = do_load_field,
    [IR_StoreField] = do_store_field,
    [IR_LoadElem] = do_load_element,
    [IR_StoreElem] = do_store_element,
    [IR_Fence] = do_fence,
    [IR_CurrentThread] = do_current_thread,
    [IR_MirrorOf] = do_mirror_of,
    [IR_LoadAt] = do_load_at,
    [IR_StoreAt] = do_store_at,
    [IR_CompareAndSetAt] = do_compare_and_set_at,
    [IR_GetAndAddAt] = do_get_and_add_at,
    [IR_GetAndSetAt] = do_get_and_set_at,
    [IR_Goto] = do_goto,
    [IR_IfI] = do_if_int,
    [IR_IfA] = do_if_reference,
    [IR_Switch] = do_switch,
    [IR_Poll] = do_poll,
};

static bool do_node(Evaluation *e, NodeId id)
{
    const Node *n = ir_node(e->g, id);
    IrValue result = {0}, none = {0};
    if (n->state && by_chance(one_of_states))
        return false;
    if (functions[n->op]) {
        if (!functions[n->op](e, n, &result))
            return false;
    } else if (!ir_compute((IrOp)n->op, n->count > 0 ? input(e, n, 0) : none,
                           n->count > 1 ? input(e, n, 1) : none, &result)) {
        return false;
    }
    e->values[id] = result;
    return true;
}

// ---- blocks ----

// Phis take their values all at once.
static void do_phis(Evaluation *e, const Block *block, BlockId from)
{
    uint32_t edge = 0, count = 0;
    while (edge < block->preds.len && block->preds.at[edge] != from)
        edge++;
    while (ir_node(e->g, block->nodes.at[count])->op == IR_Phi)
        count++;
    IrValue *taken = vm_malloc((count + 1) * sizeof *taken);
    for (uint32_t i = 0; i < count; i++)
        taken[i] = e->values[ir_inputs(e->g, ir_node(e->g, block->nodes.at[i]))[edge]];
    for (uint32_t i = 0; i < count; i++)
        e->values[block->nodes.at[i]] = taken[i];
    vm_free(taken);
}

static void run(Evaluation *e)
{
    BlockId from = 0;
    e->to = 1;
    for (NodeId n = 1; n < e->g->nodes.len; n++)
        if (ir_is_const(e->g, n))
            e->values[n].bits = ir_value(e->g, ir_node(e->g, n));
    for (;;) {
        BlockId at = e->to;
        const Block *block = ir_at(e->g, at);
        do_phis(e, block, from);
        for (uint32_t i = 0; i < block->nodes.len; i++) {
            Node *n = ir_node(e->g, block->nodes.at[i]);
            if (n->op == IR_Phi || do_node(e, block->nodes.at[i]))
                continue;
            deoptimize(e, n);
            if (n->op == IR_Return)
                atomic_fetch_add_explicit(&returns, 1, memory_order_relaxed);
            return;
        }
        from = at;
    }
}

static void evaluate(Thread *self, Frame *f)
{
    NO_GC_SCOPE();
    VM_ASSERT(f == self->frame && f->method);
    if (!by_chance(one_of_calls) || !method_has_code(f->method))
        return;
    IrSource source = ir_source(f->method);
    Graph g;
    ir_init(&g, &source);
    if (ir_build(&g, &(BuildOptions){.landings = true, .intrinsics = true, .returns = true})) {
        ir_gvn(&g);
        ir_dce(&g);
        Evaluation e = {self, f, &g, vm_calloc(g.nodes.len, sizeof *e.values), 0};
        run(&e);
        vm_free(e.values);
    }
    ir_free(&g);
}

static void check_returns(Thread *self)
{
    ASSERT_IN_VM(self);
    (void)self;
    uint64_t count = atomic_load_explicit(&returns, memory_order_relaxed);
    if (count < least_returns)
        vm_fatal("PELLUCID_EVALUATE: %" PRIu64 " calls of %" PRIu64, count, least_returns);
}

void jit_evaluate_init(void)
{
    const char *s = getenv("PELLUCID_EVALUATE");
    if (!s
        || sscanf(s, "%" SCNu32 ":%" SCNu32 ":%" SCNu64, &one_of_calls, &one_of_states,
                  &least_returns)
               < 1)
        return;
    interp_evaluate = evaluate;
    shutdown_add(check_returns);
}
#endif
