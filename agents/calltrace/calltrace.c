// SPDX-License-Identifier: Apache-2.0
// A JVM TI agent that follows every method call: start-up, options, events and the end. See
// README.md for its use, calltrace.h for its parts.
//
// The end. Threads still run at VMDeath. `stopped` is set, then a process-wide memory barrier
// makes it seen, then we wait until no recorder is busy: a callback marks its recorder busy
// before it looks at `stopped`, with no fence of its own, since the barrier stands in for it.
#define _GNU_SOURCE
#include "calltrace.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ENDED = 256, PATIENCE_MS = 2000 };

static struct {
    uint64_t top, nodes, depth;
    char *output, *flame, *counts, *title;
    double progress;
    bool waiting;
    AgentList include, exclude;
} options = {.top = 15, .nodes = 1000000, .depth = 1024, .output = NULL};

static const AgentOption OPTIONS[] = {
    {"top", AGENT_OPTION_NUMBER, &options.top, "rows in each table (15)"},
    {"output", AGENT_OPTION_TEXT, &options.output, "file of the tables, - for stdout (-)"},
    {"flame", AGENT_OPTION_TEXT, &options.flame, "file of the flame graph, one HTML page"},
    {"counts", AGENT_OPTION_TEXT, &options.counts, "file of all calls<TAB>method, by name"},
    {"title", AGENT_OPTION_TEXT, &options.title, "heading of the tables and the graph"},
    {"progress", AGENT_OPTION_SECONDS, &options.progress,
     "seconds between lines on stderr (0: none)"},
    {"include", AGENT_OPTION_LIST, &options.include,
     "class name prefixes to follow, a:b (all)"},
    {"exclude", AGENT_OPTION_LIST, &options.exclude, "class name prefixes to leave out, a:b"},
    {"waiting", AGENT_OPTION_SWITCH, &options.waiting,
     "yes: time in wait, park, sleep counts (no)"},
    {"depth", AGENT_OPTION_NUMBER, &options.depth, "deepest call that the tree keeps (1024)"},
    {"nodes", AGENT_OPTION_NUMBER, &options.nodes,
     "most calling contexts kept for a thread (1m)"},
};

static JavaVM *java_vm;
static jvmtiEnv *jvmti_env;
static char *vm_name;
static FILE *table_file, *flame_file, *counts_file;
static uint64_t began;
static atomic_bool recording, stopped;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the list; no JVM TI call under it
static Recorder *recorders;
static size_t ended_count;
static _Atomic uint64_t threads_count;
static __thread Recorder *own __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) Recorder *attach_recorder(jvmtiEnv *jvmti, JNIEnv *jni,
                                                           jthread thread)
{
    Recorder *r = recorder_new(jni, agent_thread_name(jvmti, jni, thread));
    if (r == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    r->next = recorders;
    recorders = r;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&threads_count, 1);
    own = r;
    return r;
}

// The recorder of this thread, marked busy; NULL when recording has stopped.
static inline Recorder *begin_callback(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    Recorder *r = own;
    if (UNLIKELY(r == NULL || r->jni != jni)) {
        if (atomic_load(&stopped)) {
            return NULL;
        }
        r = attach_recorder(jvmti, jni, thread);
        if (r == NULL) {
            return NULL;
        }
    }
    atomic_store_explicit(&r->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (UNLIKELY(atomic_load_explicit(&stopped, memory_order_relaxed))) {
        atomic_store_explicit(&r->busy, false, memory_order_release);
        return NULL;
    }
    return r;
}

static inline void end_callback(Recorder *r)
{
    atomic_store_explicit(&r->busy, false, memory_order_release);
}

static void JNICALL on_method_entry(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                    jmethodID method)
{
    Recorder *r = begin_callback(jvmti, jni, thread);
    if (LIKELY(r != NULL)) {
        recorder_enter(r, jvmti, jni, method);
        end_callback(r);
    }
}

static void JNICALL on_method_exit(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                   jmethodID method, jboolean thrown, jvalue value)
{
    (void)value;
    Recorder *r = begin_callback(jvmti, jni, thread);
    if (LIKELY(r != NULL)) {
        recorder_exit(r, jvmti, jni, method, thrown != JNI_FALSE);
        end_callback(r);
    }
}

// Merges the recorders of ended threads into one, so that a program that makes threads without
// end does not fill memory. Called under `lock`.
static void merge_ended_threads(void)
{
    Recorder *sum = recorder_new(NULL, strdup("(ended threads)"));
    if (sum == NULL) {
        return;
    }
    for (Recorder **link = &recorders; *link != NULL;) {
        Recorder *r = *link;
        if (!r->ended) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        bool complete = recorder_add_rows(sum, r) && tree_merge(&sum->tree, &r->tree);
        sum->tree.full |= !complete;
        recorder_free(r);
    }
    sum->ended = true;
    sum->next = recorders;
    recorders = sum;
    ended_count = 1;
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    (void)thread;
    Recorder *r = own;
    own = NULL;
    if (r == NULL || r->jni != jni) {
        return;
    }
    pthread_mutex_lock(&lock);
    if (!atomic_load(&stopped)) {
        recorder_finish(r);
        r->ended = true;
        ended_count++;
        if (ended_count > MAX_ENDED) {
            merge_ended_threads();
        }
    }
    pthread_mutex_unlock(&lock);
}

static void sample_progress(Progress *now)
{
    pthread_mutex_lock(&lock);
    for (const Recorder *r = recorders; r != NULL; r = r->next) {
        now->calls += atomic_load_explicit(&r->calls, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lock);
    now->methods = methods_count();
    now->threads = atomic_load(&threads_count);
    now->elapsed = agent_now() - began;
}

static char *system_property(jvmtiEnv *jvmti, const char *name)
{
    char *value = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, name, &value) != JVMTI_ERROR_NONE) {
        return strdup("?");
    }
    char *copy = agent_utf8(value);
    agent_deallocate(jvmti, value);
    return copy;
}

static void remember_vm(jvmtiEnv *jvmti)
{
    char *name = system_property(jvmti, "java.vm.name");
    char *version = system_property(jvmti, "java.vm.version");
    if (asprintf(&vm_name, "%s %s", name, version) < 0) {
        vm_name = NULL;
    }
    free(name);
    free(version);
}

static bool begin_recording(jvmtiEnv *jvmti)
{
    remember_vm(jvmti);
    began = agent_now();
    atomic_store(&recording, true);
    if (options.progress > 0 && !progress_start(options.progress, sample_progress)) {
        agent_message("no progress lines: cannot start a thread");
    }
    return AGENT_CALL(jvmti, SetEventNotificationMode, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY,
                      NULL)
           && AGENT_CALL(jvmti, SetEventNotificationMode, JVMTI_ENABLE, JVMTI_EVENT_METHOD_EXIT,
                         NULL);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jni;
    (void)thread;
    begin_recording(jvmti);
}

static void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

// Returns when no thread is inside a callback; drops the recorder of one that does not come
// out.
static void wait_for_callbacks(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        pause_ms(10);
    }
    int patience = PATIENCE_MS;
    pthread_mutex_lock(&lock);
    for (Recorder **link = &recorders; *link != NULL;) {
        Recorder *r = *link;
        while (atomic_load_explicit(&r->busy, memory_order_acquire) && patience-- > 0) {
            pause_ms(1);
        }
        if (atomic_load(&r->busy)) {
            agent_message("thread '%s' does not leave its callback: left out", r->name);
            *link = r->next;
        } else {
            link = &r->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void write_files(const Report *report)
{
    table_write(table_file, report, options.top);
    agent_close_output(table_file, options.output);
    if (counts_file != NULL) {
        counts_write(counts_file, report);
        agent_close_output(counts_file, options.counts);
    }
    if (flame_file != NULL) {
        flame_write(flame_file, report);
        agent_close_output(flame_file, options.flame);
    }
}

// Runs once, whoever comes first.
static void finish(void)
{
    if (!atomic_load(&recording) || atomic_exchange(&stopped, true)) {
        return;
    }
    uint64_t elapsed = agent_now() - began;
    if (options.progress > 0) {
        progress_stop();
    }
    wait_for_callbacks();
    Report report = {.title = options.title != NULL ? options.title : "Calls",
                     .vm = vm_name != NULL ? vm_name : "?",
                     .threads_seen = atomic_load(&threads_count),
                     .node_limit = options.nodes,
                     .elapsed = elapsed};
    pthread_mutex_lock(&lock);
    Recorder *all = recorders;
    recorders = NULL;
    pthread_mutex_unlock(&lock);
    tree_set_limit(UINT64_MAX);
    if (report_build(&report, all)) {
        write_files(&report);
    }
    report_free(&report);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
    (void)jvmti;
    (void)jni;
    finish();
}

// Opens every output before the program runs: a wrong path shows at once.
static bool open_outputs(void)
{
    if (options.output == NULL) {
        options.output = strdup("-");
    }
    table_file = agent_open_output(options.output);
    flame_file = options.flame != NULL ? agent_open_output(options.flame) : NULL;
    counts_file = options.counts != NULL ? agent_open_output(options.counts) : NULL;
    return table_file != NULL && (options.flame == NULL || flame_file != NULL)
           && (options.counts == NULL || counts_file != NULL);
}

static bool set_up_events(jvmtiEnv *jvmti)
{
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1,
                                .can_generate_method_exit_events = 1};
    jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
                                     .VMDeath = on_vm_death,
                                     .ThreadEnd = on_thread_end,
                                     .MethodEntry = on_method_entry,
                                     .MethodExit = on_method_exit};
    static const jvmtiEvent EVENTS[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
                                        JVMTI_EVENT_THREAD_END};
    if (!AGENT_CALL(jvmti, AddCapabilities, &wanted)
        || !AGENT_CALL(jvmti, SetEventCallbacks, &callbacks, (jint)sizeof callbacks)) {
        return false;
    }
    for (size_t i = 0; i < sizeof EVENTS / sizeof EVENTS[0]; i++) {
        if (!AGENT_CALL(jvmti, SetEventNotificationMode, JVMTI_ENABLE, EVENTS[i], NULL)) {
            return false;
        }
    }
    return true;
}

static bool start_agent(JavaVM *vm, const char *text)
{
    agent_set_name("calltrace");
    if (java_vm != NULL) {
        agent_message("is already loaded in this VM");
        return false;
    }
    java_vm = vm;
    if (!agent_options_parse(text, OPTIONS, sizeof OPTIONS / sizeof OPTIONS[0])) {
        return false;
    }
    jvmti_env = agent_get_env(vm, JVMTI_VERSION_11);
    if (jvmti_env == NULL || !methods_init() || !open_outputs()) {
        return false;
    }
    methods_set_filter(&options.include, &options.exclude);
    tree_set_limit(options.nodes);
    record_limits = (RecordLimits){.depth = options.depth,
                                   .count_waiting = options.waiting,
                                   .filtering = options.include.len + options.exclude.len > 0};
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    return set_up_events(jvmti_env);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    (void)reserved;
    return start_agent(vm, text) ? JNI_OK : JNI_ERR;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    (void)reserved;
    return start_agent(vm, text) && begin_recording(jvmti_env) ? JNI_OK : JNI_ERR;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    finish();
}
