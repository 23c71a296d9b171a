// SPDX-License-Identifier: Apache-2.0
// Trees of frames (flame.h). Stacks share their callers, so each distinct stack is placed once, below the place of its parent.
#define _GNU_SOURCE
#include "flame.h"

#include <stdlib.h>
#include <string.h>

typedef struct Building {
    Flame *flame;
    Model *model;
    const Model *from;
    const FlameOptions *options;
    Map names;  // of `from`, to name + 1 of `model`
    Map placed; // root node and stack, to the node
    ARRAY(uint32_t) path;
} Building;

static uint32_t translate(Building *b, uint32_t name)
{
    if (b->from == b->model)
        return name;
    uint32_t *known = map_at(&b->names, name);
    if (*known == 0) {
        const char *text = model_name(b->from, name);
        *known = names_add(&b->model->names, text, strlen(text)) + 1;
    }
    return *known - 1;
}

static void need_root(Flame *flame, Model *model)
{
    if (flame->nodes.count == 0)
        *ARRAY_PUSH(&flame->nodes) = (FlameNode){.name = names_add(&model->names, "all", 3)};
}

static uint32_t child(Flame *flame, uint32_t parent, uint32_t name, uint32_t group)
{
    ASSERT_INDEX(&flame->nodes, parent);
    uint32_t *known = map_at(&flame->children, (uint64_t)parent << 32 | name);
    if (*known == 0) {
        *known = flame->nodes.count;
        *ARRAY_PUSH(&flame->nodes) =
            (FlameNode){.parent = parent, .name = name, .group = group};
    }
    return *known;
}

static uint32_t child_of_frame(Building *b, uint32_t parent, uint32_t frame)
{
    ASSERT_INDEX(&b->from->frames, frame);
    const ModelFrame *f = &b->from->frames.at[frame];
    return child(b->flame, parent, translate(b, f->label), translate(b, f->group));
}

// The node of a stack below `root`, callers above.
static uint32_t place(Building *b, uint32_t root, uint32_t stack)
{
    ASSERT_INDEX(&b->from->stacks, stack);
    uint32_t node = root;
    b->path.count = 0;
    if (stack == 0)
        return child_of_frame(b, root, 0);
    for (uint32_t s = stack; s != 0; s = b->from->stacks.at[s].parent) {
        uint32_t known = map_get(&b->placed, (uint64_t)root << 32 | s, 0);
        if (known != 0) {
            node = known;
            break;
        }
        *ARRAY_PUSH(&b->path) = s;
    }
    while (b->path.count > 0) {
        uint32_t s = b->path.at[--b->path.count];
        node = child_of_frame(b, node, b->from->stacks.at[s].frame);
        *map_at(&b->placed, (uint64_t)root << 32 | s) = node;
    }
    return node;
}

// Upside down: the innermost frame is below the root. UINT32_MAX: the wanted method is not in the stack.
static uint32_t place_reversed(Building *b, uint32_t root, uint32_t stack)
{
    ASSERT_INDEX(&b->from->stacks, stack);
    uint32_t node = root, wanted = b->options->callers_of;
    const Model *m = b->from;
    while (wanted != 0 && stack != 0 && m->frames.at[m->stacks.at[stack].frame].label != wanted)
        stack = m->stacks.at[stack].parent;
    if (stack == 0)
        return wanted ? UINT32_MAX : child_of_frame(b, root, 0);
    for (; stack != 0; stack = m->stacks.at[stack].parent)
        node = child_of_frame(b, node, m->stacks.at[stack].frame);
    return node;
}

static uint32_t thread_root(Building *b, const WeightEntry *e)
{
    ASSERT_INDEX(&b->from->threads, e->thread);
    if (e->thread == 0)
        return 0;
    uint32_t group = names_add(&b->model->names, "thread", 6);
    return child(b->flame, 0, translate(b, b->from->threads.at[e->thread].name), group);
}

void flame_add(Flame *flame, Model *model, const Model *from, const Weights *weights,
               const FlameOptions *options)
{
    assert(options->side == 0 || options->side == 1);
    Building b = {.flame = flame, .model = model, .from = from, .options = options};
    need_root(flame, model);
    for (uint32_t i = 0; i < weights->entries.count; i++) {
        const WeightEntry *e = &weights->entries.at[i];
        uint32_t root = weights->by_thread ? thread_root(&b, e) : 0;
        bool reversed = options->reverse || options->callers_of != 0;
        uint32_t node =
            reversed ? place_reversed(&b, root, e->stack) : place(&b, root, e->stack);
        if (node != UINT32_MAX)
            flame->nodes.at[node].self[options->side] += e->weight;
    }
    map_free(&b.names);
    map_free(&b.placed);
    free(b.path.at);
}

void flame_sum(Flame *flame)
{
    for (uint32_t i = 0; i < flame->nodes.count; i++)
        memcpy(flame->nodes.at[i].total, flame->nodes.at[i].self,
               sizeof flame->nodes.at[i].total);
    for (uint32_t i = flame->nodes.count; i-- > 1;) { // children come after their parents
        FlameNode *n = &flame->nodes.at[i], *parent = &flame->nodes.at[n->parent];
        assert(n->parent < i);
        parent->total[0] += n->total[0];
        parent->total[1] += n->total[1];
    }
}

void flame_free(Flame *flame)
{
    free(flame->nodes.at);
    map_free(&flame->children);
    *flame = (Flame){0};
}

static void put_column(const Flame *flame, Json *json, const char *key, size_t offset)
{
    json_put_array(json, key);
    for (uint32_t i = 0; i < flame->nodes.count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)&flame->nodes.at[i] + offset, sizeof value);
        json_uint(json, value);
    }
    json_array_end(json);
}

void flame_put(const Flame *flame, const Model *model, Json *json, int sides)
{
    assert(sides == 1 || sides == 2);
    Map local = {0};
    ARRAY(uint32_t) names = {0}; // nodes that bring a new name
    json_put_array(json, "name");
    for (uint32_t i = 0; i < flame->nodes.count; i++) {
        uint32_t *index = map_at(&local, flame->nodes.at[i].name);
        if (*index == 0) {
            *ARRAY_PUSH(&names) = i;
            *index = names.count;
        }
        json_uint(json, *index - 1);
    }
    json_array_end(json);
    json_put_array(json, "names");
    for (uint32_t i = 0; i < names.count; i++)
        json_text(json, model_name(model, flame->nodes.at[names.at[i]].name));
    json_array_end(json);
    json_put_array(json, "groups");
    for (uint32_t i = 0; i < names.count; i++)
        json_text(json, model_name(model, flame->nodes.at[names.at[i]].group));
    json_array_end(json);
    json_put_array(json, "parent");
    for (uint32_t i = 0; i < flame->nodes.count; i++)
        json_uint(json, flame->nodes.at[i].parent);
    json_array_end(json);
    static const char *const keys[] = {"self", "self2", "total", "total2"};
    for (int side = 0; side < sides; side++) {
        put_column(flame, json, keys[side],
                   offsetof(FlameNode, self) + (size_t)side * sizeof(uint64_t));
        put_column(flame, json, keys[2 + side],
                   offsetof(FlameNode, total) + (size_t)side * sizeof(uint64_t));
    }
    map_free(&local);
    free(names.at);
}

static uint32_t class_of_frame(const Model *m, const ModelFrame *f)
{
    assert(f->kind != LENS_FRAME_JAVA || f->owner < m->methods.count);
    return f->kind == LENS_FRAME_JAVA ? m->classes.at[m->methods.at[f->owner].class].name : 0;
}

static int by_self(const void *a, const void *b)
{
    const HotRow *x = a, *y = b;
    if (x->self != y->self)
        return x->self < y->self ? 1 : -1;
    return (x->total < y->total) - (x->total > y->total);
}

typedef ARRAY(HotRow) HotRows;

static HotRow *hot_row(HotRows *rows, Map *index, const Model *m, const ModelFrame *f)
{
    uint32_t *at = map_at(index, f->label);
    if (*at == 0) {
        *ARRAY_PUSH(rows) =
            (HotRow){.name = f->label, .group = f->group, .class = class_of_frame(m, f)};
        *at = rows->count;
    }
    return &rows->at[*at - 1];
}

HotRow *flame_hot(const Model *m, const Weights *weights, uint32_t *count)
{
    HotRows rows = {0};
    Map index = {0};
    uint32_t *stamp =
        mem_new(m->names.count + 1, sizeof *stamp); // by name: the last entry that counted it
    for (uint32_t i = 0; i < weights->entries.count; i++) {
        const WeightEntry *e = &weights->entries.at[i];
        uint32_t s = e->stack;
        do {
            const ModelFrame *f = &m->frames.at[m->stacks.at[s].frame];
            ASSERT_INDEX(&m->names, f->label);
            HotRow *row = hot_row(&rows, &index, m, f);
            row->self += s == e->stack ? e->weight : 0;
            row->total += stamp[f->label] == i + 1 ? 0 : e->weight;
            stamp[f->label] = i + 1;
            s = m->stacks.at[s].parent;
        } while (s != 0);
    }
    if (rows.count != 0)
        qsort(rows.at, rows.count, sizeof *rows.at, by_self);
    map_free(&index);
    free(stamp);
    *count = rows.count;
    return rows.at ? rows.at : mem_new(1, sizeof(HotRow));
}
