// SPDX-License-Identifier: Apache-2.0
// Accesses to memory that may be a mapped file which somebody has cut meanwhile: they fail where the
// system answers with SIGBUS. As in a kernel, each is one instruction with a row in a table (its place,
// where to go on when it faults), so that it costs what a plain access costs. On other processors than
// x86-64 they are plain accesses, which nothing guards. No locks, NO_GC.
#ifndef PLATFORM_GUARDED_H
#define PLATFORM_GUARDED_H

#include "base/common.h"

// For the handler of SIGBUS, with its third argument: true when the signal came from a guarded access,
// which will have failed once the handler returns. Does not return when a body of guarded_run is cut.
bool guarded_recover(void *context);

// Runs a body that takes no lock and keeps nothing that must be given back. False: it was cut short.
NODISCARD bool guarded_run(void (*body)(void *arg), void *arg);

// guarded_load32(at, &value), guarded_store32(at, value) and so on, at any alignment; false: fault.
// guarded_cas32(at, &expected, value) is sequentially consistent and sets expected to what was there.
#ifdef __x86_64__

#    ifdef __SANITIZE_ADDRESS__ // it does not look into assembly
void __asan_loadN(void *p, intptr_t size);
void __asan_storeN(void *p, intptr_t size);
#        define GUARDED_CHECK(function, at, bits) function((void *)(uintptr_t)(at), (bits) / 8)
#    else
#        define GUARDED_CHECK(function, at, bits) ((void)0)
#    endif

// clang-format off
#    define GUARDED(instruction)                                  \
        "1: " instruction "\n"                                    \
        ".pushsection guarded_rows, \"a\"\n"                      \
        ".balign 4\n"                                             \
        ".long 1b - ., %l[fault] - .\n"                           \
        ".popsection"
#    define GUARDED_PLACE(at) [place] "m"(*(const char *)(at))

#    define GUARDED_ACCESS(bits, load, store)                                                     \
        NODISCARD static inline bool guarded_load##bits(const void *at, uint##bits##_t *value)    \
        {                                                                                         \
            uint##bits##_t v;                                                                     \
            GUARDED_CHECK(__asan_loadN, at, bits);                                                        \
            __asm__ volatile goto(GUARDED(load)                                                   \
                                  : [v] "=r"(v) : GUARDED_PLACE(at) : "memory" : fault);          \
            *value = v;                                                                           \
            return true;                                                                          \
        fault:                                                                                    \
            return false;                                                                         \
        }                                                                                         \
        NODISCARD static inline bool guarded_store##bits(void *at, uint##bits##_t v)              \
        {                                                                                         \
            GUARDED_CHECK(__asan_storeN, at, bits);                                                       \
            __asm__ volatile goto(GUARDED(store)                                                  \
                                  : : [v] "r"(v), GUARDED_PLACE(at) : "memory" : fault);          \
            return true;                                                                          \
        fault:                                                                                    \
            return false;                                                                         \
        }
#    define GUARDED_CAS(bits, exchange)                                                           \
        NODISCARD static inline bool guarded_cas##bits(void *at, uint##bits##_t *expected,        \
                                                       uint##bits##_t v)                          \
        {                                                                                         \
            uint##bits##_t there = *expected;                                                     \
            GUARDED_CHECK(__asan_storeN, at, bits);                                                       \
            __asm__ volatile goto(GUARDED("lock " exchange)                                       \
                                  : [there] "+a"(there) : [v] "r"(v), GUARDED_PLACE(at)           \
                                  : "memory" : fault);                                            \
            *expected = there;                                                                    \
            return true;                                                                          \
        fault:                                                                                    \
            return false;                                                                         \
        }
GUARDED_ACCESS(8, "movzbl %[place], %k[v]", "movb %b[v], %[place]")
GUARDED_ACCESS(16, "movzwl %[place], %k[v]", "movw %w[v], %[place]")
GUARDED_ACCESS(32, "movl %[place], %k[v]", "movl %k[v], %[place]")
GUARDED_ACCESS(64, "movq %[place], %q[v]", "movq %q[v], %[place]")
GUARDED_CAS(32, "cmpxchgl %k[v], %[place]")
GUARDED_CAS(64, "cmpxchgq %q[v], %[place]")
// clang-format on

#else

#    define GUARDED_ACCESS(bits)                                                               \
        typedef uint##bits##_t __attribute__((aligned(1))) Guarded##bits;                      \
        NODISCARD static inline bool guarded_load##bits(const void *at, uint##bits##_t *value) \
        {                                                                                      \
            *value = *(const volatile Guarded##bits *)at;                                      \
            return true;                                                                       \
        }                                                                                      \
        NODISCARD static inline bool guarded_store##bits(void *at, uint##bits##_t v)           \
        {                                                                                      \
            *(volatile Guarded##bits *)at = v;                                                 \
            return true;                                                                       \
        }
#    define GUARDED_CAS(bits)                                                              \
        NODISCARD static inline bool guarded_cas##bits(void *at, uint##bits##_t *expected, \
                                                       uint##bits##_t v)                   \
        {                                                                                  \
            __atomic_compare_exchange_n((uint##bits##_t *)at, expected, v, false,          \
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
            return true;                                                                   \
        }
GUARDED_ACCESS(8)
GUARDED_ACCESS(16)
GUARDED_ACCESS(32)
GUARDED_ACCESS(64)
GUARDED_CAS(32)
GUARDED_CAS(64)

#endif

#endif
