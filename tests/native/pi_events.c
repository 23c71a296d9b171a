// SPDX-License-Identifier: Apache-2.0
// How JVMPI delivers events: on which thread, with what, in which order, and what a handler may do.
// Prints statements of the check list by number. The natives of PiEvents bring about what the log
// then holds.
#include <pthread.h>
#include <stddef.h>

#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiEvents, type, name, ##__VA_ARGS__)
#define REST_IS_ZERO(e, member) \
    is_zero(&(e)->u.member + 1, \
            (const char *)(&(e)->u + 1) - (const char *)(&(e)->u.member + 1))

typedef struct Seen {
    jint type;
    JNIEnv *env, *own; // the event's, and GetEnv's
    char text[64];
    jobjectID object;
} Seen;
enum { LOG_MAX = 1 << 16 };
static Seen *event_log;
static int log_len, recording, rest_wrong;
static pthread_mutex_t log_lock =
    PTHREAD_MUTEX_INITIALIZER; // of what two threads tell at a time
static JavaVM *java_vm;
static int counts[JVMPI_MAX_EVENT_TYPE_VAL + 1];
static char names[3][64]; // of the last THREAD_START
static jmethodID meet_id, calls_id;
static jclass test_class;
static jmethodID answer_id;
static int meeting, met, answered, jni_at_init, storage_kept;
static JVMPI_Event requested;
static JNIEnv *requested_on;
static jobjectID watched; // a class to be unloaded, followed by its moves
static char unloaded_name[64];
static int unloaded;      // the watched class, and its name is known
static int hold_in_alloc; // 1: the next OBJECT_ALLOC of `holder` is to wait
static JNIEnv *holder;
static int collected, collected_meanwhile, gc_asked;
static JVMPI_RawMonitor own;

static int is_zero(const void *at, ptrdiff_t size)
{
    const char *p = at;
    while (size > 0 && p[size - 1] == 0)
        size--;
    return size <= 0;
}

static JNIEnv *own_env(void)
{
    void *env = NULL;
    (*java_vm)->GetEnv(java_vm, &env, JNI_VERSION_1_2);
    return env;
}

static void record(const JVMPI_Event *e, const char *text, jobjectID object)
{
    Seen seen = {.type = e->event_type, e->env_id, own_env(), {0}, object};
    snprintf(seen.text, sizeof seen.text, "%s", text);
    pthread_mutex_lock(&log_lock);
    if (recording && log_len < LOG_MAX)
        event_log[log_len++] = seen;
    pthread_mutex_unlock(&log_lock);
}

static int log_length(void)
{
    pthread_mutex_lock(&log_lock);
    int length = log_len;
    pthread_mutex_unlock(&log_lock);
    return length;
}

// The place in the log from `from` on, -1: it is not there. NULL: any thread, any text.
static int find(int from, jint type, const JNIEnv *env, const char *text)
{
    for (int i = from; i < log_length(); i++)
        if (event_log[i].type == type && (!env || event_log[i].env == env)
            && (!text || strcmp(event_log[i].text, text) == 0))
            return i;
    return -1;
}

// ---- what handlers do ----
static void on_entry(const JVMPI_Event *e)
{
    static char stored;
    rest_wrong += !REST_IS_ZERO(e, method);
    record(e, "", NULL);
    if (e->u.method.method_id == meet_id) {
        __atomic_add_fetch(&meeting, 1, __ATOMIC_SEQ_CST);
        if (wait_until(&meeting, 2))
            __atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
    }
    if (e->u.method.method_id == calls_id) {
        JNIEnv *env = e->env_id;
        answered = (*env)->CallStaticIntMethod(env, test_class, answer_id);
    }
    const char *kept = pi->GetThreadLocalStorage(e->env_id);
    if (kept && kept != &stored)
        storage_kept |= 1 << *kept;
}

static void on_alloc(const JVMPI_Event *e)
{
    record(e, "", e->u.obj_alloc.obj_id);
    if (e->env_id != holder || hold_in_alloc == 0)
        return;
    int how = hold_in_alloc;
    hold_in_alloc = 0;
    if (how == 1) { // no collection until this handler returns
        __atomic_store_n(&gc_asked, 1, __ATOMIC_SEQ_CST);
        pause_ms(50);
        collected_meanwhile = __atomic_load_n(&collected, __ATOMIC_SEQ_CST);
    } else {
        __atomic_store_n(&meeting, 1, __ATOMIC_SEQ_CST);
        pi->RawMonitorEnter(own);
        pi->RawMonitorExit(own);
    }
}

static void on_thread_start(const JVMPI_Event *e)
{
    static char one = 1;
    snprintf(names[0], sizeof names[0], "%s", e->u.thread_start.thread_name);
    snprintf(names[1], sizeof names[1], "%s", e->u.thread_start.group_name);
    snprintf(names[2], sizeof names[2], "%s", e->u.thread_start.parent_name);
    record(e, names[0], e->u.thread_start.thread_id);
    pi->SetThreadLocalStorage(e->u.thread_start.thread_env_id, &one);
}

static void on_thread_end(const JVMPI_Event *e)
{
    record(e, "", NULL);
    const char *kept = pi->GetThreadLocalStorage(e->env_id);
    storage_kept |= kept && *kept == 1 ? 8 : 0;
    pi->SetThreadLocalStorage(e->env_id, NULL);
}

static void on_unload(const JVMPI_Event *e)
{
    if (e->u.class_unload.class_id != watched)
        return;
    requested.u.class_load.class_id = NULL;
    if (pi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, watched) != JVMPI_SUCCESS)
        snprintf(unloaded_name, sizeof unloaded_name, "cannot be asked about");
    __atomic_store_n(&unloaded, 1, __ATOMIC_SEQ_CST);
}

static void on_request(const JVMPI_Event *e)
{
    requested = *e;
    requested_on = own_env();
    if (e->event_type == (JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT))
        snprintf(unloaded_name, sizeof unloaded_name, "%s", e->u.class_load.class_name);
    if (e->event_type == (JVMPI_EVENT_THREAD_START | JVMPI_REQUESTED_EVENT))
        snprintf(names[0], sizeof names[0], "%s", e->u.thread_start.thread_name);
}

static void on_hook(JVMPI_Event *e)
{
    e->u.class_load_hook.new_class_data = e->u.class_load_hook.class_data;
    e->u.class_load_hook.new_class_data_len = e->u.class_load_hook.class_data_len;
    record(e, "", NULL);
}

static void notify(JVMPI_Event *e)
{
    if (e->event_type & JVMPI_REQUESTED_EVENT) {
        on_request(e);
        return;
    }
    __atomic_fetch_add(&counts[e->event_type], 1, __ATOMIC_RELAXED);
    switch (e->event_type) {
    case JVMPI_EVENT_METHOD_ENTRY: on_entry(e); break;
    case JVMPI_EVENT_OBJECT_ALLOC: on_alloc(e); break;
    case JVMPI_EVENT_OBJECT_MOVE:
        if (e->u.obj_move.obj_id == watched)
            watched = e->u.obj_move.new_obj_id;
        break;
    case JVMPI_EVENT_THREAD_START: on_thread_start(e); break;
    case JVMPI_EVENT_THREAD_END: on_thread_end(e); break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK: on_hook(e); break;
    case JVMPI_EVENT_CLASS_LOAD: record(e, e->u.class_load.class_name, NULL); break;
    case JVMPI_EVENT_CLASS_UNLOAD: on_unload(e); break;
    case JVMPI_EVENT_JVM_INIT_DONE: {
        JNIEnv *env = e->env_id;
        jni_at_init = (*env)->FindClass(env, "java/lang/StringBuilder") != NULL;
        break;
    }
    case JVMPI_EVENT_GC_START:
        rest_wrong += !is_zero(&e->u, sizeof e->u);
        record(e, "", NULL);
        break;
    case JVMPI_EVENT_GC_FINISH:
        rest_wrong += !REST_IS_ZERO(e, gc_info);
        record(e, "", NULL);
        break;
    default: record(e, "", e->u.monitor.object); break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    java_vm = vm;
    event_log = calloc(LOG_MAX, sizeof *event_log);
    pi_start(vm, JVMPI_VERSION_1_1, notify);
    own = pi->RawMonitorCreate("_events");
    pi_enable(JVMPI_EVENT_JVM_INIT_DONE);
    return JNI_OK;
}

// ---- natives ----
NATIVE(void, begin)
{
    int sum = 0;
    for (int i = 0; i <= JVMPI_MAX_EVENT_TYPE_VAL; i++)
        sum += counts[i];
    // NotifyEvent is set since JVM_OnLoad, and one event is enabled.
    check("11 13 19", sum == 1 && counts[JVMPI_EVENT_JVM_INIT_DONE] == 1);
    check("145 146 147", pi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_LOAD, NULL) == 0
                             && pi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_UNLOAD, NULL) == 0);
    meet_id = (*env)->GetStaticMethodID(env, cls, "meet", "()V");
    calls_id = (*env)->GetStaticMethodID(env, cls, "calls", "()V");
    answer_id = (*env)->GetStaticMethodID(env, cls, "answer", "()I");
    test_class = (*env)->NewGlobalRef(env, cls);
}

NATIVE(void, on, jintArray types)
{
    jint n = (*env)->GetArrayLength(env, types), type;
    pthread_mutex_lock(&log_lock);
    log_len = 0;
    recording = 1;
    pthread_mutex_unlock(&log_lock);
    for (jint i = 0; i < n; i++) {
        (*env)->GetIntArrayRegion(env, types, i, 1, &type);
        pi_enable(type);
    }
}

NATIVE(void, off)
{
    pthread_mutex_lock(&log_lock);
    recording = 0;
    pthread_mutex_unlock(&log_lock);
    for (jint type = 1; type <= JVMPI_MAX_EVENT_TYPE_VAL; type++)
        if (type != JVMPI_EVENT_COMPILED_METHOD_LOAD
            && type != JVMPI_EVENT_COMPILED_METHOD_UNLOAD)
            pi->DisableEvent(type, NULL);
}

NATIVE(void, deliverySeen)
{
    int wrong = 0, others = 0;
    for (int i = 0; i < log_length(); i++) {
        wrong += !event_log[i].env || event_log[i].env != event_log[i].own;
        others += event_log[i].env != env;
    }
    check("26 27 28", wrong == 0 && others > 0
                          && find(0, JVMPI_EVENT_METHOD_ENTRY, env, NULL) >= 0
                          && find(0, JVMPI_EVENT_OBJECT_ALLOC, NULL, NULL) >= 0);
    check("38", find(0, JVMPI_EVENT_GC_START, env, NULL) >= 0
                    && find(0, JVMPI_EVENT_GC_FINISH, env, NULL) >= 0);
    check("35", rest_wrong == 0);
}

NATIVE(void, meetingSeen)
{
    check("30", met == 2);
}

NATIVE(void, collectWhenAsked)
{
    if (wait_until(&gc_asked, 1))
        pi->RunGC();
    __atomic_store_n(&collected, 1, __ATOMIC_SEQ_CST);
}

NATIVE(void, holdNext, jint how)
{
    holder = env;
    hold_in_alloc = how;
}

NATIVE(void, heldSeen)
{
    check("32", gc_asked && !collected_meanwhile && wait_until(&collected, 1));
    meeting = 0; // before there is a thread that holds
}

NATIVE(void, requestWithLock, jobject object, jclass of)
{
    pi->RawMonitorEnter(own);
    wait_until(&meeting, 1); // the other thread is in its handler, and waits for the monitor
    pause_ms(20);
    pi->DisableGC();
    jint rc = pi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, pi->jobject2jobjectID(object));
    int good = rc == JVMPI_SUCCESS && requested_on == env;
    rc = pi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, pi->jobject2jobjectID(of));
    check("192", good && rc == JVMPI_SUCCESS && requested_on == env && meeting == 1);
    pi->EnableGC();
    pi->RawMonitorExit(own);
}

NATIVE(void, threadSeen, jobject thread)
{
    static const char name[] = "n\xC0\x80\xED\xA0\xBD\xED\xB8\x80";
    int started = find(0, JVMPI_EVENT_THREAD_START, NULL, name);
    check("36", started >= 0);
    if (started < 0)
        return;
    JNIEnv *other = event_log[started].env;
    int ended = find(0, JVMPI_EVENT_THREAD_END, other, NULL);
    int entered = find(0, JVMPI_EVENT_METHOD_ENTRY, other, NULL);
    check("178", strcmp(names[1], "inner") == 0 && strcmp(names[2], "outer") == 0);
    check("55 178", ended > started && other != env);
    check("179", entered > started && entered < ended);
    check("112", storage_kept == (1 << 1 | 8)); // seen by METHOD_ENTRY and THREAD_END
    pi->DisableGC();
    jobjectID id = pi->jobject2jobjectID(thread);
    check("65", pi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, id) == JVMPI_SUCCESS
                    && requested.u.obj_alloc.obj_id == id
                    && pi->RequestEvent(JVMPI_EVENT_THREAD_START, id) == JVMPI_FAIL);
    pi->EnableGC();
}

static void *attach(void *unused)
{
    JNIEnv *env;
    JavaVMAttachArgs args = {JNI_VERSION_1_2, (char[]){"native one"}, NULL};
    if ((*java_vm)->AttachCurrentThread(java_vm, (void **)&env, &args) != JNI_OK)
        return unused;
    int started = find(0, JVMPI_EVENT_THREAD_START, env, "native one");
    check("179", started >= 0 && find(0, JVMPI_EVENT_THREAD_END, env, NULL) < 0);
    (*java_vm)->DetachCurrentThread(java_vm);
    check("179", find(0, JVMPI_EVENT_THREAD_END, env, NULL) > started);
    return NULL;
}

NATIVE(void, attachOne)
{
    pthread_t t;
    pthread_create(&t, NULL, attach, NULL);
    pthread_join(t, NULL);
}

NATIVE(void, nameSeen, jobject thread)
{
    pi->DisableGC();
    jint rc = pi->RequestEvent(JVMPI_EVENT_THREAD_START, pi->jobject2jobjectID(thread));
    pi->EnableGC();
    check("180", rc == JVMPI_SUCCESS && strcmp(names[0], "named later") == 0);
}

NATIVE(void, classSeen)
{
    int loaded = find(0, JVMPI_EVENT_CLASS_LOAD, env, "PiEvents$Late"), hook = -1;
    for (int i = 0; i < loaded; i++)
        if (event_log[i].type == JVMPI_EVENT_CLASS_LOAD_HOOK && event_log[i].env == env)
            hook = i;
    check("134", hook >= 0 && loaded > hook);
}

NATIVE(void, watchClass, jclass of)
{
    pi_enable(JVMPI_EVENT_OBJECT_MOVE);
    pi_enable(JVMPI_EVENT_CLASS_UNLOAD);
    pi->DisableGC();
    watched = pi->jobject2jobjectID(of);
    pi->EnableGC();
}

NATIVE(jboolean, isUnloaded)
{
    return __atomic_load_n(&unloaded, __ATOMIC_SEQ_CST) != 0;
}

NATIVE(void, unloadSeen)
{
    check("136 137", strcmp(unloaded_name, "PiEvents$Dropped") == 0);
}

NATIVE(void, uncontendedSeen)
{
    int n = 0;
    for (int i = 0; i < log_length(); i++)
        n += event_log[i].env == env;
    check("156", n == 0);
}

// While they are kept nothing moves, and the IDs of the log can be compared.
NATIVE(void, keepIds, jboolean keep)
{
    if (keep)
        pi->DisableGC();
    else
        pi->EnableGC();
}

// The events of thread "waiter" with `lock`: after a time-out it comes back as any other, after
// notify it is in the queue already.
NATIVE(void, reentrySeen, jobject lock, jboolean timed)
{
    static const jint order[] = {JVMPI_EVENT_MONITOR_WAIT, JVMPI_EVENT_MONITOR_WAITED,
                                 JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                 JVMPI_EVENT_MONITOR_CONTENDED_ENTERED};
    int started = find(0, JVMPI_EVENT_THREAD_START, NULL, "waiter"), n = 0, good = started >= 0;
    jobjectID id = pi->jobject2jobjectID(lock);
    for (int i = started + 1; good && i < log_length(); i++) {
        if (event_log[i].env != event_log[started].env || event_log[i].object != id)
            continue;
        good = n < 4 && event_log[i].type == order[n];
        n++;
    }
    check("160", good && n == (timed ? 4 : 2));
}

NATIVE(void, callsSeen)
{
    check("172", answered == 42 && jni_at_init);
}

NATIVE(void, end)
{
    // Each code is told of once before it is gone; pi_compiled.c looks into the events.
    check("145 146", counts[JVMPI_EVENT_COMPILED_METHOD_UNLOAD]
                         <= counts[JVMPI_EVENT_COMPILED_METHOD_LOAD]);
}
