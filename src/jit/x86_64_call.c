// SPDX-License-Identifier: Apache-2.0
// Calls of Java methods, of the VM's functions, and allocation. The convention is that of code/java_convention.h.
#include "class/class.h"
#include "class/method_id.h"
#include "code/java_stubs.h"
#include "event/event.h"
#include "interp/interp.h"
#include "jit/runtime.h"
#include "jit/x86_64_emit.h"
#include "options/options.h"
#include "thread/monitor.h"

// ---- the VM's functions ----

static void call_stub(Emitter *e, JavaRuntime *function, bool keeps_floats)
{
    const void *stub = java_runtime_stub(function, keeps_floats);
    if (!stub)
        emit_refuse(e, REFUSED_ROOM);
    x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)(uintptr_t)stub);
    x86_call_r64(&e->a, SCRATCH);
}

// Calls a function by its stub, which keeps all registers that have values; its result is in SCRATCH. A tool may look at the frame with node n's state.
static void call_runtime(Emitter *e, NodeId n, JavaRuntime *function, uint32_t state,
                         uint32_t roots, uint32_t registers)
{
    call_stub(e, function, e->has_floats);
    note_site(e, SITE_RUNTIME, n, state, roots, registers);
}

void emit_ask_runtime(Emitter *e, const Cold *c, JavaRuntime *function)
{
    call_stub(e, function, e->has_floats);
    // Nothing is collected there: it has no roots.
    note_site(e, SITE_SELECT, c->node, c->state, 0, 0);
}

// What is pending in the thread comes out of node n.
static void throw_pending(Emitter *e, NodeId n, uint32_t state, uint32_t roots,
                          uint32_t registers)
{
    x86_call_m64(&e->a, x86_mem_label(e->throw_address));
    note_site(e, SITE_RUNTIME, n, state, roots, registers);
}

// The exception of a check that has failed.
void emit_throw_check(Emitter *e, NodeId n)
{
    static JavaRuntime *const functions[] = {
        [IR_ThrowNull] = runtime_throw_null,   [IR_ThrowZero] = runtime_throw_zero,
        [IR_ThrowIndex] = runtime_throw_index, [IR_ThrowSize] = runtime_throw_size,
        [IR_ThrowCast] = runtime_throw_cast,
    };
    Node *node = ir_node(e->g, n);
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    uint32_t state = note_state(e, n, e->at + 1, STATE_AS_IT_IS);
    for (uint32_t i = 0; i < ir_input_count(node); i++) {
        emit_load(e, SCRATCH, input_location(e, n, i));
        x86_mov_m64_r64(&e->a, x86_mem(RSP, (int32_t)i * 8), SCRATCH);
    }
    if (node->op == IR_ThrowCast) {
        x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)(uintptr_t)ir_pointer(e->g, node));
        x86_mov_m64_r64(&e->a, x86_mem(RSP, 8), SCRATCH);
    }
    call_runtime(e, n, functions[node->op], state, roots, registers);
    throw_pending(e, n, state, roots, registers);
}

// ---- allocation: from the thread's buffer, which is zeroed, or by the VM ----

static X86Mem of_mutator(size_t offset)
{
    return x86_mem(THREAD, (int32_t)offset);
}

static Cold *add_slow(Emitter *e, NodeId n, ColdKind kind)
{
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    Cold cold = {.kind = kind,
                 .label = asm_label(&e->a),
                 .back = asm_label(&e->a),
                 .node = n,
                 .at = e->at,
                 .state = note_state(e, n, e->at + 1, STATE_AS_IT_IS),
                 .roots = roots,
                 .registers = registers};
    vec_push(&e->cold, cold);
    return &e->cold.at[e->cold.len - 1];
}

// `to` = the buffer's top, SCRATCH the new one.
static void take_from_buffer(Emitter *e, X86Reg to, const Cold *slow, const Class *c)
{
    Asm *a = &e->a;
    x86_cmp_r64_m64(a, SCRATCH, of_mutator(offsetof(Mutator, tlab_end)));
    x86_j_cc_l32(a, X86_A, slow->label);
    x86_mov_m64_r64(a, of_mutator(offsetof(Mutator, tlab_top)), SCRATCH);
    x86_mov_m32_i32(a, x86_mem(to, offsetof(Object, klass)),
                    (int32_t)layout_encode(&c->layout));
}

void emit_new(Emitter *e, NodeId n)
{
    const Class *c = ir_pointer(e->g, ir_node(e->g, n));
    const Cold slow = *add_slow(e, n, COLD_NEW);
    X86Reg to = gpr(result_register(e, n));
    if (!ALLOCATES_INLINE || to == SCRATCH) {
        x86_jmp_l32(&e->a, slow.label);
    } else {
        x86_mov_r64_m64(&e->a, to, of_mutator(offsetof(Mutator, tlab_top)));
        x86_lea_r64_m(&e->a, SCRATCH, x86_mem(to, (int32_t)c->layout.instance_size));
        take_from_buffer(e, to, &slow, c);
    }
    asm_bind(&e->a, slow.back);
}

enum { INLINE_ARRAY_BYTES = 4096 };

static bool is_short_constant(const Emitter *e, Location length, const Class *c,
                              int32_t *elements)
{
    if (length.kind != AT_CONSTANT)
        return false;
    *elements = (int32_t)ir_value(e->g, ir_node(e->g, length.index));
    return *elements >= 0 && *elements <= INLINE_ARRAY_BYTES >> c->layout.elem_shift;
}

void emit_new_array(Emitter *e, NodeId n)
{
    const Class *c = ir_pointer(e->g, ir_node(e->g, n));
    Asm *a = &e->a;
    X86Reg to = gpr(result_register(e, n));
    Location length = input_location(e, n, 0);
    int32_t elements;
    const Cold slow = *add_slow(e, n, COLD_NEW_ARRAY);
    if (!ALLOCATES_INLINE || to == SCRATCH) {
        x86_jmp_l32(a, slow.label);
    } else if (is_short_constant(e, length, c, &elements)) {
        uint32_t size = ARRAY_BASE + ((uint32_t)elements << c->layout.elem_shift);
        size = (size + OBJECT_ALIGN - 1) & ~(uint32_t)(OBJECT_ALIGN - 1);
        x86_mov_r64_m64(a, to, of_mutator(offsetof(Mutator, tlab_top)));
        x86_lea_r64_m(a, SCRATCH, x86_mem(to, (int32_t)size));
        take_from_buffer(e, to, &slow, c);
        x86_mov_m32_i32(a, x86_mem(to, ARRAY_LENGTH_OFFSET), elements);
    } else {
        emit_load(e, SCRATCH, length);
        x86_cmp_r32_i32(a, SCRATCH, INLINE_ARRAY_BYTES >> c->layout.elem_shift);
        x86_j_cc_l32(a, X86_A, slow.label);
        x86_shl_r64_u8(a, SCRATCH, c->layout.elem_shift);
        x86_add_r64_i8(a, SCRATCH, ARRAY_BASE + OBJECT_ALIGN - 1);
        x86_and_r64_i8(a, SCRATCH, -OBJECT_ALIGN);
        x86_mov_r64_m64(a, to, of_mutator(offsetof(Mutator, tlab_top)));
        x86_add_r64_r64(a, SCRATCH, to);
        take_from_buffer(e, to, &slow, c);
        emit_load(e, SCRATCH, length);
        x86_mov_m32_r32(a, x86_mem(to, ARRAY_LENGTH_OFFSET), SCRATCH);
    }
    asm_bind(a, slow.back);
}

static void outgoing_pointer(Emitter *e, int32_t word, const void *p)
{
    x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)(uintptr_t)p);
    x86_mov_m64_r64(&e->a, x86_mem(RSP, word * 8), SCRATCH);
}

static void finish_allocation(Emitter *e, const Cold *c)
{
    AsmLabel failed = asm_label(&e->a);
    x86_test_r64_r64(&e->a, SCRATCH, SCRATCH);
    x86_j_cc_l8(&e->a, X86_E, failed);
    emit_load(e, result_register(e, c->node), (Location){AT_REGISTER, SCRATCH});
    x86_jmp_l32(&e->a, c->back);
    asm_bind(&e->a, failed);
    throw_pending(e, c->node, c->state, c->roots, c->registers);
}

void emit_cold_new(Emitter *e, const Cold *c)
{
    outgoing_pointer(e, 0, ir_pointer(e->g, ir_node(e->g, c->node)));
    call_runtime(e, c->node, runtime_new, c->state, c->roots, c->registers);
    finish_allocation(e, c);
}

void emit_cold_new_array(Emitter *e, const Cold *c)
{
    outgoing_pointer(e, 0, ir_pointer(e->g, ir_node(e->g, c->node)));
    emit_load(e, SCRATCH, input_location(e, c->node, 0));
    x86_mov_m64_r64(&e->a, x86_mem(RSP, 8), SCRATCH);
    call_runtime(e, c->node, runtime_new_array, c->state, c->roots, c->registers);
    finish_allocation(e, c);
}

// Always by the VM.
void emit_new_multi(Emitter *e, NodeId n)
{
    const Cold slow = *add_slow(e, n, COLD_NEW_MULTI);
    x86_jmp_l32(&e->a, slow.label);
    asm_bind(&e->a, slow.back);
}

enum { MULTI_LENGTHS = 2 }; // the first one's outgoing word

void emit_cold_new_multi(Emitter *e, const Cold *c)
{
    Node *node = ir_node(e->g, c->node);
    outgoing_pointer(e, 0, ir_pointer(e->g, node));
    x86_mov_m64_i32(&e->a, x86_mem(RSP, 8), (int32_t)ir_input_count(node));
    for (uint32_t i = 0; i < ir_input_count(node); i++) {
        emit_load(e, SCRATCH, input_location(e, c->node, i));
        x86_mov_m64_r64(&e->a, x86_mem(RSP, (int32_t)(MULTI_LENGTHS + i) * 8), SCRATCH);
    }
    call_runtime(e, c->node, runtime_new_multi, c->state, c->roots, c->registers);
    finish_allocation(e, c);
}

// ---- monitors: thin ones are changed here, and the thread's records of them; all else the VM does ----

enum { OWNER_SHIFT = THIN_OWNER_SHIFT + MARK_LOCK_SHIFT };

static X86Mem held_top(void)
{
    return x86_mem(THREAD, THREAD_OFFSET_held + (int32_t)offsetof(HeldMonitors, top));
}

static X86Mem held_end(void)
{
    return x86_mem(THREAD, THREAD_OFFSET_held + (int32_t)offsetof(HeldMonitors, end));
}

static X86Mem mark_of(X86Reg object)
{
    return x86_mem(object, offsetof(Object, mark));
}

// SCRATCH = the thread as the owner of a mark word.
static void load_owner(Emitter *e)
{
    x86_mov_r32_m32(&e->a, SCRATCH, x86_mem(THREAD, THREAD_OFFSET_id));
    x86_shl_r64_u8(&e->a, SCRATCH, OWNER_SHIFT);
}

// As held_enter_fast. Changes rax and SCRATCH.
static void enter_thin(Emitter *e, X86Reg object, X86Reg top, AsmLabel slow)
{
    Asm *a = &e->a;
    x86_mov_r64_m64(a, top, held_top());
    x86_cmp_r64_m64(a, top, held_end());
    x86_j_cc_l32(a, X86_E, slow);
    x86_mov_r64_m64(a, RAX, mark_of(object));
    x86_test_r8_i8(a, RAX, (1 << MARK_STATE_BITS) - 1);
    x86_j_cc_l32(a, X86_NE, slow);
    load_owner(e);
    x86_lea_r64_m(a, SCRATCH, x86_mem_index(SCRATCH, RAX, X86_TIMES_1, MARK_THIN));
    x86_lock_cmpxchg_m64_r64(a, mark_of(object), SCRATCH);
    x86_j_cc_l32(a, X86_NE, slow);
    x86_mov_m64_r64(a, x86_mem(top, 0), object);
    x86_add_r64_i8(a, top, WORD_BYTES);
    x86_mov_m64_r64(a, held_top(), top);
}

// As held_exit_fast: what the owner's bits leave of the mark word must be no lock.
static void exit_thin(Emitter *e, X86Reg object, X86Reg lock, AsmLabel slow)
{
    enum { ABOVE_LOCK = 64 - MARK_LOCK_SHIFT - MARK_LOCK_BITS };
    Asm *a = &e->a;
    x86_mov_r64_m64(a, RAX, mark_of(object));
    load_owner(e);
    x86_xor_r64_i8(a, SCRATCH, MARK_THIN);
    x86_xor_r64_r64(a, SCRATCH, RAX);
    x86_test_r8_i8(a, SCRATCH, (1 << MARK_STATE_BITS) - 1);
    x86_j_cc_l32(a, X86_NE, slow);
    x86_mov_r64_r64(a, lock, SCRATCH);
    x86_shl_r64_u8(a, lock, ABOVE_LOCK);
    x86_shr_r64_u8(a, lock, ABOVE_LOCK + MARK_LOCK_SHIFT);
    x86_j_cc_l32(a, X86_NE, slow);
    x86_lock_cmpxchg_m64_r64(a, mark_of(object), SCRATCH);
    x86_j_cc_l32(a, X86_NE, slow);
    x86_sub_m64_i8(a, held_top(), WORD_BYTES);
}

// `during`: the state while the VM does it; `failed`: where an exception comes out.
static void change_monitor(Emitter *e, NodeId n, X86Reg object, bool enters, uint32_t during,
                           uint32_t failed)
{
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    const Cold slow = {.kind = COLD_MONITOR,
                       .label = asm_label(&e->a),
                       .back = asm_label(&e->a),
                       .node = n,
                       .at = e->at,
                       .state = during,
                       .failed = failed,
                       .roots = roots,
                       .registers = registers,
                       .object = object,
                       .enters = enters};
    vec_push(&e->cold, slow);
    (enters ? enter_thin : exit_thin)(e, object, gpr(temporary_register(e, n, 0)), slow.label);
    asm_bind(&e->a, slow.back);
}

void emit_cold_monitor(Emitter *e, const Cold *c)
{
    x86_mov_m64_r64(&e->a, x86_mem(RSP, 0), (X86Reg)c->object);
    call_runtime(e, c->node, c->enters ? runtime_enter_monitor : runtime_exit_monitor, c->state,
                 c->roots, c->registers);
    e->notes.sites.at[e->notes.sites.len - 1].enters = c->enters;
    x86_test_r64_r64(&e->a, SCRATCH, SCRATCH);
    x86_jcc(&e->a, X86_NE, c->back);
    throw_pending(e, c->node, c->failed, c->roots, c->registers);
}

void emit_monitor(Emitter *e, NodeId n)
{
    X86Reg object = gpr(input_register(e, n, 0));
    bool enters = ir_node(e->g, n)->op == IR_MonitorEnter;
    uint32_t during = note_state(e, n, e->at + 1, enters ? STATE_LOCKED : STATE_UNLOCKED);
    uint32_t failed = enters ? note_state(e, n, e->at + 1, STATE_AS_IT_IS) : during;
    change_monitor(e, n, object, enters, during, failed);
}

// The record names the frame, which has the object made when anybody looks (held_unmade).
void emit_hold_unmade(Emitter *e, NodeId n)
{
    Asm *a = &e->a;
    X86Reg top = gpr(temporary_register(e, n, 0));
    x86_mov_r64_m64(a, top, held_top());
    x86_cmp_r64_m64(a, top, held_end());
    emit_deopt_before_if(e, n, X86_E);
    x86_lea_r64_m(a, SCRATCH, x86_mem(RBP, HELD_UNMADE));
    x86_mov_m64_r64(a, x86_mem(top, 0), SCRATCH);
    x86_add_r64_i8(a, top, WORD_BYTES);
    x86_mov_m64_r64(a, held_top(), top);
}

void emit_release_unmade(Emitter *e, NodeId n)
{
    (void)n;
    x86_sub_m64_i8(&e->a, held_top(), WORD_BYTES);
}

void emit_exit_method(Emitter *e, NodeId n)
{
    const State *s = ir_state(e->g, ir_node(e->g, n)->state);
    const NodeId *locals, *operands;
    ir_state_words(e->g, s, &locals, &operands);
    X86Reg object = gpr(temporary_register(e, n, 1));
    emit_load(e, (uint8_t)object, location_at(e, e->m->value[operands[s->depth]], e->at));
    uint32_t state = note_state(e, n, e->at + 1, STATE_UNLOCKED);
    change_monitor(e, n, object, false, state, state);
}

// ---- polls ----

void emit_trace(Emitter *e, NodeId n)
{
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    call_runtime(e, n, runtime_trace, note_state(e, n, e->at + 1, STATE_AS_IT_IS), roots,
                 registers);
}

void emit_poll(Emitter *e, NodeId n)
{
    const Cold slow = *add_slow(e, n, COLD_POLL);
    if (vm_options.jit_hook_all)
        x86_jmp_l32(&e->a, slow.label);
    x86_cmp_r64_m64(&e->a, RSP, x86_mem(THREAD, THREAD_OFFSET_jit_limit));
    x86_j_cc_l32(&e->a, X86_BE, slow.label);
    asm_bind(&e->a, slow.back);
}

void emit_cold_poll(Emitter *e, const Cold *c)
{
    x86_call_m64(&e->a, x86_mem_label(e->poll_address));
    note_site(e, SITE_RUNTIME, c->node, c->state, c->roots, c->registers);
    x86_jmp(&e->a, c->back);
}

// ---- Java methods ----

uint32_t emit_outgoing_words(const Emitter *e, NodeId n)
{
    Node *node = ir_node(e->g, n);
    ArgumentWalk w = {0};
    if (node->op == IR_NewMulti)
        return MULTI_LENGTHS + ir_input_count(node);
    if (node->op == IR_Breakpoint || node->op == IR_GetWatched || node->op == IR_PutWatched)
        return REPORT_OBJECT + ir_input_count(node);
    bool passes = node->op >= IR_CallStatic && node->op <= IR_CallInterface;
    if (!passes && node->op != IR_CallC)
        return 0;
    for (uint32_t i = 0; i < ir_input_count(node); i++)
        (void)machine_next_argument(&w, (IrType)ir_node(e->g, input_of(e, n, i))->type);
    return w.stack;
}

static void pass_arguments(Emitter *e, NodeId n)
{
    Node *node = ir_node(e->g, n);
    Moves moves = {0};
    ArgumentWalk w = {0};
    for (uint32_t i = 0; i < ir_input_count(node); i++) {
        ArgumentPlace p =
            machine_next_argument(&w, (IrType)ir_node(e->g, input_of(e, n, i))->type);
        Location to = p.reg == NO_REGISTER ? (Location){AT_OUTGOING, p.stack}
                                           : (Location){AT_REGISTER, p.reg};
        vec_push(&moves, ((Move){to, input_location(e, n, i)}));
    }
    emit_moves(e, &moves);
    vec_free(&moves);
}

// rbx = the method that the receiver's class has in its table; the receiver is in rdi.
static void select_virtual(Emitter *e, const Method *m)
{
    Asm *a = &e->a;
    emit_load_class(e, RAX, RDI);
    x86_mov_r64_m64(a, RBX, x86_mem(RAX, offsetof(Class, vtable)));
    x86_mov_r64_m64(a, RBX, x86_mem(RBX, m->table_index * (int32_t)sizeof(Method *)));
}

// rbx = what the receiver's class has for a method of an interface: as the site's cache says, or by the VM.
static void select_interface(Emitter *e, NodeId n, const Method *m, uint32_t state,
                             uint32_t roots)
{
    Asm *a = &e->a;
    Cold cold = {.kind = COLD_SELECT,
                 .label = asm_label(a),
                 .back = asm_label(a),
                 .node = n,
                 .at = e->at,
                 .state = state,
                 .roots = roots};
    InterfaceCache *cache = interface_cache_new(m);
    vec_push(&e->caches, cache);
    vec_push(&e->cold, cold);
    x86_mov_r32_m32(a, R11, x86_mem(RDI, offsetof(Object, klass)));
    x86_mov_r32_r32(a, R10, R11);
    x86_shr_r32_u8(a, R10, CACHE_SHIFT);
    x86_and_r32_i8(a, R10, CACHE_ENTRIES - 1); // interface_cache_index
    x86_movabs_r64_i64(a, RAX, (int64_t)(uintptr_t)cache);
    x86_mov_r64_m64(a, RBX,
                    x86_mem_index(RAX, R10, X86_TIMES_8, offsetof(InterfaceCache, found)));
    x86_cmp_m32_r32(a, x86_mem(RBX, offsetof(InterfaceFound, klass)), R11);
    x86_j_cc_l32(a, X86_NE, cold.label);
    x86_mov_r64_m64(a, RBX, x86_mem(RBX, offsetof(InterfaceFound, selected)));
    asm_bind(a, cold.back);
}

// The receiver is in rdi, the cache in rax; arguments stay where they are: constants, too, which are no values in registers else.
void emit_cold_select(Emitter *e, const Cold *c)
{
    Asm *a = &e->a;
    AsmLabel failed = asm_label(a);
    call_stub(e, runtime_select, true);
    note_site(e, SITE_SELECT, c->node, c->state, c->roots, 0);
    x86_mov_r64_r64(a, RBX, SCRATCH);
    x86_test_r64_r64(a, RBX, RBX);
    x86_j_cc_l8(a, X86_E, failed);
    x86_jmp_l32(a, c->back);
    asm_bind(a, failed);
    throw_pending(e, c->node, c->state, c->roots, 0);
}

static void take_result(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    uint8_t from = machine_result_register((IrType)node->type);
    if (!e->m->number[n] || !e->m->interval[n])
        return;
    if (node->type == IRT_I)
        x86_mov_r32_r32(&e->a, gpr(result_register(e, n)),
                        RAX); // the rest of rax may be anything
    else
        emit_load(e, result_register(e, n), (Location){AT_REGISTER, from});
}

// Object.<init> does no more than registering what has a finalizer.
static void skip_object_init(Emitter *e, NodeId n, AsmLabel done)
{
    X86Reg object = gpr(input_register(e, n, 0));
    x86_mov_r32_m32(&e->a, SCRATCH, x86_mem(object, offsetof(Object, klass)));
    x86_shl_r64_u8(&e->a, SCRATCH, 3);
    if (class_space_base <= INT32_MAX) {
        x86_cmp_m8_i8(
            &e->a,
            x86_mem(SCRATCH, (int32_t)(class_space_base + offsetof(Layout, has_finalizer))), 0);
    } else {
        x86_push_r64(&e->a, RAX);
        x86_movabs_r64_i64(&e->a, RAX, (int64_t)class_space_base);
        x86_cmp_m8_i8(&e->a,
                      x86_mem_index(SCRATCH, RAX, X86_TIMES_1, offsetof(Layout, has_finalizer)),
                      0);
        x86_pop_r64(&e->a, RAX);
    }
    x86_j_cc_l32(&e->a, X86_E, done);
}

void emit_call(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    Method *m = ir_pointer(e->g, node);
    AsmLabel done = asm_label(&e->a);
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    uint32_t state = note_state(e, n, e->at + 1, STATE_AS_IT_IS);
    if (m->flags & METHOD_OBJECT_INIT && !e->g->posts_calls && !e->g->calls_object_init
        && input_location(e, n, 0).kind == AT_REGISTER)
        skip_object_init(e, n, done);
    pass_arguments(e, n);
    if (node->op == IR_CallVirtual)
        select_virtual(e, m);
    else if (node->op == IR_CallInterface)
        select_interface(e, n, m, state, roots);
    else
        x86_movabs_r64_i64(&e->a, RBX, (int64_t)(uintptr_t)m);
    x86_call_m64(&e->a, x86_mem(RBX, offsetof(Method, compiled_entry)));
    note_site(e, SITE_CALL, n, state, roots, 0);
    emit_deopt_every_behind(e, n, state);
    take_result(e, n);
    asm_bind(&e->a, done);
}

// ---- events ----

// r9 = the result of a method as a jvalue; what more an int has there is of no matter.
static void load_result(Emitter *e, NodeId n)
{
    uint8_t type = ir_node(e->g, input_of(e, n, 0))->type;
    if (type != IRT_F && type != IRT_D) {
        emit_load(e, R9, input_location(e, n, 0));
        return;
    }
    emit_load(e, SCRATCH_FLOAT, input_location(e, n, 0));
    if (type == IRT_F)
        x86_movd_r32_x(&e->a, R9, XMM15);
    else
        x86_movq_r64_x(&e->a, R9, XMM15);
}

static const void *post_stub(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    bool refers = ir_input_count(node) && ir_node(e->g, input_of(e, n, 0))->type == IRT_A;
    const void *stub = java_stub(node->op == IR_PostEntry ? JAVA_STUB_POST_ENTRY
                                 : refers                 ? JAVA_STUB_POST_REFERENCE
                                                          : JAVA_STUB_POST_EXIT);
    if (!stub)
        emit_refuse(e, REFUSED_ROOM);
    return stub;
}

static jmethodID id_of(Method *m)
{
    attempt_pause();
    jmethodID id = method_id(m);
    attempt_resume();
    return id;
}

// No register holds a value over it, so that the stub saves none. Where the id leads to another method some day the code is retired, and its
// frames go on in the interpreter.
void emit_post(Emitter *e, NodeId n)
{
    Asm *a = &e->a;
    Node *node = ir_node(e->g, n);
    bool entry = node->op == IR_PostEntry;
    AsmLabel done = asm_label(a);
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    uint32_t state = note_state(e, n, e->at + 1, STATE_AS_IT_IS);
    x86_movabs_r64_i64(
        a, SCRATCH,
        (int64_t)(uintptr_t)&event_wanted[entry ? EVENT_METHOD_ENTRY : EVENT_METHOD_EXIT]);
    x86_cmp_m32_i8(a, x86_mem(SCRATCH, 0), 0);
    x86_j_cc_l32(a, X86_E, done);
    if (ir_input_count(node))
        load_result(e, n);
    else
        x86_xor_r32_r32(a, R9, R9);
    x86_movabs_r64_i64(a, RCX, (int64_t)(uintptr_t)id_of(ir_pointer(e->g, node)));
    x86_movabs_r64_i64(a, SCRATCH, (int64_t)(uintptr_t)post_stub(e, n));
    x86_call_r64(a, SCRATCH);
    note_site(e, SITE_CALL, n, state, roots, 0);
    asm_bind(a, done);
    emit_deopt_every_behind(e, n, state);
}

// ---- breakpoints and watched fields: cold, so that code that meets none of them has its registers ----

void emit_breakpoint(Emitter *e, NodeId n)
{
    const Insn *pc = (const Insn *)(uintptr_t)ir_value(e->g, ir_node(e->g, n));
    const Cold slow = *add_slow(e, n, COLD_REPORT);
    x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)(uintptr_t)&pc->op);
    x86_movzx_r32_m16(&e->a, SCRATCH, x86_mem(SCRATCH, 0));
    x86_cmp_r32_i(&e->a, SCRATCH, OP_breakpoint);
    x86_j_cc_l32(&e->a, X86_E, slow.label);
    asm_bind(&e->a, slow.back);
}

void emit_watched(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    const Field *f = ir_pointer(e->g, node);
    bool gets = node->op == IR_GetWatched;
    const Cold slow = *add_slow(e, n, COLD_REPORT);
    x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)(uintptr_t)&f->watch);
    x86_test_m8_i8(&e->a, x86_mem(SCRATCH, 0), gets ? WATCH_ACCESS : WATCH_MODIFY);
    x86_j_cc_l32(&e->a, X86_NE, slow.label);
    asm_bind(&e->a, slow.back);
    (gets ? emit_load_field : emit_store_field)(e, n);
}

// What ReportedAt (runtime.h) says, in the outgoing words.
static void pass_report(Emitter *e, NodeId n)
{
    Node *node = ir_node(e->g, n);
    const State *s = ir_state(e->g, node->state);
    Method *m = e->g->scopes.at[s->scope].source->method;
    outgoing_pointer(e, REPORT_METHOD, m);
    outgoing_pointer(e, REPORT_INSN, method_insn_at(m, s->bci));
    if (node->op != IR_Breakpoint)
        outgoing_pointer(e, REPORT_FIELD, ir_pointer(e->g, node));
    for (uint32_t i = 0; i < ir_input_count(node); i++) {
        Location in = input_location(e, n, i);
        bool is_float = machine_is_float(e->m, input_of(e, n, i));
        if (is_float) {
            emit_load(e, SCRATCH_FLOAT, in);
            x86_movsd_m64_x(&e->a, x86_mem(RSP, (int32_t)(REPORT_OBJECT + i) * 8), XMM15);
        } else {
            emit_load(e, SCRATCH, in);
            x86_mov_m64_r64(&e->a, x86_mem(RSP, (int32_t)(REPORT_OBJECT + i) * 8), SCRATCH);
        }
    }
}

void emit_cold_report(Emitter *e, const Cold *c)
{
    static JavaRuntime *const functions[] = {[IR_Breakpoint] = runtime_breakpoint,
                                             [IR_GetWatched] = runtime_get_watched,
                                             [IR_PutWatched] = runtime_put_watched};
    pass_report(e, c->node);
    call_runtime(e, c->node, functions[ir_node(e->g, c->node)->op], c->state, c->roots,
                 c->registers);
    e->notes.sites.at[e->notes.sites.len - 1].result = 0; // the node's comes later
    x86_test_r64_r64(&e->a, SCRATCH, SCRATCH);
    x86_jcc(&e->a, X86_NE, c->back);
    throw_pending(e, c->node, c->state, c->roots, c->registers);
}

// The boundary's anchor says where the frame stands, for a profiler: nobody else looks while the function runs.
void emit_call_c(Emitter *e, NodeId n)
{
    Asm *a = &e->a;
    X86Mem boundary = x86_mem(THREAD, THREAD_OFFSET_frame);
    AsmLabel back = asm_label(a);
    uint32_t registers, roots = note_roots(e, e->at + 1, &registers);
    uint32_t state = note_state(e, n, e->at, STATE_AS_IT_IS);
    pass_arguments(e, n);
    x86_mov_r64_m64(a, SCRATCH, boundary);
    x86_mov_m64_r64(a, x86_mem(SCRATCH, offsetof(Frame, anchor_rbp)), RBP);
    x86_lea_r64_m(a, RAX, x86_mem_label(back));
    x86_mov_m64_r64(a, x86_mem(SCRATCH, offsetof(Frame, anchor_pc)), RAX);
    x86_movabs_r64_i64(a, SCRATCH, (int64_t)ir_value(e->g, ir_node(e->g, n)));
    x86_call_r64(a, SCRATCH);
    asm_bind(a, back);
    note_site(e, SITE_CALL, n, state, roots, 0);
    x86_mov_r64_m64(a, SCRATCH, boundary);
    x86_mov_m64_i32(a, x86_mem(SCRATCH, offsetof(Frame, anchor_pc)), 0);
    take_result(e, n);
}

// Before the frame: the stub of the shape polls, or throws StackOverflowError.
void emit_entry_check(Emitter *e)
{
    x86_cmp_r64_m64(&e->a, RSP, x86_mem(THREAD, THREAD_OFFSET_jit_limit));
    x86_j_cc_l32(&e->a, X86_BE, e->entry_slow);
}
