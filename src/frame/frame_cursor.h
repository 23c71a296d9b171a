// SPDX-License-Identifier: Apache-2.0
// The frames of a thread, for all who ask: a cursor goes from the youngest to the oldest and gives of each its method,
// bytecode index, kind, identity, values and monitors. It is the only way to frames outside frame/, thread/ and interp/
// (tools/check_frames.py), so that a frame need not be a struct Frame on the Java stack: one physical frame of
// compiled code will be several frames here, one for each method inlined in it.
//
// The thread is self, held, or stopped with the world, as long as the cursor is used. Whatever may run Java
// code may move frames: after it a cursor has to be renewed.
#ifndef FRAME_FRAME_CURSOR_H
#define FRAME_FRAME_CURSOR_H

#include "frame/frame.h"
#include "thread/thread.h"

typedef enum FrameKind { KIND_INTERPRETED, KIND_NATIVE } FrameKind;

// What a slot of a frame holds where the frame stands. A wide value is followed by a NUMBER without a
// meaning; where paths that hold different kinds meet, it is a NUMBER without one too.
typedef enum SlotKind { SLOT_UNSET, SLOT_NUMBER, SLOT_WIDE, SLOT_REF, SLOT_RETURN } SlotKind;

typedef struct FrameCursor {
    Method *method; // NULL: behind the oldest frame; nothing else holds then
    int32_t bci;    // -1 in a native method
    int32_t depth;  // the youngest frame has 0
    FrameKind kind;
    // private to frame/ and interp/
    const Thread *thread;
    Frame *frame;
    uint32_t epoch; // Thread.stack_epoch
} FrameCursor;

// ---- walking; NO_GC, and async-signal-safe on self ----

// The cursor stands at f or at the next older frame of a method.
static inline bool cursor_stand(FrameCursor *c, Frame *f)
{
    f = c->frame = frame_first(f);
    c->method = f ? f->method : NULL;
    if (!f)
        return false;
    c->bci = frame_bci(f);
    c->kind = f->flags & FRAME_NATIVE ? KIND_NATIVE : KIND_INTERPRETED;
    return true;
}
// The youngest frame. False: t has none.
static inline bool cursor_first(FrameCursor *c, const Thread *t)
{
    *c = (FrameCursor){.thread = t, .epoch = t->stack_epoch};
    return cursor_stand(c, t->frame);
}
// The next older frame. False: there is none.
static inline bool cursor_older(FrameCursor *c)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    c->depth++;
    return cursor_stand(c, c->frame->prev);
}
// for each frame of t, from the youngest on: FRAMES_EACH(c, t) { ... c.method ... }
#define FRAMES_EACH(c, t) \
    for (FrameCursor c = cursor_youngest(t); c.method; (void)!cursor_older(&(c)))
static inline FrameCursor cursor_youngest(const Thread *t)
{
    FrameCursor c;
    (void)!cursor_first(&c, t);
    return c;
}
// The frame at a depth. False: there is none, or depth < 0.
bool cursor_at(FrameCursor *c, const Thread *t, int32_t depth);
// At most max.
int32_t frames_count(const Thread *t, int32_t max);

// ---- identity ----

// No other frame of the thread has it, ever; it grows with the stack. 0 is no frame's.
static inline FrameId cursor_id(const FrameCursor *c)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    return c->frame->id;
}
// The frame with an id. False: it is there no more.
bool cursor_find(FrameCursor *c, const Thread *t, FrameId id);
// After what may have run Java code: the cursor, whose id was `id`, again at its frame, and what it tells as it is
// now. The frame is there.
void cursor_renew(FrameCursor *c, FrameId id);

// ---- values ----
// Slots count from the first local; behind the locals follow the operands, from the bottom. A slot's kind is told by
// the engine that made the frame (FrameMaps); of native methods, which have their arguments alone, by the
// method's descriptor, which the caller knows.

// How many locals the frame has, and how many operands: those of a call in progress belong to the callee.
uint32_t cursor_local_count(const FrameCursor *c);
uint32_t cursor_operand_count(const FrameCursor *c);
// Of an interpreted frame. UNSET also of a slot that it does not have.
SlotKind cursor_slot_kind(const FrameCursor *c, uint32_t slot);
// The slot must be there; references are raw. NO_GC.
Slot cursor_value(const FrameCursor *c, uint32_t slot);
void cursor_set_value(const FrameCursor *c, uint32_t slot, Slot value);

// ---- what tools ask for ----

// Whether the frame holds a monitor (held_monitors.h says which).
bool cursor_holds_monitors(const FrameCursor *c);
// Whether the thread runs this frame's method itself, and no C code that was called from it.
bool cursor_is_current(const FrameCursor *c);
// The instruction where an interpreted frame stands; NULL: the frame is another one's.
const Insn *cursor_insn(const FrameCursor *c);
// The frame's method is another version of it from now on, with the same code. World stopped.
void cursor_set_method(const FrameCursor *c, Method *m);
// FRAME_POP is posted when the frame is left. It is of a Java method.
void cursor_notify_pop(const FrameCursor *c);
// Single-stepping of t begins: the place where it stands is reported no more.
void frames_begin_step(Thread *t);

// ---- traces ----

// Gives `put` the frames from c on, from the youngest to the oldest, but those of which `skips` (NULL: none) is
// true; at most `max`. How many it were; c stands behind them. `put` NULL passes over them. NO_GC, as both functions.
// Inlined, and `put` with it: a trace of a thousand frames is two loads and a store each.
ALWAYS_INLINE uint32_t frames_trace(FrameCursor *c, uint32_t max,
                                    bool (*skips)(const FrameCursor *c),
                                    void (*put)(void *ctx, const FrameCursor *c), void *ctx)
{
    uint32_t n = 0;
    FrameCursor at = *c; // in registers
    for (; at.method && n < max; (void)!cursor_older(&at)) {
        if (skips && skips(&at))
            continue;
        if (put)
            put(ctx, &at);
        n++;
    }
    *c = at;
    return n;
}

// ---- for the engine ----
// What the slots of an interpreted frame hold where it stands; good as long as its method.
typedef struct FrameMap {
    const uint8_t *kinds; // SlotKind; the locals, then the operands. NULL: no path leads there
    uint32_t locals;
    uint32_t depth; // operands, with those of the call that the frame waits in
} FrameMap;
// What only the engine that made a frame knows of it. All NO_GC.
typedef struct FrameMaps {
    FrameMap (*map_of)(const Frame *f);
    // Visits the slots of the arguments of a native method's frame that are references.
    void (*visit_arguments)(Frame *f, void (*visit)(void *ctx, Object **slot, uint32_t index),
                            void *ctx);
    // The mirror that f's method, a static native one, was given; NULL: it is another one.
    const Object *(*class_argument)(const Frame *f);
} FrameMaps;
void frame_set_maps(const FrameMaps *maps);
extern FrameMaps frame_maps;

#endif
