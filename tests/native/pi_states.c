// SPDX-License-Identifier: Apache-2.0
// For PiStates: states of threads that wait, lists of threads with the caller in them, events that are enabled
// in the middle of a collection, names of raw monitors that are not told of.
#include <pthread.h>

#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiStates, type, name, ##__VA_ARGS__)

enum { MAIN, FIRST, SECOND, THREADS };
static JNIEnv *threads[THREADS];
static JVMPI_RawMonitor lock, other;
static int starts, finishes, moves, contended, waiting, holding, known;

static void notify(JVMPI_Event *e)
{
    if (e->env_id != threads[MAIN]) // others may collect as well
        return;
    switch (e->event_type) {
    case JVMPI_EVENT_OBJECT_MOVE:
        if (moves++ == 0) {
            pi_enable(JVMPI_EVENT_GC_START);
            pi_enable(JVMPI_EVENT_GC_FINISH);
        }
        break;
    case JVMPI_EVENT_GC_START: starts++; break;
    case JVMPI_EVENT_GC_FINISH: finishes++; break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER: contended++; break;
    default: break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    pi_start(vm, JVMPI_VERSION_1_1, notify);
    lock = pi->RawMonitorCreate("_lock");
    other = pi->RawMonitorCreate("_other");
    return JNI_OK;
}

// The thread is one of the list from now on.
NATIVE(void, be, jint index)
{
    threads[index] = env;
    __atomic_add_fetch(&known, 1, __ATOMIC_SEQ_CST);
}

// ---- collections ----
NATIVE(void, pairs)
{
    pi_enable(JVMPI_EVENT_OBJECT_MOVE);
    pi->RunGC();
    check("no end without its beginning", moves > 0 && starts == 0 && finishes == 0);
    pi->DisableEvent(JVMPI_EVENT_OBJECT_MOVE, NULL);
    pi->RunGC();
    check("both of the next", starts == 1 && finishes == 1);
    pi->DisableEvent(JVMPI_EVENT_GC_START, NULL);
    pi->DisableEvent(JVMPI_EVENT_GC_FINISH, NULL);
}

// Whether the thread comes to be in that state.
static int comes_to(int thread, jint state)
{
    for (int i = 0; i < 20000; i++) {
        if (pi->GetThreadStatus(threads[thread]) == state)
            return 1;
        pause_ms(1);
    }
    return 0;
}

// ---- names ----
static JVMPI_RawMonitor named;

static void hold(void *unused)
{
    (void)unused;
    pi->RawMonitorEnter(named);
    __atomic_store_n(&holding, 1, __ATOMIC_SEQ_CST);
    comes_to(MAIN, JVMPI_THREAD_MONITOR_WAIT);
    pi->RawMonitorExit(named);
    __atomic_store_n(&holding, 2, __ATOMIC_SEQ_CST);
}

static int events_of(char *name)
{
    named = pi->RawMonitorCreate(name);
    contended = holding = 0;
    pi->CreateSystemThread("holder", JVMPI_NORMAL_PRIORITY, hold);
    wait_until(&holding, 1);
    pi->RawMonitorEnter(named);
    pi->RawMonitorExit(named);
    wait_until(&holding, 2);
    pi->RawMonitorDestroy(named);
    return contended;
}

NATIVE(void, names)
{
    char told[] = "told", untold[] = "_untold";
    pi_enable(JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER);
    check("a name", events_of(told) == 1);
    check("a name with _", events_of(untold) == 0);
    pi->DisableEvent(JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, NULL);
}

// ---- states ----
NATIVE(void, waitThenEnter)
{
    pi->RawMonitorEnter(lock);
    __atomic_store_n(&waiting, 1, __ATOMIC_SEQ_CST);
    pi->RawMonitorWait(lock, 0);
    pi->RawMonitorExit(lock);
    pi->RawMonitorEnter(other);
    pi->RawMonitorExit(other);
}

NATIVE(void, states)
{
    wait_until(&waiting, 1);
    pi->RawMonitorEnter(other);
    check("in RawMonitorWait", comes_to(FIRST, JVMPI_THREAD_CONDVAR_WAIT));
    pi->RawMonitorEnter(lock);
    pi->RawMonitorNotifyAll(lock);
    pi->RawMonitorExit(lock);
    check("in RawMonitorEnter", comes_to(FIRST, JVMPI_THREAD_MONITOR_WAIT));
    pi->RawMonitorExit(other);
}

// ---- lists ----
static jint suspended[] = {-1, -1};

NATIVE(void, suspendBoth)
{
    JNIEnv *list[] = {threads[FIRST], threads[SECOND]};
    pi->SuspendThreadList(2, list, suspended);
}

static int resume(int thread)
{
    jint result = -1;
    pi->ResumeThreadList(1, &threads[thread], &result);
    return result == 0;
}

// The caller of suspendBoth comes first in its list, and stops last. GetThreadStatus does not tell.
NATIVE(void, resumeBoth)
{
    while (!resume(FIRST))
        pause_ms(1);
    check("the caller last", resume(SECOND) && suspended[0] == 0 && suspended[1] == 0);
}

// ---- stacks ----
NATIVE(void, lines)
{
    enum { NATIVE_METHOD = -3 };
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace = {.env_id = env, .frames = frames};
    pi->GetCallTrace(&trace, 4);
    check("lines",
          trace.num_frames == 2 && frames[0].lineno == NATIVE_METHOD && frames[1].lineno > 20);
    pi->GetCallTrace(&trace, 1);
    check("as many as asked for", trace.num_frames == 1);
    pi->GetCallTrace(&trace, -1);
    check("less than none", trace.num_frames == 0);
}

NATIVE(void, await, jint count)
{
    wait_until(&known, count);
}
