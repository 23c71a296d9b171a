// SPDX-License-Identifier: Apache-2.0
// Ranked locks and condition variables. Debug builds remember which ranks each thread holds and
// stop at the first lock that is taken against the order of spec/locks.def. Two locks of one
// rank are never held together.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <errno.h>
#include <time.h>

#include "platform/platform.h"

#ifdef PELLUCID_DEBUG
static const char *const rank_text[RANK_COUNT] = {
#    define LOCK(id, text) text,
#    include "spec/locks.def"
#    undef LOCK
};
static _Thread_local uint32_t held_ranks; // one bit a rank
_Static_assert(RANK_COUNT <= 32, "held_ranks is a word");

static void rank_check(const Mutex *m)
{
    uint32_t not_before = held_ranks & ~((1u << m->rank) - 1);
    if (UNLIKELY(not_before != 0))
        vm_fatal("lock order: \"%s\" is taken while \"%s\" is held", rank_text[m->rank],
                 rank_text[__builtin_ctz(not_before)]);
}
static void rank_add(const Mutex *m)
{
    held_ranks |= 1u << m->rank;
}
static void rank_drop(const Mutex *m)
{
    held_ranks &= ~(1u << m->rank);
}
bool locks_none_held(void)
{
    return held_ranks == 0;
}
#else
static inline void rank_check(const Mutex *m UNUSED) {}
static inline void rank_add(const Mutex *m UNUSED) {}
static inline void rank_drop(const Mutex *m UNUSED) {}
bool locks_none_held(void)
{
    return true;
}
#endif

static void take(Mutex *m)
{
    atomic_store_explicit(&m->owner, (uintptr_t)pthread_self(), memory_order_relaxed);
    rank_add(m);
}

static void drop(Mutex *m)
{
    VM_ASSERT(mutex_held(m));
    rank_drop(m);
    atomic_store_explicit(&m->owner, 0, memory_order_relaxed);
}

void mutex_init(Mutex *m, LockRank rank)
{
    VM_CHECK(pthread_mutex_init(&m->m, NULL) == 0);
    m->rank = rank;
    atomic_init(&m->owner, 0);
}

void mutex_destroy(Mutex *m)
{
    pthread_mutex_destroy(&m->m);
}

void mutex_lock(Mutex *m)
{
    rank_check(m);
    int rc = pthread_mutex_lock(&m->m);
    VM_CHECK(rc == 0);
    take(m);
}

bool mutex_try_lock(Mutex *m)
{
    if (pthread_mutex_trylock(&m->m) != 0)
        return false;
    take(m);
    return true;
}

void mutex_unlock(Mutex *m)
{
    drop(m);
    pthread_mutex_unlock(&m->m);
}

bool mutex_held(Mutex *m)
{
    return atomic_load_explicit(&m->owner, memory_order_relaxed) == (uintptr_t)pthread_self();
}

void cond_init(Cond *c)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    VM_CHECK(pthread_cond_init(&c->c, &attr) == 0);
    pthread_condattr_destroy(&attr);
}

void cond_destroy(Cond *c)
{
    pthread_cond_destroy(&c->c);
}

void cond_wait(Cond *c, Mutex *m)
{
    drop(m);
    int rc = pthread_cond_wait(&c->c, &m->m);
    VM_CHECK(rc == 0);
    take(m);
}

bool cond_wait_nanos(Cond *c, Mutex *m, int64_t nanos)
{
    if (nanos < 0) {
        cond_wait(c, m);
        return true;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t sub = until.tv_nsec + nanos % 1000000000;
    // a wait of centuries is cut so that time_t cannot overflow
    until.tv_sec += (time_t)MIN_OF(nanos / 1000000000, (int64_t)1 << 32) + sub / 1000000000;
    until.tv_nsec = (long)(sub % 1000000000);
    drop(m);
    int rc = pthread_cond_timedwait(&c->c, &m->m, &until);
    take(m);
    return rc != ETIMEDOUT;
}

void cond_signal(Cond *c)
{
    pthread_cond_signal(&c->c);
}

void cond_broadcast(Cond *c)
{
    pthread_cond_broadcast(&c->c);
}
