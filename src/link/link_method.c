// SPDX-License-Identifier: Apache-2.0
// Linking of methods by name (JVMS 5.4.3.3, 5.4.3.4), selection for invokespecial, and the
// errors of calls.
#include "link/link_method.h"
#include "class/class_members.h"
#include "class/vm_classes.h"
#include "java/describe.h"
#include "java/exception.h"
#include "link/access.h"
#include "link/resolve_internal.h"

static const char incompatible[] = "java/lang/IncompatibleClassChangeError";

static bool throw_found(Thread *self, Class *cls)
{
    char *name = class_external_name(cls);
    bool iface = class_is_interface(cls);
    throw_owned(self, incompatible,
                vm_asprintf("Found %s %s, but %s was expected", iface ? "interface" : "class",
                            name, iface ? "class" : "interface"));
    vm_free(name);
    return false;
}

static bool throw_wrong_ref(Thread *self, Class *cls, Symbol *name, Symbol *desc)
{
    char *text = describe_method(cls, name, desc);
    throw_owned(self, incompatible,
                vm_asprintf("Method '%s' must be %s constant", text,
                            class_is_interface(cls) ? "InterfaceMethodref" : "Methodref"));
    vm_free(text);
    return false;
}

// Whether the kind of reference fits the kind of class.
static bool check_ref_kind(Thread *self, Class *cls, Symbol *name, Symbol *desc,
                           InvokeKind kind, bool interface_ref)
{
    bool iface = class_is_interface(cls);
    if (kind == INVOKE_VIRTUAL || kind == INVOKE_INTERFACE)
        return iface == (kind == INVOKE_INTERFACE) || throw_found(self, cls);
    return iface == interface_ref || throw_wrong_ref(self, cls, name, desc);
}

static Method *find(Thread *self, Class *cls, Symbol *name, Symbol *desc)
{
    if (cls == CLS(MethodHandle) && method_handle_intrinsic_entry(name) >= 0)
        return method_handle_intrinsic(self, name, desc);
    if (class_is_interface(cls))
        return class_find_interface_method(cls, name, desc);
    return class_find_method(class_is_array(cls) ? CLS(Object) : cls, name, desc);
}

static void throw_no_method(Thread *self, const Class *cls, const Symbol *name,
                            const Symbol *desc)
{
    char *text = describe_method(cls, name, desc);
    throw_owned(self, "java/lang/NoSuchMethodError", vm_asprintf("'%s'", text));
    vm_free(text);
}

static bool check_access(Thread *self, Class *caller, Class *named, Method *m)
{
    uint16_t access = m->access;
    if (class_is_array(named) && m->cls == CLS(Object) && strcmp(m->name->s, "clone") == 0)
        access = (uint16_t)((access & ~ACC_PROTECTED) | ACC_PUBLIC);
    switch (access_check_member(self, caller, named, m->cls, access)) {
    case ACCESS_OK: return true;
    case ACCESS_EXCEPTION: return false;
    default: break;
    }
    char *text = method_external_name(m), *quoted = vm_asprintf("'%s'", text);
    throw_owned(self, "java/lang/IllegalAccessError",
                access_message_member(caller, m->cls, access, "method", quoted));
    vm_free(text);
    vm_free(quoted);
    return false;
}

// invokeBasic and linkTo* may be called where their declarations in MethodHandle may.
static bool check_intrinsic_access(Thread *self, Class *caller, Class *cls, Method *m)
{
    if (class_same_package(caller, cls))
        return true;
    Method *declared = class_declared_method(
        cls, m->name, symbol_intern("([Ljava/lang/Object;)Ljava/lang/Object;"));
    return !declared || check_access(self, caller, cls, declared);
}

// ---- loader constraints ----

static void throw_constraint(Thread *self, const Class *caller, const Class *named,
                             const Method *m, const Symbol *type)
{
    StrBuf la = {0}, lb = {0};
    describe_loader(&la, caller->loader);
    describe_loader(&lb, m->cls->loader);
    char *text = describe_method(named, m->name, m->desc);
    char *pa = describe_place(caller), *pb = describe_place(m->cls);
    throw_owned(
        self, "java/lang/LinkageError",
        vm_asprintf("loader constraint violation: when resolving %smethod '%s' the class "
                    "loader %s of the current class, %s, and the class loader %s for the "
                    "method's defining class, %s, have different Class objects for the "
                    "type %s used in the signature (%s; %s)",
                    class_is_interface(named) ? "interface " : "", text, la.s, caller->name->s,
                    lb.s, m->cls->name->s, type->s, pa, pb));
    sb_free(&la);
    sb_free(&lb);
    vm_free(text);
    vm_free(pa);
    vm_free(pb);
}

static bool constrain(Thread *self, Class *caller, Class *named, Method *m)
{
    if (caller->loader == m->cls->loader)
        return true;
    const Symbol *type = loader_constrain_method(self, m, caller->loader, m->cls->loader);
    if (type)
        throw_constraint(self, caller, named, m, type);
    return !type;
}

// ---- linking ----

static bool check_static(Thread *self, Method *m, InvokeKind kind)
{
    if (method_is_static(m) == (kind == INVOKE_STATIC))
        return true;
    char *text = method_external_name(m);
    const char *what = kind == INVOKE_STATIC      ? "Expected static method"
                       : kind == INVOKE_INTERFACE ? "Expected instance not static method"
                                                  : "Expecting non-static method";
    throw_owned(self, incompatible, vm_asprintf("%s '%s'", what, text));
    vm_free(text);
    return false;
}

static bool check_constructor(Thread *self, Class *cls, Method *m)
{
    if (m->name != SYM(init) || m->cls == cls)
        return true;
    char *name = class_external_name(cls), *text = describe_method(NULL, m->name, m->desc);
    throw_owned(self, "java/lang/NoSuchMethodError",
                vm_asprintf("%s: method '%s' not found", name, text));
    vm_free(name);
    vm_free(text);
    return false;
}

Method *link_method(Thread *self, Class *cls, Symbol *name, Symbol *desc, InvokeKind kind,
                    Class *caller, bool interface_ref, bool constrained)
{
    VM_ASSERT(name && desc);
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    if (!check_ref_kind(self, cls, name, desc, kind, interface_ref))
        return NULL;
    Method *m = find(self, cls, name, desc);
    if (!m) {
        if (!exception_pending(self))
            throw_no_method(self, cls, name, desc);
        return NULL;
    }
    if (!m->info && !m->overpass) // an intrinsic of method handles
        return !caller || check_intrinsic_access(self, caller, cls, m) ? m : NULL;
    if (caller && !check_access(self, caller, cls, m))
        return NULL;
    if (caller && constrained && !constrain(self, caller, cls, m))
        return NULL;
    return check_constructor(self, cls, m) && check_static(self, m, kind) ? m : NULL;
}

static bool is_direct_superinterface(const Class *c, const Class *iface)
{
    for (uint16_t i = 0; i < c->interface_count; i++)
        if (c->interfaces[i] == iface)
            return true;
    return false;
}

bool link_check_indirect(Thread *self, Class *current, Class *named, Method *m)
{
    if (!class_is_interface(named) || named == current
        || is_direct_superinterface(current, named) || m->name == SYM(init)
        || m->cls == CLS(Object))
        return true;
    char *text = method_external_name(m), *name = class_external_name(current);
    throw_owned(
        self, incompatible,
        vm_asprintf("Interface method reference: '%s', is in an indirect superinterface of %s",
                    text, name));
    vm_free(text);
    vm_free(name);
    return false;
}

// Of the default methods that c inherits, none is more specific than all others: m is one of them.
static bool check_no_conflict(Thread *self, const Class *c, const Method *m)
{
    if (!class_is_interface(m->cls) || m->cls == c || method_is_abstract(m))
        return true;
    InterfaceChoice choice = class_choose_interface_method(c, m->name, m->desc);
    if (choice.concrete_count <= 1)
        return true;
    char *text = class_describe_conflict(&choice);
    throw_owned(self, incompatible, text);
    return false;
}

Method *link_special(Thread *self, Class *current, Class *named, Method *resolved)
{
    ASSERT_MAY_GC(self);
    if (!link_check_indirect(self, current, named, resolved))
        return NULL;
    Method *m = resolved;
    bool super_call = resolved->name != SYM(init) && !class_is_interface(named)
                      && current != named && !class_is_interface(current)
                      && class_is_subclass(current, named);
    if (super_call)
        m = class_find_instance_method(current->super, resolved->name, resolved->desc);
    if (m && !check_no_conflict(self, super_call ? current->super : named, m))
        return NULL;
    if (m && !method_is_abstract(m))
        return m;
    char *text = m ? method_external_name(m) : method_external_name(resolved);
    throw_owned(self, "java/lang/AbstractMethodError", vm_asprintf("'%s'", text));
    vm_free(text);
    return NULL;
}

Method *link_instead(Thread *self, Method *caller, uint32_t bci, const Method *deleted)
{
    ASSERT_MAY_GC(self);
    static const InvokeKind kinds[] = {INVOKE_VIRTUAL, INVOKE_SPECIAL, INVOKE_STATIC,
                                       INVOKE_INTERFACE};
    const uint8_t *code = method_bytecodes(caller) + bci;
    uint16_t index = (uint16_t)(code[1] << 8 | code[2]);
    MemberRef ref;
    if (*code < BC_invokevirtual || *code > BC_invokeinterface) {
        throw_for_method(self, deleted);
        return NULL;
    }
    if (!resolve_member_ref(self, caller->pool, index, &ref))
        return NULL;
    if (ref.name == deleted->name && ref.desc == deleted->desc)
        return link_method(self, ref.cls, ref.name, ref.desc, kinds[*code - BC_invokevirtual],
                           caller->cls,
                           cf_tag(caller->pool->cf, index) == CP_INTERFACE_METHODREF, true);
    throw_for_method(self, deleted); // through an intrinsic of method handles
    return NULL;
}

// ---- errors of calls ----

void throw_for_method(Thread *self, const Method *m)
{
    if (method_is_deleted(m))
        throw_no_method(self, m->cls, m->name, m->desc);
    else
        throw_new(self, m->overpass->exception, "%s", m->overpass->message);
}

// On HotSpot a class that has default methods, of any name, has a method that throws for each abstract one that
// it inherits from interfaces alone; a class without such keeps the abstract method, its subclasses too.
static bool has_throwing_method(const Class *c, const Method *m)
{
    bool defaults = false, inherited = false;
    for (uint16_t i = 0; i < c->all_interface_count; i++)
        defaults |= c->all_interfaces[i]->has_default_methods;
    if (!defaults)
        return false;
    const Class *super = c->super;
    for (uint16_t i = 0; super && i < super->all_interface_count; i++)
        inherited |= class_declared_method(super->all_interfaces[i], m->name, m->desc) != NULL;
    return !inherited || class_choose_interface_method(super, m->name, m->desc).concrete_count
           || has_throwing_method(super, m);
}

static const char *kind_of(const Class *c)
{
    return class_is_interface(c)      ? "interface"
           : c->access & ACC_ABSTRACT ? "abstract class"
                                      : "class";
}

static char *abstract_text(const Class *receiver, const Method *resolved,
                           const Method *selected)
{
    StrBuf sb = {0};
    const Class *c = resolved->cls;
    char *name = class_external_name(receiver), *holder = class_external_name(c);
    char *text = describe_method(NULL, resolved->name, resolved->desc);
    sb_printf(&sb,
              "Receiver class %s does not define or inherit an implementation of the resolved "
              "method '%s%s' of %s %s.",
              name, method_is_abstract(resolved) ? "abstract " : "", text, kind_of(c), holder);
    vm_free(name);
    vm_free(holder);
    vm_free(text);
    if (selected && selected != resolved && !class_is_interface(selected->cls)) {
        text = method_external_name(selected);
        sb_printf(&sb, " Selected method is '%s%s'.",
                  method_is_abstract(selected) ? "abstract " : "", text);
        vm_free(text);
    }
    return sb.s;
}

void throw_abstract_method(Thread *self, Class *receiver, const Method *resolved,
                           const Method *selected, bool by_class)
{
    char *text;
    if (by_class && class_is_interface(resolved->cls)
        && has_throwing_method(receiver, resolved))
        text = vm_asprintf("Method %s.%s%s is abstract", receiver->name->s, resolved->name->s,
                           resolved->desc->s);
    else
        text = abstract_text(receiver, resolved, selected);
    throw_owned(self, "java/lang/AbstractMethodError", text);
}

void throw_not_implementing(Thread *self, Class *receiver, Class *iface)
{
    char *a = class_external_name(receiver), *b = class_external_name(iface);
    throw_owned(self, incompatible,
                vm_asprintf("Class %s does not implement the requested interface %s", a, b));
    vm_free(a);
    vm_free(b);
}
