// SPDX-License-Identifier: Apache-2.0
// /api/exceptions and /api/exception: a row for each class and throwing place.
#define _GNU_SOURCE
#include "flame.h"
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PlaceRow {
    uint32_t class, frame, message;
    uint64_t count, caught;
} PlaceRow;

static int by_count(const void *a, const void *b)
{
    const PlaceRow *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

// One place may have several lines of one method: a row for each frame.
static uint64_t row_key(const Model *m, const ModelException *e)
{
    ASSERT_INDEX(&m->stacks, e->stack);
    return (uint64_t)e->class << 32 | m->stacks.at[e->stack].frame;
}

void query_exceptions(Query *q)
{
    Brush brush;
    Map index = {0};
    ARRAY(PlaceRow) rows = {0};
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    brush_read(q, &brush);
    for (uint32_t i = 0; i < m->exceptions.count; i++) {
        const ModelException *e = &m->exceptions.at[i];
        if (!brush_takes(&brush, e->time, e->thread))
            continue;
        uint32_t *at = map_at(&index, row_key(m, e));
        if (*at == 0) {
            *ARRAY_PUSH(&rows) =
                (PlaceRow){.class = e->class, .frame = m->stacks.at[e->stack].frame};
            *at = rows.count;
        }
        rows.at[*at - 1].count += e->count;
        rows.at[*at - 1].caught += e->catcher ? e->count : 0;
        rows.at[*at - 1].message = e->message;
    }
    if (rows.count != 0)
        qsort(rows.at, rows.count, sizeof *rows.at, by_count);
    json_object(&q->out);
    json_put_array(&q->out, "rows");
    for (uint32_t i = 0; i < rows.count; i++) {
        const PlaceRow *r = &rows.at[i];
        const ModelFrame *f = &m->frames.at[r->frame];
        json_object(&q->out);
        json_put_text(&q->out, "class", model_name(m, m->classes.at[r->class].name));
        json_put_text(&q->out, "place", model_name(m, f->label));
        json_put_uint(
            &q->out, "line",
            f->kind == LENS_FRAME_JAVA ? model_line(m, &m->methods.at[f->owner], f->at) : 0);
        json_put_uint(&q->out, "count", r->count);
        json_put_uint(&q->out, "caught", r->caught);
        json_put_text(&q->out, "last_message", model_name(m, r->message));
        json_put_format(&q->out, "key", "%u-%u", r->class, r->frame);
        json_end(&q->out);
    }
    json_array_end(&q->out);
    json_put_text(&q->out, "how",
                  "Exact counts of exceptions thrown while they were recorded; messages and "
                  "stacks up to the limit a second.");
    json_end(&q->out);
    free(rows.at);
    map_free(&index);
    brush_free(&brush);
}

// ---- one row ----

typedef struct MessageRow {
    uint32_t message;
    uint64_t count;
} MessageRow;

typedef struct Chosen {
    const Model *m;
    uint64_t key;
    Map messages;                // name, to index + 1
    ARRAY(ModelException) found; // as they came
    ARRAY(MessageRow) texts;
} Chosen;

static void put_messages(Chosen *c, Json *json)
{
    json_put_array(json, "messages");
    for (uint32_t i = 0; i < c->texts.count && i < 200; i++) {
        json_object(json);
        json_put_text(json, "text", model_name(c->m, c->texts.at[i].message));
        json_put_uint(json, "count", c->texts.at[i].count);
        json_end(json);
    }
    json_array_end(json);
}

// The latest last; they come processor by processor.
static int compare_times(const void *a, const void *b)
{
    const ModelException *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void put_recent(Chosen *c, Json *json)
{
    const Model *m = c->m;
    if (c->found.count > 1)
        qsort(c->found.at, c->found.count, sizeof *c->found.at, compare_times);
    json_put_array(json, "recent");
    for (uint32_t i = c->found.count, n = 0; i-- > 0 && n < 50; n++) {
        const ModelException *e = &c->found.at[i];
        json_object(json);
        json_put_real(json, "t", tick_ms(e->time));
        json_put_text(json, "thread", model_name(m, m->threads.at[e->thread].name));
        json_put_text(json, "message", model_name(m, e->message));
        json_put_uint(json, "stack", e->stack);
        values_put(m, json, "locals", e->values, e->value_count);
        json_end(json);
    }
    json_array_end(json);
}

static void take_exception(Chosen *c, Weights *w, const ModelException *e)
{
    *ARRAY_PUSH(&c->found) = *e;
    *ARRAY_PUSH(&w->entries) = (WeightEntry){.stack = e->stack, .weight = e->count, .count = 1};
    w->sum += e->count;
    w->samples++;
    uint32_t *at = map_at(&c->messages, e->message);
    if (*at == 0) {
        ARRAY_PUSH(&c->texts)->message = e->message;
        *at = c->texts.count;
    }
    assert(*at <= c->texts.count);
    c->texts.at[*at - 1].count += e->count;
}

void query_exception(Query *q)
{
    unsigned class, frame;
    Brush brush;
    const char *key = query_param(q, "key");
    if (!query_has_model(q))
        return;
    if (key == NULL || sscanf(key, "%u-%u", &class, &frame) != 2) {
        query_fail(q, 400, "Take a key of /api/exceptions.", "No row was named.");
        return;
    }
    Model *m = q->session->model;
    Chosen c = {.m = m, .key = (uint64_t) class << 32 | frame};
    Weights w = {.data = WEIGH_EXCEPTIONS, .unit = "calls"};
    Flame flame = {0};
    brush_read(q, &brush);
    for (uint32_t i = 0; i < m->exceptions.count; i++) {
        const ModelException *e = &m->exceptions.at[i];
        if (row_key(m, e) == c.key && brush_takes(&brush, e->time, e->thread))
            take_exception(&c, &w, e);
    }
    flame_add(&flame, m, m, &w, &(FlameOptions){0});
    flame_sum(&flame);
    json_object(&q->out);
    put_messages(&c, &q->out);
    json_put_object(&q->out, "stacks");
    flame_put(&flame, m, &q->out, 1);
    json_put_uint(&q->out, "samples", w.samples);
    json_put_text(&q->out, "unit", w.unit);
    json_end(&q->out);
    put_recent(&c, &q->out);
    json_end(&q->out);
    flame_free(&flame);
    weights_free(&w);
    brush_free(&brush);
    map_free(&c.messages);
    free(c.found.at);
    free(c.texts.at);
}
