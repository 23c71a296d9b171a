// SPDX-License-Identifier: Apache-2.0
// What the files of the heap share: spaces, the side tables, sizes and reference slots of
// objects. Not for other layers.
//
// The reserved range, low to high:
//   heap_start one inaccessible page: no object has narrow reference 0
//   old        [old.start, old.end) committed, filled to old.top without a gap
//   a gap      not committed
//   young      eden, then two survivor spaces, up to heap.limit; "is young" is one compare with eden.start. The end of eden is the
//              reserve of heap_alloc_still, HEAP_RESERVE bytes beyond the size that was asked for
// A full collection slides everything down into old and places a young generation of the right
// size anew, so the border moves. Invariants: outside a collection `to` is empty; a young
// collection runs only when old has room for all that is young.
#ifndef HEAP_HEAP_INTERNAL_H
#define HEAP_HEAP_INTERNAL_H

#include "heap/class_loader_data.h"
#include "heap/heap.h"
#include "platform/platform.h"

typedef struct Space {
    char *start, *end, *top;
    char *
        touched; // memory from here to end was never written since it was committed: it reads as zero
    size_t init, peak, used_after_gc;
} Space;
static inline size_t space_used(const Space *s)
{
    return (size_t)(s->top - s->start);
}
static inline size_t space_size(const Space *s)
{
    return (size_t)(s->end - s->start);
}
static inline size_t size_beyond(size_t size, size_t less)
{
    return size > less ? size - less : 0;
}

// What compiled frames have not made yet has room for itself, however full the heap is. Pages.
enum { HEAP_RESERVE = 256 * 1024 };

typedef struct Heap {
    Space old, eden, from, to;
    PlacedRange range; // reserved
    char *
        limit; // end of the reserved range and of the young generation: max and HEAP_RESERVE from old.start
    size_t max, initial; // bytes
    size_t young_option; // bytes, 0: the heap decides
    size_t young_goal;   // wanted size of the young generation; grows when much survives
    size_t tlab_size;
    size_t used_after_gc;
    bool stress, keep_classes;
    int64_t soft_ms_per_mb;
    unsigned tenuring; // objects of this age are promoted
    uint64_t collections, young_count, full_count;
    int64_t young_nanos, full_nanos, last_full_end;
    Mutex lock;        // eden.top, old.top, touched marks; world stopped: nobody needs it
    Thread *collector; // who collects now
    bool no_buffers;   // every allocation takes the slow path
    _Atomic bool
        reserve_used; // heap_alloc_still has taken more than was free, since the last collection
    HeapWorld world;
} Heap;
extern Heap heap;

// Phases: inside a collection, where the world is stopped and objects may be forwarded; outside.
#define ASSERT_COLLECTING()     VM_ASSERT(heap_is_collecting())
#define ASSERT_NOT_COLLECTING() VM_ASSERT(!heap_is_collecting())

// ---- side tables: the first by the distance from heap_start, the others by Narrow / 64 ----
// per card: how to find the object that covers the card's first byte (heap_cards.c)
extern uint8_t *heap_crossing;
extern uint64_t
    *heap_bits; // per 512 bytes: a bit for each live word; all zero outside a full collection
extern Narrow *heap_block_dest; // per 512 bytes: where its first live word goes

// ---- heap_spaces.c ----
// Eden without the reserve.
size_t eden_size(void);
// Bytes that are committed, without the reserve.
size_t spaces_committed(void);
// Chooses young and old sizes for what is live and `need` more bytes; commits, gives back.
// Young generation empty, world stopped.
void spaces_resize(size_t need);
// Commits so much that old, with what is young behind it, can take `more` bytes. False: the system refuses.
NODISCARD bool spaces_commit_old(size_t more);
void spaces_set_old_end(char *end); // at least there; committed or young up to it
void spaces_grow_eden(void); // doubles the goal and extends the empty eden when there is room
// Commits more of the gap above old, so that `need` bytes fit. False: they do not. Caller holds
// heap.lock.
bool spaces_grow_old(size_t need);
// Bump allocation; NULL when it does not fit. Caller holds heap.lock or has stopped the world.
// *zero: bytes at the start of the result that the caller must clear.
char *space_bump(Space *s, size_t size, size_t *zero);

// ---- heap_alloc.c ----
void tlab_retire(Mutator *m);
void tlabs_retire_all(void);

// ---- gc.c ----
// Collects for a failed allocation of `need` bytes. level 0: young if possible, 1: full, 2:
// full and all soft references cleared. Level 0 is skipped when a collection ran since `seen`.
typedef enum GcOutcome { GC_IMPOSSIBLE, GC_RAN, GC_SKIPPED } GcOutcome;
MAY_GC GcOutcome gc_for_allocation(Thread *self, size_t need, int level, uint64_t seen);
MAY_GC void gc_stress(Thread *self, bool full);
// Objects may be forwarded from now on, or are not any more. World stopped.
void gc_set_collecting(Thread *self, bool on);
void gc_visit_own_roots(RefVisitor visit);    // globals, class loader data, and:
void gc_visit_thread_roots(RefVisitor visit); // handle stacks, pending list, what the world has
void gc_visit_weak_tables(WeakKeep keep);

// ---- gc_young.c, gc_full.c: world stopped, buffers retired ----
void young_collect(void);
void full_collect(bool clear_soft);

// ---- gc_reference.c ----
typedef struct ReferenceOps {
    bool (*is_alive)(Object *o); // reached so far
    void (*keep)(Object *holder,
                 Narrow *slot); // reaches the referent; young: also stores its new place
    void (*drain)(void);        // reaches everything behind kept objects
} ReferenceOps;
extern ReferenceOffsets reference_offsets;
void references_begin(bool clear_soft);
// A reference object with a referent that is not reached yet. True: put aside, the referent
// must not be followed now.
bool reference_discover(Object *ref, const Layout *l);
void references_process(const ReferenceOps *ops);
void references_end(void); // clock; objects in their new places
void references_visit_pending(RefVisitor visit);
bool references_take_news(void); // whether this collection pended any

// ---- heap_critical.c ----
// Returns when nobody is in a critical section, nobody can enter one, and no other thread
// collects. MAY_GC.
MAY_GC void gc_locker_close(Thread *self);
void gc_locker_open(Thread *self);

// ---- gc_events.c: posts OBJECT_DIED, OBJECT_MOVED, ARENA_*; world stopped ----
// After a young collection copied: eden and `from` still hold what they held.
void gc_post_young(void);
// After marking, before anything slides: posts the dead; notes the moves if they are wanted.
// new_place(o): NULL for a dead object.
void gc_post_full(Object *(*new_place)(Object *o));
// Outside a collection: an instance has a new place in old (heap_migrate.c).
void gc_post_migrated(Object *from, Object *to);
void gc_post_moves(void); // those noted, once the spaces have their new bounds

// ---- heap_cards.c ----
void crossing_record_slow(char *start, char *end);
// After an object was placed at [start, end) in old.
static inline void crossing_record(char *start, char *end)
{
    if ((((uintptr_t)start - 1) ^ ((uintptr_t)end - 1)) >> CARD_SHIFT)
        crossing_record_slow(start, end);
}
Object *crossing_find(
    char *card_start); // the object that covers this byte; card-aligned, inside old
void cards_clear(char *from, char *to);
// Cleans each run of dirty cards in [from, to) and calls scan with its bounds, clipped to `to`.
void cards_take_dirty(char *from, char *to, void (*scan)(char *lo, char *hi));

// ---- objects ----
static inline uint64_t mark_load(const Object *o)
{
    return atomic_load_explicit(&((Object *)o)->mark, memory_order_relaxed);
}
static inline void mark_store(Object *o, uint64_t mark)
{
    atomic_store_explicit(&o->mark, mark, memory_order_relaxed);
}
// Unused ends of buffers hold a filler: a mark word alone, with the gc bit and the size.
enum { FILLER_SHIFT = 8 };
#define MARK_IS_FILLER(m) (((m) >> MARK_GC_BIT) & 1)

static inline size_t array_size(const Layout *l, int32_t length)
{
    return ALIGN_UP((size_t)ARRAY_BASE + ((size_t)length << l->elem_shift),
                    (size_t)OBJECT_ALIGN);
}
// The class a mirror stands for; NULL for primitives and as long as the field is unknown.
static inline Layout *mirror_layout(const Object *mirror)
{
    Layout *l = NULL;
    if (LIKELY(mirror_layout_offset != 0))
        memcpy(&l, object_at(mirror, mirror_layout_offset), sizeof l);
    return l;
}
static inline size_t mirror_bytes(const Layout *l, const Object *mirror)
{
    const Layout *of = mirror_layout(mirror);
    return of && of->mirror_size ? of->mirror_size : l->instance_size;
}
static inline size_t object_size_as(const Object *o, const Layout *l)
{
    if (l->shape >= SHAPE_REF_ARRAY)
        return array_size(l, array_length(o));
    if (UNLIKELY(l->shape == SHAPE_MIRROR))
        return mirror_bytes(l, o);
    return l->instance_size;
}

// Calls slot(holder, p) for each reference slot in [lo, hi). With constant bounds and function
// all is inlined.
typedef void (*SlotVisitor)(Object *holder, Narrow *slot);
ALWAYS_INLINE void slots_each(Object *o, Narrow *p, uint32_t count, uintptr_t lo, uintptr_t hi,
                              SlotVisitor slot)
{
    uintptr_t first = (uintptr_t)p, end = (uintptr_t)(p + count);
    if (first < lo)
        first = lo;
    if (end > hi)
        end = hi;
    for (; first < end; first += sizeof(Narrow))
        slot(o, (Narrow *)first);
}
ALWAYS_INLINE void spans_each(Object *o, const RefSpan *spans, uint32_t count, uintptr_t lo,
                              uintptr_t hi, SlotVisitor slot)
{
    for (uint32_t i = 0; i < count; i++)
        slots_each(o, object_at(o, spans[i].offset), spans[i].count, lo, hi, slot);
}
// All strong slots; referents of SHAPE_REFERENCE objects go to `referent` instead.
ALWAYS_INLINE void object_each_slot(Object *o, const Layout *l, uintptr_t lo, uintptr_t hi,
                                    SlotVisitor slot, SlotVisitor referent)
{
    if (l->shape == SHAPE_PRIM_ARRAY)
        return;
    if (l->shape == SHAPE_REF_ARRAY) {
        slots_each(o, array_data(o), (uint32_t)array_length(o), lo, hi, slot);
        return;
    }
    spans_each(o, l->spans, l->span_count, lo, hi, slot);
    if (LIKELY(l->shape == SHAPE_INSTANCE))
        return;
    if (l->shape == SHAPE_MIRROR) {
        const Layout *of = mirror_layout(o);
        if (of)
            spans_each(o, of->static_spans, of->static_span_count, lo, hi, slot);
        return;
    }
    if (l->shape == SHAPE_REFERENCE && reference_offsets.referent) {
        slots_each(o, object_at(o, reference_offsets.discovered), 1, lo, hi, slot);
        slots_each(o, object_at(o, reference_offsets.referent), 1, lo, hi, referent);
    }
}
enum { SLOT_LO = 0 };
#define SLOT_HI UINTPTR_MAX

#endif
