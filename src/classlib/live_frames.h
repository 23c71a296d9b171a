// SPDX-License-Identifier: Apache-2.0
// java.lang.LiveStackFrame: what the frames of a stack walk hold.
#ifndef CLASSLIB_LIVE_FRAMES_H
#define CLASSLIB_LIVE_FRAMES_H

#include "frame/frame_cursor.h"

// Sets locals, operands, monitors and mode of the LiveStackFrameInfo `info` to those of the frame of
// self at which f stands, which is renewed. False with the exception pending.
NODISCARD MAY_GC bool live_frame_fill(Thread *self, jobject info, FrameCursor *f);

#endif
