// SPDX-License-Identifier: Apache-2.0
// Interface method tables: for each interface a class implements, what each of its methods
// selects (JVMS 5.4.6). Default methods and conflicts among them are decided here; a conflict
// gets a method that throws.
#include "base/strbuf.h"
#include "base/vec.h"
#include "class/class_members.h"
#include "class/loader_internal.h"
#include "class/metadata.h"
#include "java/engine.h"

// Numbers the methods of an interface that invokeinterface selects. Always gives the same numbers; other threads read
// those that are there.
static uint32_t number_methods(const Class *iface)
{
    uint32_t n = 0;
    METHOD_EACH (m, iface) {
        if (m->access & (ACC_STATIC | ACC_PRIVATE))
            continue;
        if (m->table_index != (int32_t)n)
            m->table_index = (int32_t)n;
        n++;
    }
    return n;
}

Method *class_add_overpass(Class *c, Symbol *name, Symbol *desc, const char *exception,
                           char *message)
{
    VM_ASSERT((class_state(c) == CLASS_LOADED || world_is_stopped()) && exception);
    Method *m = vm_calloc(1, sizeof *m);
    MethodShape shape = descriptor_method_shape(desc->s, desc->len);
    m->cls = c;
    m->name = name;
    m->desc = desc;
    m->access = ACC_PUBLIC | ACC_SYNTHETIC;
    m->flags = METHOD_OVERPASS;
    method_set_entry(m, ENTRY_THROWS);
    m->param_count = shape.param_count;
    m->arg_words = (uint8_t)(shape.arg_words + 1);
    m->max_locals = m->arg_words;
    m->ret = shape.ret;
    m->table_index = -1;
    m->slot = UINT32_MAX;
    m->overpass = vm_malloc(sizeof *m->overpass);
    *m->overpass = (struct OverpassInfo){exception, message};
    c->extra_methods =
        vm_realloc(c->extra_methods, (c->extra_method_count + 1) * sizeof *c->extra_methods);
    c->extra_methods[c->extra_method_count++] = m;
    return m;
}

char *class_describe_conflict(const InterfaceChoice *choice)
{
    VM_ASSERT(choice->concrete_count > 1);
    StrBuf sb = {0};
    sb_add(&sb, "Conflicting default methods:");
    for (int i = 0; i < INTERFACE_CHOICE_MAX; i++)
        sb_printf(&sb, " %s.%s", choice->concrete[i]->cls->name->s,
                  choice->concrete[i]->name->s);
    return sb.s;
}

static Method *conflict(Class *c, const Method *m, const InterfaceChoice *choice)
{
    for (uint32_t i = 0; i < c->extra_method_count; i++)
        if (c->extra_methods[i]->name == m->name && c->extra_methods[i]->desc == m->desc)
            return c->extra_methods[i];
    return class_add_overpass(c, m->name, m->desc, "java/lang/IncompatibleClassChangeError",
                              class_describe_conflict(choice));
}

static Method *declared_in_classes(const Class *c, const Method *m)
{
    for (; c; c = c->super) {
        Method *d = class_declared_method(c, m->name, m->desc);
        if (d && !(d->access & (ACC_PRIVATE | ACC_STATIC)))
            return d;
    }
    return NULL;
}

// What was chosen among several methods of one name, while a class's tables are built: each interface that
// declares the name asks again.
typedef struct Chosen {
    const Symbol *name, *desc;
    InterfaceChoice choice;
} Chosen;
typedef VEC(Chosen) ChosenMethods;

static InterfaceChoice choose(const Class *c, const Method *m, ChosenMethods *chosen)
{
    for (size_t i = 0; i < chosen->len; i++)
        if (chosen->at[i].name == m->name && chosen->at[i].desc == m->desc)
            return chosen->at[i].choice;
    InterfaceChoice choice = class_choose_interface_method(c, m->name, m->desc);
    if (choice.among > 1)
        vec_push(chosen, ((Chosen){m->name, m->desc, choice}));
    return choice;
}

static Method *select_for(Class *c, const Method *m, ChosenMethods *chosen)
{
    Method *d = declared_in_classes(c, m);
    if (d)
        return d;
    InterfaceChoice choice = choose(c, m, chosen);
    if (choice.concrete_count > 1)
        return conflict(c, m, &choice);
    return choice.concrete_count ? choice.concrete[0] : choice.abstract;
}

// What the superclass selects holds as long as c brings neither the method nor new interfaces.
static Method *inherit(const Class *c, const Itable *from, const Method *m)
{
    if (!from || c->interface_count)
        return NULL;
    Method *d = class_declared_method(c, m->name, m->desc);
    return d && !(d->access & (ACC_PRIVATE | ACC_STATIC)) ? d : from->methods[m->table_index];
}

// HotSpot has a place in the vtable for what superclasses have of interfaces alone. It belongs to `below`, and
// another method that takes it is held to the constraints of overriding before those of interfaces.
static bool check_constraints(Thread *self, const Class *c, const Method *selected,
                              const Method *below, const Method *m)
{
    if (!selected || selected->overpass
        || (class_is_interface(selected->cls) && method_is_abstract(selected)))
        return true;
    if (below && below != selected && class_is_interface(below->cls)
        && !constraints_check_override(self, c, selected, below, false))
        return false;
    return selected == m || constraints_check_override(self, c, selected, m, true);
}

// self NULL: the constraints of loaders were checked.
static bool fill(Thread *self, Class *c, Itable *t, Class *iface, ChosenMethods *chosen)
{
    uint32_t n = number_methods(iface);
    const Itable *from = c->super ? class_find_itable(c->super, iface) : NULL;
    t->iface = iface;
    t->methods = n ? vm_calloc(n, sizeof *t->methods) : NULL;
    if (self) // what is made anew takes the place of about as much
        metadata_count(c, sizeof *t + n * sizeof *t->methods);
    METHOD_EACH (m, iface) {
        if (m->table_index < 0)
            continue;
        Method *selected = inherit(c, from, m);
        if (!selected)
            selected = select_for(c, m, chosen);
        t->methods[m->table_index] = selected;
        const Method *below = from ? from->methods[m->table_index] : NULL;
        if (self && !check_constraints(self, c, selected, below, m))
            return false;
    }
    return true;
}

static void tables_free(Itable *tables, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        vm_free(tables[i].methods);
    vm_free(tables);
}

static bool build(Thread *self, Class *c)
{
    if (class_is_interface(c)) {
        number_methods(c);
        return true;
    }
    uint32_t n = c->all_interface_count, filled = 0;
    Itable *tables = n ? vm_calloc(n, sizeof *tables) : NULL;
    ChosenMethods chosen = {0};
    while (filled < n && fill(self, c, &tables[filled], c->all_interfaces[filled], &chosen))
        filled++;
    vec_free(&chosen);
    if (filled < n) {
        tables_free(tables, filled + 1);
        return false;
    }
    tables_free(c->itables, c->itable_len); // made anew while these were being made
    c->itables = tables;
    c->itable_len = n;
    return true;
}

bool itables_build(Thread *self, Class *c)
{
    ASSERT_MAY_GC(self);
    return build(self, c);
}

void itables_remake(Class *c)
{
    ASSERT_WORLD_STOPPED();
    (void)!build(NULL, c);
}
