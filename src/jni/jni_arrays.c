// SPDX-License-Identifier: Apache-2.0
// JNI: arrays and direct buffers. Get…ArrayElements copies; GetPrimitiveArrayCritical gives the
// array itself and keeps collections away until it is released.
#include <stdlib.h>

#include "class/vm_classes.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "jni/jni_internal.h"

static jsize JNICALL GetArrayLength(JNIEnv *env, jarray a)
{
    IN_VM(env);
    return array_length(deref(a));
}

static bool check_range(Thread *self, jarray a, jsize start, jsize len)
{
    int32_t total = array_length(deref(a));
    if (start >= 0 && len >= 0 && start <= total - len)
        return true;
    if (len < 0)
        throw_new(self, "java/lang/ArrayIndexOutOfBoundsException", "Length %d is negative",
                  len);
    else
        throw_new(self, "java/lang/ArrayIndexOutOfBoundsException",
                  "Array region %d..%lld out of bounds for length %d", start,
                  (long long)start + len, total);
    return false;
}

void *jni_copy_memory(Thread *self, size_t size)
{
    ASSERT_MAY_GC(self);
    void *copy = malloc(size);
    if (!copy)
        throw_out_of_memory(self, "native memory");
    return copy;
}

static void *copy_elements(JNIEnv *env, jarray a, jboolean *is_copy)
{
    IN_VM(env);
    Object *o = deref(a);
    size_t size = (size_t)array_length(o) << object_layout(o)->elem_shift;
    void *copy = jni_copy_memory(self, size + 8);
    if (!copy)
        return NULL;
    memcpy(copy, array_data(deref(a)), size);
    if (is_copy)
        *is_copy = JNI_TRUE;
    return copy;
}
static void release_elements(JNIEnv *env, jarray a, void *elements, jint mode)
{
    IN_VM(env);
    Object *o = deref(a);
    if (mode != JNI_ABORT)
        memcpy(array_data(o), elements,
               (size_t)array_length(o) << object_layout(o)->elem_shift);
    if (mode != JNI_COMMIT)
        vm_free(elements);
}
static void get_region(JNIEnv *env, jarray a, jsize start, jsize len, void *out, size_t size)
{
    IN_VM(env);
    if (check_range(self, a, start, len) && len)
        memcpy(out, (char *)array_data(deref(a)) + (size_t)start * size, (size_t)len * size);
}
static void set_region(JNIEnv *env, jarray a, jsize start, jsize len, const void *in,
                       size_t size)
{
    IN_VM(env);
    if (check_range(self, a, start, len) && len)
        memcpy((char *)array_data(deref(a)) + (size_t)start * size, in, (size_t)len * size);
}

#define ARRAY_FAMILY(Type, type, member, kind)                                            \
    static type##Array JNICALL New##Type##Array(JNIEnv *env, jsize len)                   \
    {                                                                                     \
        IN_VM(env);                                                                       \
        return array_new(self, class_primitive_array(kind), len);                         \
    }                                                                                     \
    static type *JNICALL Get##Type##ArrayElements(JNIEnv *env, type##Array a,             \
                                                  jboolean *is_copy)                      \
    {                                                                                     \
        return copy_elements(env, a, is_copy);                                            \
    }                                                                                     \
    static void JNICALL Release##Type##ArrayElements(JNIEnv *env, type##Array a, type *p, \
                                                     jint mode)                           \
    {                                                                                     \
        release_elements(env, a, p, mode);                                                \
    }                                                                                     \
    static void JNICALL Get##Type##ArrayRegion(JNIEnv *env, type##Array a, jsize start,   \
                                               jsize len, type *out)                      \
    {                                                                                     \
        get_region(env, a, start, len, out, sizeof(type));                                \
    }                                                                                     \
    static void JNICALL Set##Type##ArrayRegion(JNIEnv *env, type##Array a, jsize start,   \
                                               jsize len, const type *in)                 \
    {                                                                                     \
        set_region(env, a, start, len, in, sizeof(type));                                 \
    }
JNI_PRIMITIVES(ARRAY_FAMILY)

static jobjectArray JNICALL NewObjectArray(JNIEnv *env, jsize len, jclass c, jobject initial)
{
    IN_VM(env);
    Class *array_class = class_array_of(self, class_of_handle(c));
    jobject a = array_class ? array_new(self, array_class, len) : NULL;
    for (jsize i = 0; a && initial && i < len; i++)
        array_set_ref(deref(a), i, deref(initial));
    return a;
}

static bool check_index(Thread *self, jarray a, jsize i)
{
    if ((uint32_t)i < (uint32_t)array_length(deref(a)))
        return true;
    throw_new(self, "java/lang/ArrayIndexOutOfBoundsException",
              "Index %d out of bounds for length %d", i, array_length(deref(a)));
    return false;
}
static jobject JNICALL GetObjectArrayElement(JNIEnv *env, jobjectArray a, jsize i)
{
    IN_VM(env);
    return check_index(self, a, i) ? handle_new(self, array_get_ref(deref(a), i)) : NULL;
}
static void JNICALL SetObjectArrayElement(JNIEnv *env, jobjectArray a, jsize i, jobject v)
{
    IN_VM(env);
    if (!check_index(self, a, i))
        return;
    Class *element = object_class(deref(a))->element;
    if (v && deref(v) && !object_is_instance(deref(v), element)) {
        char *from = class_external_name(object_class(deref(v))),
             *to = describe_element(element, i);
        throw_new(self, "java/lang/ArrayStoreException",
                  "type mismatch: can not store %s to %s", from, to);
        vm_free(from);
        vm_free(to);
        return;
    }
    array_set_ref(deref(a), i, deref(v));
}

static void *enter_critical(JNIEnv *env, jarray a)
{
    IN_VM(env);
    heap_critical_enter(self);
    return array_data(deref(a));
}

// Once inside, a thread does not enter the VM before it is outside again: it would wait there when
// it is suspended, and collections with it. Nothing moves meanwhile.
static void *JNICALL GetPrimitiveArrayCritical(JNIEnv *env, jarray a, jboolean *is_copy)
{
    if (is_copy)
        *is_copy = JNI_FALSE;
    if (heap_critical_depth() == 0)
        return enter_critical(env, a);
    heap_critical_enter(NULL);
    return array_data(deref(a));
}
static void JNICALL ReleasePrimitiveArrayCritical(JNIEnv *env, jarray a, void *p, jint mode)
{
    (void)env, (void)a, (void)p, (void)mode;
    heap_critical_exit();
}

// ---- direct buffers ----

static jobject JNICALL NewDirectByteBuffer(JNIEnv *env, void *address, jlong capacity)
{
    IN_VM(env);
    if (exception_pending(self))
        return NULL;
    Object *result = NULL;
    {
        HANDLE_SCOPE(self);
        Class *c =
            loader_load(self, loader_boot, symbol_intern("java/nio/DirectByteBuffer"), true);
        jobject o = c ? object_construct(
                        self, c, "(JI)V",
                        (jvalue[]){{.j = (jlong)(uintptr_t)address}, {.i = (jint)capacity}})
                      : NULL;
        result = deref(o);
    }
    return result ? handle_new(self, result) : NULL;
}
static bool is_direct_buffer(Thread *self, jobject buffer)
{
    if (!buffer || !deref(buffer) || !object_is_instance(deref(buffer), CLS(Buffer)))
        return false;
    HANDLE_SCOPE(self);
    Class *direct = loader_find_boot(self, symbol_intern("sun/nio/ch/DirectBuffer"));
    return direct && object_is_instance(deref(buffer), direct);
}
static void *JNICALL GetDirectBufferAddress(JNIEnv *env, jobject buffer)
{
    IN_VM(env);
    return is_direct_buffer(self, buffer)
               ? (void *)(uintptr_t)object_get_long(deref(buffer), OFF(Buffer, address))
               : NULL;
}
static jlong JNICALL GetDirectBufferCapacity(JNIEnv *env, jobject buffer)
{
    IN_VM(env);
    return is_direct_buffer(self, buffer) ? object_get_int(deref(buffer), OFF(Buffer, capacity))
                                          : -1;
}

void jni_fill_arrays(struct JNINativeInterface_ *t)
{
#define FILL(Type, type, member, kind)                              \
    t->New##Type##Array = New##Type##Array;                         \
    t->Get##Type##ArrayElements = Get##Type##ArrayElements;         \
    t->Release##Type##ArrayElements = Release##Type##ArrayElements; \
    t->Get##Type##ArrayRegion = Get##Type##ArrayRegion;             \
    t->Set##Type##ArrayRegion = Set##Type##ArrayRegion;
    JNI_PRIMITIVES(FILL)
    t->GetArrayLength = GetArrayLength;
    t->NewObjectArray = NewObjectArray;
    t->GetObjectArrayElement = GetObjectArrayElement;
    t->SetObjectArrayElement = SetObjectArrayElement;
    t->GetPrimitiveArrayCritical = GetPrimitiveArrayCritical;
    t->ReleasePrimitiveArrayCritical = ReleasePrimitiveArrayCritical;
    t->NewDirectByteBuffer = NewDirectByteBuffer;
    t->GetDirectBufferAddress = GetDirectBufferAddress;
    t->GetDirectBufferCapacity = GetDirectBufferCapacity;
}
