// SPDX-License-Identifier: Apache-2.0
// See placement.h. Next to nothing is taken below 2 GiB: there a program that is not position-independent has its brk area
// above itself, and MAP_32BIT looks for room. The table of cards lies there, a 512th of the heap, as does the code cache. The class space
// lies between 2 and 4 GiB, the heap above.
#include "heap/placement.h"

#include "platform/platform.h"

#define MIB ((uintptr_t)1 << 20)
#define GIB ((uintptr_t)1 << 30)

// Where a range may lie, and how far the places that are tried lie apart.
typedef struct Zone {
    uintptr_t low, high, step;
} Zone;
static const Zone heap_zone = {4 * GIB, 32 * GIB - MIB,
                               2 * GIB}; // 32 GiB itself would overflow a Narrow
static const Zone card_zone = {GIB, 2 * GIB - GIB / 4, GIB / 16};
static const Zone class_zone = {2 * GIB, 4 * GIB, GIB / 4};

static const char *const names[] = {
    [PLACEMENT_LOW] = "low", [PLACEMENT_BASED] = "based", [PLACEMENT_FAR] = "far"};

const char *placement_name(Placement p)
{
    VM_ASSERT(p < PLACEMENT_COUNT);
    return names[p];
}

bool placement_find(const char *name, Placement *out)
{
    for (Placement p = 0; p < PLACEMENT_COUNT; p++) {
        if (strcmp(names[p], name) == 0) {
            *out = p;
            return true;
        }
    }
    return false;
}

static bool reserve_anywhere(size_t size, PlacedRange *out)
{
    uintptr_t p = (uintptr_t)os_reserve(size, MIB);
    *out = (PlacedRange){p, p + size, p};
    return p != 0;
}

bool placement_reserve_heap(Placement p, size_t size, PlacedRange *out)
{
    VM_ASSERT(p < PLACEMENT_COUNT && size % os_page_size() == 0);
    const Zone *z = &heap_zone;
    for (uintptr_t at = z->low; p == PLACEMENT_LOW && at + size <= z->high; at += z->step) {
        if (os_reserve_at(at, size)) {
            *out = (PlacedRange){at, at + size, 0};
            return true;
        }
    }
    return reserve_anywhere(size, out);
}

// From the end of the zone down, so that a brk area may grow as far as can be. Where it begins; 0: there is no room.
static uintptr_t reserve_down(const Zone *z, size_t size)
{
    for (uintptr_t end = z->high; end - z->low >= size; end -= z->step)
        if (os_reserve_at(end - size, size))
            return end - size;
    return 0;
}

bool placement_reserve_classes(Placement p, size_t size, PlacedRange *out)
{
    VM_ASSERT(p < PLACEMENT_COUNT && size % MIB == 0);
    uintptr_t at = p == PLACEMENT_FAR ? 0 : reserve_down(&class_zone, size);
    if (!at)
        return reserve_anywhere(size, out);
    *out = (PlacedRange){at, at + size, 0};
    return true;
}

void *placement_reserve_cards(Placement p, size_t size)
{
    VM_ASSERT(p < PLACEMENT_COUNT && size % os_page_size() == 0);
    uintptr_t at = p == PLACEMENT_LOW ? reserve_down(&card_zone, size) : 0;
    return at ? (void *)at : os_reserve(size, os_page_size());
}
