// SPDX-License-Identifier: Apache-2.0
// The verb metrics: figures of the process, the heap and the threads, each `ms`. Counters that
// other parts keep stand here, too. Of the agent's thread but for lens_count.
#define _GNU_SOURCE
#include "agent.h"
#include "allocated.h"
#include "pellucid_jvmti.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { METRICS = 32, AT_ONCE = 48 };
#define CLASSES_EVERY (5 * LENS_SECOND) // counting them takes a list of all
#define NAMES_EVERY   (2 * LENS_SECOND)

static _Atomic int64_t counters[METRICS];
static _Atomic uint32_t counted; // set of those that count

void lens_count(LensMetric metric, int64_t add)
{
    assert((unsigned)metric < METRICS);
    atomic_fetch_add_explicit(&counters[metric], add, memory_order_relaxed);
    if ((atomic_load_explicit(&counted, memory_order_relaxed) >> metric & 1) == 0) {
        atomic_fetch_or_explicit(&counted, 1u << metric, memory_order_relaxed);
    }
}

void lens_count_own_time(void)
{
    ASSERT_OWN_THREAD();
    static __thread uint64_t counted_nanos;
    uint64_t now = lens_thread_nanos();
    lens_count(LENS_AGENT_NANOS, (int64_t)(now - counted_nanos));
    counted_nanos = now;
}

// ---- records ----

typedef struct Entry {
    LensMetric metric;
    uint32_t thread; // of a thread; else `number`
    uint32_t number; // of another agent's environment
    int64_t value;
} Entry;

typedef struct Batch {
    const LensOrder *order;
    Entry list[AT_ONCE];
    uint32_t len;
} Batch;

static void flush(Batch *batch)
{
    LensRecord record;
    lens_record_begin(&record, LENS_METRICS, batch->order);
    lens_put_u(&record, batch->len);
    for (uint32_t i = 0; i < batch->len; i++) {
        const Entry *e = &batch->list[i];
        lens_put_u(&record, e->metric);
        if (e->thread != 0) {
            lens_put_id(&record, LENS_DEF_THREAD, e->thread);
        } else {
            lens_put_u(&record, e->number);
        }
        lens_put_z(&record, e->value);
    }
    if (batch->len > 0) {
        lens_record_end(&record);
    }
    batch->len = 0;
}

static void put_entry(Batch *batch, Entry entry)
{
    if (batch->len == AT_ONCE) {
        flush(batch);
    }
    batch->list[batch->len++] = entry;
}

static void put(Batch *batch, LensMetric metric, int64_t value)
{
    put_entry(batch, (Entry){.metric = metric, .value = value});
}

// ---- the heap, by java.lang.Runtime ----

static jobject runtime; // global
static jmethodID total_memory, free_memory, max_memory;

static bool find_runtime(JNIEnv *jni)
{
    if (runtime != NULL) {
        return true;
    }
    jclass class = (*jni)->FindClass(jni, "java/lang/Runtime");
    jmethodID get = class != NULL ? (*jni)->GetStaticMethodID(jni, class, "getRuntime",
                                                              "()Ljava/lang/Runtime;")
                                  : NULL;
    jobject found = get != NULL ? (*jni)->CallStaticObjectMethod(jni, class, get) : NULL;
    if (found != NULL) {
        total_memory = (*jni)->GetMethodID(jni, class, "totalMemory", "()J");
        free_memory = (*jni)->GetMethodID(jni, class, "freeMemory", "()J");
        max_memory = (*jni)->GetMethodID(jni, class, "maxMemory", "()J");
        runtime = (*jni)->NewGlobalRef(jni, found);
    }
    (*jni)->ExceptionClear(jni);
    return runtime != NULL;
}

typedef struct State {
    LensAllocated allocated;
    int64_t max;
    jint classes;
    bool has_code; // is counted
    uint64_t next_classes, next_names;
    uint64_t *cpu; // last told, by id of thread
    uint32_t cpu_len;
} State;

static void put_heap(Batch *batch, State *state, JNIEnv *jni)
{
    if (!find_runtime(jni)) {
        return;
    }
    jlong total = (*jni)->CallLongMethod(jni, runtime, total_memory);
    jlong used = total - (*jni)->CallLongMethod(jni, runtime, free_memory);
    if (state->max == 0) {
        state->max = (*jni)->CallLongMethod(jni, runtime, max_memory);
    }
    int64_t allocated;
    if (lens_allocated_read(&state->allocated, jni, used, atomic_load(&counters[LENS_GC_COUNT]),
                            &allocated)) {
        put(batch, LENS_ALLOCATED, allocated);
    }
    put(batch, LENS_HEAP_USED, used);
    put(batch, LENS_HEAP_COMMITTED, total);
    put(batch, LENS_HEAP_MAX, state->max);
}

// ---- the process ----

static void put_process(Batch *batch)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    put(batch, LENS_PROCESS_CPU, (int64_t)t.tv_sec * (int64_t)LENS_SECOND + t.tv_nsec);
    unsigned long pages = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm != NULL) {
        if (fscanf(statm, "%lu %lu", &pages, &resident) == 2) {
            put(batch, LENS_RESIDENT,
                (int64_t)(resident * (unsigned long)sysconf(_SC_PAGESIZE)));
        }
        fclose(statm);
    }
}

static void put_classes(Batch *batch, State *state, JNIEnv *jni, uint64_t now)
{
    jclass *classes = NULL;
    if (now >= state->next_classes
        && (*lens.jvmti)->GetLoadedClasses(lens.jvmti, &state->classes, &classes)
               == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < state->classes; i++) {
            (*jni)->DeleteLocalRef(jni, classes[i]);
        }
        agent_deallocate(lens.jvmti, classes);
        state->next_classes = now + CLASSES_EVERY;
    }
    put(batch, LENS_CLASSES, state->classes);
}

static void put_counters(Batch *batch)
{
    uint32_t set = atomic_load(&counted);
    for (unsigned metric = 0; metric < METRICS; metric++) {
        if ((set >> metric & 1) != 0) {
            put(batch, (LensMetric)metric, atomic_load(&counters[metric]));
        }
    }
}

// What other agents cost, where the VM tells.
static void put_others(Batch *batch)
{
    static PellucidEnvironmentCosts costs_of;
    static bool looked;
    if (!looked) {
        costs_of = (PellucidEnvironmentCosts)lens_extension(PELLUCID_ENVIRONMENT_COSTS);
        looked = true;
    }
    jint len = 0;
    PellucidEnvironmentCost *costs = NULL;
    if (costs_of == NULL || costs_of(lens.jvmti, &len, &costs) != JVMTI_ERROR_NONE) {
        return;
    }
    for (jint i = 0; i < len; i++) {
        if (!lens_env_is_own(costs[i].env)) {
            put_entry(batch, (Entry){LENS_OTHER_AGENT_NANOS, 0, (uint32_t)i + 1,
                                     costs[i].callback_nanos});
            put_entry(batch,
                      (Entry){LENS_OTHER_AGENT_EVENTS, 0, (uint32_t)i + 1, costs[i].events});
        }
    }
    agent_deallocate(lens.jvmti, costs);
}

// ---- threads ----

// Whether the thread has used CPU since it was last told.
static bool has_run(State *state, uint32_t id, uint64_t nanos)
{
    assert(id != 0);
    if (id >= state->cpu_len) {
        uint32_t len = id + 64;
        uint64_t *cpu = agent_grow(state->cpu, state->cpu_len * sizeof *cpu, len * sizeof *cpu);
        if (cpu == NULL) {
            return false;
        }
        state->cpu = cpu;
        state->cpu_len = len;
    }
    bool changed = state->cpu[id] != nanos;
    state->cpu[id] = nanos;
    return changed;
}

static void put_threads(Batch *batch, State *state, JNIEnv *jni)
{
    int64_t by_state[LENS_ENDED + 1] = {0};
    LensThreadList list = lens_threads_get(jni);
    for (jint i = 0; i < list.len; i++) {
        by_state[lens_thread_state(list.threads[i])]++;
        uint32_t id = lens_thread_id(jni, list.threads[i]);
        jlong nanos = 0;
        if (id != 0
            && (*lens.jvmti)->GetThreadCpuTime(lens.jvmti, list.threads[i], &nanos)
                   == JVMTI_ERROR_NONE
            && has_run(state, id, (uint64_t)nanos)) {
            put_entry(batch, (Entry){.metric = LENS_THREAD_CPU, .thread = id, .value = nanos});
        }
    }
    put(batch, LENS_THREADS_LIVE, list.len);
    put(batch, LENS_THREADS_RUNNING, by_state[LENS_RUNNING] + by_state[LENS_IN_NATIVE]);
    put(batch, LENS_THREADS_BLOCKED, by_state[LENS_BLOCKED]);
    put(batch, LENS_THREADS_WAITING,
        by_state[LENS_WAITING] + by_state[LENS_PARKED] + by_state[LENS_SLEEPING]);
    lens_threads_release(jni, &list);
}

// ---- the verb ----

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    State *state = order->data;
    Batch batch = {.order = order};
    lens_count_own_time();
    if (now >= state->next_names) {
        lens_threads_sweep(jni);
        state->next_names = now + NAMES_EVERY;
    }
    put_process(&batch);
    put_heap(&batch, state, jni);
    put_classes(&batch, state, jni, now);
    put_threads(&batch, state, jni);
    put_counters(&batch);
    put_others(&batch);
    flush(&batch);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    uint64_t ms;
    static const jvmtiCapabilities TIMES = {.can_get_thread_cpu_time = 1};
    if (!lens_arg_number(order, "ms", 250, 10, 60000, &ms)) {
        return LENS_OVER;
    }
    // Refused: threads then have no CPU time
    (*lens.jvmti)->AddCapabilities(lens.jvmti, &TIMES);
    State *state = agent_alloc(sizeof *state);
    order->data = state;
    if (state == NULL) {
        lens_fail(order, "out of memory in the target");
        return LENS_OVER;
    }
    if (!lens_gc_want(true)) {
        agent_message("the VM does not tell of collections");
    }
    state->has_code = lens_code_want(true);
    order->every = ms * LENS_MS;
    lens_accept(order, "", NULL, 0);
    tick(order, jni, lens_now());
    return LENS_RUNS;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    State *state = order->data;
    lens_gc_want(false);
    if (state->has_code) {
        lens_code_want(false);
    }
    lens_allocated_free(&state->allocated);
    free(state->cpu);
    free(state);
}

const LensVerb lens_verb_metrics = {
    .name = "metrics", .start = start, .stop = stop, .tick = tick};
