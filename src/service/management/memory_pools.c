// SPDX-License-Identifier: Apache-2.0
// See memory_pools.h.
#include "service/management/memory_pools.h"

#include "base/log.h"
#include "class/metadata.h"
#include "code/code_cache.h"
#include "java/engine.h"

#define COLLECTED_BY_BOTH (1u << MANAGER_COPY | 1u << MANAGER_COMPACT)
const PoolSpec pool_specs[POOL_COUNT] = {
    [POOL_CODE] = {"CodeCache", 1u << MANAGER_CODE, false, true, false},
    [POOL_METASPACE] = {"Metaspace", 1u << MANAGER_METASPACE, false, true, false},
    [POOL_CLASS_SPACE] = {"Compressed Class Space", 1u << MANAGER_METASPACE, false, true,
                          false},
    [POOL_EDEN] = {"Eden Space", COLLECTED_BY_BOTH, true, false, true},
    [POOL_SURVIVOR] = {"Survivor Space", COLLECTED_BY_BOTH, true, false, true},
    [POOL_TENURED] = {"Tenured Gen", 1u << MANAGER_COMPACT, true, true, true},
};
const char *const manager_names[MANAGER_COUNT] = {
    [MANAGER_CODE] = "CodeCacheManager",
    [MANAGER_METASPACE] = "Metaspace Manager",
    [MANAGER_COPY] = "Copy",
    [MANAGER_COMPACT] = "MarkSweepCompact",
};

static PoolUsage peaks[POOL_COUNT], after_gc[POOL_COUNT];
static Mutex peaks_lock = MUTEX_INIT(RANK_MANAGEMENT);
static GcRecord records[MANAGER_COUNT], current;

static void note_peaks(const PoolUsage *now)
{
    mutex_lock(&peaks_lock);
    for (int i = 0; i < POOL_COUNT; i++) {
        peaks[i].init = now[i].init;
        peaks[i].used = MAX_OF(peaks[i].used, now[i].used);
        peaks[i].committed = MAX_OF(peaks[i].committed, now[i].committed);
        peaks[i].max = now[i].max;
    }
    mutex_unlock(&peaks_lock);
}

static void heap_pool_usages(PoolUsage *out)
{
    HeapStats s;
    heap_stats(&s);
    for (int i = 0; i < HEAP_POOLS; i++) {
        const HeapPool *p = &s.pools[i];
        out[POOL_EDEN + i] = (PoolUsage){(int64_t)p->init, (int64_t)p->used,
                                         (int64_t)p->committed, (int64_t)p->max};
    }
}

// Code and class metadata is committed as it is used.
static PoolUsage native_usage(size_t used, int64_t max)
{
    return (PoolUsage){0, (int64_t)used, (int64_t)used, max};
}

// The limit is one of what is used: more may be committed, and set aside. A MemoryUsage has used <= committed <= max.
static void set_committed(PoolUsage *p, size_t committed)
{
    int64_t most = p->max >= 0 ? p->max : INT64_MAX;
    p->used = MIN_OF(p->used, most);
    p->committed = MAX_OF(p->used, MIN_OF((int64_t)committed, most));
}

void pool_usages(PoolUsage out[POOL_COUNT])
{
    heap_pool_usages(out);
    CodeCacheUse code;
    code_cache_use(&code);
    out[POOL_CODE] =
        native_usage(engine->code_bytes() + code.used, -1); // decoded and generated
    out[POOL_METASPACE] = native_usage(
        metadata_used(), metadata_max() <= INT64_MAX ? (int64_t)metadata_max() : -1);
    set_committed(&out[POOL_METASPACE], metadata_committed());
    out[POOL_CLASS_SPACE] = native_usage(class_space_used(), (int64_t)class_space_max());
    set_committed(&out[POOL_CLASS_SPACE], class_space_committed());
}

PoolUsage memory_usage(bool heap)
{
    PoolUsage pools[POOL_COUNT], sum = {0};
    if (heap) {
        HeapStats s;
        heap_stats(&s);
        return (PoolUsage){(int64_t)s.init, (int64_t)s.used, (int64_t)s.committed,
                           (int64_t)s.max};
    }
    pool_usages(pools);
    for (int i = 0; i < POOL_COUNT; i++) {
        if (pool_specs[i].is_heap || i == POOL_CLASS_SPACE) // a part of Metaspace
            continue;
        sum.used += pools[i].used;
        sum.committed += pools[i].committed;
    }
    sum.max = -1;
    return sum;
}

PoolUsage pool_peak(PoolId pool)
{
    PoolUsage now[POOL_COUNT];
    pool_usages(now);
    note_peaks(now);
    mutex_lock(&peaks_lock);
    PoolUsage peak = peaks[pool];
    mutex_unlock(&peaks_lock);
    return peak;
}

void pool_reset_peak(PoolId pool)
{
    PoolUsage now[POOL_COUNT];
    pool_usages(now);
    mutex_lock(&peaks_lock);
    peaks[pool] = now[pool];
    mutex_unlock(&peaks_lock);
}

PoolUsage pool_collection_usage(PoolId pool)
{
    PoolUsage now[POOL_COUNT], u = after_gc[pool];
    pool_usages(now);
    u.init = now[pool].init;
    u.max = now[pool].max;
    return u;
}

const GcRecord *gc_last_record(ManagerId collector)
{
    return &records[collector];
}

void gc_record_begin(void)
{
    ASSERT_WORLD_STOPPED();
    current.start_nanos = log_uptime_nanos();
    pool_usages(current.before);
    note_peaks(current.before);
}

void gc_record_end(bool full)
{
    ASSERT_WORLD_STOPPED();
    GcRecord *last = &records[gc_collector(full)];
    current.index = last->index + 1;
    pool_usages(current.after);
    note_peaks(current.after);
    for (int i = 0; i < POOL_COUNT; i++)
        if (pool_is_managed_by((PoolId)i, gc_collector(full)))
            after_gc[i] = current.after[i];
    current.end_nanos = log_uptime_nanos();
    *last = current;
}
