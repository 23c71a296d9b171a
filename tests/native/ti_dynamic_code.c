// SPDX-License-Identifier: Apache-2.0
// What DynamicCode.java asks of two environments that listen to DynamicCodeGenerated.
#include <stdint.h>

#include "ti_common.h"

static jvmtiEnv *envs[2];
static const char *looked_for;
static int told[2];
static int stubs;
static _Atomic int of_odd_shape; // posted by a thread of the VM

static void JNICALL on_code(jvmtiEnv *env, const char *name, const void *code, jint size)
{
    if (looked_for && looked_for == (const char *)code && name[0] && size > 0)
        told[env == envs[1]]++;
    of_odd_shape += strstr(name, "FDJFDJ") != NULL && code && size > 0;
    stubs += strncmp(name, "native call ", 12) == 0 && code && size > 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiEventCallbacks callbacks = {.DynamicCodeGenerated = on_code};
    for (int i = 0; i < 2; i++) {
        envs[i] = new_env(vm, JVMTI_VERSION_11);
        MUST((*envs[i])->SetEventCallbacks(envs[i], &callbacks, sizeof callbacks));
    }
    return JNI_OK;
}

EXPORT(void, Java_DynamicCode_listen, JNIEnv *jni, jclass cls, jint env, jboolean on)
{
    (void)jni, (void)cls;
    MUST((*envs[env])
             ->SetEventNotificationMode(envs[env], on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                        JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL));
}

EXPORT(void, Java_DynamicCode_lookFor, JNIEnv *jni, jclass cls, jlong address)
{
    (void)jni, (void)cls;
    looked_for = (const char *)(uintptr_t)address;
    told[0] = told[1] = 0;
}

EXPORT(jint, Java_DynamicCode_stubs, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    return stubs;
}

EXPORT(void, Java_DynamicCode_unlike, JNIEnv *jni, jclass cls, jbyte a, jobject b, jfloat c,
       jshort d, jdouble e)
{
    MUST(jni && cls && a == 1 && !b && c == 2 && d == 3 && e == 4 ? JVMTI_ERROR_NONE
                                                                  : JVMTI_ERROR_INTERNAL);
}

EXPORT(void, Java_DynamicCode_generate, JNIEnv *jni, jclass cls, jint env)
{
    (void)jni, (void)cls;
    stubs = 0;
    MUST((*envs[env])->GenerateEvents(envs[env], JVMTI_EVENT_DYNAMIC_CODE_GENERATED));
}

EXPORT(jint, Java_DynamicCode_told, JNIEnv *jni, jclass cls, jint env)
{
    (void)jni, (void)cls;
    return told[env];
}

EXPORT(jint, Java_DynamicCode_ofOddShape, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    return of_odd_shape;
}
