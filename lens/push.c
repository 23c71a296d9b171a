// SPDX-License-Identifier: Apache-2.0
// Pushing profiles and metrics (push.h). One request at a time; what is answered is looked at for its status alone.
#define _GNU_SOURCE
#include "push.h"

#include "export.h"
#include "open_metrics.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EACH_SECONDS    10
#define TIMEOUT_SECONDS 20
#define LATE_SECONDS    2 // by which records may come after what they tell of

struct Push {
    Session *session;
    PushKind kind;
    char *host, *path, *url;
    uint16_t port;
    struct evhttp_connection *connection;
    struct event *timer;
    uint32_t session_number; // of what `from` is a tick of
    uint32_t from;           // what was sent ends here
    bool has_told_end;       // of a program that has ended all was sent
    bool is_sending, has_failed;
};

static void say(Push *push, bool failed, const char *why)
{
    if (failed != push->has_failed)
        fprintf(stderr,
                failed ? "lens: cannot push to %s: %s; it is tried again\n"
                       : "lens: pushing to %s works again%s\n",
                push->url, failed ? why : "");
    push->has_failed = failed;
}

static void on_reply(struct evhttp_request *request, void *context)
{
    Push *push = context;
    char status[32];
    push->is_sending = false;
    int code = request ? evhttp_request_get_response_code(request) : 0;
    snprintf(status, sizeof status, "status %d", code);
    say(push, code < 200 || code > 299, code ? status : "no answer");
}

static void send_body(Push *push, const char *path, const char *type, const void *data,
                      size_t length)
{
    assert(!push->is_sending); // one at a time
    struct evhttp_request *request = evhttp_request_new(on_reply, push);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    char host[300];
    snprintf(host, sizeof host, "%s:%u", push->host, push->port);
    evhttp_add_header(headers, "Host", host);
    evhttp_add_header(headers, "Content-Type", type);
    evbuffer_add(evhttp_request_get_output_buffer(request), data, length);
    push->is_sending = true;
    if (evhttp_make_request(push->connection, request, EVHTTP_REQ_POST, path) != 0) {
        push->is_sending = false;
        say(push, true, "no connection");
    }
}

static char *plain_name(const Session *s)
{
    char *name = mem_format("%s.cpu", *s->jvm.main ? s->jvm.main : "java");
    for (char *c = name; *c != 0; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')
                     || (*c >= '0' && *c <= '9') || strchr(".-_", *c) != NULL;
        *c = plain ? *c : '_';
    }
    return name;
}

static void push_profile(Push *push, uint32_t end)
{
    assert(push->from <= end);
    Session *s = push->session;
    Brush brush = {.from = push->from, .to = end};
    Weights weights = {.data = WEIGH_CPU};
    weigh(s->model, &brush, &weights);
    if (weights.samples != 0) {
        Query *q = query_new(s, NULL, NULL);
        Export export = {q, s->model, &weights, &brush};
        char *name = plain_name(s);
        export_pprof(&export);
        char *path =
            mem_format("%s/ingest?name=%s&from=%llu&until=%llu&format=pprof", push->path, name,
                       (unsigned long long)(model_wall_ns(s->model, brush.from) / 1000000000),
                       (unsigned long long)(model_wall_ns(s->model, end) / 1000000000));
        send_body(push, path, "application/octet-stream", q->bytes.at, q->bytes.length);
        free(path);
        free(name);
        query_finish(q);
    }
    weights_free(&weights);
}

// Those of which all have come.
static void push_samples(Push *push, uint32_t now)
{
    const uint32_t late = push->session->has_ended ? 0 : LATE_SECONDS * 1000 * TICKS_PER_MS;
    if (now <= push->from + late)
        return;
    push_profile(push, now - late);
    push->from = now - late + 1;
}

// ---- OTLP: JSON of ExportMetricsServiceRequest ----

static void put_attribute(Json *json, const char *key, const char *value)
{
    json_object(json);
    json_put_text(json, "key", key);
    json_put_object(json, "value");
    json_put_text(json, "stringValue", value);
    json_end(json);
    json_end(json);
}

static void put_point(const Model *m, Json *json, const OpenMetric *o, const ModelMetric *v)
{
    assert(o->divide > 0);
    json_put_object(json, o->is_counter ? "sum" : "gauge");
    if (o->is_counter) {
        json_put_uint(json, "aggregationTemporality", 2); // cumulative
        json_put_bool(json, "isMonotonic", true);
    }
    json_put_array(json, "dataPoints");
    json_object(json);
    if (o->is_counter)
        json_put_format(json, "startTimeUnixNano", "%llu", (unsigned long long)m->realtime);
    json_put_format(json, "timeUnixNano", "%llu",
                    (unsigned long long)model_wall_ns(m, v->time));
    json_put_real(json, "asDouble", (double)v->value / o->divide);
    json_end(json);
    json_array_end(json);
    json_end(json);
}

static void put_metrics(const Model *m, Json *json)
{
    json_put_array(json, "metrics");
    for (size_t i = 0; i < open_metric_count; i++) {
        const OpenMetric *o = &open_metrics[i];
        uint32_t n = m->metrics[o->metric].count;
        if (n == 0)
            continue;
        json_object(json);
        json_put_text(json, "name", o->name);
        json_put_text(json, "description", o->help);
        json_put_text(json, "unit",
                      strcmp(o->unit, "seconds") == 0 ? "s"
                      : strcmp(o->unit, "bytes") == 0 ? "By"
                                                      : "1");
        put_point(m, json, o, &m->metrics[o->metric].at[n - 1]);
        json_end(json);
    }
    json_array_end(json);
}

static void push_metrics(Push *push)
{
    const Session *s = push->session;
    Json json = {0};
    char pid[32];
    snprintf(pid, sizeof pid, "%d", s->jvm.process.pid);
    json_object(&json);
    json_put_array(&json, "resourceMetrics");
    json_object(&json);
    json_put_object(&json, "resource");
    json_put_array(&json, "attributes");
    put_attribute(&json, "service.name", s->jvm.main);
    put_attribute(&json, "process.pid", pid);
    json_array_end(&json);
    json_end(&json);
    json_put_array(&json, "scopeMetrics");
    json_object(&json);
    json_put_object(&json, "scope");
    json_put_text(&json, "name", "lens");
    json_end(&json);
    put_metrics(s->model, &json);
    json_end(&json);
    json_array_end(&json);
    json_end(&json);
    json_array_end(&json);
    json_end(&json);
    char *path = mem_format("%s/v1/metrics", push->path);
    assert(json_is_whole(&json));
    send_body(push, path, "application/json", json.text, json.length);
    free(path);
    json_free(&json);
}

static void begin_anew(Push *push)
{
    push->from = 0;
    push->has_told_end = false;
    push->session_number = push->session->number;
}

static void on_timer(evutil_socket_t fd, short what, void *context)
{
    Push *push = context;
    Session *s = push->session;
    (void)fd, (void)what;
    if (push->session_number != s->number)
        begin_anew(push);
    if (push->is_sending || s->mode != SESSION_LIVE || s->is_new_agent || push->has_told_end)
        return;
    assert(s->model != NULL);
    uint32_t now = session_now(s);
    const char *verb = push->kind == PUSH_OTLP ? "metrics" : "cpu";
    if (s->link != NULL && session_running(s, verb) == NULL)
        (void)session_order(s, verb, NULL, 0, -1);
    if (push->kind == PUSH_OTLP)
        push_metrics(push);
    else
        push_samples(push, now);
    push->has_told_end = s->has_ended;
}

Push *push_start(Session *session, PushKind kind, const char *url)
{
    struct evhttp_uri *uri = evhttp_uri_parse(url);
    const char *scheme = uri ? evhttp_uri_get_scheme(uri) : NULL,
               *host = uri ? evhttp_uri_get_host(uri) : NULL;
    Push *push = NULL;
    if (scheme != NULL && host != NULL && *host != 0 && strcmp(scheme, "http") == 0) {
        int port = evhttp_uri_get_port(uri);
        const char *path = evhttp_uri_get_path(uri);
        push = mem_new(1, sizeof *push);
        *push =
            (Push){.session = session, .kind = kind, .port = (uint16_t)(port > 0 ? port : 80)};
        push->host = mem_text(host, strlen(host));
        push->url = mem_text(url, strlen(url));
        push->path =
            mem_text(path ? path : "", path ? strlen(path) - text_ends_with(path, "/") : 0);
        push->connection =
            evhttp_connection_base_new(session->base, NULL, push->host, push->port);
        evhttp_connection_set_timeout(push->connection, TIMEOUT_SECONDS);
        push->timer = event_new(session->base, -1, EV_PERSIST, on_timer, push);
        event_add(push->timer, &(struct timeval){EACH_SECONDS, 0});
        on_timer(-1, 0, push); // begins to record
    }
    if (uri != NULL)
        evhttp_uri_free(uri);
    return push;
}

void push_stop(Push *push)
{
    if (push == NULL)
        return;
    event_free(push->timer);
    evhttp_connection_free(push->connection);
    free(push->host);
    free(push->path);
    free(push->url);
    free(push);
}
