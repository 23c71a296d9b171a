// SPDX-License-Identifier: Apache-2.0
// Raw monitors of agents, and the events of their contention. They work for threads that are not
// attached, in native code, and in handlers of a stopped world.
#include "jvmpi/pi.h"
#include "thread/raw_monitor.h"

static RawMonitor *raw(JVMPI_RawMonitor id)
{
    RawMonitor *m = (RawMonitor *)(void *)id;
    return m && raw_monitor_is_valid(m) ? m : NULL;
}

// Whether something is to be told of m: not when its name begins with '_', nor while the handler
// of such an event runs.
static PiThread *teller(Thread *self, const RawMonitor *m, jint type)
{
    PiThread *data = self && pi_is_wanted(type) ? pi_thread(self) : NULL;
    return data && !data->in_raw_event && raw_monitor_name(m)[0] != '_' ? data : NULL;
}

static void tell(Thread *caller, RawMonitor *m, jint type)
{
    PiThread *data = teller(caller, m, type);
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
    RawMonitor *m = raw(lock_id);
    Thread *self = thread_current();
    if (!m)
        return;
    bool contended = raw_monitor_is_contended(m);
    if (contended)
        tell(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER);
    raw_monitor_enter(self, m);
    if (contended)
        tell(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED);
}

void pi_RawMonitorExit(JVMPI_RawMonitor lock_id)
{
    RawMonitor *m = raw(lock_id);
    Thread *self = thread_current();
    if (!m)
        return;
    bool told = teller(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT) != NULL;
    bool awaited = told && raw_monitor_entries(m) == 1 && raw_monitor_is_awaited(m);
    if (!raw_monitor_exit(self, m))
        pi_report("RawMonitorExit", "the calling thread does not own the monitor");
    else if (awaited)
        tell(self, m, JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT);
}

void pi_RawMonitorWait(JVMPI_RawMonitor lock_id, jlong ms)
{
    RawMonitor *m = raw(lock_id);
    if (m && raw_monitor_wait(thread_current(), m, ms) == WAIT_NOT_OWNER)
        pi_report("RawMonitorWait", "the calling thread does not own the monitor");
}

void pi_RawMonitorNotifyAll(JVMPI_RawMonitor lock_id)
{
    RawMonitor *m = raw(lock_id);
    if (m && !raw_monitor_notify(thread_current(), m, true))
        pi_report("RawMonitorNotifyAll", "the calling thread does not own the monitor");
}

void pi_RawMonitorDestroy(JVMPI_RawMonitor lock_id)
{
    RawMonitor *m = raw(lock_id);
    if (m && !raw_monitor_free(thread_current(), m))
        pi_report("RawMonitorDestroy", "another thread owns the monitor or waits for it");
}
