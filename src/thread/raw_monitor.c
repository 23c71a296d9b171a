// SPDX-License-Identifier: Apache-2.0
// Raw monitors. The owner is an OS thread, so a monitor entered before the VM knows the thread
// (Agent_OnLoad) stays its own.
//
// Callers may be IN_VM or in native code. From native code nothing here enters the VM while the
// monitor is owned, so agents may use raw monitors while the world is stopped around them; from
// IN_VM all blocking is done in a safe state, and a suspended thread does not acquire; nor does a
// suspended one from native code. RawMonitor.lock guards the fields and is never held while
// blocking. A free monitor is entered by one exchange of `owner` and left by another: who waits to
// enter counts itself in `entering` before it looks at `owner`, who leaves looks at `entering` after
// it has cleared `owner`; all sequentially consistent. Structs live in slabs that are never freed, so that validity can be asked of any
// pointer.
#include "thread/raw_monitor.h"

#include "base/alloc.h"
#include "thread/thread_internal.h"

enum { SLABS_MAX = 24, NANOS_PER_MS = 1000 * 1000 };
_Static_assert(sizeof(RawMonitorSlot) == sizeof(((RawMonitorSlot *)0)->room), "room");

typedef struct Waiter {
    struct Waiter *next, *prev;
    bool notified; // RawMonitor.lock, and `lock`
    bool *wake;    // Thread.wake or NULL
    Mutex *lock;   // park_lock of the thread, or own_lock
    Cond *cond;
    Mutex own_lock;
    Cond own_cond;
} Waiter;

RawMonitorSlot raw_monitor_slab[RAW_MONITORS_FIRST];
static RawMonitorSlot *_Atomic slabs[SLABS_MAX] = {raw_monitor_slab};
static uint32_t slab_used; // of the last slab; slab_lock
static uint32_t slab_count = 1;
static RawMonitor *free_list;
static Mutex slab_lock = MUTEX_INIT(RANK_RAW_MONITOR);

static uintptr_t own_token(void)
{
    return (uintptr_t)pthread_self();
}

static bool is_owner(const RawMonitor *m)
{
    return atomic_load_explicit(&m->owner, memory_order_relaxed) == own_token();
}

static bool try_own(RawMonitor *m)
{
    uintptr_t free = 0;
    return atomic_compare_exchange_strong(&m->owner, &free, own_token());
}

// ---- making and unmaking ----

static size_t slab_size(uint32_t slab)
{
    return (size_t)RAW_MONITORS_FIRST << slab;
}

// slab_lock is held.
static RawMonitor *slab_take(void)
{
    ASSERT_HELD(&slab_lock);
    RawMonitor *m = free_list;
    if (m) {
        free_list = m->next_free;
        return m;
    }
    if (slab_used == slab_size(slab_count - 1)) {
        VM_CHECK(slab_count < SLABS_MAX);
        RawMonitorSlot *slab = vm_calloc(slab_size(slab_count), sizeof(*slab));
        atomic_store_explicit(&slabs[slab_count++], slab, memory_order_release);
        slab_used = 0;
    }
    m = &atomic_load_explicit(&slabs[slab_count - 1], memory_order_relaxed)[slab_used++].m;
    mutex_init(&m->lock, RANK_RAW_MONITOR);
    cond_init(&m->entry);
    return m;
}

RawMonitor *raw_monitor_new(const char *name)
{
    char *copy = vm_strdup(name ? name : "");
    mutex_lock(&slab_lock);
    RawMonitor *m = slab_take();
    mutex_unlock(&slab_lock);
    m->name = copy;
    m->count = 0;
    atomic_store_explicit(&m->magic, RAW_MONITOR_MAGIC, memory_order_release);
    return m;
}

bool raw_monitor_free(RawMonitor *m)
{
    mutex_lock(&m->lock);
    bool owned = is_owner(m);
    bool busy = m->first || atomic_load(&m->entering) || (!owned && !try_own(m));
    if (!busy) {
        atomic_store(&m->magic, 0);
        m->count = 0;
        atomic_store(&m->owner, 0);
    }
    mutex_unlock(&m->lock);
    if (busy)
        return false;
    mutex_lock(&slab_lock);
    vm_free(m->name);
    m->name = NULL;
    m->next_free = free_list;
    free_list = m;
    mutex_unlock(&slab_lock);
    return true;
}

bool raw_monitor_is_in_later_slab(const RawMonitor *m)
{
    for (uint32_t i = 1; i < SLABS_MAX; i++) {
        const RawMonitorSlot *slab = atomic_load_explicit(&slabs[i], memory_order_acquire);
        if (!slab)
            return false;
        uintptr_t offset = (uintptr_t)m - (uintptr_t)slab;
        if (offset < slab_size(i) * sizeof(*slab))
            return offset % sizeof(*slab) == 0;
    }
    return false;
}

const char *raw_monitor_name(const RawMonitor *m)
{
    return m->name;
}

Thread *raw_monitor_owner(const RawMonitor *m)
{
    uintptr_t token = atomic_load(&m->owner);
    Thread *found = NULL;
    mutex_lock(&threads_lock);
    if (token)
        THREAD_EACH(t)
    if ((uintptr_t)t->pthread == token)
        found = t;
    mutex_unlock(&threads_lock);
    return found;
}

bool raw_monitor_is_contended(const RawMonitor *m)
{
    return atomic_load(&m->owner) != 0 && !is_owner(m);
}

bool raw_monitor_is_awaited(RawMonitor *m)
{
    mutex_lock(&m->lock);
    bool awaited = m->entering > 0;
    mutex_unlock(&m->lock);
    return awaited;
}

uint32_t raw_monitor_entries(const RawMonitor *m)
{
    return atomic_load(&m->owner) ? m->count + 1 : 0;
}

void raw_monitors_each(void (*visit)(void *ctx, RawMonitor *m), void *ctx)
{
    for (uint32_t i = 0; i < SLABS_MAX; i++) {
        RawMonitorSlot *slab = atomic_load_explicit(&slabs[i], memory_order_acquire);
        for (size_t j = 0; slab && j < slab_size(i); j++)
            if (atomic_load_explicit(&slab[j].m.magic, memory_order_acquire)
                == RAW_MONITOR_MAGIC)
                visit(ctx, &slab[j].m);
    }
}

// ---- entering and leaving ----

// RawMonitor.lock is held.
static void disown(RawMonitor *m)
{
    ASSERT_HELD(&m->lock);
    m->count = 0;
    atomic_store(&m->owner, 0);
    if (atomic_load(&m->entering))
        cond_signal(&m->entry);
}

static void note_blocked(Thread *self, RawMonitor *m)
{
    if (self)
        atomic_store_explicit(&self->raw_blocked_on, m, memory_order_release);
}

// RawMonitor.lock is held, given up while waiting. True when it had to wait. Whoever sees a thread
// wait to enter also finds the monitor awaited.
static bool own(Thread *self, RawMonitor *m, bool in_vm)
{
    ASSERT_HELD(&m->lock);
    bool blocked = false;
    atomic_fetch_add(&m->entering, 1);
    note_blocked(self, m);
    while (!try_own(m)) {
        if (!blocked && in_vm)
            thread_leave_vm(self, THREAD_BLOCKED);
        blocked = true;
        cond_wait(&m->entry, &m->lock);
    }
    atomic_fetch_sub(&m->entering, 1);
    return blocked;
}

// Whether self may go on as the owner. A suspended thread that owned the monitor would keep it
// until it is resumed.
static bool may_own(Thread *self, bool blocked, bool in_vm)
{
    if (in_vm)
        return !blocked || thread_try_enter_vm(self);
    return !self || !thread_is_suspended(self);
}

static void acquire(Thread *self, RawMonitor *m, uint32_t count)
{
    bool in_vm = thread_in_vm(self);
    for (;;) {
        mutex_lock(&m->lock);
        bool blocked = own(self, m, in_vm);
        if (may_own(self, blocked, in_vm))
            break;
        disown(m);
        mutex_unlock(&m->lock);
        if (in_vm)
            thread_wait_to_enter(self);
        else
            thread_wait_to_be_resumed(self);
    }
    m->count = count;
    mutex_unlock(&m->lock);
    note_blocked(self, NULL);
}

void raw_monitor_wake(RawMonitor *m)
{
    mutex_lock(&m->lock);
    cond_signal(&m->entry);
    mutex_unlock(&m->lock);
}

// Gives back what was entered once.
static void release(RawMonitor *m)
{
    atomic_store(&m->owner, 0);
    if (atomic_load(&m->entering))
        raw_monitor_wake(m);
}

void raw_monitor_enter_slowly(Thread *self, RawMonitor *m)
{
    if (is_owner(m))
        m->count++;
    else if (self || !try_own(m))
        acquire(self, m, 0);
}

void raw_monitor_give_way(Thread *self, RawMonitor *m)
{
    release(m);
    acquire(self, m, 0);
}

void raw_monitor_leave_destroyed(RawMonitor *m)
{
    m->count = 0;
    release(m);
}

bool raw_monitor_exit_slowly(RawMonitor *m)
{
    if (!is_owner(m))
        return false;
    if (m->count > 0)
        m->count--;
    else
        release(m);
    return true;
}

// ---- waiting ----

static void waiter_init(Waiter *w, Thread *self)
{
    *w = (Waiter){0};
    if (self) {
        w->wake = &self->wake;
        w->lock = &self->park_lock;
        w->cond = &self->park_cond;
        return;
    }
    mutex_init(&w->own_lock, RANK_PARK);
    cond_init(&w->own_cond);
    w->lock = &w->own_lock;
    w->cond = &w->own_cond;
}

static void waiter_destroy(Waiter *w)
{
    if (w->lock != &w->own_lock)
        return;
    mutex_destroy(&w->own_lock);
    cond_destroy(&w->own_cond);
}

// RawMonitor.lock is held.
static void waiter_add(RawMonitor *m, Waiter *w)
{
    ASSERT_HELD(&m->lock);
    w->prev = m->last;
    if (m->last)
        m->last->next = w;
    else
        m->first = w;
    m->last = w;
}

static void waiter_remove(RawMonitor *m, Waiter *w)
{
    if (w->prev)
        w->prev->next = w->next;
    else
        m->first = w->next;
    if (w->next)
        w->next->prev = w->prev;
    else
        m->last = w->prev;
}

// Asks for (and clears) Thread.interrupted, which needs the VM. The monitor is not owned.
static bool consume_interrupt(Thread *self, bool (*consume)(Thread *self))
{
    if (!self)
        return false;
    if (thread_in_vm(self) || !self->java_thread)
        return consume(self);
    ThreadState before = (ThreadState)atomic_load_explicit(&self->state, memory_order_relaxed);
    thread_enter_vm(self);
    bool interrupted = consume(self);
    thread_leave_vm(self, before);
    return interrupted;
}

static bool take_interrupt(Thread *self)
{
    return thread_take_interrupt(self, true);
}

// Sleeps until notified, woken by an interrupt, or the deadline (false).
static bool waiter_sleep(Waiter *w, int64_t deadline)
{
    bool in_time = true;
    mutex_lock(w->lock);
    while (in_time && !w->notified && !(w->wake && *w->wake)) {
        int64_t left = deadline == INT64_MAX ? -1 : deadline - os_nanos();
        in_time = left < 0 ? deadline == INT64_MAX : left > 0;
        if (in_time)
            cond_wait_nanos(w->cond, w->lock, left);
    }
    mutex_unlock(w->lock);
    return in_time;
}

// RawMonitor.lock is held: the waiter, which needs it to return, stays in its frame.
static void notify_first(RawMonitor *m)
{
    ASSERT_HELD(&m->lock);
    Waiter *w = m->first;
    waiter_remove(m, w);
    mutex_lock(w->lock);
    w->notified = true;
    cond_broadcast(w->cond);
    mutex_unlock(w->lock);
}

static WaitResult wait_released(Thread *self, RawMonitor *m, Waiter *w, int64_t deadline)
{
    bool interrupted = consume_interrupt(self, thread_begin_wait), in_time = true;
    if (!interrupted) {
        bool in_vm = thread_in_vm(self);
        if (in_vm)
            thread_leave_vm(self, THREAD_BLOCKED);
        in_time = waiter_sleep(w, deadline);
        if (in_vm)
            thread_enter_vm(self);
    }
    mutex_lock(&m->lock);
    bool notified = w->notified;
    if (!notified)
        waiter_remove(m, w);
    else if (interrupted && m->first)
        notify_first(m); // this one does not use it
    mutex_unlock(&m->lock);
    if (notified && !interrupted)
        return WAIT_DONE;
    if (interrupted || consume_interrupt(self, take_interrupt))
        return WAIT_INTERRUPTED;
    return in_time ? WAIT_DONE : WAIT_TIMED_OUT;
}

static void note_waiting(Thread *self, RawMonitor *m)
{
    if (self)
        atomic_store_explicit(&self->raw_waiting_on, m, memory_order_relaxed);
}

WaitResult raw_monitor_wait(Thread *self, RawMonitor *m, int64_t timeout_ms)
{
    int64_t nanos;
    if (!is_owner(m))
        return WAIT_NOT_OWNER;
    if (timeout_ms <= 0 || __builtin_mul_overflow(timeout_ms, (int64_t)NANOS_PER_MS, &nanos))
        nanos = INT64_MAX;
    int64_t deadline = thread_deadline(nanos);
    Waiter w;
    waiter_init(&w, self);
    mutex_lock(&m->lock);
    waiter_add(m, &w);
    uint32_t count = m->count;
    disown(m);
    mutex_unlock(&m->lock);
    note_waiting(self, m);
    WaitResult result = wait_released(self, m, &w, deadline);
    note_waiting(self, NULL);
    waiter_destroy(&w);
    acquire(self, m, count);
    return result;
}

bool raw_monitor_notify(RawMonitor *m, bool all)
{
    if (!is_owner(m))
        return false;
    mutex_lock(&m->lock);
    if (m->first)
        notify_first(m);
    while (all && m->first)
        notify_first(m);
    mutex_unlock(&m->lock);
    return true;
}
