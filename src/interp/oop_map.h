// SPDX-License-Identifier: Apache-2.0
// What each slot of an interpreted frame holds where the frame stands.
#ifndef INTERP_OOP_MAP_H
#define INTERP_OOP_MAP_H

#include "interp/interp.h"

typedef struct OopMap {
    const uint8_t *kinds;   // SlotKind: the locals, then the operands from the bottom
    uint32_t locals, depth; // how many of each, in slots
} OopMap;

// The map of the place where an interpreted frame stands; good as long as its method. The frame's
// thread is in a safe state or self. NO_GC.
OopMap oop_map_of(const Frame *f);
static inline bool oop_map_is_ref(const OopMap *map, uint32_t slot)
{
    return map->kinds[slot] == SLOT_REF;
}

#endif
