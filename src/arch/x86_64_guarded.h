// SPDX-License-Identifier: Apache-2.0
// The instructions of guarded.h, which includes this.
#ifndef ARCH_X86_64_GUARDED_H
#define ARCH_X86_64_GUARDED_H

#include "arch/guarded.h"

// clang-format off
#define GUARDED_PLACE(at) [place] "m"(*(const char *)(at))

GUARDED_LOAD(load, 8, "movzbl %[place], %k[v]")
GUARDED_LOAD(load, 16, "movzwl %[place], %k[v]")
GUARDED_LOAD(load, 32, "movl %[place], %k[v]")
GUARDED_LOAD(load, 64, "movq %[place], %q[v]")
GUARDED_LOAD(load_volatile, 8, "movzbl %[place], %k[v]")
GUARDED_LOAD(load_volatile, 16, "movzwl %[place], %k[v]")
GUARDED_LOAD(load_volatile, 32, "movl %[place], %k[v]")
GUARDED_LOAD(load_volatile, 64, "movq %[place], %q[v]")
GUARDED_STORE(store, 8, "movb %b[v], %[place]")
GUARDED_STORE(store, 16, "movw %w[v], %[place]")
GUARDED_STORE(store, 32, "movl %k[v], %[place]")
GUARDED_STORE(store, 64, "movq %q[v], %[place]")
GUARDED_STORE(store_volatile, 8, "xchgb %b[v], %[place]")
GUARDED_STORE(store_volatile, 16, "xchgw %w[v], %[place]")
GUARDED_STORE(store_volatile, 32, "xchgl %k[v], %[place]")
GUARDED_STORE(store_volatile, 64, "xchgq %q[v], %[place]")

#define GUARDED_CAS(bits, exchange)                                                           \
    NODISCARD static inline bool guarded_cas##bits(void *at, uint##bits##_t *expected,        \
                                                   uint##bits##_t v)                          \
    {                                                                                         \
        uint##bits##_t there = *expected;                                                     \
        GUARDED_CHECK(__asan_storeN, at, bits);                                               \
        __asm__ volatile goto(GUARDED("lock " exchange)                                       \
                              : [there] "+a"(there) : [v] "r"(v), GUARDED_PLACE(at)           \
                              : "memory", "cc" : fault);                                      \
        *expected = there;                                                                    \
        return true;                                                                          \
    fault:                                                                                    \
        return false;                                                                         \
    }
GUARDED_CAS(32, "cmpxchgl %k[v], %[place]")
GUARDED_CAS(64, "cmpxchgq %q[v], %[place]")
// clang-format on

#endif
