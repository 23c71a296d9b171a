// SPDX-License-Identifier: Apache-2.0
// For tests/agents/ThreadEnds.java: names the threads of the program as they end. VMDeath is not asked for.
#include "ti_common.h"

static void JNICALL on_end(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    const char *name = thread_name(env, jni, thread);
    if (strcmp(name, "main") == 0 || strcmp(name, "DestroyJavaVM") == 0
        || strcmp(name, "another") == 0)
        say("end of %s", name);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_11);
    jvmtiEventCallbacks calls = {.ThreadEnd = on_end};
    MUST((*env)->SetEventCallbacks(env, &calls, sizeof calls));
    enable(env, JVMTI_EVENT_THREAD_END);
    return JNI_OK;
}
