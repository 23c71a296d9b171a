// SPDX-License-Identifier: Apache-2.0
// Raw monitors of a thread that is suspended while it runs native code: see RawSuspended.java.
#include <stdatomic.h>
#include <unistd.h>

#include "ti_common.h"

enum { PAUSE_US = 1000, PAUSES = 100, PATIENCE = 10000 };
static jvmtiEnv *ti;
static jrawMonitorID lock;
static atomic_int entering, ready, go, entered, waiting, woken, result = -1;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    MUST((*ti)->AddCapabilities(
        ti, &(jvmtiCapabilities){.can_suspend = 1, .can_signal_thread = 1}));
    MUST((*ti)->CreateRawMonitor(ti, "lock", &lock));
    return JNI_OK;
}

static void await(atomic_int *flag)
{
    while (!*flag)
        usleep(PAUSE_US);
}

EXPORT(void, Java_RawSuspended_enter, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    entering = 1;
    MUST((*ti)->RawMonitorEnter(ti, lock));
    entered = 1;
    MUST((*ti)->RawMonitorExit(ti, lock));
}

EXPORT(void, Java_RawSuspended_hold, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->RawMonitorEnter(ti, lock));
}

// `t` comes to wait for the monitor, is suspended, and does not get it though it is free.
EXPORT(void, Java_RawSuspended_free, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    await(&entering);
    usleep(PAUSES * PAUSE_US);
    MUST((*ti)->SuspendThread(ti, t));
    MUST((*ti)->RawMonitorExit(ti, lock));
    for (int i = 0; i < PAUSES && !entered; i++)
        usleep(PAUSE_US);
    say("entered while suspended: %d", entered);
    MUST((*ti)->RawMonitorEnter(ti, lock));
    MUST((*ti)->RawMonitorExit(ti, lock));
    MUST((*ti)->ResumeThread(ti, t));
    await(&entered);
    say("entered");
}

// Waits once it has been suspended and interrupted.
EXPORT(void, Java_RawSuspended_first, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->RawMonitorEnter(ti, lock));
    ready = 1;
    await(&go);
    result = (int)(*ti)->RawMonitorWait(ti, lock, 0);
    MUST((*ti)->RawMonitorExit(ti, lock));
}

EXPORT(void, Java_RawSuspended_second, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->RawMonitorEnter(ti, lock));
    waiting = 1;
    MUST((*ti)->RawMonitorWait(ti, lock, 0));
    woken = 1;
    MUST((*ti)->RawMonitorExit(ti, lock));
}

EXPORT(void, Java_RawSuspended_interrupt, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    await(&ready);
    MUST((*ti)->SuspendThread(ti, t));
    MUST((*ti)->InterruptThread(ti, t));
    go = 1;
}

// The one notification is for the first, which is interrupted; so the second has it.
EXPORT(void, Java_RawSuspended_notify, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    await(&waiting);
    MUST((*ti)->RawMonitorEnter(ti, lock));
    MUST((*ti)->RawMonitorNotify(ti, lock));
    MUST((*ti)->RawMonitorExit(ti, lock));
    MUST((*ti)->ResumeThread(ti, t));
    for (int i = 0; i < PATIENCE && (!woken || result < 0); i++)
        usleep(PAUSE_US);
    say("first %d, second woken: %d", result, woken);
    MUST((*ti)->RawMonitorEnter(ti, lock));
    MUST((*ti)->RawMonitorNotifyAll(ti, lock));
    MUST((*ti)->RawMonitorExit(ti, lock));
}
