// SPDX-License-Identifier: Apache-2.0
// Frames that a tool makes leave early (JVM TI, PopFrame and Force Early Return). The frame is
// flagged; its thread does it when the frame would go on: before its next instruction, or when
// the call it waits in comes back.
#ifndef INTERP_LEAVE_H
#define INTERP_LEAVE_H

#include "class/class.h"

// ---- Engine.frame_is_leaving, pop_frame, force_return ----
bool leave_is_pending(const Thread *t);
bool leave_ask_pop(Thread *t);
void leave_ask_return(Thread *t, jvalue value);

// ---- for the engine ----
// Pops frame f of self without an event: monitors are given back, the caller's operands are as
// before its call, with the arguments as they are now. Returns the caller, now on top. MAY_GC.
MAY_GC Frame *leave_by_pop(Thread *self, Frame *f);
// Takes the result that self's youngest frame is to return, which leaves its synchronized blocks. References
// are raw. MAY_GC.
MAY_GC Slot leave_take_result(Thread *self);

#endif
