// SPDX-License-Identifier: Apache-2.0
// The reserved range and how it is divided: commit, growth, shrinking. See heap_internal.h for
// the picture.
//
// The committed size (the target) is at least `initial`, and such that live data fill at most
// 60% of it. Old is committed up to old.end at once: pages cost memory only when they are
// touched, and promotion never has to commit.
#include "heap/heap_internal.h"

#include <stdio.h>

#include "base/log.h"

enum {
    BLOCK_BYTES = 512,
    MIN_HEAP = 2 << 20,
    YOUNG_START = 20 << 20,
    YOUNG_MIN = 64 << 10,
    RESERVE_MIN = 32 << 20,
    GROW_STEP = 1 << 20,
    TLAB_MAX = 64 << 10,
    TLAB_MIN = 1 << 10
};
// Narrow references reach 32 GB from heap_base.
#define MAX_HEAP (((size_t)32 << 30) - ((size_t)1 << 20))

Heap heap;
uint8_t *heap_crossing;
uint64_t *heap_bits;
Narrow *heap_block_dest;

// ---- start ----

static size_t side_table_size(size_t heap_bytes, size_t entry)
{
    return ALIGN_UP(heap_bytes / BLOCK_BYTES * entry + entry, os_page_size());
}

static void *side_table(size_t heap_bytes, size_t entry)
{
    size_t size = side_table_size(heap_bytes, entry);
    void *p = os_reserve(size, os_page_size());
    return p && os_commit(p, size) ? p : NULL;
}

static bool side_tables_init(size_t bytes, Placement placement)
{
    size_t card_bytes = side_table_size(bytes, 1);
    uint8_t *cards = placement_reserve_cards(placement, card_bytes);
    if (cards && !os_commit(cards, card_bytes))
        return false;
    heap_crossing = side_table(bytes, 1);
    uint64_t *bits = side_table(bytes, sizeof *bits);
    Narrow *dest = side_table(bytes, sizeof *dest);
    if (!cards || !heap_crossing || !bits || !dest)
        return false;
    size_t first = (heap_start - heap_base) / BLOCK_BYTES;
    heap_bits = (uint64_t *)((uintptr_t)bits - first * sizeof *bits);
    heap_block_dest = (Narrow *)((uintptr_t)dest - first * sizeof *dest);
    card_base = (uintptr_t)cards - (heap_start >> CARD_SHIFT);
    return true;
}

static void sizes_init(const HeapOptions *o)
{
    size_t page = os_page_size(), max = MAX_OF(o->max, (size_t)MIN_HEAP);
    if (max > MAX_HEAP) {
        vm_warning("the heap is limited to 32 GB");
        max = MAX_HEAP;
    }
    heap.max = ALIGN_UP(max, page);
    heap.initial = ALIGN_UP(MIN_OF(MAX_OF(o->initial, (size_t)MIN_HEAP), heap.max), page);
    heap.young_option = MIN_OF(ALIGN_UP(o->young, page), heap.max / 2);
    heap.young_goal =
        heap.young_option ? heap.young_option : MIN_OF(heap.initial / 3, (size_t)YOUNG_START);
    heap.stress = o->stress;
#ifdef PELLUCID_GC_STRESS
    heap.stress = true;
#endif
    heap.soft_ms_per_mb = o->soft_ms_per_mb;
    heap.keep_classes = o->keep_classes;
    heap.tenuring = (1u << MARK_AGE_BITS) - 1;
}

// What only large heaps come to, and mostly from end to end: fewer page tables, which a snapshot of the heap copies while the program stands
// still. The parts where small programs live have small pages, as they would touch more memory than they use. It is asked for by flag: where
// the system has to find or clear such pages first, a program takes longer than it saves.
static void use_huge_pages(void)
{
    enum { SMALL_OLD = 64 << 20, SMALL_YOUNG = 128 << 20 };
    if (heap.max > SMALL_OLD + SMALL_YOUNG)
        os_prefer_large_pages(heap.old.start + SMALL_OLD, heap.max - SMALL_OLD - SMALL_YOUNG);
}

bool heap_init(const HeapOptions *options, char *error, size_t error_size)
{
    sizes_init(options);
    size_t guard = os_page_size(), bytes = guard + heap.max + HEAP_RESERVE;
    bool placed = placement_reserve_heap(options->placement, bytes, &heap.range);
    heap_base = heap.range.base;
    heap_start = heap.range.start;
    if (!placed || !side_tables_init(bytes, options->placement)) {
        snprintf(error, error_size, "Could not reserve enough space for %zuKB object heap",
                 heap.max >> 10);
        return false;
    }
    mutex_init(&heap.lock, RANK_HEAP);
    char *start = (char *)heap_start + guard;
    heap.limit = start + heap.max + HEAP_RESERVE;
    heap.old = (Space){.start = start, .end = start, .top = start, .touched = start};
    heap.eden = (Space){
        .start = heap.limit, .end = heap.limit, .top = heap.limit, .touched = heap.limit};
    heap.from = heap.to = heap.eden;
    spaces_resize(0);
    if (options->large_pages)
        use_huge_pages();
    if (heap.old.end == heap.old.start || heap.eden.start == heap.limit) {
        snprintf(error, error_size, "Could not commit %zuKB for the object heap",
                 heap.initial >> 10);
        return false;
    }
    heap.old.init = space_size(&heap.old);
    heap.eden.init = eden_size();
    heap.from.init = heap.to.init = space_size(&heap.from);
    return true;
}

PlacedRange heap_range(void)
{
    return heap.range;
}

// ---- sizes ----

typedef struct Sizes {
    size_t old, young; // bytes
} Sizes;

size_t eden_size(void)
{
    return size_beyond(space_size(&heap.eden), HEAP_RESERVE);
}

size_t spaces_committed(void)
{
    size_t young = size_beyond((size_t)(heap.limit - heap.eden.start), HEAP_RESERVE);
    return MIN_OF(space_size(&heap.old) + young, heap.max);
}

// Where what lives is more than heap.max, as it was made in the reserve, that is smaller.
static Sizes sizes_choose(size_t live, size_t need)
{
    size_t page = os_page_size(), goal = heap.young_goal;
    size_t free = size_beyond(heap.max, live);
    if (need > free)
        need = 0;
    size_t spare = free - need;
    size_t target = MAX_OF(heap.initial, MAX_OF(live + live / 3 * 2, live + need + 2 * goal));
    target = MIN_OF(target, heap.max);
    size_t least = MIN_OF(spare, MIN_OF(goal, MAX_OF(heap.max / 64, (size_t)YOUNG_MIN)));
    size_t young = goal;
    while (young > spare / 2 && young > least)
        young /= 2;
    young = MAX_OF(young, least) / page * page;
    size_t old = MAX_OF(live + need, target > young ? target - young : 0);
    old = ALIGN_UP(MAX_OF(live, MIN_OF(old, heap.max - young)), page);
    return (Sizes){old, MIN_OF(young + HEAP_RESERVE, heap.max + HEAP_RESERVE - old)};
}

// False: the system refuses.
static bool commit_range(char *from, char *to)
{
    return from >= to || os_commit(from, (size_t)(to - from));
}

static void decommit_range(char *from, char *to)
{
    if (from < to)
        os_decommit(from, (size_t)(to - from));
}

// Changes what is committed from [start, old.end) and [eden.start, limit) to [start, *a) and [*b,
// limit). Where the system refuses to commit more, that border stays where it is: *a, *b are lowered, raised.
static void bounds_commit(char **a, char **b)
{
    char *old_end = heap.old.end, *young = heap.eden.start;
    if (!commit_range(old_end, MIN_OF(*a, young)))
        *a = old_end;
    if (!commit_range(MAX_OF(*b, old_end), young))
        *b = young;
    decommit_range(*a, MIN_OF(old_end, *b));
    decommit_range(MAX_OF(young, *a), *b);
    if (*b > young)
        cards_clear(young, *b);
}

bool spaces_commit_old(size_t more)
{
    size_t room = (size_t)(heap.old.end - heap.old.top);
    if (more <= room || heap.old.end >= heap.eden.start)
        return true;
    char *end = heap.old.end + ALIGN_UP(more - room, os_page_size());
    end = MIN_OF(end, heap.eden.start);
    if (!commit_range(heap.old.end, end))
        return false;
    heap.old.end = end;
    return true;
}

void spaces_set_old_end(char *end)
{
    end = (char *)ALIGN_UP((uintptr_t)end, os_page_size());
    heap.old.end = MAX_OF(heap.old.end, end);
}

static void space_place(Space *s, char *start, char *end)
{
    s->start = s->top = s->touched = start;
    s->end = end;
}

static void young_place(char *start)
{
    size_t page = os_page_size(), young = (size_t)(heap.limit - start);
    size_t survivor = size_beyond(young, HEAP_RESERVE) / 8 / page * page;
    char *s0 = heap.limit - 2 * survivor, *s1 = heap.limit - survivor;
    space_place(&heap.eden, start, s0);
    space_place(&heap.from, s0, s1);
    space_place(&heap.to, s1, heap.limit);
}

static void tlab_size_choose(void)
{
    size_t size = eden_size() / 64;
    heap.tlab_size = MIN_OF(MAX_OF(size, (size_t)TLAB_MIN), (size_t)TLAB_MAX) / 8 * 8;
}

static void discard_range(char *from, char *to)
{
    if (from < to)
        os_discard(from, (size_t)(to - from));
}

// The border stays: gives back or poisons what lies unused above old.top, but for a reserve:
// touching pages anew is dearer than clearing them.
static void old_tail_clean(void)
{
    Space *old = &heap.old;
    if (heap.stress) {
        memset(old->top, 0xAB, (size_t)(old->touched - old->top));
        return;
    }
    size_t used = space_used(old), keep = used + MAX_OF(used / 2, (size_t)RESERVE_MIN);
    size_t touched = (size_t)(old->touched - old->start);
    if (touched <= keep)
        return;
    char *from = (char *)ALIGN_UP((uintptr_t)(old->start + keep), os_page_size());
    discard_range(from, (char *)ALIGN_UP((uintptr_t)old->touched, os_page_size()));
    old->touched = MIN_OF(from, old->touched);
}

// The border moves: everything above the live pages becomes zero, be it old, young or neither
// from now on.
static void border_move(char **a, char **b)
{
    char *live = (char *)ALIGN_UP((uintptr_t)heap.old.top, os_page_size());
    discard_range(live, heap.old.end);
    discard_range(MAX_OF(heap.eden.start, live), heap.limit);
    bounds_commit(a, b);
    young_place(*b);
    heap.old.touched = live;
}

void spaces_resize(size_t need)
{
    VM_ASSERT(space_used(&heap.eden) == 0 && space_used(&heap.from) == 0);
    size_t live = ALIGN_UP(space_used(&heap.old), os_page_size());
    Sizes s = sizes_choose(live, ALIGN_UP(need, os_page_size()));
    char *a = heap.old.start + s.old, *b = heap.limit - s.young;
    heap.old.touched = MAX_OF(heap.old.touched, heap.old.top);
    if (b != heap.eden.start || heap.old.end > heap.eden.start) {
        border_move(&a, &b);
    } else {
        old_tail_clean();
        bounds_commit(&a, &b);
    }
    heap.old.end = a;
    heap.old.touched = MIN_OF(heap.old.touched, a);
    tlab_size_choose();
}

void spaces_grow_eden(void)
{
    size_t page = os_page_size();
    size_t young = size_beyond((size_t)(heap.limit - heap.eden.start), HEAP_RESERVE);
    if (heap.young_option || heap.stress)
        return;
    heap.young_goal = MAX_OF(heap.young_goal, MIN_OF(heap.young_goal * 2, heap.max / 3));
    size_t room = (size_t)(heap.old.end - heap.old.top),
           gap = (size_t)(heap.eden.start - heap.old.end);
    if (heap.young_goal <= young || room <= young)
        return;
    size_t extra = MIN_OF(MIN_OF(heap.young_goal - young, gap), room - young) / page * page;
    if (extra < (size_t)1 << 20)
        return;
    if (!commit_range(heap.eden.start - extra, heap.eden.start))
        return;
    heap.eden.start -= extra;
    heap.eden.top = heap.eden.start;
    tlab_size_choose();
}

bool spaces_grow_old(size_t need)
{
    ASSERT_HELD(&heap.lock);
    size_t room = (size_t)(heap.old.end - heap.old.top),
           gap = heap.eden.start > heap.old.end ? (size_t)(heap.eden.start - heap.old.end) : 0;
    if (need <= room)
        return true;
    size_t extra = ALIGN_UP(MAX_OF(need - room, (size_t)GROW_STEP), os_page_size());
    extra = MIN_OF(extra, gap);
    if (need - room > extra || !os_commit(heap.old.end, extra))
        return false;
    heap.old.end += extra;
    return true;
}

char *space_bump(Space *s, size_t size, size_t *zero)
{
    char *p = s->top;
    if ((size_t)(s->end - p) < size)
        return NULL;
    s->top = p + size;
    *zero = p < s->touched ? MIN_OF(size, (size_t)(s->touched - p)) : 0;
    s->touched = MAX_OF(s->touched, s->top);
    return p;
}

static HeapRange range_of(const Space *s)
{
    uintptr_t start = ALIGN_UP((uintptr_t)s->start, (uintptr_t)OS_LARGE_PAGE);
    uintptr_t end = (uintptr_t)s->touched / OS_LARGE_PAGE * OS_LARGE_PAGE;
    return (HeapRange){(char *)start, end > start ? end - start : 0}; // NOLINT: an address
}

void heap_ranges(HeapRange out[HEAP_RANGES])
{
    const Space *spaces[HEAP_RANGES] = {&heap.old, &heap.eden, &heap.from, &heap.to};
    mutex_lock(&heap.lock);
    for (size_t i = 0; i < HEAP_RANGES; i++)
        out[i] = range_of(spaces[i]);
    mutex_unlock(&heap.lock);
}

bool heap_contains(const void *p)
{
    const char *c = p;
    return (c >= heap.old.start && c < heap.old.top)
           || (c >= heap.eden.start && c < heap.limit);
}
