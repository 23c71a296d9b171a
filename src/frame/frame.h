// SPDX-License-Identifier: Apache-2.0
// Java frames. Each thread has one contiguous Java stack, apart from its C stack, that grows up:
//
//   | caller's operands: ... args | Frame | operands ... |
//                        ^locals            ^sp (first free slot)
//
// The arguments on the caller's operand stack become the first locals of the callee; further
// locals follow, then the Frame, then the operand stack. A long or double takes two slots, its
// value stands whole in the first one. Slots hold full object pointers. At every safepoint `pc`
// and `sp` of each frame are in memory: for the top frame `pc` is the instruction about to run
// (or running, when it called out), for the others the call instruction they wait in. A native
// method's frame has no operands and pc NULL; its reference arguments are handles to its
// locals. A frame with method NULL is the boundary of a call from C, or of a stretch of compiled frames, which lie on the
// C stack (code/compiled_code.h): Java frames that they call lie above it.
#ifndef FRAME_FRAME_H
#define FRAME_FRAME_H

#include "frame/insn.h"
#include "heap/handle.h"
#include "thread/slot.h"

enum {
    FRAME_NATIVE = 1,     // a native method
    FRAME_ENTRY = 2,      // boundary: C called Java
    FRAME_NOTIFY_POP = 4, // an agent asked for an event when the frame is popped
    FRAME_LOCKED = 8,     // a synchronized method whose monitor is recorded (held_monitors.h)
    FRAME_EVENT = 16,     // its entry was posted
    FRAME_POP = 32,       // to be popped when it would go on, its call done again
    FRAME_RETURN = 64,    // to return Thread.forced_result when it would go on
    FRAME_EXIT_REQUESTED = FRAME_POP | FRAME_RETURN,
    FRAME_UNLOCKED = 128,    // a synchronized method that exited its monitor by itself
    FRAME_EXIT_POSTED = 256, // it is being left, and METHOD_EXIT was posted
    FRAME_LINKED = 512,      // it has called by a MethodHandle.linkTo*: `linker` is set
    FRAME_COMPILED = 1024,   // with FRAME_ENTRY: the boundary of a stretch of compiled frames
    FRAME_BLOCK_MONITOR = 2048, // bits from this on count the monitors of its blocks
};
// Whether a frame has to look after monitors when it is left.
#define FRAME_MONITORS (FRAME_LOCKED | FRAME_UNLOCKED | ~(uint32_t)(FRAME_BLOCK_MONITOR - 1))
// What a frame has to do when it returns, beside going away.
#define FRAME_ON_LEAVE (FRAME_MONITORS | FRAME_NOTIFY_POP | FRAME_EVENT)

// A number of its thread's frames, which grows by FRAME_ID_STEP with each that is pushed: what lies between is for the
// frames of methods inlined in compiled code. 0 is no frame's.
typedef uint64_t FrameId;
enum { FRAME_ID_STEP = 256 };
enum {
    STEP_FROM_COMPILED = 1
}; // no frame's id. Thread.step_frame: the compiled frame that leaves next
#define PARKED_ID ((FrameId)1 << 62) // an id is of what was a compiled frame (FRAMES.md)

// All but frame/, interp/ and thread/ see frames through a FrameCursor (frame_cursor.h).
struct Frame {
    struct Frame *prev;
    Method *method;
    const Insn *pc;
    uint32_t flags; // FRAME_*, and the count of its blocks' monitors; beside what a trace reads
    Slot *locals;
    Slot *sp;
    FrameId id; // a boundary has 0
    union {
        HandleMark handles; // frame_has_handles: to pop to
        struct {            // FRAME_LINKED
            Object *
                linker; // the last operand of its last linkTo* call, which the callee did not get
            const Insn *linker_pc; // that call
        };
        struct
        { // FRAME_COMPILED: where the youngest frame of the stretch stands, while its code has called something
            const void *
                anchor_pc; // the return address in its code. NULL: the registers say where, if rip lies in
                           // compiled code, or the stretch has no frame
            uintptr_t anchor_rbp;
        };
        FrameId
            compiled_id; // `id` has PARKED_ID, and not FRAME_LINKED: its id when it was a compiled frame
    };
};

static inline Slot *frame_operands(Frame *f)
{
    return (Slot *)(void *)(f + 1);
}
// Whether `handles` says where the local references begin that were made in this frame, or by the C code that called Java.
static inline bool frame_has_handles(const Frame *f)
{
    return (f->flags & (FRAME_NATIVE | FRAME_ENTRY)) && !(f->flags & FRAME_COMPILED);
}
// The anchor of the boundary of a stretch of compiled frames. A signal handler of its thread may read it at any moment: it is
// there when anchor_pc is. NO_GC.
static inline void frame_anchor_set(Frame *boundary, const void *pc, uintptr_t rbp)
{
    VM_ASSERT((boundary->flags & FRAME_COMPILED) && pc);
    boundary->anchor_rbp = rbp;
    atomic_signal_fence(memory_order_release);
    boundary->anchor_pc = pc;
}
static inline void frame_anchor_clear(Frame *boundary)
{
    VM_ASSERT(boundary->flags & FRAME_COMPILED);
    boundary->anchor_pc = NULL;
}
// Bytecode index of a frame: -1 in native methods.
static inline int32_t frame_bci(const Frame *f)
{
    return f->pc ? f->pc->bci : -1;
}

#endif
