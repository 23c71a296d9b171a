// SPDX-License-Identifier: Apache-2.0
// Exports of stacks: collapsed, CSV, pprof, speedscope, JSON (the flame graph of API.md).
#define _GNU_SOURCE
#include "export.h"

#include "flame.h"

#include <stdlib.h>
#include <string.h>

typedef ARRAY(uint32_t) StackList;

// Frames of a stack, the innermost first.
static void list_frames(const Model *m, uint32_t stack, StackList *frames)
{
    ASSERT_INDEX(&m->stacks, stack);
    frames->count = 0;
    if (stack == 0)
        *ARRAY_PUSH(frames) = 0;
    for (; stack != 0; stack = m->stacks.at[stack].parent)
        *ARRAY_PUSH(frames) = m->stacks.at[stack].frame;
}

// ---- collapsed: a;b;c 42 ----

static void put_collapsed_name(Bytes *out, const char *name)
{
    for (const char *c = name; *c != 0; c++) {
        char plain = *c == ';' ? ',' : (unsigned char)*c < 0x20 ? '?' : *c;
        bytes_put(out, &plain, 1);
    }
}

// Weights of nanoseconds are told in microseconds, as sums of small ones would lose the rest when rounded to more.
bool export_collapsed(Export *e)
{
    StackList frames = {0};
    Bytes *out = &e->query->bytes;
    uint64_t divide = strcmp(e->weights->unit, "ns") == 0 ? 1000 : 1;
    for (uint32_t i = 0; i < e->weights->entries.count; i++) {
        const WeightEntry *w = &e->weights->entries.at[i];
        list_frames(e->model, w->stack, &frames);
        for (uint32_t k = frames.count; k-- > 0;) {
            put_collapsed_name(out,
                               model_name(e->model, e->model->frames.at[frames.at[k]].label));
            bytes_put(out, k ? ";" : " ", 1);
        }
        export_put(out, "%llu\n", (unsigned long long)((w->weight + divide / 2) / divide));
    }
    free(frames.at);
    return true;
}

// ---- CSV: hot methods ----

static void put_csv_text(Bytes *out, const char *text)
{
    bytes_put(out, "\"", 1);
    if (*text != 0 && strchr("=+-@", *text) != NULL)
        bytes_put(out, "'", 1); // a spreadsheet would take it for a formula
    for (; *text != 0; text++)
        bytes_put(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    bytes_put(out, "\"", 1);
}

bool export_csv(Export *e)
{
    uint32_t count;
    HotRow *rows = flame_hot(e->model, e->weights, &count);
    Bytes *out = &e->query->bytes;
    export_put(out, "method,class,package,self_%s,total_%s\n", e->weights->unit,
               e->weights->unit);
    for (uint32_t i = 0; i < count; i++) {
        put_csv_text(out, model_name(e->model, rows[i].name));
        export_put(out, ",");
        put_csv_text(out, model_name(e->model, rows[i].class));
        export_put(out, ",");
        put_csv_text(out, model_name(e->model, rows[i].group));
        export_put(out, ",%llu,%llu\n", (unsigned long long)rows[i].self,
                   (unsigned long long)rows[i].total);
    }
    free(rows);
    return true;
}

// ---- JSON ----

static void take_json(Export *e, Json *json)
{
    assert(json_is_whole(json));
    bytes_put(&e->query->bytes, json->text, json->length);
    json_free(json);
}

bool export_json(Export *e)
{
    Flame flame = {0};
    Json json = {0};
    flame_add(&flame, e->model, e->model, e->weights, &(FlameOptions){0});
    flame_sum(&flame);
    json_object(&json);
    flame_put(&flame, e->model, &json, 1);
    json_put_text(&json, "unit", e->weights->unit);
    json_put_text(&json, "how", e->weights->how);
    json_end(&json);
    take_json(e, &json);
    flame_free(&flame);
    return true;
}

// ---- speedscope: shared frames, one profile "sampled" ----

static const char *source_of(const Model *m, const ModelFrame *f)
{
    assert(f->kind != LENS_FRAME_JAVA || f->owner < m->methods.count);
    return f->kind == LENS_FRAME_JAVA
               ? model_name(m, m->classes.at[m->methods.at[f->owner].class].source)
               : "";
}

static void put_speedscope_frames(Export *e, Json *json)
{
    const Model *m = e->model;
    json_put_object(json, "shared");
    json_put_array(json, "frames");
    for (uint32_t i = 0; i < m->frames.count; i++) {
        const ModelFrame *f = &m->frames.at[i];
        uint32_t line =
            f->kind == LENS_FRAME_JAVA ? model_line(m, &m->methods.at[f->owner], f->at) : 0;
        json_object(json);
        json_put_text(json, "name", model_name(m, f->label));
        if (*source_of(m, f) != 0)
            json_put_text(json, "file", source_of(m, f));
        if (line != 0)
            json_put_uint(json, "line", line);
        json_end(json);
    }
    json_array_end(json);
    json_end(json);
}

bool export_speedscope(Export *e)
{
    StackList frames = {0};
    Json json = {0};
    const char *unit = strcmp(e->weights->unit, "ns") == 0      ? "nanoseconds"
                       : strcmp(e->weights->unit, "bytes") == 0 ? "bytes"
                                                                : "none";
    json_object(&json);
    json_put_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_put_text(&json, "exporter", "lens");
    json_put_text(&json, "name", e->query->session->jvm.main);
    put_speedscope_frames(e, &json);
    json_put_array(&json, "profiles");
    json_object(&json);
    json_put_text(&json, "type", "sampled");
    json_put_text(&json, "name", weigh_names[e->weights->data]);
    json_put_text(&json, "unit", unit);
    json_put_uint(&json, "startValue", 0);
    json_put_uint(&json, "endValue", e->weights->sum);
    json_put_array(&json, "samples");
    for (uint32_t i = 0; i < e->weights->entries.count; i++) {
        list_frames(e->model, e->weights->entries.at[i].stack, &frames);
        json_array(&json);
        for (uint32_t k = frames.count; k-- > 0;)
            json_uint(&json, frames.at[k]);
        json_array_end(&json);
    }
    json_array_end(&json);
    json_put_array(&json, "weights");
    for (uint32_t i = 0; i < e->weights->entries.count; i++)
        json_uint(&json, e->weights->entries.at[i].weight);
    json_array_end(&json);
    json_end(&json);
    json_array_end(&json);
    json_put_uint(&json, "activeProfileIndex", 0);
    json_end(&json);
    take_json(e, &json);
    free(frames.at);
    return true;
}

// ---- pprof: protocol buffers by hand. Numbers of fields are those of profile.proto ----

typedef struct Pprof {
    Bytes out;
    Names names; // index in the string table = id
} Pprof;

enum { // profile.proto
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    VALUE_TYPE_TYPE = 1,
    VALUE_TYPE_UNIT = 2,
    SAMPLE_LOCATION_ID = 1,
    SAMPLE_VALUE = 2,
    MAPPING_ID = 1,
    MAPPING_FILENAME = 5,
    MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    LOCATION_ID = 1,
    LOCATION_MAPPING_ID = 2,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION_ID = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILENAME = 4
};

static void put_number(Bytes *out, int field, uint64_t value)
{
    bytes_u(out, (uint64_t)field << 3);
    bytes_u(out, value);
}

static void put_message(Bytes *out, int field, Bytes *message)
{
    bytes_u(out, (uint64_t)field << 3 | 2);
    bytes_u(out, message->length);
    bytes_put(out, message->at, message->length);
    message->length = 0;
}

static uint64_t string_index(Pprof *p, const char *text)
{
    return names_add(&p->names, text, strlen(text));
}

static void put_value_type(Pprof *p, const char *type, const char *unit)
{
    Bytes message = {0};
    put_number(&message, VALUE_TYPE_TYPE, string_index(p, type));
    put_number(&message, VALUE_TYPE_UNIT, string_index(p, unit));
    put_message(&p->out, PROFILE_SAMPLE_TYPE, &message);
    bytes_free(&message);
}

static const char *pprof_unit(const Weights *w)
{
    return strcmp(w->unit, "ns") == 0      ? "nanoseconds"
           : strcmp(w->unit, "bytes") == 0 ? "bytes"
                                           : "count";
}

// One location and function for each frame: ids are the frame's index + 1.
static void put_locations(Pprof *p, const Model *m)
{
    Bytes message = {0}, line = {0};
    for (uint32_t i = 0; i < m->frames.count; i++) {
        const ModelFrame *f = &m->frames.at[i];
        put_number(&line, LINE_FUNCTION_ID, i + 1);
        if (f->kind == LENS_FRAME_JAVA)
            put_number(&line, LINE_LINE, model_line(m, &m->methods.at[f->owner], f->at));
        put_number(&message, LOCATION_ID, i + 1);
        put_number(&message, LOCATION_MAPPING_ID,
                   1 + (f->kind == LENS_FRAME_NATIVE ? f->owner : 0));
        if (f->kind == LENS_FRAME_NATIVE)
            put_number(&message, LOCATION_ADDRESS, (uint32_t)f->at);
        put_message(&message, LOCATION_LINE, &line);
        put_message(&p->out, PROFILE_LOCATION, &message);
        put_number(&message, FUNCTION_ID, i + 1);
        put_number(&message, FUNCTION_NAME, string_index(p, model_name(m, f->label)));
        put_number(&message, FUNCTION_SYSTEM_NAME, string_index(p, model_name(m, f->label)));
        put_number(&message, FUNCTION_FILENAME, string_index(p, source_of(m, f)));
        put_message(&p->out, PROFILE_FUNCTION, &message);
    }
    for (uint32_t i = 0; i < m->modules.count; i++) {
        put_number(&message, MAPPING_ID, i + 1);
        put_number(&message, MAPPING_FILENAME,
                   string_index(p, i ? model_name(m, m->modules.at[i].path) : "java"));
        put_number(&message, MAPPING_BUILD_ID,
                   string_index(p, model_name(m, m->modules.at[i].build_id)));
        put_number(&message, MAPPING_HAS_FUNCTIONS, 1);
        put_message(&p->out, PROFILE_MAPPING, &message);
    }
    bytes_free(&message);
    bytes_free(&line);
}

static void put_samples(Pprof *p, const Export *e)
{
    Bytes message = {0}, ids = {0};
    StackList frames = {0};
    for (uint32_t i = 0; i < e->weights->entries.count; i++) {
        const WeightEntry *w = &e->weights->entries.at[i];
        list_frames(e->model, w->stack, &frames);
        for (uint32_t k = 0; k < frames.count; k++)
            bytes_u(&ids, frames.at[k] + 1ull);
        put_message(&message, SAMPLE_LOCATION_ID, &ids);
        bytes_u(&ids, w->count);
        bytes_u(&ids, w->weight);
        put_message(&message, SAMPLE_VALUE, &ids);
        put_message(&p->out, PROFILE_SAMPLE, &message);
    }
    bytes_free(&message);
    bytes_free(&ids);
    free(frames.at);
}

bool export_pprof(Export *e)
{
    Pprof p = {0};
    uint32_t to = e->brush->to > e->model->now ? e->model->now : e->brush->to;
    put_value_type(&p, "samples", "count");
    put_value_type(&p, weigh_names[e->weights->data], pprof_unit(e->weights));
    put_samples(&p, e);
    put_locations(&p, e->model);
    put_number(&p.out, PROFILE_TIME_NANOS, model_wall_ns(e->model, e->brush->from));
    put_number(&p.out, PROFILE_DURATION_NANOS,
               (uint64_t)(to > e->brush->from ? to - e->brush->from : 0) * TICK_NS);
    for (uint32_t i = 0; i < p.names.count; i++) { // the first is the empty one
        Bytes text = {0};
        bytes_put(&text, names_text(&p.names, i), strlen(names_text(&p.names, i)));
        put_message(&p.out, PROFILE_STRING_TABLE, &text);
        bytes_free(&text);
    }
    names_free(&p.names);
    bytes_free(&e->query->bytes);
    e->query->bytes = p.out;
    export_gzip(&e->query->bytes);
    return true;
}
