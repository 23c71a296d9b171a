// SPDX-License-Identifier: Apache-2.0
// What Unattached.java and UnattachedMonitors.java call.
#include <pthread.h>

#include "ti_common.h"

enum { THREADS_MAX = 8 };
static jvmtiEnv *ti;
static jrawMonitorID lock;
static int total, rounds, turn;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    MUST((*ti)->AddCapabilities(
        ti, &(jvmtiCapabilities){.can_tag_objects = 1, .can_get_current_thread_cpu_time = 1}));
    MUST((*ti)->CreateRawMonitor(ti, "lock", &lock));
    return JNI_OK;
}

// f on that many threads, and beside them.
static void run(void *(*f)(void *), int threads, void (*beside)(void))
{
    pthread_t at[THREADS_MAX];
    for (int i = 0; i < threads; i++)
        pthread_create(&at[i], NULL, f, NULL);
    beside();
    for (int i = 0; i < threads; i++)
        pthread_join(at[i], NULL);
}

#define TRY(name, ...) say(#name " %d", (int)(*ti)->name(ti, __VA_ARGS__))

static void try_functions(void)
{
    unsigned char *memory = NULL;
    jrawMonitorID monitor = NULL;
    void *data;
    jlong time;
    jvmtiTimerInfo timer;
    TRY(Allocate, 10, &memory);
    TRY(Deallocate, memory);
    TRY(CreateRawMonitor, "own", &monitor);
    TRY(RawMonitorEnter, monitor);
    TRY(RawMonitorNotify, monitor);
    TRY(RawMonitorNotifyAll, monitor);
    TRY(RawMonitorExit, monitor);
    TRY(DestroyRawMonitor, monitor);
    TRY(SetEnvironmentLocalStorage, &data);
    TRY(GetEnvironmentLocalStorage, &data);
    TRY(GetTime, &time);
    TRY(GetTimerInfo, &timer);
    TRY(GetCurrentThreadCpuTime, &time);
    TRY(GetCurrentThreadCpuTimerInfo, &timer);
}

static void nothing(void) {}

static void *try_all(void *none)
{
    jvmtiPhase phase;
    jint count;
    jthread *threads;
    char *name;
    jvmtiCapabilities capabilities;
    try_functions();
    TRY(GetPhase, &phase);
    TRY(GetVersionNumber, &count);
    TRY(GetErrorName, JVMTI_ERROR_NONE, &name);
    TRY(GetCapabilities, &capabilities);
    TRY(GetAvailableProcessors, &count);
    TRY(GetSystemProperty, "java.vm.name", &name);
    TRY(GetAllThreads, &count, &threads);
    TRY(SetEventNotificationMode, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    say("ForceGarbageCollection %d", (int)(*ti)->ForceGarbageCollection(ti));
    return none;
}

EXPORT(void, Java_Unattached_errors, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    run(try_all, 1, nothing);
}

static void add(void)
{
    for (int i = 0; i < rounds; i++) {
        MUST((*ti)->RawMonitorEnter(ti, lock));
        total++;
        MUST((*ti)->RawMonitorExit(ti, lock));
    }
}

static void *add_unattached(void *none)
{
    add();
    return none;
}

EXPORT(jint, Java_UnattachedMonitors_count, JNIEnv *jni, jclass cls, jint threads, jint each)
{
    (void)jni, (void)cls;
    rounds = each;
    run(add_unattached, threads, add);
    return total;
}

// Waits for turn `from`, and makes it the next one.
static void take_turn(int from)
{
    MUST((*ti)->RawMonitorEnter(ti, lock));
    while (turn != from)
        MUST((*ti)->RawMonitorWait(ti, lock, 0));
    turn++;
    MUST((*ti)->RawMonitorNotifyAll(ti, lock));
    MUST((*ti)->RawMonitorExit(ti, lock));
}

static void *take_odd(void *none)
{
    for (int i = 0; i < rounds; i++)
        take_turn(2 * i + 1);
    return none;
}

static void take_even(void)
{
    for (int i = 0; i < rounds; i++)
        take_turn(2 * i);
}

EXPORT(jint, Java_UnattachedMonitors_turns, JNIEnv *jni, jclass cls, jint each)
{
    (void)jni, (void)cls;
    rounds = each;
    run(take_odd, 1, take_even);
    return turn;
}
