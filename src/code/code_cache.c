// SPDX-License-Identifier: Apache-2.0
// The code cache. See code_cache.h.
//
// A table has a pointer for each granule: its blob. It is reserved whole, so that it never moves under a signal handler; memory comes
// with its first use. A pointer is stored with release when the code stands there, and read with acquire.
#include "code/code_cache.h"

#include <unistd.h>

#include "base/vec.h"
#include "code/code_gdb.h"
#include "code/code_perf_map.h"
#include "platform/platform.h"

static Mutex cache_lock = MUTEX_INIT(RANK_CODE); // what is written, but the table's pointers
static CodeMemory memory;                        // written before there are threads
CodeTable code_table;
static size_t table_bytes;
static size_t used; // bytes from the start on, holes included
static size_t free_bytes;
static VEC(const CodeBlob *) blobs;
typedef struct Hole {
    size_t at, size;
} Hole;
static VEC(Hole) holes;          // by address; no two touch
static _Atomic uint32_t readers; // signal handlers
static void (*on_stub)(const CodeBlob *stub);
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
    used = free_bytes = 0;
    owner = getpid();
    code_unwind_register(&unwind, memory.run, size);
    code_gdb_add_region(&unwind, memory.run, size);
    return true;
}

void code_cache_release(void)
{
    if (!code_table.size)
        return;
    code_unwind_deregister(&unwind);
    code_gdb_remove(memory.run);
    os_release(code_table.blobs, table_bytes);
    code_table = (CodeTable){0};
    code_memory_release(&memory);
    for (size_t i = 0; i < blobs.len; i++) {
        code_gdb_remove(blobs.at[i]->start);
        vm_free((void *)(uintptr_t)blobs.at[i]);
    }
    vec_free(&blobs);
    vec_free(&holes);
}

static const CodeBlob *make_blob(size_t at, size_t size, CodeKind kind, const char *name)
{
    size_t name_bytes = strlen(name) + 1;
    CodeBlob *blob = vm_malloc(sizeof *blob + name_bytes);
    memcpy(blob + 1, name, name_bytes);
    *blob = (CodeBlob){memory.run + at, (uint32_t)size, kind, (const char *)(blob + 1), NULL};
    return blob;
}

static void put_in_table(const CodeBlob *blob, const CodeBlob *value)
{
    size_t at = (size_t)(blob->start - memory.run);
    for (size_t i = at / CODE_GRANULE; i * CODE_GRANULE < at + blob->size; i++)
        atomic_store_explicit(&code_table.blobs[i], value, memory_order_release); // code_find
}

// ---- places ----

static size_t place_size(size_t size)
{
    return ALIGN_UP(size, code_memory_alignment(&memory));
}

static void hole_remove(size_t i)
{
    memmove(&holes.at[i], &holes.at[i + 1], (--holes.len - i) * sizeof *holes.at);
}

// The first hole with room; SIZE_MAX: none.
static size_t take_hole(size_t size)
{
    ASSERT_HELD(&cache_lock);
    for (size_t i = 0; i < holes.len; i++) {
        Hole *h = &holes.at[i];
        if (h->size < size)
            continue;
        size_t at = h->at;
        *h = (Hole){at + size, h->size - size};
        if (h->size == 0)
            hole_remove(i);
        free_bytes -= size;
        return at;
    }
    return SIZE_MAX;
}

static void add_hole(size_t at, size_t size)
{
    ASSERT_HELD(&cache_lock);
    size_t i = 0;
    while (i < holes.len && holes.at[i].at < at)
        i++;
    free_bytes += size;
    bool joins = i > 0 && holes.at[i - 1].at + holes.at[i - 1].size == at;
    if (joins) {
        holes.at[--i].size += size;
    } else {
        vec_push(&holes, ((Hole){0}));
        memmove(&holes.at[i + 1], &holes.at[i], (holes.len - 1 - i) * sizeof *holes.at);
        holes.at[i] = (Hole){at, size};
    }
    Hole *h = &holes.at[i];
    if (i + 1 < holes.len && h->at + h->size == h[1].at) {
        h->size += h[1].size;
        hole_remove(i + 1);
    }
}

// Writes code where there is room. SIZE_MAX: there is none, or no memory.
static size_t write_code(const void *code, size_t size)
{
    size_t bytes = place_size(size), hole = take_hole(bytes);
    size_t at = hole != SIZE_MAX ? hole : used;
    if (bytes > memory.size - at || !code_memory_write(&memory, at, code, size)) {
        if (hole != SIZE_MAX)
            add_hole(hole, bytes);
        return SIZE_MAX;
    }
    if (hole != SIZE_MAX)
        os_code_barrier();
    else
        used = at + bytes;
    return at;
}

static const CodeBlob *install(const void *code, size_t size, CodeKind kind, const char *name)
{
    ASSERT_HELD(&cache_lock);
    size_t at = write_code(code, size);
    if (at == SIZE_MAX)
        return NULL;
    const CodeBlob *blob = make_blob(at, size, kind, name);
    put_in_table(blob, blob);
    vec_push(&blobs, blob);
    code_gdb_add(blob);
    code_perf_map_add(blob);
    return blob;
}

void code_on_stub(void (*made)(const CodeBlob *stub))
{
    on_stub = made;
}

const CodeBlob *code_install(const void *code, size_t size, CodeKind kind, const char *name)
{
    VM_ASSERT(code && size > 0);
    if (!code_table.size || getpid() != owner)
        return NULL;
    attempt_pause();
    mutex_lock(&cache_lock);
    const CodeBlob *blob = install(code, size, kind, name);
    mutex_unlock(&cache_lock);
    attempt_resume();
    if (blob && kind == CODE_JAVA_STUB && on_stub)
        on_stub(blob);
    return blob;
}

void code_cache_use(CodeCacheUse *out)
{
    mutex_lock(&cache_lock);
    *out = code_table.size
               ? (CodeCacheUse){(uintptr_t)memory.run, memory.size, used - free_bytes}
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

// ---- freeing ----

void code_unlink(const CodeBlob *blob)
{
    put_in_table(blob, NULL);
}

// Either a reader counted itself before, and is seen, or it finds the table as it is now.
bool code_is_unread(void)
{
    atomic_thread_fence(memory_order_seq_cst); // code_reading_begin
    return atomic_load(&readers) == 0;
}

void code_free(const CodeBlob *blob)
{
    VM_ASSERT(code_find((uintptr_t)blob->start) != blob);
    mutex_lock(&cache_lock);
    size_t i = 0;
    while (blobs.at[i] != blob)
        i++;
    memmove(&blobs.at[i], &blobs.at[i + 1], (--blobs.len - i) * sizeof *blobs.at);
    code_gdb_remove(blob->start);
    if (os_has_code_barrier())
        add_hole((size_t)(blob->start - memory.run), place_size(blob->size));
    mutex_unlock(&cache_lock);
    vm_free((void *)(uintptr_t)blob);
}

void code_reading_begin(void)
{
    atomic_fetch_add(&readers, 1); // a full barrier, for code_is_unread
}

void code_reading_end(void)
{
    atomic_fetch_sub(&readers, 1);
}
