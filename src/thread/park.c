// SPDX-License-Identifier: Apache-2.0
// Sleeping on one's own condition: park and unpark, sleep, and what an interrupt does to them.
//
// Every wait of a thread ends on its park_cond. park_lock guards wake. A waiter clears `wake`, then looks at
// Thread.interrupted, then sleeps until wake; an interrupter sets the flag (in Java), then wake: one of them sees the
// other. Permits and the states of monitor queues are set without park_lock: the waker sets, then reads `asleep`; the
// sleeper sets `asleep`, then looks.
#include "event/event.h"
#include "thread/thread_internal.h"

enum {
    NANOS_PER_MS = 1000 * 1000,
    SPINS_FIRST = 64,
    SPINS_MIN = 4,
    SPINS_MORE = 8,
    SPINS_MAX = 256, // some microseconds: what a sleep and a wake cost
};

uint32_t thread_spins_at_first(void)
{
    return os_cpu_count() > 1 ? SPINS_FIRST : 0;
}

bool thread_spin_until(Thread *self, bool (*done)(const Thread *self))
{
    uint32_t limit = self->spins;
    for (uint32_t i = 0; i < limit; i++) {
        if (done(self)) {
            self->spins = MIN_OF(limit + SPINS_MORE, (uint32_t)SPINS_MAX);
            return true;
        }
        cpu_relax();
    }
    if (limit > SPINS_MIN)
        self->spins = limit / 2;
    return false;
}

void thread_sleep_begin(Thread *self)
{
    mutex_lock(&self->park_lock);
    atomic_store(&self->asleep, true);
}

void thread_sleep_end(Thread *self)
{
    atomic_store(&self->asleep, false);
    mutex_unlock(&self->park_lock);
}

bool thread_park_wait(Thread *self, int64_t deadline)
{
    if (deadline == INT64_MAX) {
        cond_wait(&self->park_cond, &self->park_lock);
        return true;
    }
    int64_t left = deadline - os_nanos();
    if (left <= 0)
        return false;
    cond_wait_nanos(&self->park_cond, &self->park_lock, left);
    return true;
}

void thread_park_wake(Thread *t)
{
    if (!atomic_load(&t->asleep))
        return;
    mutex_lock(&t->park_lock); // from now on it has looked, or waits
    mutex_unlock(&t->park_lock);
    cond_signal(&t->park_cond);
}

bool thread_begin_wait(Thread *self)
{
    mutex_lock(&self->park_lock);
    self->wake = false;
    mutex_unlock(&self->park_lock);
    return thread_take_interrupt(self, true);
}

static bool has_permit(const Thread *self)
{
    return atomic_load(&self->park_permit);
}

static bool take_permit(Thread *self)
{
    return has_permit(self) && atomic_exchange(&self->park_permit, false);
}

// The monotonic time at which a park ends; 0: at once.
static int64_t park_deadline(bool absolute, int64_t time)
{
    if (!absolute)
        return time < 0 ? 0 : time == 0 ? INT64_MAX : thread_deadline(time);
    int64_t left, nanos, now = os_wall_millis();
    if (time <= now || __builtin_sub_overflow(time, now, &left))
        return 0;
    if (__builtin_mul_overflow(left, (int64_t)NANOS_PER_MS, &nanos))
        return INT64_MAX;
    return thread_deadline(nanos);
}

static void park_sleep(Thread *self, int64_t deadline)
{
    if (!thread_spin_until(self, has_permit)) {
        thread_sleep_begin(self);
        while (!has_permit(self) && thread_park_wait(self, deadline))
            ;
        thread_sleep_end(self);
    }
    take_permit(self);
}

void thread_park(Thread *self, bool absolute, int64_t time)
{
    ASSERT_MAY_GC(self);
    if (take_permit(self) || thread_take_interrupt(self, false))
        return;
    int64_t deadline = park_deadline(absolute, time);
    if (deadline == 0)
        return;
    bool timed = absolute || time != 0;
    thread_set_status(self, timed ? STATUS_PARKED_TIMED : STATUS_PARKED);
    wait_statistics_begin(&self->waited);
    thread_leave_vm(self, THREAD_BLOCKED);
    park_sleep(self, deadline);
    thread_enter_vm(self);
    wait_statistics_end(&self->waited);
    thread_set_status(self, STATUS_RUNNABLE);
}

void thread_unpark(Thread *t)
{
    if (!atomic_exchange(&t->park_permit, true))
        thread_park_wake(t);
}

void thread_interrupt(Thread *t)
{
    mutex_lock(&t->park_lock);
    t->wake = true;
    atomic_store(&t->park_permit, true);
    cond_broadcast(&t->park_cond);
    mutex_unlock(&t->park_lock);
}

// Sleeps in a safe state until woken (true) or the deadline.
static bool sleep_until_wake(Thread *self, int64_t deadline)
{
    thread_leave_vm(self, THREAD_BLOCKED);
    mutex_lock(&self->park_lock);
    while (!self->wake && thread_park_wait(self, deadline))
        ;
    bool woken = self->wake;
    self->wake = false;
    mutex_unlock(&self->park_lock);
    thread_enter_vm(self);
    return woken;
}

static WaitResult sleep_quietly(Thread *self, int64_t nanos)
{
    if (thread_begin_wait(self))
        return WAIT_INTERRUPTED;
    if (nanos <= 0) {
        thread_leave_vm(self, THREAD_BLOCKED);
        os_yield();
        thread_enter_vm(self);
        return WAIT_DONE;
    }
    int64_t deadline = thread_deadline(nanos);
    WaitResult result = WAIT_DONE;
    thread_set_status(self, STATUS_SLEEPING);
    wait_statistics_begin(&self->waited);
    while (sleep_until_wake(self, deadline)) {
        if (thread_take_interrupt(self, true))
            result = WAIT_INTERRUPTED;
        if (result == WAIT_INTERRUPTED || thread_async_is_due(self))
            break;
    }
    wait_statistics_end(&self->waited);
    thread_set_status(self, STATUS_RUNNABLE);
    return result;
}

WaitResult thread_sleep(Thread *self, int64_t nanos)
{
    ASSERT_MAY_GC(self);
    event_post(self, SLEEP, .timeout_ms = nanos / NANOS_PER_MS);
    WaitResult result = sleep_quietly(self, nanos);
    event_post(self, SLEPT, .unused = 0);
    return result;
}
