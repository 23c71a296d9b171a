// SPDX-License-Identifier: Apache-2.0
// The inflated monitor, shared by inflate.c (its making and undoing) and monitor.c (its use).
//
// owner      id of the owning thread or 0; taken by CAS, given up by a store. count and the mark's meaning
//            belong to it.
// lock       guards both queues and every queue_state of their members.
// enter queue: threads that want to own it, each SLEEPING, WOKEN (about to try) or STUCK (suspended or stopped;
// it will try when it
//            comes back, so it must not be relied upon). Members stay until they own the monitor.
// wait queue: threads in Object.wait, WAITING. notify moves them to the enter queue, SLEEPING.
// queued     length of the enter queue, with those that are about to join it. An owner that leaves
//            stores owner = 0, then reads queued; one who queues adds to queued, then tries owner:
//            one of them sees the other.
// A monitor stays attached to its object while it is owned or `refs` > 0; refs is only raised
// by a thread that is IN_VM and has just found the monitor in the mark word, so the world
// cannot be stopped in between.
#ifndef THREAD_MONITOR_INTERNAL_H
#define THREAD_MONITOR_INTERNAL_H

#include "thread/monitor.h"
#include "thread/thread_internal.h"

enum QueueState { QUEUE_NONE, QUEUE_WAITING, QUEUE_SLEEPING, QUEUE_WOKEN, QUEUE_STUCK };

typedef struct MonitorQueue {
    Thread *first, *last;
} MonitorQueue;

typedef struct Monitor {
    _Atomic uint32_t owner;
    uint32_t count; // entries beyond the first
    _Atomic uint32_t queued;
    _Atomic uint32_t refs;
    _Atomic uint32_t
        starving;   // id of a thread that was woken in vain often: no barging past it
    uint32_t index; // of the table
    uint32_t next_free;
    bool in_use;
    Object *object; // weak while the monitor is idle
    Mutex lock;
    MonitorQueue enter, wait;
    uint32_t woken; // members of the enter queue that are WOKEN
} Monitor;

static inline uint64_t thin_mark(uint64_t mark, uint32_t owner, uint32_t count)
{
    uint32_t lock = owner << THIN_OWNER_SHIFT | count;
    return (mark & ~MARK_LOCK_MASK) | (uint64_t)lock << MARK_LOCK_SHIFT | MARK_THIN;
}
static inline uint32_t thin_owner(uint64_t mark)
{
    return MARK_LOCK(mark) >> THIN_OWNER_SHIFT;
}
static inline uint32_t thin_count(uint64_t mark)
{
    return MARK_LOCK(mark) & THIN_RECURSION_MAX;
}

// The monitor of an inflated mark word.
Monitor *monitor_of_mark(uint64_t mark);
// Makes the object's lock an inflated one, whoever owns it. NO_GC.
Monitor *monitor_inflate(Object *o);

#endif
