// SPDX-License-Identifier: Apache-2.0
// Native half of JniStrings: modified UTF-8 and UTF-16 in both directions, regions, critical
// access.
#include "jnitest.h"

EXPORT(jbyteArray, Java_JniStrings_utf, JNIEnv *env, jclass c, jstring s)
{
    (void)c;
    jboolean copy = 9;
    jsize n = (*env)->GetStringUTFLength(env, s);
    const char *u = NEED((*env)->GetStringUTFChars(env, s, &copy));
    jbyteArray a = NEED((*env)->NewByteArray(env, n + 1));
    (*env)->SetByteArrayRegion(env, a, 0, n + 1, (const jbyte *)u);
    (*env)->ReleaseStringUTFChars(env, s, u);
    return a;
}

EXPORT(jstring, Java_JniStrings_fromUtf, JNIEnv *env, jclass c, jbyteArray b)
{
    (void)c;
    char buf[256] = "";
    jsize n = (*env)->GetArrayLength(env, b);
    (*env)->GetByteArrayRegion(env, b, 0, n, (jbyte *)buf);
    buf[n] = 0;
    return (*env)->NewStringUTF(env, buf);
}

EXPORT(jstring, Java_JniStrings_twice, JNIEnv *env, jclass c, jstring s)
{
    (void)c;
    jchar buf[512];
    jsize n = (*env)->GetStringLength(env, s);
    const jchar *u = NEED((*env)->GetStringChars(env, s, NULL));
    memcpy(buf, u, (size_t)n * 2);
    (*env)->ReleaseStringChars(env, s, u);
    const jchar *k = NEED((*env)->GetStringCritical(env, s, NULL));
    for (jsize i = 0; i < n; i++) {
        buf[n + i] = k[n - 1 - i];
    }
    (*env)->ReleaseStringCritical(env, s, k);
    return (*env)->NewString(env, buf, 2 * n);
}

EXPORT(jstring, Java_JniStrings_region, JNIEnv *env, jclass c, jstring s, jint from, jint len)
{
    (void)c;
    jchar buf[256];
    (*env)->GetStringRegion(env, s, from, len, buf);
    if ((*env)->ExceptionCheck(env)) {
        return NULL;
    }
    return (*env)->NewString(env, buf, len);
}

EXPORT(jstring, Java_JniStrings_utfRegion, JNIEnv *env, jclass c, jstring s, jint from,
       jint len)
{
    (void)c;
    char buf[256];
    memset(buf, 'x', sizeof buf);
    (*env)->GetStringUTFRegion(env, s, from, len, buf);
    if ((*env)->ExceptionCheck(env)) {
        return NULL;
    }
    return (*env)->NewStringUTF(env, buf);
}

EXPORT(jstring, Java_JniStrings_nulls, JNIEnv *env, jclass c)
{
    (void)c;
    return (*env)->NewStringUTF(env, NULL);
}

EXPORT(jstring, Java_JniStrings_empty, JNIEnv *env, jclass c)
{
    (void)c;
    return (*env)->NewString(env, (const jchar[]){0}, 0);
}
