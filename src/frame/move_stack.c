// SPDX-License-Identifier: Apache-2.0
// See move_stack.h. A signal handler may walk the frames at any moment: the copies are made and linked while the old frames
// are whole, Thread.frame leads to them by one store, and only then is the old place poisoned.
#include "frame/move_stack.h"

#include "frame/frame_cursor.h"

#ifdef PELLUCID_DEBUG
#    include <stdlib.h>

enum {
    STACKS = 4,         // of a thread
    MOVED_AT_ONCE = 64, // of the youngest frames; at each ALL_AT-th move all of them
    ALL_AT = 64,
    POISON = 0xAB,
};

bool move_stack_on;
static uint32_t interval;            // calls from Java code for one that moves; 0: none does
static _Thread_local uint32_t calls; // from Java code since this thread's frames moved

void move_stack_init(void)
{
    const char *s = getenv("PELLUCID_MOVE_STACK");
    if (!s)
        return;
    interval = (uint32_t)strtoul(s, NULL, 10);
    move_stack_on = true;
    thread_java_stacks = STACKS;
}

static size_t stack_bytes(const Thread *t)
{
    return (size_t)((char *)t->stack_end - (char *)t->stack_base);
}

// The number of the stack that p points into.
static size_t stack_of(const Thread *t, const void *p)
{
    size_t at = (size_t)((const char *)p - (const char *)t->stack_first) / stack_bytes(t);
    VM_ASSERT((const char *)p >= (const char *)t->stack_first && at < STACKS);
    return at;
}

void move_stack_follow_frame(Thread *self)
{
    if (!self->frame)
        return;
    size_t bytes = stack_bytes(self), at = stack_of(self, self->frame);
    ptrdiff_t by = (char *)self->stack_first + at * bytes - (char *)self->stack_base;
    self->stack_base = (Slot *)(void *)((char *)self->stack_base + by);
    self->stack_end = (Slot *)(void *)((char *)self->stack_end + by);
    self->stack_limit = (Slot *)(void *)((char *)self->stack_limit + by);
}

static Slot *first_slot(const Frame *f)
{
    return f->locals ? f->locals : (Slot *)(uintptr_t)f;
}

static Slot *shifted(Slot *s, ptrdiff_t by)
{
    return s ? (Slot *)(void *)((char *)s + by) : NULL;
}

// How far a frame at p goes.
static ptrdiff_t distance(const Thread *t, const void *p)
{
    bool last = stack_of(t, p) == STACKS - 1;
    return (ptrdiff_t)stack_bytes(t) * (last ? -(STACKS - 1) : 1);
}

static Frame *copy_frame(const Thread *t, const Frame *f)
{
    const Slot *from = first_slot(f);
    VM_ASSERT(f->sp >= frame_operands((Frame *)(uintptr_t)f));
    ptrdiff_t by = distance(t, f);
    memcpy((char *)(uintptr_t)from + by, from, (size_t)((char *)f->sp - (const char *)from));
    Frame *copy = (Frame *)(void *)((char *)(uintptr_t)f + by);
    copy->locals = shifted(copy->locals, by);
    copy->sp = shifted(copy->sp, by);
    return copy;
}

// What `f`, which was moved, has left.
static void poison_old(const Thread *t, const Frame *f)
{
    size_t bytes = stack_bytes(t);
    ptrdiff_t back =
        stack_of(t, f) == 0 ? (ptrdiff_t)(bytes * (STACKS - 1)) : -(ptrdiff_t)bytes;
    const Slot *now = first_slot(f);
    memset((char *)(uintptr_t)now + back, POISON, (size_t)((char *)f->sp - (const char *)now));
}

// What is older than a stretch has moved: the boundaries behind its parked frames lead there, too.
static void follow_boundary(Frame *boundary)
{
    for (Frame *f; (f = frame_behind(boundary)) != boundary->prev;) {
        while (f->method)
            f = f->prev;
        f->prev = boundary->prev;
        boundary = f;
    }
}

// Moves the youngest `count` frames.
static void move_frames(Thread *self, uint32_t count)
{
    Frame *youngest = NULL, *newer = NULL;
    uint32_t n = 0;
    for (Frame *f = self->frame; f && n < count; n++) {
        Frame *now = f->flags & FRAME_NATIVE ? f : copy_frame(self, f);
        if (newer)
            newer->prev = now;
        else
            youngest = now;
        newer = now;
        f = f->prev;
    }
    for (Frame *f = youngest; f; f = f->prev)
        if (f->flags & FRAME_COMPILED)
            follow_boundary(f);
    atomic_signal_fence(memory_order_seq_cst);
    self->frame = youngest;
    self->stack_epoch++;
    atomic_signal_fence(memory_order_seq_cst);
    for (const Frame *f = youngest; n > 0; f = f->prev, n--)
        if (!(f->flags & FRAME_NATIVE))
            poison_old(self, f);
}

void move_stack_at_call(Thread *self)
{
    bool from_c = self->frame->flags & FRAME_ENTRY;
    if (from_c || (interval && ++calls >= interval)) {
        calls = 0;
        move_frames(self, self->stack_epoch % ALL_AT ? MOVED_AT_ONCE : UINT32_MAX);
    }
    move_stack_follow_frame(self);
}
#endif
