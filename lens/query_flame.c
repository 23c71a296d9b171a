// SPDX-License-Identifier: Apache-2.0
// /api/flame, flame_diff, callers, hot, method, alloc_sites.
#define _GNU_SOURCE
#include "flame.h"
#include "store.h"

#include <stdlib.h>
#include <string.h>

// Reads `data`; false: the query has failed.
static bool read_data(Query *q, Weights *w)
{
    const char *name = query_param(q, "data");
    *w = (Weights){.data = WEIGH_CPU};
    if (!query_has_model(q))
        return false;
    if (name == NULL || weigh_data(name, &w->data))
        return true;
    query_fail(q, 400, "data is cpu, wall, alloc, live, locks, exceptions or exact.",
               "There is no data \"%s\".", name);
    return false;
}

static bool weigh_query(Query *q, Weights *w)
{
    Brush brush;
    const char *by = query_param(q, "by");
    if (!read_data(q, w))
        return false;
    w->by_thread = by != NULL && strcmp(by, "thread") == 0 && w->data != WEIGH_EXACT;
    brush_read(q, &brush);
    weigh(q->session->model, &brush, w);
    brush_free(&brush);
    return true;
}

static void put_tail(Json *json, const Weights *w)
{
    json_put_uint(json, "samples", w->samples);
    json_put_uint(json, "failed", w->failed);
    json_put_text(json, "unit", w->unit);
    json_put_real(json, "rate", w->rate);
    json_put_text(json, "how", w->how);
}

static void answer_flame(Query *q, const Weights *w, const FlameOptions *options)
{
    Flame flame = {0};
    Model *m = q->session->model;
    flame_add(&flame, m, m, w, options);
    flame_sum(&flame);
    json_object(&q->out);
    flame_put(&flame, m, &q->out, 1);
    put_tail(&q->out, w);
    json_end(&q->out);
    flame_free(&flame);
}

void query_flame(Query *q)
{
    Weights w;
    if (!weigh_query(q, &w))
        return;
    answer_flame(q, &w, &(FlameOptions){.reverse = query_flag(q, "reverse")});
    weights_free(&w);
}

static bool find_method(Query *q, uint32_t *name)
{
    const char *text = query_param(q, "method");
    *name = text ? names_find(&q->session->model->names, text, strlen(text)) : UINT32_MAX;
    if (*name != UINT32_MAX && *name != 0)
        return true;
    query_fail(q, 404, "Names are package.Class.method.", "The method %s was not seen.",
               text ? text : "(none)");
    return false;
}

void query_callers(Query *q)
{
    Weights w;
    FlameOptions options = {0};
    if (!query_has_model(q) || !find_method(q, &options.callers_of) || !weigh_query(q, &w))
        return;
    answer_flame(q, &w, &options);
    weights_free(&w);
}

void query_alloc_sites(Query *q)
{
    Model *m = q->session->model;
    const char *class = query_param(q, "class");
    Weights w = {.data = query_flag(q, "live") ? WEIGH_LIVE : WEIGH_ALLOC};
    Brush brush;
    if (!query_has_model(q))
        return;
    // That of a class that was never seen is none's.
    w.class_name = class ? names_find(&m->names, class, strlen(class)) : 0;
    brush_read(q, &brush);
    weigh(m, &brush, &w);
    brush_free(&brush);
    answer_flame(q, &w, &(FlameOptions){0});
    weights_free(&w);
}

void query_hot(Query *q)
{
    Weights w;
    uint32_t count;
    uint64_t limit = query_number(q, "limit", 200);
    if (!weigh_query(q, &w))
        return;
    Model *m = q->session->model;
    HotRow *rows = flame_hot(m, &w, &count);
    double sum = w.sum ? (double)w.sum : 1;
    json_object(&q->out);
    json_put_array(&q->out, "rows");
    for (uint32_t i = 0; i < count && i < limit; i++) {
        json_object(&q->out);
        json_put_text(&q->out, "method", model_name(m, rows[i].name));
        json_put_text(&q->out, "class", model_name(m, rows[i].class));
        json_put_text(&q->out, "package", model_name(m, rows[i].group));
        json_put_uint(&q->out, "self", rows[i].self);
        json_put_uint(&q->out, "total", rows[i].total);
        json_put_real(&q->out, "share_self", (double)rows[i].self / sum);
        json_put_real(&q->out, "share_total", (double)rows[i].total / sum);
        json_end(&q->out);
    }
    json_array_end(&q->out);
    json_put_uint(&q->out, "of", count);
    put_tail(&q->out, &w);
    json_end(&q->out);
    free(rows);
    weights_free(&w);
}

// ---- one method ----

typedef struct TallyRow {
    uint32_t key;
    uint64_t self, total;
} TallyRow;

typedef struct Tally {
    Map index; // key, to index + 1
    ARRAY(TallyRow) rows;
} Tally;

static void tally(Tally *t, uint32_t key, uint64_t self, uint64_t total)
{
    uint32_t *at = map_at(&t->index, key);
    if (*at == 0) {
        ARRAY_PUSH(&t->rows)->key = key;
        *at = t->rows.count;
    }
    assert(*at <= t->rows.count);
    t->rows.at[*at - 1].self += self;
    t->rows.at[*at - 1].total += total;
}

static int by_total(const void *a, const void *b)
{
    const TallyRow *x = a, *y = b;
    return (x->total < y->total) - (x->total > y->total);
}

static void put_methods(Json *json, const char *key, const Model *m, Tally *t)
{
    if (t->rows.count != 0)
        qsort(t->rows.at, t->rows.count, sizeof *t->rows.at, by_total);
    json_put_array(json, key);
    for (uint32_t i = 0; i < t->rows.count && i < 100; i++) {
        json_object(json);
        json_put_text(json, "method", model_name(m, t->rows.at[i].key));
        json_put_uint(json, "value", t->rows.at[i].total);
        json_end(json);
    }
    json_array_end(json);
    map_free(&t->index);
    free(t->rows.at);
}

static void put_lines(Json *json, Tally *t)
{
    json_put_array(json, "lines");
    for (uint32_t i = 0; i < t->rows.count; i++) {
        json_object(json);
        json_put_uint(json, "line", t->rows.at[i].key);
        json_put_uint(json, "self", t->rows.at[i].self);
        json_put_uint(json, "total", t->rows.at[i].total);
        json_end(json);
    }
    json_array_end(json);
    map_free(&t->index);
    free(t->rows.at);
}

typedef struct MethodSums {
    uint64_t self, total;
    Tally lines, callers, callees;
} MethodSums;

// The innermost frame of the method in a stack counts.
static void sum_entry(const Model *m, uint32_t name, const WeightEntry *e, MethodSums *sums)
{
    ASSERT_INDEX(&m->stacks, e->stack);
    uint32_t inner = 0;
    for (uint32_t s = e->stack; s != 0; inner = s, s = m->stacks.at[s].parent) {
        const ModelFrame *f = &m->frames.at[m->stacks.at[s].frame];
        if (f->label != name)
            continue;
        uint32_t caller = m->stacks.at[s].parent;
        uint64_t self = s == e->stack ? e->weight : 0;
        sums->self += self;
        sums->total += e->weight;
        if (f->kind == LENS_FRAME_JAVA)
            tally(&sums->lines, model_line(m, &m->methods.at[f->owner], f->at), self,
                  e->weight);
        if (caller != 0)
            tally(&sums->callers, m->frames.at[m->stacks.at[caller].frame].label, 0, e->weight);
        if (inner != 0)
            tally(&sums->callees, m->frames.at[m->stacks.at[inner].frame].label, 0, e->weight);
        return;
    }
}

void query_method(Query *q)
{
    Weights w;
    MethodSums sums = {0};
    uint32_t name;
    if (!query_has_model(q) || !find_method(q, &name) || !weigh_query(q, &w))
        return;
    const Model *m = q->session->model;
    for (uint32_t i = 0; i < w.entries.count; i++)
        sum_entry(m, name, &w.entries.at[i], &sums);
    json_object(&q->out);
    json_put_uint(&q->out, "self", sums.self);
    json_put_uint(&q->out, "total", sums.total);
    json_put_uint(&q->out, "sum", w.sum);
    put_lines(&q->out, &sums.lines);
    put_methods(&q->out, "callers", m, &sums.callers);
    put_methods(&q->out, "callees", m, &sums.callees);
    put_tail(&q->out, &w);
    json_end(&q->out);
    weights_free(&w);
}

// ---- difference ----

static bool take_block(void *context, const LensBlock *block, const uint8_t *payload)
{
    model_take(context, block, payload);
    return true;
}

// The other side's weights become as much in sum as ours.
static void scale_second(Flame *flame, uint64_t sum, uint64_t other)
{
    assert(flame->nodes.count > 0); // it was made
    for (uint32_t i = 0; other != 0 && i < flame->nodes.count; i++)
        flame->nodes.at[i].self[1] =
            (uint64_t)((double)flame->nodes.at[i].self[1] * (double)sum / (double)other);
}

void query_flame_diff(Query *q)
{
    Weights one, two;
    Brush brush;
    Flame flame = {0};
    const char *file = query_param(q, "file2");
    if (!read_data(q, &one))
        return;
    Model *m = q->session->model, *other = m;
    two = one;
    if (file != NULL) {
        StoreReport report;
        other = model_new();
        const char *error = session_is_kept(file)
                                ? store_read_file(file, take_block, other, &report)
                                : "it is not among the recordings that Lens keeps";
        if (error != NULL) {
            query_fail(q, 404, "Choose a recording of the list.", "Cannot open %s: %s.", file,
                       error);
            model_free(other);
            return;
        }
    }
    brush_read_named(q, "from1", "to1", &brush);
    weigh(m, &brush, &one);
    brush_free(&brush);
    brush_read_named(q, "from2", "to2", &brush);
    weigh(other, &brush, &two);
    brush_free(&brush);
    flame_add(&flame, m, m, &one, &(FlameOptions){.side = 0});
    flame_add(&flame, m, other, &two, &(FlameOptions){.side = 1});
    scale_second(&flame, one.sum, two.sum);
    flame_sum(&flame);
    json_object(&q->out);
    flame_put(&flame, m, &q->out, 2);
    put_tail(&q->out, &one);
    json_put_uint(&q->out, "samples2", two.samples);
    json_put_uint(&q->out, "sum2", two.sum);
    json_end(&q->out);
    flame_free(&flame);
    weights_free(&one);
    weights_free(&two);
    if (other != m)
        model_free(other);
}
