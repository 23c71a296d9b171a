// SPDX-License-Identifier: Apache-2.0
// Class loader data: classes that live and die together, and the references that their metadata hold.
// Class loader data belong to a class loader, or to one weak hidden class. They live while that loader, the
// mirror of a class of it, an instance of one, or a frame that runs a method of one is strongly
// reachable; a full collection finds that while it marks. All references of living ones are
// roots; those of a dead one are not. A young collection takes all as living.
// loader_data_lock (RANK_GLOBAL_REFS) guards the list of class loader data and their blocks of references.
#ifndef HEAP_CLASS_LOADER_DATA_H
#define HEAP_CLASS_LOADER_DATA_H

#include "heap/handle.h"

// Whose references they are.
typedef enum LoaderDataOwner {
    OWNER_METADATA,
    OWNER_CODE, // constants of compiled code, which fields hold, too: tools are told of those
    OWNER_COUNT,
} LoaderDataOwner;

typedef struct LoaderDataSlots {
    struct LoaderDataRefs *blocks; // newest first
    uintptr_t free;                // address of a slot that was given back | 1; 0: none
} LoaderDataSlots;

typedef struct ClassLoaderData {
    struct ClassLoaderData *next;
    LoaderDataSlots slots[OWNER_COUNT];
    uint32_t epoch; // number of the last full collection that reached them
    uint32_t pins;  // holders that the collector cannot see
    bool immortal;
    bool dead; // found unreachable; the world above is to free it
} ClassLoaderData;

// Enters class loader data, all zero but for `immortal`, in the list. They leave it when they are found dead.
void loader_data_add(ClassLoaderData *u);
// A global handle (low bits 10) of the object that lives as long as the class loader data. NULL for NULL.
// Never collects.
jobject loader_data_ref_of(ClassLoaderData *u, LoaderDataOwner owner, Object *o);
static inline jobject loader_data_ref(ClassLoaderData *u, Object *o)
{
    return loader_data_ref_of(u, OWNER_METADATA, o);
}
// Gives back a handle of loader_data_ref_of before they die; nothing for NULL.
void loader_data_unref_of(ClassLoaderData *u, LoaderDataOwner owner, jobject ref);
static inline void loader_data_unref(ClassLoaderData *u, jobject ref)
{
    loader_data_unref_of(u, OWNER_METADATA, ref);
}
// Pinned class loader data live whatever the references say: while a class of it is being made. Never
// collect.
void loader_data_pin(ClassLoaderData *u);
void loader_data_unpin(ClassLoaderData *u);
// Gives back the blocks of dead class loader data; the handles are gone.
void loader_data_free_refs(ClassLoaderData *u);
// Each reference of the class loader data, or those of one owner. World stopped.
void loader_data_visit(ClassLoaderData *u, RefVisitor visit, void *ctx);
void loader_data_visit_of(ClassLoaderData *u, LoaderDataOwner owner, RefVisitor visit,
                          void *ctx);
// Each reference of all class loader data that are not dead. World stopped.
void loader_data_visit_all(RefVisitor visit, void *ctx);

// ---- for the full collection ----
// Calls reach for all class loader data that live by themselves: immortal or pinned; `all`: for each.
void loader_data_each_root(bool all, void (*reach)(ClassLoaderData *u));
// Takes the class loader data that collection `epoch` has not reached off the list and marks them dead.
// Whether there were any.
bool loader_data_sweep(uint32_t epoch);

#endif
