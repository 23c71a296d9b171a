// SPDX-License-Identifier: Apache-2.0
// /api/jvms, open, session, order, stop, mark; and what the session says of its views.
#define _GNU_SOURCE
#include "query.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const view_names[10] = {"overview", "cpu",        "alloc", "locks",    "threads",
                                    "heap",     "exceptions", "watch", "coverage", "debugger"};

// What a view needs of the agent: capabilities in HELLO ("cap.NAME"), at least one of the alternatives of each.
static const struct {
    const char *capabilities[3];
    const char *without;
} view_needs[10] = {
    [2] = {{"generate_sampled_object_alloc_events"}, "this VM does not sample allocations"},
    [3] = {{"generate_monitor_events"}, "this VM does not tell of contended monitors"},
    [5] = {{"tag_objects"}, "this VM does not let its heap be walked"},
    [6] = {{"generate_exception_events"}, "exceptions"},
    [7] = {{"generate_breakpoint_events", "access_local_variables"}, "calls"},
    [8] = {{"generate_breakpoint_events"}, "coverage"},
};

static bool has_records(const Model *m, int view)
{
    uint64_t counts[10] = {
        m->view_count[VIEW_METRICS],    m->view_count[VIEW_CPU] + m->view_count[VIEW_EXACT],
        m->view_count[VIEW_ALLOC],      m->view_count[VIEW_LOCKS],
        m->view_count[VIEW_THREADS],    0,
        m->view_count[VIEW_EXCEPTIONS], m->view_count[VIEW_WATCH],
        m->view_count[VIEW_COVERAGE],   0};
    return counts[view] != 0;
}

static ViewState live_view(const Session *s, int view)
{
    assert(s->mode == SESSION_LIVE && !s->is_new_agent);
    bool is_late = model_hello_is(s->model, "agent.late", "1");
    for (int i = 0; i < 3 && view_needs[view].capabilities[i] != NULL; i++) {
        char name[80];
        snprintf(name, sizeof name, "cap.%s", view_needs[view].capabilities[i]);
        if (!model_hello_is(s->model, name, "no"))
            continue;
        if (is_late && view >= 6)
            return (ViewState){false, "this VM gives it only to an agent that is there from "
                                      "the start: start the program with "
                                      "-agentpath:liblens.so"};
        return (ViewState){false, view >= 6 ? "this VM does not offer it to agents"
                                            : view_needs[view].without};
    }
    if (view == 9 && strstr(s->jvm.vm, "Pellucid") == NULL)
        return (ViewState){
            false,
            "only Pellucid can open a debugger's port in a process that runs: start the "
            "program with "
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005"};
    return (ViewState){true, ""};
}

ViewState session_view(const Session *s, int view)
{
    assert(view >= 0 && view < 10);
    assert((s->mode == SESSION_NONE) == (s->model == NULL));
    if (s->mode == SESSION_NONE)
        return (ViewState){view == 5, "nothing is being looked at"};
    if (s->mode == SESSION_FILE) {
        if (view == 5 || has_records(s->model, view))
            return (ViewState){true, ""};
        return (ViewState){false, "this was not recorded"};
    }
    return s->is_new_agent ? (ViewState){false, "the agent is starting"} : live_view(s, view);
}

static const char *order_state(LensState state)
{
    assert(state >= LENS_ACCEPTED && state <= LENS_FAILED);
    static const char *const names[] = {"accepted", "accepted", "progress", "done", "failed"};
    return names[state];
}

static void put_pairs(Json *json, const char *key, const OrderPair *pairs, uint32_t count)
{
    json_put_object(json, key);
    for (uint32_t i = 0; i < count; i++)
        json_put_text(json, pairs[i].name, pairs[i].value);
    json_end(json);
}

void session_put_order(const Session *s, Json *json, const Order *o)
{
    (void)s;
    json_object(json);
    json_put_uint(json, "id", o->id);
    json_put_text(json, "verb", o->verb);
    put_pairs(json, "args", o->args.at, o->args.count);
    json_put_text(json, "state", order_state(o->state));
    json_put_uint(json, "permille", o->permille);
    json_put_uint(json, "left", o->left_ms);
    json_put_text(json, "text", o->text);
    put_pairs(json, "values", o->values.at, o->values.count);
    json_put_real(json, "since", tick_ms(o->since));
    json_end(json);
}

static void put_ended(const Session *s, Json *json)
{
    assert(!s->has_ended || s->ended_why != NULL);
    json_key(json, "ended");
    if (!s->has_ended) {
        json_null(json);
        return;
    }
    json_object(json);
    json_put_real(json, "t", tick_ms(s->ended));
    json_put_text(json, "why", s->ended_why);
    json_put_text(json, "crash", s->crash);
    json_end(json);
}

static void put_views(const Session *s, Json *json)
{
    json_put_object(json, "views");
    for (int i = 0; i < 10; i++) {
        ViewState state = session_view(s, i);
        json_put_object(json, view_names[i]);
        json_put_bool(json, "ok", state.ok);
        json_put_text(json, "why", state.ok ? "" : state.why);
        json_end(json);
    }
    json_end(json);
}

static void put_program(const Session *s, Json *json)
{
    const Model *m = s->model;
    const char *cores = model_hello(m, "cores");
    uint64_t number = 0;
    json_put_int(json, "pid", s->jvm.process.pid);
    json_put_text(json, "main", s->jvm.main);
    json_put_text(json, "vm",
                  *model_hello(m, "vm.name") ? model_hello(m, "vm.name") : s->jvm.vm);
    json_put_text(json, "version",
                  *model_hello(m, "vm.version") ? model_hello(m, "vm.version")
                                                : s->jvm.version);
    json_put_text(json, "java", model_hello(m, "java.version"));
    json_put_text(json, "user", s->jvm.user);
    json_put_uint(json, "cores", text_number(cores, &number) ? number : 0);
    json_put_uint(json, "started", model_wall_ns(m, 0) / 1000000);
    json_put_real(json, "now", tick_ms(session_now(s)));
    uint64_t now = model_wall_ns(m, session_now(s)) / 1000000;
    json_put_uint(json, "up", now > s->jvm.process.started ? now - s->jvm.process.started : 0);
    put_ended(s, json);
    json_put_uint(json, "recorded", s->store ? store_bytes(s->store) : s->report.bytes);
    json_put_text(json, "file", s->file);
    json_put_text(json, "disk", s->store ? store_failed(s->store) : NULL);
    json_put_uint(json, "lost", m->lost + m->refused + m->samples_forgotten);
    json_put_uint(json, "damaged",
                  m->damaged + s->report.damaged
                      + (s->report.skipped != 0 && s->report.damaged == 0));
}

void session_put(Session *s, Json *json)
{
    static const char *const modes[] = {"none", "live", "file"};
    json_object(json);
    json_put_text(json, "mode", modes[s->mode]);
    if (s->model != NULL)
        put_program(s, json);
    json_put_real(json, "mark", tick_ms(s->mark));
    put_views(s, json);
    json_put_array(json, "orders");
    for (uint32_t i = 0; i < s->orders.count; i++) {
        if (!s->orders.at[i]->own)
            session_put_order(s, json, s->orders.at[i]);
    }
    json_array_end(json);
    json_end(json);
}

void query_session(Query *q)
{
    session_put(q->session, &q->out);
}

static void put_recordings(Json *json)
{
    char *folder = session_folder();
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    json_put_array(json, "recordings");
    for (int i = n - 1; i >= 0; i--) {
        char *path = mem_format("%s/%s", folder, entries[i]->d_name);
        struct stat st;
        if (text_ends_with(path, ".lens") && stat(path, &st) == 0) {
            json_object(json);
            json_put_text(json, "file", path);
            json_put_uint(json, "bytes", (uint64_t)st.st_size);
            json_put_uint(json, "time", (uint64_t)st.st_mtime * 1000);
            json_end(json);
        }
        free(path);
        free(entries[i]);
    }
    json_array_end(json);
    if (n >= 0)
        free(entries);
    free(folder);
}

void query_jvms(Query *q)
{
    uint32_t count;
    Jvm *jvms = discover_all(&count);
    json_object(&q->out);
    json_put_array(&q->out, "jvms");
    for (uint32_t i = 0; i < count; i++) {
        const Jvm *j = &jvms[i];
        json_object(&q->out);
        json_put_int(&q->out, "pid", j->process.pid);
        json_put_text(&q->out, "main", j->main);
        json_put_text(&q->out, "vm", j->vm);
        json_put_text(&q->out, "version", j->version);
        json_put_text(&q->out, "user", j->user);
        json_put_uint(&q->out, "started", j->process.started);
        json_put_bool(&q->out, "attachable", j->attachable);
        json_put_text(&q->out, "why", j->why);
        json_end(&q->out);
    }
    json_array_end(&q->out);
    put_recordings(&q->out);
    json_end(&q->out);
    free(jvms);
}

void query_open(Query *q)
{
    const char *file = query_param(q, "file");
    uint64_t pid = query_number(q, "pid", 0);
    char *error = NULL;
    if (file != NULL && !session_is_kept(file)) {
        query_fail(q, 403, "Open it from the command line: lens open FILE.",
                   "Only recordings that Lens keeps can be opened here.");
        return;
    }
    if (file == NULL && (pid == 0 || pid > INT32_MAX)) {
        query_fail(q, 400, "Name a pid or a file.", "Nothing was named to open.");
        return;
    }
    error =
        file ? session_open(q->session, file) : session_attach(q->session, (pid_t)pid, NULL);
    if (error != NULL)
        query_fail(q, 409,
                   "Choose another program, or see docs/LENS.md, \"When it does not attach\".",
                   "%s", error);
    else
        session_put(q->session, &q->out);
    free(error);
    if (q->session->changed != NULL)
        q->session->changed(q->session->context, CHANGED_SESSION, NULL);
}

void query_order(Query *q)
{
    const JsonValue *args = json_member(q->body, "args");
    const char *verb = query_param(q, "verb");
    ARRAY(LinkPair) pairs = {0};
    if (verb == NULL || *verb == 0) {
        query_fail(q, 400, "Name a verb of agents/lens/lens_wire.h.", "No order was named.");
        return;
    }
    for (const JsonValue *v = args ? args->first : NULL; v != NULL; v = v->next) {
        if (v->text != NULL && v->key != NULL && pairs.count < 64)
            *ARRAY_PUSH(&pairs) = (LinkPair){v->key, v->text};
    }
    Order *o = session_order(q->session, verb, pairs.at, pairs.count, -1);
    free(pairs.at);
    if (o == NULL) {
        query_fail(q, 409, "Start the program again, and `lens` with its new PID.",
                   "No running program is connected.");
        return;
    }
    if (q->session->changed != NULL)
        q->session->changed(q->session->context, CHANGED_ORDER, o);
    json_object(&q->out);
    json_put_uint(&q->out, "id", o->id);
    json_end(&q->out);
}

void query_stop(Query *q)
{
    Order *o = session_find_order(q->session, query_number(q, "id", 0));
    if (o == NULL) {
        query_fail(q, 404, "It may be over; reload the page.", "There is no such order.");
        return;
    }
    if (!order_is_over(o))
        session_stop_order(q->session, o);
    json_object(&q->out);
    json_put_uint(&q->out, "id", o->id);
    json_end(&q->out);
}

void query_mark(Query *q)
{
    q->session->mark = session_now(q->session);
    json_object(&q->out);
    json_put_real(&q->out, "t", tick_ms(q->session->mark));
    json_end(&q->out);
}
