// SPDX-License-Identifier: Apache-2.0
// Raw monitors: recursive locks with wait and notify for agents (JVM TI, Raw Monitor) and the
// class library (JVM_RawMonitor*).
#ifndef THREAD_RAW_MONITOR_H
#define THREAD_RAW_MONITOR_H

#include "thread/thread.h"

typedef struct RawMonitor RawMonitor;
RawMonitor *raw_monitor_new(const char *name);
// False when it is owned by another thread or waited on.
bool raw_monitor_free(Thread *self, RawMonitor *m);
bool raw_monitor_is_valid(const RawMonitor *m);
// `self` NULL: an unattached thread. Waits in a safe state when self is IN_VM. MAY_GC.
MAY_GC void raw_monitor_enter(Thread *self, RawMonitor *m);
bool raw_monitor_exit(Thread *self, RawMonitor *m); // false: not owner
MAY_GC WaitResult raw_monitor_wait(Thread *self, RawMonitor *m, int64_t timeout_ms);
bool raw_monitor_notify(Thread *self, RawMonitor *m, bool all);
const char *raw_monitor_name(const RawMonitor *m);
Thread *raw_monitor_owner(const RawMonitor *m);
// Owned by another thread; some thread waits to enter. True at the moment of asking.
bool raw_monitor_is_contended(const RawMonitor *m);
bool raw_monitor_is_awaited(RawMonitor *m);
uint32_t raw_monitor_entries(const RawMonitor *m); // of its owner; 0: free
// All there are. Those waiting to enter or to be notified are told by Thread.raw_blocked_on and
// raw_waiting_on. World stopped.
void raw_monitors_each(void (*visit)(void *ctx, RawMonitor *m), void *ctx);

#endif
