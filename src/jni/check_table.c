// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jni: a checking function for each of the table. A row says what is looked at before the
// real function runs:
//   R(result type, name, flags, (parameters), (arguments), checks)    V: without a result
#include "base/output.h"
#include "java/exception.h"
#include "jni/check.h"

#include <stdarg.h>
#include <stdio.h>

#define REAL (*jni_unchecked)

#define CLASS_ROWS(R, V)                                                                       \
    R(jint, GetVersion, 0, (JNIEnv * env), (env), (void)0)                                     \
    R(jclass, DefineClass, 0,                                                                  \
      (JNIEnv * env, const char *name, jobject loader, const jbyte *b, jsize n),               \
      (env, name, loader, b, n), check_reference_or_null(env, loader))                         \
    R(jclass, FindClass, 0, (JNIEnv * env, const char *name), (env, name),                     \
      check_descriptor(env, name))                                                             \
    R(jmethodID, FromReflectedMethod, 0, (JNIEnv * env, jobject o), (env, o),                  \
      check_reference(env, o))                                                                 \
    R(jfieldID, FromReflectedField, 0, (JNIEnv * env, jobject o), (env, o),                    \
      check_reference(env, o))                                                                 \
    R(jobject, ToReflectedMethod, 0,                                                           \
      (JNIEnv * env, jclass c, jmethodID id, jboolean is_static), (env, c, id, is_static),     \
      (check_class(env, c), check_method_of(env, c, id)))                                      \
    R(jobject, ToReflectedField, 0, (JNIEnv * env, jclass c, jfieldID id, jboolean is_static), \
      (env, c, id, is_static), check_class(env, c))                                            \
    R(jclass, GetSuperclass, 0, (JNIEnv * env, jclass c), (env, c), check_class(env, c))       \
    R(jboolean, IsAssignableFrom, 0, (JNIEnv * env, jclass a, jclass b), (env, a, b),          \
      (check_class(env, a), check_class(env, b)))                                              \
    R(jobject, AllocObject, 0, (JNIEnv * env, jclass c), (env, c), check_class(env, c))        \
    R(jclass, GetObjectClass, 0, (JNIEnv * env, jobject o), (env, o), check_reference(env, o)) \
    R(jboolean, IsInstanceOf, 0, (JNIEnv * env, jobject o, jclass c), (env, o, c),             \
      (check_reference_or_null(env, o), check_class(env, c)))                                  \
    R(jmethodID, GetMethodID, 0, (JNIEnv * env, jclass c, const char *name, const char *desc), \
      (env, c, name, desc), check_class(env, c))                                               \
    R(jmethodID, GetStaticMethodID, 0,                                                         \
      (JNIEnv * env, jclass c, const char *name, const char *desc), (env, c, name, desc),      \
      check_class(env, c))                                                                     \
    R(jfieldID, GetFieldID, 0, (JNIEnv * env, jclass c, const char *name, const char *desc),   \
      (env, c, name, desc), check_class(env, c))                                               \
    R(jfieldID, GetStaticFieldID, 0,                                                           \
      (JNIEnv * env, jclass c, const char *name, const char *desc), (env, c, name, desc),      \
      check_class(env, c))                                                                     \
    R(jint, RegisterNatives, 0,                                                                \
      (JNIEnv * env, jclass c, const JNINativeMethod *methods, jint n), (env, c, methods, n),  \
      check_class(env, c))                                                                     \
    R(jint, UnregisterNatives, 0, (JNIEnv * env, jclass c), (env, c), check_class(env, c))     \
    R(jobject, GetModule, 0, (JNIEnv * env, jclass c), (env, c), check_class(env, c))          \
    R(jint, GetJavaVM, 0, (JNIEnv * env, JavaVM * *vm), (env, vm), (void)0)

#define REFERENCE_ROWS(R, V)                                                                  \
    R(jint, Throw, 0, (JNIEnv * env, jthrowable o), (env, o), check_throwable(env, o))        \
    R(jint, ThrowNew, 0, (JNIEnv * env, jclass c, const char *message), (env, c, message),    \
      check_throwable_class(env, c))                                                          \
    R(jthrowable, ExceptionOccurred, WITH_EXCEPTION, (JNIEnv * env), (env), check_asked())    \
    R(jboolean, ExceptionCheck, WITH_EXCEPTION, (JNIEnv * env), (env), check_asked())         \
    V(ExceptionDescribe, WITH_EXCEPTION, (JNIEnv * env), (env), (void)0)                      \
    V(ExceptionClear, WITH_EXCEPTION, (JNIEnv * env), (env), check_asked())                   \
    V(FatalError, WITH_EXCEPTION, (JNIEnv * env, const char *message), (env, message),        \
      check_no_exception(env))                                                                \
    R(jint, PushLocalFrame, WITH_EXCEPTION, (JNIEnv * env, jint n), (env, n),                 \
      check_capacity(env, n))                                                                 \
    R(jobject, PopLocalFrame, WITH_EXCEPTION, (JNIEnv * env, jobject o), (env, o), (void)0)   \
                                                                                              \
    R(jobject, NewGlobalRef, 0, (JNIEnv * env, jobject o), (env, o),                          \
      check_reference_or_null(env, o))                                                        \
    V(DeleteGlobalRef, WITH_EXCEPTION, (JNIEnv * env, jobject o), (env, o),                   \
      check_reference_type(env, o, JNIGlobalRefType, "DeleteGlobalRef"))                      \
    R(jweak, NewWeakGlobalRef, 0, (JNIEnv * env, jobject o), (env, o),                        \
      check_reference_or_null(env, o))                                                        \
    V(DeleteWeakGlobalRef, WITH_EXCEPTION, (JNIEnv * env, jobject o), (env, o),               \
      check_reference_type(env, o, JNIWeakGlobalRefType, "DeleteWeakGlobalRef"))              \
    R(jobject, NewLocalRef, 0, (JNIEnv * env, jobject o), (env, o),                           \
      check_reference_or_null(env, o))                                                        \
    V(DeleteLocalRef, WITH_EXCEPTION, (JNIEnv * env, jobject o), (env, o),                    \
      check_reference_type(env, o, JNILocalRefType, "DeleteLocalRef"))                        \
    R(jint, EnsureLocalCapacity, 0, (JNIEnv * env, jint n), (env, n), check_capacity(env, n)) \
    R(jboolean, IsSameObject, WITH_EXCEPTION, (JNIEnv * env, jobject a, jobject b),           \
      (env, a, b), (check_reference_or_null(env, a), check_reference_or_null(env, b)))        \
    R(jobjectRefType, GetObjectRefType, WITH_EXCEPTION, (JNIEnv * env, jobject o), (env, o),  \
      check_reference_or_null(env, o))                                                        \
    R(jint, MonitorEnter, 0, (JNIEnv * env, jobject o), (env, o),                             \
      check_reference_or_null(env, o))                                                        \
    R(jint, MonitorExit, WITH_EXCEPTION, (JNIEnv * env, jobject o), (env, o),                 \
      check_reference_or_null(env, o))

#define STRING_AND_ARRAY_ROWS(R, V)                                                            \
    R(jstring, NewString, 0, (JNIEnv * env, const jchar *chars, jsize n), (env, chars, n),     \
      (void)0)                                                                                 \
    R(jsize, GetStringLength, 0, (JNIEnv * env, jstring s), (env, s), check_string(env, s))    \
    R(jstring, NewStringUTF, 0, (JNIEnv * env, const char *bytes), (env, bytes), (void)0)      \
    R(jsize, GetStringUTFLength, 0, (JNIEnv * env, jstring s), (env, s), check_string(env, s)) \
    V(GetStringRegion, 0, (JNIEnv * env, jstring s, jsize start, jsize n, jchar * out),        \
      (env, s, start, n, out), check_string(env, s))                                           \
    V(GetStringUTFRegion, 0, (JNIEnv * env, jstring s, jsize start, jsize n, char *out),       \
      (env, s, start, n, out), check_string(env, s))                                           \
    R(jsize, GetArrayLength, 0, (JNIEnv * env, jarray a), (env, a), check_array(env, a))       \
    R(jobjectArray, NewObjectArray, 0, (JNIEnv * env, jsize n, jclass c, jobject initial),     \
      (env, n, c, initial), (check_class(env, c), check_reference_or_null(env, initial)))      \
    R(jobject, GetObjectArrayElement, 0, (JNIEnv * env, jobjectArray a, jsize i), (env, a, i), \
      check_object_array(env, a))                                                              \
    V(SetObjectArrayElement, 0, (JNIEnv * env, jobjectArray a, jsize i, jobject v),            \
      (env, a, i, v), (check_object_array(env, a), check_reference_or_null(env, v)))           \
    R(jobject, NewDirectByteBuffer, 0, (JNIEnv * env, void *address, jlong n),                 \
      (env, address, n), (void)0)                                                              \
    R(void *, GetDirectBufferAddress, 0, (JNIEnv * env, jobject o), (env, o),                  \
      check_reference_or_null(env, o))                                                         \
    R(jlong, GetDirectBufferCapacity, 0, (JNIEnv * env, jobject o), (env, o),                  \
      check_reference_or_null(env, o))

// With the names of one primitive type.
#define ARRAY_ROWS(R, V, Type, type, kind)                                          \
    R(type##Array, New##Type##Array, 0, (JNIEnv * env, jsize n), (env, n), (void)0) \
    V(Get##Type##ArrayRegion, 0,                                                    \
      (JNIEnv * env, type##Array a, jsize start, jsize n, type * out),              \
      (env, a, start, n, out), check_primitive_array(env, a, kind))                 \
    V(Set##Type##ArrayRegion, 0,                                                    \
      (JNIEnv * env, type##Array a, jsize start, jsize n, const type *in),          \
      (env, a, start, n, in), check_primitive_array(env, a, kind))

#define FIELD_ROWS(R, V, Type, type, kind)                                                  \
    R(type, Get##Type##Field, 0, (JNIEnv * env, jobject o, jfieldID id), (env, o, id),      \
      check_instance_field(env, o, id, kind))                                               \
    V(Set##Type##Field, 0, (JNIEnv * env, jobject o, jfieldID id, type v), (env, o, id, v), \
      check_instance_field(env, o, id, kind))                                               \
    R(type, GetStatic##Type##Field, 0, (JNIEnv * env, jclass c, jfieldID id), (env, c, id), \
      check_static_field(env, c, id, kind))                                                 \
    V(SetStatic##Type##Field, 0, (JNIEnv * env, jclass c, jfieldID id, type v),             \
      (env, c, id, v), check_static_field(env, c, id, kind))

#define ROWS(R, V)       \
    CLASS_ROWS(R, V)     \
    REFERENCE_ROWS(R, V) \
    STRING_AND_ARRAY_ROWS(R, V)

#define DEFINE_R(type, name, flags, parameters, arguments, checks) \
    static type JNICALL name parameters                            \
    {                                                              \
        check_call(env, flags);                                    \
        checks;                                                    \
        return REAL.name arguments;                                \
    }
#define DEFINE_V(name, flags, parameters, arguments, checks) \
    static void JNICALL name parameters                      \
    {                                                        \
        check_call(env, flags);                              \
        checks;                                              \
        REAL.name arguments;                                 \
    }
ROWS(DEFINE_R, DEFINE_V)
#define DEFINE_PRIMITIVE(Type, type, member, kind)   \
    ARRAY_ROWS(DEFINE_R, DEFINE_V, Type, type, kind) \
    FIELD_ROWS(DEFINE_R, DEFINE_V, Type, type, kind)
JNI_PRIMITIVES(DEFINE_PRIMITIVE)
FIELD_ROWS(DEFINE_R, DEFINE_V, Object, jobject, 'L')

// ---- calls ----

static bool receiver_is_good(JNIEnv *env, jobject o, jmethodID id)
{
    check_method(env, id);
    check_reference_or_null(env, o);
    if (o)
        return true;
    IN_VM(env);
    throw_null(self, "java/lang/NullPointerException");
    return false;
}
static bool exact_is_good(JNIEnv *env, jobject o, jclass c, jmethodID id)
{
    check_class(env, c);
    check_method_of(env, c, id);
    return receiver_is_good(env, o, id);
}
static bool static_is_good(JNIEnv *env, jclass c, jmethodID id)
{
    check_class(env, c);
    check_method_of(env, c, id);
    return true;
}

// The three forms of one function. `result` declares what `take` assigns and `give` returns;
// `later` is check_later, or (void) for a function whose exception need not be asked for.
#define CALL_FORMS(type, name, parameters, last, good, arguments, result, take, give, later) \
    static type JNICALL name##V(UNPAREN parameters, va_list ap)                              \
    {                                                                                        \
        check_call(env, 0);                                                                  \
        result;                                                                              \
        if (good)                                                                            \
            take REAL.name##V(UNPAREN arguments, ap);                                        \
        later(#name "V");                                                                    \
        give;                                                                                \
    }                                                                                        \
    static type JNICALL name##A(UNPAREN parameters, const jvalue *values)                    \
    {                                                                                        \
        check_call(env, 0);                                                                  \
        result;                                                                              \
        if (good)                                                                            \
            take REAL.name##A(UNPAREN arguments, values);                                    \
        later(#name "A");                                                                    \
        give;                                                                                \
    }                                                                                        \
    static type JNICALL name(UNPAREN parameters, ...)                                        \
    {                                                                                        \
        check_call(env, 0);                                                                  \
        va_list ap;                                                                          \
        va_start(ap, last);                                                                  \
        result;                                                                              \
        if (good)                                                                            \
            take REAL.name##V(UNPAREN arguments, ap);                                        \
        va_end(ap);                                                                          \
        later(#name);                                                                        \
        give;                                                                                \
    }
#define UNPAREN(...) __VA_ARGS__
#define CALL_ROWS(Type, type, result, take, give)                                              \
    CALL_FORMS(type, Call##Type##Method, (JNIEnv * env, jobject o, jmethodID id), id,          \
               receiver_is_good(env, o, id), (env, o, id), result, take, give, check_later)    \
    CALL_FORMS(type, CallNonvirtual##Type##Method,                                             \
               (JNIEnv * env, jobject o, jclass c, jmethodID id), id,                          \
               exact_is_good(env, o, c, id), (env, o, c, id), result, take, give, check_later) \
    CALL_FORMS(type, CallStatic##Type##Method, (JNIEnv * env, jclass c, jmethodID id), id,     \
               static_is_good(env, c, id), (env, c, id), result, take, give, check_later)
#define DEFINE_CALLS(Type, type, member, kind) CALL_ROWS(Type, type, type r = 0, r =, return r)
JNI_PRIMITIVES(DEFINE_CALLS)
CALL_ROWS(Object, jobject, jobject r = NULL, r =, return r)
CALL_ROWS(Void, void, (void)0, , (void)0)
CALL_FORMS(jobject, NewObject, (JNIEnv * env, jclass c, jmethodID id), id,
           static_is_good(env, c, id), (env, c, id), jobject r = NULL, r =, return r, (void))

// ---- elements: guarded copies ----

static size_t array_bytes(JNIEnv *env, jarray a)
{
    IN_VM(env);
    return (size_t)array_length(deref(a)) << object_layout(deref(a))->elem_shift;
}

// Takes the guards from around the elements: the real ones, with the program's changes unless
// it aborts. Does not return where the guards are broken.
static void *take_back(JNIEnv *env, const char *function, jarray a, void *copy, jint mode)
{
    size_t size;
    void *real = copy ? guard_real(copy, &size) : NULL;
    if (!real) {
        fprintf(vm_stdout(),
                "%s: release array failed bounds check, incorrect pointer returned ? array: "
                "0x%016zx carray: 0x%016zx\n",
                function, (size_t)a, (size_t)copy);
        check_fail(env, "%s: failed bounds check", function);
    }
    if (mode != 0 && mode != JNI_COMMIT && mode != JNI_ABORT) {
        fprintf(vm_stdout(),
                "%s: Unrecognized mode %d releasing array 0x%016zx elements 0x%016zx\n",
                function, mode, (size_t)a, (size_t)copy);
        check_fail(env, "Unrecognized array release mode");
    }
    if (mode != JNI_ABORT)
        memcpy(real, copy, size);
    if (mode != JNI_COMMIT)
        guard_free(copy);
    return real;
}

#define DEFINE_ELEMENTS(Type, type, member, kind)                                             \
    static type *JNICALL Get##Type##ArrayElements(JNIEnv *env, type##Array a, jboolean *copy) \
    {                                                                                         \
        check_call(env, 0);                                                                   \
        check_primitive_array(env, a, kind);                                                  \
        type *real = REAL.Get##Type##ArrayElements(env, a, copy);                             \
        return real ? guard_new(real, array_bytes(env, a)) : NULL;                            \
    }                                                                                         \
    static void JNICALL Release##Type##ArrayElements(JNIEnv *env, type##Array a, type *p,     \
                                                     jint mode)                               \
    {                                                                                         \
        check_call(env, WITH_EXCEPTION);                                                      \
        check_primitive_array(env, a, kind);                                                  \
        type *real = take_back(env, "checked_jni_Release" #Type "ArrayElements", a, p, mode); \
        REAL.Release##Type##ArrayElements(env, a, real, mode);                                \
    }
JNI_PRIMITIVES(DEFINE_ELEMENTS)

static void *JNICALL GetPrimitiveArrayCritical(JNIEnv *env, jarray a, jboolean *is_copy)
{
    check_call(env, IN_CRITICAL);
    check_primitive_array(env, a, 0);
    size_t size = array_bytes(env, a);
    void *real = REAL.GetPrimitiveArrayCritical(env, a, is_copy);
    if (is_copy)
        *is_copy = JNI_TRUE;
    check_critical_enter();
    return guard_new(real, size);
}
static void JNICALL ReleasePrimitiveArrayCritical(JNIEnv *env, jarray a, void *p, jint mode)
{
    check_call(env, WITH_EXCEPTION | IN_CRITICAL);
    check_primitive_array(env, a, 0);
    check_critical_exit();
    void *real = take_back(env, "ReleasePrimitiveArrayCritical", a, p, mode);
    REAL.ReleasePrimitiveArrayCritical(env, a, real, mode);
}

// ---- characters: guarded copies ----

static void *chars_back(JNIEnv *env, const char *function, jstring s, const void *chars)
{
    if (!chars)
        return NULL; // as HotSpot: what a string without a value gave
    size_t size;
    void *copy = (void *)(uintptr_t)chars, *real = guard_real(copy, &size);
    if (!real) {
        fprintf(vm_stdout(),
                "%s: release chars failed bounds check. string: 0x%016zx chars: 0x%016zx\n",
                function, (size_t)s, (size_t)copy);
        check_fail(env, "%s: release chars failed bounds check.", function);
    }
    guard_free(copy);
    return real;
}

#define DEFINE_CHARS(Name, type, flags, size, enter, leave)                         \
    static const type *JNICALL Get##Name(JNIEnv *env, jstring s, jboolean *is_copy) \
    {                                                                               \
        check_call(env, flags);                                                     \
        check_string(env, s);                                                       \
        size_t n = (size) + 1;                                                      \
        type *real = (type *)(uintptr_t)REAL.Get##Name(env, s, is_copy);            \
        enter;                                                                      \
        return real ? guard_new(real, n * sizeof *real) : NULL;                     \
    }                                                                               \
    static void JNICALL Release##Name(JNIEnv *env, jstring s, const type *chars)    \
    {                                                                               \
        check_call(env, (flags) | WITH_EXCEPTION);                                  \
        check_string(env, s);                                                       \
        leave;                                                                      \
        REAL.Release##Name(env, s, chars_back(env, "Release" #Name, s, chars));     \
    }
DEFINE_CHARS(StringChars, jchar, 0, (size_t)REAL.GetStringLength(env, s), (void)0, (void)0)
DEFINE_CHARS(StringUTFChars, char, 0, (size_t)REAL.GetStringUTFLength(env, s), (void)0, (void)0)
DEFINE_CHARS(StringCritical, jchar, IN_CRITICAL, (size_t)REAL.GetStringLength(env, s),
             check_critical_enter(), check_critical_exit())

// ---- the table ----

#define FILL_R(type, name, ...) t->name = name;
#define FILL_V(name, ...)       t->name = name;
#define FILL_FORMS(name)        t->name = name, t->name##V = name##V, t->name##A = name##A;
#define FILL_CALLS(Type)                     \
    FILL_FORMS(Call##Type##Method)           \
    FILL_FORMS(CallNonvirtual##Type##Method) \
    FILL_FORMS(CallStatic##Type##Method)
#define FILL_PAIR(Name) t->Get##Name = Get##Name, t->Release##Name = Release##Name;
#define FILL_PRIMITIVE(Type, type, member, kind) \
    ARRAY_ROWS(FILL_R, FILL_V, Type, type, kind) \
    FIELD_ROWS(FILL_R, FILL_V, Type, type, kind) \
    FILL_CALLS(Type)                             \
    FILL_PAIR(Type##ArrayElements)

const struct JNINativeInterface_ *jni_check_table(const struct JNINativeInterface_ *real)
{
    static struct JNINativeInterface_ table;
    struct JNINativeInterface_ *t = &table;
    if (real == t)
        return t;
    jni_unchecked = real;
    *t = *real;
    ROWS(FILL_R, FILL_V)
    JNI_PRIMITIVES(FILL_PRIMITIVE)
    FIELD_ROWS(FILL_R, FILL_V, Object, jobject, 'L')
    FILL_CALLS(Object)
    FILL_CALLS(Void)
    FILL_FORMS(NewObject)
    FILL_PAIR(PrimitiveArrayCritical)
    FILL_PAIR(StringChars)
    FILL_PAIR(StringUTFChars)
    FILL_PAIR(StringCritical)
    return t;
}
