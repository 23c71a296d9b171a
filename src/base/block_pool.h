// SPDX-License-Identifier: Apache-2.0
// Small blocks that lie one after the other in large chunks, with their sizes before them: no block is looked for, and what is freed in
// any order is taken back from the end as soon as nothing in use lies behind it. For work that frees all that it takes (base/alloc.h,
// attempts). Not thread-safe. The address sanitizer's builds have none: each block is then malloc's, and watched.
#ifndef BASE_BLOCK_POOL_H
#define BASE_BLOCK_POOL_H

#include "base/common.h"

#if defined(__SANITIZE_ADDRESS__)
#    define BLOCK_POOL_HAS_BLOCKS 0
#elif defined(__has_feature)
#    define BLOCK_POOL_HAS_BLOCKS !__has_feature(address_sanitizer)
#else
#    define BLOCK_POOL_HAS_BLOCKS 1
#endif

enum { POOL_CHUNK = 256 * 1024, POOL_CHUNKS = 16, POOL_LARGEST = 32 * 1024 };

typedef struct BlockPoolChunk {
    char *start;
    size_t used;
    size_t last; // bytes of the block that ends there; 0: the chunk is empty
} BlockPoolChunk;

typedef struct BlockPool {
    BlockPoolChunk chunks[POOL_CHUNKS];
    size_t count;
} BlockPool;

// Uninitialised, 16-byte aligned. NULL: larger than POOL_LARGEST, or there is no chunk for it; then it is malloc's to give.
void *block_pool_alloc(BlockPool *pool, size_t size);
bool block_pool_has(const BlockPool *pool, const void *block);
void block_pool_free(BlockPool *pool, void *block);
// At least what was asked for.
size_t block_pool_size(const void *block);
// Grows or shrinks where the block lies, which only the last one can. False: nothing was done.
NODISCARD bool block_pool_resize(BlockPool *pool, void *block, size_t size);
bool block_pool_is_empty(const BlockPool *pool);
// Gives the chunks back, whatever is in use; one stays for the next pool of whatever thread.
void block_pool_end(BlockPool *pool);

#endif
