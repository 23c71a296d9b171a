// SPDX-License-Identifier: Apache-2.0
// What -Xlog says of the heap's sizes (gc+init, pagesize) and of what a collection costs (gc+cpu, gc+phases),
// in the form of HotSpot's serial collector.
#ifndef HEAP_GC_LOG_H
#define HEAP_GC_LOG_H

#include "base/common.h"

// After heap_init. `version` is the VM's.
void gc_log_start(const char *version);
// Where a collection is: times as os_nanos and times(2) have them.
typedef struct GcTimes {
    int64_t nanos, user, system;
} GcTimes;
GcTimes gc_times_now(void);
// Logs what passed since `start` as that of collection `number`.
void gc_log_cpu(int number, const GcTimes *start);
// Logs a phase of a full collection that began at `start`; now.
int64_t gc_log_phase(const char *phase, int64_t start);

#endif
