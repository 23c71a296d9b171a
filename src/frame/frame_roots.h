// SPDX-License-Identifier: Apache-2.0
// The roots of a thread's stack: slots of its frames that hold references, and the handles of its native methods.
// The thread is in a safe state, or self. NO_GC, as are all visitors.
#ifndef FRAME_FRAME_ROOTS_H
#define FRAME_FRAME_ROOTS_H

#include "frame/frame_cursor.h"

// Visits every slot of a thread's frames that holds a reference (ThreadHooks.visit_frames).
void frames_visit(Thread *t, RefVisitor visit, void *ctx);

// Where a root of a stack lies, for visitors that report it.
typedef enum FrameRootKind {
    FRAME_ROOT_LOCAL,    // of a Java method
    FRAME_ROOT_OPERAND,  // likewise
    FRAME_ROOT_ARGUMENT, // of a native method
    FRAME_ROOT_HANDLE, // a local reference of a native method, or of native code below all frames
    FRAME_ROOT_VM,     // the VM's own
} FrameRootKind;
typedef struct FrameRoot {
    FrameRootKind kind;
    int32_t depth;  // of its frame: the youngest has 0; -1: no frame's
    int32_t index;  // of the slot in its frame: locals first, then operands from the bottom
    int32_t bci;    // where the frame stands; -1 in a native method
    Method *method; // NULL: no frame's
} FrameRoot;
typedef void (*FrameRootVisitor)(void *ctx, Object **slot, const FrameRoot *root);
// What the slots of methods hold, from the youngest frame to the oldest, in time proportional to the frames and their
// slots. `root` is good during the call only; `slot` is to be read, not written: of a compiled frame it is a copy.
void frames_visit_roots(Thread *t, FrameRootVisitor visit, void *ctx);
// The same of the handles of a thread, but for the class that a static native method was given: that is an argument.
void frames_visit_handles(Thread *t, FrameRootVisitor visit, void *ctx);

#endif
