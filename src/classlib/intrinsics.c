// SPDX-License-Identifier: Apache-2.0
// Intrinsics: the short natives of the class library, called by the engine without the crossing into C that a native method pays for
// (frame, handles, state). An intrinsic declines whatever it is not sure of; then the native method itself is called, throws
// what is to be thrown and collects where it must. No intrinsic collects, throws, blocks or waits.
#include <math.h>

#include "arch/crc32.h"
#include "arch/guarded.h"
#include "base/java_math.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "java/java_object.h"
#include "link/native.h"
#include "thread/slices.h"

// ---- objects and classes ----

static bool current_thread(Thread *self, const Method *m, Slot *a)
{
    (void)m;
    a[0].ref = deref(self->java_thread);
    return a[0].ref != NULL;
}

static bool get_class(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].ref = class_mirror(object_class(a[0].ref));
    return true;
}

static bool identity_hash(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].i = a[0].ref ? (int32_t)object_identity_hash(a[0].ref) : 0;
    return true;
}

static bool is_instance(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    const Class *c = class_of_mirror(a[0].ref);
    const Object *o = a[1].ref;
    a[0].i = o && !class_is_primitive(c) && object_is_instance(o, c);
    return true;
}

// Only where neither a class is initialized nor a listener or the collector has to know.
static bool allocate_instance(Thread *self, const Method *m, Slot *a)
{
    (void)m;
    Class *c = a[1].ref ? class_of_mirror(a[1].ref) : NULL;
    Object *o = c && class_makes_instances(c)
                    ? heap_alloc_fast(self, &c->layout, c->layout.instance_size)
                    : NULL;
    a[0].ref = o ? o : a[0].ref;
    return o != NULL;
}

static bool clone_array(Thread *self, const Method *m, Slot *a)
{
    (void)m;
    Object *copy = array_clone_fast(self, a[0].ref);
    a[0].ref = copy ? copy : a[0].ref;
    return copy != NULL;
}

static bool is_array(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].i = class_is_array(class_of_mirror(a[0].ref));
    return true;
}

static bool is_primitive(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].i = class_is_primitive(class_of_mirror(a[0].ref));
    return true;
}

static bool is_interface(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].i = class_is_interface(class_of_mirror(a[0].ref));
    return true;
}

static bool array_copy_intrinsic(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    Object *from = a[0].ref, *to = a[2].ref;
    int64_t from_pos = a[1].i, to_pos = a[3].i, length = a[4].i;
    if (!from || !to || object_class(from) != object_class(to)
        || !class_is_array(object_class(from)))
        return false;
    if (from_pos < 0 || to_pos < 0 || length < 0 || from_pos + length > array_length(from)
        || to_pos + length > array_length(to)
        || length > SLICE_BYTES >> object_class(from)->layout.elem_shift)
        return false;
    array_copy_elements(from, (int32_t)from_pos, to, (int32_t)to_pos, (int32_t)length);
    return true;
}

static bool nano_time(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].l = os_nanos();
    return true;
}

static bool current_millis(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].l = os_wall_millis();
    return true;
}

// ---- numbers ----

static bool same_bits(Thread *self, const Method *m,
                      Slot *a) // a slot has the bits of either type
{
    (void)self, (void)m, (void)a;
    return true;
}

static bool square_root(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    a[0].d = sqrt(a[0].d); // correctly rounded, as IEEE 754 and StrictMath have it
    return true;
}

// StrictMath's own function of one double, which touches neither JNI nor the class.
static bool math_function(Thread *self, const Method *m, Slot *a)
{
    (void)self;
    void *fn = atomic_load_explicit(&m->native, memory_order_acquire);
    if (!fn)
        return false;
    a[0].d = ((jdouble(JNICALL *)(JNIEnv *, jclass, jdouble))fn)(NULL, NULL, a[0].d);
    return true;
}

// ---- computed methods: what HotSpot's interpreter computes itself ----

#define COMPUTED(name, field, value)                         \
    static bool name(Thread *self, const Method *m, Slot *a) \
    {                                                        \
        (void)self, (void)m;                                 \
        a[0].field = value;                                  \
        return true;                                         \
    }
COMPUTED(math_sin, d, java_sin(a[0].d))
COMPUTED(math_cos, d, java_cos(a[0].d))
COMPUTED(math_tan, d, java_tan(a[0].d))
COMPUTED(math_exp, d, java_exp(a[0].d))
COMPUTED(math_log, d, java_log(a[0].d))
COMPUTED(math_log10, d, java_log10(a[0].d))
COMPUTED(math_pow, d, java_pow(a[0].d, a[2].d))
COMPUTED(math_abs, d, fabs(a[0].d))
// The C library's: an instruction where the processor has one, exact without it.
COMPUTED(math_fma_double, d, fma(a[0].d, a[2].d, a[4].d))
COMPUTED(math_fma_float, f, fmaf(a[0].f, a[1].f, a[2].f))
COMPUTED(reference_get, ref, object_get_ref(a[0].ref, OFF(Reference, referent)))

typedef bool CrcFunction(uint32_t *crc, const void *from, size_t length);

// What is wrong with the range or faults is left to the method's own code, which throws.
static bool crc_of_array(CrcFunction *update, uint32_t *crc, Object *bytes, int64_t from,
                         int64_t length)
{
    if (!bytes || from < 0 || length < 0 || from + length > array_length(bytes))
        return false;
    return update(crc, (uint8_t *)array_data(bytes) + from, (size_t)length);
}

static bool crc_of_memory(CrcFunction *update, uint32_t *crc, int64_t address, int64_t length)
{
    return address != 0 && length >= 0
           && update(crc, (void *)(uintptr_t)address, (size_t)length);
}

// CRC32C has a range's end where CRC32 has its length, and the register as it is, which CRC32 inverts.
static bool crc32c_bytes(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    uint32_t crc = (uint32_t)a[0].i;
    int64_t from = a[2].i, end = a[3].i;
    if (!crc_of_array(crc32c_update, &crc, a[1].ref, from, end - from))
        return false;
    a[0].i = (int32_t)crc;
    return true;
}

static bool crc32c_direct(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    uint32_t crc = (uint32_t)a[0].i;
    int64_t from = a[3].i, end = a[4].i;
    if (!crc_of_memory(crc32c_update, &crc, a[1].l + from, end - from))
        return false;
    a[0].i = (int32_t)crc;
    return true;
}

static bool crc32_bytes(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    uint32_t crc = ~(uint32_t)a[0].i;
    if (!crc_of_array(crc32_update, &crc, a[1].ref, a[2].i, a[3].i))
        return false;
    a[0].i = (int32_t)~crc;
    return true;
}

static bool crc32_direct(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    uint32_t crc = ~(uint32_t)a[0].i;
    if (!crc_of_memory(crc32_update, &crc, a[1].l + a[3].i, a[4].i))
        return false;
    a[0].i = (int32_t)~crc;
    return true;
}

static bool crc32_int(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    uint32_t crc = ~(uint32_t)a[0].i;
    uint8_t byte = (uint8_t)a[1].i;
    if (!crc32_update(&crc, &byte, 1))
        return false;
    a[0].i = (int32_t)~crc;
    return true;
}

// ---- jdk.internal.misc.Unsafe: this, object, offset (two slots), values ----

static inline char *unsafe_address(const Slot *a)
{
    return (char *)a[1].ref + a[2].l;
}

// Slots hold Z, B, C, S as ints. An access that faults is declined, so that the native throws.
#define UNSAFE_LOAD(name, load, type, bits, field)           \
    static bool name(Thread *self, const Method *m, Slot *a) \
    {                                                        \
        (void)self, (void)m;                                 \
        uint##bits##_t v;                                    \
        if (!load##bits(unsafe_address(a), &v))              \
            return false;                                    \
        a[0].field = (type)v;                                \
        return true;                                         \
    }
#define UNSAFE_STORE(name, store, bits, field)                             \
    static bool name(Thread *self, const Method *m, Slot *a)               \
    {                                                                      \
        (void)self, (void)m;                                               \
        return store##bits(unsafe_address(a), (uint##bits##_t)a[4].field); \
    }
#define UNSAFE_ACCESS(Type, type, bits, field)                                 \
    UNSAFE_LOAD(get##Type, guarded_load, type, bits, field)                    \
    UNSAFE_LOAD(get##Type##Volatile, guarded_load_volatile, type, bits, field) \
    UNSAFE_STORE(put##Type, guarded_store, bits, field)                        \
    UNSAFE_STORE(put##Type##Volatile, guarded_store_volatile, bits, field)
UNSAFE_ACCESS(Byte, int8_t, 8, i)
UNSAFE_ACCESS(Char, uint16_t, 16, i)
UNSAFE_ACCESS(Short, int16_t, 16, i)
UNSAFE_ACCESS(Int, int32_t, 32, i)
UNSAFE_ACCESS(Long, int64_t, 64, l)

static bool compare_and_set_int(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    uint32_t expected = (uint32_t)a[4].i, there = expected;
    if (!guarded_cas32(unsafe_address(a), &there, (uint32_t)a[5].i))
        return false;
    a[0].i = there == expected;
    return true;
}

static bool compare_and_set_long(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    uint64_t expected = (uint64_t)a[4].l, there = expected;
    if (!guarded_cas64(unsafe_address(a), &there, (uint64_t)a[6].l))
        return false;
    a[0].i = there == expected;
    return true;
}

static bool compare_and_set_reference(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    Object *witness;
    if (!a[1].ref)
        return false;
    a[0].i = object_cas_ref(a[1].ref, (size_t)a[2].l, a[4].ref, a[5].ref, &witness);
    return true;
}

static bool get_reference(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    if (!a[1].ref)
        return false;
    a[0].ref = object_get_ref(a[1].ref, (size_t)a[2].l);
    return true;
}

static bool get_reference_volatile(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    if (!a[1].ref)
        return false;
    a[0].ref = object_get_ref_volatile(a[1].ref, (size_t)a[2].l);
    return true;
}

static bool put_reference(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    if (!a[1].ref)
        return false;
    object_set_ref(a[1].ref, (size_t)a[2].l, a[4].ref);
    return true;
}

static bool put_reference_volatile(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    if (!a[1].ref)
        return false;
    object_set_ref_volatile(a[1].ref, (size_t)a[2].l, a[4].ref);
    return true;
}

static bool fence(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m, (void)a;
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

#define CLASS  "java/lang/Class"
#define SYSTEM "java/lang/System"
#define MATH   "java/lang/Math"
#define STRICT "java/lang/StrictMath"
#define CRC    "java/util/zip/CRC32"
#define UNSAFE "jdk/internal/misc/Unsafe"
#define OBJECT "Ljava/lang/Object;"

// What compiled code alone may know.
static bool left_to_native(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m, (void)a;
    return false;
}

// Natives with an intrinsic beside them.
static const IntrinsicRow rows[] = {
    {"jdk/internal/reflect/Reflection", "getCallerClass", "()Ljava/lang/Class;",
     left_to_native},
    {"java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", current_thread},
    {"java/lang/Object", "getClass", "()L" CLASS ";", get_class},
    {"java/lang/Object", "hashCode", "()I", identity_hash},
    {SYSTEM, "identityHashCode", "(" OBJECT ")I", identity_hash},
    {SYSTEM, "arraycopy", "(" OBJECT "I" OBJECT "II)V", array_copy_intrinsic},
    {SYSTEM, "nanoTime", "()J", nano_time},
    {SYSTEM, "currentTimeMillis", "()J", current_millis},
    {CLASS, "isInstance", "(" OBJECT ")Z", is_instance},
    {"java/lang/Object", "clone", "()" OBJECT, clone_array},
    {UNSAFE, "allocateInstance", "(L" CLASS ";)" OBJECT, allocate_instance},
    {CLASS, "isArray", "()Z", is_array},
    {CLASS, "isPrimitive", "()Z", is_primitive},
    {CLASS, "isInterface", "()Z", is_interface},
    {"java/lang/Float", "floatToRawIntBits", "(F)I", same_bits},
    {"java/lang/Float", "intBitsToFloat", "(I)F", same_bits},
    {"java/lang/Double", "doubleToRawLongBits", "(D)J", same_bits},
    {"java/lang/Double", "longBitsToDouble", "(J)D", same_bits},
    {STRICT, "sqrt", "(D)D", square_root},
    {STRICT, "sin", "(D)D", math_function},
    {STRICT, "cos", "(D)D", math_function},
    {STRICT, "tan", "(D)D", math_function},
    {STRICT, "asin", "(D)D", math_function},
    {STRICT, "acos", "(D)D", math_function},
    {STRICT, "atan", "(D)D", math_function},
    {STRICT, "log", "(D)D", math_function},
    {STRICT, "log10", "(D)D", math_function},
    {STRICT, "sinh", "(D)D", math_function},
    {STRICT, "cosh", "(D)D", math_function},
    {STRICT, "tanh", "(D)D", math_function},
    {STRICT, "expm1", "(D)D", math_function},
    {STRICT, "log1p", "(D)D", math_function},
#define UNSAFE_ROWS(Type, desc)                                                       \
    {UNSAFE, "get" #Type, "(" OBJECT "J)" desc, get##Type},                           \
        {UNSAFE, "get" #Type "Volatile", "(" OBJECT "J)" desc, get##Type##Volatile},  \
        {UNSAFE, "put" #Type, "(" OBJECT "J" desc ")V", put##Type},                   \
    {                                                                                 \
        UNSAFE, "put" #Type "Volatile", "(" OBJECT "J" desc ")V", put##Type##Volatile \
    }
    UNSAFE_ROWS(Byte, "B"),
    UNSAFE_ROWS(Char, "C"),
    UNSAFE_ROWS(Short, "S"),
    UNSAFE_ROWS(Int, "I"),
    UNSAFE_ROWS(Long, "J"),
    {UNSAFE, "compareAndSetInt", "(" OBJECT "JII)Z", compare_and_set_int},
    {UNSAFE, "compareAndSetLong", "(" OBJECT "JJJ)Z", compare_and_set_long},
    {UNSAFE, "compareAndSetReference", "(" OBJECT "J" OBJECT OBJECT ")Z",
     compare_and_set_reference},
    {UNSAFE, "getReference", "(" OBJECT "J)" OBJECT, get_reference},
    {UNSAFE, "getReferenceVolatile", "(" OBJECT "J)" OBJECT, get_reference_volatile},
    {UNSAFE, "putReference", "(" OBJECT "J" OBJECT ")V", put_reference},
    {UNSAFE, "putReferenceVolatile", "(" OBJECT "J" OBJECT ")V", put_reference_volatile},
    {UNSAFE, "loadFence", "()V", fence},
    {UNSAFE, "storeFence", "()V", fence},
    {UNSAFE, "fullFence", "()V", fence},
};

static const IntrinsicRow always_intrinsic_rows[] = {
    {MATH, "sin", "(D)D", math_sin},
    {MATH, "cos", "(D)D", math_cos},
    {MATH, "tan", "(D)D", math_tan},
    {MATH, "exp", "(D)D", math_exp},
    {MATH, "log", "(D)D", math_log},
    {MATH, "log10", "(D)D", math_log10},
    {MATH, "pow", "(DD)D", math_pow},
    {MATH, "sqrt", "(D)D", square_root},
    {MATH, "abs", "(D)D", math_abs},
    {MATH, "fma", "(DDD)D", math_fma_double},
    {MATH, "fma", "(FFF)F", math_fma_float},
    {"java/lang/ref/Reference", "get", "()" OBJECT, reference_get},
    {CRC, "update", "(II)I", crc32_int},
    {CRC, "updateBytes0", "(I[BII)I", crc32_bytes},
    {CRC, "updateByteBuffer0", "(IJII)I", crc32_direct},
    {CRC "C", "updateBytes", "(I[BII)I", crc32c_bytes},
    {CRC "C", "updateDirectByteBuffer", "(IJII)I", crc32c_direct},
};

void intrinsics_register(void)
{
    crc32_start();
    native_register_intrinsics(rows, ARRAY_LEN(rows));
    native_register_always_intrinsic(always_intrinsic_rows, ARRAY_LEN(always_intrinsic_rows));
}
