// SPDX-License-Identifier: Apache-2.0
// /api/threads, stack, frames, dump.
#define _GNU_SOURCE
#include "frames.h"
#include "weigh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES       5000
#define MOST_LANE_ENTRIES 4000

void frames_put_one(const Model *m, Json *json, const ModelFrame *f)
{
    assert(f->kind != LENS_FRAME_JAVA || f->owner < m->methods.count);
    json_object(json);
    json_put_text(json, "method", model_name(m, f->label));
    if (f->kind == LENS_FRAME_JAVA) {
        const ModelMethod *method = &m->methods.at[f->owner];
        json_put_text(json, "class", model_name(m, m->classes.at[method->class].name));
        json_put_uint(json, "line", model_line(m, method, f->at));
    }
    json_put_bool(json, "native", f->kind != LENS_FRAME_JAVA || f->at == -1);
    json_end(json);
}

void frames_put(const Model *m, Json *json, const char *key, uint32_t stack)
{
    ASSERT_INDEX(&m->stacks, stack);
    json_put_array(json, key);
    for (uint32_t n = 0; stack != 0 && n < MOST_FRAMES; n++, stack = m->stacks.at[stack].parent)
        frames_put_one(m, json, &m->frames.at[m->stacks.at[stack].frame]);
    json_array_end(json);
}

void values_put(const Model *m, Json *json, const char *key, uint32_t from, uint32_t count)
{
    assert(from <= m->values.count && count <= m->values.count - from);
    json_put_array(json, key);
    for (uint32_t i = from; i < from + count; i++) {
        json_object(json);
        json_put_text(json, "name", model_name(m, m->values.at[i].name));
        json_put_text(json, "value", model_name(m, m->values.at[i].value));
        json_end(json);
    }
    json_array_end(json);
}

void query_frames(Query *q)
{
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    uint64_t stack = query_number(q, "stack", 0);
    json_object(&q->out);
    frames_put(m, &q->out, "frames", stack < m->stacks.count ? (uint32_t)stack : 0);
    json_end(&q->out);
}

// ---- lanes ----

// By thread: the changes of its state in the order they were told.
typedef struct Lanes {
    uint32_t *first, *next; // first by thread, next by change; index + 1
} Lanes;

static Lanes make_lanes(const Model *m)
{
    Lanes l = {mem_new(m->threads.count, sizeof *l.first),
               mem_new(m->states.count, sizeof *l.next)};
    for (uint32_t i = m->states.count; i-- > 0;) {
        uint32_t thread = m->states.at[i].thread;
        ASSERT_INDEX(&m->threads, thread);
        l.next[i] = l.first[thread];
        l.first[thread] = i + 1;
    }
    return l;
}

// Changes within the range, and the one in force at its beginning. Where there are too many, short ones are left out.
static void put_lane(const Model *m, Json *json, const Lanes *lanes, uint32_t thread,
                     const Brush *brush)
{
    uint32_t inside = 0;
    const ModelStateChange *before = NULL;
    for (uint32_t i = lanes->first[thread]; i != 0; i = lanes->next[i - 1]) {
        const ModelStateChange *s = &m->states.at[i - 1];
        inside += s->time >= brush->from && s->time <= brush->to;
        before = s->time < brush->from ? s : before;
    }
    uint32_t range = (brush->to > m->now ? m->now : brush->to) - brush->from;
    uint32_t least = inside > MOST_LANE_ENTRIES ? range / MOST_LANE_ENTRIES : 0, last = 0;
    uint8_t state = LENS_UNKNOWN;
    json_put_array(json, "lanes");
    if (before != NULL) {
        json_real(json, tick_ms(brush->from));
        json_text(json, state_names[state = before->state]);
    }
    for (uint32_t i = lanes->first[thread]; i != 0; i = lanes->next[i - 1]) {
        const ModelStateChange *s = &m->states.at[i - 1];
        if (s->time < brush->from || s->time > brush->to || s->state == state
            || (last != 0 && s->time - last < least))
            continue;
        json_real(json, tick_ms(last = s->time));
        json_text(json, state_names[state = s->state]);
    }
    json_array_end(json);
}

static void put_thread(Query *q, const Lanes *lanes, uint32_t id, const Brush *brush)
{
    const Model *m = q->session->model;
    const ModelThread *t = &m->threads.at[id];
    assert(t->state <= LENS_ENDED && t->first <= t->last);
    json_object(&q->out);
    json_put_uint(&q->out, "id", id);
    json_put_text(&q->out, "name", model_name(m, t->name));
    json_put_text(&q->out, "group", model_name(m, t->group));
    json_put_bool(&q->out, "daemon", t->flags & 1);
    json_put_bool(&q->out, "vm", (t->flags & 2) != 0);
    json_key(&q->out, "tid");
    if (t->tid != 0)
        json_uint(&q->out, t->tid);
    else
        json_null(&q->out); // not known yet
    json_put_text(&q->out, "state", state_names[t->state]);
    json_put_real(&q->out, "start", tick_ms(t->first));
    json_key(&q->out, "end");
    if (t->state == LENS_ENDED)
        json_real(&q->out, tick_ms(t->last));
    else
        json_null(&q->out);
    put_lane(m, &q->out, lanes, id, brush);
    json_end(&q->out);
}

void query_threads(Query *q)
{
    Brush brush;
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    brush_read(q, &brush);
    Lanes lanes = make_lanes(m);
    json_object(&q->out);
    json_put_array(&q->out, "threads");
    for (uint32_t i = 1; i < m->threads.count; i++) {
        const ModelThread *t = &m->threads.at[i];
        bool was_there =
            t->first <= brush.to && (t->state != LENS_ENDED || t->last >= brush.from);
        if (was_there && (brush.chosen == NULL || brush.chosen[i]))
            put_thread(q, &lanes, i, &brush);
    }
    json_array_end(&q->out);
    json_put_text(&q->out, "how",
                  "The VM's own states, looked at an interval while threads are recorded: what "
                  "was shorter is not seen.");
    json_end(&q->out);
    free(lanes.first);
    free(lanes.next);
    brush_free(&brush);
}

// ---- a stack ----

// The change in force at a time, or of the latest sample of that thread before it.
static void put_stack(Query *q, uint32_t thread, uint32_t at)
{
    const Model *m = q->session->model;
    uint32_t stack = 0, time = 0;
    uint8_t state = LENS_UNKNOWN;
    for (uint32_t i = 0; i < m->states.count; i++) {
        const ModelStateChange *s = &m->states.at[i];
        if (s->thread != thread || s->time > at)
            continue;
        state = s->state;
        if (s->stack != 0) {
            stack = s->stack;
            time = s->time;
        }
    }
    for (uint32_t c = 0; c < m->samples.count; c++) {
        const SampleChunk *chunk = m->samples.at[c];
        for (uint32_t i = 0; chunk->first <= at && chunk->last >= time && i < chunk->count;
             i++) {
            if (SAMPLE_THREAD(chunk->what[i]) == thread && chunk->stack[i] != 0
                && chunk->time[i] <= at && chunk->time[i] >= time) {
                stack = chunk->stack[i];
                time = chunk->time[i];
            }
        }
    }
    json_object(&q->out);
    frames_put(m, &q->out, "frames", stack);
    json_put_real(&q->out, "t", tick_ms(time));
    json_put_text(&q->out, "state", state_names[state]);
    json_put_text(&q->out, "how",
                  stack
                      ? "The latest stack that was taken of this thread at or before that time."
                      : "No stack was taken of this thread until then.");
    json_end(&q->out);
}

// Failed or not: what is known is told.
static void on_stack_taken(Query *q, Order *order)
{
    (void)order;
    put_stack(q, (uint32_t)query_number(q, "thread", 0), UINT32_MAX);
}

void query_stack(Query *q)
{
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    uint64_t thread = query_number(q, "thread", 0);
    const char *t = query_param(q, "t");
    if (thread == 0 || thread >= m->threads.count) {
        query_fail(q, 404, "Choose a thread of the list.", "There is no such thread.");
        return;
    }
    uint32_t now = session_now(q->session);
    double at = t ? strtod(t, NULL) * TICKS_PER_MS : now;
    bool is_now = q->session->link != NULL && at + 1000 * TICKS_PER_MS >= now;
    char id[32];
    snprintf(id, sizeof id, "%llu", (unsigned long long)m->threads.at[thread].wire);
    LinkPair arg = {"thread", id};
    if (is_now && m->threads.at[thread].state != LENS_ENDED
        && query_ask(q, "stack", &arg, 1, on_stack_taken))
        return;
    put_stack(q, (uint32_t)thread,
              at >= UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)(at > 0 ? at : 0));
}

// ---- a dump ----

static void on_dumped(Query *q, Order *order)
{
    const Model *m = q->session->model;
    for (uint32_t i = m->dumps.count; i-- > 0;) {
        if (m->dumps.at[i].order != order->id)
            continue;
        json_object(&q->out);
        json_put_text(&q->out, "text", m->dumps.at[i].text);
        json_put_real(&q->out, "t", tick_ms(m->dumps.at[i].time));
        json_end(&q->out);
        return;
    }
    query_fail(q, 409, "Try again while the program runs.", "The dump was not made: %s",
               order->text);
}

void query_dump(Query *q)
{
    if (query_has_model(q))
        query_ask(q, "dump", NULL, 0, on_dumped);
}
