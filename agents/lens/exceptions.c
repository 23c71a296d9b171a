// SPDX-License-Identifier: Apache-2.0
// The verb exceptions: where which exceptions are thrown, and how often. The first of each place is
// told whole, and so are as many as the limit allows; the others are counted by place, so that the sum stays exact.
#include "points.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

enum { ORDERS = 4, TICK_MS = 250, MESSAGE = 300, LOCALS = 64, PLACES_MAX = 100000 };

// A class that is thrown at a place. All but `next` is guarded by the lock of its order.
typedef struct ThrowPlace {
    uint32_t class; // ids of definitions, and the bci
    uint32_t method;
    jlocation bci;
    uint32_t thread, stack, catcher; // of the last one that was told
    jlocation catch_bci;
    uint64_t counted; // since then
    char message[MESSAGE];
    struct ThrowPlace *next; // of its bucket
} ThrowPlace;

typedef struct Exceptions {
    LensOrder *order;
    unsigned slot;
    LensPatterns *classes;
    bool locals;
    uint64_t limit;
    pthread_mutex_t lock;
    ThrowPlace *buckets[4096];
    size_t places_len;
    uint64_t second, told; // when it began, and how many were told in it
} Exceptions;

static Exceptions *_Atomic active[ORDERS];

typedef struct Thrown {
    JNIEnv *jni;
    jthread thread;
    jmethodID method, catch_method;
    jlocation location, catch_location;
    jobject exception;
    uint32_t class_id, method_id, catch_id;
} Thrown;

// ---- places ----

static ThrowPlace **bucket_of(Exceptions *e, const Thrown *t)
{
    uint64_t key =
        (uint64_t)t->class_id << 40 ^ (uint64_t)t->method_id << 16 ^ (uint64_t)t->location;
    return &e->buckets[agent_mix(key) % (sizeof e->buckets / sizeof *e->buckets)];
}

// NULL when memory ends or there are too many.
static ThrowPlace *find_place(Exceptions *e, const Thrown *t, bool *is_new)
{
    ASSERT_HELD(&e->lock);
    ThrowPlace **bucket = bucket_of(e, t), *p = *bucket;
    while (p && (p->class != t->class_id || p->method != t->method_id || p->bci != t->location))
        p = p->next;
    *is_new = !p;
    if (p || e->places_len == PLACES_MAX)
        return p;
    p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->class = t->class_id;
    p->method = t->method_id;
    p->bci = t->location;
    p->next = *bucket;
    *bucket = p;
    e->places_len++;
    return p;
}

// Whether this one is told whole; else it is counted. *counted: those before it that were.
static bool take_turn(Exceptions *e, const Thrown *t, uint64_t *counted)
{
    bool is_new, tells = false;
    uint64_t now = lens_now();
    pthread_mutex_lock(&e->lock);
    if (now - e->second >= 1000000000ull) {
        e->second = now;
        e->told = 0;
    }
    ThrowPlace *p = find_place(e, t, &is_new);
    if (p) {
        tells = is_new || e->told < e->limit;
        *counted = tells ? p->counted : 0;
        p->counted = tells ? 0 : p->counted + 1;
        e->told += tells;
    }
    pthread_mutex_unlock(&e->lock);
    return tells;
}

// Keeps what a record without an event of its own repeats. With `lost` the event's record was dropped.
static void remember(Exceptions *e, const Thrown *t, uint32_t thread, uint32_t stack,
                     const char *message, uint64_t lost)
{
    bool is_new;
    pthread_mutex_lock(&e->lock);
    ThrowPlace *p = find_place(e, t, &is_new);
    if (p) {
        p->thread = thread;
        p->stack = stack;
        p->catcher = t->catch_id;
        p->catch_bci = t->catch_location;
        p->counted += lost;
        snprintf(p->message, sizeof p->message, "%s", message);
    }
    pthread_mutex_unlock(&e->lock);
}

// ---- telling ----

static void read_message(const Thrown *t, char *message)
{
    ExprValue value;
    ExprScope scope = {.jni = t->jni};
    *message = '\0';
    if (expr_object_field(&scope, t->exception, "detailMessage", &value)
        && value.kind == EXPR_OBJECT)
        (void)expr_object_text(&scope, value.object, message, MESSAGE);
}

static void read_locals(const Thrown *t, PointValues *values)
{
    PointVariables variables;
    ExprScope scope = {.jni = t->jni};
    if (!points_variables(t->method, t->location, true, &variables))
        return;
    points_values_variables(values, &scope, t->thread, &variables, variables.len);
    points_variables_free(&variables);
}

static bool put_record(const Exceptions *e, const ThrowPlace *p, const PointValues *values,
                       uint64_t more)
{
    LensRecord record;
    lens_record_begin(&record, LENS_EXCEPTIONS, e->order);
    lens_put_id(&record, LENS_DEF_THREAD, p->thread);
    lens_put_id(&record, LENS_DEF_STACK, p->stack);
    lens_put_id(&record, LENS_DEF_CLASS, p->class);
    lens_put_s(&record, p->message, strlen(p->message));
    lens_put_id(&record, LENS_DEF_METHOD, p->catcher);
    lens_put_z(&record, p->catch_bci);
    points_values_put(values, &record);
    lens_put_u(&record, more);
    return lens_record_end(&record);
}

static void tell(Exceptions *e, const Thrown *t)
{
    ASSERT_LISTENER();
    uint64_t counted = 0;
    if (!take_turn(e, t, &counted))
        return;
    PointValues values = {0};
    ThrowPlace told = {
        .class = t->class_id, .catcher = t->catch_id, .catch_bci = t->catch_location};
    told.thread = lens_thread_id(t->jni, NULL);
    told.stack = lens_stack_of(t->jni, NULL, LENS_DEPTH);
    read_message(t, told.message);
    if (e->locals)
        read_locals(t, &values);
    bool is_told = put_record(e, &told, &values, counted);
    remember(e, t, told.thread, told.stack, told.message, is_told ? 0 : counted + 1);
}

// Whether the class of the exception is asked for.
static bool is_wanted(const Exceptions *e, const Thrown *t)
{
    return lens_patterns_match(e->classes, lens_class_name(t->class_id));
}

static void JNICALL on_exception(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                                 jlocation location, jobject exception, jmethodID catch_method,
                                 jlocation catch_location)
{
    (void)jvmti;
    Thrown t = {jni, thread, method, catch_method, location, catch_location, exception,
                0,   0,      0};
    bool is_known = false;
    for (unsigned i = 0; i < ORDERS; i++) {
        Exceptions *e = atomic_load_explicit(&active[i], memory_order_acquire);
        if (!e || (!is_known && (*jni)->PushLocalFrame(jni, LOCALS) != 0))
            continue;
        if (!is_known) {
            lens_count(LENS_EXCEPTION_COUNT, 1);
            t.class_id = lens_class_id(jni, (*jni)->GetObjectClass(jni, exception));
            t.method_id = lens_method_id(jni, method);
            t.catch_id = catch_method ? lens_method_id(jni, catch_method) : 0;
        }
        is_known = true;
        if (is_wanted(e, &t))
            tell(e, &t);
    }
    if (is_known)
        (*jni)->PopLocalFrame(jni, NULL);
}

// ---- the order ----

// Tells what was only counted, place by place.
static void tell_counted(Exceptions *e)
{
    ASSERT_AGENT_THREAD();
    pthread_mutex_lock(&e->lock);
    for (size_t i = 0; i < sizeof e->buckets / sizeof *e->buckets; i++)
        for (ThrowPlace *p = e->buckets[i]; p; p = p->next)
            if (p->counted && p->thread && put_record(e, p, &(PointValues){0}, p->counted - 1))
                p->counted = 0;
    pthread_mutex_unlock(&e->lock);
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    (void)jni, (void)now;
    tell_counted(order->data);
}

static void exceptions_free(Exceptions *e)
{
    for (size_t i = 0; i < sizeof e->buckets / sizeof *e->buckets; i++)
        for (ThrowPlace *p = e->buckets[i], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    if (e->classes)
        lens_patterns_free(e->classes);
    free(e);
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    Exceptions *e = order->data;
    assert(atomic_load_explicit(&active[e->slot], memory_order_relaxed) == e);
    atomic_store_explicit(&active[e->slot], NULL, memory_order_release);
    (void)lens_want_event(JVMTI_EVENT_EXCEPTION, false);
    bool is_quiet = lens_wait_for_listeners();
    tell_counted(e);
    if (is_quiet) // else a listener is in it, and it stays
        exceptions_free(e);
}

static bool activate(Exceptions *e)
{
    for (unsigned i = 0; i < ORDERS; i++)
        if (!atomic_load_explicit(&active[i], memory_order_relaxed)) {
            e->slot = i;
            atomic_store_explicit(&active[i], e, memory_order_release);
            return true;
        }
    lens_fail(e->order, "Exceptions are recorded %d times already: stop one.", ORDERS);
    return false;
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    jvmtiCapabilities wanted = {.can_generate_exception_events = 1, .can_get_line_numbers = 1};
    Exceptions *e = calloc(1, sizeof *e);
    if (!e) {
        lens_fail(order, "There is no memory left.");
        return LENS_OVER;
    }
    e->order = order;
    pthread_mutex_init(&e->lock, NULL);
    e->classes = lens_patterns_new(lens_arg(order, "class", "*"));
    bool ok = e->classes && lens_arg_flag(order, "locals", false, &e->locals)
              && lens_arg_number(order, "limit", 1000, 1, 1000000, &e->limit);
    wanted.can_access_local_variables = e->locals;
    if (!ok || !lens_need(order, &wanted, "Recording exceptions") || !activate(e)) {
        exceptions_free(e);
        return LENS_OVER;
    }
    order->data = e;
    order->every = TICK_MS * 1000000ull;
    if (!lens_want_event(JVMTI_EVENT_EXCEPTION, true)) {
        lens_fail(order, "The VM refuses events of exceptions.");
        stop(order, jni);
        return LENS_OVER;
    }
    return LENS_RUNS;
}

void lens_part_exceptions(void)
{
    LENS_LISTEN(JVMTI_EVENT_EXCEPTION, on_exception);
}

const LensVerb lens_verb_exceptions = {"exceptions", start, stop, tick, 0};
