// SPDX-License-Identifier: Apache-2.0
// Entering and leaving Java monitors, Object.wait and notify. The data structure is explained
// in monitor_internal.h.
//
// Who sleeps is never forgotten: after an owner has left, somebody of the enter queue is WOKEN,
// and a WOKEN thread either owns the monitor next, or fails because another owns it (whose
// leaving wakes again), or cannot run because it is suspended, and then becomes STUCK and wakes the
// next one. Monitors are owned by IN_VM threads only when they come to them: a suspended thread
// does not acquire.
#include "thread/monitor_internal.h"

#include "event/event.h"

enum {
    THIN_SPINS = 60, // looks at a thin lock of another thread before it is inflated
    FAT_SPINS = 100, // looks at the owner before queueing
    VAIN_WAKES = 4,  // then no barging past this thread
    NANOS_PER_MS = 1000 * 1000,
};

// ---- queues; Monitor.lock is held ----

static void queue_append(MonitorQueue *q, Thread *t)
{
    t->wait_next = NULL;
    t->wait_prev = q->last;
    if (q->last)
        q->last->wait_next = t;
    else
        q->first = t;
    q->last = t;
}

static void queue_remove(MonitorQueue *q, Thread *t)
{
    if (t->wait_prev)
        t->wait_prev->wait_next = t->wait_next;
    else
        q->first = t->wait_next;
    if (t->wait_next)
        t->wait_next->wait_prev = t->wait_prev;
    else
        q->last = t->wait_prev;
    t->wait_next = t->wait_prev = NULL;
}

// A member of the enter queue changes its state; WOKEN ones are counted.
static void set_queue_state(Monitor *m, Thread *t, enum QueueState state)
{
    ASSERT_HELD(&m->lock);
    m->woken -= atomic_load_explicit(&t->queue_state, memory_order_relaxed) == QUEUE_WOKEN;
    m->woken += state == QUEUE_WOKEN;
    atomic_store(&t->queue_state, state);
}

static void stop_starving(Monitor *m, const Thread *t)
{
    if (atomic_load(&m->starving) == t->id)
        atomic_store(&m->starving, 0);
}

// m->queued counts t already.
static void enter_queue_add(Monitor *m, Thread *t)
{
    ASSERT_HELD(&m->lock);
    queue_append(&m->enter, t);
    set_queue_state(m, t, QUEUE_SLEEPING);
}

// The next one to try is WOKEN from now on; it goes to `wake` once the lock is given back. NULL: somebody will try anyhow.
static Thread *pick_next(Monitor *m)
{
    ASSERT_HELD(&m->lock);
    if (m->woken > 0)
        return NULL;
    for (Thread *t = m->enter.first; t; t = t->wait_next)
        if (atomic_load_explicit(&t->queue_state, memory_order_relaxed) == QUEUE_SLEEPING) {
            atomic_fetch_add(&t->wakers, 1);
            set_queue_state(m, t, QUEUE_WOKEN);
            return t;
        }
    return NULL;
}

static void wake(Thread *t)
{
    if (!t)
        return;
    thread_park_wake(t);
    atomic_fetch_sub(&t->wakers, 1);
}

// ---- ownership ----

static bool try_own(Monitor *m, Thread *self)
{
    uint32_t nobody = 0;
    return atomic_load_explicit(&m->owner, memory_order_relaxed) == 0
           && atomic_compare_exchange_strong(&m->owner, &nobody, self->id);
}

static bool spin_to_own(Monitor *m, Thread *self)
{
    for (int i = 0; i < FAT_SPINS; i++) {
        if (try_own(m, self))
            return true;
        cpu_relax();
    }
    return false;
}

// Whether somebody waits to own it.
static bool give_up(Monitor *m)
{
    VM_ASSERT(atomic_load(&m->owner) == thread_current()->id && m->count == 0);
    atomic_store(&m->owner, 0);
    if (atomic_load(&m->queued) == 0)
        return false;
    mutex_lock(&m->lock);
    Thread *next = pick_next(m);
    mutex_unlock(&m->lock);
    wake(next);
    return true;
}

void monitor_enter_unseen(Thread *t, Object *o)
{
    ASSERT_STILL(t);
    uint64_t m = atomic_load_explicit(&o->mark, memory_order_relaxed);
    bool is_free = MARK_STATE(m) == MARK_UNLOCKED;
    VM_CHECK(is_free
             || (MARK_STATE(m) == MARK_THIN && thin_owner(m) == t->id
                 && thin_count(m) < THIN_RECURSION_MAX));
    atomic_store_explicit(&o->mark, thin_mark(m, t->id, is_free ? 0 : thin_count(m) + 1),
                          memory_order_relaxed);
}

// ---- blocking ----

// self, in the enter queue, is about to do something else for a while: others must not wait for
// it to try.
static void become_stuck(Monitor *m, Thread *self)
{
    mutex_lock(&m->lock);
    set_queue_state(m, self, QUEUE_STUCK);
    stop_starving(m, self);
    Thread *next = atomic_load(&m->owner) == 0 ? pick_next(m) : NULL;
    mutex_unlock(&m->lock);
    wake(next);
}

static void enter_vm_from_queue(Monitor *m, Thread *self)
{
    if (thread_try_enter_vm(self))
        return;
    become_stuck(m, self);
    thread_wait_to_enter(self);
}

static bool is_woken(const Thread *self)
{
    return atomic_load_explicit(&self->queue_state, memory_order_acquire) == QUEUE_WOKEN;
}

static void sleep_in_queue(Monitor *m, Thread *self)
{
    thread_leave_vm(self, THREAD_BLOCKED);
    if (!thread_spin_until(self, is_woken)) {
        thread_sleep_begin(self);
        while (atomic_load(&self->queue_state) == QUEUE_SLEEPING)
            cond_wait(&self->park_cond, &self->park_lock);
        thread_sleep_end(self);
    }
    enter_vm_from_queue(m, self);
}

static void sleep_again(Monitor *m, Thread *self, bool starves)
{
    mutex_lock(&m->lock);
    set_queue_state(m, self, QUEUE_SLEEPING);
    if (starves && atomic_load(&m->starving) == 0)
        atomic_store(&m->starving, self->id);
    mutex_unlock(&m->lock);
}

static void enter_queue_leave(Monitor *m, Thread *self)
{
    mutex_lock(&m->lock);
    set_queue_state(m, self, QUEUE_NONE);
    queue_remove(&m->enter, self);
    atomic_fetch_sub(&m->queued, 1);
    stop_starving(m, self);
    mutex_unlock(&m->lock);
}

// For a SLEEPING member of the enter queue, IN_VM; returns when it owns m, out of the queue. It
// has to try first unless another is sure to wake it.
static void own_from_queue(Monitor *m, Thread *self, bool try_first)
{
    uint32_t vain = 0;
    bool owned = try_first && try_own(m, self);
    while (!owned) {
        sleep_in_queue(m, self);
        owned = spin_to_own(m, self);
        if (!owned) {
            sleep_again(m, self, ++vain >= VAIN_WAKES);
            owned = try_own(m, self);
        }
    }
    enter_queue_leave(m, self);
}

static void queue_to_own(Monitor *m, Thread *self)
{
    mutex_lock(&m->lock);
    enter_queue_add(m, self);
    // Not past a starving thread, if somebody else is sure to try.
    bool defer = atomic_load(&m->starving) != 0 && m->woken > 0;
    mutex_unlock(&m->lock);
    own_from_queue(m, self, !defer);
}

// self, IN_VM, contends for m from now on, which m->queued counts: whoever gives it up to one that is BLOCKED says so. Whoever sees BLOCKED
// also finds the monitor. After a callback it is so again, whatever monitors that has entered.
static void set_blocked_on(Monitor *m, Thread *self)
{
    VM_ASSERT(atomic_load(&m->queued) > 0);
    atomic_store(&self->blocked_on, m);
    thread_set_status(self, STATUS_BLOCKED);
}

// m->refs counts self. A thread whose end was posted already (it has yet to notify those that join
// it) posts nothing more: listeners have forgotten it.
static void enter_contended(Monitor *m, Thread *self, jobject h)
{
    bool posts = !atomic_load_explicit(&self->exiting, memory_order_relaxed);
    atomic_fetch_add(&m->queued, 1);
    set_blocked_on(m, self);
    wait_statistics_begin(&self->blocked);
    if (posts && event_on(MONITOR_ENTER)) {
        event_post(self, MONITOR_ENTER, .object = h);
        set_blocked_on(m, self);
    }
    queue_to_own(m, self);
    wait_statistics_end(&self->blocked);
    thread_set_status(self, STATUS_RUNNABLE);
    atomic_store(&self->blocked_on, NULL);
    if (posts)
        event_post(self, MONITOR_ENTERED, .object = h);
}

static void enter_inflated(Monitor *m, Thread *self, jobject h)
{
    if (atomic_load_explicit(&m->owner, memory_order_relaxed) == self->id) {
        m->count++;
        return;
    }
    if (atomic_load(&m->starving) == 0 && spin_to_own(m, self))
        return;
    atomic_fetch_add(&m->refs, 1);
    enter_contended(m, self, h);
    atomic_fetch_sub(&m->refs, 1);
}

// The owner of a thin lock enters once more. False: look at the mark again.
static bool enter_thin_again(Object *o, uint64_t mark)
{
    uint32_t count = thin_count(mark);
    if (count == THIN_RECURSION_MAX) {
        monitor_inflate(o);
        return false;
    }
    uint64_t again = thin_mark(mark, thin_owner(mark), count + 1);
    return atomic_compare_exchange_strong(&o->mark, &mark, again);
}

void monitor_enter(Thread *self, jobject h)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(h);
    for (int spins = THIN_SPINS;;) {
        Object *o = deref(h);
        uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
        if (MARK_STATE(mark) == MARK_INFLATED) {
            enter_inflated(monitor_of_mark(mark), self, h);
            return;
        }
        if (MARK_STATE(mark) == MARK_UNLOCKED) {
            if (monitor_enter_fast(self, o))
                return;
        } else if (thin_owner(mark) == self->id) {
            if (enter_thin_again(o, mark))
                return;
        } else if (spins-- > 0) {
            cpu_relax();
        } else {
            monitor_inflate(o);
        }
    }
}

static bool exit_inflated(Monitor *m, Thread *self, jobject h)
{
    if (atomic_load_explicit(&m->owner, memory_order_relaxed) != self->id)
        return false;
    if (m->count > 0)
        m->count--;
    else if (give_up(m))
        event_post(self, MONITOR_EXIT, .object = h);
    return true;
}

bool monitor_exit(Thread *self, jobject h)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(h);
    Object *o = deref(h);
    for (;;) {
        uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
        if (MARK_STATE(mark) == MARK_INFLATED)
            return exit_inflated(monitor_of_mark(mark), self, h);
        if (MARK_STATE(mark) != MARK_THIN || thin_owner(mark) != self->id)
            return false;
        uint32_t count = thin_count(mark);
        uint64_t next = count ? thin_mark(mark, self->id, count - 1) : mark & ~MARK_LOCK_MASK;
        if (atomic_compare_exchange_strong(&o->mark, &mark, next))
            return true;
    }
}

// ---- wait and notify ----

static void join_wait_queue(Monitor *m, Thread *self)
{
    self->notified = false;
    atomic_store(&self->waiting_on, m);
    mutex_lock(&m->lock);
    queue_append(&m->wait, self);
    atomic_store(&self->queue_state, QUEUE_WAITING);
    mutex_unlock(&m->lock);
}

// Sleeps until notified and then woken as a member of the enter queue, or until `wake` or the
// deadline.
static void wait_sleep(Thread *self, int64_t deadline, bool *timed_out)
{
    *timed_out = false;
    if (thread_spin_until(self, is_woken))
        return;
    thread_sleep_begin(self);
    for (;;) {
        uint32_t state = atomic_load(&self->queue_state);
        if (state == QUEUE_SLEEPING)
            cond_wait(&self->park_cond, &self->park_lock);
        else if (state != QUEUE_WAITING || self->wake)
            break;
        else if (!thread_park_wait(self, deadline)) {
            *timed_out = true;
            break;
        }
    }
    thread_sleep_end(self);
}

// True when self was notified: it is in the enter queue then. Otherwise it leaves the wait queue.
static bool wait_end(Monitor *m, Thread *self)
{
    if (is_woken(self))
        return true;
    mutex_lock(&m->lock);
    bool notified = self->notified;
    if (!notified) {
        queue_remove(&m->wait, self);
        atomic_store(&self->queue_state, QUEUE_NONE);
    }
    mutex_unlock(&m->lock);
    return notified;
}

// self, in the enter queue, is about to run a callback, which may queue elsewhere: it leaves the queue, and is counted in m->queued still.
static void step_out_of_queue(Monitor *m, Thread *self)
{
    mutex_lock(&m->lock);
    set_queue_state(m, self, QUEUE_NONE);
    queue_remove(&m->enter, self);
    stop_starving(m, self);
    Thread *next = atomic_load(&m->owner) == 0 ? pick_next(m) : NULL;
    mutex_unlock(&m->lock);
    wake(next);
}

static void reenter_notified(Monitor *m, Thread *self, jobject h)
{
    if (event_on(MONITOR_WAITED)) {
        step_out_of_queue(m, self);
        event_post(self, MONITOR_WAITED, .object = h, .timed_out = false);
        set_blocked_on(m, self);
        queue_to_own(m, self);
    } else if (is_woken(self) && spin_to_own(m, self)) {
        enter_queue_leave(m, self);
    } else {
        sleep_again(m, self, false);
        own_from_queue(m, self, true);
    }
    atomic_store(&self->blocked_on, NULL);
}

static void reenter_unnotified(Monitor *m, Thread *self, jobject h, bool timed_out)
{
    atomic_store(&self->waiting_on, NULL);
    thread_set_status(self, STATUS_RUNNABLE);
    event_post(self, MONITOR_WAITED, .object = h, .timed_out = timed_out);
    if (!spin_to_own(m, self))
        enter_contended(m, self, h);
}

// The wait proper; self owns m, m->refs counts it. Comes back owning m, with count 0.
static WaitResult wait_in_monitor(Monitor *m, Thread *self, jobject h, int64_t deadline)
{
    bool timed_out;
    join_wait_queue(m, self);
    thread_set_status(self, deadline == INT64_MAX ? STATUS_WAITING : STATUS_WAITING_TIMED);
    give_up(m);
    thread_leave_vm(self, THREAD_BLOCKED);
    wait_sleep(self, deadline, &timed_out);
    if (wait_end(m, self)) {
        enter_vm_from_queue(m, self);
        reenter_notified(m, self, h);
        return WAIT_DONE;
    }
    thread_enter_vm(self);
    reenter_unnotified(m, self, h, timed_out && !thread_take_interrupt(self, false));
    if (thread_take_interrupt(self, true)) // not before it owns m again: JLS 17.2.1
        return WAIT_INTERRUPTED;
    return timed_out ? WAIT_TIMED_OUT : WAIT_DONE;
}

static int64_t wait_deadline(int64_t timeout_ms)
{
    int64_t nanos;
    if (timeout_ms == 0 || __builtin_mul_overflow(timeout_ms, (int64_t)NANOS_PER_MS, &nanos))
        return INT64_MAX;
    return thread_deadline(nanos);
}

WaitResult monitor_wait(Thread *self, jobject h, int64_t timeout_ms)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(h);
    if (!monitor_is_held(self, deref(h)))
        return WAIT_NOT_OWNER;
    Monitor *m = monitor_inflate(deref(h));
    event_post(self, MONITOR_WAIT, .object = h, .timeout_ms = timeout_ms);
    if (thread_begin_wait(self)) {
        event_post(self, MONITOR_WAITED, .object = h, .timed_out = false);
        return WAIT_INTERRUPTED;
    }
    uint32_t count = m->count;
    m->count = 0;
    atomic_fetch_add(&m->refs, 1);
    wait_statistics_begin(&self->waited);
    WaitResult result = wait_in_monitor(m, self, h, wait_deadline(timeout_ms));
    wait_statistics_end(&self->waited);
    atomic_fetch_sub(&m->refs, 1);
    m->count = count;
    thread_set_status(self, STATUS_RUNNABLE);
    return result;
}

// Monitor.lock is held, by the owner of the monitor: t need not wake before the monitor is left.
static void notify_first(Monitor *m)
{
    ASSERT_HELD(&m->lock);
    Thread *t = m->wait.first;
    queue_remove(&m->wait, t);
    t->notified = true;
    atomic_store(&t->waiting_on, NULL);
    atomic_store(&t->blocked_on, m);
    thread_set_status(t, STATUS_BLOCKED);
    atomic_fetch_add(&m->queued, 1);
    enter_queue_add(m, t);
}

bool monitor_notify(Thread *self, jobject h, bool all)
{
    ASSERT_IN_VM(self);
    ASSERT_HANDLE_SET(h);
    Object *o = deref(h);
    if (!monitor_is_held(self, o))
        return false;
    uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
    if (MARK_STATE(mark) != MARK_INFLATED)
        return true;
    Monitor *m = monitor_of_mark(mark);
    mutex_lock(&m->lock);
    if (m->wait.first)
        notify_first(m);
    while (all && m->wait.first)
        notify_first(m);
    mutex_unlock(&m->lock);
    return true;
}

// ---- JNI ----

void monitor_jni_enter(Thread *self, jobject h)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(h);
    vec_push(&self->jni_monitors, global_new(deref(h)));
    monitor_enter(self, h);
}

bool monitor_jni_exit(Thread *self, jobject h)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(h);
    if (!monitor_exit(self, h))
        return false;
    for (size_t i = self->jni_monitors.len; i-- > 0;) {
        jobject *entry = &self->jni_monitors.at[i];
        if (deref(*entry) != deref(h))
            continue;
        global_delete(*entry);
        size_t after = --self->jni_monitors.len - i;
        memmove(entry, entry + 1, after * sizeof(*entry));
        break;
    }
    return true;
}

void monitors_release_all(Thread *t)
{
    while (t->jni_monitors.len > 0) {
        jobject h = t->jni_monitors.at[--t->jni_monitors.len];
        monitor_exit(t, h);
        global_delete(h);
    }
}
