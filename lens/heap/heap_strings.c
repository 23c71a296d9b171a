// SPDX-License-Identifier: Apache-2.0
// Strings that are there more than once. Texts are compared by a hash of 64 bits and their length; only those that are shown are
// kept. An array that several strings share counts once.
#include "heap_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 200 // characters
};

typedef struct Group {
    uint64_t hash, length, count, bytes, one; // one: bytes of one copy, the largest
    HeapObject example;
} Group;

typedef struct Groups {
    HeapGraph *g;
    HeapMap index;  // hash to place in groups + 1
    HeapMap arrays; // that were counted
    Group *groups;
    size_t count, capacity;
    HeapText text;
} Groups;

static bool add_string(Groups *s, HeapObject o)
{
    HeapGraph *g = s->g;
    if (!g->source->text(g, o, HEAP_WALK_TEXT, &s->text))
        return true;
    uint64_t hash = heap_hash(s->text.bytes, s->text.len, s->text.length);
    uint64_t place = heap_map_get(&s->index, hash);
    HeapObject array = g->source->text_array(g, o);
    uint64_t bytes = heap_bytes_of(g, o), whole = bytes;
    if (array != 0) {
        whole += heap_bytes_of(g, array);
        if (heap_map_get(&s->arrays, array) == 0) {
            bytes = whole;
            if (!heap_map_put(&s->arrays, array, 1))
                return false;
        }
    }
    if (place == 0) {
        if (!heap_grow((void **)&s->groups, &s->capacity, s->count + 1, sizeof(Group))
            || !heap_map_put(&s->index, hash, s->count + 1))
            return false;
        s->groups[s->count++] = (Group){.hash = hash, .length = s->text.length, .example = o};
        place = s->count;
    }
    assert(place <= s->count);
    Group *group = &s->groups[place - 1];
    group->count++;
    group->bytes += bytes;
    if (whole > group->one)
        group->one = whole;
    return true;
}

static uint64_t wasted_of(const Group *g)
{
    return g->count > 1 && g->bytes > g->one ? g->bytes - g->one : 0;
}

static int by_wasted(const void *a, const void *b)
{
    const Group *x = a, *y = b;
    uint64_t p = wasted_of(x), q = wasted_of(y);
    return p != q ? (p < q ? 1 : -1) : x->example < y->example ? -1 : x->example > y->example;
}

static bool fill_rows(Groups *s, size_t limit, HeapArena *arena, HeapStringRow **rows,
                      size_t *count)
{
    *rows = heap_arena_get(arena, ((limit < s->count ? limit : s->count) + 1) * sizeof(**rows));
    if (*rows == NULL)
        return false;
    for (*count = 0; *count < limit && *count < s->count && wasted_of(&s->groups[*count]) > 0;
         ++*count) {
        assert(*count == 0
               || wasted_of(&s->groups[*count - 1]) >= wasted_of(&s->groups[*count]));
        const Group *group = &s->groups[*count];
        HeapStringRow *row = &(*rows)[*count];
        if (!s->g->source->text(s->g, group->example, SHOWN, &s->text))
            return false;
        *row = (HeapStringRow){.text = heap_arena_text(arena, s->text.bytes, s->text.len),
                               .length = group->length,
                               .count = group->count,
                               .bytes = group->bytes,
                               .wasted = wasted_of(group),
                               .example = group->example};
        if (row->text == NULL)
            return false;
    }
    return true;
}

bool heap_duplicate_strings(HeapGraph *g, size_t limit, HeapArena *arena, HeapStringRow **rows,
                            size_t *count, uint64_t *wasted, HeapError *error)
{
    Groups s = {.g = g};
    uint32_t c = heap_find_class(g, "java.lang.String");
    bool ok = true;
    *error = (HeapError){0};
    *wasted = 0;
    for (uint32_t o = 1; ok && o <= g->count; o++) {
        if (g->class_of[o] == c)
            ok = add_string(&s, o);
    }
    if (s.count > 1)
        qsort(s.groups, s.count, sizeof(Group), by_wasted);
    for (size_t i = 0; i < s.count; i++)
        *wasted += wasted_of(&s.groups[i]);
    ok = ok && fill_rows(&s, limit, arena, rows, count);
    heap_map_free(&s.index);
    heap_map_free(&s.arrays);
    free(s.groups);
    free(s.text.bytes);
    return ok || heap_fail_memory(error);
}
