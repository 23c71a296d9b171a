// SPDX-License-Identifier: Apache-2.0
// Queries: parameters, errors, waiting (query.h).
#define _GNU_SOURCE
#include "query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PARAMS 100

static const struct {
    const char *method, *path;
    QueryFunction *function;
} parts[] = {
#define QUERY(method, path, function) {method, path, function},
#include "query_parts.def"
#undef QUERY
};

Query *query_new(Session *session, void (*done)(void *, Query *), void *context)
{
    Query *q = mem_new(1, sizeof *q);
    q->session = session;
    q->done = done;
    q->context = context;
    q->status = 200;
    return q;
}

void query_add_param(Query *q, const char *name, const char *value)
{
    assert(name != NULL && value != NULL);
    if (q->params.count < MAX_PARAMS)
        *ARRAY_PUSH(&q->params) =
            (QueryParam){mem_text(name, strlen(name)), mem_text(value, strlen(value))};
}

void query_add_params(Query *q, const char *params)
{
    char *copy = mem_text(params, strlen(params)), *save;
    for (char *p = strtok_r(copy, "&", &save); p != NULL; p = strtok_r(NULL, "&", &save)) {
        char *value = strchr(p, '=');
        if (value != NULL)
            *value++ = 0;
        query_add_param(q, p, value ? value : "");
    }
    free(copy);
}

static void free_query(Query *q)
{
    for (uint32_t i = 0; i < q->params.count; i++) {
        free(q->params.at[i].name);
        free(q->params.at[i].value);
    }
    free(q->params.at);
    json_free(&q->out);
    bytes_free(&q->bytes);
    free(q->file_name);
    free(q->send_file);
    free(q->kept);
    free(q);
}

void query_finish(Query *q)
{
    if (q->done != NULL)
        q->done(q->context, q);
    free_query(q);
}

void query_run(Query *q, const char *method, const char *path)
{
    assert(!q->is_waiting && q->out.length == 0);
    bool path_known = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].path, path) != 0)
            continue;
        path_known = true;
        if (strcmp(parts[i].method, method) != 0)
            continue;
        parts[i].function(q);
        if (!q->is_waiting)
            query_finish(q);
        return;
    }
    if (path_known)
        query_fail(q, 405, "Ask in the way that lens/API.md says.", "%s is not asked by %s.",
                   path, method);
    else
        query_fail(q, 404, "Is the page as old as the program lens? Reload it.",
                   "There is no call %s.", path);
    query_finish(q);
}

void query_abandon(Query *q)
{
    q->done = NULL; // it goes on, and is freed when it is over
    q->body = NULL; // its owner frees it now
}

const char *query_param(const Query *q, const char *name)
{
    for (uint32_t i = 0; i < q->params.count; i++) {
        if (strcmp(q->params.at[i].name, name) == 0)
            return q->params.at[i].value;
    }
    return json_member_text(q->body, name);
}

uint64_t query_number(const Query *q, const char *name, uint64_t otherwise)
{
    const char *text = query_param(q, name);
    if (text == NULL || *text < '0' || *text > '9')
        return otherwise;
    return strtoull(text, NULL, 10); // "12.5" counts as 12
}

bool query_flag(const Query *q, const char *name)
{
    const char *text = query_param(q, name);
    return text != NULL && (strcmp(text, "1") == 0 || strcmp(text, "true") == 0);
}

void query_fail(Query *q, int status, const char *todo, const char *format, ...)
{
    assert(status >= 400 && todo != NULL);
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_free(&q->out);
    q->bytes.length = 0;
    if (q->send_file != NULL)
        unlink(q->send_file);
    free(q->send_file);
    free(q->file_name);
    q->send_file = q->file_name = NULL;
    q->type = NULL;
    q->status = status;
    json_object(&q->out);
    json_put_text(&q->out, "error", text);
    json_put_text(&q->out, "do", todo);
    json_end(&q->out);
}

bool query_has_model(Query *q)
{
    if (q->session->model != NULL)
        return true;
    query_fail(q, 409, "Choose a program or a recording first.", "Nothing is being looked at.");
    return false;
}

void query_wait(Query *q)
{
    assert(!q->is_waiting);
    q->is_waiting = true;
}

static void on_order_over(void *context, Order *order)
{
    Query *q = context;
    assert(q->is_waiting && q->resume != NULL && order_is_over(order));
    q->is_waiting = false;
    q->resume(q, order);
    if (!q->is_waiting)
        query_finish(q);
}

bool query_ask(Query *q, const char *verb, const LinkPair *args, uint32_t count,
               void (*resume)(Query *, Order *))
{
    Order *o = session_order(q->session, verb, args, count, -1);
    if (o == NULL) {
        query_fail(q, 409, "What was recorded can still be looked at.",
                   "No running program is connected.");
        return false;
    }
    o->own = true;
    o->finished = on_order_over;
    o->context = q;
    q->resume = resume;
    query_wait(q);
    return true;
}
