// SPDX-License-Identifier: Apache-2.0
// Methods that wait to be compiled, the heaviest first, and each for one of its loops at most: that where it was seen last, as code for it
// is likely to be that of the loops behind it, too. Lock: RANK_COMPILE, inside. A task keeps no class alive: when its class is
// unloaded it is gone.
#ifndef JIT_COMPILE_QUEUE_H
#define JIT_COMPILE_QUEUE_H

#include "base/strbuf.h"
#include "class/class.h"

typedef struct CompileTask {
    Method *method;
    int32_t osr_bci; // JIT_NO_OSR: calls enter
    uint32_t id;     // from 1, in the order in which methods were asked for
    uint32_t weight; // when it was asked for
    uint8_t level;
    bool blocking; // the thread that runs it compiles it
} CompileTask;

// Once, before the first class is loaded.
void compile_queue_init(void);
// Adds a copy and wakes who waits. The loop of the method that waited until now, and does no longer; JIT_NO_OSR: there is none. Thread-safe,
// NO_GC.
int32_t compile_queue_add(const CompileTask *task);
// Takes the heaviest. False: there is none. self is IN_VM until it is done with the method. NO_GC.
NODISCARD bool compile_queue_take(Thread *self, CompileTask *out);
// Waits until there is a task, in a safe state, at most so long (< 0: for ever). MAY_GC.
MAY_GC void compile_queue_wait(Thread *self, int64_t nanos);
// How many there are, as a guess. NO_GC.
uint32_t compile_queue_length(void);
// Calls visit for each, in the order of asking, under the lock; self is IN_VM. NO_GC.
void compile_queue_each(Thread *self, void (*visit)(void *ctx, const CompileTask *task),
                        void *ctx);

#endif
