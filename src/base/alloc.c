// SPDX-License-Identifier: Apache-2.0
// C memory of the VM and the bump arena. Running out of memory here ends the process in order: no caller has to
// think about it. Who has an error to give for it, and asks for what a program may make large, calls malloc.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

enum { ARENA_BLOCK = 16 * 1024 };
enum { PIECE = 96 * 1024 }; // smaller than what malloc maps by itself

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    uint64_t data[];
} ArenaBlock;

static void *check_allocated(void *p, size_t size)
{
    if (UNLIKELY(p == NULL && size > 0))
        vm_exhausted("out of native memory (%zu bytes)", size);
    return p;
}

void *vm_malloc(size_t size)
{
    return check_allocated(malloc(size), size);
}

void *vm_calloc(size_t count, size_t size)
{
    return check_allocated(calloc(count, size), count && size ? MAX_OF(count, size) : 0);
}

void *vm_realloc(void *p, size_t size)
{
    if (size == 0) {
        free(p);
        return NULL;
    }
    return check_allocated(realloc(p, size), size);
}

// In the heap of a thread that is not the process's first, glibc makes each page accessible when its first block needs it: a
// system call for most pages. Pages that had blocks before are accessible.
void vm_expect_blocks(size_t size)
{
    typedef struct Piece {
        struct Piece *next;
    } Piece;
    Piece *first = NULL, **end = &first;
    for (size_t left = size; left >= PIECE; left -= PIECE) {
        Piece *p = malloc(PIECE);
        if (!p)
            break; // whoever needs the memory finds out
        *end = p;
        end = &p->next;
    }
    *end = NULL;
    while (first) { // the last one last: only then the heap shrinks
        Piece *p = first;
        first = p->next;
        free(p);
    }
}

char *vm_strdup(const char *s)
{
    return vm_strndup(s, strlen(s));
}

char *vm_strndup(const char *s, size_t len)
{
    char *copy = vm_malloc(len + 1);
    if (len > 0)
        memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

void vm_free(void *p)
{
    free(p);
}

char *vm_asprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s;
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    if (n < 0)
        vm_exhausted("out of native memory (formatting)");
    return s;
}

static void arena_add_block(Arena *a, size_t size)
{
    size_t usual = a->block ? a->block : ARENA_BLOCK, bytes = MAX_OF(size, usual);
    if (bytes > SIZE_MAX - sizeof(ArenaBlock))
        vm_exhausted("out of native memory (%zu bytes)", size);
    ArenaBlock *block = vm_calloc(1, sizeof(ArenaBlock) + bytes);
    if (a->blocks != NULL && size > usual / 2) {
        // a large request gets a block of its own behind the one in use
        block->next = a->blocks->next;
        a->blocks->next = block;
        return;
    }
    block->next = a->blocks;
    a->blocks = block;
    a->top = (char *)block->data;
    a->end = a->top + bytes;
}

void *arena_alloc(Arena *a, size_t size)
{
    if (UNLIKELY(size > SIZE_MAX - 8))
        vm_exhausted("out of native memory (%zu bytes)", size);
    size = ALIGN_UP(size, (size_t)8);
    a->total += size;
    if (a->blocks == NULL || size > (size_t)(a->end - a->top)) {
        ArenaBlock *in_use = a->blocks;
        arena_add_block(a, size);
        if (in_use != NULL && a->blocks == in_use)
            return in_use->next->data;
    }
    void *p = a->top;
    a->top += size;
    return p;
}

void arena_free(Arena *a)
{
    ArenaBlock *block = a->blocks;
    while (block != NULL) {
        ArenaBlock *next = block->next;
        free(block);
        block = next;
    }
    *a = (Arena){0};
}
