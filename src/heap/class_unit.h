// SPDX-License-Identifier: Apache-2.0
// Class units: classes that live and die together, and the references that their metadata hold.
// A unit belongs to a class loader, or to one weak hidden class. It lives while its loader, the
// mirror of a class of it, an instance of one, or a frame that runs a method of one is strongly
// reachable; a full collection finds that while it marks. All references of a living unit are
// roots; those of a dead one are not. A young collection takes every unit as living.
// unit_lock (RANK_GLOBAL_REFS) guards the list of units and their blocks of references.
#ifndef HEAP_CLASS_UNIT_H
#define HEAP_CLASS_UNIT_H

#include "heap/handle.h"

typedef struct ClassUnit {
    struct ClassUnit *next;
    struct UnitRefs *refs; // blocks of references, newest first
    uintptr_t free;        // address of a slot that was given back | 1; 0: none
    uint32_t epoch;        // number of the last full collection that reached the unit
    uint32_t pins;         // holders that the collector cannot see
    bool immortal;
    bool dead; // found unreachable; the world above is to free it
} ClassUnit;

// Enters a unit, all zero but for `immortal`, in the list. It leaves it when it is found dead.
void unit_add(ClassUnit *u);
// A global handle (low bits 10) of the object that lives as long as the unit. NULL for NULL.
// Never collects.
jobject unit_ref(ClassUnit *u, Object *o);
// Gives back a handle of unit_ref before its unit dies; nothing for NULL.
void unit_unref(ClassUnit *u, jobject ref);
// A pinned unit lives whatever the references say: while a class of it is being made. Never
// collect.
void unit_pin(ClassUnit *u);
void unit_unpin(ClassUnit *u);
// Gives back the blocks of a dead unit; the handles are gone.
void unit_free_refs(ClassUnit *u);
// Each reference of the unit. World stopped.
void unit_visit(ClassUnit *u, RefVisitor visit, void *ctx);
// Each reference of each unit that is not dead. World stopped.
void units_visit(RefVisitor visit, void *ctx);

// ---- for the full collection ----
// Calls reach for each unit that lives by itself: immortal or pinned; `all`: for each.
void units_each_root(bool all, void (*reach)(ClassUnit *u));
// Takes the units that collection `epoch` has not reached off the list and marks them dead.
// Whether there were any.
bool units_sweep(uint32_t epoch);

#endif
