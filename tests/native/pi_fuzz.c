// SPDX-License-Identifier: Apache-2.0
// Calls every function of JVMPI with random arguments from several threads, in event handlers and on
// a thread that is not attached, while a program runs and collections happen: good IDs, dead ones,
// NULL, anything. What may not happen: a crash, a hang, a result that the specification does not
// have. Two tables are used at a time. The seed is printed on stderr; PI_FUZZ_SEED repeats it.
// For tests/agents/PiFuzz.java.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiFuzz, type, name, ##__VA_ARGS__)

enum { POOL = 256, MONITORS = 8, DEPTH = 16, NESTED = 3, THREADS_MAX = 16, SUSPENDED = 4 };

// What is chosen from. Threads may have ended, methods' classes too. Objects live, as events tell: a
// dead ID is none that the VM can always find out about, and a collection is where they change.
static _Atomic(void *) objects[POOL];
static _Atomic(JNIEnv *) envs[POOL];
static _Atomic(jmethodID) methods[POOL];
static _Atomic(JVMPI_RawMonitor) monitors[MONITORS];
static atomic_uint object_next, env_next, method_next;
static JavaVM *java_vm;
static atomic_bool stop;
static atomic_int wrong;
static atomic_long calls;
static atomic_bool collecting;
static _Thread_local int nested;     // handlers that call
static _Thread_local uint64_t *dice; // NULL: a thread that only runs the program

static uint64_t next(void)
{
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    return *dice;
}

static unsigned upto(unsigned n)
{
    return (unsigned)(next() >> 33) % n;
}

static void odd(const char *function, long result)
{
    if (atomic_fetch_add(&wrong, 1) < 20)
        printf("%s gave %ld\n", function, result);
    fflush(stdout);
}

// ---- arguments ----
static void *pick_object(void)
{
    void *from[] = {NULL, (void *)8, (void *)&objects, (void *)(uintptr_t)(next() | 1)};
    return upto(16) ? atomic_load(&objects[upto(POOL)]) : from[upto(4)];
}

static JNIEnv *pick_env(void)
{
    JNIEnv *none[] = {NULL, (JNIEnv *)(uintptr_t)0x1000};
    return upto(16) ? atomic_load(&envs[upto(POOL)]) : none[upto(2)];
}

static JVMPI_RawMonitor pick_monitor(void)
{
    JVMPI_RawMonitor none[] = {NULL, (JVMPI_RawMonitor)(void *)&objects};
    return upto(16) ? atomic_load(&monitors[upto(MONITORS)]) : none[upto(2)];
}

static jint pick_type(void)
{
    static const jint edges[] = {-1, 0, 62, 63, 64, 1000, INT32_MIN, INT32_MAX, 0x10000001};
    return upto(8) ? (jint)upto(62) : edges[upto(sizeof edges / sizeof *edges)];
}

// ---- calls, by the rules of the modes so that no thread waits for ever ----
static void call_events(void)
{
    jint type = pick_type(), rc;
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN || type == JVMPI_EVENT_GC_START
        || type == JVMPI_EVENT_GC_FINISH || (type >= 1 && type <= 6))
        return; // methods are costly; objects have to be followed
    rc = upto(2) ? pi->EnableEvent(type, NULL) : pi->DisableEvent(type, NULL);
    if (rc != JVMPI_SUCCESS && rc != JVMPI_NOT_AVAILABLE)
        odd("EnableEvent", rc);
}

static void call_request(void)
{
    static const jint types[] = {JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_CLASS_LOAD,
                                 JVMPI_EVENT_THREAD_START, JVMPI_EVENT_OBJECT_DUMP};
    JVMPI_HeapDumpArg level = {(jint)upto(4)};
    unsigned what = upto(64);
    jint rc;
    pi->DisableGC();
    if (what == 0)
        rc = pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, upto(4) ? &level : NULL);
    else if (what == 1)
        rc = pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    else if (what < 8)
        rc = pi->RequestEvent(pick_type() & 31, pick_object());
    else
        rc = pi->RequestEvent(types[upto(4)], pick_object());
    pi->EnableGC();
    if (rc != JVMPI_SUCCESS && rc != JVMPI_NOT_AVAILABLE && rc != JVMPI_FAIL)
        odd("RequestEvent", rc);
}

static void call_trace(void)
{
    JVMPI_CallFrame frames[DEPTH + 1] = {{0}};
    frames[DEPTH].lineno = 4711;
    JVMPI_CallTrace trace = {pick_env(), -1, frames};
    jint depth = (jint)upto(DEPTH + 1);
    pi->GetCallTrace(&trace, depth);
    if (trace.num_frames < 0 || trace.num_frames > depth || frames[DEPTH].lineno != 4711)
        odd("GetCallTrace", trace.num_frames);
}

static pthread_mutex_t suspending = PTHREAD_MUTEX_INITIALIZER;

static void call_threads(void)
{
    JNIEnv *list[SUSPENDED];
    jint results[SUSPENDED], n = (jint)upto(SUSPENDED + 1);
    void *own = NULL;
    (*java_vm)->GetEnv(java_vm, &own, JNI_VERSION_1_2);
    for (int i = 0; i < n; i++)
        if ((list[i] = pick_env()) == own) // would stop here, and nobody resumes it
            list[i] = NULL;
    if (pthread_mutex_trylock(&suspending) != 0)
        return; // two that suspend each other would wait for ever
    pi->DisableGC();
    pi->SuspendThreadList(n, list, results);
    for (int i = 0; i < n; i++) {
        pi->ThreadHasRun(list[i]);
        pi->GetThreadStatus(list[i]);
        if (results[i] == 0)
            pi->ResumeThread(list[i]);
    }
    pi->ResumeThreadList(n, list, results); // none of them any more
    pi->EnableGC();
    pthread_mutex_unlock(&suspending);
    jint status = pi->GetThreadStatus(pick_env());
    if ((status & ~(JVMPI_THREAD_SUSPENDED | JVMPI_THREAD_INTERRUPTED))
        > JVMPI_THREAD_CONDVAR_WAIT)
        odd("GetThreadStatus", status);
}

static void call_storage(void)
{
    JNIEnv *env = pick_env();
    pi->SetThreadLocalStorage(env, (void *)&objects);
    void *kept = pi->GetThreadLocalStorage(env);
    if (kept && kept != (void *)&objects)
        odd("GetThreadLocalStorage", (long)(intptr_t)kept);
}

static void call_ids(void)
{
    pi->DisableGC();
    jobjectID thread = pi->GetThreadObject(pick_env());
    jobjectID of = pi->GetMethodClass(atomic_load(&methods[upto(POOL)]));
    if (of && pi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, of) != JVMPI_SUCCESS)
        odd("RequestEvent of a method's class", 0);
    jobject o = pi->jobjectID2jobject(upto(2) ? thread : pick_object());
    if (o && !pi->jobject2jobjectID(o))
        odd("jobject2jobjectID", 0);
    JNIEnv *env = NULL;
    if (o && (*java_vm)->GetEnv(java_vm, (void **)&env, JNI_VERSION_1_2) == JNI_OK)
        (*env)->DeleteLocalRef(env, o);
    pi->EnableGC();
}

static void call_monitors(void)
{
    JVMPI_RawMonitor m = pick_monitor();
    switch (upto(5)) {
    case 0:
        pi->RawMonitorEnter(m);
        if (upto(4) == 0)
            pi->RawMonitorWait(m, 1);
        pi->RawMonitorNotifyAll(m);
        pi->RawMonitorExit(m);
        break;
    case 1: pi->RawMonitorExit(m); break;
    case 2: pi->RawMonitorWait(m, 1); break;
    case 3: pi->RawMonitorNotifyAll(m); break;
    case 4: { // of its own: to destroy what others use is not for the VM to find out
        char name[16];
        snprintf(name, sizeof name, "%sfuzz", upto(2) ? "_" : "");
        m = pi->RawMonitorCreate(name);
        if (upto(2))
            pi->RawMonitorEnter(m);
        pi->RawMonitorDestroy(m);
        pi->RawMonitorDestroy(m);
    }
    }
}

static void run_system(void *unused)
{
    (void)unused;
    pause_ms(1);
}

static void call_rest(void)
{
    if (pi->GetCurrentThreadCpuTime() < 0)
        odd("GetCurrentThreadCpuTime", -1);
    if (upto(32) == 0)
        pi->RunGC();
    if (upto(64) == 0)
        pi->CreateSystemThread("made", (jint)upto(20) - 5, run_system);
}

static void (*const all[])(void) = {call_events,  call_request, call_trace,    call_threads,
                                    call_storage, call_ids,     call_monitors, call_rest};

static void call_one(void)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    all[upto(sizeof all / sizeof *all)]();
}

// In a handler of an event: it does not block, and does not change the mode.
static void call_in_handler(void)
{
    static void (*const allowed[])(void) = {call_trace, call_storage, call_request, call_ids};
    if (!dice || nested >= NESTED || upto(4))
        return;
    nested++;
    allowed[upto(atomic_load(&collecting) ? 2 : sizeof allowed / sizeof *allowed)]();
    nested--;
}

// ---- events: what they name is chosen from ----
static void keep_object(void *id)
{
    if (id)
        atomic_store(&objects[atomic_fetch_add(&object_next, 1) % POOL], id);
}

// It has moved, or died: NULL. In a collection, when nobody chooses.
static void replace_object(const void *id, void *by)
{
    for (int i = 0; i < POOL; i++)
        if (atomic_load_explicit(&objects[i], memory_order_relaxed) == id)
            atomic_store_explicit(&objects[i], by, memory_order_relaxed);
}

static void notify(JVMPI_Event *e)
{
    switch (e->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_OBJECT_ALLOC: keep_object(e->u.obj_alloc.obj_id); break;
    case JVMPI_EVENT_GC_START: atomic_store(&collecting, true); break;
    case JVMPI_EVENT_GC_FINISH: atomic_store(&collecting, false); break;
    case JVMPI_EVENT_OBJECT_FREE: replace_object(e->u.obj_free.obj_id, NULL); break;
    case JVMPI_EVENT_OBJECT_MOVE:
        replace_object(e->u.obj_move.obj_id, e->u.obj_move.new_obj_id);
        break;
    case JVMPI_EVENT_THREAD_START:
        keep_object(e->u.thread_start.thread_id);
        atomic_store(&envs[atomic_fetch_add(&env_next, 1) % POOL],
                     e->u.thread_start.thread_env_id);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        keep_object(e->u.class_load.class_id);
        if (e->u.class_load.num_methods > 0)
            atomic_store(&methods[atomic_fetch_add(&method_next, 1) % POOL],
                         e->u.class_load.methods[0].method_id);
        break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        e->u.class_load_hook.new_class_data = e->u.class_load_hook.class_data;
        e->u.class_load_hook.new_class_data_len = e->u.class_load_hook.class_data_len;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN: atomic_store(&stop, true); break;
    default: break;
    }
    call_in_handler();
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    java_vm = vm;
    pi_start(vm, JVMPI_VERSION_1_2, notify);
    for (int i = 0; i < MONITORS; i++)
        atomic_store(&monitors[i], pi->RawMonitorCreate("fuzz"));
    static const jint wanted[] = {JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_MOVE,
                                  JVMPI_EVENT_OBJECT_FREE,  JVMPI_EVENT_GC_START,
                                  JVMPI_EVENT_GC_FINISH};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        pi_enable(wanted[i]);
    return JNI_OK;
}

// ---- callers ----
static uint64_t seed_of(long number)
{
    static atomic_ulong seed;
    const char *given = getenv("PI_FUZZ_SEED");
    unsigned long none = 0;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long made = given ? strtoul(given, NULL, 0) : (unsigned long)now.tv_nsec | 1;
    if (atomic_compare_exchange_strong(&seed, &none, made))
        fprintf(stderr, "PI_FUZZ_SEED=%lu\n", made);
    return (atomic_load(&seed) + (unsigned long)number) * 0x9E3779B97F4A7C15u | 1;
}

static void call_for(long number, int millis)
{
    struct timespec now, from;
    uint64_t own = seed_of(number);
    dice = &own;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        for (int i = 0; i < 16 && !atomic_load(&stop); i++)
            call_one();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < millis
             && !atomic_load(&stop));
    dice = NULL;
}

// A thread that the VM does not know.
static void *run_unattached(void *millis)
{
    call_for(1000, *(int *)millis);
    return NULL;
}

NATIVE(void, call, jint number, jint millis)
{
    call_for(number, millis);
}

NATIVE(void, callUnattached, jint millis)
{
    pthread_t t;
    int for_millis = millis;
    pthread_create(&t, NULL, run_unattached, &for_millis);
    pthread_join(t, NULL);
}

NATIVE(void, report)
{
    fprintf(stderr, "%ld calls\n", (long)atomic_load(&calls));
    printf("%s, %d wrong\n", atomic_load(&calls) > 100 ? "called" : "hardly called",
           atomic_load(&wrong));
    fflush(stdout);
}
