// SPDX-License-Identifier: Apache-2.0
// See structure.h.
#include "redefine/structure.h"

#include "base/vec.h"
#include "class/class_fill.h"
#include "class/metadata.h"
#include "class/vm_classes.h"
#include "heap/handle.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "options/options.h"
#include "redefine/class_version.h"

// The VM knows members of these classes by place.
static bool is_known_to_vm(const Class *c)
{
    for (size_t i = 0; i < VM_CLASS_COUNT; i++)
        if (vm_classes[i] == c)
            return true;
    return false;
}

ClassFileFreedom structure_freedom(const Class *c, bool free)
{
    if ((free || options_now(vm_options.enhanced_redefinition)) && !is_known_to_vm(c))
        return FREE_MEMBERS;
    return vm_options.add_delete_methods ? FREE_PRIVATE_METHODS : FREE_BODIES;
}

// ---- what overrides what ----
// A method of a class as it will be.
typedef struct Planned {
    const Class *cls;
    const ClassFile *cf;
    const MethodInfo *info;
} Planned;

static const ClassFile *planned_file(const Restructured *all, int count, const Class *c)
{
    for (int i = count; i-- > 0;) // of a class that is listed twice the last one stays
        if (all[i].cls == c)
            return all[i].to;
    return c->cf;
}

static Class *planned_super(const Restructured *all, int count, const Class *c)
{
    for (int i = count; i-- > 0;)
        if (all[i].cls == c)
            return all[i].super;
    return c->super;
}

static bool is_virtual(const Planned *p)
{
    return !(p->info->access & (ACC_STATIC | ACC_PRIVATE))
           && !bytes_eq(cf_utf8(p->cf, p->info->name), "<init>");
}

static bool overrides(const Planned *m, const Planned *below)
{
    return is_virtual(m) && is_virtual(below)
           && ((below->info->access & (ACC_PUBLIC | ACC_PROTECTED))
               || class_same_package(m->cls, below->cls));
}

// The method of the class as it will be that has the name and descriptor of p; info NULL: none.
static Planned namesake(const Restructured *all, int count, const Class *c, const Planned *p)
{
    const ClassFile *cf = planned_file(all, count, c);
    return (Planned){c, cf,
                     classfile_find_method(cf, cf_utf8(p->cf, p->info->name),
                                           cf_utf8(p->cf, p->info->descriptor), 0)};
}

static bool overrides_final(const Restructured *all, int count, const Planned *m)
{
    const Class *s = planned_super(all, count, m->cls);
    for (; s; s = planned_super(all, count, s)) {
        Planned below = namesake(all, count, s, m);
        if (below.info && (below.info->access & ACC_FINAL) && overrides(m, &below))
            return true;
    }
    return false;
}

// By a method of `top` or a class below it.
static bool is_overridden_from(const Restructured *all, int count, const Planned *m,
                               const Class *top)
{
    for (const Class *c = top; c; c = class_next_below(c, top)) {
        Planned above = namesake(all, count, c, m);
        if (c != m->cls && above.info && overrides(&above, m))
            return true;
    }
    return false;
}

static bool final_is_overridden(const Restructured *all, int count, const Planned *m)
{
    return (m->info->access & ACC_FINAL) && is_overridden_from(all, count, m, m->cls);
}

// Whether a class that r's gets as a superclass has a final method that one of them has, too.
static bool overrides_gained(const Restructured *all, int count, const Restructured *r)
{
    for (const Class *s = r->super; s && s != r->cls->super; s = planned_super(all, count, s)) {
        const ClassFile *cf = planned_file(all, count, s);
        for (uint32_t i = 0; i < cf->method_count; i++) {
            Planned m = {s, cf, &cf->methods[i]};
            if ((m.info->access & ACC_FINAL) && is_overridden_from(all, count, &m, r->cls))
                return true;
        }
    }
    return false;
}

// Whether `from` is `to` or extends it, by the interfaces to come.
static bool will_extend(const Restructured *all, int count, const Class *from, const Class *to)
{
    Class **interfaces = from->interfaces;
    uint32_t n = from->interface_count;
    for (int i = count; i-- > 0 && interfaces == from->interfaces;)
        if (all[i].cls == from) {
            interfaces = all[i].interfaces;
            n = all[i].to->interface_count;
        }
    bool extends = from == to;
    for (uint32_t i = 0; !extends && i < n; i++)
        extends = will_extend(all, count, interfaces[i], to);
    return extends;
}

bool structure_will_be(const Restructured *all, int count, const Class *c, const Class *t)
{
    while (c && !will_extend(all, count, c, t))
        c = planned_super(all, count, c);
    return c != NULL;
}

enum { MOST_SUPERS = UINT16_MAX };

static bool is_circular(const Restructured *all, int count, const Restructured *r)
{
    const Class *s = r->super;
    for (uint32_t n = 0; s; s = planned_super(all, count, s), n++)
        if (s == r->cls || n > MOST_SUPERS)
            return true;
    for (uint32_t i = 0; i < r->to->interface_count; i++)
        if (will_extend(all, count, r->interfaces[i], r->cls))
            return true;
    return false;
}

bool structure_fits(const Restructured *all, int count)
{
    ASSERT_WORLD_STOPPED();
    for (int i = 0; i < count; i++) {
        const ClassFile *cf = all[i].to;
        if (((cf->access & ACC_FINAL) && all[i].cls->subclasses)
            || is_circular(all, count, &all[i]) || overrides_gained(all, count, &all[i]))
            return false;
        for (uint32_t k = 0; k < cf->method_count; k++) {
            Planned m = {all[i].cls, cf, &cf->methods[k]};
            if (overrides_final(all, count, &m) || final_is_overridden(all, count, &m))
                return false;
        }
    }
    return true;
}

// ---- supers that come ----
bool structure_load_super(Thread *self, Restructured *r)
{
    ASSERT_MAY_GC(self);
    r->super = class_load_super(self, r->cls, r->to);
    if (!r->super)
        return false;
    if (class_is_subclass(r->super, r->cls)) {
        throw_new(self, "java/lang/ClassCircularityError", "%s", r->super->name->s);
        return false;
    }
    loader_data_depend(class_loader_data(r->cls), r->super);
    return class_link(self, r->super);
}

static bool load_interface(Thread *self, const Restructured *r, uint32_t i)
{
    Class *iface = class_load_interface(self, r->cls, r->to, r->to->interfaces[i]);
    if (!iface)
        return false;
    if (!class_is_interface(iface) || class_is_subclass(iface, r->cls)) {
        throw_new(self,
                  class_is_interface(iface) ? "java/lang/ClassCircularityError"
                                            : "java/lang/IncompatibleClassChangeError",
                  "%s", iface->name->s);
        return false;
    }
    r->interfaces[i] = iface;
    loader_data_depend(class_loader_data(r->cls), iface);
    return class_link(self, iface);
}

bool structure_load_interfaces(Thread *self, Restructured *r)
{
    ASSERT_MAY_GC(self);
    uint32_t count = r->to->interface_count;
    r->interfaces = vm_calloc(count + 1, sizeof *r->interfaces);
    for (uint32_t i = 0; i < count; i++)
        if (!load_interface(self, r, i)) {
            vm_free(r->interfaces);
            r->interfaces = NULL;
            return false;
        }
    return true;
}

bool structure_make_strings(Thread *self, Restructured *r)
{
    ASSERT_MAY_GC(self);
    r->strings = vm_calloc(r->to->field_count + 1u, sizeof *r->strings);
    for (uint32_t i = 0; i < r->to->field_count; i++) {
        uint16_t value = r->to->fields[i].constant_value;
        if (!value || cf_tag(r->to, value) != CP_STRING)
            continue;
        r->strings[i] = mirror_constant_string(self, r->to, value);
        if (!r->strings[i])
            return false;
    }
    return true;
}

// ---- loader constraints ----
static bool check_interface(Thread *self, const Class *c, const Class *iface)
{
    METHOD_EACH (m, iface) {
        const Method *selected = class_find_method(c, m->name, m->desc);
        if (selected && selected != m && !(m->access & (ACC_STATIC | ACC_PRIVATE))
            && !constraints_check_override(self, c, selected, m, true))
            return false;
    }
    return true;
}

static bool check_interfaces(Thread *self, const Restructured *r)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->to->interface_count; i++) {
        const Class *iface = r->interfaces[i];
        ok = check_interface(self, r->cls, iface);
        for (uint16_t k = 0; ok && k < iface->all_interface_count; k++)
            ok = check_interface(self, r->cls, iface->all_interfaces[k]);
    }
    return ok;
}

static bool check_above(Thread *self, const Method *m, const Class *super)
{
    for (const Class *s = super; s; s = s->super) {
        const Method *below = class_declared_method(s, m->name, m->desc);
        if (below && !constraints_check_override(self, m->cls, m, below, false))
            return false;
    }
    for (uint16_t i = 0; i < m->cls->all_interface_count; i++) {
        const Method *below =
            class_declared_method(m->cls->all_interfaces[i], m->name, m->desc);
        if (below && !constraints_check_override(self, m->cls, m, below, true))
            return false;
    }
    return true;
}

typedef VEC(const Class *) ClassList;

// Loaded classes in other loaders, `top` or below it, that have a method of this name; they are kept by handles.
static ClassList overriding_elsewhere(Thread *self, const Method *m, const Class *top)
{
    ClassList found = {0};
    mutex_lock(&loader_lock);
    for (const Class *c = top; c; c = class_next_below(c, top))
        if (c->loader != m->cls->loader && class_declared_method(c, m->name, m->desc)) {
            vec_push(&found, c);
            (void)mirror_handle(self, c);
        }
    mutex_unlock(&loader_lock);
    return found;
}

static bool check_below(Thread *self, const Method *m, const Class *top)
{
    ClassList found = overriding_elsewhere(self, m, top);
    bool ok = true;
    for (size_t i = 0; ok && i < found.len; i++) {
        const Method *above = class_declared_method(found.at[i], m->name, m->desc);
        ok = !above || constraints_check_override(self, found.at[i], above, m, false);
    }
    vec_free(&found);
    return ok;
}

// Methods of superclasses that come, with those of the class and of classes below it that override them.
static bool check_gained(Thread *self, const Restructured *r)
{
    for (const Class *s = r->super; s != r->cls->super; s = s->super)
        METHOD_EACH (m, s)
            if (!(m->access & (ACC_STATIC | ACC_PRIVATE)) && m->name != SYM(init)
                && !check_below(self, m, r->cls))
                return false;
    return true;
}

// Whether a method with that access may override others, or be overridden, that the one before, NULL: none, did not.
static bool overrides_more(const Method *before, uint16_t access)
{
    const uint16_t wide = ACC_PUBLIC | ACC_PROTECTED;
    if (access & (ACC_STATIC | ACC_PRIVATE))
        return false;
    return !before || (before->access & (ACC_STATIC | ACC_PRIVATE))
           || (!(before->access & wide) && (access & wide));
}

bool structure_check_constraints(Thread *self, const Restructured *r)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    bool ok = check_interfaces(self, r) && check_gained(self, r);
    for (uint32_t i = 0; ok && i < r->to->method_count; i++) {
        const MethodInfo *info = &r->to->methods[i];
        Method m = {.cls = r->cls,
                    .name = class_utf8_symbol(r->to, info->name),
                    .desc = class_utf8_symbol(r->to, info->descriptor),
                    .access = info->access};
        if (overrides_more(class_declared_method(r->cls, m.name, m.desc), m.access)
            && m.name != SYM(init))
            ok = check_above(self, &m, r->super) && check_below(self, &m, r->cls);
    }
    return ok;
}

// ---- links to superclasses ----
static void set_super(Class *c, Class *super)
{
    class_remove_from_super(c);
    c->super = super;
    class_add_to_super(c);
    for (Class *below = c; below; below = class_next_below(below, c))
        class_fill_superclass(below);
}

void structure_link_supers(Restructured *all, int count)
{
    ASSERT_WORLD_STOPPED();
    for (int i = 0; i < count; i++) {
        Restructured *r = &all[i];
        if (r->super == r->cls->super)
            continue;
        r->old_super = r->cls->super;
        set_super(r->cls, r->super);
    }
}

void structure_unlink_supers(Restructured *all, int count)
{
    ASSERT_WORLD_STOPPED();
    for (int i = count; i-- > 0;)
        if (all[i].old_super) {
            set_super(all[i].cls, all[i].old_super);
            all[i].old_super = NULL;
        }
}

const Restructured *structure_gainer(const Restructured *all, int count, const Class *c,
                                     const Class *s)
{
    for (int i = 0; i < count; i++) {
        const Restructured *r = &all[i];
        if (r->old_super && class_is_subclass(c, r->cls) && class_is_subclass(r->super, s)
            && !class_is_subclass(r->old_super, s))
            return r;
    }
    return NULL;
}

// ---- what follows ----
static const Restructured *changed; // by the one that has stopped the world
static int changed_count;

// The topmost class that has changed: of superclasses that others got, fields may have moved.
static const Class *top_of(const Restructured *r)
{
    const Class *top = r->cls;
    while (r->old_super && top->super != r->old_super)
        top = top->super;
    return top;
}

static bool is_affected(const Class *c)
{
    for (int i = 0; i < changed_count; i++)
        if (class_is_subclass(c, top_of(&changed[i])))
            return true;
    return false;
}

// Who is whose nest mate is found again when somebody asks.
static void forget_nest(Class *c)
{
    atomic_store(&c->nest_host, NULL);
    vm_free(c->nest_host_error);
    c->nest_host_error = NULL;
}

// Whether what c implements has changed.
static bool fill_interfaces(Class *c)
{
    uint16_t count = c->all_interface_count;
    Class **before = c->all_interfaces;
    c->all_interfaces = NULL;
    class_fill_interfaces(c);
    bool same =
        count == c->all_interface_count
        && (count == 0 || memcmp(before, c->all_interfaces, count * sizeof *before) == 0);
    metadata_uncount(c, count * sizeof *before);
    vm_free(before);
    return !same;
}

// What all affected classes implement, given those that have other interfaces now. Interfaces do not come in the order in which they
// extend each other: it is done again until nothing changes.
static void spread_interfaces(void)
{
    const Class *top = CLS(Object);
    bool changes = true;
    while (changes) {
        changes = false;
        for (Class *c = class_next_below(top, top); c; c = class_next_below(c, top))
            changes |= is_affected(c) && fill_interfaces(c);
    }
}

void structure_spread(Thread *self, const Restructured *all, int count)
{
    ASSERT_WORLD_STOPPED();
    changed = all;
    changed_count = count;
    const Class *top = CLS(Object);
    spread_interfaces();
    class_remake_tables(self, is_affected);
    versions_relink(is_affected);
    for (Class *c = class_next_below(top, top); c; c = class_next_below(c, top)) {
        if (is_affected(c))
            version_count(c);
        if (!c->loader->is_boot && !c->hidden) // the host of a hidden class is given
            forget_nest(c);
    }
}
