// SPDX-License-Identifier: Apache-2.0
// How full the collections of java.util are, read from their fields; what extends them counts as well.
#include "heap_internal.h"

#include <stdlib.h>
#include <string.h>

// The size is in `size`, or, without it, what lies between `head` and `tail` (a ring, or the characters of a builder). The
// places are the elements of `array`, `per` of them for an entry. A set keeps all in a map, `inner`.
typedef struct Shape {
    const char *class_name, *inner, *size, *array, *head, *tail;
    uint32_t per;
} Shape;

static const Shape shapes[] = {
    {"java.util.HashMap", NULL, "size", "table", NULL, NULL, 1},
    {"java.util.HashSet", "map", NULL, NULL, NULL, NULL, 1},
    {"java.util.Hashtable", NULL, "count", "table", NULL, NULL, 1},
    {"java.util.IdentityHashMap", NULL, "size", "table", NULL, NULL, 2},
    {"java.util.WeakHashMap", NULL, "size", "table", NULL, NULL, 1},
    {"java.util.EnumMap", NULL, "size", "vals", NULL, NULL, 1},
    {"java.util.ArrayList", NULL, "size", "elementData", NULL, NULL, 1},
    {"java.util.Vector", NULL, "elementCount", "elementData", NULL, NULL, 1},
    {"java.util.ArrayDeque", NULL, NULL, "elements", "head", "tail", 1},
    {"java.util.PriorityQueue", NULL, "size", "queue", NULL, NULL, 1},
    {"java.util.concurrent.ConcurrentHashMap", NULL, "baseCount", "table", NULL, NULL, 1},
    {"java.util.concurrent.PriorityBlockingQueue", NULL, "size", "queue", NULL, NULL, 1},
    {"java.util.concurrent.ArrayBlockingQueue", NULL, "count", "items", NULL, NULL, 1},
    {"java.util.concurrent.CopyOnWriteArrayList", NULL, NULL, "array", NULL, NULL, 1},
    {"java.lang.AbstractStringBuilder", NULL, "count", "value", NULL, NULL, 1},
};

enum {
    MAX_NAMES = 5 // of fields in a shape
};

static const Shape *shape_of(const HeapGraph *g, uint32_t class_index)
{
    ASSERT_CLASS(g, class_index);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (heap_is_a(g, class_index, shapes[i].class_name))
            return &shapes[i];
    }
    return NULL;
}

typedef struct Values { // of the fields that a shape names
    const HeapGraph *g;
    const char *const *names;
    HeapItem items[MAX_NAMES];
    bool found[MAX_NAMES];
} Values;

static bool take_value(void *context, const HeapItem *item)
{
    Values *v = context;
    if (item->kind != HEAP_ITEM_FIELD || item->index == HEAP_NONE)
        return true;
    assert(item->index < v->g->field_count);
    const char *name = v->g->fields[item->index].name;
    for (int i = 0; i < MAX_NAMES; i++) {
        if (v->names[i] != NULL && strcmp(v->names[i], name) == 0) {
            v->items[i] = *item;
            v->found[i] = true;
        }
    }
    return true;
}

typedef struct Fill {
    uint64_t used, capacity, place_bytes; // place_bytes: of one place
} Fill;

static bool fill_of(HeapGraph *g, HeapObject o, const Shape *shape, Fill *fill)
{
    const char *names[MAX_NAMES] = {shape->inner, shape->size, shape->array, shape->head,
                                    shape->tail};
    Values v = {.g = g, .names = names};
    g->source->visit(g, o, take_value, &v);
    if (shape->inner != NULL) {
        HeapObject inner = v.items[0].to;
        const Shape *other = inner == 0 ? NULL : shape_of(g, g->class_of[inner]);
        return other != NULL && other->inner == NULL && fill_of(g, inner, other, fill);
    }
    HeapObject array = v.items[2].to;
    uint64_t length = array == 0 ? 0 : heap_length_of(g, array);
    *fill = (Fill){.capacity = length / shape->per};
    if (length > 0)
        fill->place_bytes = heap_bytes_of(g, array) / length * shape->per;
    if (shape->size != NULL) {
        if (!v.found[1])
            return false; // the walk has no contents
        fill->used = v.items[1].bits;
    } else if (shape->head != NULL) {
        if (!v.found[3] || !v.found[4])
            return false;
        uint64_t head = v.items[3].bits, tail = v.items[4].bits;
        fill->used = tail >= head ? tail - head : length - (head - tail);
    } else {
        fill->used = fill->capacity;
    }
    return fill->used <= INT64_MAX; // a negative count is that of a map that is being changed
}

bool heap_collection_size(HeapGraph *g, HeapObject o, uint64_t *size)
{
    const Shape *shape = shape_of(g, g->class_of[o]);
    Fill fill;
    if (shape == NULL || !fill_of(g, o, shape, &fill))
        return false;
    *size = fill.used;
    return true;
}

static void count_collection(HeapGraph *g, HeapObject o, const Shape *shape,
                             HeapCollectionRow *row, uint64_t *most)
{
    Fill fill;
    if (!fill_of(g, o, shape, &fill))
        return;
    uint64_t used =
        fill.used < fill.capacity ? fill.used : fill.capacity; // a chained table holds more
    uint64_t wasted = (fill.capacity - used) * fill.place_bytes;
    row->count++;
    row->empty += fill.used == 0;
    row->capacity += fill.capacity;
    row->used += fill.used;
    row->wasted += wasted;
    if (row->worst == 0 || wasted > *most) {
        row->worst = o;
        *most = wasted;
    }
}

static int by_wasted(const void *a, const void *b)
{
    const HeapCollectionRow *x = a, *y = b;
    return x->wasted != y->wasted ? (x->wasted < y->wasted ? 1 : -1)
                                  : strcmp(x->class_name, y->class_name);
}

bool heap_collections(HeapGraph *g, HeapArena *arena, HeapCollectionRow **rows, size_t *count,
                      HeapError *error)
{
    *error = (HeapError){0};
    *count = 0;
    *rows = heap_arena_get(arena, (g->class_count + 1) * sizeof(**rows));
    const Shape **shape = calloc(g->class_count + 1, sizeof(*shape));
    uint64_t *most = calloc(g->class_count + 1, sizeof(*most));
    bool ok = *rows != NULL && shape != NULL && most != NULL;
    for (uint32_t c = 0; ok && c < g->class_count; c++) {
        shape[c] = g->classes[c].count == 0 ? NULL : shape_of(g, c);
        (*rows)[c].class_name = g->classes[c].name;
    }
    for (uint32_t o = 1; ok && o <= g->count; o++) {
        uint32_t c = g->class_of[o];
        if (shape[c] != NULL)
            count_collection(g, o, shape[c], &(*rows)[c], &most[c]);
    }
    for (uint32_t c = 0; ok && c < g->class_count; c++) {
        if ((*rows)[c].count > 0)
            (*rows)[(*count)++] = (*rows)[c];
    }
    free(shape);
    free(most);
    if (!ok)
        return heap_fail_memory(error);
    if (*count > 1)
        qsort(*rows, *count, sizeof(**rows), by_wasted);
    return true;
}
