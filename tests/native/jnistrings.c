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

EXPORT(jstring, Java_JniStrings_ofLength, JNIEnv *env, jclass c, jint length)
{
    (void)c;
    static const jchar chars[] = {'a', 'b'};
    return (*env)->NewString(env, chars, length);
}

// Nothing of a string, into nothing.
EXPORT(jboolean, Java_JniStrings_regionNowhere, JNIEnv *env, jclass c, jstring s, jint from)
{
    (void)c;
    (*env)->GetStringUTFRegion(env, s, from, 0, NULL);
    return !(*env)->ExceptionCheck(env);
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

// ---- JniUninitializedStrings: results as numbers or texts, -1 or "NULL" for no characters ----
EXPORT(jstring, Java_JniUninitializedStrings_allocated, JNIEnv *env, jclass c)
{
    (void)c;
    return (*env)->AllocObject(env, NEED((*env)->FindClass(env, "java/lang/String")));
}

EXPORT(jint, Java_JniUninitializedStrings_length, JNIEnv *env, jclass c, jstring s)
{
    (void)c;
    return (*env)->GetStringLength(env, s);
}

EXPORT(jint, Java_JniUninitializedStrings_utfLength, JNIEnv *env, jclass c, jstring s)
{
    (void)c;
    return (*env)->GetStringUTFLength(env, s);
}

static jstring describe_chars(JNIEnv *env, const void *chars, int unit, jboolean is_copy)
{
    static const char zeros[2];
    char text[64];
    snprintf(text, sizeof text, "%s, is_copy %d",
             !chars                               ? "NULL"
             : memcmp(chars, zeros, (size_t)unit) ? "characters"
                                                  : "empty",
             is_copy);
    return (*env)->NewStringUTF(env, text);
}

EXPORT(jstring, Java_JniUninitializedStrings_chars, JNIEnv *env, jclass c, jstring s,
       jboolean critical)
{
    (void)c;
    jboolean is_copy = 9;
    const jchar *chars = critical ? (*env)->GetStringCritical(env, s, &is_copy)
                                  : (*env)->GetStringChars(env, s, &is_copy);
    jchar first = chars ? *chars : 0;
    if (critical)
        (*env)->ReleaseStringCritical(env, s, chars);
    else if (chars)
        (*env)->ReleaseStringChars(env, s, chars);
    return describe_chars(env, chars ? &first : NULL, sizeof first, is_copy);
}

EXPORT(jstring, Java_JniUninitializedStrings_utfChars, JNIEnv *env, jclass c, jstring s)
{
    (void)c;
    jboolean is_copy = 9;
    const char *chars = (*env)->GetStringUTFChars(env, s, &is_copy);
    jstring text = describe_chars(env, chars, 1, is_copy);
    if (chars)
        (*env)->ReleaseStringUTFChars(env, s, chars);
    return text;
}

EXPORT(jint, Java_JniUninitializedStrings_region, JNIEnv *env, jclass c, jstring s, jint from,
       jint len)
{
    (void)c;
    jchar out[4] = {7, 7, 7, 7};
    (*env)->GetStringRegion(env, s, from, len, out);
    return out[0];
}

EXPORT(jint, Java_JniUninitializedStrings_utfRegion, JNIEnv *env, jclass c, jstring s,
       jint from, jint len)
{
    (void)c;
    char out[4] = {7, 7, 7, 7};
    (*env)->GetStringUTFRegion(env, s, from, len, out);
    return out[0];
}
