// SPDX-License-Identifier: Apache-2.0
// The Java monitors that a thread has entered, recorded where they are entered, so that locking is
// structured (JVMS 2.11.10): a frame exits those that it entered, and no thread ends as an owner.
//
// Thread.held is a stack of objects beside the Java stack: for each frame, from the oldest on, the monitor of
// a synchronized method (FRAME_LOCKED) and then those of its synchronized blocks, as many as
// frame_block_monitors says. A record is pushed before its monitor is entered and popped before it is
// exited; so the newest may not be owned yet, and those being waited on are not owned meanwhile. What
// native code enters stands in Thread.jni_monitors. The records are roots. Only the thread itself changes
// them, IN_VM; others read them in a handshake, or while the world is stopped.
//
// Compiled code that has not made an object enters its monitor by a record alone, which names the code's frame (HELD_UNMADE). Who has the
// frame's objects made puts them in (held_made).
#ifndef FRAME_HELD_MONITORS_H
#define FRAME_HELD_MONITORS_H

#include "frame/frame.h"
#include "thread/monitor.h"

static inline uint32_t frame_block_monitors(const Frame *f)
{
    return f->flags / FRAME_BLOCK_MONITOR;
}

// monitorenter and monitorexit of frame f, self's youngest, where they need no more than to change a
// thin lock. False: nothing was done. NO_GC.
ALWAYS_INLINE bool held_enter_fast(Thread *self, Frame *f, Object *o)
{
    Object **top = self->held.top;
    if (UNLIKELY(top == self->held.end) || !monitor_enter_fast(self, o))
        return false;
    *top = o;
    self->held.top = top + 1;
    f->flags += FRAME_BLOCK_MONITOR;
    return true;
}
ALWAYS_INLINE bool held_exit_fast(Thread *self, Frame *f, Object *o)
{
    if (UNLIKELY(f->flags < FRAME_BLOCK_MONITOR) || UNLIKELY(self->held.top[-1] != o)
        || !monitor_exit_fast(self, o))
        return false;
    self->held.top--;
    f->flags -= FRAME_BLOCK_MONITOR;
    return true;
}
// The method of f, self's youngest, has returned: exits its monitor where no more is to be done for what FRAME_*
// of `mask` ask. False: nothing was done. NO_GC.
ALWAYS_INLINE bool held_exit_method_fast(Thread *self, Frame *f, uint32_t mask)
{
    if ((f->flags & mask) != FRAME_LOCKED || !monitor_exit_fast(self, self->held.top[-1]))
        return false;
    self->held.top--;
    f->flags &= ~(uint32_t)FRAME_LOCKED;
    return true;
}
// Room for more records. False: the thread has as many as it may have. NO_GC.
COLD bool held_grow(Thread *self);
// What f enters next, as a method (FRAME_LOCKED) or in a block (FRAME_BLOCK_MONITOR). False as held_grow. NO_GC.
static inline bool held_push(Thread *self, Frame *f, Object *o, uint32_t as)
{
    VM_ASSERT(f == self->frame && (as == FRAME_BLOCK_MONITOR || !(f->flags & FRAME_MONITORS)));
    if (UNLIKELY(self->held.top == self->held.end) && !held_grow(self))
        return false;
    *self->held.top++ = o;
    f->flags += as;
    return true;
}
// All cases, of self's youngest frame; `as` as in held_push. False: nothing was entered, there is no room (the
// caller throws StackOverflowError). MAY_GC.
MAY_GC bool held_enter(Thread *self, Object *o, uint32_t as);
// monitorexit in self's youngest frame. False: the frame has not entered it, or native code has exited it
// since (the caller throws IllegalMonitorStateException). MAY_GC.
MAY_GC bool held_exit(Thread *self, Object *o);
// The same of self's youngest frame if that is a compiled one, whose states say what it has entered; o is exited before what was
// entered earlier. MAY_GC.
MAY_GC bool held_enter_compiled(Thread *self, Object *o);
MAY_GC bool held_exit_compiled(Thread *self, const Object *o);
// The object of the newest record of t that stands for one of the compiled frame at rbp was made: t has entered its monitor from
// now on. Nobody else knows of the object yet; t is self, held, or the world is stopped. NO_GC.
void held_made(Thread *t, uintptr_t rbp, Object *o);
// Exits the monitors of the blocks in which self's youngest frame stands. MAY_GC.
MAY_GC void held_exit_blocks(Thread *self);
// Whether f may be left as it is: it holds no monitor of a block, and that of its method if that is
// synchronized. A method that has given its own up may have taken it, or another one, again. NO_GC.
static inline bool held_is_structured(const Frame *f)
{
    return frame_block_monitors(f) == (f->flags & FRAME_UNLOCKED ? 1 : 0);
}
// Self's youngest frame is being left: exits all that it still holds. False: that was not structured, or native
// code has exited the method's monitor. MAY_GC.
MAY_GC bool held_exit_all(Thread *self);

// ---- the monitors that a thread owns, for all tools; independent of how its frames are made ----
typedef enum HeldKind { HELD_BY_METHOD, HELD_BY_BLOCK, HELD_BY_NATIVE } HeldKind;
typedef struct HeldMonitor {
    Object *object; // raw
    HeldKind
        kind; // what entered it: a synchronized method, monitorenter, JNI MonitorEnter or the VM
    int32_t depth; // of the frame that did: the youngest has 0; -1: HELD_BY_NATIVE
    bool waiting;  // in Object.wait for it: not owned until that ends
} HeldMonitor;
// Visits each entry of a monitor by t that t has not exited, an object as often as t has entered it: from
// the newest to the oldest, and then likewise those of native code. t is self, held, or the world is
// stopped. Objects that compiled frames of t hold without having made them are made first (cursor_settle). `visit` must not collect. NO_GC.
void thread_monitors_each(Thread *t, void (*visit)(void *ctx, const HeldMonitor *m), void *ctx);

#endif
