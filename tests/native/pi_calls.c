// SPDX-License-Identifier: Apache-2.0
// The functions and events of JVMPI one by one: prints each statement of the specification's check
// list by its number, and whether it holds. The library is the agent of -Xrun and has the natives
// of PiCalls, which bring about what is to be seen.
#define _GNU_SOURCE
#include <fcntl.h>
#include <jni.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiCalls, type, name, ##__VA_ARGS__)

static JavaVM *java_vm;
static JVMPI_Event last; // of a request, copied
static int requests, depth_seen;
static pthread_t last_thread;
static int counts[JVMPI_MAX_EVENT_TYPE_VAL + 1];
static struct {
    char name[32];
    JNIEnv *env;
} started[64];
static int started_count;

static JNIEnv *env_named(const char *name)
{
    for (int i = 0; i < 2000; i++) {
        for (int k = 64; k-- > 0;) {
            JNIEnv *env = __atomic_load_n(&started[k].env, __ATOMIC_SEQ_CST);
            if (env && strcmp(started[k].name, name) == 0)
                return env;
        }
        pause_ms(10);
    }
    return NULL;
}

// ---- what events tell, while `watch` says so ----
static struct {
    pthread_t thread;
    int on;
    jmethodID entered;
    jobjectID receiver;
    int entries, exits;
    int top_is_method;
    jobjectID wait_object[4];
    jlong wait_timeout[4];
    int waits, waiteds;
    jobjectID global_object;
    jobject global, global_freed, weak, weak_freed;
    jobjectID
        monitor; // contention of others does not count: an ending thread may meet who joins it
    int contended_enter, contended_entered, contended_exit;
} watch;
static char raw_names[8][32];
static int raw_types[8], raw_count; // told by two threads at a time: under raw_lock
static pthread_mutex_t raw_lock = PTHREAD_MUTEX_INITIALIZER;
static char class_seen[64], hooked;
static JVMPI_Event class_event;
static jint member_lines[2];
static char methods_seen[256], statics_seen[64], instances_seen[64], source_seen[64];
static JVMPI_RawMonitor own_lock;
static _Thread_local int gc_events; // 1 begun, 2 finished: on this thread
static int dump_then_reset;

static void note_raw(int type, const char *name)
{
    pthread_mutex_lock(&raw_lock);
    if (raw_count < 8) {
        snprintf(raw_names[raw_count], 32, "%s", name);
        raw_types[raw_count++] = type;
    }
    pthread_mutex_unlock(&raw_lock);
}

static int raw_seen(int type, const char *name)
{
    int seen = 0;
    pthread_mutex_lock(&raw_lock);
    for (int i = 0; i < raw_count; i++)
        if (raw_types[i] == type && strcmp(raw_names[i], name) == 0)
            seen = 1;
    pthread_mutex_unlock(&raw_lock);
    return seen;
}

static void see_class(const JVMPI_Event *e)
{
    if (strcmp(e->u.class_load.class_name, class_seen) != 0)
        return;
    class_event = *e;
    snprintf(source_seen, sizeof source_seen, "%s", e->u.class_load.source_name);
    methods_seen[0] = statics_seen[0] = instances_seen[0] = 0;
    for (jint i = 0; i < e->u.class_load.num_methods; i++) {
        strcat(strcat(methods_seen, e->u.class_load.methods[i].method_name), " ");
        if (strcmp(e->u.class_load.methods[i].method_name, "one") == 0) {
            member_lines[0] = e->u.class_load.methods[i].start_lineno;
            member_lines[1] = e->u.class_load.methods[i].end_lineno;
        }
    }
    for (jint i = 0; i < e->u.class_load.num_static_fields; i++)
        strcat(statics_seen, e->u.class_load.statics[i].field_name);
    for (jint i = 0; i < e->u.class_load.num_instance_fields; i++)
        strcat(instances_seen, e->u.class_load.instances[i].field_name);
}

static void see_method(const JVMPI_Event *e)
{
    if (!watch.on || !pthread_equal(pthread_self(), watch.thread))
        return;
    JVMPI_CallFrame frames[2];
    JVMPI_CallTrace trace = {e->env_id, 0, frames};
    if (e->event_type == JVMPI_EVENT_METHOD_ENTRY) {
        watch.entered = e->u.method.method_id;
        watch.entries++;
        pi->GetCallTrace(&trace, 1);
        watch.top_is_method += trace.num_frames == 1 && frames[0].method_id == watch.entered;
    } else if (e->event_type == JVMPI_EVENT_METHOD_ENTRY2) {
        if (!watch.receiver) // the first: binding a native calls methods too
            watch.receiver = e->u.method_entry2.obj_id;
    } else {
        watch.exits++;
    }
}

static void see_wait(const JVMPI_Event *e)
{
    if (!watch.on || !pthread_equal(pthread_self(), watch.thread))
        return;
    if (e->event_type == JVMPI_EVENT_MONITOR_WAIT && watch.waits < 4) {
        watch.wait_object[watch.waits] = e->u.monitor_wait.object;
        watch.wait_timeout[watch.waits++] = e->u.monitor_wait.timeout;
    } else {
        watch.waiteds += e->u.monitor_wait.timeout >= 0;
    }
}

static void see_reference(const JVMPI_Event *e)
{
    if (!pthread_equal(pthread_self(), watch.thread))
        return;
    switch (e->event_type) {
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
        watch.global_object = e->u.jni_globalref_alloc.obj_id;
        watch.global = e->u.jni_globalref_alloc.ref_id;
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
        watch.global_freed = e->u.jni_globalref_free.ref_id;
        break;
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        watch.weak = e->u.jni_globalref_alloc.ref_id;
        break;
    default: watch.weak_freed = e->u.jni_globalref_free.ref_id; break;
    }
}

static void see_contention(const JVMPI_Event *e)
{
    if (e->u.monitor.object != watch.monitor)
        return;
    watch.contended_enter += e->event_type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER;
    watch.contended_entered += e->event_type == JVMPI_EVENT_MONITOR_CONTENDED_ENTERED;
    watch.contended_exit += e->event_type == JVMPI_EVENT_MONITOR_CONTENDED_EXIT;
}

static void see_hook(JVMPI_Event *e)
{
    e->u.class_load_hook.new_class_data = e->u.class_load_hook.class_data;
    e->u.class_load_hook.new_class_data_len = e->u.class_load_hook.class_data_len;
    if (!hooked)
        return;
    void *copy = e->u.class_load_hook.malloc_f((unsigned)e->u.class_load_hook.class_data_len);
    memcpy(copy, e->u.class_load_hook.class_data, (size_t)e->u.class_load_hook.class_data_len);
    char *text = memmem(copy, (size_t)e->u.class_load_hook.class_data_len, "before", 6);
    if (text)
        memcpy(text, "after!", 6);
    e->u.class_load_hook.new_class_data = copy;
    hooked = 2;
}

static void notify(JVMPI_Event *e)
{
    jint type = e->event_type & ~JVMPI_REQUESTED_EVENT;
    __atomic_fetch_add(&counts[type], 1, __ATOMIC_RELAXED);
    if (e->event_type & JVMPI_REQUESTED_EVENT) {
        last = *e;
        last_thread = pthread_self();
        requests++;
        if (type == JVMPI_EVENT_CLASS_LOAD)
            see_class(e);
        if (type == JVMPI_EVENT_CLASS_LOAD && depth_seen == 0) {
            depth_seen = 1; // a request inside the handler of one
            pi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, e->u.class_load.class_id);
            last = *e;
        }
        return;
    }
    switch (type) {
    case JVMPI_EVENT_THREAD_START: {
        int i = __atomic_fetch_add(&started_count, 1, __ATOMIC_RELAXED) % 64;
        snprintf(started[i].name, sizeof started[i].name, "%s", e->u.thread_start.thread_name);
        __atomic_store_n(&started[i].env, e->u.thread_start.thread_env_id, __ATOMIC_SEQ_CST);
        break;
    }
    case JVMPI_EVENT_CLASS_LOAD: see_class(e); break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK: see_hook(e); break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_ENTRY2:
    case JVMPI_EVENT_METHOD_EXIT: see_method(e); break;
    case JVMPI_EVENT_MONITOR_WAIT:
    case JVMPI_EVENT_MONITOR_WAITED: see_wait(e); break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE: see_reference(e); break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT: see_contention(e); break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT: note_raw(type, e->u.raw_monitor.name); break;
    case JVMPI_EVENT_GC_START: gc_events = 1; break;
    case JVMPI_EVENT_GC_FINISH: gc_events = gc_events == 1 ? 2 : -1; break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST: dump_then_reset = 1; break;
    case JVMPI_EVENT_DATA_RESET_REQUEST: dump_then_reset = dump_then_reset == 1 ? 2 : -1; break;
    case JVMPI_EVENT_JVM_INIT_DONE: pi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL); break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        check("174 167", counts[type] == 1
                             && pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) == JVMPI_SUCCESS);
        break;
    default: break;
    }
}

// ---- start ----
static void start_checks(const char *options, void *reserved)
{
    void *again = NULL, *none = NULL;
    check("4 5", strcmp(options, "a=b,net=host:1234") == 0);
    check("6", reserved == NULL);
    check("16 22", (*java_vm)->GetEnv(java_vm, &none, (jint)0x10000004) == JNI_EVERSION);
    (*java_vm)->GetEnv(java_vm, &again, JVMPI_VERSION_1);
    check("15 21 23", again == pi);
    check("17", pi->version >= JVMPI_VERSION_1_1 && pi->version <= JVMPI_VERSION_1_2);
    const void *const *slots = (const void *const *)(const void *)pi;
    int filled = 1;
    for (int i = 2; i < 30; i++)
        filled &= slots[i] != NULL;
    check("18 25", filled && pi->NotifyEvent == NULL);
    check("24", (*java_vm)->GetEnv(java_vm, &none, JNI_VERSION_1_2) < 0);
    int events = 1;
    for (jint type = 33; type <= JVMPI_MAX_EVENT_TYPE_VAL; type++)
        if (type != 36 && type != 37 && type != 50 && type != 59)
            events &= pi->EnableEvent(type, NULL) == JVMPI_SUCCESS;
    check("20 39 186", events);
    check("40", pi->EnableEvent(JVMPI_EVENT_HEAP_DUMP, NULL) == JVMPI_NOT_AVAILABLE
                    && pi->EnableEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) == JVMPI_NOT_AVAILABLE
                    && pi->DisableEvent(JVMPI_EVENT_OBJECT_DUMP, NULL) == JVMPI_NOT_AVAILABLE
                    && pi->EnableEvent(20, NULL) == JVMPI_NOT_AVAILABLE
                    && pi->EnableEvent(1000, NULL) == JVMPI_NOT_AVAILABLE);
    check("54", pi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) == JVMPI_NOT_AVAILABLE);
    for (jint type = 1; type <= JVMPI_MAX_EVENT_TYPE_VAL; type++)
        pi->DisableEvent(type, NULL);
    check("53", 1);
    check("108", pi->CreateSystemThread("early", 5, NULL) == JNI_ERR);
    JVMPI_RawMonitor m = pi->RawMonitorCreate("start");
    pi->RawMonitorEnter(m);
    pi->RawMonitorEnter(m);
    pi->RawMonitorWait(m, 1);
    pi->RawMonitorExit(m);
    pi->RawMonitorNotifyAll(m);
    pi->RawMonitorExit(m);
    pi->RawMonitorDestroy(m);
    check("122", 1);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    java_vm = vm;
    pi_start(vm, JVMPI_VERSION_1_1, NULL);
    start_checks(options, reserved);
    pi->NotifyEvent = notify;
    static const jint wanted[] = {JVMPI_EVENT_THREAD_START, JVMPI_EVENT_JVM_INIT_DONE,
                                  JVMPI_EVENT_JVM_SHUT_DOWN};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        pi_enable(wanted[i]);
    return JNI_OK;
}

// ---- requests ----
static jobjectID id_of(jobject o)
{
    return pi->jobject2jobjectID(o);
}

static jint request(jint type, const void *arg)
{
    requests = 0;
    return pi->RequestEvent(type, (void *)(uintptr_t)arg);
}

static int is_requested(jint type)
{
    return requests > 0 && last.event_type == (type | JVMPI_REQUESTED_EVENT)
           && pthread_equal(last_thread, pthread_self());
}

NATIVE(void, requests, jobject object, jobject array, jobject thread)
{
    JNIEnv *same = NULL;
    check("173", counts[JVMPI_EVENT_JVM_INIT_DONE] == 1);
    check("24", (*java_vm)->GetEnv(java_vm, (void **)&same, JNI_VERSION_1_2) == JNI_OK
                    && same == env);
    pi->DisableGC();
    pi->DisableGC();
    jmethodID main_id = (*env)->GetStaticMethodID(env, cls, "main", "([Ljava/lang/String;)V");
    jobjectID class_id = id_of(cls);
    strcpy(class_seen, "PiCalls");
    check("44 33 29 49 50", request(JVMPI_EVENT_CLASS_LOAD, class_id) == JVMPI_SUCCESS
                                && is_requested(JVMPI_EVENT_CLASS_LOAD)
                                && last.u.class_load.class_id == class_id);
    check("34", depth_seen == 1 && requests == 2);
    check("131 133", strcmp(source_seen, "PiCalls.java") == 0 && strstr(methods_seen, "main "));
    check("57 58 68", pi->GetMethodClass(main_id) == class_id);
    check("46", request(JVMPI_EVENT_OBJECT_ALLOC, id_of(object)) == JVMPI_SUCCESS
                    && last.u.obj_alloc.obj_id == id_of(object)
                    && last.u.obj_alloc.is_array == JVMPI_NORMAL_OBJECT
                    && last.u.obj_alloc.size == 16);
    check("90", last.u.obj_alloc.arena_id == 1 || last.u.obj_alloc.arena_id == 2);
    check("46 181", request(JVMPI_EVENT_OBJECT_ALLOC, id_of(array)) == JVMPI_SUCCESS
                        && last.u.obj_alloc.is_array == JVMPI_INT && !last.u.obj_alloc.class_id
                        && last.u.obj_alloc.size == 32);
    check("45 193", pi->GetThreadObject(env) == id_of(thread)
                        && request(JVMPI_EVENT_THREAD_START, id_of(thread)) == JVMPI_SUCCESS
                        && last.u.thread_start.thread_env_id == env);
    check("43", request(JVMPI_EVENT_METHOD_ENTRY, NULL) == JVMPI_NOT_AVAILABLE
                    && request(JVMPI_EVENT_GC_START, NULL) == JVMPI_NOT_AVAILABLE
                    && request(99, NULL) == JVMPI_NOT_AVAILABLE);
    check("51",
          request(JVMPI_EVENT_CLASS_LOAD, id_of(object)) == JVMPI_FAIL
              && request(JVMPI_EVENT_OBJECT_ALLOC, (void *)8) == JVMPI_FAIL
              && request(JVMPI_EVENT_OBJECT_ALLOC, (char *)id_of(object) + 1) == JVMPI_FAIL
              && request(JVMPI_EVENT_THREAD_START, id_of(object)) == JVMPI_FAIL
              && requests == 0);
    jclass ints = (*env)->FindClass(env, "[I");
    check("52", request(JVMPI_EVENT_CLASS_LOAD, id_of(ints)) == JVMPI_SUCCESS
                    && last.u.class_load.num_methods == 0);
    check("25 171", (*env)->IsSameObject(env, pi->jobjectID2jobject(id_of(object)), object));
    pi->EnableGC();
    pi->EnableGC();
}

// ---- collections ----
NATIVE(jlong, address, jobject o)
{
    return (jlong)(intptr_t)id_of(o);
}

NATIVE(void, disable)
{
    pi->DisableGC();
    pi->DisableGC();
    pi->EnableGC();
}

NATIVE(void, enable)
{
    pi->EnableGC();
}

NATIVE(void, collect)
{
    pi_enable(JVMPI_EVENT_GC_START);
    pi_enable(JVMPI_EVENT_GC_FINISH);
    gc_events = 0;
    pi->RunGC();
    pi->DisableEvent(JVMPI_EVENT_GC_START, NULL);
    pi->DisableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    check("75 76 77 37", gc_events == 2);
}

NATIVE(void, say, jstring numbers, jboolean good)
{
    const char *text = (*env)->GetStringUTFChars(env, numbers, NULL);
    check(text, good);
    (*env)->ReleaseStringUTFChars(env, numbers, text);
}

// ---- threads ----
NATIVE(jint, status, jstring name)
{
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    jint status = pi->GetThreadStatus(env_named(text));
    (*env)->ReleaseStringUTFChars(env, name, text);
    return status;
}

static jlong count_of(JNIEnv *env, jlongArray counter)
{
    jlong n;
    (*env)->GetLongArrayRegion(env, counter, 0, 1, &n);
    return n;
}

// The count once the thread that counts has gone on; the same after ten seconds in which it has not.
static jlong count_after(JNIEnv *env, jlongArray counter, jlong n)
{
    for (int i = 0; i < 500 && count_of(env, counter) == n; i++)
        pause_ms(20);
    return count_of(env, counter);
}

// What is suspended, resumed and suspended again: whether `runs` has run meanwhile, and `sleeps`, which may still have been
// about to sleep, in one of some tries has not.
static int told_apart(JNIEnv *runs, JNIEnv *sleeps, JNIEnv *env, jlongArray counter)
{
    JNIEnv *both[] = {runs, sleeps};
    int has_slept = 0;
    for (int i = 0; i < 100 && !has_slept; i++) {
        jint results[2] = {9, 9};
        pi->SuspendThreadList(2, both, results);
        jlong at = count_of(env, counter);
        pi->ResumeThreadList(2, both, results);
        count_after(env, counter, at);
        pi->SuspendThreadList(2, both, results);
        if (results[0] || results[1] || !pi->ThreadHasRun(runs))
            return 0;
        has_slept = !pi->ThreadHasRun(sleeps);
        pi->ResumeThreadList(2, both, results);
    }
    return has_slept;
}

NATIVE(void, suspend, jlongArray counter)
{
    JNIEnv *spinner = env_named("spinner"), *sleeper = env_named("sleeper");
    JNIEnv *both[] = {spinner, sleeper};
    jint results[2] = {9, 9};
    jlong at;
    JVMPI_CallFrame frames[8], frames2[8];
    JVMPI_CallTrace trace = {spinner, 0, frames}, trace2 = {spinner, 0, frames2};
    pi->DisableGC();
    pi->SuspendThread(spinner);
    at = count_of(env, counter);
    free(malloc(100)); // no lock of the C library is held by a suspended thread
    pause_ms(20);
    check("95 98", at == count_of(env, counter));
    check("103 105", pi->GetThreadStatus(spinner) == JVMPI_THREAD_RUNNABLE);
    pi->GetCallTrace(&trace, 8);
    pi->GetCallTrace(&trace2, 8);
    check("152 195", trace.num_frames >= 2 && trace.num_frames == trace2.num_frames
                         && memcmp(&frames[0], &frames2[0], sizeof(jint)) == 0);
    pi->GetCallTrace(&trace, 1);
    check("153", trace.num_frames == 1);
    pi->GetCallTrace(&trace, 0);
    pi->GetCallTrace(NULL, 3); // nothing to fill in
    JVMPI_CallTrace nowhere = {spinner, 7, NULL};
    pi->GetCallTrace(&nowhere, 3);
    check("153", trace.num_frames == 0 && nowhere.num_frames == 0);
    pi->ResumeThread(spinner);
    pi->SuspendThreadList(2, both, results);
    check("106", results[0] == 0 && results[1] == 0);
    pi->ResumeThreadList(2, both, results);
    check("101", told_apart(spinner, sleeper, env, counter));
    pi->SuspendThreadList(2, both, results);
    at = count_of(env, counter);
    pi->SuspendThreadList(1, both, results);
    check("106", results[0] != 0);
    pi->ResumeThreadList(2, both, results);
    pi->EnableGC();
    check("95", count_after(env, counter, at) > at);
    trace.env_id = (JNIEnv *)(uintptr_t)0x1000;
    pi->GetCallTrace(&trace, 8);
    check("154", trace.num_frames == 0);
    jlong before = pi->GetCurrentThreadCpuTime();
    for (volatile int i = 0; i < 30000000; i++)
        ;
    check("151", pi->GetCurrentThreadCpuTime() - before > 1000000);
}

NATIVE(void, freeze, jboolean on)
{
    if (on)
        pi->DisableGC();
    if (on)
        pi->SuspendThread(env_named("spinner"));
    else
        pi->ResumeThread(env_named("spinner"));
    if (!on)
        pi->EnableGC();
}

static int system_ran;
static void run_system(void *unused)
{
    (void)unused;
    JNIEnv *own = NULL;
    jint rc = (*java_vm)->GetEnv(java_vm, (void **)&own, JNI_VERSION_1_2);
    system_ran = rc == JNI_OK && own == env_named("system one");
    pi->RawMonitorEnter(own_lock);
    pi->RawMonitorNotifyAll(own_lock);
    pi->RawMonitorWait(own_lock, 0); // for ever: does not keep the VM alive
}

static volatile int gc_left_disabled, gc_enabled;
static void leave_gc_disabled(void *unused)
{
    (void)unused;
    pi->DisableGC();
    gc_left_disabled = 1;
    while (!gc_enabled)
        pause_ms(1);
}

// What a thread disabled another one enables, while the first goes on.
static void check_odd_threads(void)
{
    check("107", pi->CreateSystemThread(NULL, 1000, leave_gc_disabled) == JNI_OK
                     && pi->CreateSystemThread("nothing", 1, NULL) == JNI_ERR);
    while (!gc_left_disabled)
        pause_ms(1);
    pi->DisableGC();
    pi->EnableGC();
    pi->EnableGC();
    pi->RunGC();
    gc_enabled = 1;
    check("71 75", 1);
}

NATIVE(void, system)
{
    check_odd_threads();
    own_lock = pi->RawMonitorCreate("_own");
    pi->RawMonitorEnter(own_lock);
    jint rc = pi->CreateSystemThread("system one", JVMPI_MAXIMUM_PRIORITY, run_system);
    while (rc == JNI_OK && !system_ran)
        pi->RawMonitorWait(own_lock, 1000);
    pi->RawMonitorExit(own_lock);
    check("107 109 110", rc == JNI_OK && system_ran);
    JNIEnv *spinner = env_named("spinner");
    int mine, others;
    check("111", pi->GetThreadLocalStorage(env) == NULL);
    pi->SetThreadLocalStorage(env, &mine);
    pi->SetThreadLocalStorage(spinner, &others);
    check("111", pi->GetThreadLocalStorage(env) == &mine
                     && pi->GetThreadLocalStorage(spinner) == &others);
}

// ---- raw monitors ----
static JVMPI_RawMonitor raw[2];
static volatile int raw_held;
static JNIEnv *raw_contender;

static void hold_raw(void *unused)
{
    (void)unused;
    pi->RawMonitorEnter(raw[0]);
    pi->RawMonitorEnter(raw[1]);
    raw_held = 1;
    while (pi->GetThreadStatus(raw_contender) != JVMPI_THREAD_MONITOR_WAIT)
        pause_ms(1);
    pi->RawMonitorExit(raw[1]);
    pi->RawMonitorExit(raw[0]);
    raw_held = 2;
}

NATIVE(void, rawMonitors)
{
    raw[0] = pi->RawMonitorCreate("open");
    raw[1] = pi->RawMonitorCreate("_hidden");
    pi->RawMonitorWait(raw[0], 0); // not its owner: does not wait
    check("119", 1);
    for (jint type = 51; type <= 53; type++)
        pi_enable(type);
    raw_contender = env;
    pi->CreateSystemThread("holder", JVMPI_NORMAL_PRIORITY, hold_raw);
    while (!raw_held)
        pause_ms(1);
    pi->RawMonitorEnter(raw[0]);
    pi->RawMonitorEnter(raw[1]);
    pi->RawMonitorExit(raw[1]);
    pi->RawMonitorExit(raw[0]);
    while (raw_held != 2)
        pause_ms(1);
    check("115", raw_seen(JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, "open")
                     && raw_seen(JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED, "open")
                     && raw_seen(JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT, "open"));
    check("114", !raw_seen(JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER, "_hidden")
                     && !raw_seen(JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT, "_hidden"));
    for (jint type = 51; type <= 53; type++)
        pi->DisableEvent(type, NULL);
}

// ---- events of the current thread, whose IDs mean the same to the end: nothing moves ----
NATIVE(void, watchOn, jint from, jint to, jobject monitor)
{
    pi->DisableGC();
    memset(&watch, 0, sizeof watch);
    watch.monitor = monitor ? id_of(monitor) : NULL;
    watch.thread = pthread_self();
    for (jint type = from; type <= to; type++)
        pi_enable(type);
    watch.on = 1;
}

NATIVE(void, watchOff, jint from, jint to)
{
    watch.on = 0;
    for (jint type = from; type <= to; type++)
        pi->DisableEvent(type, NULL);
    pi->EnableGC();
}

// The exit of watchOn and the entry of watchOff count too. What is between them throws, makes an
// exception by constructors and natives, and leaves methods by it.
NATIVE(void, methodsSeen)
{
    check("140 142 143", watch.entries == watch.exits && watch.entries > 10);
    check("144", watch.top_is_method == watch.entries);
}

NATIVE(void, receiverSeen, jobject receiver)
{
    check("141", watch.receiver == id_of(receiver));
}

NATIVE(void, waitsSeen, jobject object)
{
    check("157", watch.waits == 2 && watch.wait_object[0] == id_of(object)
                     && watch.wait_timeout[0] == 5);
    check("158", watch.waiteds == 2);
    check("159", watch.wait_object[1] == NULL && watch.wait_timeout[1] == 3);
}

NATIVE(void, contendedSeen)
{
    check("155", watch.contended_enter == 1 && watch.contended_entered == 1
                     && watch.contended_exit == 1);
}

NATIVE(void, references, jobject object)
{
    pi->DisableGC();
    for (jint type = 38; type <= 41; type++)
        pi_enable(type);
    jobject g = (*env)->NewGlobalRef(env, object);
    jweak w = (*env)->NewWeakGlobalRef(env, object);
    check("168", watch.global == g && watch.global_object == id_of(object));
    pi->EnableGC();
    check("169", watch.weak == w);
    (*env)->DeleteGlobalRef(env, g);
    (*env)->DeleteWeakGlobalRef(env, w);
    check("168 169", watch.global_freed == g && watch.weak_freed == w);
    for (jint type = 38; type <= 41; type++)
        pi->DisableEvent(type, NULL);
    watch.global = watch.global_freed = NULL;
    (*env)->DeleteGlobalRef(env, (*env)->NewGlobalRef(env, object));
    check("41 42 188", !watch.global && !watch.global_freed);
}

// ---- classes ----
NATIVE(void, hook, jboolean on)
{
    hooked = (char)on;
    strcpy(class_seen, "PiCalls$Late");
    if (on) {
        pi_enable(JVMPI_EVENT_CLASS_LOAD_HOOK);
        pi_enable(JVMPI_EVENT_CLASS_LOAD);
    } else {
        pi->DisableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
        pi->DisableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    }
}

NATIVE(void, classSeen, jclass late, jint line)
{
    (void)late;
    check("130 131", class_event.u.class_load.class_id
                         && class_event.u.class_load.num_interfaces == 1
                         && strcmp(source_seen, "PiCalls.java") == 0);
    check("132", strcmp(methods_seen, "<init> one run <clinit> ") == 0
                     && strcmp(statics_seen, "TEXT") == 0 && strcmp(instances_seen, "ab") == 0);
    check("139", member_lines[0] == line && member_lines[1] == line + 1);
}

NATIVE(void, quit)
{
    pi_enable(JVMPI_EVENT_DATA_DUMP_REQUEST);
    pi_enable(JVMPI_EVENT_DATA_RESET_REQUEST);
    int out = dup(1), null = open("/dev/null", O_WRONLY); // the thread dump goes there
    fflush(stdout);
    dup2(null, 1);
    kill(getpid(), SIGQUIT);
    for (int i = 0; i < 3000 && dump_then_reset != 2; i++)
        pause_ms(10);
    fflush(stdout);
    dup2(out, 1);
    check("175", dump_then_reset == 2);
}

NATIVE(void, exit, jint code)
{
    fflush(stdout);
    pi->ProfilerExit(code);
}
