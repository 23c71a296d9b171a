// SPDX-License-Identifier: Apache-2.0
// jdk.internal.misc.Unsafe. An address is (object, byte offset), or absolute when the object is
// null. Offsets are the VM's own byte offsets; the base of static fields is the class's mirror.
#include <errno.h>
#include <stdlib.h>

#include "arch/guarded.h"
#include "class/assumption.h"
#include "classlib/jvm.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "java/string.h"
#include "link/native.h"
#include "thread/slices.h"

static inline char *address(jobject o, jlong offset)
{
    return (char *)deref(o) + offset; // deref(NULL) is 0
}

// ---- primitives: what fails is an access to a mapped file that was cut ----

static COLD void throw_fault(Thread *self)
{
    throw_new(
        self, "java/lang/InternalError",
        "a fault occurred in a recent unsafe memory access operation in compiled Java code");
}

// Declares `how`, load or load_volatile, store or store_volatile, for a value of `size` bytes.
#define LOAD(how)                                                              \
    static inline void how(Thread *self, const char *at, void *v, size_t size) \
    {                                                                          \
        bool ok = size == 1   ? guarded_##how##8(at, v)                        \
                  : size == 2 ? guarded_##how##16(at, v)                       \
                  : size == 4 ? guarded_##how##32(at, v)                       \
                              : guarded_##how##64(at, v);                      \
        if (UNLIKELY(!ok))                                                     \
            throw_fault(self);                                                 \
    }
#define STORE(how)                                                             \
    static inline void how(Thread *self, char *at, const void *v, size_t size) \
    {                                                                          \
        bool ok = size == 1   ? guarded_##how##8(at, *(const uint8_t *)v)      \
                  : size == 2 ? guarded_##how##16(at, *(const uint16_t *)v)    \
                  : size == 4 ? guarded_##how##32(at, *(const uint32_t *)v)    \
                              : guarded_##how##64(at, *(const uint64_t *)v);   \
        if (UNLIKELY(!ok))                                                     \
            throw_fault(self);                                                 \
    }
LOAD(load)
LOAD(load_volatile)
STORE(store)
STORE(store_volatile)

#define PRIMITIVE_GET(name, how, type)                                        \
    static type JNICALL name(JNIEnv *env, jobject u, jobject o, jlong offset) \
    {                                                                         \
        (void)u;                                                              \
        IN_VM(env);                                                           \
        type v = 0;                                                           \
        how(self, address(o, offset), &v, sizeof v);                          \
        return v;                                                             \
    }
#define PRIMITIVE_PUT(name, how, type)                                                \
    static void JNICALL name(JNIEnv *env, jobject u, jobject o, jlong offset, type v) \
    {                                                                                 \
        (void)u;                                                                      \
        IN_VM(env);                                                                   \
        how(self, address(o, offset), &v, sizeof v);                                  \
    }
#define PRIMITIVE_ACCESS(Type, type, member, kind)          \
    PRIMITIVE_GET(get##Type, load, type)                    \
    PRIMITIVE_PUT(put##Type, store, type)                   \
    PRIMITIVE_GET(get##Type##Volatile, load_volatile, type) \
    PRIMITIVE_PUT(put##Type##Volatile, store_volatile, type)
JNI_PRIMITIVES(PRIMITIVE_ACCESS)

#define PRIMITIVE_CAS(Type, type, bits)                                               \
    static type JNICALL compareAndExchange##Type(JNIEnv *env, jobject u, jobject o,   \
                                                 jlong offset, type expected, type v) \
    {                                                                                 \
        (void)u;                                                                      \
        IN_VM(env);                                                                   \
        uint##bits##_t there = (uint##bits##_t)expected;                              \
        if (!guarded_cas##bits(address(o, offset), &there, (uint##bits##_t)v))        \
            throw_fault(self);                                                        \
        return (type)there;                                                           \
    }                                                                                 \
    static jboolean JNICALL compareAndSet##Type(JNIEnv *env, jobject u, jobject o,    \
                                                jlong offset, type expected, type v)  \
    {                                                                                 \
        return compareAndExchange##Type(env, u, o, offset, expected, v) == expected;  \
    }
PRIMITIVE_CAS(Int, jint, 32)
PRIMITIVE_CAS(Long, jlong, 64)

// ---- references ----

static jobject JNICALL getReference(JNIEnv *env, jobject u, jobject o, jlong offset)
{
    (void)u;
    IN_VM(env);
    return handle_new(self, object_get_ref(deref(o), (size_t)offset));
}
static void JNICALL putReference(JNIEnv *env, jobject u, jobject o, jlong offset, jobject v)
{
    (void)u;
    IN_VM(env);
    object_set_ref(deref(o), (size_t)offset, deref(v));
}
static jobject JNICALL getReferenceVolatile(JNIEnv *env, jobject u, jobject o, jlong offset)
{
    (void)u;
    IN_VM(env);
    return handle_new(self, object_get_ref_volatile(deref(o), (size_t)offset));
}
static void JNICALL putReferenceVolatile(JNIEnv *env, jobject u, jobject o, jlong offset,
                                         jobject v)
{
    (void)u;
    IN_VM(env);
    object_set_ref_volatile(deref(o), (size_t)offset, deref(v));
}
static jboolean JNICALL compareAndSetReference(JNIEnv *env, jobject u, jobject o, jlong offset,
                                               jobject expected, jobject v)
{
    (void)u;
    IN_VM(env);
    Object *witness;
    return object_cas_ref(deref(o), (size_t)offset, deref(expected), deref(v), &witness);
}
static jobject JNICALL compareAndExchangeReference(JNIEnv *env, jobject u, jobject o,
                                                   jlong offset, jobject expected, jobject v)
{
    (void)u;
    IN_VM(env);
    Object *witness;
    return object_cas_ref(deref(o), (size_t)offset, deref(expected), deref(v), &witness)
               ? expected
               : handle_new(self, witness);
}
static jobject JNICALL getUncompressedObject(JNIEnv *env, jobject u, jlong at)
{
    (void)u;
    IN_VM(env);
    return handle_new(self, *(Object **)(uintptr_t)at);
}

// ---- memory ----

static jlong JNICALL allocateMemory0(JNIEnv *env, jobject u, jlong size)
{
    (void)env, (void)u;
    return (jlong)(uintptr_t)malloc((size_t)size);
}
static jlong JNICALL reallocateMemory0(JNIEnv *env, jobject u, jlong p, jlong size)
{
    (void)env, (void)u;
    return (jlong)(uintptr_t)realloc((void *)(uintptr_t)p, (size_t)size);
}
static void JNICALL freeMemory0(JNIEnv *env, jobject u, jlong p)
{
    (void)env, (void)u;
    free((void *)(uintptr_t)p);
}
typedef struct Place { // read again in each slice: what is in the heap moves
    jobject object;
    jlong offset;
} Place;
typedef struct MemoryOperation {
    char *to;
    const char *from;
    size_t size;    // bytes
    size_t element; // bytes, of swap_memory
    int value;      // of set_memory
    bool backwards; // of swap_memory: the last element comes first
} MemoryOperation;
typedef void MemoryBody(void *operation);

static char *place_address(Place p, size_t more)
{
    return address(p.object, p.offset) + more;
}

// Does `size` bytes in slices. `o` has what the body wants beside addresses. A fault ends it.
static void run(Thread *self, MemoryBody *body, Place to, Place from, jlong size,
                MemoryOperation o)
{
    const char *source = place_address(from, 0), *target = place_address(to, 0);
    o.backwards = source < target; // overlapping is allowed
    Slices s = {.size = (size_t)size, .most = SLICE_BYTES, .backwards = o.backwards};
    while (slices_next(self, &s)) {
        o.to = place_address(to, s.at);
        o.from = place_address(from, s.at);
        o.size = s.count;
        if (!guarded_run(body, &o)) {
            throw_fault(self);
            return;
        }
    }
}

static void set_memory(void *operation)
{
    const MemoryOperation *o = operation;
    memset(o->to, o->value, o->size);
}
static void copy_memory(void *operation)
{
    const MemoryOperation *o = operation;
    memmove(o->to, o->from, o->size);
}
static void swap_element(char *to, const char *from, size_t size)
{
    char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = from[size - 1 - i];
    memcpy(to, bytes, size);
}
static void swap_memory(void *operation)
{
    const MemoryOperation *o = operation;
    size_t count = o->size / o->element;
    for (size_t i = 0; i < count; i++) {
        size_t at = (o->backwards ? count - 1 - i : i) * o->element;
        swap_element(o->to + at, o->from + at, o->element);
    }
}
static void JNICALL setMemory0(JNIEnv *env, jobject u, jobject o, jlong offset, jlong size,
                               jbyte value)
{
    (void)u;
    IN_VM(env);
    Place to = {o, offset};
    run(self, set_memory, to, to, size, (MemoryOperation){.value = value});
}
static void JNICALL copyMemory0(JNIEnv *env, jobject u, jobject from, jlong from_offset,
                                jobject to, jlong to_offset, jlong size)
{
    (void)u;
    IN_VM(env);
    run(self, copy_memory, (Place){to, to_offset}, (Place){from, from_offset}, size,
        (MemoryOperation){0});
}
static void JNICALL copySwapMemory0(JNIEnv *env, jobject u, jobject from, jlong from_offset,
                                    jobject to, jlong to_offset, jlong bytes, jlong element)
{
    (void)u;
    IN_VM(env);
    run(self, swap_memory, (Place){to, to_offset}, (Place){from, from_offset}, bytes,
        (MemoryOperation){.element = (size_t)element});
}
static void JNICALL writeback0(JNIEnv *env, jobject u, jlong at)
{
    (void)u, (void)at; // DATA_CACHE_LINE_FLUSH_SIZE is 0: Java never comes here
    IN_VM(env);
    throw_new(self, "java/lang/UnsupportedOperationException", "writeback0");
}
static void JNICALL writebackSync(JNIEnv *env, jobject u)
{
    writeback0(env, u, 0);
}

// ---- classes and fields ----

// Who knows where a final field lies can write to it.
static Field *located(Thread *self, Field *f)
{
    if (f->access & ACC_FINAL)
        assumption_break_final(self, f);
    return f;
}
static Field *field_of(Thread *self, jobject field, bool want_static)
{
    Field *f = reflect_field_of(deref(field));
    if (((f->access & ACC_STATIC) != 0) == want_static)
        return located(self, f);
    throw_null(self, "java/lang/IllegalArgumentException");
    return NULL;
}
static jlong JNICALL objectFieldOffset0(JNIEnv *env, jobject u, jobject field)
{
    (void)u;
    IN_VM(env);
    Field *f = field_of(self, field, false);
    return f ? (jlong)f->offset : -1;
}
static jlong JNICALL objectFieldOffset1(JNIEnv *env, jobject u, jclass c, jstring name)
{
    (void)u;
    IN_VM(env);
    Class *cls = class_of_handle(c);
    Symbol *symbol = string_to_symbol(deref(name), false, false);
    FIELD_EACH (f, cls)
        if (f->name == symbol)
            return located(self, f)->offset;
    throw_null(self, "java/lang/InternalError");
    return -1;
}
static jlong JNICALL staticFieldOffset0(JNIEnv *env, jobject u, jobject field)
{
    (void)u;
    IN_VM(env);
    Field *f = field_of(self, field, true);
    return f ? (jlong)f->offset : -1;
}
static jobject JNICALL staticFieldBase0(JNIEnv *env, jobject u, jobject field)
{
    (void)u;
    IN_VM(env);
    Field *f = field_of(self, field, true);
    return f ? mirror_handle(self, f->cls) : NULL;
}
static jboolean JNICALL shouldBeInitialized0(JNIEnv *env, jobject u, jclass c)
{
    (void)u;
    IN_VM(env);
    Class *cls = class_of_handle(c);
    return cls->kind == 'L' && class_state(cls) != CLASS_INITIALIZED;
}
static void JNICALL ensureClassInitialized0(JNIEnv *env, jobject u, jclass c)
{
    (void)u;
    IN_VM(env);
    (void)!class_initialize(self, class_of_handle(c));
}
static bool require_array(Thread *self, jclass c)
{
    if (class_is_array(class_of_handle(c)))
        return true;
    throw_null(self, "java/lang/InvalidClassException");
    return false;
}
static jint JNICALL arrayBaseOffset0(JNIEnv *env, jobject u, jclass c)
{
    (void)u;
    IN_VM(env);
    return require_array(self, c) ? ARRAY_BASE : 0;
}
static jint JNICALL arrayIndexScale0(JNIEnv *env, jobject u, jclass c)
{
    (void)u;
    IN_VM(env);
    return require_array(self, c) ? 1 << class_of_handle(c)->layout.elem_shift : 0;
}
static bool check_name_length(Thread *self, jstring name)
{
    char *text = string_to_mutf8(deref(name)), *error = NULL;
    if (strlen(text) > UINT16_MAX) {
        error = describe_long_name(text);
        throw_new(self, "java/lang/NoClassDefFoundError", "%s", error);
    }
    vm_free(text);
    vm_free(error);
    return !exception_pending(self);
}

static jclass JNICALL defineClass0(JNIEnv *env, jobject u, jstring name, jbyteArray bytes,
                                   jint offset, jint len, jobject loader,
                                   jobject protection_domain)
{
    (void)u;
    IN_VM(env);
    if (offset < 0 || len < 0 || offset > array_length(deref(bytes)) - len) {
        throw_null(self, "java/lang/ArrayIndexOutOfBoundsException");
        return NULL;
    }
    Loader *l = loader_constructed(self, loader);
    if (!l || (name && !check_name_length(self, name)))
        return NULL;
    uint8_t *copy = vm_malloc((size_t)len + 1);
    memcpy(copy, (char *)array_data(deref(bytes)) + offset, (size_t)len);
    Symbol *symbol = name ? string_to_symbol(deref(name), true, true) : NULL;
    Class *c = class_define(self, l, copy, (size_t)len,
                            &(DefineOptions){.name = symbol ? symbol->s : NULL,
                                             .protection_domain = protection_domain});
    vm_free(copy);
    return c ? mirror_handle(self, c) : NULL;
}
static jobject JNICALL allocateInstance(JNIEnv *env, jobject u, jclass c)
{
    (void)u;
    IN_VM(env);
    return object_new(self, class_of_handle(c));
}
static void JNICALL throwException(JNIEnv *env, jobject u, jthrowable t)
{
    (void)u;
    IN_VM(env);
    throw_object(self, deref(t));
}

// ---- threads, fences, load ----

static void JNICALL park(JNIEnv *env, jobject u, jboolean absolute, jlong time)
{
    (void)u;
    IN_VM(env);
    thread_park(self, absolute, time);
}
static void JNICALL unpark(JNIEnv *env, jobject u, jobject thread)
{
    (void)u;
    IN_VM(env);
    Thread *t = thread ? thread_pin(thread) : NULL;
    if (t) {
        thread_unpark(t);
        thread_unpin(t);
    }
}
static void JNICALL loadFence(JNIEnv *env, jobject u)
{
    (void)env, (void)u;
    atomic_thread_fence(memory_order_acquire);
}
static void JNICALL storeFence(JNIEnv *env, jobject u)
{
    (void)env, (void)u;
    atomic_thread_fence(memory_order_release);
}
static void JNICALL fullFence(JNIEnv *env, jobject u)
{
    (void)env, (void)u;
    atomic_thread_fence(memory_order_seq_cst);
}
static jint JNICALL getLoadAverage0(JNIEnv *env, jobject u, jdoubleArray out, jint count)
{
    (void)u;
    double loads[3];
    int n = getloadavg(loads, MIN_OF(count, 3));
    IN_VM(env);
    for (int i = 0; i < n; i++)
        ((double *)array_data(deref(out)))[i] = loads[i];
    return n;
}
static void JNICALL registerNatives(JNIEnv *env, jclass c);

#define UNSAFE  "jdk/internal/misc/Unsafe"
#define ROW(fn) {UNSAFE, #fn, NULL, (void *)fn},
#define ACCESS_ROWS(Type, type, member, kind) \
    ROW(get##Type) ROW(put##Type) ROW(get##Type##Volatile) ROW(put##Type##Volatile)
static const VmNative rows[] = {
    JNI_PRIMITIVES(ACCESS_ROWS) ROW(getReference) ROW(putReference) ROW(getReferenceVolatile)
        ROW(putReferenceVolatile) ROW(compareAndSetInt) ROW(compareAndSetLong)
            ROW(compareAndSetReference) ROW(compareAndExchangeInt) ROW(compareAndExchangeLong)
                ROW(compareAndExchangeReference) ROW(getUncompressedObject) ROW(allocateMemory0)
                    ROW(reallocateMemory0) ROW(freeMemory0) ROW(setMemory0) ROW(copyMemory0)
                        ROW(copySwapMemory0) ROW(writeback0){UNSAFE, "writebackPreSync0", NULL,
                                                             (void *)writebackSync},
    {UNSAFE, "writebackPostSync0", NULL, (void *)writebackSync},
    ROW(objectFieldOffset0) ROW(objectFieldOffset1) ROW(staticFieldOffset0)
        ROW(staticFieldBase0) ROW(shouldBeInitialized0) ROW(ensureClassInitialized0)
            ROW(arrayBaseOffset0) ROW(arrayIndexScale0) ROW(defineClass0) ROW(allocateInstance)
                ROW(throwException) ROW(park) ROW(unpark) ROW(loadFence) ROW(storeFence)
                    ROW(fullFence) ROW(getLoadAverage0) ROW(registerNatives)};
const NativeRows unsafe_natives = {rows, ARRAY_LEN(rows)};

static void *function_of(const Method *m)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].name, m->name->s) == 0)
            return rows[i].fn;
    return NULL;
}

typedef VEC(JNINativeMethod) NativeMethods;
static void collect_natives(JNIEnv *env, jclass c, NativeMethods *out)
{
    IN_VM(env);
    const Class *unsafe = class_of_handle(c);
    METHOD_EACH (m, unsafe) {
        void *fn = method_is_native(m) ? function_of(m) : NULL;
        if (fn)
            vec_push(out, ((JNINativeMethod){m->name->s, m->desc->s, fn}));
    }
}

// They are found by name. But a profiler learns of park by a RegisterNatives of its own in JNI's table, and a call of this.
static void JNICALL registerNatives(JNIEnv *env, jclass c)
{
    if (!jni_table_was_set())
        return;
    NativeMethods found = {0};
    collect_natives(env, c, &found);
    (void)(*env)->RegisterNatives(env, c, found.at, (jint)found.len);
    vec_free(&found);
}
