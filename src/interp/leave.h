// SPDX-License-Identifier: Apache-2.0
// Frames that a tool makes leave early (JVM TI, PopFrame and Force Early Return). The frame is
// flagged; its thread does it when the frame would go on: before its next instruction, or when
// the call it waits in comes back.
#ifndef INTERP_LEAVE_H
#define INTERP_LEAVE_H

#include "class/class.h"

// ---- for tools; t is self or held, f its top frame, of Java code ----
// Whether a frame of t was already asked to leave. NO_GC.
bool leave_is_pending(const Thread *t);
// Whether the call that made f can be done again: its caller is Java code. NO_GC.
bool leave_can_pop(const Frame *f);
void leave_ask_pop(Thread *t, Frame *f);
// `value` fits the method's result type; a reference is any handle.
void leave_ask_return(Thread *t, Frame *f, jvalue value);

// ---- for the engine ----
// Pops frame f of self without an event: monitors are given back, the caller's operands are as
// before its call, with the arguments as they are now. Returns the caller, now on top. MAY_GC.
MAY_GC Frame *leave_by_pop(Thread *self, Frame *f);
// Takes the result that frame f of self is to return; it has left its synchronized blocks.
// References are raw. NO_GC.
Slot leave_take_result(Thread *self, Frame *f);

#endif
