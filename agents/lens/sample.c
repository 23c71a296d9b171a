// SPDX-License-Identifier: Apache-2.0
// The verb cpu: what all orders together want of sampling, and what must be on meanwhile:
// AsyncGetCallTrace needs the ids of all methods made beforehand and ClassLoad enabled, or
// frames are missing. Of the agent's thread but for the listeners.
#include "sample.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY (250 * LENS_MS) // for threads that sent no ThreadStart

static LensSampling now; // what runs
static _Atomic bool ids_wanted;
static const jvmtiEvent EVENTS[] = {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE};
enum { EVENTS_LEN = sizeof EVENTS / sizeof EVENTS[0] };

const LensSampling *lens_sampling(void)
{
    ASSERT_AGENT_THREAD();
    return &now;
}

// ---- ids of methods ----

static void make_ids(jclass class)
{
    jint len = 0;
    jmethodID *ids = NULL;
    if ((*lens.jvmti)->GetClassMethods(lens.jvmti, class, &len, &ids) == JVMTI_ERROR_NONE) {
        agent_deallocate(lens.jvmti, ids);
    }
}

static void make_all_ids(JNIEnv *jni)
{
    jint len = 0;
    jclass *classes = NULL;
    if (!AGENT_CALL(lens.jvmti, GetLoadedClasses, &len, &classes)) {
        return;
    }
    for (jint i = 0; i < len; i++) {
        make_ids(classes[i]);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    agent_deallocate(lens.jvmti, classes);
}

static void JNICALL on_class_load(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)ti, (void)jni, (void)thread, (void)class; // that it is enabled is what counts
}

static void JNICALL on_class_prepare(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)ti, (void)jni, (void)thread;
    if (atomic_load_explicit(&ids_wanted, memory_order_relaxed)) {
        make_ids(class);
    }
}

static void JNICALL on_thread_start(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti, (void)thread;
    const LensThread *t = lens_thread(jni, NULL);
    if (t != NULL) {
        lens_timer_arm(atomic_load(&t->tid));
    }
}

static void JNICALL on_thread_end(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti, (void)thread;
    const LensThread *t = lens_thread(jni, NULL);
    if (t != NULL) {
        lens_timer_disarm(atomic_load(&t->tid));
    }
}

void lens_part_sample(void)
{
    LENS_LISTEN(JVMTI_EVENT_CLASS_LOAD, on_class_load);
    LENS_LISTEN(JVMTI_EVENT_CLASS_PREPARE, on_class_prepare);
    LENS_LISTEN(JVMTI_EVENT_THREAD_START, on_thread_start);
    LENS_LISTEN(JVMTI_EVENT_THREAD_END, on_thread_end);
}

// ---- what runs ----

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static LensSampling wanted(const LensOrder *without)
{
    LensSampling all = {0};
    for (const LensOrder *o = lens_orders_first(); o != NULL; o = o->next_order) {
        if (o != without && o->verb == &lens_verb_cpu && o->data != NULL) {
            const LensSampling *one = o->data;
            all.cpu_hz = larger(all.cpu_hz, one->cpu_hz);
            all.wall_hz = larger(all.wall_hz, one->wall_hz);
            all.depth = larger(all.depth, one->depth);
            all.native |= one->native;
        }
    }
    assert((all.depth == 0) == (all.cpu_hz == 0 && all.wall_hz == 0));
    return all;
}

static void end_all(JNIEnv *jni)
{
    if (now.depth == 0) {
        return;
    }
    lens_timers_end();
    lens_wall_end();
    lens_handler_end();
    lens_drain(jni); // the last samples are resolved by what `now` says of them
    atomic_store(&ids_wanted, false);
    lens_want_events(EVENTS, EVENTS_LEN, false);
    now = (LensSampling){0};
}

static bool begin_all(const LensSampling *next, JNIEnv *jni)
{
    assert(now.depth == 0); // what ran before has ended
    if (next->depth == 0) {
        return true;
    }
    if (!lens_want_events(EVENTS, EVENTS_LEN, true)) {
        return false;
    }
    atomic_store(&ids_wanted, true);
    make_all_ids(jni);
    now = *next;
    bool good = lens_handler_begin(next->depth)
                && (next->cpu_hz == 0 || lens_timers_begin(next->cpu_hz))
                && (next->wall_hz == 0 || lens_wall_begin(next->wall_hz, next->depth));
    if (!good) {
        end_all(jni);
    }
    return good;
}

static bool change_to(LensSampling next, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    if (next.cpu_hz == now.cpu_hz && next.wall_hz == now.wall_hz && next.depth == now.depth) {
        now.native = next.native;
        return true;
    }
    end_all(jni);
    return begin_all(&next, jni);
}

// ---- the verb ----

static bool parse(LensOrder *order, LensSampling *to)
{
    uint64_t hz, depth;
    const char *mode = lens_arg(order, "mode", "cpu");
    bool both = strcmp(mode, "both") == 0;
    if (!lens_arg_number(order, "hz", 100, 1, 10000, &hz)
        || !lens_arg_number(order, "depth", 512, 1, LENS_DEPTH, &depth)
        || !lens_arg_flag(order, "native", true, &to->native)) {
        return false;
    }
    if (!both && strcmp(mode, "cpu") != 0 && strcmp(mode, "wall") != 0) {
        lens_fail(order, "mode is cpu, wall or both, not \"%s\"", mode);
        return false;
    }
    to->cpu_hz = both || strcmp(mode, "cpu") == 0 ? (unsigned)hz : 0;
    to->wall_hz = both || strcmp(mode, "wall") == 0 ? (unsigned)hz : 0;
    to->depth = (unsigned)depth;
    return true;
}

static void accept(LensOrder *order)
{
    char number[16];
    snprintf(number, sizeof number, "%d", lens_handler_signal());
    LensValue values[] = {
        {"how", now.cpu_hz != 0 ? lens_timers_how() : "a thread of the agent"},
        {"signal", number}};
    lens_accept(order, "", values, 2);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    LensSampling *mine = agent_alloc(sizeof *mine);
    if (mine == NULL || !parse(order, mine)) {
        free(mine);
        return LENS_OVER;
    }
    if (!lens_has_async_trace()) {
        lens_fail(order, "this VM has no AsyncGetCallTrace: its threads cannot be sampled");
    } else if (!lens_handler_install()) {
        lens_fail(order, "every signal that sampling could use has a handler of someone else");
    } else {
        order->data = mine;
        order->every = LOOK_EVERY;
        if (change_to(wanted(NULL), jni)) {
            accept(order);
            return LENS_RUNS;
        }
        lens_fail(order, "the VM or the system did not let sampling begin");
    }
    order->data = NULL;
    free(mine);
    change_to(wanted(order), jni);
    return LENS_OVER;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    if (!change_to(wanted(order), jni)) {
        agent_message("sampling for other orders has ended: the system refuses timers");
    }
    free(order->data);
    order->data = NULL;
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t time)
{
    (void)order, (void)jni, (void)time;
    if (now.cpu_hz != 0) {
        lens_timers_look();
    }
}

const LensVerb lens_verb_cpu = {
    .name = "cpu", .start = start, .stop = stop, .tick = tick, .blocks = 1u << LENS_SAMPLES};
