// SPDX-License-Identifier: Apache-2.0
// The page's server (http.h) by libevent's evhttp. All that comes in is hostile; sizes are limited before evhttp reads them.
#define _GNU_SOURCE
#include "http.h"

#include "events.h"
#include "page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_HEADERS   16384
#define MAX_BODY      (1 << 20)
#define SECRET_LENGTH 32 // hex digits of 128 bits
#define MAX_COOKIES   16

struct Http {
    Session *session;
    Events *events;
    struct evhttp *server;
    uint16_t port;
    char token[SECRET_LENGTH
               + 1]; // of the address that was printed last; it stays good as a bearer's
    bool token_used;
    char cookies[MAX_COOKIES][SECRET_LENGTH + 1]; // one for each address that was used
    uint32_t cookie_count;
};

static const char *const security_headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' "
     "data:; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static void make_secret(char *into)
{
    uint8_t random[SECRET_LENGTH / 2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort(); // there is no page without a secret
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(into + 2 * i, 3, "%02x", random[i]);
    assert(strlen(into) == SECRET_LENGTH);
}

// Takes the same time wherever they differ: how long a secret is, all may know.
static bool same_secret(const char *a, const char *b)
{
    unsigned char difference = 0;
    if (strlen(a) != SECRET_LENGTH || strlen(b) != SECRET_LENGTH)
        return false;
    for (size_t i = 0; i < SECRET_LENGTH; i++)
        difference |= (unsigned char)(a[i] ^ b[i]);
    return difference == 0;
}

static void add_header(struct evhttp_request *r, const char *name, const char *value)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(r);
    evhttp_remove_header(headers, name);
    evhttp_add_header(headers, name, value);
}

static const char *get_header(struct evhttp_request *r, const char *name)
{
    return evhttp_find_header(evhttp_request_get_input_headers(r), name);
}

static void reply_text(struct evhttp_request *r, int status, const char *reason,
                       const char *text)
{
    struct evbuffer *out = evbuffer_new();
    evbuffer_add_printf(out, "%s\n", text);
    add_header(r, "Content-Type", "text/plain; charset=utf-8");
    evhttp_send_reply(r, status, reason, out);
    evbuffer_free(out);
}

// ---- who asks ----

static bool names_us(const Http *http, const char *host)
{
    char ours[2][32];
    snprintf(ours[0], sizeof ours[0], "127.0.0.1:%u", http->port);
    snprintf(ours[1], sizeof ours[1], "localhost:%u", http->port);
    return host != NULL && (strcasecmp(host, ours[0]) == 0 || strcasecmp(host, ours[1]) == 0);
}

static bool comes_from_us(const Http *http, struct evhttp_request *r)
{
    const char *origin = get_header(r, "Origin"), *site = get_header(r, "Sec-Fetch-Site");
    if (origin != NULL && (strncmp(origin, "http://", 7) != 0 || !names_us(http, origin + 7)))
        return false;
    return site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

static bool has_cookie(const Http *http, struct evhttp_request *r)
{
    const char *header = get_header(r, "Cookie");
    char name[32];
    snprintf(name, sizeof name, "lens%u=", http->port);
    for (const char *at = header; at != NULL; at = strchr(at, ';')) {
        at += strspn(at, "; ");
        if (strncmp(at, name, strlen(name)) != 0)
            continue;
        char value[SECRET_LENGTH + 2];
        size_t length = strcspn(at + strlen(name), "; ");
        snprintf(value, sizeof value, "%.*s",
                 (int)(length > SECRET_LENGTH + 1 ? SECRET_LENGTH + 1 : length),
                 at + strlen(name));
        for (uint32_t i = 0; i < http->cookie_count && i < MAX_COOKIES; i++) {
            if (same_secret(value, http->cookies[i]))
                return true;
        }
    }
    return false;
}

static bool has_bearer(const Http *http, struct evhttp_request *r)
{
    const char *header = get_header(r, "Authorization");
    return header != NULL && strncmp(header, "Bearer ", 7) == 0
           && same_secret(header + 7, http->token);
}

// Changes the token of the address for a cookie, once.
static void exchange_token(Http *http, struct evhttp_request *r, const char *token)
{
    bool had_cookie = has_cookie(http, r);
    if (!had_cookie && (http->token_used || !same_secret(token, http->token))) {
        reply_text(r, 403, "Forbidden",
                   "This address was used already, or is an old one. Press Enter where lens "
                   "runs: it prints a new one.");
        return;
    }
    if (!had_cookie) {
        char cookie[128], *secret = http->cookies[http->cookie_count++ % MAX_COOKIES];
        make_secret(secret);
        http->token_used = true;
        snprintf(cookie, sizeof cookie, "lens%u=%s; Path=/; HttpOnly; SameSite=Strict",
                 http->port, secret);
        add_header(r, "Set-Cookie", cookie);
    }
    add_header(r, "Location", "/");
    evhttp_send_reply(r, 303, "See Other", NULL);
}

// ---- files of the page ----

static void serve_file(struct evhttp_request *r, const char *path)
{
    assert(path[0] == '/');
    const char *name = strcmp(path, "/") == 0 ? "index.html" : path + 1, *type;
    const char *accepts = get_header(r, "Accept-Encoding");
    const PageFile *embedded = accepts && strstr(accepts, "gzip") ? page_embedded(name) : NULL;
    size_t size;
    uint8_t *data = page_read(name, &size, &type);
    if (data == NULL) {
        reply_text(r, 404, "Not Found", "There is no such file.");
        return;
    }
    struct evbuffer *out = evbuffer_new();
    if (embedded != NULL) {
        add_header(r, "Content-Encoding", "gzip");
        evbuffer_add_reference(out, embedded->gzip, embedded->gzip_size, NULL, NULL);
    } else {
        evbuffer_add(out, data, size);
    }
    free(data);
    add_header(r, "Content-Type", type);
    evhttp_send_reply(r, 200, "OK", out);
    evbuffer_free(out);
}

// ---- queries ----

typedef struct Asking {
    Http *http;
    struct evhttp_request *request;
    Query *query;
    JsonValue *body;
} Asking;

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{200, "OK"},        {400, "Bad Request"},        {403, "Forbidden"},
                   {404, "Not Found"}, {405, "Method Not Allowed"}, {409, "Conflict"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].status == status)
            return reasons[i].reason;
    }
    return "Error";
}

static void free_memory(const void *data, size_t length, void *context)
{
    (void)data, (void)length;
    free(context);
}

static void add_answer(struct evbuffer *out, Query *q)
{
    assert(q->type != NULL || json_is_whole(&q->out));
    if (q->send_file != NULL) {
        int fd = open(q->send_file, O_RDONLY | O_CLOEXEC);
        struct stat st;
        if (fd >= 0 && fstat(fd, &st) == 0)
            evbuffer_add_file(out, fd, 0, st.st_size); // closes it
        unlink(q->send_file);
    } else if (q->type != NULL) {
        if (q->bytes.length != 0)
            evbuffer_add_reference(out, q->bytes.at, q->bytes.length, free_memory, q->bytes.at);
        q->bytes = (Bytes){0};
    } else if (q->out.length != 0) {
        evbuffer_add_reference(out, q->out.text, q->out.length, free_memory, q->out.text);
        q->out = (Json){0};
    }
}

static void on_connection_closed(struct evhttp_connection *connection, void *context)
{
    Asking *a = context;
    (void)connection;
    if (evhttp_request_get_connection(a->request) == NULL)
        evhttp_request_free(a->request); // the other side left: evhttp has let go of it
    query_abandon(a->query);
    json_value_free(a->body);
    free(a);
}

static void on_answered(void *context, Query *q)
{
    Asking *a = context;
    struct evhttp_request *r = a->request;
    assert(q == a->query && q->status >= 200 && q->status < 600);
    evhttp_connection_set_closecb(evhttp_request_get_connection(r), NULL, NULL);
    add_header(r, "Content-Type", q->type ? q->type : "application/json");
    if (q->file_name != NULL) {
        char *value = mem_format("attachment; filename=\"%s\"", q->file_name);
        add_header(r, "Content-Disposition", value);
        free(value);
    }
    struct evbuffer *out = evbuffer_new();
    add_answer(out, q);
    evhttp_send_reply(r, q->status, reason_of(q->status), out);
    evbuffer_free(out);
    json_value_free(a->body);
    free(a);
}

static void add_url_params(Query *q, const struct evhttp_uri *uri)
{
    struct evkeyvalq params;
    const char *text = evhttp_uri_get_query(uri);
    if (text == NULL || evhttp_parse_query_str(text, &params) != 0)
        return;
    for (struct evkeyval *p = params.tqh_first; p != NULL; p = p->next.tqe_next)
        query_add_param(q, p->key, p->value);
    evhttp_clear_headers(&params);
}

static bool read_body(struct evhttp_request *r, JsonValue **body)
{
    struct evbuffer *in = evhttp_request_get_input_buffer(r);
    size_t length = evbuffer_get_length(in);
    const char *type = get_header(r, "Content-Type");
    if (type == NULL || strncmp(type, "application/json", 16) != 0)
        return false;
    *body = length ? json_parse((const char *)evbuffer_pullup(in, -1), length)
                   : json_parse("{}", 2);
    return *body != NULL && (*body)->kind == JSON_OBJECT;
}

static void ask(Http *http, struct evhttp_request *r, const char *path, bool is_post)
{
    JsonValue *body = NULL;
    if (is_post && !read_body(r, &body)) {
        json_value_free(body);
        reply_text(r, 400, "Bad Request",
                   "{\"error\": \"A POST must be a JSON object of the type "
                   "application/json.\", \"do\": \"\"}");
        return;
    }
    Asking *a = mem_new(1, sizeof *a);
    *a = (Asking){http, r, query_new(http->session, on_answered, a), body};
    a->query->body = body;
    add_url_params(a->query, evhttp_request_get_evhttp_uri(r));
    evhttp_connection_set_closecb(evhttp_request_get_connection(r), on_connection_closed, a);
    query_run(a->query, is_post ? "POST" : "GET", path);
}

static void route(Http *http, struct evhttp_request *r, const char *path, bool is_post)
{
    bool is_api = strncmp(path, "/api/", 5) == 0 || strcmp(path, "/metrics") == 0;
    if (strcmp(path, "/api/events") == 0 && !is_post) {
        if (!events_add(http->events, r))
            reply_text(r, 503, "Service Unavailable", "Too many pages are open.");
    } else if (is_api) {
        ask(http, r, path, is_post);
    } else if (is_post) {
        reply_text(r, 405, "Method Not Allowed", "There is nothing to post to here.");
    } else {
        serve_file(r, path);
    }
}

static void on_request(struct evhttp_request *r, void *context)
{
    Http *http = context;
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(r);
    const char *path = uri ? evhttp_uri_get_path(uri) : NULL;
    bool is_post = evhttp_request_get_command(r) == EVHTTP_REQ_POST;
    for (size_t i = 0; i < sizeof security_headers / sizeof *security_headers; i++)
        add_header(r, security_headers[i][0], security_headers[i][1]);
    if (!names_us(http, get_header(r, "Host")) || path == NULL || *path != '/') {
        reply_text(r, 403, "Forbidden", "This is not the name of this server.");
        return;
    }
    Query *params = query_new(http->session, NULL, NULL);
    add_url_params(params, uri);
    const char *token = query_param(params, "token");
    if (token != NULL && !is_post && strcmp(path, "/") == 0)
        exchange_token(http, r, token);
    else if (!comes_from_us(http, r))
        reply_text(r, 403, "Forbidden", "This request comes from another page.");
    else if (!has_cookie(http, r) && !(strcmp(path, "/metrics") == 0 && has_bearer(http, r)))
        reply_text(r, 403, "Forbidden",
                   "Open the address that lens printed; Enter there prints a new one.");
    else
        route(http, r, path, is_post);
    query_finish(params);
}

Http *http_start(Session *session, uint16_t port)
{
    struct evhttp *server = evhttp_new(session->base);
    struct evhttp_bound_socket *bound =
        evhttp_bind_socket_with_handle(server, "127.0.0.1", port);
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    if (bound == NULL
        || getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address, &length)
               != 0) {
        int error = errno;
        evhttp_free(server);
        errno = error;
        return NULL;
    }
    Http *http = mem_new(1, sizeof *http);
    assert(address.sin_port != 0);
    http->session = session;
    http->server = server;
    http->port = ntohs(address.sin_port);
    http->events = events_new(session);
    evhttp_set_max_headers_size(server, MAX_HEADERS);
    evhttp_set_max_body_size(server, MAX_BODY);
    evhttp_set_allowed_methods(server, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
    evhttp_set_timeout(server, 600);
    evhttp_set_gencb(server, on_request, http);
    return http;
}

void http_stop(Http *http)
{
    events_free(http->events);
    evhttp_free(http->server);
    free(http);
}

char *http_address(Http *http)
{
    make_secret(http->token);
    http->token_used = false;
    return mem_format("http://127.0.0.1:%u/?token=%s", http->port, http->token);
}

uint16_t http_port(const Http *http)
{
    return http->port;
}
