// SPDX-License-Identifier: Apache-2.0
// The rules of docs/GC.md at run time, in debug builds: code that holds raw references opens a no-GC scope, and
// whatever may collect stops the process where the calling thread is in one. In release builds nothing is left.
//
//   NO_GC_SCOPE();   until the end of the enclosing block the calling thread may not collect: neither allocate,
//                    poll, block, leave the VM, nor run Java code. Scopes nest. Any thread, any state.
//   ASSERT_GC_MAY(); the calling thread is in no such scope. Stands in each function that is MAY_GC, so that it
//                    fires whether or not this call would have collected; above heap/ it is part of
//                    ASSERT_MAY_GC(self) (thread/thread.h).
#ifndef HEAP_NO_GC_H
#define HEAP_NO_GC_H

#include "base/common.h"

#ifdef PELLUCID_DEBUG
// The function that opened the innermost scope of the calling thread; NULL: it is in none.
extern __thread const char *no_gc_scope __attribute__((tls_model("initial-exec")));
NO_GC_ACQUIRE static inline const char *no_gc_begin(const char *function)
{
    const char *outer = no_gc_scope;
    no_gc_scope = function;
    return outer;
}
NO_GC_RELEASE static inline void no_gc_end(const char **outer)
{
    no_gc_scope = *outer;
}
#    define NO_GC_SCOPE()           NO_GC_SCOPE_NAMED(__LINE__) // a variable for each line: scopes nest
#    define NO_GC_SCOPE_NAMED(line) NO_GC_SCOPE_OF(line)
#    define NO_GC_SCOPE_OF(line)    NO_GC_SCOPE_AS(no_gc_outer_##line##_)
#    define NO_GC_SCOPE_AS(name) \
        __attribute__((cleanup(no_gc_end))) UNUSED const char *name = no_gc_begin(__func__)
#    define ASSERT_GC_MAY()                                                           \
        do {                                                                          \
            if (UNLIKELY(no_gc_scope != NULL))                                        \
                vm_fatal("%s:%d: %s may collect, in the no-GC scope of %s", __FILE__, \
                         __LINE__, __func__, no_gc_scope);                            \
        } while (0)
#else
#    define NO_GC_SCOPE() \
        do {              \
        } while (0)
#    define ASSERT_GC_MAY() \
        do {                \
        } while (0)
#endif

#endif
