// SPDX-License-Identifier: Apache-2.0
// Goes through the line of nodes and makes x86-64 code. See x86_64_emit.h.
#include "jit/x86_64_emit.h"
#include "jit/view.h"
#include "thread/thread.h"

#include <stdlib.h>

// ---- operands ----

NodeId input_of(const Emitter *e, NodeId n, uint32_t i)
{
    Node *node = ir_node(e->g, n);
    VM_ASSERT(i < ir_input_count(node));
    return e->m->value[ir_inputs(e->g, node)[i]];
}

Location input_location(const Emitter *e, NodeId n, uint32_t i)
{
    return location_at(e, input_of(e, n, i), e->at);
}

uint8_t input_register(Emitter *e, NodeId n, uint32_t i)
{
    Location at = input_location(e, n, i);
    if (at.kind == AT_REGISTER)
        return (uint8_t)at.index;
    uint8_t reg =
        machine_is_float(e->m, input_of(e, n, i)) ? (uint8_t)SCRATCH_FLOAT : (uint8_t)SCRATCH;
    VM_ASSERT(at.kind == AT_CONSTANT);
    emit_load(e, reg, at);
    return reg;
}

uint8_t result_register(const Emitter *e, NodeId n)
{
    if (!e->m->number[n])
        return machine_is_float(e->m, n) ? (uint8_t)SCRATCH_FLOAT : (uint8_t)SCRATCH;
    Location at = location_at(e, n, e->at + 2);
    VM_ASSERT(at.kind == AT_REGISTER);
    return (uint8_t)at.index;
}

uint8_t temporary_register(const Emitter *e, NodeId n, uint32_t i)
{
    VM_ASSERT(e->m->temporary[n] != 0);
    return e->m->intervals.at[e->m->temporary[n] + i].reg;
}

bool input_is_immediate(const Emitter *e, NodeId n, uint32_t i, int32_t *value)
{
    const Node *in = ir_node(e->g, input_of(e, n, i));
    if (in->op != IR_Const || in->type == IRT_F || in->type == IRT_D)
        return false;
    int64_t v = (int64_t)ir_value(e->g, in);
    *value = (int32_t)v;
    return in->type == IRT_I || v == *value;
}

// ---- nodes ----

NodeEmitter *const x86_node_emitters[IR_OP_COUNT] = {
    [IR_Object] = emit_handle,
    [IR_Mirror] = emit_handle,
    [IR_AddI] = emit_two,
    [IR_AddL] = emit_two,
    [IR_SubI] = emit_two,
    [IR_SubL] = emit_two,
    [IR_MulI] = emit_two,
    [IR_MulL] = emit_two,
    [IR_AndI] = emit_two,
    [IR_AndL] = emit_two,
    [IR_OrI] = emit_two,
    [IR_OrL] = emit_two,
    [IR_XorI] = emit_two,
    [IR_XorL] = emit_two,
    [IR_AddF] = emit_float_two,
    [IR_AddD] = emit_float_two,
    [IR_SubF] = emit_float_two,
    [IR_SubD] = emit_float_two,
    [IR_MulF] = emit_float_two,
    [IR_MulD] = emit_float_two,
    [IR_DivF] = emit_float_two,
    [IR_DivD] = emit_float_two,
    [IR_RemF] = emit_float_rest,
    [IR_RemD] = emit_float_rest,
    [IR_DivI] = emit_divide,
    [IR_DivL] = emit_divide,
    [IR_RemI] = emit_divide,
    [IR_RemL] = emit_divide,
    [IR_NegI] = emit_negate,
    [IR_NegL] = emit_negate,
    [IR_NegF] = emit_negate,
    [IR_NegD] = emit_negate,
    [IR_ShlI] = emit_shift,
    [IR_ShlL] = emit_shift,
    [IR_ShrI] = emit_shift,
    [IR_ShrL] = emit_shift,
    [IR_UshrI] = emit_shift,
    [IR_UshrL] = emit_shift,
    [IR_ExtendZero] = emit_extend_zero,
    [IR_I2L] = emit_convert,
    [IR_I2F] = emit_convert,
    [IR_I2D] = emit_convert,
    [IR_L2I] = emit_convert,
    [IR_L2F] = emit_convert,
    [IR_L2D] = emit_convert,
    [IR_F2D] = emit_convert,
    [IR_D2F] = emit_convert,
    [IR_I2B] = emit_convert,
    [IR_I2C] = emit_convert,
    [IR_I2S] = emit_convert,
    [IR_F2I] = emit_to_integer,
    [IR_F2L] = emit_to_integer,
    [IR_D2I] = emit_to_integer,
    [IR_D2L] = emit_to_integer,
    [IR_CmpL] = emit_compare,
    [IR_CmpFl] = emit_compare,
    [IR_CmpFg] = emit_compare,
    [IR_CmpDl] = emit_compare,
    [IR_CmpDg] = emit_compare,
    [IR_BitCountI] = emit_count_bits,
    [IR_BitCountL] = emit_count_bits,
    [IR_LeadingZerosI] = emit_count_bits,
    [IR_LeadingZerosL] = emit_count_bits,
    [IR_TrailingZerosI] = emit_count_bits,
    [IR_TrailingZerosL] = emit_count_bits,
    [IR_ReverseBytesI] = emit_reverse_bytes,
    [IR_ReverseBytesL] = emit_reverse_bytes,
    [IR_MultiplyHigh] = emit_multiply_high,
    [IR_AbsD] = emit_absolute,
    [IR_SqrtD] = emit_square_root,
    [IR_FloorD] = emit_round,
    [IR_CeilD] = emit_round,
    [IR_RintD] = emit_round,
    [IR_BitsOfF] = emit_move_bits,
    [IR_BitsOfD] = emit_move_bits,
    [IR_FOfBits] = emit_move_bits,
    [IR_DOfBits] = emit_move_bits,
    [IR_CurrentThread] = emit_current_thread,
    [IR_MirrorOf] = emit_mirror_of,
    [IR_LoadAt] = emit_load_at,
    [IR_LoadRaw] = emit_load_raw,
    [IR_StoreRaw] = emit_store_raw,
    [IR_StoreAt] = emit_store_at,
    [IR_CompareAndSetAt] = emit_compare_and_set_at,
    [IR_GetAndAddAt] = emit_get_and_add_at,
    [IR_GetAndSetAt] = emit_get_and_set_at,
    [IR_CallC] = emit_call_c,
    [IR_NullCheck] = emit_null_check,
    [IR_RangeCheck] = emit_range_check,
    [IR_ZeroCheckI] = emit_zero_check,
    [IR_ZeroCheckL] = emit_zero_check,
    [IR_NegSizeCheck] = emit_size_check,
    [IR_TypeCheck] = emit_type_check,
    [IR_StoreCheck] = emit_store_check,
    [IR_InstanceOf] = emit_instance_of,
    [IR_HasClass] = emit_has_class,
    [IR_TestI] = emit_test,
    [IR_TestA] = emit_test,
    [IR_LoadField] = emit_load_field,
    [IR_StoreField] = emit_store_field,
    [IR_LoadElem] = emit_load_element,
    [IR_StoreElem] = emit_store_element,
    [IR_ArrayLength] = emit_array_length,
    [IR_Fence] = emit_fence,
    [IR_New] = emit_new,
    [IR_NewArray] = emit_new_array,
    [IR_NewMulti] = emit_new_multi,
    [IR_MonitorEnter] = emit_monitor,
    [IR_MonitorExit] = emit_monitor,
    [IR_HoldUnmade] = emit_hold_unmade,
    [IR_ReleaseUnmade] = emit_release_unmade,
    [IR_CallStatic] = emit_call,
    [IR_CallExact] = emit_call,
    [IR_CallVirtual] = emit_call,
    [IR_CallInterface] = emit_call,
    [IR_CallRuntime] = emit_deopt_before,
    [IR_Throw] = emit_throw,
    [IR_ThrowNull] = emit_throw_check,
    [IR_ThrowZero] = emit_throw_check,
    [IR_ThrowIndex] = emit_throw_check,
    [IR_ThrowSize] = emit_throw_check,
    [IR_ThrowCast] = emit_throw_check,
    [IR_Landing] = emit_landing,
    [IR_Deopt] = emit_deopt,
    [IR_Poll] = emit_poll,
    [IR_PostEntry] = emit_post,
    [IR_PostExit] = emit_post,
    [IR_Trace] = emit_trace,
    [IR_Breakpoint] = emit_breakpoint,
    [IR_GetWatched] = emit_watched,
    [IR_PutWatched] = emit_watched,
    [IR_Return] = emit_return,
    [IR_Virtual] = emit_nothing,
    [IR_Boxed] = emit_nothing,
    [IR_Goto] = emit_nothing,
    [IR_IfI] = emit_nothing,
    [IR_IfA] = emit_nothing,
    [IR_Switch] = emit_nothing, // by emit_block_end
};

void part_moves(Emitter *e, Moves *moves)
{
    const Machine *m = e->m;
    for (; e->next_part < e->parts.len; e->next_part++) {
        const Interval *i = &m->intervals.at[e->parts.at[e->next_part].interval];
        uint32_t from = e->parts.at[e->next_part].from;
        if (from > e->at)
            break;
        if (from < e->at || i->reg == NO_REGISTER)
            continue; // where a block begins its edges do it
        vec_push(moves, ((Move){{AT_REGISTER, i->reg}, location_at(e, i->value, e->at - 1)}));
    }
}

void skip_parts(Emitter *e, uint32_t position)
{
    while (e->next_part < e->parts.len && e->parts.at[e->next_part].from <= position)
        e->next_part++;
}

static void store_result(Emitter *e, NodeId n, uint32_t position)
{
    if (!e->m->number[n] || !e->m->interval[n] || e->m->slot[n] == NO_SLOT)
        return;
    Location at = location_at(e, n, position);
    if (at.kind == AT_REGISTER)
        emit_store_slot(e, e->m->slot[n], (uint8_t)at.index);
}

static uint32_t here(const Emitter *e)
{
    return (uint32_t)asm_size(&e->a);
}

static void emit_node(Emitter *e, NodeId n)
{
    if (e->m->form[n] == FORM_FOLDED)
        return;
    view_mark(e->g->view, here(e), "node", n, 0);
    note_position(e, n);
    Moves moves = {0};
    part_moves(e, &moves);
    emit_moves(e, &moves);
    vec_free(&moves);
    emit_deopt_every(e, n);
    NodeEmitter *emitter = x86_node_emitters[ir_node(e->g, n)->op];
    (emitter ? emitter : emit_unknown)(e, n);
    if (machine_is_value(e->m, n))
        store_result(e, n, e->at + 2);
}

// ---- blocks ----

// An int that comes as an argument has anything there; here all have 0.
static void clear_upper_half(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    bool comes_in = node->op == IR_Param || node->op == IR_OsrLocal;
    if (!comes_in || node->type != IRT_I || !e->m->interval[n])
        return;
    Location at = location_at(e, n, 0);
    if (at.kind == AT_REGISTER) {
        x86_mov_r32_r32(&e->a, gpr((uint8_t)at.index), gpr((uint8_t)at.index));
    } else {
        X86Mem upper = location_memory(e, at);
        upper.disp += (int32_t)sizeof(uint32_t);
        x86_mov_m32_i32(&e->a, upper, 0);
    }
}

// Arguments go from where a caller put them to where they are wanted.
static void take_arguments(Emitter *e)
{
    Moves moves = {0};
    const IrList *nodes = &ir_at(e->g, 1)->nodes;
    const IrSource *source = e->g->source;
    ArgumentWalk w = {0};
    uint32_t slot = 0;
    DescriptorWalk d =
        descriptor_walk((const char *)source->descriptor.p, source->descriptor.len, 0);
    bool has_receiver = !(source->access & ACC_STATIC);
    while (has_receiver || descriptor_walk_next(&d)) {
        IrType type = has_receiver ? IRT_A : ir_type_of_kind(d.kind);
        ArgumentPlace place = machine_next_argument(&w, type);
        for (uint32_t k = 0; k < nodes->len; k++) {
            const Node *node = ir_node(e->g, nodes->at[k]);
            if (node->op != IR_Param || node->aux != slot || !e->m->interval[nodes->at[k]])
                continue;
            Location from = place.reg == NO_REGISTER ? (Location){AT_ARGUMENT, place.stack}
                                                     : (Location){AT_REGISTER, place.reg};
            vec_push(&moves, ((Move){location_at(e, nodes->at[k], 0), from}));
        }
        slot += type == IRT_L || type == IRT_D ? 2 : 1;
        has_receiver = false;
    }
    emit_moves(e, &moves);
    vec_free(&moves);
}

// The locals of the interpreter's frame, to which the first argument points.
static void take_locals(Emitter *e)
{
    Moves moves = {0};
    const IrList *nodes = &ir_at(e->g, 1)->nodes;
    x86_mov_r64_r64(&e->a, SCRATCH, RDI);
    for (uint32_t k = 0; k < nodes->len; k++) {
        const Node *node = ir_node(e->g, nodes->at[k]);
        if (node->op == IR_OsrLocal && e->m->interval[nodes->at[k]])
            vec_push(&moves, ((Move){location_at(e, nodes->at[k], 0), {AT_LOCAL, node->aux}}));
    }
    emit_moves(e, &moves);
    vec_free(&moves);
}

static void enter_frame(Emitter *e)
{
    Asm *a = &e->a;
    bool is_loop = e->g->osr_bci >= 0;
    if (!is_loop)
        emit_entry_check(e);
    x86_push_r64(a, RBP);
    x86_mov_r64_r64(a, RBP, RSP);
    x86_sub_r64_i(a, RSP, (int32_t)e->frame_size);
    x86_mov_m64_i32(a, x86_mem(RBP, -CODE_EVENTS_AT), 0);
    if (is_loop)
        take_locals(e);
    else
        take_arguments(e);
    const IrList *nodes = &ir_at(e->g, 1)->nodes;
    for (uint32_t k = 0; k < nodes->len; k++)
        clear_upper_half(e, nodes->at[k]);
}

// Phis that have a slot are stored where their block begins.
static void emit_nodes(Emitter *e, BlockId b)
{
    const Block *block = ir_at(e->g, b);
    e->block = b;
    e->at = e->m->from[b];
    for (uint32_t k = 0; k < block->nodes.len && machine_begins_block(e->g, block->nodes.at[k]);
         k++)
        store_result(e, block->nodes.at[k], e->at);
    skip_parts(e, e->at);
    for (uint32_t k = 0; k < block->nodes.len; k++) {
        NodeId n = block->nodes.at[k];
        if (machine_begins_block(e->g, n))
            continue;
        e->at = e->m->position[n];
        emit_node(e, n);
    }
    view_mark(e->g->view, here(e), "end", ir_end(block), b);
    emit_block_end(e, block);
}

static void emit_block(Emitter *e, size_t index)
{
    BlockId b = e->g->order.at[index];
    const Block *block = ir_at(e->g, b);
    e->block = b;
    e->at = e->m->from[b];
    e->follows = index + 1 < e->g->order.len ? e->g->order.at[index + 1] : 0;
    view_mark(e->g->view, here(e), "block", 0, b);
    asm_bind(&e->a, e->labels[b]);
    if (b == 1)
        enter_frame(e);
    if (block->preds.len == 1 && ir_at(e->g, block->preds.at[0])->succs.len > 1) {
        Moves moves = {0};
        edge_moves(e, block->preds.at[0], b, &moves);
        emit_moves(e, &moves);
        vec_free(&moves);
    }
    emit_nodes(e, b);
}

// A loop's header that only decides whether to go on.
static bool is_small_header(const Emitter *e, BlockId b)
{
    enum { MOST_NODES = 8 };
    const Block *block = ir_at(e->g, b);
    uint16_t end = ir_node(e->g, ir_end(block))->op;
    if (!block->is_header || (end != IR_IfI && end != IR_IfA))
        return false;
    uint32_t count = 0;
    for (uint32_t k = 0; k < block->nodes.len; k++) {
        NodeId n = block->nodes.at[k];
        if (ir_info(ir_node(e->g, n))->flags & (IRF_CALL | IRF_ALLOC | IRF_FENCE))
            return false;
        count += !machine_begins_block(e->g, n);
    }
    return count <= MOST_NODES;
}

bool emit_header_again(Emitter *e, BlockId header)
{
    const Block *from = ir_at(e->g, e->block);
    if (header == e->follows || from->loop == 0 || !is_small_header(e, header)
        || !ir_dominates(e->g, header, e->block))
        return false;
    BlockId block = e->block;
    uint32_t at = e->at;
    size_t next_part = e->next_part;
    e->next_part = 0;
    view_mark(e->g->view, here(e), "block", 0, header);
    emit_nodes(e, header);
    e->next_part = next_part;
    e->at = at;
    e->block = block;
    return true;
}

// ---- cold code ----

static void emit_cold(Emitter *e, const Cold *c)
{
    asm_bind(&e->a, c->label);
    e->at = c->at;
    view_mark(e->g->view, here(e), "rare", c->node, c->from);
    switch (c->kind) {
    case COLD_DEOPT: emit_deopt_exit(e, c->state, c->reason); return;
    case COLD_EVERY: emit_cold_every(e, c); return;
    case COLD_STORE_CHECK: emit_cold_store_check(e, c); return;
    case COLD_NEW: emit_cold_new(e, c); return;
    case COLD_NEW_ARRAY: emit_cold_new_array(e, c); return;
    case COLD_NEW_MULTI: emit_cold_new_multi(e, c); return;
    case COLD_SELECT: emit_cold_select(e, c); return;
    case COLD_POLL: emit_cold_poll(e, c); return;
    case COLD_MONITOR: emit_cold_monitor(e, c); return;
    case COLD_REPORT: emit_cold_report(e, c); return;
    case COLD_EDGE: break;
    }
    Moves moves = {0};
    edge_moves(e, c->from, c->to, &moves);
    emit_moves(e, &moves);
    vec_free(&moves);
    x86_jmp(&e->a, e->labels[c->to]);
}

static void emit_address(Emitter *e, AsmLabel label, const void *address)
{
    asm_bind(&e->a, label);
    uint64_t bits = (uintptr_t)address;
    asm_emit(&e->a, &bits, sizeof bits);
}

// ---- all ----

enum { LEAST_OUTGOING = 2 }; // for the VM's functions

static int by_start(const void *a, const void *b)
{
    const Part *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static bool has_floats(const Machine *m)
{
    for (uint32_t i = 1; i < m->intervals.len; i++)
        if (m->intervals.at[i].is_float && m->intervals.at[i].reg != NO_REGISTER)
            return true;
    return false;
}

void emit_begin(Emitter *e)
{
    const Machine *m = e->m;
    e->has_floats = has_floats(m);
    for (uint32_t i = 1; i < m->intervals.len; i++)
        if (m->intervals.at[i].is_part)
            vec_push(&e->parts, ((Part){m->ranges.at[m->intervals.at[i].ranges].from, i}));
    if (e->parts.len)
        qsort(e->parts.at, e->parts.len, sizeof *e->parts.at, by_start);
    for (uint32_t i = 1; i < m->intervals.len; i++) {
        const Interval *one = &m->intervals.at[i];
        if (one->value && one->ranges && ir_node(e->g, one->value)->type == IRT_A)
            vec_push(&e->references, ((Part){m->ranges.at[one->ranges].from, i}));
    }
    if (e->references.len)
        qsort(e->references.at, e->references.len, sizeof *e->references.at, by_start);
    e->outgoing = LEAST_OUTGOING;
    for (size_t i = 0; i < m->line.len; i++)
        if (m->line.at[i])
            e->outgoing = MAX_OF(e->outgoing, emit_outgoing_words(e, m->line.at[i]));
}

enum {
    MOST_FRAME_BYTES = JIT_STACK_RESERVE / 2
}; // the check at the entry looks at rsp before the frame is there

// Now that it is known where their blocks are.
static void place_landings(Emitter *e)
{
    for (size_t i = 0; i < e->notes.landings.len; i++) {
        CodeLanding *landing = &e->notes.landings.at[i];
        landing->offset = (uint32_t)asm_label_at(&e->a, e->labels[landing->offset]);
    }
}

static void place_guards(Emitter *e)
{
    for (size_t i = 0; i < e->notes.guards.len; i++)
        e->notes.guards.at[i].fault = (uint32_t)asm_label_at(&e->a, e->faults.at[i]);
}

void emit_graph(Emitter *e)
{
    size_t words = 1 + e->m->slot_count + e->outgoing;
    e->frame_size = (uint32_t)ALIGN_UP(words * sizeof(uint64_t), 16u);
    if (e->frame_size > MOST_FRAME_BYTES)
        emit_refuse(e, REFUSED_SLOTS);
    AsmLabel *labels[] = {&e->deopt_address, &e->throw_address, &e->athrow_address,
                          &e->poll_address,  &e->entry_address, &e->entry_slow};
    for (size_t i = 0; i < ARRAY_LEN(labels); i++)
        *labels[i] = asm_label(&e->a);
    e->labels = arena_alloc(&e->m->arena, e->g->blocks.len * sizeof *e->labels);
    for (size_t i = 0; i < e->g->order.len; i++)
        e->labels[e->g->order.at[i]] = asm_label(&e->a);
    e->last_scope = arena_alloc(&e->m->arena, e->g->scopes.len * sizeof *e->last_scope);
    e->bare_scope = arena_alloc(&e->m->arena, e->g->scopes.len * sizeof *e->bare_scope);
    note_method(e, 0, CODE_NO_STATE);
    for (size_t i = 0; i < e->g->order.len; i++) {
        emit_block(e, i);
        ir_between(e->g);
    }
    for (size_t i = 0; i < e->cold.len; i++) {
        const Cold cold = e->cold.at[i]; // the list may grow
        emit_cold(e, &cold);
    }
    note_methods(e);
    view_mark(e->g->view, here(e), "addresses", 0, 0);
    asm_bind(&e->a, e->entry_slow);
    x86_jmp_m64(&e->a, x86_mem_label(e->entry_address));
    emit_address(e, e->entry_address, e->entry_stub);
    emit_address(e, e->poll_address, e->poll_stub);
    emit_address(e, e->throw_address, e->throw_stub);
    emit_address(e, e->athrow_address, e->athrow_stub);
    emit_address(e, e->deopt_address, e->deopt_stub);
    place_landings(e);
    place_guards(e);
    vec_free(&e->live);
    vec_free(&e->references);
    vec_free(&e->parts);
}
