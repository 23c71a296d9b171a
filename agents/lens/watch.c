// SPDX-License-Identifier: Apache-2.0
// The verb watch: points at methods or lines that are chosen by name, in classes that are loaded now or later.
#include "watch.h"
#include "agent.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode.h"

enum {
    METHODS_MAX = 1000, // of a point
    TICK_MS = 250,
    RENEWAL_S = 6 // after a class was redefined its points are looked at for so long
};

Watch *_Atomic watch_active[WATCHES];
static _Atomic uint64_t redefined_at; // when a class was last about to be redefined

// ---- plans ----

static void free_plan(WatchPlan *plan)
{
    for (uint32_t i = 0; i < plan->len; i++)
        points_variables_free(&plan->places[i].variables);
    free(plan->places);
    free(plan);
}

static bool add_place(WatchPlan *plan, jlocation location, WatchPlaceKind kind)
{
    WatchPlace *grown = realloc(plan->places, (plan->len + 1) * sizeof *grown);
    if (!grown)
        return false;
    plan->places = grown;
    plan->places[plan->len++] = (WatchPlace){.location = location, .kind = kind};
    return true;
}

// The lowest place of the line in the method; -1: it has none.
static jlocation find_line(jmethodID method, jint line)
{
    jvmtiLineNumberEntry *lines = NULL;
    jint len = 0;
    jlocation found = -1;
    if ((*lens.jvmti)->GetLineNumberTable(lens.jvmti, method, &len, &lines) != JVMTI_ERROR_NONE)
        return -1;
    for (jint i = 0; i < len; i++)
        if (lines[i].line_number == line && (found < 0 || lines[i].start_location < found))
            found = lines[i].start_location;
    agent_deallocate(lens.jvmti, lines);
    return found;
}

// Places where a call returns its value. A method that begins by returning has one at its entry.
static bool add_returns(WatchPlan *plan, jmethodID method)
{
    unsigned char *code = NULL;
    jint size = 0;
    bool ok = (*lens.jvmti)->GetBytecodes(lens.jvmti, method, &size, &code) == JVMTI_ERROR_NONE;
    uint32_t len;
    for (uint32_t at = 0; ok && at < (uint32_t)size; at += len) {
        len = bytecode_length(code, (uint32_t)size, at);
        ok = len != 0
             && (!bytecode_is_return(code[at]) || at == 0 || add_place(plan, at, WATCH_RETURN));
    }
    agent_deallocate(lens.jvmti, code);
    return ok;
}

static bool has_code(jmethodID method)
{
    jlocation begin = -1, end = -1;
    return (*lens.jvmti)->GetMethodLocation(lens.jvmti, method, &begin, &end)
               == JVMTI_ERROR_NONE
           && begin >= 0;
}

static bool fill_plan(const Watch *w, const WatchMethod *m, WatchPlan *plan)
{
    assert(plan->len == 0);
    jlocation location = w->line ? find_line(m->method, w->line) : 0;
    bool all = w->line && (w->shows_locals || w->log || w->when);
    if (location < 0 || !has_code(m->method)
        || !add_place(plan, location, w->line ? WATCH_LINE : WATCH_ENTRY)
        || !points_variables(m->method, location, all, &plan->places[0].variables))
        return false;
    return w->line || w->log || m->result == 'V' || add_returns(plan, m->method);
}

static WatchPlan *make_plan(const Watch *w, const WatchMethod *m)
{
    WatchPlan *plan = calloc(1, sizeof *plan);
    if (plan && !fill_plan(w, m, plan)) {
        free_plan(plan);
        plan = NULL;
    }
    return plan;
}

static void change_plan(const WatchMethod *m, const WatchPlan *plan, bool on)
{
    assert(plan->len > 0);
    PellucidLocation *at = malloc(plan->len * sizeof *at);
    for (uint32_t i = 0; at && i < plan->len; i++)
        at[i] = (PellucidLocation){m->method, plan->places[i].location};
    if (at)
        points_change(at, plan->len, on);
    free(at);
}

// ---- finding methods ----

static bool is_chosen(const Watch *w, const char *name, const char *signature)
{
    return (strcmp(w->method, "*") == 0 || strcmp(w->method, name) == 0)
           && (!*w->signature || strcmp(w->signature, signature) == 0);
}

static WatchMethod *new_method(const Watch *w, jmethodID method, const char *signature)
{
    WatchMethod *m = calloc(1, sizeof *m);
    const char *result = strchr(signature, ')');
    if (!m)
        return NULL;
    m->method = method;
    m->result = result ? result[1] : 'V';
    WatchPlan *plan = make_plan(w, m);
    atomic_init(&m->plan, plan);
    if (plan)
        return m;
    free(m);
    return NULL;
}

static void free_method(WatchMethod *m)
{
    free_plan(atomic_load_explicit(&m->plan, memory_order_relaxed));
    free(m);
}

static void watch_method(Watch *w, jmethodID method, const char *signature)
{
    if (agent_sharedmap_get(&w->methods, method)
        || atomic_load_explicit(&w->methods_len, memory_order_relaxed) >= METHODS_MAX)
        return;
    WatchMethod *m = new_method(w, method, signature);
    if (!m)
        return;
    if (agent_sharedmap_put(&w->methods, method, m) != m) { // another thread was first
        free_method(m);
        return;
    }
    atomic_fetch_add_explicit(&w->methods_len, 1, memory_order_relaxed);
    m->next = atomic_load_explicit(&w->all, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&w->all, &m->next, m, memory_order_release,
                                                  memory_order_relaxed))
        ;
    change_plan(m, atomic_load_explicit(&m->plan, memory_order_relaxed), true);
}

static void watch_if_chosen(Watch *w, jmethodID method)
{
    char *name = NULL, *signature = NULL;
    if ((*lens.jvmti)->GetMethodName(lens.jvmti, method, &name, &signature, NULL)
            == JVMTI_ERROR_NONE
        && is_chosen(w, name, signature))
        watch_method(w, method, signature);
    agent_deallocate(lens.jvmti, name);
    agent_deallocate(lens.jvmti, signature);
}

static void watch_class(Watch *w, jclass class)
{
    char *name = points_is_prepared(class) ? points_class_name(class) : NULL;
    if (name && lens_patterns_match(w->classes, name)) {
        jint len;
        jmethodID *methods = points_methods(class, &len);
        atomic_fetch_add_explicit(&w->classes_len, 1, memory_order_relaxed);
        for (jint i = 0; i < len; i++)
            watch_if_chosen(w, methods[i]);
        agent_deallocate(lens.jvmti, methods);
    }
    free(name);
}

static void watch_loaded(Watch *w, JNIEnv *jni)
{
    jclass *classes = NULL;
    jint len = 0;
    if ((*lens.jvmti)->GetLoadedClasses(lens.jvmti, &len, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < len; i++) {
        watch_class(w, classes[i]);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    agent_deallocate(lens.jvmti, classes);
}

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)jvmti, (void)jni, (void)thread;
    for (unsigned i = 0; i < WATCHES; i++) {
        Watch *w = atomic_load_explicit(&watch_active[i], memory_order_acquire);
        if (w)
            watch_class(w, class);
    }
}

// ---- redefined classes: VMs drop their breakpoints ----

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
                                  jobject loader, const char *name, jobject domain, jint len,
                                  const unsigned char *bytes, jint *new_len,
                                  unsigned char **new_bytes)
{
    (void)jvmti, (void)jni, (void)loader, (void)name, (void)domain;
    (void)len, (void)bytes, (void)new_len, (void)new_bytes;
    if (redefined)
        atomic_store_explicit(&redefined_at, lens_now(), memory_order_relaxed);
}

static bool is_same_plan(const WatchPlan *a, const WatchPlan *b)
{
    bool same = a->len == b->len;
    for (uint32_t i = 0; same && i < a->len; i++)
        same = a->places[i].location == b->places[i].location
               && a->places[i].kind == b->places[i].kind;
    return same;
}

static void renew_method(Watch *w, WatchMethod *m)
{
    ASSERT_AGENT_THREAD();
    WatchPlan *old = atomic_load_explicit(&m->plan, memory_order_relaxed);
    WatchPlan *plan = make_plan(w, m);
    if (!plan)
        return;
    if (is_same_plan(old, plan)) {
        free_plan(plan);
        points_restore(m->method);
        return;
    }
    change_plan(m, old, false);
    atomic_store_explicit(&m->plan, plan, memory_order_release);
    old->next = w->retired; // a listener may still be in it
    w->retired = old;
    change_plan(m, plan, true);
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    Watch *w = order->data;
    uint64_t at = atomic_load_explicit(&redefined_at, memory_order_relaxed);
    if (at && now - at < RENEWAL_S * 1000000000ull)
        for (WatchMethod *m = atomic_load_explicit(&w->all, memory_order_acquire); m;
             m = m->next)
            renew_method(w, m);
    uint64_t told = atomic_load_explicit(&w->told_at, memory_order_relaxed);
    if (now > told && now - told > 1000000000ull)
        watch_tell_counted(w);
    if (w->max && atomic_load_explicit(&w->ended, memory_order_acquire) >= w->max) {
        lens_drain(jni); // its last records come before the answer
        lens_done(order, "The point was hit as often as it was asked for.", NULL, 0);
    }
}

// ---- the order ----

static bool want_events(bool on)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_BREAKPOINT, JVMTI_EVENT_CLASS_PREPARE,
                                        JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_FRAME_POP,
                                        JVMTI_EVENT_THREAD_END};
    bool ok = true;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        ok &= lens_want_event(events[i], on);
    return ok;
}

static void watch_free(Watch *w)
{
    WatchMethod *m = atomic_load_explicit(&w->all, memory_order_relaxed);
    while (m) {
        WatchMethod *next = m->next;
        free_method(m);
        m = next;
    }
    while (w->retired) {
        WatchPlan *next = w->retired->next;
        free_plan(w->retired);
        w->retired = next;
    }
    agent_sharedmap_free(&w->methods);
    if (w->classes)
        lens_patterns_free(w->classes);
    if (w->log)
        expr_template_free(w->log);
    expr_free(w->when);
    free(w);
}

static bool is_any_active(void)
{
    for (unsigned i = 0; i < WATCHES; i++)
        if (atomic_load_explicit(&watch_active[i], memory_order_relaxed))
            return true;
    return false;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    Watch *w = order->data;
    watch_tell_counted(w);
    assert(atomic_load_explicit(&watch_active[w->slot], memory_order_relaxed) == w);
    atomic_store_explicit(&watch_active[w->slot], NULL, memory_order_release);
    want_events(false);
    bool is_quiet = lens_wait_for_listeners();
    for (WatchMethod *m = atomic_load_explicit(&w->all, memory_order_acquire); m; m = m->next)
        change_plan(m, atomic_load_explicit(&m->plan, memory_order_acquire), false);
    if (is_quiet && !is_any_active())
        watch_forget_calls();
    if (is_quiet) // else a listener is in it, and it stays
        watch_free(w);
}

static bool activate(Watch *w)
{
    for (unsigned i = 0; i < WATCHES; i++)
        if (!atomic_load_explicit(&watch_active[i], memory_order_relaxed)) {
            w->slot = i;
            atomic_store_explicit(&watch_active[i], w, memory_order_release);
            return true;
        }
    return false;
}

enum { POINT_TEXT = 900 };

// The point as the page shows it.
static void point_text(const Watch *w, char *text)
{
    char line[24] = "";
    const char *log = lens_arg(w->order, "expr", ""), *when = lens_arg(w->order, "when", "");
    if (w->line)
        snprintf(line, sizeof line, ":%d", (int)w->line);
    snprintf(text, POINT_TEXT, "%s.%s%s%s%s%s%s%s", lens_arg(w->order, "class", ""), w->method,
             w->signature, line, *log ? " log " : "", log, *when ? " when " : "", when);
}

// The texts of the order. False after answering.
static bool read_texts(Watch *w)
{
    char error[EXPR_ERROR];
    const char *class = lens_arg(w->order, "class", ""), *log = lens_arg(w->order, "expr", ""),
               *when = lens_arg(w->order, "when", "");
    if (!*class || !*w->method) {
        lens_fail(w->order, "A point needs a class and a method (or method * and a line).");
        return false;
    }
    w->classes = lens_patterns_new(class);
    w->log = *log ? expr_template_parse(log, error) : NULL;
    if (*log && !w->log) {
        lens_fail(w->order, "The log text is not understood. %s", error);
        return false;
    }
    w->when = *when ? expr_parse(when, error) : NULL;
    if (*when && !w->when) {
        lens_fail(w->order, "The condition is not understood. %s", error);
        return false;
    }
    if (w->classes && agent_sharedmap_init(&w->methods, 10))
        return true;
    lens_fail(w->order, "There is no memory left for a point.");
    return false;
}

static bool read_args(Watch *w)
{
    LensOrder *order = w->order;
    uint64_t line;
    w->method = lens_arg(order, "method", "*");
    w->signature = lens_arg(order, "signature", "");
    w->shows_locals = strcmp(lens_arg(order, "values", "args"), "all") == 0;
    if (!lens_arg_number(order, "line", 0, 0, 65535, &line)
        || !lens_arg_number(order, "limit", 20, 1, 100000, &w->limit)
        || !lens_arg_number(order, "max", 0, 0, INT64_MAX, &w->max))
        return false;
    w->line = (jint)line;
    return read_texts(w);
}

static void fail_without_place(const Watch *w)
{
    if (atomic_load_explicit(&w->methods_len, memory_order_relaxed) >= METHODS_MAX)
        lens_fail(w->order, "%d methods or more fit: name the class or method more closely.",
                  METHODS_MAX);
    else if (w->line)
        lens_fail(w->order, "No method of %s has code in line %d.",
                  lens_arg(w->order, "class", ""), (int)w->line);
    else
        lens_fail(w->order,
                  "%s has no method %s%s with bytecodes: it may be native, abstract or "
                  "of another class.",
                  lens_arg(w->order, "class", ""), w->method, w->signature);
}

static void accept(const Watch *w)
{
    char methods[24], text[POINT_TEXT];
    uint32_t len = atomic_load_explicit(&w->methods_len, memory_order_relaxed);
    snprintf(methods, sizeof methods, "%u", len);
    point_text(w, text); // its definition comes with its first hit
    const LensValue values[] = {{"methods", methods}, {"point", text}};
    lens_accept(w->order,
                len ? "" : "No class that fits is loaded: the point is set when one is.",
                values, 2);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    jvmtiCapabilities more = {.can_access_local_variables = 1,
                              .can_generate_frame_pop_events = 1,
                              .can_generate_method_exit_events = 1,
                              .can_generate_all_class_hook_events = 1};
    Watch *w = calloc(1, sizeof *w);
    if (!w) {
        lens_fail(order, "There is no memory left for a point.");
        return LENS_OVER;
    }
    w->order = order;
    pthread_mutex_init(&w->lock, NULL);
    if (!read_args(w) || !points_need(order, "Watching calls", more)) {
        watch_free(w);
        return LENS_OVER;
    }
    char text[POINT_TEXT];
    point_text(w, text);
    w->point = lens_point_id(order, text);
    order->data = w;
    order->every = TICK_MS * 1000000ull;
    if (!activate(w)) {
        lens_fail(order, "There are %d points already: remove one.", WATCHES);
        watch_free(w);
        return LENS_OVER;
    }
    bool has_events = want_events(true);
    watch_loaded(w, jni);
    uint32_t methods = atomic_load_explicit(&w->methods_len, memory_order_relaxed);
    uint32_t classes = atomic_load_explicit(&w->classes_len, memory_order_relaxed);
    if (!has_events || methods >= METHODS_MAX || (classes && !methods)) {
        if (!has_events)
            lens_fail(order, "The VM refuses the events that a point needs.");
        else
            fail_without_place(w);
        stop(order, jni);
        return LENS_OVER;
    }
    accept(w);
    return LENS_RUNS;
}

void lens_part_watch(void)
{
    LENS_LISTEN(JVMTI_EVENT_CLASS_PREPARE, on_class_prepare);
    LENS_LISTEN(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, on_class_file);
    watch_listen();
}

const LensVerb lens_verb_watch = {"watch", start, stop, tick, 0};
