// SPDX-License-Identifier: Apache-2.0
// Where the heap and the class space lie in the address space (docs/GC.md, "Where memory lies").
//
// A heap that ends below 32 GiB needs no base: a narrow reference, shifted, is the address. A class space that ends
// below 4 GiB needs none either, and the address of a class is a 32-bit constant. Where these addresses are in use
// or refused, the system chooses and the base is the start of the range.
#ifndef HEAP_PLACEMENT_H
#define HEAP_PLACEMENT_H

#include "base/common.h"

// -XX:JitLayout: what is placed low, if there is room.
typedef enum Placement {
    PLACEMENT_LOW,   // heap and class space
    PLACEMENT_BASED, // class space alone
    PLACEMENT_FAR,   // neither
    PLACEMENT_COUNT
} Placement;

// The name of a placement, as the flag has it; a placement by name. False: there is none of that name.
const char *placement_name(Placement p);
NODISCARD bool placement_find(const char *name, Placement *out);

// Reserved addresses; `base` is what compressed pointers into them count from, 0 where the range is low.
typedef struct PlacedRange {
    uintptr_t start, end, base;
} PlacedRange;

// Reserves `size` bytes, a multiple of the page size. The range begins at a multiple of 1 MiB. False: there is no
// room anywhere. At the start, by one thread.
NODISCARD bool placement_reserve_heap(Placement p, size_t size, PlacedRange *out);
NODISCARD bool placement_reserve_classes(Placement p, size_t size, PlacedRange *out);
// The table of cards, where compiled code names them by 32 bits; NULL: there is no room anywhere.
NODISCARD void *placement_reserve_cards(Placement p, size_t size);

#endif
