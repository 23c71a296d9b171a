// SPDX-License-Identifier: Apache-2.0
// /api/coverage, coverage_source, source.
#define _GNU_SOURCE
#include "coverage.h"
#include "query.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

static uint32_t since_of(const Query *q)
{
    assert(q->session->model != NULL);
    const char *since = query_param(q, "since");
    return since != NULL && strcmp(since, "mark") == 0 ? q->session->mark : 0;
}

static void put_class(const Model *m, Json *json, const CoverageClass *c)
{
    uint32_t lines = 0, hit = 0, branches = 0, taken = 0;
    for (uint32_t i = 0; i < c->lines.count; i++) {
        lines += c->lines.at[i].places != 0;
        hit += c->lines.at[i].hit != 0;
        branches += c->lines.at[i].branches;
        taken += c->lines.at[i].taken;
    }
    json_object(json);
    json_put_text(json, "name", model_name(m, c->name));
    json_put_text(json, "source", model_name(m, c->source));
    json_put_uint(json, "lines", lines);
    json_put_uint(json, "hit", hit);
    json_put_uint(json, "branches", branches);
    json_put_uint(json, "taken", taken);
    json_end(json);
}

void query_coverage(Query *q)
{
    Coverage coverage;
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    coverage_read(m, 0, since_of(q), &coverage);
    json_object(&q->out);
    json_put_array(&q->out, "packages");
    for (uint32_t i = 0; i < coverage.classes.count; i++) {
        const CoverageClass *c = &coverage.classes.at[i];
        bool first = i == 0 || c[-1].package != c->package;
        bool last = i + 1 == coverage.classes.count || c[1].package != c->package;
        if (first) {
            json_object(&q->out);
            json_put_text(&q->out, "name", model_name(m, c->package));
            json_put_array(&q->out, "classes");
        }
        put_class(m, &q->out, c);
        if (last) {
            json_array_end(&q->out);
            json_end(&q->out);
        }
    }
    json_array_end(&q->out);
    json_put_text(&q->out, "how",
                  "Exact: a breakpoint on each line that goes away at its first hit; branches "
                  "by the jump's ways. Of classes that were loaded while coverage ran.");
    json_end(&q->out);
    coverage_free(&coverage);
}

static void put_lines(Json *json, const CoverageClass *c)
{
    json_put_array(json, "lines");
    for (uint32_t i = 0; c != NULL && i < c->lines.count; i++) {
        const CoverageLine *l = &c->lines.at[i];
        if (l->line == 0)
            continue;
        json_object(json);
        json_put_uint(json, "nr", l->line);
        json_put_text(json, "state", coverage_state(l));
        json_put_uint(json, "count", l->count);
        json_put_array(json, "branches");
        json_uint(json, l->taken);
        json_uint(json, l->branches);
        json_array_end(json);
        json_end(json);
    }
    json_array_end(json);
}

static void put_looked(Json *json, const Source *source)
{
    json_put_array(json, "looked");
    for (uint32_t i = 0; i < source->looked.count; i++)
        json_text(json, source->looked.at[i]);
    json_array_end(json);
}

// Nested classes share the file: all of them are merged into its lines.
static void merge_nested(const Model *m, Coverage *coverage, const char *outer)
{
    size_t length = strcspn(outer, "$");
    CoverageClass all = {0};
    Map lines = {0};
    for (uint32_t i = 0; i < coverage->classes.count; i++) {
        CoverageClass *c = &coverage->classes.at[i];
        const char *name = model_name(m, c->name);
        if (strncmp(name, outer, length) != 0 || (name[length] != 0 && name[length] != '$'))
            continue;
        for (uint32_t k = 0; k < c->lines.count; k++) {
            uint32_t *at = map_at(&lines, c->lines.at[k].line);
            if (*at == 0) {
                *ARRAY_PUSH(&all.lines) = c->lines.at[k];
                *at = all.lines.count;
                continue;
            }
            CoverageLine *into = &all.lines.at[*at - 1];
            into->places += c->lines.at[k].places;
            into->hit += c->lines.at[k].hit;
            into->branches += c->lines.at[k].branches;
            into->taken += c->lines.at[k].taken;
            into->count =
                c->lines.at[k].count > into->count ? c->lines.at[k].count : into->count;
        }
    }
    map_free(&lines);
    *ARRAY_PUSH(&coverage->classes) = all;
}

void query_coverage_source(Query *q)
{
    Coverage coverage;
    Source source;
    const char *class = query_param(q, "class");
    if (!query_has_model(q))
        return;
    if (class == NULL) {
        query_fail(q, 400, "Name a class.", "No class was named.");
        return;
    }
    coverage_read(q->session->model, 0, since_of(q), &coverage);
    merge_nested(q->session->model, &coverage, class);
    source_find(q->session, class, &source);
    json_object(&q->out);
    json_put_text(&q->out, "source", source.text);
    json_put_text(&q->out, "path", source.path);
    put_looked(&q->out, &source);
    assert(coverage.classes.count > 0); // at least the merged one
    put_lines(&q->out, &coverage.classes.at[coverage.classes.count - 1]);
    json_end(&q->out);
    source_free(&source);
    coverage_free(&coverage);
}

void query_source(Query *q)
{
    Source source;
    const char *class = query_param(q, "class");
    if (class == NULL) {
        query_fail(q, 400, "Name a class.", "No class was named.");
        return;
    }
    source_find(q->session, class, &source);
    if (source.text == NULL) {
        query_fail(q, 404,
                   "Name its folder, jar or zip with --source, or install the JDK's sources "
                   "(openjdk-17-source).",
                   "The source of %s was not found in %u places.", class, source.looked.count);
    } else {
        json_object(&q->out);
        json_put_text(&q->out, "text", source.text);
        json_put_text(&q->out, "path", source.path);
        json_end(&q->out);
    }
    source_free(&source);
}
