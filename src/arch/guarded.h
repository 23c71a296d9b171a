// SPDX-License-Identifier: Apache-2.0
// Accesses to memory that may be a mapped file which somebody has cut meanwhile: they fail where the
// system answers with SIGBUS. As in a kernel, each instruction that may fault has a row in a table (its
// place, where to go on when it faults), so that an access costs what a plain one costs. No locks, NO_GC.
#ifndef ARCH_GUARDED_H
#define ARCH_GUARDED_H

#include "base/common.h"

// For the handler of SIGBUS, with its third argument: true when the signal came from a guarded access,
// which will have failed once the handler returns. Does not return when a body of guarded_run is cut.
bool guarded_recover(void *context);

// Runs a body that takes no lock and keeps nothing that must be given back. False: it was cut short.
NODISCARD bool guarded_run(void (*body)(void *arg), void *arg);

// guarded_load32(at, &value), guarded_store32(at, value) and so on, for 8, 16, 32 and 64 bits at any
// alignment; guarded_load_volatile32 and guarded_store_volatile32 are sequentially consistent, and so is
// guarded_cas32(at, &expected, value), which sets expected to what was there (32 and 64 bits). False: fault.

#ifdef __SANITIZE_ADDRESS__ // it does not look into assembly
void __asan_loadN(void *p, intptr_t size);
void __asan_storeN(void *p, intptr_t size);
#    define GUARDED_CHECK(function, at, bits) function((void *)(uintptr_t)(at), (bits) / 8)
#else
#    define GUARDED_CHECK(function, at, bits) ((void)0)
#endif

// clang-format off
#define GUARDED_ROW(label)                                    \
    ".pushsection guarded_rows, \"a\"\n"                     \
    ".balign 4\n"                                             \
    ".long " label " - ., %l[fault] - .\n"                    \
    ".popsection\n"
#define GUARDED(instruction) "1: " instruction "\n" GUARDED_ROW("1b")

#define GUARDED_LOAD(name, bits, instruction)                                                     \
    NODISCARD static inline bool guarded_##name##bits(const void *at, uint##bits##_t *value)      \
    {                                                                                             \
        uint##bits##_t v;                                                                         \
        GUARDED_CHECK(__asan_loadN, at, bits);                                                    \
        __asm__ volatile goto(GUARDED(instruction)                                                \
                              : [v] "=r"(v) : GUARDED_PLACE(at) : "memory" : fault);              \
        *value = v;                                                                               \
        return true;                                                                              \
    fault:                                                                                        \
        return false;                                                                             \
    }
// The instruction may change v.
#define GUARDED_STORE(name, bits, instruction)                                                    \
    NODISCARD static inline bool guarded_##name##bits(void *at, uint##bits##_t v)                 \
    {                                                                                             \
        GUARDED_CHECK(__asan_storeN, at, bits);                                                   \
        __asm__ volatile goto(GUARDED(instruction)                                                \
                              : [v] "+r"(v) : GUARDED_PLACE(at) : "memory" : fault);              \
        return true;                                                                              \
    fault:                                                                                        \
        return false;                                                                             \
    }
// clang-format on

#if defined(__x86_64__)
#    include "arch/x86_64_guarded.h"
#elif defined(__aarch64__)
#    include "arch/aarch64_guarded.h"
#endif

#endif
