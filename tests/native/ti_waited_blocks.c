// SPDX-License-Identifier: Apache-2.0
// For tests/agents/WaitedBlocks.java: the callbacks of MonitorWaited and MonitorContendedEnter enter another monitor, for which they
// have to wait.
#include <stdatomic.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static jobject watched, other;
static atomic_int blocked, passed;

static void pass_other(JNIEnv *jni, jobject object)
{
    if (!watched || !(*jni)->IsSameObject(jni, object, watched))
        return;
    atomic_fetch_add(&blocked, 1);
    (*jni)->MonitorEnter(jni, other);
    (*jni)->MonitorExit(jni, other);
    atomic_fetch_add(&passed, 1);
}

static void JNICALL waited(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object,
                           jboolean timed_out)
{
    (void)env, (void)thread, (void)timed_out;
    pass_other(jni, object);
}

static void JNICALL contended(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object)
{
    (void)env, (void)thread;
    pass_other(jni, object);
}

// MonitorWaited or MonitorContendedEnter of `object` enters `through`.
EXPORT(void, Java_WaitedBlocks_watch, JNIEnv *jni, jclass c, jint event, jobject object,
       jobject through)
{
    (void)c;
    watched = (*jni)->NewGlobalRef(jni, object);
    other = (*jni)->NewGlobalRef(jni, through);
    atomic_store(&blocked, 0);
    atomic_store(&passed, 0);
    enable(ti, (jvmtiEvent)event);
}

EXPORT(void, Java_WaitedBlocks_ignore, JNIEnv *jni, jclass c, jint event)
{
    (void)jni, (void)c;
    disable(ti, (jvmtiEvent)event);
}

EXPORT(jint, Java_WaitedBlocks_blocked, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return atomic_load(&blocked);
}

EXPORT(jint, Java_WaitedBlocks_passed, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return atomic_load(&passed);
}

EXPORT(jobject, Java_WaitedBlocks_contendedOf, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    jobject monitor = NULL;
    MUST((*ti)->GetCurrentContendedMonitor(ti, thread, &monitor));
    return monitor;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_monitor_events = 1,
                              .can_get_current_contended_monitor = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.MonitorWaited = waited,
                                     .MonitorContendedEnter = contended};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return JNI_OK;
}
