// SPDX-License-Identifier: Apache-2.0
// One compilation: from a method to code that calls of it may enter.
#ifndef JIT_COMPILE_H
#define JIT_COMPILE_H

#include "class/class.h"
#include "jit/installed_code.h"
#include "jit/ir.h"

enum { JIT_NO_OSR = -1 };

typedef struct JitResult {
    const char *refused;  // why there is no code: a constant text; NULL: there is
    bool no_room;         // because the code cache is full, or there is none
    bool changed;         // because a class was redefined meanwhile
    bool no_memory;       // because the system refuses memory
    uint64_t nanos;       // of CPU
    uint64_t bytes;       // of the bytecodes of the method and of those inlined in it
    Assumptions made_for; // what the code was made for; the caller frees it
} JitResult;

typedef struct JitRequest {
    int32_t
        osr_bci; // the loop header that is entered in the middle of an activation; JIT_NO_OSR: calls enter
    BuildOptions options;
    bool aside; // only the graph is built IN_VM; the world may be stopped during the rest
    struct View *view; // jit/view.h; NULL: nobody looks; not with `aside`
    JitResult *result; // what came of it; all 0 at first
} JitRequest;

// Compiles m, which has decoded code. What comes back is not published. NULL: request->result says why. self is IN_VM, without locks
// that rank before RANK_DEPS; thread-safe. NO_GC, but MAY_GC if `aside`; then what the code is made for is kept until the enclosing
// HANDLE_SCOPE ends.
NODISCARD const CompiledCode *jit_compile(Thread *self, Method *m, const JitRequest *request);

#endif
