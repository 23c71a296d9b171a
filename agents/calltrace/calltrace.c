// SPDX-License-Identifier: Apache-2.0
// A JVM TI agent that follows every method call: start-up, options, events and the end. See
// README.md for its use, calltrace.h for its parts.
//
// Callbacks pass a gate. To look at what threads have recorded, the gate is shut (paused: they wait
// there; closed: they return at once), a process-wide memory barrier makes that seen, then we
// wait until no recorder is busy: a callback marks its recorder busy before it looks at the gate,
// with no fence of its own, since the barrier stands in for it. Paused, recorders are copied and
// the gate opens again, so that no call is missed; what is written is made of the copies.
#define _GNU_SOURCE
#include "calltrace.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ENDED = 256, PATIENCE_MS = 2000, LIVE_EVERY = 10 };

typedef struct Options {
    uint64_t top, nodes, depth;
    char *output, *flame, *counts, *title;
    double progress, every;
    bool waiting;
    AgentList include, exclude;
} Options;
static const Options DEFAULTS = {.top = 15, .nodes = 1000000, .depth = 1024};
static Options options;

static const AgentOption OPTIONS[] = {
    {"top", AGENT_OPTION_NUMBER, &options.top, "rows in each table (15)"},
    {"output", AGENT_OPTION_TEXT, &options.output, "file of the tables, - for stdout (-)"},
    {"flame", AGENT_OPTION_TEXT, &options.flame, "file of the flame graph, one HTML page"},
    {"counts", AGENT_OPTION_TEXT, &options.counts, "file of all calls<TAB>method, by name"},
    {"title", AGENT_OPTION_TEXT, &options.title, "heading of the tables and the graph"},
    {"every", AGENT_OPTION_SECONDS, &options.every,
     "seconds between writings of the files (0: at the end; 10 in a running process)"},
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

typedef enum State { STATE_IDLE, STATE_RECORDING, STATE_ENDING } State;
typedef enum Gate { GATE_CLOSED, GATE_OPEN, GATE_PAUSED } Gate;

static jvmtiEnv *jvmti_env;
static char *vm_name;
static uint64_t began;
static _Atomic State state;
static Timer writer;

static _Atomic Gate gate; // written under gate_lock
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moved = PTHREAD_COND_INITIALIZER;

// One thread at a time looks at all recorders. Taken before `lock`.
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the list; no JVM TI call under it
static Recorder *recorders;
static size_t ended_count;
static bool left_out; // some recorder's thread does not leave its callback; under control
static _Atomic uint64_t threads_count;
static __thread Recorder *own __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) Recorder *attach_recorder(jvmtiEnv *jvmti, JNIEnv *jni,
                                                           jthread thread)
{
    Recorder *r = recorder_new(jni, agent_thread_name(jvmti, jni, thread), options.nodes);
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

static void move_gate(Gate to)
{
    pthread_mutex_lock(&gate_lock);
    atomic_store(&gate, to);
    pthread_cond_broadcast(&gate_moved);
    pthread_mutex_unlock(&gate_lock);
}

// Waits while the gate is paused. Whether it is open then.
static bool await_gate(void)
{
    pthread_mutex_lock(&gate_lock);
    while (atomic_load(&gate) == GATE_PAUSED) {
        pthread_cond_wait(&gate_moved, &gate_lock);
    }
    bool open = atomic_load(&gate) == GATE_OPEN;
    pthread_mutex_unlock(&gate_lock);
    return open;
}

// Behind begin_callback: the gate is not open, or the thread has no recorder of this recording.
static __attribute__((noinline)) Recorder *begin_slowly(jvmtiEnv *jvmti, JNIEnv *jni,
                                                        jthread thread)
{
    for (;;) {
        if (own != NULL) {
            atomic_store_explicit(&own->busy, false, memory_order_release);
        }
        if (!await_gate()) {
            return NULL;
        }
        if ((own == NULL || atomic_load(&own->jni) != jni)
            && attach_recorder(jvmti, jni, thread) == NULL) {
            return NULL;
        }
        atomic_store(&own->busy, true);
        if (atomic_load(&gate) == GATE_OPEN && atomic_load(&own->jni) == jni) {
            return own;
        }
    }
}

// The recorder of this thread, marked busy; NULL when nothing is recorded.
static inline Recorder *begin_callback(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    Recorder *r = own;
    if (UNLIKELY(r == NULL)) {
        return begin_slowly(jvmti, jni, thread);
    }
    atomic_store_explicit(&r->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (LIKELY(atomic_load_explicit(&gate, memory_order_acquire) == GATE_OPEN
               && atomic_load_explicit(&r->jni, memory_order_relaxed) == jni)) {
        return r;
    }
    return begin_slowly(jvmti, jni, thread);
}

static inline void end_callback(Recorder *r)
{
    assert(atomic_load_explicit(&r->busy, memory_order_relaxed));
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
    ASSERT_HELD(&lock);
    Recorder *sum = recorder_new(NULL, strdup("(ended threads)"), options.nodes);
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
    if (r == NULL) {
        return;
    }
    pthread_mutex_lock(&lock);
    if (atomic_load(&gate) != GATE_CLOSED && atomic_load(&r->jni) == jni) {
        recorder_finish(r, agent_now());
        assert(!r->ended);
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

static void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

// Under `lock`, with the gate shut: waits until a thread is out of its callback. False: it does
// not come out.
static bool await_callback(const Recorder *r, int *patience)
{
    ASSERT_HELD(&lock);
    assert(atomic_load(&gate) != GATE_OPEN); // else it comes back
    while (atomic_load_explicit(&r->busy, memory_order_acquire) && *patience > 0) {
        pause_ms(1);
        --*patience;
    }
    if (atomic_load(&r->busy)) {
        agent_message("thread '%s' does not leave its callback: left out", r->name);
        return false;
    }
    return true;
}

static void make_gate_seen(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        pause_ms(10);
    }
}

// Copies of all recorders, in the order of the list. The gate is paused meanwhile.
static Recorder *copy_recorders(void)
{
    ASSERT_HELD(&control);
    Recorder *copies = NULL, **end = &copies;
    int patience = PATIENCE_MS;
    assert(atomic_load(&gate) == GATE_OPEN); // as it is left
    move_gate(GATE_PAUSED);
    make_gate_seen();
    pthread_mutex_lock(&lock);
    for (const Recorder *r = recorders; r != NULL; r = r->next) {
        Recorder *copy = await_callback(r, &patience) ? recorder_copy(r) : NULL;
        if (copy != NULL) {
            copy->next = NULL;
            *end = copy;
            end = &copy->next;
        }
    }
    pthread_mutex_unlock(&lock);
    move_gate(GATE_OPEN);
    return copies;
}

// Takes the recorders away from their threads for good.
static Recorder *take_recorders(void)
{
    ASSERT_HELD(&control);
    int patience = PATIENCE_MS;
    move_gate(GATE_CLOSED);
    make_gate_seen();
    pthread_mutex_lock(&lock);
    for (Recorder **link = &recorders; *link != NULL;) {
        Recorder *r = *link;
        if (await_callback(r, &patience)) {
            atomic_store(&r->jni, NULL);
            link = &r->next;
        } else {
            left_out = true;
            *link = r->next;
        }
    }
    Recorder *all = recorders;
    recorders = NULL;
    ended_count = 0;
    pthread_mutex_unlock(&lock);
    return all;
}

static void write_table(FILE *out, const void *report)
{
    table_write(out, report, options.top);
}

static void write_counts(FILE *out, const void *report)
{
    counts_write(out, report);
}

static void write_flame(FILE *out, const void *report)
{
    flame_write(out, report);
}

// Makes the report of recorders, which are cleared, and writes all that was asked for; to stdout
// only if `to_stdout`.
static bool write_report(Recorder *all, bool to_stdout)
{
    ASSERT_HELD(&control);
    Report report = {.title = options.title != NULL ? options.title : "Calls",
                     .vm = vm_name != NULL ? vm_name : "?",
                     .threads_seen = atomic_load(&threads_count),
                     .node_limit = options.nodes,
                     .when = agent_now()};
    report.elapsed = report.when - began;
    bool ok = report_build(&report, all);
    if (ok && (to_stdout || strcmp(options.output, "-") != 0)) {
        ok = agent_write_output(options.output, write_table, &report);
    }
    if (ok && options.counts != NULL) {
        ok = agent_write_output(options.counts, write_counts, &report);
    }
    if (ok && options.flame != NULL) {
        ok = agent_write_output(options.flame, write_flame, &report);
    }
    report_free(&report);
    return ok;
}

// Writes what is recorded up to now. False when nothing is recorded, or after a message.
static bool dump(bool to_stdout)
{
    pthread_mutex_lock(&control);
    bool ok = atomic_load(&gate) == GATE_OPEN;
    if (ok) {
        Recorder *copies = copy_recorders();
        ok = write_report(copies, to_stdout);
        for (Recorder *r = copies, *next; r != NULL; r = next) {
            next = r->next;
            recorder_free(r);
        }
    }
    pthread_mutex_unlock(&control);
    return ok;
}

static void write_now(void)
{
    dump(false);
}

// Ends the recording and writes it; once, whoever comes first. Threads keep their (empty)
// recorders: they may look at them once more.
static bool finish(void)
{
    State expected = STATE_RECORDING;
    if (!atomic_compare_exchange_strong(&state, &expected, STATE_ENDING)) {
        return false;
    }
    timer_stop(&writer);
    if (options.progress > 0) {
        progress_stop();
    }
    pthread_mutex_lock(&control);
    bool ok = write_report(take_recorders(), true);
    if (!left_out) {
        methods_end();
    }
    pthread_mutex_unlock(&control);
    atomic_store(&state, STATE_IDLE);
    return ok;
}

static bool set_recording_events(jvmtiEnv *jvmti, jvmtiEventMode mode)
{
    return AGENT_CALL(jvmti, SetEventNotificationMode, mode, JVMTI_EVENT_METHOD_ENTRY, NULL)
           && AGENT_CALL(jvmti, SetEventNotificationMode, mode, JVMTI_EVENT_METHOD_EXIT, NULL);
}

static bool begin_recording(jvmtiEnv *jvmti)
{
    assert(options.output != NULL);
    if (vm_name == NULL) {
        remember_vm(jvmti);
    }
    began = agent_now();
    atomic_store(&threads_count, 0);
    move_gate(GATE_OPEN);
    atomic_store(&state, STATE_RECORDING);
    if (options.progress > 0 && !progress_start(options.progress, sample_progress)) {
        agent_message("no progress lines: cannot start a thread");
    }
    if (options.every > 0 && !timer_start(&writer, options.every, write_now)) {
        agent_message("files are written at the end alone: cannot start a thread");
    }
    return set_recording_events(jvmti, JVMTI_ENABLE);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jni;
    (void)thread;
    begin_recording(jvmti);
}

static void JNICALL on_data_dump(jvmtiEnv *jvmti)
{
    (void)jvmti;
    dump(true);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
    (void)jvmti;
    (void)jni;
    finish();
}

// Every output is tried before the program runs: a wrong path shows at once.
static bool check_outputs(void)
{
    return agent_check_output(options.output)
           && (options.flame == NULL || agent_check_output(options.flame))
           && (options.counts == NULL || agent_check_output(options.counts));
}

static bool read_options(const char *text, bool live)
{
    options = DEFAULTS;
    options.every = live ? LIVE_EVERY : 0;
    if (!agent_options_parse(text, OPTIONS, sizeof OPTIONS / sizeof OPTIONS[0])) {
        return false;
    }
    if (options.output == NULL
        && (live ? asprintf(&options.output, "calltrace-%d.txt", (int)getpid()) < 0
                 : (options.output = strdup("-")) == NULL)) {
        return false;
    }
    record_limits = (RecordLimits){.nodes = options.nodes,
                                   .depth = options.depth,
                                   .count_waiting = options.waiting,
                                   .filtering = options.include.len + options.exclude.len > 0};
    return check_outputs();
}

// What this needs is what HotSpot has at its start alone.
static bool add_capabilities(jvmtiEnv *jvmti, bool live)
{
    jvmtiCapabilities offered = {0};
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1,
                                .can_generate_method_exit_events = 1};
    if (!AGENT_CALL(jvmti, GetPotentialCapabilities, &offered)) {
        return false;
    }
    if (offered.can_generate_method_entry_events && offered.can_generate_method_exit_events) {
        return AGENT_CALL(jvmti, AddCapabilities, &wanted);
    }
    agent_message("this VM has no events of method entry and exit %s",
                  live ? "for agents that are loaded into a running process: start the program "
                         "with -agentpath:/path/libcalltrace.so=options"
                       : "(can_generate_method_entry_events, can_generate_method_exit_events)");
    return false;
}

static bool set_up_events(jvmtiEnv *jvmti)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
                                     .VMDeath = on_vm_death,
                                     .ThreadEnd = on_thread_end,
                                     .DataDumpRequest = on_data_dump,
                                     .MethodEntry = on_method_entry,
                                     .MethodExit = on_method_exit};
    static const jvmtiEvent EVENTS[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
                                        JVMTI_EVENT_THREAD_END, JVMTI_EVENT_DATA_DUMP_REQUEST};
    if (!AGENT_CALL(jvmti, SetEventCallbacks, &callbacks, (jint)sizeof callbacks)) {
        return false;
    }
    for (size_t i = 0; i < sizeof EVENTS / sizeof EVENTS[0]; i++) {
        if (!AGENT_CALL(jvmti, SetEventNotificationMode, JVMTI_ENABLE, EVENTS[i], NULL)) {
            return false;
        }
    }
    return true;
}

// The environment, made once and kept.
static bool set_up_environment(JavaVM *vm, bool live)
{
    if (jvmti_env != NULL) {
        return true;
    }
    jvmtiEnv *jvmti = agent_get_env(vm, JVMTI_VERSION_11);
    if (jvmti == NULL) {
        return false;
    }
    if (add_capabilities(jvmti, live) && set_up_events(jvmti)) {
        jvmti_env = jvmti;
        return true;
    }
    (*jvmti)->DisposeEnvironment(jvmti);
    return false;
}

static bool set_up(JavaVM *vm, const char *text, bool live)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    return read_options(text, live) && set_up_environment(vm, live)
           && methods_init(&options.include, &options.exclude);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    (void)reserved;
    agent_set_name("calltrace");
    if (jvmti_env != NULL) {
        agent_message("is already loaded in this VM");
        return JNI_ERR;
    }
    return set_up(vm, text, false) ? JNI_OK : JNI_ERR;
}

// What may be asked of a recording: "stop", "dump". False after a message.
static bool ask_recording(const char *command)
{
    bool stop = strcmp(command, "stop") == 0;
    if (atomic_load(&state) != STATE_RECORDING) {
        agent_message("nothing is recorded in this process: '%s' means nothing", command);
        return false;
    }
    if (stop && !set_recording_events(jvmti_env, JVMTI_DISABLE)) {
        return false;
    }
    return stop ? finish() : dump(true);
}

static bool start_live(JavaVM *vm, const char *text)
{
    if (atomic_load(&state) != STATE_IDLE) {
        agent_message("records already in this process: load it with the option stop or dump");
        return false;
    }
    if (!set_up(vm, text, true) || !begin_recording(jvmti_env)) {
        return false;
    }
    agent_message("records from now on; the tables go to %s%s", options.output,
                  strcmp(options.output, "-") == 0 ? " (stdout)" : "");
    return true;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved)
{
    (void)reserved;
    agent_set_name("calltrace");
    bool command = text != NULL && (strcmp(text, "stop") == 0 || strcmp(text, "dump") == 0);
    return (command ? ask_recording(text) : start_live(vm, text)) ? JNI_OK : JNI_ERR;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    finish();
}
