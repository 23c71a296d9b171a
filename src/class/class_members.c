// SPDX-License-Identifier: Apache-2.0
// Finding and selecting fields and methods (JVMS 5.4.3, 5.4.6), without access checks. Names
// and descriptors are symbols, so comparing is comparing pointers. NO_GC throughout.
#include "class/class_members.h"

#include "base/hash.h"
#include "base/vec.h"

#include "class/loader_internal.h"
#include "class/vm_classes.h"

Method *class_declared_method(const Class *c, const Symbol *name, const Symbol *desc)
{
    for (uint32_t i = 0; i < c->method_count; i++) {
        Method *m = class_method(c, i);
        if (m->name == name && m->desc == desc && !method_is_deleted(m))
            return m;
    }
    return NULL;
}

Field *class_declared_field(const Class *c, const Symbol *name, const Symbol *desc)
{
    FIELD_EACH (f, c)
        if (f->name == name && f->desc == desc)
            return f;
    return NULL;
}

Field *class_next_field_of_slots(const Class *c, const Field *f)
{
    Field **current = c->field_slots->current;
    uint32_t next = 0;
    while (f && next < c->field_count && current[next++] != f)
        ;
    return next < c->field_count ? current[next] : NULL;
}

Field *class_field_at(const Class *c, const void *address)
{
    FIELD_EACH (f, c)
        if (f == address)
            return f;
    return NULL;
}

// JVMS 5.4.3.2: the class, its superinterfaces, its superclass.
Field *class_find_field(const Class *c, const Symbol *name, const Symbol *desc)
{
    VM_ASSERT(name && desc);
    for (; c; c = c->super) {
        Field *f = class_declared_field(c, name, desc);
        for (int i = 0; !f && i < c->interface_count; i++)
            f = class_find_field(c->interfaces[i], name, desc);
        if (f)
            return f;
        if (class_is_interface(c))
            return NULL;
    }
    return NULL;
}

static Method *inheritable(const Class *iface, const Symbol *name, const Symbol *desc)
{
    Method *m = class_declared_method(iface, name, desc);
    return m && !(m->access & (ACC_PRIVATE | ACC_STATIC)) ? m : NULL;
}

typedef VEC(Method *) Candidates;

// The methods of that name in the superinterfaces of c.
static Candidates find_candidates(const Class *c, const Symbol *name, const Symbol *desc)
{
    Candidates found = {0};
    for (int i = 0; i < c->all_interface_count; i++) {
        Method *m = inheritable(c->all_interfaces[i], name, desc);
        if (m)
            vec_push(&found, m);
    }
    return found;
}

// The interfaces that some candidate's interface extends: their methods are less specific.
static PtrMap extended_by(const Candidates *candidates)
{
    PtrMap extended = {0};
    for (size_t i = 0; candidates->len > 1 && i < candidates->len; i++) {
        Class *iface = candidates->at[i]->cls;
        for (int k = 0; k < iface->all_interface_count; k++)
            if (iface->all_interfaces[k] != iface)
                ptrmap_put(&extended, (uintptr_t)iface->all_interfaces[k], iface);
    }
    return extended;
}

static void add_choice(InterfaceChoice *choice, Method *m)
{
    if (!method_is_abstract(m)) {
        if (choice->concrete_count < INTERFACE_CHOICE_MAX)
            choice->concrete[choice->concrete_count] = m;
        choice->concrete_count++;
    } else if (!choice->abstract) {
        choice->abstract = m;
    }
}

InterfaceChoice class_choose_interface_method(const Class *c, const Symbol *name,
                                              const Symbol *desc)
{
    VM_ASSERT(name && desc);
    Candidates candidates = find_candidates(c, name, desc);
    InterfaceChoice choice = {.among = (int)candidates.len};
    PtrMap extended = extended_by(&candidates);
    for (size_t i = 0; i < candidates.len; i++)
        if (!ptrmap_get(&extended, (uintptr_t)candidates.at[i]->cls))
            add_choice(&choice, candidates.at[i]);
    ptrmap_free(&extended);
    vec_free(&candidates);
    return choice;
}

static Method *find_in_superinterfaces(const Class *c, const Symbol *name, const Symbol *desc)
{
    InterfaceChoice choice = class_choose_interface_method(c, name, desc);
    if (choice.concrete_count == 1)
        return choice.concrete[0];
    return choice.abstract ? choice.abstract : choice.concrete[0];
}

Method *class_find_method(const Class *c, const Symbol *name, const Symbol *desc)
{
    VM_ASSERT(name && desc);
    for (const Class *s = c; s; s = s->super) {
        Method *m = class_declared_method(s, name, desc);
        if (m)
            return m;
    }
    return find_in_superinterfaces(c, name, desc);
}

Method *class_find_instance_method(const Class *c, const Symbol *name, const Symbol *desc)
{
    NO_GC_SCOPE();
    for (const Class *s = c; s; s = s->super) {
        Method *m = class_declared_method(s, name, desc);
        if (m && !method_is_static(m))
            return m;
    }
    return find_in_superinterfaces(c, name, desc);
}

Method *class_find_interface_method(const Class *iface, const Symbol *name, const Symbol *desc)
{
    VM_ASSERT(class_is_interface(iface));
    Method *m = class_declared_method(iface, name, desc);
    if (m)
        return m;
    m = class_declared_method(CLS(Object), name, desc);
    if (m && (m->access & (ACC_PUBLIC | ACC_STATIC)) == ACC_PUBLIC)
        return m;
    return find_in_superinterfaces(iface, name, desc);
}

Itable *class_find_itable(const Class *c, const Class *iface)
{
    VM_ASSERT(class_is_interface(iface));
    for (uint32_t i = 0; i < c->itable_len; i++)
        if (c->itables[i].iface == iface)
            return &c->itables[i];
    return NULL;
}

Method *class_select_method(const Class *c, Method *m, bool *not_implemented)
{
    NO_GC_SCOPE();
    VM_ASSERT(method_is_selected(m));
    Method *selected = m;
    if (method_in_vtable(m)) {
        VM_ASSERT((uint32_t)m->table_index < c->vtable_len);
        selected = c->vtable[m->table_index];
    } else if (method_in_itable(m)) {
        Itable *table = class_find_itable(c, m->cls);
        if (!table) {
            if (not_implemented)
                *not_implemented = true;
            return NULL;
        }
        selected = table->methods[m->table_index];
    }
    return selected;
}
