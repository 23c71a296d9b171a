// SPDX-License-Identifier: Apache-2.0
// The full collection: marks from the roots with an explicit stack, then slides everything that
// lives, old and young, in address order to the bottom of old. Object headers are not used:
// marks are bits, and forwarding is computed.
//
// heap_bits has one bit per 8 bytes, set for every word of a live object, 64 in one block of
// 512 bytes. The new place of a word is its block's heap_block_dest plus the number of live
// words before it in the block; all in narrow units. The bits are all zero when no full
// collection runs.
#include "base/alloc.h"
#include "heap/gc_log.h"
#include "heap/heap_internal.h"

enum {
    BLOCK_SHIFT = 6,
    BLOCK_WORDS = 64,
    ARRAY_STRIDE = 1024,
    STACK_KEEP = 1 << 16,
    BITS_DISCARD = 1 << 20
};

typedef struct ArrayRest { // elements of an array from `next` on are still to be marked
    Narrow array;
    int32_t next;
} ArrayRest;
static struct {
    Narrow *at;
    size_t len, cap;
    ArrayRest *arrays;
    size_t array_len, array_cap;
} stack;

static uint32_t epoch; // number of this full collection

static Narrow narrow_of(const char *p)
{
    return (Narrow)(((uintptr_t)p - heap_base) >> 3);
}

// ---- bits ----

static inline bool bit_get(Narrow n)
{
    return heap_bits[n >> BLOCK_SHIFT] >> (n & (BLOCK_WORDS - 1)) & 1;
}

static inline void bits_set(Narrow n, size_t words)
{
    size_t first = n >> BLOCK_SHIFT, shift = n & (BLOCK_WORDS - 1), end = (size_t)n + words,
           last = (end - 1) >> BLOCK_SHIFT;
    uint64_t tail = ~0ull >> (BLOCK_WORDS - 1 - ((end - 1) & (BLOCK_WORDS - 1)));
    if (first == last) {
        heap_bits[first] |= (~0ull << shift) & tail;
        return;
    }
    heap_bits[first] |= ~0ull << shift;
    memset(&heap_bits[first + 1], 0xFF, (last - first - 1) * sizeof *heap_bits);
    heap_bits[last] |= tail;
}

// The first live word in [n, end), end if there is none.
static inline Narrow bits_next(Narrow n, Narrow end)
{
    if (n >= end)
        return end;
    size_t block = n >> BLOCK_SHIFT, last = (end - 1) >> BLOCK_SHIFT;
    uint64_t bits = heap_bits[block] >> (n & (BLOCK_WORDS - 1));
    if (bits)
        return MIN_OF(n + (Narrow)__builtin_ctzll(bits), end);
    while (++block <= last) {
        if (heap_bits[block])
            return MIN_OF((Narrow)(block << BLOCK_SHIFT)
                              + (Narrow)__builtin_ctzll(heap_bits[block]),
                          end);
    }
    return end;
}

static void bits_clear(const Space *s)
{
    if (s->top == s->start)
        return;
    size_t first = narrow_of(s->start) >> BLOCK_SHIFT,
           last = (narrow_of(s->top) - 1) >> BLOCK_SHIFT;
    char *from = (char *)&heap_bits[first], *to = (char *)&heap_bits[last + 1];
    if (to - from > BITS_DISCARD) {
        char *page = (char *)ALIGN_UP((uintptr_t)from, os_page_size());
        char *page_end = (char *)((uintptr_t)to & ~(os_page_size() - 1));
        os_discard(page, (size_t)(page_end - page));
        memset(from, 0, (size_t)(page - from));
        from = page_end;
    }
    memset(from, 0, (size_t)(to - from));
}

// ---- marking ----

static COLD void stack_grow(void)
{
    stack.cap = stack.cap ? stack.cap * 2 : STACK_KEEP;
    stack.at = vm_realloc(stack.at, stack.cap * sizeof *stack.at);
}

static inline void mark_narrow(Narrow n)
{
    uint64_t *bits = &heap_bits[n >> BLOCK_SHIFT], bit = 1ull << (n & (BLOCK_WORDS - 1));
    if (*bits & bit)
        return;
    *bits |= bit;
    __builtin_prefetch(narrow_decode(n));
    if (UNLIKELY(stack.len == stack.cap))
        stack_grow();
    stack.at[stack.len++] = n;
}

static inline void mark_slot(Object *holder, Narrow *slot)
{
    (void)holder;
    if (*slot)
        mark_narrow(*slot);
}

static void mark_referent(Object *holder, Narrow *slot)
{
    if (*slot && !bit_get(*slot) && !reference_discover(holder, object_layout(holder)))
        mark_narrow(*slot);
}

static void array_rest_push(Narrow array, int32_t next)
{
    if (stack.array_len == stack.array_cap) {
        stack.array_cap = stack.array_cap ? stack.array_cap * 2 : 64;
        stack.arrays = vm_realloc(stack.arrays, stack.array_cap * sizeof *stack.arrays);
    }
    stack.arrays[stack.array_len++] = (ArrayRest){array, next};
}

static void array_mark_some(Narrow array, int32_t from)
{
    Object *o = narrow_decode(array);
    int32_t length = array_length(o), count = MIN_OF(length - from, ARRAY_STRIDE);
    if (length - from > ARRAY_STRIDE)
        array_rest_push(array, from + ARRAY_STRIDE);
    slots_each(o, (Narrow *)array_data(o) + from, (uint32_t)count, SLOT_LO, SLOT_HI, mark_slot);
}

// ---- classes ----

static void mark_root(void *ctx, Object **slot)
{
    (void)ctx;
    if (*slot)
        mark_narrow(narrow_encode(*slot));
}

static void loader_data_reach(ClassLoaderData *u)
{
    if (u->epoch == epoch)
        return;
    u->epoch = epoch;
    loader_data_visit(u, mark_root, NULL);
}

static COLD void class_reach(Layout *l)
{
    if (l->epoch == epoch)
        return;
    l->epoch = epoch;
    if (l->loader_data)
        loader_data_reach(l->loader_data);
}

// What an object keeps alive beside its references: its class; mirrors and loaders also the
// classes that they stand for.
static inline void classes_reach(const Object *o, Layout *l)
{
    if (UNLIKELY(l->epoch != epoch))
        class_reach(l);
    if (LIKELY(l->shape != SHAPE_MIRROR && l->shape != SHAPE_LOADER))
        return;
    if (l->shape == SHAPE_MIRROR) {
        Layout *of = mirror_layout(o);
        if (of)
            class_reach(of);
        return;
    }
    ClassLoaderData *u;
    memcpy(&u, object_at(o, loader_data_offset), sizeof u);
    if (u)
        loader_data_reach(u);
}

static inline void mark_contents(Narrow n)
{
    Object *o = narrow_decode(n);
    Layout *l = object_layout(o);
    classes_reach(o, l);
    bits_set(n, object_size_as(o, l) / OBJECT_ALIGN);
    if (l->shape == SHAPE_REF_ARRAY)
        array_mark_some(n, 0);
    else
        object_each_slot(o, l, SLOT_LO, SLOT_HI, mark_slot, mark_referent);
}

static void mark_drain(void)
{
    for (;;) {
        while (stack.len > 0)
            mark_contents(stack.at[--stack.len]);
        if (stack.array_len == 0)
            return;
        ArrayRest rest = stack.arrays[--stack.array_len];
        array_mark_some(rest.array, rest.next);
    }
}

static bool is_marked(Object *o)
{
    return bit_get(narrow_encode(o));
}

static void stack_trim(void)
{
    if (stack.cap > STACK_KEEP) {
        vm_free(stack.at);
        stack.at = NULL;
        stack.cap = 0;
    }
}

// ---- forwarding ----

static inline Narrow forward(Narrow n)
{
    uint64_t before = heap_bits[n >> BLOCK_SHIFT] & ~(~0ull << (n & (BLOCK_WORDS - 1)));
    return heap_block_dest[n >> BLOCK_SHIFT] + bits_count(before);
}

// Gives the blocks of a space their places from `dest` on; returns what follows.
static Narrow places_choose(const Space *s, Narrow dest)
{
    if (s->top == s->start)
        return dest;
    size_t last = (narrow_of(s->top) - 1) >> BLOCK_SHIFT;
    for (size_t b = narrow_of(s->start) >> BLOCK_SHIFT; b <= last; b++) {
        uint64_t bits = heap_bits[b];
        if (bits == 0)
            continue;
        heap_block_dest[b] = dest;
        dest += bits_count(bits);
    }
    return dest;
}

static inline void forward_slot(Object *holder, Narrow *slot)
{
    (void)holder;
    if (*slot)
        *slot = forward(*slot);
}

static void forward_root(void *ctx, Object **slot)
{
    (void)ctx;
    if (*slot)
        *slot = narrow_decode(forward(narrow_encode(*slot)));
}

static bool forward_weak(void *ctx, Object **slot)
{
    (void)ctx;
    Object *o = *slot;
    if (o)
        *slot = is_marked(o) ? narrow_decode(forward(narrow_encode(o))) : NULL;
    return *slot != NULL;
}

static void forward_weak_slot(void *ctx, Object **slot)
{
    forward_weak(ctx, slot);
}

// ---- moving ----

// Each live object in address order: its slots are adjusted where it lies, then it slides down.
static char *space_slide(const Space *s, char *dest)
{
    Narrow n = narrow_of(s->start), end = narrow_of(s->top);
    while ((n = bits_next(n, end)) < end) {
        Object *o = narrow_decode(n);
        const Layout *l = object_layout(o);
        size_t size = object_size_as(o, l);
        object_each_slot(o, l, SLOT_LO, SLOT_HI, forward_slot, forward_slot);
        if (dest != (char *)o)
            memmove(dest, o, size);
        crossing_record(dest, dest + size);
        dest += size;
        n += (Narrow)(size / OBJECT_ALIGN);
    }
    return dest;
}

// The parts of a young space that nothing was slid into.
static void space_poison(const Space *s)
{
    char *from = MAX_OF(s->start, heap.old.top);
    if (heap.stress && from < s->top)
        memset(from, 0xAB, (size_t)(s->top - from));
}

static Object *new_place(Object *o)
{
    Narrow n = narrow_encode(o);
    return bit_get(n) ? narrow_decode(forward(n)) : NULL;
}

static void mark_all(bool clear_soft)
{
    static const ReferenceOps ops = {is_marked, mark_slot, mark_drain};
    references_begin(clear_soft);
    epoch++;
    globals_visit(mark_root, NULL);
    gc_visit_thread_roots(mark_root);
    loader_data_each_root(heap.keep_classes || !heap.world.unload, loader_data_reach);
    if (heap.world.visit_classes)
        heap.world.visit_classes(class_reach);
    mark_drain();
    references_process(&ops);
    stack_trim();
    if (loader_data_sweep(epoch))
        heap.world.unload();
}

// Pointers of objects are adjusted as these move, so that phase 3 is that of the roots.
static void compact(int64_t start)
{
    const Space *spaces[] = {&heap.old, &heap.eden, &heap.from};
    Narrow place = narrow_of(heap.old.start);
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        place = places_choose(spaces[i], place);
    spaces_set_old_end((char *)narrow_decode(place));
    gc_post_full(new_place);
    start = gc_log_phase("Phase 2: Compute new object addresses", start);
    gc_visit_own_roots(forward_root);
    start = gc_log_phase("Phase 3: Adjust pointers", start);
    char *dest = heap.old.start;
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        dest = space_slide(spaces[i], dest);
    weaks_visit(forward_weak_slot, NULL);
    gc_visit_weak_tables(forward_weak);
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        bits_clear(spaces[i]);
    heap.old.touched = MAX_OF(heap.old.touched, MAX_OF(dest, heap.old.top));
    cards_clear(heap.old.start, MAX_OF(dest, heap.old.top));
    heap.old.top = dest;
    gc_log_phase("Phase 4: Move objects", start);
}

// ---- looking without collecting ----

static void space_visit_live(const Space *s, void (*visit)(void *ctx, Object *o), void *ctx)
{
    Narrow n = narrow_of(s->start), end = narrow_of(s->top);
    while ((n = bits_next(n, end)) < end) {
        Object *o = narrow_decode(n);
        n += (Narrow)(object_size(o) / OBJECT_ALIGN);
        visit(ctx, o);
    }
}

// Outside a collection no reference is put aside: referents are marked as any field.
void heap_each_live(void (*visit)(void *ctx, Object *o), void *ctx)
{
    ASSERT_NO_LOCKS();
    const Space *spaces[] = {&heap.old, &heap.eden, &heap.from};
    tlabs_retire_all();
    epoch++;
    gc_visit_own_roots(mark_root);
    mark_drain();
    stack_trim();
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        space_visit_live(spaces[i], visit, ctx);
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        bits_clear(spaces[i]);
}

void full_collect(bool clear_soft)
{
    ASSERT_COLLECTING();
    int64_t start = os_nanos();
    mark_all(clear_soft);
    compact(gc_log_phase("Phase 1: Mark live objects", start));
    references_end();
    space_poison(&heap.eden);
    space_poison(&heap.from);
    heap.eden.top = heap.eden.start;
    heap.from.top = heap.from.start;
}
