// SPDX-License-Identifier: Apache-2.0
// /api/watch and /api/classes (names for completion).
#define _GNU_SOURCE
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HITS 1000

static const char *const hit_kinds[] = {"call", "return", "throw", "log", "note"};

void session_put_hit(const Session *s, Json *json, const ModelHit *h)
{
    const Model *m = s->model;
    assert(h >= m->hits.at && h < m->hits.at + m->hits.count); // its place is its number
    assert(h->kind < sizeof hit_kinds / sizeof *hit_kinds);
    json_object(json);
    json_put_real(json, "t", tick_ms(h->time));
    json_put_uint(json, "point", h->point);
    json_put_uint(json, "thread", h->thread);
    json_put_text(json, "thread_name", model_name(m, m->threads.at[h->thread].name));
    json_put_text(json, "kind", hit_kinds[h->kind]);
    json_put_uint(json, "ns", h->ns);
    json_put_uint(json, "suppressed", h->suppressed);
    values_put(m, json, "values", h->values, h->value_count);
    json_put_uint(json, "stack", h->stack);
    json_put_uint(json, "n", (uint64_t)(h - m->hits.at) + 1); // for after=
    json_end(json);
}

static void put_point(Query *q, uint32_t id, const ModelPoint *p, const char *text)
{
    const Order *o = session_find_order(q->session, p->order);
    json_object(&q->out);
    json_put_uint(&q->out, "id", id);
    json_put_uint(&q->out, "order", p->order);
    json_put_text(&q->out, "text", text);
    json_put_uint(&q->out, "hits", p->hits + p->suppressed);
    json_put_uint(&q->out, "suppressed", p->suppressed);
    json_put_text(&q->out, "state", o != NULL && !order_is_over(o) ? "armed" : "removed");
    json_end(&q->out);
}

static bool has_point(const Model *m, const Order *o)
{
    for (uint32_t i = 1; i < m->points.count; i++)
        if (m->points.at[i].order == o->id)
            return true;
    return false;
}

// A point is defined by its first hit; before that its order alone tells of it.
static void put_points(Query *q)
{
    const Session *s = q->session;
    const Model *m = s->model;
    json_put_array(&q->out, "points");
    for (uint32_t i = 1; i < m->points.count; i++)
        put_point(q, i, &m->points.at[i], model_name(m, m->points.at[i].text));
    for (uint32_t i = 0; i < s->orders.count; i++) {
        const Order *o = s->orders.at[i];
        const char *text = order_get(o, "point");
        if (text != NULL && strcmp(o->verb, "watch") == 0 && !has_point(m, o))
            put_point(q, 0, &(ModelPoint){.order = o->id}, text);
    }
    json_array_end(&q->out);
}

// By time; they come processor by processor.
static int compare_hits(const void *a, const void *b)
{
    const ModelHit *x = *(const ModelHit *const *)a, *y = *(const ModelHit *const *)b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : (x > y) - (x < y);
}

static void put_hits(Query *q, const ModelHit **hits, uint64_t count)
{
    assert(count <= MOST_HITS);
    qsort(hits, count, sizeof(ModelHit *), compare_hits);
    json_put_array(&q->out, "hits");
    for (uint64_t i = 0; i < count; i++)
        session_put_hit(q->session, &q->out, hits[i]);
    json_array_end(&q->out);
}

// The latest MOST_HITS of those asked for, in order of time. `after`: the number of a hit (n), or a time with t=.
void query_watch(Query *q)
{
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    uint64_t point = query_number(q, "point", 0), after = query_number(q, "after", 0),
             found = 0;
    const ModelHit *hits[MOST_HITS];
    for (uint32_t i = m->hits.count; i > after && found < MOST_HITS; i--) {
        const ModelHit *h = &m->hits.at[i - 1];
        if (point == 0 || h->point == point)
            hits[found++] = h;
    }
    json_object(&q->out);
    put_points(q);
    put_hits(q, hits, found);
    json_put_uint(&q->out, "last", m->hits.count);
    json_put_text(&q->out, "how",
                  "Each call is seen at its entry and end; beyond the limit a second calls are "
                  "only counted.");
    json_end(&q->out);
}

// ---- classes ----

static void put_method_of(Json *json, const Model *m, const ModelMethod *method)
{
    assert(method->lines + method->line_count <= m->lines.count);
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < method->line_count; i++) {
        uint32_t line = m->lines.at[method->lines + i].line;
        first = line < first ? line : first;
        last = line > last ? line : last;
    }
    json_object(json);
    json_put_text(json, "name", model_name(m, method->name));
    json_put_text(json, "signature", model_name(m, method->signature));
    json_put_array(json, "lines");
    if (last != 0) {
        json_uint(json, first);
        json_uint(json, last);
    }
    json_array_end(json);
    json_end(json);
}

// Of what was seen so far: a recording, or a VM whose agent does not answer.
static void put_known_classes(Query *q)
{
    const Model *m = q->session->model;
    const char *match = query_param(q, "match");
    uint32_t told = 0;
    for (uint32_t c = 1; c < m->classes.count && told < 200; c++) {
        const char *name = model_name(m, m->classes.at[c].name);
        if (match != NULL && strcasestr(name, match) == NULL)
            continue;
        told++;
        json_object(&q->out);
        json_put_text(&q->out, "name", name);
        json_put_array(&q->out, "methods");
        for (uint32_t i = 1; i < m->methods.count; i++) {
            if (m->methods.at[i].class == c)
                put_method_of(&q->out, m, &m->methods.at[i]);
        }
        json_array_end(&q->out);
        json_end(&q->out);
    }
}

// A line of the agent's answer: "name(signature)result first-last".
static void put_told_method(Json *json, const char *line, size_t length)
{
    const char *open = memchr(line, '(', length), *space = memchr(line, ' ', length),
               *end = line + length;
    unsigned first, last;
    json_object(json);
    json_key(json, "name");
    json_text_n(json, line, (size_t)((open ? open : end) - line));
    json_key(json, "signature");
    json_text_n(json, open ? open : end,
                open ? (size_t)((space && space > open ? space : end) - open) : 0);
    json_put_array(json, "lines");
    if (space != NULL && sscanf(space, " %u-%u", &first, &last) == 2) {
        json_uint(json, first);
        json_uint(json, last);
    }
    json_array_end(json);
    json_end(json);
}

static void put_told_class(Json *json, const char *class, const char *methods)
{
    json_object(json);
    json_put_text(json, "name", class);
    json_put_array(json, "methods");
    while (*methods != 0) {
        size_t length = strcspn(methods, "\n");
        put_told_method(json, methods, length);
        methods += length + (methods[length] != 0);
    }
    json_array_end(json);
    json_end(json);
}

static void on_classes(Query *q, Order *order)
{
    json_object(&q->out);
    json_put_array(&q->out, "classes");
    for (uint32_t i = 0; order->state == LENS_DONE && i < order->values.count; i++)
        put_told_class(&q->out, order->values.at[i].name, order->values.at[i].value);
    if (order->state == LENS_FAILED)
        put_known_classes(q);
    json_array_end(&q->out);
    json_end(&q->out);
}

void query_classes(Query *q)
{
    const char *match = query_param(q, "match");
    if (!query_has_model(q))
        return;
    LinkPair args[] = {{"match", match ? match : ""}, {"limit", "200"}};
    if (q->session->link != NULL) {
        query_ask(q, "classes", args, 2, on_classes);
        return;
    }
    json_object(&q->out);
    json_put_array(&q->out, "classes");
    put_known_classes(q);
    json_array_end(&q->out);
    json_end(&q->out);
}
