// SPDX-License-Identifier: Apache-2.0
// The code cache: one region for all code that is made at run time, and what lies where in it.
//
// Installed code is immutable until it is freed. Its place is used again behind a barrier that every processor passes, as one may still hold
// what it read there before (Intel SDM 3A, 9.1.3); where the system has no such barrier, never. The region is a multiple of CODE_GRANULE
// bytes; a piece of code is some granules in a row, a CodeBlob.
// Lock: RANK_CODE, inside.
#ifndef CODE_CODE_CACHE_H
#define CODE_CODE_CACHE_H

#include "arch/arch.h"
#include "platform/code_memory.h"

enum { CODE_GRANULE = 64 };

typedef enum CodeKind {
    CODE_NATIVE_STUB,     // calls a native method: code/native_stub.h
    CODE_JAVA_STUB,       // between compiled code and all else
    CODE_COMPILED_METHOD, // code/compiled_code.h
} CodeKind;

typedef struct CodeBlob { // constant, but for `compiled`
    const uint8_t *start;
    uint32_t size; // bytes
    CodeKind kind;
    const char *name; // for people: in crash reports and listings
    const struct CompiledCode
        *_Atomic compiled; // CODE_COMPILED_METHOD, as soon as it may run; else NULL
} CodeBlob;

// Reserves the region, `size` bytes rounded up to pages. Once, before other threads. False: the system refuses, or this processor or
// build has no generated code; then nothing can be installed.
bool code_cache_init(size_t size, CodeMapping mapping);
// Copies code into the cache; it is position-independent. Gives NULL where there is no room, no memory, or in a child of fork. The
// name is copied. The caller publishes the address with release order: who loads it from there with acquire may run it.
// (x86-64: at an address that nothing was executed at before, no barrier of instructions is needed.) Thread-safe, NO_GC.
NODISCARD const CodeBlob *code_install(const void *code, size_t size, CodeKind kind,
                                       const char *name);
// Called for each stub that is made from now on, under the locks of who makes it. Once, before there are threads.
void code_on_stub(void (*made)(const CodeBlob *stub));
typedef struct CodeCacheUse {
    uintptr_t start;
    size_t size, used; // bytes; all 0: there is no code cache
} CodeCacheUse;
// Thread-safe, NO_GC.
void code_cache_use(CodeCacheUse *out);
// Where the code lies, and its blob for each granule; size 0: there is none. Written before there are threads, but for the pointers,
// which are stored with release when the code stands there. For code_find.
typedef struct CodeTable {
    uintptr_t start;
    size_t size;
    const CodeBlob *_Atomic *blobs;
} CodeTable;
extern CodeTable code_table;
// The code that lies at pc; NULL: none. Async-signal-safe, thread-safe; two loads. The blob stays while the caller is IN_VM, runs the code,
// has a frame in it, or is between code_reading_begin and code_reading_end.
static inline const CodeBlob *code_find(uintptr_t pc)
{
    size_t offset = pc - code_table.start;
    if (offset >= code_table.size)
        return NULL;
    const CodeBlob *blob = atomic_load_explicit(&code_table.blobs[offset / CODE_GRANULE],
                                                memory_order_acquire); // code_install
    return blob && pc - (uintptr_t)blob->start < blob->size ? blob : NULL;
}
// Calls visit for each, oldest first, outside of locks; those that are installed meanwhile may be left out. The caller is IN_VM and comes to no
// safepoint meanwhile.
void code_each(void (*visit)(void *ctx, const CodeBlob *blob), void *ctx);

// ---- freeing; world stopped, no frame is in the code, nobody will enter it ----
// code_find finds it no more; it stays readable.
void code_unlink(const CodeBlob *blob);
// Whether nobody reads any more what was unlinked.
bool code_is_unread(void);
// Frees code that was unlinked and that nobody reads.
void code_free(const CodeBlob *blob);
// Around what a signal handler does with what code_find gives. Async-signal-safe; nests.
void code_reading_begin(void);
void code_reading_end(void);
// For unit tests: gives the region back. No code of it may run, no other thread be in here.
void code_cache_release(void);

#endif
