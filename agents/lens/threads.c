// SPDX-License-Identifier: Apache-2.0
// The verb threads: the states of all Java threads, looked at each `ms`; a record for each that
// changed. Of the agent's thread alone.
#include "agent.h"
#include "verbs.h"

#include <stdlib.h>

enum { STACK_DEPTH = 256 };

typedef struct Seen {
    uint32_t round; // in which it lived last
    uint8_t state;
} Seen;

typedef struct State {
    bool stacks;
    uint32_t round;
    Seen *seen; // by id of thread
    uint32_t seen_len;
    uint32_t *living; // ids of the last round
    uint32_t living_len, living_cap;
} State;

static void put(const LensOrder *order, uint32_t thread, LensThreadState state, uint32_t stack)
{
    assert(thread != 0);
    LensRecord record;
    lens_record_begin(&record, LENS_THREADS, order);
    lens_put_id(&record, LENS_DEF_THREAD, thread);
    lens_put_u(&record, state);
    lens_put_id(&record, LENS_DEF_STACK, stack);
    lens_record_end(&record);
}

// Makes room for the thread's id and for one more living.
static bool make_room(State *s, uint32_t id)
{
    if (id >= s->seen_len) {
        Seen *seen = agent_grow(s->seen, s->seen_len * sizeof *seen, (id + 64) * sizeof *seen);
        if (seen == NULL) {
            return false;
        }
        s->seen = seen;
        s->seen_len = id + 64;
    }
    return true;
}

static void look(LensOrder *order, State *s, JNIEnv *jni, jthread thread)
{
    uint32_t id = lens_thread_id(jni, thread);
    if (id == 0 || !make_room(s, id)) {
        return;
    }
    LensThreadState state = lens_thread_state(thread);
    if (s->seen[id].round == 0 || s->seen[id].state != state) {
        put(order, id, state, s->stacks ? lens_stack_of(jni, thread, STACK_DEPTH) : 0);
    }
    s->seen[id] = (Seen){.round = s->round, .state = (uint8_t)state};
}

static void tell_ended(LensOrder *order, const State *s)
{
    for (uint32_t i = 0; i < s->living_len; i++) {
        assert(s->living[i] < s->seen_len);
        if (s->seen[s->living[i]].round != s->round) {
            put(order, s->living[i], LENS_ENDED, 0);
        }
    }
}

static void remember_living(State *s, JNIEnv *jni, const LensThreadList *list)
{
    if ((uint32_t)list->len > s->living_cap) {
        uint32_t cap = (uint32_t)list->len * 2;
        uint32_t *living = realloc(s->living, cap * sizeof *living);
        if (living == NULL) {
            s->living_len = 0;
            return;
        }
        s->living = living;
        s->living_cap = cap;
    }
    s->living_len = 0;
    for (jint i = 0; i < list->len; i++) {
        uint32_t id = lens_thread_id(jni, list->threads[i]);
        if (id != 0 && id < s->seen_len) {
            assert(s->living_len < s->living_cap);
            s->living[s->living_len++] = id;
        }
    }
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    (void)now;
    State *s = order->data;
    s->round++;
    LensThreadList list = lens_threads_get(jni);
    for (jint i = 0; i < list.len; i++) {
        look(order, s, jni, list.threads[i]);
    }
    tell_ended(order, s);
    remember_living(s, jni, &list);
    lens_threads_release(jni, &list);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    uint64_t ms;
    State *s = agent_alloc(sizeof *s);
    if (s == NULL || !lens_arg_number(order, "ms", 50, 1, 60000, &ms)
        || !lens_arg_flag(order, "stacks", false, &s->stacks)) {
        free(s);
        return LENS_OVER;
    }
    order->data = s;
    order->every = ms * LENS_MS;
    lens_accept(order, "", NULL, 0);
    tick(order, jni, lens_now());
    return LENS_RUNS;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    State *s = order->data;
    free(s->seen);
    free(s->living);
    free(s);
}

const LensVerb lens_verb_threads = {
    .name = "threads", .start = start, .stop = stop, .tick = tick};
