// SPDX-License-Identifier: Apache-2.0
// Allocations: sampled by the VM each so many bytes. Those that are followed have a tag in an
// environment of their own, which tells when they are freed; all tags go with it. One interval
// serves all orders, the smallest that any of them wants.
#include "agent.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    FOLLOWED_MOST = 1000000,
    STACK_DEPTH = 256,
    DEFAULT_INTERVAL = 512 << 10,
    LARGEST_INTERVAL = 1 << 30,
    LATE_EVERY = 50 * 1000 * 1000 // ns
};

typedef struct Wanted {
    uint64_t interval;
    bool live;
} Wanted;

static _Atomic uint64_t interval_now;
static _Atomic(jvmtiEnv *) followers; // NULL: nothing is followed
static _Atomic int64_t followed;      // that live
static _Atomic uint64_t last_object;

// ---- listeners ----

static bool put_freed(uint64_t object)
{
    assert(object != 0);
    LensRecord record;
    lens_record_begin(&record, LENS_ALLOCS, NULL);
    lens_put_u(&record, 1);
    lens_put_u(&record, object);
    return lens_record_end(&record);
}

// Objects whose end found no room, told later: a collection may free more at once than a ring takes. Each counts among the followed until it was
// told, so there are never more than places.
static _Atomic uint64_t *late; // [FOLLOWED_MOST]; 0: the place is free
static _Atomic uint64_t late_head;
static uint64_t late_tail; // AGENT

static void tell_later(uint64_t object)
{
    uint64_t at = atomic_fetch_add(&late_head, 1) % FOLLOWED_MOST;
    atomic_store(&late[at], object);
}

static void tell_late(void)
{
    ASSERT_AGENT_THREAD();
    assert(atomic_load(&late_head) - late_tail <= FOLLOWED_MOST);
    for (; late_tail < atomic_load(&late_head); late_tail++) {
        _Atomic uint64_t *place = &late[late_tail % FOLLOWED_MOST];
        uint64_t object = atomic_load(place);
        if (object == 0 || !put_freed(object)) {
            return; // it is being written, or there is no room yet
        }
        atomic_store(place, 0);
        atomic_fetch_sub(&followed, 1);
    }
}

// Of the environment of followed objects; where the world stands, or in a thread of the VM.
static void JNICALL on_free(jvmtiEnv *ti, jlong object)
{
    if (ti != atomic_load(&followers)) {
        return;
    }
    if (put_freed((uint64_t)object)) {
        atomic_fetch_sub(&followed, 1);
    } else if (late != NULL) {
        tell_later((uint64_t)object);
    }
}

// An id for the object, which is told when it is freed; 0: is not followed.
static uint64_t follow(jobject object)
{
    jvmtiEnv *env = atomic_load(&followers);
    if (env == NULL || atomic_fetch_add(&followed, 1) >= FOLLOWED_MOST) {
        atomic_fetch_sub(&followed, env != NULL);
        return 0;
    }
    uint64_t id = atomic_fetch_add(&last_object, 1) + 1;
    if ((*env)->SetTag(env, object, (jlong)id) == JVMTI_ERROR_NONE) {
        return id;
    }
    atomic_fetch_sub(&followed, 1);
    return 0;
}

// How many bytes a sample of this size stands for: it is taken with the probability 1 -
// exp(-size / interval).
static uint64_t weight_of(uint64_t size, uint64_t interval)
{
    if (interval == 0) {
        return size;
    }
    return (uint64_t)((double)size / -expm1(-(double)size / (double)interval));
}

static void JNICALL on_alloc(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object,
                             jclass class, jlong size)
{
    (void)ti, (void)thread;
    uint32_t stack = lens_stack_of(jni, NULL, STACK_DEPTH);
    LensRecord record;
    lens_record_begin(&record, LENS_ALLOCS, NULL);
    lens_put_u(&record, 0);
    lens_put_id(&record, LENS_DEF_THREAD, lens_thread_id(jni, NULL));
    lens_put_id(&record, LENS_DEF_STACK, stack);
    lens_put_id(&record, LENS_DEF_CLASS, lens_class_id(jni, class));
    lens_put_u(&record, (uint64_t)size);
    lens_put_u(&record, weight_of((uint64_t)size, atomic_load(&interval_now)));
    uint64_t id = follow(object);
    lens_put_u(&record, id);
    if (!lens_record_end(&record) && id != 0) {
        jvmtiEnv *env = atomic_load(&followers);
        if (env != NULL && (*env)->SetTag(env, object, 0) == JVMTI_ERROR_NONE) {
            atomic_fetch_sub(&followed, 1); // nobody knows of it
        }
    }
}

void lens_part_alloc(void)
{
    LENS_LISTEN(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, on_alloc);
}

// ---- following ----

static jvmtiEnv *new_followers(void)
{
    static const jvmtiCapabilities NEEDED = {.can_tag_objects = 1,
                                             .can_generate_object_free_events = 1};
    static const jvmtiEventCallbacks CALLBACKS = {.ObjectFree = on_free};
    jvmtiEnv *env = lens_env_new(&NEEDED);
    if (env == NULL) {
        return NULL;
    }
    if (!AGENT_CALL(env, SetEventCallbacks, &CALLBACKS, (jint)sizeof CALLBACKS)
        || !AGENT_CALL(env, SetEventNotificationMode, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE,
                       NULL)) {
        lens_env_dispose(env);
        return NULL;
    }
    return env;
}

static void make_places(void)
{
    void *memory = late != NULL
                       ? (void *)late
                       : mmap(NULL, FOLLOWED_MOST * sizeof *late, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    late = memory == MAP_FAILED ? NULL : memory;
}

// No listener runs.
static void drop_late(void)
{
    ASSERT_AGENT_THREAD();
    for (; late_tail < atomic_load(&late_head); late_tail++) {
        atomic_store(&late[late_tail % FOLLOWED_MOST], 0);
    }
}

static bool set_following(bool on)
{
    jvmtiEnv *env = atomic_load(&followers);
    if (on && env == NULL) {
        make_places();
        env = new_followers();
        atomic_store(&followed, 0);
        atomic_store(&followers, env);
        return env != NULL;
    }
    if (!on && env != NULL) {
        atomic_store(&followers, NULL);
        if (lens_wait_for_listeners()) {
            lens_env_dispose(env);
            drop_late();
        }
        (void)put_freed(LENS_ALL_FOLLOWED);
    }
    return true;
}

// ---- the verb ----

// Sets what all orders but `without` want together.
static bool apply(const LensOrder *without)
{
    ASSERT_AGENT_THREAD();
    Wanted all = {.interval = UINT64_MAX};
    for (const LensOrder *o = lens_orders_first(); o != NULL; o = o->next_order) {
        const Wanted *one = o != without && o->verb == &lens_verb_alloc ? o->data : NULL;
        if (one != NULL) {
            all.interval = one->interval < all.interval ? one->interval : all.interval;
            all.live |= one->live;
        }
    }
    if (all.interval != UINT64_MAX) {
        atomic_store(&interval_now, all.interval);
        AGENT_CALL(lens.jvmti, SetHeapSamplingInterval, (jint)all.interval);
    }
    return set_following(all.live);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    static const jvmtiCapabilities NEEDED = {.can_generate_sampled_object_alloc_events = 1};
    Wanted *mine = agent_alloc(sizeof *mine);
    if (mine == NULL
        || !lens_arg_number(order, "interval", DEFAULT_INTERVAL, 0, LARGEST_INTERVAL,
                            &mine->interval)
        || !lens_arg_flag(order, "live", false, &mine->live)
        || !lens_need(order, &NEEDED, "Recording allocations")) {
        free(mine);
        return LENS_OVER;
    }
    order->data = mine;
    order->every = mine->live ? LATE_EVERY : 0;
    if (apply(NULL) && lens_want_event(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true)) {
        return LENS_RUNS;
    }
    apply(order);
    order->data = NULL;
    free(mine);
    lens_fail(order,
              "the VM does not tell of allocations: another agent may hold the capability");
    return LENS_OVER;
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    (void)order, (void)jni, (void)now;
    tell_late();
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    tell_late();
    lens_want_event(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, false);
    apply(order);
    free(order->data);
    order->data = NULL;
}

const LensVerb lens_verb_alloc = {
    .name = "alloc", .start = start, .stop = stop, .tick = tick, .blocks = 1u << LENS_ALLOCS};
