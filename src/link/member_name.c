// SPDX-License-Identifier: Apache-2.0
// MemberNames: how the class library names fields and methods to the VM. MemberName.method is
// stored last, after a fence, since others may read the object without synchronisation. Lock:
// RANK_RESOLVE for the canonical ResolvedMethodNames.
#include "link/member_name.h"

#include "class/assumption.h"
#include "class/vm_classes.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "java/string.h"
#include "link/resolve_internal.h"

const MemberNameConstant member_name_constants[] = {
    {"MN_IS_METHOD", MN_IS_METHOD},
    {"MN_IS_CONSTRUCTOR", MN_IS_CONSTRUCTOR},
    {"MN_IS_FIELD", MN_IS_FIELD},
    {"MN_IS_TYPE", MN_IS_TYPE},
    {"MN_CALLER_SENSITIVE", MN_CALLER_SENSITIVE},
    {"MN_TRUSTED_FINAL", MN_TRUSTED_FINAL},
    {"MN_SEARCH_SUPERCLASSES", MN_SEARCH_SUPERCLASSES},
    {"MN_SEARCH_INTERFACES", MN_SEARCH_INTERFACES},
    {"MN_REFERENCE_KIND_SHIFT", MN_REFERENCE_KIND_SHIFT},
    {"MN_REFERENCE_KIND_MASK", MN_REFERENCE_KIND_MASK},
    {"NESTMATE_CLASS", 1},
    {"HIDDEN_CLASS", 2},
    {"STRONG_LOADER_LINK", 4},
    {"ACCESS_VM_ANNOTATIONS", 8},
    {"LM_UNCONDITIONAL", LM_UNCONDITIONAL},
    {"LM_MODULE", LM_MODULE},
    {"LM_TRUSTED", LM_TRUSTED},
    {NULL, 0},
};

static Mutex name_lock = MUTEX_INIT(RANK_RESOLVE);

jobject resolved_method_name(Thread *self, Method *m)
{
    ASSERT_MAY_GC(self);
    m = method_current(m);
    jobject global = __atomic_load_n(&m->member_name, __ATOMIC_ACQUIRE);
    if (global)
        return handle_new(self, deref(global));
    HANDLE_SCOPE(self);
    jobject h = object_new(self, CLS(ResolvedMethodName));
    if (!h)
        return NULL;
    object_set_long(deref(h), OFF(ResolvedMethodName, vmtarget), (int64_t)(uintptr_t)m);
    object_set_ref(deref(h), OFF(ResolvedMethodName, vmholder), class_mirror(m->cls));
    mutex_lock(&name_lock);
    if (!m->member_name)
        __atomic_store_n(&m->member_name, loader_data_ref(class_loader_data(m->cls), deref(h)),
                         __ATOMIC_RELEASE);
    global = m->member_name;
    mutex_unlock(&name_lock);
    SCOPE_RETURN(global);
}

Method *member_name_target(Object *mname)
{
    Object *rmn = object_get_ref(mname, OFF(MemberName, method));
    return rmn ? (Method *)(uintptr_t)object_get_long(rmn, OFF(ResolvedMethodName, vmtarget))
               : NULL;
}

static bool field_is_at(const Field *f, bool is_static, int64_t offset)
{
    return f->offset == offset && ((f->access & ACC_STATIC) != 0) == is_static;
}

Field *member_name_field(Object *mname)
{
    int32_t flags = object_get_int(mname, OFF(MemberName, flags));
    Object *mirror = object_get_ref(mname, OFF(MemberName, clazz));
    if (!(flags & MN_IS_FIELD) || !mirror)
        return NULL;
    int64_t offset = member_name_vmindex(mname);
    for (Class *c = class_of_mirror(mirror); c; c = c->super)
        FIELD_EACH (f, c)
            if (field_is_at(f, flags & ACC_STATIC, offset))
                return f;
    return NULL;
}

// ---- filling ----

typedef struct MethodPlace { // how a MemberName says to call a method
    RefKind kind;
    int64_t vmindex;
    Class *clazz;
} MethodPlace;

// The vtable slot of class c that serves the interface method m; -1: none.
static int64_t vtable_index_for(const Class *c, const Method *m)
{
    for (uint32_t i = 0; i < c->vtable_len; i++)
        if (c->vtable[i] == m)
            return i;
    for (uint32_t i = 0; i < c->vtable_len; i++)
        if (c->vtable[i] && c->vtable[i]->name == m->name && c->vtable[i]->desc == m->desc)
            return i;
    return -1;
}

static MethodPlace place_virtual(Method *m, Class *resolved)
{
    if (method_in_itable(m)) {
        if (!resolved || class_is_interface(resolved))
            return (MethodPlace){REF_invokeInterface, m->table_index, m->cls};
        int64_t index = vtable_index_for(resolved, m);
        return (MethodPlace){REF_invokeVirtual, index >= 0 ? index : m->table_index, resolved};
    }
    Class *clazz = resolved && class_is_interface(resolved) && !class_is_interface(m->cls)
                       ? CLS(Object)
                       : m->cls;
    return (MethodPlace){REF_invokeVirtual, m->table_index, clazz};
}

static MethodPlace place_of(Method *m, Class *resolved, bool dispatch)
{
    bool selected = (method_is_selected(m)) && m->name != SYM(init)
                    && !(m->access & (ACC_STATIC | ACC_PRIVATE));
    bool is_final = (m->access & ACC_FINAL) || (m->cls->access & ACC_FINAL);
    if (method_is_static(m))
        return (MethodPlace){REF_invokeStatic, MN_VMINDEX_NONVIRTUAL, m->cls};
    if (!dispatch || !selected || (is_final && !class_is_interface(m->cls)))
        return (MethodPlace){REF_invokeSpecial, MN_VMINDEX_NONVIRTUAL, m->cls};
    return place_virtual(m, resolved);
}

bool member_name_init_method(Thread *self, jobject mname, Method *m, Class *resolved,
                             bool dispatch)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(mname);
    HANDLE_SCOPE(self);
    jobject rmn = resolved_method_name(self, m);
    if (!rmn)
        return false;
    MethodPlace p = place_of(m, resolved, dispatch);
    int32_t flags = (m->access & 0x1FFF) | (int32_t)p.kind << MN_REFERENCE_KIND_SHIFT;
    flags |= m->name == SYM(init) ? MN_IS_CONSTRUCTOR : MN_IS_METHOD;
    if (m->flags & METHOD_CALLER_SENSITIVE)
        flags |= MN_CALLER_SENSITIVE;
    Object *o = deref(mname);
    object_set_int(o, OFF(MemberName, flags), flags);
    object_set_long(o, OFF(MemberName, vmindex), p.vmindex);
    object_set_ref(o, OFF(MemberName, clazz), class_mirror(p.clazz));
    atomic_thread_fence(memory_order_release);
    object_set_ref(o, OFF(MemberName, method), deref(rmn));
    return true;
}

bool member_name_init_field(Thread *self, jobject mname, Field *f, bool is_put)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(mname);
    RefKind kind = f->access & ACC_STATIC ? REF_getStatic : REF_getField;
    if (is_put)
        kind += REF_putField - REF_getField;
    int32_t flags =
        (f->access & 0x50DF) | MN_IS_FIELD | (int32_t)kind << MN_REFERENCE_KIND_SHIFT;
    if (is_put && f->access & ACC_FINAL)
        assumption_break_final(self, f);
    if (f->trusted_final)
        flags |= MN_TRUSTED_FINAL;
    Object *o = deref(mname);
    object_set_int(o, OFF(MemberName, flags), flags);
    object_set_ref(o, OFF(MemberName, method), NULL);
    object_set_long(o, OFF(MemberName, vmindex), f->offset);
    object_set_ref(o, OFF(MemberName, clazz), class_mirror(f->cls));
    return true;
}

static bool is_polymorphic(const Method *m)
{
    return (m->cls == CLS(MethodHandle) || m->cls == CLS(VarHandle))
           && (is_linked_polymorphic(m->cls, m->name)
               || method_handle_intrinsic_entry(m->name) >= 0);
}

static void init_from_field(Thread *self, jobject mname, jobject member)
{
    Field *f = reflect_field_of(deref(member));
    UNUSED bool ok = member_name_init_field(self, mname, f, false);
    Object *o = deref(mname), *r = deref(member);
    if (!object_get_ref(o, OFF(MemberName, name)))
        object_set_ref(o, OFF(MemberName, name), object_get_ref(r, OFF(ReflectField, name)));
    if (!object_get_ref(o, OFF(MemberName, type)))
        object_set_ref(o, OFF(MemberName, type), object_get_ref(r, OFF(ReflectField, type)));
}

bool member_name_init_reflected(Thread *self, jobject mname, jobject member)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(mname);
    ASSERT_HANDLE(member);
    Class *c = member ? object_class(deref(member)) : NULL;
    if (c == CLS(ReflectField)) {
        init_from_field(self, mname, member);
        return true;
    }
    if (c == CLS(ReflectMethod) || c == CLS(ReflectConstructor)) {
        Method *m = reflect_method_of(deref(member));
        return is_polymorphic(m) || member_name_init_method(self, mname, m, NULL, true);
    }
    throw_new(self, "java/lang/InternalError", "unrecognized type in MemberName constructor");
    return false;
}

// ---- resolving ----

typedef struct Lookup {
    int32_t flags;
    RefKind kind;
    Class *cls, *caller;
    Symbol *name, *desc;
    bool constrained; // by loader constraints
} Lookup;

static void add_descriptor(StrBuf *sb, const Class *c)
{
    if (c->kind != 'L') {
        sb_add(sb, class_is_primitive(c) ? (char[2]){c->kind, 0} : c->name->s);
        return;
    }
    sb_putc(sb, 'L');
    sb_add(sb, c->name->s);
    sb_putc(sb, ';');
}

// Descriptor of MemberName.type: a MethodType, a Class or a String. NULL when it is something
// else.
static Symbol *descriptor_of_type(Object *type)
{
    if (object_class(type) == CLS(String))
        return string_to_symbol(type, false, true);
    StrBuf sb = {0};
    if (object_class(type) == CLS(Class)) {
        add_descriptor(&sb, class_of_mirror(type));
    } else if (object_class(type) == CLS(MethodType)) {
        Object *params = object_get_ref(type, OFF(MethodType, ptypes));
        sb_putc(&sb, '(');
        for (int32_t i = 0; i < array_length(params); i++)
            add_descriptor(&sb, class_of_mirror(array_get_ref(params, i)));
        sb_putc(&sb, ')');
        add_descriptor(&sb, class_of_mirror(object_get_ref(type, OFF(MethodType, rtype))));
    } else {
        return NULL;
    }
    Symbol *s = symbol_intern_n(sb.s, sb.len);
    sb_free(&sb);
    return s;
}

static InvokeKind invoke_kind(RefKind k)
{
    return k == REF_invokeStatic      ? INVOKE_STATIC
           : k == REF_invokeInterface ? INVOKE_INTERFACE
           : k == REF_invokeVirtual   ? INVOKE_VIRTUAL
                                      : INVOKE_SPECIAL;
}

// invokeBasic and linkTo*: the VM's own methods. False: not one.
static bool resolve_intrinsic(Thread *self, jobject mname, const Lookup *l, bool *ok)
{
    int entry = l->cls == CLS(MethodHandle) ? method_handle_intrinsic_entry(l->name) : -1;
    if (entry < 0 || (entry == ENTRY_INVOKE_BASIC) == (l->kind == REF_invokeStatic))
        return false;
    Method *m = method_handle_intrinsic(self, l->name, l->desc);
    *ok = m && member_name_init_method(self, mname, m, NULL, false);
    if (*ok && entry == ENTRY_INVOKE_BASIC)
        object_set_int(deref(mname), OFF(MemberName, flags),
                       (object_get_int(deref(mname), OFF(MemberName, flags)) & 0xFFFFFF)
                           | REF_invokeSpecial << MN_REFERENCE_KIND_SHIFT);
    return true;
}

static bool resolve_as_method(Thread *self, jobject mname, const Lookup *l)
{
    bool ok = false;
    if (resolve_intrinsic(self, mname, l, &ok))
        return ok;
    InvokeKind kind = invoke_kind(l->kind);
    Method *m = link_method(self, l->cls, l->name, l->desc, kind, l->caller,
                            class_is_interface(l->cls), l->constrained);
    if (m && kind == INVOKE_SPECIAL && l->caller && m->name != SYM(init))
        m = link_special(self, l->caller, l->cls, m);
    bool dispatch = kind == INVOKE_VIRTUAL || kind == INVOKE_INTERFACE;
    return m && member_name_init_method(self, mname, m, l->cls, dispatch);
}

static bool resolve_as_constructor(Thread *self, jobject mname, const Lookup *l)
{
    if (l->name != SYM(init)) {
        throw_new(self, "java/lang/LinkageError", "method resolution failed");
        return false;
    }
    Method *m = link_method(self, l->cls, l->name, l->desc, INVOKE_SPECIAL, l->caller,
                            class_is_interface(l->cls), l->constrained);
    return m && member_name_init_method(self, mname, m, NULL, false);
}

static bool resolve_as_field(Thread *self, jobject mname, const Lookup *l)
{
    Field *f = link_field(self, l->cls, l->name, l->desc, NULL);
    return f && (!l->caller || !l->constrained || link_constrain_field(self, l->caller, f))
           && member_name_init_field(self, mname, f,
                                     l->kind == REF_putField || l->kind == REF_putStatic);
}

// Steps 2-7 of the lookup. False: nothing can be found (with or without an exception).
// These are errors of the caller, thrown for a speculative resolution too.
static bool require_complete(Thread *self, Object *mname)
{
    int kind = member_name_ref_kind(mname);
    bool known = kind >= REF_getField && kind <= REF_invokeInterface;
    if (!known)
        throw_new(self, "java/lang/InternalError", "obsolete MemberName format");
    else if (!object_get_ref(mname, OFF(MemberName, clazz))
             || !object_get_ref(mname, OFF(MemberName, name))
             || !object_get_ref(mname, OFF(MemberName, type)))
        throw_new(self, "java/lang/IllegalArgumentException", "nothing to resolve");
    return !exception_pending(self);
}

static bool prepare(Thread *self, jobject mname, Class *caller, Lookup *l)
{
    Object *o = deref(mname);
    Object *clazz = object_get_ref(o, OFF(MemberName, clazz)),
           *name = object_get_ref(o, OFF(MemberName, name));
    Object *type = object_get_ref(o, OFF(MemberName, type));
    l->flags = object_get_int(o, OFF(MemberName, flags));
    l->kind = member_name_ref_kind(o);
    l->caller = caller;
    l->cls = class_of_mirror(clazz);
    l->name = string_to_symbol(name, false, true);
    l->desc = descriptor_of_type(type);
    if (class_is_primitive(l->cls) || !l->desc || !l->name || l->name == SYM(clinit))
        return false;
    if (class_is_array(l->cls))
        l->cls = CLS(Object);
    return class_link(self, l->cls);
}

static bool resolve_prepared(Thread *self, jobject mname, const Lookup *l)
{
    if (l->flags & MN_IS_FIELD)
        return resolve_as_field(self, mname, l);
    if (l->flags & MN_IS_CONSTRUCTOR)
        return resolve_as_constructor(self, mname, l);
    if (l->flags & MN_IS_METHOD)
        return resolve_as_method(self, mname, l);
    throw_new(self, "java/lang/InternalError", "unrecognized MemberName format");
    return false;
}

jobject member_name_resolve(Thread *self, jobject mname, Class *caller, int lookup_mode,
                            bool speculative)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(mname);
    HANDLE_SCOPE(self);
    if (object_get_ref(deref(mname), OFF(MemberName, method)))
        SCOPE_RETURN(mname);
    if (!require_complete(self, deref(mname)))
        return NULL;
    Lookup l = {.constrained = !(lookup_mode & LM_UNCONDITIONAL)};
    if (prepare(self, mname, caller, &l) && resolve_prepared(self, mname, &l))
        SCOPE_RETURN(mname);
    if (speculative) {
        self->exception = NULL;
        return NULL;
    }
    if (!exception_pending(self)) {
        bool field = l.flags & MN_IS_FIELD;
        throw_new(self, field ? "java/lang/NoSuchFieldError" : "java/lang/NoSuchMethodError",
                  "%s resolution failed", field ? "field" : "method");
    }
    return NULL;
}

// ---- expanding ----

static void set_if_null(jobject mname, uint32_t offset, jobject value)
{
    if (!object_get_ref(deref(mname), offset))
        object_set_ref(deref(mname), offset, deref(value));
}

static bool expand_with(Thread *self, jobject mname, Class *cls, const Symbol *name,
                        jobject type)
{
    jobject text = string_intern_symbol(self, name);
    if (!text || !type)
        return false;
    set_if_null(mname, OFF(MemberName, clazz), mirror_handle(self, cls));
    set_if_null(mname, OFF(MemberName, name), text);
    set_if_null(mname, OFF(MemberName, type), type);
    return true;
}

static jobject field_type_object(Thread *self, const Field *f)
{
    if (f->desc->len == 1)
        return mirror_handle(self, class_primitive(f->kind));
    return string_intern_symbol(self, f->desc);
}

bool member_name_expand(Thread *self, jobject mname)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(mname);
    HANDLE_SCOPE(self);
    Method *m = member_name_target(deref(mname));
    if (m)
        return expand_with(self, mname, m->cls, m->name,
                           string_from_mutf8_n(self, m->desc->s, m->desc->len));
    Field *f = member_name_field(deref(mname));
    if (f)
        return expand_with(self, mname, f->cls, f->name, field_type_object(self, f));
    throw_new(self, "java/lang/IllegalArgumentException", "nothing to expand");
    return false;
}
