// SPDX-License-Identifier: Apache-2.0
// For the fuzz targets of lens/heap: loads bytes as a file, as they are and behind a file's beginning, and asks for everything.
#ifndef LENS_HEAP_ASK_H
#define LENS_HEAP_ASK_H

#define _GNU_SOURCE
#include "heap/heap_graph.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FUZZ_OBJECTS = 12, // that are asked for
    FUZZ_ROWS = 20
};

// All texts of a row must be there: reading them is what a sanitizer looks at.
static size_t fuzz_read(const char *text)
{
    return strlen(text);
}

static size_t fuzz_object(HeapGraph *g, HeapObject o, HeapArena *arena)
{
    HeapDetails d;
    HeapLink *links;
    HeapPath *paths;
    HeapRow *rows;
    HeapError error;
    size_t count, read = 0;
    uint64_t of;
    if (heap_object(g, o, 0, FUZZ_ROWS, arena, &d, &error)) {
        read += fuzz_read(d.row.label) + fuzz_read(d.loader) + fuzz_read(d.root);
        for (size_t i = 0; i < d.field_count; i++)
            read += fuzz_read(d.fields[i].name) + fuzz_read(d.fields[i].value)
                    + fuzz_read(d.fields[i].class_name);
    }
    if (heap_object(g, o, 3, 2, arena, &d, &error))
        read += d.field_count;
    if (heap_referrers(g, o, 0, FUZZ_ROWS, arena, &links, &count, &of, &error)) {
        for (size_t i = 0; i < count; i++)
            read += fuzz_read(links[i].via) + fuzz_read(links[i].label);
    }
    if (heap_paths(g, o, 3, arena, &paths, &count, &error)) {
        for (size_t i = 0; i < count; i++)
            read += fuzz_read(paths[i].root.thread) + fuzz_read(paths[i].root.method)
                    + fuzz_read(paths[i].root.kind);
    }
    if (heap_dominated(g, o, 1, FUZZ_ROWS, arena, &rows, &count, &of, &error)) {
        for (size_t i = 0; i < count; i++)
            read += fuzz_read(rows[i].label);
    }
    return read;
}

static size_t fuzz_classes(HeapGraph *g, HeapArena *arena)
{
    HeapClassRow *classes;
    HeapRow *rows;
    HeapError error;
    size_t count, some, read = 0;
    uint64_t of;
    if (!heap_histogram(g, g, arena, &classes, &count, &error))
        return 0;
    for (size_t i = 0; i < count; i++) {
        read += fuzz_read(classes[i].name) + fuzz_read(classes[i].loader);
        if (classes[i].more_bytes != 0)
            abort(); // a graph is no different from itself
        if (i < FUZZ_ROWS
            && heap_instances(g, classes[i].class_index, 0, 3, arena, &rows, &some, &of,
                              &error))
            read += some;
    }
    return read;
}

static size_t fuzz_waste(HeapGraph *g, HeapArena *arena)
{
    HeapStringRow *strings;
    HeapCollectionRow *rows;
    HeapSuspect *suspects;
    HeapError error;
    size_t count, read = 0;
    uint64_t wasted;
    if (heap_duplicate_strings(g, FUZZ_ROWS, arena, &strings, &count, &wasted, &error)) {
        for (size_t i = 0; i < count; i++)
            read += fuzz_read(strings[i].text);
    }
    if (heap_collections(g, arena, &rows, &count, &error)) {
        for (size_t i = 0; i < count; i++)
            read += fuzz_read(rows[i].class_name);
    }
    if (heap_suspects(g, arena, &suspects, &count, &error)) {
        for (size_t i = 0; i < count; i++)
            read += fuzz_read(suspects[i].text) + fuzz_read(suspects[i].gathers_label);
    }
    return read;
}

static HeapGraph *fuzz_load(const void *head, size_t head_size, const void *data, size_t size)
{
    HeapOptions options = {.max_unpacked = 1 << 22};
    HeapError error;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, head, head_size) != (ssize_t)head_size
        || write(fd, data, size) != (ssize_t)size)
        abort();
    HeapGraph *g = heap_load(fd, &options, &error);
    if ((g == NULL) != (error.text[0] != 0))
        abort(); // either a graph or a sentence
    return g;
}

static bool fuzz_enough(void *context, const HeapProgress *progress)
{
    (void)progress;
    return ++*(int *)context < 3; // an array may claim gigabytes
}

// What is written can be read to its end; unless an array claims more than there is time for.
static void fuzz_write(HeapGraph *g)
{
    HeapError error;
    int fd = memfd_create("fuzz", MFD_CLOEXEC), calls = 0;
    HeapOptions options = {.progress = fuzz_enough, .context = &calls};
    HeapGraph *again = NULL;
    if (heap_write_hprof(g, fd, &options, &error)) {
        again = heap_load(fd, NULL, &error);
        if (again == NULL || strstr(heap_info(again)->lost, "at byte") != NULL)
            abort();
        heap_free(again);
    } else {
        close(fd);
    }
}

static void fuzz_ask(HeapGraph *g)
{
    HeapArena arena = {0};
    volatile size_t read = fuzz_classes(g, &arena) + fuzz_waste(g, &arena);
    for (HeapObject o = 0; o <= FUZZ_OBJECTS; o++)
        read += fuzz_object(g, o, &arena);
    heap_arena_free(&arena);
    if (heap_info(g)->bytes < 1 << 20)
        fuzz_write(g);
}

static void heap_fuzz(const char *head, size_t head_size, const uint8_t *data, size_t size)
{
    for (int with_head = 0; with_head < 2; with_head++) {
        HeapGraph *g = fuzz_load(head, with_head ? head_size : 0, data, size);
        if (g != NULL)
            fuzz_ask(g);
        heap_free(g);
    }
}

#endif
