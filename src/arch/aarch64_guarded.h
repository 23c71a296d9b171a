// SPDX-License-Identifier: Apache-2.0
// The instructions of guarded.h, which includes this. Those of sequential consistency want natural alignment.
#ifndef ARCH_AARCH64_GUARDED_H
#define ARCH_AARCH64_GUARDED_H

#include "arch/guarded.h"

// clang-format off
#define GUARDED_PLACE(at) [place] "Q"(*(const char *)(at))

GUARDED_LOAD(load, 8, "ldrb %w[v], %[place]")
GUARDED_LOAD(load, 16, "ldrh %w[v], %[place]")
GUARDED_LOAD(load, 32, "ldr %w[v], %[place]")
GUARDED_LOAD(load, 64, "ldr %x[v], %[place]")
GUARDED_LOAD(load_volatile, 8, "ldarb %w[v], %[place]")
GUARDED_LOAD(load_volatile, 16, "ldarh %w[v], %[place]")
GUARDED_LOAD(load_volatile, 32, "ldar %w[v], %[place]")
GUARDED_LOAD(load_volatile, 64, "ldar %x[v], %[place]")
GUARDED_STORE(store, 8, "strb %w[v], %[place]")
GUARDED_STORE(store, 16, "strh %w[v], %[place]")
GUARDED_STORE(store, 32, "str %w[v], %[place]")
GUARDED_STORE(store, 64, "str %x[v], %[place]")
GUARDED_STORE(store_volatile, 8, "stlrb %w[v], %[place]")
GUARDED_STORE(store_volatile, 16, "stlrh %w[v], %[place]")
GUARDED_STORE(store_volatile, 32, "stlr %w[v], %[place]")
GUARDED_STORE(store_volatile, 64, "stlr %x[v], %[place]")

// Either access of the loop may fault.
#define GUARDED_CAS(bits, r)                                                                  \
    NODISCARD static inline bool guarded_cas##bits(void *at, uint##bits##_t *expected,        \
                                                   uint##bits##_t v)                          \
    {                                                                                         \
        uint##bits##_t there;                                                                 \
        uint32_t failed;                                                                      \
        GUARDED_CHECK(__asan_storeN, at, bits);                                               \
        __asm__ volatile goto("1: ldaxr %" r "[there], %[place]\n"                            \
                              "cmp %" r "[there], %" r "[expected]\n"                         \
                              "b.ne 3f\n"                                                     \
                              "2: stlxr %w[failed], %" r "[v], %[place]\n"                    \
                              "cbnz %w[failed], 1b\n"                                         \
                              "3:\n" GUARDED_ROW("1b") GUARDED_ROW("2b")                      \
                              : [there] "=&r"(there), [failed] "=&r"(failed)                  \
                              : [v] "r"(v), [expected] "r"(*expected), GUARDED_PLACE(at)      \
                              : "memory", "cc" : fault);                                      \
        *expected = there;                                                                    \
        return true;                                                                          \
    fault:                                                                                    \
        return false;                                                                         \
    }
GUARDED_CAS(32, "w")
GUARDED_CAS(64, "x")
// clang-format on

#endif
