// SPDX-License-Identifier: Apache-2.0
// Frames that move, to find who keeps a pointer to a frame or slot across what may run Java code. In every build
// but release, when the environment has PELLUCID_MOVE_STACK=n: each call from C moves the frames of its
// thread to another place, and so does each n-th call from Java code (0: none). What was there is poisoned, so
// that a pointer into it fails at its first use.
//
// A thread then has several Java stacks of one size. A frame moves to the next of them, at the same offset: as the
// offsets of live frames grow from the oldest to the youngest whichever stacks they lie in, none gets into another's
// place. Frames of native methods stay: native code has handles to their arguments. Frames below them
// move all the same. So callees do not always lie behind their callers, which nothing may rely on:
// where a caller's operands end is Frame.sp.
//
// What is adjusted: Thread.frame, the stack's limits, Frame.prev, locals and sp. No other pointer to a frame or slot may
// exist across a call into Java: not in C variables (the engine reads Thread.frame again), not as handles to slots
// of Java methods, not in tools' structures. Those keep Frame.id, or a cursor that is renewed.
#ifndef FRAME_MOVE_STACK_H
#define FRAME_MOVE_STACK_H

#include "frame/frame.h"
#include "thread/thread.h"

#ifdef PELLUCID_DEBUG
// Reads the setting. Before the first thread.
void move_stack_init(void);
extern bool move_stack_on;
static inline bool move_stack_is_on(void)
{
    return UNLIKELY(move_stack_on);
}
// Self's youngest frame is about to call, its sp behind the arguments: moves frames if it is time to. NO_GC.
COLD void move_stack_at_call(Thread *self);
// The limits of self's stack become those of the one that its youngest frame lies in. NO_GC.
COLD void move_stack_follow_frame(Thread *self);
static inline void move_stack_follow(Thread *self)
{
    if (move_stack_is_on())
        move_stack_follow_frame(self);
}
#else
static inline void move_stack_init(void) {}
static inline void move_stack_follow(Thread *self)
{
    (void)self;
}
#endif

#endif
