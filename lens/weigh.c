// SPDX-License-Identifier: Apache-2.0
// Weights of stacks (weigh.h). Samples lie in chunks that know their first and last time: those outside of the range are not touched.
#define _GNU_SOURCE
#include "weigh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const weigh_names[WEIGH_KINDS] = {"cpu",   "wall",       "alloc", "live",
                                              "locks", "exceptions", "exact"};

bool weigh_data(const char *name, WeighData *data)
{
    for (int i = 0; i < WEIGH_KINDS; i++) {
        if (name != NULL && strcmp(name, weigh_names[i]) == 0) {
            *data = (WeighData)i;
            return true;
        }
    }
    return false;
}

static uint32_t tick_param(const Query *q, const char *name, uint32_t otherwise)
{
    const char *text = query_param(q, name);
    double ms = text ? strtod(text, NULL) : -1;
    if (!(ms >= 0))
        return otherwise;
    return ms * TICKS_PER_MS >= UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)(ms * TICKS_PER_MS);
}

void brush_read_named(const Query *q, const char *from, const char *to, Brush *brush)
{
    assert(q->session->model != NULL);
    *brush = (Brush){.from = tick_param(q, from, 0), .to = tick_param(q, to, UINT32_MAX)};
    const char *threads = query_param(q, "threads");
    if (threads == NULL || *threads == 0)
        return;
    brush->chosen_count = q->session->model->threads.count;
    brush->chosen = mem_new(brush->chosen_count, sizeof *brush->chosen);
    for (char *end; *threads != 0; threads = *end ? end + 1 : end) {
        unsigned long id = strtoul(threads, &end, 10);
        if (end == threads)
            break;
        if (id < brush->chosen_count)
            brush->chosen[id] = true;
    }
}

void brush_read(const Query *q, Brush *brush)
{
    const char *since = query_param(q, "since");
    brush_read_named(q, "from", "to", brush);
    if (since != NULL && strcmp(since, "mark") == 0 && brush->from < q->session->mark)
        brush->from = q->session->mark;
}

void brush_free(Brush *brush)
{
    free(brush->chosen);
    brush->chosen = NULL;
}

static void add(Weights *w, uint32_t thread, uint32_t stack, uint64_t weight)
{
    uint32_t *slot =
        w->by_thread ? map_at(&w->pairs, (uint64_t)thread << 32 | stack) : &w->slots[stack];
    if (*slot == 0) {
        *ARRAY_PUSH(&w->entries) =
            (WeightEntry){.thread = w->by_thread ? thread : 0, .stack = stack};
        *slot = w->entries.count;
    }
    assert(*slot <= w->entries.count && w->entries.at[*slot - 1].stack == stack);
    w->entries.at[*slot - 1].weight += weight;
    w->entries.at[*slot - 1].count++;
    w->sum += weight;
    w->samples++;
}

static void add_chunk(Weights *w, const SampleChunk *c, const Brush *brush, uint32_t kind)
{
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t what = c->what[i];
        if (SAMPLE_KIND(what) != kind || !brush_takes(brush, c->time[i], SAMPLE_THREAD(what)))
            continue;
        add(w, SAMPLE_THREAD(what), c->stack[i], c->weight[i]);
        w->failed += SAMPLE_FAILED(what);
    }
}

static void weigh_samples(const Model *m, const Brush *brush, Weights *w)
{
    uint32_t kind = w->data == WEIGH_WALL ? LENS_SAMPLE_WALL : LENS_SAMPLE_CPU;
    for (uint32_t i = 0; i < m->samples.count; i++) {
        const SampleChunk *c = m->samples.at[i];
        if (c->last >= brush->from && c->first <= brush->to)
            add_chunk(w, c, brush, kind);
    }
    w->unit = "ns";
    w->rate = w->sum ? (double)w->samples * 1e9 / (double)w->sum : 0;
    snprintf(w->how, sizeof w->how,
             "%s sampled, not at safepoints alone: %llu samples, %.0f a second of %s reached, "
             "%llu without a stack.",
             w->data == WEIGH_WALL ? "Wall time" : "CPU time", (unsigned long long)w->samples,
             w->rate, w->data == WEIGH_WALL ? "each thread's time" : "CPU time",
             (unsigned long long)w->failed);
}

static void weigh_allocs(const Model *m, const Brush *brush, Weights *w)
{
    bool live = w->data == WEIGH_LIVE;
    for (uint32_t i = 0; i < m->allocs.count; i++) {
        const ModelAlloc *a = &m->allocs.at[i];
        if (!brush_takes(brush, a->time, a->thread)
            || (w->class_name != 0 && m->classes.at[a->class].name != w->class_name))
            continue;
        if (!live || model_lives(m, a, brush->to))
            add(w, a->thread, a->stack, a->weight);
    }
    w->unit = "bytes";
    snprintf(w->how, sizeof w->how,
             "Allocations sampled by their bytes: %llu samples stand for the bytes shown%s.",
             (unsigned long long)w->samples,
             live ? "; only what still lives at the end of the range" : "");
}

static void weigh_locks(const Model *m, const Brush *brush, Weights *w)
{
    for (uint32_t i = 0; i < m->waits.count; i++) {
        const ModelWait *l = &m->waits.at[i];
        if (l->kind == LENS_LOCK_ENTER && brush_takes(brush, l->time, l->thread))
            add(w, l->thread, l->stack, l->ns);
    }
    w->unit = "ns";
    snprintf(w->how, sizeof w->how,
             "Exact: each wait for a contended monitor since the recording of locks began, "
             "%llu of them.",
             (unsigned long long)w->samples);
}

static void weigh_exceptions(const Model *m, const Brush *brush, Weights *w)
{
    for (uint32_t i = 0; i < m->exceptions.count; i++) {
        const ModelException *e = &m->exceptions.at[i];
        if (brush_takes(brush, e->time, e->thread))
            add(w, e->thread, e->stack, e->count);
    }
    w->unit = "calls";
    snprintf(w->how, sizeof w->how,
             "Exact: each exception thrown since the recording of exceptions began (up to its "
             "limit a second).");
}

static void weigh_exact(const Model *m, const Brush *brush, Weights *w)
{
    assert(!w->by_thread); // the agent tells the sums of all threads
    (void)brush;
    for (uint32_t i = 0; i < m->exact.count; i++) {
        const ModelExact *e = &m->exact.at[i];
        add(w, 0, e->stack, e->self);
        assert(w->entries.at[w->entries.count - 1].stack == e->stack); // each stack comes once
        w->entries.at[w->entries.count - 1].count = e->calls;
    }
    w->unit = "ns";
    snprintf(w->how, sizeof w->how,
             "Exact: entry and exit of each call of the chosen packages since it began; the "
             "range does not narrow it.");
}

void weigh(const Model *model, const Brush *brush, Weights *w)
{
    assert(w->data < WEIGH_KINDS && w->entries.count == 0 && w->sum == 0);
    static void (*const weighers[WEIGH_KINDS])(const Model *, const Brush *, Weights *) = {
        weigh_samples, weigh_samples,    weigh_allocs, weigh_allocs,
        weigh_locks,   weigh_exceptions, weigh_exact};
    w->slots = w->by_thread ? NULL : mem_new(model->stacks.count, sizeof *w->slots);
    weighers[w->data](model, brush, w);
    free(w->slots);
    map_free(&w->pairs);
    w->slots = NULL;
}

void weights_free(Weights *w)
{
    free(w->entries.at);
    *w = (Weights){0};
}
