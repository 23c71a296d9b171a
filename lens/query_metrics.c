// SPDX-License-Identifier: Apache-2.0
// /api/metrics, thread_cpu, costs.
#define _GNU_SOURCE
#include "metrics.h"
#include "weigh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POINTS      10000
#define MOST_COLLECTIONS 20000

typedef struct Buckets {
    uint32_t from, to, count;
    double *values; // NaN: unknown
} Buckets;

static uint32_t bucket_of(const Buckets *b, uint32_t time)
{
    assert(b->count > 0 && b->from <= time && time <= b->to);
    uint64_t at = (uint64_t)(time - b->from) * b->count / ((uint64_t)(b->to - b->from) + 1);
    ASSERT_INDEX(b, at);
    return (uint32_t)at;
}

static double bucket_time(const Buckets *b, uint32_t i)
{
    return tick_ms(b->from)
           + ((double)i + 1) * ((double)(b->to - b->from) + 1) / b->count / TICKS_PER_MS;
}

// Plain values: the last in each bucket.
static void fill_plain(const Model *m, int kind, Buckets *b)
{
    for (uint32_t i = 0; i < m->metrics[kind].count; i++) {
        const ModelMetric *v = &m->metrics[kind].at[i];
        if (v->time >= b->from && v->time <= b->to && v->thread == 0)
            b->values[bucket_of(b, v->time)] = (double)v->value;
    }
}

// Cumulative ones: the growth from the last value of the bucket before to the last of this, by the time between them.
static void fill_rates(const Model *m, int kind, Buckets *b)
{
    const ModelMetric *before = NULL, *last = NULL;
    uint32_t bucket = UINT32_MAX;
    for (uint32_t i = 0; i <= m->metrics[kind].count; i++) {
        const ModelMetric *v = i < m->metrics[kind].count ? &m->metrics[kind].at[i] : NULL;
        bool outside = v == NULL || v->time > b->to;
        uint32_t at = outside             ? UINT32_MAX
                      : v->time < b->from ? UINT32_MAX - 1
                                          : bucket_of(b, v->time);
        if (at != bucket) { // the bucket is complete
            assert(bucket >= b->count || last != NULL);
            if (bucket < b->count && before != NULL && last->time > before->time
                && last->value >= before->value)
                b->values[bucket] = (double)metric_difference(before->value, last->value)
                                    / ((double)(last->time - before->time) * TICK_NS / 1e9)
                                    / metric_views[kind].divide;
            before = last;
            bucket = at;
        }
        if (outside)
            break;
        last = v;
    }
}

static void put_series(const Model *m, Json *json, Buckets *b)
{
    json_put_object(json, "series");
    for (int kind = 1; kind < METRIC_KINDS; kind++) {
        if (metric_views[kind].name == NULL || m->metrics[kind].count == 0)
            continue;
        for (uint32_t i = 0; i < b->count; i++)
            b->values[i] = NAN;
        if (metric_is_cumulative((LensMetric)kind))
            fill_rates(m, kind, b);
        else
            fill_plain(m, kind, b);
        json_put_array(json, metric_views[kind].name);
        for (uint32_t i = 0; i < b->count; i++)
            json_real(json, b->values[i]);
        json_array_end(json);
    }
    json_end(json);
}

static void put_collections(const Model *m, Json *json, uint32_t from, uint32_t to)
{
    uint32_t told = 0;
    json_put_array(json, "collections");
    for (uint32_t i = 0; i < m->collections.count && told < MOST_COLLECTIONS; i++) {
        const ModelCollection *c = &m->collections.at[i];
        if (c->time < from || c->time > to)
            continue;
        json_object(json);
        json_put_real(json, "t", tick_ms(c->time));
        json_put_uint(json, "ns", c->ns);
        json_end(json);
        told++;
    }
    json_array_end(json);
}

// Not finer than what was measured: buckets narrower than the interval of the values would stand empty.
static uint32_t sensible_count(const Model *m, uint32_t from, uint32_t to, uint64_t asked)
{
    assert(from <= to);
    uint64_t most = 1;
    for (int kind = 1; kind < METRIC_KINDS; kind++) {
        uint32_t n = 0;
        for (uint32_t i = 0; metric_views[kind].name != NULL && i < m->metrics[kind].count; i++)
            n += m->metrics[kind].at[i].time >= from && m->metrics[kind].at[i].time <= to;
        most = n > most ? n : most;
    }
    asked = asked < 1 ? 1 : asked > MOST_POINTS ? MOST_POINTS : asked;
    return (uint32_t)(most < asked ? most : asked);
}

static const char *how_of(const Model *m)
{
    if (model_hello_is(m, "allocated", "vm"))
        return "Read from the VM and the system at an interval while metrics are recorded; "
               "rates are the growth between two readings. Bytes allocated are the VM's own "
               "count.";
    if (model_hello_is(m, "allocated", "threads"))
        return "Read from the VM and the system at an interval while metrics are recorded; "
               "rates are the growth between two readings. Bytes allocated are ThreadMXBean's "
               "count: in an older JDK without what a thread allocates between the last "
               "reading "
               "and its end.";
    return "Read from the VM and the system at an interval while metrics are recorded; rates "
           "are the growth between two readings. Bytes allocated are the growth of the heap: "
           "unknown, and shown as 0, where a collection comes between two readings.";
}

void query_metrics(Query *q)
{
    Brush brush;
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    brush_read(q, &brush);
    Buckets b = {.from = brush.from, .to = brush.to};
    uint32_t now = session_now(q->session);
    b.to = b.to > now ? now : b.to;
    b.from = b.from > b.to ? b.to : b.from;
    b.count = sensible_count(m, b.from, b.to, query_number(q, "points", 600));
    b.values = mem_new(b.count, sizeof *b.values);
    json_object(&q->out);
    json_put_array(&q->out, "t");
    for (uint32_t i = 0; i < b.count; i++)
        json_real(&q->out, bucket_time(&b, i));
    json_array_end(&q->out);
    put_series(m, &q->out, &b);
    put_collections(m, &q->out, b.from, b.to);
    json_put_text(&q->out, "how", how_of(m));
    json_end(&q->out);
    free(b.values);
    brush_free(&brush);
}

// ---- CPU by thread ----

typedef struct ThreadSum {
    uint32_t thread;
    int64_t first, last;
    bool any;
} ThreadSum;

static int by_growth(const void *a, const void *b)
{
    const ThreadSum *x = a, *y = b;
    int64_t gx = metric_difference(x->first, x->last),
            gy = metric_difference(y->first, y->last);
    return (gx < gy) - (gx > gy);
}

// Of the values in the range and the last before it.
static ThreadSum *sum_threads(const Model *m, const Brush *brush)
{
    ThreadSum *sums = mem_new(m->threads.count, sizeof *sums);
    for (uint32_t i = 0; i < m->threads.count; i++)
        sums[i].thread = i;
    for (uint32_t i = 0; i < m->metrics[LENS_THREAD_CPU].count; i++) {
        const ModelMetric *v = &m->metrics[LENS_THREAD_CPU].at[i];
        ASSERT_INDEX(&m->threads, v->thread);
        ThreadSum *sum = &sums[v->thread];
        if (v->time > brush->to
            || (brush->chosen != NULL && !brush_takes(brush, brush->from, v->thread)))
            continue;
        if (!sum->any || v->time < brush->from)
            sum->first = v->value;
        sum->last = v->value;
        sum->any = true;
    }
    return sums;
}

void query_thread_cpu(Query *q)
{
    Brush brush;
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    brush_read(q, &brush);
    ThreadSum *sums = sum_threads(m, &brush);
    double all = 0;
    for (uint32_t i = 0; i < m->threads.count; i++)
        all += (double)metric_difference(sums[i].first, sums[i].last);
    qsort(sums, m->threads.count, sizeof *sums, by_growth);
    json_object(&q->out);
    json_put_array(&q->out, "threads");
    for (uint32_t i = 0; i < m->threads.count && i < 1000; i++) {
        if (!sums[i].any || sums[i].thread == 0)
            continue;
        int64_t growth = metric_difference(sums[i].first, sums[i].last);
        json_object(&q->out);
        json_put_uint(&q->out, "id", sums[i].thread);
        json_put_text(&q->out, "name", model_name(m, m->threads.at[sums[i].thread].name));
        json_put_int(&q->out, "cpu_ns", growth);
        json_put_real(&q->out, "share", all > 0 ? (double)growth / all : 0);
        json_end(&q->out);
    }
    json_array_end(&q->out);
    json_put_text(&q->out, "how",
                  "The CPU clock of each thread, read while metrics are recorded: exact "
                  "between the first and last reading of the range.");
    json_end(&q->out);
    free(sums);
    brush_free(&brush);
}

// ---- what agents cost ----

static void put_agents(const Model *m, Json *json)
{
    Map seen = {0};
    json_put_array(json, "agents");
    for (uint32_t i = 0; i < m->metrics[LENS_OTHER_AGENT_NANOS].count; i++) {
        uint32_t agent = m->metrics[LENS_OTHER_AGENT_NANOS].at[i].thread,
                 *known = map_at(&seen, agent);
        int64_t ns = 0, events = 0;
        if ((*known)++ != 0)
            continue;
        metrics_growth(m, LENS_OTHER_AGENT_NANOS, agent, 0, UINT32_MAX, &ns);
        metrics_growth(m, LENS_OTHER_AGENT_EVENTS, agent, 0, UINT32_MAX, &events);
        json_object(json);
        json_put_format(json, "name", "environment %u", agent);
        json_put_int(json, "ns", ns);
        json_put_int(json, "events", events);
        json_end(json);
    }
    json_array_end(json);
    map_free(&seen);
}

void query_costs(Query *q)
{
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    int64_t lens = 0, cpu = 0;
    metrics_growth(m, LENS_AGENT_NANOS, 0, 0, UINT32_MAX, &lens);
    metrics_growth(m, LENS_PROCESS_CPU, 0, 0, UINT32_MAX, &cpu);
    json_object(&q->out);
    json_put_object(&q->out, "lens");
    json_put_int(&q->out, "ns", lens);
    json_put_real(&q->out, "share", cpu > 0 ? (double)lens / (double)cpu : 0);
    json_end(&q->out);
    put_agents(m, &q->out);
    json_put_text(&q->out, "how",
                  model_hello_is(m, "costs", "1")
                      ? "Measured: Lens' threads, handlers and callbacks by their clocks; "
                        "other agents' callbacks by the VM (EnvironmentCosts)."
                      : "Measured: Lens' threads, handlers and callbacks by their clocks. This "
                        "VM does not tell what other agents cost.");
    json_end(&q->out);
}
