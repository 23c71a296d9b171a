// SPDX-License-Identifier: Apache-2.0
// Nodes in place of calls of methods of the class library (spec/intrinsics.def). Where one does not always stand for the method, a branch
// leads to the call, and both branches meet behind it.
#include "jit/build.h"

#include "code/compiled_code.h"
#include "jit/c_functions.h"
#include "jit/intrinsic_table.h"

typedef struct Call { // that the intrinsic stands for
    Builder *b;
    IrOp op; // CallStatic or CallExact
    Method *m;
    uint32_t count; // of arguments, the receiver included
    const NodeId *in;
    const CompiledIntrinsic *intrinsic;
} Call;

// ---- two branches ----

typedef struct Choice {
    BlockId called; // where the method is called
    BlockId end;    // of the other branch; its value
    NodeId value;
} Choice;

// Goes on in a block that is entered where the condition holds.
static bool begin_choice(Builder *b, IrOp op, NodeId x, NodeId y, Condition condition,
                         Choice *choice)
{
    BlockId from = b->block, to = build_new_block(b, b->in.bci);
    choice->called = build_new_block(b, b->in.bci);
    build_effect(b, op, IRT_V, 2, (NodeId[]){x, y}, condition, 0);
    ir_edge(b->g, from, to);
    ir_edge(b->g, from, choice->called);
    b->block = to;
    return !b->g->refused;
}

static void go(const Builder *b, BlockId from, BlockId to)
{
    (void)ir_add(b->g, from, IR_Goto, IRT_V, 0, NULL, 0);
    ir_edge(b->g, from, to);
}

// The value, if any, is pushed.
static void end_choice(const Call *c, Choice *choice)
{
    Builder *b = c->b;
    choice->end = b->block;
    b->block = choice->called;
    IrType type = ir_type_of_kind(c->m->ret);
    build_call(b, c->op, type, c->m, c->count, c->in);
    NodeId values[] = {choice->value, type == IRT_V ? 0 : build_pop(b, type)};
    if (b->g->refused)
        return;
    BlockId from = b->block, meet = build_new_block(b, b->in.bci);
    go(b, choice->end, meet);
    go(b, from, meet);
    b->block = meet;
    NodeId value = values[0];
    if (value)
        value = ir_add(b->g, meet, IR_Phi, (IrType)ir_node(b->g, value)->type, 2, values, 0);
    build_push(b, value);
    build_meeting(b, b->in.bci + b->in.length);
}

// ---- nodes ----

static void build_node(const Call *c)
{
    build_push(c->b, build_value(c->b, c->intrinsic->op, IRT_X, c->count, c->in, 0));
}

// ---- memory: arguments are the Unsafe, an object, an offset, values ----

enum { OBJECT = 1, ADDRESS };

static NodeId access(const Call *c, IrOp op, uint32_t count, const NodeId *in, uint32_t aux,
                     StateId state)
{
    Builder *b = c->b;
    IntrinsicOrder order = c->intrinsic->order;
    bool stores = c->intrinsic->op == IR_StoreAt, loads = c->intrinsic->op == IR_LoadAt;
    NodeId object = op == IR_LoadRaw || op == IR_StoreRaw ? 0 : in[0];
    if (order != PLAIN && stores)
        build_fence(b, object, FENCE_RELEASE);
    NodeId value = build_effect(b, op, ir_type_of_kind(c->m->ret), count, in, aux, state);
    if (order != PLAIN && loads)
        build_fence(b, object, FENCE_ACQUIRE);
    if (order == VOLATILE && stores)
        build_fence(b, object, FENCE_FULL);
    return value;
}

static uint32_t kind_of_memory(const Call *c)
{
    return (uint32_t)c->intrinsic->memory_kind;
}

// Memory at an address: the offset.
static bool build_raw(const Call *c)
{
    Builder *b = c->b;
    IrOp op = c->intrinsic->op == IR_LoadAt    ? IR_LoadRaw
              : c->intrinsic->op == IR_StoreAt ? IR_StoreRaw
                                               : IR_NONE;
    if (op == IR_NONE || c->intrinsic->memory_kind == 'A')
        return false;
    build_push(b, access(c, op, c->count - ADDRESS, c->in + ADDRESS, kind_of_memory(c),
                         build_state_again(b)));
    return true;
}

// The field that a load or store of an object that is made here means; NULL: none that is known.
static const Field *field_meant(const Call *c, NodeId object)
{
    const Graph *g = c->b->g;
    const Node *made = ir_node(g, object), *offset = ir_node(g, c->in[ADDRESS]);
    bool is_plain = c->intrinsic->op == IR_LoadAt || c->intrinsic->op == IR_StoreAt;
    if (!is_plain || made->op != IR_New || offset->op != IR_Const)
        return NULL;
    const Field *fields[CODE_VIRTUAL_FIELDS_MAX];
    uint32_t count;
    if (!class_instance_fields(ir_pointer(g, made), CODE_VIRTUAL_FIELDS_MAX, fields, &count))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (fields[i]->offset == ir_value(g, offset))
            return fields[i]->kind == c->intrinsic->memory_kind && !fields[i]->watch ? fields[i]
                                                                                     : NULL;
    return NULL;
}

// Such an access posts no event: a field that is watched is not meant.
static NodeId access_field(const Call *c, NodeId object, const Field *f)
{
    NodeId in[] = {object, c->count > ADDRESS + 1 ? c->in[ADDRESS + 1] : 0};
    bool stores = c->intrinsic->op == IR_StoreAt;
    return access(c, stores ? IR_StoreField : IR_LoadField, stores ? 2 : 1, in,
                  ir_intern(c->b->g, (uintptr_t)f), 0);
}

static NodeId access_object(const Call *c)
{
    NodeId object = ir_unchecked(c->b->g, c->in[OBJECT]);
    const Field *f = field_meant(c, object);
    if (f)
        return access_field(c, object, f);
    return access(c, c->intrinsic->op, c->count - OBJECT, c->in + OBJECT, kind_of_memory(c), 0);
}

// Where it is not known whether there is an object, memory that is none's is left to the method.
static bool build_memory(const Call *c)
{
    Builder *b = c->b;
    NodeId object = c->in[OBJECT];
    Choice choice;
    if (ir_is_const(b->g, object)) // null
        return build_raw(c);
    if (ir_is_not_null(b->g, object)) {
        build_push(b, access_object(c));
        return true;
    }
    if (begin_choice(b, IR_IfA, object, ir_const(b->g, IRT_A, 0), CONDITION_NE, &choice)) {
        choice.value = access_object(c);
        end_choice(c, &choice);
    }
    return true;
}

// A char of a byte[]: the array, its index among chars, a value. Where a check fails the method is called again, and throws.
static void build_utf16(const Call *c)
{
    Builder *b = c->b;
    NodeId array = build_unary(b, IR_NullCheck, c->in[0]);
    NodeId chars =
        build_binary(b, IR_ShrI, build_unary(b, IR_ArrayLength, array), build_int(b, 1));
    NodeId index = build_unary(b, IR_I2L, build_binary(b, IR_RangeCheck, c->in[1], chars));
    NodeId offset = build_binary(b, IR_AddL, build_binary(b, IR_ShlL, index, build_int(b, 1)),
                                 ir_const(b->g, IRT_L, ARRAY_BASE));
    NodeId in[] = {array, offset, c->count > 2 ? build_stored(b, 'C', c->in[2]) : 0};
    build_push(b, build_effect(b, c->intrinsic->op, ir_type_of_kind(c->m->ret), c->count, in,
                               kind_of_memory(c), 0));
}

// ---- C functions ----

static const Field *field_of_receiver(const Call *c)
{
    const char *name = c->intrinsic->field, *desc = c->intrinsic->field_desc;
    if (!name)
        return NULL;
    attempt_pause(); // a symbol may get a handle, and handles are the thread's
    Symbol *name_symbol = symbol_find_n(name, strlen(name));
    Symbol *desc_symbol = symbol_find_n(desc, strlen(desc));
    attempt_resume();
    return class_find_field(c->m->cls, name_symbol, desc_symbol);
}

static NodeId call_c(const Call *c, IrType type)
{
    Builder *b = c->b;
    enum { MOST = 8 }; // of what any row has
    NodeId in[MOST];
    VM_ASSERT(c->count <= MOST);
    memcpy(in, c->in, c->count * sizeof *in);
    const Field *f = field_of_receiver(c);
    if (f)
        in[0] = build_effect(b, IR_LoadField, ir_type_of_kind(f->kind), 1, in,
                             ir_intern(b->g, (uintptr_t)f), 0);
    return build_effect(b, IR_CallC, type, c->count, in,
                        ir_intern(b->g, (uintptr_t)c->intrinsic->function),
                        build_state_again(b));
}

static NodeId last_reference(const Call *c)
{
    for (uint32_t i = c->count; i-- > 0;)
        if (ir_node(c->b->g, c->in[i])->type == IRT_A)
            return c->in[i];
    VM_ASSERT(false);
    return 0;
}

// What the method gives where the function has given `result`.
static NodeId value_of_c(const Call *c, IrType type, NodeId result)
{
    if (type == IRT_V)
        return 0;
    return type == IRT_A ? last_reference(c) : build_unary(c->b, IR_L2I, result);
}

static void build_made(const Call *c)
{
    Builder *b = c->b;
    Choice choice;
    choice.value = call_c(c, IRT_A);
    if (begin_choice(b, IR_IfA, choice.value, ir_const(b->g, IRT_A, 0), CONDITION_NE, &choice))
        end_choice(c, &choice);
}

static void build_c(const Call *c)
{
    Builder *b = c->b;
    if (c->intrinsic->how == MAKES_OBJECT) {
        build_made(c);
        return;
    }
    IrType type = ir_type_of_kind(c->m->ret);
    Choice choice;
    if (c->intrinsic->how != MAY_DECLINE) {
        build_push(b, call_c(c, type));
        return;
    }
    VM_ASSERT(type == IRT_I || type == IRT_A || type == IRT_V);
    NodeId result = call_c(c, IRT_L), declined = ir_const(b->g, IRT_L, (uint64_t)C_DECLINED);
    if (begin_choice(b, IR_IfI, build_binary(b, IR_CmpL, result, declined), build_int(b, 0),
                     CONDITION_NE, &choice)) {
        choice.value = value_of_c(c, type, result);
        end_choice(c, &choice);
    }
}

bool build_intrinsic(Builder *b, IrOp op, Method *m, uint32_t count, const NodeId *in)
{
    VM_ASSERT(op == IR_CallStatic || op == IR_CallExact);
    const CompiledIntrinsic *found = intrinsic_of(m);
    bool posts = b->options->posts_calls && method_entry_kind(m) != ENTRY_ALWAYS_INTRINSIC;
    if (!found || posts || b->g->refused)
        return false;
    const Call c = {b, op, m, count, in, found};
    const Field *given = field_of_receiver(&c);
    if (given && given->watch & WATCH_ACCESS)
        return false;
    if (found->kind == INTRINSIC_KNOWN) {
        NodeId known = build_known_call(b, found->op, in);
        if (!known && !found->function)
            return false;
        if (known)
            build_push(b, known);
        else
            build_c(&c);
    }
    if (found->kind == INTRINSIC_MEMORY && !build_memory(&c))
        return false;
    if (found->kind == INTRINSIC_NODE)
        build_node(&c);
    if (found->kind == INTRINSIC_UTF16)
        build_utf16(&c);
    if (found->kind == INTRINSIC_C)
        build_c(&c);
    if (method_entry_kind(m) != ENTRY_ALWAYS_INTRINSIC)
        vec_push(&b->g->skipped, m);
    return true;
}
