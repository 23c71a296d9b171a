// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing; 1 is the key of a removed entry.
#include <stdlib.h>
#include <string.h>

#include "hprof/hprof.h"

enum { REMOVED = 1, FIRST_SIZE = 8 };

void *must_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p) {
        fprintf(stderr, "HPROF ERROR: out of memory\n");
        hprof.vm->ProfilerExit(1);
    }
    return p;
}

char *must_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(must_alloc(size), text, size);
}

static size_t home(const Map *m, uintptr_t key)
{
    uint64_t x = (key >> 3) * 0x9E3779B97F4A7C15u;
    return (x ^ x >> 32) & (m->size - 1);
}

MapEntry *map_find(const Map *m, uintptr_t key)
{
    if (!m->size)
        return NULL;
    for (size_t i = home(m, key); m->entries[i].key; i = (i + 1) & (m->size - 1))
        if (m->entries[i].key == key)
            return &m->entries[i];
    return NULL;
}

void *map_get(const Map *m, uintptr_t key)
{
    const MapEntry *e = map_find(m, key);
    return e ? e->value : NULL;
}

static void insert(Map *m, uintptr_t key, void *value, uint64_t number)
{
    assert(key > REMOVED && m->used < m->size && (m->size & (m->size - 1)) == 0);
    size_t i = home(m, key);
    while (m->entries[i].key)
        i = (i + 1) & (m->size - 1);
    m->entries[i] = (MapEntry){key, value, number};
    m->used++;
    m->live++;
}

static void resize(Map *m)
{
    Map old = *m;
    m->size = FIRST_SIZE;
    while (m->size < old.live * 2 + 1)
        m->size *= 2;
    m->entries = must_alloc(m->size * sizeof *m->entries);
    m->used = m->live = 0;
    for (size_t i = 0; i < old.size; i++)
        if (old.entries[i].key > REMOVED)
            insert(m, old.entries[i].key, old.entries[i].value, old.entries[i].number);
    free(old.entries);
}

void map_put(Map *m, uintptr_t key, void *value, uint64_t number)
{
    MapEntry *e = map_find(m, key);
    if (e) {
        e->value = value;
        e->number = number;
        return;
    }
    if ((m->used + 1) * 4 > m->size * 3)
        resize(m);
    insert(m, key, value, number);
}

bool map_remove(Map *m, uintptr_t key)
{
    MapEntry *e = map_find(m, key);
    if (!e)
        return false;
    e->key = REMOVED;
    assert(m->live > 0);
    m->live--;
    return true;
}
