// SPDX-License-Identifier: Apache-2.0
// Frames of compiled code, for cursors and visitors of roots (frame/frame_cursor.h, CompiledFrames).
//
// A stretch of them begins at the anchor of its boundary, or, while a signal handler looks, at the registers: wherever rip is in
// generated code. Each has its return address right below the outgoing words of its caller, whose frame's size is known. So
// in a stub, which may have anything on the stack, the youngest frame is found by the one word that fits.
#ifndef CODE_COMPILED_FRAME_H
#define CODE_COMPILED_FRAME_H

#include "code/compiled_code.h"

// All frames of the code are deoptimized when they would go on. World stopped. NO_GC.
void compiled_hook_frames(const CompiledCode *code);
// The same of all frames of the other version than that which posts calls, or does not.
void compiled_hook_others(bool posts_calls);

// Sets CompiledCode.is_run of each code that a frame of a thread is in, hooked, parked or at its entry's poll. World stopped. NO_GC.
void compiled_find_run(void);

// Makes of a frame of t, which stands at a site, what it is when it is parked (ParkedFrame): all but `pc` and what of `older` says
// where that is. NO_GC.
typedef ParkedFrame *FrameParker(Thread *t, const CompiledCode *code, const CodeSite *site,
                                 uintptr_t rbp);
// Bytes of the objects that a frame whose state has `first` as its virtuals_at has not made. NO_GC.
typedef size_t UnmadeSizer(const CompiledCode *code, uint32_t first);
// The engine's. Once, before there is compiled code.
void compiled_frames_set_parker(FrameParker *parker, UnmadeSizer *sizer);

// Registers them. Once, before there is compiled code.
void compiled_frames_init(void);

#endif
