// SPDX-License-Identifier: Apache-2.0
// One instruction, those that name a constant apart (build_invoke.c). Checks come first, then the one effect, then
// what changes the frame.
#include "jit/build.h"

#include "class/class.h"

// ---- constants, locals, the operand stack ----

static NodeId float_const(Builder *b, IrType type, int value)
{
    IrValue v = {0};
    if (type == IRT_F)
        v.F = (float)value;
    else
        v.D = value;
    return ir_const(b->g, type, v.bits);
}

static void step_short_constant(Builder *b)
{
    int op = b->in.op;
    NodeId n;
    if (op == BC_aconst_null)
        n = ir_const(b->g, IRT_A, 0);
    else if (op <= BC_iconst_5)
        n = build_int(b, op - BC_iconst_0);
    else if (op <= BC_lconst_1)
        n = ir_const(b->g, IRT_L, (uint64_t)(op - BC_lconst_0));
    else if (op <= BC_fconst_2)
        n = float_const(b, IRT_F, op - BC_fconst_0);
    else if (op <= BC_dconst_1)
        n = float_const(b, IRT_D, op - BC_dconst_0);
    else
        n = build_int(b, b->in.value); // bipush, sipush
    build_push(b, n);
}

static void step_local(Builder *b)
{
    IrType type = ir_type_of_kind(b->in.info->local.kind);
    uint32_t slot = b->in.local;
    switch (b->in.info->local.use) {
    case LOCAL_READ: build_push(b, build_load(b, slot, type)); break;
    case LOCAL_WRITE: build_store(b, slot, build_pop(b, type)); break;
    default: // iinc
        build_store(
            b, slot,
            build_binary(b, IR_AddI, build_load(b, slot, IRT_I), build_int(b, b->in.value)));
        break;
    }
}

// pop, dup, swap and their like move words.
static void step_words(Builder *b)
{
    const BytecodeInfo *info = b->in.info;
    uint32_t pops = info->pop_words;
    if (b->depth < pops || b->depth - pops + info->push_words > b->source->code.max_stack) {
        build_refuse(b, REFUSED_CODE);
        return;
    }
    NodeId popped[4], *top = b->words + build_locals(b) + b->depth - pops;
    VM_ASSERT(pops <= ARRAY_LEN(popped));
    memcpy(popped, top, pops * sizeof *popped);
    for (const char *p = info->pushes; *p; p++)
        *top++ = popped[strchr(info->pops, *p) - info->pops];
    b->depth += (uint32_t)info->push_words - pops;
}

// ---- arithmetic, arrays ----

static void step_computed(Builder *b, IrOp op)
{
    NodeId in[2];
    uint32_t count = (uint32_t)strlen(b->in.info->pops);
    VM_ASSERT(count <= ARRAY_LEN(in));
    build_pop_kinds(b, b->in.info->pops, count, in);
    if (op == IR_DivI || op == IR_RemI)
        in[1] = build_unary(b, IR_ZeroCheckI, in[1]);
    else if (op == IR_DivL || op == IR_RemL)
        in[1] = build_unary(b, IR_ZeroCheckL, in[1]);
    build_push(b, build_value(b, op, IRT_X, count, in, 0));
}

// Which bits of its first input a node leaves as they are.
static uint32_t bits_kept(const Graph *g, const Node *n)
{
    switch (n->op) {
    case IR_I2B: return 0xff;
    case IR_I2C:
    case IR_I2S: return 0xffff;
    case IR_AndI:
        return ir_is_const(g, n->in[1]) ? (uint32_t)ir_value(g, ir_node(g, n->in[1])) : 0;
    default: return 0;
    }
}

NodeId build_stored(const Builder *b, char kind, NodeId value)
{
    uint32_t stored = kind == 'B' ? 0xff : kind == 'C' || kind == 'S' ? 0xffff : 0;
    if (!stored)
        return value;
    const Node *n = ir_node(b->g, value);
    while ((bits_kept(b->g, n) & stored) == stored) {
        value = n->in[0];
        n = ir_node(b->g, value);
    }
    return value;
}

static const char element_kinds[] = "IJFDABCS"; // as the opcodes are ordered

// The array and index that were popped, checked.
static void check_element(Builder *b, NodeId *in)
{
    in[0] = build_unary(b, IR_NullCheck, in[0]);
    NodeId length = build_unary(b, IR_ArrayLength, in[0]);
    in[1] = build_binary(b, IR_RangeCheck, in[1], length);
}

static void step_array_load(Builder *b)
{
    NodeId in[2];
    char kind = element_kinds[b->in.op - BC_iaload];
    build_pop_kinds(b, "AI", 2, in);
    check_element(b, in);
    NodeId known = build_known_element(b, in[0], in[1], kind);
    build_push(b, known ? known
                        : build_effect(b, IR_LoadElem, ir_type_of_kind(kind), 2, in,
                                       (uint32_t)kind, 0));
}

static void step_array_store(Builder *b)
{
    NodeId in[3];
    char kind = element_kinds[b->in.op - BC_iastore];
    build_pop_kinds(b, b->in.info->pops, 3, in);
    check_element(b, in);
    in[2] = build_stored(b, kind, in[2]);
    if (kind == 'A')
        in[2] = build_binary(b, IR_StoreCheck, build_escape(b, in[2]), in[0]);
    build_effect(b, IR_StoreElem, IRT_V, 3, in, (uint32_t)kind, 0);
}

static void step_array_length(Builder *b)
{
    NodeId array = build_unary(b, IR_NullCheck, build_pop(b, IRT_A));
    build_push(b, build_unary(b, IR_ArrayLength, array));
}

// ---- branches ----

static uint32_t target(const Builder *b, int32_t offset)
{
    return flow_graph_block(&b->flow, b->in.bci + (uint32_t)offset);
}
static uint32_t next_block(const Builder *b)
{
    return flow_graph_block(&b->flow, b->in.bci + b->in.length);
}

// 1: it is taken, 0: it is not, -1: nobody knows.
static int decide(const Builder *b, Condition condition, NodeId x, NodeId y)
{
    const Node *nx = ir_node(b->g, x), *ny = ir_node(b->g, y);
    if (x == y)
        return ir_condition_holds(condition, 0, 0);
    if (nx->op == IR_Const && ny->op == IR_Const)
        return ir_condition_holds(condition, (int32_t)ir_value(b->g, nx),
                                  (int32_t)ir_value(b->g, ny));
    if (ny->type == IRT_A && build_object_of(b, x) && build_object_of(b, y))
        return (build_object_of(b, x) == build_object_of(b, y)) == (condition == CONDITION_EQ);
    bool null = ny->type == IRT_A && ny->op == IR_Const;
    return null && ir_is_not_null(b->g, x) ? condition == CONDITION_NE : -1;
}

static void step_if(Builder *b)
{
    Condition condition = (Condition)b->in.info->condition;
    const char *pops = b->in.info->pops;
    IrType type = ir_type_of_kind(pops[0]);
    NodeId in[2];
    build_pop_kinds(b, pops, (uint32_t)strlen(pops), in);
    if (!pops[1])
        in[1] = ir_const(b->g, type, 0);
    BlockId from = b->block;
    int taken = decide(b, condition, in[0], in[1]);
    if (taken >= 0) {
        build_go(b, from, taken ? target(b, b->in.offset) : next_block(b));
        return;
    }
    build_effect(b, type == IRT_A ? IR_IfA : IR_IfI, IRT_V, 2, in, condition, 0);
    b->block = 0;
    build_branch(b, from, target(b, b->in.offset));
    build_branch(b, from, next_block(b));
}

static void step_switch(Builder *b)
{
    SwitchOperands s = switch_read(b->flow.code.code, b->in.bci);
    NodeId key = build_pop(b, IRT_I);
    BlockId from = b->block;
    uint32_t first = (uint32_t)b->g->keys.len;
    for (uint32_t i = 0; i < s.count; i++)
        vec_push(&b->g->keys, switch_key(&s, i));
    if (s.count == 0) {
        build_go(b, from, target(b, s.other));
        return;
    }
    build_effect(b, IR_Switch, IRT_V, 1, &key, first, 0);
    b->block = 0;
    build_branch(b, from, target(b, s.other));
    for (uint32_t i = 0; i < s.count; i++)
        build_branch(b, from, target(b, switch_offset(&s, i)));
}

// ---- leaving the method; monitors ----

static uint32_t method_locks(const Builder *b)
{
    return b->source->access & ACC_SYNCHRONIZED ? 1 : 0;
}

// An int as a method's result has it (JVMS, ireturn).
static NodeId narrow_result(Builder *b, NodeId value)
{
    const Bytes d = b->source->descriptor;
    switch (d.p[d.len - 1]) {
    case 'Z':
        return d.p[d.len - 2] == ')' ? build_binary(b, IR_AndI, value, build_int(b, 1)) : value;
    case 'B': return build_unary(b, IR_I2B, value);
    case 'C': return build_unary(b, IR_I2C, value);
    case 'S': return build_unary(b, IR_I2S, value);
    default: return value;
    }
}

// The method's, by a return: it holds no other.
static void exit_monitor(Builder *b)
{
    VM_ASSERT(b->locks.len == 1);
    NodeId lock = b->locks.at[0];
    build_effect(b, IR_MonitorExit, IRT_V, 1, &lock, 0, build_state_again(b));
    b->locks.len = 0;
}

static void step_return(Builder *b)
{
    NodeId value = 0;
    bool has_state = method_locks(b) != 0 || b->options->returns;
    if (b->in.info->pops[0])
        value = build_pop(b, ir_type_of_kind(b->in.info->pops[0]));
    if (b->in.op == BC_ireturn)
        value = narrow_result(b, value);
    if (b->locks.len != method_locks(b)) {
        build_refuse(b, REFUSED_LOCKING);
        return;
    }
    if (method_locks(b) && (b->options->posts_calls || b->caller))
        exit_monitor(b);
    if (b->options->posts_calls) {
        has_state = false;
        build_post_exit(b, value);
    }
    if (b->caller) {
        vec_push(&b->returned, ((Returned){b->block, value}));
        b->block = 0;
        return;
    }
    build_effect(b, IR_Return, IRT_V, value ? 1 : 0, &value, b->in.bci,
                 has_state ? build_state_again(b) : 0);
    b->block = 0;
}

static void step_throw(Builder *b)
{
    NodeId exception = build_unary(b, IR_NullCheck, build_pop(b, IRT_A));
    build_effect(b, IR_Throw, IRT_V, 1, &exception, 0,
                 build_state(b, b->in.bci, STATE_THROWING));
    build_landings(b, true);
}

static void step_monitor_enter(Builder *b)
{
    NodeId object = build_unary(b, IR_NullCheck, build_pop(b, IRT_A));
    if (b->locks.len == UINT8_MAX)
        build_refuse(b, REFUSED_LOCKING);
    build_effect(b, IR_MonitorEnter, IRT_V, 1, &object, 0,
                 build_state(b, b->in.bci, STATE_BEHIND));
    vec_push(&b->locks, object);
}

// It must be the monitor that was entered last, by this method's code.
static void step_monitor_exit(Builder *b)
{
    NodeId object = build_pop(b, IRT_A);
    if (b->locks.len <= method_locks(b)
        || ir_unchecked(b->g, b->locks.at[b->locks.len - 1]) != ir_unchecked(b->g, object)) {
        build_refuse(b, REFUSED_LOCKING);
        return;
    }
    build_effect(b, IR_MonitorExit, IRT_V, 1, &object, 0,
                 build_state(b, b->in.bci, STATE_BEHIND));
    b->locks.len--;
}

// ---- which is which ----

typedef void (*StepFunction)(Builder *b);

static const StepFunction steps[BC_COUNT] = {
    [BC_aconst_null... BC_sipush] = step_short_constant,
    [BC_ldc... BC_ldc2_w] = build_constant,
    [BC_iload... BC_aload_3] = step_local,
    [BC_istore... BC_astore_3] = step_local,
    [BC_iinc] = step_local,
    [BC_iaload... BC_saload] = step_array_load,
    [BC_iastore... BC_sastore] = step_array_store,
    [BC_arraylength] = step_array_length,
    [BC_pop... BC_swap] = step_words,
    [BC_ifeq... BC_if_acmpne] = step_if,
    [BC_ifnull... BC_ifnonnull] = step_if,
    [BC_tableswitch... BC_lookupswitch] = step_switch,
    [BC_ireturn... BC_return] = step_return,
    [BC_getstatic... BC_putfield] = build_field,
    [BC_invokevirtual... BC_invokedynamic] = build_invoke,
    [BC_new... BC_anewarray] = build_object,
    [BC_multianewarray] = build_object,
    [BC_checkcast... BC_instanceof] = build_object,
    [BC_athrow] = step_throw,
    [BC_monitorenter] = step_monitor_enter,
    [BC_monitorexit] = step_monitor_exit,
};

void build_step(Builder *b)
{
    IrOp computed = ir_op_of_bytecode(b->in.op);
    if (computed != IR_NONE)
        step_computed(b, computed);
    else if (steps[b->in.op])
        steps[b->in.op](b);
    else if (b->in.info->flags & BCF_BRANCH)
        build_go(b, b->block, target(b, b->in.offset)); // goto
    else
        VM_ASSERT(b->in.op == BC_nop);
}
