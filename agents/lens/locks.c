// SPDX-License-Identifier: Apache-2.0
// The verb locks: waits for monitors and Object.wait by their events, exactly; parks and those
// who still wait by looking each 10 ms (locks_look.c). Monitors have ids: tags in an
// environment that lives as long as any such order.
//
// What a thread waits for now stands in its slot: the thread writes, the agent's thread reads,
// both under `pending_lock`, over which no call of the VM is made.
#include "locks.h"
#include "verbs.h"

#include <stdlib.h>

enum { STACK_DEPTH = 256, OWNERS_A_SECOND = 200 };

static const jvmtiEvent EVENTS[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                    JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                    JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED};
enum { EVENTS_LEN = sizeof EVENTS / sizeof EVENTS[0] };

static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(jvmtiEnv *) monitors; // NULL: nothing is recorded
static _Atomic uint64_t last_monitor;
static _Atomic unsigned orders;

// ---- what is waited for ----

static uint64_t monitor_id(jobject object)
{
    jvmtiEnv *env = atomic_load(&monitors);
    jlong tag = 0;
    if (env == NULL || (*env)->GetTag(env, object, &tag) != JVMTI_ERROR_NONE || tag != 0) {
        return (uint64_t)tag;
    }
    tag = (jlong)atomic_fetch_add(&last_monitor, 1) + 1;
    (*env)->SetTag(env, object, tag);
    (*env)->GetTag(env, object, &tag); // another thread may have been quicker
    return (uint64_t)tag;
}

void lens_wait_name(LensWait *wait, JNIEnv *jni, jobject object)
{
    assert(object != NULL);
    jclass class = (*jni)->GetObjectClass(jni, object);
    wait->monitor = monitor_id(object);
    wait->class = lens_class_id(jni, class);
    (*jni)->DeleteLocalRef(jni, class);
}

void lens_wait_set_owner(LensWait *wait, JNIEnv *jni, jthread owner)
{
    if (owner != NULL) {
        wait->owner = lens_thread_id(jni, owner);
        wait->owner_stack = lens_stack_of(jni, owner, STACK_DEPTH);
    }
}

static void delete_all(JNIEnv *jni, jthread *list, jint len)
{
    for (jint i = 0; i < len; i++) {
        (*jni)->DeleteLocalRef(jni, list[i]);
    }
    agent_deallocate(lens.jvmti, list);
}

void lens_wait_find_owner(LensWait *wait, JNIEnv *jni, jobject object)
{
    jvmtiMonitorUsage usage = {0};
    if ((*lens.jvmti)->GetObjectMonitorUsage(lens.jvmti, object, &usage) != JVMTI_ERROR_NONE) {
        return;
    }
    lens_wait_set_owner(wait, jni, usage.owner);
    if (usage.owner != NULL) {
        (*jni)->DeleteLocalRef(jni, usage.owner);
    }
    delete_all(jni, usage.waiters, usage.waiter_count);
    delete_all(jni, usage.notify_waiters, usage.notify_waiter_count);
}

// Asking for the owner may stop the program for a moment: not more often than this.
static bool may_ask_for_owner(uint64_t now)
{
    static _Atomic uint64_t second;
    static _Atomic unsigned asked;
    uint64_t this_second = now / LENS_SECOND;
    if (atomic_exchange(&second, this_second) != this_second) {
        atomic_store(&asked, 0);
    }
    return atomic_fetch_add(&asked, 1) < OWNERS_A_SECOND;
}

void lens_wait_put(const LensWait *wait, LensLockKind kind, uint32_t thread, uint32_t stack,
                   uint64_t now, const LensOrder *order)
{
    assert(wait->since != 0 && wait->since <= now);
    LensRecord record;
    lens_record_begin(&record, LENS_LOCKS, order);
    record.time = now;
    lens_put_u(&record, kind);
    lens_put_id(&record, LENS_DEF_THREAD, thread);
    lens_put_id(&record, LENS_DEF_STACK, stack);
    lens_put_u(&record, now - wait->since);
    lens_put_u(&record, wait->monitor);
    lens_put_id(&record, LENS_DEF_CLASS, wait->class);
    lens_put_id(&record, LENS_DEF_THREAD, wait->owner);
    lens_put_id(&record, LENS_DEF_STACK, wait->owner_stack);
    lens_record_end(&record);
}

// ---- slots ----

typedef struct Pending {
    LensWait enter, wait; // since 0: not now
    uint32_t moves;       // how often either has begun or ended
} Pending;

static Pending *pending_here(JNIEnv *jni, LensThread **thread)
{
    *thread = lens_thread(jni, NULL);
    if (*thread == NULL) {
        return NULL;
    }
    if ((*thread)->slot[LENS_SLOT_LOCKS] == NULL) {
        (*thread)->slot[LENS_SLOT_LOCKS] = agent_alloc(sizeof(Pending));
    }
    return (*thread)->slot[LENS_SLOT_LOCKS];
}

static void set_wait(Pending *pending, LensWait *slot, const LensWait *to)
{
    assert(slot == &pending->enter || slot == &pending->wait);
    pthread_mutex_lock(&pending_lock);
    *slot = *to;
    pending->moves++;
    pthread_mutex_unlock(&pending_lock);
}

bool lens_wait_pending(const LensThread *thread, LensWait *wait)
{
    pthread_mutex_lock(&pending_lock);
    const Pending *pending = thread->slot[LENS_SLOT_LOCKS];
    *wait = pending != NULL ? pending->enter : (LensWait){0};
    pthread_mutex_unlock(&pending_lock);
    return wait->since != 0;
}

uint32_t lens_wait_moves(const LensThread *thread)
{
    pthread_mutex_lock(&pending_lock);
    const Pending *pending = thread->slot[LENS_SLOT_LOCKS];
    uint32_t moves = pending != NULL ? pending->moves : 0;
    pthread_mutex_unlock(&pending_lock);
    return moves;
}

static void free_pending(LensThread *thread, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pending_lock);
    free(thread->slot[LENS_SLOT_LOCKS]);
    thread->slot[LENS_SLOT_LOCKS] = NULL;
    pthread_mutex_unlock(&pending_lock);
}

// ---- listeners ----

static void begin(Pending *pending, LensWait *slot, JNIEnv *jni, jobject object, bool has_owner)
{
    ASSERT_LISTENER();
    LensWait wait = {.since = lens_now()};
    lens_wait_name(&wait, jni, object);
    if (has_owner && may_ask_for_owner(wait.since)) {
        lens_wait_find_owner(&wait, jni, object);
    }
    set_wait(pending, slot, &wait);
}

static void end(Pending *pending, LensWait *slot, JNIEnv *jni, LensLockKind kind,
                const LensThread *thread)
{
    ASSERT_LISTENER();
    LensWait wait = *slot;
    if (wait.since == 0) {
        return; // it began before this was recorded
    }
    uint64_t now = lens_now();
    set_wait(pending, slot, &(LensWait){0});
    lens_wait_put(&wait, kind, thread->id, lens_stack_of(jni, NULL, STACK_DEPTH), now, NULL);
    if (kind == LENS_LOCK_ENTER) {
        lens_count(LENS_CONTENDED_COUNT, 1);
        lens_count(LENS_CONTENDED_NANOS, (int64_t)(now - wait.since));
    }
}

static void JNICALL on_enter(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object)
{
    (void)ti, (void)thread;
    LensThread *me;
    Pending *pending = pending_here(jni, &me);
    if (pending != NULL) {
        begin(pending, &pending->enter, jni, object, true);
    }
}

static void JNICALL on_entered(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object)
{
    (void)ti, (void)thread, (void)object;
    LensThread *me;
    Pending *pending = pending_here(jni, &me);
    if (pending != NULL) {
        end(pending, &pending->enter, jni, LENS_LOCK_ENTER, me);
    }
}

static void JNICALL on_wait(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object,
                            jlong timeout)
{
    (void)ti, (void)thread, (void)timeout;
    LensThread *me;
    Pending *pending = pending_here(jni, &me);
    if (pending != NULL) {
        begin(pending, &pending->wait, jni, object, false);
    }
}

static void JNICALL on_waited(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jobject object,
                              jboolean timed_out)
{
    (void)ti, (void)thread, (void)object, (void)timed_out;
    LensThread *me;
    Pending *pending = pending_here(jni, &me);
    if (pending != NULL) {
        end(pending, &pending->wait, jni, LENS_LOCK_WAIT, me);
    }
}

static void JNICALL on_thread_end(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti, (void)thread;
    LensThread *me = lens_thread(jni, NULL);
    if (me != NULL) {
        free_pending(me, NULL);
    }
}

void lens_part_locks(void)
{
    LENS_LISTEN(JVMTI_EVENT_MONITOR_CONTENDED_ENTER, on_enter);
    LENS_LISTEN(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, on_entered);
    LENS_LISTEN(JVMTI_EVENT_MONITOR_WAIT, on_wait);
    LENS_LISTEN(JVMTI_EVENT_MONITOR_WAITED, on_waited);
    LENS_LISTEN(JVMTI_EVENT_THREAD_END, on_thread_end);
}

// ---- the verb ----

// Ends the ids of monitors. Where a listener is still in them, they stay.
static void free_monitors(void)
{
    ASSERT_AGENT_THREAD();
    jvmtiEnv *env = atomic_exchange(&monitors, NULL);
    if (env != NULL && lens_wait_for_listeners()) {
        lens_threads_each(free_pending, NULL);
        lens_env_dispose(env);
    }
}

static bool begin_recording(LensOrder *order)
{
    static const jvmtiCapabilities NEEDED = {.can_generate_monitor_events = 1,
                                             .can_get_monitor_info = 1};
    static const jvmtiCapabilities TAGS = {.can_tag_objects = 1};
    static const jvmtiCapabilities CONTENDED = {.can_get_current_contended_monitor = 1};
    static const jvmtiCapabilities TIMES = {.can_get_thread_cpu_time = 1};
    if (!lens_need(order, &NEEDED, "Recording locks")) {
        return false;
    }
    // Where it is not given, those that began to wait before are not told of
    (*lens.jvmti)->AddCapabilities(lens.jvmti, &CONTENDED);
    (*lens.jvmti)->AddCapabilities(lens.jvmti, &TIMES);
    if (atomic_load(&orders) == 0) {
        atomic_store(&monitors, lens_env_new(&TAGS));
    }
    if (atomic_load(&monitors) == NULL || !lens_want_events(EVENTS, EVENTS_LEN, true)) {
        lens_fail(order, "the VM does not tell of monitors");
        if (atomic_load(&orders) == 0) {
            free_monitors();
        }
        return false;
    }
    atomic_fetch_add(&orders, 1);
    return true;
}

static void end_recording(void)
{
    ASSERT_AGENT_THREAD();
    assert(atomic_load(&orders) > 0);
    lens_want_events(EVENTS, EVENTS_LEN, false);
    if (atomic_fetch_sub(&orders, 1) == 1) {
        free_monitors();
    }
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    bool parks;
    if (!lens_arg_flag(order, "parks", true, &parks)) {
        return LENS_OVER;
    }
    order->data = lens_look_new(parks);
    if (order->data == NULL) {
        lens_fail(order, "out of memory in the target");
        return LENS_OVER;
    }
    if (!begin_recording(order)) {
        lens_look_free(order->data);
        return LENS_OVER;
    }
    order->every = parks ? LENS_LOOK_EVERY : LENS_SECOND;
    lens_look_begin(jni);
    return LENS_RUNS;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    lens_look_end(order->data, order, jni);
    end_recording();
    lens_look_free(order->data);
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    lens_look(order->data, order, jni, now);
}

const LensVerb lens_verb_locks = {
    .name = "locks", .start = start, .stop = stop, .tick = tick, .blocks = 1u << LENS_LOCKS};
