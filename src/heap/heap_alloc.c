// SPDX-License-Identifier: Apache-2.0
// Allocation that the inline fast path cannot serve: new thread-local buffers, shared eden,
// large objects in old.
//
// What is larger than a quarter of eden goes directly to old. Memory is cleared by the thread
// that gets it, outside the lock: no collection can come between, since that thread reaches no
// safepoint. Under stress there are no buffers, so that every allocation comes here and
// collects.
#include <stdlib.h>

#include "event/event.h"
#include "heap/heap_internal.h"

enum {
    LARGE_FRACTION = 4,
    SHARED_FRACTION = 8,
    WASTE_FRACTION = 16,
    LEVELS = 3,
    LEVEL0_TRIES = 8,
    STRESS_FULL_EACH = 64
};

void tlab_retire(Mutator *m)
{
    size_t rest = (size_t)(m->tlab_limit - m->tlab_top);
    m->allocated_bytes += (size_t)(m->tlab_top - m->tlab_start);
    if (rest > 0)
        mark_store((Object *)m->tlab_top, (uint64_t)rest << FILLER_SHIFT | 1u << MARK_GC_BIT);
    m->tlab_start = m->tlab_top = m->tlab_end = m->tlab_limit = NULL;
}

static void retire_visit(void *ctx, Mutator *m)
{
    (void)ctx;
    tlab_retire(m);
}

void tlabs_retire_all(void)
{
    if (heap.world.each_mutator)
        heap.world.each_mutator(retire_visit, NULL);
}

static _Atomic uint64_t ended_allocated;

void heap_thread_detach(Mutator *m)
{
    tlab_retire(m);
    atomic_fetch_add(&ended_allocated, m->allocated_bytes);
    m->allocated_bytes = 0; // the thread is listed for a while
}

uint64_t heap_ended_allocated(void)
{
    return atomic_load(&ended_allocated);
}

// ---- the three places; heap.lock held ----

static bool size_is_large(size_t size)
{
    return size > eden_size() / LARGE_FRACTION;
}

static char *old_alloc(size_t size, size_t *zero)
{
    char *p = space_bump(&heap.old, size, zero);
    if (p)
        crossing_record(p, p + size);
    return p;
}

// What heap_alloc_still has for itself lies at the end of eden.
static size_t eden_left(void)
{
    return size_beyond((size_t)(heap.eden.end - heap.eden.top), HEAP_RESERVE);
}

bool heap_reserve_is_used(void)
{
    return atomic_load_explicit(&heap.reserve_used, memory_order_relaxed);
}

// A buffer pays when little is thrown away with the old one.
static bool wants_buffer(const Mutator *m, size_t size)
{
    size_t rest = (size_t)(m->tlab_limit - m->tlab_top);
    return !heap.stress && !heap.no_buffers && size <= heap.tlab_size / SHARED_FRACTION
           && rest <= heap.tlab_size / WASTE_FRACTION;
}

static char *buffer_alloc(Mutator *m, size_t size, size_t *zero)
{
    size_t buffer = MIN_OF(heap.tlab_size, eden_left());
    if (buffer < size)
        return NULL;
    char *p = space_bump(&heap.eden, buffer, zero);
    tlab_retire(m);
    m->tlab_start = p;
    m->tlab_top = p + size;
    m->tlab_end = m->tlab_limit = p + buffer;
    return p;
}

static char *alloc_locked(Mutator *m, size_t size, bool anywhere, size_t *zero)
{
    ASSERT_HELD(&heap.lock);
    char *p;
    if (wants_buffer(m, size) && (p = buffer_alloc(m, size, zero)))
        return p;
    bool large = size_is_large(size);
    p = large ? old_alloc(size, zero) : NULL;
    if (!p && size <= eden_left())
        p = space_bump(&heap.eden, size, zero);
    if (!p && anywhere && spaces_grow_old(size))
        p = old_alloc(size, zero);
    if (p)
        m->allocated_bytes += size;
    return p;
}

// *seen: the number of collections at the time of the attempt.
static char *alloc_try(Mutator *m, size_t size, bool anywhere, uint64_t *seen)
{
    size_t zero = 0;
    mutex_lock(&heap.lock);
    char *p = alloc_locked(m, size, anywhere, &zero);
    *seen = heap.collections;
    mutex_unlock(&heap.lock);
    if (p && zero)
        memset(p, 0, zero);
    return p;
}

size_t heap_room_still(void)
{
    enum { WASTE = 16 << 10 }; // at the ends of what is used one after the other
    mutex_lock(&heap.lock);
    size_t gap = heap.eden.start > heap.old.end ? (size_t)(heap.eden.start - heap.old.end) : 0;
    size_t room = (size_t)(heap.eden.end - heap.eden.top)
                  + (size_t)(heap.from.end - heap.from.top)
                  + (size_t)(heap.old.end - heap.old.top) + gap;
    mutex_unlock(&heap.lock);
    return room > WASTE ? room - WASTE : 0;
}

Object *heap_alloc_still(Mutator *m, Layout *layout)
{
    size_t size = layout->instance_size, zero = 0;
    mutex_lock(&heap.lock);
    if (eden_left() < size)
        atomic_store_explicit(&heap.reserve_used, true, memory_order_relaxed);
    char *p = space_bump(&heap.eden, size, &zero);
    if (!p && spaces_grow_old(size))
        p = old_alloc(size, &zero);
    if (!p) { // a collection takes what is there as what has survived
        p = space_bump(&heap.from, size, &zero);
        zero = p ? size : 0; // collections note nowhere what of it they have touched
    }
    if (p)
        m->allocated_bytes += size;
    mutex_unlock(&heap.lock);
    if (!p)
        vm_fatal("no room in the heap for an object that a compiled frame has not made yet");
    memset(p, 0, zero);
    Object *o = (Object *)(void *)p;
    o->klass = layout_encode(layout);
    return o;
}

void heap_set_buffers(Thread *self, bool (*wanted)(void))
{
    ASSERT_GC_MAY();
    bool stop = self && heap.world.stop;
    if (stop)
        heap.world.stop(self);
    heap.no_buffers = !wanted();
    if (heap.no_buffers)
        tlabs_retire_all();
    if (stop)
        heap.world.resume(self);
}

// ---- stress ----

// Allocations from one stress collection to the next: PELLUCID_GC_STRESS, default 1.
static uint64_t stress_interval(void)
{
    static uint64_t interval;
    if (interval == 0) {
        const char *s = getenv("PELLUCID_GC_STRESS");
        long long n = s ? atoll(s) : 1;
        interval = n > 0 ? (uint64_t)n : 1;
    }
    return interval;
}

static void stress_collect(Thread *self)
{
    ASSERT_NO_LOCKS();
    static _Atomic uint64_t allocations, runs;
    if (heap_gc_disables() > 0)
        return;
    if (atomic_fetch_add(&allocations, 1) % stress_interval() == 0)
        gc_stress(self, atomic_fetch_add(&runs, 1) % STRESS_FULL_EACH == STRESS_FULL_EACH - 1);
}

// ---- the slow path ----

static void (*_Atomic watcher)(void);

void heap_watch(void (*notice)(void))
{
    atomic_store(&watcher, notice);
}

static void notify_watcher(void)
{
    void (*notice)(void) = atomic_load_explicit(&watcher, memory_order_relaxed);
    if (UNLIKELY(notice != NULL))
        notice();
}

// Instances may have got another size while the world was stopped (heap_migrate.c).
static size_t size_now(const Layout *l, size_t size)
{
    bool is_instance = l->shape < SHAPE_REF_ARRAY && l->shape != SHAPE_MIRROR;
    VM_ASSERT(!is_instance || size <= l->instance_size);
    return is_instance ? l->instance_size : size;
}

// Level 0 is tried again when other threads collected meanwhile and used up what they won.
static char *alloc_slow(Thread *self, const Layout *l, size_t size)
{
    Mutator *m = mutator_of(self);
    uint64_t seen;
    VM_ASSERT(locks_none_held());
    if (UNLIKELY(heap.stress))
        stress_collect(self);
    size = size_now(l, size);
    char *p = alloc_try(m, size, !heap.world.stop || heap_gc_disables() > 0, &seen);
    GcOutcome outcome = GC_SKIPPED;
    for (int i = 0; !p && outcome == GC_SKIPPED && i < LEVEL0_TRIES; i++) {
        outcome = gc_for_allocation(self, size, 0, seen);
        size = size_now(l, size);
        p = alloc_try(m, size, outcome == GC_IMPOSSIBLE, &seen);
    }
    for (int level = 1; !p && outcome != GC_IMPOSSIBLE && level < LEVELS; level++) {
        outcome = gc_for_allocation(self, size, level, seen);
        size = size_now(l, size);
        p = alloc_try(m, size, true, &seen);
    }
    notify_watcher();
    return p;
}

// ---- sampling ----

// Puts the end of the buffer where the inline path has to stop.
static void tlab_set_end(Mutator *m)
{
    m->tlab_end = m->tlab_limit;
    if (!event_on(SAMPLED_ALLOC))
        return;
    uint64_t now = heap_thread_allocated(m), left = m->sample_at > now ? m->sample_at - now : 0;
    if (left < (uint64_t)(m->tlab_limit - m->tlab_top))
        m->tlab_end = m->tlab_top + left;
}

void heap_sample_at(Mutator *m, uint64_t at)
{
    m->sample_at = at;
}

static void sample_next(void *ctx, Mutator *m)
{
    (void)ctx;
    m->sample_at = 0;
    tlab_set_end(m);
}

void heap_sample_all(void)
{
    heap.world.each_mutator(sample_next, NULL);
}

// After an allocation outside of the inline path. Gives the object where it is then.
MAY_GC static Object *sample(Thread *self, Object *o)
{
    Mutator *m = mutator_of(self);
    const Layout *l = object_layout(o);
    if (event_on(SAMPLED_ALLOC) && heap_thread_allocated(m) >= m->sample_at
        && l->shape != SHAPE_MIRROR) { // which is of no use yet
        HANDLE_SCOPE(self);
        jobject h = handle_new(self, o);
        event_post(self, SAMPLED_ALLOC, h, (Class *)(uintptr_t)l, (int64_t)object_size(o));
        o = deref(h);
    }
    tlab_set_end(m);
    return o;
}

// Zeroed memory with a header, whatever the next sample.
static Object *alloc_any(Thread *self, Layout *layout, size_t size)
{
    Mutator *m = mutator_of(self);
    m->tlab_end = m->tlab_limit;
    Object *o = heap_alloc_fast(self, layout, size);
    if (!o) {
        o = (Object *)alloc_slow(self, layout, size);
        if (o)
            o->klass = layout_encode(layout);
    }
    return o;
}

Object *heap_alloc(Thread *self, Layout *layout, size_t size)
{
    ASSERT_GC_MAY();
    Object *o = heap_alloc_fast(self, layout, size);
    if (LIKELY(o != NULL))
        return o;
    o = alloc_any(self, layout, size);
    return o ? sample(self, o) : NULL;
}

Object *heap_alloc_array(Thread *self, Layout *array_layout, int32_t length)
{
    ASSERT_GC_MAY();
    size_t size = array_size(array_layout, length);
    Object *a = heap_alloc_fast(self, array_layout, size);
    bool fast = LIKELY(a != NULL);
    if (!fast && !(a = alloc_any(self, array_layout, size)))
        return NULL;
    *(int32_t *)object_at(a, ARRAY_LENGTH_OFFSET) = length;
    return fast ? a : sample(self, a);
}
