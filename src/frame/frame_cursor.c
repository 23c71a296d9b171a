// SPDX-License-Identifier: Apache-2.0
// See frame_cursor.h.
#include "frame/frame_cursor.h"

FrameMaps frame_maps;

void frame_set_maps(const FrameMaps *maps)
{
    VM_ASSERT(maps->map_of && maps->visit_arguments);
    frame_maps = *maps;
}

// ---- stretches of compiled frames ----

static bool no_frame(FrameCursor *c, const ArchPlace *at)
{
    (void)at;
    c->frame = c->frame->prev;
    return false;
}

static Frame *no_roots(const Frame *boundary, RefVisitor visit, void *ctx)
{
    (void)visit, (void)ctx;
    return boundary->prev;
}

CompiledFrames compiled_frames = {.first = no_frame, .visit_roots = no_roots};

void frame_set_compiled(const CompiledFrames *frames)
{
    VM_ASSERT(frames->first && frames->older && frames->trace);
    compiled_frames = *frames;
}

bool cursor_into_stretch(FrameCursor *c, Frame *f)
{
    VM_ASSERT(f->flags & FRAME_COMPILED);
    c->frame = f;
    c->kind = KIND_COMPILED;
    return compiled_frames.first(c, NULL) || cursor_stand(c, c->frame);
}

bool cursor_within_stretch(FrameCursor *c)
{
    VM_ASSERT(c->compiled.code);
    return compiled_frames.older(c) || cursor_stand(c, c->frame);
}

bool cursor_first_interrupted(FrameCursor *c, const Thread *t, const ArchPlace *at)
{
    *c = (FrameCursor){.thread = t, .epoch = t->stack_epoch};
    c->compiled.begin = at ? at->sp - sizeof(uintptr_t) : 0; // a return took the last word
    c->compiled.end = (uintptr_t)t->c_stack_high;
    Frame *f = t->frame;
    if (!at || !f || !(f->flags & FRAME_COMPILED))
        return cursor_stand(c, f);
    c->frame = f;
    c->kind = KIND_COMPILED;
    return compiled_frames.first(c, at) || cursor_stand(c, c->frame);
}

bool cursor_at(FrameCursor *c, const Thread *t, int32_t depth)
{
    ASSERT_STILL(t);
    bool found = cursor_first(c, t);
    while (found && depth-- > 0)
        found = cursor_older(c);
    return found;
}

int32_t frames_count(const Thread *t, int32_t max)
{
    VM_ASSERT(max >= 0);
    FrameCursor c = cursor_youngest(t);
    return (int32_t)frames_trace_methods(&c, (uint32_t)max, NULL, NULL, NULL);
}

static bool has_id(const FrameCursor *c, FrameId id)
{
    if (cursor_id(c) == id)
        return true;
    bool was_compiled = !c->compiled.code && (c->frame->id & PARKED_ID);
    return was_compiled && !(c->frame->flags & FRAME_LINKED) && c->frame->compiled_id == id;
}

// Whether the frame with an id may be older than c. Ids of another sort of frames say nothing of where one is, nor do those
// of parked ones, which they were given late.
static bool may_be_older(const FrameCursor *c, FrameId id)
{
    const FrameId sorts = COMPILED_ID | PARKED_ID;
    FrameId at = cursor_id(c);
    return at > id || ((at ^ id) & sorts) || (id & sorts) == PARKED_ID;
}

bool cursor_find(FrameCursor *c, const Thread *t, FrameId id)
{
    ASSERT_STILL(t);
    bool found = cursor_first(c, t);
    while (found && !has_id(c, id))
        found = may_be_older(c, id) && cursor_older(c);
    return found;
}

// What the cursor reports of the frame that it stands at, as it is now: the method may have been redefined.
static void stand_again(FrameCursor *c)
{
    if (c->compiled.code)
        c->method = compiled_frames.method(c);
    else
        (void)!cursor_stand(c, c->frame);
}

void cursor_renew(FrameCursor *c, FrameId id)
{
    if (c->epoch == c->thread->stack_epoch) {
        stand_again(c);
        VM_ASSERT(c->method && has_id(c, id));
        return;
    }
    int32_t depth = c->depth;
    bool found = cursor_find(c, c->thread, id);
    VM_CHECK(found);
    c->depth = depth;
}

// ---- values ----

static void check(const FrameCursor *c)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    (void)c;
}

uint32_t cursor_local_count(const FrameCursor *c)
{
    check(c);
    if (c->compiled.code)
        return compiled_frames.shape(c).locals;
    return (uint32_t)((const Slot *)(const void *)c->frame - c->frame->locals);
}

uint32_t cursor_operand_count(const FrameCursor *c)
{
    check(c);
    if (c->kind == KIND_NATIVE)
        return 0;
    if (c->compiled.code)
        return compiled_frames.shape(c).operands;
    uint32_t there = (uint32_t)(c->frame->sp - frame_operands(c->frame));
    return MIN_OF(there, frame_maps.map_of(c->frame).depth);
}

SlotKind cursor_slot_kind(const FrameCursor *c, uint32_t slot)
{
    VM_ASSERT(c->method && c->kind != KIND_NATIVE);
    check(c);
    if (c->compiled.code)
        return compiled_frames.slot_kind(c, slot);
    FrameMap map = frame_maps.map_of(c->frame);
    return slot < map.locals + map.depth ? (SlotKind)map.kinds[slot] : SLOT_UNSET;
}

static Slot *slot_at(const FrameCursor *c, uint32_t slot)
{
    uint32_t locals = cursor_local_count(c);
    VM_ASSERT(!c->compiled.code);
    VM_ASSERT(slot < locals || slot - locals < cursor_operand_count(c));
    return slot < locals ? &c->frame->locals[slot] : frame_operands(c->frame) + (slot - locals);
}

Slot cursor_value(const FrameCursor *c, uint32_t slot)
{
    check(c);
    return c->compiled.code ? compiled_frames.value(c, slot) : *slot_at(c, slot);
}

void cursor_own(FrameCursor *c)
{
    ASSERT_STILL(c->thread);
    check(c);
    VM_ASSERT(c->kind != KIND_NATIVE);
    if (c->compiled.code)
        compiled_frames.own(c);
}

void cursor_settle(FrameCursor *c)
{
    check(c);
    if (c->compiled.code && !compiled_frames.is_settled(c))
        cursor_own(c);
}

static size_t unmade_bytes(void)
{
    size_t bytes = 0;
    THREAD_EACH(t)
    FRAMES_EACH(c, t)
    bytes += c.compiled.code ? compiled_frames.unmade_bytes(&c) : 0;
    return bytes;
}

bool frames_settle(void)
{
    ASSERT_WORLD_STOPPED();
    size_t bytes = unmade_bytes();
    if (bytes > 0 && bytes > heap_room_still())
        return false;
    THREAD_EACH(t)
    FRAMES_EACH(c, t)
    cursor_settle(&c);
    return true;
}

void cursor_set_value(const FrameCursor *c, uint32_t slot, Slot value)
{
    VM_ASSERT(c->kind == KIND_INTERPRETED);
    *slot_at(c, slot) = value;
}

// ---- what tools ask for ----

bool cursor_holds_monitors(const FrameCursor *c)
{
    check(c);
    return c->compiled.code ? compiled_frames.shape(c).locks > 0
                            : (c->frame->flags & FRAME_MONITORS) != 0;
}

bool cursor_is_current(const FrameCursor *c)
{
    check(c);
    Frame *top = c->thread->frame;
    if (!(top->flags & FRAME_COMPILED))
        return c->frame == top;
    FrameCursor youngest = {.thread = c->thread, .epoch = c->epoch, .frame = top};
    if (compiled_frames.first(&youngest, NULL))
        return has_id(&youngest, cursor_id(c));
    return youngest.frame != top->prev && youngest.frame == c->frame; // it was parked
}

const Insn *cursor_insn(const FrameCursor *c)
{
    check(c);
    return c->compiled.code ? NULL : c->frame->pc;
}

void cursor_each_method(const FrameCursor *c, void (*visit)(void *ctx, Method *m), void *ctx)
{
    check(c);
    if (!c->compiled.code) {
        visit(ctx, c->method);
        return;
    }
    Method *m;
    for (uint32_t i = 0;
         cursor_is_outermost(c) && (m = compiled_frames.method_at(c, i)) != NULL; i++)
        visit(ctx, m);
}

static void set_compiled_methods(const FrameCursor *c, Method *(*version_of)(Method *m))
{
    Method *m;
    for (uint32_t i = 0; (m = compiled_frames.method_at(c, i)) != NULL; i++)
        compiled_frames.set_method_at(c, i, version_of(m));
}

void frames_set_methods(Thread *t, Method *(*version_of)(Method *m))
{
    ASSERT_WORLD_STOPPED();
    FRAMES_EACH(c, t)
    {
        if (!c.compiled.code)
            c.frame->method = version_of(c.method);
        else if (cursor_is_outermost(&c))
            set_compiled_methods(&c, version_of);
    }
}

void cursor_notify_pop(const FrameCursor *c)
{
    ASSERT_STILL(c->thread);
    check(c);
    VM_ASSERT(c->kind == KIND_INTERPRETED);
    c->frame->flags |= FRAME_NOTIFY_POP;
}

// What another thread is read to do here it may leave meanwhile, unless it is in a handshake or t is self:
// it stands nowhere then.
void frames_begin_step(Thread *t)
{
    const Frame *f = t->frame;
    bool compiled = f && (f->flags & FRAME_COMPILED);
    FrameId id = compiled ? STEP_FROM_COMPILED : f ? f->id : 0;
    atomic_store_explicit(&t->step_frame, id, memory_order_relaxed);
    atomic_store_explicit(&t->step_insn, f ? f->pc : NULL, memory_order_relaxed);
}
