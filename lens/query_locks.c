// SPDX-License-Identifier: Apache-2.0
// /api/locks: who waited for whom, and who waits for each other.
#define _GNU_SOURCE
#include "frames.h"
#include "weigh.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WAITS 5000

typedef struct MonitorRow {
    uint64_t monitor, waits, total, max;
    uint32_t class, threads;
} MonitorRow;

static int by_total(const void *a, const void *b)
{
    const MonitorRow *x = a, *y = b;
    return (x->total < y->total) - (x->total > y->total);
}

static int by_ns(const void *a, const void *b)
{
    const ModelWait *x = *(const ModelWait *const *)a, *y = *(const ModelWait *const *)b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

typedef struct LockSums {
    ARRAY(MonitorRow) rows;
    ARRAY(const ModelWait *) waits;
    Map rows_by, pairs; // monitor; monitor and thread
} LockSums;

static const char *const lock_kinds[] = {"enter", "wait", "park", "blocked"};

static void sum_wait(LockSums *sums, const ModelWait *w)
{
    assert(w->kind < sizeof lock_kinds / sizeof *lock_kinds);
    *ARRAY_PUSH(&sums->waits) = w;
    if (w->kind != LENS_LOCK_ENTER)
        return;
    uint32_t *index = map_at(&sums->rows_by, w->monitor);
    if (*index == 0) {
        *ARRAY_PUSH(&sums->rows) = (MonitorRow){.monitor = w->monitor, .class = w->class};
        *index = sums->rows.count;
    }
    MonitorRow *row = &sums->rows.at[*index - 1];
    row->waits++;
    row->total += w->ns;
    row->max = w->ns > row->max ? w->ns : row->max;
    uint32_t *pair = map_at(&sums->pairs, (uint64_t)*index << 32 | w->thread);
    row->threads += (*pair)++ == 0;
}

static void put_rows(const Model *m, Json *json, LockSums *sums)
{
    if (sums->rows.count != 0)
        qsort(sums->rows.at, sums->rows.count, sizeof *sums->rows.at, by_total);
    json_put_array(json, "rows");
    for (uint32_t i = 0; i < sums->rows.count && i < 1000; i++) {
        const MonitorRow *r = &sums->rows.at[i];
        json_object(json);
        json_put_uint(json, "monitor", r->monitor);
        json_put_text(json, "class", model_name(m, m->classes.at[r->class].name));
        json_put_uint(json, "waits", r->waits);
        json_put_uint(json, "total_ns", r->total);
        json_put_uint(json, "max_ns", r->max);
        json_put_uint(json, "threads", r->threads);
        json_end(json);
    }
    json_array_end(json);
}

// The longest where there are too many.
static void put_waits(const Model *m, Json *json, LockSums *sums)
{
    if (sums->waits.count > MOST_WAITS)
        qsort(sums->waits.at, sums->waits.count, sizeof *sums->waits.at, by_ns);
    json_put_array(json, "waits");
    for (uint32_t i = 0; i < sums->waits.count && i < MOST_WAITS; i++) {
        const ModelWait *w = sums->waits.at[i];
        double end = tick_ms(w->time), ms = (double)w->ns / 1e6;
        json_object(json);
        json_put_real(json, "t", end > ms ? end - ms : 0);
        json_put_uint(json, "ns", w->ns);
        json_put_uint(json, "thread", w->thread);
        json_put_text(json, "thread_name", model_name(m, m->threads.at[w->thread].name));
        json_put_text(json, "kind", lock_kinds[w->kind]);
        json_put_uint(json, "monitor", w->monitor);
        json_put_text(json, "class", model_name(m, m->classes.at[w->class].name));
        json_put_uint(json, "stack", w->stack);
        json_put_uint(json, "owner", w->owner);
        json_put_text(json, "owner_name", model_name(m, m->threads.at[w->owner].name));
        json_put_uint(json, "owner_stack", w->owner_stack);
        json_end(json);
    }
    json_array_end(json);
    json_put_uint(json, "waits_of", sums->waits.count);
}

// ---- deadlocks ----

#define STILL_BLOCKED (3000 * TICKS_PER_MS) // a BLOCKED record is renewed each second

// By thread: its latest record, where that says it waits still; NULL: it does not. Records come processor by processor, so their times
// decide which is the latest; a wait of any kind that has ended, a park too, says that the thread went on.
static const ModelWait **blocked_now(const Model *m, uint32_t now)
{
    const ModelWait **latest = mem_new(m->threads.count, sizeof *latest);
    for (uint32_t i = 0; i < m->waits.count; i++) {
        const ModelWait *w = &m->waits.at[i], *known = latest[w->thread];
        ASSERT_INDEX(&m->threads, w->thread);
        if (known == NULL || w->time >= known->time)
            latest[w->thread] = w;
    }
    for (uint32_t t = 0; t < m->threads.count; t++) {
        const ModelWait *w = latest[t];
        if (w != NULL
            && (w->kind != LENS_LOCK_BLOCKED || (uint64_t)w->time + STILL_BLOCKED < now))
            latest[t] = NULL;
    }
    return latest;
}

static void put_ring(const Model *m, Json *json, const ModelWait **blocked, uint32_t first)
{
    uint32_t thread = first;
    json_array(json);
    do {
        const ModelWait *w = blocked[thread];
        assert(w != NULL && w->owner != 0); // the way goes on to its beginning
        json_object(json);
        json_put_uint(json, "thread", thread);
        json_put_text(json, "thread_name", model_name(m, m->threads.at[thread].name));
        json_put_uint(json, "waits_for", w->owner);
        json_put_text(json, "waits_for_name", model_name(m, m->threads.at[w->owner].name));
        json_put_format(json, "monitor", "%s #%llu",
                        model_name(m, m->classes.at[w->class].name),
                        (unsigned long long)w->monitor);
        json_put_uint(json, "stack", w->stack);
        json_put_uint(json, "ns", w->ns);
        json_end(json);
        thread = w->owner;
    } while (thread != first);
    json_array_end(json);
}

// Each thread waits for one owner: a way that comes back to where it began is a ring. `walk` numbers the walk that saw a thread.
static void put_deadlocks(const Model *m, Json *json, uint32_t now)
{
    const ModelWait **blocked = blocked_now(m, now);
    uint32_t *walk = mem_new(m->threads.count, sizeof *walk);
    json_put_array(json, "deadlocks");
    for (uint32_t start = 1; start < m->threads.count; start++) {
        uint32_t thread = start;
        while (thread != 0 && walk[thread] == 0 && blocked[thread] != NULL) {
            walk[thread] = start;
            thread = blocked[thread]->owner;
        }
        if (thread != 0 && walk[thread] == start)
            put_ring(m, json, blocked, thread);
    }
    json_array_end(json);
    free(walk);
    free(blocked);
}

void query_locks(Query *q)
{
    Brush brush;
    LockSums sums = {0};
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    brush_read(q, &brush);
    for (uint32_t i = 0; i < m->waits.count; i++) {
        if (m->waits.at[i].kind != LENS_LOCK_BLOCKED
            && brush_takes(&brush, m->waits.at[i].time, m->waits.at[i].thread))
            sum_wait(&sums, &m->waits.at[i]);
    }
    json_object(&q->out);
    put_rows(m, &q->out, &sums);
    put_waits(m, &q->out, &sums);
    put_deadlocks(m, &q->out, session_now(q->session));
    json_put_text(&q->out, "how",
                  "Exact: each wait for a contended monitor, told at its end; parks by the "
                  "clock. Waits that are not over are not counted yet.");
    json_end(&q->out);
    free(sums.rows.at);
    free(sums.waits.at);
    map_free(&sums.rows_by);
    map_free(&sums.pairs);
    brush_free(&brush);
}
