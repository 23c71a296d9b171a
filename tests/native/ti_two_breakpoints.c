// SPDX-License-Identifier: Apache-2.0
// For TwoBreakpoints: two environments with a breakpoint at the same place.
#include "ti_common.h"

enum { ENVS = 2 };
static jvmtiEnv *envs[ENVS];
static int hits[ENVS];

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation location)
{
    (void)jni, (void)thread, (void)method, (void)location;
    hits[env == envs[1]]++;
}

EXPORT(jint, Java_TwoBreakpoints_change, JNIEnv *jni, jclass c, jint index, jboolean set)
{
    jvmtiEnv *env = envs[index];
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, "called", "()V");
    return (jint)(set ? (*env)->SetBreakpoint(env, m, 0) : (*env)->ClearBreakpoint(env, m, 0));
}

EXPORT(void, Java_TwoBreakpoints_dispose, JNIEnv *jni, jclass c, jint index)
{
    (void)jni, (void)c;
    MUST((*envs[index])->DisposeEnvironment(envs[index]));
}

EXPORT(jint, Java_TwoBreakpoints_takeHits, JNIEnv *jni, jclass c, jint index)
{
    (void)jni, (void)c;
    int taken = hits[index];
    hits[index] = 0;
    return taken;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    for (int i = 0; i < ENVS; i++) {
        jvmtiCapabilities capabilities = {.can_generate_breakpoint_events = 1};
        jvmtiEventCallbacks callbacks = {.Breakpoint = on_breakpoint};
        envs[i] = new_env(vm, JVMTI_VERSION);
        MUST((*envs[i])->AddCapabilities(envs[i], &capabilities));
        MUST((*envs[i])->SetEventCallbacks(envs[i], &callbacks, sizeof callbacks));
        enable(envs[i], JVMTI_EVENT_BREAKPOINT);
    }
    return JNI_OK;
}
