// SPDX-License-Identifier: Apache-2.0
// A graph as an HPROF 1.0.2 file: names, classes, then the heap's part in segments with each object's contents, then roots.
//
// Ids have 8 bytes. An object's is its number times 8; a class whose java.lang.Class is not in the graph gets one above all objects.
// The name of class i is i + 1, that of field f follows those of all classes.
#include "heap_internal.h"
#include "hprof_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SEGMENT = 4 << 20, // bytes of pieces that are gathered
    ID = 8,
    TRACE = 1, // serial number of an empty stack trace
    REPORT_EACH = 1 << 12
};
#define MOST_BYTES (UINT32_MAX - 64u) // of a piece

typedef struct Out {
    int fd;
    int error;
    uint8_t *buffer; // SEGMENT bytes and a header
    size_t len;
    bool in_segment; // the buffer begins with a segment's header that is not filled in yet
} Out;

typedef struct Writer {
    HeapGraph *g;
    Out out;
    HeapLoad load;
    uint32_t *
        offset; // of each field among those of its kind (static or not) that its class declares, in bytes
    uint32_t *declared; // bytes of the instance fields that each class declares
    uint8_t *needed;    // classes that have instances, an object, or a subclass that is needed
    uint8_t *data;      // fields of one object
    size_t data_capacity;
    uint32_t class_index;    // of that object
    uint64_t written, count; // elements of one array
    char element;            // their type
} Writer;

// ---- bytes -----------------------------------------------------------------------------------------------------------

static void write_out(Out *o, const uint8_t *bytes, size_t len)
{
    while (len > 0 && o->error == 0) {
        ssize_t done = write(o->fd, bytes, len);
        if (done < 0 && errno != EINTR)
            o->error = errno;
        if (done > 0) {
            bytes += done;
            len -= (size_t)done;
        }
    }
}

static void flush(Out *o)
{
    write_out(o, o->buffer, o->len);
    o->len = 0;
}

static void put(Out *o, uint64_t value, unsigned width)
{
    assert(width <= sizeof(value));
    if (o->len + width > SEGMENT + HPROF_HEADER)
        flush(o);
    for (unsigned i = width; i-- > 0; value >>= 8)
        o->buffer[o->len + i] = (uint8_t)value;
    o->len += width;
}

static void put_bytes(Out *o, const void *bytes, size_t len)
{
    if (o->len + len > SEGMENT + HPROF_HEADER)
        flush(o);
    if (len > SEGMENT) {
        write_out(o, bytes, len);
        return;
    }
    assert(o->len + len <= SEGMENT + HPROF_HEADER);
    memcpy(o->buffer + o->len, bytes, len);
    o->len += len;
}

static void end_segment(Out *o)
{
    if (o->in_segment) {
        assert(o->len >= HPROF_HEADER && o->len <= SEGMENT + HPROF_HEADER);
        uint32_t length = (uint32_t)(o->len - HPROF_HEADER);
        for (unsigned i = 0; i < 4; i++)
            o->buffer[5 + i] = (uint8_t)(length >> (24 - 8 * i));
        o->in_segment = false;
    }
    flush(o);
}

static void record(Out *o, uint8_t tag, uint32_t length)
{
    put(o, tag, 1);
    put(o, 0, 4);
    put(o, length, 4);
}

// A piece of `size` bytes follows: in the segment that is gathered, or, a large one, in a segment of its own that is not.
static void piece(Out *o, uint8_t tag, uint64_t size)
{
    assert(size > 0 && size <= UINT32_MAX);
    if (!o->in_segment || o->len + size > SEGMENT) {
        end_segment(o);
        record(o, HPROF_HEAP_SEGMENT, (uint32_t)size);
        o->in_segment = size <= SEGMENT;
    }
    put(o, tag, 1);
}

// ---- names and classes -----------------------------------------------------------------------------------------------

static uint64_t class_id(const HeapGraph *g, uint32_t c)
{
    ASSERT_CLASS(g, c);
    const HeapClass *class = &g->classes[c];
    return (class->object != 0 ? class->object : g->count + 1ull + c) * ID;
}

static uint8_t type_number(char letter, uint32_t *width)
{
    for (size_t i = 0; i < HPROF_TYPE_COUNT; i++) {
        if (hprof_types[i].letter == letter) {
            *width = hprof_types[i].width == 0 ? ID : hprof_types[i].width;
            return hprof_types[i].number;
        }
    }
    *width = ID;
    return hprof_types[0].number;
}

static void put_name(Out *o, uint64_t id, const char *name, size_t len)
{
    record(o, HPROF_UTF8, (uint32_t)(ID + len));
    put(o, id, ID);
    put_bytes(o, name, len);
}

// [Ljava/lang/String; of java.lang.String[] and the like.
static bool put_class_name(Writer *w, uint64_t id, const char *name)
{
    size_t len = strlen(name), dims = 0;
    while (len >= 2 && memcmp(name + len - 2, "[]", 2) == 0) {
        dims++;
        len -= 2;
    }
    char *text = malloc(dims + len + 3), *p = text, letter = 0;
    if (text == NULL)
        return false;
    for (size_t i = 1; i < HPROF_TYPE_COUNT && dims > 0; i++) {
        const char *primitive = heap_type_name(hprof_types[i].letter);
        if (strlen(primitive) == len && memcmp(primitive, name, len) == 0)
            letter = hprof_types[i].letter;
    }
    memset(p, '[', dims);
    p += dims;
    if (letter != 0) {
        *p++ = letter;
    } else {
        if (dims > 0)
            *p++ = 'L';
        for (size_t i = 0; i < len; i++)
            *p++ = name[i] == '.' ? '/' : name[i] == '/' ? '+' : name[i];
        if (dims > 0)
            *p++ = ';';
    }
    put_name(&w->out, id, text, (size_t)(p - text));
    free(text);
    return true;
}

static bool write_names(Writer *w)
{
    const HeapGraph *g = w->g;
    for (uint32_t i = 0; i < g->class_count; i++) {
        if (w->needed[i] && !put_class_name(w, i + 1ull, g->classes[i].name))
            return false;
    }
    for (uint32_t f = 0; f < g->field_count; f++)
        put_name(&w->out, g->class_count + 1ull + f, g->fields[f].name,
                 strlen(g->fields[f].name));
    record(&w->out, HPROF_TRACE, 12);
    put(&w->out, TRACE, 4);
    put(&w->out, 0, 4);
    put(&w->out, 0, 4);
    for (uint32_t i = 0; i < g->class_count; i++) {
        if (!w->needed[i])
            continue;
        record(&w->out, HPROF_LOAD_CLASS, 8 + 2 * ID);
        put(&w->out, i + 1, 4);
        put(&w->out, class_id(g, i), ID);
        put(&w->out, TRACE, 4);
        put(&w->out, i + 1ull, ID);
    }
    return true;
}

static bool is_used(const HeapClass *c)
{
    return c->count > 0 || c->object != 0;
}

static bool lay_out_fields(Writer *w)
{
    const HeapGraph *g = w->g;
    w->offset = calloc(g->field_count + 1, sizeof(*w->offset));
    w->declared = calloc(g->class_count + 1, sizeof(*w->declared));
    w->needed = calloc(g->class_count + 1, 1);
    if (w->offset == NULL || w->declared == NULL || w->needed == NULL)
        return false;
    for (uint32_t c = 0; c < g->class_count; c++) {
        uint32_t bytes[2] = {0, 0}, width;
        for (uint32_t f = g->classes[c].field_at;
             f < g->classes[c].field_at + g->classes[c].field_count; f++) {
            type_number(g->fields[f].type, &width);
            w->offset[f] = bytes[g->fields[f].is_static];
            bytes[g->fields[f].is_static] += width;
        }
        w->declared[c] = bytes[0];
        for (uint32_t n = c;
             n != HEAP_NONE && !w->needed[n] && (n != c || is_used(&g->classes[c]));
             n = g->classes[n].super)
            w->needed[n] = 1;
    }
    return true;
}

static uint32_t instance_bytes(const Writer *w, uint32_t c)
{
    uint32_t bytes = 0;
    for (int i = 0; i < HEAP_MAX_CHAIN && c != HEAP_NONE; i++, c = w->g->classes[c].super)
        bytes += w->declared[c];
    return bytes;
}

// ---- contents --------------------------------------------------------------------------------------------------------

static void store(uint8_t *to, const HeapItem *item)
{
    uint32_t width;
    type_number(item->type, &width);
    uint64_t value = item->type == 'L' ? (uint64_t)item->to * ID : item->bits;
    for (uint32_t i = width; i-- > 0; value >>= 8)
        to[i] = (uint8_t)value;
}

// Puts a field's value where it lies among those of the object: its class's fields first, then those of its super classes.
static bool store_field(void *context, const HeapItem *item)
{
    Writer *w = context;
    const HeapGraph *g = w->g;
    uint32_t at = 0, c = w->class_index;
    if (item->kind != HEAP_ITEM_FIELD || item->index == HEAP_NONE
        || g->fields[item->index].type != item->type || g->fields[item->index].is_static)
        return true;
    for (int i = 0; i < HEAP_MAX_CHAIN && c != HEAP_NONE; i++, c = g->classes[c].super) {
        const HeapClass *class = &g->classes[c];
        if (item->index >= class->field_at
            && item->index - class->field_at < class->field_count) {
            assert(at + w->offset[item->index] < w->data_capacity);
            store(w->data + at + w->offset[item->index], item);
            break;
        }
        at += w->declared[c];
    }
    return true;
}

static bool store_static(void *context, const HeapItem *item)
{
    Writer *w = context;
    const HeapClass *class = &w->g->classes[w->class_index];
    if (item->kind == HEAP_ITEM_STATIC && item->index != HEAP_NONE
        && item->index >= class->field_at && item->index - class->field_at < class->field_count
        && w->g->fields[item->index].is_static && w->g->fields[item->index].type == item->type)
        store(w->data + w->offset[item->index], item);
    return true;
}

static bool clear_data(Writer *w, size_t bytes)
{
    if (!heap_grow((void **)&w->data, &w->data_capacity, bytes + 1, 1))
        return false;
    memset(w->data, 0, bytes);
    return true;
}

static bool write_class(Writer *w, uint32_t c)
{
    const HeapGraph *g = w->g;
    const HeapClass *class = &g->classes[c];
    uint32_t statics = 0, static_bytes = 0, width;
    Out *o = &w->out;
    for (uint32_t f = class->field_at; f < class->field_at + class->field_count; f++) {
        type_number(g->fields[f].type, &width);
        statics += g->fields[f].is_static;
        static_bytes += g->fields[f].is_static ? width : 0;
    }
    if (!clear_data(w, static_bytes))
        return false;
    w->class_index = c;
    if (class->object != 0)
        g->source->visit(w->g, class->object, store_static, w);
    uint32_t fields = class->field_count - statics;
    assert(statics <= UINT16_MAX && fields <= UINT16_MAX); // as class files can have
    piece(o, PIECE_CLASS,
          1 + 7 * ID + 8 + 3 * 2 + statics * (ID + 1ull) + static_bytes + fields * (ID + 1ull));
    put(o, class_id(g, c), ID);
    put(o, TRACE, 4);
    put(o, class->super == HEAP_NONE ? 0 : class_id(g, class->super), ID);
    put(o, class->loader * (uint64_t)ID, ID);
    for (int i = 0; i < 4; i++)
        put(o, 0, ID); // signers, protection domain, reserved
    put(o, instance_bytes(w, c), 4);
    put(o, 0, 2);
    for (int is_static = 1; is_static >= 0; is_static--) {
        put(o, is_static ? statics : fields, 2);
        for (uint32_t f = class->field_at; f < class->field_at + class->field_count; f++) {
            if (g->fields[f].is_static != (is_static != 0))
                continue;
            put(o, g->class_count + 1ull + f, ID);
            put(o, type_number(g->fields[f].type, &width), 1);
            if (is_static)
                put_bytes(o, w->data + w->offset[f], width);
        }
    }
    return true;
}

static bool write_instance(Writer *w, HeapObject object)
{
    HeapGraph *g = w->g;
    uint32_t c = g->class_of[object], bytes = instance_bytes(w, c);
    Out *o = &w->out;
    if (!clear_data(w, bytes))
        return false;
    w->class_index = c;
    g->source->visit(g, object, store_field, w);
    piece(o, PIECE_INSTANCE, 1 + 2 * ID + 8 + (uint64_t)bytes);
    put(o, object * (uint64_t)ID, ID);
    put(o, TRACE, 4);
    put(o, class_id(g, c), ID);
    put(o, bytes, 4);
    put_bytes(o, w->data, bytes);
    return true;
}

// Elements come in the order of their index; those between that do not come are null.
static bool write_element(void *context, const HeapItem *item)
{
    Writer *w = context;
    uint32_t width;
    if (item->kind != HEAP_ITEM_ELEMENT || item->index < w->written || item->type != w->element)
        return true;
    if (item->index >= w->count)
        return false;
    type_number(item->type, &width);
    for (; w->written < item->index; w->written++)
        put(&w->out, 0, width);
    put(&w->out, item->type == 'L' ? (uint64_t)item->to * ID : item->bits, width);
    w->written++;
    return w->out.error == 0;
}

static void write_array(Writer *w, HeapObject array)
{
    HeapGraph *g = w->g;
    const HeapClass *c = heap_class_of(g, array);
    bool is_objects = c->element == 'L';
    uint32_t width;
    uint8_t number = type_number(c->element, &width);
    size_t head = 1 + ID + 8 + (is_objects ? ID : 1);
    Out *o = &w->out;
    w->count = heap_length_of(g, array);
    if (w->count > (MOST_BYTES - head) / width)
        w->count = (MOST_BYTES - head) / width;
    w->written = 0;
    w->element = c->element;
    piece(o, is_objects ? PIECE_OBJECTS : PIECE_PRIMITIVES, head + w->count * width);
    put(o, array * (uint64_t)ID, ID);
    put(o, TRACE, 4);
    put(o, w->count, 4);
    if (is_objects) {
        put(o, class_id(g, g->class_of[array]), ID);
        g->source->visit(g, array, write_element, w);
    } else {
        put(o, number, 1);
        g->source->array(g, array, 0, w->count, write_element, w);
    }
    for (; w->written < w->count && o->error == 0; w->written++)
        put(o, 0, width);
    assert(w->written == w->count || o->error != 0);
}

static void write_root(Writer *w, const HeapRootEntry *root)
{
    const HprofRoot *shape = NULL;
    Out *o = &w->out;
    for (size_t i = 0; i < HPROF_ROOT_COUNT; i++) {
        if (shape == NULL && hprof_roots[i].kind == root->kind)
            shape = &hprof_roots[i];
    }
    for (size_t i = 0; i < HPROF_ROOT_COUNT && shape == NULL; i++)
        shape = hprof_roots[i].tag == HPROF_UNKNOWN_ROOT ? &hprof_roots[i] : NULL;
    assert(shape != NULL); // the table has one for what is unknown
    piece(o, shape->tag, 1 + ID * (1ull + shape->more_ids) + shape->more_bytes);
    for (int i = 0; i <= shape->more_ids; i++)
        put(o, root->object * (uint64_t)ID, ID);
    if (shape->has_thread)
        put(o, root->thread, 4);
    if (shape->more_bytes > 4)
        put(o, shape->tag == HPROF_THREAD_ROOT ? TRACE : UINT32_MAX, 4);
}

static bool write_heap(Writer *w)
{
    const HeapGraph *g = w->g;
    bool ok = true;
    for (uint32_t c = 0; ok && c < g->class_count; c++)
        ok = !w->needed[c] || write_class(w, c);
    for (uint32_t o = 1; ok && o <= g->count && w->out.error == 0; o++) {
        uint32_t mirrored = heap_class_of_object(g, o);
        if (mirrored != HEAP_NONE && g->classes[mirrored].object == o)
            continue; // it is the class's piece
        if (heap_class_of(g, o)->element != 0)
            write_array(w, o);
        else
            ok = write_instance(w, o);
        if (o % REPORT_EACH == 0 && !heap_report(&w->load, o, g->count))
            return false;
    }
    for (size_t i = 0; i < g->root_count; i++)
        write_root(w, &g->roots[i]);
    end_segment(&w->out);
    return ok;
}

bool heap_write_hprof(HeapGraph *g, int fd, const HeapOptions *options, HeapError *error)
{
    assert(fd >= 0);
    static const HeapOptions none;
    *error = (HeapError){0};
    Writer w = {.g = g, .out = {.fd = fd, .buffer = malloc(SEGMENT + HPROF_HEADER)}};
    w.load = (HeapLoad){.g = g, .options = options != NULL ? options : &none, .error = error};
    heap_phase(&w.load, "writing", 0, 1000);
    bool ok = w.out.buffer != NULL && lay_out_fields(&w);
    if (ok) {
        put_bytes(&w.out, HPROF_MAGIC_OUT, sizeof(HPROF_MAGIC_OUT));
        put(&w.out, ID, 4);
        put(&w.out, (uint64_t)g->info.time_ms, 8);
        ok = write_names(&w) && write_heap(&w);
        record(&w.out, HPROF_HEAP_END, 0);
        flush(&w.out);
    }
    free(w.out.buffer);
    free(w.offset);
    free(w.declared);
    free(w.needed);
    free(w.data);
    if (ok && w.out.error != 0)
        return heap_fail(error, "The file cannot be written: %s.", strerror(w.out.error));
    return ok || heap_fail_memory(error);
}
