// SPDX-License-Identifier: Apache-2.0
// Java monitors (JVMS 2.11.10, JLS 17): thin in the mark word, inflated when contended, waited
// on or recursed too deep. An inflated monitor is found by its index in the mark word and knows
// its object by a weak slot; monitors nobody holds or waits for are deflated with the world
// stopped.
#ifndef THREAD_MONITOR_H
#define THREAD_MONITOR_H

#include "thread/thread.h"

// The uncontended cases. True: entered/left. NO_GC.
static inline bool monitor_enter_fast(Thread *self, Object *o)
{
    uint64_t m = atomic_load_explicit(&o->mark, memory_order_relaxed);
    if (LIKELY(MARK_STATE(m) == MARK_UNLOCKED)) {
        uint64_t locked =
            m | (uint64_t)(self->id << THIN_OWNER_SHIFT) << MARK_LOCK_SHIFT | MARK_THIN;
        return atomic_compare_exchange_strong_explicit(
            &o->mark, &m, locked, memory_order_acquire, memory_order_relaxed);
    }
    return false;
}
ALWAYS_INLINE bool monitor_exit_fast(Thread *self, Object *o)
{
    uint64_t m = atomic_load_explicit(&o->mark, memory_order_relaxed);
    if (LIKELY(MARK_STATE(m) == MARK_THIN && MARK_LOCK(m) == self->id << THIN_OWNER_SHIFT))
        return atomic_compare_exchange_strong_explicit(
            &o->mark, &m, m & ~MARK_LOCK_MASK, memory_order_release, memory_order_relaxed);
    return false;
}
// All cases. `h` is a handle, which no slot of a Java method's frame is: such frames may move meanwhile. MAY_GC;
// posts MONITOR_ENTER/ENTERED when it blocks.
MAY_GC void monitor_enter(Thread *self, jobject h);
// t owns the monitor of o once more, which nobody else knows of: it has just been made. At most THIN_RECURSION_MAX times more than once.
// t is self, held, or the world is stopped. NO_GC.
void monitor_enter_unseen(Thread *t, Object *o);
// False when self does not own it (the caller throws IllegalMonitorStateException). MAY_GC; posts
// MONITOR_EXIT when another thread waits for it.
MAY_GC bool monitor_exit(Thread *self, jobject h);
// Object.wait: timeout_ms 0 = forever. MAY_GC; posts MONITOR_WAIT/WAITED.
MAY_GC WaitResult monitor_wait(Thread *self, jobject h, int64_t timeout_ms);
// False: not owner.
bool monitor_notify(Thread *self, jobject h, bool all);
bool monitor_is_held(Thread *self, Object *o);
// The owner or NULL. Exact only when the owner cannot run (world stopped) or is self.
Thread *monitor_owner(Object *o, uint32_t *entry_count);

typedef struct MonitorInfo {
    Thread *owner;
    uint32_t entry_count;
    size_t waiter_count, notify_count;  // waiting to enter; in Object.wait
    Thread **waiters, **notify_waiters; // vm_malloc'ed
} MonitorInfo;
void monitor_info(Object *o, MonitorInfo *out); // world stopped
// Objects a thread waits for (or NULL), as raw references; world stopped, or a handshake with t.
Object *monitor_blocked_object(Thread *t);
Object *monitor_waiting_object(Thread *t);
// JNI MonitorEnter and MonitorExit: as above, and t->jni_monitors records what is to be
// released at detaching. What Java frames enter is recorded by held_monitors.h.
MAY_GC void monitor_jni_enter(Thread *self, jobject h);
MAY_GC bool monitor_jni_exit(Thread *self, jobject h);
// Releases all monitors t (the current thread) still holds that were entered by JNI.
// thread_detach_current calls it. MAY_GC.
void monitors_release_all(Thread *t);
// Registers the weak slots of idle monitors with the heap. Before the first collection. Held and
// awaited monitors are roots of threads_visit_roots; idle ones are deflated whenever the world
// has just been stopped.
void monitors_init(void);

#endif
