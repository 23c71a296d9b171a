// SPDX-License-Identifier: Apache-2.0
// Sizes, identity hashes, and the accesses to reference fields that are more than a load or a
// store.
#include "heap/object.h"

#include "heap/heap_internal.h"

uintptr_t heap_base;
uintptr_t heap_start;
uintptr_t class_space_base;
uint32_t mirror_layout_offset;
uint32_t loader_data_offset;
uintptr_t card_base;

bool object_is_valid(const Object *o)
{
    if ((uintptr_t)o % OBJECT_ALIGN != 0 || !heap_contains(o))
        return false;
    const Layout *l = object_layout(o);
    return class_space_may_hold(l) && l->shape <= SHAPE_PRIM_ARRAY;
}

Object *object_get_ref_volatile(const Object *o, size_t offset)
{
    return narrow_decode(__atomic_load_n((Narrow *)object_at(o, offset), __ATOMIC_SEQ_CST));
}

void object_set_ref_volatile(Object *o, size_t offset, const Object *v)
{
    __atomic_store_n((Narrow *)object_at(o, offset), narrow_encode(v), __ATOMIC_SEQ_CST);
    heap_barrier(object_at(o, offset));
}

bool object_cas_ref(Object *o, size_t offset, const Object *expected, const Object *v,
                    Object **witness)
{
    Narrow seen = narrow_encode(expected);
    bool done =
        __atomic_compare_exchange_n((Narrow *)object_at(o, offset), &seen, narrow_encode(v),
                                    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (done)
        heap_barrier(object_at(o, offset));
    if (witness)
        *witness = narrow_decode(seen);
    return done;
}

// Elements are copied whole: another thread may read the array meanwhile.
static void copy_narrows(Narrow *to, const Narrow *from, size_t count)
{
    if (to <= from || to >= from + count) {
        for (size_t i = 0; i < count; i++)
            __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED),
                             __ATOMIC_RELAXED);
        return;
    }
    for (size_t i = count; i-- > 0;)
        __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

void array_copy_refs(Object *src, int32_t src_pos, Object *dst, int32_t dst_pos, int32_t count)
{
    NO_GC_SCOPE();
    VM_ASSERT(src_pos >= 0 && dst_pos >= 0 && src_pos <= array_length(src) - count
              && dst_pos <= array_length(dst) - count);
    if (count <= 0)
        return;
    Narrow *to = (Narrow *)array_data(dst) + dst_pos;
    copy_narrows(to, (Narrow *)array_data(src) + src_pos, (size_t)count);
    cards_set(to, to + count, CARD_DIRTY);
}

size_t object_size_special(const Object *o)
{
    return object_size_as(o, object_layout(o));
}

// Never 0. Each thread takes numbers by the block.
static uint32_t next_hash(void)
{
    enum { BLOCK = 256 };
    static _Atomic uint32_t blocks;
    static _Thread_local uint32_t number = 0;
    if (UNLIKELY(number % BLOCK == 0))
        number = atomic_fetch_add(&blocks, BLOCK);
    uint32_t hash = ++number * (uint32_t)HASH_FACTOR & 0x7FFFFFFFu;
    return hash ? hash : next_hash();
}

uint32_t object_identity_hash(Object *o)
{
    NO_GC_SCOPE();
    ASSERT_OBJECT(o);
    uint64_t mark = atomic_load_explicit(&o->mark, memory_order_acquire);
    if (LIKELY(MARK_HASH(mark) != 0))
        return MARK_HASH(mark);
    uint64_t hash = next_hash();
    while (MARK_HASH(mark) == 0) {
        if (atomic_compare_exchange_weak(&o->mark, &mark, mark | hash << MARK_HASH_SHIFT))
            return (uint32_t)hash;
    }
    return MARK_HASH(mark);
}
