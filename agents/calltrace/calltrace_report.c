// SPDX-License-Identifier: Apache-2.0
// From the recorders of all threads to one report: rows summed over threads, one tree of
// methods for each thread, the smallest threads joined, and notes on everything that is not
// exact.
#define _GNU_SOURCE
#include "calltrace.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 48 }; // shown apart in the graph

void report_note(Report *report, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len >= 0 && report->notes_len < MAX_NOTES) {
        report->notes[report->notes_len++] = text;
    } else if (len >= 0) {
        free(text);
    }
}

static uint64_t time_of(const Recorder *r)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < r->tree.len; n++) {
        sum += r->tree.nodes[n].self;
    }
    return sum;
}

// Most time first, then most calls, then by name, so that the order is the same each time.
static int compare_threads(const void *a, const void *b)
{
    const Recorder *x = *(Recorder *const *)a;
    const Recorder *y = *(Recorder *const *)b;
    uint64_t time_x = time_of(x);
    uint64_t time_y = time_of(y);
    if (time_x != time_y) {
        return time_x < time_y ? 1 : -1;
    }
    if (x->calls != y->calls) {
        return x->calls < y->calls ? 1 : -1;
    }
    return strcmp(x->name, y->name);
}

static Recorder *new_merged(const char *name)
{
    char *copy = strdup(name);
    Recorder *r = copy != NULL ? recorder_new(NULL, copy, UINT32_MAX) : NULL;
    if (r == NULL) {
        free(copy);
    }
    return r;
}

// Moves one thread into the report: rows to the sum, contexts to a tree keyed by method.
static bool add_thread(Report *report, Recorder *r, uint32_t *open)
{
    if (r->frames != NULL) {
        *open += recorder_finish(r, report->when);
    }
    Recorder *merged = new_merged(r->name);
    if (merged == NULL) {
        return false;
    }
    report->threads[report->threads_len++] = merged;
    merged->calls = r->calls;
    bool ok = recorder_add_rows(report->all, r) && tree_merge(&merged->tree, &r->tree);
    report->time += time_of(merged);
    recorder_clear(r);
    return ok;
}

static bool join_small_threads(Report *report)
{
    if (report->threads_len <= MAX_THREADS) {
        return true;
    }
    size_t kept = MAX_THREADS - 1;
    char name[64];
    snprintf(name, sizeof name, "(%zu other threads)", report->threads_len - kept);
    Recorder *rest = new_merged(name);
    bool ok = rest != NULL;
    for (size_t i = kept; i < report->threads_len; i++) {
        if (ok) {
            rest->calls += report->threads[i]->calls;
            ok = tree_merge(&rest->tree, &report->threads[i]->tree);
        }
        recorder_free(report->threads[i]);
    }
    report->threads_len = kept;
    if (rest != NULL) {
        report->threads[report->threads_len++] = rest;
    }
    assert(report->threads_len <= MAX_THREADS);
    return ok;
}

static void add_notes(Report *report, uint32_t open)
{
    const Recorder *all = report->all;
    char n[32];
    if (all->lost > 0) {
        report_note(
            report,
            "truncated: %s calls were deeper than depth=%llu or beyond nodes=%llu; they are "
            "counted, but in the graph their time stands in their nearest recorded caller",
            agent_format_count(all->lost, n), (unsigned long long)record_limits.depth,
            (unsigned long long)report->node_limit);
    } else if (all->tree.full) {
        report_note(report, "truncated: the graph misses contexts of ended threads");
    }
    if (all->tree.dropped > 0) {
        report_note(
            report,
            "the smallest contexts, %s in all, were joined as (other) in the graph while "
            "the program ran, to keep each thread within nodes=%llu",
            agent_format_count(all->tree.dropped, n), (unsigned long long)report->node_limit);
    }
    if (all->broken) {
        report_note(report, "memory ended: calls are missing");
    }
    if (all->waited > 0) {
        report_note(report, "%.2f s of waiting (wait, park, sleep) are left out of all times",
                    (double)all->waited / 1e9);
    }
    if (open > 0) {
        report_note(report, "%u calls had not returned: timed up to the end of recording",
                    open);
    }
    if (all->unmatched > 0) {
        report_note(report, "%s calls began before the agent did: not counted",
                    agent_format_count(all->unmatched, n));
    }
}

bool report_build(Report *report, Recorder *recorders)
{
    assert(report->when != 0 && report->threads == NULL);
    size_t count = 0;
    for (const Recorder *r = recorders; r != NULL; r = r->next) {
        count++;
    }
    report->threads = agent_alloc((count + 1) * sizeof *report->threads);
    report->all = new_merged("(all threads)");
    bool ok = report->threads != NULL && report->all != NULL;
    uint32_t open = 0;
    for (Recorder *r = recorders; ok && r != NULL; r = r->next) {
        ok = add_thread(report, r, &open);
    }
    if (!ok) {
        return false;
    }
    qsort(report->threads, report->threads_len, sizeof *report->threads, compare_threads);
    ok = join_small_threads(report);
    add_notes(report, open);
    return ok;
}

void report_free(Report *report)
{
    for (size_t i = 0; i < report->threads_len; i++) {
        recorder_free(report->threads[i]);
    }
    free(report->threads);
    recorder_free(report->all);
    for (size_t i = 0; i < report->notes_len; i++) {
        free(report->notes[i]);
    }
}

typedef struct Ranked {
    uint32_t method;
    uint64_t figure;
} Ranked;

static int compare_ranked(const void *a, const void *b)
{
    const Ranked *x = a;
    const Ranked *y = b;
    if (x->figure != y->figure) {
        return x->figure < y->figure ? 1 : -1;
    }
    return strcmp(method_name(x->method), method_name(y->method));
}

uint32_t *report_sort(const Report *report, RowFigure figure, size_t *len)
{
    assert(report->all != NULL);
    uint32_t count = methods_count();
    Ranked *ranked = agent_alloc((count + 1) * sizeof *ranked);
    uint32_t *order = agent_alloc((count + 1) * sizeof *order);
    *len = 0;
    for (uint32_t m = 0; ranked != NULL && order != NULL && m < count; m++) {
        const MethodRow *row = recorder_row(report->all, m);
        if (row != NULL && row->calls > 0) {
            ranked[(*len)++] = (Ranked){.method = m, .figure = figure(row)};
        }
    }
    if (*len > 0) {
        qsort(ranked, *len, sizeof *ranked, compare_ranked);
    }
    for (size_t i = 0; i < *len; i++) {
        order[i] = ranked[i].method;
    }
    free(ranked);
    return order;
}
