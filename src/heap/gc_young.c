// SPDX-License-Identifier: Apache-2.0
// The young collection: copies what is reachable from roots and dirty cards out of eden and the
// full survivor space, into the empty survivor space (until an age) or old. Both destinations
// are scanned from front to back until nothing is left.
//
// Cannot fail: the caller made sure that old has room for everything that is young. A forwarded
// object's mark word is its new address with state 3; the copy has the true mark word.
#include "heap/heap_internal.h"

enum { AGES = 1 << MARK_AGE_BITS, AGE_MAX = AGES - 1 };

static struct {
    Narrow low; // narrow reference of eden.start: smaller ones are null or old
    char *to_scan, *old_scan;
    unsigned tenuring;
    size_t age_bytes[AGES];
} run;

// Size is a multiple of 8 and at least 16; the halves of a block may overlap.
static inline void copy_object(char *to, const char *from, size_t size)
{
    if (size <= 32) {
        uint64_t a[2], b[2];
        memcpy(a, from, 16);
        memcpy(b, from + size - 16, 16);
        memcpy(to, a, 16);
        memcpy(to + size - 16, b, 16);
    } else if (size <= 64) {
        uint64_t a[4], b[4];
        memcpy(a, from, 32);
        memcpy(b, from + size - 32, 32);
        memcpy(to, a, 32);
        memcpy(to + size - 32, b, 32);
    } else {
        memcpy(to, from, size);
    }
}

static char *copy_to_old(size_t size)
{
    char *p = heap.old.top;
    if (UNLIKELY((size_t)(heap.old.end - p) < size))
        vm_fatal("promotion without room");
    heap.old.top = p + size;
    crossing_record(p, p + size);
    return p;
}

static inline Object *evacuate(Object *o)
{
    uint64_t mark = mark_load(o);
    if (MARK_STATE(mark) == MARK_FORWARDED)
        return (Object *)(uintptr_t)(mark & ~(uint64_t)3);
    size_t size = object_size_as(o, object_layout(o));
    unsigned age = (unsigned)(mark >> MARK_AGE_SHIFT) & AGE_MAX;
    char *to;
    if (age < run.tenuring && size <= (size_t)(heap.to.end - heap.to.top)) {
        to = heap.to.top;
        heap.to.top = to + size;
        mark += 1u << MARK_AGE_SHIFT;
        run.age_bytes[age + 1] += size;
    } else {
        to = copy_to_old(size);
    }
    copy_object(to, (char *)o, size);
    mark_store((Object *)to, mark);
    mark_store(o, (uint64_t)(uintptr_t)to | MARK_FORWARDED);
    return (Object *)to;
}

// ---- slots ----

static inline void slot_of_survivor(Object *holder, Narrow *slot)
{
    (void)holder;
    Narrow n = *slot;
    if (n >= run.low)
        *slot = narrow_encode(evacuate(narrow_decode(n)));
}

static inline void slot_of_old(Object *holder, Narrow *slot)
{
    (void)holder;
    Narrow n = *slot;
    if (n < run.low)
        return;
    n = narrow_encode(evacuate(narrow_decode(n)));
    *slot = n;
    if (n >= run.low)
        heap_barrier(slot);
}

static bool is_alive(Object *o)
{
    return (char *)o < heap.eden.start || MARK_STATE(mark_load(o)) == MARK_FORWARDED;
}

static void keep_slot(Object *holder, Narrow *slot)
{
    slot_of_old(holder, slot); // a dirty card in a survivor does no harm
}

static void referent(Object *holder, Narrow *slot)
{
    Narrow n = *slot;
    if (n < run.low)
        return;
    if (!is_alive(narrow_decode(n)) && reference_discover(holder, object_layout(holder))) {
        heap_barrier(slot);
        return;
    }
    slot_of_old(holder, slot);
}

// ---- scanning ----

static inline void scan_survivors(void)
{
    while (run.to_scan < heap.to.top) {
        Object *o = (Object *)run.to_scan;
        const Layout *l = object_layout(o);
        object_each_slot(o, l, SLOT_LO, SLOT_HI, slot_of_survivor, referent);
        run.to_scan += object_size_as(o, l);
    }
}

static void drain(void)
{
    do {
        scan_survivors();
        while (run.old_scan < heap.old.top) {
            Object *o = (Object *)run.old_scan;
            const Layout *l = object_layout(o);
            object_each_slot(o, l, SLOT_LO, SLOT_HI, slot_of_old, referent);
            run.old_scan += object_size_as(o, l);
        }
    } while (run.to_scan < heap.to.top);
}

static void scan_cards(char *lo, char *hi)
{
    char *p = (char *)crossing_find(lo);
    while (p < hi) {
        Object *o = (Object *)p;
        uint64_t mark = mark_load(o);
        if (UNLIKELY(MARK_IS_FILLER(mark))) { // heap_migrate.c left it
            p += mark >> FILLER_SHIFT;
            continue;
        }
        const Layout *l = object_layout(o);
        object_each_slot(o, l, (uintptr_t)lo, (uintptr_t)hi, slot_of_old, referent);
        p += object_size_as(o, l);
    }
}

// Tolerates a slot that was visited before.
static bool is_copy(const Object *o)
{
    return (const char *)o >= heap.to.start && (const char *)o < heap.to.end;
}

static void root(void *ctx, Object **slot)
{
    (void)ctx;
    Object *o = *slot;
    if ((char *)o >= heap.eden.start && !is_copy(o))
        *slot = evacuate(o);
}

// ---- weak slots, after everything else ----

static bool keep_weak(void *ctx, Object **slot)
{
    (void)ctx;
    Object *o = *slot;
    if (!o || (char *)o < heap.eden.start || is_copy(o))
        return o != NULL;
    uint64_t mark = mark_load(o);
    *slot =
        MARK_STATE(mark) == MARK_FORWARDED ? (Object *)(uintptr_t)(mark & ~(uint64_t)3) : NULL;
    return *slot != NULL;
}

static void weak_slot(void *ctx, Object **slot)
{
    keep_weak(ctx, slot);
}

// ---- the collection ----

static void run_begin(void)
{
    run.low = narrow_encode((Object *)heap.eden.start);
    run.to_scan = heap.to.start;
    run.old_scan = heap.old.top;
    run.tenuring = heap.tenuring;
    memset(run.age_bytes, 0, sizeof run.age_bytes);
}

// Objects stay as many collections as lets the survivor space be half full.
static void tenuring_choose(void)
{
    size_t limit = space_size(&heap.to) / 2, sum = 0;
    unsigned age = 1;
    for (; age < AGE_MAX; age++) {
        sum += run.age_bytes[age];
        if (sum > limit)
            break;
    }
    heap.tenuring = age;
}

static void space_empty(Space *s)
{
    if (heap.stress)
        memset(s->start, 0xAB, space_used(s));
    s->top = s->start;
}

static void survivors_swap(void)
{
    Space empty = heap.from, full = heap.to;
    heap.from = full;
    heap.to = empty;
    heap.from.init = empty.init;
    heap.from.peak = MAX_OF(full.peak, empty.peak);
}

void young_collect(void)
{
    ASSERT_COLLECTING();
    VM_ASSERT(space_used(&heap.to) == 0);
    static const ReferenceOps ops = {is_alive, keep_slot, drain};
    char *old_top = heap.old.top;
    size_t eden_used = space_used(&heap.eden);
    run_begin();
    references_begin(false);
    cards_take_dirty(heap.old.start, old_top, scan_cards);
    gc_visit_own_roots(root);
    drain();
    references_process(&ops);
    weaks_visit(weak_slot, NULL);
    gc_visit_weak_tables(keep_weak);
    references_end();
    size_t survived = space_used(&heap.to) + (size_t)(heap.old.top - old_top);
    heap.old.touched = MAX_OF(heap.old.touched, heap.old.top);
    tenuring_choose();
    gc_post_young();
    space_empty(&heap.eden);
    space_empty(&heap.from);
    survivors_swap();
    if (survived > eden_used / 4 && eden_used > space_size(&heap.eden) / 2)
        spaces_grow_eden();
}
