// SPDX-License-Identifier: Apache-2.0
// Compiled code that calls may enter: it is published when all that it was made for holds, and retired, with the world
// stopped, when something does not hold any more (class/assumption.h), or by who is IN_VM when it is of no use.
//
// What is retired is entered by no call from then on, as whoever calls loads the entry of the method and enters it without a poll between;
// frames that are in it leave when they would go on (code/compiled_frame.h). The code itself is never freed (code/code_cache.h).
// Lock: RANK_COMPILE, inside; the list changes under it.
#ifndef JIT_INSTALLED_CODE_H
#define JIT_INSTALLED_CODE_H

#include "base/vec.h"
#include "class/assumption.h"
#include "code/compiled_code.h"
#include "jit/compile_queue.h"

typedef VEC(Assumption) Assumptions;

typedef struct InstalledCode {
    Dependent dependent; // first
    struct InstalledCode *next, *prev;
    const CompiledCode *code;
    CompileTask task; // by which it was asked for
} InstalledCode;

// The AssumptionKind that does not hold any more, or:
enum { RETIRED_LEAVES = ASSUMPTION_COUNT }; // frames leave it too often
typedef int RetireReason;

typedef struct InstalledHooks {
    // Makes calls of the task's method, or its loop, enter the code, or the interpreter (NULL). False: it cannot be. Any thread, any lock up to RANK_DEPS
    // may be held. NO_GC.
    bool (*switch_entry)(const CompileTask *task, const CompiledCode *code);
    // The code was retired: before the record goes. The world is stopped, or self is IN_VM. NO_GC.
    void (*retired)(const InstalledCode *installed, RetireReason why);
} InstalledHooks;
// Once, before code is published.
void installed_init(const InstalledHooks *hooks);

typedef enum PublishResult {
    PUBLISHED,
    PUBLISH_CHANGED, // something does not hold any more
    PUBLISH_NO_ROOM, // its calls cannot be switched
} PublishResult;
// Makes calls of the task's method, or its loop, enter code that was made for these assumptions, of which there is one at least: that the method has this
// body. self is IN_VM; what the code names was kept since it began to compile (graph_keep). NO_GC.
NODISCARD PublishResult installed_publish(Thread *self, const CompiledCode *code,
                                          const CompileTask *task, const Assumptions *made_for);
// Retires code that was published, for RETIRED_LEAVES. False: it was retired before. self is IN_VM. NO_GC.
bool installed_retire(Thread *self, const CompiledCode *code);
// Calls visit for each that is not retired, oldest last, under the lock. self is IN_VM. NO_GC.
void installed_each(Thread *self, void (*visit)(void *ctx, const InstalledCode *installed),
                    void *ctx);

#endif
