// SPDX-License-Identifier: Apache-2.0
// Why an object lives: the shortest ways from it, reference by reference, to roots. Breadth first, over referrers.
#include "heap_internal.h"

#include <stdlib.h>

enum {
    MAX_PATHS = 100,
    ENOUGH = 1000000 // objects that are looked at for one more way, once there is one
};

typedef struct Ways {
    HeapGraph *g;
    HeapArena *arena;
    uint32_t *
        below; // of an object that was reached: what it refers to on the way; itself at the beginning; 0: not reached
    HeapObject *queue;
    size_t head, tail, capacity;
    HeapPath *paths;
    size_t count, limit;
    bool weak; // pass weak references
} Ways;

static bool reach(Ways *w, HeapObject o, HeapObject below)
{
    ASSERT_OBJECT(w->g, o);
    ASSERT_OBJECT(w->g, below);
    if (w->below[o] != 0)
        return true;
    if (!heap_grow((void **)&w->queue, &w->capacity, w->tail + 1, sizeof(HeapObject)))
        return false;
    w->below[o] = below;
    w->queue[w->tail++] = o;
    return true;
}

static bool reach_referrers(Ways *w, HeapObject o)
{
    const HeapGraph *g = w->g;
    bool ok = true;
    for (uint32_t i = g->in_at[o]; ok && i < g->in_at[o + 1]; i++) {
        if (heap_is_reachable(g, g->in[i]) || w->weak) // garbage may refer to what lives
            ok = reach(w, g->in[i], o);
    }
    if (w->weak) {
        for (size_t i = heap_first_weak(g, o); ok && i < g->weak_count && g->weak[i].to == o;
             i++)
            ok = reach(w, g->weak[i].from, o);
    }
    return ok;
}

// The way from the object that is asked for to `top`, which is a root.
static bool add_path(Ways *w, HeapObject top)
{
    HeapGraph *g = w->g;
    size_t count = 1, roots;
    assert(w->count < w->limit && w->below[top] != 0);
    for (HeapObject o = top; w->below[o] != o; o = w->below[o])
        count++;
    HeapPath *path = &w->paths[w->count++];
    path->count = count;
    path->steps = heap_arena_get(w->arena, count * sizeof(HeapLink));
    if (path->steps == NULL)
        return false;
    HeapObject o = top;
    for (size_t i = count; i-- > 0; o = w->below[o]) {
        HeapLink *step = &path->steps[i];
        *step = (HeapLink){.object = o,
                           .class_name = heap_class_of(g, o)->name,
                           .label = heap_label(g, o, w->arena),
                           .via = i == 0 ? "" : heap_via(g, o, w->below[o], w->arena)};
        if (step->label == NULL || step->via == NULL)
            return false;
    }
    const HeapRootEntry *root = heap_root_of(g, top, &roots);
    assert(root != NULL); // the way ends where one is
    path->root = (HeapRoot){.kind = heap_root_kind(root->kind),
                            .thread = g->source->root_thread(g, root, w->arena),
                            .method = g->source->root_method(g, root, w->arena)};
    return path->root.thread != NULL && path->root.method != NULL;
}

static bool find_ways(Ways *w, HeapObject object)
{
    size_t last_found = 0;
    if (!reach(w, object, object))
        return false;
    while (w->head < w->tail && w->count < w->limit) {
        HeapObject o = w->queue[w->head++];
        if (heap_has_root(w->g, o)) {
            last_found = w->head;
            if (!add_path(w, o))
                return false;
        } else if (!reach_referrers(w, o)) {
            return false;
        }
        if (w->count > 0 && w->head - last_found > ENOUGH)
            break;
    }
    return true;
}

bool heap_paths(HeapGraph *g, HeapObject object, size_t limit, HeapArena *arena,
                HeapPath **paths, size_t *count, HeapError *error)
{
    *error = (HeapError){0};
    *count = 0;
    if (object == 0 || object > g->count)
        return heap_fail(error, "There is no object %u.", object);
    Ways w = {.g = g, .arena = arena, .limit = limit < MAX_PATHS ? limit : MAX_PATHS};
    w.weak = !heap_is_reachable(g, object);
    w.below = calloc((size_t)g->count + 1, sizeof(uint32_t));
    w.paths = heap_arena_get(arena, (w.limit + 1) * sizeof(HeapPath));
    bool ok = w.below != NULL && w.paths != NULL && find_ways(&w, object);
    free(w.below);
    free(w.queue);
    *paths = w.paths;
    *count = w.count;
    return ok || heap_fail_memory(error);
}
