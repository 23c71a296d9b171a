// SPDX-License-Identifier: Apache-2.0
// The heap of a program as a graph: read from a walk of the Lens agent or from an HPROF file, and asked for who holds what.
//
// Objects are numbered from 1; 0 is none, and in the dominator tree the root above all. Sizes are bytes. A graph does not change
// after it was loaded, but its queries share caches: one thread at a time uses it, any thread may. Contents (fields, texts, elements)
// are read from the input when they are asked for, so the graph keeps the descriptor.
//
// Weak and phantom references (java.lang.ref, field referent) are no edges of the graph: what only they hold, and garbage that an
// HPROF file lists, is counted in the histogram, but is not in the dominator tree (retained 0). Soft and final references are edges.
//
// Results and all texts in them lie in the HeapArena that the caller gives, until heap_arena_free. All texts are UTF-8.
// A query answers false when memory ran out or `error` says what else; its result is then not to be used.
#ifndef LENS_HEAP_GRAPH_H
#define LENS_HEAP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t HeapObject;
typedef struct HeapGraph HeapGraph;

typedef struct HeapError {
    char text[256]; // a sentence for the user; "" where nothing failed
    bool cancelled; // progress() said so
} HeapError;

// What the results of queries lie in. {0} to begin with.
typedef struct HeapArena {
    struct HeapChunk *chunks;
} HeapArena;
void heap_arena_free(HeapArena *arena); // all that was got in it; it can be used again

// ---- loading --------------------------------------------------------------------------------------------------------

typedef struct HeapProgress {
    const char *phase; // "unpacking", "reading", "ordering", "dominators", "retained sizes"
    uint64_t objects, references; // read so far
    uint32_t permille;            // of the whole work, estimated; never falls
} HeapProgress;

typedef struct HeapOptions { // {0}: all defaults
    // Called some ten times a second while a graph is loaded or written, in the calling thread. False: cancel.
    bool (*progress)(void *context, const HeapProgress *progress);
    // A walk that is still being written: asked at the end of the input before the END record was there, after a short sleep.
    // True: more may come. NULL or false: what is there is all.
    bool (*more)(void *context);
    // Names for the `thread` and `method` of a walk's roots (ids of the agent's definitions). A text that lives until the next call,
    // or NULL. Used by queries, too: context must live as long as the graph.
    const char *(*thread_name)(void *context, uint64_t thread);
    const char *(*method_name)(void *context, uint64_t method);
    void *context;
    const char *temp_folder; // where a gzip file is unpacked; NULL: $TMPDIR or /tmp
    uint64_t max_objects;    // 0: 4,294,967,294, which is also the most that can be asked for
    uint64_t max_references; // likewise
    uint64_t max_unpacked;   // bytes of an unpacked file; 0: 64 GB
} HeapOptions;

// Reads a walk (LENS_HEAP_MAGIC), HPROF 1.0.1 or 1.0.2, or one of these as gzip, and finds dominators and retained sizes. The file is
// known by its first bytes. `fd` is a file that can be read at any place (not a pipe or socket); it belongs to the graph from
// now on, and is closed even when loading fails. NULL: see error. A file that ends too early or is partly damaged is loaded as far as
// it goes: see HeapInfo.
HeapGraph *heap_load(int fd, const HeapOptions *options, HeapError *error);
void heap_free(HeapGraph *graph); // NULL: nothing

typedef struct HeapInfo {
    const char *from; // "walk", "hprof"
    uint64_t objects, references, classes, roots, weak_references;
    uint64_t bytes; // shallow sizes of all objects
    uint64_t unreachable_objects,
        unreachable_bytes; // held weakly only, or garbage of an HPROF file
    uint64_t stop_ns;      // how long the program stood (walk; else 0)
    uint64_t analysed_ns;  // what loading took
    int64_t time_ms;       // when it was taken, since 1970 (HPROF; else 0)
    uint32_t id_size;      // bytes of an id in the file (walk: 0)
    bool whole;            // nothing is known to be missing
    const char *lost;      // sentences: what is missing or was wrong in the file; "" if nothing
    const char *how;       // a sentence: how retained sizes were got
} HeapInfo;
const HeapInfo *heap_info(const HeapGraph *graph); // lives as long as the graph

// ---- by class -------------------------------------------------------------------------------------------------------

typedef struct HeapClassRow {
    uint32_t class_index;    // for heap_instances; of the graph (UINT32_MAX: in the base alone)
    const char *name;        // java.lang.String, int[]
    const char *loader;      // "boot", or the loader's class and name
    HeapObject class_object; // 0: not in the file
    uint64_t count, bytes;   // shallow
    uint64_t
        retained; // by all instances together: what only ways through one of them reach is at least this
    int64_t more_count, more_bytes; // less those of the base (without base: 0)
} HeapClassRow;

// All classes with instances, by bytes, largest first. base: another snapshot to compare with, by class name and loader; or NULL.
bool heap_histogram(HeapGraph *graph, HeapGraph *base, HeapArena *arena, HeapClassRow **rows,
                    size_t *count, HeapError *error);

// The first class of that name that has instances (else any of that name); UINT32_MAX: none. class_index of HeapClassRow.
uint32_t heap_find_class(const HeapGraph *graph, const char *name);

// ---- objects --------------------------------------------------------------------------------------------------------

typedef struct HeapRow {
    HeapObject object;
    const char *class_name;
    const char *
        label; // a string's text, a box's value, int[12], a thread's, class's or enum's name, entries of a collection; or ""
    uint64_t bytes, retained;
    uint64_t children; // that it dominates directly
} HeapRow;

// What `object` dominates directly (0: the root), largest retained size first. *of: how many there are in all.
bool heap_dominated(HeapGraph *graph, HeapObject object, uint64_t offset, uint64_t limit,
                    HeapArena *arena, HeapRow **rows, size_t *count, uint64_t *of,
                    HeapError *error);

// Instances of a class (without those of its subclasses), largest retained size first. class_index UINT32_MAX: none.
bool heap_instances(HeapGraph *graph, uint32_t class_index, uint64_t offset, uint64_t limit,
                    HeapArena *arena, HeapRow **rows, size_t *count, uint64_t *of,
                    HeapError *error);

typedef struct HeapField {
    const char
        *name; // of a field; [12] of an array; <class loader> and the like of what is no field
    const char *class_name; // of the object, or the primitive's type (int); "" where null
    const char *
        value; // the primitive's value, the object's label, "null"; "?" where the input does not say it
    HeapObject object; // 0: primitive or null
    bool is_static;
} HeapField;

typedef struct HeapDetails {
    HeapRow row;
    const char *loader;   // of its class
    const char *root;     // why it is a root: "" if it is none
    HeapObject dominator; // 0: the root
    bool reachable;       // false: held weakly only, or garbage
    HeapField
        *fields; // fields of its class first, then those of its super classes; or elements
    size_t field_count;
    uint64_t of; // fields or elements that there are
} HeapDetails;
// False with error "There is no object N." where there is none.
bool heap_object(HeapGraph *graph, HeapObject object, uint64_t offset, uint64_t limit,
                 HeapArena *arena, HeapDetails *details, HeapError *error);

typedef struct HeapLink { // a reference, seen from where it leads to
    HeapObject object;    // who refers
    const char *class_name, *label;
    const char *via; // name, [12], static name, <class loader>; "referent (weak)"
    bool weak;
} HeapLink;
// Who refers to `object` (each once), the largest retained size first; weak references last.
bool heap_referrers(HeapGraph *graph, HeapObject object, uint64_t offset, uint64_t limit,
                    HeapArena *arena, HeapLink **links, size_t *count, uint64_t *of,
                    HeapError *error);

typedef struct HeapRoot {
    const char *
        kind; // "thread", "stack local", "JNI global", "JNI local", "system class", "monitor", "other"
    const char *thread; // its name, or ""
    const char *method; // "" where it has none
} HeapRoot;
typedef struct HeapPath {
    HeapLink *
        steps; // steps[0]: the object itself with via ""; steps[i].via: the place in steps[i] that refers to steps[i - 1]
    size_t count;
    HeapRoot root; // why the last step lives
} HeapPath;
// Up to `limit` (at most 100) shortest ways from `object` to roots, no two ending in the same object. Weak references are passed only
// where nothing else holds it. None where it is garbage.
bool heap_paths(HeapGraph *graph, HeapObject object, size_t limit, HeapArena *arena,
                HeapPath **paths, size_t *count, HeapError *error);

// ---- what is wasted, what leaks ---------------------------------------------------------------------------------------

typedef struct HeapStringRow {
    const char *text; // the first 200 characters
    uint64_t length;  // in characters
    uint64_t count;
    uint64_t bytes;  // of all copies with their arrays
    uint64_t wasted; // without one copy
    HeapObject example;
} HeapStringRow;
// Equal strings, most wasted bytes first, at most `limit`. *wasted: of all. Texts longer than a walk keeps (1,000 characters) count
// as equal when their beginnings and lengths are.
bool heap_duplicate_strings(HeapGraph *graph, size_t limit, HeapArena *arena,
                            HeapStringRow **rows, size_t *count, uint64_t *wasted,
                            HeapError *error);

typedef struct HeapCollectionRow {
    const char *class_name; // as found: java.util.HashMap, com.acme.MyList
    uint64_t count, empty;
    uint64_t capacity, used; // places and used ones of all
    uint64_t wasted;         // bytes of the places that are not used
    HeapObject worst;        // the one that wastes most
} HeapCollectionRow;
// How full the known collections (and what extends them) are, by class, most wasted bytes first.
bool heap_collections(HeapGraph *graph, HeapArena *arena, HeapCollectionRow **rows,
                      size_t *count, HeapError *error);

typedef struct HeapSuspect {
    HeapObject object; // 0: many instances of one class
    uint32_t class_index;
    const char *class_name, *label;
    uint64_t instances; // 1 for one object
    uint64_t retained;
    double share; // of all reachable bytes
    HeapObject
        gathers; // where the memory gathers below it: the last on the way down that keeps most of it (object, if none)
    const char *gathers_class, *gathers_label;
    const char *text; // a sentence that says it
} HeapSuspect;
// Objects, and classes of many objects, that retain at least a tenth of the heap each; the largest first, at most 10.
bool heap_suspects(HeapGraph *graph, HeapArena *arena, HeapSuspect **suspects, size_t *count,
                   HeapError *error);

// ---- out ------------------------------------------------------------------------------------------------------------

// Writes the graph as HPROF 1.0.2 with ids of 8 bytes. What a walk does not keep (contents, the end of long arrays) is zero there.
// fd stays open. progress and cancel as in loading (options may be NULL).
bool heap_write_hprof(HeapGraph *graph, int fd, const HeapOptions *options, HeapError *error);

#endif
