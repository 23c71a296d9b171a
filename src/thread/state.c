// SPDX-License-Identifier: Apache-2.0
// Requests to threads and how threads answer: safepoints, handshakes with one thread, suspension,
// asynchronous exceptions.
//
// The protocol is Dekker's. A requester sets a bit of t->poll, then reads t->state; a thread
// that comes back stores IN_VM, then reads its poll bits. So either the requester sees IN_VM and
// waits, or the thread sees the bit and stops before it touches anything. Everything slow happens
// under safepoint_lock: who stops the world, suspend counts, and a stopped thread's return to IN_VM.
//
// That needs a full barrier on both sides. Threads come back from native code so often that theirs
// is paid by the requester: between setting bits and reading states it lets all threads pass a
// barrier (os_process_barrier). Where it comes before a thread's store of IN_VM, the thread's later
// read sees the bits; where it comes after, the requester sees IN_VM; and so it is with every return
// after it. A thread that comes back out of another state than IN_NATIVE makes the barrier itself:
// what was BLOCKED when the bits were set is safe at once, and a handshake with a waiting thread costs
// no system call. It must have come IN_VM in between to get from BLOCKED to IN_NATIVE. Where the
// system has no such barrier, every return makes its own.
//
// A stopped thread signals safe_cond. One that merely leaves the VM does not (that is a plain
// store), so those who wait for it look again after short times.
//
// No deadlocks between threads that stop others: all wait in safe states. A thread that has begun a
// handshake, or that stops the world, is not suspended itself until it has ended it, and others wait
// for that; and no thread begins a handshake while it is suspended. So chains of handshakes always
// end in a thread that runs. Two threads do not have a handshake with a third at once: each may change its
// frames. Nobody begins one with a second thread within one with a first.
#include "thread/thread_internal.h"

#include <inttypes.h>

#include "base/log.h"

enum {
    YIELDS = 40,           // looks before the waiting for a safe state turns to sleeping
    NAP_NANOS = 50 * 1000, // first and longest sleep
    NAP_NANOS_MAX = 1000 * 1000,
    PATIENCE_NANOS = 500 * 1000, // stops of the world may keep threads waiting so long together
    TURN_NANOS = 1000 * 1000,    // at most, in which these have their turn before the next stop
};
static const int64_t stop_warn_nanos = 10ll * 1000 * 1000 * 1000;

Mutex safepoint_lock = MUTEX_INIT(RANK_SAFEPOINT);
static Cond resume_cond; // a thread may run again
static Cond safe_cond;   // somebody reached a safe state
static Thread *_Atomic stopper;
static uint32_t stop_depth;   // of the stopper
static _Atomic uint32_t kept; // threads that wait because the world is, or was, stopped
static int64_t kept_since;    // os_nanos, when a stop found some first; 0: it found none
static _Atomic bool stopped;
static uint32_t standing_bits; // requested of every thread
static const void *const *_Atomic normal_table,
    *const *_Atomic watched_table,
        *const *_Atomic polling_table; // written under safepoint_lock
ThreadState thread_plain_return = THREAD_ENDED;

void states_init(void)
{
    cond_init(&resume_cond);
    cond_init(&safe_cond);
    if (os_has_process_barrier())
        thread_plain_return = THREAD_IN_NATIVE;
}

// ---- requests and tables ----

// The table by which t runs while nothing is requested of it.
static const void *const *own_table(const Thread *t)
{
    return atomic_load_explicit(&t->calls_watched, memory_order_relaxed) ? watched_table
                                                                         : normal_table;
}

static void set_limit(Thread *t)
{
    ASSERT_HELD(&safepoint_lock);
    uintptr_t limit = (uintptr_t)t->c_stack_limit + JIT_STACK_RESERVE;
    bool asked = atomic_load_explicit(&t->calls_watched, memory_order_relaxed)
                 || atomic_load(&t->poll) != 0;
    atomic_store_explicit(&t->jit_limit, asked ? JIT_LIMIT_ASKED : limit, memory_order_release);
}

static void set_bits(Thread *t, uint32_t bits)
{
    ASSERT_HELD(&safepoint_lock);
    atomic_store_explicit(&t->jit_limit, JIT_LIMIT_ASKED, memory_order_release);
    atomic_store_explicit(&t->dispatch, polling_table, memory_order_release);
    atomic_fetch_or(&t->poll, bits); // all three are to be seen before t's state is read
}

static void clear_bits(Thread *t, uint32_t bits)
{
    ASSERT_HELD(&safepoint_lock);
    uint32_t left = atomic_fetch_and(&t->poll, ~bits) & ~bits;
    if (left == 0)
        atomic_store_explicit(&t->dispatch, own_table(t), memory_order_release);
    set_limit(t);
}

static void renew_table(Thread *t)
{
    set_bits(t, 0);
    clear_bits(t, 0);
}

void thread_set_dispatch(const void *const *normal, const void *const *watched,
                         const void *const *polling)
{
    mutex_lock(&safepoint_lock);
    normal_table = normal;
    watched_table = watched;
    polling_table = polling;
    THREAD_EACH(t)
    renew_table(t);
    mutex_unlock(&safepoint_lock);
}

const void *const *thread_normal_dispatch(const Thread *self)
{
    return own_table(self);
}

void threads_watch_calls_where(bool (*wants)(Thread *t))
{
    mutex_lock(&safepoint_lock);
    THREAD_EACH(t)
    {
        atomic_store_explicit(&t->calls_watched, wants(t), memory_order_relaxed);
        renew_table(t);
    }
    mutex_unlock(&safepoint_lock);
}

void thread_request(Thread *t, uint32_t bits)
{
    mutex_lock(&safepoint_lock);
    set_bits(t, bits);
    mutex_unlock(&safepoint_lock);
}

void thread_unrequest(Thread *t, uint32_t bits)
{
    mutex_lock(&safepoint_lock);
    clear_bits(t, bits);
    mutex_unlock(&safepoint_lock);
}

static void step_begin(Thread *t, void (*begin)(Thread *t))
{
    ASSERT_HELD(&safepoint_lock);
    begin(t);
    atomic_store_explicit(&t->linking_stepped,
                          atomic_load_explicit(&t->linking, memory_order_relaxed),
                          memory_order_relaxed);
    set_bits(t, POLL_STEP);
}

void threads_step_where(bool (*wants)(Thread *t), void (*begin)(Thread *t))
{
    mutex_lock(&safepoint_lock);
    THREAD_EACH(t)
    {
        bool stepped = atomic_load(&t->poll) & POLL_STEP;
        if (!wants(t))
            clear_bits(t, POLL_STEP);
        else if (!stepped)
            step_begin(t, begin);
    }
    mutex_unlock(&safepoint_lock);
}

void threads_request_all(bool (*wanted)(void), uint32_t bits)
{
    mutex_lock(&safepoint_lock);
    bool on = wanted();
    standing_bits = on ? standing_bits | bits : standing_bits & ~bits;
    THREAD_EACH(t)
    {
        if (on)
            set_bits(t, bits);
        else
            clear_bits(t, bits);
    }
    mutex_unlock(&safepoint_lock);
}

void safepoint_adopt(Thread *t)
{
    if (standing_bits)
        set_bits(t, standing_bits);
    if (atomic_load(&stopper))
        set_bits(t, POLL_SAFEPOINT);
    else
        clear_bits(t, 0);
}

void safepoint_bound(Thread *t, char *limit)
{
    mutex_lock(&safepoint_lock);
    t->c_stack_limit = limit;
    set_limit(t);
    mutex_unlock(&safepoint_lock);
}

void safepoint_changed(void)
{
    cond_broadcast(&resume_cond);
    cond_broadcast(&safe_cond);
}

// ---- stopping at a request ----

static bool must_wait(const Thread *t)
{
    Thread *s = atomic_load_explicit(&stopper, memory_order_relaxed);
    if (s)
        return s != t;
    return t && t->suspend_count > 0 && t->handshakes == 0;
}

// Who is kept by a stop of the world is counted until it may go on, or until something else keeps it: it has its turn before the next
// stop. Else a thread that stops the world over and over would have the machine for itself: others need longer to wake up
// than it needs to come again.
static bool is_kept(const Thread *self)
{
    const Thread *s = atomic_load_explicit(&stopper, memory_order_relaxed);
    return s && s != self;
}

// Takes safepoint_lock, for which a thread that comes again does not queue. Whether self is counted.
static bool lock_for_turn(const Thread *self)
{
    bool counted = is_kept(self);
    atomic_fetch_add(&kept, counted);
    mutex_lock(&safepoint_lock);
    return counted;
}

// Waits until `must` does not hold.
static void await_turn(bool (*must)(const Thread *self, const Thread *t), const Thread *self,
                       const Thread *t, bool counted)
{
    ASSERT_HELD(&safepoint_lock);
    while (must(self, t)) {
        bool counts = is_kept(self);
        if (counted && !counts)
            cond_broadcast(&resume_cond);
        atomic_fetch_add(&kept, (uint32_t)counts - (uint32_t)counted);
        counted = counts;
        cond_wait(&resume_cond, &safepoint_lock);
    }
    if (counted && atomic_fetch_sub(&kept, 1) == 1)
        cond_broadcast(&resume_cond);
}

static bool must_not_run(const Thread *self, const Thread *unused)
{
    (void)unused;
    return must_wait(self);
}

static void await_quiet(const Thread *t, bool counted)
{
    ASSERT_HELD(&safepoint_lock);
    cond_broadcast(&safe_cond);
    await_turn(must_not_run, t, NULL, counted);
}

void safepoint_await_quiet(Thread *t)
{
    await_quiet(t, false);
}

// Whether those that are kept waiting have been so for long.
static bool turn_is_due(int64_t now)
{
    ASSERT_HELD(&safepoint_lock);
    if (atomic_load(&kept) == 0)
        kept_since = 0;
    else if (kept_since == 0)
        kept_since = now;
    return kept_since != 0 && now - kept_since > PATIENCE_NANOS;
}

// The same for a thread that is to stop the world.
static void await_quiet_to_stop(const Thread *self, bool counted)
{
    await_quiet(self, counted);
    int64_t now = os_nanos(), end = now + TURN_NANOS;
    while (now < end && turn_is_due(now)) {
        (void)!cond_wait_nanos(&resume_cond, &safepoint_lock, end - now);
        await_quiet(self, false);
        now = os_nanos();
    }
    if (now >= end)
        kept_since = 0;
}

COLD void thread_wait_to_enter(Thread *self)
{
    thread_leave_vm(self, THREAD_BLOCKED);
    await_quiet(self, lock_for_turn(self));
    atomic_store(&self->state, THREAD_IN_VM);
    mutex_unlock(&safepoint_lock);
}

void thread_block(Thread *self)
{
    thread_leave_vm(self, THREAD_BLOCKED);
}

void thread_unblock(Thread *self)
{
    thread_enter_vm(self);
}

bool thread_unblock_undisturbed(Thread *self)
{
    ASSERT_SAFE(self);
    mutex_lock(&safepoint_lock);
    bool may = !must_wait(self);
    if (may) {
        self->handshakes++;
        atomic_store(&self->state, THREAD_IN_VM);
    }
    mutex_unlock(&safepoint_lock);
    return may;
}

void thread_undisturbed_end(Thread *self)
{
    mutex_lock(&safepoint_lock);
    VM_CHECK(self->handshakes > 0);
    self->handshakes--;
    safepoint_changed();
    mutex_unlock(&safepoint_lock);
}

static void take_async(Thread *self)
{
    ASSERT_IN_VM(self);
    mutex_lock(&safepoint_lock);
    jobject h = self->async_exception;
    self->async_exception = NULL;
    clear_bits(self, POLL_ASYNC);
    mutex_unlock(&safepoint_lock);
    if (!h)
        return;
    self->exception = deref(h);
    self->exception_reported = NULL;
    global_delete(h);
}

// Not before the top frame has been left: that drops what is pending.
bool thread_async_is_due(const Thread *self)
{
    return (atomic_load(&self->poll) & (POLL_ASYNC | POLL_FRAME_EXIT)) == POLL_ASYNC
           && !self->defers_async;
}

void thread_poll_within(Thread *self)
{
    ASSERT_MAY_GC(self);
    ASSERT_NO_LOCKS();
    if (atomic_load(&self->poll) & (POLL_SAFEPOINT | POLL_SUSPEND))
        thread_wait_to_enter(self);
}

static void collect_for_reserve(Thread *self)
{
    thread_unrequest(self, POLL_COLLECT);
    if (heap_reserve_is_used()) // nobody has collected meanwhile
        heap_collect(self, GC_ALLOCATION, false);
}

void thread_poll(Thread *self)
{
    thread_poll_within(self);
    if (UNLIKELY(atomic_load(&self->poll) & POLL_COLLECT))
        collect_for_reserve(self);
    if (thread_async_is_due(self))
        take_async(self);
    if (atomic_load(&self->poll) == 0
        && atomic_load_explicit(&self->dispatch, memory_order_relaxed) != own_table(self))
        thread_unrequest(self, 0);
}

// ---- waiting for others to reach a safe state ----

static bool is_safe(const Thread *t)
{
    return atomic_load(&t->state) != THREAD_IN_VM;
}

// Whether t, whose requests have just been set, may have read them before and come back.
static bool needs_barrier(const Thread *t)
{
    uint32_t state = atomic_load(&t->state);
    return thread_plain_return == THREAD_IN_NATIVE
           && (state == THREAD_IN_NATIVE || state == THREAD_IN_VM);
}

static bool others_are_safe(const Thread *self)
{
    THREAD_EACH(t)
    if (t != self && !is_safe(t))
        return false;
    return true;
}

// Nothing of t will run before it is released; or somebody has resumed it meanwhile.
static bool is_suspended(const Thread *t)
{
    if (t->suspend_count == 0)
        return true;
    return is_safe(t) && (t->handshakes == 0 || t->handshake_waiting)
           && atomic_load_explicit(&stopper, memory_order_relaxed) != t;
}

static void warn_unsafe(const Thread *self)
{
    THREAD_EACH(t)
    if (t != self && !is_safe(t))
        LOG(LOG_SAFEPOINT, LOG_WARNING,
            "thread %u (os id %llu) has not reached a safepoint for 10 seconds", t->id,
            (unsigned long long)t->os_id);
}

// safepoint_lock is held; given up while waiting.
static void wait_until(bool (*done)(const Thread *), const Thread *arg)
{
    ASSERT_HELD(&safepoint_lock);
    int64_t began = 0, nap = NAP_NANOS;
    bool warned = false;
    for (uint32_t round = 0; !done(arg); round++) {
        if (round < YIELDS) {
            mutex_unlock(&safepoint_lock);
            os_yield();
            mutex_lock(&safepoint_lock);
            continue;
        }
        cond_wait_nanos(&safe_cond, &safepoint_lock, nap);
        nap = MIN_OF(nap * 2, NAP_NANOS_MAX);
        if (began == 0)
            began = os_nanos();
        if (!warned && os_nanos() - began > stop_warn_nanos) {
            warned = true;
            warn_unsafe(thread_current());
        }
    }
}

// ---- stopping the world ----

static void request_safepoint(const Thread *self)
{
    ASSERT_HELD(&safepoint_lock);
    VM_ASSERT(atomic_load(&stopper) == self);
    bool barrier = false;
    THREAD_EACH(t)
    {
        if (t == self)
            continue;
        set_bits(t, POLL_SAFEPOINT);
        barrier |= needs_barrier(t);
    }
    if (barrier)
        os_process_barrier();
}

// The stop under way, as -Xlog:safepoint reports it; written by the stopper. Times of os_nanos.
typedef struct StopReport {
    const char *operation;
    int64_t requested, reached, cleaned, ended;
    int threads, running; // all others, and those that were not safe when it was requested
} StopReport;
static StopReport stop;
static _Atomic int64_t last_stop_ended;

static void note_request(const Thread *self, const char *operation, int64_t now)
{
    stop.operation = operation;
    stop.requested = now;
    stop.threads = stop.running = 0;
    THREAD_EACH(t)
    if (t != self) {
        stop.threads++;
        stop.running += !is_safe(t);
    }
}

static void report_row(const StopReport *s, int64_t now)
{
    static atomic_flag titled = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&titled))
        LOG(LOG_SAFEPOINT_STATS, LOG_INFO,
            "VM Operation                 [ threads: total initial_running ][ time:       sync "
            "   "
            "cleanup       vmop      total ] page_trap_count");
    LOG(LOG_SAFEPOINT_STATS, LOG_INFO,
        "%-28s [       %8d        %8d ][       %10" PRId64 " %10" PRId64 " %10" PRId64
        " %10" PRId64 " ]%16d",
        s->operation, s->threads, s->running, s->reached - s->requested,
        s->cleaned - s->reached, now - s->cleaned, now - s->requested, 0);
}

// The world runs again.
static void report_stop(const StopReport *s)
{
    int64_t now = s->ended,
            last = atomic_exchange_explicit(&last_stop_ended, now, memory_order_relaxed);
    int64_t sync = s->reached - s->requested, cleanup = s->cleaned - s->reached,
            work = now - s->cleaned, total = now - s->requested;
    if (log_on(LOG_SAFEPOINT_STATS,
               LOG_DEBUG)) // written as information, asked for as debugging
        report_row(s, now);
    LOG(LOG_SAFEPOINT, LOG_INFO,
        "Safepoint \"%s\", Time since last: %" PRId64 " ns, Reaching safepoint: %" PRId64
        " ns, Cleanup: %" PRId64 " ns, At safepoint: %" PRId64 " ns, Total: %" PRId64 " ns",
        s->operation, last ? s->requested - last : log_uptime_nanos(), sync, cleanup, work,
        total);
}

void world_stop_for(Thread *self, const char *operation)
{
    if (atomic_load_explicit(&stopper, memory_order_relaxed) == self) {
        stop_depth++;
        return;
    }
    VM_ASSERT(thread_in_vm(self));
    thread_leave_vm(self, THREAD_BLOCKED);
    await_quiet_to_stop(self, lock_for_turn(self));
    atomic_store(&stopper, self);
    stop_depth = 1;
    atomic_store(&self->state, THREAD_IN_VM);
    note_request(self, operation, os_nanos());
    request_safepoint(self);
    wait_until(others_are_safe, self);
    atomic_store(&stopped, true);
    stop.reached = os_nanos();
    mutex_unlock(&safepoint_lock);
    monitors_deflate_idle();
    stop.cleaned = os_nanos();
}

void world_stop_to_collect(Thread *self)
{
    world_stop_for(self, "Collect");
}

void world_resume(Thread *self)
{
    VM_CHECK(atomic_load_explicit(&stopper, memory_order_relaxed) == self && stop_depth > 0);
    if (--stop_depth > 0)
        return;
    StopReport report = stop;
    report.ended = os_nanos(); // when others run again they may take the processor
    mutex_lock(&safepoint_lock);
    // A callback in a stopped world may have used JNI, against its rules: that left it IN_NATIVE.
    atomic_store(&self->state, THREAD_IN_VM);
    atomic_store(&stopped, false);
    atomic_store(&stopper, NULL);
    THREAD_EACH(t)
    clear_bits(t, POLL_SAFEPOINT);
    safepoint_changed();
    mutex_unlock(&safepoint_lock);
    report_stop(&report);
}

bool world_is_stopped(void)
{
    return atomic_load(&stopped);
}

bool thread_is_still(const Thread *t)
{
    // Its state says no more: a suspended thread that comes back from native code is IN_VM for the moment in which
    // it looks at its requests.
    return t == thread_current() || world_is_stopped() || t->suspend_count > 0;
}

void threads_freeze_others(Thread *self)
{
    world_stop(self); // for ever: nobody resumes this one
}

// ---- handshakes: one thread stopped ----

// Whether self may not act upon another thread now; with `t`, not have a handshake with it. In a world that self has stopped no
// handshake is under way: those that were begun wait for another one.
static bool must_not_begin(const Thread *self, const Thread *t)
{
    ASSERT_HELD(&safepoint_lock);
    const Thread *s = atomic_load(&stopper);
    if (s)
        return s != self;
    return self->suspend_count > 0 || (t && t->handshaker && t->handshaker != self);
}

// Begins to act upon another thread: returns with safepoint_lock held, self in a safe state and
// not suspended. `t`: by a handshake with it, else NULL.
static void suspend_begin(Thread *self, const Thread *t)
{
    thread_leave_vm(self, THREAD_BLOCKED);
    bool counted = lock_for_turn(self);
    self->handshake_waiting = true;
    cond_broadcast(&safe_cond);
    await_turn(must_not_begin, self, t, counted);
    self->handshake_waiting = false;
}

static void suspend_add(Thread *t)
{
    ASSERT_HELD(&safepoint_lock);
    t->suspend_count++;
    set_bits(t, POLL_SUSPEND);
}

// The same for another thread than the current one.
static void suspend_other(Thread *t)
{
    suspend_add(t);
    if (t->suspend_count == 1 && needs_barrier(t)) // else it has seen the request
        os_process_barrier();
}

static void suspend_remove(Thread *t)
{
    VM_CHECK(t->suspend_count > 0);
    if (--t->suspend_count == 0)
        clear_bits(t, POLL_SUSPEND);
}

// Waits for t, unless self has stopped the world (then all stand still), and comes back.
// safepoint_lock is held, then not.
static void suspend_finish(Thread *self, Thread *t)
{
    ASSERT_HELD(&safepoint_lock);
    if (atomic_load(&stopper) != self)
        wait_until(is_suspended, t);
    mutex_unlock(&safepoint_lock);
    thread_enter_vm(self);
}

// Whether self has a handshake with another thread than t.
static bool has_handshake_but(const Thread *self, const Thread *t)
{
    ASSERT_HELD(&safepoint_lock);
    THREAD_EACH(other)
    if (other != t && other->handshaker == self)
        return true;
    return false;
}

void thread_handshake(Thread *self, Thread *t)
{
    ASSERT_MAY_GC(self);
    if (t == self)
        return;
    suspend_begin(self, t);
    VM_ASSERT(atomic_load(&stopper) == self || !has_handshake_but(self, t));
    self->handshakes++;
    if (!t->handshaker)
        t->handshaker = self;
    if (t->handshaker == self)
        t->handshaker_depth++;
    suspend_other(t);
    suspend_finish(self, t);
}

void thread_handshake_end(Thread *self, Thread *t)
{
    if (t == self)
        return;
    mutex_lock(&safepoint_lock);
    VM_CHECK(self->handshakes > 0);
    self->handshakes--;
    if (t->handshaker == self && --t->handshaker_depth == 0)
        t->handshaker = NULL;
    suspend_remove(t);
    safepoint_changed();
    mutex_unlock(&safepoint_lock);
}

// `flag` is t->suspended or t->frozen.
static bool suspend_self(Thread *self, bool *flag)
{
    mutex_lock(&safepoint_lock);
    bool changed = !*flag;
    if (changed) {
        *flag = true;
        suspend_add(self);
    }
    mutex_unlock(&safepoint_lock);
    if (changed)
        thread_poll(self);
    return changed;
}

static bool suspend_by(Thread *self, Thread *t, bool *flag)
{
    if (t == self)
        return suspend_self(self, flag);
    suspend_begin(self, NULL);
    bool changed = !*flag && !atomic_load(&t->exiting);
    if (changed) {
        *flag = true;
        suspend_other(t);
        suspend_finish(self, t);
    } else {
        mutex_unlock(&safepoint_lock);
        thread_enter_vm(self);
    }
    return changed;
}

static bool resume_by(Thread *t, bool *flag)
{
    mutex_lock(&safepoint_lock);
    bool changed = *flag;
    if (changed) {
        *flag = false;
        suspend_remove(t);
        safepoint_changed();
    }
    mutex_unlock(&safepoint_lock);
    return changed;
}

void thread_begin_exit(Thread *self)
{
    bool exiting = false;
    while (!exiting) {
        mutex_lock(&safepoint_lock);
        exiting = !self->suspended && !self->frozen;
        atomic_store(&self->exiting, exiting);
        mutex_unlock(&safepoint_lock);
        if (!exiting)
            thread_wait_to_enter(self);
    }
}

bool thread_suspend(Thread *self, Thread *t)
{
    return suspend_by(self, t, &t->suspended);
}

bool thread_resume(Thread *self, Thread *t)
{
    (void)self;
    return resume_by(t, &t->suspended);
}

bool thread_freeze(Thread *self, Thread *t)
{
    ASSERT_MAY_GC(self);
    return suspend_by(self, t, &t->frozen);
}

bool thread_thaw(Thread *t)
{
    return resume_by(t, &t->frozen);
}

bool thread_is_suspended(Thread *self)
{
    VM_ASSERT(self == thread_current());
    if (!(atomic_load(&self->poll) & POLL_SUSPEND))
        return false;
    mutex_lock(&safepoint_lock);
    bool suspended = self->suspended || self->frozen;
    mutex_unlock(&safepoint_lock);
    return suspended;
}

void thread_wait_to_be_resumed(Thread *self)
{
    ASSERT_SAFE(self);
    mutex_lock(&safepoint_lock);
    while (self->suspended || self->frozen)
        cond_wait(&resume_cond, &safepoint_lock);
    mutex_unlock(&safepoint_lock);
}

void thread_throw_async(Thread *self, Thread *t, jobject exception)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(exception);
    (void)self;
    jobject h = global_new(deref(exception));
    mutex_lock(&safepoint_lock);
    jobject old = h; // of no use when the thread has ended
    if (atomic_load(&t->state) != THREAD_ENDED) {
        old = t->async_exception;
        t->async_exception = h;
        set_bits(t, POLL_ASYNC);
    }
    mutex_unlock(&safepoint_lock);
    if (old)
        global_delete(old);
    thread_interrupt(t);
}

// ---- locks that may be held across a safepoint ----

// Comes back IN_VM with the mutex held; never sits stopped with it.
static void enter_vm_locked(Thread *self, Mutex *m)
{
    ASSERT_SAFE(self);
    ASSERT_HELD(m);
    while (!thread_try_enter_vm(self)) {
        mutex_unlock(m);
        thread_wait_to_enter(self);
        if (mutex_try_lock(m))
            return;
        thread_leave_vm(self, THREAD_BLOCKED);
        mutex_lock(m);
    }
}

void thread_lock(Thread *self, Mutex *m)
{
    if (mutex_try_lock(m))
        return;
    if (!self || !thread_in_vm(self)) {
        mutex_lock(m);
        return;
    }
    thread_leave_vm(self, THREAD_BLOCKED);
    mutex_lock(m);
    enter_vm_locked(self, m);
}

void thread_lock_undisturbed(Thread *self, Mutex *m)
{
    thread_lock(self, m);
    if (!self || !thread_in_vm(self))
        return;
    mutex_lock(&safepoint_lock); // who suspends self meanwhile waits, as it is IN_VM
    self->handshakes++;
    mutex_unlock(&safepoint_lock);
}

void thread_unlock_undisturbed(Thread *self, Mutex *m)
{
    mutex_unlock(m);
    if (self && thread_in_vm(self))
        thread_undisturbed_end(self);
}

bool thread_cond_wait(Thread *self, Cond *c, Mutex *m, int64_t nanos)
{
    if (!thread_in_vm(self))
        return cond_wait_nanos(c, m, nanos);
    thread_leave_vm(self, THREAD_WAITING);
    bool in_time = cond_wait_nanos(c, m, nanos);
    thread_leave_vm(self, THREAD_BLOCKED);
    enter_vm_locked(self, m);
    return in_time;
}
