// SPDX-License-Identifier: Apache-2.0
// See held_monitors.h.
#include "frame/held_monitors.h"

#include "base/alloc.h"
#include "frame/frame_cursor.h"

enum { RECORDS_AT_FIRST = 32, RECORDS_MAX = 1 << 20 }; // frames count up to 2^21 - 1

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
    VM_ASSERT(f == self->frame && self->held.top - self->held.base > frame_block_monitors(f));
    VM_ASSERT(f->flags & FRAME_LOCKED);
    return self->held.top - frame_block_monitors(f) - 1;
}

// ---- entering and exiting ----
// What waits or posts may run Java code, which may move frames: they are read again after it.

static void enter_monitor(Thread *self, Object *o)
{
    if (monitor_enter_fast(self, o))
        return;
    HANDLE_SCOPE(self);
    monitor_enter(self, handle_new(self, o));
}

bool held_enter(Thread *self, Object *o, uint32_t as)
{
    ASSERT_MAY_GC(self);
    if (!held_push(self, self->frame, o, as))
        return false;
    enter_monitor(self, o);
    return true;
}

static bool exit_monitor(Thread *self, Object *o)
{
    if (monitor_exit_fast(self, o))
        return true;
    HANDLE_SCOPE(self);
    return monitor_exit(self, handle_new(self, o));
}

// The record of o in f, which is not that of f's newest block: it is taken away. False: there is none.
static bool remove_older(Thread *self, Frame *f, Object *o)
{
    Object **record = find_block(self, f, o);
    if (record) {
        f->flags -= FRAME_BLOCK_MONITOR;
    } else if ((f->flags & FRAME_LOCKED) && *method_record(self, f) == o) {
        record = method_record(self, f);
        f->flags = (f->flags & ~(uint32_t)FRAME_LOCKED) | FRAME_UNLOCKED;
    } else {
        return false;
    }
    remove_record(self, record);
    return true;
}

bool held_exit(Thread *self, Object *o)
{
    ASSERT_MAY_GC(self);
    Frame *f = self->frame;
    if (f->flags >= FRAME_BLOCK_MONITOR && self->held.top[-1] == o) {
        self->held.top--;
        f->flags -= FRAME_BLOCK_MONITOR;
    } else if (!remove_older(self, f, o)) {
        return false;
    }
    return exit_monitor(self, o);
}

// Exits the monitor of the newest record. False: native code did that before.
static bool exit_newest(Thread *self)
{
    VM_ASSERT(self->held.top > self->held.base);
    return exit_monitor(self, *--self->held.top);
}

bool held_enter_compiled(Thread *self, Object *o)
{
    ASSERT_MAY_GC(self);
    if (UNLIKELY(self->held.top == self->held.end) && !held_grow(self))
        return false;
    *self->held.top++ = o;
    enter_monitor(self, o);
    return true;
}

void held_made(Thread *t, uintptr_t rbp, Object *o)
{
    ASSERT_STILL(t);
    const Object *unmade = (const Object *)(rbp + HELD_UNMADE); // NOLINT: a mark
    Object **at = t->held.top;
    while (at > t->held.base && at[-1] != unmade)
        at--;
    VM_CHECK(at > t->held.base);
    at[-1] = o;
    monitor_enter_unseen(t, o);
}

bool held_exit_compiled(Thread *self, const Object *o)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(self->held.top > self->held.base && self->held.top[-1] == o);
    (void)o;
    return exit_newest(self);
}

void held_exit_blocks(Thread *self)
{
    while (frame_block_monitors(self->frame) > 0) {
        self->frame->flags -= FRAME_BLOCK_MONITOR;
        (void)!exit_newest(self);
    }
}

bool held_exit_all(Thread *self)
{
    ASSERT_MAY_GC(self);
    bool structured = held_is_structured(self->frame);
    held_exit_blocks(self);
    if (self->frame->flags & FRAME_LOCKED) {
        self->frame->flags &= ~(uint32_t)FRAME_LOCKED;
        structured = exit_newest(self) && structured;
    }
    self->frame->flags &= ~(uint32_t)FRAME_UNLOCKED;
    return structured;
}

// ---- what a thread holds ----

typedef struct Visit {
    Thread *thread;
    void (*visit)(void *ctx, const HeldMonitor *m);
    void *ctx;
} Visit;

static void visit_one(const Visit *v, Object *o, HeldKind kind, int32_t depth)
{
    VM_ASSERT(!held_is_unmade(o));
    HeldMonitor m = {o, kind, depth, monitor_waiting_object(v->thread) == o};
    if (m.waiting || monitor_owner(o, NULL) == v->thread)
        v->visit(v->ctx, &m);
}

typedef struct HeldCount {
    uint32_t blocks;
    bool method; // and that of the method
} HeldCount;

static HeldCount held_by(const FrameCursor *c)
{
    if (c->kind == KIND_COMPILED) {
        uint32_t locks = compiled_frames.shape(c).locks;
        bool method = locks > 0 && frame_maps.is_synchronized(c->method);
        return (HeldCount){locks - method, method};
    }
    return (HeldCount){frame_block_monitors(c->frame), (c->frame->flags & FRAME_LOCKED) != 0};
}

// Has the objects made that records of t stand for.
static void settle(Thread *t)
{
    Object **at = t->held.base;
    while (at < t->held.top && !held_is_unmade(*at))
        at++;
    if (at == t->held.top)
        return;
    FRAMES_EACH(c, t)
    cursor_settle(&c);
}

void thread_monitors_each(Thread *t, void (*visit)(void *ctx, const HeldMonitor *m), void *ctx)
{
    ASSERT_STILL(t);
    settle(t);
    Visit v = {t, visit, ctx};
    Object **at = t->held.top;
    FRAMES_EACH(c, t)
    {
        if (at == t->held.base)
            break;
        HeldCount held = held_by(&c);
        for (uint32_t n = held.blocks; n > 0; n--)
            visit_one(&v, *--at, HELD_BY_BLOCK, c.depth);
        if (held.method)
            visit_one(&v, *--at, HELD_BY_METHOD, c.depth);
    }
    VM_ASSERT(at == t->held.base);
    for (size_t i = t->jni_monitors.len; i-- > 0;)
        visit_one(&v, deref(t->jni_monitors.at[i]), HELD_BY_NATIVE, -1);
}
