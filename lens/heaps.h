// SPDX-License-Identifier: Apache-2.0
// The heap snapshots of a session: walks of the agent and imported files. Each is loaded in a thread of its own; questions are
// answered by one worker, in order (heap_graph.h wants one thread at a time for a graph). All functions here are of the loop's thread.
#ifndef LENS_HEAPS_H
#define LENS_HEAPS_H

#include "heap/heap_graph.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Heaps Heaps;
struct Session;
struct Order;
struct Query;

Heaps *heaps_new(struct Session *session);
// Cancels what is being loaded, waits for it, answers what waits with an error, and forgets all.
void heaps_clear(Heaps *heaps);
void heaps_free(Heaps *heaps);

// Begins a walk. NULL: no program is connected, or errno says why there is no file for it.
struct Order *heaps_walk(Heaps *heaps);
// Begins to load a file. NULL: errno says why.
struct Order *heaps_import(Heaps *heaps, const char *path);

typedef struct HeapSnapshot {
    uint64_t id;
    uint32_t time; // tick
    HeapGraph *graph;
} HeapSnapshot;
// NULL: there is none of that id.
const HeapSnapshot *heaps_find(const Heaps *heaps, uint64_t id);
const HeapSnapshot *heaps_at(const Heaps *heaps, uint32_t index); // NULL after the last

// A question: what it asks for is copied here, as the query may lose its connection meanwhile.
typedef struct HeapJob HeapJob;
struct HeapJob {
    HeapJob *next;
    struct Query *query;
    HeapGraph *graph, *base; // base: NULL where none
    HeapObject object;
    uint64_t offset, limit;
    char *class_name;
    // Runs in the worker and writes the query's answer. False: `error` says why.
    bool (*work)(HeapJob *job, HeapArena *arena, HeapError *error);
};
// Takes the job (by mem_new) and makes its query wait.
void heaps_ask(Heaps *heaps, HeapJob *job);

#endif
