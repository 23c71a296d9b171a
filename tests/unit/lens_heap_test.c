// SPDX-License-Identifier: Apache-2.0
// The heap's analysis of lens: walks that are made here, small ones of known dominators and random ones that a simple search
// checks; contents, ways to roots, what is wasted; HPROF out and in again.
//
//   lens_heap_test describe -- FILE CLASS FIELD [OUT]      says what tests/lens/heap_test.py asks of a file; OUT: as HPROF
//   lens_heap_test measure -- list|shallow|tree OBJECTS     loads a large walk and prints times and peak memory
#define _GNU_SOURCE
#include "heap/heap_graph.h"
#include "lens_wire.h"
#include "vmtest.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

// ---- making walks ----------------------------------------------------------------------------------------------------

typedef struct Out { // a walk, or an HPROF file
    int fd;
    size_t len;
    uint64_t objects;
    uint8_t buffer[1 << 16];
} Out;

enum {
    KIND_CLASS = 1,
    KIND_FIELD = 2,
    KIND_ELEMENT = 3,
    KIND_LOADER = 4,
    KIND_STATIC = 8,
    ROOT_JNI_GLOBAL = 21,
    ROOT_SYSTEM = 22,
    ROOT_LOCAL = 24,
    ROOT_THREAD = 26,
    C_OBJECT = 1, // classes of `begin`
    C_CLASS,
    C_NODE,
    C_STRING,
    C_BYTES,
    C_OBJECTS,
    C_REFERENCE,
    C_WEAK,
    C_INTEGER,
    C_LIST,
    C_THREAD,
    C_OWN
};

static void flush(Out *o)
{
    if (o->len > 0 && write(o->fd, o->buffer, o->len) != (ssize_t)o->len)
        abort();
    o->len = 0;
}

static void put(Out *o, const void *bytes, size_t len)
{
    if (o->len + len > sizeof(o->buffer))
        flush(o);
    memcpy(o->buffer + o->len, bytes, len);
    o->len += len;
}

static void u(Out *o, uint64_t v)
{
    uint8_t b[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        b[n++] = (uint8_t)(v | 0x80);
    b[n++] = (uint8_t)v;
    put(o, b, n);
}

static void s(Out *o, const char *text)
{
    u(o, strlen(text));
    put(o, text, strlen(text));
}

static void records(Out *o, int type, int n, const uint64_t *values)
{
    u(o, (uint64_t)type);
    for (int i = 0; i < n; i++)
        u(o, values[i]);
}
#define RECORD(o, type, ...)                                                      \
    records(o, type, (int)(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)), \
            (uint64_t[]){__VA_ARGS__})

// fields: "I size, L next, sL cache": type and name, s before it: static.
static void class_of(Out *o, uint64_t id, const char *name, uint64_t super, uint64_t first,
                     const char *fields)
{
    char copy[200], *rest = copy, *field;
    int n = 0;
    snprintf(copy, sizeof(copy), "%s", fields);
    for (const char *p = fields; *p != 0; p++)
        n += *p == ',';
    u(o, LENS_HEAP_CLASS);
    u(o, id);
    s(o, name);
    u(o, super);
    u(o, fields[0] == 0 ? 0 : (uint64_t)n + 1);
    while (fields[0] != 0 && (field = strsep(&rest, ",")) != NULL) {
        int is_static = field[0] == 's';
        s(o, field + is_static + 2);
        u(o, (uint8_t)field[is_static]);
        u(o, (uint64_t)is_static);
    }
    u(o, 0);
    u(o, first);
}

static Out *begin_at(int fd)
{
    Out *o = calloc(1, sizeof(*o));
    o->fd = fd;
    put(o, LENS_HEAP_MAGIC, 8);
    class_of(o, C_OBJECT, "java.lang.Object", 0, 0, "");
    class_of(o, C_CLASS, "java.lang.Class", C_OBJECT, 2, "L name");
    class_of(o, C_NODE, "Node", C_OBJECT, 3, "L next,I value,sL cache,L other");
    class_of(o, C_STRING, "java.lang.String", C_OBJECT, 1, "L value,B coder,I hash");
    class_of(o, C_BYTES, "byte[]", C_OBJECT, 0, "");
    class_of(o, C_OBJECTS, "java.lang.Object[]", C_OBJECT, 0, "");
    class_of(o, C_REFERENCE, "java.lang.ref.Reference", C_OBJECT, 0, "L referent,L queue");
    class_of(o, C_WEAK, "java.lang.ref.WeakReference", C_REFERENCE, 0, "");
    class_of(o, C_INTEGER, "java.lang.Integer", C_OBJECT, 1, "I value");
    class_of(o, C_LIST, "java.util.ArrayList", C_OBJECT, 2, "L elementData,I size");
    class_of(o, C_THREAD, "java.lang.Thread", C_OBJECT, 0, "L name");
    return o;
}

static Out *begin(void)
{
    return begin_at(memfd_create("walk", MFD_CLOEXEC));
}

static uint32_t object(Out *o, uint64_t class, uint64_t size, uint64_t length)
{
    RECORD(o, LENS_HEAP_OBJECT, ++o->objects, class, size, length);
    return (uint32_t)o->objects;
}

static void ref(Out *o, uint64_t from, uint64_t to, uint64_t kind, uint64_t index)
{
    RECORD(o, LENS_HEAP_REF, from, to, kind, index);
}

static void root(Out *o, uint64_t to, uint64_t kind)
{
    RECORD(o, LENS_HEAP_ROOT, to, kind, 0, 0, 0, 0);
}

// text in UTF-8, and as it lies in the array: Latin-1.
static uint32_t string_of(Out *o, const char *text, const char *latin1)
{
    uint32_t string = object(o, C_STRING, 24, 0);
    uint32_t array = object(o, C_BYTES, 16 + strlen(latin1), strlen(latin1));
    ref(o, string, array, KIND_FIELD, 1);
    RECORD(o, LENS_HEAP_PRIMITIVE, string, 2, 'B', 0);
    RECORD(o, LENS_HEAP_STRING, string, strlen(latin1));
    s(o, text);
    RECORD(o, LENS_HEAP_ARRAY, array, 'B');
    s(o, latin1);
    return string;
}

static uint32_t string(Out *o, const char *text)
{
    return string_of(o, text, text);
}

static int finish(Out *o)
{
    int fd = o->fd;
    RECORD(o, LENS_HEAP_END, o->objects, 0, 5000000, 0);
    flush(o);
    free(o);
    return fd;
}

static HeapGraph *load(int fd)
{
    HeapError error;
    HeapGraph *g = heap_load(fd, NULL, &error);
    EXPECT_STR("", error.text);
    return g;
}

// ---- answers as text -------------------------------------------------------------------------------------------------

static HeapArena arena; // of all tests

// "3:40 5:16" the objects and retained sizes that `object` dominates.
static const char *dominated(HeapGraph *g, HeapObject object)
{
    static char text[500];
    HeapRow *rows;
    HeapError error;
    size_t count = 0, len = 0;
    uint64_t of = 0;
    EXPECT(heap_dominated(g, object, 0, 50, &arena, &rows, &count, &of, &error));
    EXPECT_INT(of, count);
    text[0] = 0;
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u:%" PRIu64,
                                i == 0 ? "" : " ", rows[i].object, rows[i].retained);
    return text;
}

static HeapDetails details(HeapGraph *g, HeapObject object)
{
    HeapDetails d;
    HeapError error;
    EXPECT(heap_object(g, object, 0, 100, &arena, &d, &error));
    return d;
}

// "next=java.lang.String "x" value=7"
static const char *fields_of(HeapGraph *g, HeapObject object)
{
    static char text[1000];
    HeapDetails d = details(g, object);
    size_t len = 0;
    text[0] = 0;
    for (size_t i = 0; i < d.field_count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s=%s:%s",
                                i == 0 ? "" : " ", d.fields[i].is_static ? "static " : "",
                                d.fields[i].name, d.fields[i].class_name, d.fields[i].value);
    return text;
}

// "3.next 2.[1] (thread "main")" for each way, with | between.
static const char *paths_of(HeapGraph *g, HeapObject object)
{
    static char text[1000];
    HeapPath *paths;
    HeapError error;
    size_t count, len = 0;
    EXPECT(heap_paths(g, object, 10, &arena, &paths, &count, &error));
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", i == 0 ? "" : " | ");
        for (size_t k = 1; k < paths[i].count; k++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%u.%s ",
                                    paths[i].steps[k].object, paths[i].steps[k].via);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "(%s)", paths[i].root.kind);
    }
    return text;
}

// ---- small graphs ----------------------------------------------------------------------------------------------------

// 1 -> 2 -> 4, 1 -> 3 -> 4 -> 5: 1 dominates 2, 3 and 4, which dominates 5.
static HeapGraph *diamond(void)
{
    Out *o = begin();
    for (int i = 0; i < 5; i++)
        object(o, C_NODE, 16, 0);
    root(o, 1, ROOT_LOCAL);
    ref(o, 1, 2, KIND_FIELD, 3);
    ref(o, 1, 3, KIND_FIELD, 6);
    RECORD(o, LENS_HEAP_PRIMITIVE, 1, 4, 'I', 0xfffffff9);
    ref(o, 2, 4, KIND_FIELD, 3);
    ref(o, 3, 4, KIND_FIELD, 3);
    ref(o, 4, 5, KIND_FIELD, 6);
    return load(finish(o));
}

TEST(diamond_has_known_dominators)
{
    HeapGraph *g = diamond();
    EXPECT_STR("1:80", dominated(g, 0));
    EXPECT_STR("4:32 2:16 3:16", dominated(g, 1));
    EXPECT_STR("5:16", dominated(g, 4));
    EXPECT_STR("", dominated(g, 5));
    EXPECT_INT(5, heap_info(g)->objects);
    EXPECT_INT(5000000, heap_info(g)->stop_ns);
    EXPECT(heap_info(g)->whole);
    heap_free(g);
}

TEST(fields_have_names_and_values)
{
    HeapGraph *g = diamond();
    EXPECT_STR("next=Node: value=int:-7 other=Node:", fields_of(g, 1));
    EXPECT_STR("next=:null value=int:? other=Node:", fields_of(g, 4));
    EXPECT_STR("stack local", details(g, 1).root);
    EXPECT_STR("", details(g, 2).root);
    EXPECT_INT(1, details(g, 4).dominator);
    HeapDetails d;
    HeapError error;
    EXPECT(!heap_object(g, 6, 0, 10, &arena, &d, &error));
    EXPECT_STR("There is no object 6.", error.text);
    heap_free(g);
}

TEST(paths_are_the_shortest)
{
    HeapGraph *g = diamond();
    EXPECT_STR("4.other 2.next 1.next (stack local)", paths_of(g, 5));
    EXPECT_STR("(stack local)", paths_of(g, 1));
    heap_free(g);
}

TEST(referrers_come_once_each)
{
    HeapGraph *g = diamond();
    HeapLink *links;
    HeapError error;
    size_t count;
    uint64_t of;
    EXPECT(heap_referrers(g, 4, 0, 10, &arena, &links, &count, &of, &error));
    EXPECT_INT(2, of);
    EXPECT_INT(2, count);
    EXPECT_INT(2, links[0].object);
    EXPECT_STR("next", links[1].via);
    heap_free(g);
}

// What two roots hold hangs on the root above all.
TEST(what_two_roots_share_is_of_the_root)
{
    Out *o = begin();
    for (int i = 0; i < 4; i++)
        object(o, C_NODE, 24, 0);
    root(o, 2, ROOT_SYSTEM);
    root(o, 1, ROOT_JNI_GLOBAL);
    ref(o, 1, 2, KIND_FIELD, 3); // 2 is a root as well
    ref(o, 1, 3, KIND_FIELD, 6);
    ref(o, 2, 3, KIND_FIELD, 3);
    ref(o, 3, 4, KIND_FIELD, 3);
    HeapGraph *g = load(finish(o));
    EXPECT_STR("3:48 1:24 2:24", dominated(g, 0));
    EXPECT_STR("3.next 1.other (JNI global) | 3.next 2.next (system class)", paths_of(g, 4));
    heap_free(g);
}

TEST(weak_references_hold_nothing)
{
    Out *o = begin();
    object(o, C_WEAK, 32, 0);
    object(o, C_NODE, 16, 0);
    object(o, C_NODE, 16, 0);
    root(o, 1, ROOT_JNI_GLOBAL);
    root(o, 3, ROOT_JNI_GLOBAL);
    ref(o, 1, 2, KIND_FIELD, 0);
    ref(o, 1, 3, KIND_FIELD, 1);
    HeapGraph *g = load(finish(o));
    EXPECT_STR("1:32 3:16", dominated(g, 0));
    EXPECT_INT(1, heap_info(g)->unreachable_objects);
    EXPECT_INT(16, heap_info(g)->unreachable_bytes);
    EXPECT_STR("referent=Node: queue=Node:", fields_of(g, 1));
    EXPECT_STR("1.referent (weak) (JNI global)", paths_of(g, 2));
    EXPECT(!details(g, 2).reachable);
    heap_free(g);
}

// An object that nothing holds, 1, with many objects on the way up; as many weak references, to others.
TEST(many_weak_references_are_not_looked_at_for_each_object)
{
    enum { MANY = 200000 };
    Out *o = begin();
    HeapError error;
    HeapPath *paths;
    size_t count;
    struct timespec begun, ended;
    object(o, C_NODE, 16, 0);
    for (int i = 0; i < MANY; i++) {
        object(o, C_NODE, 16, 0);
        ref(o, o->objects, 1, KIND_FIELD, 3);
    }
    for (int i = 0; i < MANY; i++) {
        object(o, C_WEAK, 32, 0);
        ref(o, o->objects, 2, KIND_FIELD, 0);
    }
    root(o, MANY + 2, ROOT_JNI_GLOBAL);
    HeapGraph *g = load(finish(o));
    clock_gettime(CLOCK_MONOTONIC, &begun);
    EXPECT(heap_paths(g, 1, 10, &arena, &paths, &count, &error));
    clock_gettime(CLOCK_MONOTONIC, &ended);
    EXPECT_INT(1, count);
    EXPECT_INT(3, paths[0].count);
    EXPECT(ended.tv_sec - begun.tv_sec < 5); // it takes milliseconds
    heap_free(g);
}

TEST(labels_say_what_objects_are)
{
    Out *o = begin();
    uint32_t text = string(o, "a \"text\"");
    uint32_t box = object(o, C_INTEGER, 16, 0);
    RECORD(o, LENS_HEAP_PRIMITIVE, box, 1, 'I', 42);
    uint32_t array = object(o, C_OBJECTS, 32, 3);
    ref(o, array, text, KIND_ELEMENT, 1);
    uint32_t list = object(o, C_LIST, 24, 0);
    ref(o, list, array, KIND_FIELD, 2);
    RECORD(o, LENS_HEAP_PRIMITIVE, list, 3, 'I', 2);
    uint32_t thread = object(o, C_THREAD, 64, 0);
    ref(o, thread, string(o, "main"), KIND_FIELD, 0);
    uint32_t mirror = object(o, C_CLASS, 96, 0);
    RECORD(o, LENS_HEAP_CLASS_OBJECT, mirror, C_NODE);
    ref(o, mirror, text, KIND_STATIC, 5);
    ref(o, mirror, list, KIND_LOADER, 0);
    HeapGraph *g = load(finish(o));
    EXPECT_STR("\"a \"text\"\"", details(g, text).row.label);
    EXPECT_STR("42", details(g, box).row.label);
    EXPECT_STR("java.lang.Object[3]", details(g, array).row.label);
    EXPECT_STR("2 entries", details(g, list).row.label);
    EXPECT_STR("\"main\"", details(g, thread).row.label);
    EXPECT_STR("Node", details(g, mirror).row.label);
    EXPECT_STR("[0]=:null [1]=java.lang.String:\"a \"text\"\" [2]=:null", fields_of(g, array));
    EXPECT_STR("static cache=java.lang.String:\"a \"text\"\" <class "
               "loader>=java.util.ArrayList:2 entries",
               fields_of(g, mirror));
    EXPECT_STR("[0]=byte:109 [1]=byte:97 [2]=byte:105 [3]=byte:110", fields_of(g, thread + 2));
    heap_free(g);
}

TEST(strings_and_collections_that_waste)
{
    Out *o = begin();
    uint32_t array = object(o, C_OBJECTS, 16 + 4 * 10, 10), list = object(o, C_LIST, 24, 0);
    ref(o, list, array, KIND_FIELD, 2);
    RECORD(o, LENS_HEAP_PRIMITIVE, list, 3, 'I', 3);
    for (int i = 0; i < 3; i++)
        string(o, "twice and more");
    string(o, "once");
    HeapGraph *g = load(finish(o));
    HeapError error;
    HeapStringRow *strings;
    HeapCollectionRow *rows;
    size_t count;
    uint64_t wasted;
    EXPECT(heap_duplicate_strings(g, 10, &arena, &strings, &count, &wasted, &error));
    EXPECT_INT(1, count);
    EXPECT_STR("twice and more", strings[0].text);
    EXPECT_INT(3, strings[0].count);
    EXPECT_INT(3 * (24 + 32), strings[0].bytes);
    EXPECT_INT(2 * (24 + 32), strings[0].wasted);
    EXPECT_INT(2 * (24 + 32), wasted);
    EXPECT(heap_collections(g, &arena, &rows, &count, &error));
    EXPECT_INT(1, count);
    EXPECT_STR("java.util.ArrayList", rows[0].class_name);
    EXPECT_INT(10, rows[0].capacity);
    EXPECT_INT(3, rows[0].used);
    EXPECT_INT(7 * 5, rows[0].wasted); // 56 bytes for ten places
    EXPECT_INT(list, rows[0].worst);
    heap_free(g);
}

static const HeapClassRow *row_of(const HeapClassRow *rows, size_t count, const char *name)
{
    static const HeapClassRow none;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return &none;
}

TEST(histogram_and_difference)
{
    HeapGraph *g = diamond();
    Out *o = begin();
    object(o, C_NODE, 16, 0);
    string(o, "x");
    root(o, 1, ROOT_LOCAL);
    HeapGraph *base = load(finish(o));
    HeapClassRow *rows;
    HeapError error;
    size_t count;
    EXPECT(heap_histogram(g, base, &arena, &rows, &count, &error));
    const HeapClassRow *node = row_of(rows, count, "Node"),
                       *text = row_of(rows, count, "java.lang.String");
    EXPECT_INT(3, count);
    EXPECT_INT(5, node->count);
    EXPECT_INT(80, node->bytes);
    EXPECT_INT(80, node->retained); // 1 holds all others: they count once
    EXPECT_INT(4, node->more_count);
    EXPECT_INT(64, node->more_bytes);
    EXPECT_STR("boot", node->loader);
    EXPECT_INT(0, text->count);
    EXPECT_INT(-1, text->more_count);
    EXPECT_INT(-24, text->more_bytes);
    HeapRow *instances;
    uint64_t of;
    EXPECT(heap_instances(g, heap_find_class(g, "Node"), 1, 2, &arena, &instances, &count, &of,
                          &error));
    EXPECT_INT(5, of);
    EXPECT_INT(2, count);
    EXPECT_INT(4, instances[0].object);
    EXPECT_INT(2, instances[1].object);
    heap_free(base);
    heap_free(g);
}

TEST(suspects_are_told)
{
    Out *o = begin();
    uint32_t cache = object(o, C_NODE, 16, 0), array = object(o, C_OBJECTS, 4016, 1000);
    root(o, cache, ROOT_JNI_GLOBAL);
    ref(o, cache, array, KIND_FIELD, 3);
    for (uint64_t i = 0; i < 1000; i++)
        ref(o, array, object(o, C_INTEGER, 16, 0), KIND_ELEMENT, i);
    for (int i = 0; i < 300; i++)
        root(o, object(o, C_THREAD, 64, 0), ROOT_THREAD);
    HeapGraph *g = load(finish(o));
    HeapSuspect *found;
    HeapError error;
    size_t count;
    EXPECT(heap_suspects(g, &arena, &found, &count, &error));
    EXPECT_INT(2, count);
    EXPECT_INT(cache, found[0].object);
    EXPECT_INT(16 + 4016 + 16000, found[0].retained);
    EXPECT_INT(array, found[0].gathers);
    EXPECT(strstr(found[0].text,
                  "; most of it is in one java.lang.Object[], which holds 1000 objects.")
           != NULL);
    EXPECT_INT(0, found[1].object);
    EXPECT_INT(300, found[1].instances);
    EXPECT_STR("java.lang.Thread", found[1].class_name);
    heap_free(g);
}

// ---- random graphs ---------------------------------------------------------------------------------------------------

enum { MOST = 60 };

typedef struct Random {
    uint32_t count, edges[MOST * 4][2], edge_count;
    uint8_t is_root[MOST + 1];
} Random;

static uint64_t random_state = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % n;
}

// Which objects the roots reach without passing `without`.
static void reach(const Random *r, uint32_t without, uint8_t *reached)
{
    uint32_t more = 1;
    for (uint32_t o = 1; o <= r->count; o++)
        reached[o] = r->is_root[o] && o != without;
    while (more > 0) {
        more = 0;
        for (uint32_t i = 0; i < r->edge_count; i++) {
            uint32_t from = r->edges[i][0], to = r->edges[i][1];
            if (reached[from] && to != without && !reached[to])
                more = reached[to] = 1;
        }
    }
}

// d dominates o if o is not reached without d: its immediate dominator is the one that all others dominate.
static void expect_random(const Random *r, HeapGraph *g)
{
    static uint8_t all[MOST + 1], without[MOST + 1][MOST + 1];
    reach(r, 0, all);
    for (uint32_t d = 1; d <= r->count; d++)
        reach(r, d, without[d]);
    for (uint32_t o = 1; o <= r->count; o++) {
        uint32_t dominator = 0, depth = 0;
        uint64_t retained = 0;
        for (uint32_t d = 1; d <= r->count && all[o]; d++) {
            uint32_t above = 0;
            retained += all[d] && !without[o][d] ? 16 + 8 * (d % 3) : 0;
            if (d == o || without[d][o] || !all[d])
                continue;
            for (uint32_t e = 1; e <= r->count; e++)
                above += all[e] && !without[e][d];
            if (above > depth) {
                depth = above;
                dominator = d;
            }
        }
        HeapDetails d = details(g, o);
        EXPECT_INT(all[o], d.reachable);
        EXPECT_INT(dominator, d.dominator);
        EXPECT_INT(retained, d.row.retained);
    }
}

TEST(random_graphs_agree_with_a_simple_search)
{
    for (int round = 0; round < 300; round++) {
        Random r = {.count = 1 + random_below(MOST)};
        Out *o = begin();
        for (uint32_t i = 1; i <= r.count; i++)
            object(o, C_NODE, 16 + 8 * (i % 3), 0);
        for (uint32_t i = 0, n = 1 + random_below(4); i < n; i++) {
            uint32_t to = 1 + random_below(r.count);
            r.is_root[to] = 1;
            root(o, to, ROOT_LOCAL);
        }
        for (uint32_t from = r.count; from >= 1; from--) {
            for (uint32_t i = random_below(4); i > 0; i--) {
                uint32_t to = 1 + random_below(r.count);
                r.edges[r.edge_count][0] = from;
                r.edges[r.edge_count++][1] = to;
                ref(o, from, to, KIND_ELEMENT, i);
            }
        }
        if (r.edge_count > 0) { // one that comes late, apart from the others of its object
            ref(o, r.edges[0][0], r.edges[r.edge_count / 2][1], KIND_ELEMENT, 9);
            r.edges[r.edge_count][0] = r.edges[0][0];
            r.edges[r.edge_count][1] = r.edges[r.edge_count / 2][1];
            r.edge_count++;
        }
        HeapGraph *g = load(finish(o));
        expect_random(&r, g);
        heap_free(g);
        heap_arena_free(&arena);
        if (test_failures > 0)
            break;
    }
}

// ---- files that are not whole, or not of this kind -------------------------------------------------------------------

TEST(every_beginning_of_a_walk_is_read)
{
    Out *o = begin();
    string(o, "text");
    root(o, 1, ROOT_LOCAL);
    static uint8_t bytes[4096];
    int fd = finish(o);
    ssize_t len = pread(fd, bytes, sizeof(bytes), 0);
    close(fd);
    for (ssize_t i = 0; i < len; i++) {
        HeapError error;
        int cut = memfd_create("cut", MFD_CLOEXEC);
        EXPECT_INT(i, write(cut, bytes, (size_t)i));
        HeapGraph *g = heap_load(cut, NULL, &error);
        EXPECT(g != NULL || error.text[0] != 0);
        EXPECT(g == NULL || !heap_info(g)->whole);
        heap_free(g);
    }
    EXPECT(len > 100);
}

TEST(limits_and_strange_files_are_said)
{
    HeapError error;
    HeapOptions few = {.max_objects = 3}, thin = {.max_references = 2};
    int fd = memfd_create("strange", MFD_CLOEXEC);
    EXPECT_INT(6, write(fd, "PK\3\4ab", 6));
    EXPECT(heap_load(fd, NULL, &error) == NULL);
    EXPECT_STR("This is neither a heap walk of Lens nor an HPROF file.", error.text);
    Out *o = begin();
    for (int i = 0; i < 5; i++)
        object(o, C_NODE, 16, 0);
    EXPECT(heap_load(finish(o), &few, &error) == NULL);
    EXPECT_STR("The heap has more than 3 objects.", error.text);
    o = begin();
    object(o, C_NODE, 16, 0);
    for (int i = 0; i < 3; i++)
        ref(o, 1, 1, KIND_FIELD, 3);
    EXPECT(heap_load(finish(o), &thin, &error) == NULL);
    EXPECT_STR("The heap has more than 2 references.", error.text);
}

static bool cancel(void *context, const HeapProgress *p)
{
    ++*(int *)context;
    return p->objects < 1;
}

TEST(loading_can_be_cancelled)
{
    HeapError error;
    int calls = 0;
    HeapOptions options = {.progress = cancel, .context = &calls};
    Out *o = begin();
    object(o, C_NODE, 16, 0);
    EXPECT(heap_load(finish(o), &options, &error) == NULL);
    EXPECT(error.cancelled);
    EXPECT(calls > 0);
}

typedef struct Writer {
    Out *out;
    int written; // 1 when all is there
} Writer;

static void *write_slowly(void *context)
{
    Writer *w = context;
    for (int i = 0; i < 20; i++) {
        string(w->out, "slow");
        flush(w->out);
        usleep(3000);
    }
    root(w->out, 1, ROOT_LOCAL);
    RECORD(w->out, LENS_HEAP_END, w->out->objects, 0, 1, 0);
    flush(w->out);
    __atomic_store_n(&w->written, 1, __ATOMIC_RELEASE);
    return NULL;
}

static bool more_may_come(void *context)
{
    return !__atomic_load_n(&((Writer *)context)->written, __ATOMIC_ACQUIRE);
}

TEST(a_walk_is_read_while_it_is_written)
{
    Writer w = {.out = begin()};
    HeapOptions options = {.more = more_may_come, .context = &w};
    HeapError error;
    pthread_t thread;
    EXPECT_INT(0, pthread_create(&thread, NULL, write_slowly, &w));
    HeapGraph *g = heap_load(dup(w.out->fd), &options, &error);
    pthread_join(thread, NULL);
    EXPECT_STR("", error.text);
    EXPECT_INT(40, g == NULL ? 0 : heap_info(g)->objects);
    EXPECT_STR("", g == NULL ? "none" : heap_info(g)->lost);
    heap_free(g);
    close(w.out->fd);
    free(w.out);
}

// ---- HPROF -----------------------------------------------------------------------------------------------------------

// Roots, a class object with a static field, strings, a box, arrays of objects and of bytes, a weak reference, a list.
static HeapGraph *of_all_kinds(void)
{
    Out *o = begin();
    uint32_t mirrors[C_OWN];
    for (uint32_t c = C_OBJECT; c < C_OWN; c++) {
        mirrors[c] = object(o, C_CLASS, 96, 0);
        RECORD(o, LENS_HEAP_CLASS_OBJECT, mirrors[c], c);
        root(o, mirrors[c], ROOT_SYSTEM);
    }
    uint32_t node = object(o, C_NODE, 24, 0), text = string_of(o, "caf\xc3\xa9", "caf\xe9");
    uint32_t box = object(o, C_INTEGER, 16, 0), array = object(o, C_OBJECTS, 32, 4),
             weak = object(o, C_WEAK, 32, 0);
    root(o, node, ROOT_JNI_GLOBAL);
    root(o, weak, ROOT_JNI_GLOBAL);
    ref(o, node, text, KIND_FIELD, 3);
    RECORD(o, LENS_HEAP_PRIMITIVE, node, 4, 'I', (uint32_t)-5);
    ref(o, node, array, KIND_FIELD, 6);
    ref(o, array, box, KIND_ELEMENT, 1);
    ref(o, array, text, KIND_ELEMENT, 3);
    ref(o, mirrors[C_NODE], array, KIND_STATIC, 5);
    RECORD(o, LENS_HEAP_PRIMITIVE, box, 1, 'I', 77);
    ref(o, weak, object(o, C_NODE, 24, 0), KIND_FIELD, 0);
    return load(finish(o));
}

static HeapGraph *write_and_read(HeapGraph *g)
{
    HeapError error;
    int fd = memfd_create("hprof", MFD_CLOEXEC);
    EXPECT(heap_write_hprof(g, fd, NULL, &error));
    return load(fd);
}

// The one instance of a class.
static HeapObject only(HeapGraph *g, const char *class_name)
{
    HeapRow *rows;
    HeapError error;
    size_t count = 0;
    uint64_t of;
    EXPECT(heap_instances(g, heap_find_class(g, class_name), 0, 10, &arena, &rows, &count, &of,
                          &error));
    EXPECT_MSG(count >= 1, "%s", class_name);
    return count == 0 ? 0 : rows[0].object;
}

static void expect_all_kinds(HeapGraph *g)
{
    HeapObject array = only(g, "java.lang.Object[]"),
               weak = only(g, "java.lang.ref.WeakReference");
    HeapObject text = only(g, "java.lang.String"), bytes = only(g, "byte[]"),
               box = only(g, "java.lang.Integer");
    HeapDetails of_array = details(g, array);
    EXPECT_STR("\"caf\xc3\xa9\"", details(g, text).row.label);
    EXPECT_STR("77", details(g, box).row.label);
    EXPECT_STR("java.lang.Object[4]", of_array.row.label);
    EXPECT_STR(
        "[0]=:null [1]=java.lang.Integer:77 [2]=:null [3]=java.lang.String:\"caf\xc3\xa9\"",
        fields_of(g, array));
    EXPECT_STR("byte[4]", details(g, bytes).row.label);
    EXPECT_STR("referent=Node: queue=:null", fields_of(g, weak));
    EXPECT_STR("JNI global", details(g, weak).root);
    EXPECT_INT(0, of_array.dominator); // a static field and a node hold it
    EXPECT_INT(array, details(g, box).dominator);
    EXPECT_INT(text, details(g, bytes).dominator);
    EXPECT_INT(1, heap_info(g)->unreachable_objects);
    EXPECT_INT(1, heap_info(g)->weak_references);
    EXPECT_STR("", heap_info(g)->lost);
}

TEST(hprof_out_and_in_again)
{
    HeapGraph *walk = of_all_kinds(), *once = write_and_read(walk),
              *twice = write_and_read(once);
    EXPECT_STR("hprof", heap_info(once)->from);
    EXPECT_INT(8, heap_info(once)->id_size);
    EXPECT_INT(heap_info(walk)->objects, heap_info(once)->objects);
    EXPECT_INT(heap_info(once)->references, heap_info(twice)->references);
    EXPECT_INT(heap_info(once)->bytes, heap_info(twice)->bytes);
    HeapClassRow *rows;
    HeapError error;
    size_t count;
    EXPECT(heap_histogram(once, NULL, &arena, &rows, &count, &error));
    HeapObject mirror = row_of(rows, count, "Node")->class_object;
    EXPECT_STR("Node", details(once, mirror).row.label);
    EXPECT_STR("static cache=java.lang.Object[]:java.lang.Object[4] "
               "<super class>=java.lang.Class:java.lang.Object",
               fields_of(once, mirror));
    expect_all_kinds(once);
    expect_all_kinds(twice);
    heap_free(twice);
    heap_free(once);
    heap_free(walk);
}

// ---- HPROF of others -------------------------------------------------------------------------------------------------

// A file with a class Node (next, value), which extends Object, a root, a list of three Nodes whose last holds an array of bytes.
typedef struct Strange {
    unsigned id_size;
    bool segments;    // HEAP_DUMP_SEGMENT and an end, else one HEAP_DUMP
    bool zero_length; // the length of the heap's part is 0
    bool backwards;   // ids fall
    bool apart;       // all but the first are 2^63 above it
    uint64_t
        array_bytes; // claimed for each of `arrays` arrays; larger than 64 KB: a hole in the file
    unsigned arrays;
} Strange;

enum {
    ID_OBJECT = 1, // of classes, then of objects: places in the file
    ID_NODE,
    ID_FIRST,
    ID_ARRAY = ID_FIRST + 3,
    NAME_OBJECT = 0x500,
    NAME_NODE,
    NAME_NEXT,
    NAME_VALUE,
    NAME_MAIN,
    FRAME = 0x700
};

static void be(Out *o, uint64_t value, unsigned width)
{
    uint8_t b[8];
    for (unsigned i = width; i-- > 0; value >>= 8)
        b[i] = (uint8_t)value;
    put(o, b, width);
}

static uint64_t id_of(const Strange *f, unsigned place)
{
    uint64_t above = f->apart && place != ID_OBJECT ? 1ull << 63 : 0;
    return above + 0x10000 + 64 * (f->backwards ? 100u - place : place);
}

static void head_of(Out *o, unsigned tag, uint64_t length)
{
    be(o, tag, 1);
    be(o, 0, 4);
    be(o, length & UINT32_MAX, 4);
}

static void name_of(Out *o, const Strange *f, uint64_t id, const char *name)
{
    head_of(o, 1, f->id_size + strlen(name));
    be(o, id, f->id_size);
    put(o, name, strlen(name));
}

static void load_class(Out *o, const Strange *f, unsigned serial, unsigned place, uint64_t name)
{
    head_of(o, 2, 8 + 2 * f->id_size);
    be(o, serial, 4);
    be(o, id_of(f, place), f->id_size);
    be(o, 0, 4);
    be(o, name, f->id_size);
}

static uint64_t class_dump(Out *o, const Strange *f, unsigned place, uint64_t super,
                           bool has_fields)
{
    unsigned id = f->id_size;
    if (o != NULL) {
        be(o, 0x20, 1);
        be(o, id_of(f, place), id);
        be(o, 0, 4);
        be(o, super, id);
        for (int i = 0; i < 5; i++)
            be(o, 0, id);
        be(o, has_fields ? id + 4 : 0, 4);
        be(o, 0, 2);
        be(o, 0, 2);
        be(o, has_fields ? 2 : 0, 2);
        if (has_fields) {
            be(o, NAME_NEXT, id);
            be(o, 2, 1);
            be(o, NAME_VALUE, id);
            be(o, 10, 1);
        }
    }
    return 1 + 7 * id + 8 + 6 + (has_fields ? 2 * (id + 1) : 0);
}

static uint64_t node_dump(Out *o, const Strange *f, unsigned place, unsigned next)
{
    unsigned id = f->id_size;
    if (o != NULL) {
        be(o, 0x21, 1);
        be(o, id_of(f, place), id);
        be(o, 0, 4);
        be(o, id_of(f, ID_NODE), id);
        be(o, id + 4, 4);
        be(o, id_of(f, next), id);
        be(o, 7 * place, 4);
    }
    return 1 + 3 * id + 12;
}

static uint64_t array_dump(Out *o, const Strange *f, unsigned place)
{
    if (o != NULL) {
        be(o, 0x23, 1);
        be(o, id_of(f, place), f->id_size);
        be(o, 0, 4);
        be(o, f->array_bytes, 4);
        be(o, 8, 1);
        flush(o);
        if (lseek(o->fd, (off_t)f->array_bytes, SEEK_CUR) < 0
            || ftruncate(o->fd, lseek(o->fd, 0, SEEK_CUR)) != 0)
            abort();
    }
    return 1 + f->id_size + 9 + f->array_bytes;
}

// The heap's part; o NULL: only how long it is.
static uint64_t heap_part(Out *o, const Strange *f)
{
    uint64_t bytes = class_dump(o, f, ID_OBJECT, 0, false)
                     + class_dump(o, f, ID_NODE, id_of(f, ID_OBJECT), true);
    for (unsigned i = 0; i < 3; i++)
        bytes += node_dump(o, f, ID_FIRST + i, ID_FIRST + i + 1);
    for (unsigned i = 0; i < f->arrays; i++)
        bytes += array_dump(o, f, ID_ARRAY + i);
    if (o != NULL) {
        be(o, 0x03, 1); // of a Java frame: thread 1, frame 0
        be(o, id_of(f, ID_FIRST), f->id_size);
        be(o, 1, 4);
        be(o, 0, 4);
        be(o, 0x08, 1); // thread 1 is that object, its stack trace has number 5
        be(o, id_of(f, ID_OBJECT), f->id_size);
        be(o, 1, 4);
        be(o, 5, 4);
    }
    return bytes + 2 * (1 + f->id_size + 8);
}

// All that comes before the heap's part but for stacks.
static Out *begin_strange(const Strange *f)
{
    Out *o = calloc(1, sizeof(*o));
    o->fd = memfd_create("strange", MFD_CLOEXEC);
    put(o, f->segments ? "JAVA PROFILE 1.0.2" : "JAVA PROFILE 1.0.1", 19);
    be(o, f->id_size, 4);
    be(o, 1234567890123, 8);
    name_of(o, f, NAME_OBJECT, "java/lang/Object");
    name_of(o, f, NAME_NODE, "com/acme/Node");
    name_of(o, f, NAME_NEXT, "next");
    name_of(o, f, NAME_VALUE, "value");
    name_of(o, f, NAME_MAIN, "main");
    load_class(o, f, 1, ID_OBJECT, NAME_OBJECT);
    load_class(o, f, 2, ID_NODE, NAME_NODE);
    return o;
}

static int end_strange(Out *o)
{
    int fd = o->fd;
    flush(o);
    free(o);
    return fd;
}

static int strange_file(const Strange *f)
{
    Out *o = begin_strange(f);
    head_of(o, 4, 4 * f->id_size + 8);
    be(o, FRAME, f->id_size);
    be(o, NAME_MAIN, f->id_size);
    be(o, 0, f->id_size);
    be(o, 0, f->id_size);
    be(o, 2, 4); // class by serial number
    be(o, 1, 4);
    head_of(o, 5, 12 + f->id_size);
    be(o, 5, 4);
    be(o, 1, 4);
    be(o, 1, 4);
    be(o, FRAME, f->id_size);
    head_of(o, f->segments ? 0x1c : 0x0c, f->zero_length ? 0 : heap_part(NULL, f));
    heap_part(o, f);
    if (f->segments)
        head_of(o, 0x2c, 0);
    return end_strange(o);
}

static void expect_list(HeapGraph *g, const Strange *f)
{
    HeapRow *rows;
    HeapError error;
    HeapPath *paths;
    size_t count;
    uint64_t of;
    EXPECT_STR("", heap_info(g)->lost);
    EXPECT_INT(f->id_size, heap_info(g)->id_size);
    EXPECT_INT(1234567890123, heap_info(g)->time_ms);
    EXPECT_INT(5 + f->arrays, heap_info(g)->objects);
    EXPECT(heap_instances(g, heap_find_class(g, "com.acme.Node"), 0, 9, &arena, &rows, &count,
                          &of, &error));
    EXPECT_INT(3, of);
    HeapObject first = rows[0].object, third = rows[2].object;
    const char *array = f->arrays == 0         ? ":null"
                        : f->array_bytes > 100 ? "byte[]:byte[2147483647]"
                                               : "byte[]:byte[10]";
    char fields[100];
    snprintf(fields, sizeof(fields), "next=%s value=int:%d", array, 7 * (ID_FIRST + 2));
    EXPECT_STR(fields, fields_of(g, third));
    EXPECT_STR("stack local", details(g, first).root);
    EXPECT(heap_paths(g, third, 5, &arena, &paths, &count, &error));
    EXPECT_INT(1, count);
    EXPECT_INT(3, paths[0].count);
    EXPECT_STR("com.acme.Node.main", paths[0].root.method);
    if (f->array_bytes
        == 10) // three Nodes, the array, and their class, which nothing else holds
        EXPECT_INT(f->id_size == 4 ? 3 * 16 + 24 + 8 : 3 * 24 + 32 + 16, rows[0].retained);
    heap_free(g);
}

TEST(hprof_of_other_vms)
{
    static const Strange files[] = {
        {8, true, false, false, false, 10, 1}, {4, true, false, false, false, 10, 1},
        {4, false, false, true, false, 10, 1}, {8, false, false, true, false, 0, 0},
        {8, true, true, false, false, 10, 1},  {4, false, true, false, false, 10, 1},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        HeapGraph *g = load(strange_file(&files[i]));
        if (g != NULL)
            expect_list(g, &files[i]);
    }
}

// So few ids that one bucket would do, of which no shift makes a single one.
// The greatest id is no other class's, though classes that are not in the file have it, too.
TEST(hprof_of_a_class_with_the_greatest_id)
{
    const Strange f = {.id_size = 8};
    Out *o = begin_strange(&f);
    unsigned id = f.id_size;
    head_of(o, 0x0c, 1 + 7 * id + 8 + 6 + (id + 1 + id) + 1 + 3 * id + 12 + 1 + id);
    be(o, 0x20, 1);
    be(o, UINT64_MAX, id);
    be(o, 0, 4);
    for (int i = 0; i < 6; i++)
        be(o, 0, id);
    be(o, 0, 4);
    be(o, 0, 2);
    be(o, 1, 2); // a static field
    be(o, NAME_NEXT, id);
    be(o, 2, 1);
    be(o, id_of(&f, ID_FIRST), id);
    be(o, 0, 2);
    node_dump(o, &f, ID_FIRST, ID_FIRST);
    be(o, 0x05, 1); // the class is a root
    be(o, UINT64_MAX, id);
    HeapGraph *g = load(end_strange(o));
    EXPECT(g != NULL && heap_info(g)->objects == 2);
    EXPECT_STR(paths_of(g, 1), "2.static ? (system class)");
    heap_free(g);
}

TEST(hprof_of_two_ids_that_are_far_apart)
{
    Strange f = {.id_size = 8, .apart = true};
    Out *o = begin_strange(&f);
    head_of(o, 0x0c,
            class_dump(NULL, &f, ID_OBJECT, 0, false)
                + class_dump(NULL, &f, ID_NODE, id_of(&f, ID_OBJECT), true) + 1 + f.id_size);
    class_dump(o, &f, ID_OBJECT, 0, false);
    class_dump(o, &f, ID_NODE, id_of(&f, ID_OBJECT), true);
    be(o, 0x05, 1); // a system class
    be(o, id_of(&f, ID_NODE), f.id_size);
    HeapGraph *g = load(end_strange(o));
    EXPECT_INT(2, heap_info(g)->objects);
    EXPECT_INT(1, heap_info(g)->roots);
    heap_free(g);
}

// Three arrays of 2 GB each: the length of the heap's part lacks 4 GB. The file is a hole.
TEST(hprof_of_more_than_4_gb)
{
    static const Strange large[] = {{8, true, false, false, false, INT32_MAX, 3},
                                    {8, false, true, true, false, INT32_MAX, 3}};
    for (size_t i = 0; i < 2; i++) {
        HeapGraph *g = load(strange_file(&large[i]));
        if (g != NULL)
            expect_list(g, &large[i]);
    }
}

TEST(every_beginning_of_an_hprof_file_is_read)
{
    static const Strange f = {8, true, false, false, false, 10, 1};
    uint8_t bytes[2000];
    int fd = strange_file(&f), loaded = 0;
    ssize_t len = pread(fd, bytes, sizeof(bytes), 0);
    close(fd);
    for (ssize_t i = 0; i < len; i++) {
        HeapError error;
        int cut = memfd_create("cut", MFD_CLOEXEC);
        EXPECT_INT(i, write(cut, bytes, (size_t)i));
        HeapGraph *g = heap_load(cut, NULL, &error);
        EXPECT(g != NULL || error.text[0] != 0);
        EXPECT_MSG(g == NULL || i == len - 9 || !heap_info(g)->whole, "%zd of %zd", i, len);
        loaded += g != NULL;
        heap_free(g);
    }
    EXPECT(loaded > 100);
}

TEST(gzip_is_unpacked)
{
    static const Strange f = {4, true, false, true, false, 10, 1};
    uint8_t bytes[2000], packed[3000];
    int fd = strange_file(&f), gz = memfd_create("gz", MFD_CLOEXEC);
    ssize_t len = pread(fd, bytes, sizeof(bytes), 0);
    close(fd);
    z_stream z = {.next_in = bytes,
                  .avail_in = (uInt)len / 2,
                  .next_out = packed,
                  .avail_out = sizeof(packed)};
    EXPECT_INT(Z_OK, deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY));
    EXPECT_INT(Z_STREAM_END, deflate(&z, Z_FINISH)); // in two members, as HotSpot writes many
    deflateReset(&z);
    z.avail_in = (uInt)(len - len / 2);
    EXPECT_INT(Z_STREAM_END, deflate(&z, Z_FINISH));
    size_t size = sizeof(packed) - z.avail_out;
    deflateEnd(&z);
    EXPECT_INT(size, write(gz, packed, size));
    HeapGraph *g = load(dup(gz));
    if (g != NULL)
        expect_list(g, &f);
    HeapError error;
    HeapOptions narrow = {.max_unpacked = 100};
    EXPECT(heap_load(dup(gz), &narrow, &error) == NULL);
    EXPECT_STR("The file is larger than 0 MB when it is unpacked.", error.text);
    EXPECT_INT(0, ftruncate(gz, (off_t)size - 40));
    g = heap_load(gz, NULL, &error);
    EXPECT(g != NULL && strstr(heap_info(g)->lost, "gzip") != NULL);
    heap_free(g);
}

// ---- any file --------------------------------------------------------------------------------------------------------

// The static field of a class, and what hangs on it.
static void describe_field(HeapGraph *g, const char *class_name, const char *field)
{
    HeapClassRow *rows;
    HeapError error;
    size_t count;
    HeapObject found = 0;
    EXPECT(heap_histogram(g, NULL, &arena, &rows, &count, &error));
    for (size_t i = 0; i < count; i++)
        printf("class %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", rows[i].name, rows[i].count,
               rows[i].bytes, rows[i].retained, rows[i].loader);
    HeapDetails mirror = {0};
    HeapRow *mirrors;
    uint64_t of;
    EXPECT(heap_instances(g, heap_find_class(g, "java.lang.Class"), 0, UINT64_MAX, &arena,
                          &mirrors, &count, &of, &error));
    for (size_t i = 0; i < count && found == 0; i++) {
        if (strcmp(mirrors[i].label, class_name) != 0)
            continue;
        mirror = details(g, mirrors[i].object);
        for (size_t k = 0; k < mirror.field_count; k++) {
            printf("field %s %s %s\n", mirror.fields[k].name, mirror.fields[k].class_name,
                   mirror.fields[k].value);
            if (strcmp(mirror.fields[k].name, field) == 0)
                found = mirror.fields[k].object;
        }
    }
    if (found == 0)
        return;
    HeapDetails d = details(g, found);
    printf("found %s | %s | %" PRIu64 " bytes, retains %" PRIu64 "\n", d.row.class_name,
           d.row.label, d.row.bytes, d.row.retained);
    printf("path %s\n", paths_of(g, found));
    EXPECT(heap_dominated(g, found, 0, 3, &arena, &mirrors, &count, &of, &error));
    for (size_t i = 0; i < count; i++)
        printf("dominates %s | %s | %" PRIu64 " children %" PRIu64 "\n", mirrors[i].class_name,
               mirrors[i].label, mirrors[i].retained, mirrors[i].children);
}

static void describe_waste(HeapGraph *g)
{
    HeapStringRow *strings;
    HeapCollectionRow *rows;
    HeapSuspect *suspects;
    HeapError error;
    size_t count;
    uint64_t wasted;
    EXPECT(heap_duplicate_strings(g, 20, &arena, &strings, &count, &wasted, &error));
    for (size_t i = 0; i < count; i++)
        printf("string %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", strings[i].count,
               strings[i].bytes, strings[i].wasted, strings[i].text);
    EXPECT(heap_collections(g, &arena, &rows, &count, &error));
    for (size_t i = 0; i < count; i++)
        printf("collection %s count %" PRIu64 " empty %" PRIu64 " used %" PRIu64 " of %" PRIu64
               "\n",
               rows[i].class_name, rows[i].count, rows[i].empty, rows[i].used,
               rows[i].capacity);
    EXPECT(heap_suspects(g, &arena, &suspects, &count, &error));
    for (size_t i = 0; i < count; i++)
        printf("suspect %s\n", suspects[i].text);
}

static void describe_roots(HeapGraph *g)
{
    HeapRow *rows;
    HeapPath *paths;
    HeapError error;
    size_t count, ways;
    uint64_t of;
    EXPECT(heap_dominated(g, 0, 0, 10, &arena, &rows, &count, &of, &error));
    for (size_t i = 0; i < count; i++) {
        printf("top %s | %s | %" PRIu64 "\n", rows[i].class_name, rows[i].label,
               rows[i].retained);
        EXPECT(heap_paths(g, rows[i].object, 3, &arena, &paths, &ways, &error));
        for (size_t k = 0; k < ways; k++)
            printf("  root %s | %s | %s\n", paths[k].root.kind, paths[k].root.thread,
                   paths[k].root.method);
    }
}

TEST(describe)
{
    if (test_argc < 3)
        TEST_SKIP("for tests/lens/heap_test.py: describe -- FILE CLASS FIELD");
    HeapGraph *g = load(open(test_argv[0], O_RDONLY | O_CLOEXEC));
    if (g == NULL)
        return;
    const HeapInfo *i = heap_info(g);
    printf("info %s objects %" PRIu64 " references %" PRIu64 " weak %" PRIu64 " roots %" PRIu64
           " bytes %" PRIu64 " unreachable %" PRIu64 " whole %d lost %s\n",
           i->from, i->objects, i->references, i->weak_references, i->roots, i->bytes,
           i->unreachable_objects, i->whole, i->lost);
    describe_field(g, test_argv[1], test_argv[2]);
    describe_roots(g);
    describe_waste(g);
    if (test_argc > 3) {
        HeapError error;
        int out = open(test_argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        EXPECT_MSG(heap_write_hprof(g, out, NULL, &error), "%s", error.text);
        close(out);
    }
    heap_free(g);
    heap_arena_free(&arena);
}

// ---- large ones ------------------------------------------------------------------------------------------------------

static void large_list(Out *o, uint64_t count)
{
    for (uint64_t i = 1; i <= count; i++) {
        object(o, C_NODE, 24, 0);
        if (i > 1) {
            ref(o, i - 1, 1, KIND_CLASS, 0);
            ref(o, i - 1, i, KIND_FIELD, 3);
            RECORD(o, LENS_HEAP_PRIMITIVE, i - 1, 4, 'I', i & 0xffff);
        }
    }
}

static void large_shallow(Out *o, uint64_t count)
{
    object(o, C_OBJECTS, 4 * count, count);
    for (uint64_t i = 2; i <= count; i++) {
        object(o, C_NODE, 24, 0);
        ref(o, 1, i, KIND_ELEMENT, i - 2);
    }
    for (uint64_t i = 2; i <= count; i++) {
        ref(o, i, 1, KIND_CLASS, 0);
        RECORD(o, LENS_HEAP_PRIMITIVE, i, 4, 'I', i & 0xffff);
    }
}

static void large_tree(Out *o, uint64_t count)
{
    object(o, C_NODE, 24, 0);
    for (uint64_t i = 1; i <= count; i++) {
        ref(o, i, 1, KIND_CLASS, 0);
        for (uint64_t child = 2 * i; child <= 2 * i + 1 && child <= count; child++) {
            object(o, C_NODE, 24, 0);
            ref(o, i, child, KIND_FIELD, child % 2 * 3 + 3);
        }
        RECORD(o, LENS_HEAP_PRIMITIVE, i, 4, 'I', i & 0xffff);
    }
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool tell(void *context, const HeapProgress *p)
{
    const char **phase = context;
    if (*phase != p->phase)
        printf("%6.2f s  %s\n", seconds(CLOCK_PROCESS_CPUTIME_ID), *phase = p->phase);
    return true;
}

TEST(measure)
{
    static const struct {
        const char *name;
        void (*make)(Out *o, uint64_t count);
    } kinds[] = {{"list", large_list}, {"shallow", large_shallow}, {"tree", large_tree}};
    if (test_argc < 2)
        TEST_SKIP("for measurements: measure -- list|shallow|tree OBJECTS");
    char path[] =
        "/tmp/lens-heap-measure-XXXXXX"; // a file, not memory: only what the graph needs is to be counted
    Out *o = begin_at(mkstemp(path));
    unlink(path);
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(test_argv[0], kinds[i].name) == 0)
            kinds[i].make(o, strtoull(test_argv[1], NULL, 10));
    }
    root(o, 1, ROOT_LOCAL);
    int fd = finish(o);
    const char *phase = "";
    HeapOptions options = {.progress = tell, .context = &phase};
    HeapError error;
    struct rusage usage;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    printf("%6.2f s  begins, %.0f MB of walk\n", cpu, (double)lseek(fd, 0, SEEK_END) / 1e6);
    HeapGraph *g = heap_load(fd, &options, &error);
    getrusage(RUSAGE_SELF, &usage);
    EXPECT_STR("", error.text);
    printf("%" PRIu64 " objects, %" PRIu64 " references: %.2f s, %.2f s of CPU, %ld MB\n",
           heap_info(g)->objects, heap_info(g)->references, seconds(CLOCK_MONOTONIC) - wall,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, usage.ru_maxrss >> 10);
    heap_free(g);
}
