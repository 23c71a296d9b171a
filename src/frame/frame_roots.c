// SPDX-License-Identifier: Apache-2.0
// See frame_roots.h.
#include "frame/frame_roots.h"

// One of two kinds of visitors: the collector's, which does not need to know where a slot lies, or one that does.
typedef struct SlotVisitor {
    RefVisitor visit; // NULL: `visit_root` it is
    FrameRootVisitor visit_root;
    void *ctx;
    FrameRoot root;  // of the frame under way
    uint32_t locals; // of it, where it is compiled
} SlotVisitor;

static void visit_slot(SlotVisitor *v, Object **slot, FrameRootKind kind, uint32_t index)
{
    if (v->visit) {
        v->visit(v->ctx, slot);
        return;
    }
    v->root.kind = kind;
    v->root.index = (int32_t)index;
    v->visit_root(v->ctx, slot, &v->root);
}

static void visit_java_frame(SlotVisitor *v, Frame *f)
{
    const FrameMap map = frame_maps.map_of(f);
    VM_CHECK(map.kinds);
    for (uint32_t i = 0; i < map.locals; i++)
        if (map.kinds[i] == SLOT_REF)
            visit_slot(v, &f->locals[i].ref, FRAME_ROOT_LOCAL, i);
    Slot *operands = frame_operands(f);
    uint32_t depth =
        (uint32_t)(f->sp - operands); // less than map.depth while a callee has the arguments
    for (uint32_t i = 0; i < MIN_OF(depth, map.depth); i++)
        if (map.kinds[map.locals + i] == SLOT_REF)
            visit_slot(v, &operands[i].ref, FRAME_ROOT_OPERAND, map.locals + i);
    for (uint32_t i = map.depth; i < depth; i++) // an appendix pushed by the call in progress
        visit_slot(v, &operands[i].ref, FRAME_ROOT_OPERAND, map.locals + i);
    if ((f->flags & FRAME_LINKED) && v->visit) // a value of no slot that tools know
        v->visit(v->ctx, &f->linker);
}

static void visit_argument(void *ctx, Object **slot, uint32_t index)
{
    visit_slot(ctx, slot, FRAME_ROOT_ARGUMENT, index);
}

static void visit_compiled_slot(void *ctx, Object **slot, uint32_t index)
{
    SlotVisitor *v = ctx;
    bool local = index < v->locals;
    visit_slot(v, slot, local ? FRAME_ROOT_LOCAL : FRAME_ROOT_OPERAND, index);
}

static void visit_frame(SlotVisitor *v, Frame *f)
{
    VM_ASSERT(!(f->flags & FRAME_ENTRY) == (f->method != NULL));
    VM_ASSERT(f->sp >= frame_operands(f) && (!f->locals || f->locals <= (Slot *)(void *)f));
    if (f->flags & FRAME_NATIVE)
        frame_maps.visit_arguments(f, visit_argument, v);
    else if (!(f->flags & FRAME_ENTRY))
        visit_java_frame(v, f);
}

void frames_visit(Thread *t, RefVisitor visit, void *ctx)
{
    NO_GC_SCOPE();
    SlotVisitor v = {.visit = visit, .ctx = ctx};
    visit(ctx, &t->exception_reported);
    for (Frame *f = t->frame; f;)
        if (UNLIKELY(f->flags & FRAME_COMPILED)) {
            f = compiled_frames.visit_roots(f, visit, ctx);
        } else {
            visit_frame(&v, f);
            f = f->prev;
        }
}

void frames_visit_roots(Thread *t, FrameRootVisitor visit, void *ctx)
{
    SlotVisitor v = {.visit_root = visit, .ctx = ctx};
    visit(ctx, &t->exception_reported, &(FrameRoot){.kind = FRAME_ROOT_VM, .depth = -1});
    FRAMES_EACH(c, t)
    {
        v.root = (FrameRoot){.method = c.method, .depth = c.depth, .bci = c.bci};
        if (c.kind == KIND_COMPILED) {
            v.locals = cursor_local_count(&c);
            compiled_frames.visit_values(&c, visit_compiled_slot, &v);
        } else {
            visit_frame(&v, c.frame);
        }
    }
}

// ---- handles ----
typedef struct HandleVisitor {
    FrameRootVisitor visit;
    void *ctx;
    FrameRoot root;
    Object **class_slot; // of the class that a static native method was given
} HandleVisitor;

static void visit_handle(void *ctx, Object **slot)
{
    const HandleVisitor *v = ctx;
    if (slot != v->class_slot)
        v->visit(v->ctx, slot, &v->root);
}

// What native_run makes first. The method may have deleted it, and another be in its place.
static Object **class_slot_of(const HandleStack *handles, const Frame *f)
{
    const Object *mirror = f->flags & FRAME_NATIVE ? frame_maps.class_argument(f) : NULL;
    if (!mirror)
        return NULL;
    Object **slot = handle_stack_first_after(handles, f->handles);
    return *slot == mirror ? slot : NULL;
}

static int32_t stretch_depth(const Thread *t, Frame *boundary)
{
    FrameCursor c = {.thread = t, .epoch = t->stack_epoch};
    (void)!cursor_into_stretch(&c, boundary);
    while (c.method && c.frame == boundary)
        (void)!cursor_older(&c);
    return c.depth;
}

// Between two calls lie the local references of the native method below them, or of native code at the
// bottom of the stack; above a call into Java the VM's own.
void frames_visit_handles(Thread *t, FrameRootVisitor visit, void *ctx)
{
    const HandleStack *handles = &t->mutator.handles;
    const HandleMark top = {handles->chunk, handles->top};
    HandleVisitor v = {.visit = visit, .ctx = ctx};
    HandleMark end = top;
    int32_t depth = 0;
    for (Frame *f = t->frame; f; f = frame_behind(f)) {
        if (frame_has_handles(f)) {
            v.root = f->method ? (FrameRoot){FRAME_ROOT_HANDLE, depth, 0, -1, f->method}
                               : (FrameRoot){FRAME_ROOT_VM, -1, 0, -1, NULL};
            v.class_slot = class_slot_of(handles, f);
            handle_stack_visit_between(f->handles, end, visit_handle, &v);
            end = f->handles;
            if (end.chunk == top.chunk) // older handles may have been deleted since
                end.top = MIN_OF(end.top, top.top);
        }
        depth += f->flags & FRAME_COMPILED ? stretch_depth(t, f) : f->method != NULL;
    }
    v.root = (FrameRoot){FRAME_ROOT_HANDLE, -1, 0, -1, NULL};
    v.class_slot = NULL;
    handle_stack_visit_between((HandleMark){0}, end, visit_handle, &v);
}
