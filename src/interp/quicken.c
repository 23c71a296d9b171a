// SPDX-License-Identifier: Apache-2.0
// First runs of instructions that need resolution. Each resolves, initialises classes where the
// instruction demands it, and replaces the instruction by a quick form once every later run
// needs no more (an instruction of a class that is still being initialised by this thread keeps
// its slow form). Operands are written before the op (release); see Insn. Single steps are not
// informed of what runs meanwhile, class initializers included; but those that `new` runs are, as
// on HotSpot.
#include "arch/arch.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "interp/watch.h"
#include "java/box.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "redefine/class_version.h"

static ConstantPool *pool_of(const Frame *f)
{
    return f->method->pool;
}

bool quicken_ldc(Thread *self, Frame *f, Insn *pc, jvalue *value, char *kind)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame);
    LINKING(self);
    ConstantPool *pool = pool_of(f);
    uint16_t index = (uint16_t)pc->a;
    *kind = 'L';
    bool is_null = false;
    jobject constant = resolve_constant(self, pool, index, &is_null);
    if (!constant && !is_null)
        return false;
    if (cf_tag(pool->cf, index) == CP_DYNAMIC) {
        uint16_t type = cf_name_and_type(pool->cf, index).nat.type;
        char desc = (char)cf_utf8(pool->cf, type).p[0];
        if (desc != 'L' && desc != '[') {
            unbox_value(deref(constant), kind, value);
            *kind = desc;
            return true; // dynamic primitives are rare: they keep the slow form
        }
    }
    value->l = constant;
    if (is_null)
        breakpoint_publish_with(self->frame->method, pc, NULL, OP_ldc_null);
    else
        breakpoint_publish_with(self->frame->method, pc, constant, OP_ldc_ref);
    return true;
}

typedef struct FieldForm {
    uint16_t op;
    uint8_t bytecode;
    const char *kinds;
} FieldForm;
static const FieldForm field_forms[] = {
#define QUICK(name, bytecode)
#define FIELD_FORM(name, bytecode, kinds) {OP_##name, BC_##bytecode, kinds},
#include "spec/quick_ops.def"
#undef QUICK
};

uint16_t quicken_field_form(uint8_t bytecode, char kind)
{
    char letter = kind_is_reference(kind) ? 'A' : kind;
    const FieldForm *form = field_forms;
    while (form->bytecode != bytecode || !strchr(form->kinds, letter)) {
        form++;
        VM_CHECK(form < field_forms + ARRAY_LEN(field_forms));
    }
    return form->op;
}

// Volatile fields are read by the plain forms where any load acquires.
static void publish_field(Thread *self, Insn *pc, Field *field, bool is_static, FieldUse use)
{
    static const uint8_t bytecodes[2][2] = {{BC_getfield, BC_putfield},
                                            {BC_getstatic, BC_putstatic}};
    bool watched = !watch_allows(self, pool_of(self->frame), field, use);
    bool is_volatile =
        (field->access & ACC_VOLATILE) && (use == FIELD_PUT || !ARCH_LOADS_ACQUIRE);
    uint16_t op = quicken_field_form(bytecodes[is_static][use], watched       ? 'w'
                                                                : is_volatile ? 'v'
                                                                              : field->kind);
    const Method *m = self->frame->method;
    if (watched)
        breakpoint_publish(m, pc, op);
    else if (is_static || is_volatile)
        breakpoint_publish_with(m, pc, field, op);
    else
        breakpoint_publish_with(m, pc, (void *)(uintptr_t)field->offset, op);
}

static Field *linked_field(Thread *self, Frame *f, const Insn *pc, bool is_static, FieldUse use)
{
    Field *field = resolve_field(self, f->method, (uint16_t)pc->a, is_static, use);
    return field && (!is_static || class_link(self, field->cls)) ? field : NULL;
}

Field *quicken_field(Thread *self, Frame *f, Insn *pc, bool is_static, FieldUse use)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame);
    LINKING(self);
    for (;;) { // until no class changed its fields meanwhile
        uint64_t before = class_tables_remade();
        Field *field = linked_field(self, f, pc, is_static, use);
        if (!field)
            return NULL;
        if (is_static && !class_ready(self, field->cls) && !class_initialize(self, field->cls))
            return NULL;
        if (class_tables_remade() == before) {
            if (!is_static || class_state(field->cls) == CLASS_INITIALIZED)
                publish_field(self, pc, field, is_static, use);
            return field;
        }
        atomic_store(pool_slot(pool_of(f), (uint16_t)pc->a), NULL);
    }
}

static Method *quicken_static(Thread *self, Insn *pc, Method *m)
{
    if (!class_ready(self, m->cls) && !class_initialize(self, m->cls))
        return NULL;
    if (class_state(m->cls) == CLASS_INITIALIZED)
        breakpoint_publish_with(self->frame->method, pc, m, OP_invoke_static);
    return m;
}

// Whether a call needs a look at its receiver that the verifier did not have: it lets any
// reference stand for an interface.
static bool checks_receiver(const Frame *f, InvokeKind kind, const Method *m)
{
    if (kind == INVOKE_SPECIAL)
        return class_is_interface(f->method->cls) && m->name != SYM(init);
    return kind == INVOKE_INTERFACE && (m->access & ACC_PRIVATE);
}

static Method *special_method(Thread *self, uint16_t index, Method *m)
{
    const Frame *f = self->frame;
    if (checks_receiver(f, INVOKE_SPECIAL, m)
        && !invoke_check_special(self, f, f->sp[-m->arg_words].ref))
        return NULL;
    return resolve_special(self, self->frame->method, index, m);
}

// The class of a method comes back linked: that gives it its vtable and itable indices.
static Method *linked_invoke(Thread *self, const Insn *pc, InvokeKind kind, CallSite **site)
{
    uint16_t index = (uint16_t)pc->a;
    *site = NULL;
    if (kind == INVOKE_VIRTUAL && resolve_is_invoke_handle(self, pool_of(self->frame), index)) {
        *site = resolve_invoke_handle(self, pool_of(self->frame), index);
        return *site ? (*site)->adapter : NULL;
    }
    if (exception_pending(self))
        return NULL;
    Method *m = resolve_method(self, self->frame->method, index, kind);
    if (m && kind == INVOKE_SPECIAL)
        m = special_method(self, index, m);
    return m && class_link(self, m->cls) ? m : NULL;
}

static InvokeKind invoke_kind(const Frame *f, const Insn *pc)
{
    switch (method_bytecodes(f->method)[pc->bci]) {
    case BC_invokespecial: return INVOKE_SPECIAL;
    case BC_invokestatic: return INVOKE_STATIC;
    case BC_invokeinterface: return INVOKE_INTERFACE;
    default: return INVOKE_VIRTUAL;
    }
}

// The method was resolved while classes changed their methods: it may be another one now. Nothing of it is kept.
static Method *forget_resolved(Thread *self, const Insn *pc, Method *m)
{
    atomic_store(pool_slot(pool_of(self->frame), (uint16_t)pc->a), NULL);
    return m;
}

static Method *publish_invoke(Thread *self, Insn *pc, InvokeKind kind, Method *m)
{
    const Frame *f = self->frame;
    if (checks_receiver(f, kind, m)
        || (kind == INVOKE_INTERFACE && invoke_named_interface(f->method, pc) != m->cls)) {
        breakpoint_publish_with(f->method, pc, m, OP_invoke_checked);
        return m;
    }
    const Class *named =
        resolved_class(f->method->pool, cf_first_index(f->method->pool->cf, (uint16_t)pc->a));
    bool is_of_array = named && class_is_array(named); // which override nothing
    bool exact = kind == INVOKE_SPECIAL || is_of_array || (m->access & ACC_PRIVATE)
                 || !method_is_selected(m);
    if (exact)
        breakpoint_publish_with(f->method, pc, m, OP_invoke_exact);
    else if (class_is_interface(m->cls))
        breakpoint_publish_with(f->method, pc, m, OP_invoke_interface);
    else
        breakpoint_publish_with(f->method, pc, m, OP_invoke_vtable);
    return m;
}

Method *quicken_invoke(Thread *self, Insn *pc, CallSite **site)
{
    ASSERT_MAY_GC(self);
    LINKING(self);
    uint64_t before = class_tables_remade();
    InvokeKind kind = invoke_kind(self->frame, pc);
    Method *m = linked_invoke(self, pc, kind, site);
    if (!m)
        return NULL;
    if (*site) {
        breakpoint_publish_with(self->frame->method, pc, *site, OP_invoke_handle);
        return m;
    }
    if (class_tables_remade() != before)
        return forget_resolved(self, pc, m);
    return kind == INVOKE_STATIC ? quicken_static(self, pc, m)
                                 : publish_invoke(self, pc, kind, m);
}

CallSite *quicken_invoke_dynamic(Thread *self, Frame *f, Insn *pc)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame);
    LINKING(self);
    CallSite *site = resolve_invoke_dynamic(self, f->method, (uint16_t)pc->a,
                                            (_Atomic(void *) *)(void *)&pc->p);
    if (site)
        breakpoint_publish(self->frame->method, pc, OP_invoke_dynamic);
    return site;
}

static Class *linked_new(Thread *self, Frame *f, const Insn *pc)
{
    LINKING(self);
    Class *c = resolve_class(self, pool_of(f), (uint16_t)pc->a);
    bool ok = c && class_require_instantiable(self, c, true) && class_link(self, c);
    return ok ? c : NULL;
}

Class *quicken_new(Thread *self, Frame *f, Insn *pc)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame);
    Class *c = linked_new(self, f, pc);
    if (!c)
        return NULL;
    if (!class_ready(self, c) && !class_initialize(self, c))
        return NULL;
    if (class_state(c) == CLASS_INITIALIZED)
        breakpoint_publish_with(self->frame->method, pc, c, OP_new_quick);
    return c;
}

Class *quicken_class(Thread *self, Frame *f, Insn *pc, uint16_t quick_op)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame);
    LINKING(self);
    Class *c = resolve_class(self, pool_of(f), (uint16_t)pc->a);
    if (c && quick_op == OP_anewarray_quick)
        c = class_array_of(self, c);
    if (c)
        breakpoint_publish_with(self->frame->method, pc, c, quick_op);
    return c;
}
