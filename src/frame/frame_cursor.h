// SPDX-License-Identifier: Apache-2.0
// The frames of a thread, for all who ask: a cursor goes from the youngest to the oldest and gives of each its method,
// bytecode index, kind, identity, values and monitors. It is the only way to frames outside frame/, thread/ and interp/
// (tools/check_frames.py), so that a frame need not be a struct Frame on the Java stack: one physical frame of
// compiled code is several frames here, one for each method inlined in it.
//
// The thread is self, in a handshake, or stopped with the world, as long as the cursor is used. Whatever may run Java
// code may move frames: after it a cursor has to be renewed.
#ifndef FRAME_FRAME_CURSOR_H
#define FRAME_FRAME_CURSOR_H

#include "arch/arch.h"
#include "frame/frame.h"
#include "thread/thread.h"

typedef enum FrameKind { KIND_INTERPRETED, KIND_NATIVE, KIND_COMPILED } FrameKind;

// What a slot of a frame holds where the frame stands. A wide value is followed by a NUMBER without a
// meaning; where paths that hold different kinds meet, it is a NUMBER without one too.
typedef enum SlotKind { SLOT_UNSET, SLOT_NUMBER, SLOT_WIDE, SLOT_REF, SLOT_RETURN } SlotKind;

// The frame of compiled code that a cursor stands at. It lies on the C stack; `scope` is which of its methods. Private to frame/
// and code/.
typedef struct CompiledPlace {
    const struct CompiledCode *code; // NULL: the cursor stands at another kind of frame
    const struct CodeSite
        *site; // where the frame stands; NULL: not at one, a signal handler has interrupted it
    uint32_t scope, state; // of the method, as code/compiled_code.h has them
    const struct ParkedFrame
        *parked; // what the walk has come to instead; NULL: the frame is not parked
    uintptr_t rbp;
    uintptr_t up_pc, up_rbp; // return address, and the caller's rbp
    uintptr_t begin,
        end; // frames lie between; end 0: the thread stands still, at a site. Else nothing is believed
} CompiledPlace;

typedef struct FrameCursor {
    Method *method; // NULL: behind the oldest frame; nothing else holds then
    int32_t bci;    // -1 in a native method
    int32_t depth;  // the youngest frame has 0
    FrameKind kind;
    // private to frame/ and interp/
    const Thread *thread;
    Frame *frame;   // of a compiled frame the boundary of its stretch
    uint32_t epoch; // Thread.stack_epoch
    CompiledPlace compiled;
} FrameCursor;

// ---- walking; NO_GC, and async-signal-safe on self ----

// To the youngest frame of the stretch that f is the boundary of, or, when it has none, to the next older frame. False:
// there is none.
COLD bool cursor_into_stretch(FrameCursor *c, Frame *f);
// From a compiled frame to the next older frame. False: there is none.
bool cursor_within_stretch(FrameCursor *c);

// The cursor, which stands at no compiled frame, stands at f.
static inline void cursor_stand_at(FrameCursor *c, Frame *f)
{
    c->frame = f;
    c->method = f->method;
    c->bci = frame_bci(f);
    c->kind = f->flags & FRAME_NATIVE ? KIND_NATIVE : KIND_INTERPRETED;
}
// The cursor stands at f or at the next older frame of a method.
static inline bool cursor_stand(FrameCursor *c, Frame *f)
{
    while (UNLIKELY(f && !f->method)) {
        if (f->flags & FRAME_COMPILED)
            return cursor_into_stretch(c, f);
        f = f->prev;
    }
    c->compiled.code = NULL;
    if (UNLIKELY(!f)) {
        c->frame = NULL;
        c->method = NULL;
        return false;
    }
    cursor_stand_at(c, f);
    return true;
}
// The youngest frame. False: t has none.
static inline bool cursor_first(FrameCursor *c, const Thread *t)
{
    c->depth = 0;
    c->thread = t;
    c->epoch = t->stack_epoch;
    c->compiled.end = 0;
    return cursor_stand(c, t->frame);
}
// The youngest frame of a thread that a signal has interrupted, whose registers `at` has (NULL: they are unknown). Exact at every
// instruction of generated code; what does not look like compiled frames ends their stretch. A signal handler of t,
// or t is halted. Async-signal-safe.
bool cursor_first_interrupted(FrameCursor *c, const Thread *t, const ArchPlace *at);
// The next older frame. False: there is none.
static inline bool cursor_older(FrameCursor *c)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    c->depth++;
    if (c->compiled.code)
        return cursor_within_stretch(c);
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

enum { COMPILED_ID_SHIFT = 16 };       // a frame's scopes have the lower bits
#define COMPILED_ID ((FrameId)1 << 63) // an id is of a compiled frame
static inline FrameId compiled_frame_id(const FrameCursor *c)
{
    const uintptr_t top = (uintptr_t)1 << 47; // of what a process has of addresses
    VM_ASSERT(c->compiled.rbp % 8 == 0 && c->compiled.scope < 1u << COMPILED_ID_SHIFT);
    return COMPILED_ID | (top - c->compiled.rbp) / 8 << COMPILED_ID_SHIFT | c->compiled.scope;
}
// Of an interpreted or native frame: no other frame of the thread has it, ever. Of a compiled one: no other frame has it while
// this one is there; it is made of the frame's place, and a parked frame is found by the one that it had, too. Of compiled frames, and of
// those that are neither compiled nor were parked, the older has the lower one. 0 is no frame's.
static inline FrameId cursor_id(const FrameCursor *c)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    return UNLIKELY(c->compiled.code != NULL) ? compiled_frame_id(c) : c->frame->id;
}
// The frame with an id. False: it is there no more.
bool cursor_find(FrameCursor *c, const Thread *t, FrameId id);
// After what may have run Java code: the cursor, whose id was `id`, again at its frame, and what it reports as it is
// now. The frame is there.
void cursor_renew(FrameCursor *c, FrameId id);

// ---- values ----
// Slots count from the first local; behind the locals follow the operands, from the bottom. A slot's kind is given by
// the engine that made the frame (FrameMaps, CompiledFrames); of native methods, which have their arguments alone, by the
// method's descriptor, which the caller knows.

// How many locals the frame has, and how many operands: those of a call in progress belong to the callee.
uint32_t cursor_local_count(const FrameCursor *c);
uint32_t cursor_operand_count(const FrameCursor *c);
// Of an interpreted or compiled frame. UNSET also of a slot that it does not have.
SlotKind cursor_slot_kind(const FrameCursor *c, uint32_t slot);
// To be called before values are read: objects that compiled code has not made, and the frame or one that it is one piece with names, are
// made; c may stand at an interpreted frame then. NO_GC.
void cursor_settle(FrameCursor *c);
// The same for all frames of all threads, before who walks through the heap. False: the heap has no room for those objects, and none was made.
// World stopped. NO_GC.
NODISCARD bool frames_settle(void);
// The slot must be there; references are raw. NO_GC.
Slot cursor_value(const FrameCursor *c, uint32_t slot);
// The frame, which is no native method's, can be changed from now on: written to, left early, asked for FRAME_POP. A compiled one is
// parked for that: c stands at an interpreted frame then. Any number of threads may do it to one in a handshake. NO_GC.
void cursor_own(FrameCursor *c);
// IN: an interpreted frame.
void cursor_set_value(const FrameCursor *c, uint32_t slot, Slot value);

// ---- what tools ask for ----

// Whether the frame holds a monitor (held_monitors.h says which).
bool cursor_holds_monitors(const FrameCursor *c);
// Whether the thread runs this frame's method itself, and no C code that was called from it.
bool cursor_is_current(const FrameCursor *c);
// The instruction where an interpreted frame stands; NULL: the frame is another one's.
const Insn *cursor_insn(const FrameCursor *c);
// Calls visit for the frame's method; of the oldest frame that is one piece of compiled code also for all others
// that the code may run. NO_GC.
void cursor_each_method(const FrameCursor *c, void (*visit)(void *ctx, Method *m), void *ctx);
// Each frame of t gets the version of its method that version_of has for it, with the same code; likewise what
// cursor_each_method names. World stopped.
void frames_set_methods(Thread *t, Method *(*version_of)(Method *m));
// FRAME_POP is posted when the frame is left. IN: an interpreted frame.
void cursor_notify_pop(const FrameCursor *c);
// Single-stepping of t begins: the place where it stands is reported no more.
void frames_begin_step(Thread *t);

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
    bool (*is_synchronized)(const Method *m);
} FrameMaps;
void frame_set_maps(const FrameMaps *maps);
extern FrameMaps frame_maps;

// What a frame of compiled code has where it stands.
typedef struct CompiledShape {
    uint32_t locals, operands, locks; // slots; monitors that it holds
} CompiledShape;
typedef struct FramePlace {
    Method *method;
    int32_t bci;
} FramePlace;
typedef void (*SlotIndexVisitor)(void *ctx, Object **slot, uint32_t index);
// What only code/ knows of frames of compiled code. All NO_GC; the first four async-signal-safe. c stands at a compiled frame, but
// where else is said.
typedef struct CompiledFrames {
    // The youngest frame of the stretch of c->frame, c->compiled.end being set. `at`: as in cursor_first_interrupted; NULL: by the
    // boundary's anchor. False: there is none, and c->frame is what comes next: what a parked frame has become, or what is older than the
    // boundary.
    bool (*first)(FrameCursor *c, const ArchPlace *at);
    // The next older frame of the stretch. False: as above.
    bool (*older)(FrameCursor *c);
    // The same as often as it takes to pass `max` frames (1 or more), or fewer, from c on, which `out` gets. How many; c is where
    // cursor_older would have brought it.
    uint32_t (*trace)(FrameCursor *c, uint32_t max, FramePlace *out);
    Method *(*method)(const FrameCursor *c); // as it is now
    CompiledShape (*shape)(const FrameCursor *c);
    SlotKind (*slot_kind)(const FrameCursor *c, uint32_t slot);
    Slot (*value)(const FrameCursor *c, uint32_t slot);
    // What the slots of the frame hold that are references: copies.
    void (*visit_values)(const FrameCursor *c, SlotIndexVisitor visit, void *ctx);
    // Each place of a stretch that holds a reference, once; none if visit is NULL. Gives what comes next, as `first` does.
    Frame *(*visit_roots)(const Frame *boundary, RefVisitor visit, void *ctx);
    void (*own)(FrameCursor *c);              // cursor_own
    bool (*is_settled)(const FrameCursor *c); // cursor_settle has nothing to do
    // What cursor_settle takes of the heap at most; 0 for frames that are inlined in others, which count for them.
    size_t (*unmade_bytes)(const FrameCursor *c);
    // The methods that the piece of compiled code may run; NULL: there are no more.
    Method *(*method_at)(const FrameCursor *c, uint32_t i);
    void (*set_method_at)(const FrameCursor *c, uint32_t i, Method *m); // world stopped
} CompiledFrames;
// Once, before there is compiled code. Until then no stretch has a frame.
void frame_set_compiled(const CompiledFrames *frames);
extern CompiledFrames compiled_frames;
// The frame, or boundary, that comes behind f and, if f is the boundary of a stretch, its compiled frames.
static inline Frame *frame_behind(const Frame *f)
{
    return f->flags & FRAME_COMPILED ? compiled_frames.visit_roots(f, NULL, NULL) : f->prev;
}
// Whether c, at a compiled frame, stands at the oldest that is one piece of compiled code with it.
static inline bool cursor_is_outermost(const FrameCursor *c)
{
    VM_ASSERT(c->compiled.code);
    return c->compiled.scope == 0;
}

// ---- traces ----

// One frame of a trace; 0: it is skipped.
ALWAYS_INLINE uint32_t frames_trace_one(bool (*skips)(const FrameCursor *c),
                                        void (*put)(void *ctx, const FrameCursor *c), void *ctx,
                                        const FrameCursor *c)
{
    if (skips && skips(c))
        return 0;
    if (put)
        put(ctx, c);
    return 1;
}
// The compiled frame that c stands at.
ALWAYS_INLINE uint32_t frames_trace_compiled(FrameCursor *c,
                                             bool (*skips)(const FrameCursor *c),
                                             void (*put)(void *ctx, const FrameCursor *c),
                                             void *ctx)
{
    uint32_t n = frames_trace_one(skips, put, ctx, c);
    (void)!cursor_older(c);
    return n;
}
// Some compiled frames from c on.
ALWAYS_INLINE uint32_t frames_trace_places(FrameCursor *c, uint32_t max,
                                           bool (*skips)(const FrameCursor *c),
                                           void (*put)(void *ctx, const FrameCursor *c),
                                           void *ctx)
{
    enum { SOME = 64 };
    FramePlace places[SOME];
    FrameCursor at = {.kind = KIND_COMPILED, .depth = c->depth};
    uint32_t count = compiled_frames.trace(c, MIN_OF(max, (uint32_t)SOME), places), n = 0;
    for (uint32_t i = 0; i < count; i++, at.depth++) {
        at.method = places[i].method;
        at.bci = places[i].bci;
        n += frames_trace_one(skips, put, ctx, &at);
    }
    return n;
}
// The frames that are not compiled, from c on up to one that is.
ALWAYS_INLINE uint32_t frames_trace_others(FrameCursor *c, uint32_t max,
                                           bool (*skips)(const FrameCursor *c),
                                           void (*put)(void *ctx, const FrameCursor *c),
                                           void *ctx)
{
    FrameCursor at = {c->method, c->bci,   c->depth, c->kind,
                      c->thread, c->frame, c->epoch, {0}}; // in registers
    Frame *older;
    uint32_t n = 0;
    for (;;) {
        n += frames_trace_one(skips, put, ctx, &at);
        at.depth++;
        older = at.frame->prev;
        if (n == max || !older || !older->method)
            break;
        cursor_stand_at(&at, older);
    }
    c->depth = at.depth;
    (void)!cursor_stand(c, older);
    return n;
}
// Gives `put` the frames from c on, from the youngest to the oldest, but those of which `skips` (NULL: none) is
// true; at most `max`. How many it were; c stands behind them. `put` NULL passes over them. NO_GC, as all of these.
// Inlined, and `put` with it: a trace of a thousand frames is two loads and a store each.
ALWAYS_INLINE uint32_t frames_trace(FrameCursor *c, uint32_t max,
                                    bool (*skips)(const FrameCursor *c),
                                    void (*put)(void *ctx, const FrameCursor *c), void *ctx)
{
    uint32_t n = 0;
    while (c->method && n < max)
        n += c->compiled.code ? frames_trace_compiled(c, skips, put, ctx)
                              : frames_trace_others(c, max - n, skips, put, ctx);
    return n;
}
// The same for who asks a cursor for method, bytecode index, depth and kind alone.
ALWAYS_INLINE uint32_t frames_trace_methods(FrameCursor *c, uint32_t max,
                                            bool (*skips)(const FrameCursor *c),
                                            void (*put)(void *ctx, const FrameCursor *c),
                                            void *ctx)
{
    uint32_t n = 0;
    while (c->method && n < max)
        n += c->compiled.code ? frames_trace_places(c, max - n, skips, put, ctx)
                              : frames_trace_others(c, max - n, skips, put, ctx);
    return n;
}

#endif
