// SPDX-License-Identifier: Apache-2.0
// One object and its neighbours: label, fields or elements, who refers to it, what it dominates, instances of a class.
#include "heap_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- tables ----------------------------------------------------------------------------------------------------------

enum {
    KIND_CLASS = 1 // jvmtiHeapReferenceKind
};

// By jvmtiHeapReferenceKind: of a reference that is no field or element, and of a root.
static const char *const other_names[] = {
    [1] = "<class>",        [4] = "<class loader>",
    [5] = "<signers>",      [6] = "<protection domain>",
    [7] = "<interface>",    [9] = "<constant pool>",
    [10] = "<super class>",
};
static const char *const root_kinds[] = {
    [21] = "JNI global", [22] = "system class", [23] = "monitor", [24] = "stack local",
    [25] = "JNI local",  [26] = "thread",       [27] = "other",
};

#define NAME_OF(table, i, otherwise) \
    ((i) < sizeof(table) / sizeof((table)[0]) && (table)[i] != NULL ? (table)[i] : (otherwise))

const char *heap_other_name(uint32_t kind)
{
    return NAME_OF(other_names, kind, "<other>");
}

const char *heap_root_kind(uint32_t kind)
{
    return NAME_OF(root_kinds, kind, "other");
}

const char *heap_type_name(char type)
{
    static const char *const names[] = {
        ['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
        ['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean"};
    return NAME_OF(names, (uint8_t)type, "");
}

// ---- small questions -------------------------------------------------------------------------------------------------

bool heap_is_reachable(const HeapGraph *g, HeapObject o)
{
    ASSERT_OBJECT(g, o);
    return g->retained[o] != 0; // at least its own size
}

uint32_t heap_length_of(const HeapGraph *g, HeapObject array)
{
    size_t low = 0, high = g->length_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->lengths[middle].object < array)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || g->lengths[low - 1].object < array);
    return low < g->length_count && g->lengths[low].object == array ? g->lengths[low].length
                                                                    : 0;
}

uint32_t heap_class_of_object(const HeapGraph *g, HeapObject class_object)
{
    size_t low = 0, high = g->class_object_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->class_objects[middle].from < class_object)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || g->class_objects[low - 1].from < class_object);
    return low < g->class_object_count && g->class_objects[low].from == class_object
               ? g->class_objects[low].to
               : HEAP_NONE;
}

const HeapRootEntry *heap_root_of(const HeapGraph *g, HeapObject o, size_t *count)
{
    size_t low = 0, high = g->root_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->roots[middle].object < o)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || g->roots[low - 1].object < o);
    for (*count = 0; low + *count < g->root_count && g->roots[low + *count].object == o;)
        ++*count;
    return *count == 0 ? NULL : &g->roots[low];
}

bool heap_has_root(const HeapGraph *g, HeapObject o)
{
    size_t count;
    return heap_root_of(g, o, &count) != NULL;
}

bool heap_is_a(const HeapGraph *g, uint32_t c, const char *name)
{
    for (int i = 0; i < HEAP_MAX_CHAIN && c != HEAP_NONE; i++, c = g->classes[c].super) {
        if (strcmp(g->classes[c].name, name) == 0)
            return true;
    }
    return false;
}

// ---- fields by name --------------------------------------------------------------------------------------------------

typedef struct Wanted {
    uint32_t field;
    HeapItem item;
    bool found;
} Wanted;

static bool take_wanted(void *context, const HeapItem *item)
{
    Wanted *w = context;
    if (item->kind != HEAP_ITEM_FIELD || item->index != w->field)
        return true;
    w->item = *item;
    w->found = true;
    return false;
}

static uint32_t find_field(const HeapGraph *g, uint32_t c, const char *name)
{
    ASSERT_CLASS(g, c);
    for (int i = 0; i < HEAP_MAX_CHAIN && c != HEAP_NONE; i++, c = g->classes[c].super) {
        for (uint32_t f = g->classes[c].field_at;
             f < g->classes[c].field_at + g->classes[c].field_count; f++) {
            if (!g->fields[f].is_static && strcmp(g->fields[f].name, name) == 0)
                return f;
        }
    }
    return HEAP_NONE;
}

bool heap_field_named(HeapGraph *g, HeapObject o, const char *name, HeapItem *item)
{
    Wanted w = {.field = find_field(g, g->class_of[o], name)};
    if (w.field != HEAP_NONE)
        g->source->visit(g, o, take_wanted, &w);
    *item = w.item;
    return w.found;
}

// ---- values and labels -----------------------------------------------------------------------------------------------

static char *primitive_text(HeapArena *arena, char type, uint64_t bits)
{
    float f;
    double d;
    uint16_t c = (uint16_t)bits;
    char text[8];
    switch (type) {
    case 'Z': return heap_arena_printf(arena, "%s", bits != 0 ? "true" : "false");
    case 'C':
        heap_utf8_from_utf16(&c, 1, text);
        return c < ' ' ? heap_arena_printf(arena, "%u", c)
                       : heap_arena_printf(arena, "'%s' (%u)", text, c);
    case 'F': memcpy(&f, &bits, sizeof(f)); return heap_arena_printf(arena, "%.9g", (double)f);
    case 'D': memcpy(&d, &bits, sizeof(d)); return heap_arena_printf(arena, "%.17g", d);
    default: return heap_arena_printf(arena, "%lld", (long long)bits);
    }
}

static char *string_label(HeapGraph *g, HeapObject o, HeapArena *arena)
{
    HeapText text = {0};
    char *label;
    if (!g->source->text(g, o, HEAP_LABEL, &text))
        label = heap_arena_text(arena, "", 0);
    else
        label = heap_arena_printf(arena, "\"%s%s\"", text.bytes,
                                  text.length > HEAP_LABEL ? "..." : "");
    free(text.bytes);
    return label;
}

static char *box_label(HeapGraph *g, HeapObject o, HeapArena *arena)
{
    HeapItem value;
    return heap_field_named(g, o, "value", &value) && value.type != 'L'
               ? primitive_text(arena, value.type, value.bits)
               : heap_arena_text(arena, "", 0);
}

static char *name_label(HeapGraph *g, HeapObject o, HeapArena *arena)
{
    HeapItem name;
    if (!heap_field_named(g, o, "name", &name) || name.to == 0)
        return heap_arena_text(arena, "", 0);
    return heap_class_of(g, name.to)->element == 'C' ? heap_arena_text(arena, "", 0)
                                                     : string_label(g, name.to, arena);
}

static char *class_label(HeapGraph *g, HeapObject o, HeapArena *arena)
{
    uint32_t c = heap_class_of_object(g, o);
    const char *name = c == HEAP_NONE ? "" : g->classes[c].name;
    return heap_arena_text(arena, name, strlen(name));
}

static const struct {
    const char *class_name;
    char *(*label)(HeapGraph *g, HeapObject o, HeapArena *arena);
} labels[] = {
    {"java.lang.String", string_label},
    {"java.lang.Class", class_label},
    {"java.lang.Integer", box_label},
    {"java.lang.Long", box_label},
    {"java.lang.Boolean", box_label},
    {"java.lang.Character", box_label},
    {"java.lang.Byte", box_label},
    {"java.lang.Short", box_label},
    {"java.lang.Float", box_label},
    {"java.lang.Double", box_label},
    {"java.util.concurrent.atomic.AtomicInteger", box_label},
    {"java.util.concurrent.atomic.AtomicLong", box_label},
    {"java.lang.Thread", name_label},
    {"java.lang.ThreadGroup", name_label},
    {"java.lang.Enum", name_label},
    {"java.lang.ClassLoader", name_label},
    {"java.lang.Module", name_label},
};

const char *heap_label(HeapGraph *g, HeapObject o, HeapArena *arena)
{
    const HeapClass *c = heap_class_of(g, o);
    uint64_t size;
    assert(c->element == 0 || strlen(c->name) >= 2); // it ends with []
    if (c->element != 0)
        return heap_arena_printf(arena, "%.*s[%u]", (int)strlen(c->name) - 2, c->name,
                                 heap_length_of(g, o));
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (heap_is_a(g, g->class_of[o], labels[i].class_name))
            return labels[i].label(g, o, arena);
    }
    if (heap_collection_size(g, o, &size))
        return heap_arena_printf(arena, "%llu %s", (unsigned long long)size,
                                 size == 1 ? "entry" : "entries");
    return heap_arena_text(arena, "", 0);
}

bool heap_fill_row(HeapGraph *g, HeapObject o, HeapArena *arena, HeapRow *row, HeapError *error)
{
    ASSERT_OBJECT(g, o);
    assert(g->child_at[o] <= g->child_at[o + 1]);
    *row = (HeapRow){.object = o,
                     .class_name = heap_class_of(g, o)->name,
                     .label = heap_label(g, o, arena),
                     .bytes = heap_bytes_of(g, o),
                     .retained = g->retained[o],
                     .children = g->child_at[o + 1] - g->child_at[o]};
    return row->label != NULL || heap_fail_memory(error);
}

// ---- rows ------------------------------------------------------------------------------------------------------------

// Rows of those that `top` kept, without the first `offset`. Frees `top`.
static bool rows_of(HeapTop *top, uint64_t offset, HeapGraph *g, HeapArena *arena,
                    HeapRow **rows, size_t *count, HeapError *error)
{
    bool ok = heap_top_sort(top) || heap_fail_memory(error);
    *count = top->count > offset ? top->count - (size_t)offset : 0;
    *rows = heap_arena_get(arena, (*count + 1) * sizeof(HeapRow));
    if (*rows == NULL)
        ok = heap_fail_memory(error);
    for (size_t i = 0; ok && i < *count; i++)
        ok = heap_fill_row(g, top->heap[offset + i], arena, &(*rows)[i], error);
    heap_top_free(top);
    return ok;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static bool check_object(const HeapGraph *g, HeapObject o, bool root_too, HeapError *error)
{
    *error = (HeapError){0};
    return (o <= g->count && (o != 0 || root_too))
           || heap_fail(error, "There is no object %u.", o);
}

bool heap_dominated(HeapGraph *g, HeapObject object, uint64_t offset, uint64_t limit,
                    HeapArena *arena, HeapRow **rows, size_t *count, uint64_t *of,
                    HeapError *error)
{
    HeapTop top;
    if (!check_object(g, object, true, error))
        return false;
    heap_top_init(&top, g, add_capped(offset, limit));
    for (uint32_t i = g->child_at[object]; i < g->child_at[object + 1]; i++)
        heap_top_add(&top, g->children[i]);
    *of = g->child_at[object + 1] - g->child_at[object];
    return rows_of(&top, offset, g, arena, rows, count, error);
}

bool heap_instances(HeapGraph *g, uint32_t class_index, uint64_t offset, uint64_t limit,
                    HeapArena *arena, HeapRow **rows, size_t *count, uint64_t *of,
                    HeapError *error)
{
    HeapTop top;
    *error = (HeapError){0};
    heap_top_init(&top, g, add_capped(offset, limit));
    for (uint32_t o = 1; class_index < g->class_count && o <= g->count; o++) {
        if (g->class_of[o] == class_index)
            heap_top_add(&top, o);
    }
    *of = class_index < g->class_count ? g->classes[class_index].count : 0;
    return rows_of(&top, offset, g, arena, rows, count, error);
}

// ---- fields and elements ---------------------------------------------------------------------------------------------

typedef struct Slot {           // what is shown of a field or element, before it gets texts
    const HeapFieldInfo *field; // NULL: an element, or another reference
    HeapItem item;
    bool known;
} Slot;

typedef struct Slots {
    const HeapGraph *g;
    Slot *slots;
    size_t count, capacity;
    uint64_t from, limit, of; // the window that is wanted
    bool failed;
} Slots;

static bool add_slot(Slots *s, const HeapFieldInfo *field, const HeapItem *item, bool known)
{
    assert(s->count <= s->limit);
    uint64_t place = s->of++;
    if (place < s->from || place - s->from >= s->limit || s->failed)
        return true;
    if (!heap_grow((void **)&s->slots, &s->capacity, s->count + 1, sizeof(Slot))) {
        s->failed = true;
        return false;
    }
    s->slots[s->count++] = (Slot){field, *item, known};
    return true;
}

// All fields that the class has: static ones that it declares, or instance fields with those of its super classes.
static void add_fields(Slots *s, uint32_t c, bool is_static)
{
    const HeapGraph *g = s->g;
    for (int i = 0; i < HEAP_MAX_CHAIN && c != HEAP_NONE; i++) {
        for (uint32_t f = g->classes[c].field_at;
             f < g->classes[c].field_at + g->classes[c].field_count; f++) {
            HeapItem item = {.kind = is_static ? HEAP_ITEM_STATIC : HEAP_ITEM_FIELD,
                             .type = g->fields[f].type,
                             .index = f};
            if (g->fields[f].is_static == is_static)
                add_slot(s, &g->fields[f], &item, false);
        }
        c = is_static ? HEAP_NONE : g->classes[c].super;
    }
}

// Puts an item where its field is, if that is wanted.
static bool fill_slot(void *context, const HeapItem *item)
{
    Slots *s = context;
    if (item->kind == HEAP_ITEM_ELEMENT) {
        if (item->index >= s->from && item->index - s->from < s->count) {
            s->slots[item->index - s->from].item = *item;
            s->slots[item->index - s->from].known = true;
        }
        return item->index < s->from || item->index - s->from < s->limit;
    }
    if (item->kind == HEAP_ITEM_OTHER) // that it has a class is said already
        return item->to == 0 || item->index == KIND_CLASS || add_slot(s, NULL, item, true);
    for (size_t i = 0; i < s->count; i++) {
        if (s->slots[i].field != NULL && s->slots[i].item.index == item->index
            && s->slots[i].item.kind == item->kind) {
            s->slots[i].item = *item;
            s->slots[i].known = true;
            break;
        }
    }
    return true;
}

static void add_elements(Slots *s, HeapObject array, char element)
{
    uint64_t length = heap_length_of(s->g, array);
    s->of = s->from < length ? s->from : length;
    for (uint64_t i = s->of; i < length && i - s->from < s->limit && !s->failed; i++) {
        HeapItem item = {.kind = HEAP_ITEM_ELEMENT, .type = element, .index = (uint32_t)i};
        add_slot(s, NULL, &item, false);
    }
    assert(s->count <= length);
    s->of = length;
}

static bool collect_slots(HeapGraph *g, HeapObject o, Slots *s)
{
    char element = heap_class_of(g, o)->element;
    uint32_t mirrored = heap_class_of_object(g, o);
    if (element != 0)
        add_elements(s, o, element);
    else if (mirrored != HEAP_NONE) // neither input has the fields of java.lang.Class
        add_fields(s, mirrored, true);
    else
        add_fields(s, g->class_of[o], false);
    if (element == 0 || element == 'L')
        g->source->visit(g, o, fill_slot, s);
    else if (s->count > 0)
        g->source->array(g, o, s->from, s->count, fill_slot, s);
    return !s->failed;
}

static bool slot_field(HeapGraph *g, const Slot *slot, HeapArena *arena, HeapField *field)
{
    const HeapItem *i = &slot->item;
    *field =
        (HeapField){.name = slot->field != NULL ? slot->field->name : heap_other_name(i->index),
                    .class_name = "",
                    .is_static = i->kind == HEAP_ITEM_STATIC,
                    .object = i->type == 'L' ? i->to : 0};
    assert(i->to <= g->count);
    if (i->kind == HEAP_ITEM_ELEMENT)
        field->name = heap_arena_printf(arena, "[%u]", i->index);
    if (i->type != 'L') {
        field->class_name = heap_type_name(i->type);
        field->value = slot->known ? primitive_text(arena, i->type, i->bits) : "?";
    } else if (i->to == 0) {
        field->value = "null";
    } else {
        field->class_name = heap_class_of(g, i->to)->name;
        field->value = heap_label(g, i->to, arena);
    }
    return field->name != NULL && field->value != NULL;
}

// The reasons why it is a root, each kind once.
static const char *root_text(const HeapGraph *g, HeapObject o, HeapArena *arena)
{
    size_t count;
    const HeapRootEntry *roots = heap_root_of(g, o, &count);
    const char *text = "";
    for (size_t i = 0; i < count && text != NULL; i++) {
        if (i == 0 || roots[i].kind != roots[i - 1].kind)
            text = heap_arena_printf(arena, "%s%s%s", text, i == 0 ? "" : ", ",
                                     heap_root_kind(roots[i].kind));
    }
    return text;
}

bool heap_object(HeapGraph *g, HeapObject o, uint64_t offset, uint64_t limit, HeapArena *arena,
                 HeapDetails *d, HeapError *error)
{
    Slots s = {.g = g, .from = offset, .limit = limit};
    *d = (HeapDetails){0};
    if (!check_object(g, o, false, error))
        return false;
    bool ok = heap_fill_row(g, o, arena, &d->row, error) && collect_slots(g, o, &s);
    d->loader = heap_loader_label(g, heap_class_of(g, o), arena);
    d->root = root_text(g, o, arena);
    d->dominator = g->dominator[o];
    d->reachable = heap_is_reachable(g, o);
    d->of = s.of;
    d->field_count = s.count;
    d->fields = heap_arena_get(arena, (s.count + 1) * sizeof(HeapField));
    ok = ok && d->loader != NULL && d->root != NULL && d->fields != NULL;
    for (size_t i = 0; ok && i < s.count; i++)
        ok = slot_field(g, &s.slots[i], arena, &d->fields[i]);
    free(s.slots);
    return ok || heap_fail_memory(error);
}

// ---- referrers -------------------------------------------------------------------------------------------------------

typedef struct Via {
    HeapObject to;
    HeapItem item;
    bool found;
} Via;

static bool find_via(void *context, const HeapItem *item)
{
    Via *v = context;
    if (item->type != 'L' || item->to != v->to)
        return true;
    v->item = *item;
    v->found = true;
    return false;
}

const char *heap_via(HeapGraph *g, HeapObject from, HeapObject to, HeapArena *arena)
{
    Via v = {.to = to};
    g->source->visit(g, from, find_via, &v);
    if (!v.found)
        return heap_arena_text(arena, "?", 1);
    if (v.item.kind == HEAP_ITEM_ELEMENT)
        return heap_arena_printf(arena, "[%u]", v.item.index);
    if (v.item.kind == HEAP_ITEM_OTHER)
        return heap_other_name(v.item.index);
    const char *name = "?";
    bool is_weak = false;
    if (v.item.index != HEAP_NONE) {
        assert(v.item.index < g->field_count);
        name = g->fields[v.item.index].name;
        is_weak = v.item.index == heap_class_of(g, from)->weak_field;
    }
    return heap_arena_printf(arena, "%s%s%s", v.item.kind == HEAP_ITEM_STATIC ? "static " : "",
                             name, is_weak ? " (weak)" : "");
}

static bool fill_link(HeapGraph *g, HeapObject from, HeapObject to, bool weak, HeapArena *arena,
                      HeapLink *link)
{
    *link = (HeapLink){.object = from,
                       .class_name = heap_class_of(g, from)->name,
                       .label = heap_label(g, from, arena),
                       .via = weak ? "referent (weak)" : heap_via(g, from, to, arena),
                       .weak = weak};
    return link->label != NULL && link->via != NULL;
}

size_t heap_first_weak(const HeapGraph *g, HeapObject to)
{
    size_t low = 0, high = g->weak_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->weak[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || g->weak[low - 1].to < to);
    return low;
}

bool heap_referrers(HeapGraph *g, HeapObject o, uint64_t offset, uint64_t limit,
                    HeapArena *arena, HeapLink **links, size_t *count, uint64_t *of,
                    HeapError *error)
{
    HeapTop top;
    if (!check_object(g, o, false, error))
        return false;
    uint64_t end = add_capped(offset, limit);
    size_t weak = heap_first_weak(g, o), weak_end = weak;
    heap_top_init(&top, g, end);
    *of = *count = 0;
    for (uint32_t i = g->in_at[o]; i < g->in_at[o + 1]; i++) {
        if (i > g->in_at[o] && g->in[i] == g->in[i - 1])
            continue; // refers to it twice
        heap_top_add(&top, g->in[i]);
        ++*of;
    }
    uint64_t strong = *of;
    for (; weak_end < g->weak_count && g->weak[weak_end].to == o; weak_end++)
        ++*of;
    size_t room = (size_t)(*of < end ? *of : end);
    *links = heap_arena_get(arena, (room + 1) * sizeof(HeapLink));
    bool ok = heap_top_sort(&top) && *links != NULL;
    for (uint64_t i = offset; ok && i < room; i++) {
        bool is_weak = i >= strong;
        assert(is_weak || i < top.count);
        HeapObject from = is_weak ? g->weak[weak + (i - strong)].from : top.heap[i];
        ok = fill_link(g, from, o, is_weak, arena, &(*links)[(*count)++]);
    }
    heap_top_free(&top);
    return ok || heap_fail_memory(error);
}
