// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share and nobody else may use.
#ifndef THREAD_THREAD_INTERNAL_H
#define THREAD_THREAD_INTERNAL_H

#include "arch/arch.h"
#include "thread/thread.h"

// Sanitizers make C frames several times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { C_STACK_SCALE = 4 };
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { C_STACK_SCALE = 4 };
#    else
enum { C_STACK_SCALE = 1 };
#    endif
#else
enum { C_STACK_SCALE = 1 };
#endif

// Guards requests, suspend counts, who stops the world; with threads_lock, changes of the list.
extern Mutex safepoint_lock;
void states_init(void);
// Waits until `t` may run and the list may change: no other thread stops the world, nobody
// suspends t (NULL: a thread not listed yet). safepoint_lock is held (and given up while waiting);
// the caller is in a safe state.
void safepoint_await_quiet(Thread *t);
// A thread about to be listed: its requests and table. safepoint_lock is held.
void safepoint_adopt(Thread *t);
// The current thread is t, whose C stack ends at `limit`: others that make requests of t read it.
void safepoint_bound(Thread *t, char *limit);
// Lets those look again that wait for threads to reach a safe state or to be released.
// safepoint_lock is held.
void safepoint_changed(void);

static inline bool thread_in_vm(Thread *self)
{
    return self && atomic_load_explicit(&self->state, memory_order_relaxed) == THREAD_IN_VM;
}
// Whether self is suspended, for code that runs in a safe state; and blocks there until it is not.
bool thread_is_suspended(Thread *self);
void thread_wait_to_be_resumed(Thread *self);
// IN_VM again unless somebody wants self stopped: then it stays in a safe state and the result
// is false.
static inline bool thread_try_enter_vm(Thread *self)
{
    if (LIKELY(!thread_return(self)))
        return true;
    thread_leave_vm(self, THREAD_BLOCKED);
    return false;
}
// The hooks, absent ones left out. The caller is IN_VM.
static inline void thread_set_status(Thread *t, int status)
{
    if (thread_hooks.set_status && t->java_thread)
        thread_hooks.set_status(t, status);
}
static inline bool thread_take_interrupt(Thread *self, bool clear)
{
    return thread_hooks.take_interrupt && self->java_thread
           && thread_hooks.take_interrupt(self, clear);
}
// The time `nanos` (>= 0) from now, without overflow.
static inline int64_t thread_deadline(int64_t nanos)
{
    int64_t end;
    return __builtin_add_overflow(os_nanos(), nanos, &end) ? INT64_MAX : end;
}
// Clears self->wake, then looks whether an interrupt came before that: one that comes later
// sets wake again.
bool thread_begin_wait(Thread *self);
// Before it sleeps a thread looks a while whether `done` comes true: cheaper than a sleep and a wake when
// another processor is at it. Adapts to how often that paid.
uint32_t thread_spins_at_first(void);
bool thread_spin_until(Thread *self, bool (*done)(const Thread *self));
// Around waits that thread_park_wake ends: takes and gives back park_lock. What is waited for is looked at in between.
void thread_sleep_begin(Thread *self);
void thread_sleep_end(Thread *self);
// Waits on park_cond (park_lock held) until `deadline` (INT64_MAX: for ever). False when it has
// passed.
bool thread_park_wait(Thread *self, int64_t deadline);
// Wakes a thread that sleeps on its park_cond, to look at its condition, which was changed by a sequentially consistent
// store. t is pinned, or counted in t->wakers.
void thread_park_wake(Thread *t);
// Around what blocks; self is IN_VM in both.
static inline void wait_statistics_begin(WaitStatistics *w)
{
    w->count++;
    if (atomic_load_explicit(&thread_contention_timing, memory_order_relaxed))
        w->since = os_nanos();
}
static inline void wait_statistics_end(WaitStatistics *w)
{
    if (w->since)
        w->nanos += os_nanos() - w->since;
    w->since = 0;
}

// ---- monitors ----
void monitors_visit_roots(RefVisitor visit, void *ctx); // world stopped
void monitors_deflate_idle(void); // world stopped, no collection under way

#endif
