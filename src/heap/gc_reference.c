// SPDX-License-Identifier: Apache-2.0
// Soft, weak, final and phantom references (JLS 12.6, java.lang.ref), for both kinds of collection.
//
// While the strong graph is followed, a Reference whose referent is not reached yet is put
// aside in a C list of its kind. Then: soft and weak ones with a dead referent are cleared;
// final ones with a dead referent keep it alive and become inactive (next = itself); what that
// reached is followed; phantom ones with a dead referent are cleared. All of these go to the
// pending list, linked by `discovered`, from where Java's reference handler takes them.
// `discovered` is a strong field to the collector. A Reference first reached from a finalizable
// object keeps its referent for this collection. Soft references that the policy wants to keep
// are strong: decided when they are found.
#include "base/log.h"
#include "base/vec.h"
#include "heap/heap_internal.h"

typedef VEC(Object *) RefList;

ReferenceOffsets reference_offsets;
static RefList lists[REFERENCE_PHANTOM + 1];
static bool discovering, clear_all_soft, pended_now;
static int64_t soft_clock, soft_limit_ms;
static _Atomic(Object *) pending;
static size_t pended_count;

void heap_set_reference_offsets(const ReferenceOffsets *offsets)
{
    reference_offsets = *offsets;
    references_end();
}

static Object *clock_mirror(void)
{
    Object **slot = reference_offsets.soft_clock_mirror;
    return slot && reference_offsets.soft_clock ? *slot : NULL;
}

void references_begin(bool clear_soft)
{
    ASSERT_COLLECTING();
    Object *mirror = clock_mirror();
    size_t free_mb = (heap.max - MIN_OF(heap.max, heap.used_after_gc)) >> 20;
    soft_clock = mirror ? object_get_long(mirror, reference_offsets.soft_clock) : 0;
    soft_limit_ms = (int64_t)free_mb * heap.soft_ms_per_mb;
    clear_all_soft = clear_soft;
    discovering = true;
    pended_now = false;
    pended_count = 0;
}

void references_end(void)
{
    Object *mirror = clock_mirror();
    if (mirror)
        object_set_long(mirror, reference_offsets.soft_clock, os_nanos() / 1000000);
}

static bool soft_is_kept(Object *ref)
{
    if (clear_all_soft || !reference_offsets.soft_timestamp)
        return false;
    return soft_clock - object_get_long(ref, reference_offsets.soft_timestamp) <= soft_limit_ms;
}

bool reference_discover(Object *ref, const Layout *l)
{
    VM_ASSERT(l->shape == SHAPE_REFERENCE);
    if (!discovering || l->reference_kind == REFERENCE_NONE)
        return false;
    if (l->reference_kind == REFERENCE_SOFT && soft_is_kept(ref))
        return false;
    if (l->reference_kind == REFERENCE_FINAL
        && object_get_narrow(ref, reference_offsets.next) != 0)
        return false;
    vec_push(&lists[l->reference_kind], ref);
    return true;
}

static void pend(Object *ref)
{
    object_set_ref(ref, reference_offsets.discovered, atomic_load(&pending));
    atomic_store(&pending, ref);
    pended_now = true;
    pended_count++;
}

// Soft, weak, phantom: dead referents are cleared, the others get their new place.
static void clear_dead(RefList *list, const ReferenceOps *ops)
{
    for (size_t i = 0; i < list->len; i++) {
        Object *ref = list->at[i];
        Narrow *slot = object_at(ref, reference_offsets.referent);
        if (ops->is_alive(narrow_decode(*slot))) {
            ops->keep(ref, slot);
            continue;
        }
        *slot = 0;
        pend(ref);
    }
    list->len = 0;
}

// First decides for all, since keeping one may reach the referents of others.
static void finalize_dead(RefList *list, const ReferenceOps *ops)
{
    size_t dead = 0;
    for (size_t i = 0; i < list->len; i++) {
        Object *ref = list->at[i];
        Narrow *slot = object_at(ref, reference_offsets.referent);
        if (ops->is_alive(narrow_decode(*slot)))
            ops->keep(ref, slot);
        else
            list->at[dead++] = ref;
    }
    for (size_t i = 0; i < dead; i++) {
        Object *ref = list->at[i];
        ops->keep(ref, object_at(ref, reference_offsets.referent));
        object_set_ref(ref, reference_offsets.next, ref);
        pend(ref);
    }
    list->len = 0;
}

void references_process(const ReferenceOps *ops)
{
    ASSERT_COLLECTING();
    discovering = false;
    clear_dead(&lists[REFERENCE_SOFT], ops);
    clear_dead(&lists[REFERENCE_WEAK], ops);
    finalize_dead(&lists[REFERENCE_FINAL], ops);
    ops->drain();
    clear_dead(&lists[REFERENCE_PHANTOM], ops);
    LOG(LOG_GC_REF, LOG_DEBUG, "Pending references: %zu", pended_count);
}

bool references_take_news(void)
{
    bool news = pended_now;
    pended_now = false;
    return news;
}

void references_visit_pending(RefVisitor visit)
{
    Object *head = atomic_load(&pending);
    if (!head)
        return;
    visit(NULL, &head);
    atomic_store(&pending, head);
}

Object *heap_take_pending(void)
{
    NO_GC_SCOPE();
    return atomic_exchange(&pending, NULL);
}

bool heap_has_pending(void)
{
    return atomic_load(&pending) != NULL;
}
