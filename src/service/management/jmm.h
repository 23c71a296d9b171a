// SPDX-License-Identifier: Apache-2.0
// The management interface: the function table, version 3, by which the JDK's libmanagement and
// libmanagement_ext reach the VM (JVM_GetManagement). Its types and numbers are those that these
// libraries were compiled with. All functions are called in native state.
#ifndef SERVICE_MANAGEMENT_JMM_H
#define SERVICE_MANAGEMENT_JMM_H

#include <jni.h>

enum { JMM_VERSION = 0x20030000 };

typedef struct JmmOptionalSupport {
    unsigned low_memory_detection : 1, compilation_time : 1, thread_contention : 1,
        current_thread_cpu_time : 1, other_thread_cpu_time : 1, object_monitor_usage : 1,
        synchronizer_usage : 1, thread_allocated_memory : 1, remote_diagnostic_commands : 1,
        unused : 22;
} JmmOptionalSupport;

typedef enum JmmLongAttribute {
    JMM_CLASS_LOADED_COUNT = 1,
    JMM_CLASS_UNLOADED_COUNT,
    JMM_THREAD_TOTAL_COUNT,
    JMM_THREAD_LIVE_COUNT,
    JMM_THREAD_PEAK_COUNT,
    JMM_THREAD_DAEMON_COUNT,
    JMM_JVM_INIT_DONE_TIME_MS,
    JMM_COMPILE_TOTAL_TIME_MS,
    JMM_GC_TIME_MS,
    JMM_GC_COUNT,
    JMM_JVM_UPTIME_MS,
    JMM_CLASS_LOADED_BYTES = 101,
    JMM_CLASS_UNLOADED_BYTES,
    JMM_TOTAL_CLASSLOAD_TIME_MS,
    JMM_VM_GLOBAL_COUNT,
    JMM_SAFEPOINT_COUNT,
    JMM_TOTAL_SAFEPOINTSYNC_TIME_MS,
    JMM_TOTAL_STOPPED_TIME_MS,
    JMM_TOTAL_APP_TIME_MS,
    JMM_VM_THREAD_COUNT,
    JMM_CLASS_INIT_TOTAL_COUNT,
    JMM_CLASS_INIT_TOTAL_TIME_MS,
    JMM_METHOD_DATA_SIZE_BYTES,
    JMM_CLASS_VERIFY_TOTAL_TIME_MS,
    JMM_OS_PROCESS_ID = 201,
    JMM_OS_MEM_TOTAL_PHYSICAL_BYTES,
    JMM_GC_EXT_ATTRIBUTE_INFO_SIZE = 401
} JmmLongAttribute;

typedef enum JmmBoolAttribute {
    JMM_VERBOSE_GC = 21,
    JMM_VERBOSE_CLASS,
    JMM_THREAD_CONTENTION_MONITORING,
    JMM_THREAD_CPU_TIME,
    JMM_THREAD_ALLOCATED_MEMORY
} JmmBoolAttribute;

typedef enum JmmStatisticType {
    JMM_STAT_PEAK_THREAD_COUNT = 801,
    JMM_STAT_THREAD_CONTENTION_COUNT,
    JMM_STAT_THREAD_CONTENTION_TIME,
    JMM_STAT_THREAD_CONTENTION_STAT,
    JMM_STAT_PEAK_POOL_USAGE,
    JMM_STAT_GC_STAT
} JmmStatisticType;

typedef enum JmmThresholdType {
    JMM_USAGE_THRESHOLD_HIGH = 901,
    JMM_USAGE_THRESHOLD_LOW,
    JMM_COLLECTION_USAGE_THRESHOLD_HIGH,
    JMM_COLLECTION_USAGE_THRESHOLD_LOW
} JmmThresholdType;

enum { // flags of ThreadInfo's state, beside the bits of Thread.threadStatus
    JMM_THREAD_STATE_SUSPENDED = 0x00100000,
    JMM_THREAD_STATE_NATIVE = 0x00400000
};

typedef enum JmmVmGlobalType {
    JMM_VMGLOBAL_UNKNOWN,
    JMM_VMGLOBAL_JBOOLEAN,
    JMM_VMGLOBAL_JSTRING,
    JMM_VMGLOBAL_JLONG,
    JMM_VMGLOBAL_JDOUBLE
} JmmVmGlobalType;
typedef enum JmmVmGlobalOrigin {
    JMM_ORIGIN_DEFAULT = 1,
    JMM_ORIGIN_COMMAND_LINE,
    JMM_ORIGIN_MANAGEMENT,
    JMM_ORIGIN_ENVIRON_VAR,
    JMM_ORIGIN_CONFIG_FILE,
    JMM_ORIGIN_ERGONOMIC,
    JMM_ORIGIN_ATTACH_ON_DEMAND,
    JMM_ORIGIN_OTHER = 99
} JmmVmGlobalOrigin;
typedef struct JmmVmGlobal {
    jstring name; // NULL: no such flag
    jvalue value;
    int type, origin; // JmmVmGlobalType, JmmVmGlobalOrigin
    unsigned writeable : 1, external : 1, unused : 30;
    void *reserved1, *reserved2;
} JmmVmGlobal;

typedef struct JmmExtAttributeInfo {
    const char *name;
    char type; // of a descriptor
    const char *description;
} JmmExtAttributeInfo;

typedef struct JmmGcStat {
    jlong gc_index;                               // 0: the collector has not run
    jlong start_time, end_time;                   // ms since the VM started
    jobjectArray usage_before_gc, usage_after_gc; // MemoryUsage by pool, to be filled
    jint ext_attribute_count;
    jvalue *ext_attributes;
} JmmGcStat;

typedef struct JmmCommandInfo {
    const char *name, *description, *impact;
    const char *permission_class, *permission_name, *permission_action; // NULL: none
    int argument_count;
    jboolean enabled;
} JmmCommandInfo;
typedef struct JmmCommandArgument {
    const char *name, *description, *type, *default_text; // default_text NULL: none
    jboolean mandatory, option, multiple;
    int position; // -1 for options
} JmmCommandArgument;

typedef struct JmmInterface {
    void *reserved[2];
    jint(JNICALL *GetVersion)(JNIEnv *env);
    jint(JNICALL *GetOptionalSupport)(JNIEnv *env, JmmOptionalSupport *support);
    jint(JNICALL *GetThreadInfo)(JNIEnv *env, jlongArray ids, jint max_depth,
                                 jobjectArray infos);
    jobjectArray(JNICALL *GetMemoryPools)(JNIEnv *env, jobject manager);
    jobjectArray(JNICALL *GetMemoryManagers)(JNIEnv *env, jobject pool);
    jobject(JNICALL *GetMemoryPoolUsage)(JNIEnv *env, jobject pool);
    jobject(JNICALL *GetPeakMemoryPoolUsage)(JNIEnv *env, jobject pool);
    jlong(JNICALL *GetOneThreadAllocatedMemory)(JNIEnv *env, jlong id);
    void(JNICALL *GetThreadAllocatedMemory)(JNIEnv *env, jlongArray ids, jlongArray sizes);
    jobject(JNICALL *GetMemoryUsage)(JNIEnv *env, jboolean heap);
    jlong(JNICALL *GetLongAttribute)(JNIEnv *env, jobject o, JmmLongAttribute attribute);
    jboolean(JNICALL *GetBoolAttribute)(JNIEnv *env, JmmBoolAttribute attribute);
    jboolean(JNICALL *SetBoolAttribute)(JNIEnv *env, JmmBoolAttribute attribute, jboolean on);
    jint(JNICALL *GetLongAttributes)(JNIEnv *env, jobject o, JmmLongAttribute *attributes,
                                     jint count, jlong *result);
    jobjectArray(JNICALL *FindCircularBlockedThreads)(JNIEnv *env);
    jlong(JNICALL *GetThreadCpuTime)(JNIEnv *env, jlong id);
    jobjectArray(JNICALL *GetVMGlobalNames)(JNIEnv *env);
    jint(JNICALL *GetVMGlobals)(JNIEnv *env, jobjectArray names, JmmVmGlobal *globals,
                                jint count);
    jint(JNICALL *GetInternalThreadTimes)(JNIEnv *env, jobjectArray names, jlongArray times);
    jboolean(JNICALL *ResetStatistic)(JNIEnv *env, jvalue o, JmmStatisticType type);
    void(JNICALL *SetPoolSensor)(JNIEnv *env, jobject pool, JmmThresholdType type,
                                 jobject sensor);
    jlong(JNICALL *SetPoolThreshold)(JNIEnv *env, jobject pool, JmmThresholdType type,
                                     jlong threshold);
    jobject(JNICALL *GetPoolCollectionUsage)(JNIEnv *env, jobject pool);
    jint(JNICALL *GetGCExtAttributeInfo)(JNIEnv *env, jobject manager,
                                         JmmExtAttributeInfo *infos, jint count);
    void(JNICALL *GetLastGCStat)(JNIEnv *env, jobject manager, JmmGcStat *stat);
    jlong(JNICALL *GetThreadCpuTimeWithKind)(JNIEnv *env, jlong id, jboolean with_system);
    void(JNICALL *GetThreadCpuTimesWithKind)(JNIEnv *env, jlongArray ids, jlongArray times,
                                             jboolean with_system);
    jint(JNICALL *DumpHeap0)(JNIEnv *env, jstring file, jboolean live);
    jobjectArray(JNICALL *FindDeadlocks)(JNIEnv *env, jboolean monitors_only);
    void(JNICALL *SetVMGlobal)(JNIEnv *env, jstring name, jvalue value);
    jlong(JNICALL *GetTotalThreadAllocatedMemory)(JNIEnv *env);
    jobjectArray(JNICALL *DumpThreads)(JNIEnv *env, jlongArray ids, jboolean monitors,
                                       jboolean synchronizers, jint max_depth);
    void(JNICALL *SetGCNotificationEnabled)(JNIEnv *env, jobject manager, jboolean enabled);
    jobjectArray(JNICALL *GetDiagnosticCommands)(JNIEnv *env);
    void(JNICALL *GetDiagnosticCommandInfo)(JNIEnv *env, jobjectArray names,
                                            JmmCommandInfo *infos);
    void(JNICALL *GetDiagnosticCommandArgumentsInfo)(JNIEnv *env, jstring name,
                                                     JmmCommandArgument *infos, jint count);
    jstring(JNICALL *ExecuteDiagnosticCommand)(JNIEnv *env, jstring command);
    void(JNICALL *SetDiagnosticFrameworkNotificationEnabled)(JNIEnv *env, jboolean enabled);
} JmmInterface;
_Static_assert(sizeof(JmmInterface) == 40 * sizeof(void *), "the table has 40 entries");

#endif
