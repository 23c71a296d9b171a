// SPDX-License-Identifier: Apache-2.0
// See class_loader_data.h. References stand in blocks that double in size, since most are those of
// hidden classes and hold a few. A slot that was given back holds the next one like it, bit 0 set.
#include "heap/class_loader_data.h"

#include "base/alloc.h"
#include "platform/platform.h"

enum { FIRST_BLOCK = 5, LARGEST_BLOCK = 509 }; // slots; blocks of 64 bytes to 4 KB
enum { FREE_END = 1 };                         // in the last slot that was given back

typedef struct LoaderDataRefs {
    struct LoaderDataRefs *next;
    uint32_t used, size;
    Object *slots[];
} LoaderDataRefs;

static Mutex loader_data_lock = MUTEX_INIT(RANK_GLOBAL_REFS);
static ClassLoaderData *units;

void loader_data_add(ClassLoaderData *u)
{
    mutex_lock(&loader_data_lock);
    u->next = units;
    units = u;
    mutex_unlock(&loader_data_lock);
}

static LoaderDataRefs *block_new(LoaderDataRefs *before)
{
    uint32_t size =
        before ? MIN_OF(before->size * 2 + 3, (uint32_t)LARGEST_BLOCK) : FIRST_BLOCK;
    LoaderDataRefs *b = vm_malloc(sizeof *b + size * sizeof *b->slots);
    b->next = before;
    b->used = 0;
    b->size = size;
    return b;
}

static bool slot_is_free(Object *const *slot)
{
    return ((uintptr_t)*slot & 1) != 0;
}

static Object **slot_new(ClassLoaderData *u)
{
    if (u->free) {
        Object **slot = (Object **)(u->free & ~(uintptr_t)1);
        u->free = (uintptr_t)*slot == FREE_END ? 0 : (uintptr_t)*slot;
        return slot;
    }
    if (!u->refs || u->refs->used == u->refs->size)
        u->refs = block_new(u->refs);
    return &u->refs->slots[u->refs->used++];
}

jobject loader_data_ref(ClassLoaderData *u, Object *o)
{
    if (!o)
        return NULL;
    mutex_lock(&loader_data_lock);
    Object **slot = slot_new(u);
    *slot = o;
    mutex_unlock(&loader_data_lock);
    return (jobject)((uintptr_t)slot | HANDLE_GLOBAL);
}

void loader_data_unref(ClassLoaderData *u, jobject ref)
{
    if (!ref)
        return;
    Object **slot = handle_slot(ref);
    mutex_lock(&loader_data_lock);
    *slot = (Object *)(u->free ? u->free : FREE_END);
    u->free = (uintptr_t)slot | 1;
    mutex_unlock(&loader_data_lock);
}

void loader_data_pin(ClassLoaderData *u)
{
    mutex_lock(&loader_data_lock);
    u->pins++;
    mutex_unlock(&loader_data_lock);
}

void loader_data_unpin(ClassLoaderData *u)
{
    mutex_lock(&loader_data_lock);
    VM_CHECK(u->pins > 0);
    u->pins--;
    mutex_unlock(&loader_data_lock);
}

void loader_data_free_refs(ClassLoaderData *u)
{
    for (LoaderDataRefs *b = u->refs, *next; b; b = next) {
        next = b->next;
        vm_free(b);
    }
    u->refs = NULL;
    u->free = 0;
}

void loader_data_visit(ClassLoaderData *u, RefVisitor visit, void *ctx)
{
    for (LoaderDataRefs *b = u->refs; b; b = b->next)
        for (uint32_t i = 0; i < b->used; i++)
            if (!slot_is_free(&b->slots[i]))
                visit(ctx, &b->slots[i]);
}

void loader_data_visit_all(RefVisitor visit, void *ctx)
{
    NO_GC_SCOPE();
    for (ClassLoaderData *u = units; u; u = u->next)
        loader_data_visit(u, visit, ctx);
}

void loader_data_each_root(bool all, void (*reach)(ClassLoaderData *u))
{
    for (ClassLoaderData *u = units; u; u = u->next)
        if (all || u->immortal || u->pins)
            reach(u);
}

bool loader_data_sweep(uint32_t epoch)
{
    bool any = false;
    for (ClassLoaderData **at = &units; *at;) {
        ClassLoaderData *u = *at;
        if (u->epoch == epoch) {
            at = &u->next;
            continue;
        }
        *at = u->next;
        u->dead = any = true;
    }
    return any;
}
