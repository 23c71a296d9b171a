// SPDX-License-Identifier: Apache-2.0
// Raw monitors of JVMPI: re-entry, owners, waiting, destruction, the events of their contention,
// use while a thread is suspended. Prints statements of the check list by number, for PiRaw.
#include <pthread.h>

#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiRaw, type, name, ##__VA_ARGS__)

enum { WAITERS = 3, NESTED_MAX = 100 };
static JVMPI_RawMonitor lock, in_handler;
static JNIEnv *victim;
static int waiting, woken, woken_at_exit, taken, holding, raw_events, nested_events;
static jlong entry_count;
static int listed, in_event;

// A raw monitor named "raw one" in the dump, and how often it is entered.
static void monitor_dump(const JVMPI_Event *e)
{
    const char *at = e->u.monitor_dump.begin;
    listed = 0;
    while (at < e->u.monitor_dump.end) {
        int is_raw = *at++ == JVMPI_MONITOR_RAW;
        const char *name = "";
        if (is_raw)
            memcpy(&name, at, sizeof name);
        at += (is_raw ? 3 : 2) * sizeof name;
        int here = strcmp(name, "raw one") == 0;
        listed += here;
        if (here)
            entry_count = at[3];
        at += 4;
        for (int lists = 0; lists < 2; lists++) {
            const unsigned char *n = (const unsigned char *)at;
            at += 4 + sizeof name * (size_t)(n[2] << 8 | n[3]);
        }
    }
}

static void notify(JVMPI_Event *e)
{
    switch (e->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_MONITOR_DUMP: monitor_dump(e); break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER:
        if (e->env_id == victim)
            break;
        raw_events++;
        nested_events += in_event;
        if (nested_events > NESTED_MAX)
            abort();
        in_event = 1;
        pi->RawMonitorEnter(
            in_handler); // contended as well, and told of if it were not for this
        pi->RawMonitorExit(in_handler);
        in_event = 0;
        break;
    default: break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    pi_start(vm, JVMPI_VERSION_1, notify);
    lock = pi->RawMonitorCreate("raw one");
    in_handler = pi->RawMonitorCreate("in handler");
    return JNI_OK;
}

static int count_in(int *counter)
{
    return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

// ---- threads that are not attached ----
static void *take(void *unused)
{
    pi->RawMonitorExit(lock); // not its owner: nothing happens
    pi->RawMonitorEnter(lock);
    count_in(&taken);
    pi->RawMonitorExit(lock);
    return unused;
}

static void *wait_there(void *unused)
{
    pi->RawMonitorEnter(lock);
    count_in(&waiting);
    pi->RawMonitorWait(lock, 0);
    count_in(&woken);
    pi->RawMonitorExit(lock);
    return unused;
}

static void *hold_both(void *unused)
{
    pi->RawMonitorEnter(lock);
    pi->RawMonitorEnter(in_handler);
    count_in(&holding);
    wait_until(&raw_events, 1);
    pause_ms(50);
    pi->RawMonitorExit(lock); // the other is in the handler of its event, and wants in_handler
    pi->RawMonitorExit(in_handler);
    return unused;
}

// ---- natives ----
NATIVE(void, owners)
{
    pthread_t other;
    pi->RawMonitorEnter(lock);
    pi->RawMonitorEnter(lock);
    pi->RawMonitorEnter(lock);
    pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    check("113", listed == 1 && entry_count == 3);
    pthread_create(&other, NULL, take, NULL);
    pi->RawMonitorExit(lock);
    pi->RawMonitorExit(lock);
    pause_ms(30);
    int early = __atomic_load_n(&taken, __ATOMIC_SEQ_CST);
    pi->RawMonitorExit(lock);
    check("113", !early && wait_until(&taken, 1));
    pthread_join(other, NULL);
}

NATIVE(void, waiting)
{
    pthread_t threads[WAITERS];
    struct timespec from, to;
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&threads[i], NULL, wait_there, NULL);
    wait_until(&waiting, WAITERS);
    pi->RawMonitorEnter(lock);
    pi->RawMonitorEnter(lock);
    clock_gettime(CLOCK_MONOTONIC, &from);
    pi->RawMonitorWait(lock, 50);
    clock_gettime(CLOCK_MONOTONIC, &to);
    long ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
    check("118", ms >= 49 && __atomic_load_n(&woken, __ATOMIC_SEQ_CST) == 0);
    pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    check("113", entry_count == 2); // the wait gave back both entries, and took them again
    pi->RawMonitorNotifyAll(lock);
    woken_at_exit = __atomic_load_n(&woken, __ATOMIC_SEQ_CST);
    pi->RawMonitorExit(lock);
    pi->RawMonitorExit(lock);
    check("120", woken_at_exit == 0 && wait_until(&woken, WAITERS));
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
}

NATIVE(void, events)
{
    pthread_t holder;
    for (jint type = 51; type <= 53; type++)
        pi_enable(type);
    pthread_create(&holder, NULL, hold_both, NULL);
    wait_until(&holding, 1);
    pi->RawMonitorEnter(lock);
    pi->RawMonitorExit(lock);
    pthread_join(holder, NULL);
    for (jint type = 51; type <= 53; type++)
        pi->DisableEvent(type, NULL);
    check("123", raw_events == 1 && nested_events == 0);
}

NATIVE(void, beVictim)
{
    __atomic_store_n(&victim, env, __ATOMIC_SEQ_CST);
}

NATIVE(void, suspended)
{
    while (!__atomic_load_n(&victim, __ATOMIC_SEQ_CST))
        pause_ms(1);
    pi->RawMonitorEnter(lock);
    pi->DisableGC();
    pi->SuspendThread(victim);
    pi->RawMonitorNotifyAll(lock);
    pi->RawMonitorWait(lock, 5);
    pi->RawMonitorExit(lock);
    pi->ResumeThread(victim);
    pi->EnableGC();
    pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    check("117", listed == 1 && entry_count == 0);
}

NATIVE(void, destroy)
{
    for (int i = 0; i < 10000; i++)
        pi->RawMonitorDestroy(pi->RawMonitorCreate("raw one"));
    pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    int before = listed;
    pi->RawMonitorDestroy(lock);
    pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    check("121", before == 1 && listed == 0);
    pi->RawMonitorEnter(lock); // it is none any more
    pi->RawMonitorExit(lock);
}
