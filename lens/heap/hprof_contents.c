// SPDX-License-Identifier: Apache-2.0
// What the objects of an HPROF file hold: pieces of its heap's part, ids, names, fields, elements, texts, threads and frames.
#include "hprof_read.h"

#include <stdlib.h>
#include <string.h>

enum { // jvmtiHeapReferenceKind
    KIND_CLASS = 1,
    KIND_LOADER = 4,
    KIND_SIGNERS = 5,
    KIND_DOMAIN = 6,
    KIND_POOL = 9,
    KIND_SUPER = 10
};

uint64_t hprof_id(const HprofData *h, const uint8_t *p)
{
    assert(h->id_size == 4 || h->id_size == 8);
    return h->id_size == 4 ? heap_u4(p) : heap_u8(p);
}

const HprofType *hprof_type(uint8_t number)
{
    for (size_t i = 0; i < HPROF_TYPE_COUNT; i++) {
        if (hprof_types[i].number == number)
            return &hprof_types[i];
    }
    return NULL;
}

static uint32_t width_of(const HprofData *h, const HprofType *type)
{
    return type->width == 0 ? h->id_size : type->width;
}

HeapObject hprof_object(const HprofData *h, uint64_t id)
{
    if (h->id_count == 0 || id < h->ids[0] || id > h->ids[h->id_count - 1])
        return 0;
    size_t bucket = (size_t)((id - h->ids[0]) >> h->shift);
    assert(bucket < h->bucket_count);
    size_t low = h->buckets[bucket], high = h->buckets[bucket + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || h->ids[low - 1] < id);
    return low < h->id_count && h->ids[low] == id ? (HeapObject)(low + 1) : 0;
}

static const uint8_t *at_pos(const HeapReader *r)
{
    ASSERT_WINDOW(r);
    return r->buffer + r->pos;
}

const char *hprof_name(HeapGraph *g, uint64_t id)
{
    const HprofData *h = g->source_data;
    uint64_t at = heap_map_get(&h->names, id);
    HeapReader *r = &g->far;
    if (at == 0)
        return "?";
    heap_reader_seek(r, at - 4);
    if (heap_reader_need(r, 4) < 4)
        return "?";
    size_t len =
        heap_u4(at_pos(r)) - h->id_size; // the record was whole when its place was noted
    if (len > HEAP_MAX_NAME)
        len = HEAP_MAX_NAME;
    heap_reader_seek(r, at + h->id_size);
    if (heap_reader_need(r, len) < len)
        return "?";
    char *text = heap_arena_get(&g->names, 3 * len + 1);
    if (text != NULL)
        heap_utf8_clean(at_pos(r), len, text);
    return text;
}

// ---- pieces ----------------------------------------------------------------------------------------------------------

// Steps over `count` values that each have `before` bytes and a type before them.
static HprofStep skip_values(const HprofData *h, HeapReader *r, size_t before, bool has_value,
                             size_t *n)
{
    if (heap_reader_need(r, *n + 2) < *n + 2)
        return PIECE_CUT;
    uint16_t count = heap_u2(at_pos(r) + *n);
    *n += 2;
    for (; count > 0; count--) {
        if (heap_reader_need(r, *n + before + 1) < *n + before + 1)
            return PIECE_CUT;
        const HprofType *type = hprof_type(at_pos(r)[*n + before]);
        if (type == NULL)
            return PIECE_UNKNOWN;
        *n += before + 1 + (has_value ? width_of(h, type) : 0);
    }
    return heap_reader_need(r, *n) < *n ? PIECE_CUT : PIECE_READ;
}

static HprofStep read_class_piece(const HprofData *h, HeapReader *r, HprofPiece *p)
{
    size_t n = 1 + 7 * (size_t)h->id_size + 8;
    p->contents = p->at + 1 + h->id_size + 4;
    HprofStep step = skip_values(h, r, 2, true, &n); // constant pool
    if (step == PIECE_READ)
        step = skip_values(h, r, h->id_size, true, &n); // static fields
    if (step == PIECE_READ)
        step = skip_values(h, r, h->id_size, false, &n);
    p->length = n;
    return step;
}

static HprofStep read_root_piece(const HprofData *h, HeapReader *r, HprofPiece *p)
{
    assert(p->root != NULL);
    size_t n = 1 + (size_t)h->id_size * (1u + p->root->more_ids);
    p->length = n + p->root->more_bytes;
    if (heap_reader_need(r, p->length) < p->length)
        return PIECE_CUT;
    const uint8_t *more = at_pos(r) + n;
    p->thread = p->root->has_thread ? heap_u4(more) : 0;
    p->frame = p->root->has_frame ? heap_u4(more + 4) : UINT32_MAX;
    p->trace = p->tag == HPROF_THREAD_ROOT ? heap_u4(more + 4) : 0;
    return PIECE_READ;
}

static HprofStep read_object_piece(const HprofData *h, HeapReader *r, HprofPiece *p)
{
    size_t id = h->id_size, n = 1 + id + 4; // the tag, its id, a stack trace
    if (heap_reader_need(r, n + 4 + id + 4) < n + 5)
        return PIECE_CUT;
    const uint8_t *b = at_pos(r);
    uint64_t width = 1;
    if (p->tag == PIECE_INSTANCE) {
        p->class_id = hprof_id(h, b + n);
        p->count = heap_u4(b + n + id);
        n += id + 4;
    } else {
        p->count = heap_u4(b + n);
        n += 4;
        if (p->tag == PIECE_OBJECTS) {
            p->class_id = hprof_id(h, b + n);
            width = id;
            n += id;
        } else {
            const HprofType *type = hprof_type(b[n]);
            if (type == NULL || type->width == 0)
                return PIECE_UNKNOWN;
            p->type = type->number;
            width = type->width;
            n++;
        }
    }
    p->contents = p->at + n;
    p->length = n + p->count * width;
    return p->at + p->length > h->size ? PIECE_CUT : PIECE_READ;
}

HprofStep hprof_read_piece(const HprofData *h, HeapReader *r, HprofPiece *p)
{
    *p = (HprofPiece){.at = heap_reader_at(r)};
    if (heap_reader_need(r, 1u + h->id_size) < 1u + h->id_size)
        return PIECE_CUT;
    p->tag = at_pos(r)[0];
    p->id = hprof_id(h, at_pos(r) + 1);
    if (p->tag == PIECE_CLASS)
        return read_class_piece(h, r, p);
    if (p->tag >= PIECE_INSTANCE && p->tag <= PIECE_PRIMITIVES)
        return read_object_piece(h, r, p);
    for (size_t i = 0; i < HPROF_ROOT_COUNT; i++) {
        if (hprof_roots[i].tag == p->tag) {
            p->root = &hprof_roots[i];
            return read_root_piece(h, r, p);
        }
    }
    return PIECE_UNKNOWN;
}

// ---- what an object holds --------------------------------------------------------------------------------------------

typedef struct Visit {
    const HprofData *h;
    HeapReader *r;
    HeapVisitor *visitor;
    void *context;
} Visit;

static uint64_t java_bits(const HprofType *type, const uint8_t *p)
{
    switch (type->letter) {
    case 'Z': return p[0] != 0;
    case 'B': return (uint64_t)(int64_t)(int8_t)p[0];
    case 'S': return (uint64_t)(int64_t)(int16_t)heap_u2(p);
    case 'C': return heap_u2(p);
    case 'I': return (uint64_t)(int64_t)(int32_t)heap_u4(p);
    case 'F': return heap_u4(p);
    default: return heap_u8(p);
    }
}

// Reads one value and moves on. False: the file ends, or the visitor has enough.
static bool visit_value(const Visit *v, const HprofType *type, HeapItemKind kind,
                        uint32_t index)
{
    size_t width = width_of(v->h, type);
    if (heap_reader_need(v->r, width) < width)
        return false;
    HeapItem item = {.kind = kind, .type = type->letter, .index = index};
    if (type->letter == 'L')
        item.to = hprof_object(v->h, hprof_id(v->h, at_pos(v->r)));
    else
        item.bits = java_bits(type, at_pos(v->r));
    v->r->pos += width;
    return v->visitor(v->context, &item);
}

static bool visit_other(const Visit *v, uint32_t kind)
{
    return visit_value(v, hprof_type(2), HEAP_ITEM_OTHER, kind);
}

// The values that stand in a class's piece: of its constant pool (fields_of NULL), or its static fields, which are the first of that
// class's; one that it did not declare (the file has changed, or two classes have one id) is of no field.
static bool visit_class_values(const Visit *v, size_t before, const HeapClass *fields_of)
{
    if (heap_reader_need(v->r, 2) < 2)
        return false;
    uint16_t count = heap_u2(at_pos(v->r));
    v->r->pos += 2;
    for (uint16_t i = 0; i < count; i++) {
        if (heap_reader_need(v->r, before + 1) < before + 1)
            return false;
        const HprofType *type = hprof_type(at_pos(v->r)[before]);
        v->r->pos += before + 1;
        uint32_t index = fields_of == NULL            ? KIND_POOL
                         : i < fields_of->field_count ? fields_of->field_at + i
                                                      : HEAP_NONE;
        HeapItemKind kind = fields_of == NULL ? HEAP_ITEM_OTHER : HEAP_ITEM_STATIC;
        if (type == NULL || !visit_value(v, type, kind, index))
            return false;
    }
    return true;
}

static void visit_class(const Visit *v, const HprofPiece *p, const HeapClass *own)
{
    heap_reader_seek(v->r, p->contents);
    if (!visit_other(v, KIND_SUPER) || !visit_other(v, KIND_LOADER)
        || !visit_other(v, KIND_SIGNERS) || !visit_other(v, KIND_DOMAIN))
        return;
    heap_reader_seek(v->r, p->contents + 6ull * v->h->id_size + 4); // two ids and a size
    if (visit_class_values(v, 2, NULL))
        visit_class_values(v, v->h->id_size, own);
}

static const HprofType *type_of_letter(char letter)
{
    for (size_t i = 0; i < HPROF_TYPE_COUNT; i++) {
        if (hprof_types[i].letter == letter)
            return &hprof_types[i];
    }
    return &hprof_types[0];
}

static void visit_fields(const Visit *v, const HeapGraph *g, const HprofPiece *p, uint32_t c)
{
    uint64_t end = p->contents + p->count;
    heap_reader_seek(v->r, p->contents);
    for (int i = 0; i < HEAP_MAX_CHAIN && c != HEAP_NONE; i++, c = g->classes[c].super) {
        for (uint32_t f = g->classes[c].field_at;
             f < g->classes[c].field_at + g->classes[c].field_count; f++) {
            if (g->fields[f].is_static)
                continue;
            const HprofType *type = type_of_letter(g->fields[f].type);
            if (heap_reader_at(v->r) + width_of(v->h, type) > end
                || !visit_value(v, type, HEAP_ITEM_FIELD, f))
                return;
        }
    }
}

static void visit_elements(const Visit *v, const HprofPiece *p, const HprofType *type,
                           uint64_t from, uint64_t count)
{
    if (from >= p->count)
        return;
    if (count > p->count - from)
        count = p->count - from;
    heap_reader_seek(v->r, p->contents + from * width_of(v->h, type));
    for (uint64_t i = 0; i < count; i++) {
        if (!visit_value(v, type, HEAP_ITEM_ELEMENT, (uint32_t)(from + i)))
            return;
    }
}

void hprof_visit_piece(HeapGraph *g, HeapReader *r, const HprofPiece *p, uint32_t c,
                       HeapVisitor *visitor, void *context)
{
    ASSERT_CLASS(g, c);
    Visit v = {g->source_data, r, visitor, context};
    HeapItem of_class = {
        .kind = HEAP_ITEM_OTHER, .type = 'L', .index = KIND_CLASS, .to = g->classes[c].object};
    if (p->tag == PIECE_CLASS) {
        uint64_t own = heap_map_get(&g->class_ids, p->id);
        if (own != 0)
            visit_class(&v, p, &g->classes[own - 1]);
        return;
    }
    if (p->tag == PIECE_PRIMITIVES || !visitor(context, &of_class))
        return; // the classes of primitive arrays are always there
    if (p->tag == PIECE_INSTANCE)
        visit_fields(&v, g, p, c);
    else if (p->tag == PIECE_OBJECTS)
        visit_elements(&v, p, hprof_type(2), 0, UINT64_MAX);
}

static bool find_piece(HeapGraph *g, HeapReader *r, HeapObject o, HprofPiece *p)
{
    ASSERT_OBJECT(g, o);
    heap_reader_seek(r, g->at[o]);
    return g->at[o] != 0 && hprof_read_piece(g->source_data, r, p) == PIECE_READ;
}

static void hprof_visit(HeapGraph *g, HeapObject o, HeapVisitor *visitor, void *context)
{
    HprofPiece p;
    if (find_piece(g, &g->near, o, &p))
        hprof_visit_piece(g, &g->near, &p, g->class_of[o], visitor, context);
}

static void hprof_array(HeapGraph *g, HeapObject o, uint64_t from, uint64_t count,
                        HeapVisitor *visitor, void *context)
{
    HprofPiece p;
    Visit v = {g->source_data, &g->far, visitor, context};
    if (find_piece(g, &g->far, o, &p) && p.tag == PIECE_PRIMITIVES)
        visit_elements(&v, &p, hprof_type(p.type), from, count);
}

// ---- texts -----------------------------------------------------------------------------------------------------------

typedef struct StringParts {
    const HeapGraph *g;
    HeapObject value;
    uint64_t coder, offset, count;
    bool has_count; // old strings are parts of an array
} StringParts;

static bool take_part(void *context, const HeapItem *item)
{
    StringParts *s = context;
    if (item->kind != HEAP_ITEM_FIELD)
        return true;
    assert(item->index < s->g->field_count);
    const char *name = s->g->fields[item->index].name;
    if (strcmp(name, "value") == 0)
        s->value = item->to;
    else if (strcmp(name, "coder") == 0)
        s->coder = item->bits;
    else if (strcmp(name, "offset") == 0)
        s->offset = item->bits;
    else if (strcmp(name, "count") == 0) {
        s->count = item->bits;
        s->has_count = true;
    }
    return true;
}

// The elements from `from` on as text: characters, Latin-1, or UTF-16 in bytes (as x86 keeps it).
static bool array_text(HeapGraph *g, const HprofPiece *p, bool is_utf16, uint64_t from,
                       size_t count, HeapText *out)
{
    assert(p->tag == PIECE_PRIMITIVES && (p->type == 5 || p->type == 8));
    size_t width = p->type == 5 || is_utf16 ? 2 : 1, bytes = count * width;
    heap_reader_seek(&g->far, p->contents + from * width);
    if (heap_reader_need(&g->far, bytes) < bytes
        || !heap_grow((void **)&out->bytes, &out->capacity, 3 * count + 1, 1))
        return false;
    const uint8_t *b = at_pos(&g->far);
    if (width == 1) {
        out->len = heap_utf8_from_latin1(b, count, out->bytes);
        return true;
    }
    uint16_t *chars = malloc((count + 1) * sizeof(*chars));
    if (chars == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        chars[i] = p->type == 5 ? heap_u2(b + 2 * i) : (uint16_t)(b[2 * i] | b[2 * i + 1] << 8);
    out->len = heap_utf8_from_utf16(chars, count, out->bytes);
    free(chars);
    return true;
}

static bool hprof_text(HeapGraph *g, HeapObject string, size_t max, HeapText *out)
{
    StringParts s = {.g = g};
    HprofPiece p;
    hprof_visit(g, string, take_part, &s);
    if (s.value == 0 || !find_piece(g, &g->far, s.value, &p) || p.tag != PIECE_PRIMITIVES
        || (p.type != 5 && p.type != 8))
        return false;
    bool is_utf16 = p.type == 8 && s.coder != 0;
    uint64_t there = is_utf16 ? p.count / 2 : p.count;
    if (s.offset > there)
        return false;
    out->length = s.has_count && s.count < there - s.offset ? s.count : there - s.offset;
    return array_text(g, &p, is_utf16, s.offset, out->length < max ? (size_t)out->length : max,
                      out);
}

static HeapObject hprof_text_array(HeapGraph *g, HeapObject string)
{
    StringParts s = {.g = g};
    hprof_visit(g, string, take_part, &s);
    return s.value;
}

// ---- threads and frames of roots -------------------------------------------------------------------------------------

static const HprofThread *thread_of(const HprofData *h, uint64_t serial)
{
    uint64_t place = heap_map_get(&h->threads, serial);
    assert(place <= h->thread_count);
    return place == 0 ? NULL : &h->thread_list[place - 1];
}

static const char *hprof_root_thread(HeapGraph *g, const HeapRootEntry *root, HeapArena *arena)
{
    const HprofData *h = g->source_data;
    const HprofThread *thread = thread_of(h, root->thread);
    HeapObject o = thread == NULL ? 0 : hprof_object(h, thread->object);
    return o == 0 ? "" : heap_label(g, o, arena);
}

// Bytes from a place in the file; NULL: it ends before.
static const uint8_t *bytes_at(HeapGraph *g, uint64_t at, size_t len)
{
    heap_reader_seek(&g->far, at);
    return at != 0 && heap_reader_need(&g->far, len) >= len ? at_pos(&g->far) : NULL;
}

// root->method is the number of the frame in the thread's stack trace, and 1.
static const char *hprof_root_method(HeapGraph *g, const HeapRootEntry *root, HeapArena *arena)
{
    const HprofData *h = g->source_data;
    const HprofThread *thread = thread_of(h, root->thread);
    uint64_t trace =
        thread == NULL || root->method == 0 ? 0 : heap_map_get(&h->traces, thread->trace);
    const uint8_t *b = bytes_at(g, trace, 12); // two serial numbers, then how many frames
    if (b == NULL || root->method > heap_u4(b + 8))
        return "";
    b = bytes_at(g, trace + 12 + (root->method - 1) * h->id_size, h->id_size);
    b = b == NULL ? NULL
                  : bytes_at(g, heap_map_get(&h->frames, hprof_id(h, b)), 4u * h->id_size + 4);
    if (b == NULL)
        return "";
    uint64_t method = hprof_id(h, b + h->id_size);
    uint64_t class_id = heap_map_get(&h->class_serials, heap_u4(b + 4 * h->id_size));
    uint64_t c = heap_map_get(&g->class_ids, class_id);
    const char *name = hprof_name(g, method);
    if (name == NULL)
        return NULL;
    return c == 0 ? heap_arena_text(arena, name, strlen(name))
                  : heap_arena_printf(arena, "%s.%s", g->classes[c - 1].name, name);
}

static void hprof_free(HeapGraph *g)
{
    HprofData *h = g->source_data;
    if (h == NULL)
        return;
    HeapMap *maps[] = {&h->names,  &h->class_names, &h->class_serials,
                       &h->frames, &h->traces,      &h->threads};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        heap_map_free(maps[i]);
    free(h->ids);
    free(h->buckets);
    free(h->thread_list);
    free(h);
}

const HeapSource hprof_source = {.visit = hprof_visit,
                                 .text = hprof_text,
                                 .text_array = hprof_text_array,
                                 .array = hprof_array,
                                 .root_thread = hprof_root_thread,
                                 .root_method = hprof_root_method,
                                 .free = hprof_free};
