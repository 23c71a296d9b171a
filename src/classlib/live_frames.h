// SPDX-License-Identifier: Apache-2.0
// java.lang.LiveStackFrame: what the frames of a stack walk hold.
#ifndef CLASSLIB_LIVE_FRAMES_H
#define CLASSLIB_LIVE_FRAMES_H

#include "thread/frame.h"
#include "thread/thread.h"

// Sets locals, operands, monitors and mode of the LiveStackFrameInfo `info` to those of frame f of
// self. False with the exception pending.
NODISCARD MAY_GC bool live_frame_fill(Thread *self, jobject info, const Frame *f);

#endif
