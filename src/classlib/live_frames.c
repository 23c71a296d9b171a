// SPDX-License-Identifier: Apache-2.0
// java.lang.LiveStackFrame: locals, operands and monitors of a frame as arrays of objects. Numbers
// are PrimitiveSlots of 64 bits, an int or a float in the lower half of one, the upper being 0. A
// long or double stands in the second one of its two slots, the first being 0, and operands are
// listed from the bottom: both as HotSpot shows them on this processor.
#include "classlib/live_frames.h"

#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "interp/interp.h"
#include "java/call.h"
#include "java/java_object.h"
#include "thread/held_monitors.h"

enum { MODE_INTERPRETED = 1 }; // as in LiveStackFrameInfo

static bool set_number(Thread *self, jobjectArray array, int32_t index, int64_t value)
{
    jvalue arg = {.j = value}, slot;
    if (!java_call(self, MTH(LiveStackFrameInfo, asPrimitive), &arg, &slot))
        return false;
    array_set_ref(deref(array), index, deref(slot.l));
    return true;
}

// The slots of f from `first` on, locals being counted before operands, lie at `slots`.
static bool fill_slots(Thread *self, jobjectArray array, const Frame *f, uint32_t first,
                       const Slot *slots)
{
    SlotKind before = SLOT_UNSET;
    int32_t length = array_length(deref(array));
    for (int32_t i = 0; i < length; i++) {
        HANDLE_SCOPE(self);
        SlotKind kind = frame_slot_kind(f, first + (uint32_t)i);
        int64_t number = 0;
        if (kind == SLOT_RETURN)
            number = ((const Insn *)slots[i].p)->bci;
        else if (kind == SLOT_NUMBER)
            number = before == SLOT_WIDE ? slots[i - 1].l : (uint32_t)slots[i].i;
        if (kind == SLOT_REF)
            array_set_ref(deref(array), i, slots[i].ref);
        else if (!set_number(self, array, i, number))
            return false;
        before = kind;
    }
    return true;
}

// A native method has no more than its arguments.
static bool fill_native_locals(Thread *self, jobjectArray array, const Frame *f)
{
    const Method *m = f->method;
    int32_t i = 0;
    if (!method_is_static(m))
        array_set_ref(deref(array), i++, f->locals[0].ref);
    const char *p = m->desc->s + 1, *start;
    size_t len;
    for (char kind; (kind = descriptor_next(&p, &start, &len)) != 0; i++) {
        HANDLE_SCOPE(self);
        bool wide = kind == 'J' || kind == 'D', ref = kind == 'L' || kind == '[';
        if (ref)
            array_set_ref(deref(array), i, f->locals[i].ref);
        else if (!set_number(self, array, i, wide ? 0 : (uint32_t)f->locals[i].i)
                 || (wide && !set_number(self, array, i + 1, f->locals[i].l)))
            return false;
        i += wide;
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

static jobjectArray make_monitors(Thread *self, const Frame *f)
{
    FrameMonitors of = {0};
    if (!(f->flags & FRAME_MONITORS))
        return new_array(self, 0);
    for (const Frame *at = frame_first(self->frame); at != f; at = frame_older(at))
        of.depth++;
    thread_monitors_each(self, count_monitor, &of);
    of.array = new_array(self, of.left);
    if (of.array)
        thread_monitors_each(self, set_monitor, &of);
    return of.array;
}

static jobjectArray make_locals(Thread *self, const Frame *f)
{
    bool native = f->flags & FRAME_NATIVE;
    jobjectArray array = new_array(self, native ? f->method->arg_words : f->method->max_locals);
    if (!array)
        return NULL;
    bool ok =
        native ? fill_native_locals(self, array, f) : fill_slots(self, array, f, 0, f->locals);
    return ok ? array : NULL;
}

static jobjectArray make_operands(Thread *self, const Frame *f)
{
    int32_t depth = 0;
    const Slot *operands = frame_operands((Frame *)(uintptr_t)f);
    if (!(f->flags & FRAME_NATIVE)) // what a call in progress was given belongs to the callee
        depth = MIN_OF((int32_t)(f->sp - operands), (int32_t)frame_depth(f));
    jobjectArray array = new_array(self, depth);
    return array && fill_slots(self, array, f, f->method->max_locals, operands) ? array : NULL;
}

bool live_frame_fill(Thread *self, jobject info, const Frame *f)
{
    HANDLE_SCOPE(self);
    jobjectArray monitors = make_monitors(self, f);
    jobjectArray locals = monitors ? make_locals(self, f) : NULL;
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
