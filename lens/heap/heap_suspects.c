// SPDX-License-Identifier: Apache-2.0
// What probably leaks: single objects just below the root that retain much, and classes whose many objects there do together.
// From a single object the way down goes on while one child keeps most of what its parent retains.
#include "heap_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_SUSPECTS = 10,
    LEAST_PERCENT = 10, // of all reachable bytes
    MOST_PERCENT = 80   // of the parent's, to go on down
};

static HeapObject largest_child(const HeapGraph *g, HeapObject o)
{
    ASSERT_NODE(g, o);
    HeapObject best = 0;
    for (uint32_t i = g->child_at[o]; i < g->child_at[o + 1]; i++) {
        if (best == 0 || g->retained[g->children[i]] > g->retained[best])
            best = g->children[i];
    }
    return best;
}

static HeapObject gathering(const HeapGraph *g, HeapObject o)
{
    for (HeapObject child; (child = largest_child(g, o)) != 0; o = child) {
        if (g->retained[child] / MOST_PERCENT < g->retained[o] / 100)
            break;
    }
    return o;
}

static bool tell_object(HeapGraph *g, HeapSuspect *s, HeapArena *arena)
{
    ASSERT_OBJECT(g, s->object);
    s->gathers = gathering(g, s->object);
    s->class_index = g->class_of[s->object];
    s->class_name = heap_class_of(g, s->object)->name;
    s->label = heap_label(g, s->object, arena);
    s->gathers_class = heap_class_of(g, s->gathers)->name;
    s->gathers_label = heap_label(g, s->gathers, arena);
    if (s->label == NULL || s->gathers_label == NULL)
        return false;
    bool by_statics = strcmp(s->class_name, "java.lang.Class") == 0 && *s->label;
    const char *who = by_statics
                          ? heap_arena_printf(arena, "The static fields of %s retain", s->label)
                          : heap_arena_printf(arena, "One %s retains", s->class_name);
    const char *where = ".";
    if (s->gathers != s->object)
        where = heap_arena_printf(arena, "; most of it is in one %s, which holds %u objects.",
                                  s->gathers_class,
                                  g->child_at[s->gathers + 1] - g->child_at[s->gathers]);
    if (who == NULL || where == NULL)
        return false;
    s->text = heap_arena_printf(arena, "%s %.0f %% of the heap%s", who, s->share * 100, where);
    return s->text != NULL;
}

static bool tell_class(HeapGraph *g, HeapSuspect *s, HeapArena *arena)
{
    ASSERT_CLASS(g, s->class_index);
    s->class_name = g->classes[s->class_index].name;
    s->label = s->gathers_class = s->gathers_label = "";
    s->text =
        heap_arena_printf(arena,
                          "%llu objects of class %s retain %.0f %% of the heap together; no "
                          "single object holds them.",
                          (unsigned long long)s->instances, s->class_name, s->share * 100);
    return s->text != NULL;
}

static int by_retained(const void *a, const void *b)
{
    const HeapSuspect *x = a, *y = b;
    return x->retained < y->retained   ? 1
           : x->retained > y->retained ? -1
           : x->object < y->object     ? -1
                                       : x->object > y->object;
}

// At most 10 objects, and 10 classes of the rest, can retain a tenth each.
static size_t find_suspects(const HeapGraph *g, HeapSuspect *found, HeapSuspect *of_class)
{
    uint64_t all = g->retained[0], least = all / 100 * LEAST_PERCENT;
    size_t count = 0;
    if (all == 0)
        return 0;
    for (uint32_t i = g->child_at[0]; i < g->child_at[1]; i++) {
        HeapObject o = g->children[i];
        assert(g->dominator[o] == 0 && heap_is_reachable(g, o));
        HeapSuspect *c = &of_class[g->class_of[o]];
        if (g->retained[o] > least && count < MAX_SUSPECTS) {
            found[count++] =
                (HeapSuspect){.object = o, .instances = 1, .retained = g->retained[o]};
        } else {
            c->instances++;
            c->retained += g->retained[o];
        }
    }
    for (uint32_t c = 0; c < g->class_count && count < 2 * MAX_SUSPECTS; c++) {
        of_class[c].class_index = c;
        if (of_class[c].retained > least && of_class[c].instances > 1)
            found[count++] = of_class[c];
    }
    for (size_t i = 0; i < count; i++)
        found[i].share = (double)found[i].retained / (double)all;
    assert(count <= 2 * MAX_SUSPECTS);
    return count;
}

bool heap_suspects(HeapGraph *g, HeapArena *arena, HeapSuspect **suspects, size_t *count,
                   HeapError *error)
{
    HeapSuspect found[2 * MAX_SUSPECTS];
    HeapSuspect *of_class = calloc(g->class_count + 1, sizeof(*of_class));
    *error = (HeapError){0};
    *count = 0;
    *suspects = heap_arena_get(arena, sizeof(found));
    if (of_class == NULL || *suspects == NULL) {
        free(of_class);
        return heap_fail_memory(error);
    }
    size_t n = find_suspects(g, found, of_class);
    free(of_class);
    if (n > 1)
        qsort(found, n, sizeof(found[0]), by_retained);
    for (size_t i = 0; i < n && i < MAX_SUSPECTS; i++) {
        HeapSuspect *s = &(*suspects)[(*count)++];
        *s = found[i];
        if (!(s->object != 0 ? tell_object(g, s, arena) : tell_class(g, s, arena)))
            return heap_fail_memory(error);
    }
    return true;
}
