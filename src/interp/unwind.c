// SPDX-License-Identifier: Apache-2.0
// Exceptions: finding handlers, leaving frames, and posting both to listeners.
#include "event/event.h"
#include "frame/held_monitors.h"
#include "interp/interp.h"
#include "interp/profile.h"
#include "java/exception.h"

// The exception table entry of m for an exception of class `thrown` that is thrown at bci, -1: none. Resolves
// catch types: MAY_GC; a failure is pending then, and *failed is the entry whose type it was.
static int find_entry(Thread *self, const Method *m, int32_t bci, Class *thrown, int *failed)
{
    CodeInfo code = method_code(m);
    if (code.exception_count == 0)
        return -1;
    LINKING(self);
    ConstantPool *pool = m->pool;
    for (int i = 0; i < code.exception_count; i++) {
        ExceptionEntry e = code_exception(&code, (uint32_t)i);
        if (bci < e.start_pc || bci >= e.end_pc)
            continue;
        if (e.catch_type == 0)
            return i;
        Class *catch_class = resolve_class(self, pool, e.catch_type);
        if (!catch_class) {
            *failed = i;
            return -1;
        }
        if (class_is_subclass(thrown, catch_class))
            return i;
    }
    return -1;
}

static uint16_t handler_of(const Method *m, int entry)
{
    CodeInfo code = method_code(m);
    return code_exception(&code, (uint32_t)entry).handler_pc;
}

// Looks ahead for the frame that will catch, for the EXCEPTION event only. Native methods between may
// clear the exception or throw another instead: nobody can know that here.
static void find_catcher(Thread *self, Class *thrown, struct Event_EXCEPTION *e)
{
    FRAMES_EACH(at, self)
    {
        if (at.kind == KIND_NATIVE)
            continue;
        FrameId id = cursor_id(&at);
        int failed, i = find_entry(self, at.method, at.bci, thrown, &failed);
        self->exception = NULL; // of a catch type that does not load
        cursor_renew(&at, id);
        if (i >= 0) {
            e->catch_method = at.method;
            e->catch_bci = handler_of(at.method, i);
            return;
        }
    }
}

static void post_exception(Thread *self, Frame *f)
{
    HANDLE_SCOPE(self);
    jobject exception = exception_take(self);
    int32_t bci = f->pc ? frame_bci(f) : 0; // a native method has no locations
    struct Event_EXCEPTION e = {.method = f->method, .bci = bci, .exception = exception};
    find_catcher(self, object_class(deref(exception)), &e);
    event_fire(self, EVENT_EXCEPTION, &e);
    if (!exception_pending(self))
        exception_set(self, exception);
    self->exception_reported = self->exception;
}

void unwind_native_exception(Thread *self, Frame *f)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(exception_pending(self));
    if (event_on(EXCEPTION) && self->exception_reported != self->exception)
        post_exception(self, f);
}

// Listeners find the frame at the handler already, with nothing on its operand stack. False: one has left another exception, which is
// thrown there.
static bool post_catch(Thread *self, const Insn *handler)
{
    HANDLE_SCOPE(self);
    jobject exception = exception_take(self);
    Frame *f = self->frame;
    f->pc = handler;
    f->sp = frame_operands(f);
    event_post(self, EXCEPTION_CATCH, .method = f->method, .bci = handler->bci,
               .exception = exception);
    if (exception_pending(self) && !(self->frame->flags & FRAME_EXIT_REQUESTED))
        return false;
    exception_set(self, exception);
    return true;
}

// find_entry for the pending exception, which stays. Where a catch type does not load, its error is thrown as if by that handler: HotSpot
// looks on from there, with the error pending. Handlers that cover one another come to an end here.
static int find_pending(Thread *self, const Method *m, int32_t bci)
{
    HANDLE_SCOPE(self);
    for (int n = method_code(m).exception_count; n >= 0; n--) {
        jobject exception = exception_take(self);
        int failed = -1;
        int i = find_entry(self, m, bci, object_class(deref(exception)), &failed);
        if (!exception_pending(self)) {
            exception_set(self, exception);
            return i;
        }
        if (failed < 0)
            return -1;
        bci = handler_of(m, failed);
    }
    return -1;
}

int32_t unwind_find_handler_bci(Thread *self, const Method *m, int32_t bci)
{
    VM_ASSERT(exception_pending(self));
    ASSERT_MAY_GC(self);
    int i = method_code(m).exception_count ? find_pending(self, m, bci) : -1;
    if (i < 0)
        return -1;
    profile_catch(m, (uint32_t)i);
    self->exception_reported = NULL;
    return handler_of(m, i);
}

Insn *unwind_find_handler(Thread *self)
{
    VM_ASSERT(exception_pending(self));
    ASSERT_MAY_GC(self);
    for (;;) {
        if (event_on(EXCEPTION) && self->exception_reported != self->exception)
            post_exception(self, self->frame);
        profile_throw(self->frame->method, self->frame->pc);
        int32_t bci =
            unwind_find_handler_bci(self, self->frame->method, frame_bci(self->frame));
        if (bci < 0)
            return NULL;
        Insn *handler = method_insn_at(self->frame->method, (uint32_t)bci);
        if (!event_on(EXCEPTION_CATCH) || post_catch(self, handler))
            return handler;
    }
}

void throw_monitor_state(Thread *self)
{
    self->exception = self->exception_reported = NULL;
    throw_null(self, "java/lang/IllegalMonitorStateException");
}

bool frame_enter_monitor(Thread *self)
{
    ASSERT_MAY_GC(self);
    if (!held_enter(self, self->frame->sp[-1].ref, FRAME_BLOCK_MONITOR)) {
        throw_stack_overflow(self);
        return false;
    }
    if (!exception_pending(self))
        return true;
    self->frame->pc++;
    self->frame->sp--;
    return false;
}

bool frame_exit_monitor(Thread *self)
{
    ASSERT_MAY_GC(self);
    if (held_exit(self, self->frame->sp[-1].ref))
        return true;
    throw_monitor_state(self);
    return false;
}

void frame_leave(Thread *self, bool by_exception, jvalue result)
{
    ASSERT_MAY_GC(self);
    if ((self->frame->flags & FRAME_MONITORS) && !held_exit_all(self)) {
        throw_monitor_state(self);
        by_exception = true;
    }
    if (!(self->frame->flags & FRAME_NOTIFY_POP) && !calls_post(self, EVENT_METHOD_EXIT))
        return;
    HANDLE_SCOPE(self);
    ExceptionAside aside = exception_put_aside(self);
    if (!(self->frame->flags & FRAME_EXIT_POSTED)) {
        self->frame->flags |= FRAME_EXIT_POSTED;
        call_exit_post(self, self->frame->method, by_exception, result);
    }
    Frame *f = self->frame;
    if (f->flags & FRAME_NOTIFY_POP) {
        f->flags &= ~(uint32_t)FRAME_NOTIFY_POP;
        event_post(self, FRAME_POP, .method = f->method, .popped_by_exception = by_exception,
                   .frame = f->id);
    }
    if (!exception_pending(self))
        exception_put_back(self, aside);
}
