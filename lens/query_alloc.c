// SPDX-License-Identifier: Apache-2.0
// /api/alloc: by the names of classes, and what still lives.
#define _GNU_SOURCE
#include "weigh.h"

#include <stdlib.h>
#include <string.h>

typedef struct ClassRow {
    uint32_t name;
    bool is_followed;
    uint64_t bytes, live_bytes;
    double count, live_count; // estimated: a sample's weight by its size
} ClassRow;

static int by_bytes(const void *a, const void *b)
{
    const ClassRow *x = a, *y = b;
    return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

typedef ARRAY(ClassRow) ClassRows;

static bool sum_classes(const Model *m, const Brush *brush, ClassRows *rows)
{
    bool follows = false;
    uint32_t *index = mem_new(m->names.count, sizeof *index);
    for (uint32_t i = 0; i < m->allocs.count; i++) {
        const ModelAlloc *a = &m->allocs.at[i];
        if (!brush_takes(brush, a->time, a->thread))
            continue;
        ASSERT_INDEX(&m->classes, a->class);
        uint32_t name = m->classes.at[a->class].name;
        if (index[name] == 0) {
            ARRAY_PUSH(rows)->name = name;
            index[name] = rows->count;
        }
        ClassRow *row = &rows->at[index[name] - 1];
        double count = a->size ? (double)a->weight / (double)a->size : 1;
        bool lives = model_lives(m, a, brush->to);
        row->bytes += a->weight;
        row->count += count;
        row->live_bytes += lives ? a->weight : 0;
        row->live_count += lives ? count : 0;
        row->is_followed |= a->followed;
        follows |= a->followed;
    }
    free(index);
    return follows;
}

// What still lives is null where nobody followed it.
static void put_row(const Model *m, Json *json, const ClassRow *row)
{
    json_object(json);
    json_put_text(json, "class", row->name ? model_name(m, row->name) : "(unknown class)");
    json_put_uint(json, "bytes", row->bytes);
    json_put_real(json, "count", row->count);
    if (row->is_followed) {
        json_put_uint(json, "live_bytes", row->live_bytes);
        json_put_real(json, "live_count", row->live_count);
    } else {
        json_key(json, "live_bytes");
        json_null(json);
        json_key(json, "live_count");
        json_null(json);
    }
    json_end(json);
}

void query_alloc(Query *q)
{
    Brush brush;
    ClassRows rows = {0};
    if (!query_has_model(q))
        return;
    const Model *m = q->session->model;
    brush_read(q, &brush);
    bool follows = sum_classes(m, &brush, &rows);
    if (rows.count != 0)
        qsort(rows.at, rows.count, sizeof *rows.at, by_bytes);
    json_object(&q->out);
    json_put_array(&q->out, "rows");
    for (uint32_t i = 0; i < rows.count; i++)
        put_row(m, &q->out, &rows.at[i]);
    json_array_end(&q->out);
    json_put_uint(&q->out, "samples", m->allocs.count);
    json_put_text(
        &q->out, "how",
        follows ? "Estimated from allocations sampled by their bytes; living: those "
                  "sampled objects that were not collected by the end of the range, or by "
                  "the time when recording allocations was stopped."
                : "Estimated from allocations sampled by their bytes. What still "
                  "lives is known only where it was asked for (live).");
    json_end(&q->out);
    free(rows.at);
    brush_free(&brush);
}
