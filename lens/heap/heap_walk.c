// SPDX-License-Identifier: Apache-2.0
// Heap walks of the Lens agent (agents/lens/lens_wire.h): reading one, also while it is being written, and an object's contents.
//
// A record is used only when it is whole. All of one object's references and contents lie together from at[object] on, so its
// contents are found again by reading from there until a record of another object comes.
#include "heap_internal.h"

#include "lens_wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WALK_BUFFER = 1 << 20,
    WALK_RECORD = 96,    // more than any record without texts has
    WALK_FIELDS = 65535, // of a class, as class files can have
    WALK_VALUES = 6,
    WAIT_MICROS = 2000,
    WALK_BETWEEN = 1000,  // records of others that may stand between two of an object
    REPORT_EACH = 1 << 14 // records
};

// jvmtiHeapReferenceKind
enum { KIND_FIELD = 2, KIND_ELEMENT = 3, KIND_STATIC = 8, KIND_THREAD = 26 };

typedef enum Step { STEP_DONE, STEP_SHORT, STEP_BAD, STEP_FAILED, STEP_END } Step;

typedef struct Record {
    uint64_t type;
    uint64_t v[WALK_VALUES];
    const uint8_t *bytes; // of STRING and ARRAY; of CLASS: its fields
    size_t len;
} Record;

typedef struct Walk {
    HeapLoad *load;
    HeapGraph *g;
    HeapReader in;
    HeapObject run;      // whose references are being read
    bool again;          // it had a run before
    uint64_t weak_index; // of the weak reference's referent in it; UINT64_MAX: none
    Record end;
} Walk;

// ---- records ---------------------------------------------------------------------------------------------------------

static const struct {
    uint8_t values;
    bool has_bytes;
} shapes[] = {
    [LENS_HEAP_OBJECT] = {4, false},       [LENS_HEAP_REF] = {4, false},
    [LENS_HEAP_ROOT] = {6, false},         [LENS_HEAP_PRIMITIVE] = {4, false},
    [LENS_HEAP_STRING] = {2, true},        [LENS_HEAP_ARRAY] = {2, true},
    [LENS_HEAP_CLASS_OBJECT] = {2, false}, [LENS_HEAP_END] = {4, false},
};

static Step decode_bytes(HeapCursor *c, const uint8_t **bytes, size_t *len)
{
    uint64_t n = heap_varint(c);
    if (n > HEAP_MAX_NAME)
        return STEP_BAD;
    if (c->p > c->end || n > (size_t)(c->end - c->p))
        return STEP_SHORT;
    *bytes = c->p;
    *len = (size_t)n;
    c->p += n;
    return STEP_DONE;
}

// v: class, super class, fields, loader, first index; bytes: the name. The fields follow the number of them: `fields`.
static Step decode_class(HeapCursor *c, Record *r, HeapCursor *fields)
{
    const uint8_t *name;
    size_t len;
    r->v[0] = heap_varint(c);
    Step step = decode_bytes(c, &r->bytes, &r->len);
    if (step != STEP_DONE)
        return step;
    r->v[1] = heap_varint(c);
    r->v[2] = heap_varint(c);
    if (c->p > c->end)
        return STEP_SHORT;
    if (r->v[2] > WALK_FIELDS)
        return STEP_BAD;
    *fields = *c;
    for (uint64_t i = 0; i < r->v[2]; i++) {
        step = decode_bytes(c, &name, &len);
        if (step != STEP_DONE)
            return step;
        heap_varint(c);
        heap_varint(c);
        if (c->p > c->end)
            return STEP_SHORT;
    }
    r->v[3] = heap_varint(c);
    r->v[4] = heap_varint(c);
    return c->p > c->end ? STEP_SHORT : STEP_DONE;
}

static inline Step decode(HeapCursor *c, Record *r, HeapCursor *fields)
{
    r->type = heap_varint(c);
    Step step = STEP_DONE;
    if (r->type == LENS_HEAP_CLASS) {
        step = decode_class(c, r, fields);
    } else if (r->type > LENS_HEAP_END || shapes[r->type].values == 0) {
        return c->p > c->end ? STEP_SHORT : STEP_BAD;
    } else {
        for (unsigned i = 0; i < shapes[r->type].values; i++)
            r->v[i] = heap_varint(c);
        if (c->p > c->end)
            return STEP_SHORT;
        if (shapes[r->type].has_bytes)
            step = decode_bytes(c, &r->bytes, &r->len);
    }
    return c->bad ? STEP_BAD : step;
}

static const char *clean_name(HeapGraph *g, const uint8_t *bytes, size_t len)
{
    char *text = heap_arena_get(&g->names, 3 * len + 1);
    if (text != NULL)
        heap_utf8_clean(bytes, len, text);
    return text;
}

// ---- what records mean -----------------------------------------------------------------------------------------------

static bool is_object(const HeapGraph *g, uint64_t id)
{
    return id > 0 && id <= g->count;
}

static Step failed_unless(bool ok)
{
    return ok ? STEP_DONE : STEP_FAILED;
}

static bool add_fields(Walk *w, HeapCursor *c, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *bytes;
        size_t len;
        decode_bytes(c, &bytes, &len);
        const char *name = clean_name(w->g, bytes, len);
        if (name == NULL)
            return heap_fail_memory(w->load->error);
        char type = (char)heap_varint(c);
        if (strchr("BCDFIJSZ", type) == NULL || type == 0)
            type = 'L';
        if (!heap_add_field(w->load, name, type, heap_varint(c) != 0))
            return false;
    }
    return true;
}

static Step use_class(Walk *w, const Record *r, HeapCursor *fields)
{
    HeapGraph *g = w->g;
    uint32_t index;
    if (heap_map_get(&g->class_ids, r->v[0]) != 0)
        return STEP_DONE;
    uint64_t super = heap_map_get(&g->class_ids, r->v[1]);
    const char *name = clean_name(g, r->bytes, r->len);
    if (name == NULL)
        return failed_unless(heap_fail_memory(w->load->error));
    if (!heap_add_class(w->load, r->v[0], name, &index) || !add_fields(w, fields, r->v[2]))
        return STEP_FAILED;
    HeapClass *c = &g->classes[index];
    w->load->dropped_records += r->v[1] != 0 && super == 0;
    c->loader = r->v[3] > HEAP_MAX_OBJECTS ? 0 : (HeapObject)r->v[3];
    c->first_index = (uint32_t)r->v[4];
    if (super != 0) {
        const HeapClass *s = &g->classes[super - 1];
        assert(super - 1 < index); // so no chain of them is a circle
        c->super = (uint32_t)super - 1;
        c->inherited = s->inherited + s->field_count;
    }
    heap_find_weak_field(g, index);
    return STEP_DONE;
}

static Step use_object(Walk *w, const Record *r)
{
    HeapGraph *g = w->g;
    if (r->v[0] != g->count + 1ull)
        return STEP_BAD;
    uint64_t known = heap_map_get(&g->class_ids, r->v[1]);
    uint32_t index = (uint32_t)known - 1;
    if (known == 0) {
        const char *name =
            heap_arena_printf(&g->names, "(class %llu)", (unsigned long long)r->v[1]);
        if (name == NULL)
            return failed_unless(heap_fail_memory(w->load->error));
        w->load->dropped_records++;
        if (!heap_add_class(w->load, r->v[1], name, &index))
            return STEP_FAILED;
    }
    bool ok = heap_add_object(w->load, index, r->v[2]);
    if (ok && g->classes[index].element != 0)
        ok = heap_add_length(w->load, g->count,
                             r->v[3] > UINT32_MAX ? UINT32_MAX : (uint32_t)r->v[3]);
    return failed_unless(ok);
}

// The JVM TI index of that field of the graph in instances of the class.
static uint64_t index_of_field(const HeapGraph *g, const HeapClass *c, uint32_t field)
{
    uint64_t first = c->first_index;
    for (int i = 0; i < HEAP_MAX_CHAIN; i++, c = &g->classes[c->super]) {
        if (field >= c->field_at && field - c->field_at < c->field_count)
            return first + c->inherited + (field - c->field_at);
        if (c->super == HEAP_NONE)
            break;
    }
    return UINT64_MAX;
}

static void begin_run(Walk *w, HeapObject from, uint64_t at)
{
    ASSERT_OBJECT(w->g, from);
    HeapGraph *g = w->g;
    const HeapClass *c = heap_class_of(g, from);
    w->run = from;
    w->again = g->at[from] != 0;
    if (!w->again)
        g->at[from] = at;
    w->weak_index =
        c->weak_field == HEAP_NONE ? UINT64_MAX : index_of_field(g, c, c->weak_field);
}

static Step use_reference(Walk *w, const Record *r)
{
    HeapGraph *g = w->g;
    if (!is_object(g, r->v[0]) || !is_object(g, r->v[1])) {
        w->load->dropped_references++;
        return STEP_DONE;
    }
    HeapObject from = (HeapObject)r->v[0], to = (HeapObject)r->v[1];
    if (from != w->run)
        begin_run(w, from, heap_reader_at(&w->in));
    if (r->v[2] == KIND_FIELD && r->v[3] == w->weak_index)
        return failed_unless(heap_add_weak(w->load, from, to));
    return failed_unless(heap_add_edge(w->load, from, to, w->again));
}

static Step use_contents(Walk *w, const Record *r)
{
    if (!is_object(w->g, r->v[0]))
        w->load->dropped_records++;
    else if (r->v[0] != w->run)
        begin_run(w, (HeapObject)r->v[0], heap_reader_at(&w->in));
    return STEP_DONE;
}

static Step use_root(Walk *w, const Record *r)
{
    if (!is_object(w->g, r->v[0])) {
        w->load->dropped_references++;
        return STEP_DONE;
    }
    HeapRootEntry root = {(HeapObject)r->v[0], (uint32_t)(r->v[1] > 255 ? 255 : r->v[1]),
                          r->v[2], r->v[4]};
    return failed_unless(heap_add_root(w->load, &root));
}

static Step use_class_object(Walk *w, const Record *r)
{
    uint64_t known = heap_map_get(&w->g->class_ids, r->v[1]);
    if (!is_object(w->g, r->v[0]) || known == 0) {
        w->load->dropped_records++;
        return STEP_DONE;
    }
    return failed_unless(
        heap_add_class_object(w->load, (HeapObject)r->v[0], (uint32_t)known - 1));
}

static Step use_end(Walk *w, const Record *r)
{
    w->end = *r;
    return STEP_END;
}

static Step (*const uses[])(Walk *w, const Record *r) = {
    [LENS_HEAP_OBJECT] = use_object,
    [LENS_HEAP_REF] = use_reference,
    [LENS_HEAP_ROOT] = use_root,
    [LENS_HEAP_PRIMITIVE] = use_contents,
    [LENS_HEAP_STRING] = use_contents,
    [LENS_HEAP_ARRAY] = use_contents,
    [LENS_HEAP_CLASS_OBJECT] = use_class_object,
    [LENS_HEAP_END] = use_end,
};

static Step read_record(Walk *w, size_t have)
{
    HeapCursor c = {.p = w->in.buffer + w->in.pos, .end = w->in.buffer + w->in.pos + have},
               fields;
    Record r;
    Step step = decode(&c, &r, &fields);
    if (step != STEP_DONE)
        return step;
    step = r.type == LENS_HEAP_CLASS ? use_class(w, &r, &fields) : uses[r.type](w, &r);
    assert(step != STEP_DONE || c.p <= c.end); // else it is not whole
    if (step == STEP_DONE)
        w->in.pos = (size_t)(c.p - w->in.buffer);
    return step;
}

// ---- reading a walk --------------------------------------------------------------------------------------------------

// Waits for the writer. False: nothing more comes (or the load was cancelled).
static bool wait_for_more(Walk *w)
{
    const HeapOptions *o = w->load->options;
    if (o->more == NULL)
        return false;
    usleep(WAIT_MICROS);
    return heap_report(w->load, 0, 0) && o->more(o->context);
}

// How many bytes there are for the next record: more than `had`, if the file has them or gets them.
static size_t get_more(Walk *w, size_t had)
{
    size_t want = had < WALK_RECORD ? WALK_RECORD : had * 2, have;
    bool more = true;
    if (had >= HEAP_MAX_RECORD)
        return had;
    if (want > HEAP_MAX_RECORD)
        want = HEAP_MAX_RECORD;
    while ((have = heap_reader_need(&w->in, want)) <= had && more && w->in.failed == 0)
        more = wait_for_more(w); // what came before the writer's end is read once more
    assert(have >= had);
    return have;
}

static Step read_next(Walk *w)
{
    size_t have = heap_reader_need(&w->in, WALK_RECORD), more;
    for (;; have = more) {
        Step step = have == 0 ? STEP_SHORT : read_record(w, have);
        if (step != STEP_SHORT)
            return step;
        more = get_more(w, have);
        if (w->load->error->text[0] != 0)
            return STEP_FAILED;
        if (more <= have)
            return STEP_SHORT;
    }
}

static Step read_all(Walk *w)
{
    Step step = STEP_DONE;
    for (uint64_t i = 0; step == STEP_DONE; i++) {
        step = read_next(w);
        if (i % REPORT_EACH == 0 && step == STEP_DONE
            && !heap_report(w->load, heap_reader_at(&w->in), heap_file_size(w->g->fd)))
            step = STEP_FAILED;
    }
    return step;
}

static void check_end(Walk *w, Step step)
{
    static const char *const ends[] = {"", "The walk was stopped before its end. ",
                                       "The walk ended early as the disk was full. "};
    HeapGraph *g = w->g;
    if (step == STEP_SHORT) {
        heap_lost(g, "The walk ends before its last record. ");
    } else if (step == STEP_BAD) {
        heap_lost(g, "The walk is damaged at byte %llu; what follows was not read. ",
                  (unsigned long long)heap_reader_at(&w->in));
    } else {
        g->info.stop_ns = w->end.v[2];
        if (w->end.v[3] == 1 || w->end.v[3] == 2)
            heap_lost(g, "%s", ends[w->end.v[3]]);
        if (w->end.v[0] != g->count)
            heap_lost(g, "The walk speaks of %llu objects, but %u came. ",
                      (unsigned long long)w->end.v[0], g->count);
    }
}

static const HeapSource walk_source;

bool heap_load_walk(HeapLoad *load)
{
    HeapGraph *g = load->g;
    Walk w = {.load = load, .g = g, .weak_index = UINT64_MAX};
    g->source = &walk_source;
    g->info.from = "walk";
    if (!heap_reader_init(&w.in, g->fd, WALK_BUFFER))
        return heap_fail_memory(load->error);
    heap_reader_seek(&w.in, strlen(LENS_HEAP_MAGIC));
    heap_phase(load, "reading", load->progress.permille, 600);
    Step step = read_all(&w);
    if (step != STEP_FAILED)
        check_end(&w, step);
    heap_reader_free(&w.in);
    for (size_t i = 0; i < g->class_count; i++) {
        if (g->classes[i].loader > g->count)
            g->classes[i].loader = 0;
    }
    return step != STEP_FAILED && heap_finish_objects(load);
}

// ---- contents --------------------------------------------------------------------------------------------------------

// The next record that is of `object`, from the reader's place on. False: there is none any more. The bytes of the record live until
// the reader is used again.
static bool next_of(HeapReader *in, HeapObject object, Record *r)
{
    size_t have = heap_reader_need(in, WALK_RECORD);
    for (int others = 0; have > 0 && others < WALK_BETWEEN;) {
        HeapCursor c = {.p = in->buffer + in->pos, .end = in->buffer + in->pos + have}, fields;
        Step step = decode(&c, r, &fields);
        if (step == STEP_SHORT) {
            size_t more = have >= HEAP_MAX_RECORD ? have : heap_reader_need(in, have * 2);
            if (more <= have)
                return false;
            have = more;
            continue;
        }
        if (step != STEP_DONE || r->type == LENS_HEAP_END)
            return false;
        assert(c.p <= c.end);
        in->pos = (size_t)(c.p - in->buffer);
        if (r->type == LENS_HEAP_REF || r->type == LENS_HEAP_PRIMITIVE
            || r->type == LENS_HEAP_STRING || r->type == LENS_HEAP_ARRAY)
            return r->v[0] == object;
        others++;
        have = heap_reader_need(in, WALK_RECORD);
    }
    return false;
}

static uint32_t field_of_index(const HeapGraph *g, uint32_t class_index, uint64_t index)
{
    ASSERT_CLASS(g, class_index);
    const HeapClass *c = &g->classes[class_index];
    if (index < c->first_index)
        return HEAP_NONE;
    index -= c->first_index;
    for (int i = 0; i < HEAP_MAX_CHAIN; i++, c = &g->classes[c->super]) {
        if (index >= c->inherited)
            return index - c->inherited < c->field_count
                       ? c->field_at + (uint32_t)(index - c->inherited)
                       : HEAP_NONE;
        if (c->super == HEAP_NONE)
            break;
    }
    return HEAP_NONE;
}

static uint64_t java_bits(char type, uint64_t bits)
{
    switch (type) {
    case 'Z': return bits & 1;
    case 'B': return (uint64_t)(int64_t)(int8_t)bits;
    case 'S': return (uint64_t)(int64_t)(int16_t)bits;
    case 'C': return bits & 0xffff;
    case 'I': return (uint64_t)(int64_t)(int32_t)bits;
    case 'F': return bits & 0xffffffff;
    default: return bits;
    }
}

// mirrored: the class whose class object it is, or HEAP_NONE.
static bool item_of(const HeapGraph *g, HeapObject object, uint32_t mirrored, const Record *r,
                    HeapItem *item)
{
    bool is_static = mirrored != HEAP_NONE;
    *item = (HeapItem){.kind = is_static ? HEAP_ITEM_STATIC : HEAP_ITEM_FIELD, .type = 'L'};
    uint64_t index = r->v[3];
    if (r->type == LENS_HEAP_PRIMITIVE) {
        item->type = strchr("BCDFIJSZ", (int)(r->v[2] & 0x7f)) != NULL && r->v[2] != 0
                         ? (char)r->v[2]
                         : 'J';
        item->bits = java_bits(item->type, r->v[3]);
        index = r->v[1];
    } else if (r->type == LENS_HEAP_REF) {
        item->to = is_object(g, r->v[1]) ? (HeapObject)r->v[1] : 0;
        if (r->v[2] == KIND_ELEMENT || (r->v[2] != KIND_FIELD && r->v[2] != KIND_STATIC)) {
            item->kind = r->v[2] == KIND_ELEMENT ? HEAP_ITEM_ELEMENT : HEAP_ITEM_OTHER;
            index = item->kind == HEAP_ITEM_ELEMENT ? index : r->v[2];
            item->index = index > UINT32_MAX ? UINT32_MAX : (uint32_t)index;
            return true;
        }
        if (r->v[2] == KIND_FIELD) // Class has fields of its own
            item->kind = HEAP_ITEM_FIELD;
    } else {
        return false;
    }
    item->index = field_of_index(
        g, item->kind == HEAP_ITEM_STATIC ? mirrored : g->class_of[object], index);
    return true;
}

static void walk_visit(HeapGraph *g, HeapObject object, HeapVisitor *visitor, void *context)
{
    uint32_t mirrored = heap_class_of_object(g, object);
    Record r;
    HeapItem item;
    ASSERT_OBJECT(g, object);
    if (g->at[object] == 0)
        return;
    heap_reader_seek(&g->near, g->at[object]);
    while (next_of(&g->near, object, &r)) {
        if (item_of(g, object, mirrored, &r, &item) && !visitor(context, &item))
            return;
    }
}

// The record of that type of an object; read by `far`.
static bool find_record(HeapGraph *g, HeapObject object, uint64_t type, Record *r)
{
    ASSERT_OBJECT(g, object);
    if (g->at[object] == 0)
        return false;
    heap_reader_seek(&g->far, g->at[object]);
    while (next_of(&g->far, object, r)) {
        if (r->type == type)
            return true;
    }
    return false;
}

// The bytes of the first `max` characters, as UTF-16 counts them, of well-formed UTF-8.
static size_t cut(const char *text, size_t len, size_t max)
{
    size_t i = 0;
    for (size_t count = 0; i < len; count++) {
        size_t width = (uint8_t)text[i] >= 0xf0   ? 4
                       : (uint8_t)text[i] >= 0xe0 ? 3
                       : (uint8_t)text[i] >= 0xc0 ? 2
                                                  : 1;
        count += width == 4;
        if (count >= max)
            break;
        i += width;
    }
    return i;
}

static bool walk_text(HeapGraph *g, HeapObject string, size_t max, HeapText *out)
{
    Record r;
    if (!find_record(g, string, LENS_HEAP_STRING, &r)
        || !heap_grow((void **)&out->bytes, &out->capacity, 3 * r.len + 1, 1))
        return false;
    out->length = r.v[1];
    out->len = cut(out->bytes, heap_utf8_clean(r.bytes, r.len, out->bytes), max);
    assert(out->len < out->capacity);
    out->bytes[out->len] = 0;
    return true;
}

typedef struct ArrayOfText {
    const HeapGraph *g;
    HeapObject array;
} ArrayOfText;

static bool note_array(void *context, const HeapItem *item)
{
    ArrayOfText *a = context;
    if (item->kind == HEAP_ITEM_FIELD && item->to != 0
        && heap_class_of(a->g, item->to)->element != 0)
        a->array = item->to;
    return a->array == 0;
}

static HeapObject walk_text_array(HeapGraph *g, HeapObject string)
{
    ArrayOfText a = {.g = g};
    walk_visit(g, string, note_array, &a);
    return a.array;
}

static void walk_array(HeapGraph *g, HeapObject array, uint64_t from, uint64_t count,
                       HeapVisitor *visitor, void *context)
{
    static const uint8_t widths['Z' + 1] = {
        ['B'] = 1, ['Z'] = 1, ['C'] = 2, ['S'] = 2, ['I'] = 4, ['F'] = 4, ['J'] = 8, ['D'] = 8};
    Record r;
    if (!find_record(g, array, LENS_HEAP_ARRAY, &r) || r.v[1] > 'Z' || widths[r.v[1]] == 0)
        return;
    size_t width = widths[r.v[1]], there = r.len / width;
    for (uint64_t i = from; i < there && i - from < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, r.bytes + i * width, width);
        HeapItem item = {.kind = HEAP_ITEM_ELEMENT,
                         .type = (char)r.v[1],
                         .index = (uint32_t)i,
                         .bits = java_bits((char)r.v[1], bits)};
        if (!visitor(context, &item))
            return;
    }
}

static const char *walk_root_thread(HeapGraph *g, const HeapRootEntry *root, HeapArena *arena)
{
    const char *name = NULL;
    if (root->thread == 0)
        return "";
    if (g->options.thread_name != NULL)
        name = g->options.thread_name(g->options.context, root->thread);
    if (name != NULL)
        return heap_arena_text(arena, name, strlen(name));
    for (size_t i = 0; i < g->root_count; i++) {
        if (g->roots[i].kind == KIND_THREAD && g->roots[i].thread == root->thread)
            return heap_label(g, g->roots[i].object, arena);
    }
    return "";
}

static const char *walk_root_method(HeapGraph *g, const HeapRootEntry *root, HeapArena *arena)
{
    const char *name = NULL;
    if (root->method != 0 && g->options.method_name != NULL)
        name = g->options.method_name(g->options.context, root->method);
    return name == NULL ? "" : heap_arena_text(arena, name, strlen(name));
}

static void walk_free(HeapGraph *g)
{
    (void)g;
}

static const HeapSource walk_source = {.visit = walk_visit,
                                       .text = walk_text,
                                       .text_array = walk_text_array,
                                       .array = walk_array,
                                       .root_thread = walk_root_thread,
                                       .root_method = walk_root_method,
                                       .free = walk_free};
