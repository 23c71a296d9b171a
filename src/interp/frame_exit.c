// SPDX-License-Identifier: Apache-2.0
// See frame_exit.h. A call is done again from what the callee's locals hold, and from Frame.linker.
#include "interp/frame_exit.h"

#include "frame/held_monitors.h"
#include "interp/interp.h"

bool frame_exit_is_requested(const Thread *t)
{
    for (const Frame *f = t->frame; f; f = f->prev)
        if (f->flags & FRAME_EXIT_REQUESTED)
            return true;
    return false;
}

// Whether the call that made t's youngest frame can be done again: its caller is Java code.
static bool can_pop(const Thread *t)
{
    const Frame *caller = t->frame->prev;
    return caller && !(caller->flags & (FRAME_NATIVE | FRAME_ENTRY));
}

bool pop_frame_request(Thread *t)
{
    VM_ASSERT(!frame_exit_is_requested(t));
    if (!can_pop(t))
        return false;
    t->frame->flags |= FRAME_POP;
    thread_request(t, POLL_FRAME_EXIT);
    return true;
}

void force_return_request(Thread *t, jvalue value)
{
    VM_ASSERT(!(t->frame->flags & (FRAME_NATIVE | FRAME_ENTRY)) && !frame_exit_is_requested(t));
    char kind = t->frame->method->ret;
    t->forced_result = (Slot){.l = value.j};
    if (t->forced_object)
        global_delete(t->forced_object);
    t->forced_object =
        kind_is_reference(kind) && deref(value.l) ? global_new(deref(value.l)) : NULL;
    if (kind_is_reference(kind))
        t->forced_result.raw = 0;
    t->frame->flags |= FRAME_RETURN;
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

// Puts the operands of a frame's call back, of which the callee had its arguments from `arguments` on. One more than
// these, the last, is dropped by MethodHandle.linkTo*; one fewer came from the stack where the call pushed an appendix.
static void restore_operands(Frame *caller, const Slot *arguments, uint32_t words)
{
    NO_GC_SCOPE();
    bool linked = (caller->flags & FRAME_LINKED) && caller->linker_pc == caller->pc;
    Slot *end = frame_operands(caller) + frame_depth(caller);
    VM_ASSERT(end == caller->sp + words + linked || end == caller->sp + words - 1);
    memmove(caller->sp, arguments, words * sizeof *arguments);
    if (linked)
        end[-1].ref = caller->linker;
    caller->sp = end;
}

Frame *pop_frame_perform(Thread *self, Frame *f)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame && can_pop(self));
    check_arguments(f);
    (void)!held_exit_all(self);
    self->exception = NULL;
    const Frame *popped = self->frame;
    const Slot *arguments = popped->locals;
    uint32_t words = popped->method->arg_words;
    Frame *caller = self->frame = popped->prev;
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
