// SPDX-License-Identifier: Apache-2.0
// The code cache. See code_cache.h.
//
// A table has a pointer for each granule: its blob. It is reserved whole, so that it never moves under a signal handler; memory comes
// with its first use. A pointer is stored with release when the code stands there, and read with acquire.
#include "code/code_cache.h"

#include <unistd.h>

#include "base/vec.h"
#include "code/code_unwind.h"
#include "platform/platform.h"

static Mutex cache_lock = MUTEX_INIT(RANK_CODE); // what is written, but the table's pointers
static CodeMemory memory;                        // written before there are threads
CodeTable code_table;
static size_t table_bytes;
static size_t used; // bytes from the start on
static VEC(const CodeBlob *) blobs;
static pid_t owner; // the process that may write: its child of fork has no mapping for that

// Reads from a table of frames for all of the region: see code_unwind.h.
static CodeUnwind unwind;

static bool reserve_table(size_t size)
{
    table_bytes = ALIGN_UP(size / CODE_GRANULE * sizeof *code_table.blobs, os_page_size());
    void *table = os_reserve(table_bytes, 0);
    if (table && os_commit(table, table_bytes)) {
        code_table = (CodeTable){(uintptr_t)memory.run, size, table};
        return true;
    }
    if (table)
        os_release(table, table_bytes);
    return false;
}

bool code_cache_init(size_t size, CodeMapping mapping)
{
    VM_ASSERT(!code_table.size);
    size = ALIGN_UP(size, os_page_size());
    if (!CODE_IS_GENERATED || size > INT32_MAX || !code_memory_reserve(&memory, size, mapping))
        return false;
    if (!reserve_table(size)) {
        code_memory_release(&memory);
        return false;
    }
    used = 0;
    owner = getpid();
    code_unwind_register(&unwind, memory.run, size);
    return true;
}

void code_cache_release(void)
{
    if (!code_table.size)
        return;
    code_unwind_deregister(&unwind);
    os_release(code_table.blobs, table_bytes);
    code_table = (CodeTable){0};
    code_memory_release(&memory);
    for (size_t i = 0; i < blobs.len; i++)
        vm_free((void *)(uintptr_t)blobs.at[i]);
    vec_free(&blobs);
}

static const CodeBlob *make_blob(size_t at, size_t size, CodeKind kind, const char *name)
{
    size_t name_bytes = strlen(name) + 1;
    CodeBlob *blob = vm_malloc(sizeof *blob + name_bytes);
    memcpy(blob + 1, name, name_bytes);
    *blob = (CodeBlob){memory.run + at, (uint32_t)size, kind, (const char *)(blob + 1), NULL};
    return blob;
}

static const CodeBlob *install(const void *code, size_t size, CodeKind kind, const char *name)
{
    ASSERT_HELD(&cache_lock);
    size_t at = ALIGN_UP(used, code_memory_alignment(&memory));
    if (at > memory.size || size > memory.size - at
        || !code_memory_write(&memory, at, code, size))
        return NULL;
    const CodeBlob *blob = make_blob(at, size, kind, name);
    used = at + size;
    for (size_t i = at / CODE_GRANULE; i * CODE_GRANULE < used; i++)
        atomic_store_explicit(&code_table.blobs[i], blob, memory_order_release); // code_find
    vec_push(&blobs, blob);
    return blob;
}

const CodeBlob *code_install(const void *code, size_t size, CodeKind kind, const char *name)
{
    VM_ASSERT(code && size > 0);
    if (!code_table.size || getpid() != owner)
        return NULL;
    mutex_lock(&cache_lock);
    const CodeBlob *blob = install(code, size, kind, name);
    mutex_unlock(&cache_lock);
    return blob;
}

void code_cache_use(CodeCacheUse *out)
{
    mutex_lock(&cache_lock);
    *out = code_table.size ? (CodeCacheUse){(uintptr_t)memory.run, memory.size, used}
                           : (CodeCacheUse){0};
    mutex_unlock(&cache_lock);
}

void code_each(void (*visit)(void *ctx, const CodeBlob *blob), void *ctx)
{
    for (size_t i = 0;; i++) {
        mutex_lock(&cache_lock);
        const CodeBlob *blob = i < blobs.len ? blobs.at[i] : NULL;
        mutex_unlock(&cache_lock);
        if (!blob)
            return;
        visit(ctx, blob);
    }
}
