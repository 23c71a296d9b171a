// SPDX-License-Identifier: Apache-2.0
// Functions of JniCompiled.java.
#include "jnitest.h"

static int64_t mix(int64_t sum, int64_t x)
{
    return (int64_t)((uint64_t)sum * 31 + (uint64_t)x);
}

EXPORT(jlong, Java_JniCompiled_numbers, JNIEnv *env, jclass c, jboolean z, jbyte b, jchar ch,
       jshort s, jint i, jlong j, jfloat f, jdouble d, jbyte b2, jboolean z2, jchar c2,
       jshort s2, jdouble d1, jdouble d2, jdouble d3, jdouble d4, jdouble d5, jdouble d6,
       jfloat f7, jfloat f8, jlong j2)
{
    NEED((*env)->GetStaticMethodID(env, c, "between", "()V"));
    const int64_t all[] = {z,
                           b,
                           ch,
                           s,
                           i,
                           j,
                           (jlong)(f * 2),
                           (jlong)(d * 4),
                           b2,
                           z2,
                           c2,
                           s2,
                           (jlong)d1,
                           (jlong)d2,
                           (jlong)d3,
                           (jlong)d4,
                           (jlong)d5,
                           (jlong)d6,
                           (jlong)f7,
                           (jlong)f8,
                           j2};
    int64_t sum = 0;
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        sum = mix(sum, all[n]);
    return sum;
}

EXPORT(jlong, Java_JniCompiled_numbersOf, JNIEnv *env, jobject self, jlong j, jbyte b, jchar c,
       jshort s, jint i, jboolean z, jfloat f, jshort s2)
{
    NEED((*env)->GetObjectClass(env, self));
    return mix(mix(mix(mix(mix(mix(mix(mix(1, j), b), c), s), i), z), (jlong)f), s2);
}

EXPORT(jobject, Java_JniCompiled_pick, JNIEnv *env, jclass cls, jint which, jobject a,
       jobject b, jobject c, jobject d, jobject e, jdouble x, jobject f)
{
    (void)env, (void)cls, (void)x;
    jobject all[] = {a, b, c, d, e, f};
    return all[which];
}

EXPORT(jobject, Java_JniCompiled_pickOf, JNIEnv *env, jobject self, jint which, jobject a,
       jobject b, jobject c, jobject d, jobject e)
{
    (void)env, (void)self;
    jobject all[] = {a, b, c, d, e};
    return all[which];
}

EXPORT(jboolean, Java_JniCompiled_isOdd, JNIEnv *env, jclass c, jint i)
{
    (void)env, (void)c;
    return (jboolean)(i & 1);
}

EXPORT(jbyte, Java_JniCompiled_toByte, JNIEnv *env, jclass c, jint i)
{
    (void)env, (void)c;
    return (jbyte)i;
}

EXPORT(jchar, Java_JniCompiled_toChar, JNIEnv *env, jclass c, jint i)
{
    (void)env, (void)c;
    return (jchar)i;
}

EXPORT(jshort, Java_JniCompiled_toShort, JNIEnv *env, jclass c, jint i)
{
    (void)env, (void)c;
    return (jshort)i;
}

EXPORT(jfloat, Java_JniCompiled_half, JNIEnv *env, jclass c, jfloat f)
{
    (void)env, (void)c;
    return f / 2;
}

EXPORT(jdouble, Java_JniCompiled_halfOf, JNIEnv *env, jclass c, jdouble d)
{
    (void)env, (void)c;
    return d / 2;
}

EXPORT(jint, Java_JniCompiled_leaveReferences, JNIEnv *env, jclass c, jobject o, jint count)
{
    (void)c;
    for (int i = 0; i < count; i++)
        NEED((*env)->NewLocalRef(env, o));
    return count;
}

EXPORT(jint, Java_JniCompiled_leaveFrame, JNIEnv *env, jclass c, jobject o)
{
    (void)c;
    if ((*env)->PushLocalFrame(env, 10) != JNI_OK)
        return -1;
    NEED((*env)->NewLocalRef(env, o));
    return 1;
}

static jobject kept;

EXPORT(void, Java_JniCompiled_keep, JNIEnv *env, jclass c, jobject o)
{
    jmethodID between = NEED((*env)->GetStaticMethodID(env, c, "between", "()V"));
    kept = NEED((*env)->NewLocalRef(env, o));
    (*env)->CallStaticVoidMethod(env, c, between);
}

EXPORT(void, Java_JniCompiled_deleteKept, JNIEnv *env, jclass c)
{
    (void)c;
    (*env)->DeleteLocalRef(env, kept);
}

EXPORT(void, Java_JniCompiled_thrower, JNIEnv *env, jclass c, jstring text)
{
    (void)c;
    const char *s = NEED((*env)->GetStringUTFChars(env, text, NULL));
    (*env)->ThrowNew(env, NEED((*env)->FindClass(env, "java/lang/IllegalStateException")), s);
    (*env)->ReleaseStringUTFChars(env, text, s);
}

EXPORT(jobject, Java_JniCompiled_collect, JNIEnv *env, jclass c, jobject o)
{
    (void)c;
    jclass system = NEED((*env)->FindClass(env, "java/lang/System"));
    jmethodID gc = NEED((*env)->GetStaticMethodID(env, system, "gc", "()V"));
    (*env)->CallStaticVoidMethod(env, system, gc);
    return o;
}

EXPORT(void, Java_JniCompiled_waitForStop, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    for (volatile int i = 0; i < 1000; i++) {
    }
}

static jint JNICALL first(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return 1;
}

static jint JNICALL second(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return 2;
}

EXPORT(void, Java_JniCompiled_register, JNIEnv *env, jclass c, jboolean other)
{
    JNINativeMethod m = {(char *)"which", (char *)"()I", (void *)(other ? second : first)};
    (*env)->UnregisterNatives(env, c);
    if ((*env)->RegisterNatives(env, c, &m, 1) != JNI_OK)
        abort();
}
