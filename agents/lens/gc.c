// SPDX-License-Identifier: Apache-2.0
// Collections: the verb gc, and their counters for metrics. The listeners run where the world
// stands: no JNI, no JVM TI.
#include "agent.h"
#include "verbs.h"

static const jvmtiEvent EVENTS[] = {JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                    JVMTI_EVENT_GARBAGE_COLLECTION_FINISH};
static _Atomic uint64_t began;
static _Atomic unsigned recording; // orders

static void JNICALL on_start(jvmtiEnv *ti)
{
    (void)ti;
    atomic_store(&began, lens_now());
}

static void JNICALL on_finish(jvmtiEnv *ti)
{
    (void)ti;
    uint64_t from = atomic_exchange(&began, 0);
    if (from == 0) {
        return; // it began before it was wanted
    }
    uint64_t nanos = lens_now() - from;
    lens_count(LENS_GC_COUNT, 1);
    lens_count(LENS_GC_NANOS, (int64_t)nanos);
    if (atomic_load(&recording) > 0) {
        LensRecord record;
        lens_record_begin(&record, LENS_GC, NULL);
        record.time = from;
        lens_put_u(&record, nanos);
        lens_record_end(&record);
    }
}

void lens_part_gc(void)
{
    LENS_LISTEN(JVMTI_EVENT_GARBAGE_COLLECTION_START, on_start);
    LENS_LISTEN(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, on_finish);
}

bool lens_gc_want(bool on)
{
    ASSERT_AGENT_THREAD();
    static const jvmtiCapabilities NEEDED = {.can_generate_garbage_collection_events = 1};
    if (on) {
        // Refused: switching the events is, too
        (*lens.jvmti)->AddCapabilities(lens.jvmti, &NEEDED);
    }
    return lens_want_events(EVENTS, sizeof EVENTS / sizeof EVENTS[0], on);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    static const jvmtiCapabilities NEEDED = {.can_generate_garbage_collection_events = 1};
    if (!lens_need(order, &NEEDED, "Recording collections")) {
        return LENS_OVER;
    }
    if (!lens_gc_want(true)) {
        lens_fail(order, "the VM does not tell of collections");
        return LENS_OVER;
    }
    atomic_fetch_add(&recording, 1);
    return LENS_RUNS;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)order, (void)jni;
    assert(atomic_load(&recording) > 0);
    atomic_fetch_sub(&recording, 1);
    lens_gc_want(false);
}

const LensVerb lens_verb_gc = {
    .name = "gc", .start = start, .stop = stop, .blocks = 1u << LENS_GC};
