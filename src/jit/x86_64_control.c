// SPDX-License-Identifier: Apache-2.0
// Branches, checks, and deoptimization.
#include "jit/x86_64_emit.h"
#include "options/options.h"
#include "thread/thread.h"

// ---- deoptimization ----

static AsmLabel add_deopt_exit(Emitter *e, uint32_t state, uint8_t reason)
{
    AsmLabel label = asm_label(&e->a);
    vec_push(&e->cold, ((Cold){.kind = COLD_DEOPT,
                               .label = label,
                               .node = e->m->line.at[e->at / POSITIONS],
                               .state = state,
                               .reason = reason}));
    return label;
}

void emit_deopt_exit(Emitter *e, uint32_t state, uint8_t reason)
{
    x86_call_m64(&e->a, x86_mem_label(e->deopt_address));
    note_site(e, SITE_DEOPT, 0, state, 0, 0);
    e->notes.sites.at[e->notes.sites.len - 1].reason = reason;
}

AsmLabel emit_deopt_label(Emitter *e, NodeId n)
{
    bool is_store = ir_node(e->g, n)->op == IR_StoreCheck; // which other code would have, too
    return add_deopt_exit(e, note_state(e, n, e->at, STATE_AS_IT_IS),
                          is_store ? DEOPT_NOT_COMPILED : DEOPT_CHECK);
}

void emit_deopt_if(Emitter *e, NodeId n, X86Cond cond)
{
    x86_j_cc_l32(&e->a, cond, emit_deopt_label(e, n));
}

// ---- deoptimization without a reason: -XX:JitDeoptEvery ----

static int64_t passages_left; // until one deoptimizes: of all threads, which may lose some

static void count_passage(Emitter *e, NodeId result, uint32_t state)
{
    Cold cold = {.kind = COLD_EVERY, .label = asm_label(&e->a), .node = result, .state = state};
    vec_push(&e->cold, cold);
    x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)(uintptr_t)&passages_left);
    x86_sub_m64_i8(&e->a, x86_mem(SCRATCH, 0), 1);
    x86_j_cc_l32(&e->a, X86_LE, cold.label);
}

void emit_cold_every(Emitter *e, const Cold *c)
{
    x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)(uintptr_t)&passages_left);
    x86_mov_m64_i32(&e->a, x86_mem(SCRATCH, 0),
                    (int32_t)MIN_OF(vm_options.jit_deopt_every, INT32_MAX));
    x86_call_m64(&e->a, x86_mem_label(e->deopt_address));
    note_site(e, SITE_DEOPT, c->node, c->state, 0, 0);
    e->notes.sites.at[e->notes.sites.len - 1].reason = DEOPT_EVERY;
}

void emit_deopt_every(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    if (vm_options.jit_deopt_every == 0 || !node->state || node->op == IR_Landing)
        return;
    bool is_entry = // of a method, which has begun then
        node->op == IR_PostEntry
        || ((node->op == IR_MonitorEnter || node->op == IR_HoldUnmade)
            && ir_state(e->g, node->state)->kind == STATE_AGAIN);
    bool reports = node->op == IR_Breakpoint || node->op == IR_GetWatched
                   || node->op == IR_PutWatched; // its state says that it has
    if (!is_entry && !reports && has_state_before(e, n))
        count_passage(e, 0, note_state(e, n, e->at, STATE_BEFORE));
}

void emit_deopt_every_behind(Emitter *e, NodeId n, uint32_t state)
{
    if (vm_options.jit_deopt_every != 0)
        count_passage(e, n, state);
}

static AsmLabel label_before(Emitter *e, NodeId n)
{
    return add_deopt_exit(e, note_state(e, n, e->at, STATE_BEFORE), DEOPT_NOT_COMPILED);
}

// The interpreter does the node.
void emit_deopt_before(Emitter *e, NodeId n)
{
    x86_jmp_l32(&e->a, label_before(e, n));
}

void emit_deopt_before_if(Emitter *e, NodeId n, X86Cond cond)
{
    x86_j_cc_l32(&e->a, cond, label_before(e, n));
}

void emit_deopt(Emitter *e, NodeId n)
{
    uint8_t reason = (uint8_t)ir_node(e->g, n)->aux;
    x86_jmp_l32(&e->a, add_deopt_exit(e, note_state(e, n, e->at, STATE_AS_IT_IS), reason));
}

// ---- checks ----

void emit_null_check(Emitter *e, NodeId n)
{
    X86Reg o = gpr(input_register(e, n, 0));
    x86_test_r64_r64(&e->a, o, o);
    emit_deopt_if(e, n, X86_E);
}

void emit_zero_check(Emitter *e, NodeId n)
{
    X86Reg v = gpr(input_register(e, n, 0));
    bool wide = ir_node(e->g, n)->op == IR_ZeroCheckL;
    (wide ? x86_test_r64_r64 : x86_test_r32_r32)(&e->a, v, v);
    emit_deopt_if(e, n, X86_E);
}

void emit_size_check(Emitter *e, NodeId n)
{
    X86Reg v = gpr(input_register(e, n, 0));
    x86_test_r32_r32(&e->a, v, v);
    emit_deopt_if(e, n, X86_S);
}

void emit_range_check(Emitter *e, NodeId n)
{
    X86Reg index = gpr(input_register(e, n, 0));
    Location length = input_location(e, n, 1);
    int32_t value;
    if (input_is_immediate(e, n, 1, &value))
        x86_cmp_r32_i(&e->a, index, value);
    else if (length.kind == AT_SLOT)
        x86_cmp_r32_m32(&e->a, index, location_memory(e, length));
    else
        x86_cmp_r32_r32(&e->a, index, gpr((uint8_t)length.index));
    emit_deopt_if(e, n, X86_AE);
}

// ---- branches ----

static bool has_moves(const Emitter *e, BlockId from, BlockId to)
{
    Moves moves = {0};
    edge_moves(e, from, to, &moves);
    bool any = false;
    for (size_t i = 0; i < moves.len; i++)
        any |= !location_equal(moves.at[i].to, moves.at[i].from);
    vec_free(&moves);
    return any;
}

AsmLabel edge_label(Emitter *e, BlockId from, BlockId to)
{
    const Block *a = ir_at(e->g, from), *b = ir_at(e->g, to);
    if (b->preds.len == 1 || a->succs.len == 1 || !has_moves(e, from, to))
        return e->labels[to];
    AsmLabel label = asm_label(&e->a);
    vec_push(&e->cold, ((Cold){.kind = COLD_EDGE, .label = label, .from = from, .to = to}));
    return label;
}

static void go_to(Emitter *e, const Block *block, uint32_t i)
{
    BlockId to = block->succs.at[i];
    AsmLabel label = edge_label(e, e->block, to);
    if (to != e->follows || label.index != e->labels[to].index)
        x86_jmp(&e->a, label);
}

static X86Cond x86_condition(Condition c)
{
    static const uint8_t conditions[] = {
        [CONDITION_EQ] = X86_E,  [CONDITION_NE] = X86_NE, [CONDITION_LT] = X86_L,
        [CONDITION_GE] = X86_GE, [CONDITION_GT] = X86_G,  [CONDITION_LE] = X86_LE,
    };
    return (X86Cond)conditions[c];
}

// To the first successor where the flags say so, else to the second. Where neither follows, one jump goes on in a loop.
static void branch(Emitter *e, const Block *block, X86Cond cond)
{
    BlockId first = block->succs.at[0], second = block->succs.at[1];
    bool inverted = first == e->follows
                    || (second != e->follows
                        && ir_at(e->g, second)->loop_depth > ir_at(e->g, first)->loop_depth);
    x86_jcc(&e->a, inverted ? cond ^ 1 : cond,
            edge_label(e, e->block, inverted ? second : first));
    go_to(e, block, inverted ? 0 : 1);
}

// Of floats and doubles that were compared: the flags are those of unsigned numbers, and all are set where one is NaN.
static void branch_on_floats(Emitter *e, const Block *block, const Node *compare, Condition c)
{
    bool exchanged = compare->op == IR_CmpFg || compare->op == IR_CmpDg;
    AsmLabel yes, no;
    switch (c) {
    case CONDITION_LT: branch(e, block, exchanged ? X86_A : X86_B); return;
    case CONDITION_LE: branch(e, block, exchanged ? X86_AE : X86_BE); return;
    case CONDITION_GT: branch(e, block, exchanged ? X86_B : X86_A); return;
    case CONDITION_GE: branch(e, block, exchanged ? X86_BE : X86_AE); return;
    default: break;
    }
    yes = edge_label(e, e->block, block->succs.at[c == CONDITION_NE ? 0 : 1]); // they differ
    no = edge_label(e, e->block, block->succs.at[c == CONDITION_NE ? 1 : 0]);
    x86_jcc(&e->a, X86_NE, yes);
    x86_jcc(&e->a, X86_P, yes);
    x86_jmp(&e->a, no);
}

// By the answer of a HasClass, or of an InstanceOf, which is 0 of null, too.
static void branch_on_class(Emitter *e, NodeId test, const Block *block, Condition condition)
{
    const Node *node = ir_node(e->g, test);
    VM_ASSERT(condition == CONDITION_NE || condition == CONDITION_EQ);
    BlockId no = block->succs.at[condition == CONDITION_NE ? 1 : 0];
    if (node->op == IR_InstanceOf && ir_is_const(e->g, input_of(e, test, 0))) { // null
        x86_jmp(&e->a, edge_label(e, e->block, no));
        return;
    }
    if (node->op == IR_InstanceOf && !ir_is_not_null(e->g, node->in[0])) {
        X86Reg object = gpr(input_register(e, test, 0));
        x86_test_r64_r64(&e->a, object, object);
        x86_jcc(&e->a, X86_E, edge_label(e, e->block, no));
    }
    emit_has_class_flags(e, test);
    branch(e, block, condition == CONDITION_NE ? X86_E : X86_NE); // it has: not 0
}

// Compares two inputs of node n, ints that are no folded comparison.
static void compare_ints(Emitter *e, NodeId n)
{
    X86Reg x = gpr(input_register(e, n, 0));
    Location y = input_location(e, n, 1);
    int32_t value;
    if (y.kind == AT_SLOT)
        x86_cmp_r32_m32(&e->a, x, location_memory(e, y));
    else if (!input_is_immediate(e, n, 1, &value))
        x86_cmp_r32_r32(&e->a, x, gpr((uint8_t)y.index));
    else if (value == 0)
        x86_test_r32_r32(&e->a, x, x);
    else
        x86_cmp_r32_i(&e->a, x, value);
}

static void end_if_int(Emitter *e, NodeId n, const Block *block)
{
    const Node *node = ir_node(e->g, n);
    NodeId first = e->m->value[node->in[0]];
    Condition condition = (Condition)node->aux;
    if (e->m->form[first] != FORM_FOLDED) {
        compare_ints(e, n);
        branch(e, block, x86_condition(condition));
        return;
    }
    if (machine_tests_one_class(e->g, ir_node(e->g, first))) {
        branch_on_class(e, first, block, condition);
        return;
    }
    emit_flags(e, first);
    if (ir_node(e->g, first)->op == IR_CmpL)
        branch(e, block, x86_condition(condition));
    else
        branch_on_floats(e, block, ir_node(e->g, first), condition);
}

static void compare_references(Emitter *e, NodeId n)
{
    X86Reg x = gpr(input_register(e, n, 0));
    Location y = input_location(e, n, 1);
    if (y.kind == AT_SLOT)
        x86_cmp_r64_m64(&e->a, x, location_memory(e, y));
    else if (y.kind == AT_CONSTANT)
        x86_test_r64_r64(&e->a, x, x); // null
    else
        x86_cmp_r64_r64(&e->a, x, gpr((uint8_t)y.index));
}

static void end_if_reference(Emitter *e, NodeId n, const Block *block)
{
    compare_references(e, n);
    branch(e, block, x86_condition((Condition)ir_node(e->g, n)->aux));
}

void emit_test(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    NodeId first = e->m->value[node->in[0]];
    X86Reg to = gpr(result_register(e, n));
    if (node->op == IR_TestA)
        compare_references(e, n);
    else if (e->m->form[first] == FORM_FOLDED)
        emit_flags(e, first);
    else
        compare_ints(e, n);
    x86_set_cc_r8(&e->a, x86_condition((Condition)node->aux), to);
    x86_movzx_r32_r8(&e->a, to, to);
}

// ---- switches: keys are in order, found by halves ----

static void switch_between(Emitter *e, const Block *block, X86Reg x, const int32_t *keys,
                           uint32_t from, uint32_t to)
{
    Asm *a = &e->a;
    while (to - from > 3) {
        uint32_t middle = from + (to - from) / 2;
        AsmLabel lower = asm_label(a);
        x86_cmp_r32_i(a, x, keys[middle]);
        x86_j_cc_l32(a, X86_L, lower);
        switch_between(e, block, x, keys, middle, to);
        asm_bind(a, lower);
        to = middle;
    }
    for (uint32_t i = from; i < to; i++) {
        x86_cmp_r32_i(a, x, keys[i]);
        x86_jcc(a, X86_E, edge_label(e, e->block, block->succs.at[i + 1]));
    }
    x86_jmp(a, edge_label(e, e->block, block->succs.at[0]));
}

static bool is_sorted(const int32_t *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (keys[i - 1] >= keys[i])
            return false;
    return true;
}

static void end_switch(Emitter *e, NodeId n, const Block *block)
{
    const int32_t *keys = e->g->keys.at + ir_node(e->g, n)->aux;
    if (!is_sorted(keys, block->succs.len - 1))
        emit_refuse(e, REFUSED_CODE);
    switch_between(e, block, gpr(input_register(e, n, 0)), keys, 0, block->succs.len - 1);
}

void emit_block_end(Emitter *e, const Block *block)
{
    NodeId n = ir_end(block);
    if (ir_throws(ir_node(e->g, n)))
        return; // to landings, by the VM
    switch (ir_node(e->g, n)->op) {
    case IR_IfI: end_if_int(e, n, block); return;
    case IR_IfA: end_if_reference(e, n, block); return;
    case IR_Switch: end_switch(e, n, block); return;
    default: break;
    }
    if (block->succs.len == 0)
        return;
    Moves moves = {0};
    if (block->succs.len == 1)
        edge_moves(e, e->block, block->succs.at[0], &moves);
    emit_moves(e, &moves);
    vec_free(&moves);
    if (!emit_header_again(e, block->succs.at[0]))
        go_to(e, block, 0);
}

// ---- exceptions ----

void emit_throw(Emitter *e, NodeId n)
{
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    uint32_t state = note_state(e, n, e->at + 1, STATE_AS_IT_IS);
    emit_load(e, SCRATCH, input_location(e, n, 0));
    x86_call_m64(&e->a, x86_mem_label(e->athrow_address));
    note_site(e, SITE_RUNTIME, n, state, roots, registers);
}

// The exception that is pending in the thread is caught.
void emit_landing(Emitter *e, NodeId n)
{
    X86Mem exception = x86_mem(THREAD, THREAD_OFFSET_exception);
    x86_mov_r64_m64(&e->a, gpr(result_register(e, n)), exception);
    x86_mov_m64_i32(&e->a, exception, 0);
}

// ---- returns ----

void emit_return_sequence(Emitter *e)
{
    x86_leave(&e->a);
    x86_ret(&e->a);
}

void emit_return(Emitter *e, NodeId n)
{
    Node *node = ir_node(e->g, n);
    if (machine_exits_method(e->m, node))
        emit_exit_method(e, n);
    if (node->count) {
        uint8_t reg = machine_result_register((IrType)ir_node(e->g, node->in[0])->type);
        uint32_t position = e->at + (machine_exits_method(e->m, node) ? 1 : 0); // late
        emit_load(e, reg, location_at(e, input_of(e, n, 0), position));
    }
    emit_return_sequence(e);
}

void emit_nothing(Emitter *e, NodeId n)
{
    (void)e, (void)n;
}

void emit_unknown(Emitter *e, NodeId n)
{
    (void)n;
    emit_refuse(e, REFUSED_BACKEND);
}
