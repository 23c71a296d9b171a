// SPDX-License-Identifier: Apache-2.0
// JNI: strings. What Get…Chars hands out is a copy in C memory, always NUL-terminated. A String that
// has no value yet is an empty one; GetStringChars and GetStringUTFChars have no characters of it and
// return NULL without an exception, as HotSpot's do.
#include "base/mutf8.h"
#include "java/exception.h"
#include "java/string.h"
#include "jni/jni_internal.h"

static jstring JNICALL NewString(JNIEnv *env, const jchar *chars, jsize len)
{
    IN_VM(env);
    if (len < 0) {
        throw_new(self, "java/lang/NegativeArraySizeException", "%d", len);
        return NULL;
    }
    return string_from_utf16(self, chars, (size_t)len);
}
static jsize JNICALL GetStringLength(JNIEnv *env, jstring s)
{
    IN_VM(env);
    return string_length(deref(s));
}
static const jchar *copy_chars(Thread *self, jstring s, jboolean *is_copy)
{
    int32_t len = string_length(deref(s));
    jchar *chars = jni_copy_memory(self, ((size_t)len + 1) * sizeof *chars);
    if (!chars)
        return NULL;
    string_get_utf16(deref(s), 0, len, chars);
    chars[len] = 0;
    if (is_copy)
        *is_copy = JNI_TRUE;
    return chars;
}
static const jchar *JNICALL GetStringChars(JNIEnv *env, jstring s, jboolean *is_copy)
{
    IN_VM(env);
    return string_has_value(deref(s)) ? copy_chars(self, s, is_copy) : NULL;
}
static const jchar *JNICALL GetStringCritical(JNIEnv *env, jstring s, jboolean *is_copy)
{
    IN_VM(env);
    return copy_chars(self, s, is_copy);
}
static void JNICALL ReleaseStringChars(JNIEnv *env, jstring s, const jchar *chars)
{
    (void)env, (void)s;
    vm_free((void *)chars);
}
static jstring JNICALL NewStringUTF(JNIEnv *env, const char *bytes)
{
    IN_VM(env);
    return bytes ? string_from_mutf8(self, bytes) : NULL;
}
static jsize JNICALL GetStringUTFLength(JNIEnv *env, jstring s)
{
    IN_VM(env);
    return (jsize)string_mutf8_length(deref(s));
}
static const char *JNICALL GetStringUTFChars(JNIEnv *env, jstring s, jboolean *is_copy)
{
    IN_VM(env);
    if (!string_has_value(deref(s)))
        return NULL;
    size_t len = string_mutf8_length(deref(s));
    char *chars = jni_copy_memory(self, len + 1);
    if (!chars)
        return NULL;
    string_put_mutf8(deref(s), chars);
    chars[len] = 0;
    if (is_copy)
        *is_copy = JNI_TRUE;
    return chars;
}
static void JNICALL ReleaseStringUTFChars(JNIEnv *env, jstring s, const char *chars)
{
    (void)env, (void)s;
    vm_free((void *)chars);
}

static bool check_region(Thread *self, Object *s, jsize start, jsize len)
{
    int32_t total = string_length(s);
    if (start >= 0 && len >= 0 && start <= total - len)
        return true;
    throw_null(self, "java/lang/StringIndexOutOfBoundsException");
    return false;
}
static void JNICALL GetStringRegion(JNIEnv *env, jstring s, jsize start, jsize len, jchar *out)
{
    IN_VM(env);
    if (check_region(self, deref(s), start, len))
        string_get_utf16(deref(s), start, len, out);
}
static void JNICALL GetStringUTFRegion(JNIEnv *env, jstring s, jsize start, jsize len,
                                       char *out)
{
    IN_VM(env);
    if (!check_region(self, deref(s), start, len))
        return;
    if (len == 0 && !out)
        return; // as HotSpot: nowhere to put the NUL
    char *p = out;
    for (jsize i = start; i < start + len; i++) {
        uint16_t c = string_char_at(deref(s), i);
        p += mutf8_from_utf16(&c, 1, p);
    }
    *p = '\0';
}

void jni_fill_strings(struct JNINativeInterface_ *t)
{
    t->NewString = NewString;
    t->GetStringLength = GetStringLength;
    t->GetStringChars = GetStringChars;
    t->GetStringCritical = GetStringCritical;
    t->ReleaseStringChars = t->ReleaseStringCritical = ReleaseStringChars;
    t->NewStringUTF = NewStringUTF;
    t->GetStringUTFLength = GetStringUTFLength;
    t->GetStringUTFChars = GetStringUTFChars;
    t->ReleaseStringUTFChars = ReleaseStringUTFChars;
    t->GetStringRegion = GetStringRegion;
    t->GetStringUTFRegion = GetStringUTFRegion;
}
