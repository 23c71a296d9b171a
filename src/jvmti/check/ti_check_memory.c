// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti: memory that the interface gave to agents. Blocks are known by their address until
// they leave the quarantine, where those that were given back wait, filled with a pattern.
//
// Leaked is what no word of the process's memory points at when the agents have been unloaded: what an
// agent keeps until the end is no leak. Our own records hold addresses inverted, so that they are
// none of these words.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hash.h"
#include "heap/heap.h"
#include "jvmti/check/ti_check.h"
#include "platform/redirect.h"

enum { QUARANTINE = 1024, WORDS = 8192 };
#define LARGEST_RANGE \
    ((uintptr_t)1 << 30) // looked through: larger ones are reserves, as a sanitizer's
static const uint8_t gone_byte = 0xdd;

typedef struct Block {
    uintptr_t hidden; // the inverted address
    const char *call; // that gave it
    AgentPlace place;
    size_t size;
    bool given_back;
    bool seen; // something points at it
} Block;

static Mutex blocks_lock = MUTEX_INIT(RANK_LOG); // what follows
static PtrMap blocks;                            // inverted address -> Block *
static Block *quarantine[QUARANTINE];
static unsigned quarantined;

static uintptr_t hide(const void *p)
{
    return ~(uintptr_t)p;
}
static void *memory_of(const Block *b)
{
    return (void *)~b->hidden;
}

// ---- given and given back ----

// A new block, or what an address that malloc gives again was.
static void note_given(void *memory)
{
    Block *b = vm_calloc(1, sizeof *b);
    b->hidden = hide(memory);
    b->size = malloc_usable_size(memory);
    b->call = checked_call ? checked_call->name : "an extension function";
    agent_place_here(&b->place);
    mutex_lock(&blocks_lock);
    ptrmap_put(&blocks, b->hidden, b);
    mutex_unlock(&blocks_lock);
}

static bool is_untouched(const Block *b)
{
    const uint8_t *bytes = memory_of(b);
    for (size_t i = 0; i < b->size; i++)
        if (bytes[i] != gone_byte)
            return false;
    return true;
}

static void check_untouched(const Block *b)
{
    char text[100];
    if (is_untouched(b))
        return;
    snprintf(text, sizeof text, "memory that %s gave", b->call);
    check_report(RULE_WRITTEN, &b->place, "Deallocate", text);
}

// The block leaves the quarantine.
static void release_block(Block *b)
{
    check_untouched(b);
    free(memory_of(b));
    vm_free(b);
}

static void quarantine_block(Block *b)
{
    Block *oldest = NULL;
    memset(memory_of(b), gone_byte, b->size);
    mutex_lock(&blocks_lock);
    unsigned at = quarantined++ % QUARANTINE;
    oldest = quarantine[at];
    quarantine[at] = b;
    if (oldest)
        ptrmap_remove(&blocks, oldest->hidden);
    mutex_unlock(&blocks_lock);
    if (oldest)
        release_block(oldest);
}

typedef enum BlockState { UNKNOWN, GIVEN, GIVEN_BACK } BlockState;

// What the memory is; a block that is the agent's is given back from here on.
static BlockState take_back(void *memory, Block **out)
{
    mutex_lock(&blocks_lock);
    Block *b = *out = ptrmap_get(&blocks, hide(memory));
    BlockState state = !b ? UNKNOWN : b->given_back ? GIVEN_BACK : GIVEN;
    if (state == GIVEN)
        b->given_back = true;
    mutex_unlock(&blocks_lock);
    return state;
}

jvmtiError checked_Deallocate(CheckedCall *c, unsigned char *mem)
{
    Block *b = NULL;
    TiEnv *env = (TiEnv *)c->env;
    BlockState state = mem && ti_env_is_valid(env) ? take_back(mem, &b) : GIVEN;
    if (state != GIVEN) {
        check_report(state == UNKNOWN ? RULE_NOT_OURS : RULE_DOUBLE_FREE, NULL, c->name);
        c->reported = true;
        return JVMTI_ERROR_NONE;
    }
    if (!b)
        return ti_function_table.Deallocate(c->env, mem);
    ti_count_bytes(c->self, env, -(int64_t)b->size);
    quarantine_block(b);
    return JVMTI_ERROR_NONE;
}

void checked_give_back(Thread *self, TiEnv *env, jvmtiEvent event, unsigned char *mem)
{
    Block *b = NULL;
    BlockState state = take_back(mem, &b);
    const void *callback =
        (const void *)atomic_load(&env->agent_callbacks[event - JVMTI_MIN_EVENT_TYPE_VAL]);
    AgentPlace place = {.at = {callback}, .count = callback != NULL};
    if (state != GIVEN) {
        check_report(state == UNKNOWN ? RULE_NOT_OURS : RULE_DOUBLE_FREE, &place, "Deallocate");
        return;
    }
    ti_count_bytes(self, env, -(int64_t)b->size);
    quarantine_block(b);
}

// ---- free and realloc of the agent's library ----

// Whether the memory is a block; then that is reported, and *out is one that is to be given back,
// or NULL.
static bool is_misused(void *memory, const char *function, Block **out)
{
    BlockState state = memory ? take_back(memory, out) : UNKNOWN;
    if (state == UNKNOWN)
        return false;
    check_report(state == GIVEN ? RULE_FREED : RULE_DOUBLE_FREE, NULL, function, function);
    if (state == GIVEN_BACK)
        *out = NULL;
    return true;
}

static void agents_free(void *memory)
{
    Block *b = NULL;
    if (!is_misused(memory, "free", &b))
        free(memory);
    else if (b)
        quarantine_block(b);
}

static void *agents_realloc(void *memory, size_t size)
{
    Block *b = NULL;
    if (!is_misused(memory, "realloc", &b))
        return realloc(memory, size);
    void *copy = malloc(size);
    if (copy)
        memcpy(copy, memory, MIN_OF(size, malloc_usable_size(memory)));
    if (b)
        quarantine_block(b);
    return copy;
}

void checked_library(void *library)
{
    (void)os_library_redirect(library, "free", (const void *)(uintptr_t)agents_free);
    (void)os_library_redirect(library, "realloc", (const void *)(uintptr_t)agents_realloc);
}

void checked_memory_init(void)
{
    ti_given = note_given;
}

// ---- leaks ----

// Marks the blocks that the words of a range point at. It may be unmapped meanwhile.
static void mark_range(uintptr_t from, uintptr_t to)
{
    static uintptr_t words[WORDS];
    while (from < to) {
        struct iovec here = {words, MIN_OF(sizeof words, to - from)},
                     there = {(void *)from, here.iov_len};
        ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        if (n <= 0)
            return;
        for (size_t i = 0; i < (size_t)n / sizeof *words; i++) {
            Block *b = words[i] != UINTPTR_MAX ? ptrmap_get(&blocks, ~words[i]) : NULL;
            if (b)
                b->seen = true;
        }
        from += (size_t)n;
    }
}

// All writable memory, the Java heap included, where an agent's Java code may keep an address in a
// long; of this thread's stack the part that is in use.
static void mark_reachable(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t from, to, stack = (uintptr_t)__builtin_frame_address(0);
    char rights[5], line[512];
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, rights) != 3
            || strncmp(rights, "rw", 2) != 0
            || (to - from > LARGEST_RANGE && !heap_contains((void *)from)))
            continue;
        if (stack >= from && stack < to)
            from = stack;
        mark_range(from, to);
    }
    if (maps)
        fclose(maps);
}

typedef struct Leak { // blocks that the same call in the same place gave
    const char *call;
    AgentPlace place;
    int count;
    size_t bytes;
} Leak;
typedef VEC(Leak) Leaks;

static void add_leak(Leaks *leaks, const Block *b)
{
    for (size_t i = 0; i < leaks->len; i++) {
        Leak *l = &leaks->at[i];
        if (l->call == b->call && l->place.count == b->place.count
            && memcmp(l->place.at, b->place.at, sizeof l->place.at) == 0) {
            l->count++;
            l->bytes += b->size;
            return;
        }
    }
    vec_push(leaks, ((Leak){b->call, b->place, 1, b->size}));
}

static void report_leaks(const Leaks *leaks)
{
    for (size_t i = 0; i < leaks->len; i++) {
        const Leak *l = &leaks->at[i];
        char text[100];
        snprintf(text, sizeof text, "%d block%s (%zu bytes)", l->count,
                 l->count == 1 ? "" : "s", l->bytes);
        check_report(RULE_LEAK, &l->place, l->call, text);
    }
}

void checked_finish(void)
{
    Leaks leaks = {0};
    uintptr_t key;
    void *value;
    mutex_lock(&blocks_lock);
    mark_reachable();
    for (size_t i = 0; ptrmap_next(&blocks, &i, &key, &value);) {
        const Block *b = value;
        if (!b->given_back && !b->seen)
            add_leak(&leaks, b);
    }
    mutex_unlock(&blocks_lock);
    for (int i = 0; i < QUARANTINE && quarantine[i]; i++)
        check_untouched(quarantine[i]);
    report_leaks(&leaks);
    vec_free(&leaks);
    agent_reports_end();
}
