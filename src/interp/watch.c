// SPDX-License-Identifier: Apache-2.0
// See watch.h. An instruction's field is found by its constant pool entry, which is resolved
// once it has a quick form. Clearing puts the bytecode back, which finds its quick form again.
#include "interp/watch.h"

#include "class/loader.h"
#include "event/event.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "java/exception.h"

// ---- rewriting ----
typedef struct FieldOps { // of one bytecode
    uint16_t bytecode, watched;
    uint8_t watch;
} FieldOps;
static const FieldOps field_ops[] = {
    {BC_getstatic, OP_getstatic_watched, WATCH_ACCESS},
    {BC_putstatic, OP_putstatic_watched, WATCH_MODIFY},
    {BC_getfield, OP_getfield_watched, WATCH_ACCESS},
    {BC_putfield, OP_putfield_watched, WATCH_MODIFY},
};

// A static field's class may not be initialized yet, or have failed at that: its bytecode finds out, and
// asks for watches by itself.
static bool is_ready(const Field *f)
{
    return !(f->access & ACC_STATIC) || class_state(f->cls) == CLASS_INITIALIZED;
}

static void rewrite_method(const Method *m, const Field *f)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    for (uint32_t i = 0; code && i < m->insn_count; i++) {
        uint8_t bytecode = method_bytecodes(m)[code[i].bci];
        if (bytecode < BC_getstatic || bytecode > BC_putfield
            || resolved_field(m->pool, (uint16_t)code[i].a) != f)
            continue;
        const FieldOps *ops = &field_ops[bytecode - BC_getstatic];
        bool watched = f->watch & ops->watch && is_ready(f);
        breakpoint_publish(&code[i], watched ? ops->watched : ops->bytecode);
    }
}

static bool class_names_field(const Class *c, const Field *f)
{
    for (uint32_t i = 1; c->cf && i < c->cf->cp_count; i++)
        if (cf_tag(c->cf, (uint16_t)i) == CP_FIELDREF
            && resolved_field(c->pool, (uint16_t)i) == f)
            return true;
    return false;
}

static void rewrite_classes(void *ctx, Loader *l)
{
    for (const Class *c = l->defined; c; c = c->next_in_loader) {
        bool named = class_names_field(c, ctx);
        for (uint32_t i = 0; named && i < c->method_count; i++)
            rewrite_method(class_method(c, i), ctx);
        for (const OldMethod *o = c->old_methods; o; o = o->next)
            rewrite_method(&o->method, ctx);
    }
}

void watch_field(Field *f, uint8_t watch)
{
    VM_ASSERT(world_is_stopped());
    f->watch = watch;
    loaders_each(rewrite_classes, f);
}

// ---- reporting ----
static jobject object_handle(Thread *self, const Slot *object)
{
    return object ? handle_new(self, object->ref) : NULL;
}

static jvalue value_of(Thread *self, char kind, const Slot *slot)
{
    jvalue v = {.j = slot->l};
    if (kind_is_reference(kind))
        v.l = handle_new(self, slot->ref);
    else if (kind == 'Z')
        v.z = slot->i & 1;
    return v;
}

Field *watch_get(Thread *self, Frame *f, const Insn *pc, const Slot *object)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    Field *field = resolved_field(f->method->pool, (uint16_t)pc->a);
    event_post(self, FIELD_ACCESS, f->method, pc->bci, field->cls, object_handle(self, object),
               field);
    return exception_pending(self) ? NULL : field;
}

Field *watch_put(Thread *self, Frame *f, const Insn *pc, const Slot *object, const Slot *value)
{
    HANDLE_SCOPE(self);
    Field *field = resolved_field(f->method->pool, (uint16_t)pc->a);
    event_post(self, FIELD_MODIFY, f->method, pc->bci, field->cls, object_handle(self, object),
               field, field->kind, value_of(self, field->kind, value));
    return exception_pending(self) ? NULL : field;
}

// The class of an access from C: that of the object.
static Class *accessed_class(const Field *field, jobject object)
{
    return object ? object_class(deref(object)) : field->cls;
}

void watch_get_native(Thread *self, Field *field, jobject object)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(object);
    HANDLE_SCOPE(self);
    Frame *f = frame_first(self->frame);
    if (f)
        event_post(self, FIELD_ACCESS, f->method, 0, accessed_class(field, object), object,
                   field);
}

void watch_put_native(Thread *self, Field *field, jobject object, jvalue value)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(object);
    HANDLE_SCOPE(self);
    Frame *f = frame_first(self->frame);
    if (f)
        event_post(self, FIELD_MODIFY, f->method, 0, accessed_class(field, object), object,
                   field, field->kind, value);
}
