// SPDX-License-Identifier: Apache-2.0
// Posts which objects a collection freed and moved, and which arenas it replaced.
//
// There are two arenas: the young generation and the old space. A young collection frees in the
// young one and moves into either; a full one slides everything into old and makes the young
// generation anew. The order is such that whoever keeps a table by address can apply one event
// after the other: no object moves to a place whose former object was not reported as dead or
// moved before. All the dead come first; a young collection moves into empty space; a full one
// moves down in address order.
//
// Nothing here runs unless an event is wanted.
#include "base/vec.h"
#include "event/event.h"
#include "heap/heap_internal.h"

typedef struct Move {
    Narrow from, to;
    int from_arena;
} Move;
static VEC(Move) moves; // of the full collection that runs

int heap_arena_of(const Object *o)
{
    return (const char *)o >= heap.eden.start ? ARENA_YOUNG : ARENA_OLD;
}

const char *heap_arena_name(int arena)
{
    return arena == ARENA_YOUNG ? "young generation" : "old generation";
}

static void post_dead(Object *o)
{
    event_post(heap.collector, OBJECT_DIED, .object = o);
}

static void post_move(Object *from, int from_arena, Object *to)
{
    event_post(heap.collector, OBJECT_MOVED, .from = from, .from_arena = from_arena, .to = to);
}

// The objects of a space as they lay before the collection; fillers left out.
static void each_former(const Space *s, void (*visit)(Object *o, uint64_t mark))
{
    char *p = s->start;
    while (p < s->top) {
        Object *o = (Object *)p;
        uint64_t mark = mark_load(o);
        if (MARK_STATE(mark) != MARK_FORWARDED && MARK_IS_FILLER(mark)) {
            p += mark >> FILLER_SHIFT;
            continue;
        }
        p += object_size_as(o, object_layout(o));
        visit(o, mark);
    }
}

static void young_dead(Object *o, uint64_t mark)
{
    if (MARK_STATE(mark) != MARK_FORWARDED)
        post_dead(o);
}

static void young_moved(Object *o, uint64_t mark)
{
    if (MARK_STATE(mark) == MARK_FORWARDED)
        post_move(o, ARENA_YOUNG, (Object *)(uintptr_t)(mark & ~(uint64_t)3));
}

void gc_post_young(void)
{
    ASSERT_COLLECTING();
    const Space *spaces[] = {&heap.eden, &heap.from};
    for (size_t i = 0; i < ARRAY_LEN(spaces) && event_on(OBJECT_DIED); i++)
        each_former(spaces[i], young_dead);
    for (size_t i = 0; i < ARRAY_LEN(spaces) && event_on(OBJECT_MOVED); i++)
        each_former(spaces[i], young_moved);
}

static Object *(*full_place)(Object *o);

static void full_former(Object *o, uint64_t mark)
{
    (void)mark;
    Object *to = full_place(o);
    if (!to)
        post_dead(o);
    else if (to != o && event_on(OBJECT_MOVED))
        vec_push(&moves, ((Move){narrow_encode(o), narrow_encode(to), heap_arena_of(o)}));
}

void gc_post_full(Object *(*new_place)(Object *o))
{
    ASSERT_COLLECTING();
    if (!event_on(OBJECT_DIED) && !event_on(OBJECT_MOVED))
        return;
    full_place = new_place;
    const Space *spaces[] = {&heap.old, &heap.eden, &heap.from};
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
        each_former(spaces[i], full_former);
}

void gc_post_migrated(Object *from, Object *to)
{
    ASSERT_COLLECTING();
    post_move(from, heap_arena_of(from), to);
}

void gc_post_moves(void)
{
    ASSERT_COLLECTING();
    for (size_t i = 0; i < moves.len; i++)
        post_move(narrow_decode(moves.at[i].from), moves.at[i].from_arena,
                  narrow_decode(moves.at[i].to));
    vec_free(&moves);
    event_post(heap.collector, ARENA_END, .arena = ARENA_YOUNG);
    event_post(heap.collector, ARENA_BEGIN, .arena = ARENA_YOUNG);
}
