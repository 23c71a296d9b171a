// SPDX-License-Identifier: Apache-2.0
// Pops the frame at each breakpoint, once. For tests/agents/PopChanged.java.
#include "ti_common.h"

static jvmtiEnv *ti;

static void JNICALL on_break(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                             jlocation at)
{
    (void)jni;
    MUST((*env)->ClearBreakpoint(env, m, at));
    MUST((*env)->PopFrame(env, thread));
}

EXPORT(void, Java_PopChanged_popAt, JNIEnv *jni, jclass unused, jclass c, jstring name,
       jstring desc, jint location)
{
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL),
               *d = (*jni)->GetStringUTFChars(jni, desc, NULL);
    (void)unused;
    MUST((*ti)->SetBreakpoint(ti, (*jni)->GetStaticMethodID(jni, c, n, d), location));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities caps = {.can_pop_frame = 1, .can_generate_breakpoint_events = 1};
    jvmtiEventCallbacks callbacks = {.Breakpoint = on_break};
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    MUST((*ti)->AddCapabilities(ti, &caps));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    return JNI_OK;
}
