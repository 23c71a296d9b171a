// SPDX-License-Identifier: Apache-2.0
// Native half of JniCalls: every Call family in its three argument forms, field access of every
// type, and native methods with many arguments of mixed types.
#include "jnitest.h"

#define SIG "(ZBCSIJFDLjava/lang/String;IJDDDDDDDFJ)"
#define ARGS                                                                                  \
    JNI_TRUE, (jbyte)-5, (jchar)0xfffe, (jshort)-3000, (jint)123456, (jlong)1 << 40,          \
        (jfloat)1.5f, (jdouble)-2.25, str, (jint)-1, (jlong)-2, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, \
        7.0, (jfloat)9.5f, (jlong)77

#define TYPES(X)                             \
    X(Object, jobject, "Ljava/lang/Object;") \
    X(Boolean, jboolean, "Z")                \
    X(Byte, jbyte, "B")                      \
    X(Char, jchar, "C")                      \
    X(Short, jshort, "S")                    \
    X(Int, jint, "I")                        \
    X(Long, jlong, "J")                      \
    X(Float, jfloat, "F")                    \
    X(Double, jdouble, "D")

static void fill(jvalue *v, jstring str)
{
    memset(v, 0x5a, 20 * sizeof *v);
    v[0].z = JNI_TRUE;
    v[1].b = -5;
    v[2].c = 0xfffe;
    v[3].s = -3000;
    v[4].i = 123456;
    v[5].j = (jlong)1 << 40;
    v[6].f = 1.5f;
    v[7].d = -2.25;
    v[8].l = str;
    v[9].i = -1;
    v[10].j = -2;
    for (int i = 0; i < 7; i++) {
        v[11 + i].d = i + 1;
    }
    v[18].f = 9.5f;
    v[19].j = 77;
}

#define V_FORMS(N, T, S)                                                          \
    static T virtual_v_##N(JNIEnv *env, jobject o, jmethodID m, ...)              \
    {                                                                             \
        va_list ap;                                                               \
        va_start(ap, m);                                                          \
        T r = (*env)->Call##N##MethodV(env, o, m, ap);                            \
        va_end(ap);                                                               \
        return r;                                                                 \
    }                                                                             \
    static T nonvirtual_v_##N(JNIEnv *env, jobject o, jclass c, jmethodID m, ...) \
    {                                                                             \
        va_list ap;                                                               \
        va_start(ap, m);                                                          \
        T r = (*env)->CallNonvirtual##N##MethodV(env, o, c, m, ap);               \
        va_end(ap);                                                               \
        return r;                                                                 \
    }                                                                             \
    static T static_v_##N(JNIEnv *env, jclass c, jmethodID m, ...)                \
    {                                                                             \
        va_list ap;                                                               \
        va_start(ap, m);                                                          \
        T r = (*env)->CallStatic##N##MethodV(env, c, m, ap);                      \
        va_end(ap);                                                               \
        return r;                                                                 \
    }
TYPES(V_FORMS)

static void void_v(JNIEnv *env, jobject o, jclass c, jmethodID m, int kind, ...)
{
    va_list ap;
    va_start(ap, kind);
    if (kind == 0) {
        (*env)->CallVoidMethodV(env, o, m, ap);
    } else if (kind == 1) {
        (*env)->CallNonvirtualVoidMethodV(env, o, c, m, ap);
    } else {
        (*env)->CallStaticVoidMethodV(env, c, m, ap);
    }
    va_end(ap);
}

static void call_void(JNIEnv *env, jclass base, jobject o, jstring str)
{
    jvalue v[20];
    fill(v, str);
    jmethodID m = NEED((*env)->GetMethodID(env, base, "mVoid", SIG "V"));
    jmethodID s = NEED((*env)->GetStaticMethodID(env, base, "sVoid", SIG "V"));
    (*env)->CallVoidMethod(env, o, m, ARGS);
    (*env)->CallVoidMethodA(env, o, m, v);
    void_v(env, o, base, m, 0, ARGS);
    (*env)->CallNonvirtualVoidMethod(env, o, base, m, ARGS);
    (*env)->CallNonvirtualVoidMethodA(env, o, base, m, v);
    void_v(env, o, base, m, 1, ARGS);
    (*env)->CallStaticVoidMethod(env, base, s, ARGS);
    (*env)->CallStaticVoidMethodA(env, base, s, v);
    void_v(env, o, base, s, 2, ARGS);
}

EXPORT(jobject, Java_JniCalls_all, JNIEnv *env, jclass base, jobject o, jstring str)
{
    jvalue v[20];
    jobject last = NULL;
    fill(v, str);
#define RESULTS(N, T, S)                                                                 \
    {                                                                                    \
        jmethodID m = NEED((*env)->GetMethodID(env, base, "m" #N, SIG S));               \
        jmethodID s = NEED((*env)->GetStaticMethodID(env, base, "s" #N, SIG S));         \
        T r[9];                                                                          \
        r[0] = (*env)->Call##N##Method(env, o, m, ARGS);                                 \
        r[1] = (*env)->Call##N##MethodA(env, o, m, v);                                   \
        r[2] = virtual_v_##N(env, o, m, ARGS);                                           \
        r[3] = (*env)->CallNonvirtual##N##Method(env, o, base, m, ARGS);                 \
        r[4] = (*env)->CallNonvirtual##N##MethodA(env, o, base, m, v);                   \
        r[5] = nonvirtual_v_##N(env, o, base, m, ARGS);                                  \
        r[6] = (*env)->CallStatic##N##Method(env, base, s, ARGS);                        \
        r[7] = (*env)->CallStatic##N##MethodA(env, base, s, v);                          \
        r[8] = static_v_##N(env, base, s, ARGS);                                         \
        jmethodID tell = NEED((*env)->GetStaticMethodID(env, base, "tell", "(" S ")V")); \
        for (int i = 0; i < 9; i++) {                                                    \
            jvalue one;                                                                  \
            memset(&one, 0, sizeof one);                                                 \
            memcpy(&one, &r[i], sizeof r[i]);                                            \
            (*env)->CallStaticVoidMethodA(env, base, tell, &one);                        \
        }                                                                                \
        if (*S == 'L') {                                                                 \
            memcpy(&last, &r[3], sizeof r[3]);                                           \
        }                                                                                \
    }
    TYPES(RESULTS)
    call_void(env, base, o, str);
    return last;
}

EXPORT(void, Java_JniCalls_fields, JNIEnv *env, jclass base, jobject o){
#define FIELD(N, T, S)                                                     \
    {                                                                      \
        jfieldID f = NEED((*env)->GetFieldID(env, base, "f" #N, S));       \
        jfieldID s = NEED((*env)->GetStaticFieldID(env, base, "t" #N, S)); \
        T a = (*env)->Get##N##Field(env, o, f);                            \
        T b = (*env)->GetStatic##N##Field(env, base, s);                   \
        (*env)->Set##N##Field(env, o, f, b);                               \
        (*env)->SetStatic##N##Field(env, base, s, a);                      \
    }
    TYPES(FIELD)}

EXPORT(jstring, Java_JniCalls_mix__ZBCSIJFDLjava_lang_String_2IIIJJJDDDDDDDDDFFFBZ, JNIEnv *env,
       jobject self, jboolean z, jbyte b, jchar c, jshort s, jint i, jlong j, jfloat f,
       jdouble d, jstring str, jint i1, jint i2, jint i3, jlong j1, jlong j2, jlong j3,
       jdouble d1, jdouble d2, jdouble d3, jdouble d4, jdouble d5, jdouble d6, jdouble d7,
       jdouble d8, jdouble d9, jfloat f1, jfloat f2, jfloat f3, jbyte b1, jboolean z1)
{
    char buf[1024];
    const char *u = NEED((*env)->GetStringUTFChars(env, str, NULL));
    snprintf(buf, sizeof buf,
             "%d %d %d %d %d %lld %g %g %s | %d %d %d %lld %lld %lld | %g %g %g %g %g %g %g %g "
             "%g | %g %g %g %d %d %d",
             z, b, c, s, i, (long long)j, f, d, u, i1, i2, i3, (long long)j1, (long long)j2,
             (long long)j3, d1, d2, d3, d4, d5, d6, d7, d8, d9, f1, f2, f3, b1, z1,
             self != NULL);
    (*env)->ReleaseStringUTFChars(env, str, u);
    return (*env)->NewStringUTF(env, buf);
}

EXPORT(jstring, Java_JniCalls_mix__I, JNIEnv *env, jobject self, jint i)
{
    (void)self;
    char buf[32];
    snprintf(buf, sizeof buf, "int overload %d", i);
    return (*env)->NewStringUTF(env, buf);
}

#define IDENTITY(N, T, S)                                      \
    EXPORT(T, Java_JniCalls_id##N, JNIEnv *env, jclass c, T v) \
    {                                                          \
        (void)env;                                             \
        (void)c;                                               \
        return v;                                              \
    }
TYPES(IDENTITY)

EXPORT(jint, Java_JniCalls_under_1score_00024x, JNIEnv *env, jclass c)
{
    (void)env;
    (void)c;
    return 11;
}

EXPORT(jint, Java_JniCalls_uni_000e9, JNIEnv *env, jclass c)
{
    (void)env;
    (void)c;
    return 12;
}

EXPORT(jint, Java_JniCalls_00024Inner_nat, JNIEnv *env, jobject o, jint x)
{
    jclass c = (*env)->GetObjectClass(env, o);
    jfieldID f = NEED((*env)->GetFieldID(env, c, "v", "I"));
    return (*env)->GetIntField(env, o, f) + x;
}

EXPORT(jint, Java_JniCalls_sum, JNIEnv *env, jclass c, jint n)
{
    if (n == 0) {
        return 0;
    }
    jmethodID m = NEED((*env)->GetStaticMethodID(env, c, "up", "(I)I"));
    return n + (*env)->CallStaticIntMethod(env, c, m, n - 1);
}

EXPORT(jobject, Java_JniCalls_make, JNIEnv *env, jclass c, jint kind)
{
    jclass inner = NEED((*env)->FindClass(env, "JniCalls$Inner"));
    jmethodID m = NEED((*env)->GetMethodID(env, inner, "<init>", "(IJD)V"));
    jvalue v[3] = {{.i = 2}, {.j = 20}, {.d = 200}};
    (void)c;
    return kind == 0   ? (*env)->NewObject(env, inner, m, 1, (jlong)10, 100.0)
           : kind == 1 ? (*env)->NewObjectA(env, inner, m, v)
                       : (*env)->AllocObject(env, inner);
}
