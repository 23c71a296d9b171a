// SPDX-License-Identifier: Apache-2.0
// java.lang.LiveStackFrame: locals, operands and monitors of a frame as arrays of objects. Numbers
// are PrimitiveSlots of 64 bits, an int or a float in the lower half of one, the upper being 0. A
// long or double stands in the second one of its two slots, the first being 0, and operands are
// listed from the bottom: both as HotSpot shows them on this processor.
#include "classlib/live_frames.h"

#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "frame/held_monitors.h"
#include "java/call.h"
#include "java/java_object.h"

enum { MODE_INTERPRETED = 1 }; // as in LiveStackFrameInfo

static bool set_number(Thread *self, jobjectArray array, int32_t index, int64_t value)
{
    jvalue arg = {.j = value}, slot;
    if (!java_call(self, MTH(LiveStackFrameInfo, asPrimitive), &arg, &slot))
        return false;
    array_set_ref(deref(array), index, deref(slot.l));
    return true;
}

// The slots of f from `first` on, locals being counted before operands.
static bool fill_slots(Thread *self, jobjectArray array, FrameCursor *f, uint32_t first)
{
    cursor_settle(f);
    FrameId id = cursor_id(f);
    SlotKind before = SLOT_UNSET;
    int32_t length = array_length(deref(array));
    for (int32_t i = 0; i < length; i++) {
        HANDLE_SCOPE(self);
        uint32_t slot = first + (uint32_t)i;
        SlotKind kind = cursor_slot_kind(f, slot);
        Slot value = cursor_value(f, slot);
        int64_t number = 0;
        if (kind == SLOT_RETURN)
            number = ((const Insn *)value.p)->bci;
        else if (kind == SLOT_NUMBER)
            number = before == SLOT_WIDE ? cursor_value(f, slot - 1).l : (uint32_t)value.i;
        if (kind == SLOT_REF)
            array_set_ref(deref(array), i, value.ref);
        else if (!set_number(self, array, i, number))
            return false;
        cursor_renew(f, id);
        before = kind;
    }
    return true;
}

// A native method has no more than its arguments.
static bool fill_native_locals(Thread *self, jobjectArray array, FrameCursor *f)
{
    const Method *m = f->method;
    FrameId id = cursor_id(f);
    if (!method_is_static(m))
        array_set_ref(deref(array), 0, cursor_value(f, 0).ref);
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !method_is_static(m));
    while (descriptor_walk_next(&w)) {
        HANDLE_SCOPE(self);
        int32_t i = (int32_t)w.slot;
        bool wide = kind_is_wide(w.kind);
        Slot value = cursor_value(f, w.slot);
        if (kind_is_reference(w.kind))
            array_set_ref(deref(array), i, value.ref);
        else if (!set_number(self, array, i, wide ? 0 : (uint32_t)value.i)
                 || (wide && !set_number(self, array, i + 1, value.l)))
            return false;
        cursor_renew(f, id);
    }
    return true;
}

static jobjectArray new_array(Thread *self, int32_t length)
{
    Class *objects = class_array_of(self, CLS(Object));
    return objects ? array_new(self, objects, length) : NULL;
}

typedef struct FrameMonitors {
    int32_t depth; // of the frame
    int32_t left;
    jobjectArray array;
} FrameMonitors;

static void count_monitor(void *ctx, const HeldMonitor *m)
{
    FrameMonitors *of = ctx;
    of->left += m->depth == of->depth;
}

// They come from the newest to the oldest.
static void set_monitor(void *ctx, const HeldMonitor *m)
{
    FrameMonitors *of = ctx;
    if (m->depth == of->depth)
        array_set_ref(deref(of->array), --of->left, m->object);
}

static jobjectArray make_monitors(Thread *self, const FrameCursor *f)
{
    FrameCursor at; // whose depth is that of now
    if (!cursor_holds_monitors(f))
        return new_array(self, 0);
    bool found = cursor_find(&at, self, cursor_id(f));
    VM_CHECK(found);
    FrameMonitors of = {.depth = at.depth};
    thread_monitors_each(self, count_monitor, &of);
    of.array = new_array(self, of.left);
    if (of.array)
        thread_monitors_each(self, set_monitor, &of);
    return of.array;
}

static jobjectArray make_locals(Thread *self, FrameCursor *f)
{
    bool native = f->kind == KIND_NATIVE;
    jobjectArray array = new_array(self, native ? f->method->arg_words : f->method->max_locals);
    if (!array)
        return NULL;
    bool ok = native ? fill_native_locals(self, array, f) : fill_slots(self, array, f, 0);
    return ok ? array : NULL;
}

static jobjectArray make_operands(Thread *self, FrameCursor *f)
{
    jobjectArray array = new_array(self, (int32_t)cursor_operand_count(f));
    return array && fill_slots(self, array, f, cursor_local_count(f)) ? array : NULL;
}

bool live_frame_fill(Thread *self, jobject info, FrameCursor *f)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(info);
    HANDLE_SCOPE(self);
    FrameId id = cursor_id(f);
    jobjectArray monitors = make_monitors(self, f);
    cursor_renew(f, id);
    jobjectArray locals = monitors ? make_locals(self, f) : NULL;
    cursor_renew(f, id);
    jobjectArray operands = locals ? make_operands(self, f) : NULL;
    if (!operands)
        return false;
    Object *o = deref(info);
    object_set_ref(o, OFF(LiveStackFrameInfo, monitors), deref(monitors));
    object_set_ref(o, OFF(LiveStackFrameInfo, locals), deref(locals));
    object_set_ref(o, OFF(LiveStackFrameInfo, operands), deref(operands));
    object_set_int(o, OFF(LiveStackFrameInfo, mode), MODE_INTERPRETED);
    return true;
}
