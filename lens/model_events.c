// SPDX-License-Identifier: Apache-2.0
// The model's events: samples, metrics, states, allocations, waits, exceptions, hits, coverage (model.h).
#include "model_ids.h"

#include <stdlib.h>
#include <string.h>

static void saw_thread(Model *m, uint32_t thread, uint32_t time)
{
    ASSERT_INDEX(&m->threads, thread);
    ModelThread *t = &m->threads.at[thread];
    if (time > t->last)
        t->last = time;
    if (time < t->first)
        t->first = time;
}

static SampleChunk *chunk_for_more(Model *m)
{
    assert(m->samples.count <= MAX_CHUNKS);
    SampleChunk *last = m->samples.count ? m->samples.at[m->samples.count - 1] : NULL;
    if (last != NULL && last->count < SAMPLE_CHUNK)
        return last;
    if (m->samples.count == MAX_CHUNKS) {
        m->samples_forgotten += m->samples.at[0]->count;
        free(m->samples.at[0]);
        memmove(m->samples.at, m->samples.at + 1, (MAX_CHUNKS - 1) * sizeof *m->samples.at);
        m->samples.count--;
    }
    last = mem_resize(NULL, 1, sizeof *last);
    last->count = last->last = 0;
    last->first = UINT32_MAX;
    *ARRAY_PUSH(&m->samples) = last;
    return last;
}

static uint32_t saturated(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

void decode_samples(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        uint32_t time = decode_time(d), thread = decode_id(d, ID_THREAD),
                 stack = decode_id(d, ID_STACK);
        uint64_t kind = wire_u(&d->wire);
        uint32_t weight = saturated(wire_u(&d->wire));
        uint64_t state = wire_u(&d->wire), failure = wire_u(&d->wire);
        if (d->wire.bad)
            return;
        SampleChunk *c = chunk_for_more(m);
        ASSERT_INDEX(&m->stacks, stack);
        assert(c->count < SAMPLE_CHUNK && thread <= SAMPLE_THREAD(UINT32_MAX));
        c->time[c->count] = time;
        c->stack[c->count] = stack;
        c->weight[c->count] = weight;
        c->what[c->count] = thread | (kind == LENS_SAMPLE_WALL) << 24
                            | (uint32_t)(failure != 0) << 25
                            | (uint32_t)(state > LENS_ENDED ? 0 : state) << 26;
        c->count++;
        c->first = time < c->first ? time : c->first;
        c->last = time > c->last ? time : c->last;
        saw_thread(m, thread, time);
        m->view_count[VIEW_CPU]++;
    }
}

void decode_metrics(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        uint32_t time = decode_time(d), n = wire_count(&d->wire, 3);
        for (uint32_t i = 0; i < n && !d->wire.bad; i++) {
            uint64_t kind = wire_u(&d->wire), thread = wire_u(&d->wire);
            int64_t value = wire_z(&d->wire);
            if (d->wire.bad || kind == 0 || kind >= METRIC_KINDS)
                continue;
            bool of_thread = kind == LENS_THREAD_CPU || kind == LENS_THREAD_ALLOCATED;
            ModelMetric metric = {.time = time, .thread = saturated(thread), .value = value};
            if (of_thread) {
                metric.thread = map_get(&m->ids->wire[ID_THREAD], thread, 0);
                saw_thread(m, metric.thread, time);
            }
            if (decode_has_room(d, m->metrics[kind].count, MAX_EVENTS))
                *ARRAY_PUSH(&m->metrics[kind]) = metric;
        }
        m->view_count[VIEW_METRICS]++;
        if (!d->wire.bad && m->on_metrics != NULL)
            m->on_metrics(m->context, time);
    }
}

void decode_threads(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        ModelStateChange s = {0};
        s.time = decode_time(d);
        s.thread = decode_id(d, ID_THREAD);
        uint64_t state = wire_u(&d->wire);
        s.stack = decode_id(d, ID_STACK);
        s.state = state > LENS_ENDED ? 0 : (uint8_t)state;
        if (d->wire.bad || s.thread == 0
            || !decode_has_room(d, m->states.count, 4 * MAX_EVENTS))
            continue;
        saw_thread(m, s.thread, s.time);
        m->threads.at[s.thread].state = s.state;
        *ARRAY_PUSH(&m->states) = s;
        m->view_count[VIEW_THREADS]++;
    }
}

bool model_lives(const Model *m, const ModelAlloc *a, uint32_t when)
{
    uint32_t known = UINT32_MAX; // until when
    for (uint32_t i = m->follow_ends.count; i-- > 0;)
        if (m->follow_ends.at[i] >= a->time && m->follow_ends.at[i] < known)
            known = m->follow_ends.at[i];
    return a->followed && (a->freed == UINT32_MAX || a->freed > (when < known ? when : known));
}

// Records come processor by processor: an object's end may come before its allocation.
static void decode_freed(Decoding *d, uint32_t time)
{
    uint64_t object = wire_u(&d->wire);
    if (object == LENS_ALL_FOLLOWED) {
        if (decode_has_room(d, d->m->follow_ends.count, MAX_FOLLOW_ENDS))
            *ARRAY_PUSH(&d->m->follow_ends) = time;
        return;
    }
    uint32_t index = map_get(&d->m->ids->objects, object, 0);
    assert(index <= d->m->allocs.count);
    if (index != 0)
        d->m->allocs.at[index - 1].freed = time;
    else if (!d->wire.bad && decode_has_room(d, d->m->ids->freed_early.count, MAX_EVENTS))
        *map_at(&d->m->ids->freed_early, object) = time + 1;
}

void decode_allocs(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        uint32_t time = decode_time(d);
        m->view_count[VIEW_ALLOC]++;
        if (wire_u(&d->wire) == 1) {
            decode_freed(d, time);
            continue;
        }
        ModelAlloc a = {.time = time};
        a.thread = decode_id(d, ID_THREAD);
        a.stack = decode_id(d, ID_STACK);
        a.class = decode_id(d, ID_CLASS);
        a.size = wire_u(&d->wire);
        a.weight = wire_u(&d->wire);
        uint64_t object = wire_u(&d->wire);
        a.followed = object != 0;
        if (d->wire.bad || !decode_has_room(d, m->allocs.count, 4 * MAX_EVENTS))
            continue;
        uint32_t early = a.followed ? map_get(&m->ids->freed_early, object, 0) : 0;
        a.freed = early - 1; // UINT32_MAX: it lives
        *ARRAY_PUSH(&m->allocs) = a;
        if (a.followed)
            *map_at(&m->ids->objects, object) = m->allocs.count;
    }
}

void decode_locks(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        ModelWait w = {.time = decode_time(d)};
        uint64_t kind = wire_u(&d->wire);
        w.kind = kind > LENS_LOCK_BLOCKED ? LENS_LOCK_PARK : (uint8_t)kind;
        w.thread = decode_id(d, ID_THREAD);
        w.stack = decode_id(d, ID_STACK);
        w.ns = wire_u(&d->wire);
        w.monitor = wire_u(&d->wire);
        w.class = decode_id(d, ID_CLASS);
        w.owner = decode_id(d, ID_THREAD);
        w.owner_stack = decode_id(d, ID_STACK);
        if (d->wire.bad || !decode_has_room(d, m->waits.count, MAX_EVENTS))
            continue;
        *ARRAY_PUSH(&m->waits) = w;
        m->view_count[VIEW_LOCKS]++;
    }
}

void decode_gc(Decoding *d)
{
    while (wire_more(&d->wire)) {
        ModelCollection c = {0};
        c.time = decode_time(d);
        c.ns = wire_u(&d->wire);
        if (!d->wire.bad && decode_has_room(d, d->m->collections.count, MAX_EVENTS))
            *ARRAY_PUSH(&d->m->collections) = c;
    }
}

void decode_exceptions(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        ModelException e = {0};
        e.time = decode_time(d);
        e.thread = decode_id(d, ID_THREAD);
        e.stack = decode_id(d, ID_STACK);
        e.class = decode_id(d, ID_CLASS);
        e.message = decode_name(d);
        e.catcher = decode_id(d, ID_METHOD);
        (void)wire_z(&d->wire);
        e.values = decode_values(d, &e.value_count);
        e.count = 1 + wire_u(&d->wire);
        if (d->wire.bad || !decode_has_room(d, m->exceptions.count, MAX_EVENTS))
            continue;
        *ARRAY_PUSH(&m->exceptions) = e;
        m->view_count[VIEW_EXCEPTIONS]++;
    }
}

void decode_watches(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        ModelHit h = {0};
        h.time = decode_time(d);
        h.point = decode_id(d, ID_POINT);
        h.thread = decode_id(d, ID_THREAD);
        h.stack = decode_id(d, ID_STACK);
        uint64_t kind = wire_u(&d->wire);
        h.kind = kind > LENS_WATCH_NOTE ? LENS_WATCH_NOTE : (uint8_t)kind;
        h.ns = wire_u(&d->wire);
        h.suppressed = wire_u(&d->wire);
        h.values = decode_values(d, &h.value_count);
        if (d->wire.bad || !decode_has_room(d, m->hits.count, MAX_EVENTS))
            continue;
        ASSERT_INDEX(&m->points, h.point);
        m->points.at[h.point].hits += h.kind != LENS_WATCH_NOTE;
        m->points.at[h.point].suppressed += h.suppressed;
        *ARRAY_PUSH(&m->hits) = h;
        m->view_count[VIEW_WATCH]++;
        if (m->on_hit != NULL)
            m->on_hit(m->context, &m->hits.at[m->hits.count - 1]);
    }
}

void decode_coverage(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        bool is_way = wire_u(&d->wire) == 1;
        ModelCovered c = {0};
        c.method = decode_id(d, ID_METHOD);
        c.bci = wire_u32(&d->wire);
        c.target = is_way ? wire_u32(&d->wire) : UINT32_MAX;
        c.count = wire_u(&d->wire);
        c.time = model_tick(m, d->block->time);
        if (d->wire.bad || c.method == 0
            || !decode_has_room(d, m->covered.count, MAX_DEFINITIONS))
            continue;
        uint64_t key = hash_mix((uint64_t)c.method << 32 | c.bci)
                       ^ hash_mix(c.target + 0x9e3779b97f4a7c15ull);
        uint32_t *index = map_at(&m->ids->covered, key);
        assert(*index <= m->covered.count);
        if (*index == 0) {
            *index = m->covered.count + 1;
            *ARRAY_PUSH(&m->covered) = c;
        } else {
            ModelCovered *known = &m->covered.at[*index - 1];
            known->time = known->count == 0 ? c.time : known->time;
            known->count += c.count;
        }
        m->view_count[VIEW_COVERAGE]++;
    }
}

// Sums of another order follow.
static void forget_exact(Model *m)
{
    m->exact.count = 0;
    map_free(&m->ids->exact);
}

void decode_exact(Decoding *d)
{
    Model *m = d->m;
    while (wire_more(&d->wire)) {
        ModelExact e = {0};
        uint64_t stack = wire_u(&d->wire);
        e.stack = stack ? map_get(&m->ids->wire[ID_STACK], stack, 0) : 0;
        e.calls = wire_u(&d->wire);
        e.self = wire_u(&d->wire);
        e.total = wire_u(&d->wire);
        if (d->wire.bad || !decode_has_room(d, m->exact.count, MAX_DEFINITIONS))
            continue;
        if (!stack) {
            forget_exact(m);
            continue;
        }
        uint32_t *index = map_at(&m->ids->exact, e.stack);
        assert(*index <= m->exact.count);
        if (*index == 0) {
            (void)ARRAY_PUSH(&m->exact);
            *index = m->exact.count;
        }
        m->exact.at[*index - 1] = e;
        m->view_count[VIEW_EXACT]++;
    }
}
