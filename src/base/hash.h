// SPDX-License-Identifier: Apache-2.0
// Open-addressing hash maps. Not thread-safe: the owner's lock guards them.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/common.h"

// Maps a non-zero word (a pointer or an id) to a pointer.
typedef struct PtrMap {
    struct PtrMapEntry *entries;
    size_t len, cap;
} PtrMap;
void *ptrmap_get(const PtrMap *m, uintptr_t key);       // NULL when absent
void ptrmap_put(PtrMap *m, uintptr_t key, void *value); // replaces
void *ptrmap_remove(PtrMap *m, uintptr_t key);          // the old value or NULL
void ptrmap_free(PtrMap *m);
// Iteration: `for (size_t i = 0; ptrmap_next(m, &i, &key, &value);)`. No change while iterating.
bool ptrmap_next(const PtrMap *m, size_t *i, uintptr_t *key, void **value);

// Maps a C string (copied) to a pointer.
typedef struct StrMap {
    struct StrMapEntry *entries;
    size_t len, cap;
} StrMap;
void *strmap_get(const StrMap *m, const char *key);
void *strmap_get_n(const StrMap *m, const char *key, size_t len);
void strmap_put(StrMap *m, const char *key, void *value);
void strmap_put_n(StrMap *m, const char *key, size_t len, void *value);
void *strmap_remove(StrMap *m, const char *key);
void strmap_free(StrMap *m);
bool strmap_next(const StrMap *m, size_t *i, const char **key, void **value);

uint32_t hash_bytes(const void *bytes, size_t len);

#endif
