// SPDX-License-Identifier: Apache-2.0
// Raw monitors: recursive locks with wait and notify for agents (JVM TI, Raw Monitor) and the
// class library (JVM_RawMonitor*).
#ifndef THREAD_RAW_MONITOR_H
#define THREAD_RAW_MONITOR_H

#include "thread/thread.h"

typedef struct RawMonitor {
    _Atomic uint32_t magic;
    uint32_t count;            // entries beyond the first; the owner's
    _Atomic uintptr_t owner;   // pthread_t, 0: free
    _Atomic uint32_t entering; // threads that are about to own it, or sleep on `entry`; written
                               // under the lock
    Mutex lock;
    Cond entry;
    struct Waiter *first, *last;
    char *name;
    struct RawMonitor *next_free;
} RawMonitor;
enum { RAW_MONITOR_MAGIC = 0x5241574d, RAW_MONITORS_FIRST = 64 };
// Monitors lie in slabs. This is the first of them, of RAW_MONITORS_FIRST; the others are each twice the size of
// the one before.
typedef union RawMonitorSlot {
    RawMonitor m;
    char room[256]; // a power of two
} RawMonitorSlot;
extern RawMonitorSlot raw_monitor_slab[RAW_MONITORS_FIRST];

// Copies the name; NULL is "".
RawMonitor *raw_monitor_new(const char *name);
// False when it is owned by another thread or waited on.
bool raw_monitor_free(RawMonitor *m);
// Any pointer may be asked of.
bool raw_monitor_is_in_later_slab(const RawMonitor *m);
static inline bool raw_monitor_is_valid(const RawMonitor *m)
{
    uintptr_t offset = (uintptr_t)m - (uintptr_t)raw_monitor_slab;
    bool in_slab = offset < sizeof raw_monitor_slab && offset % sizeof(RawMonitorSlot) == 0;
    return (LIKELY(in_slab) || raw_monitor_is_in_later_slab(m))
           && atomic_load_explicit(&m->magic, memory_order_acquire) == RAW_MONITOR_MAGIC;
}
// `self` NULL: an unattached thread. Waits in a safe state when self is IN_VM. MAY_GC.
MAY_GC void raw_monitor_enter_slowly(Thread *self, RawMonitor *m);
MAY_GC void raw_monitor_give_way(Thread *self,
                                 RawMonitor *m); // self is suspended: enters again, later
MAY_GC static inline void raw_monitor_enter(Thread *self, RawMonitor *m)
{
    uintptr_t free = 0;
    if (UNLIKELY(
            !self || atomic_load_explicit(&m->owner, memory_order_relaxed)
            || !atomic_compare_exchange_strong(&m->owner, &free, (uintptr_t)self->pthread)))
        raw_monitor_enter_slowly(self, m);
    else if (UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_SUSPEND))
        raw_monitor_give_way(self, m);
}
// Another thread may have destroyed a monitor after it was asked whether it is valid and before it was
// entered, or while who waited comes back. False: so it was, and it is not owned any more.
void raw_monitor_leave_destroyed(RawMonitor *m);
static inline bool raw_monitor_stays(RawMonitor *m)
{
    if (LIKELY(atomic_load_explicit(&m->magic, memory_order_acquire) == RAW_MONITOR_MAGIC))
        return true;
    raw_monitor_leave_destroyed(m);
    return false;
}
bool raw_monitor_exit_slowly(RawMonitor *m);
void raw_monitor_wake(RawMonitor *m);                            // somebody who waits to enter
static inline bool raw_monitor_exit(Thread *self, RawMonitor *m) // false: not owner
{
    if (UNLIKELY(!self
                 || atomic_load_explicit(&m->owner, memory_order_relaxed)
                        != (uintptr_t)self->pthread
                 || m->count > 0))
        return raw_monitor_exit_slowly(m);
    atomic_store(&m->owner, 0);
    if (UNLIKELY(atomic_load(&m->entering)))
        raw_monitor_wake(m);
    return true;
}
// Until notified, interrupted or the time is over; timeout_ms <= 0: no time-out. Enters again before it returns.
MAY_GC WaitResult raw_monitor_wait(Thread *self, RawMonitor *m, int64_t timeout_ms);
// One waiter, the first, or all; none is fine. False: the current thread is not the owner.
bool raw_monitor_notify(RawMonitor *m, bool all);
const char *raw_monitor_name(const RawMonitor *m);
Thread *raw_monitor_owner(const RawMonitor *m);
// Owned by another thread; some thread waits to enter. True at the moment of asking.
bool raw_monitor_is_contended(const RawMonitor *m);
bool raw_monitor_is_awaited(RawMonitor *m);
uint32_t raw_monitor_entries(const RawMonitor *m); // of its owner; 0: free
// All there are. Those waiting to enter or to be notified are known by Thread.raw_blocked_on and
// raw_waiting_on. World stopped.
void raw_monitors_each(void (*visit)(void *ctx, RawMonitor *m), void *ctx);

#endif
