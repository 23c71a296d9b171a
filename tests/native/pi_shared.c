// SPDX-License-Identifier: Apache-2.0
// For tests/agents/PiShared.java: JVMPI wants the events of calls all the time, an environment of JVM TI now and then.
#include <pthread.h>

#include "pi_common.h"
#include "ti_common.h"

static JavaVM *jvm;
static jvmtiEnv *ti;
static jmethodID method;
static _Thread_local long entries, exits; // of the method, by JVMPI
static _Atomic long by_ti;

static void notify(JVMPI_Event *event)
{
    if (event->event_type == JVMPI_EVENT_METHOD_ENTRY)
        entries += event->u.method.method_id == method;
    else if (event->event_type == JVMPI_EVENT_METHOD_EXIT)
        exits += event->u.method.method_id == method;
}

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)env, (void)jni, (void)t;
    by_ti += m == method;
}

EXPORT(void, Java_PiShared_begin, JNIEnv *jni, jclass c)
{
    method = (*jni)->GetStaticMethodID(jni, c, "called", "(I)I");
    ti = new_env(jvm, JVMTI_VERSION_11);
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1,
                                .can_generate_method_exit_events = 1};
    jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry};
    MUST((*ti)->AddCapabilities(ti, &wanted));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    pi_enable(JVMPI_EVENT_METHOD_ENTRY);
    pi_enable(JVMPI_EVENT_METHOD_EXIT);
}

EXPORT(void, Java_PiShared_toggle, JNIEnv *jni, jclass c, jboolean on)
{
    (void)jni, (void)c;
    (on ? enable : disable)(ti, JVMTI_EVENT_METHOD_ENTRY);
    (on ? enable : disable)(ti, JVMTI_EVENT_METHOD_EXIT);
}

// Of the thread: how many events came since the last call, less `expected`.
EXPORT(jlong, Java_PiShared_missing, JNIEnv *jni, jclass c, jlong expected)
{
    (void)jni, (void)c;
    jlong missing = 2 * expected - entries - exits;
    entries = exits = 0;
    return missing;
}

EXPORT(jboolean, Java_PiShared_seen, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return by_ti > 0;
}

EXPORT(jint, JVM_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvm = vm;
    pi_start(vm, JVMPI_VERSION_1_1, notify);
    return JNI_OK;
}
