// SPDX-License-Identifier: Apache-2.0
// Loading a graph: what kind of file it is, the arrays that the readers fill, and the checks before the dominators are looked for.
//
// An object's edges lie together: edges[out_at[o]] says how many follow. As both inputs give all references of an object at once
// they are written there as they are read; those of objects that come again are kept aside (late) and moved at the end.
#include "heap_internal.h"
#include "hprof_format.h"

#include "lens_wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORT_NANOS 100000000u
enum { QUERY_BUFFER = 64 << 10 };

// Makes room for one more element of an array of the graph.
#define GROW(load, array, capacity, need)                                \
    (heap_grow((void **)&(array), &(capacity), (need), sizeof(*(array))) \
     || heap_fail_memory((load)->error))

// ---- progress --------------------------------------------------------------------------------------------------------

void heap_phase(HeapLoad *load, const char *phase, uint32_t from, uint32_t to)
{
    assert(from <= to && to <= 1000 && from >= load->progress.permille);
    load->progress.phase = phase;
    load->band_from = from;
    load->band_to = to;
    load->next_report = 0;
}

bool heap_report(HeapLoad *load, uint64_t done, uint64_t total)
{
    if (load->options->progress == NULL)
        return true;
    uint64_t now = heap_now();
    if (now < load->next_report)
        return true;
    load->next_report = now + REPORT_NANOS;
    double part = total == 0 || done > total ? 1.0 : (double)done / (double)total;
    uint32_t permille = load->band_from + (uint32_t)(part * (load->band_to - load->band_from));
    assert(permille <= load->band_to);
    if (permille > load->progress.permille)
        load->progress.permille = permille;
    load->progress.objects = load->g->count;
    load->progress.references = load->g->edge_count;
    if (load->options->progress(load->options->context, &load->progress))
        return true;
    load->error->cancelled = true;
    return heap_fail(load->error, "Cancelled.");
}

void heap_lost(HeapGraph *g, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    char *all = heap_arena_printf(&g->names, "%s%s", g->info.lost, text);
    if (all != NULL)
        g->info.lost = all;
    g->info.whole = false;
}

// ---- classes ---------------------------------------------------------------------------------------------------------

static char element_type(const char *name)
{
    static const struct {
        const char *name;
        char type;
    } primitives[] = {{"boolean[]", 'Z'}, {"byte[]", 'B'},  {"char[]", 'C'}, {"short[]", 'S'},
                      {"int[]", 'I'},     {"float[]", 'F'}, {"long[]", 'J'}, {"double[]", 'D'}};
    size_t len = strlen(name);
    if (len < 2 || strcmp(name + len - 2, "[]") != 0)
        return 0;
    for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++) {
        if (strcmp(name, primitives[i].name) == 0)
            return primitives[i].type;
    }
    return 'L';
}

bool heap_add_class(HeapLoad *load, uint64_t id, const char *name, uint32_t *index)
{
    HeapGraph *g = load->g;
    if (g->class_count >= HEAP_NONE - 1)
        return heap_fail(load->error, "The file has more than 4,294,967,294 classes.");
    if (!GROW(load, g->classes, g->class_capacity, g->class_count + 1))
        return false;
    *index = (uint32_t)g->class_count++;
    g->classes[*index] = (HeapClass){.id = id,
                                     .name = name,
                                     .super = HEAP_NONE,
                                     .weak_field = HEAP_NONE,
                                     .field_at = (uint32_t)g->field_count,
                                     .element = element_type(name)};
    return heap_map_put(&g->class_ids, id, *index + 1ull) || heap_fail_memory(load->error);
}

bool heap_add_field(HeapLoad *load, const char *name, char type, bool is_static)
{
    HeapGraph *g = load->g;
    if (g->field_count >= HEAP_NONE - 1)
        return heap_fail(load->error, "The file has more than 4,294,967,294 fields.");
    if (!GROW(load, g->fields, g->field_capacity, g->field_count + 1))
        return false;
    assert(g->class_count > 0); // fields follow their class
    g->fields[g->field_count++] = (HeapFieldInfo){name, type == '[' ? 'L' : type, is_static};
    g->classes[g->class_count - 1].field_count++;
    return true;
}

static uint32_t referent_of(const HeapGraph *g, const HeapClass *reference)
{
    assert((size_t)reference->field_at + reference->field_count <= g->field_count);
    for (uint32_t f = reference->field_at; f < reference->field_at + reference->field_count;
         f++) {
        if (!g->fields[f].is_static && strcmp(g->fields[f].name, "referent") == 0)
            return f;
    }
    return HEAP_NONE;
}

void heap_find_weak_field(HeapGraph *g, uint32_t class_index)
{
    ASSERT_CLASS(g, class_index);
    static const char *const weak[] = {"java.lang.ref.WeakReference",
                                       "java.lang.ref.PhantomReference"};
    bool is_weak = false;
    uint32_t c = class_index;
    for (int i = 0; i < HEAP_MAX_CHAIN && c != HEAP_NONE; i++, c = g->classes[c].super) {
        const char *name = g->classes[c].name;
        is_weak |= strcmp(name, weak[0]) == 0 || strcmp(name, weak[1]) == 0;
        if (is_weak && strcmp(name, "java.lang.ref.Reference") == 0)
            g->classes[class_index].weak_field = referent_of(g, &g->classes[c]);
    }
}

bool heap_add_class_object(HeapLoad *load, HeapObject object, uint32_t class_index)
{
    HeapGraph *g = load->g;
    ASSERT_CLASS(g, class_index);
    ASSERT_OBJECT(g, object);
    if (!GROW(load, g->class_objects, g->class_object_capacity, g->class_object_count + 1))
        return false;
    g->class_objects[g->class_object_count++] = (HeapPair){object, class_index};
    g->classes[class_index].object = object;
    return true;
}

// ---- objects ---------------------------------------------------------------------------------------------------------

bool heap_add_object(HeapLoad *load, uint32_t class_index, uint64_t bytes)
{
    HeapGraph *g = load->g;
    uint64_t limit = load->options->max_objects;
    ASSERT_CLASS(g, class_index);
    if (limit == 0 || limit > HEAP_MAX_OBJECTS)
        limit = HEAP_MAX_OBJECTS;
    if (g->count >= limit)
        return heap_fail(load->error, "The heap has more than %llu objects.",
                         (unsigned long long)limit);
    size_t need = (size_t)g->count + 2; // object 0 is there, too
    if (!GROW(load, g->class_of, g->object_capacity[0], need)
        || !GROW(load, g->units, g->object_capacity[1], need)
        || !GROW(load, g->out_at, g->object_capacity[2], need)
        || !GROW(load, g->at, g->object_capacity[3], need))
        return false;
    uint64_t units = bytes / HEAP_UNIT + (bytes % HEAP_UNIT != 0);
    uint32_t o = ++g->count;
    g->class_of[o] = class_index;
    g->units[o] = units == 0 ? 1 : units > UINT32_MAX ? UINT32_MAX : (uint32_t)units;
    g->out_at[o] = 0;
    g->at[o] = 0;
    return true;
}

bool heap_add_length(HeapLoad *load, HeapObject array, uint32_t length)
{
    HeapGraph *g = load->g;
    ASSERT_OBJECT(g, array);
    if (!GROW(load, g->lengths, g->length_capacity, g->length_count + 1))
        return false;
    g->lengths[g->length_count++] = (HeapLength){array, length};
    return true;
}

static bool check_edges(HeapLoad *load, size_t more)
{
    HeapGraph *g = load->g;
    uint64_t limit = load->options->max_references;
    if (limit == 0 || limit > HEAP_MAX_OBJECTS)
        limit = HEAP_MAX_OBJECTS;
    if (g->edge_count + g->weak_count >= limit || g->edge_words + more > HEAP_MAX_OBJECTS)
        return heap_fail(load->error, "The heap has more than %llu references.",
                         (unsigned long long)limit);
    return true;
}

bool heap_add_edge(HeapLoad *load, HeapObject from, HeapObject to, bool again)
{
    HeapGraph *g = load->g;
    ASSERT_OBJECT(g, from);
    ASSERT_OBJECT(g, to);
    if (!check_edges(load, 2))
        return false;
    g->edge_count++;
    if (again) {
        load->scattered++;
        if (!GROW(load, g->late, g->late_capacity, g->late_count + 1))
            return false;
        g->late[g->late_count++] = (HeapPair){from, to};
        return true;
    }
    if (!GROW(load, g->edges, g->edge_capacity, g->edge_words + 3))
        return false;
    if (g->edge_words == 0)
        g->edges[g->edge_words++] = 0; // place 0 is none
    if (g->out_at[from] == 0) {
        g->out_at[from] = (uint32_t)g->edge_words;
        g->edges[g->edge_words++] = 0;
    }
    assert(g->out_at[from] + g->edges[g->out_at[from]] + 1
           == g->edge_words); // they lie together
    g->edges[g->out_at[from]]++;
    g->edges[g->edge_words++] = to;
    return true;
}

bool heap_add_weak(HeapLoad *load, HeapObject from, HeapObject to)
{
    HeapGraph *g = load->g;
    ASSERT_OBJECT(g, from);
    ASSERT_OBJECT(g, to);
    if (!check_edges(load, 0) || !GROW(load, g->weak, g->weak_capacity, g->weak_count + 1))
        return false;
    g->weak[g->weak_count++] = (HeapPair){from, to};
    return true;
}

bool heap_add_root(HeapLoad *load, const HeapRootEntry *root)
{
    HeapGraph *g = load->g;
    ASSERT_OBJECT(g, root->object);
    if (!GROW(load, g->roots, g->root_capacity, g->root_count + 1))
        return false;
    g->roots[g->root_count++] = *root;
    return true;
}

// ---- the end of reading ----------------------------------------------------------------------------------------------

static int by_from(const void *a, const void *b)
{
    const HeapPair *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1)
           : x->to < y->to    ? -1
                              : x->to > y->to;
}

static int by_to(const void *a, const void *b)
{
    const HeapPair *x = a, *y = b;
    return x->to != y->to      ? (x->to < y->to ? -1 : 1)
           : x->from < y->from ? -1
                               : x->from > y->from;
}

static int by_root(const void *a, const void *b)
{
    const HeapRootEntry *x = a, *y = b;
    return x->object != y->object ? (x->object < y->object ? -1 : 1)
                                  : (int)x->kind - (int)y->kind;
}

static int by_length(const void *a, const void *b)
{
    const HeapLength *x = a, *y = b;
    return x->object < y->object ? -1 : x->object > y->object;
}

static void sort(void *array, size_t count, size_t size,
                 int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(array, count, size, compare);
}

// Moves the edges of each object that came again behind all others, together with those that it had.
static bool move_late_edges(HeapLoad *load)
{
    HeapGraph *g = load->g;
    sort(g->late, g->late_count, sizeof(*g->late), by_from);
    for (size_t i = 0, end; i < g->late_count; i = end) {
        HeapObject from = g->late[i].from;
        for (end = i; end < g->late_count && g->late[end].from == from; end++)
            ;
        uint32_t old_at = g->out_at[from], had = old_at == 0 ? 0 : g->edges[old_at];
        size_t need = g->edge_words + 2 + had + (end - i);
        if (need > HEAP_MAX_OBJECTS)
            return heap_fail(load->error, "The heap has too many references.");
        if (!GROW(load, g->edges, g->edge_capacity, need))
            return false;
        if (g->edge_words == 0)
            g->edges[g->edge_words++] = 0;
        g->out_at[from] = (uint32_t)g->edge_words;
        g->edges[g->edge_words++] = had + (uint32_t)(end - i);
        if (had > 0)
            memcpy(g->edges + g->edge_words, g->edges + old_at + 1, had * sizeof(*g->edges));
        g->edge_words += had;
        for (size_t k = i; k < end; k++)
            g->edges[g->edge_words++] = g->late[k].to;
        assert(g->edge_words <= need && end > i);
    }
    free(g->late);
    g->late = NULL;
    g->late_count = g->late_capacity = 0;
    return true;
}

static void count_classes(HeapGraph *g)
{
    for (uint32_t o = 1; o <= g->count; o++) {
        HeapClass *c = heap_class_of(g, o);
        c->count++;
        c->bytes += heap_bytes_of(g, o);
        g->info.bytes += heap_bytes_of(g, o);
    }
}

// Two entries of one object: the first is kept.
static size_t unique_pairs(HeapPair *pairs, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || pairs[kept - 1].from != pairs[i].from)
            pairs[kept++] = pairs[i];
    }
    return kept;
}

static void tell_lost(HeapLoad *load)
{
    HeapGraph *g = load->g;
    if (load->dropped_references > 0)
        heap_lost(g, "%llu references lead to objects that are not in the file. ",
                  (unsigned long long)load->dropped_references);
    if (load->dropped_records > 0)
        heap_lost(g, "%llu records speak of what is not in the file. ",
                  (unsigned long long)load->dropped_records);
    if (load->scattered > 0)
        heap_lost(
            g,
            "%llu references came apart from the others of their object; they have no names. ",
            (unsigned long long)load->scattered);
}

bool heap_finish_objects(HeapLoad *load)
{
    HeapGraph *g = load->g;
    if (g->count == 0)
        return heap_fail(load->error, "There are no objects in this file.");
    sort(g->roots, g->root_count, sizeof(*g->roots), by_root);
    sort(g->weak, g->weak_count, sizeof(*g->weak), by_to);
    sort(g->lengths, g->length_count, sizeof(*g->lengths), by_length);
    sort(g->class_objects, g->class_object_count, sizeof(*g->class_objects), by_from);
    g->class_object_count = unique_pairs(g->class_objects, g->class_object_count);
    if (!move_late_edges(load))
        return false;
    count_classes(g);
    tell_lost(load);
    g->info.objects = g->count;
    g->info.references = g->edge_count;
    g->info.classes = g->class_count;
    g->info.roots = g->root_count;
    g->info.weak_references = g->weak_count;
    return true;
}

// ---- loading ---------------------------------------------------------------------------------------------------------

static const struct {
    const char *begins;
    bool (*load)(HeapLoad *load);
} formats[] = {
    {LENS_HEAP_MAGIC, heap_load_walk},
    {HPROF_MAGIC, heap_load_hprof},
};

static bool begins_with(HeapReader *r, const void *bytes, size_t len)
{
    return heap_reader_need(r, len) >= len && memcmp(r->buffer + r->pos, bytes, len) == 0;
}

static bool load_known(HeapLoad *load)
{
    HeapGraph *g = load->g;
    if (!heap_reader_init(&g->near, g->fd, QUERY_BUFFER)
        || !heap_reader_init(&g->far, g->fd, QUERY_BUFFER))
        return heap_fail_memory(load->error);
    while (heap_file_size(g->fd) < strlen(LENS_HEAP_MAGIC) && load->options->more != NULL
           && load->options->more(load->options->context))
        usleep(1000); // the writer has not begun yet
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (begins_with(&g->near, formats[i].begins, strlen(formats[i].begins)))
            return formats[i].load(load) && heap_find_dominators(load);
    }
    return heap_fail(load->error, "This is neither a heap walk of Lens nor an HPROF file.");
}

static bool unpack_gzip(HeapLoad *load)
{
    HeapReader r;
    if (!heap_reader_init(&r, load->g->fd, 16))
        return heap_fail_memory(load->error);
    bool is_gzip = begins_with(&r, "\x1f\x8b", 2);
    heap_reader_free(&r);
    if (!is_gzip)
        return true;
    int fd = heap_unpack(load->g->fd, load);
    if (fd < 0)
        return false;
    close(load->g->fd);
    load->g->fd = fd;
    return true;
}

HeapGraph *heap_load(int fd, const HeapOptions *options, HeapError *error)
{
    assert(fd >= 0);
    static const HeapOptions defaults;
    uint64_t begin = heap_now();
    HeapGraph *g = calloc(1, sizeof(*g));
    *error = (HeapError){0};
    if (g == NULL) {
        close(fd);
        heap_fail_memory(error);
        return NULL;
    }
    g->options = options != NULL ? *options : defaults;
    g->fd = fd;
    g->info = (HeapInfo){.whole = true, .lost = "", .how = "", .from = ""};
    HeapLoad load = {.g = g, .options = &g->options, .error = error};
    if (!unpack_gzip(&load) || !load_known(&load)) {
        heap_free(g);
        return NULL;
    }
    g->info.analysed_ns = heap_now() - begin;
    return g;
}

void heap_free(HeapGraph *g)
{
    if (g == NULL)
        return;
    if (g->source != NULL)
        g->source->free(g);
    void *arrays[] = {g->classes,  g->fields,   g->class_objects, g->class_of, g->units,
                      g->out_at,   g->at,       g->edges,         g->lengths,  g->weak,
                      g->late,     g->roots,    g->in_at,         g->in,       g->dominator,
                      g->child_at, g->children, g->retained};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        free(arrays[i]);
    heap_map_free(&g->class_ids);
    heap_reader_free(&g->near);
    heap_reader_free(&g->far);
    heap_arena_free(&g->names);
    if (g->fd >= 0)
        close(g->fd);
    free(g);
}

const HeapInfo *heap_info(const HeapGraph *graph)
{
    return &graph->info;
}
