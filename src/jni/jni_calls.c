// SPDX-License-Identifier: Apache-2.0
// JNI: calling instance methods, nonvirtual and static ones, constructors; each with `...`,
// va_list and jvalue arguments.
#include "java/call.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "jni/jni_internal.h"
#include "redefine/class_version.h"

typedef enum CallKind { CALL_VIRTUAL, CALL_EXACT, CALL_STATIC } CallKind;

// Arguments of a method from a va_list, behind `out`'s receiver: small integers come as int,
// float as double.
static void take_arguments(const Method *m, jvalue *out, va_list ap)
{
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, 0);
    for (; descriptor_walk_next(&w); out++) {
        switch (w.kind) {
        case 'Z': out->z = (jboolean)va_arg(ap, jint); break;
        case 'B': out->b = (jbyte)va_arg(ap, jint); break;
        case 'C': out->c = (jchar)va_arg(ap, jint); break;
        case 'S': out->s = (jshort)va_arg(ap, jint); break;
        case 'I': out->i = va_arg(ap, jint); break;
        case 'J': out->j = va_arg(ap, jlong); break;
        case 'F': out->f = (jfloat)va_arg(ap, jdouble); break;
        case 'D': out->d = va_arg(ap, jdouble); break;
        default: out->l = va_arg(ap, jobject); break;
        }
    }
}

static jvalue invoke(Thread *self, CallKind kind, Method *m, const jvalue *args)
{
    jvalue result = {0};
    if (exception_pending(self)) // the program should not be here: JNI, "Java Exceptions"
        return result;
    bool ok = kind == CALL_VIRTUAL ? java_call_virtual(self, m, args, &result)
                                   : java_call(self, m, args, &result);
    return ok ? result : (jvalue){0};
}

// A method of a replaced version lives no longer than its frames, unless it is pinned.
static Method *callee_of(Thread *self, jmethodID id)
{
    Method *m = method_of_id(id);
    if (UNLIKELY(m->flags & METHOD_OLD))
        method_pin(self, m);
    return m;
}

static jvalue call_v(JNIEnv *env, CallKind kind, jobject receiver, jmethodID id, va_list ap)
{
    IN_VM(env);
    Method *m = callee_of(self, id);
    jvalue args[1 + m->param_count];
    args[0].l = receiver;
    take_arguments(m, args + (kind != CALL_STATIC), ap);
    return invoke(self, kind, m, args);
}

static jvalue call_a(JNIEnv *env, CallKind kind, jobject receiver, jmethodID id,
                     const jvalue *values)
{
    IN_VM(env);
    Method *m = callee_of(self, id);
    jvalue args[1 + m->param_count];
    int receivers = kind != CALL_STATIC;
    args[0].l = receiver;
    if (m->param_count)
        memcpy(args + receivers, values, m->param_count * sizeof *values);
    return invoke(self, kind, m, args);
}

// The nine functions of one result type. `give` makes the result of a jvalue `r`.
#define CALL_FAMILY(Type, type, give)                                                         \
    static type JNICALL Call##Type##MethodV(JNIEnv *env, jobject o, jmethodID id, va_list ap) \
    {                                                                                         \
        UNUSED jvalue r = call_v(env, CALL_VIRTUAL, o, id, ap);                               \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL Call##Type##Method(JNIEnv *env, jobject o, jmethodID id, ...)         \
    {                                                                                         \
        va_list ap;                                                                           \
        va_start(ap, id);                                                                     \
        UNUSED jvalue r = call_v(env, CALL_VIRTUAL, o, id, ap);                               \
        va_end(ap);                                                                           \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL Call##Type##MethodA(JNIEnv *env, jobject o, jmethodID id,             \
                                            const jvalue *args)                               \
    {                                                                                         \
        UNUSED jvalue r = call_a(env, CALL_VIRTUAL, o, id, args);                             \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL CallNonvirtual##Type##MethodV(JNIEnv *env, jobject o, jclass c,       \
                                                      jmethodID id, va_list ap)               \
    {                                                                                         \
        (void)c;                                                                              \
        UNUSED jvalue r = call_v(env, CALL_EXACT, o, id, ap);                                 \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL CallNonvirtual##Type##Method(JNIEnv *env, jobject o, jclass c,        \
                                                     jmethodID id, ...)                       \
    {                                                                                         \
        (void)c;                                                                              \
        va_list ap;                                                                           \
        va_start(ap, id);                                                                     \
        UNUSED jvalue r = call_v(env, CALL_EXACT, o, id, ap);                                 \
        va_end(ap);                                                                           \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL CallNonvirtual##Type##MethodA(JNIEnv *env, jobject o, jclass c,       \
                                                      jmethodID id, const jvalue *args)       \
    {                                                                                         \
        (void)c;                                                                              \
        UNUSED jvalue r = call_a(env, CALL_EXACT, o, id, args);                               \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL CallStatic##Type##MethodV(JNIEnv *env, jclass c, jmethodID id,        \
                                                  va_list ap)                                 \
    {                                                                                         \
        UNUSED jvalue r = call_v(env, CALL_STATIC, c, id, ap);                                \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL CallStatic##Type##Method(JNIEnv *env, jclass c, jmethodID id, ...)    \
    {                                                                                         \
        va_list ap;                                                                           \
        va_start(ap, id);                                                                     \
        UNUSED jvalue r = call_v(env, CALL_STATIC, c, id, ap);                                \
        va_end(ap);                                                                           \
        give;                                                                                 \
    }                                                                                         \
    static type JNICALL CallStatic##Type##MethodA(JNIEnv *env, jclass c, jmethodID id,        \
                                                  const jvalue *args)                         \
    {                                                                                         \
        UNUSED jvalue r = call_a(env, CALL_STATIC, c, id, args);                              \
        give;                                                                                 \
    }
#define PRIMITIVE_FAMILY(Type, type, member, kind) CALL_FAMILY(Type, type, return r.member)
JNI_PRIMITIVES(PRIMITIVE_FAMILY)
CALL_FAMILY(Object, jobject, return r.l)
CALL_FAMILY(Void, void, (void)0)

// args[0] is for the object.
static jobject construct(Thread *self, jclass c, Method *m, jvalue *args)
{
    ASSERT_MAY_GC(self);
    if (exception_pending(self))
        return NULL;
    Object *result = NULL;
    {
        HANDLE_SCOPE(self);
        method_pin(self, m);
        jobject o = args[0].l = object_new(self, class_of_handle(c));
        if (o && java_call(self, m, args, NULL))
            result = deref(o);
    }
    return result ? handle_new(self, result) : NULL;
}

static jobject JNICALL NewObjectV(JNIEnv *env, jclass c, jmethodID id, va_list ap)
{
    IN_VM(env);
    Method *m = callee_of(self, id);
    jvalue args[1 + m->param_count];
    take_arguments(m, args + 1, ap);
    return construct(self, c, m, args);
}
static jobject JNICALL NewObject(JNIEnv *env, jclass c, jmethodID id, ...)
{
    va_list ap;
    va_start(ap, id);
    jobject o = NewObjectV(env, c, id, ap);
    va_end(ap);
    return o;
}
static jobject JNICALL NewObjectA(JNIEnv *env, jclass c, jmethodID id, const jvalue *values)
{
    IN_VM(env);
    Method *m = callee_of(self, id);
    jvalue args[1 + m->param_count];
    if (m->param_count)
        memcpy(args + 1, values, m->param_count * sizeof *values);
    return construct(self, c, m, args);
}

void jni_fill_calls(struct JNINativeInterface_ *t)
{
#define FILL(Type)                                                    \
    t->Call##Type##Method = Call##Type##Method;                       \
    t->Call##Type##MethodV = Call##Type##MethodV;                     \
    t->Call##Type##MethodA = Call##Type##MethodA;                     \
    t->CallNonvirtual##Type##Method = CallNonvirtual##Type##Method;   \
    t->CallNonvirtual##Type##MethodV = CallNonvirtual##Type##MethodV; \
    t->CallNonvirtual##Type##MethodA = CallNonvirtual##Type##MethodA; \
    t->CallStatic##Type##Method = CallStatic##Type##Method;           \
    t->CallStatic##Type##MethodV = CallStatic##Type##MethodV;         \
    t->CallStatic##Type##MethodA = CallStatic##Type##MethodA;
#define FILL_PRIMITIVE(Type, type, member, kind) FILL(Type)
    JNI_PRIMITIVES(FILL_PRIMITIVE)
    FILL(Object)
    FILL(Void)
    t->NewObject = NewObject;
    t->NewObjectV = NewObjectV;
    t->NewObjectA = NewObjectA;
}
