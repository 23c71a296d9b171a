// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Exhausted.java: says what ResourceExhausted reports.
#include "ti_common.h"

static void JNICALL on_exhausted(jvmtiEnv *env, JNIEnv *jni, jint flags, const void *reserved,
                                 const char *description)
{
    (void)env, (void)jni;
    say("exhausted %d %s %s", (int)flags, reserved ? "reserved" : "null", description);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiEnv *ti;
    jvmtiCapabilities wanted = {.can_generate_resource_exhaustion_heap_events = 1,
                                .can_generate_resource_exhaustion_threads_events = 1};
    jvmtiEventCallbacks callbacks = {.ResourceExhausted = on_exhausted};
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    say("capabilities %d", (int)(*ti)->AddCapabilities(ti, &wanted));
    say("callbacks %d", (int)(*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    say("enable %d", (int)(*ti)->SetEventNotificationMode(
                         ti, JVMTI_ENABLE, JVMTI_EVENT_RESOURCE_EXHAUSTED, NULL));
    return JNI_OK;
}
