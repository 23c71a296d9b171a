// SPDX-License-Identifier: Apache-2.0
// See leave.h. A call is done again from what the callee's locals hold. One thing they do not:
// the MemberName behind the arguments of a MethodHandle.linkTo* call, which is dropped on
// entry; it is loaded just before, from a local of the caller.
#include "interp/leave.h"

#include "frame/held_monitors.h"
#include "interp/interp.h"

bool leave_is_pending(const Thread *t)
{
    for (const Frame *f = t->frame; f; f = f->prev)
        if (f->flags & FRAME_LEAVE)
            return true;
    return false;
}

// The operands of the caller before its call.
static Slot *operands_before_call(const Frame *caller)
{
    return frame_operands((Frame *)(uintptr_t)caller) + frame_depth(caller);
}

// Whether there was one operand more than the arguments of f, which began where the caller's operands end.
static bool drops_operand(const Frame *f)
{
    return operands_before_call(f->prev) > f->prev->sp + f->method->arg_words;
}

static Instruction instruction_of(const Method *m, const Insn *in)
{
    CodeInfo code = method_code(m);
    Instruction out;
    bool ok = instruction_read(code.code, code.code_len, in->bci, &out);
    VM_CHECK(ok);
    return out;
}

// The local of the caller from which the last operand of its call was loaded, and perhaps cast;
// -1: unknown.
static int32_t last_operand_local(const Frame *caller)
{
    const Method *m = caller->method;
    const Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    const Insn *before = caller->pc - 1;
    if (before > code && instruction_of(m, before).op == BC_checkcast)
        before--;
    if (before < code)
        return -1;
    Instruction load = instruction_of(m, before);
    bool loads = load.info->local.use == LOCAL_READ && load.info->local.kind == 'A';
    return loads && frame_local_is_ref(caller, load.local) ? load.local : -1;
}

static bool can_pop(const Thread *t)
{
    const Frame *f = t->frame;
    const Frame *caller = f->prev;
    if (!caller || (caller->flags & (FRAME_NATIVE | FRAME_ENTRY)))
        return false;
    return !drops_operand(f) || last_operand_local(caller) >= 0;
}

bool leave_ask_pop(Thread *t)
{
    VM_ASSERT(!leave_is_pending(t));
    if (!can_pop(t))
        return false;
    t->frame->flags |= FRAME_POP;
    thread_request(t, POLL_LEAVE);
    return true;
}

void leave_ask_return(Thread *t, jvalue value)
{
    VM_ASSERT(!(t->frame->flags & (FRAME_NATIVE | FRAME_ENTRY)) && !leave_is_pending(t));
    char kind = t->frame->method->ret;
    t->forced_result = (Slot){.l = value.j};
    if (t->forced_object)
        global_delete(t->forced_object);
    t->forced_object =
        kind_is_reference(kind) && deref(value.l) ? global_new(deref(value.l)) : NULL;
    if (kind_is_reference(kind))
        t->forced_result.raw = 0;
    t->frame->flags |= FRAME_RETURN;
    thread_request(t, POLL_LEAVE);
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

Frame *leave_by_pop(Thread *self, Frame *f)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame);
    int32_t dropped = drops_operand(f) ? last_operand_local(f->prev) : -1;
    check_arguments(f);
    (void)!held_exit_all(self);
    self->exception = NULL;
    Frame *caller = self->frame->prev;
    caller->sp = operands_before_call(caller);
    if (dropped >= 0)
        caller->sp[-1] = caller->locals[dropped];
    self->frame = caller;
    return caller;
}

Slot leave_take_result(Thread *self)
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
