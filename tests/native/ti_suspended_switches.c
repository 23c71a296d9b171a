// SPDX-License-Identifier: Apache-2.0
// For tests/agents/SuspendedSwitches.java: one thread switches the events of calls on and off, for which the world is stopped; another one
// suspends it at any place, switches events as well, and resumes it.
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static atomic_bool done;
static atomic_long entries;

static void JNICALL entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)env, (void)jni, (void)thread, (void)method;
    atomic_fetch_add(&entries, 1);
}

static void JNICALL load(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)env, (void)jni, (void)thread, (void)c;
}

EXPORT(void, Java_SuspendedSwitches_switchCalls, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    while (!atomic_load(&done)) {
        enable(ti, JVMTI_EVENT_METHOD_ENTRY);
        disable(ti, JVMTI_EVENT_METHOD_ENTRY);
    }
}

static int64_t millis(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

EXPORT(jboolean, Java_SuspendedSwitches_suspendAndSwitch, JNIEnv *jni, jclass c, jthread thread,
       jint for_millis)
{
    (void)jni, (void)c;
    jint times = 0;
    for (int64_t end = millis() + for_millis; millis() < end; times++) {
        MUST((*ti)->SuspendThread(ti, thread));
        enable(ti, JVMTI_EVENT_CLASS_LOAD);
        disable(ti, JVMTI_EVENT_CLASS_LOAD);
        MUST((*ti)->ResumeThread(ti, thread));
    }
    atomic_store(&done, true);
    return times > 10;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_suspend = 1, .can_generate_method_entry_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.MethodEntry = entry, .ClassLoad = load};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return JNI_OK;
}
