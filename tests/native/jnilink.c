// SPDX-License-Identifier: Apache-2.0
// Native half of JniLink: calls of interface methods on any receiver, names that are too long, stores into arrays.
#include "jnitest.h"

EXPORT(jobject, Java_JniLink_call, JNIEnv *env, jclass c, jobject o, jclass type, jstring name,
       jboolean nonvirtual)
{
    (void)c;
    const char *text = NEED((*env)->GetStringUTFChars(env, name, NULL));
    jmethodID m = (*env)->GetMethodID(env, type, text, "()Ljava/lang/String;");
    (*env)->ReleaseStringUTFChars(env, name, text);
    if (!m)
        return NULL;
    return nonvirtual ? (*env)->CallNonvirtualObjectMethod(env, o, type, m)
                      : (*env)->CallObjectMethod(env, o, m);
}

EXPORT(jclass, Java_JniLink_find, JNIEnv *env, jclass c, jstring name)
{
    (void)c;
    const char *text = name ? NEED((*env)->GetStringUTFChars(env, name, NULL)) : NULL;
    jclass found = (*env)->FindClass(env, text);
    if (text)
        (*env)->ReleaseStringUTFChars(env, name, text);
    return found;
}

EXPORT(jclass, Java_JniLink_define, JNIEnv *env, jclass c, jstring name)
{
    (void)c;
    const char *text = NEED((*env)->GetStringUTFChars(env, name, NULL));
    jbyte bytes[8] = {0};
    jclass made = (*env)->DefineClass(env, text, NULL, bytes, sizeof bytes);
    (*env)->ReleaseStringUTFChars(env, name, text);
    return made;
}

EXPORT(void, Java_JniLink_store, JNIEnv *env, jclass c, jobjectArray array, jint i, jobject o)
{
    (void)c;
    (*env)->SetObjectArrayElement(env, array, i, o);
}
