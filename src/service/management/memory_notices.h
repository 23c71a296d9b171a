// SPDX-License-Identifier: Apache-2.0
// What management tools are notified of about memory: sensors that a pool's usage triggers when it crosses
// a threshold, and a notification of each collection. Both are noticed by whoever allocates or
// collects and delivered by the Notification Thread, which runs Java.
#ifndef SERVICE_MANAGEMENT_MEMORY_NOTICES_H
#define SERVICE_MANAGEMENT_MEMORY_NOTICES_H

#include "class/loader.h"
#include "service/management/memory_pools.h"

typedef enum SensorKind { SENSOR_USAGE, SENSOR_COLLECTION, SENSOR_KINDS } SensorKind;

// Starts the Notification Thread when it does not run yet. False with the exception pending.
NODISCARD MAY_GC bool notices_start(Thread *self);
// The sun.management.Sensor of a pool; NULL takes it away.
void sensor_set(Object *sensor, PoolId pool, SensorKind kind);
// Bytes at and above which the pool is over, and below which it is under the threshold; 0: none.
// The former one.
int64_t sensor_set_threshold(PoolId pool, SensorKind kind, bool high, int64_t bytes);
// Whether the listeners of a collector are notified of its collections.
void gc_notices_enable(ManagerId collector, bool on);
// After a collection was recorded; world stopped.
void notices_after_gc(bool full);
// java.lang.management.MemoryUsage, as a local handle.
NODISCARD MAY_GC jobject memory_usage_object(Thread *self, PoolUsage usage);

#endif
