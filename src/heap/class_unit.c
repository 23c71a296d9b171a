// SPDX-License-Identifier: Apache-2.0
// See class_unit.h. References stand in blocks that double in size, since most units are those of
// hidden classes and hold a few. A slot that was given back holds the next one like it, bit 0 set.
#include "heap/class_unit.h"

#include "base/alloc.h"
#include "platform/platform.h"

enum { FIRST_BLOCK = 5, LARGEST_BLOCK = 509 }; // slots; blocks of 64 bytes to 4 KB
enum { FREE_END = 1 };                         // in the last slot that was given back

typedef struct UnitRefs {
    struct UnitRefs *next;
    uint32_t used, size;
    Object *slots[];
} UnitRefs;

static Mutex unit_lock = MUTEX_INIT(RANK_GLOBAL_REFS);
static ClassUnit *units;

void unit_add(ClassUnit *u)
{
    mutex_lock(&unit_lock);
    u->next = units;
    units = u;
    mutex_unlock(&unit_lock);
}

static UnitRefs *block_new(UnitRefs *before)
{
    uint32_t size =
        before ? MIN_OF(before->size * 2 + 3, (uint32_t)LARGEST_BLOCK) : FIRST_BLOCK;
    UnitRefs *b = vm_malloc(sizeof *b + size * sizeof *b->slots);
    b->next = before;
    b->used = 0;
    b->size = size;
    return b;
}

static bool slot_is_free(Object *const *slot)
{
    return ((uintptr_t)*slot & 1) != 0;
}

static Object **slot_new(ClassUnit *u)
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

jobject unit_ref(ClassUnit *u, Object *o)
{
    if (!o)
        return NULL;
    mutex_lock(&unit_lock);
    Object **slot = slot_new(u);
    *slot = o;
    mutex_unlock(&unit_lock);
    return (jobject)((uintptr_t)slot | HANDLE_GLOBAL);
}

void unit_unref(ClassUnit *u, jobject ref)
{
    if (!ref)
        return;
    Object **slot = handle_slot(ref);
    mutex_lock(&unit_lock);
    *slot = (Object *)(u->free ? u->free : FREE_END);
    u->free = (uintptr_t)slot | 1;
    mutex_unlock(&unit_lock);
}

void unit_pin(ClassUnit *u)
{
    mutex_lock(&unit_lock);
    u->pins++;
    mutex_unlock(&unit_lock);
}

void unit_unpin(ClassUnit *u)
{
    mutex_lock(&unit_lock);
    VM_CHECK(u->pins > 0);
    u->pins--;
    mutex_unlock(&unit_lock);
}

void unit_free_refs(ClassUnit *u)
{
    for (UnitRefs *b = u->refs, *next; b; b = next) {
        next = b->next;
        vm_free(b);
    }
    u->refs = NULL;
    u->free = 0;
}

void unit_visit(ClassUnit *u, RefVisitor visit, void *ctx)
{
    for (UnitRefs *b = u->refs; b; b = b->next)
        for (uint32_t i = 0; i < b->used; i++)
            if (!slot_is_free(&b->slots[i]))
                visit(ctx, &b->slots[i]);
}

void units_visit(RefVisitor visit, void *ctx)
{
    NO_GC_SCOPE();
    for (ClassUnit *u = units; u; u = u->next)
        unit_visit(u, visit, ctx);
}

void units_each_root(bool all, void (*reach)(ClassUnit *u))
{
    for (ClassUnit *u = units; u; u = u->next)
        if (all || u->immortal || u->pins)
            reach(u);
}

bool units_sweep(uint32_t epoch)
{
    bool any = false;
    for (ClassUnit **at = &units; *at;) {
        ClassUnit *u = *at;
        if (u->epoch == epoch) {
            at = &u->next;
            continue;
        }
        *at = u->next;
        u->dead = any = true;
    }
    return any;
}
