// SPDX-License-Identifier: Apache-2.0
// See heap_histogram.h. Counted, and named, with the world stopped: classes may go afterwards.
#include "service/dump/heap_histogram.h"

#include <stdlib.h>

#include "base/hash.h"
#include "class/loader.h"
#include "frame/frame_cursor.h"

typedef struct Row {
    Class *cls;
    uint64_t count, bytes;
    char *name; // external
} Row;
typedef struct Histogram {
    VEC(Row) rows;
    PtrMap places; // Class * -> index of its row + 1
    StrBuf *out;
} Histogram;

static void count_object(void *ctx, Object *o)
{
    Histogram *h = ctx;
    Class *c = object_class(o);
    size_t place = (size_t)(uintptr_t)ptrmap_get(&h->places, (uintptr_t)c);
    if (place == 0) {
        vec_push(&h->rows, ((Row){.cls = c}));
        place = h->rows.len;
        ptrmap_put(&h->places, (uintptr_t)c, (void *)(uintptr_t)place);
    }
    h->rows.at[place - 1].count++;
    h->rows.at[place - 1].bytes += object_size(o);
}

static int by_bytes(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_row(StrBuf *out, size_t number, const Row *r)
{
    const Class *c = r->cls;
    while (class_is_array(c))
        c = c->element;
    const Module *m = class_is_primitive(c) ? module_java_base : c->module;
    sb_printf(out, "%4zu: %13llu %14llu  %s", number, (unsigned long long)r->count,
              (unsigned long long)r->bytes, r->name);
    if (m && m->name && m->version)
        sb_printf(out, " (%s@%s)", m->name->s, m->version->s);
    else if (m && m->name)
        sb_printf(out, " (%s)", m->name->s);
    sb_putc(out, '\n');
}

static void print_rows(Histogram *h)
{
    uint64_t count = 0, bytes = 0;
    sb_add(h->out, " num     #instances         #bytes  class name (module)\n"
                   "-------------------------------------------------------\n");
    for (size_t i = 0; i < h->rows.len; i++) {
        add_row(h->out, i + 1, &h->rows.at[i]);
        count += h->rows.at[i].count;
        bytes += h->rows.at[i].bytes;
    }
    sb_printf(h->out, "Total %13llu %14llu\n", (unsigned long long)count,
              (unsigned long long)bytes);
}

// World stopped.
static void make_table(void *ctx)
{
    NO_GC_SCOPE();
    ASSERT_WORLD_STOPPED();
    Histogram *h = ctx;
    if (!frames_settle()) {
        sb_add(h->out, "There is no room in the heap for the objects that compiled code has "
                       "not made yet\n");
        return;
    }
    heap_each_object(count_object, h);
    for (size_t i = 0; i < h->rows.len; i++)
        h->rows.at[i].name = class_external_name(h->rows.at[i].cls);
    qsort(h->rows.at, h->rows.len, sizeof(Row), by_bytes);
    print_rows(h);
}

void heap_histogram_print(Thread *self, bool live, StrBuf *out)
{
    ASSERT_MAY_GC(self);
    Histogram h = {.out = out};
    if (!live || !heap_collect_then(self, GC_HEAP_INSPECTION, make_table, &h)) {
        world_stop(self);
        make_table(&h);
        world_resume(self);
    }
    for (size_t i = 0; i < h.rows.len; i++)
        vm_free(h.rows.at[i].name);
    vec_free(&h.rows);
    ptrmap_free(&h.places);
}
