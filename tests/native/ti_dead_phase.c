// SPDX-License-Identifier: Apache-2.0
// For tests/agents/DeadPhase.java: counts the events that come in the dead phase, while threads of the agent use what guards capabilities.
#include <unistd.h>

#include "ti_common.h"

enum { BUSY = 4, HOT = 3 };

static jvmtiEnv *ti;
static _Atomic int dying, unloading;
static _Atomic long late; // events in the dead phase

static void note(jvmtiEnv *env)
{
    jvmtiPhase phase;
    if (dying && (*env)->GetPhase(env, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_DEAD)
        late++;
}

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)jni, (void)t, (void)m;
    note(env);
}

static void JNICALL on_exit_of(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                               jboolean thrown, jvalue v)
{
    (void)jni, (void)t, (void)m, (void)thrown, (void)v;
    note(env);
}

static void JNICALL on_death(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
    usleep(2000); // others are at the lock when this thread goes on
    dying = 1;
}

static void JNICALL busy(jvmtiEnv *env, JNIEnv *jni, void *unused)
{
    (void)jni, (void)unused;
    jvmtiCapabilities some = {.can_tag_objects = 1};
    while (!unloading) {
        (*env)->AddCapabilities(env, &some);
        (*env)->RelinquishCapabilities(env, &some);
    }
}

EXPORT(void, Java_DeadPhase_begin, JNIEnv *jni, jclass c)
{
    (void)c;
    enable(ti, JVMTI_EVENT_METHOD_ENTRY);
    enable(ti, JVMTI_EVENT_METHOD_EXIT);
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID init = (*jni)->GetMethodID(jni, thread, "<init>", "()V");
    for (int i = 0; i < BUSY; i++)
        MUST((*ti)->RunAgentThread(ti, (*jni)->NewObject(jni, thread, init), busy, NULL,
                                   JVMTI_THREAD_NORM_PRIORITY));
}

// One event of each thread may have been under way.
EXPORT(void, Agent_OnUnload, JavaVM *vm)
{
    (void)vm;
    usleep(20000);
    unloading = 1;
    say("%s", late <= HOT + 1 ? "no events in the dead phase" : "events in the dead phase");
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1,
                                .can_generate_method_exit_events = 1};
    jvmtiEventCallbacks callbacks = {
        .MethodEntry = on_entry, .MethodExit = on_exit_of, .VMDeath = on_death};
    MUST((*ti)->AddCapabilities(ti, &wanted));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_VM_DEATH);
    return JNI_OK;
}
