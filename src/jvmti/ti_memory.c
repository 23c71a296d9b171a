// SPDX-License-Identifier: Apache-2.0
// Memory that agents give back by Deallocate (JVM TI, Memory Management). It is malloc's: an agent that gives it to free, or
// malloc's memory to Deallocate, comes to no harm. Agents mostly ask for a name, look at it and give it back; so a thread
// keeps some small blocks that it has given back, and needs neither malloc nor free for the next.
//
// Each environment's balance is counted in bytes as malloc has them. -Xcheck:jvmti, which delays what is given back, and the
// address sanitizer, which is to see it, do without kept blocks.
#include <malloc.h>
#include <stdlib.h>

#include "java/string.h"
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"

void (*ti_given)(void *memory);

#if defined(__SANITIZE_ADDRESS__)
enum { KEEP = 0 };
#else
enum { KEEP = 4 }; // of each size
#endif

// Blocks of index i have 16 i + 8 bytes (malloc's sizes on 64 bits), or up to 15 more.
enum { STEP = 16, LEAST = 24 };

// What stands in a block while it is kept.
typedef struct TiBlock {
    struct TiBlock *next;
    uint64_t mark; // its bytes ^ KEPT
} TiBlock;
static const uint64_t KEPT = 0x9e3779b97f4a7c15;

static size_t index_of(size_t bytes)
{
    return (bytes - STEP / 2) / STEP;
}

// False: the agent has written to the block, or given it to free as well, so that the rest of the list is lost.
static bool is_intact(const TiBlock *b, size_t i)
{
    return index_of(b->mark ^ KEPT) == i;
}

// A kept block of at least `size` bytes and how many it has; NULL: none.
static void *take(TiBlocks *blocks, size_t size, size_t *bytes)
{
    size_t i = (MAX_OF(size, (size_t)LEAST) + STEP / 2 - 1) / STEP;
    if (i >= TI_BLOCK_SIZES || !blocks->first[i])
        return NULL;
    TiBlock *b = blocks->first[i];
    if (UNLIKELY(!is_intact(b, i))) {
        blocks->first[i] = NULL;
        blocks->count[i] = 0;
        return NULL;
    }
    blocks->first[i] = b->next;
    blocks->count[i]--;
    *bytes = b->mark ^ KEPT;
    b->mark = 0;
    return b;
}

// It seems to be kept already, maybe for another environment: malloc would not let that pass either.
COLD static void refuse_twice(Thread *self, size_t i, const void *memory)
{
    for (const TiThread *t = self->tool_data[TI_SLOT]; t; t = t->next)
        for (const TiBlock *b = t->blocks.first[i]; b && is_intact(b, i); b = b->next)
            if (b == memory)
                vm_fatal("JVM TI Deallocate: %p was given back before", memory);
}

// False: it is not for keeping.
static bool keep(Thread *self, TiBlocks *blocks, void *memory, size_t bytes)
{
    size_t i = index_of(bytes);
    TiBlock *b = memory;
    if (bytes < LEAST || i >= TI_BLOCK_SIZES)
        return false;
    if (UNLIKELY(b->mark == (bytes ^ KEPT)))
        refuse_twice(self, i, memory);
    if (blocks->count[i] == KEEP)
        return false;
    *b = (TiBlock){blocks->first[i], bytes ^ KEPT};
    blocks->first[i] = b;
    blocks->count[i]++;
    return true;
}

void ti_blocks_free(TiBlocks *blocks)
{
    for (int i = 0; i < TI_BLOCK_SIZES; i++)
        while (blocks->first[i] && is_intact(blocks->first[i], i)) {
            TiBlock *b = blocks->first[i];
            blocks->first[i] = b->next;
            free(b);
        }
}

// Memory of malloc's that is the agent's from here on. counters.cost NULL: it is not counted.
static void *give_new(TiCounters counters, size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        return NULL;
    if (UNLIKELY(ti_given))
        ti_given(memory);
    if (counters.cost)
        ti_count(counters, &counters.cost->agent_bytes, (int64_t)malloc_usable_size(memory));
    return memory;
}

static void *give(Thread *self, TiEnv *env, size_t size)
{
    size_t bytes;
    TiThread *t = self ? ti_thread_find(self, env) : NULL;
    if (UNLIKELY(!t))
        return give_new((TiCounters){env ? &env->cost : NULL, false}, size);
    TiCounters counters = {&t->cost, true};
    void *memory = take(&t->blocks, size, &bytes);
    if (UNLIKELY(!memory))
        return give_new(counters, size);
    ti_count(counters, &t->cost.agent_bytes, (int64_t)bytes);
    return memory;
}

void *ti_alloc(size_t size)
{
    return size ? give(thread_current(), ti_calling, size) : NULL;
}

jvmtiError ti_copy_bytes(Bytes b, char **out)
{
    *out = b.p ? ti_alloc(b.len + 1) : NULL;
    if (!b.p || !*out)
        return b.p ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_NONE;
    memcpy(*out, b.p, b.len);
    (*out)[b.len] = '\0';
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_copy_string(const char *s, char **out)
{
    return ti_copy_bytes((Bytes){(const uint8_t *)s, s ? (uint32_t)strlen(s) : 0}, out);
}

char *ti_string_copy(const Object *string)
{
    char *copy = NULL, *text = string_to_mutf8(string);
    bool ok = ti_copy_string(text, &copy) == JVMTI_ERROR_NONE;
    vm_free(text);
    return ok ? copy : NULL;
}

// ---- functions ----
jvmtiError ti_Allocate(Thread *self, TiEnv *env, jlong size, unsigned char **mem_ptr)
{
    if (self && UNLIKELY(!ti_thread_find(self, env)))
        ti_counters_make(self, env);
    *mem_ptr = size ? give(self, env, (size_t)size) : NULL;
    return size && !*mem_ptr ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_NONE;
}

jvmtiError ti_Deallocate(Thread *self, TiEnv *env, unsigned char *mem)
{
    TiThread *t = self ? ti_thread_find(self, env) : NULL;
    size_t bytes = malloc_usable_size(mem);
    TiCounters counters = t ? (TiCounters){&t->cost, true} : (TiCounters){&env->cost, false};
    ti_count(counters, &counters.cost->agent_bytes, -(int64_t)bytes);
    if (!t || !keep(self, &t->blocks, mem, bytes))
        free(mem);
    return JVMTI_ERROR_NONE;
}
