// SPDX-License-Identifier: Apache-2.0
// The interpreter loop. One function on purpose: `pc`, `sp`, `locals`, `frame` live in
// registers, and each handler ends in its own indirect jump through the thread's handler table.
//
// What each instruction does stands in spec/semantics.def: tools/gen_handlers.py makes the handlers and the tables of
// it. Here are what they share, calls, returns and exceptions.
//
// Tables: `normal_table`; `event_table`, where frame entry and the returns report to listeners;
// `poll_table`, whose every entry serves the thread's requests first. Changing what a thread
// does costs the others nothing and it nothing when off.
//
// Invariants: self->frame == frame. Before anything that may collect, throw or look at the
// stack: SAVE() (pc and sp to memory, operands still on the stack). After it no raw reference
// in a C variable is valid; slots are. After what may have run Java code: RELOAD(). A handler that throws leaves
// pc at its instruction.
#include "interp/interp.h"
#include "arch/arch.h"
#include "class/assumption.h"
#include "class/unload.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "frame/held_monitors.h"
#include "interp/arith.h"
#include "interp/breakpoint.h"
#include "interp/compiled_call.h"
#include "interp/evaluate.h"
#include "interp/field_access.h"
#include "interp/frame_exit.h"
#include "interp/fuse.h"
#include "interp/native_call.h"
#include "interp/osr.h"
#include "interp/profile.h"
#include "interp/relink.h"
#include "interp/reload.h"
#include "interp/resume_often.h"
#include "interp/trace.h"
#include "interp/watch.h"
#include "java/call.h"
#include "java/engine.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "redefine/class_version.h"

static const void *const *normal_table, *const *event_table, *const *poll_table,
                                                                 *const *entry_table;

#define DISPATCH()              \
    goto *atomic_load_explicit( \
        &self->dispatch,        \
        memory_order_relaxed)[atomic_load_explicit(&pc->op, memory_order_acquire)]
#define NEXT()      \
    do {            \
        pc++;       \
        DISPATCH(); \
    } while (0)
// Nobody listens to calls and nothing is asked of the thread.
#define IS_PLAIN()                                                                 \
    (LIKELY(atomic_load_explicit(&self->dispatch, memory_order_relaxed) == normal) \
     || atomic_load_explicit(&self->dispatch, memory_order_relaxed) == normal_table)
// After a first run replaced the instruction: the same one again, and no run that begins with
// it, past its breakpoint and polls, which were served.
#define REDISPATCH()                                                 \
    do {                                                             \
        EXIT_FRAME_IF_REQUESTED();                                   \
        GIVE_UP_PAST(false);                                         \
        goto *thread_normal_dispatch(self)[breakpoint_original(pc)]; \
    } while (0)
// After listeners ran, which may have asked for it; pc and sp are saved.
#define EXIT_FRAME_IF_REQUESTED()                          \
    do {                                                   \
        if (UNLIKELY(frame->flags & FRAME_EXIT_REQUESTED)) \
            goto frame_exit;                               \
    } while (0)
// After the listeners of a watched field.
#define REPORTED()                 \
    do {                           \
        EXIT_FRAME_IF_REQUESTED(); \
        GIVE_UP_PAST(true);        \
    } while (0)
#define SAVE() (frame->pc = pc, frame->sp = sp)
// To the instruction `offset` further on.
#define JUMP_BY(offset) \
    do {                \
        pc += (offset); \
        DISPATCH();     \
    } while (0)
// The same of a branch that was taken; back, it is a turn of a loop, for which there may be compiled code.
#define BRANCH_BY(offset)                                         \
    do {                                                          \
        intptr_t by_ = (intptr_t)(offset) * (intptr_t)sizeof *pc; \
        pc = (Insn *)(void *)((char *)pc + by_);                  \
        if (by_ <= 0 && UNLIKELY(profile_loop(self, pc)))         \
            goto enter_loop;                                      \
        DISPATCH();                                               \
    } while (0)
#define RETURN(words)           \
    do {                        \
        result = sp[-(words)];  \
        result_words = (words); \
        goto leave;             \
    } while (0)

#ifdef PELLUCID_DEBUG
void (*interp_evaluate)(Thread *self, Frame *f);
#endif

static int words_of(char kind)
{
    return (int)kind_words(kind);
}

static int32_t switch_target(const SwitchTable *t, int32_t key)
{
    if (!t->keys) {
        int64_t i = (int64_t)key - t->low;
        return i >= 0 && i < t->count ? t->targets[i] : t->default_target;
    }
    int32_t lo = 0, hi = t->count;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (t->keys[mid] == key)
            return t->targets[mid];
        if (t->keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return t->default_target;
}

ALWAYS_INLINE int32_t narrow_result(int32_t v, char kind)
{
    switch (kind) {
    case 'Z': return v & 1;
    case 'B': return (int8_t)v;
    case 'C': return (uint16_t)v;
    case 'S': return (int16_t)v;
    default: return v;
    }
}

NOINLINE bool frame_lock(Thread *self, Frame *f)
{
    const Method *m = f->method;
    Object *o = method_is_static(m) ? class_mirror(m->cls) : f->locals[0].ref;
    if (!held_enter(self, o, FRAME_LOCKED))
        throw_stack_overflow(self);
    return !exception_pending(self);
}

NOINLINE static Object *new_multi_array(Thread *self, const Insn *pc)
{
    int32_t lengths[pc->b];
    LINKING(self);
    Class *c = resolve_class(self, self->frame->method->pool, (uint16_t)pc->a);
    for (int i = 0; i < pc->b; i++)
        lengths[i] = self->frame->sp[i - pc->b].i;
    return c ? array_new_multi(self, c, pc->b, lengths) : NULL;
}

// Of a handler each: inline, whatever the size of interp_run.
ALWAYS_INLINE Object *lambda_entry(
    Object *method_handle) // MemberName of a MethodHandle's code; NULL: corrupted
{
    Object *form = object_get_ref(method_handle, OFF(MethodHandle, form));
    return form ? object_get_ref(form, OFF(LambdaForm, vmentry)) : NULL;
}

ALWAYS_INLINE Method *member_target(Object *member)
{
    Object *resolved = object_get_ref(member, OFF(MemberName, method));
    return resolved ? (Method *)(uintptr_t)object_get_long(resolved,
                                                           OFF(ResolvedMethodName, vmtarget))
                    : NULL;
}

// The last operand of the linkTo* call in f, which the callee does not get: for pop_frame_perform.
ALWAYS_INLINE Object *keep_linker(Frame *f, Object *operand)
{
    if (LIKELY(!(f->flags & FRAME_ENTRY))) {
        f->linker = operand;
        f->linker_pc = f->pc;
        f->flags |= FRAME_LINKED;
    }
    return operand;
}

bool interp_run(Thread *self, Method *m, Slot *sp, Resume *how)
{
    Frame *frame;
    Insn *pc = NULL;
    register Slot *locals LOCALS_REGISTER = NULL;
    Slot result;
    int result_words;
    Resume *volatile left = how; // for one cold use: in memory, so that it takes no register

#include "interp/generated/dispatch.inc"
    static const void *const entries[ENTRY_COUNT] = {
        [ENTRY_JAVA] = &&enter_java,
        [ENTRY_JAVA_COUNTED] = &&enter_java_counted,
        [ENTRY_COMPILED] = &&enter_compiled,
        [ENTRY_NATIVE] = &&enter_native,
        [ENTRY_INTRINSIC] = &&enter_intrinsic,
        [ENTRY_ALWAYS_INTRINSIC] = &&enter_always_intrinsic,
        [ENTRY_ABSTRACT] = &&enter_abstract,
        [ENTRY_INVOKE_BASIC] = &&enter_invoke_basic,
        [ENTRY_LINK_TO_VIRTUAL] = &&enter_link_to_virtual,
        [ENTRY_LINK_TO_STATIC] = &&enter_link_to_static,
        [ENTRY_LINK_TO_SPECIAL] = &&enter_link_to_special,
        [ENTRY_LINK_TO_INTERFACE] = &&enter_link_to_interface,
        [ENTRY_LINK_TO_NATIVE] = &&enter_link_to_native,
        [ENTRY_THROWS] = &&enter_throws,
    };

    if (UNLIKELY(!m)) {
        if (self)
            goto resume;
        normal_table = trace_is_on() ? traces : normal; // for interp_init
        event_table = events;
        poll_table = polls;
        entry_table = entries;
        return false;
    }
    frame = self->frame;
    goto enter;
resume:
    frame = self->frame;
    pc = (Insn *)frame->pc;
    sp = frame->sp;
    locals = frame->locals;
    result = how->result;
    result_words = how->result_words;
    switch (how->kind) {
    case RESUME_ENTERING: // compiled code may not have locked yet: IR_HoldUnmade
        CONTINUE_IF(LIKELY(!(frame->method->access & ACC_SYNCHRONIZED))
                    || (frame->flags & FRAME_LOCKED) || frame_lock(self, frame));
        goto entered;
    case RESUME_AGAIN: DISPATCH();
    case RESUME_PAST_BREAKPOINT: EXIT_FRAME_IF_REQUESTED(); goto split;
    case RESUME_PAST_ACCESS: goto past_access;
    case RESUME_BEHIND: goto push_result;
    case RESUME_LEAVING:
        if (calls_post(self, EVENT_METHOD_EXIT) || exception_pending(self))
            frame->flags |= FRAME_EVENT;
        goto leave_method;
    default: goto throw_on;
    }
past_access:
    EXIT_FRAME_IF_REQUESTED();
    switch (breakpoint_original(pc)) {
    case OP_getfield_watched: goto getfield_reported;
    case OP_putfield_watched: goto putfield_reported;
    case OP_getstatic_watched: goto getstatic_reported;
    case OP_putstatic_watched: goto putstatic_reported;
    default: goto split;
    }

L_illegal:
    vm_fatal("illegal instruction %u in %s.%s at %u", pc->op, frame->method->cls->name->s,
             frame->method->name->s, pc->bci);
L_trace: // -XX:JitTrace
    SAVE();
    trace_youngest(self);
    goto *normal[fused_first(pc->op)];
L_poll:
    SAVE();
    GIVE_UP(RESUME_AGAIN);
    thread_poll(self);
    CONTINUE_IF(!exception_pending(self));
    EXIT_FRAME_IF_REQUESTED();
    if (UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_FRAME_EXIT))
        thread_unrequest(self,
                         POLL_FRAME_EXIT); // of a frame that is found when it is come back to
    if (UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_STEP)) {
        step_post(self, frame, pc);
        CONTINUE_IF(!exception_pending(self));
        EXIT_FRAME_IF_REQUESTED();
    }
    if (event_on(INSTRUCTION)) {
        branch_post(self, frame, pc);
        CONTINUE_IF(!exception_pending(self));
    }
    goto *thread_normal_dispatch(self)[fused_first(pc->op)];

#include "interp/generated/handlers.inc"

    // ---- returns ----
L_return_event:
    frame->flags |= FRAME_EVENT;
    goto *normal[breakpoint_original(pc)];
leave: // with `result`
    GIVE_UP_RETURN();
leave_method:
    if (UNLIKELY(frame->flags & FRAME_ON_LEAVE)
        && !held_exit_method_fast(self, frame, FRAME_ON_LEAVE)) {
        SAVE();
        if (UNLIKELY(!held_is_structured(frame))) {
            throw_monitor_state(self); // the frame's own handlers come first
            goto throw_pending;
        }
        HandleMark mark = handle_mark(self);
        char kind = frame->method->ret;
        jvalue v = slot_to_jvalue(self, result, kind);
        frame_leave(self, false, v);
        if (kind_is_reference(kind))
            result.ref = deref(v.l);
        handle_pop(self, mark);
        RELOAD_FRAME();
        if (UNLIKELY(frame->flags & FRAME_EXIT_REQUESTED)) {
            self->exception = NULL;
            goto frame_exit;
        }
        if (exception_pending(self)) {
            frame = self->frame = frame->prev;
            goto throw_pending;
        }
        GIVE_UP_RESULT(RESUME_LEAVING);
    }
    frame = self->frame = frame->prev;
pushed_result: // in `result`; back in the caller
    GIVE_UP_RESULT(RESUME_BEHIND);
push_result:
    EXIT_FRAME_IF_REQUESTED();
    sp = frame->sp;
    *sp = result;
    sp += result_words;
    if (UNLIKELY(frame->flags & FRAME_ENTRY))
        return false;
    pc = (Insn *)frame->pc;
    locals = frame->locals;
    NEXT();
frame_exit: // frame->pc and frame->sp are saved
    RELOAD_FRAME();
    thread_unrequest(self, POLL_FRAME_EXIT);
    if (frame->flags & FRAME_POP)
        frame = pop_frame_perform(self, frame);
    if (UNLIKELY(frame->flags & FRAME_ENTRY))
        return false; // to compiled code
    pc = (Insn *)frame->pc;
    sp = frame->sp;
    locals = frame->locals;
    if (!(frame->flags & FRAME_RETURN))
        DISPATCH();
    result = force_return_take_result(self);
    RELOAD();
    result.i = narrow_result(result.i, frame->method->ret);
    result_words = words_of(frame->method->ret);
    goto leave;

    // ---- calls: m and sp behind the arguments, then enter ----
enter:
    frame->pc = pc;
    MOVE_STACK();
    goto *atomic_load_explicit(&m->entry,
                               memory_order_acquire); // as method_set_entry stores it
enter_java:
    if (UNLIKELY(!atomic_load_explicit(&m->code, memory_order_acquire)))
        method_decode(self, m);
    profile_count_call(self, m);
enter_java_counted : { // which has code
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    Slot *arguments = sp - m->arg_words;
    Frame *callee = (Frame *)(void *)(arguments + m->max_locals);
    if (UNLIKELY(frame_operands(callee) + m->max_stack > self->stack_limit))
        goto stack_overflow;
    frame->sp = arguments;
    interp_push_frame(self, callee, frame, m, code, arguments, 0);
    frame = callee;
    pc = code;
    sp = frame_operands(callee);
    locals = arguments;
    CONTINUE_IF(LIKELY(!(m->access & ACC_SYNCHRONIZED)) || frame_lock(self, frame));
    EVALUATE();
    GIVE_UP(RESUME_ENTERING);
entered:
    goto *atomic_load_explicit(&self->dispatch, memory_order_relaxed)[OP_ENTER];
}
L_enter_event:
    call_entry_post(self, frame->method);
    CONTINUE_IF(!exception_pending(self));
    DISPATCH();
enter_compiled: // nothing is asked of the thread
    if (UNLIKELY(thread_jit_is_asked(self)))
        goto enter_java_counted;
    frame->sp = sp - m->arg_words;
    switch (compiled_run(self, m, sp, left)) {
    case COMPILED_THREW: goto throw_pending;
    case COMPILED_LEFT: return true;
    default: break;
    }
    RELOAD_FRAME();
    result = *frame->sp;
    result_words = words_of(m->ret);
    goto pushed_result;
enter_loop : { // at pc, if nothing is asked of the thread
    if (UNLIKELY(thread_jit_is_asked(self)))
        DISPATCH();
    SAVE();
    m = frame->method;
    CompiledEnd end = osr_run(self, left);
    frame = self->frame;
    switch (end) {
    case COMPILED_NOT: DISPATCH();
    case COMPILED_THREW: goto throw_pending;
    case COMPILED_LEFT: return true;
    case COMPILED_RETURNED: break;
    }
    result = *frame->sp;
    result_words = words_of(m->ret);
    goto pushed_result;
}
enter_always_intrinsic:
    frame->sp = sp - m->arg_words;
    if (UNLIKELY(!m->intrinsic(self, m, frame->sp))) {
        if (method_is_native(m))
            goto enter_native;
        goto enter_java;
    }
    result = *frame->sp;
    result_words = words_of(m->ret);
    goto pushed_result;
enter_intrinsic: // nobody listens to calls, nothing is asked of the thread
    if (IS_PLAIN() && !(frame->flags & FRAME_ENTRY)
        && m->intrinsic(self, m, sp - m->arg_words)) {
        sp += words_of(m->ret) - m->arg_words;
        NEXT();
    }
enter_native : {
    Slot *arguments = sp - m->arg_words;
    Frame *callee = (Frame *)(void *)(arguments + MAX_OF(m->arg_words, 1));
    if (UNLIKELY(frame_operands(callee) + 2 > self->stack_limit))
        goto stack_overflow;
    frame->sp = arguments;
    interp_push_frame(self, callee, frame, m, NULL, arguments, FRAME_NATIVE);
    bool ok = native_run(self, callee);
    self->frame = callee->prev;
    RELOAD_FRAME();
    if (UNLIKELY(!ok))
        goto throw_pending;
    result = arguments[0];
    result_words = words_of(m->ret);
    if (UNLIKELY(thread_poll_wanted(self))) { // the result is not on the stack yet
        HandleMark mark = handle_mark(self);
        jvalue v = slot_to_jvalue(self, result, m->ret);
        thread_poll(self);
        if (kind_is_reference(m->ret))
            result.ref = deref(v.l);
        handle_pop(self, mark);
        if (exception_pending(self))
            goto throw_pending;
        RELOAD_FRAME();
    }
    goto pushed_result;
}
enter_abstract:
    frame->sp = sp;
    throw_abstract_call(self, frame, m, sp[-m->arg_words].ref);
    goto throw_pending;
enter_throws:
    frame->sp = sp;
    m = invoke_instead(self, m);
    CONTINUE_IF(m);
    goto enter;
enter_invoke_basic : {
    Object *handle = sp[-m->arg_words].ref;
    if (UNLIKELY(!handle))
        goto null_pointer_call;
    Object *member = lambda_entry(handle);
    m = member ? member_target(member) : NULL;
    VM_CHECK(m);
    goto enter;
}
enter_link_to_static:
    if (UNLIKELY(!sp[-1].ref))
        goto null_pointer_call;
    m = member_target(keep_linker(frame, (--sp)->ref));
    VM_CHECK(m);
    goto enter;
enter_link_to_special:
    if (UNLIKELY(!sp[-1].ref || !sp[-m->arg_words].ref))
        goto null_pointer_call;
    m = member_target(keep_linker(frame, (--sp)->ref));
    VM_CHECK(m);
    goto enter;
enter_link_to_virtual:
enter_link_to_interface : {
    Object *receiver = sp[-m->arg_words].ref;
    if (UNLIKELY(!sp[-1].ref || !receiver))
        goto null_pointer_call;
    frame->sp = sp;
    Method *selected = member_select(self, receiver, sp[-1].ref,
                                     method_entry_kind(m) == ENTRY_LINK_TO_INTERFACE);
    CONTINUE_IF(selected);
    keep_linker(frame, (--sp)->ref);
    m = selected;
    goto enter;
}
enter_link_to_native : { // its first argument is a handle that does the call in Java
    Object *handle = sp[-m->arg_words].ref;
    Object *member = handle ? lambda_entry(handle) : NULL;
    if (UNLIKELY(!member))
        goto null_pointer_call;
    keep_linker(frame, (--sp)->ref); // the NativeEntryPoint
    m = member_target(member);
    VM_CHECK(m);
    goto enter;
}

split
    : // past polls and the breakpoint; a superinstruction's parts run one by one, it has changed nothing yet
    goto *thread_normal_dispatch(self)[breakpoint_original(pc)];

    // ---- exceptions ----
null_pointer:
    SAVE();
    throw_null(self, "java/lang/NullPointerException");
    goto throw_pending;
null_pointer_call:
    frame->sp = sp;
    throw_null(self, "java/lang/NullPointerException");
    goto throw_pending;
divide_by_zero:
    SAVE();
    throw_new(self, "java/lang/ArithmeticException", "/ by zero");
    goto throw_pending;
stack_overflow:
    frame->sp = sp;
    throw_stack_overflow(self);
throw_pending: // self->exception is set, frame->pc and frame->sp are saved
    RELOAD_FRAME();
    while (!(frame->flags & FRAME_ENTRY)) {
        GIVE_UP(RESUME_THROWING);
    throw_on:;
        Insn *handler = unwind_find_handler(self);
        RELOAD_FRAME();
        if (UNLIKELY(frame->flags & FRAME_EXIT_REQUESTED)) {
            self->exception = self->exception_reported = NULL;
            goto frame_exit;
        }
        if (handler) {
            pc = handler;
            sp = frame_operands(frame);
            locals = frame->locals;
            sp++->ref = self->exception;
            self->exception = NULL;
            DISPATCH();
        }
        frame_leave(self, true, (jvalue){0});
        RELOAD_FRAME();
        if (UNLIKELY(frame->flags & FRAME_EXIT_REQUESTED)) {
            self->exception = NULL;
            goto frame_exit;
        }
        frame = self->frame = frame->prev;
    }
    return false;
}

static bool trace_wanted(void)
{
    return event_is_wanted(EVENT_INSTRUCTION);
}

static void on_event_switch(EventId id, bool on)
{
    (void)on;
    if (id == EVENT_INSTRUCTION)
        threads_request_all(trace_wanted, POLL_TRACE);
    if (id == EVENT_METHOD_ENTRY || id == EVENT_METHOD_EXIT) {
        bool any = event_is_wanted(EVENT_METHOD_ENTRY) || event_is_wanted(EVENT_METHOD_EXIT);
        thread_set_dispatch(any ? event_table : normal_table, event_table, poll_table);
    }
}

static void forget_code(Method *m)
{
    breakpoints_forget(m);
    profile_free(m);
    method_free_oop_maps(m);
    method_free_code(m);
}

// The engine's part of a class that is unloaded; its old versions are swept (class_version.h).
static void forget(Class *dead)
{
    if (!dead) {
        call_caches_clear();
        profiles_forget_dead();
        return;
    }
    for (uint32_t i = 0; i < dead->method_count; i++)
        forget_code(class_method(dead, i));
}

void interp_init(void)
{
    fuse_init();
    trace_init();
    resume_often_init();
    assumptions_init(breakpoints_set);
    unload_add_hook(forget);
    version_set_engine(forget_code, watch_accesses, relink);
    (void)!interp_run(NULL, NULL, NULL, NULL);
    thread_set_dispatch(normal_table, event_table, poll_table);
    event_on_switch(on_event_switch);
    frame_set_maps(&interp_frame_maps);
    static Engine interpreter = {.call = interp_call,
                                 .frame_exit_is_requested = frame_exit_is_requested,
                                 .pop_frame = pop_frame_request,
                                 .force_return = force_return_request,
                                 .code_bytes = decoded_code_bytes};
    interpreter.entries = entry_table;
    interpreter.compiled_entry = compiled_calls_init();
    engine_set(&interpreter);
}
