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
static ClassLoaderData *all_data;

void loader_data_add(ClassLoaderData *data)
{
    mutex_lock(&loader_data_lock);
    data->next = all_data;
    all_data = data;
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

static Object **slot_new(LoaderDataSlots *in)
{
    if (in->free) {
        Object **slot = (Object **)(in->free & ~(uintptr_t)1);
        in->free = (uintptr_t)*slot == FREE_END ? 0 : (uintptr_t)*slot;
        return slot;
    }
    if (!in->blocks || in->blocks->used == in->blocks->size)
        in->blocks = block_new(in->blocks);
    return &in->blocks->slots[in->blocks->used++];
}

jobject loader_data_ref_of(ClassLoaderData *data, LoaderDataOwner owner, Object *o)
{
    if (!o)
        return NULL;
    mutex_lock(&loader_data_lock);
    Object **slot = slot_new(&data->slots[owner]);
    *slot = o;
    mutex_unlock(&loader_data_lock);
    return (jobject)((uintptr_t)slot | HANDLE_GLOBAL);
}

void loader_data_unref_of(ClassLoaderData *data, LoaderDataOwner owner, jobject ref)
{
    if (!ref)
        return;
    Object **slot = handle_slot(ref);
    LoaderDataSlots *in = &data->slots[owner];
    mutex_lock(&loader_data_lock);
    *slot = (Object *)(in->free ? in->free : FREE_END);
    in->free = (uintptr_t)slot | 1;
    mutex_unlock(&loader_data_lock);
}

void loader_data_pin(ClassLoaderData *data)
{
    mutex_lock(&loader_data_lock);
    data->pins++;
    mutex_unlock(&loader_data_lock);
}

void loader_data_unpin(ClassLoaderData *data)
{
    mutex_lock(&loader_data_lock);
    VM_CHECK(data->pins > 0);
    data->pins--;
    mutex_unlock(&loader_data_lock);
}

void loader_data_free_refs(ClassLoaderData *data)
{
    for (size_t i = 0; i < OWNER_COUNT; i++) {
        for (LoaderDataRefs *b = data->slots[i].blocks, *next; b; b = next) {
            next = b->next;
            vm_free(b);
        }
        data->slots[i] = (LoaderDataSlots){0};
    }
}

void loader_data_visit(ClassLoaderData *data, RefVisitor visit, void *ctx)
{
    for (size_t i = 0; i < OWNER_COUNT; i++)
        loader_data_visit_of(data, (LoaderDataOwner)i, visit, ctx);
}

void loader_data_visit_of(ClassLoaderData *data, LoaderDataOwner owner, RefVisitor visit,
                          void *ctx)
{
    for (LoaderDataRefs *b = data->slots[owner].blocks; b; b = b->next)
        for (uint32_t i = 0; i < b->used; i++)
            if (!slot_is_free(&b->slots[i]))
                visit(ctx, &b->slots[i]);
}

void loader_data_visit_all(RefVisitor visit, void *ctx)
{
    NO_GC_SCOPE();
    for (ClassLoaderData *data = all_data; data; data = data->next)
        loader_data_visit(data, visit, ctx);
}

void loader_data_each_root(bool all, void (*reach)(ClassLoaderData *data))
{
    for (ClassLoaderData *data = all_data; data; data = data->next)
        if (all || data->immortal || data->pins)
            reach(data);
}

bool loader_data_sweep(uint32_t epoch)
{
    bool any = false;
    for (ClassLoaderData **at = &all_data; *at;) {
        ClassLoaderData *data = *at;
        if (data->epoch == epoch) {
            at = &data->next;
            continue;
        }
        *at = data->next;
        data->dead = any = true;
    }
    return any;
}
