// SPDX-License-Identifier: Apache-2.0
// Two maps: strings to numbers for one thread at a time (open addressing), and pointers to
// pointers shared by all threads without a lock (chains; an entry, once linked, never changes).
#include "agentlib.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct AgentStringEntry {
    char *key; // NULL: free
    uint64_t hash;
    uint32_t value;
};

struct AgentSharedEntry {
    const void *key;
    void *value;
    struct AgentSharedEntry *next;
};

static uint64_t hash_string(const char *s)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (; *s != '\0'; s++) {
        h = (h ^ (unsigned char)*s) * 0x100000001B3u;
    }
    return agent_mix(h);
}

static struct AgentStringEntry *find_slot(const AgentStringMap *map, const char *key,
                                          uint64_t hash)
{
    assert(map->len < map->cap && (map->cap & (map->cap - 1)) == 0);
    for (size_t i = hash & (map->cap - 1);; i = (i + 1) & (map->cap - 1)) {
        struct AgentStringEntry *e = &map->entries[i];
        if (e->key == NULL || (e->hash == hash && key != NULL && strcmp(e->key, key) == 0)) {
            return e;
        }
    }
}

static bool grow(AgentStringMap *map)
{
    AgentStringMap bigger = {.len = map->len, .cap = map->cap == 0 ? 1024 : map->cap * 2};
    bigger.entries = agent_alloc(bigger.cap * sizeof *bigger.entries);
    if (bigger.entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->cap; i++) {
        if (map->entries[i].key != NULL) {
            *find_slot(&bigger, NULL, map->entries[i].hash) = map->entries[i];
        }
    }
    free(map->entries);
    *map = bigger;
    return true;
}

uint32_t agent_stringmap_add(AgentStringMap *map, const char *key, uint32_t value,
                             const char **key_copy)
{
    assert(value != UINT32_MAX); // says that memory ended
    if (map->len * 2 >= map->cap && !grow(map)) {
        return UINT32_MAX;
    }
    uint64_t hash = hash_string(key);
    struct AgentStringEntry *e = find_slot(map, key, hash);
    if (e->key == NULL) {
        char *copy = strdup(key);
        if (copy == NULL) {
            return UINT32_MAX;
        }
        *e = (struct AgentStringEntry){.key = copy, .hash = hash, .value = value};
        map->len++;
    }
    if (key_copy != NULL) {
        *key_copy = e->key;
    }
    return e->value;
}

void agent_stringmap_free(AgentStringMap *map)
{
    for (size_t i = 0; i < map->cap; i++) {
        free(map->entries[i].key);
    }
    free(map->entries);
    *map = (AgentStringMap){0};
}

bool agent_sharedmap_init(AgentSharedMap *map, unsigned bits)
{
    assert(bits > 0 && bits < 32);
    map->bits = bits;
    map->buckets = agent_alloc(sizeof *map->buckets << bits);
    return map->buckets != NULL;
}

static struct AgentSharedEntry *_Atomic *bucket_of(const AgentSharedMap *map, const void *key)
{
    assert(map->buckets != NULL);
    return &map->buckets[agent_mix((uintptr_t)key) >> (64 - map->bits)];
}

static void *find_in_chain(const struct AgentSharedEntry *e, const void *key)
{
    for (; e != NULL; e = e->next) {
        if (e->key == key) {
            return e->value;
        }
    }
    return NULL;
}

void *agent_sharedmap_get(const AgentSharedMap *map, const void *key)
{
    return find_in_chain(atomic_load_explicit(bucket_of(map, key), memory_order_acquire), key);
}

void *agent_sharedmap_put(AgentSharedMap *map, const void *key, void *value)
{
    assert(key != NULL && value != NULL);
    struct AgentSharedEntry *fresh = agent_alloc(sizeof *fresh);
    if (fresh == NULL) {
        return NULL;
    }
    fresh->key = key;
    fresh->value = value;
    struct AgentSharedEntry *_Atomic *bucket = bucket_of(map, key);
    struct AgentSharedEntry *head = atomic_load_explicit(bucket, memory_order_acquire);
    do {
        void *there = find_in_chain(head, key);
        if (there != NULL) {
            free(fresh);
            return there;
        }
        fresh->next = head;
    } while (!atomic_compare_exchange_weak_explicit(bucket, &head, fresh, memory_order_acq_rel,
                                                    memory_order_acquire));
    return value;
}

void agent_sharedmap_free(AgentSharedMap *map)
{
    for (size_t i = 0; map->buckets != NULL && i < (size_t)1 << map->bits; i++) {
        for (struct AgentSharedEntry *e = map->buckets[i], *next; e != NULL; e = next) {
            next = e->next;
            free(e);
        }
    }
    free(map->buckets);
    map->buckets = NULL;
}
