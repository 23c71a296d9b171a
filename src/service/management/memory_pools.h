// SPDX-License-Identifier: Apache-2.0
// The memory pools and their managers as management tools see them, under the names of HotSpot's
// serial collector; and what each collector did last. Sizes are bytes. Written while the world
// is stopped, so a thread that is IN_VM reads them without a lock.
#ifndef SERVICE_MANAGEMENT_MEMORY_POOLS_H
#define SERVICE_MANAGEMENT_MEMORY_POOLS_H

#include "heap/heap.h"

typedef enum PoolId {
    POOL_CODE,
    POOL_METASPACE,
    POOL_CLASS_SPACE,
    POOL_EDEN,
    POOL_SURVIVOR,
    POOL_TENURED,
    POOL_COUNT
} PoolId;
typedef enum ManagerId {
    MANAGER_CODE,
    MANAGER_METASPACE,
    MANAGER_COPY, // the two collectors
    MANAGER_COMPACT,
    MANAGER_COUNT
} ManagerId;

typedef struct PoolSpec {
    const char *name;
    uint32_t managers; // bit set of ManagerId
    bool is_heap;
    bool usage_threshold, collection_threshold; // whether one can be set
} PoolSpec;
extern const PoolSpec pool_specs[POOL_COUNT];
extern const char *const manager_names[MANAGER_COUNT];
static inline bool manager_is_collector(ManagerId id)
{
    return id >= MANAGER_COPY;
}
static inline bool pool_is_managed_by(PoolId pool, ManagerId manager)
{
    return pool_specs[pool].managers >> manager & 1;
}

typedef struct PoolUsage {              // as java.lang.management.MemoryUsage
    int64_t init, used, committed, max; // max -1: not defined
} PoolUsage;
// Takes heap.lock. NO_GC.
void pool_usages(PoolUsage out[POOL_COUNT]);
// Of all pools of the heap, or of all others. NO_GC.
PoolUsage memory_usage(bool heap);
// The greatest usage since the start or the last reset. NO_GC.
PoolUsage pool_peak(PoolId pool);
void pool_reset_peak(PoolId pool);
// As the last collection of the pool left it; used and committed 0 before the first one.
PoolUsage pool_collection_usage(PoolId pool);

typedef struct GcRecord {
    uint64_t index;                 // 1 for the collector's first run, 0: none yet
    int64_t start_nanos, end_nanos; // of log_uptime_nanos
    PoolUsage before[POOL_COUNT], after[POOL_COUNT];
} GcRecord;
// Of the last run that is over; changes at the next one. NO_GC.
const GcRecord *gc_last_record(ManagerId collector);
// The collector that makes a full or a young collection.
static inline ManagerId gc_collector(bool full)
{
    return full ? MANAGER_COMPACT : MANAGER_COPY;
}
// Around a collection, with the world stopped.
void gc_record_begin(void);
void gc_record_end(bool full);

#endif
