// SPDX-License-Identifier: Apache-2.0
// What the parts of lens/heap share: the graph's arrays, reading of files, and where contents come from.
//
// Input is hostile: each count is checked against what the file can hold or grows with what was read, ids are looked up, class
// chains have no circles (a super class is cut off where it would close one) and are followed for HEAP_MAX_CHAIN steps.
#ifndef LENS_HEAP_INTERNAL_H
#define LENS_HEAP_INTERNAL_H

#include "heap_graph.h"

#include <assert.h>
#include <limits.h>

enum {
    HEAP_MAX_CHAIN = 1024,      // super classes that are looked at
    HEAP_MAX_RECORD = 16 << 20, // bytes of a record that must be in memory at once
    HEAP_MAX_NAME = 65535,      // bytes of a name in an HPROF file
    HEAP_PADDING =
        96, // zero bytes behind a reader's buffer: a record's varints may be decoded past its end
    HEAP_LABEL = 200,      // characters of a text in a label
    HEAP_WALK_TEXT = 1000, // characters that a walk keeps of a string
    HEAP_UNIT = 8          // bytes: sizes are kept in units
};
#define HEAP_NONE        UINT32_MAX       // no class, no field
#define HEAP_MAX_OBJECTS (UINT32_MAX - 1) // ids and places of edges are 32 bits

// What holds of numbers that come from the graph itself; those of the input and of questions are checked by code.
#define ASSERT_OBJECT(g, o) assert((o) > 0 && (o) <= (g)->count)
#define ASSERT_NODE(g, o)   assert((o) <= (g)->count) // of the dominator tree: 0 is the root
#define ASSERT_CLASS(g, c)  assert((c) < (g)->class_count)
// The place is in the window, and the window in the buffer.
#define ASSERT_WINDOW(r)    assert((r)->pos <= (r)->len && (r)->len <= (r)->capacity)

// ---- texts, arenas, maps ---------------------------------------------------------------------------------------------

void *heap_arena_get(HeapArena *arena, size_t bytes); // zeroed, aligned to 16; NULL: no memory
char *heap_arena_text(HeapArena *arena, const char *text, size_t len);
char *heap_arena_printf(HeapArena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Sets error->text where it is still empty. Returns false.
bool heap_fail(HeapError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool heap_fail_memory(HeapError *error);

// Numbers to numbers that are not 0.
typedef struct HeapMap {
    uint64_t *keys, *values;
    size_t count, capacity; // capacity: 0 or a power of two
    uint64_t seed;
} HeapMap;
uint64_t heap_map_get(const HeapMap *map, uint64_t key);       // 0: absent
bool heap_map_put(HeapMap *map, uint64_t key, uint64_t value); // false: no memory
void heap_map_free(HeapMap *map);
uint64_t heap_hash(const void *bytes, size_t len, uint64_t seed);

// Grows `array` of elements of `size` bytes so that it has at least `need`. False: no memory.
bool heap_grow(void **array, size_t *capacity, size_t need, size_t size);

// UTF-8 from a string's characters: what cannot be shown becomes U+FFFD. Returns the bytes written; `out` holds 3 * count + 1.
size_t heap_utf8_from_latin1(const uint8_t *in, size_t count, char *out);
size_t heap_utf8_from_utf16(const uint16_t *in, size_t count, char *out);
// Copies what is well-formed UTF-8 without NUL; the rest becomes U+FFFD. `out` holds 3 * len + 1. Returns the bytes written.
size_t heap_utf8_clean(const uint8_t *in, size_t len, char *out);

// ---- reading ---------------------------------------------------------------------------------------------------------

typedef struct HeapReader { // a window of a file that can be read at any place
    int fd;
    uint64_t base; // where buffer[0] lies in the file
    uint8_t *
        buffer; // capacity bytes, then HEAP_PADDING; what follows len is zero for HEAP_PADDING bytes
    size_t capacity, len, pos;
    int failed; // errno of a read that failed
} HeapReader;
bool heap_reader_init(HeapReader *r, int fd, size_t capacity);
void heap_reader_free(HeapReader *r);
void heap_reader_seek(HeapReader *r, uint64_t at);
static inline uint64_t heap_reader_at(const HeapReader *r)
{
    return r->base + r->pos;
}
// Bytes in the window from `pos` on: at least n, unless the file ends before or n > HEAP_MAX_RECORD or memory is out.
size_t heap_reader_need(HeapReader *r, size_t n);
uint64_t heap_file_size(int fd);

typedef struct
    HeapCursor { // decodes varints; p may stand behind end afterwards: then the record was cut off
    const uint8_t *p, *end;
    bool bad; // a varint did not end
} HeapCursor;
uint64_t heap_varint_long(HeapCursor *c);
static inline uint64_t heap_varint(HeapCursor *c)
{
    return *c->p < 0x80 ? *c->p++ : heap_varint_long(c);
}

static inline uint16_t heap_u2(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t heap_u4(const uint8_t *p)
{
    return (uint32_t)heap_u2(p) << 16 | heap_u2(p + 2);
}
static inline uint64_t heap_u8(const uint8_t *p)
{
    return (uint64_t)heap_u4(p) << 32 | heap_u4(p + 4);
}

// ---- the graph -------------------------------------------------------------------------------------------------------

typedef struct HeapFieldInfo {
    const char *name;
    char type; // BCDFIJSZ, L for any reference
    bool is_static;
} HeapFieldInfo;

typedef struct HeapClass {
    uint64_t id;                    // of the input
    const char *name;               // java.lang.String, int[]
    uint32_t super;                 // HEAP_NONE: none
    uint32_t field_at, field_count; // in graph->fields: those that it declares
    uint32_t inherited;             // how many fields all its super classes have (walk)
    uint32_t first_index;           // JVM TI's index of Object's first field (walk)
    uint32_t
        weak_field; // of graph->fields: the referent of a weak or phantom reference; HEAP_NONE
    HeapObject object, loader; // 0: not in the input; boot
    char element;              // of an array: its elements' type as above; 0: no array
    uint8_t depth;             // HPROF: scratch of the search for circles
    uint64_t at;               // HPROF: where its CLASS_DUMP's contents lie
    uint32_t own_bytes;        // HPROF: of the instance fields that it declares
    uint64_t count, bytes, retained;
    uint64_t reachable; // of count
} HeapClass;

typedef struct HeapRootEntry {
    HeapObject object;
    uint32_t kind;   // jvmtiHeapReferenceKind
    uint64_t thread; // walk: LENS_DEF_THREAD; HPROF: serial number; 0: none
    uint64_t method; // walk: LENS_DEF_METHOD; HPROF: frame number and 1; 0: none
} HeapRootEntry;

typedef struct HeapPair {
    HeapObject from, to;
} HeapPair;
typedef struct HeapLength {
    HeapObject object;
    uint32_t length;
} HeapLength;

typedef enum HeapItemKind { // of what an object holds
    HEAP_ITEM_FIELD,
    HEAP_ITEM_STATIC,
    HEAP_ITEM_ELEMENT,
    HEAP_ITEM_OTHER // class, class loader ...
} HeapItemKind;
typedef struct HeapItem {
    HeapItemKind kind;
    char type; // L: a reference
    uint32_t
        index; // FIELD, STATIC: in graph->fields, or HEAP_NONE; ELEMENT: its index; OTHER: jvmtiHeapReferenceKind
    uint64_t bits; // of a primitive: as Java's, sign extended where it is signed
    HeapObject to; // of a reference; 0: null, or not in the input
} HeapItem;
typedef bool HeapVisitor(void *context, const HeapItem *item); // false: no more of this object

typedef struct HeapText { // of a java.lang.String
    char *bytes; // UTF-8; of at most `max` characters; allocated, the same for each call
    size_t len, capacity;
    uint64_t length; // characters in all
} HeapText;

typedef struct HeapSource { // where contents come from
    // Fields, static fields (of a class object), object elements and other references in the order of the input. Primitive elements
    // are got by `array`.
    void (*visit)(HeapGraph *g, HeapObject object, HeapVisitor *visitor, void *context);
    // The beginning of a string's text. False: it is not in the input.
    bool (*text)(HeapGraph *g, HeapObject string, size_t max, HeapText *out);
    // The value array of a string; 0: not known.
    HeapObject (*text_array)(HeapGraph *g, HeapObject string);
    // Up to `count` elements of a primitive array from `from` on, as items of kind ELEMENT.
    void (*array)(HeapGraph *g, HeapObject array, uint64_t from, uint64_t count,
                  HeapVisitor *visitor, void *context);
    // Names of a root's thread and method; "" where there is none.
    const char *(*root_thread)(HeapGraph *g, const HeapRootEntry *root, HeapArena *arena);
    const char *(*root_method)(HeapGraph *g, const HeapRootEntry *root, HeapArena *arena);
    void (*free)(HeapGraph *g);
} HeapSource;

struct HeapGraph {
    HeapOptions options;
    HeapInfo info;
    HeapArena names; // names of classes and fields, texts of info
    const HeapSource *source;
    void *source_data; // the source's own
    int fd;
    HeapReader near, far; // of queries: objects, and what they refer to

    HeapClass *classes;
    size_t class_count, class_capacity;
    HeapMap class_ids; // id of the input to index + 1
    HeapFieldInfo *fields;
    size_t field_count, field_capacity;
    HeapPair *class_objects; // from: the object, to: the class's index; sorted by object
    size_t class_object_count, class_object_capacity;

    uint32_t count;            // objects: 1..count
    size_t object_capacity[4]; // of the next four
    uint32_t *class_of, *units,
        *out_at;     // units: shallow size in HEAP_UNIT; out_at: of its edges, 0 none
    uint64_t *at;    // where its contents lie in the input; 0: nowhere
    uint32_t *edges; // of each object at out_at: how many, then where they lead
    size_t edge_words, edge_capacity;
    uint64_t edge_count;
    HeapLength *lengths; // of arrays, sorted by object
    size_t length_count, length_capacity;
    HeapPair *weak; // weak references, sorted by `to`
    size_t weak_count, weak_capacity;
    HeapPair *late; // edges of objects whose edges were already there (while loading)
    size_t late_count, late_capacity;
    HeapRootEntry *roots; // sorted by object
    size_t root_count, root_capacity;

    uint32_t *in_at, *in; // referrers of o: in[in_at[o]] to in[in_at[o + 1] - 1], ascending
    uint32_t *dominator;  // of each object; 0: the root, or unreachable
    uint32_t *child_at, *children; // likewise; child_at[0]: of the root
    uint64_t *retained;            // 0: unreachable
};

typedef struct HeapLoad { // while a graph is loaded
    HeapGraph *g;
    const HeapOptions *options;
    HeapError *error;
    HeapProgress progress;
    uint32_t band_from, band_to; // permille of the running phase
    uint64_t next_report;        // CLOCK_MONOTONIC in ns
    HeapArena *lost;
    uint64_t dropped_references, dropped_records,
        scattered; // what was not used, to be told at the end
} HeapLoad;

uint64_t heap_now(void); // CLOCK_MONOTONIC in ns
void heap_phase(HeapLoad *load, const char *phase, uint32_t from, uint32_t to);
// Reports when it is time. False: cancelled (error is set).
bool heap_report(HeapLoad *load, uint64_t done, uint64_t total);
// Adds a sentence to info.lost; the graph is no longer whole.
void heap_lost(HeapGraph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- building (heap_build.c) -------------------------------------------------------------------------------------------

// All are false with error set where a limit is reached or memory is out.
bool heap_add_class(HeapLoad *load, uint64_t id, const char *name, uint32_t *index);
bool heap_add_field(HeapLoad *load, const char *name, char type, bool is_static);
bool heap_add_object(HeapLoad *load, uint32_t class_index, uint64_t bytes); // number g->count
bool heap_add_length(HeapLoad *load, HeapObject array, uint32_t length);
bool heap_add_edge(HeapLoad *load, HeapObject from, HeapObject to,
                   bool again); // again: not in the run that began from's edges
bool heap_add_weak(HeapLoad *load, HeapObject from, HeapObject to);
bool heap_add_root(HeapLoad *load, const HeapRootEntry *root);
bool heap_add_class_object(HeapLoad *load, HeapObject object, uint32_t class_index);
void heap_find_weak_field(
    HeapGraph *g,
    uint32_t class_index); // sets weak_field; super classes and their fields are there
// Sorts what was added and checks it: everything that heap_find_dominators needs is there afterwards.
bool heap_finish_objects(HeapLoad *load);
bool heap_find_dominators(HeapLoad *load); // heap_dominators.c

bool heap_load_walk(HeapLoad *load);     // heap_walk.c
bool heap_load_hprof(HeapLoad *load);    // heap_hprof.c
int heap_unpack(int fd, HeapLoad *load); // gzip to a file without a name; -1: error

// ---- asking (heap_objects.c) -------------------------------------------------------------------------------------------

static inline uint64_t heap_bytes_of(const HeapGraph *g, HeapObject o)
{
    ASSERT_OBJECT(g, o);
    return (uint64_t)g->units[o] * HEAP_UNIT;
}
static inline HeapClass *heap_class_of(const HeapGraph *g, HeapObject o)
{
    ASSERT_OBJECT(g, o);
    ASSERT_CLASS(g, g->class_of[o]);
    return &g->classes[g->class_of[o]];
}
uint32_t heap_length_of(const HeapGraph *g, HeapObject array); // 0: none
uint32_t heap_class_of_object(const HeapGraph *g,
                              HeapObject class_object); // HEAP_NONE: it is none
bool heap_is_a(const HeapGraph *g, uint32_t class_index,
               const char *name); // the class or a super class of it has that name
bool heap_has_root(const HeapGraph *g, HeapObject o);
const HeapRootEntry *heap_root_of(const HeapGraph *g, HeapObject o,
                                  size_t *count); // NULL: none
const char *heap_root_kind(uint32_t kind);
const char *heap_other_name(uint32_t kind); // <class loader>
const char *heap_type_name(char type);      // int
bool heap_is_reachable(const HeapGraph *g, HeapObject o);
// Where the weak references to `to` begin in g->weak; weak_count: at its end.
size_t heap_first_weak(const HeapGraph *g, HeapObject to);
const char *heap_label(HeapGraph *g, HeapObject o, HeapArena *arena); // NULL: no memory
const char *heap_loader_label(HeapGraph *g, const HeapClass *c, HeapArena *arena);
// The instance field of that name, of the lowest class that has one. False: none, or not in the input.
bool heap_field_named(HeapGraph *g, HeapObject o, const char *name, HeapItem *item);
bool heap_fill_row(HeapGraph *g, HeapObject o, HeapArena *arena, HeapRow *row,
                   HeapError *error);
const char *heap_via(HeapGraph *g, HeapObject from, HeapObject to, HeapArena *arena);
// Entries of a known collection; false: it is none. (heap_collections.c)
bool heap_collection_size(HeapGraph *g, HeapObject o, uint64_t *size);

// The best of many objects: largest retained size first, then the smallest number. (heap_top.c)
typedef struct HeapTop {
    const HeapGraph *g;
    HeapObject *heap; // the worst that is kept is heap[0]
    size_t count, limit, capacity;
    bool failed;
} HeapTop;
void heap_top_init(HeapTop *t, const HeapGraph *g, uint64_t limit);
void heap_top_add(HeapTop *t, HeapObject o);
bool heap_top_sort(HeapTop *t); // best first; false: no memory was left on the way
void heap_top_free(HeapTop *t);

#endif
