// SPDX-License-Identifier: Apache-2.0
// What every file of the VM may use: integer types, annotations, assertions, fatal errors.
//
// Annotations document contracts; they expand to nothing but for a checker.
//   MAY_GC   the function may collect (allocate, reach a safepoint, block or run Java code); tools/check_no_gc.py
//            has clang see that none is called in a NO_GC_SCOPE (heap/no_gc.h)
//   NO_GC    the function never collects; raw `Object *` values stay valid across it
#ifndef BASE_COMMON_H
#define BASE_COMMON_H

#include <assert.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define NODISCARD     __attribute__((warn_unused_result))
#define NORETURN      __attribute__((noreturn))
#define COLD          __attribute__((cold, noinline))
#define NOINLINE      __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define EXPORT        __attribute__((visibility("default"), used))
#define PRINTF(f, a)  __attribute__((format(printf, f, a)))
#ifdef PELLUCID_GC_ANALYSIS // a capability that is held inside no-GC scopes
struct __attribute__((capability("scope"))) NoGc {
    int unused;
};
extern struct NoGc no_gc;
#    define MAY_GC        __attribute__((locks_excluded(no_gc)))
#    define NO_GC_ACQUIRE __attribute__((acquire_capability(no_gc), no_thread_safety_analysis))
#    define NO_GC_RELEASE __attribute__((release_capability(no_gc), no_thread_safety_analysis))
#else
#    define MAY_GC
#    define NO_GC_ACQUIRE
#    define NO_GC_RELEASE
#endif
#define NO_GC
#define UNUSED         __attribute__((unused))
#define ARRAY_LEN(a)   (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(n, a) (((n) + ((a)-1)) & ~((a)-1))
#define MIN_OF(a, b)   ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b)   ((a) > (b) ? (a) : (b))

// Prints "pellucid: <message>" on stderr and aborts: for corrupted VM state only.
NORETURN COLD PRINTF(1, 2) void vm_fatal(const char *fmt, ...);
// Prints "pellucid: <message>" on stderr and ends the process with exit code 1, at once: for what the system
// refuses and no caller can do without, memory above all. No crash report, no exit handlers (locks may be held).
NORETURN COLD PRINTF(1, 2) void vm_exhausted(const char *fmt, ...);
// abort() without a crash report, for ends whose reason has been reported in full.
NORETURN COLD void vm_abort_reported(void);
extern bool vm_is_abort_reported; // from then on
// Called by vm_fatal when it has printed, in builds without PELLUCID_DEBUG: what is under way may be given up instead (base/alloc.h).
extern void (*vm_fatal_way_out)(void);
// What vm_fatal printed, while it aborts; else NULL.
extern const char *vm_fatal_message;

// VM_CHECK stays in every build; VM_ASSERT only in the debug builds (PELLUCID_DEBUG).
#define VM_CHECK(x)                                                      \
    do {                                                                 \
        if (UNLIKELY(!(x)))                                              \
            vm_fatal("%s:%d: check failed: %s", __FILE__, __LINE__, #x); \
    } while (0)
#ifdef PELLUCID_DEBUG
#    define VM_ASSERT(x) VM_CHECK(x)
#else
#    define VM_ASSERT(x) ((void)sizeof(!(x)))
#endif

// Opaque types that lower layers name without knowing.
typedef struct Thread Thread;
typedef struct Class Class;
typedef struct Method Method;
typedef struct Field Field;
typedef struct Loader Loader;
typedef struct Symbol Symbol;
typedef struct Frame Frame;
typedef struct Object Object;

// How many bits are set; inline also where the compiler may not count on the instruction.
static inline unsigned bits_count(uint64_t x)
{
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(x);
#else
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return (unsigned)((x * 0x0101010101010101ull) >> 56);
#endif
}

#endif
