// SPDX-License-Identifier: Apache-2.0
// Compiled code that calls may enter: it is published when all that it was made for holds, and retired, with the world
// stopped, when something does not hold any more (class/assumption.h), or by who is IN_VM when it is of no use.
//
// What is retired is entered by no call from then on, as whoever calls loads the entry of the method and enters it without a poll between;
// frames that are in it are deoptimized when they would go on (code/compiled_frame.h). It is freed in a stop of the world when no frame is in it, of any
// thread, hooked or parked, nobody is told of it just then, and no signal handler reads it; its place is used again when COMPILED_UNLOAD was posted.
//
// A method, or a loop, may have two codes: one of the version that posts METHOD_ENTRY and METHOD_EXIT, which is entered while somebody
// wants these of all threads, and a plain one, which is entered else. Both stay: to change that costs no compilation.
// Lock: RANK_COMPILE, inside; the list changes under it, by who is IN_VM.
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
    CompileTask task;  // by which it was asked for
    jmethodID id;      // of retired code: NULL: its method was named to nobody
    bool is_left;      // within installed_set_posts_calls: it was entered before
    bool is_retired;   // entered no more; while frames are in it, they end with its assumptions
    _Atomic bool told; // likewise: COMPILED_UNLOAD was posted, or nobody asks for it
} InstalledCode;

// The AssumptionKind that does not hold any more, or:
enum { RETIRED_DEOPTS = ASSUMPTION_COUNT }; // its frames are deoptimized too often
typedef int RetireReason;

typedef struct InstalledHooks {
    // Makes calls of the task's method, or its loop, enter the code, or the interpreter (NULL). False: it cannot be. Any thread, any lock up to RANK_DEPS
    // may be held. NO_GC.
    bool (*switch_entry)(const CompileTask *task, const CompiledCode *code);
    // Whether they enter code. Likewise.
    bool (*has_code)(const CompileTask *task);
    // The code was retired: before the record goes. The world is stopped, or self is IN_VM. NO_GC.
    void (*retired)(const InstalledCode *installed, RetireReason why);
    // Calls of the task's method, or its loop, enter no code, as the version of what was made for it is not, or no more, entered. The world is
    // stopped, or self is IN_VM. NO_GC.
    void (*left_out)(const CompileTask *task);
    // Behind a sweep; NULL: nobody asks. World stopped. NO_GC.
    void (*swept)(void);
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
// Whether code that posts calls is entered, and plain code is not. Changes with the world stopped.
bool installed_posts_calls(void);
// From now on it is, or is not; frames of the other version are deoptimized when they would go on. World stopped, or there are no threads
// yet. NO_GC.
void installed_set_posts_calls(bool posts);
// Retires code that was published, for RETIRED_DEOPTS. False: it was retired before. self is IN_VM. NO_GC.
bool installed_retire(Thread *self, const CompiledCode *code);
// Code that was made and is not to be published: to be freed. self is IN_VM. NO_GC.
void installed_discard(Thread *self, const CompiledCode *code);
// Whether there is much retired code. Any thread, as a guess.
bool installed_needs_sweep(void);
// Whether a sweep may free any. self is IN_VM, or the world is stopped. NO_GC.
bool installed_may_free(void);
// Frees retired code that is not run. World stopped, NO_GC.
void installed_sweep(void);
// Calls visit for each that is not retired, oldest last, under the lock. self is IN_VM. NO_GC.
void installed_each(Thread *self, void (*visit)(void *ctx, const InstalledCode *installed),
                    void *ctx);

#endif
