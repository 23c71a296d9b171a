// SPDX-License-Identifier: Apache-2.0
// What happens in a thread of the program that meets a point: arguments are kept, a condition is
// asked, a record is written. Nothing of the program is called.
//
// A call that is watched stands on a list of its thread until its frame is popped. Its result comes
// from MethodExit, which is on in the thread only from a return instruction to the return.
#include "watch.h"

#include <stdlib.h>
#include <string.h>

enum {
    NANOS_A_SECOND = 50000000, // that a point may cost in all threads together
    LOCALS = 64
};

typedef struct WatchCall {
    struct WatchCall *below;
    uint32_t order; // uid
    unsigned slot;
    jmethodID method;
    jint depth; // frames of the thread, with this one
    uint64_t begin;
    uint32_t stack;
    bool waits_for_result;
    char result_type;
    PointValues values;
} WatchCall;

typedef struct Hit {
    Watch *watch;
    jthread thread;
    const WatchPlace *place;
} Hit;

// ---- values ----

// A variable of the place, for expressions: the innermost of that name stands last.
static bool find_variable(ExprScope *scope, const char *name, ExprValue *value)
{
    const Hit *hit = scope->data;
    const PointVariables *v = &hit->place->variables;
    for (uint32_t i = v->len; i-- > 0;)
        if (strcmp(v->list[i].name, name) == 0)
            return points_local(hit->thread, &v->list[i], value);
    return false;
}

static void add_variables(PointValues *values, ExprScope *scope, const Hit *hit)
{
    const PointVariables *v = &hit->place->variables;
    uint32_t len = hit->watch->shows_locals ? v->len : v->args;
    if (hit->watch->shows_locals && scope->self)
        points_values_add(values, scope, "this",
                          (ExprValue){.kind = EXPR_OBJECT, .object = scope->self});
    points_values_variables(values, scope, hit->thread, v, len);
}

static ExprScope scope_of(JNIEnv *jni, const Hit *hit, jmethodID method)
{
    ExprScope scope = {.jni = jni, .variable = find_variable, .data = (void *)hit};
    (void)(*lens.jvmti)->GetMethodDeclaringClass(lens.jvmti, method, &scope.class);
    if (hit->place->variables.has_this)
        (void)(*lens.jvmti)->GetLocalObject(lens.jvmti, hit->thread, 0, 0, &scope.self);
    return scope;
}

// ---- limits ----

static void begin_second(Watch *w, uint64_t now)
{
    ASSERT_HELD(&w->lock);
    if (now - w->second < 1000000000ull)
        return;
    w->second = now;
    w->told = w->spent = 0;
}

// Whether the point may cost something now; else the hit is only counted.
static bool may_look(Watch *w, uint64_t now)
{
    pthread_mutex_lock(&w->lock);
    begin_second(w, now);
    bool may = w->told < w->limit && w->spent < NANOS_A_SECOND;
    pthread_mutex_unlock(&w->lock);
    if (!may)
        atomic_fetch_add_explicit(&w->counted, 1, memory_order_relaxed);
    return may;
}

// Takes one of the second's records; false where other threads have taken the last.
static bool may_tell(Watch *w)
{
    pthread_mutex_lock(&w->lock);
    bool may = w->told < w->limit;
    w->told += may;
    pthread_mutex_unlock(&w->lock);
    if (!may)
        atomic_fetch_add_explicit(&w->counted, 1, memory_order_relaxed);
    return may;
}

static void add_cost(Watch *w, uint64_t nanos)
{
    pthread_mutex_lock(&w->lock);
    w->spent += nanos;
    pthread_mutex_unlock(&w->lock);
}

// ---- records ----

static void tell(Watch *w, uint32_t thread, uint32_t stack, LensWatchKind kind, uint64_t nanos,
                 const PointValues *values)
{
    LensRecord record;
    uint64_t counted = atomic_exchange_explicit(&w->counted, 0, memory_order_relaxed);
    lens_record_begin(&record, LENS_WATCHES, w->order);
    lens_put_id(&record, LENS_DEF_POINT, w->point);
    lens_put_id(&record, LENS_DEF_THREAD, thread);
    lens_put_id(&record, LENS_DEF_STACK, stack);
    lens_put_u(&record, kind);
    lens_put_u(&record, nanos);
    lens_put_u(&record, counted);
    points_values_put(values, &record);
    if (!lens_record_end(&record))
        atomic_fetch_add_explicit(&w->counted, counted + 1, memory_order_relaxed);
    atomic_store_explicit(&w->told_at, lens_now(), memory_order_relaxed);
    if (kind != LENS_WATCH_NOTE)
        atomic_fetch_add_explicit(&w->ended, 1, memory_order_release); // read by tick
}

void watch_tell_counted(Watch *w)
{
    ASSERT_AGENT_THREAD();
    if (atomic_load_explicit(&w->counted, memory_order_relaxed))
        tell(w, 0, 0, LENS_WATCH_NOTE, 0, &(PointValues){0});
}

// ---- calls ----

static WatchCall **calls_of(JNIEnv *jni)
{
    ASSERT_LISTENER();
    LensThread *thread = lens_thread(jni, NULL);
    return thread ? (WatchCall **)&thread->slot[LENS_SLOT_POINTS] : NULL;
}

static jint depth_of(jthread thread)
{
    jint depth = 0;
    (void)(*lens.jvmti)->GetFrameCount(lens.jvmti, thread, &depth);
    return depth;
}

// Takes off calls whose frames are gone without a word.
static void drop_stale(WatchCall **calls, jint depth)
{
    while (*calls && (*calls)->depth > depth) {
        WatchCall *call = *calls;
        *calls = call->below;
        free(call);
    }
}

static WatchCall *find_call(WatchCall *call, uint32_t order, jint depth, jmethodID method)
{
    for (; call && call->depth == depth; call = call->below)
        if (call->order == order && call->method == method)
            return call;
    return NULL;
}

// The watch of a call, NULL when its order has ended.
static Watch *watch_of(const WatchCall *call)
{
    assert(call->slot < WATCHES);
    Watch *w = atomic_load_explicit(&watch_active[call->slot], memory_order_acquire);
    return w && w->order->uid == call->order ? w : NULL;
}

static void begin_call(JNIEnv *jni, const Hit *hit, const WatchMethod *m, ExprScope *scope)
{
    Watch *w = hit->watch;
    WatchCall **calls = calls_of(jni);
    WatchCall *call = calls ? calloc(1, sizeof *call) : NULL;
    if (!call)
        return;
    call->order = w->order->uid;
    call->slot = w->slot;
    call->method = m->method;
    call->depth = depth_of(hit->thread);
    call->result_type = m->result;
    call->stack = lens_stack_of(jni, NULL, LENS_DEPTH);
    add_variables(&call->values, scope, hit);
    jvmtiError error = (*lens.jvmti)->NotifyFramePop(lens.jvmti, hit->thread, 0);
    if (error != JVMTI_ERROR_NONE && error != JVMTI_ERROR_DUPLICATE) {
        tell(w, lens_thread_id(jni, NULL), call->stack, LENS_WATCH_CALL, 0, &call->values);
        free(call);
        return;
    }
    assert(!*calls || (*calls)->depth <= call->depth);
    call->below = *calls;
    *calls = call;
    call->begin = lens_now();
}

// ---- hits ----

static void tell_log(JNIEnv *jni, const Hit *hit, ExprScope *scope)
{
    Watch *w = hit->watch;
    PointValues values = {0};
    char bytes[POINT_VALUE_BYTES];
    ExprText text = {bytes, 0, sizeof bytes, false};
    bytes[0] = '\0';
    if (w->log) {
        expr_template_text(w->log, scope, &text);
        points_values_text(&values, "log", bytes);
    }
    if (!w->log || w->shows_locals)
        add_variables(&values, scope, hit);
    tell(w, lens_thread_id(jni, NULL), lens_stack_of(jni, NULL, LENS_DEPTH), LENS_WATCH_LOG, 0,
         &values);
}

// Asks the condition. What it says of itself when it cannot be asked is told as a note.
static bool is_asked_for(JNIEnv *jni, const Hit *hit, ExprScope *scope)
{
    bool is = false;
    Watch *w = hit->watch;
    if (!w->when)
        return true;
    if (expr_is_true(w->when, scope, &is))
        return is;
    PointValues values = {0};
    points_values_text(&values, "condition", scope->error);
    if (may_tell(w))
        tell(w, lens_thread_id(jni, NULL), 0, LENS_WATCH_NOTE, 0, &values);
    return false;
}

static void look(JNIEnv *jni, const Hit *hit, const WatchMethod *m)
{
    ExprScope scope = scope_of(jni, hit, m->method);
    if (!is_asked_for(jni, hit, &scope) || !may_tell(hit->watch))
        return;
    if (hit->place->kind == WATCH_LINE || hit->watch->log)
        tell_log(jni, hit, &scope);
    else
        begin_call(jni, hit, m, &scope);
    atomic_fetch_add_explicit(&hit->watch->hits, 1, memory_order_relaxed);
}

// A jump back to the first instruction is no call.
static bool is_going_on(JNIEnv *jni, const Hit *hit, const WatchMethod *m)
{
    WatchCall **calls = calls_of(jni);
    if (!calls || !*calls)
        return false;
    jint depth = depth_of(hit->thread);
    drop_stale(calls, depth);
    return find_call(*calls, hit->watch->order->uid, depth, m->method) != NULL;
}

static void hit_place(JNIEnv *jni, const Hit *hit, const WatchMethod *m)
{
    uint64_t begin = lens_now();
    Watch *w = hit->watch;
    if (w->max && atomic_load_explicit(&w->hits, memory_order_relaxed) >= w->max)
        return;
    if (hit->place->kind == WATCH_ENTRY && is_going_on(jni, hit, m))
        return;
    if (!may_look(w, begin) || (*jni)->PushLocalFrame(jni, LOCALS) != 0)
        return;
    look(jni, hit, m);
    (*jni)->PopLocalFrame(jni, NULL);
    add_cost(w, lens_now() - begin);
}

// A return instruction: only for a call that is watched the value is asked for.
static void hit_return(JNIEnv *jni, const Hit *hit, const WatchMethod *m)
{
    WatchCall **calls = calls_of(jni);
    if (!calls || !*calls)
        return;
    WatchCall *call =
        find_call(*calls, hit->watch->order->uid, depth_of(hit->thread), m->method);
    if (call && lens_want_event_in(JVMTI_EVENT_METHOD_EXIT, true, hit->thread))
        call->waits_for_result = true;
}

static const WatchPlace *find_place(const WatchPlan *plan, jlocation location)
{
    for (uint32_t i = 0; i < plan->len; i++)
        if (plan->places[i].location == location)
            return &plan->places[i];
    return NULL;
}

static void JNICALL on_breakpoint(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                  jmethodID method, jlocation location)
{
    (void)jvmti;
    for (unsigned i = 0; i < WATCHES; i++) {
        Watch *w = atomic_load_explicit(&watch_active[i], memory_order_acquire);
        WatchMethod *m = w ? agent_sharedmap_get(&w->methods, method) : NULL;
        const WatchPlace *place =
            m ? find_place(atomic_load_explicit(&m->plan, memory_order_acquire), location)
              : NULL;
        Hit hit = {w, thread, place};
        if (place && place->kind == WATCH_RETURN)
            hit_return(jni, &hit, m);
        else if (place)
            hit_place(jni, &hit, m);
    }
}

// ---- the end of a call ----

static void JNICALL on_method_exit(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                   jmethodID method, jboolean popped, jvalue value)
{
    (void)jvmti;
    WatchCall **calls = calls_of(jni);
    if (!calls || !*calls)
        return;
    jint depth = depth_of(thread);
    bool is_mine = false;
    for (WatchCall *call = *calls; call && call->depth == depth; call = call->below) {
        if (!call->waits_for_result || call->method != method)
            continue;
        call->waits_for_result = false;
        is_mine = true;
        if (popped || (*jni)->PushLocalFrame(jni, LOCALS) != 0)
            continue;
        ExprScope scope = {.jni = jni};
        points_values_add(&call->values, &scope, "result",
                          expr_of_jvalue(call->result_type, value));
        (*jni)->PopLocalFrame(jni, NULL);
    }
    if (is_mine)
        (void)lens_want_event_in(JVMTI_EVENT_METHOD_EXIT, false, thread);
}

static void end_call(JNIEnv *jni, WatchCall *call, bool popped, uint64_t now)
{
    Watch *w = watch_of(call);
    if (w)
        tell(w, lens_thread_id(jni, NULL), call->stack,
             popped ? LENS_WATCH_THROW : LENS_WATCH_RETURN, now - call->begin, &call->values);
    free(call);
}

static void JNICALL on_frame_pop(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                                 jboolean popped)
{
    (void)jvmti, (void)method;
    uint64_t now = lens_now();
    WatchCall **calls = calls_of(jni);
    if (!calls || !*calls)
        return;
    jint depth = depth_of(thread);
    drop_stale(calls, depth);
    while (*calls && (*calls)->depth == depth) {
        WatchCall *call = *calls;
        *calls = call->below;
        end_call(jni, call, popped, now);
    }
}

// ---- threads ----

static void free_calls(LensThread *thread)
{
    for (WatchCall *call = thread->slot[LENS_SLOT_POINTS], *below; call; call = below) {
        below = call->below;
        free(call);
    }
    thread->slot[LENS_SLOT_POINTS] = NULL;
}

static void free_each(LensThread *thread, void *data)
{
    (void)data;
    free_calls(thread);
}

void watch_forget_calls(void)
{
    ASSERT_AGENT_THREAD();
    lens_threads_each(free_each, NULL);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti, (void)thread;
    LensThread *own = lens_thread(jni, NULL);
    if (own)
        free_calls(own);
}

void watch_listen(void)
{
    LENS_LISTEN(JVMTI_EVENT_BREAKPOINT, on_breakpoint);
    LENS_LISTEN(JVMTI_EVENT_METHOD_EXIT, on_method_exit);
    LENS_LISTEN(JVMTI_EVENT_FRAME_POP, on_frame_pop);
    LENS_LISTEN(JVMTI_EVENT_THREAD_END, on_thread_end);
}
