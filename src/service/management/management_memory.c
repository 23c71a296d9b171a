// SPDX-License-Identifier: Apache-2.0
// The management interface's part for memory: pools, managers, usages, thresholds, collections.
#include "java/call.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "service/dump/heap_dump.h"
#include "service/management/management.h"
#include "service/management/memory_notices.h"

#define HELPER    "sun/management/ManagementFactoryHelper"
#define EXTENSION "com/sun/management/internal/GarbageCollectorExtImpl"
#define POOL_BEAN "java/lang/management/MemoryPoolMXBean"
#define MANAGER   "java/lang/management/MemoryManagerMXBean"
#define COLLECTOR "java/lang/management/GarbageCollectorMXBean"
#define STRING    "Ljava/lang/String;"

// ---- beans, made by the class library on first use; globals, never given back ----

static Mutex beans_lock = MUTEX_INIT(RANK_MANAGEMENT);
static jobject pool_beans[POOL_COUNT], manager_beans[MANAGER_COUNT];

// Keeps the first bean that was made for a place.
static jobject bean_keep(Thread *self, jobject *place, jobject made)
{
    jobject global = global_new(deref(made));
    mutex_lock(&beans_lock);
    bool first = !*place;
    if (first)
        *place = global;
    jobject kept = handle_new(self, deref(*place));
    mutex_unlock(&beans_lock);
    if (!first)
        global_delete(global);
    return kept;
}

static jobject bean_known(Thread *self, jobject *place)
{
    mutex_lock(&beans_lock);
    jobject bean = handle_new(self, deref(*place));
    mutex_unlock(&beans_lock);
    return bean;
}

static jobject pool_bean(Thread *self, PoolId pool)
{
    const PoolSpec *spec = &pool_specs[pool];
    jobject bean = bean_known(self, &pool_beans[pool]);
    if (bean)
        return bean;
    jvalue result, args[] = {{.l = string_from_mutf8(self, spec->name)},
                             {.z = spec->is_heap},
                             {.j = spec->usage_threshold ? 0 : -1},
                             {.j = spec->collection_threshold ? 0 : -1}};
    if (!args[0].l
        || !java_call_static(self, HELPER, "createMemoryPool", "(" STRING "ZJJ)L" POOL_BEAN ";",
                             args, &result))
        return NULL;
    return bean_keep(self, &pool_beans[pool], result.l);
}

// Collectors get the richer bean of jdk.management where that module is there.
static bool make_manager(Thread *self, ManagerId manager, jvalue *result)
{
    jvalue args[] = {{.l = string_from_mutf8(self, manager_names[manager])}, {.l = NULL}};
    if (!args[0].l)
        return false;
    if (!manager_is_collector(manager))
        return java_call_static(self, HELPER, "createMemoryManager",
                                "(" STRING ")L" MANAGER ";", args, result);
    bool extended = loader_find_boot(self, symbol_intern(EXTENSION)) != NULL;
    return !exception_pending(self)
           && java_call_static(self, extended ? EXTENSION : HELPER, "createGarbageCollector",
                               "(" STRING STRING ")L" COLLECTOR ";", args, result);
}

jobject manager_bean(Thread *self, ManagerId manager)
{
    ASSERT_MAY_GC(self);
    jvalue result;
    jobject bean = bean_known(self, &manager_beans[manager]);
    if (bean)
        return bean;
    return make_manager(self, manager, &result)
               ? bean_keep(self, &manager_beans[manager], result.l)
               : NULL;
}

// The index of a bean; -1: it is none of these. beans are only ever added.
static int bean_index(Thread *self, jobject *beans, int count, jobject bean)
{
    HANDLE_SCOPE(self);
    for (int i = 0; bean && i < count; i++)
        if (deref(bean_known(self, &beans[i])) == deref(bean))
            return i;
    return -1;
}

static int pool_of(Thread *self, jobject bean)
{
    return bean_index(self, pool_beans, POOL_COUNT, bean);
}

static int manager_of(Thread *self, jobject bean)
{
    return bean_index(self, manager_beans, MANAGER_COUNT, bean);
}

// ---- lists ----

// An array of those beans of `count` that `wanted` has bits for.
static jobjectArray bean_array(Thread *self, const char *element, uint32_t wanted, int count,
                               jobject (*bean)(Thread *self, int i))
{
    HANDLE_SCOPE(self);
    Class *c = loader_load(self, loader_boot, symbol_intern(element), true);
    Class *array_class = c ? class_array_of(self, c) : NULL;
    jobject array =
        array_class ? array_new(self, array_class, __builtin_popcount(wanted)) : NULL;
    for (int i = 0, at = 0; array && i < count; i++) {
        if (!(wanted >> i & 1))
            continue;
        jobject one = bean(self, i);
        if (!one)
            return NULL;
        array_set_ref(deref(array), at++, deref(one));
    }
    SCOPE_RETURN(array);
}

static jobject pool_bean_at(Thread *self, int i)
{
    return pool_bean(self, (PoolId)i);
}
static jobject manager_bean_at(Thread *self, int i)
{
    return manager_bean(self, (ManagerId)i);
}

static jobjectArray JNICALL GetMemoryPools(JNIEnv *env, jobject manager)
{
    IN_VM(env);
    int m = manager_of(self, manager);
    uint32_t wanted = 0;
    if (manager && m < 0)
        return NULL;
    for (int i = 0; i < POOL_COUNT; i++)
        wanted |= (uint32_t)(!manager || pool_is_managed_by((PoolId)i, (ManagerId)m)) << i;
    return bean_array(self, POOL_BEAN, wanted, POOL_COUNT, pool_bean_at);
}

static jobjectArray JNICALL GetMemoryManagers(JNIEnv *env, jobject pool)
{
    IN_VM(env);
    int p = pool_of(self, pool);
    if (pool && p < 0)
        return NULL;
    uint32_t wanted = pool ? pool_specs[p].managers : (1u << MANAGER_COUNT) - 1;
    return bean_array(self, MANAGER, wanted, MANAGER_COUNT, manager_bean_at);
}

// ---- usages ----

static jobject JNICALL GetMemoryUsage(JNIEnv *env, jboolean is_heap)
{
    IN_VM(env);
    return memory_usage_object(self, memory_usage(is_heap));
}

static jobject JNICALL GetMemoryPoolUsage(JNIEnv *env, jobject pool)
{
    IN_VM(env);
    PoolUsage usages[POOL_COUNT];
    int p = pool_of(self, pool);
    pool_usages(usages);
    return p < 0 ? NULL : memory_usage_object(self, usages[p]);
}

static jobject JNICALL GetPeakMemoryPoolUsage(JNIEnv *env, jobject pool)
{
    IN_VM(env);
    int p = pool_of(self, pool);
    return p < 0 ? NULL : memory_usage_object(self, pool_peak((PoolId)p));
}

static jobject JNICALL GetPoolCollectionUsage(JNIEnv *env, jobject pool)
{
    IN_VM(env);
    int p = pool_of(self, pool);
    return p < 0 || !pool_specs[p].collection_threshold
               ? NULL
               : memory_usage_object(self, pool_collection_usage((PoolId)p));
}

bool reset_pool_peak(Thread *self, jobject bean)
{
    int p = pool_of(self, bean);
    if (p >= 0)
        pool_reset_peak((PoolId)p);
    return p >= 0;
}

// ---- thresholds ----

static void JNICALL SetPoolSensor(JNIEnv *env, jobject pool, JmmThresholdType type,
                                  jobject sensor)
{
    IN_VM(env);
    int p = pool_of(self, pool);
    if (p >= 0)
        sensor_set(deref(sensor), (PoolId)p,
                   type == JMM_USAGE_THRESHOLD_HIGH ? SENSOR_USAGE : SENSOR_COLLECTION);
}

static jlong JNICALL SetPoolThreshold(JNIEnv *env, jobject pool, JmmThresholdType type,
                                      jlong threshold)
{
    IN_VM(env);
    int p = pool_of(self, pool);
    if (threshold < 0) {
        throw_new(self, "java/lang/IllegalArgumentException", "Invalid threshold value");
        return -1;
    }
    if (p < 0)
        return -1;
    bool usage = type == JMM_USAGE_THRESHOLD_HIGH || type == JMM_USAGE_THRESHOLD_LOW;
    bool high = type == JMM_USAGE_THRESHOLD_HIGH || type == JMM_COLLECTION_USAGE_THRESHOLD_HIGH;
    return sensor_set_threshold((PoolId)p, usage ? SENSOR_USAGE : SENSOR_COLLECTION, high,
                                threshold);
}

// ---- collections ----

jlong collector_attribute(Thread *self, jobject bean, JmmLongAttribute attribute)
{
    HeapStats s;
    int m = manager_of(self, bean);
    if (m < 0 || !manager_is_collector((ManagerId)m))
        return -1;
    heap_stats(&s);
    bool full = m == (int)gc_collector(true);
    switch (attribute) {
    case JMM_GC_COUNT: return (jlong)(full ? s.full_count : s.young_count);
    case JMM_GC_TIME_MS: return (full ? s.full_nanos : s.young_nanos) / 1000000;
    case JMM_GC_EXT_ATTRIBUTE_INFO_SIZE: return 1;
    default: return -1;
    }
}

static jint JNICALL GetGCExtAttributeInfo(JNIEnv *env, jobject manager,
                                          JmmExtAttributeInfo *infos, jint count)
{
    (void)env, (void)manager;
    if (count < 1)
        return 0;
    infos[0] = (JmmExtAttributeInfo){"GcThreadCount", 'I', "Number of GC threads"};
    return 1;
}

static bool usages_fill(Thread *self, jobjectArray array, const PoolUsage *usages)
{
    for (int i = 0; i < POOL_COUNT && i < array_length(deref(array)); i++) {
        HANDLE_SCOPE(self);
        jobject usage = memory_usage_object(self, usages[i]);
        if (!usage)
            return false;
        array_set_ref(deref(array), i, deref(usage));
    }
    return true;
}

static void JNICALL GetLastGCStat(JNIEnv *env, jobject manager, JmmGcStat *stat)
{
    IN_VM(env);
    int m = manager_of(self, manager);
    stat->gc_index = 0;
    if (m < 0 || !manager_is_collector((ManagerId)m))
        return;
    GcRecord r = *gc_last_record((ManagerId)m);
    if (r.index == 0 || !usages_fill(self, stat->usage_before_gc, r.before)
        || !usages_fill(self, stat->usage_after_gc, r.after))
        return;
    stat->gc_index = (jlong)r.index;
    stat->start_time = r.start_nanos / 1000000;
    stat->end_time = r.end_nanos / 1000000;
    if (stat->ext_attribute_count > 0)
        stat->ext_attributes[0].i = 1; // the collector is one thread
}

static void JNICALL SetGCNotificationEnabled(JNIEnv *env, jobject manager, jboolean enabled)
{
    IN_VM(env);
    int m = manager_of(self, manager);
    if (m >= 0)
        gc_notices_enable((ManagerId)m, enabled);
}

static jint JNICALL DumpHeap0(JNIEnv *env, jstring file, jboolean live)
{
    IN_VM(env);
    char *path = string_to_utf8(deref(file));
    if (!path) {
        throw_new(self, "java/lang/NullPointerException", "Output file name cannot be null.");
        return -1;
    }
    const char *error = heap_dump_write(self, path, live);
    if (error)
        throw_new(self, "java/io/IOException", "%s", error);
    vm_free(path);
    return error ? -1 : 0;
}

void management_fill_memory(JmmInterface *t)
{
    t->GetMemoryPools = GetMemoryPools;
    t->GetMemoryManagers = GetMemoryManagers;
    t->GetMemoryUsage = GetMemoryUsage;
    t->GetMemoryPoolUsage = GetMemoryPoolUsage;
    t->GetPeakMemoryPoolUsage = GetPeakMemoryPoolUsage;
    t->GetPoolCollectionUsage = GetPoolCollectionUsage;
    t->SetPoolSensor = SetPoolSensor;
    t->SetPoolThreshold = SetPoolThreshold;
    t->GetGCExtAttributeInfo = GetGCExtAttributeInfo;
    t->GetLastGCStat = GetLastGCStat;
    t->SetGCNotificationEnabled = SetGCNotificationEnabled;
    t->DumpHeap0 = DumpHeap0;
}
