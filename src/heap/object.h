// SPDX-License-Identifier: Apache-2.0
// Object layout, references, and typed access to memory inside objects.
//
//   offset 0   mark   u8  identity hash, lock, age, tagged (below)
//   offset 8   klass  u4  compressed pointer to the class's Layout (its first member)
//   offset 12  fields ...            or, in arrays, s4 length; elements from 16
//
// Objects are 8-byte aligned. References inside the heap are 32-bit (`Narrow`): (address - heap_base) >> 3,
// 0 is null; heap_base is 0 where the heap lies low (heap/placement.h). References on Java stacks and in handles are full pointers. An `Object *` is a raw reference:
// it may not live across a call that may collect (docs/GC.md).
//
// Mark word, from bit 63 down:
//   hash:31 | lock:25 | age:4 | gc:1 | tagged:1 | state:2
//   state 0 unlocked; 1 thin: lock = owner thread id (16) << 9 | recursions (9, 0 = held once);
//         2 inflated: lock = index of the monitor; 3 forwarded (only inside a collection, the rest is the
//         new address)
// The hash is 0 until asked for and never moves to another place: monitors do not displace it.
#ifndef HEAP_OBJECT_H
#define HEAP_OBJECT_H

#include "base/common.h"

// Of plain accesses to objects: Java's memory model allows races. The tsan build does not look at them (base/tsan.c).
#ifdef __SANITIZE_THREAD__
#    define JAVA_SHARED volatile
#else
#    define JAVA_SHARED
#endif

struct Object {
    _Atomic uint64_t mark;
    uint32_t klass;
};
typedef uint32_t Narrow;

enum { OBJECT_HEADER = 12, ARRAY_LENGTH_OFFSET = 12, ARRAY_BASE = 16, OBJECT_ALIGN = 8 };

enum {
    MARK_STATE_BITS = 2,
    MARK_TAGGED_BIT = 2,
    MARK_GC_BIT = 3,
    MARK_AGE_SHIFT = 4,
    MARK_AGE_BITS = 4,
    MARK_LOCK_SHIFT = 8,
    MARK_LOCK_BITS = 25,
    MARK_HASH_SHIFT = 33,
    MARK_UNLOCKED = 0,
    MARK_THIN = 1,
    MARK_INFLATED = 2,
    MARK_FORWARDED = 3,
    THIN_OWNER_SHIFT = 9,
    THIN_RECURSION_MAX = 511
};
#define MARK_STATE(m)  ((uint32_t)(m)&3u)
#define MARK_LOCK(m)   ((uint32_t)((m) >> MARK_LOCK_SHIFT) & ((1u << MARK_LOCK_BITS) - 1))
#define MARK_HASH(m)   ((uint32_t)((m) >> MARK_HASH_SHIFT))
#define MARK_LOCK_MASK (((1ull << MARK_LOCK_BITS) - 1) << MARK_LOCK_SHIFT | 3ull)

typedef enum Shape {
    SHAPE_INSTANCE,
    SHAPE_MIRROR, // java.lang.Class: instance fields, then the statics of the class it stands for
    SHAPE_LOADER,    // java.lang.ClassLoader and subclasses: its classes live while it does
    SHAPE_REFERENCE, // java.lang.ref.Reference and subclasses
    SHAPE_REF_ARRAY,
    SHAPE_PRIM_ARRAY,
} Shape;
typedef enum ReferenceKind {
    REFERENCE_NONE,
    REFERENCE_SOFT,
    REFERENCE_WEAK,
    REFERENCE_FINAL,
    REFERENCE_PHANTOM
} ReferenceKind;

typedef struct RefSpan { // `count` Narrow references from byte `offset`
    uint32_t offset, count;
} RefSpan;

// What the heap knows of a class. First member of Class; lives in class space, never moves.
typedef struct Layout {
    uint8_t shape;          // Shape
    uint8_t elem_shift;     // arrays: log2 of the element size
    uint8_t reference_kind; // ReferenceKind
    bool has_finalizer;
    uint32_t instance_size; // bytes, multiple of 8 (not arrays)
    // reference fields of an instance, superclasses included, without referent and discovered
    uint32_t span_count;
    uint32_t epoch; // number of the last full collection that reached the class
    const RefSpan *spans;
    struct ClassLoaderData *loader_data; // what it lives and dies with; NULL: for ever
    // statics in the mirror of this class
    uint32_t
        mirror_size; // bytes of that mirror, multiple of 8; 0: same as instance_size of java.lang.Class
    uint32_t static_span_count;
    const RefSpan *static_spans;
    // While objects are migrated (HeapMigration): the sizes to come; 0: they are left alone
    uint32_t next_size, next_mirror_size;
} Layout;

extern uintptr_t heap_base;  // of compressed references
extern uintptr_t heap_start; // where the reserved range begins; heap_base, unless that is 0
extern uintptr_t class_space_base; // of compressed class pointers
extern uint32_t
    mirror_layout_offset; // where a mirror holds the Layout * of its class (0 value: primitive)
extern uint32_t
    loader_data_offset; // where a class loader holds its ClassLoaderData * (0 value: none yet)

static inline Object *narrow_decode(Narrow n)
{
    return n ? (Object *)(heap_base + ((uintptr_t)n << 3)) : NULL;
}
static inline Narrow narrow_encode(const Object *o)
{
    return o ? (Narrow)(((uintptr_t)o - heap_base) >> 3) : 0;
}
static inline Layout *object_layout(const Object *o)
{
    return (Layout *)(class_space_base + ((uintptr_t)o->klass << 3));
}
static inline uint32_t layout_encode(const Layout *l)
{
    return (uint32_t)(((uintptr_t)l - class_space_base) >> 3);
}
// The class of an object. Class begins with its Layout.
static inline Class *object_class(const Object *o)
{
    return (Class *)object_layout(o);
}
static inline void *object_at(const Object *o, size_t offset)
{
    return (char *)o + offset;
}

// Typed plain access: object_get_int(o, offset), object_set_int(o, offset, v) ...
#define OBJECT_ACCESS(name, type)                                          \
    static inline type object_get_##name(const Object *o, size_t offset)   \
    {                                                                      \
        return *(volatile type *)object_at(o, offset);                     \
    }                                                                      \
    static inline void object_set_##name(Object *o, size_t offset, type v) \
    {                                                                      \
        *(volatile type *)object_at(o, offset) = v;                        \
    }
OBJECT_ACCESS(byte, int8_t)
OBJECT_ACCESS(boolean, uint8_t)
OBJECT_ACCESS(char, uint16_t)
OBJECT_ACCESS(short, int16_t)
OBJECT_ACCESS(int, int32_t)
OBJECT_ACCESS(long, int64_t)
OBJECT_ACCESS(float, float)
OBJECT_ACCESS(double, double)
OBJECT_ACCESS(narrow, Narrow)

// The same for volatile fields: sequentially consistent (docs/MEMORY_MODEL.md).
#define VOLATILE_ACCESS(name, type)                                                   \
    static inline type object_get_##name##_volatile(const Object *o, size_t offset)   \
    {                                                                                 \
        return __atomic_load_n((type *)object_at(o, offset), __ATOMIC_SEQ_CST);       \
    }                                                                                 \
    static inline void object_set_##name##_volatile(Object *o, size_t offset, type v) \
    {                                                                                 \
        __atomic_store_n((type *)object_at(o, offset), v, __ATOMIC_SEQ_CST);          \
    }
VOLATILE_ACCESS(byte, int8_t)
VOLATILE_ACCESS(boolean, uint8_t)
VOLATILE_ACCESS(char, uint16_t)
VOLATILE_ACCESS(short, int16_t)
VOLATILE_ACCESS(int, int32_t)
VOLATILE_ACCESS(long, int64_t)

extern uintptr_t
    card_base; // biased: card_base + (address >> CARD_SHIFT) is the card of an address; it may be below 0
enum { CARD_SHIFT = 9, CARD_CLEAN = 0, CARD_DIRTY = 1 };

static inline uint8_t *heap_card(const void *address)
{
    return (uint8_t *)(card_base + ((uintptr_t)address >> CARD_SHIFT));
}
// Of all that overlap [from, to), which is not empty.
static inline void cards_set(const void *from, const void *to, uint8_t value)
{
    uint8_t *first = heap_card(from);
    memset(first, value, (size_t)(heap_card((const char *)to - 1) - first) + 1);
}
// After a reference was stored at `slot` inside the heap.
static inline void heap_barrier(void *slot)
{
    __atomic_store_n(heap_card(slot), CARD_DIRTY, __ATOMIC_RELAXED);
}
static inline Object *object_get_ref(const Object *o, size_t offset)
{
    return narrow_decode(object_get_narrow(o, offset));
}
// A release: who finds v through this reference, by whatever race, sees its header, its length and what its constructor wrote.
ALWAYS_INLINE void object_set_ref(Object *o, size_t offset, const Object *v)
{
    __atomic_store_n((Narrow *)object_at(o, offset), narrow_encode(v), __ATOMIC_RELEASE);
    heap_barrier(object_at(o, offset));
}
// Sequentially consistent forms (volatile fields, Unsafe).
Object *object_get_ref_volatile(const Object *o, size_t offset);
void object_set_ref_volatile(Object *o, size_t offset, const Object *v);
bool object_cas_ref(Object *o, size_t offset, const Object *expected, const Object *v,
                    Object **witness);

// Whether o may be the address of an object: it is aligned, inside the heap, and its header leads to a class. For
// assertions; async-signal-safe. Not within a collection, where headers may be forwarding addresses. NO_GC.
bool object_is_valid(const Object *o);
#define ASSERT_OBJECT(o)         VM_ASSERT(object_is_valid(o))
#define ASSERT_OBJECT_OR_NULL(o) VM_ASSERT(!(o) || object_is_valid(o))
#define ASSERT_INSTANCE(o) \
    VM_ASSERT(object_is_valid(o) && object_layout(o)->shape < SHAPE_REF_ARRAY)
#define ASSERT_ARRAY(o) \
    VM_ASSERT(object_is_valid(o) && object_layout(o)->shape >= SHAPE_REF_ARRAY)
#define ASSERT_REF_ARRAY(o) \
    VM_ASSERT(object_is_valid(o) && object_layout(o)->shape == SHAPE_REF_ARRAY)

// ---- arrays ----
static inline int32_t array_length(const Object *a)
{
    return *(int32_t *)object_at(a, ARRAY_LENGTH_OFFSET);
}
static inline void *array_data(const Object *a)
{
    return object_at(a, ARRAY_BASE);
}
static inline Object *array_get_ref(const Object *a, int32_t i)
{
    return object_get_ref(a, ARRAY_BASE + (size_t)i * sizeof(Narrow));
}
static inline void array_set_ref(Object *a, int32_t i, const Object *v)
{
    object_set_ref(a, ARRAY_BASE + (size_t)i * sizeof(Narrow), v);
}
// Copies `count` references between arrays (may overlap) with barriers; no type check.
void array_copy_refs(Object *src, int32_t src_pos, Object *dst, int32_t dst_pos, int32_t count);

// Size in bytes of any object, header included, multiple of 8.
size_t object_size_special(const Object *o); // of arrays and mirrors too
static inline size_t object_size(const Object *o)
{
    const Layout *l = object_layout(o);
    return LIKELY(l->shape == SHAPE_INSTANCE) ? l->instance_size : object_size_special(o);
}
// 31-bit, never 0; made on first use with one CAS. Same value as System.identityHashCode.
uint32_t object_identity_hash(Object *o);
// Hashes are multiples, modulo 2^31, of numbers that a thread takes one after another: the number
// of a hash. So a table can keep together what was hashed together.
enum { HASH_FACTOR = 0x4F1BBCDD, HASH_INVERSE = 0x315EFB75 };
static inline uint32_t object_hash_order(uint32_t hash)
{
    return hash * (uint32_t)HASH_INVERSE & 0x7FFFFFFFu;
}

#endif
