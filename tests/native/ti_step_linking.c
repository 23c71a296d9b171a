// SPDX-License-Identifier: Apache-2.0
// For tests/agents/StepLinking.java: the methods that one thread is stepped through, each as it is come to. Of those that are
// not the test's own only that there were some.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static jmethodID last;
static bool elsewhere;

static void JNICALL stepped(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                            jlocation at)
{
    (void)jni, (void)thread, (void)at;
    if (method == last)
        return;
    last = method;
    jclass owner;
    char *name, *signature;
    MUST((*env)->GetMethodDeclaringClass(env, method, &owner));
    MUST((*env)->GetMethodName(env, method, &name, &signature, NULL));
    const char *of = class_name(env, owner);
    if (strncmp(of, "LStepLinking", 12) == 0) {
        say("  %s.%s", strstr(of, "$$") ? "(hidden)" : of,
            strncmp(name, "lambda$", 7) ? name : "lambda");
        elsewhere = false;
    } else if (!elsewhere) {
        say("  elsewhere");
        elsewhere = true;
    }
    MUST((*env)->Deallocate(env, (unsigned char *)name));
    MUST((*env)->Deallocate(env, (unsigned char *)signature));
}

EXPORT(void, Java_StepLinking_step, JNIEnv *jni, jclass c, jboolean on)
{
    (void)jni, (void)c;
    last = NULL;
    elsewhere = false;
    jthread self;
    MUST((*ti)->GetCurrentThread(ti, &self));
    MUST((*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                         JVMTI_EVENT_SINGLE_STEP, self));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_single_step_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.SingleStep = stepped};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return JNI_OK;
}
