// SPDX-License-Identifier: Apache-2.0
// HPROF 1.0.1 and 1.0.2 of any VM: finds the objects of a file and their references.
//
// Two passes over the heap's part: the first notes ids and where they lie, then ids are sorted and become numbers, the second reads
// what each object holds. A segment's length may be wrong: it is 0, or lacks multiples of 4 GB, in files of some VMs. It is taken
// for what is true of it: pieces are read one by one, and the segment ends where they do and a record of the file follows.
// A file that is cut off is used as far as its pieces are whole.
#include "hprof_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    HPROF_BUFFER = 1 << 20,
    HEADERS = 3, // records that must follow each other where a segment's length is in doubt
    REPORT_EACH = 1 << 14, // pieces
    RADIX_BITS = 16,
    PER_BUCKET = 4, // ids in a bucket, about
    TYPE_BYTES = 8,
    UNKNOWN_CLASS = 0, // classes of objects whose class is not in the file
    UNKNOWN_ARRAY = 1
};
#define WRAP       (1ull << 32)  // what a wrong length lacks
#define NO_ID      UINT64_MAX    // of classes that are not in the file
#define COMPRESSED (32ull << 30) // below it a VM of 64 bits keeps references in 4 bytes

typedef struct Segment {
    uint64_t at, end;
} Segment;

typedef struct PendingRoot {
    uint64_t id;
    HeapRootEntry entry;
} PendingRoot;

typedef struct Layout { // how large what is not told is taken to be
    uint32_t reference, header, array_header;
} Layout;

typedef struct Scan { // while a file is loaded
    HeapLoad *load;
    HeapGraph *g;
    HprofData *h;
    HeapReader in;
    Segment *segments;
    size_t segment_count, segment_capacity;
    uint64_t *ats; // of each id, where its piece lies
    size_t at_capacity;
    uint64_t *class_ats; // where the pieces of classes lie
    size_t class_at_count, class_at_capacity;
    PendingRoot *roots;
    size_t root_count, root_capacity;
    uint32_t *class_bytes; // of an instance's fields, by class
    Layout layout;
    uint64_t pieces;
    bool cut; // said that the file ends too early
} Scan;

#define ADD(s, array, capacity, count)                                        \
    (heap_grow((void **)&(array), &(capacity), (count) + 1, sizeof(*(array))) \
     || heap_fail_memory((s)->load->error))

// ---- records of the file ---------------------------------------------------------------------------------------------

static bool is_record_tag(uint8_t tag)
{
    return (tag >= HPROF_UTF8 && tag <= HPROF_HEAP_SUMMARY)
           || (tag >= HPROF_START_THREAD && tag <= HPROF_CONTROL) || tag == HPROF_HEAP_SEGMENT
           || tag == HPROF_HEAP_END;
}

static bool is_heap_tag(uint8_t tag)
{
    return tag == HPROF_HEAP_DUMP || tag == HPROF_HEAP_SEGMENT;
}

// Whether records of the file can begin there: a few follow each other, up to its end or the next segment.
static bool records_follow(Scan *s, uint64_t at)
{
    HeapReader *r = &s->g->far;
    for (int i = 0; i < HEADERS && at != s->h->size; i++) {
        heap_reader_seek(r, at);
        if (heap_reader_need(r, HPROF_HEADER) < HPROF_HEADER
            || !is_record_tag(r->buffer[r->pos]))
            return false;
        if (is_heap_tag(r->buffer[r->pos]))
            return true;
        at += HPROF_HEADER + heap_u4(r->buffer + r->pos + 5);
        if (at > s->h->size)
            return false;
    }
    return true;
}

// Notes where the contents of a record lie, or what they say.
static bool note_record(Scan *s, uint8_t tag, uint64_t at, uint32_t length)
{
    HprofData *h = s->h;
    size_t id = h->id_size, need = tag == HPROF_LOAD_CLASS ? 8 + 2 * id : id;
    HeapMap *map = tag == HPROF_UTF8 ? &h->names : tag == HPROF_FRAME ? &h->frames : &h->traces;
    if (tag != HPROF_UTF8 && tag != HPROF_LOAD_CLASS && tag != HPROF_FRAME
        && tag != HPROF_TRACE)
        return true;
    if (length < need || heap_reader_need(&s->in, need) < need)
        return true;
    const uint8_t *b = s->in.buffer + s->in.pos;
    if (tag == HPROF_LOAD_CLASS) {
        uint64_t class_id = hprof_id(h, b + 4), name = hprof_id(h, b + 8 + id);
        if (class_id == 0 || name == 0)
            return true;
        return (heap_map_put(&h->class_names, class_id, name)
                && heap_map_put(&h->class_serials, heap_u4(b), class_id))
               || heap_fail_memory(s->load->error);
    }
    return heap_map_put(map, tag == HPROF_TRACE ? heap_u4(b) : hprof_id(h, b), at)
           || heap_fail_memory(s->load->error);
}

// ---- first pass ------------------------------------------------------------------------------------------------------

static bool note_root(Scan *s, const HprofPiece *p)
{
    assert(p->root != NULL);
    HprofData *h = s->h;
    if (!ADD(s, s->roots, s->root_capacity, s->root_count))
        return false;
    s->roots[s->root_count++] =
        (PendingRoot){p->id,
                      {.kind = p->root->kind,
                       .thread = p->thread,
                       .method = p->frame == UINT32_MAX ? 0 : p->frame + 1ull}};
    if (p->tag != HPROF_THREAD_ROOT)
        return true;
    if (!ADD(s, h->thread_list, h->thread_capacity, h->thread_count))
        return false;
    h->thread_list[h->thread_count++] = (HprofThread){p->id, p->trace};
    return heap_map_put(&h->threads, p->thread, h->thread_count)
           || heap_fail_memory(s->load->error);
}

static bool note_piece(Scan *s, const HprofPiece *p)
{
    assert(p->length > 0); // the next one is behind it
    HprofData *h = s->h;
    uint64_t limit = s->load->options->max_objects;
    if (++s->pieces % REPORT_EACH == 0 && !heap_report(s->load, p->at, h->size))
        return false;
    if (p->root != NULL)
        return note_root(s, p);
    if (h->id_count >= (limit == 0 || limit > HEAP_MAX_OBJECTS ? HEAP_MAX_OBJECTS : limit))
        return heap_fail(s->load->error, "The heap has more than %llu objects.",
                         (unsigned long long)h->id_count);
    if (!ADD(s, h->ids, h->id_capacity, h->id_count)
        || !ADD(s, s->ats, s->at_capacity, h->id_count))
        return false;
    assert(h->id_count < s->at_capacity); // both arrays grow alike
    h->ids[h->id_count] = p->id;
    s->ats[h->id_count++] = p->at;
    if (p->tag != PIECE_CLASS)
        return true;
    if (!ADD(s, s->class_ats, s->class_at_capacity, s->class_at_count))
        return false;
    s->class_ats[s->class_at_count++] = p->at;
    return true;
}

static void tell_cut(Scan *s, uint64_t at)
{
    if (!s->cut)
        heap_lost(s->g, "The file ends within a record, at byte %" PRIu64 ". ", at);
    s->cut = true;
}

// The segment whose contents begin at `at`. *next: where the next record of the file begins.
static bool scan_segment(Scan *s, uint64_t at, uint32_t length, uint64_t *next)
{
    HprofData *h = s->h;
    bool in_doubt = length == 0 || h->size >= WRAP;
    uint64_t end = at + length, begin = at;
    HprofPiece p;
    for (heap_reader_seek(&s->in, at);; heap_reader_seek(&s->in, at)) {
        if (at >= h->size || (at == end && (!in_doubt || records_follow(s, at))))
            break;
        HprofStep step = hprof_read_piece(h, &s->in, &p);
        if (step == PIECE_UNKNOWN && !records_follow(s, at))
            heap_lost(s->g,
                      "The file is damaged at byte %" PRIu64
                      "; the heap's part was read up to there. ",
                      at);
        if (step == PIECE_CUT)
            tell_cut(s, at);
        if (step == PIECE_UNKNOWN && records_follow(s, at)) {
            end = at; // it is shorter than it says
            break;
        }
        if (step != PIECE_READ) {
            h->size = at; // nothing behind it can be trusted
            break;
        }
        if (!note_piece(s, &p))
            return false;
        at += p.length;
        while (at > end && in_doubt)
            end += WRAP;
        if (at
            > end) { // a piece passes the end of a segment whose length cannot be wrong by 4 GB
            in_doubt = true;
            end += WRAP;
        }
    }
    if (at >= h->size && end > h->size && length != 0 && h->size < WRAP)
        tell_cut(s, at);
    *next = at;
    if (!ADD(s, s->segments, s->segment_capacity, s->segment_count))
        return false;
    assert(begin <= at);
    s->segments[s->segment_count++] = (Segment){begin, at};
    return true;
}

static bool scan_file(Scan *s, uint64_t at)
{
    HprofData *h = s->h;
    for (uint64_t i = 1; at < h->size; i++) {
        heap_reader_seek(&s->in, at);
        if (heap_reader_need(&s->in, HPROF_HEADER) < HPROF_HEADER) {
            tell_cut(s, at);
            break;
        }
        uint8_t tag = s->in.buffer[s->in.pos];
        uint32_t length = heap_u4(s->in.buffer + s->in.pos + 5);
        s->in.pos += HPROF_HEADER;
        if (i % REPORT_EACH == 0 && !heap_report(s->load, at, h->size))
            return false;
        at += HPROF_HEADER;
        if (is_heap_tag(tag)) {
            if (!scan_segment(s, at, length, &at))
                return false;
            continue;
        }
        if (!is_record_tag(tag)) {
            heap_lost(s->g,
                      "The file is damaged at byte %" PRIu64 "; what follows was not read. ",
                      at - HPROF_HEADER);
            break;
        }
        if (at + length > h->size)
            tell_cut(s, at);
        else if (!note_record(s, tag, at, length))
            return false;
        at += length;
    }
    return true;
}

// ---- ids become numbers ----------------------------------------------------------------------------------------------

static bool is_sorted(const HprofData *h)
{
    for (size_t i = 1; i < h->id_count; i++) {
        if (h->ids[i] <= h->ids[i - 1])
            return false;
    }
    return true;
}

// One step of a radix sort, which keeps the order of equal ones: by 16 bits of the id.
static void sort_digit(const uint64_t *ids, const uint64_t *ats, uint64_t *ids_to,
                       uint64_t *ats_to, size_t count, unsigned shift, size_t *places)
{
    size_t mask = (1u << RADIX_BITS) - 1, sum = 0;
    memset(places, 0, (mask + 1) * sizeof(*places));
    for (size_t i = 0; i < count; i++)
        places[ids[i] >> shift & mask]++;
    for (size_t d = 0; d <= mask; d++) {
        size_t n = places[d];
        places[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++) {
        size_t to = places[ids[i] >> shift & mask]++;
        ids_to[to] = ids[i];
        ats_to[to] = ats[i];
    }
}

static bool sort_ids(Scan *s)
{
    HprofData *h = s->h;
    size_t count = h->id_count;
    if (is_sorted(h))
        return true;
    uint64_t *ids = malloc(count * sizeof(*ids)), *ats = malloc(count * sizeof(*ats));
    size_t *places = malloc(sizeof(*places) << RADIX_BITS);
    bool ok = ids != NULL && ats != NULL && places != NULL;
    for (unsigned shift = 0; ok && shift < 64; shift += RADIX_BITS) {
        uint64_t *from_ids = h->ids, *from_ats = s->ats;
        sort_digit(from_ids, from_ats, ids, ats, count, shift, places);
        h->ids = ids;
        s->ats = ats;
        ids = from_ids;
        ats = from_ats;
        h->id_capacity = s->at_capacity = count;
    }
    free(ids);
    free(ats);
    free(places);
    return ok || heap_fail_memory(s->load->error);
}

// Of two pieces with one id the first in the file is used.
static void drop_equal_ids(Scan *s)
{
    HprofData *h = s->h;
    size_t kept = 0;
    for (size_t i = 0; i < h->id_count; i++) {
        if (kept > 0 && h->ids[kept - 1] == h->ids[i])
            continue;
        assert(kept == 0 || h->ids[kept - 1] < h->ids[i]); // they are sorted
        h->ids[kept] = h->ids[i];
        s->ats[kept++] = s->ats[i];
    }
    if (kept < h->id_count)
        heap_lost(s->g, "%zu objects are in the file twice; the first of each is used. ",
                  h->id_count - kept);
    h->id_count = kept;
}

static bool make_buckets(Scan *s)
{
    HprofData *h = s->h;
    assert(h->id_count > 0);
    uint64_t range = h->ids[h->id_count - 1] - h->ids[0];
    size_t wanted = h->id_count / PER_BUCKET + 1;
    // two buckets are the least: what a shift by 64 gives is not defined
    while (h->shift < 63 && range >> h->shift >= wanted)
        h->shift++;
    h->bucket_count = (size_t)(range >> h->shift) + 1;
    h->buckets = malloc((h->bucket_count + 1) * sizeof(*h->buckets));
    if (h->buckets == NULL)
        return heap_fail_memory(s->load->error);
    size_t bucket = 0;
    for (size_t i = 0; i < h->id_count; i++) {
        for (size_t own = (size_t)((h->ids[i] - h->ids[0]) >> h->shift); bucket <= own;
             bucket++)
            h->buckets[bucket] = (uint32_t)i;
    }
    assert(bucket == h->bucket_count); // the last id is in the last one
    for (; bucket <= h->bucket_count; bucket++)
        h->buckets[bucket] = (uint32_t)h->id_count;
    return true;
}

static void choose_layout(Scan *s)
{
    const HprofData *h = s->h;
    if (h->id_size == 4)
        s->layout = (Layout){4, 8, 12};
    else if (h->ids[h->id_count - 1] < COMPRESSED)
        s->layout = (Layout){4, 12, 16};
    else
        s->layout = (Layout){8, 16, 24};
}

// ---- classes ---------------------------------------------------------------------------------------------------------

// java.lang.String[] of [Ljava/lang/String; and the like.
static const char *java_name(HeapGraph *g, const char *name)
{
    size_t dims = strspn(name, "["), len = strlen(name) - dims;
    const char *primitive = dims == 0 || len != 1 ? "" : heap_type_name(name[dims]);
    const char *base = name + dims;
    if (primitive[0] != 0) {
        base = primitive;
        len = strlen(base);
    } else if (dims > 0 && base[0] == 'L' && base[len - 1] == ';') {
        base++;
        len -= 2;
    }
    char *text = dims > 255 ? NULL : heap_arena_get(&g->names, len + 2 * dims + 1);
    if (text == NULL)
        return dims > 255 ? name : NULL;
    memcpy(text, base, len);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '/')
            text[i] = '.';
    }
    char *hidden = strstr(text, "+0x");
    if (hidden != NULL)
        *hidden = '/'; // as Class.getName has it
    for (size_t i = 0; i < dims; i++)
        memcpy(text + len + 2 * i, "[]", 2);
    return text;
}

// Reads `count` fields behind *n bytes of the piece at the reader's place.
static bool add_fields(Scan *s, size_t *n, bool is_static)
{
    HeapReader *r = &s->in;
    HprofData *h = s->h;
    heap_reader_need(r, *n + 2);
    uint16_t count = heap_u2(r->buffer + r->pos + *n);
    *n += 2;
    for (; count > 0; count--) {
        heap_reader_need(r, *n + h->id_size + 1);
        const uint8_t *b = r->buffer + r->pos + *n;
        const HprofType *type = hprof_type(b[h->id_size]);
        if (type == NULL)
            return true; // the file has changed since the first pass
        uint32_t width = type->width == 0 ? h->id_size : type->width;
        *n += h->id_size + 1 + (is_static ? width : 0);
        const char *name = hprof_name(s->g, hprof_id(h, b));
        if (name == NULL || !heap_add_field(s->load, name, type->letter, is_static))
            return heap_fail_memory(s->load->error);
    }
    return true;
}

static bool add_class(Scan *s, const HprofPiece *p)
{
    HprofData *h = s->h;
    HeapReader *r = &s->in;
    const char *name = hprof_name(s->g, heap_map_get(&h->class_names, p->id));
    uint32_t index;
    name = name == NULL ? NULL : java_name(s->g, name);
    if (name == NULL)
        return heap_fail_memory(s->load->error);
    if (!heap_add_class(s->load, p->id, name, &index))
        return false;
    size_t n = 1 + 7 * (size_t)h->id_size + 8;
    heap_reader_need(r, n + 2);
    uint16_t pool = heap_u2(r->buffer + r->pos + n);
    for (n += 2; pool > 0; pool--) {
        heap_reader_need(r, n + 3);
        const HprofType *type = hprof_type(r->buffer[r->pos + n + 2]);
        n += 3 + (type == NULL ? 0 : type->width == 0 ? h->id_size : type->width);
    }
    HeapClass *c = &s->g->classes[index];
    c->at = p->contents;
    return add_fields(s, &n, true) && add_fields(s, &n, false);
}

static bool add_classes(Scan *s)
{
    for (size_t i = 0; i < s->class_at_count; i++) {
        HprofPiece p;
        heap_reader_seek(&s->in, s->class_ats[i]);
        if (hprof_read_piece(s->h, &s->in, &p) != PIECE_READ)
            continue; // the file has changed since the first pass
        HeapObject o = hprof_object(s->h, p.id);
        if (o != 0 && s->ats[o - 1] == p.at && !add_class(s, &p))
            return false;
    }
    return true;
}

// Super classes and loaders, which may come in any order. The chain of super classes is cut where it would close a circle.
static void link_classes(Scan *s)
{
    HeapGraph *g = s->g;
    enum { NEW, ON_WAY, DONE };
    for (uint32_t i = 0; i < g->class_count; i++) {
        HeapClass *c = &g->classes[i];
        c->object = hprof_object(s->h, c->id);
        heap_reader_seek(&g->near, c->at);
        if (c->at == 0 || heap_reader_need(&g->near, 2 * s->h->id_size) < 2 * s->h->id_size)
            continue;
        const uint8_t *b = g->near.buffer + g->near.pos;
        uint64_t super_id = hprof_id(s->h, b), super = heap_map_get(&g->class_ids, super_id);
        c->super = super == 0 || super_id == NO_ID ? HEAP_NONE : (uint32_t)super - 1;
        c->loader = hprof_object(s->h, hprof_id(s->h, b + s->h->id_size));
    }
    for (uint32_t i = 0; i < g->class_count; i++) {
        uint32_t c = i;
        while (c != HEAP_NONE && g->classes[c].depth == NEW) {
            g->classes[c].depth = ON_WAY;
            uint32_t super = g->classes[c].super;
            if (super != HEAP_NONE && g->classes[super].depth == ON_WAY)
                g->classes[c].super = HEAP_NONE;
            c = g->classes[c].super;
        }
        for (c = i; c != HEAP_NONE && g->classes[c].depth == ON_WAY; c = g->classes[c].super)
            g->classes[c].depth = DONE;
    }
}

static uint32_t field_bytes(const Scan *s, char letter)
{
    assert(s->layout.reference != 0); // it was chosen
    for (size_t i = 0; i < HPROF_TYPE_COUNT; i++) {
        if (hprof_types[i].letter == letter)
            return hprof_types[i].width == 0 ? s->layout.reference : hprof_types[i].width;
    }
    return TYPE_BYTES;
}

static uint64_t declared_bytes(const Scan *s, uint32_t c, bool is_static)
{
    const HeapGraph *g = s->g;
    uint64_t bytes = 0;
    for (uint32_t f = g->classes[c].field_at;
         f < g->classes[c].field_at + g->classes[c].field_count; f++)
        bytes += g->fields[f].is_static == is_static ? field_bytes(s, g->fields[f].type) : 0;
    return bytes;
}

static bool measure_classes(Scan *s)
{
    HeapGraph *g = s->g;
    s->class_bytes = calloc(g->class_count, sizeof(*s->class_bytes));
    if (s->class_bytes == NULL)
        return heap_fail_memory(s->load->error);
    for (uint32_t i = 0; i < g->class_count; i++)
        g->classes[i].own_bytes = (uint32_t)declared_bytes(s, i, false);
    for (uint32_t i = 0; i < g->class_count; i++) {
        uint32_t c = i;
        for (int k = 0; k < HEAP_MAX_CHAIN && c != HEAP_NONE; k++, c = g->classes[c].super)
            s->class_bytes[i] += g->classes[c].own_bytes;
        heap_find_weak_field(g, i);
    }
    return true;
}

static bool find_primitive_classes(Scan *s)
{
    for (size_t i = 1; i < HPROF_TYPE_COUNT; i++) { // the first is no primitive
        const HprofType *type = &hprof_types[i];
        char name[16] = "[";
        name[1] = type->letter;
        const char *java = java_name(s->g, name);
        if (java == NULL)
            return heap_fail_memory(s->load->error);
        uint32_t *index = &s->h->primitive_class[type->number];
        *index = heap_find_class(s->g, java);
        if (*index == HEAP_NONE && !heap_add_class(s->load, NO_ID, java, index))
            return false;
    }
    return true;
}

static bool find_classes(Scan *s)
{
    uint32_t unknown;
    if (!heap_add_class(s->load, NO_ID, "(unknown class)", &unknown)
        || !heap_add_class(s->load, NO_ID, "(unknown class)[]", &unknown) || !add_classes(s)
        || !find_primitive_classes(s))
        return false;
    link_classes(s);
    return measure_classes(s);
}

// ---- second pass -----------------------------------------------------------------------------------------------------

typedef struct Holder {
    Scan *s;
    HeapObject object;
    uint32_t weak_field;
    bool ok;
} Holder;

static bool add_item(void *context, const HeapItem *item)
{
    Holder *h = context;
    if (item->type != 'L' || item->to == 0)
        return true;
    if (item->kind == HEAP_ITEM_FIELD && item->index == h->weak_field)
        h->ok = heap_add_weak(h->s->load, h->object, item->to);
    else
        h->ok = heap_add_edge(h->s->load, h->object, item->to, false);
    return h->ok;
}

static uint32_t class_of_piece(const Scan *s, const HprofPiece *p, uint32_t class_class)
{
    if (p->tag == PIECE_CLASS)
        return class_class == HEAP_NONE ? UNKNOWN_CLASS : class_class;
    if (p->tag == PIECE_PRIMITIVES)
        return s->h->primitive_class[p->type];
    uint64_t known = heap_map_get(&s->g->class_ids, p->class_id);
    bool is_array = p->tag == PIECE_OBJECTS;
    if (known == 0 || (s->g->classes[known - 1].element == 'L') != is_array)
        return is_array ? UNKNOWN_ARRAY : UNKNOWN_CLASS;
    ASSERT_CLASS(s->g, known - 1);
    return (uint32_t)known - 1;
}

static uint64_t bytes_of_piece(const Scan *s, const HprofPiece *p, uint32_t c)
{
    const Layout *l = &s->layout;
    ASSERT_CLASS(s->g, c);
    if (p->tag == PIECE_PRIMITIVES)
        return l->array_header + p->count * hprof_type(p->type)->width;
    if (p->tag == PIECE_OBJECTS)
        return l->array_header + p->count * l->reference;
    if (p->tag == PIECE_INSTANCE)
        return l->header + (uint64_t)(c == UNKNOWN_CLASS ? p->count : s->class_bytes[c]);
    uint64_t own = heap_map_get(&s->g->class_ids, p->id);
    return l->header + s->class_bytes[c]
           + (own == 0 ? 0 : declared_bytes(s, (uint32_t)own - 1, true));
}

static bool set_object(Scan *s, HeapObject o, const HprofPiece *p, uint32_t c)
{
    HeapGraph *g = s->g;
    ASSERT_OBJECT(g, o);
    uint64_t units = (bytes_of_piece(s, p, c) + HEAP_UNIT - 1) / HEAP_UNIT;
    g->class_of[o] = c;
    g->units[o] = units > UINT32_MAX ? UINT32_MAX : (uint32_t)units;
    if (p->tag == PIECE_OBJECTS || p->tag == PIECE_PRIMITIVES)
        return heap_add_length(s->load, o, (uint32_t)p->count);
    uint64_t own = p->tag == PIECE_CLASS ? heap_map_get(&g->class_ids, p->id) : 0;
    return own == 0 || heap_add_class_object(s->load, o, (uint32_t)own - 1);
}

static bool use_piece(Scan *s, const HprofPiece *p)
{
    HeapGraph *g = s->g;
    HeapObject o = p->root != NULL ? 0 : hprof_object(s->h, p->id);
    if (o == 0 || g->at[o] != p->at)
        return true; // a root, or the second of that id
    uint32_t c = class_of_piece(s, p, s->h->primitive_class[0]);
    Holder holder = {s, o, g->classes[c].weak_field, true};
    if (!set_object(s, o, p, c))
        return false;
    hprof_visit_piece(g, &s->in, p, c, add_item, &holder);
    return holder.ok;
}

// In the order of the file.
static bool add_contents(Scan *s)
{
    for (size_t i = 0; i < s->segment_count; i++) {
        HprofPiece p = {.length = 0};
        for (uint64_t at = s->segments[i].at; at < s->segments[i].end; at += p.length) {
            heap_reader_seek(&s->in, at);
            if (hprof_read_piece(s->h, &s->in, &p) != PIECE_READ)
                break; // the file has changed since the first pass
            if (!use_piece(s, &p))
                return false;
            if (++s->pieces % REPORT_EACH == 0 && !heap_report(s->load, at, s->h->size))
                return false;
        }
    }
    return true;
}

static bool add_roots(Scan *s)
{
    for (size_t i = 0; i < s->root_count; i++) {
        HeapRootEntry *root = &s->roots[i].entry;
        root->object = hprof_object(s->h, s->roots[i].id);
        if (root->object == 0)
            s->load->dropped_records++;
        else if (!heap_add_root(s->load, root))
            return false;
    }
    return true;
}

static bool add_objects(Scan *s)
{
    HeapGraph *g = s->g;
    for (size_t i = 0; i < s->h->id_count; i++) {
        if (!heap_add_object(s->load, 0, HEAP_UNIT))
            return false;
        assert(g->count == i + 1); // numbers are places of ids and 1
        g->at[g->count] = s->ats[i];
    }
    free(s->ats);
    s->ats = NULL;
    return true;
}

// ---- all -------------------------------------------------------------------------------------------------------------

static bool read_header(Scan *s, uint64_t *at)
{
    enum { MAX_HEADER = 32 };
    HeapReader *r = &s->in;
    size_t have = heap_reader_need(r, MAX_HEADER + 12);
    const uint8_t *end = memchr(r->buffer, 0, have < MAX_HEADER ? have : MAX_HEADER);
    if (end == NULL || have < (size_t)(end - r->buffer) + 13)
        return heap_fail(s->load->error, "The HPROF file ends in its header.");
    s->h->id_size = heap_u4(end + 1);
    s->h->size = heap_file_size(s->g->fd);
    s->g->info.id_size = s->h->id_size;
    s->g->info.time_ms = (int64_t)heap_u8(end + 5);
    *at = (uint64_t)(end - r->buffer) + 13;
    return s->h->id_size == 4 || s->h->id_size == 8
           || heap_fail(s->load->error,
                        "The HPROF file has ids of %u bytes; 4 and 8 are known.",
                        s->h->id_size);
}

static bool order_ids(Scan *s)
{
    if (s->h->id_count == 0)
        return heap_fail(s->load->error, "There are no objects in this file.");
    if (!sort_ids(s))
        return false;
    drop_equal_ids(s);
    choose_layout(s);
    return make_buckets(s);
}

static bool load_file(Scan *s)
{
    uint64_t at = 0;
    heap_phase(s->load, "reading", s->load->progress.permille, 300);
    if (!heap_reader_init(&s->in, s->g->fd, HPROF_BUFFER))
        return heap_fail_memory(s->load->error);
    if (!read_header(s, &at) || !scan_file(s, at) || !order_ids(s) || !find_classes(s))
        return false;
    heap_phase(s->load, "reading", 300, 600);
    s->h->primitive_class[0] = heap_find_class(s->g, "java.lang.Class"); // no type has number 0
    return add_objects(s) && add_contents(s) && add_roots(s);
}

bool heap_load_hprof(HeapLoad *load)
{
    HeapGraph *g = load->g;
    Scan s = {.load = load, .g = g, .h = calloc(1, sizeof(HprofData))};
    if (s.h == NULL)
        return heap_fail_memory(load->error);
    g->source = &hprof_source;
    g->source_data = s.h;
    g->info.from = "hprof";
    bool ok = load_file(&s);
    heap_reader_free(&s.in);
    free(s.segments);
    free(s.ats);
    free(s.class_ats);
    free(s.roots);
    free(s.class_bytes);
    return ok && heap_finish_objects(load);
}
