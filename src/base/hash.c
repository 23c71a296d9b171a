// SPDX-License-Identifier: Apache-2.0
// Open-addressing maps with linear probing. Capacities are powers of two, filled to 3/4 at
// most; removal closes the gap by moving later entries back, so that there are no tombstones.
#include "base/hash.h"

#include "base/alloc.h"

typedef struct PtrMapEntry {
    uintptr_t key; // 0: free
    void *value;
} PtrMapEntry;

typedef struct StrMapEntry {
    char *key; // NULL: free
    void *value;
    size_t len;
    uint32_t hash;
} StrMapEntry;

uint32_t hash_bytes(const void *bytes, size_t len)
{
    const uint8_t *p = bytes;
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 16777619u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 13;
}

// ---- words ----

static size_t ptr_hash(uintptr_t key)
{
    return (size_t)(((uint64_t)key * 0x9e3779b97f4a7c15ull) >> 29);
}

static PtrMapEntry *ptrmap_slot(const PtrMap *m, uintptr_t key)
{
    size_t i = ptr_hash(key) & (m->cap - 1);
    while (m->entries[i].key != 0 && m->entries[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->entries[i];
}

void *ptrmap_get(const PtrMap *m, uintptr_t key)
{
    return m->cap == 0 || key == 0 ? NULL : ptrmap_slot(m, key)->value;
}

static void ptrmap_grow(PtrMap *m)
{
    PtrMap old = *m;
    m->cap = old.cap == 0 ? 16 : old.cap * 2;
    m->entries = vm_calloc(m->cap, sizeof(PtrMapEntry));
    for (size_t i = 0; i < old.cap; i++) {
        if (old.entries[i].key != 0)
            *ptrmap_slot(m, old.entries[i].key) = old.entries[i];
    }
    vm_free(old.entries);
}

void ptrmap_put(PtrMap *m, uintptr_t key, void *value)
{
    VM_CHECK(key != 0);
    if ((m->len + 1) * 4 > m->cap * 3)
        ptrmap_grow(m);
    PtrMapEntry *e = ptrmap_slot(m, key);
    if (e->key == 0)
        m->len++;
    e->key = key;
    e->value = value;
}

void *ptrmap_remove(PtrMap *m, uintptr_t key)
{
    if (m->cap == 0 || key == 0)
        return NULL;
    PtrMapEntry *e = ptrmap_slot(m, key);
    if (e->key == 0)
        return NULL;
    void *value = e->value;
    size_t mask = m->cap - 1, hole = (size_t)(e - m->entries);
    for (size_t i = (hole + 1) & mask; m->entries[i].key != 0; i = (i + 1) & mask) {
        size_t home = ptr_hash(m->entries[i].key) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->entries[hole] = m->entries[i];
            hole = i;
        }
    }
    m->entries[hole] = (PtrMapEntry){0};
    m->len--;
    return value;
}

void ptrmap_free(PtrMap *m)
{
    vm_free(m->entries);
    *m = (PtrMap){0};
}

bool ptrmap_next(const PtrMap *m, size_t *i, uintptr_t *key, void **value)
{
    while (*i < m->cap) {
        const PtrMapEntry *e = &m->entries[(*i)++];
        if (e->key != 0) {
            *key = e->key;
            *value = e->value;
            return true;
        }
    }
    return false;
}

// ---- strings ----

static StrMapEntry *strmap_slot(const StrMap *m, const char *key, size_t len, uint32_t hash)
{
    size_t i = hash & (m->cap - 1);
    for (;; i = (i + 1) & (m->cap - 1)) {
        StrMapEntry *e = &m->entries[i];
        if (e->key == NULL)
            return e;
        if (e->hash == hash && e->len == len && memcmp(e->key, key, len) == 0)
            return e;
    }
}

void *strmap_get_n(const StrMap *m, const char *key, size_t len)
{
    return m->cap == 0 ? NULL : strmap_slot(m, key, len, hash_bytes(key, len))->value;
}

void *strmap_get(const StrMap *m, const char *key)
{
    return strmap_get_n(m, key, strlen(key));
}

static void strmap_grow(StrMap *m)
{
    StrMap old = *m;
    m->cap = old.cap == 0 ? 16 : old.cap * 2;
    m->entries = vm_calloc(m->cap, sizeof(StrMapEntry));
    for (size_t i = 0; i < old.cap; i++) {
        const StrMapEntry *e = &old.entries[i];
        if (e->key != NULL)
            *strmap_slot(m, e->key, e->len, e->hash) = *e;
    }
    vm_free(old.entries);
}

void strmap_put_n(StrMap *m, const char *key, size_t len, void *value)
{
    if ((m->len + 1) * 4 > m->cap * 3)
        strmap_grow(m);
    uint32_t hash = hash_bytes(key, len);
    StrMapEntry *e = strmap_slot(m, key, len, hash);
    if (e->key == NULL) {
        *e = (StrMapEntry){.key = vm_strndup(key, len), .len = len, .hash = hash};
        m->len++;
    }
    e->value = value;
}

void strmap_put(StrMap *m, const char *key, void *value)
{
    strmap_put_n(m, key, strlen(key), value);
}

void *strmap_remove(StrMap *m, const char *key)
{
    size_t len = strlen(key);
    if (m->cap == 0)
        return NULL;
    StrMapEntry *e = strmap_slot(m, key, len, hash_bytes(key, len));
    if (e->key == NULL)
        return NULL;
    void *value = e->value;
    vm_free(e->key);
    size_t mask = m->cap - 1, hole = (size_t)(e - m->entries);
    for (size_t i = (hole + 1) & mask; m->entries[i].key != NULL; i = (i + 1) & mask) {
        size_t home = m->entries[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->entries[hole] = m->entries[i];
            hole = i;
        }
    }
    m->entries[hole] = (StrMapEntry){0};
    m->len--;
    return value;
}

void strmap_free(StrMap *m)
{
    for (size_t i = 0; i < m->cap; i++)
        vm_free(m->entries[i].key);
    vm_free(m->entries);
    *m = (StrMap){0};
}

bool strmap_next(const StrMap *m, size_t *i, const char **key, void **value)
{
    while (*i < m->cap) {
        const StrMapEntry *e = &m->entries[(*i)++];
        if (e->key != NULL) {
            *key = e->key;
            *value = e->value;
            return true;
        }
    }
    return false;
}
