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

// ---- attempts: work that its thread can do without, and that has memory for nothing but its result ----
typedef enum AttemptEnd {
    ATTEMPT_DONE,
    ATTEMPT_NO_MEMORY,
    ATTEMPT_FAILED, // a VM_CHECK, in builds without PELLUCID_DEBUG; what failed is on stderr
} AttemptEnd;
// Calls work. Where there is no memory for it, or it fails a check, it is given up in the midst, and all that it has allocated is
// freed; it holds no lock but within attempt_pause. When it is done it has freed what it allocated. Does not nest.
NODISCARD AttemptEnd attempt(void (*work)(void *ctx), void *ctx);
// Zeroed memory that outlives the attempt under way when that is done, and is freed if it is given up. Outside of one: as vm_calloc.
void *attempt_result(size_t size);
// What is allocated until attempt_resume is not the work's: it stays, and where the system refuses memory it comes from the spare, 64 KB that
// attempt_is_possible has set aside; when that is used up the process ends. Nests. Outside of an attempt: for work that cannot be
// given up, but which the thread that asked can do without the next time.
void attempt_pause(void);
void attempt_resume(void);
// Whether the spare is whole; sets one aside if there is memory for it. Asked before each attempt. False: memory was refused, and still is.
NODISCARD bool attempt_is_possible(void);
// As vm_realloc, but NULL where there is no memory; p is as it was then.
void *vm_realloc_or_null(void *p, size_t size);

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
