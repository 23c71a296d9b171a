// SPDX-License-Identifier: Apache-2.0
// Exports with a time line: Firefox's processed profile, and Chrome's trace (Perfetto reads it, too).
#define _GNU_SOURCE
#include "export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_json(Export *e, Json *json)
{
    assert(json_is_whole(json));
    bytes_put(&e->query->bytes, json->text, json->length);
    json_free(json);
}

typedef struct TimedSample {
    uint32_t time, stack, weight;
} TimedSample;

typedef struct ThreadSamples {
    ARRAY(TimedSample) samples;
} ThreadSamples;

static int by_time(const void *a, const void *b)
{
    const TimedSample *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

// The CPU (or wall) samples of the range by thread, in order of time.
static ThreadSamples *samples_by_thread(const Export *e)
{
    const Model *m = e->model;
    uint32_t kind = e->weights->data == WEIGH_WALL ? LENS_SAMPLE_WALL : LENS_SAMPLE_CPU;
    ThreadSamples *threads = mem_new(m->threads.count, sizeof *threads);
    for (uint32_t c = 0; c < m->samples.count; c++) {
        const SampleChunk *chunk = m->samples.at[c];
        for (uint32_t i = 0; i < chunk->count; i++) {
            uint32_t thread = SAMPLE_THREAD(chunk->what[i]);
            ASSERT_INDEX(&m->threads, thread);
            if (SAMPLE_KIND(chunk->what[i]) == kind
                && brush_takes(e->brush, chunk->time[i], thread))
                *ARRAY_PUSH(&threads[thread].samples) =
                    (TimedSample){chunk->time[i], chunk->stack[i], chunk->weight[i]};
        }
    }
    for (uint32_t t = 0; t < m->threads.count; t++) {
        if (threads[t].samples.count != 0)
            qsort(threads[t].samples.at, threads[t].samples.count, sizeof(TimedSample),
                  by_time);
    }
    return threads;
}

static void free_threads(const Model *m, ThreadSamples *threads)
{
    for (uint32_t t = 0; t < m->threads.count; t++)
        free(threads[t].samples.at);
    free(threads);
}

// ---- Firefox: tables by column, for each thread its own ----

typedef struct Columns {
    const Model *m;
    Map frames, stacks;         // of the model, to index + 1
    ARRAY(uint32_t) frame_list; // of the model
    ARRAY(uint32_t) stack_list;
    ARRAY(uint32_t) path;
} Columns;

static uint32_t frame_index(Columns *c, uint32_t frame)
{
    uint32_t *at = map_at(&c->frames, frame);
    if (*at == 0) {
        *ARRAY_PUSH(&c->frame_list) = frame;
        *at = c->frame_list.count;
    }
    return *at - 1;
}

// Callers get their index before what they call.
static void add_stack(Columns *c, uint32_t stack)
{
    c->path.count = 0;
    for (uint32_t s = stack; s != 0 && map_get(&c->stacks, s, 0) == 0;
         s = c->m->stacks.at[s].parent)
        *ARRAY_PUSH(&c->path) = s;
    while (c->path.count > 0) {
        uint32_t s = c->path.at[--c->path.count];
        assert(c->m->stacks.at[s].parent < s);
        frame_index(c, c->m->stacks.at[s].frame);
        *ARRAY_PUSH(&c->stack_list) = s;
        *map_at(&c->stacks, s) = c->stack_list.count;
    }
}

static void put_nulls(Json *json, const char *key, uint32_t count)
{
    json_put_array(json, key);
    for (uint32_t i = 0; i < count; i++)
        json_null(json);
    json_array_end(json);
}

static void put_zeros(Json *json, const char *key, uint32_t count)
{
    json_put_array(json, key);
    for (uint32_t i = 0; i < count; i++)
        json_uint(json, 0);
    json_array_end(json);
}

static void put_index(Json *json, uint32_t one_based)
{
    if (one_based == 0)
        json_null(json);
    else
        json_uint(json, one_based - 1);
}

static void put_firefox_stacks(Json *json, const Columns *c)
{
    json_put_object(json, "stackTable");
    json_put_array(json, "frame");
    for (uint32_t i = 0; i < c->stack_list.count; i++)
        put_index(json, map_get(&c->frames, c->m->stacks.at[c->stack_list.at[i]].frame, 0));
    json_array_end(json);
    json_put_array(json, "prefix");
    for (uint32_t i = 0; i < c->stack_list.count; i++)
        put_index(json, map_get(&c->stacks, c->m->stacks.at[c->stack_list.at[i]].parent, 0));
    json_array_end(json);
    put_zeros(json, "category", c->stack_list.count);
    put_zeros(json, "subcategory", c->stack_list.count);
    json_put_uint(json, "length", c->stack_list.count);
    json_end(json);
}

// A function for each frame: names are strings of the same index.
static void put_firefox_frames(Json *json, const Columns *c)
{
    uint32_t n = c->frame_list.count;
    json_put_object(json, "frameTable");
    json_put_array(json, "func");
    for (uint32_t i = 0; i < n; i++)
        json_uint(json, i);
    json_array_end(json);
    json_put_array(json, "address");
    for (uint32_t i = 0; i < n; i++)
        json_int(json, -1);
    json_array_end(json);
    json_put_array(json, "line");
    for (uint32_t i = 0; i < n; i++) {
        const ModelFrame *f = &c->m->frames.at[c->frame_list.at[i]];
        uint32_t line = f->kind == LENS_FRAME_JAVA
                            ? model_line(c->m, &c->m->methods.at[f->owner], f->at)
                            : 0;
        put_index(json, line ? line + 1 : 0);
    }
    json_array_end(json);
    static const char *const empty[] = {"column", "nativeSymbol", "innerWindowID",
                                        "implementation", "optimizations"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        put_nulls(json, empty[i], n);
    static const char *const zero[] = {"category", "subcategory", "inlineDepth"};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        put_zeros(json, zero[i], n);
    json_put_uint(json, "length", n);
    json_end(json);
}

static void put_firefox_functions(Json *json, const Columns *c)
{
    uint32_t n = c->frame_list.count;
    json_put_object(json, "funcTable");
    json_put_array(json, "name");
    for (uint32_t i = 0; i < n; i++)
        json_uint(json, i);
    json_array_end(json);
    json_put_array(json, "isJS");
    for (uint32_t i = 0; i < n; i++)
        json_bool(json, false);
    json_array_end(json);
    json_put_array(json, "relevantForJS");
    for (uint32_t i = 0; i < n; i++)
        json_bool(json, false);
    json_array_end(json);
    json_put_array(json, "resource");
    for (uint32_t i = 0; i < n; i++)
        json_int(json, -1);
    json_array_end(json);
    static const char *const empty[] = {"fileName", "lineNumber", "columnNumber"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        put_nulls(json, empty[i], n);
    json_put_uint(json, "length", n);
    json_end(json);
    json_put_array(json, "stringArray");
    for (uint32_t i = 0; i < n; i++)
        json_text(json, model_name(c->m, c->m->frames.at[c->frame_list.at[i]].label));
    json_array_end(json);
}

static void put_firefox_samples(Json *json, const Columns *c, const ThreadSamples *t)
{
    json_put_object(json, "samples");
    json_put_array(json, "stack");
    for (uint32_t i = 0; i < t->samples.count; i++)
        put_index(json, map_get(&c->stacks, t->samples.at[i].stack, 0));
    json_array_end(json);
    json_put_array(json, "time");
    for (uint32_t i = 0; i < t->samples.count; i++)
        json_real(json, tick_ms(t->samples.at[i].time));
    json_array_end(json);
    json_put_array(json, "weight");
    for (uint32_t i = 0; i < t->samples.count; i++)
        json_real(json, t->samples.at[i].weight / 1e6);
    json_array_end(json);
    json_put_text(json, "weightType", "tracing-ms");
    json_put_uint(json, "length", t->samples.count);
    json_end(json);
}

static void put_empty_table(Json *json, const char *key, const char *const *columns)
{
    json_put_object(json, key);
    for (; *columns != NULL; columns++)
        put_nulls(json, *columns, 0);
    json_put_uint(json, "length", 0);
    json_end(json);
}

static void put_firefox_thread(Export *e, Json *json, uint32_t thread, const ThreadSamples *t)
{
    ASSERT_INDEX(&e->model->threads, thread);
    static const char *const marker_columns[] = {"data",  "name",     "startTime", "endTime",
                                                 "phase", "category", NULL};
    static const char *const resource_columns[] = {"lib", "name", "host", "type", NULL};
    static const char *const symbol_columns[] = {"address", "functionSize", "libIndex", "name",
                                                 NULL};
    const Model *m = e->model;
    Columns c = {.m = m};
    for (uint32_t i = 0; i < t->samples.count; i++)
        add_stack(&c, t->samples.at[i].stack);
    json_object(json);
    json_put_text(json, "processType", "default");
    json_put_text(json, "processName", e->query->session->jvm.main);
    json_put_real(json, "processStartupTime", 0);
    json_key(json, "processShutdownTime");
    json_null(json);
    json_put_real(json, "registerTime", tick_ms(m->threads.at[thread].first));
    json_key(json, "unregisterTime");
    json_null(json);
    json_put_array(json, "pausedRanges");
    json_array_end(json);
    json_put_text(json, "name", model_name(m, m->threads.at[thread].name));
    json_put_bool(json, "isMainThread", thread == 1);
    json_put_format(json, "pid", "%d", e->query->session->jvm.process.pid);
    json_put_uint(json, "tid", m->threads.at[thread].tid ? m->threads.at[thread].tid : thread);
    put_firefox_samples(json, &c, t);
    put_empty_table(json, "markers", marker_columns);
    put_firefox_stacks(json, &c);
    put_firefox_frames(json, &c);
    put_firefox_functions(json, &c);
    put_empty_table(json, "resourceTable", resource_columns);
    put_empty_table(json, "nativeSymbols", symbol_columns);
    json_end(json);
    map_free(&c.frames);
    map_free(&c.stacks);
    free(c.frame_list.at);
    free(c.stack_list.at);
    free(c.path.at);
}

static void put_firefox_meta(Export *e, Json *json)
{
    json_put_object(json, "meta");
    json_put_real(json, "interval", e->weights->rate > 0 ? 1000 / e->weights->rate : 1);
    json_put_real(json, "startTime", (double)(e->model->realtime / 1000000));
    json_put_uint(json, "processType", 0);
    json_put_text(json, "product", e->query->session->jvm.main);
    json_put_uint(json, "stackwalk", 1);
    json_put_uint(json, "version", 24);
    json_put_uint(json, "preprocessedProfileVersion", 46);
    json_put_array(json, "markerSchema");
    json_array_end(json);
    json_put_array(json, "categories");
    json_object(json);
    json_put_text(json, "name", "Java");
    json_put_text(json, "color", "blue");
    json_put_array(json, "subcategories");
    json_text(json, "Other");
    json_array_end(json);
    json_end(json);
    json_array_end(json);
    json_end(json);
}

bool export_firefox(Export *e)
{
    Json json = {0};
    ThreadSamples *threads = samples_by_thread(e);
    json_object(&json);
    put_firefox_meta(e, &json);
    json_put_array(&json, "libs");
    json_array_end(&json);
    json_put_array(&json, "pages");
    json_array_end(&json);
    json_put_array(&json, "threads");
    for (uint32_t t = 0; t < e->model->threads.count; t++) {
        if (threads[t].samples.count != 0)
            put_firefox_thread(e, &json, t, &threads[t]);
    }
    json_array_end(&json);
    json_end(&json);
    take_json(e, &json);
    free_threads(e->model, threads);
    return true;
}

// ---- Chrome's trace ----

static void put_trace_head(const Export *e, Json *json, const char *name, const char *phase,
                           uint32_t thread, uint64_t us)
{
    json_object(json);
    json_put_text(json, "name", name);
    json_put_text(json, "ph", phase);
    json_put_int(json, "pid", e->query->session->jvm.process.pid);
    json_put_uint(json, "tid", thread);
    json_put_uint(json, "ts", us);
}

static uint64_t tick_us(uint32_t tick)
{
    return (uint64_t)tick * (TICK_NS / 1000);
}

static void put_trace_name(const Export *e, Json *json, const char *kind, uint32_t thread,
                           const char *name)
{
    put_trace_head(e, json, kind, "M", thread, 0);
    json_put_object(json, "args");
    json_put_text(json, "name", name);
    json_end(json);
    json_end(json);
}

// Frames that stay the same from one sample to the next are one slice, as long as the samples are close together.
typedef struct OpenSlices {
    ARRAY(uint32_t) frames; // of the model, the outermost first
    ARRAY(uint32_t) since;  // ticks
    ARRAY(uint32_t) next;
    uint32_t last; // tick of the last sample
} OpenSlices;

static void close_slices(const Export *e, Json *json, uint32_t thread, OpenSlices *open,
                         uint32_t keep, uint32_t end)
{
    while (open->frames.count > keep) {
        uint32_t i = --open->frames.count;
        open->since.count--;
        assert(open->since.count == open->frames.count); // each frame has its beginning
        put_trace_head(e, json,
                       model_name(e->model, e->model->frames.at[open->frames.at[i]].label), "X",
                       thread, tick_us(open->since.at[i]));
        json_put_uint(json, "dur",
                      tick_us(end > open->since.at[i] ? end - open->since.at[i] : 1));
        json_put_text(json, "cat",
                      model_name(e->model, e->model->frames.at[open->frames.at[i]].group));
        json_end(json);
    }
}

static void put_trace_sample(const Export *e, Json *json, uint32_t thread, OpenSlices *open,
                             const TimedSample *sample)
{
    const Model *m = e->model;
    uint32_t gap = sample->weight / TICK_NS * 2 + 20 * TICKS_PER_MS, same = 0;
    assert(open->last <= sample->time); // they are sorted
    open->next.count = 0;
    for (uint32_t s = sample->stack; s != 0; s = m->stacks.at[s].parent)
        *ARRAY_PUSH(&open->next) = m->stacks.at[s].frame;
    if (sample->time - open->last > gap)
        close_slices(e, json, thread, open, 0, open->last + 1);
    while (same < open->frames.count && same < open->next.count
           && m->frames.at[open->frames.at[same]].label
                  == m->frames.at[open->next.at[open->next.count - 1 - same]].label)
        same++;
    close_slices(e, json, thread, open, same, sample->time);
    for (; same < open->next.count; same++) {
        *ARRAY_PUSH(&open->frames) = open->next.at[open->next.count - 1 - same];
        *ARRAY_PUSH(&open->since) = sample->time;
    }
    open->last = sample->time;
}

static void put_trace_thread(const Export *e, Json *json, uint32_t thread,
                             const ThreadSamples *t)
{
    OpenSlices open = {0};
    put_trace_name(e, json, "thread_name", thread,
                   model_name(e->model, e->model->threads.at[thread].name));
    for (uint32_t i = 0; i < t->samples.count; i++)
        put_trace_sample(e, json, thread, &open, &t->samples.at[i]);
    close_slices(e, json, thread, &open, 0, open.last + 1);
    free(open.frames.at);
    free(open.since.at);
    free(open.next.at);
}

static void put_trace_counters(const Export *e, Json *json)
{
    const Model *m = e->model;
    for (uint32_t i = 0; i < m->metrics[LENS_HEAP_USED].count; i++) {
        const ModelMetric *v = &m->metrics[LENS_HEAP_USED].at[i];
        if (v->time < e->brush->from || v->time > e->brush->to)
            continue;
        put_trace_head(e, json, "heap used", "C", 0, tick_us(v->time));
        json_put_object(json, "args");
        json_put_int(json, "bytes", v->value);
        json_end(json);
        json_end(json);
    }
    for (uint32_t i = 0; i < m->collections.count; i++) {
        const ModelCollection *c = &m->collections.at[i];
        if (c->time < e->brush->from || c->time > e->brush->to)
            continue;
        put_trace_head(e, json, "collection", "X", 0, tick_us(c->time));
        json_put_real(json, "dur", (double)c->ns / 1000);
        json_end(json);
    }
}

bool export_chrome(Export *e)
{
    Json json = {0};
    ThreadSamples *threads = samples_by_thread(e);
    json_object(&json);
    json_put_text(&json, "displayTimeUnit", "ms");
    json_put_array(&json, "traceEvents");
    put_trace_name(e, &json, "process_name", 0, e->query->session->jvm.main);
    for (uint32_t t = 0; t < e->model->threads.count; t++) {
        if (threads[t].samples.count != 0)
            put_trace_thread(e, &json, t, &threads[t]);
    }
    put_trace_counters(e, &json);
    json_array_end(&json);
    json_end(&json);
    take_json(e, &json);
    free_threads(e->model, threads);
    return true;
}
