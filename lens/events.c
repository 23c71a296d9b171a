// SPDX-License-Identifier: Apache-2.0
// Server-sent events (events.h). A browser that does not read is cut off when MOST_WAITING bytes wait for it: it connects again and
// asks for what it shows.
#define _GNU_SOURCE
#include "events.h"

#include "metrics.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STREAMS   32
#define MOST_WAITING   (2u << 20)
#define HITS_EACH_TICK 100
#define TICK_MS        250
#define SILENCE_TICKS  20 // then a comment is sent, so that a dead connection shows

typedef struct Stream {
    struct Stream *next;
    Events *events;
    struct evhttp_request *request;
} Stream;

struct Events {
    Session *session;
    Stream *streams;
    uint32_t stream_count, hits_told, silent;
    uint64_t told[VIEW_COUNT]; // of Model.view_count
    bool session_changed;
    struct event *tick;
};

static void remove_stream(Stream *stream)
{
    assert(stream->events->stream_count > 0);
    for (Stream **at = &stream->events->streams; *at != NULL; at = &(*at)->next) {
        if (*at == stream) {
            *at = stream->next;
            stream->events->stream_count--;
            break;
        }
    }
    free(stream);
}

static void on_stream_closed(struct evhttp_connection *connection, void *context)
{
    Stream *stream = context;
    (void)connection;
    if (evhttp_request_get_connection(stream->request) == NULL)
        evhttp_request_free(stream->request); // the other side left: evhttp has let go of it
    remove_stream(stream);
}

static size_t bytes_waiting(Stream *stream)
{
    struct bufferevent *b =
        evhttp_connection_get_bufferevent(evhttp_request_get_connection(stream->request));
    return evbuffer_get_length(bufferevent_get_output(b));
}

static void end_stream(Stream *stream)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(stream->request);
    evhttp_connection_set_closecb(connection, NULL, NULL);
    remove_stream(stream);
    evhttp_connection_free(connection);
}

static void send_all(Events *events, const char *name, const Json *json)
{
    assert(json_is_whole(json));
    events->silent = 0;
    for (Stream *s = events->streams, *next; s != NULL; s = next) {
        next = s->next;
        if (bytes_waiting(s) > MOST_WAITING) {
            end_stream(s);
            continue;
        }
        struct evbuffer *out = evbuffer_new();
        evbuffer_add_printf(out, "event: %s\ndata: ", name);
        evbuffer_add(out, json->text, json->length);
        evbuffer_add(out, "\n\n", 2);
        evhttp_send_reply_chunk(s->request, out);
        evbuffer_free(out);
    }
}

static void send_session(Events *events)
{
    Json json = {0};
    session_put(events->session, &json);
    send_all(events, "session", &json);
    json_free(&json);
}

static void send_metrics(Events *events, uint32_t time)
{
    Json json = {0};
    json_object(&json);
    json_put_real(&json, "t", tick_ms(time));
    json_put_object(&json, "values");
    metrics_put_latest(events->session->model, &json);
    json_end(&json);
    json_end(&json);
    send_all(events, "metrics", &json);
    json_free(&json);
}

static void send_hit(Events *events, const ModelHit *hit)
{
    if (events->hits_told++ >= HITS_EACH_TICK)
        return;
    Json json = {0};
    session_put_hit(events->session, &json, hit);
    send_all(events, "watch", &json);
    json_free(&json);
}

static void on_changed(void *context, SessionChange change, const void *what)
{
    Events *events = context;
    if (change == CHANGED_SESSION)
        events->session_changed = true; // told from the loop, when all has changed
    if (events->streams == NULL || events->session->model == NULL)
        return;
    assert(what != NULL || change == CHANGED_SESSION);
    if (change == CHANGED_ORDER) {
        Json json = {0};
        session_put_order(events->session, &json, what);
        send_all(events, "order", &json);
        json_free(&json);
    } else if (change == CHANGED_METRICS) {
        send_metrics(events, *(const uint32_t *)what);
    } else if (change == CHANGED_HIT) {
        send_hit(events, what);
    }
}

static void order_if_missing(Session *s, const char *verb)
{
    if (session_running(s, verb) != NULL)
        return;
    Order *o = session_order(s, verb, NULL, 0, -1);
    if (o != NULL)
        o->own = true;
}

static void send_new_data(Events *events)
{
    static const char *const names[VIEW_COUNT] = {
        [VIEW_METRICS] = "overview", [VIEW_CPU] = "cpu",
        [VIEW_ALLOC] = "alloc",      [VIEW_LOCKS] = "locks",
        [VIEW_THREADS] = "threads",  [VIEW_EXCEPTIONS] = "exceptions",
        [VIEW_WATCH] = "watch",      [VIEW_COVERAGE] = "coverage",
        [VIEW_EXACT] = "exact"};
    const Model *m = events->session->model;
    Json json = {0};
    bool any = false;
    json_object(&json);
    for (int i = 0; m != NULL && i < VIEW_COUNT; i++) {
        if (m->view_count[i] == events->told[i])
            continue;
        any = true;
        events->told[i] = m->view_count[i];
        json_put_uint(&json, names[i], m->view_count[i]);
    }
    json_end(&json);
    if (any)
        send_all(events, "data", &json);
    json_free(&json);
}

static void on_tick(evutil_socket_t fd, short what, void *context)
{
    Events *events = context;
    Session *s = events->session;
    (void)fd, (void)what;
    events->hits_told = 0;
    if (events->session_changed) {
        events->session_changed = false;
        send_session(events);
    }
    if (events->streams == NULL)
        return;
    if (s->link != NULL && !s->is_new_agent) {
        order_if_missing(s, "metrics");
        order_if_missing(s, "gc");
    }
    send_new_data(events);
    if (++events->silent >= SILENCE_TICKS)
        send_session(events);
}

Events *events_new(Session *session)
{
    assert(session->changed == NULL); // one alone is told
    Events *events = mem_new(1, sizeof *events);
    events->session = session;
    events->tick = event_new(session->base, -1, EV_PERSIST, on_tick, events);
    event_add(events->tick, &(struct timeval){0, TICK_MS * 1000});
    session->changed = on_changed;
    session->context = events;
    return events;
}

void events_free(Events *events)
{
    events->session->changed = NULL;
    while (events->streams != NULL)
        end_stream(events->streams);
    assert(events->stream_count == 0);
    event_free(events->tick);
    free(events);
}

bool events_add(Events *events, struct evhttp_request *request)
{
    if (events->stream_count >= MOST_STREAMS)
        return false;
    Stream *stream = mem_new(1, sizeof *stream);
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    *stream = (Stream){.next = events->streams, .events = events, .request = request};
    events->streams = stream;
    events->stream_count++;
    evhttp_connection_set_closecb(connection, on_stream_closed, stream);
    evhttp_connection_set_timeout(connection, 3600);
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
                      "text/event-stream");
    evhttp_send_reply_start(request, 200, "OK");
    Json json = {0};
    session_put(events->session, &json);
    struct evbuffer *out = evbuffer_new();
    evbuffer_add_printf(out, "retry: 1000\nevent: session\ndata: %s\n\n", json.text);
    evhttp_send_reply_chunk(request, out);
    evbuffer_free(out);
    json_free(&json);
    return true;
}
