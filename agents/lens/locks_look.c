// SPDX-License-Identifier: Apache-2.0
// Parks, and who still waits: no event tells of them. All threads are looked at each 10 ms; a
// park is as long as it was seen, and two parks are told apart by the CPU time that the thread
// used between. Those that have waited for a second or more are told of each second; two waits
// for a monitor are told apart by the events that came between. Of the agent's thread alone.
#include "locks.h"

#include <stdlib.h>

enum { STACK_DEPTH = 256 };
#define TELL_EVERY LENS_SECOND

typedef struct Seen {
    LensWait park; // since 0: is not parked
    uint32_t stack;
    uint64_t cpu, told, blocked_since;
    uint32_t moves; // where it was blocked last
    uint32_t round;
} Seen;

struct LensLook {
    bool parks;
    uint32_t round;
    Seen *seen; // by id of thread
    uint32_t len;
};

static jfieldID park_blocker, exclusive_owner;
static jclass ownable; // global: AbstractOwnableSynchronizer

LensLook *lens_look_new(bool parks)
{
    LensLook *look = agent_alloc(sizeof *look);
    if (look != NULL) {
        look->parks = parks;
    }
    return look;
}

void lens_look_free(LensLook *look)
{
    free(look->seen);
    free(look);
}

void lens_look_begin(JNIEnv *jni)
{
    static const char *const OWNABLE = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
    if (park_blocker != NULL) {
        return;
    }
    park_blocker = lens_field(jni, "java/lang/Thread", "parkBlocker", "Ljava/lang/Object;");
    exclusive_owner = lens_field(jni, OWNABLE, "exclusiveOwnerThread", "Ljava/lang/Thread;");
    jclass class = (*jni)->FindClass(jni, OWNABLE);
    ownable = class != NULL ? (*jni)->NewGlobalRef(jni, class) : NULL;
    (*jni)->ExceptionClear(jni);
}

// ---- parks ----

static void name_blocker(LensWait *park, JNIEnv *jni, jthread thread)
{
    jobject blocker =
        park_blocker != NULL ? (*jni)->GetObjectField(jni, thread, park_blocker) : NULL;
    if (blocker == NULL) {
        return;
    }
    lens_wait_name(park, jni, blocker);
    if (ownable != NULL && exclusive_owner != NULL
        && (*jni)->IsInstanceOf(jni, blocker, ownable)) {
        jthread owner = (*jni)->GetObjectField(jni, blocker, exclusive_owner);
        lens_wait_set_owner(park, jni, owner);
        (*jni)->DeleteLocalRef(jni, owner);
    }
    (*jni)->DeleteLocalRef(jni, blocker);
}

static void end_park(Seen *s, const LensOrder *order, uint32_t id, uint64_t now)
{
    if (s->park.since != 0) {
        lens_wait_put(&s->park, LENS_LOCK_PARK, id, s->stack, now, order);
    }
    s->park.since = 0;
}

static void look_at_park(Seen *s, const LensOrder *order, JNIEnv *jni, const LensThread *t,
                         jthread thread, uint64_t now)
{
    uint64_t cpu = lens_thread_cpu(t, thread);
    if (s->park.since != 0 && s->cpu == cpu) {
        return; // it has not moved
    }
    end_park(s, order, t->id, now);
    s->park = (LensWait){.since = now};
    s->cpu = cpu;
    s->stack = lens_stack_of(jni, thread, STACK_DEPTH);
    name_blocker(&s->park, jni, thread);
}

// ---- who still waits ----

static bool find_monitor(LensWait *wait, JNIEnv *jni, const LensThread *t, jthread thread)
{
    uint64_t since = wait->since;
    jobject object = NULL;
    if ((*lens.jvmti)->GetCurrentContendedMonitor(lens.jvmti, thread, &object)
        == JVMTI_ERROR_NONE) {
        if (object == NULL) {
            return false;
        }
        lens_wait_name(wait, jni, object);
        lens_wait_find_owner(wait, jni, object);
        (*jni)->DeleteLocalRef(jni, object);
        return true;
    }
    bool is_known = lens_wait_pending(t, wait);
    wait->since = is_known ? wait->since : since;
    return is_known;
}

static void tell_blocked(Seen *s, const LensOrder *order, JNIEnv *jni, const LensThread *t,
                         jthread thread, uint64_t now)
{
    LensWait wait = {.since = s->blocked_since};
    // It may have begun another wait meanwhile.
    if (find_monitor(&wait, jni, t, thread) && wait.since <= now) {
        lens_wait_put(&wait, LENS_LOCK_BLOCKED, t->id, lens_stack_of(jni, thread, STACK_DEPTH),
                      now, order);
    }
    s->told = now;
}

static void look_at_blocked(Seen *s, const LensOrder *order, JNIEnv *jni, const LensThread *t,
                            jthread thread, uint64_t now)
{
    uint32_t moves = lens_wait_moves(t);
    if (s->blocked_since == 0 || s->moves != moves) {
        s->blocked_since = now;
        s->moves = moves;
    }
    if (now - s->blocked_since >= TELL_EVERY && now - s->told >= TELL_EVERY) {
        tell_blocked(s, order, jni, t, thread, now);
    }
}

// Who had the lock when the park began may have left it long ago, and another may have it.
static void tell_parked(Seen *s, const LensOrder *order, JNIEnv *jni, const LensThread *t,
                        jthread thread, uint64_t now)
{
    if (now - s->park.since < TELL_EVERY || now - s->told < TELL_EVERY) {
        return;
    }
    LensWait wait = {.since = s->park.since};
    name_blocker(&wait, jni, thread);
    if (wait.owner != 0) {
        lens_wait_put(&wait, LENS_LOCK_BLOCKED, t->id, s->stack, now, order);
    }
    s->told = now;
}

// ---- all threads ----

static Seen *seen_of(LensLook *look, uint32_t id)
{
    if (id >= look->len) {
        uint32_t len = id + 64;
        Seen *seen = agent_grow(look->seen, look->len * sizeof *seen, len * sizeof *seen);
        if (seen == NULL) {
            return NULL;
        }
        look->seen = seen;
        look->len = len;
    }
    return &look->seen[id];
}

static void look_at(LensLook *look, const LensOrder *order, JNIEnv *jni, jthread thread,
                    uint64_t now)
{
    const LensThread *t = lens_thread(jni, thread);
    Seen *s = t != NULL ? seen_of(look, t->id) : NULL;
    if (s == NULL) {
        return;
    }
    LensThreadState state = lens_thread_state(thread);
    s->round = look->round;
    if (state == LENS_BLOCKED) {
        look_at_blocked(s, order, jni, t, thread, now);
    } else {
        s->blocked_since = 0;
    }
    if (state == LENS_PARKED && look->parks) {
        look_at_park(s, order, jni, t, thread, now);
        tell_parked(s, order, jni, t, thread, now);
    } else {
        end_park(s, order, t->id, now);
    }
}

void lens_look(LensLook *look, const LensOrder *order, JNIEnv *jni, uint64_t now)
{
    ASSERT_AGENT_THREAD();
    look->round++;
    LensThreadList list = lens_threads_get(jni);
    for (jint i = 0; i < list.len; i++) {
        look_at(look, order, jni, list.threads[i], now);
    }
    lens_threads_release(jni, &list);
    for (uint32_t id = 0; id < look->len; id++) {
        if (look->seen[id].round != look->round) {
            end_park(&look->seen[id], order, id, now); // its thread has ended
        }
    }
}

void lens_look_end(LensLook *look, const LensOrder *order, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    (void)jni;
    uint64_t now = lens_now();
    for (uint32_t id = 0; id < look->len; id++) {
        end_park(&look->seen[id], order, id, now);
    }
}
