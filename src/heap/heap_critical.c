// SPDX-License-Identifier: Apache-2.0
// JNI critical sections: no object moves while a thread is inside one.
//
// Threads enter while they run in the VM, so not while the world is stopped. A collector that
// finds somebody inside adds itself to `wanted`, lets the world go on, and waits for the count
// to fall to zero; new entrants wait until all such collectors are done. The two counts are
// written and read in opposite order on both sides (sequentially consistent), so that one of
// them always sees the other. Waiting happens between world.block and world.unblock; in a world
// without these the waiter sleeps and offers itself to whoever stops the world.
#include "heap/heap_internal.h"

enum { POLL_NANOS = 100000 };

static _Atomic int inside; // threads
static _Atomic int wanted; // collectors that wait
static Mutex lock = MUTEX_INIT(RANK_HEAP);
static Cond changed = {PTHREAD_COND_INITIALIZER};

static bool none_inside(void)
{
    return atomic_load(&inside) == 0;
}

static bool none_wanted(void)
{
    return atomic_load(&wanted) == 0;
}

static void wait_polling(Thread *self, bool (*done)(void))
{
    while (!done()) {
        os_sleep_nanos(POLL_NANOS);
        heap.world.stop(self);
        heap.world.resume(self);
    }
}

static void wait_for(Thread *self, bool (*done)(void))
{
    if (!heap.world.block || !heap.world.unblock) {
        wait_polling(self, done);
        return;
    }
    heap.world.block(self);
    mutex_lock(&lock);
    while (!done())
        cond_wait(&changed, &lock);
    mutex_unlock(&lock);
    heap.world.unblock(self);
}

static void announce(void)
{
    mutex_lock(&lock);
    cond_broadcast(&changed);
    mutex_unlock(&lock);
}

void heap_critical_enter(Thread *self)
{
    Mutator *m = mutator_of(self);
    if (m->critical_depth == 0) {
        while (UNLIKELY(!none_wanted()))
            wait_for(self, none_wanted);
        atomic_fetch_add(&inside, 1);
    }
    m->critical_depth++;
}

void heap_critical_exit(Thread *self)
{
    Mutator *m = mutator_of(self);
    VM_CHECK(m->critical_depth > 0);
    if (--m->critical_depth > 0)
        return;
    if (atomic_fetch_sub(&inside, 1) == 1 && !none_wanted())
        announce();
}

bool critical_stop_world(Thread *self)
{
    bool waited = false;
    heap.world.stop(self);
    while (UNLIKELY(!none_inside())) {
        if (!waited)
            atomic_fetch_add(&wanted, 1);
        waited = true;
        heap.world.resume(self);
        wait_for(self, none_inside);
        heap.world.stop(self);
    }
    return waited;
}

void critical_resume_world(Thread *self, bool waited)
{
    if (waited)
        atomic_fetch_sub(&wanted, 1);
    heap.world.resume(self);
    if (waited)
        announce();
}
