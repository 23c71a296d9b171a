// SPDX-License-Identifier: Apache-2.0
// See block_pool.h.
#include "base/block_pool.h"

#include <stdlib.h>

enum { ALIGNMENT = 16 };
typedef struct Block {
    _Alignas(ALIGNMENT) uint32_t size; // with this
    uint32_t before;                   // size of the one before it; 0: none
    bool is_free;
} Block;

static _Atomic(char *) kept; // a chunk that no pool has

static Block *block_of(const void *data)
{
    return (Block *)((uintptr_t)data - sizeof(Block)); // NOLINT: the head lies before it
}

static size_t whole_size(size_t size)
{
    return sizeof(Block) + ALIGN_UP(size, (size_t)ALIGNMENT);
}

static bool chunk_has(const BlockPoolChunk *c, const void *block)
{
    return (uintptr_t)block - (uintptr_t)c->start < POOL_CHUNK;
}

static BlockPoolChunk *add_chunk(BlockPool *pool)
{
    char *start = pool->count < POOL_CHUNKS ? atomic_exchange(&kept, NULL) : NULL;
    if (!start && pool->count < POOL_CHUNKS)
        start = malloc(POOL_CHUNK);
    if (!start)
        return NULL;
    BlockPoolChunk *c = &pool->chunks[pool->count++];
    *c = (BlockPoolChunk){.start = start};
    return c;
}

static BlockPoolChunk *chunk_for(BlockPool *pool, size_t bytes)
{
    BlockPoolChunk *c = pool->count ? &pool->chunks[pool->count - 1] : NULL;
    return c && POOL_CHUNK - c->used >= bytes ? c : add_chunk(pool);
}

void *block_pool_alloc(BlockPool *pool, size_t size)
{
    size_t bytes = whole_size(size);
    BlockPoolChunk *c =
        BLOCK_POOL_HAS_BLOCKS && size <= POOL_LARGEST ? chunk_for(pool, bytes) : NULL;
    if (!c)
        return NULL;
    Block *block = (Block *)(c->start + c->used);
    *block = (Block){.size = (uint32_t)bytes, .before = (uint32_t)c->last};
    c->used += bytes;
    c->last = bytes;
    return block + 1;
}

static BlockPoolChunk *chunk_of(const BlockPool *pool, const void *block)
{
    size_t i = pool->count;
    while (i > 0 && !chunk_has(&pool->chunks[i - 1], block))
        i--;
    return i ? (BlockPoolChunk *)(uintptr_t)&pool->chunks[i - 1] : NULL;
}

bool block_pool_has(const BlockPool *pool, const void *block)
{
    return chunk_of(pool, block) != NULL;
}

void block_pool_free(BlockPool *pool, void *block)
{
    BlockPoolChunk *c = chunk_of(pool, block);
    VM_ASSERT(c && !block_of(block)->is_free);
    block_of(block)->is_free = true;
    while (c->last) {
        const Block *last = (const Block *)(c->start + c->used - c->last);
        if (!last->is_free)
            return;
        c->used -= c->last;
        c->last = last->before;
    }
    while (pool->count > 1 && !pool->chunks[pool->count - 1].last
           && !pool->chunks[pool->count - 2].last)
        free(pool->chunks[--pool->count].start); // one that is empty stays
}

size_t block_pool_size(const void *block)
{
    return block_of(block)->size - sizeof(Block);
}

bool block_pool_resize(BlockPool *pool, void *block, size_t size)
{
    BlockPoolChunk *c = chunk_of(pool, block);
    VM_ASSERT(c && !block_of(block)->is_free);
    size_t at = (size_t)((char *)block_of(block) - c->start), bytes = whole_size(size);
    if (at + c->last != c->used || size > POOL_LARGEST || bytes > POOL_CHUNK - at)
        return false;
    block_of(block)->size = (uint32_t)bytes;
    c->last = bytes;
    c->used = at + bytes;
    return true;
}

bool block_pool_is_empty(const BlockPool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        if (pool->chunks[i].last)
            return false;
    return true;
}

void block_pool_end(BlockPool *pool)
{
    while (pool->count > 0) {
        char *start = pool->chunks[--pool->count].start, *none = NULL;
        if (!atomic_compare_exchange_strong(&kept, &none, start))
            free(start);
    }
}
