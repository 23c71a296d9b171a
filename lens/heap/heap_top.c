// SPDX-License-Identifier: Apache-2.0
// The objects that retain most out of many, without keeping all: a heap whose first is the worst that is kept.
#include "heap_internal.h"

#include <stdlib.h>

void heap_top_init(HeapTop *t, const HeapGraph *g, uint64_t limit)
{
    assert(g->retained != NULL); // they are known before one is better
    *t = (HeapTop){.g = g, .limit = limit > g->count ? g->count : (size_t)limit};
}

void heap_top_free(HeapTop *t)
{
    free(t->heap);
    t->heap = NULL;
}

static bool is_better(const HeapGraph *g, HeapObject a, HeapObject b)
{
    return g->retained[a] != g->retained[b] ? g->retained[a] > g->retained[b] : a < b;
}

static void sink(HeapTop *t, size_t i)
{
    assert(i < t->count);
    HeapObject o = t->heap[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= t->count)
            break;
        if (child + 1 < t->count && is_better(t->g, t->heap[child], t->heap[child + 1]))
            child++;
        if (!is_better(t->g, o, t->heap[child]))
            break;
        t->heap[i] = t->heap[child];
        i = child;
    }
    t->heap[i] = o;
}

static void rise(HeapTop *t, size_t i)
{
    HeapObject o = t->heap[i];
    for (; i > 0 && is_better(t->g, t->heap[(i - 1) / 2], o); i = (i - 1) / 2)
        t->heap[i] = t->heap[(i - 1) / 2];
    t->heap[i] = o;
}

void heap_top_add(HeapTop *t, HeapObject o)
{
    ASSERT_OBJECT(t->g, o);
    if (t->limit == 0 || t->failed)
        return;
    if (t->count < t->limit) {
        if (!heap_grow((void **)&t->heap, &t->capacity, t->count + 1, sizeof(HeapObject))) {
            t->failed = true;
            return;
        }
        t->heap[t->count++] = o;
        rise(t, t->count - 1);
    } else if (is_better(t->g, o, t->heap[0])) {
        t->heap[0] = o;
        sink(t, 0);
    }
}

bool heap_top_sort(HeapTop *t)
{
    size_t all = t->count;
    while (t->count > 1) { // the worst goes to the end
        HeapObject worst = t->heap[0];
        t->heap[0] = t->heap[--t->count];
        sink(t, 0);
        t->heap[t->count] = worst;
    }
    t->count = all;
    assert(t->count < 2 || !is_better(t->g, t->heap[1], t->heap[0]));
    return !t->failed;
}
