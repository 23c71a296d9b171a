// SPDX-License-Identifier: Apache-2.0
// The heap by class: the histogram, and how it differs from another's.
#include "heap_internal.h"

#include <stdlib.h>
#include <string.h>

uint32_t heap_find_class(const HeapGraph *g, const char *name)
{
    uint32_t found = HEAP_NONE;
    for (uint32_t i = 0; i < g->class_count; i++) {
        if (strcmp(g->classes[i].name, name) != 0)
            continue;
        if (g->classes[i].count > 0)
            return i;
        if (found == HEAP_NONE)
            found = i;
    }
    return found;
}

const char *heap_loader_label(HeapGraph *g, const HeapClass *c, HeapArena *arena)
{
    assert(c->loader <= g->count); // 0: boot
    if (c->loader == 0)
        return "boot";
    const char *class_name = heap_class_of(g, c->loader)->name;
    HeapItem name;
    HeapText text = {0};
    const char *label = class_name;
    if (heap_field_named(g, c->loader, "name", &name) && name.to != 0
        && g->source->text(g, name.to, HEAP_LABEL, &text))
        label = heap_arena_printf(arena, "%s \"%s\"", class_name, text.bytes);
    free(text.bytes);
    return label;
}

// Rows of all classes that have instances; *rows has room for `room` more.
static HeapClassRow *class_rows(HeapGraph *g, size_t room, HeapArena *arena, size_t *count)
{
    HeapClassRow *rows = heap_arena_get(arena, (g->class_count + room + 1) * sizeof(*rows));
    HeapObject last = 0;
    const char *label = "boot";
    *count = 0;
    for (uint32_t i = 0; rows != NULL && i < g->class_count; i++) {
        const HeapClass *c = &g->classes[i];
        if (c->count == 0)
            continue;
        if (c->loader != last) {
            label = heap_loader_label(g, c, arena);
            last = c->loader;
        }
        if (label == NULL)
            return NULL;
        rows[(*count)++] = (HeapClassRow){.class_index = i,
                                          .name = c->name,
                                          .loader = label,
                                          .class_object = c->object,
                                          .count = c->count,
                                          .bytes = c->bytes,
                                          .retained = c->retained};
    }
    return rows;
}

static int by_name(const void *a, const void *b)
{
    const HeapClassRow *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : strcmp(x->loader, y->loader);
}

static int by_bytes(const void *a, const void *b)
{
    const HeapClassRow *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : by_name(a, b);
}

// Classes of the same name whose loaders look alike are one: two snapshots tell them apart by nothing else. Sorted by name.
static void merge_equal(HeapClassRow *rows, size_t *count)
{
    size_t kept = 0;
    if (*count > 1)
        qsort(rows, *count, sizeof(*rows), by_name);
    for (size_t i = 0; i < *count; i++) {
        if (kept > 0 && by_name(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].count += rows[i].count;
            rows[kept - 1].bytes += rows[i].bytes;
            rows[kept - 1].retained += rows[i].retained;
        } else {
            rows[kept++] = rows[i];
        }
    }
    *count = kept;
}

// Adds to `rows` what the base has, and sets the differences.
static void compare_rows(HeapClassRow *rows, size_t *count, HeapClassRow *base,
                         size_t base_count)
{
    size_t own = *count, i = 0;
    for (size_t k = 0; k < own; k++) {
        rows[k].more_count = (int64_t)rows[k].count;
        rows[k].more_bytes = (int64_t)rows[k].bytes;
    }
    for (size_t k = 0; k < base_count; k++) {
        while (i < own && by_name(&rows[i], &base[k]) < 0)
            i++;
        assert(k == 0 || by_name(&base[k - 1], &base[k]) < 0); // both are sorted
        HeapClassRow *row = &rows[i];
        if (i >= own || by_name(row, &base[k]) != 0) {
            row = &rows[(*count)++];
            *row = (HeapClassRow){
                .class_index = HEAP_NONE, .name = base[k].name, .loader = base[k].loader};
        }
        row->more_count -= (int64_t)base[k].count;
        row->more_bytes -= (int64_t)base[k].bytes;
    }
}

bool heap_histogram(HeapGraph *g, HeapGraph *base, HeapArena *arena, HeapClassRow **rows,
                    size_t *count, HeapError *error)
{
    size_t base_count = 0;
    HeapClassRow *old = base == NULL ? NULL : class_rows(base, 0, arena, &base_count);
    HeapClassRow *own = class_rows(g, base_count, arena, count);
    *error = (HeapError){0};
    if (own == NULL || (base != NULL && old == NULL))
        return heap_fail_memory(error);
    if (base != NULL) {
        merge_equal(own, count);
        merge_equal(old, &base_count);
        compare_rows(own, count, old, base_count);
        for (size_t i = 0; i < *count; i++) { // the base may be freed before the rows
            own[i].name = heap_arena_text(arena, own[i].name, strlen(own[i].name));
            own[i].loader = heap_arena_text(arena, own[i].loader, strlen(own[i].loader));
            if (own[i].name == NULL || own[i].loader == NULL)
                return heap_fail_memory(error);
        }
    }
    if (*count > 1)
        qsort(own, *count, sizeof(*own), by_bytes);
    *rows = own;
    return true;
}
