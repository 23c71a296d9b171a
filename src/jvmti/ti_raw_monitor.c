// SPDX-License-Identifier: Apache-2.0
// Raw monitors (JVM TI, Raw Monitor). The bodies run in the state of the caller; self is NULL
// in the OnLoad phase and on a thread that is not attached.
#include "jvmti/generated/decl.h"

jvmtiError ti_CreateRawMonitor(Thread *self, TiEnv *env, const char *name,
                               jrawMonitorID *monitor_ptr)
{
    (void)self, (void)env;
    *monitor_ptr = (jrawMonitorID)raw_monitor_new(name);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_DestroyRawMonitor(Thread *self, TiEnv *env, RawMonitor *monitor)
{
    (void)self, (void)env;
    return raw_monitor_free(monitor) ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_MONITOR_OWNER;
}

jvmtiError ti_RawMonitorEnter(Thread *self, TiEnv *env, RawMonitor *monitor)
{
    (void)env;
    raw_monitor_enter(self, monitor);
    return raw_monitor_stays(monitor) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_MONITOR;
}

jvmtiError ti_RawMonitorExit(Thread *self, TiEnv *env, RawMonitor *monitor)
{
    (void)env;
    return raw_monitor_exit(self, monitor) ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_MONITOR_OWNER;
}

jvmtiError ti_RawMonitorWait(Thread *self, TiEnv *env, RawMonitor *monitor, jlong millis)
{
    (void)env;
    WaitResult result = raw_monitor_wait(self, monitor, millis);
    if (result == WAIT_NOT_OWNER)
        return JVMTI_ERROR_NOT_MONITOR_OWNER;
    if (!raw_monitor_stays(monitor))
        return JVMTI_ERROR_INVALID_MONITOR;
    return result == WAIT_INTERRUPTED ? JVMTI_ERROR_INTERRUPT : JVMTI_ERROR_NONE;
}

jvmtiError ti_RawMonitorNotify(Thread *self, TiEnv *env, RawMonitor *monitor)
{
    (void)self, (void)env;
    return raw_monitor_notify(monitor, false) ? JVMTI_ERROR_NONE
                                              : JVMTI_ERROR_NOT_MONITOR_OWNER;
}

jvmtiError ti_RawMonitorNotifyAll(Thread *self, TiEnv *env, RawMonitor *monitor)
{
    (void)self, (void)env;
    return raw_monitor_notify(monitor, true) ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_MONITOR_OWNER;
}
