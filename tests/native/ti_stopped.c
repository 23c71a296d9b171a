// SPDX-License-Identifier: Apache-2.0
// For tests/agents/StopPlaces.java: out of which method what stops a thread comes, and which end by it.
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "ti_common.h"

static jvmtiEnv *ti;

static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                 jlocation at, jobject exception, jmethodID catcher,
                                 jlocation catch_at)
{
    (void)at, (void)catch_at;
    if (strcmp(class_name(env, (*jni)->GetObjectClass(jni, exception)),
               "Ljava/lang/ThreadDeath;"))
        return;
    jboolean native;
    MUST((*env)->IsMethodNative(env, method, &native));
    say("%s: thrown in %s%s", thread_name(env, jni, thread), method_name(env, jni, method),
        native ? ", native" : "");
    say("%s: caught in %s", thread_name(env, jni, thread), method_name(env, jni, catcher));
}

static void JNICALL on_exit_(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                             jboolean by_exception, jvalue value)
{
    (void)value;
    if (by_exception && strncmp(thread_name(env, jni, thread), "stopped", 7) == 0)
        say("%s: %s ends by it", thread_name(env, jni, thread), method_name(env, jni, method));
}

static atomic_bool asking;

EXPORT(jboolean, Java_StopPlaces_asks, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return atomic_load(&asking);
}

EXPORT(void, Java_StopPlaces_ask, JNIEnv *jni, jclass c, jboolean occurred)
{
    (void)c;
    bool found = false;
    atomic_store(&asking, true);
    for (int i = 0; !found && i < 20000; i++) {
        usleep(1000);
        found = occurred ? (*jni)->ExceptionOccurred(jni) != NULL : (*jni)->ExceptionCheck(jni);
    }
    atomic_store(&asking, false);
    say("native code %s", found ? "found it" : "was not told");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_exception_events = 1,
                              .can_generate_method_exit_events = 1};
    jvmtiEventCallbacks calls = {.Exception = on_exception, .MethodExit = on_exit_};
    MUST((*ti)->AddCapabilities(ti, &want));
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    enable(ti, JVMTI_EVENT_EXCEPTION);
    enable(ti, JVMTI_EVENT_METHOD_EXIT);
    return JNI_OK;
}
