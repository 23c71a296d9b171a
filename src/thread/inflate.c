// SPDX-License-Identifier: Apache-2.0
// The table of inflated monitors: index to monitor, inflation, deflation, roots, and looking at
// monitors from outside.
//
// Monitors live in chunks that are never freed; an index is reused after deflation. table_lock
// guards the free list and in_use. Deflation happens when the world has just been stopped: no
// thread is then between finding a monitor and raising its refs.
#include "thread/monitor_internal.h"

#include "base/alloc.h"
#include "base/log.h"

enum {
    CHUNK_SHIFT = 10,
    CHUNK_SIZE = 1 << CHUNK_SHIFT,
    CHUNK_COUNT = 1 << (MARK_LOCK_BITS - CHUNK_SHIFT)
};

static Monitor *_Atomic chunks[CHUNK_COUNT];
static Mutex table_lock = MUTEX_INIT(RANK_MONITOR);
static uint32_t free_index; // first of the free list; 0: empty
// Never used yet; 0 is no monitor. Written under table_lock.
static _Atomic uint32_t next_index = 1;
static _Atomic uint32_t used_count;

static Monitor *monitor_at(uint32_t index)
{
    VM_ASSERT(index > 0 && index < atomic_load_explicit(&next_index, memory_order_relaxed));
    Monitor *chunk = atomic_load_explicit(&chunks[index >> CHUNK_SHIFT], memory_order_acquire);
    return &chunk[index & (CHUNK_SIZE - 1)];
}

Monitor *monitor_of_mark(uint64_t mark)
{
    VM_ASSERT(MARK_STATE(mark) == MARK_INFLATED);
    return monitor_at(MARK_LOCK(mark));
}

// table_lock is held.
static Monitor *monitor_fresh(void)
{
    ASSERT_HELD(&table_lock);
    uint32_t index = next_index++, chunk = index >> CHUNK_SHIFT;
    if (chunk >= CHUNK_COUNT)
        vm_fatal("more than %d inflated monitors", 1 << MARK_LOCK_BITS);
    if (!atomic_load_explicit(&chunks[chunk], memory_order_relaxed))
        atomic_store_explicit(&chunks[chunk], vm_calloc(CHUNK_SIZE, sizeof(Monitor)),
                              memory_order_release);
    Monitor *m = monitor_at(index);
    m->index = index;
    mutex_init(&m->lock, RANK_MONITOR);
    return m;
}

static Monitor *monitor_take(void)
{
    mutex_lock(&table_lock);
    Monitor *m;
    if (free_index) {
        m = monitor_at(free_index);
        free_index = m->next_free;
    } else {
        m = monitor_fresh();
    }
    m->in_use = true;
    mutex_unlock(&table_lock);
    atomic_fetch_add(&used_count, 1);
    return m;
}

static void monitor_give_back(Monitor *m)
{
    VM_ASSERT(m->in_use && atomic_load(&m->refs) == 0);
    m->object = NULL;
    m->count = 0;
    atomic_store(&m->owner, 0);
    atomic_store(&m->starving, 0);
    mutex_lock(&table_lock);
    m->in_use = false;
    m->next_free = free_index;
    free_index = m->index;
    mutex_unlock(&table_lock);
    atomic_fetch_sub(&used_count, 1);
}

static void log_inflation(const Object *o, bool owned, uint64_t mark)
{
    char *type = thread_hooks.type_name ? thread_hooks.type_name(o) : NULL;
    log_write(LOG_MONITOR, LOG_TRACE, "inflate(%s): object=0x%016lx, mark=0x%016lx, type='%s'",
              owned ? "has_locker" : "neutral", (unsigned long)(uintptr_t)o,
              (unsigned long)mark, type ? type : "");
    vm_free(type);
}

Monitor *monitor_inflate(Object *o)
{
    NO_GC_SCOPE();
    ASSERT_OBJECT(o);
    Monitor *m = NULL;
    uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
    while (MARK_STATE(mark) != MARK_INFLATED) {
        VM_ASSERT(MARK_STATE(mark) != MARK_FORWARDED);
        if (!m)
            m = monitor_take();
        m->object = o;
        bool thin = MARK_STATE(mark) == MARK_THIN;
        m->count = thin ? thin_count(mark) : 0;
        atomic_store_explicit(&m->owner, thin ? thin_owner(mark) : 0, memory_order_relaxed);
        uint64_t fat =
            (mark & ~MARK_LOCK_MASK) | (uint64_t)m->index << MARK_LOCK_SHIFT | MARK_INFLATED;
        if (atomic_compare_exchange_strong_explicit(&o->mark, &mark, fat, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            if (log_on(LOG_MONITOR, LOG_TRACE))
                log_inflation(o, thin, fat);
            return m;
        }
    }
    if (m)
        monitor_give_back(m);
    return monitor_of_mark(mark);
}

// ---- the table as a whole, with the world stopped ----

static bool monitor_is_idle(const Monitor *m)
{
    return atomic_load(&m->owner) == 0 && atomic_load(&m->refs) == 0;
}

static void each_used(void (*visit)(Monitor *m, void *ctx), void *ctx)
{
    uint32_t left = atomic_load(&used_count);
    for (uint32_t i = 1; left > 0 && i < next_index; i++) {
        Monitor *m = monitor_at(i);
        if (m->in_use) {
            left--;
            visit(m, ctx);
        }
    }
}

static void deflate_if_idle(Monitor *m, void *ctx)
{
    (void)ctx;
    if (!monitor_is_idle(m))
        return;
    if (m->object)
        atomic_fetch_and(&m->object->mark, ~MARK_LOCK_MASK);
    monitor_give_back(m);
}

void monitors_deflate_idle(void)
{
    ASSERT_WORLD_STOPPED();
    each_used(deflate_if_idle, NULL);
}

typedef struct RootVisit {
    RefVisitor visit;
    void *ctx;
} RootVisit;

static void visit_if_busy(Monitor *m, void *ctx)
{
    RootVisit *v = ctx;
    if (!monitor_is_idle(m))
        v->visit(v->ctx, &m->object);
}

void monitors_visit_roots(RefVisitor visit, void *ctx)
{
    ASSERT_WORLD_STOPPED();
    each_used(visit_if_busy, &(RootVisit){visit, ctx});
}

typedef struct WeakVisit {
    WeakKeep keep;
    void *ctx;
} WeakVisit;

static void keep_if_idle(Monitor *m, void *ctx)
{
    WeakVisit *v = ctx;
    if (monitor_is_idle(m) && m->object && !v->keep(v->ctx, &m->object))
        monitor_give_back(m);
}

static void monitors_weak_table(WeakKeep keep, void *ctx)
{
    each_used(keep_if_idle, &(WeakVisit){keep, ctx});
}

void monitors_init(void)
{
    heap_add_weak_table(monitors_weak_table);
}

// ---- looking from outside ----

Thread *monitor_owner(Object *o, uint32_t *entry_count)
{
    ASSERT_OBJECT(o);
    uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
    uint32_t id = 0, count = 0;
    if (MARK_STATE(mark) == MARK_THIN) {
        id = thin_owner(mark);
        count = thin_count(mark);
    } else if (MARK_STATE(mark) == MARK_INFLATED) {
        Monitor *m = monitor_of_mark(mark);
        id = atomic_load(&m->owner);
        count = id ? m->count : 0;
    }
    if (entry_count)
        *entry_count = id ? count + 1 : 0;
    return thread_by_id(id);
}

bool monitor_is_held(Thread *self, Object *o)
{
    ASSERT_OBJECT(o);
    uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
    if (MARK_STATE(mark) == MARK_THIN)
        return thin_owner(mark) == self->id;
    return MARK_STATE(mark) == MARK_INFLATED
           && atomic_load(&monitor_of_mark(mark)->owner) == self->id;
}

static Thread **queue_list(const MonitorQueue *q, size_t *count)
{
    size_t n = 0;
    for (Thread *t = q->first; t; t = t->wait_next)
        n++;
    *count = n;
    if (n == 0)
        return NULL;
    Thread **list = vm_malloc(n * sizeof(*list));
    n = 0;
    for (Thread *t = q->first; t; t = t->wait_next)
        list[n++] = t;
    return list;
}

// Threads that stand before the monitor without being in its queue yet (a listener has the
// MONITOR_ENTER event) wait for it as well.
static void add_arriving(const Monitor *m, MonitorInfo *out)
{
    THREAD_EACH(t)
    {
        bool queued = false;
        for (size_t i = 0; i < out->waiter_count; i++)
            queued = queued || out->waiters[i] == t;
        if (queued || atomic_load(&t->blocked_on) != m)
            continue;
        out->waiters =
            vm_realloc(out->waiters, (out->waiter_count + 1) * sizeof(*out->waiters));
        out->waiters[out->waiter_count++] = t;
    }
}

void monitor_info(Object *o, MonitorInfo *out)
{
    NO_GC_SCOPE();
    ASSERT_WORLD_STOPPED();
    ASSERT_OBJECT(o);
    *out = (MonitorInfo){0};
    out->owner = monitor_owner(o, &out->entry_count);
    uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
    if (MARK_STATE(mark) != MARK_INFLATED)
        return;
    Monitor *m = monitor_of_mark(mark);
    mutex_lock(&m->lock);
    out->waiters = queue_list(&m->enter, &out->waiter_count);
    out->notify_waiters = queue_list(&m->wait, &out->notify_count);
    mutex_unlock(&m->lock);
    add_arriving(m, out);
}

Object *monitor_blocked_object(Thread *t)
{
    ASSERT_STILL(t);
    Monitor *m = atomic_load(&t->blocked_on);
    return m ? m->object : NULL;
}

Object *monitor_waiting_object(Thread *t)
{
    Monitor *m = atomic_load(&t->waiting_on);
    return m ? m->object : NULL;
}
