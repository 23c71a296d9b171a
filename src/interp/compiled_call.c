// SPDX-License-Identifier: Apache-2.0
// See compiled_call.h.
#include "interp/compiled_call.h"

#include "class/vm_classes.h"
#include "code/java_convention.h"
#include "interp/compiled_decode.h"
#include "interp/native_call.h"
#include "java/engine.h"
#include "java/exception.h"
#include "options/options.h"

enum { BOUNDARY_WORDS = 255 + 2 }; // arguments of a method (JVMS 4.3.3), a result

// ---- what is called ----

static char *shape_text(const Method *m)
{
    StrBuf shape = {0};
    java_put_shape(&shape, m->desc->s, m->desc->len, method_is_static(m));
    return shape.s;
}

const JavaShape *method_java_shape(Method *m)
{
    VM_ASSERT(compiled_calls_possible());
    bool keeps_it = method_has_code(m); // others have something else in its place
    if (keeps_it && atomic_load_explicit(&m->java_shape, memory_order_acquire))
        return atomic_load_explicit(&m->java_shape, memory_order_acquire);
    char *shape = shape_text(m);
    const JavaShape *found = java_shape(shape);
    vm_free(shape);
    if (found && keeps_it)
        atomic_store_explicit(&m->java_shape, found, memory_order_release);
    return found;
}

static const void *link_stub(const Method *m, JavaLinkKind kind)
{
    const JavaLinks links = {.form = OFF(MethodHandle, form),
                             .entry = OFF(LambdaForm, vmentry),
                             .method = OFF(MemberName, method),
                             .target = OFF(ResolvedMethodName, vmtarget)};
    char *shape = shape_text(m);
    const void *found = java_link_stub(shape, kind, &links);
    vm_free(shape);
    return found;
}

static JavaRunFunction finish_native;

// NULL: it is called by the interpreter's way.
static const void *native_stub(const Method *m)
{
    static const JavaNatives natives = {.native = offsetof(Method, native),
                                        .cls = offsetof(Method, cls),
                                        .mirror = offsetof(Class, mirror),
                                        .finish = finish_native};
    if (m->access & ACC_SYNCHRONIZED || native_returned || vm_options.jit_hook_all)
        return NULL;
    char *shape = shape_text(m);
    const void *found = java_native_stub(shape, &natives);
    vm_free(shape);
    return found;
}

// What compiled code calls for m. NULL: there is no room for a stub.
static const void *stub_for(Method *m)
{
    switch (method_entry_kind(m)) {
    case ENTRY_INVOKE_BASIC: return link_stub(m, JAVA_LINK_HANDLE);
    case ENTRY_LINK_TO_STATIC: return link_stub(m, JAVA_LINK_STATIC);
    case ENTRY_LINK_TO_SPECIAL: return link_stub(m, JAVA_LINK_SPECIAL);
    default: break;
    }
    const JavaShape *shape = method_java_shape(m);
    const void *native = method_entry_kind(m) == ENTRY_NATIVE ? native_stub(m) : NULL;
    return native ? native : shape ? shape->interpret : NULL;
}

// JavaStubTargets.resolve.
static const void *resolve(Method *m)
{
    attempt_pause();
    const void *stub = stub_for(m);
    attempt_resume();
    if (!stub)
        stub = java_stub(JAVA_STUB_ANY);
    const void *expected = java_stub(JAVA_STUB_ENTRY);
    if (atomic_compare_exchange_strong_explicit(&m->compiled_entry, &expected, stub,
                                                memory_order_acq_rel, memory_order_acquire))
        return stub;
    return expected;
}

bool method_set_compiled(Method *m, const CompiledCode *code)
{
    VM_ASSERT(atomic_load_explicit(&m->code, memory_order_relaxed));
    VM_ASSERT(!code || (code->method == m && code->osr_bci < 0));
    if (!code)
        return method_change_entry(m, ENTRY_COMPILED, ENTRY_JAVA_COUNTED);
    return method_java_shape(m) && method_publish_compiled(m, code->blob->start);
}

// ---- from the interpreter ----

static bool has_c_room(const Thread *self)
{
    return (char *)__builtin_frame_address(0) > self->c_stack_limit;
}

static Frame *push_boundary(Thread *self, Slot *sp)
{
    Frame *b = (Frame *)(void *)sp;
    *b = (Frame){
        .prev = self->frame, .flags = FRAME_ENTRY | FRAME_COMPILED, .sp = frame_operands(b)};
    atomic_signal_fence(memory_order_release); // a profiler's signal handler may walk from here
    self->frame = b;
    return b;
}

// Back from code that C has called.
static CompiledEnd end_of(Thread *self, JavaReturn r, Resume *how)
{
    if (UNLIKELY(r.how)) {
        *how = compiled_unpack(r.how, r.result);
        return COMPILED_LEFT;
    }
    VM_ASSERT(self->frame->flags & FRAME_COMPILED && !self->frame->anchor_pc);
    self->frame = self->frame->prev;
    self->frame->sp->raw = r.result;
    return UNLIKELY(exception_pending(self)) ? COMPILED_THREW : COMPILED_RETURNED;
}

CompiledEnd compiled_run(Thread *self, Method *m, Slot *sp, Resume *how)
{
    ASSERT_MAY_GC(self);
    Slot *operands = frame_operands((Frame *)(void *)sp);
    if (UNLIKELY(!has_c_room(self) || operands + BOUNDARY_WORDS > self->stack_limit)) {
        throw_stack_overflow(self);
        return COMPILED_THREW;
    }
    (void)push_boundary(self, sp);
    const JavaShape *shape = atomic_load_explicit(&m->java_shape, memory_order_acquire);
    return end_of(self, shape->enter(self, sp - m->arg_words, m), how);
}

CompiledEnd compiled_run_loop(Thread *self, const CompiledCode *code, Resume *how)
{
    ASSERT_MAY_GC(self);
    Frame *f = self->frame;
    const Slot *locals = f->locals;
    VM_ASSERT(f->method == code->method && code->osr_bci == frame_bci(f)
              && (const Slot *)(void *)f == locals + f->method->max_locals); // push_operands
    JavaEnterLoop *enter = java_enter_loop(f->method->ret);
    if (!enter || !has_c_room(self) || frame_operands(f) + BOUNDARY_WORDS > self->stack_limit)
        return COMPILED_NOT;
    self->frame = f->prev;
    (void)push_boundary(
        self,
        (Slot *)(void *)f); // locals and operands stay until the code has read them
    return end_of(self, enter(self, locals, code->blob->start), how);
}

// ---- to the interpreter ----

// Polls while the arguments of m lie below `end`, in the boundary's operands.
static MAY_GC void poll_with_arguments(Thread *self, const Method *m, Slot *end)
{
    HANDLE_SCOPE(self);
    Slot *first = end - m->arg_words;
    jobject handles[256] = {0};
    if (!method_is_static(m))
        handles[0] = handle_new(self, first->ref);
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !method_is_static(m));
    while (descriptor_walk_next(&w))
        if (kind_is_reference(w.kind))
            handles[w.slot] = handle_new(self, first[w.slot].ref);
    thread_poll(self);
    for (uint32_t i = 0; i < m->arg_words; i++)
        if (handles[i])
            first[i].ref = deref(handles[i]);
}

// Whether a JavaEnter has called a method whose code is none any more; else compiled code did.
static bool is_called_by_enter(MethodEntry kind, const void *from)
{
    bool is_java = kind == ENTRY_JAVA || kind == ENTRY_JAVA_COUNTED || kind == ENTRY_COMPILED;
    return is_java && !compiled_find((uintptr_t)from - 1);
}

// The end of what compiled code called: true: the thread goes on at *to.
static MAY_GC bool finish(Thread *self, uintptr_t *base, JavaPlace *to)
{
    Frame *b = self->frame;
    VM_ASSERT(b->flags & FRAME_COMPILED);
    const void *from = (const void *)base[1];
    if (UNLIKELY(b->flags & FRAME_POP)) {
        compiled_call_again(self, base, to);
        return true;
    }
    b->sp = frame_operands(b);
    if (UNLIKELY(exception_pending(self))) {
        compiled_throw(self, from, base[0], (uintptr_t)(base + 2), to);
        return true;
    }
    Slot result = *frame_operands(b);
    if (UNLIKELY(thread_jit_is_asked(self)) && compiled_serve(self, from, base[0], &result, to))
        return true;
    to->result = result.raw;
    frame_anchor_clear(self->frame);
    return false;
}

// What is computed without a frame: the result takes the arguments' place. False: nothing was done, or its call is to be posted. NO_GC.
static bool compute(Thread *self, MethodEntry kind, const Method *m)
{
    bool may = kind == ENTRY_ALWAYS_INTRINSIC
               || (kind == ENTRY_INTRINSIC && !calls_post(self, EVENT_METHOD_ENTRY)
                   && !calls_post(self, EVENT_METHOD_EXIT));
    return may && m->intrinsic(self, m, frame_operands(self->frame));
}

static MAY_GC void run_native(Thread *self, Method *m)
{
    Frame *b = self->frame;
    Slot *arguments = frame_operands(b);
    Frame *f = (Frame *)(void *)(arguments + MAX_OF(m->arg_words, 1));
    if (UNLIKELY(frame_operands(f) + 2 > self->stack_limit)) {
        throw_stack_overflow(self);
        return;
    }
    interp_push_frame(self, f, b, m, NULL, arguments, FRAME_NATIVE);
    (void)!native_run(self, f); // false: the exception is pending
    self->frame = b;
}

// JavaNatives.finish.
static MAY_GC bool finish_native(Thread *self, uint64_t a, uint64_t b, uintptr_t *base,
                                 JavaPlace *to)
{
    ASSERT_IN_VM(self);
    Frame *f = self->frame;
    (void)!native_finish(self, f, a, b); // false: the exception is pending
    self->frame = f->prev;
    return finish(self, base, to);
}

static MAY_GC void run(Thread *self, MethodEntry kind, Method *m, Slot *end)
{
    if (kind == ENTRY_NATIVE) {
        run_native(self, m);
        return;
    }
    Resume how;
    bool again = interp_run(self, m, end, &how);
    while (UNLIKELY(again))
        again = interp_resume(self, &how);
}

static MAY_GC bool interpret(Thread *self, uint64_t a, uint64_t b, uintptr_t *base,
                             JavaPlace *to)
{
    ASSERT_MAY_GC(self);
    Method *m = (Method *)(uintptr_t)a;
    Slot *end = (Slot *)(uintptr_t)b;
    const void *from = (const void *)base[1];
    MethodEntry kind =
        atomic_load_explicit(&m->entry_kind, memory_order_acquire); // method_set_entry
    VM_ASSERT(self->frame->flags & FRAME_COMPILED && end == self->frame->sp + m->arg_words);
    if (!is_called_by_enter(kind, from))
        frame_anchor_set(self->frame, from, base[0]);
    if (UNLIKELY(vm_options.jit_hook_all))
        compiled_hook_all(self);
    if (UNLIKELY(!has_c_room(self))) {
        throw_stack_overflow(self);
    } else if (UNLIKELY(thread_jit_is_asked(self))) {
        poll_with_arguments(self, m, end);
        if (compiled_calls_no_more(self, base, to)) {
            self->exception = NULL; // as for each frame that is popped
            return true;
        }
    } else if (compute(self, kind, m)) {
        to->result = frame_operands(self->frame)->raw;
        frame_anchor_clear(self->frame);
        return false;
    }
    kind = method_entry_kind(m); // a redefinition may have changed it within the poll
    if (!exception_pending(self))
        run(self, kind, m, end);
    return finish(self, base, to);
}

// Of a shape for whose stubs there is no room. `b`: the arguments in registers, as JAVA_STUB_ANY has stored them.
static MAY_GC bool interpret_any(Thread *self, uint64_t a, uint64_t b, uintptr_t *base,
                                 JavaPlace *to)
{
    const Slot *registers = (const Slot *)(uintptr_t)b;
    const Slot *stacked = (const Slot *)(void *)(base + 2);
    Slot *operands = frame_operands(self->frame);
    char *shape = shape_text((const Method *)(uintptr_t)a);
    JavaArgument w = java_arguments(shape);
    while (java_argument_next(&w))
        operands[w.slot] = w.reg == JAVA_NO_REGISTER ? stacked[w.stack_word]
                                                     : registers[java_register_slot(w.reg)];
    Slot *end = operands + java_argument_slots(shape);
    vm_free(shape);
    return interpret(self, a, (uintptr_t)end, base, to);
}

static MAY_GC bool resume(Thread *self, uint64_t a, uint64_t b, uintptr_t *base, JavaPlace *to)
{
    ASSERT_IN_VM(self);
    Resume how = compiled_unpack(a, b);
    bool again = true;
    while (again)
        again = interp_resume(self, &how);
    return finish(self, base, to);
}

// ---- once ----

bool compiled_calls_possible(void)
{
    return java_stub(JAVA_STUB_ENTRY) != NULL;
}

const void *compiled_calls_init(void)
{
    VM_ASSERT(!compiled_calls_possible());
    bool made = java_stubs_init(&(JavaStubTargets){
        .compiled_entry = offsetof(Method, compiled_entry),
        .anchor_pc = offsetof(Frame, anchor_pc),
        .anchor_rbp = offsetof(Frame, anchor_rbp),
        .operands = sizeof(Frame),
        .resolve = resolve,
        .interpret = interpret,
        .interpret_any = interpret_any,
        .resume = resume,
        .deopt = compiled_at_deopt,
        .athrow = compiled_at_athrow,
        .throw = compiled_at_throw,
        .poll = compiled_at_poll,
        .post_reference = compiled_post_reference,
        .posted = compiled_posted,
        .behind = compiled_behind_runtime,
    });
    compiled_frames_set_parker(compiled_park, compiled_unmade_bytes);
    return made ? java_stub(JAVA_STUB_ENTRY) : NULL;
}
