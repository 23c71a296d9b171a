// SPDX-License-Identifier: Apache-2.0
// Raw monitors of agents, and the events of their contention. They work for threads that are not
// attached, in native code, and in handlers of a stopped world.
#include "jvmpi/pi.h"
#include "thread/raw_monitor.h"

// NULL, and a report of `function`: it is none.
static RawMonitor *raw(JVMPI_RawMonitor id, const char *function)
{
    RawMonitor *m = (RawMonitor *)(void *)id;
    if (m && raw_monitor_is_valid(m))
        return m;
    pi_report(PI_NO_MONITOR, function);
    return NULL;
}

// Whether events of m are to be posted: not when its name begins with '_', nor while the handler
// of such an event runs.
static PiThread *poster(Thread *self, const RawMonitor *m, jint type)
{
    PiThread *data = self && pi_is_wanted(type) ? pi_thread(self) : NULL;
    return data && !data->in_raw_event && raw_monitor_name(m)[0] != '_' ? data : NULL;
}

static void report(Thread *caller, RawMonitor *m, jint type)
{
    PiThread *data = poster(caller, m, type);
    if (!data)
        return;
    PI_CALL;
    HANDLE_SCOPE(self);
    data->in_raw_event = true;
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = type,
                           .u.raw_monitor = {(char *)(uintptr_t)raw_monitor_name(m),
                                             (JVMPI_RawMonitor)(void *)m}});
    data->in_raw_event = false;
}

JVMPI_RawMonitor pi_RawMonitorCreate(char *lock_name)
{
    return (JVMPI_RawMonitor)(void *)raw_monitor_new(lock_name);
}

void pi_RawMonitorEnter(JVMPI_RawMonitor lock_id)
{
    RawMonitor *m = raw(lock_id, "RawMonitorEnter");
    Thread *self = thread_current();
    if (!m)
        return;
    if (pi_is_in_collection() && raw_monitor_owner(m) != self)
        pi_report(PI_COLLECTION, "RawMonitorEnter");
    bool contended = raw_monitor_is_contended(m);
    if (contended)
        report(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER);
    raw_monitor_enter(self, m);
    if (raw_monitor_stays(m) && contended)
        report(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED);
}

void pi_RawMonitorExit(JVMPI_RawMonitor lock_id)
{
    RawMonitor *m = raw(lock_id, "RawMonitorExit");
    Thread *self = thread_current();
    if (!m)
        return;
    bool reported = poster(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT) != NULL;
    bool awaited = reported && raw_monitor_entries(m) == 1 && raw_monitor_is_awaited(m);
    if (!raw_monitor_exit(self, m))
        pi_report(PI_NOT_OWNER, "RawMonitorExit");
    else if (awaited)
        report(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT);
}

void pi_RawMonitorWait(JVMPI_RawMonitor lock_id, jlong ms)
{
    RawMonitor *m = raw(lock_id, "RawMonitorWait");
    if (m && raw_monitor_wait(thread_current(), m, ms) == WAIT_NOT_OWNER)
        pi_report(PI_NOT_OWNER, "RawMonitorWait");
    else if (m)
        (void)raw_monitor_stays(m);
}

void pi_RawMonitorNotifyAll(JVMPI_RawMonitor lock_id)
{
    RawMonitor *m = raw(lock_id, "RawMonitorNotifyAll");
    if (m && !raw_monitor_notify(m, true))
        pi_report(PI_NOT_OWNER, "RawMonitorNotifyAll");
}

void pi_RawMonitorDestroy(JVMPI_RawMonitor lock_id)
{
    RawMonitor *m = raw(lock_id, "RawMonitorDestroy");
    if (m && !raw_monitor_free(m))
        pi_report(PI_IN_USE, "RawMonitorDestroy");
}
