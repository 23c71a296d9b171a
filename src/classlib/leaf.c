// SPDX-License-Identifier: Apache-2.0
// Leaves: the short natives of the class library, called by the engine without the crossing into C that a native method pays for
// (frame, handles, state, libffi). A leaf declines whatever it is not sure of; then the native method itself is called, throws
// what is to be thrown and collects where it must. No leaf collects, throws, blocks or waits.
#include <math.h>

#include "arch/guarded.h"
#include "classlib/jvm.h"

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

static bool array_copy_leaf(Thread *self, const Method *m, Slot *a)
{
    (void)m;
    Object *from = a[0].ref, *to = a[2].ref;
    int64_t from_pos = a[1].i, to_pos = a[3].i, length = a[4].i;
    if (!from || !to || object_class(from) != object_class(to)
        || !class_is_array(object_class(from)))
        return false;
    if (from_pos < 0 || to_pos < 0 || length < 0 || from_pos + length > array_length(from)
        || to_pos + length > array_length(to))
        return false;
    return array_copy(self, from, (int32_t)from_pos, to, (int32_t)to_pos, (int32_t)length);
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

// ---- java.lang.Math: within half a unit in the last place and a little, as HotSpot's; StrictMath's
// functions, which the class library's own code calls, differ from these in one result of 20 ----

#define COMPUTED(name, value)                                       \
    static bool math_##name(Thread *self, const Method *m, Slot *a) \
    {                                                               \
        (void)self, (void)m;                                        \
        double x = a[0].d;                                          \
        a[0].d = value;                                             \
        return true;                                                \
    }
COMPUTED(sin, sin(x))
COMPUTED(cos, cos(x))
COMPUTED(tan, tan(x))
COMPUTED(exp, exp(x))
COMPUTED(log, log(x))
COMPUTED(log10, (double)log10l(x)) // libm's log10 is off by more

static bool math_pow(Thread *self, const Method *m, Slot *a)
{
    (void)self, (void)m;
    double x = a[0].d, y = a[2].d;
    bool undefined = isnan(y) || (fabs(x) == 1 && isinf(y)); // in Java; 1 in C
    a[0].d = undefined ? (double)NAN : pow(x, y);
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

#define CLASS               "java/lang/Class"
#define SYSTEM              "java/lang/System"
#define MATH(name)          {"java/lang/StrictMath", #name, "(D)D", math_function},
#define COMPUTE(name, desc) {"java/lang/Math", #name, desc, math_##name},
#define UNSAFE              "jdk/internal/misc/Unsafe"
#define OBJECT              "Ljava/lang/Object;"
#define UNSAFE_ROWS(Type, desc)                                                      \
    {UNSAFE, "get" #Type, "(" OBJECT "J)" desc, get##Type},                          \
        {UNSAFE, "get" #Type "Volatile", "(" OBJECT "J)" desc, get##Type##Volatile}, \
        {UNSAFE, "put" #Type, "(" OBJECT "J" desc ")V", put##Type},                  \
        {UNSAFE, "put" #Type "Volatile", "(" OBJECT "J" desc ")V", put##Type##Volatile},
static const NativeLeaf rows[] = {
    {"java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", current_thread},
    {"java/lang/Object", "getClass", "()L" CLASS ";", get_class},
    {"java/lang/Object", "hashCode", "()I", identity_hash},
    {SYSTEM, "identityHashCode", "(" OBJECT ")I", identity_hash},
    {SYSTEM, "arraycopy", "(" OBJECT "I" OBJECT "II)V", array_copy_leaf},
    {SYSTEM, "nanoTime", "()J", nano_time},
    {SYSTEM, "currentTimeMillis", "()J", current_millis},
    {CLASS, "isInstance", "(" OBJECT ")Z", is_instance},
    {CLASS, "isArray", "()Z", is_array},
    {CLASS, "isPrimitive", "()Z", is_primitive},
    {CLASS, "isInterface", "()Z", is_interface},
    {"java/lang/Float", "floatToRawIntBits", "(F)I", same_bits},
    {"java/lang/Float", "intBitsToFloat", "(I)F", same_bits},
    {"java/lang/Double", "doubleToRawLongBits", "(D)J", same_bits},
    {"java/lang/Double", "longBitsToDouble", "(J)D", same_bits},
    {"java/lang/StrictMath", "sqrt", "(D)D", square_root},
    COMPUTE(sin, "(D)D") COMPUTE(cos, "(D)D") COMPUTE(tan, "(D)D") COMPUTE(exp, "(D)D")
        COMPUTE(log, "(D)D") COMPUTE(log10, "(D)D") COMPUTE(pow, "(DD)D") MATH(sin) MATH(cos)
            MATH(tan) MATH(asin) MATH(acos) MATH(atan) MATH(log) MATH(log10) MATH(sinh)
                MATH(cosh) MATH(tanh) MATH(expm1) MATH(log1p) UNSAFE_ROWS(Byte, "B")
                    UNSAFE_ROWS(Char, "C") UNSAFE_ROWS(Short, "S") UNSAFE_ROWS(Int, "I")
                        UNSAFE_ROWS(Long, "J"){UNSAFE, "compareAndSetInt", "(" OBJECT "JII)Z",
                                               compare_and_set_int},
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

void leaves_register(void)
{
    native_register_leaves(rows, ARRAY_LEN(rows));
}
