// SPDX-License-Identifier: Apache-2.0
// See frame_cursor.h.
#include "frame/frame_cursor.h"

FrameMaps frame_maps;

void frame_set_maps(const FrameMaps *maps)
{
    VM_ASSERT(maps->map_of && maps->visit_arguments);
    frame_maps = *maps;
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
    int32_t n = 0;
    for (Frame *f = frame_first(t->frame); f && n < max; f = frame_older(f))
        n++;
    return n;
}

bool cursor_find(FrameCursor *c, const Thread *t, FrameId id)
{
    ASSERT_STILL(t);
    bool found = cursor_first(c, t);
    while (found && cursor_id(c) > id)
        found = cursor_older(c);
    return found && cursor_id(c) == id;
}

void cursor_renew(FrameCursor *c, FrameId id)
{
    if (c->epoch == c->thread->stack_epoch) {
        (void)!cursor_stand(c, c->frame); // the method may have been redefined
        VM_ASSERT(c->method && c->frame->id == id);
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
    return (uint32_t)((const Slot *)(const void *)c->frame - c->frame->locals);
}

uint32_t cursor_operand_count(const FrameCursor *c)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    check(c);
    if (c->kind == KIND_NATIVE)
        return 0;
    uint32_t there = (uint32_t)(c->frame->sp - frame_operands(c->frame));
    return MIN_OF(there, frame_maps.map_of(c->frame).depth);
}

SlotKind cursor_slot_kind(const FrameCursor *c, uint32_t slot)
{
    VM_ASSERT(c->method && c->kind == KIND_INTERPRETED);
    check(c);
    VM_ASSERT(c->kind == KIND_INTERPRETED);
    FrameMap map = frame_maps.map_of(c->frame);
    return slot < map.locals + map.depth ? (SlotKind)map.kinds[slot] : SLOT_UNSET;
}

static Slot *slot_at(const FrameCursor *c, uint32_t slot)
{
    uint32_t locals = cursor_local_count(c);
    VM_ASSERT(slot < locals || slot - locals < cursor_operand_count(c));
    return slot < locals ? &c->frame->locals[slot] : frame_operands(c->frame) + (slot - locals);
}

Slot cursor_value(const FrameCursor *c, uint32_t slot)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    return *slot_at(c, slot);
}

void cursor_set_value(const FrameCursor *c, uint32_t slot, Slot value)
{
    VM_ASSERT(c->method && c->epoch == c->thread->stack_epoch);
    *slot_at(c, slot) = value;
}

// ---- what tools ask for ----

bool cursor_holds_monitors(const FrameCursor *c)
{
    check(c);
    return c->frame->flags & FRAME_MONITORS;
}

bool cursor_is_current(const FrameCursor *c)
{
    check(c);
    return c->frame == c->thread->frame;
}

const Insn *cursor_insn(const FrameCursor *c)
{
    check(c);
    return c->frame->pc;
}

void cursor_set_method(const FrameCursor *c, Method *m)
{
    ASSERT_WORLD_STOPPED();
    check(c);
    VM_ASSERT(world_is_stopped() && m);
    c->frame->method = m;
}

void cursor_notify_pop(const FrameCursor *c)
{
    ASSERT_STILL(c->thread);
    check(c);
    VM_ASSERT(c->kind != KIND_NATIVE);
    c->frame->flags |= FRAME_NOTIFY_POP;
}

// What another thread is read to do here it may leave meanwhile, unless it is held or t is self:
// it stands nowhere then.
void frames_begin_step(Thread *t)
{
    const Frame *f = t->frame;
    atomic_store_explicit(&t->step_frame, f ? f->id : 0, memory_order_relaxed);
    atomic_store_explicit(&t->step_insn, f ? f->pc : NULL, memory_order_relaxed);
}
