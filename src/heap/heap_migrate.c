// SPDX-License-Identifier: Apache-2.0
// Gives the instances of some classes another size while the world is stopped: each is copied to the end of old, all that refers to it is
// made to refer to the copy, and a filler is left where it was. Every object is taken as if it lived: what it refers to is there even
// where nobody can reach it, as long as no collection has run since. docs/REDEFINITION.md.
#include "base/vec.h"
#include "event/event.h"
#include "heap/heap_internal.h"

typedef struct Moved { // an object that was copied; its mark word says where to
    Narrow from;
    uint32_t size; // that it had
} Moved;
static VEC(Moved) moved;
static VEC(Narrow)
    converted; // where they lie: references that they got at new offsets are still to be fixed
static const HeapMigration *migration;

static size_t next_size(const Object *o, const Layout *l)
{
    if (UNLIKELY(l->shape == SHAPE_MIRROR)) {
        const Layout *of = mirror_layout(o);
        return of ? of->next_mirror_size : 0;
    }
    return l->next_size;
}

// The objects of a space as far as `end`, at the sizes that they have by their layouts now.
ALWAYS_INLINE void each_object(char *p, const char *end, void (*visit)(Object *o, size_t size))
{
    while (p < end) {
        Object *o = (Object *)(void *)p;
        uint64_t mark = mark_load(o);
        if (MARK_STATE(mark) != MARK_FORWARDED && MARK_IS_FILLER(mark)) {
            p += mark >> FILLER_SHIFT;
            continue;
        }
        size_t size = object_size_as(o, object_layout(o));
        visit(o, size);
        p += size;
    }
}

static size_t bytes_needed;

static void count_one(Object *o, size_t size)
{
    size_t to = next_size(o, object_layout(o));
    bytes_needed += to > size ? to : 0;
}

static void copy(Object *o, size_t size, size_t to_size)
{
    VM_ASSERT(size <= UINT32_MAX && (size_t)(heap.old.end - heap.old.top) >= to_size);
    char *to = heap.old.top;
    heap.old.top += to_size;
    crossing_record(to, to + to_size);
    memcpy(to, o, size);
    memset(to + size, 0, to_size - size);
    migration->convert(o, (Object *)(void *)to);
    vec_push(&moved, ((Moved){narrow_encode(o), (uint32_t)size}));
    mark_store(o, (uint64_t)(uintptr_t)to | MARK_FORWARDED);
}

static void take_one(Object *o, size_t size)
{
    size_t to = next_size(o, object_layout(o));
    VM_ASSERT(!to || to >= size);
    if (to > size)
        copy(o, size, to);
    else if (to) {
        migration->convert(o, o);
        vec_push(&converted, narrow_encode(o));
    }
}

// ---- references ----
static inline Object *new_place(Object *o)
{
    uint64_t mark = mark_load(o);
    return MARK_STATE(mark) == MARK_FORWARDED ? (Object *)(uintptr_t)(mark & ~(uint64_t)3) : o;
}

static inline void fix_slot(Object *holder, Narrow *slot)
{
    (void)holder;
    if (*slot)
        *slot = narrow_encode(new_place(narrow_decode(*slot)));
}

static void fix_one(Object *o, size_t size)
{
    (void)size;
    if (MARK_STATE(mark_load(o)) != MARK_FORWARDED)
        object_each_slot(o, object_layout(o), SLOT_LO, SLOT_HI, fix_slot, fix_slot);
}

static void fix_converted(void)
{
    for (size_t i = 0; i < converted.len; i++)
        fix_one(narrow_decode(converted.at[i]), 0);
    vec_free(&converted);
}

static void fix_root(void *ctx, Object **slot)
{
    (void)ctx;
    if (*slot)
        *slot = new_place(*slot);
}

static bool fix_weak(void *ctx, Object **slot)
{
    fix_root(ctx, slot);
    return *slot != NULL;
}

static void fix_roots(void)
{
    gc_visit_own_roots(fix_root);
    weaks_visit(fix_root, NULL);
    gc_visit_weak_tables(fix_weak);
}

// ---- the whole ----
static void each_young(void (*visit)(Object *o, size_t size))
{
    each_object(heap.eden.start, heap.eden.top, visit);
    each_object(heap.from.start, heap.from.top, visit);
}

static void leave_filler(const Moved *m)
{
    Object *o = narrow_decode(m->from);
    if (event_on(OBJECT_MOVED))
        gc_post_migrated(o, new_place(o));
    if (heap.stress)
        memset(o, 0xAB, m->size);
    mark_store(o, (uint64_t)m->size << FILLER_SHIFT | 1u << MARK_GC_BIT);
}

static bool make_room(void)
{
    mutex_lock(&heap.lock);
    bool room = spaces_grow_old(bytes_needed);
    mutex_unlock(&heap.lock);
    return room;
}

bool heap_migration_fits(void)
{
    ASSERT_NO_LOCKS();
    tlabs_retire_all();
    bytes_needed = 0;
    each_object(heap.old.start, heap.old.top, count_one);
    each_young(count_one);
    return make_room();
}

static void migrate(const HeapMigration *m)
{
    char *old_top = heap.old.top;
    migration = m;
    each_object(heap.old.start, old_top, take_one);
    each_young(take_one);
    if (moved.len) {
        each_object(heap.old.start, old_top, fix_one);
        each_young(fix_one);
    }
    m->change_layouts();
    fix_converted();
    if (!moved.len)
        return;
    each_object(old_top, heap.old.top, fix_one);
    fix_roots();
    cards_set(old_top, heap.old.top, CARD_DIRTY);
    heap.old.touched = MAX_OF(heap.old.touched, heap.old.top);
    for (size_t i = 0; i < moved.len; i++)
        leave_filler(&moved.at[i]);
    vec_free(&moved);
}

void heap_migrate(Thread *self, const HeapMigration *m)
{
    ASSERT_NO_LOCKS();
    gc_set_collecting(self, true);
    migrate(m);
    gc_set_collecting(self, false);
}
