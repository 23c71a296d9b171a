// SPDX-License-Identifier: Apache-2.0
// C memory of the VM. Where there is none, one line says so and the process ends with exit code 1 (vm_exhausted);
// results are never NULL for size > 0.
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include "base/common.h"

void *vm_malloc(size_t size);               // uninitialised
void *vm_calloc(size_t count, size_t size); // zeroed
void *vm_realloc(void *p, size_t size);     // p may be NULL; what is added is uninitialised
char *vm_strdup(const char *s);
char *vm_strndup(const char *s, size_t len); // always NUL-terminated
void vm_free(void *p);                       // NULL is fine
// Like printf, into a string that is the caller's to vm_free.
char *vm_asprintf(const char *fmt, ...) PRINTF(1, 2);

// The calling thread is about to allocate some `size` bytes in small blocks: the system is asked for them now, in large
// pieces, without touching them.
void vm_expect_blocks(size_t size);

// Bump allocation that is freed all at once. Not thread-safe. Zeroed, 8-byte aligned.
typedef struct Arena {
    struct ArenaBlock *blocks;
    char *top, *end;
    size_t total; // bytes handed out
    size_t block; // bytes of a block; 0: 16 KB
} Arena;
void *arena_alloc(Arena *a, size_t size);
void arena_free(Arena *a);

#endif
