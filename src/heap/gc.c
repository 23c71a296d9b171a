// SPDX-License-Identifier: Apache-2.0
// When to collect and around it: stops the world, picks the kind, measures, logs, notifies the world.
#include "heap/gc_log.h"
#include "heap/heap_internal.h"

#include "base/log.h"
#include "base/recent.h"

enum { MAX_WEAK_TABLES = 16 };
static WeakTable weak_tables[MAX_WEAK_TABLES];
static int weak_table_count;

static const char *const cause_names[] = {
    [GC_ALLOCATION] = "Allocation Failure",
    [GC_SYSTEM_GC] = "System.gc()",
    [GC_JVMTI_FORCE] = "JvmtiEnv ForceGarbageCollection",
    [GC_PROFILER] = "Profiler",
    [GC_JNI_CRITICAL] = "GCLocker Initiated GC",
    [GC_HEAP_DUMP] = "Heap Dump Initiated GC",
    [GC_HEAP_INSPECTION] = "Heap Inspection Initiated GC",
    [GC_METADATA] = "Metadata GC Threshold",
    [GC_METADATA_LAST_DITCH] = "Last ditch collection",
};

static GcCause last_cause;

void heap_set_world(const HeapWorld *world)
{
    heap.world = *world;
}

void heap_add_weak_table(WeakTable table)
{
    VM_CHECK(weak_table_count < MAX_WEAK_TABLES);
    weak_tables[weak_table_count++] = table;
}

void gc_visit_weak_tables(WeakKeep keep)
{
    for (int i = 0; i < weak_table_count; i++)
        weak_tables[i](keep, NULL);
}

static void visit_handles(void *ctx, Mutator *m)
{
    RefVisitor *visit = ctx;
    handle_stack_visit(&m->handles, *visit, NULL);
}

void gc_visit_own_roots(RefVisitor visit)
{
    globals_visit(visit, NULL);
    loader_data_visit_all(visit, NULL);
    gc_visit_thread_roots(visit);
}

void gc_visit_thread_roots(RefVisitor visit)
{
    heap.world.each_mutator(visit_handles, &visit);
    references_visit_pending(visit);
    heap.world.visit_roots(visit, NULL);
}

static size_t heap_used(void)
{
    return space_used(&heap.old) + space_used(&heap.eden) + space_used(&heap.from);
}

static size_t heap_committed(void)
{
    return spaces_committed();
}

static size_t space_peak(const Space *s)
{
    return MAX_OF(s->peak, space_used(s));
}

// Whether old can take everything that is young now.
static bool young_is_safe(void)
{
    return (size_t)(heap.old.end - heap.old.top)
           >= space_used(&heap.eden) + space_used(&heap.from);
}

typedef struct GcRequest {
    GcCause cause;
    bool full, clear_soft;
    size_t need;             // bytes that old should be able to take afterwards
    void (*then)(void *ctx); // run before the world goes on; may be NULL
    void *ctx;
} GcRequest;

static void note_end(bool full, int64_t nanos, int64_t now)
{
    Space *spaces[] = {&heap.old, &heap.eden, &heap.from};
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        spaces[i]->used_after_gc = space_used(spaces[i]);
    heap.used_after_gc = heap_used();
    atomic_store_explicit(&heap.reserve_used, false, memory_order_relaxed);
    heap.collections++;
    if (!full) {
        heap.young_count++;
        heap.young_nanos += nanos;
        return;
    }
    heap.full_count++;
    heap.full_nanos += nanos;
    heap.last_full_end = now;
}

static void note_start(const GcRequest *r, bool full)
{
    recent_add(
        RECENT_GC,
        "GC(%d) %s (%s) begins: eden %zuK of %zuK, survivors %zuK of %zuK, old %zuK of %zuK",
        (int)heap.collections, full ? "Full" : "Young", cause_names[r->cause],
        space_used(&heap.eden) >> 10, eden_size() >> 10, space_used(&heap.from) >> 10,
        space_size(&heap.from) >> 10, space_used(&heap.old) >> 10, space_size(&heap.old) >> 10);
}

static void log_end(const GcRequest *r, bool full, size_t before, int64_t nanos)
{
    recent_add(RECENT_GC, "GC(%d) ends: %zuK->%zuK(%zuK)", (int)heap.collections - 1,
               before >> 10, heap_used() >> 10, heap_committed() >> 10);
    LOG(LOG_GC, LOG_INFO, "GC(%d) Pause %s (%s) %zuM->%zuM(%zuM) %.3fms",
        (int)heap.collections - 1, full ? "Full" : "Young", cause_names[r->cause], before >> 20,
        heap_used() >> 20, heap_committed() >> 20, (double)nanos / 1e6);
}

const char *heap_gc_cause(void)
{
    return cause_names[last_cause];
}

// World stopped. False: a full collection had to have more memory than the system gives, and did not begin.
static bool gc_run(const GcRequest *r)
{
    ASSERT_COLLECTING();
    ASSERT_NO_LOCKS();
    bool full = r->full || !young_is_safe();
    if (full && !spaces_commit_old(space_used(&heap.eden) + space_used(&heap.from)))
        return false;
    last_cause = r->cause;
    GcTimes start = gc_times_now();
    tlabs_retire_all();
    size_t before = heap_used();
    Space *spaces[] = {&heap.old, &heap.eden, &heap.from};
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        spaces[i]->peak = space_peak(spaces[i]);
    note_start(r, full);
    if (heap.world.before)
        heap.world.before(full);
    if (full) {
        full_collect(r->clear_soft);
        spaces_resize(r->need);
        gc_post_moves();
    } else {
        young_collect();
    }
    if (references_take_news() && heap.world.references_pended)
        heap.world.references_pended();
    int64_t end = os_nanos();
    note_end(full, end - start.nanos, end);
    log_end(r, full, before, end - start.nanos);
    gc_log_cpu((int)heap.collections - 1, &start);
    if (heap.world.after)
        heap.world.after(full);
    return true;
}

// A thread in a critical section of its own cannot wait for all of them to end, and handlers
// of a collection's events cannot start another.
static _Atomic bool collecting;

static bool can_collect(void)
{
    return heap.world.stop && heap_critical_depth() == 0;
}

void gc_set_collecting(Thread *self, bool on)
{
    VM_ASSERT(heap_is_collecting() != on);
    heap.collector = self;
    atomic_store_explicit(&collecting, on, memory_order_relaxed);
}

// The GC locker is closed. False: see gc_run.
static bool gc_stop_and_run(Thread *self, const GcRequest *r)
{
    ASSERT_NO_LOCKS();
    ASSERT_NOT_COLLECTING();
    if (heap.world.prepare)
        heap.world.prepare(self);
    heap.world.stop(self);
    gc_set_collecting(self, true);
    bool ran = gc_run(r);
    if (ran && r->then)
        r->then(r->ctx);
    gc_set_collecting(self, false);
    heap.world.resume(self);
    return ran;
}

bool heap_is_collecting(void)
{
    return atomic_load_explicit(&collecting, memory_order_relaxed);
}

void heap_collect(Thread *self, GcCause cause, bool full)
{
    ASSERT_NO_LOCKS();
    ASSERT_GC_MAY();
    if (!can_collect())
        return;
    GcRequest r = {.cause = cause, .full = full, .clear_soft = cause == GC_METADATA_LAST_DITCH};
    gc_locker_close(self);
    (void)gc_stop_and_run(self, &r);
    gc_locker_open(self);
}

bool heap_collect_then(Thread *self, GcCause cause, void (*then)(void *ctx), void *ctx)
{
    if (!can_collect())
        return false;
    GcRequest r = {.cause = cause, .full = true, .then = then, .ctx = ctx};
    gc_locker_close(self);
    bool ran = gc_stop_and_run(self, &r);
    gc_locker_open(self);
    return ran;
}

GcOutcome gc_for_allocation(Thread *self, size_t need, int level, uint64_t seen)
{
    ASSERT_GC_MAY();
    if (!can_collect())
        return GC_IMPOSSIBLE;
    GcRequest r = {
        .cause = GC_ALLOCATION, .full = level > 0, .clear_soft = level > 1, .need = need};
    gc_locker_close(self);
    bool wanted = level > 0 || heap.collections == seen;
    bool refused = wanted && !gc_stop_and_run(self, &r);
    gc_locker_open(self);
    return refused ? GC_IMPOSSIBLE : wanted ? GC_RAN : GC_SKIPPED;
}

void gc_stress(Thread *self, bool full)
{
    ASSERT_GC_MAY();
    if (can_collect())
        heap_collect(self, GC_ALLOCATION, full);
}

int64_t heap_last_gc_nanos(void)
{
    return heap.last_full_end;
}

// ---- statistics ----

static void pool_fill(HeapPool *p, const char *name, const Space *s, size_t max)
{
    size_t size = space_size(s);
    *p = (HeapPool){name,          s->init,         space_used(s), size, MAX_OF(max, size),
                    space_peak(s), s->used_after_gc};
}

// Without the reserve, and what is made in it.
static void eden_fill(HeapPool *p, size_t max)
{
    pool_fill(p, "Eden Space", &heap.eden, max);
    p->committed = eden_size();
    p->max = MAX_OF(max, eden_size());
    p->used = MIN_OF(p->used, p->committed);
    p->peak_used = MIN_OF(p->peak_used, p->max);
}

void heap_stats(HeapStats *out)
{
    size_t page = os_page_size(), young = heap.max / 3 / page * page;
    size_t survivor = young / 8 / page * page;
    mutex_lock(&heap.lock);
    *out = (HeapStats){.used = MIN_OF(heap_used(), heap_committed()),
                       .committed = heap_committed(),
                       .max = heap.max,
                       .init = heap.initial,
                       .young_count = heap.young_count,
                       .full_count = heap.full_count,
                       .young_nanos = heap.young_nanos,
                       .full_nanos = heap.full_nanos};
    eden_fill(&out->pools[0], young - 2 * survivor);
    pool_fill(&out->pools[1], "Survivor Space", &heap.from, survivor);
    pool_fill(&out->pools[2], "Tenured Gen", &heap.old, heap.max - young);
    mutex_unlock(&heap.lock);
}
