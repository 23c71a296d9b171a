// SPDX-License-Identifier: Apache-2.0
// Memory of Layout/Class structures: one reserved range, bump allocation; what was freed is used
// again for the same size. A compressed class pointer is the distance from class_space_base (0 where the
// space lies low, heap/placement.h) in units of 8 bytes; 0 is never a class. Guarded by space_lock (RANK_CLASS_SPACE).
#include "heap/heap_internal.h"

enum { FIRST_OFFSET = 64, COMMIT_STEP = 1 << 20 };

static Mutex space_lock = MUTEX_INIT(RANK_CLASS_SPACE);
static PlacedRange space_range;
static char *_Atomic space_top; // written under space_lock
static char *space_committed;

typedef struct FreeBlock { // the first words of a freed structure
    struct FreeBlock *next;
    size_t size;
} FreeBlock;
static FreeBlock *space_free;
static size_t space_freed; // bytes on the list

bool class_space_init(size_t max, Placement placement)
{
    size_t size = ALIGN_UP(MAX_OF(max, (size_t)COMMIT_STEP), (size_t)COMMIT_STEP);
    if (!placement_reserve_classes(placement, size, &space_range))
        return false;
    class_space_base = space_range.base;
    space_committed = (char *)space_range.start;
    space_top = space_committed + FIRST_OFFSET;
    return true;
}

PlacedRange class_space_range(void)
{
    return space_range;
}

static bool space_commit(char *to)
{
    size_t size = ALIGN_UP((size_t)(to - space_committed), (size_t)COMMIT_STEP);
    if (!os_commit(space_committed, size))
        return false;
    space_committed += size;
    return true;
}

static void *take_free(size_t size)
{
    for (FreeBlock **at = &space_free; *at; at = &(*at)->next) {
        FreeBlock *b = *at;
        if (b->size != size)
            continue;
        *at = b->next;
        space_freed -= size;
        return memset(b, 0, size);
    }
    return NULL;
}

void *class_space_alloc(size_t size)
{
    size = ALIGN_UP(size, (size_t)16);
    mutex_lock(&space_lock);
    char *p = take_free(size);
    if (p) {
        mutex_unlock(&space_lock);
        return p;
    }
    p = space_top;
    if (space_range.end - (uintptr_t)p < size
        || (p + size > space_committed && !space_commit(p + size)))
        p = NULL;
    else
        space_top = p + size;
    mutex_unlock(&space_lock);
    return p;
}

void class_space_free(void *p, size_t size)
{
    FreeBlock *b = p;
    size = ALIGN_UP(size, (size_t)16);
#if defined PELLUCID_DEBUG || defined PELLUCID_GC_STRESS
    memset(p, 0xAB, size);
#endif
    mutex_lock(&space_lock);
    *b = (FreeBlock){space_free, size};
    space_free = b;
    space_freed += size;
    mutex_unlock(&space_lock);
}

bool class_space_contains(const void *p)
{
    mutex_lock(&space_lock);
    bool inside = (uintptr_t)p > space_range.start && (const char *)p < space_top;
    mutex_unlock(&space_lock);
    return inside && (uintptr_t)p % OBJECT_ALIGN == 0;
}

bool class_space_may_hold(const void *p)
{
    const char *top = atomic_load_explicit(&space_top, memory_order_relaxed);
    return (uintptr_t)p >= space_range.start + FIRST_OFFSET && (const char *)p < top
           && (uintptr_t)p % OBJECT_ALIGN == 0;
}

size_t class_space_committed(void)
{
    mutex_lock(&space_lock);
    size_t committed = (size_t)((uintptr_t)space_committed - space_range.start);
    mutex_unlock(&space_lock);
    return committed;
}

size_t class_space_used(void)
{
    mutex_lock(&space_lock);
    size_t used = (size_t)((uintptr_t)space_top - space_range.start) - space_freed;
    mutex_unlock(&space_lock);
    return used;
}

size_t class_space_max(void)
{
    return (size_t)(space_range.end - space_range.start);
}
