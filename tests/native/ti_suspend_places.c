// SPDX-License-Identifier: Apache-2.0
// For tests/agents/SuspendPlaces.java.
#include <stdatomic.h>
#include <unistd.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static _Atomic int stage; // what the thread in a critical section may do, and has done

static void await(int wanted)
{
    while (stage < wanted)
        usleep(100);
}

EXPORT(jint, Java_SuspendPlaces_resume, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    return (*ti)->ResumeThread(ti, t);
}

EXPORT(jint, Java_SuspendPlaces_collect, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return (*ti)->ForceGarbageCollection(ti);
}

EXPORT(jint, Java_SuspendPlaces_state, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    jint state;
    MUST((*ti)->GetThreadState(ti, t, &state));
    return state;
}

// Suspends the thread in the critical section and lets it go on until it is outside. All in one: the
// caller is not to allocate meanwhile.
EXPORT(jint, Java_SuspendPlaces_suspendInside, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    stage = 1;
    await(2);
    jvmtiError error = (*ti)->SuspendThread(ti, t);
    stage = 3;
    await(4);
    stage = 5;
    await(6);
    return error;
}

// Two sections, one within the other: in the first at stage 2, in both at 4, in none at 6.
EXPORT(void, Java_SuspendPlaces_critical, JNIEnv *jni, jclass c, jintArray a, jintArray b)
{
    (void)c;
    await(1);
    jint *in = (*jni)->GetPrimitiveArrayCritical(jni, a, NULL);
    in[0] = 1;
    stage = 2;
    await(3);
    jint *out = (*jni)->GetPrimitiveArrayCritical(jni, b, NULL);
    out[0] = in[0] + 1;
    stage = 4;
    await(5);
    (*jni)->ReleasePrimitiveArrayCritical(jni, b, out, 0);
    (*jni)->ReleasePrimitiveArrayCritical(jni, a, in, 0);
    stage = 6;
}

// A thread that suspends itself as it begins or ends.
static void suspend_self(jvmtiEnv *env, JNIEnv *jni, jthread t, const char *name)
{
    jint state;
    if (strcmp(thread_name(env, jni, t), name) != 0)
        return;
    MUST((*env)->GetThreadState(env, t, &state));
    say("%s: state %x", name, (unsigned)state);
    MUST((*env)->SuspendThread(env, t));
}

static void JNICALL thread_start(jvmtiEnv *env, JNIEnv *jni, jthread t)
{
    suspend_self(env, jni, t, "begins");
}

static void JNICALL thread_end(jvmtiEnv *env, JNIEnv *jni, jthread t)
{
    suspend_self(env, jni, t, "ends");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_suspend = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.ThreadStart = thread_start, .ThreadEnd = thread_end};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_THREAD_START);
    enable(ti, JVMTI_EVENT_THREAD_END);
    return JNI_OK;
}
