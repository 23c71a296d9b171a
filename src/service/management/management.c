// SPDX-License-Identifier: Apache-2.0
// The management interface's table, its attributes and switches.
#include "service/management/management.h"

#include <unistd.h>

#include "base/log.h"
#include "class/unload.h"
#include "interp/profile.h"
#include "java/java_thread.h"
#include "jit/broker.h"
#include "service/management/memory_notices.h"

static jint JNICALL GetVersion(JNIEnv *env)
{
    (void)env;
    return JMM_VERSION;
}

static jint JNICALL GetOptionalSupport(JNIEnv *env, JmmOptionalSupport *support)
{
    (void)env;
    *support = (JmmOptionalSupport){.low_memory_detection = 1,
                                    .compilation_time = 1,
                                    .thread_contention = 1,
                                    .current_thread_cpu_time = 1,
                                    .other_thread_cpu_time = 1,
                                    .object_monitor_usage = 1,
                                    .synchronizer_usage = 1,
                                    .thread_allocated_memory = 1,
                                    .remote_diagnostic_commands = 1};
    return 0;
}

// ---- attributes ----

static _Atomic int64_t init_done_ms;

void management_note_start(void)
{
    atomic_store(&init_done_ms, os_wall_millis());
}

void management_gc_begin(void)
{
    ASSERT_WORLD_STOPPED();
    gc_record_begin();
}

void management_gc_end(bool full)
{
    gc_record_end(full);
    notices_after_gc(full);
}

static jlong compile_millis(void)
{
    CompileTotals totals;
    broker_totals(&totals);
    return (jlong)(totals.nanos / 1000000);
}

// -1: not known here.
static jlong attribute_value(Thread *self, jobject o, JmmLongAttribute attribute)
{
    switch (attribute) {
    case JMM_CLASS_LOADED_COUNT: return (jlong)atomic_load(&classes_loaded);
    case JMM_CLASS_UNLOADED_COUNT: return (jlong)class_unloaded_count();
    case JMM_JVM_INIT_DONE_TIME_MS: return atomic_load(&init_done_ms);
    case JMM_JVM_UPTIME_MS: return log_uptime_nanos() / 1000000;
    case JMM_VM_GLOBAL_COUNT: return management_flag_count();
    case JMM_OS_PROCESS_ID: return getpid();
    case JMM_OS_MEM_TOTAL_PHYSICAL_BYTES: return (jlong)os_physical_memory();
    case JMM_METHOD_DATA_SIZE_BYTES: return (jlong)profile_bytes();
    case JMM_COMPILE_TOTAL_TIME_MS: return compile_millis();
    case JMM_THREAD_TOTAL_COUNT:
    case JMM_THREAD_LIVE_COUNT:
    case JMM_THREAD_PEAK_COUNT:
    case JMM_THREAD_DAEMON_COUNT: return thread_attribute(attribute);
    case JMM_GC_TIME_MS:
    case JMM_GC_COUNT:
    case JMM_GC_EXT_ATTRIBUTE_INFO_SIZE: return collector_attribute(self, o, attribute);
    default: return -1;
    }
}

static jlong JNICALL GetLongAttribute(JNIEnv *env, jobject o, JmmLongAttribute attribute)
{
    IN_VM(env);
    return attribute_value(self, o, attribute);
}

static jint JNICALL GetLongAttributes(JNIEnv *env, jobject o, JmmLongAttribute *attributes,
                                      jint count, jlong *result)
{
    IN_VM(env);
    jint known = 0;
    for (jint i = 0; i < count; i++) {
        result[i] = attribute_value(self, o, attributes[i]);
        known += result[i] != -1;
    }
    return known;
}

// ---- switches ----

static _Atomic bool *switch_of(JmmBoolAttribute attribute)
{
    switch (attribute) {
    case JMM_THREAD_CONTENTION_MONITORING: return &thread_contention_timing;
    case JMM_THREAD_CPU_TIME: return &thread_cpu_time_enabled;
    case JMM_THREAD_ALLOCATED_MEMORY: return &thread_allocated_memory_enabled;
    default: return NULL;
    }
}

// What the verbose switches stand for: class+load* as a whole, gc alone; on when stdout has all of it.
static const LogTag verbose_class[] = {LOG_CLASS_LOAD, LOG_REDEFINE_LOAD};

static bool verbose_classes(void)
{
    bool on = true;
    for (size_t i = 0; i < ARRAY_LEN(verbose_class); i++)
        on = on && log_on_stdout(verbose_class[i], LOG_INFO);
    return on;
}

static void log_switch(LogTag tag, bool on)
{
    if (on)
        log_enable(tag, LOG_INFO);
    else
        log_disable(tag);
}

static jboolean JNICALL GetBoolAttribute(JNIEnv *env, JmmBoolAttribute attribute)
{
    (void)env;
    _Atomic bool *on = switch_of(attribute);
    if (on)
        return atomic_load(on);
    return attribute == JMM_VERBOSE_GC      ? log_on_stdout(LOG_GC, LOG_INFO)
           : attribute == JMM_VERBOSE_CLASS ? verbose_classes()
                                            : JNI_FALSE;
}

static jboolean JNICALL SetBoolAttribute(JNIEnv *env, JmmBoolAttribute attribute, jboolean flag)
{
    jboolean before = GetBoolAttribute(env, attribute);
    _Atomic bool *on = switch_of(attribute);
    if (on)
        atomic_store(on, flag);
    if (attribute == JMM_VERBOSE_GC)
        log_switch(LOG_GC, flag);
    if (attribute == JMM_VERBOSE_CLASS) {
        for (size_t i = 0; i < ARRAY_LEN(verbose_class); i++)
            log_switch(verbose_class[i], flag);
        log_switch(LOG_CLASS_UNLOAD, flag);
    }
    return before;
}

static jboolean JNICALL ResetStatistic(JNIEnv *env, jvalue o, JmmStatisticType type)
{
    IN_VM(env);
    bool both = type == JMM_STAT_THREAD_CONTENTION_STAT;
    switch (type) {
    case JMM_STAT_PEAK_THREAD_COUNT: java_thread_reset_peak(); return JNI_TRUE;
    case JMM_STAT_THREAD_CONTENTION_COUNT:
    case JMM_STAT_THREAD_CONTENTION_TIME:
    case JMM_STAT_THREAD_CONTENTION_STAT:
        return reset_contention(self, o.j, both || type == JMM_STAT_THREAD_CONTENTION_COUNT,
                                both || type == JMM_STAT_THREAD_CONTENTION_TIME);
    case JMM_STAT_PEAK_POOL_USAGE: return reset_pool_peak(self, o.l);
    default: return JNI_FALSE;
    }
}

// ---- the table ----

JmmInterface *management_table(Thread *self, int version)
{
    static JmmInterface table;
    if (version != JMM_VERSION)
        return NULL;
    thread_enter_vm(self);
    bool started = notices_start(self);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    if (!started)
        return NULL;
    table.GetVersion = GetVersion;
    table.GetOptionalSupport = GetOptionalSupport;
    table.GetLongAttribute = GetLongAttribute;
    table.GetLongAttributes = GetLongAttributes;
    table.GetBoolAttribute = GetBoolAttribute;
    table.SetBoolAttribute = SetBoolAttribute;
    table.ResetStatistic = ResetStatistic;
    management_fill_memory(&table);
    management_fill_threads(&table);
    management_fill_flags(&table);
    management_fill_commands(&table);
    return &table;
}
