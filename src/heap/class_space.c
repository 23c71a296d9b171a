// SPDX-License-Identifier: Apache-2.0
// Memory of Layout/Class structures: one reserved range, bump allocation, nothing is freed. A
// compressed class pointer is the distance from class_space_base in units of 8 bytes; 0 is
// never a class. Guarded by space_lock (RANK_CLASS_SPACE).
#include "heap/heap_internal.h"

enum { FIRST_OFFSET = 64, COMMIT_STEP = 1 << 20 };

static Mutex space_lock = MUTEX_INIT(RANK_CLASS_SPACE);
static char *space_top, *space_committed, *space_end;

bool class_space_init(size_t max)
{
    size_t size = ALIGN_UP(MAX_OF(max, (size_t)COMMIT_STEP), (size_t)COMMIT_STEP);
    char *p = os_reserve(size, COMMIT_STEP);
    if (!p)
        return false;
    class_space_base = (uintptr_t)p;
    space_top = p + FIRST_OFFSET;
    space_committed = p;
    space_end = p + size;
    return true;
}

static bool space_commit(char *to)
{
    size_t size = ALIGN_UP((size_t)(to - space_committed), (size_t)COMMIT_STEP);
    if (!os_commit(space_committed, size))
        return false;
    space_committed += size;
    return true;
}

void *class_space_alloc(size_t size)
{
    size = ALIGN_UP(size, (size_t)16);
    mutex_lock(&space_lock);
    char *p = space_top;
    if ((size_t)(space_end - p) < size
        || (p + size > space_committed && !space_commit(p + size)))
        p = NULL;
    else
        space_top = p + size;
    mutex_unlock(&space_lock);
    return p;
}

size_t class_space_used(void)
{
    mutex_lock(&space_lock);
    size_t used = (size_t)((uintptr_t)space_top - class_space_base);
    mutex_unlock(&space_lock);
    return used;
}
