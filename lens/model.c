// SPDX-License-Identifier: Apache-2.0
// The model's frame: which block goes where, HELLO, answers, times, names of metrics and states (model.h).
#include "model_ids.h"

#include <stdlib.h>
#include <string.h>

const char *const metric_names[METRIC_KINDS] = {
    [LENS_PROCESS_CPU] = "process_cpu",
    [LENS_HEAP_USED] = "heap_used",
    [LENS_HEAP_COMMITTED] = "heap_committed",
    [LENS_HEAP_MAX] = "heap_max",
    [LENS_ALLOCATED] = "allocated",
    [LENS_GC_COUNT] = "gc_count",
    [LENS_GC_NANOS] = "gc_nanos",
    [LENS_CLASSES] = "classes",
    [LENS_THREADS_LIVE] = "threads_live",
    [LENS_THREADS_RUNNING] = "threads_running",
    [LENS_THREADS_BLOCKED] = "threads_blocked",
    [LENS_THREADS_WAITING] = "threads_waiting",
    [LENS_EXCEPTION_COUNT] = "exception_count",
    [LENS_CONTENDED_COUNT] = "contended_count",
    [LENS_CONTENDED_NANOS] = "contended_nanos",
    [LENS_CODE_CACHE_USED] = "code_cache_used",
    [LENS_RESIDENT] = "resident",
    [LENS_THREAD_CPU] = "thread_cpu",
    [LENS_THREAD_ALLOCATED] = "thread_allocated",
    [LENS_AGENT_NANOS] = "agent_nanos",
    [LENS_OTHER_AGENT_NANOS] = "other_agent_nanos",
    [LENS_OTHER_AGENT_EVENTS] = "other_agent_events",
};

const char *const state_names[LENS_ENDED + 1] = {
    "unknown", "running", "blocked", "waiting", "parked", "sleeping", "native", "new", "ended"};

bool metric_is_cumulative(LensMetric metric)
{
    assert(metric > 0 && metric < METRIC_KINDS);
    switch (metric) {
    case LENS_PROCESS_CPU:
    case LENS_ALLOCATED:
    case LENS_GC_COUNT:
    case LENS_GC_NANOS:
    case LENS_EXCEPTION_COUNT:
    case LENS_CONTENDED_COUNT:
    case LENS_CONTENDED_NANOS:
    case LENS_THREAD_CPU:
    case LENS_THREAD_ALLOCATED:
    case LENS_AGENT_NANOS:
    case LENS_OTHER_AGENT_NANOS:
    case LENS_OTHER_AGENT_EVENTS: return true;
    default: return false;
    }
}

Model *model_new(void)
{
    Model *m = mem_new(1, sizeof *m);
    m->ids = mem_new(1, sizeof *m->ids);
    (void)ARRAY_PUSH(&m->classes); // index 0 of each is "none"
    (void)ARRAY_PUSH(&m->methods);
    (void)ARRAY_PUSH(&m->threads);
    (void)ARRAY_PUSH(&m->frames);
    (void)ARRAY_PUSH(&m->stacks);
    (void)ARRAY_PUSH(&m->modules);
    (void)ARRAY_PUSH(&m->points);
    (void)ARRAY_PUSH(&m->loaders);
    m->frames.at[0].kind = LENS_FRAME_NAMED;
    m->frames.at[0].label = names_add(&m->names, "(no stack)", 10);
    m->frames.at[0].group = names_add(&m->names, "vm", 2);
    return m;
}

void model_free(Model *m)
{
    if (m == NULL)
        return;
    void *arrays[] = {m->hello.at,   m->classes.at,     m->methods.at,    m->lines.at,
                      m->threads.at, m->frames.at,      m->stacks.at,     m->modules.at,
                      m->points.at,  m->loaders.at,     m->states.at,     m->allocs.at,
                      m->waits.at,   m->collections.at, m->exceptions.at, m->hits.at,
                      m->covered.at, m->exact.at,       m->values.at,     m->follow_ends.at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    for (uint32_t i = 0; i < m->samples.count; i++)
        free(m->samples.at[i]);
    free(m->samples.at);
    for (int i = 0; i < METRIC_KINDS; i++)
        free(m->metrics[i].at);
    for (uint32_t i = 0; i < m->dumps.count; i++)
        free(m->dumps.at[i].text);
    free(m->dumps.at);
    for (int i = 0; i < ID_KINDS; i++)
        map_free(&m->ids->wire[i]);
    Map *maps[] = {&m->ids->frame_owner, &m->ids->frames,  &m->ids->stacks,
                   &m->ids->symbols,     &m->ids->objects, &m->ids->freed_early,
                   &m->ids->covered,     &m->ids->exact};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    free(m->ids);
    bytes_free(&m->new_symbols);
    names_free(&m->names);
    free(m);
}

const char *model_name(const Model *model, uint32_t name)
{
    return names_text(&model->names, name);
}

const char *model_hello(const Model *model, const char *name)
{
    for (uint32_t i = model->hello.count; i-- > 0;) {
        if (strcmp(model_name(model, model->hello.at[i].name), name) == 0)
            return model_name(model, model->hello.at[i].value);
    }
    return "";
}

bool model_hello_is(const Model *model, const char *name, const char *value)
{
    return strcmp(model_hello(model, name), value) == 0;
}

uint32_t model_tick(const Model *model, uint64_t monotonic_ns)
{
    if (monotonic_ns <= model->origin)
        return 0;
    uint64_t ticks = (monotonic_ns - model->origin) / TICK_NS;
    return ticks >= UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)ticks;
}

uint64_t model_wall_ns(const Model *model, uint32_t tick)
{
    return model->realtime + (uint64_t)tick * TICK_NS;
}

bool decode_has_room(Decoding *d, uint32_t count, uint32_t limit)
{
    if (count < limit)
        return true;
    d->m->refused++;
    return false;
}

uint32_t decode_id(Decoding *d, IdKind kind)
{
    assert(kind < ID_KINDS);
    uint64_t id = wire_u(&d->wire);
    return id == 0 ? 0 : map_get(&d->m->ids->wire[kind], id, 0);
}

uint32_t decode_name(Decoding *d)
{
    WireText text = wire_s(&d->wire);
    if (d->m->names.bytes + text.length > MAX_NAME_BYTES) {
        d->m->refused++;
        return 0;
    }
    return names_add(&d->m->names, text.at, text.length);
}

uint32_t decode_time(Decoding *d)
{
    uint64_t time = d->block->time + (uint64_t)wire_z(&d->wire);
    uint32_t tick = model_tick(d->m, time);
    if (tick > d->m->now)
        d->m->now = tick;
    return tick;
}

uint32_t decode_values(Decoding *d, uint32_t *count)
{
    uint32_t n = wire_count(&d->wire, 2), from = d->m->values.count;
    for (uint32_t i = 0; i < n && !d->wire.bad; i++) {
        ModelValue value = {0};
        value.name = decode_name(d);
        value.value = decode_name(d);
        if (i < MAX_VALUES && decode_has_room(d, d->m->values.count, MAX_EVENTS))
            *ARRAY_PUSH(&d->m->values) = value;
    }
    *count = d->m->values.count - from;
    assert(*count <= MAX_VALUES);
    return from;
}

static void forget_wire_ids(Model *m)
{
    for (uint32_t i = 0; i < m->threads.count; i++)
        m->threads.at[i].wire = 0;
    for (uint32_t i = 0; i < m->methods.count; i++)
        m->methods.at[i].wire = 0;
    for (int i = 0; i < ID_KINDS; i++)
        map_free(&m->ids->wire[i]);
    map_free(&m->ids->symbols);
    map_free(&m->ids->objects);
    map_free(&m->ids->freed_early);
}

static void decode_hello(Decoding *d)
{
    Model *m = d->m;
    forget_wire_ids(m);
    if (m->allocs.count != 0 && decode_has_room(d, m->follow_ends.count, MAX_FOLLOW_ENDS))
        *ARRAY_PUSH(&m->follow_ends) = m->now;
    m->hello.count = 0;
    m->said_bye = 0;
    while (wire_more(&d->wire) && decode_has_room(d, m->hello.count, MAX_VALUES)) {
        ModelValue pair = {0};
        pair.name = decode_name(d);
        pair.value = decode_name(d);
        *ARRAY_PUSH(&m->hello) = pair;
    }
    uint64_t monotonic, realtime;
    if (m->origin == 0 && text_number(model_hello(m, "monotonic"), &monotonic)) {
        m->origin = monotonic;
        m->realtime = text_number(model_hello(m, "realtime"), &realtime) ? realtime : 0;
    }
}

static void decode_answer(Decoding *d)
{
    while (wire_more(&d->wire)) {
        ModelAnswer answer = {.order = wire_u(&d->wire)};
        answer.state = (LensState)wire_u32(&d->wire);
        answer.permille = wire_u32(&d->wire);
        answer.left_ms = wire_u(&d->wire);
        answer.text = decode_name(d);
        uint32_t n = wire_count(&d->wire, 2);
        for (uint32_t i = 0; i < n && !d->wire.bad; i++) {
            ModelValue value = {0};
            value.name = decode_name(d);
            value.value = decode_name(d);
            *ARRAY_PUSH(&answer.values) = value;
        }
        if (!d->wire.bad && d->m->on_answer != NULL)
            d->m->on_answer(d->m->context, &answer);
        free(answer.values.at);
    }
}

static void decode_dump(Decoding *d)
{
    uint64_t order = wire_u(&d->wire);
    WireText text = wire_s(&d->wire);
    if (d->wire.bad || !decode_has_room(d, d->m->dumps.count, 1000))
        return;
    *ARRAY_PUSH(&d->m->dumps) = (ModelDump){.time = model_tick(d->m, d->block->time),
                                            .order = order,
                                            .text = mem_text(text.at, text.length)};
}

static void decode_bye(Decoding *d)
{
    uint32_t why = decode_name(d);
    d->m->said_bye = why ? why : names_add(&d->m->names, "ended", 5);
}

static void decode_clock(Decoding *d)
{
    uint64_t monotonic = wire_u(&d->wire), realtime = wire_u(&d->wire);
    if (!d->wire.bad && d->m->realtime == 0 && monotonic >= d->m->origin)
        d->m->realtime = realtime - (monotonic - d->m->origin);
}

static void (*const decoders[])(Decoding *d) = {
    [LENS_HELLO] = decode_hello,     [LENS_DEFS] = decode_definitions,
    [LENS_ANSWER] = decode_answer,   [LENS_SAMPLES] = decode_samples,
    [LENS_METRICS] = decode_metrics, [LENS_THREADS] = decode_threads,
    [LENS_ALLOCS] = decode_allocs,   [LENS_LOCKS] = decode_locks,
    [LENS_GC] = decode_gc,           [LENS_EXCEPTIONS] = decode_exceptions,
    [LENS_WATCHES] = decode_watches, [LENS_COVERAGE] = decode_coverage,
    [LENS_EXACT] = decode_exact,     [LENS_DUMP] = decode_dump,
    [LENS_BYE] = decode_bye,         [LENS_CLOCK] = decode_clock,
    [LENS_SYMBOLS] = decode_symbols,
};

bool model_take(Model *model, const LensBlock *block, const uint8_t *payload)
{
    assert(payload != NULL || block->length == 0);
    assert(!(block->flags & LENS_COMPRESSED));
    Decoding d = {
        .m = model, .wire = {.at = payload, .end = payload + block->length}, .block = block};
    model->lost += block->lost;
    if (block->type != LENS_HELLO && model->origin == 0)
        model->origin = block->time;
    if (block->type < sizeof decoders / sizeof *decoders && decoders[block->type] != NULL)
        decoders[block->type](&d);
    uint32_t tick = model_tick(model, block->time); // only HELLO tells the origin
    if (tick > model->now)
        model->now = tick;
    model->damaged += d.wire.bad;
    return !d.wire.bad;
}
