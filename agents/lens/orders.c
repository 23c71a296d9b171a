// SPDX-License-Identifier: Apache-2.0
// Orders: read, begun, timed, answered, ended. The list is the agent's thread's. Answers come
// from workers, too: the connection's lock orders them. Who wants nothing any more leaves the
// agent idle: events off, memory given back.
#define _GNU_SOURCE
#include "agent.h"
#include "verbs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ARGS_MOST = 32,
    TEXT_MOST = 64 << 10,
    ORDERS_MOST = 256,
    ANSWER_MOST = LENS_MAX_PAYLOAD - 64
};

// ---- stop and detach: they concern other orders ----

static LensStarted start_stop(LensOrder *order, JNIEnv *jni);
static LensStarted start_detach(LensOrder *order, JNIEnv *jni);
static const LensVerb verb_stop = {.name = "stop", .start = start_stop};
static const LensVerb verb_detach = {.name = "detach", .start = start_detach};

static const LensVerb *const VERBS[] = {
#define LENS_VERB(name) &lens_verb_##name,
#include "verbs.def"
#undef LENS_VERB
    &verb_stop,
    &verb_detach,
};

static LensOrder *first; // the newest first
static uint32_t last_uid;
static unsigned orders_len;

static const LensVerb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof VERBS / sizeof VERBS[0]; i++) {
        if (strcmp(VERBS[i]->name, name) == 0) {
            return VERBS[i];
        }
    }
    return NULL;
}

bool lens_verb_exists(const char *name)
{
    return find_verb(name) != NULL;
}

LensOrder *lens_orders_first(void)
{
    ASSERT_AGENT_THREAD();
    return first;
}

bool lens_orders_any(void)
{
    return first != NULL;
}

LensConnection *lens_order_connection(uint32_t uid)
{
    ASSERT_AGENT_THREAD();
    assert(uid != 0);
    for (const LensOrder *o = first; o != NULL; o = o->next_order) {
        if (o->uid == uid) {
            return o->connection;
        }
    }
    return NULL;
}

// ---- arguments ----

const char *lens_arg(const LensOrder *order, const char *name, const char *otherwise)
{
    for (uint32_t i = 0; i < order->args_len; i++) {
        if (strcmp(order->args[i].name, name) == 0) {
            return order->args[i].value;
        }
    }
    return otherwise;
}

bool lens_arg_number(LensOrder *order, const char *name, uint64_t otherwise, uint64_t least,
                     uint64_t most, uint64_t *value)
{
    assert(least <= most);
    const char *text = lens_arg(order, name, NULL);
    *value = otherwise;
    if (text == NULL || *text == '\0') {
        return true;
    }
    char *end = NULL;
    unsigned long long n = strtoull(text, &end, 10);
    if (*end != '\0' || strchr(text, '-') != NULL || n < least || n > most) {
        lens_fail(order, "%s is a number from %llu to %llu, not \"%s\"", name,
                  (unsigned long long)least, (unsigned long long)most, text);
        return false;
    }
    *value = n;
    return true;
}

bool lens_arg_flag(LensOrder *order, const char *name, bool otherwise, bool *value)
{
    uint64_t n;
    bool good = lens_arg_number(order, name, otherwise, 0, 1, &n);
    *value = n != 0;
    return good;
}

// ---- answers ----

static void answer(LensOrder *order, LensState state, unsigned permille, uint64_t left,
                   const char *text, const LensValue *values, size_t len)
{
    assert(permille <= 1000);
    LensBuffer payload = {0};
    lens_buffer_u(&payload, order->id);
    lens_buffer_u(&payload, state);
    lens_buffer_u(&payload, permille);
    lens_buffer_u(&payload, left);
    lens_buffer_text(&payload, text != NULL ? text : "");
    LensBuffer pairs = {0};
    size_t fits = 0;
    for (size_t kept; fits < len; fits++) {
        kept = pairs.len;
        lens_buffer_text(&pairs, values[fits].name);
        lens_buffer_text(&pairs, values[fits].value);
        if (pairs.len > ANSWER_MOST - payload.len) {
            pairs.len = kept;
            break;
        }
    }
    lens_buffer_u(&payload, fits);
    lens_buffer_bytes(&payload, pairs.bytes, pairs.len);
    payload.failed |= pairs.failed;
    lens_buffer_free(&pairs);
    if (!payload.failed) {
        lens_connection_block(order->connection, LENS_ANSWER, payload.bytes, payload.len);
    }
    lens_buffer_free(&payload);
    lens_loop_wake();
}

void lens_accept(LensOrder *order, const char *text, const LensValue *values, size_t len)
{
    assert(!order->is_accepted);
    order->is_accepted = true;
    answer(order, LENS_ACCEPTED, 0, 0, text, values, len);
}

void lens_progress(LensOrder *order, unsigned permille, uint64_t milliseconds_left,
                   const char *text)
{
    answer(order, LENS_PROGRESS, permille, milliseconds_left, text, NULL, 0);
}

static void end_with(LensOrder *order, LensState state, const char *text,
                     const LensValue *values, size_t len)
{
    if (!atomic_exchange(&order->is_over, true)) {
        answer(order, state, 1000, 0, text, values, len);
    }
}

void lens_done(LensOrder *order, const char *text, const LensValue *values, size_t len)
{
    end_with(order, LENS_DONE, text, values, len);
}

void lens_fail(LensOrder *order, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (order->connection->is_file) {
        agent_message("%s: %s", order->verb != NULL ? order->verb->name : "order", text);
    }
    end_with(order, LENS_FAILED, text, NULL, 0);
}

bool lens_send(LensOrder *order, LensBlockType type, const void *payload, size_t len)
{
    ASSERT_OWN_THREAD();
    for (int turn = 0; !lens_connection_room(order->connection); turn++) {
        enum { TURN_US = 5000, TURNS = 2000000 / TURN_US };
        if (turn == TURNS || atomic_load(&order->stopping)) {
            return false;
        }
        lens_loop_wake();
        usleep(TURN_US);
    }
    bool good =
        len <= LENS_MAX_PAYLOAD && lens_connection_block(order->connection, type, payload, len);
    lens_loop_wake();
    return good;
}

void lens_tell(LensOrder *order, LensDef kind, uint32_t id)
{
    ASSERT_OWN_THREAD();
    if (id != 0) {
        lens_connection_tell(order->connection, LENS_ID(kind, id));
    }
}

// ---- workers ----

typedef struct WorkerStart {
    LensOrder *order;
    void (*run)(LensOrder *order, JNIEnv *jni);
} WorkerStart;

static void *work(void *argument)
{
    WorkerStart start = *(WorkerStart *)argument;
    free(argument);
    JNIEnv *jni = lens_attach("Lens worker");
    if (jni != NULL) {
        start.run(start.order, jni);
        lens_detach(jni);
    }
    if (start.order->every == 0 && !atomic_load(&start.order->is_over)
        && !atomic_load(&start.order->stopping)) {
        lens_fail(start.order, "the agent's worker has ended without a result");
    }
    atomic_store(&start.order->worker_done, true);
    lens_loop_wake();
    return NULL;
}

bool lens_worker_start(LensOrder *order, void (*run)(LensOrder *order, JNIEnv *jni))
{
    ASSERT_AGENT_THREAD();
    assert(!order->has_worker);
    WorkerStart *start = agent_alloc(sizeof *start);
    sigset_t old;
    lens_block_signals(&old);
    if (start != NULL) {
        *start = (WorkerStart){.order = order, .run = run};
    }
    order->has_worker = start != NULL && pthread_create(&order->worker, NULL, work, start) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!order->has_worker) {
        free(start);
        lens_fail(order, "no thread could be made for this order");
    }
    return order->has_worker;
}

void lens_worker_join(LensOrder *order)
{
    ASSERT_AGENT_THREAD();
    atomic_store(&order->stopping, true);
    if (order->has_worker) {
        pthread_join(order->worker, NULL);
        order->has_worker = false;
    }
}

// ---- life ----

static void free_order(LensOrder *order)
{
    assert(!order->has_worker); // stop has joined it
    for (uint32_t i = 0; i < order->args_len; i++) {
        free(order->args[i].name);
        free(order->args[i].value);
    }
    if (order->descriptor >= 0) {
        close(order->descriptor);
    }
    free(order->args);
    free(order);
}

// What all connections with such orders get.
static void count_blocks(LensConnection *connection)
{
    uint64_t blocks = 0;
    for (const LensOrder *o = first; o != NULL; o = o->next_order) {
        blocks |= o->connection == connection ? o->verb->blocks : 0;
    }
    connection->blocks = blocks;
}

static void grow_idle(JNIEnv *jni)
{
    lens_capabilities_idle();
    lens_defs_idle(jni);
    lens_rings_idle();
}

// Ends a running order: undone first, so that its last records are drained before the answer.
static void end_order(LensOrder *order, JNIEnv *jni, const char *text)
{
    ASSERT_AGENT_THREAD();
    assert(orders_len > 0);
    atomic_store(&order->stopping, true);
    order->verb->stop(order, jni);
    lens_drain(jni);
    if (!order->connection->is_broken) {
        lens_done(order, text, NULL, 0);
    }
    for (LensOrder **o = &first; *o != NULL; o = &(*o)->next_order) {
        if (*o == order) {
            *o = order->next_order;
            break;
        }
    }
    orders_len--;
    assert((first == NULL) == (orders_len == 0));
    count_blocks(order->connection);
    free_order(order);
    if (first == NULL) {
        grow_idle(jni);
    }
}

void lens_orders_end(LensConnection *connection, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    for (LensOrder *o = first, *next; o != NULL; o = next) {
        next = o->next_order;
        if (connection == NULL || o->connection == connection) {
            end_order(o, jni, "");
        }
    }
}

static bool set_time(LensOrder *order)
{
    enum { LONGEST = 365 * 24 * 3600 };
    uint64_t seconds;
    if (!lens_arg_number(order, "seconds", 0, 1, LONGEST, &seconds)) {
        return false;
    }
    order->ends = seconds > 0 ? lens_now() + seconds * LENS_SECOND : 0;
    return true;
}

// Owns `order`. Before the first one the agent wakes up.
static void begin_order(LensOrder *order, const char *verb, JNIEnv *jni)
{
    order->verb = find_verb(verb);
    if (order->verb == NULL) {
        lens_fail(order, "this agent does not know \"%s\"", verb);
        free_order(order);
        return;
    }
    if (orders_len == ORDERS_MOST) {
        lens_fail(order, "%d orders run already: stop some", ORDERS_MOST);
        free_order(order);
        return;
    }
    if (first == NULL && (!lens_rings_open() || !lens_defs_begin(jni))) {
        lens_fail(order, "out of memory in the target");
        free_order(order);
        return;
    }
    order->uid = ++last_uid;
    order->next_order = first;
    first = order; // records of start already find their connection
    orders_len++;
    order->connection->blocks |= order->verb->blocks;
    LensStarted started = set_time(order) ? order->verb->start(order, jni) : LENS_OVER;
    if (started == LENS_RUNS) {
        assert(order->verb->stop != NULL && (order->every == 0 || order->verb->tick != NULL));
        order->next = order->every > 0 ? lens_now() + order->every : 0;
        if (!order->is_accepted && !atomic_load(&order->is_over)) {
            lens_accept(order, "", NULL, 0);
        }
        return;
    }
    assert(first == order); // its start began no other
    first = order->next_order;
    orders_len--;
    count_blocks(order->connection);
    free_order(order);
    if (first == NULL) {
        grow_idle(jni);
    }
}

static LensOrder *new_order(LensConnection *connection, uint32_t id)
{
    LensOrder *order = agent_alloc(sizeof *order);
    struct LensArg *args = agent_alloc(ARGS_MOST * sizeof *args);
    if (order == NULL || args == NULL) {
        free(order);
        free(args);
        return NULL;
    }
    *order = (LensOrder){
        .id = id, .connection = connection, .descriptor = connection->descriptor, .args = args};
    connection->descriptor = -1;
    return order;
}

void lens_order_arrives(LensConnection *connection, LensReader *payload, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    LensOrder *order = new_order(connection, (uint32_t)lens_read_u(payload));
    if (order == NULL) {
        return;
    }
    char *verb = lens_read_s(payload, TEXT_MOST);
    uint64_t args = lens_read_u(payload);
    for (; order->args_len < args && order->args_len < ARGS_MOST && !payload->failed;
         order->args_len++) {
        struct LensArg *arg = &order->args[order->args_len];
        arg->name = lens_read_s(payload, TEXT_MOST);
        arg->value = arg->name != NULL ? lens_read_s(payload, TEXT_MOST) : NULL;
        if (arg->value == NULL) {
            free(arg->name);
            break;
        }
    }
    if (payload->failed || args > ARGS_MOST || payload->at != payload->end) {
        lens_fail(order, "the order is not as lens_wire.h says");
        free_order(order);
    } else {
        begin_order(order, verb, jni);
    }
    free(verb);
}

void lens_order_begin(LensConnection *connection, uint32_t id, const char *verb,
                      char *const *names, char *const *values, uint32_t len, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    LensOrder *order = new_order(connection, id);
    if (order == NULL) {
        return;
    }
    for (; order->args_len < len && order->args_len < ARGS_MOST; order->args_len++) {
        struct LensArg *arg = &order->args[order->args_len];
        *arg = (struct LensArg){.name = strdup(names[order->args_len]),
                                .value = strdup(values[order->args_len])};
        if (arg->name == NULL || arg->value == NULL) {
            free(arg->name);
            free(arg->value);
            break;
        }
    }
    begin_order(order, verb, jni);
}

void lens_orders_tick(JNIEnv *jni, uint64_t now)
{
    ASSERT_AGENT_THREAD();
    for (LensOrder *o = first, *next; o != NULL; o = next) {
        next = o->next_order;
        if (atomic_load(&o->is_over) || (o->ends != 0 && now >= o->ends)) {
            end_order(o, jni, "the time is over");
        } else if (o->every != 0 && now >= o->next) {
            o->next = now + o->every;
            o->verb->tick(o, jni, now);
        }
    }
}

uint64_t lens_orders_next(void)
{
    ASSERT_AGENT_THREAD();
    uint64_t soonest = UINT64_MAX;
    for (const LensOrder *o = first; o != NULL; o = o->next_order) {
        soonest = o->ends != 0 && o->ends < soonest ? o->ends : soonest;
        soonest = o->every != 0 && o->next < soonest ? o->next : soonest;
        soonest = atomic_load(&o->is_over) ? 0 : soonest;
    }
    return soonest;
}

static LensStarted start_stop(LensOrder *order, JNIEnv *jni)
{
    uint64_t id;
    if (!lens_arg_number(order, "order", 0, 1, UINT32_MAX, &id)) {
        return LENS_OVER;
    }
    for (LensOrder *o = first; o != NULL; o = o->next_order) {
        if (o != order && o->id == id && o->connection == order->connection) {
            end_order(o, jni, "stopped");
            lens_done(order, "", NULL, 0);
            return LENS_OVER;
        }
    }
    lens_fail(order, "order %llu does not run", (unsigned long long)id);
    return LENS_OVER;
}

static LensStarted start_detach(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    lens_done(order, "", NULL, 0);
    lens_loop_detach();
    return LENS_OVER;
}
