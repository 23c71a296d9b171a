// SPDX-License-Identifier: Apache-2.0
// C memory of the VM and the bump arena. Running out of memory here ends the process in order: no caller has to
// think about it. Who has an error to give for it, and asks for what a program may make large, calls malloc.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "base/alloc.h"

#include "base/block_pool.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// ---- attempts ----

typedef struct Attempt {
    jmp_buf out;
    BlockPool pool; // of the work; what does not fit in there, or is its result, is noted:
    void **blocks;  // the newest last
    size_t len, cap;
    uint32_t pauses;
} Attempt;
static _Thread_local Attempt *under_way;
static _Thread_local uint32_t pauses; // of whatever attempt, or of none: the spare may be used

static Attempt *counting(void)
{
    return under_way && under_way->pauses == 0 ? under_way : NULL;
}

static size_t find_block(const Attempt *a, const void *p)
{
    size_t i = a->len;
    while (i > 0 && a->blocks[i - 1] != p)
        i--;
    return i - 1; // SIZE_MAX: none
}

static void forget_block(void *p)
{
    Attempt *a = under_way;
    size_t i = find_block(a, p);
    if (i != SIZE_MAX)
        a->blocks[i] = a->blocks[--a->len];
}

// False: there is no memory to note it.
static bool add_block(Attempt *a, void *p)
{
    if (a->len == a->cap) {
        size_t cap = MAX_OF(2 * a->cap, (size_t)64);
        void **grown = realloc((void *)a->blocks, cap * sizeof *grown);
        if (!grown)
            return false;
        a->blocks = grown;
        a->cap = cap;
    }
    a->blocks[a->len++] = p;
    return true;
}

static bool note_block(void *p)
{
    Attempt *a = counting();
    return !a || !p || add_block(a, p);
}

static void leave_attempt(AttemptEnd how)
{
    if (counting())
        longjmp(under_way->out, (int)how);
}

#ifndef PELLUCID_DEBUG
static void leave_failed(void)
{
    leave_attempt(ATTEMPT_FAILED);
}
#endif

AttemptEnd attempt(void (*work)(void *ctx), void *ctx)
{
    VM_ASSERT(!under_way);
    Attempt a = {.len = 0};
    under_way = &a;
#ifndef PELLUCID_DEBUG
    vm_fatal_way_out = leave_failed;
#endif
    AttemptEnd end = (AttemptEnd)setjmp(a.out);
    if (end == ATTEMPT_DONE)
        work(ctx);
    Attempt *ended = under_way; // not a's name: what longjmp leaves of that is not said
    under_way = NULL;
    for (size_t i = 0; end != ATTEMPT_DONE && i < ended->len; i++)
        free(ended->blocks[i]);
    free((void *)ended->blocks);
    bool is_over = end != ATTEMPT_DONE || block_pool_is_empty(&ended->pool);
    VM_ASSERT(is_over); // what stays is made by attempt_result, or in a pause
    if (is_over)
        block_pool_end(&ended->pool);
    return end;
}

void attempt_pause(void)
{
    pauses++;
    if (under_way)
        under_way->pauses++;
}

void attempt_resume(void)
{
    VM_ASSERT(pauses > 0 && (!under_way || under_way->pauses > 0));
    pauses--;
    if (under_way)
        under_way->pauses--;
}

// ---- the spare ----

// Set aside in pieces; of the newest one blocks are taken, and never given back. A block has its size before it.
enum { SPARE_BYTES = 64 * 1024, SPARES_MOST = 16, SPARE_HEAD = 16 };
typedef struct Spare {
    char *start;
    _Atomic size_t used; // may be more than there is
} Spare;
static Spare spares[SPARES_MOST];
static _Atomic size_t spare_count;
static atomic_flag setting_aside = ATOMIC_FLAG_INIT;

static bool is_spare(const void *p)
{
    size_t count = atomic_load_explicit(&spare_count, memory_order_acquire); // set_aside
    for (size_t i = 0; i < count; i++)
        if ((uintptr_t)p - (uintptr_t)spares[i].start < SPARE_BYTES)
            return true;
    return false;
}

static size_t spare_size(const void *p)
{
    size_t size;
    memcpy(&size, (const char *)p - SPARE_HEAD, sizeof size);
    return size;
}

// Zeroed. NULL: there is none, or the thread is not in a pause.
static void *spare_alloc(size_t size)
{
    size_t count = atomic_load_explicit(&spare_count, memory_order_acquire); // set_aside
    if (!pauses || counting() || !count || size > SPARE_BYTES)
        return NULL;
    Spare *s = &spares[count - 1];
    size_t bytes = SPARE_HEAD + ALIGN_UP(size, (size_t)SPARE_HEAD);
    size_t at = atomic_fetch_add(&s->used, bytes);
    if (at > SPARE_BYTES || bytes > SPARE_BYTES - at)
        return NULL;
    memcpy(s->start + at, &size, sizeof size);
    return s->start + at + SPARE_HEAD;
}

static bool set_aside(size_t count)
{
    char *start = count < SPARES_MOST ? calloc(1, SPARE_BYTES) : NULL;
    if (!start)
        return false;
    spares[count].start = start;
    atomic_store_explicit(&spare_count, count + 1, memory_order_release);
    return true;
}

bool attempt_is_possible(void)
{
    size_t count = atomic_load_explicit(&spare_count, memory_order_acquire); // set_aside
    if (count && atomic_load(&spares[count - 1].used) == 0)
        return true;
    if (atomic_flag_test_and_set(&setting_aside))
        return false; // another thread is about to find out
    bool ok = atomic_load(&spare_count) != count || set_aside(count);
    atomic_flag_clear(&setting_aside);
    return ok;
}

// ---- memory ----

enum { ARENA_BLOCK = 16 * 1024 };
enum { PIECE = 96 * 1024 }; // smaller than what malloc maps by itself

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    uint64_t data[];
} ArenaBlock;

static void *check_allocated(void *p, size_t size)
{
    if (LIKELY(p && !under_way))
        return p;
    bool noted = note_block(p);
    if (!noted)
        free(p);
    if (noted && (p || size == 0))
        return p;
    leave_attempt(ATTEMPT_NO_MEMORY);
    void *spare = spare_alloc(size);
    if (spare)
        return spare;
    vm_exhausted("out of native memory (%zu bytes)", size);
}

// Builds with failure injection ask malloc for each block, as if there were no pool.
static bool is_refused(void)
{
#ifdef PELLUCID_FAULTS
    void *asked = malloc(1);
    free(asked);
    return !asked;
#else
    return false;
#endif
}

// NULL: none is under way, or its pool has no room.
static void *alloc_in_attempt(size_t size)
{
    Attempt *a = counting();
    if (LIKELY(!a))
        return NULL;
    if (is_refused())
        leave_attempt(ATTEMPT_NO_MEMORY);
    return block_pool_alloc(&a->pool, size);
}

void *vm_malloc(size_t size)
{
    void *p = alloc_in_attempt(size);
    return p ? p : check_allocated(malloc(size), size);
}

void *vm_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX; // calloc gives NULL
    void *p = alloc_in_attempt(bytes);
    return p ? memset(p, 0, bytes) : check_allocated(calloc(count, size), bytes);
}

void *attempt_result(size_t size)
{
    return check_allocated(calloc(1, size), size);
}

void *vm_realloc(void *p, size_t size)
{
    if (size == 0) {
        vm_free(p);
        return NULL;
    }
    void *made = vm_realloc_or_null(p, size);
    if (UNLIKELY(!made)) {
        leave_attempt(ATTEMPT_NO_MEMORY);
        vm_exhausted("out of native memory (%zu bytes)", size);
    }
    return made;
}

// What vm_realloc_or_null gives where the system refuses memory. p is a block of the attempt with index i, or SIZE_MAX.
static void *realloc_from_spare(void *p, size_t size, size_t i)
{
    void *made = spare_alloc(size);
    if (!made || !p)
        return made;
    memcpy(made, p, MIN_OF(size, is_spare(p) ? spare_size(p) : malloc_usable_size(p)));
    if (i != SIZE_MAX)
        under_way->blocks[i] = under_way->blocks[--under_way->len];
    if (!is_spare(p))
        free(p);
    return made;
}

// The block may leave the pool as it grows. p may be NULL.
static void *realloc_in_attempt(Attempt *a, void *p, size_t size)
{
    if (counting() && is_refused())
        return NULL;
    if (p && block_pool_resize(&a->pool, p, size))
        return p;
    void *made = block_pool_alloc(&a->pool, size), *block = made ? NULL : malloc(size);
    if (block && !add_block(a, block)) {
        free(block);
        block = NULL;
    }
    if (!made)
        made = block ? block : spare_alloc(size);
    if (made && p) {
        memcpy(made, p, MIN_OF(size, block_pool_size(p)));
        block_pool_free(&a->pool, p);
    }
    return made;
}

void *vm_realloc_or_null(void *p, size_t size)
{
    Attempt *a = under_way;
    if (a && (p ? block_pool_has(&a->pool, p) : counting() != NULL))
        return realloc_in_attempt(a, p, size);
    bool spare = p && is_spare(p);
    if (LIKELY(!a && !spare && !pauses))
        return realloc(p, size);
    size_t i = a && p ? find_block(a, p) : SIZE_MAX;
    void *made = realloc(spare ? NULL : p, size);
    if (!made)
        return realloc_from_spare(p, size, i);
    if (spare)
        memcpy(made, p, MIN_OF(size, spare_size(p)));
    if (i != SIZE_MAX)
        a->blocks[i] = made;
    if (!p && !note_block(made)) {
        free(made);
        made = NULL;
    }
    return made;
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
    if (!p)
        return;
    Attempt *a = under_way;
    if (UNLIKELY(a != NULL)) {
        if (block_pool_has(&a->pool, p)) {
            block_pool_free(&a->pool, p);
            return;
        }
        forget_block(p);
    }
    if (LIKELY(!is_spare(p)))
        free(p);
}

char *vm_asprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s;
    int n = vasprintf(&s, fmt, ap);
    va_end(ap);
    if (n >= 0)
        return s;
    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    s = n < 0 ? NULL : spare_alloc((size_t)n + 1);
    if (!s)
        vm_exhausted("out of native memory (formatting)");
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
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
        vm_free(block);
        block = next;
    }
    *a = (Arena){0};
}
