// SPDX-License-Identifier: Apache-2.0
// See held_monitors.h.
#include "thread/held_monitors.h"

#include "base/alloc.h"
#include "thread/thread_internal.h"

enum { RECORDS_AT_FIRST = 32, RECORDS_MAX = 1 << 23 }; // frames count up to 2^24 - 1

// ---- records ----

bool held_grow(Thread *self)
{
    HeldMonitors *h = &self->held;
    size_t used = (size_t)(h->top - h->base), room = used ? 2 * used : RECORDS_AT_FIRST;
    VM_ASSERT(h->top == h->end);
    if (room > RECORDS_MAX)
        return false;
    h->base = vm_realloc(h->base, room * sizeof(Object *));
    h->top = h->base + used;
    h->end = h->base + room;
    return true;
}

// Takes the record `at` away.
static void remove_record(Thread *self, Object **at)
{
    VM_ASSERT(at >= self->held.base && at < self->held.top);
    size_t newer = (size_t)(self->held.top - at) - 1;
    memmove(at, at + 1, newer * sizeof *at);
    self->held.top--;
}

// The newest record of a block of f with this object, NULL when there is none.
static Object **find_block(const Thread *self, const Frame *f, const Object *o)
{
    uint32_t count = frame_block_monitors(f);
    for (uint32_t i = 1; i <= count; i++)
        if (self->held.top[-(ptrdiff_t)i] == o)
            return self->held.top - i;
    return NULL;
}

static Object **method_record(const Thread *self, const Frame *f)
{
    VM_ASSERT(f->flags & FRAME_LOCKED);
    return self->held.top - frame_block_monitors(f) - 1;
}

// ---- exiting ----

bool held_exit_older(Thread *self, Frame *f, jobject h)
{
    Object **record = find_block(self, f, deref(h));
    if (record) {
        f->flags -= FRAME_BLOCK_MONITOR;
    } else if ((f->flags & FRAME_LOCKED) && *method_record(self, f) == deref(h)) {
        record = method_record(self, f);
        f->flags = (f->flags & ~(uint32_t)FRAME_LOCKED) | FRAME_UNLOCKED;
    } else {
        return false;
    }
    remove_record(self, record);
    return monitor_exit(self, h);
}

// Exits the monitor of the newest record. False: native code did that before.
static bool exit_newest(Thread *self)
{
    Object *o = *--self->held.top;
    if (monitor_exit_fast(self, o))
        return true;
    HandleMark mark = handle_mark(self);
    bool exited = monitor_exit(self, handle_new(self, o));
    handle_pop(self, mark);
    return exited;
}

void held_exit_blocks(Thread *self, Frame *f)
{
    while (frame_block_monitors(f) > 0) {
        f->flags -= FRAME_BLOCK_MONITOR;
        (void)!exit_newest(self);
    }
}

bool held_exit_all(Thread *self, Frame *f)
{
    bool structured = held_is_structured(f);
    held_exit_blocks(self, f);
    if (f->flags & FRAME_LOCKED) {
        f->flags &= ~(uint32_t)FRAME_LOCKED;
        structured = exit_newest(self) && structured;
    }
    f->flags &= ~(uint32_t)FRAME_UNLOCKED;
    return structured;
}

// ---- what a thread holds ----

typedef struct Visit {
    Thread *thread;
    void (*visit)(void *ctx, const HeldMonitor *m);
    void *ctx;
} Visit;

static void tell(const Visit *v, Object *o, HeldKind kind, int32_t depth)
{
    HeldMonitor m = {o, kind, depth, monitor_waiting_object(v->thread) == o};
    if (m.waiting || monitor_owner(o, NULL) == v->thread)
        v->visit(v->ctx, &m);
}

void thread_monitors_each(Thread *t, void (*visit)(void *ctx, const HeldMonitor *m), void *ctx)
{
    Visit v = {t, visit, ctx};
    Object **at = t->held.top;
    int32_t depth = 0;
    for (Frame *f = frame_first(t->frame); f && at > t->held.base;
         f = frame_older(f), depth++) {
        for (uint32_t n = frame_block_monitors(f); n > 0; n--)
            tell(&v, *--at, HELD_BY_BLOCK, depth);
        if (f->flags & FRAME_LOCKED)
            tell(&v, *--at, HELD_BY_METHOD, depth);
    }
    VM_ASSERT(at == t->held.base);
    for (size_t i = t->jni_monitors.len; i-- > 0;)
        tell(&v, deref(t->jni_monitors.at[i]), HELD_BY_NATIVE, -1);
}

void held_visit_roots(Thread *t, RefVisitor visit, void *ctx)
{
    for (Object **at = t->held.base; at < t->held.top; at++)
        visit(ctx, at);
}
