// SPDX-License-Identifier: Apache-2.0
// Coverage by class and line (coverage.h), made anew for each question from the places and ways that the agent told.
#define _GNU_SOURCE
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reading {
    const Model *m;
    uint32_t since;
    uint32_t *first, *next; // places and ways by method; index + 1
    Map classes;            // name, to index + 1
    Map lines;              // class's index and line, to index + 1
} Reading;

static CoverageLine *line_of(Reading *r, CoverageClass *c, uint32_t class_index, uint32_t line)
{
    ASSERT_INDEX(&r->classes, class_index);
    uint32_t *at = map_at(&r->lines, (uint64_t)class_index << 32 | line);
    if (*at == 0) {
        ARRAY_PUSH(&c->lines)->line = line;
        *at = c->lines.count;
    }
    return &c->lines.at[*at - 1];
}

static bool was_reached(const Reading *r, const ModelCovered *c)
{
    return c->count != 0 && c->time >= r->since;
}

static void add_place(Reading *r, const ModelCovered *p, CoverageLine *line,
                      CoverageMethod *method)
{
    bool reached = was_reached(r, p);
    if (p->target == UINT32_MAX) {
        line->places++;
        line->hit += reached;
        line->count = reached && p->count > line->count ? p->count : line->count;
        method->places++;
        method->hit += reached;
    } else {
        line->branches++;
        line->taken += reached;
        method->branches++;
        method->taken += reached;
    }
}

// An agent that tells only what was reached: the line table has the rest.
static void add_untold(Reading *r, CoverageClass *c, uint32_t class_index, const ModelMethod *m,
                       CoverageMethod *method, const Map *told)
{
    for (uint32_t i = 0; i < m->line_count; i++) {
        const ModelLine *l = &r->m->lines.at[m->lines + i];
        assert(m->lines + i < r->m->lines.count);
        if (map_get(told, l->bci, 0) != 0)
            continue;
        line_of(r, c, class_index, l->line)->places++;
        method->places++;
    }
}

static void add_method(Reading *r, CoverageClass *c, uint32_t class_index, uint32_t id)
{
    const ModelMethod *m = &r->m->methods.at[id];
    CoverageMethod method = {.method = id,
                             .line = m->line_count ? r->m->lines.at[m->lines].line : 0};
    Map told = {0};
    for (uint32_t i = r->first[id]; i != 0; i = r->next[i - 1]) {
        const ModelCovered *p = &r->m->covered.at[i - 1];
        uint32_t line = model_line(r->m, m, (int32_t)p->bci);
        add_place(r, p, line_of(r, c, class_index, line), &method);
        if (p->target == UINT32_MAX)
            *map_at(&told, p->bci) = 1;
    }
    add_untold(r, c, class_index, m, &method, &told);
    map_free(&told);
    ASSERT_COVERED(&method);
    *ARRAY_PUSH(&c->methods) = method;
}

static uint32_t class_of(Reading *r, Coverage *coverage, const ModelClass *c)
{
    uint32_t *at = map_at(&r->classes, c->name);
    if (*at == 0) {
        *ARRAY_PUSH(&coverage->classes) =
            (CoverageClass){.name = c->name, .source = c->source, .package = c->package};
        *at = coverage->classes.count;
    }
    return *at - 1;
}

static void index_places(Reading *r)
{
    r->first = mem_new(r->m->methods.count, sizeof *r->first);
    r->next = mem_new(r->m->covered.count, sizeof *r->next);
    for (uint32_t i = r->m->covered.count; i-- > 0;) {
        uint32_t method = r->m->covered.at[i].method;
        ASSERT_INDEX(&r->m->methods, method);
        r->next[i] = r->first[method];
        r->first[method] = i + 1;
    }
}

static int by_line(const void *a, const void *b)
{
    const CoverageLine *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

static int by_name(const void *a, const void *b, void *context)
{
    const CoverageClass *x = a, *y = b;
    int packages = strcmp(model_name(context, x->package), model_name(context, y->package));
    return packages ? packages
                    : strcmp(model_name(context, x->name), model_name(context, y->name));
}

// By method: the newest of its name in its class; a redefined class has its methods again, and of the old ones nothing can be reached any more.
static uint32_t *find_newest(const Reading *r)
{
    const Model *m = r->m;
    Map names = {0}, newest = {0};
    uint32_t *of = mem_new(m->methods.count, sizeof *of),
             *key = mem_new(m->methods.count, sizeof *key);
    for (uint32_t id = 1, count = 0; id < m->methods.count; id++) {
        const ModelMethod *method = &m->methods.at[id];
        ASSERT_INDEX(&m->classes, method->class);
        uint32_t *name = map_at(&names, (uint64_t)method->name << 32 | method->signature);
        key[id] = *name = *name ? *name : ++count;
        if (r->first[id] != 0)
            *map_at(&newest, (uint64_t)method->class << 32 | key[id]) = id;
    }
    for (uint32_t id = 1; id < m->methods.count; id++)
        of[id] = map_get(&newest, (uint64_t)m->methods.at[id].class << 32 | key[id], 0);
    map_free(&names);
    map_free(&newest);
    free(key);
    return of;
}

void coverage_read(const Model *m, uint32_t only, uint32_t since, Coverage *coverage)
{
    Reading r = {.m = m, .since = since};
    *coverage = (Coverage){0};
    index_places(&r);
    uint32_t *newest = find_newest(&r);
    for (uint32_t id = 1; id < m->methods.count; id++) {
        const ModelClass *c = &m->classes.at[m->methods.at[id].class];
        if (newest[id] != id || (only != 0 && c->name != only))
            continue;
        uint32_t class_index = class_of(&r, coverage, c);
        add_method(&r, &coverage->classes.at[class_index], class_index, id);
    }
    for (uint32_t i = 0; i < coverage->classes.count; i++) {
        CoverageClass *c = &coverage->classes.at[i];
        if (c->lines.count != 0)
            qsort(c->lines.at, c->lines.count, sizeof *c->lines.at, by_line);
    }
    if (coverage->classes.count != 0)
        qsort_r(coverage->classes.at, coverage->classes.count, sizeof *coverage->classes.at,
                by_name, (void *)m);
    free(newest);
    free(r.first);
    free(r.next);
    map_free(&r.classes);
    map_free(&r.lines);
}

void coverage_free(Coverage *coverage)
{
    for (uint32_t i = 0; i < coverage->classes.count; i++) {
        free(coverage->classes.at[i].lines.at);
        free(coverage->classes.at[i].methods.at);
    }
    free(coverage->classes.at);
    *coverage = (Coverage){0};
}
