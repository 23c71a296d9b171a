// SPDX-License-Identifier: Apache-2.0
// PopFrame and Force Early Return (JVM TI). The frame is
// flagged; its thread does it when the frame would go on: before its next instruction, or when
// the call it waits in comes back.
#ifndef INTERP_FRAME_EXIT_H
#define INTERP_FRAME_EXIT_H

#include "class/class.h"

// ---- Engine.frame_exit_is_requested, pop_frame, force_return ----
bool frame_exit_is_requested(const Thread *t);
bool pop_frame_request(Thread *t);
void force_return_request(Thread *t, jvalue value);

// ---- for the engine ----
// Pops frame f of self without an event: monitors are given back, the caller's operands are as
// before its call, with the arguments as they are now. Returns the caller, now on top: it may be the boundary of compiled frames, with
// the arguments as operands and FRAME_POP. MAY_GC.
MAY_GC Frame *pop_frame_perform(Thread *self, Frame *f);
// Puts the operands of a frame's call back, of which the callee had its arguments, so many words. NO_GC.
void restore_operands(Frame *caller, const Slot *arguments, uint32_t words);
// Takes the result that self's youngest frame is to return, which leaves its synchronized blocks. References
// are raw. MAY_GC.
MAY_GC Slot force_return_take_result(Thread *self);

#endif
