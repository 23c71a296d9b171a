// SPDX-License-Identifier: Apache-2.0
// See frame_exit.h. A call is done again from what the callee's locals hold, and from Frame.linker.
#include "interp/frame_exit.h"

#include "frame/held_monitors.h"
#include "interp/interp.h"

bool frame_exit_is_requested(const Thread *t)
{
    for (const Frame *f = t->frame; f; f = frame_behind(f))
        if (f->flags & FRAME_EXIT_REQUESTED)
            return true;
    return false;
}

// The frame at a depth, which is of Java code, as one that can be changed.
static Frame *own_frame(Thread *t, int32_t depth)
{
    FrameCursor c;
    bool found = cursor_at(&c, t, depth);
    VM_CHECK(found);
    cursor_own(&c);
    return c.frame;
}

static bool was_linked(const Frame *caller)
{
    return (caller->flags & FRAME_LINKED) && caller->linker_pc == caller->pc;
}

// Whether the call in which `caller` stands can be done again with what its callee had, of so many words. One more than these, the last,
// is dropped by MethodHandle.linkTo*, and kept by interpreted frames; one fewer came from the stack where the call pushed an
// appendix.
static bool has_operands(const Frame *caller, uint32_t words)
{
    uint32_t there = (uint32_t)(caller->sp - frame_operands((Frame *)(uintptr_t)caller));
    uint32_t before = frame_depth(caller);
    return before == there + words + was_linked(caller) || before + 1 == there + words;
}

// The frame of Java code that has called f, t's youngest, compiled or not; NULL: C code did.
static const Frame *find_caller(const Frame *f)
{
    const Frame *caller = f->prev;
    while (caller && (caller->flags & FRAME_COMPILED))
        caller = frame_behind(caller);
    return caller && !(caller->flags & (FRAME_NATIVE | FRAME_ENTRY)) ? caller : NULL;
}

bool pop_frame_request(Thread *t)
{
    VM_ASSERT(!frame_exit_is_requested(t));
    FrameCursor c;
    Frame *f = own_frame(t, 0);
    if (!cursor_at(&c, t, 1) || c.kind == KIND_NATIVE)
        return false;
    cursor_own(&c); // so that it has operands
    const Frame *caller = find_caller(f);
    if (!caller || !has_operands(caller, f->method->arg_words))
        return false;
    f->flags |= FRAME_POP;
    thread_request(t, POLL_FRAME_EXIT);
    return true;
}

void force_return_request(Thread *t, jvalue value)
{
    Frame *f = own_frame(t, 0);
    VM_ASSERT(!frame_exit_is_requested(t));
    char kind = f->method->ret;
    t->forced_result = (Slot){.l = value.j};
    if (t->forced_object)
        global_delete(t->forced_object);
    t->forced_object =
        kind_is_reference(kind) && deref(value.l) ? global_new(deref(value.l)) : NULL;
    if (kind_is_reference(kind))
        t->forced_result.raw = 0;
    f->flags |= FRAME_RETURN;
    thread_request(t, POLL_FRAME_EXIT);
}

// A method may have put another kind of value into the variable of an argument: the caller gets
// null or 0 instead.
static void check_argument(Frame *f, uint32_t slot, const char *desc, size_t len)
{
    bool is_ref = frame_local_is_ref(f, slot);
    bool wants_ref = kind_is_reference(desc[0]);
    Object *o = is_ref ? f->locals[slot].ref : NULL;
    if (is_ref != wants_ref || (o && !class_fits_descriptor(object_class(o), desc, len)))
        f->locals[slot].raw = 0;
}

static void check_arguments(Frame *f)
{
    const Method *m = f->method;
    if (!method_is_static(m)) {
        bool is_ref = frame_local_is_ref(f, 0);
        Object *o = is_ref ? f->locals[0].ref : NULL;
        if (!o || !object_is_instance(o, m->cls))
            f->locals[0].raw = 0;
    }
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !method_is_static(m));
    while (descriptor_walk_next(&w))
        check_argument(f, w.slot, w.type, w.len);
}

void restore_operands(Frame *caller, const Slot *arguments, uint32_t words)
{
    VM_ASSERT(has_operands(caller, words));
    Slot *end = frame_operands(caller) + frame_depth(caller);
    memmove(caller->sp, arguments, words * sizeof *arguments);
    if (end == caller->sp + words + 1)
        end[-1].ref = caller->linker;
    caller->sp = end;
}

// The caller is compiled, or the stub that compiled code is entered by: the arguments become operands of the boundary, and interp_run
// returns to who does the rest (compiled_call_again).
static void hand_arguments(Frame *boundary, const Slot *arguments, uint32_t words)
{
    VM_ASSERT(boundary->flags & FRAME_COMPILED);
    memmove(frame_operands(boundary), arguments, words * sizeof *arguments);
    boundary->sp = frame_operands(boundary) + words;
    boundary->flags |= FRAME_POP;
}

Frame *pop_frame_perform(Thread *self, Frame *f)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame && find_caller(f));
    check_arguments(f);
    (void)!held_exit_all(self);
    self->exception = NULL;
    const Frame *popped = self->frame;
    const Slot *arguments = popped->locals;
    uint32_t words = popped->method->arg_words;
    Frame *caller = self->frame = popped->prev;
    NO_GC_SCOPE();
    if (caller->flags & FRAME_ENTRY)
        hand_arguments(caller, arguments, words);
    else
        restore_operands(caller, arguments, words);
    return caller;
}

Slot force_return_take_result(Thread *self)
{
    ASSERT_MAY_GC(self);
    Slot result = self->forced_result;
    held_exit_blocks(self);
    if (self->forced_object) {
        result.ref = deref(self->forced_object);
        global_delete(self->forced_object);
        self->forced_object = NULL;
    }
    Frame *f = self->frame;
    f->flags = (f->flags & ~(uint32_t)(FRAME_RETURN | FRAME_EXIT_POSTED)) | FRAME_EVENT;
    return result;
}
