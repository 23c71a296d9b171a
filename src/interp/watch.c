// SPDX-License-Identifier: Apache-2.0
// See watch.h. An instruction's field is found by its constant pool entry, which is resolved
// once it has a quick form. Which code names a field: that of its class, and the constant pools that are
// registered with the assumption that it is not watched. An instruction whose field is not watched any more puts its
// bytecode back when it runs, which finds its quick form again.
#include "interp/watch.h"

#include "class/assumption.h"
#include "event/event.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "java/exception.h"

// ---- rewriting ----
// The bytecode of an instruction that accesses a field; of another one 0.
static uint8_t access_of(const Method *m, const Insn *in)
{
    uint8_t bytecode = method_bytecodes(m)[in->bci];
    return bytecode >= BC_getstatic && bytecode <= BC_putfield ? bytecode : 0;
}

// What asks for reports of an access.
static uint8_t watch_of(uint8_t access)
{
    bool writes = access == BC_putstatic || access == BC_putfield;
    return writes ? WATCH_MODIFY : WATCH_ACCESS;
}

static void watch_in_method(const Method *m, const Field *f)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    for (uint32_t i = 0; code && i < m->insn_count; i++) {
        uint8_t access = access_of(m, &code[i]);
        if (access && f->watch & watch_of(access)
            && resolved_field(m->pool, (uint16_t)code[i].a) == f)
            breakpoint_publish(m, &code[i], quicken_field_form(access, 'w'));
    }
}

// In the code of one version of a class.
static void watch_in_version(const ConstantPool *pool, const Field *f)
{
    const Class *c = pool->cls;
    for (uint32_t i = 0; i < c->method_count; i++)
        if (class_method(c, i)->pool == pool)
            watch_in_method(class_method(c, i), f);
    for (const OldMethod *o = c->old_methods; o; o = o->next)
        if (o->method.pool == pool)
            watch_in_method(&o->method, f);
}

bool watch_accesses(Dependent *d, AssumptionKind kind, const void *object)
{
    ASSERT_WORLD_STOPPED();
    VM_ASSERT(kind == ASSUME_FIELD_UNWATCHED);
    (void)kind;
    char *accesses = (char *)d;
    watch_in_version(
        (const ConstantPool *)(void *)(accesses - offsetof(ConstantPool, accesses)), object);
    return true; // the code goes on naming the field
}

bool watch_allows(Thread *self, ConstantPool *pool, const Field *f, FieldUse use)
{
    uintptr_t watch = use == FIELD_GET ? WATCH_ACCESS : WATCH_MODIFY;
    if (f->cls == pool->cls)
        return !(f->watch & watch);
    Assumption unwatched = {ASSUME_FIELD_UNWATCHED, f, ASSUMED_NUMBER(watch)};
    return assume(self, &pool->accesses, &unwatched, 1, NULL);
}

// A static field's class may not be initialized yet, or have failed at that: its bytecode finds out, and
// asks for watches by itself.
static bool is_ready(const Field *f)
{
    return !(f->access & ACC_STATIC) || class_state(f->cls) == CLASS_INITIALIZED;
}

void watch_field(Thread *self, Field *f, uint8_t watch)
{
    ASSERT_WORLD_STOPPED();
    bool more = watch & ~f->watch;
    f->watch = watch;
    if (!more || !is_ready(f))
        return;
    for (uint32_t i = 0; i < f->cls->method_count; i++)
        watch_in_method(class_method(f->cls, i), f);
    for (const OldMethod *o = f->cls->old_methods; o; o = o->next)
        watch_in_method(&o->method, f);
    assumption_break(self, ASSUME_FIELD_UNWATCHED, f);
}

// Whether the access at pc is to be reported. If not, the next one does not come here.
static bool is_watched(const Frame *f, const Insn *pc, const Field *field, uint8_t watch)
{
    if (LIKELY(field->watch & watch))
        return true;
    breakpoint_publish(f->method, (Insn *)(uintptr_t)pc, access_of(f->method, pc));
    return false;
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

void watch_report(Thread *self, Method *m, const Insn *pc, Field *field, const Slot *object,
                  const Slot *value)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(field == resolved_field(m->pool, (uint16_t)pc->a));
    HANDLE_SCOPE(self);
    if (value)
        event_post(self, FIELD_MODIFY, m, pc->bci, field->cls, object_handle(self, object),
                   field, field->kind, value_of(self, field->kind, value));
    else
        event_post(self, FIELD_ACCESS, m, pc->bci, field->cls, object_handle(self, object),
                   field);
}

Field *watch_get(Thread *self, Frame *f, const Insn *pc, const Slot *object)
{
    ASSERT_MAY_GC(self);
    Field *field = resolved_field(f->method->pool, (uint16_t)pc->a);
    if (is_watched(f, pc, field, WATCH_ACCESS))
        watch_report(self, f->method, pc, field, object, NULL);
    return exception_pending(self) ? NULL : field;
}

bool watch_put(Thread *self, Frame *f, const Insn *pc, Field *field, const Slot *object,
               const Slot *value)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(field == resolved_field(f->method->pool, (uint16_t)pc->a));
    if (is_watched(f, pc, field, WATCH_MODIFY))
        watch_report(self, f->method, pc, field, object, value);
    return !exception_pending(self);
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
    FrameCursor f;
    if (cursor_first(&f, self))
        event_post(self, FIELD_ACCESS, f.method, 0, accessed_class(field, object), object,
                   field);
}

void watch_put_native(Thread *self, Field *field, jobject object, jvalue value)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(object);
    HANDLE_SCOPE(self);
    FrameCursor f;
    if (cursor_first(&f, self))
        event_post(self, FIELD_MODIFY, f.method, 0, accessed_class(field, object), object,
                   field, field->kind, value);
}
