// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Prefixes.java.
#include "ti_common.h"

static jvmtiEnv *ti, *outer;

static jint JNICALL body(JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 7;
}

EXPORT(void, Java_Prefixes_register, JNIEnv *jni, jclass c, jstring name, jobjectArray prefixes)
{
    char *list[4];
    jint count = (*jni)->GetArrayLength(jni, prefixes);
    for (jint i = 0; i < count; i++) {
        jstring s = (*jni)->GetObjectArrayElement(jni, prefixes, i);
        list[i] = (char *)(*jni)->GetStringUTFChars(jni, s, NULL);
    }
    MUST((*ti)->SetNativeMethodPrefixes(ti, count, list));
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    JNINativeMethod row = {(char *)text, "()I", (void *)body};
    jint rc = (*jni)->RegisterNatives(jni, c, &row, 1);
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    say("register %s: %d %s", text, (int)rc,
        thrown ? class_name(ti, (*jni)->GetObjectClass(jni, thrown)) : "");
}

// Found without RegisterNatives.
EXPORT(jint, Java_Prefixes_layered, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 1;
}
EXPORT(jint, Java_Prefixes_gap, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 2;
}
EXPORT(jint, Java_Prefixes_in_1own, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 3;
}
EXPORT(jint, Java_Prefixes_own, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 4;
}

// Two environments with a prefix each.
EXPORT(void, Java_Prefixes_layers, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->SetNativeMethodPrefix(ti, "in_"));
    MUST((*outer)->SetNativeMethodPrefix(outer, "out_"));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_set_native_method_prefix = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    outer = new_env(vm, JVMTI_VERSION_11);
    MUST((*outer)->AddCapabilities(outer, &want));
    MUST((*outer)->SetNativeMethodPrefix(outer, "early_"));
    return JNI_OK;
}
