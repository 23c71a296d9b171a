// SPDX-License-Identifier: Apache-2.0
// Allocation, collection, weak references and walking of the Java heap.
//
// Young generation: eden (thread-local buffers, bump allocation) and two survivor spaces,
// copied. Old generation: one space, bump and free-list free, marked and compacted (sliding).
// Old-to-young references are found by dirty cards. The whole maximal heap is reserved at
// start; pages are committed and given back as it grows and shrinks. The collector runs on the
// thread that asked, with the world stopped by the functions of HeapWorld.
#ifndef HEAP_HEAP_H
#define HEAP_HEAP_H

#include "heap/handle.h"
#include "heap/object.h"
#include "heap/placement.h"

typedef struct HeapOptions {
    size_t initial, max, young; // bytes; young 0: a third of the heap
    // collect at every allocation, alternating young and full, move all, poison what is left
    bool stress;
    int64_t soft_ms_per_mb; // SoftRefLRUPolicyMSPerMB
    bool keep_classes;      // full collections take all class loader data as living
    bool large_pages;       // what is large of the old generation: UseTransparentHugePages
    Placement placement;
} HeapOptions;
// False and a line in `error` when the address space cannot be had.
bool heap_init(const HeapOptions *options, char *error, size_t error_size);
PlacedRange heap_range(void); // NO_GC

// How the world above is stopped and scanned. Set once before the first collection.
typedef struct HeapWorld {
    void (*stop)(Thread *self); // returns with every other thread at a safepoint
    void (*resume)(Thread *self);
    void (*each_mutator)(void (*visit)(void *ctx, Mutator *m), void *ctx);
    // thread stacks and thread fields; handles and globals are the heap's. Each slot exactly once
    void (*visit_roots)(RefVisitor visit, void *ctx);
    void (*visit_classes)(void (*reach)(Layout *l)); // the classes whose methods threads run
    // world stopped, nothing moved yet: class loader data were found dead (ClassLoaderData.dead). Nothing may
    // refer to their classes afterwards; their objects are about to vanish.
    void (*unload)(void);
    void (*references_pended)(void); // the pending list became non-empty (world stopped)
    void (*before)(bool full);       // world stopped, nothing moved yet
    void (*after)(bool full);        // world stopped, all moved
    // Optional: between the two the thread counts as stopped (it waits for the GC locker, see
    // heap_critical_enter).
    void (*block)(Thread *self);
    void (*unblock)(Thread *self);
    // Optional: unblock for a collector that has closed the GC locker. False: a handshake with it is under
    // way, it stays blocked. Else none begins until `collected`.
    bool (*unblock_to_collect)(Thread *self);
    void (*collected)(Thread *self);
    void (*prepare)(Thread *self); // optional: a collection comes, the world still runs
} HeapWorld;
void heap_set_world(const HeapWorld *world);

// A table of weak slots (interned strings, tags): called with the world stopped after all
// strong and final marking. It calls keep(ctx, &slot) for each: true: the object lives and the
// slot now holds its new address; false: it died and the slot is NULL.
typedef bool (*WeakKeep)(void *ctx, Object **slot);
typedef void (*WeakTable)(WeakKeep keep, void *ctx);
void heap_add_weak_table(WeakTable table);

// Offsets inside java.lang.ref.Reference and SoftReference, known once those are laid out.
typedef struct ReferenceOffsets {
    uint32_t referent, discovered, next, soft_timestamp;
    Object **soft_clock_mirror; // handle slot of SoftReference's mirror
    uint32_t soft_clock;        // offset of the static in it
} ReferenceOffsets;
void heap_set_reference_offsets(const ReferenceOffsets *offsets);

// ---- allocation ----
// MAY_GC. Memory is zero except header (and length). NULL when the heap is exhausted even after
// a full collection that cleared soft references: the caller throws OutOfMemoryError. instances
// and mirrors; size multiple of 8
NODISCARD MAY_GC Object *heap_alloc(Thread *self, Layout *layout, size_t size);
NODISCARD MAY_GC Object *heap_alloc_array(Thread *self, Layout *array_layout,
                                          int32_t length); // length >= 0
// Stores of references into o, which the calling thread has just made, need no barrier until its next safepoint, behind which it may ask
// again. NO_GC.
void heap_expect_stores(Object *o);
// Bytes that heap_alloc_still has at least, for small instances. World stopped. Locks: heap.lock.
size_t heap_room_still(void);
// An instance for a frame of a thread that stands still, to which m belongs: it collects nothing, and posts nothing. There is a reserve for
// it beyond the maximum; where that and the heap are full, the process ends. Locks: heap.lock. NO_GC.
Object *heap_alloc_still(Mutator *m, Layout *layout);
// Whether it has taken of that part since the last collection: the thread whose frame it was collects as soon as it may.
bool heap_reserve_is_used(void);
// The collection-free fast path for small instances: NULL when the buffer is full (or the
// stress build wants a collection).
static inline Object *heap_alloc_fast(Thread *self, Layout *layout, size_t size)
{
#ifdef PELLUCID_GC_STRESS
    (void)self, (void)layout, (void)size;
    return NULL;
#else
    ASSERT_GC_MAY();
    Mutator *m = mutator_of(self);
    char *p = m->tlab_top;
    if (UNLIKELY((size_t)(m->tlab_end - p) < size))
        return NULL;
    m->tlab_top = p + size;
    Object *o = (Object *)p; // buffers are zeroed when they are handed out
    o->klass = layout_encode(layout);
    return o;
#endif
}
// Whether threads have buffers of their own. Without them heap_alloc_fast fails, so that every
// allocation can be posted. `wanted` decides with the world stopped. self is IN_VM, or NULL: the
// only thread there is.
MAY_GC void heap_set_buffers(Thread *self, bool (*wanted)(void));
bool heap_contains(const void *p);
// An arena of the heap by its number, and that of an object.
enum { ARENA_YOUNG = 1, ARENA_OLD = 2 };
int heap_arena_of(const Object *o);
const char *heap_arena_name(int arena);

// ---- sampling ----
// While somebody wants SAMPLED_ALLOC, it is posted by the thread itself for the object with which
// it has allocated `at` bytes in all (heap_thread_allocated), and for every one from then on until
// the listener sets a later point. Otherwise allocation does what it always does: the end of the
// thread's buffer is the switch.
void heap_sample_at(Mutator *m, uint64_t at);
// Makes the next allocation of every thread post: at a change of who listens. World stopped.
void heap_sample_all(void);

// Longer arrays are refused whatever the size of the heap.
enum { ARRAY_LENGTH_MAX = INT32_MAX - 2 };

// ---- collection ----
typedef enum GcCause {
    GC_ALLOCATION,
    GC_SYSTEM_GC,
    GC_JVMTI_FORCE,
    GC_PROFILER,
    GC_JNI_CRITICAL,
    GC_HEAP_DUMP,
    GC_HEAP_INSPECTION,
    GC_METADATA,           // metadata has grown
    GC_METADATA_LAST_DITCH // metadata is exhausted: clears soft references
} GcCause;
MAY_GC void heap_collect(Thread *self, GcCause cause, bool full);
// A full collection, then `then` before the world runs again: it finds living objects only. False,
// with nothing done, when self is in a critical section.
MAY_GC bool heap_collect_then(Thread *self, GcCause cause, void (*then)(void *ctx), void *ctx);
// Why the collection under way, or the last one, was made: "Allocation Failure". World stopped,
// or no collection possible.
const char *heap_gc_cause(void);
// `notice` is called, IN_VM and with no lock held, after allocations that took a new buffer or
// none; NULL: no longer. It may not collect.
void heap_watch(void (*notice)(void));
bool heap_is_collecting(void); // a collection is at work, the world stopped; async-signal-safe
void heap_thread_detach(Mutator *m); // retires the buffer of an ending thread
// Sections in which nothing moves and nothing is collected (JNI critical sections, tools that
// hold on to addresses); they nest. A thread inside allocates without collecting; others that
// need a collection wait. Entering waits while a collection is wanted: MAY_GC. self is IN_VM, or
// NULL: the caller is not. Leaving does not wait and is allowed in any state.
MAY_GC void heap_critical_enter(Thread *self);
void heap_critical_exit(void);
uint32_t heap_critical_depth(void); // of the current OS thread, its heap_disable_gc included
// The same for long sections, which are the process's: any thread may end one. As long as there is one
// the heap grows rather than let threads wait.
MAY_GC void heap_disable_gc(Thread *self);
// Undoes one heap_disable_gc. False: there is none. Any state, no wait. NO_GC.
bool heap_enable_gc(void);
// How many are not undone.
uint32_t heap_gc_disables(void);

// The pending list of enqueued references (linked through Reference.discovered).
Object *heap_take_pending(void); // whole list, NULL when empty. NO_GC
bool heap_has_pending(void);

// ---- walking ----
// The world is stopped by the caller, or no other thread runs. Dead objects that no collection
// has removed yet are included unless heap_collect(full) ran in the same stop.
void heap_each_object(void (*visit)(void *ctx, Object *o), void *ctx);
// Those that can be reached, through references of any strength. Nothing moves.
void heap_each_live(void (*visit)(void *ctx, Object *o), void *ctx);
// Each reference slot inside an object, the statics of a mirror included, referent included.
void object_each_ref(Object *o, void (*visit)(void *ctx, Object *holder, uint32_t offset),
                     void *ctx);

// ---- other sizes ----
// Layout.next_size and next_mirror_size say which instances and mirrors are migrated; each gets that size, which is not less than it has.
typedef struct HeapMigration {
    // Fills what an object has that it had not. `to` is a copy of `from`, with zeros behind, or `from` itself where the size stays. References
    // in both may lead to objects that were copied: these have the class that they had, but no mark word. NO_GC.
    void (*convert)(Object *from, Object *to);
    void (*change_layouts)(void); // makes the layouts what they will be
} HeapMigration;
// Makes room for the copies. False: there is none. World stopped. NO_GC.
NODISCARD bool heap_migration_fits(void);
// Does it; there was room in the same stop. Objects move. World stopped. NO_GC but for raw references.
void heap_migrate(Thread *self, const HeapMigration *m);

// ---- statistics ----
typedef struct HeapPool {
    const char *name; // "Eden Space", "Survivor Space", "Tenured Gen"
    size_t init, used, committed, max, peak_used, used_after_gc;
} HeapPool;
enum { HEAP_POOLS = 3 };
typedef struct HeapStats {
    HeapPool pools[HEAP_POOLS];
    size_t used, committed, max, init;
    uint64_t young_count, full_count;
    int64_t young_nanos, full_nanos;
} HeapStats;
void heap_stats(HeapStats *out);
static inline uint64_t heap_thread_allocated(const Mutator *m)
{
    return m->allocated_bytes + (uint64_t)(m->tlab_top - m->tlab_start);
}
uint64_t heap_ended_allocated(void); // by all threads that have ended
int64_t heap_last_gc_nanos(void);    // os_nanos() of the end of the last full collection
typedef struct HeapRange {
    char *start;
    size_t size;
} HeapRange;
enum { HEAP_RANGES = 4 };
// What of the heap has memory at the moment, but for its margins: multiples of OS_LARGE_PAGE. NO_GC.
void heap_ranges(HeapRange out[HEAP_RANGES]);

// ---- class space ----
// Memory of Layout/Class structures, addressable by a compressed class pointer.
bool class_space_init(size_t max, Placement placement);
PlacedRange class_space_range(void);         // NO_GC
void *class_space_alloc(size_t size);        // zeroed; NULL when the range is full
void class_space_free(void *p, size_t size); // no object of the class is left
bool class_space_contains(const void *p);    // an address where a structure may begin
// The same without a lock, for assertions: may be true of one that is not there yet.
bool class_space_may_hold(const void *p);
size_t class_space_used(void); // bytes
size_t class_space_committed(void);
size_t class_space_max(void);

#endif
