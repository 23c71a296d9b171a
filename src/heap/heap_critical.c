// SPDX-License-Identifier: Apache-2.0
// The GC locker: keeps collections out while a JNI critical section is open, or a tool works with
// addresses (heap_disable_gc). No object moves while a thread is inside such a section.
//
// A thread inside is counted in `inside`; a collector closes the locker, which it can when nobody
// is inside and no other collector has closed it. An entrant counts itself, then looks whether
// the locker is closed or wanted; a collector announces itself in `wanted`, then looks at `inside`
// (sequentially consistent): one of them sees the other, and the entrant steps back. So
// collectors do not starve, and from closing to opening there is one collector and nobody
// inside. Nor do entrants: before a collector announces itself it lets those enter that wait
// already. Waiting happens between world.block and world.unblock; in a world without these the
// waiter sleeps and offers itself to whoever stops the world. A collector that is held when its
// turn comes gives it up; one that has closed the locker is not held until it has opened it. It
// counts as inside for itself, so that what it does meanwhile does not wait for it.
#include "heap/heap_internal.h"

enum {
    POLL_NANOS = 100 * 1000,
    WAY_NANOS = 1000 * 1000, // a collector waits at most so long: an entrant may be suspended
};

static _Atomic int inside;   // threads
static _Atomic int wanted;   // collectors that wait or have closed the locker
static _Atomic int entrants; // that have stepped back and are not inside yet
// heap_disable_gc not yet undone, of all threads, in the low half; how often it came to 0, in the high
// one. Each is counted in `inside`, as anybody may undo it.
static _Atomic uint64_t disabled;
static bool closed; // lock
static Mutex lock = MUTEX_INIT(RANK_HEAP);
static Cond changed = {PTHREAD_COND_INITIALIZER};
static _Thread_local uint32_t depth; // nested sections of this thread
// Its heap_disable_gc since `disabled` was last 0.
static _Thread_local struct {
    uint32_t round, count;
} own_disables;

static uint32_t round_of(uint64_t state)
{
    return (uint32_t)(state >> 32);
}

// Whether collections have been disabled ever since this thread did so.
static bool own_disables_hold(void)
{
    return own_disables.count > 0 && own_disables.round == round_of(atomic_load(&disabled));
}

static bool may_enter(void)
{
    return atomic_load(&wanted) == 0;
}

static bool may_close(void)
{
    return !closed && atomic_load(&inside) == 0;
}

static void announce(void)
{
    mutex_lock(&lock);
    cond_broadcast(&changed);
    mutex_unlock(&lock);
}

// lock is held.
static void wait_polling(Thread *self, bool (*done)(void))
{
    ASSERT_HELD(&lock);
    while (!done()) {
        mutex_unlock(&lock);
        os_sleep_nanos(POLL_NANOS);
        heap.world.stop(self);
        heap.world.resume(self);
        mutex_lock(&lock);
    }
}

// lock is held. `self` is NULL or waits in a safe state, if its world has one.
static void wait_for(Thread *self, bool (*done)(void))
{
    ASSERT_HELD(&lock);
    if (self && heap.world.stop && !heap.world.block)
        wait_polling(self, done);
    while (!done())
        cond_wait(&changed, &lock);
}

static void step_back(void)
{
    if (atomic_fetch_sub(&inside, 1) == 1 && !may_enter())
        announce();
}

static void wait_to_enter(Thread *self)
{
    bool safe = self && heap.world.block;
    if (safe)
        heap.world.block(self);
    mutex_lock(&lock);
    wait_for(self, may_enter);
    mutex_unlock(&lock);
    if (safe)
        heap.world.unblock(self);
}

// A thread that has disabled collections does not wait: no collector has closed the locker since, nor will
// one, now that it is counted once more.
static void enter(Thread *self)
{
    atomic_fetch_add(&inside, 1);
    if (LIKELY(may_enter()) || own_disables_hold())
        return;
    atomic_fetch_add(&entrants, 1);
    do {
        step_back();
        wait_to_enter(self);
        atomic_fetch_add(&inside, 1);
    } while (!may_enter());
    if (atomic_fetch_sub(&entrants, 1) == 1)
        announce();
}

void heap_critical_enter(Thread *self)
{
    ASSERT_GC_MAY();
    if (depth++ == 0)
        enter(self);
}

void heap_critical_exit(void)
{
    VM_CHECK(depth > 0);
    if (--depth == 0)
        step_back();
}

uint32_t heap_critical_depth(void)
{
    return depth + (own_disables_hold() ? own_disables.count : 0);
}

void heap_disable_gc(Thread *self)
{
    ASSERT_GC_MAY();
    if (depth > 0)
        atomic_fetch_add(&inside, 1);
    else
        enter(self);
    uint32_t round = round_of(atomic_fetch_add(&disabled, 1));
    if (own_disables.round != round)
        own_disables.count = 0;
    own_disables.round = round;
    own_disables.count++;
}

bool heap_enable_gc(void)
{
    uint64_t now = atomic_load(&disabled), next;
    do {
        if ((uint32_t)now == 0)
            return false;
        bool last = (uint32_t)now == 1;
        next = last ? (uint64_t)(round_of(now) + 1) << 32 : now - 1;
    } while (!atomic_compare_exchange_weak(&disabled, &now, next));
    if (own_disables.count > 0 && own_disables.round == round_of(now))
        own_disables.count--;
    step_back();
    return true;
}

uint32_t heap_gc_disables(void)
{
    return (uint32_t)atomic_load_explicit(&disabled, memory_order_relaxed);
}

// Waits until those are inside that wait to enter. lock is held.
static void give_way(void)
{
    ASSERT_HELD(&lock);
    int64_t now = os_nanos(), end = now + WAY_NANOS;
    for (; atomic_load(&entrants) > 0 && now < end; now = os_nanos())
        (void)!cond_wait_nanos(&changed, &lock, end - now);
}

// Comes back not IN_VM, if the world has such a state.
static void close_blocked(Thread *self)
{
    mutex_lock(&lock);
    if (self && heap.world.block)
        give_way();
    atomic_fetch_add(&wanted, 1);
    wait_for(self, may_close);
    closed = true;
    mutex_unlock(&lock);
}

static void open_it(void)
{
    mutex_lock(&lock);
    closed = false;
    atomic_fetch_sub(&wanted, 1);
    cond_broadcast(&changed);
    mutex_unlock(&lock);
}

// False: self is held, and still blocked.
static bool unblock(Thread *self)
{
    if (heap.world.unblock_to_collect)
        return heap.world.unblock_to_collect(self);
    heap.world.unblock(self);
    return true;
}

void gc_locker_close(Thread *self)
{
    ASSERT_GC_MAY();
    bool done = !heap.world.block;
    if (done)
        close_blocked(self);
    while (!done) {
        heap.world.block(self);
        close_blocked(self);
        done = unblock(self);
        if (!done) {
            open_it();
            heap.world.unblock(self);
        }
    }
    depth++;
}

void gc_locker_open(Thread *self)
{
    depth--;
    open_it();
    if (heap.world.unblock_to_collect)
        heap.world.collected(self);
}
