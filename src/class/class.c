// SPDX-License-Identifier: Apache-2.0
// Classes as such: allocation, mirror to class, subtyping, packages and the names that messages
// use. Nothing here collects except class_new.
#include "class/loader_internal.h"
#include "class/metadata.h"
#include "class/vm_classes.h"
#include "java/describe.h"
#include "java/exception.h"

Class *class_new(Thread *self)
{
    ASSERT_MAY_GC(self);
    Class *c = class_space_alloc(sizeof *c);
    if (!c) {
        heap_collect(self, GC_METADATA_LAST_DITCH, true);
        c = class_space_alloc(sizeof *c);
    }
    if (!c) {
        throw_out_of_memory(self, "Compressed class space");
        return NULL;
    }
    c->layout.loader_data = &loader_boot->loader_data;
    mutex_init(&c->init_lock, RANK_CLASS_INIT);
    cond_init(&c->init_cond);
    c->kind = 'L';
    return c;
}

Symbol *class_utf8_symbol(const ClassFile *cf, uint16_t index)
{
    Bytes b = cf_utf8(cf, index);
    return symbol_intern_n((const char *)b.p, b.len);
}

Symbol *class_name_symbol(const ClassFile *cf, uint16_t class_index)
{
    Bytes b = cf_class_name(cf, class_index);
    return symbol_intern_n((const char *)b.p, b.len);
}

const Class *class_base_element(const Class *c)
{
    while (class_is_array(c))
        c = c->element;
    return c;
}

Class *class_of_mirror(const Object *mirror)
{
    VM_ASSERT(!mirror || object_layout(mirror)->shape == SHAPE_MIRROR);
    return (Class *)(uintptr_t)object_get_long(mirror, OFF(Class, vm_class));
}

// ---- subtyping ----
static bool array_is_subclass(const Class *c, const Class *t)
{
    if (!class_is_array(c))
        return false;
    if (class_is_primitive(t->element) || class_is_primitive(c->element))
        return c->element == t->element;
    return class_is_subclass(c->element, t->element);
}

bool class_is_subclass_slow(const Class *c, const Class *t)
{
    NO_GC_SCOPE();
    if (c == t)
        return true;
    if (class_is_array(t))
        return array_is_subclass(c, t);
    if (class_is_interface(t)) {
        for (int i = 0; i < c->all_interface_count; i++)
            if (c->all_interfaces[i] == t)
                return true;
        return false;
    }
    if (t->kind != 'L')
        return false;
    for (const Class *s = c->super; s; s = s->super)
        if (s == t)
            return true;
    return false;
}

bool class_same_package(const Class *a, const Class *b)
{
    a = class_base_element(a);
    b = class_base_element(b);
    return a == b || (a->loader == b->loader && a->package && a->package == b->package);
}

// ---- names ----
char *class_external_name(const Class *c)
{
    char *s = vm_strndup(c->name->s, c->name->len);
    for (char *p = s; *p; p++)
        if (*p == '/')
            *p = '.';
    char *plus = class_base_element(c)->hidden ? strrchr(s, '+') : NULL;
    if (plus)
        *plus = '/';
    return s;
}

char *method_external_name(const Method *m)
{
    return describe_method(m->cls, m->name, m->desc);
}

int method_line(const Method *m, int32_t bci)
{
    if (method_is_native(m))
        return -2;
    if (!method_has_code(m) || bci < 0)
        return -1;
    CodeInfo code = method_code(m);
    return code_line(m->pool->cf, &code, (uint32_t)bci);
}

LineEntry *method_lines(const Method *m, uint32_t *count)
{
    *count = 0;
    if (!method_has_code(m))
        return NULL;
    CodeInfo code = method_code(m);
    return code_lines(m->pool->cf, &code, count);
}

LocalVarEntry *method_locals(const Method *m, uint32_t *count)
{
    *count = 0;
    if (!method_has_code(m))
        return NULL;
    CodeInfo code = method_code(m);
    return code_locals(m->pool->cf, &code, count);
}

static bool name_is(const Class *c, const char *name, size_t len)
{
    return strlen(c->name->s) == len && memcmp(c->name->s, name, len) == 0;
}

static bool has_super_named(const Class *c, const char *name, size_t len)
{
    for (const Class *at = c; at; at = at->super)
        if (name_is(at, name, len))
            return true;
    for (uint32_t i = 0; i < c->all_interface_count; i++)
        if (name_is(c->all_interfaces[i], name, len))
            return true;
    return false;
}

bool class_fits_descriptor(const Class *c, const char *p, size_t len)
{
    NO_GC_SCOPE();
    for (; len > 1 && p[0] == '['; p++, len--) {
        if (!class_is_array(c))
            return false;
        c = c->element;
    }
    if (p[0] == 'L')
        return !class_is_primitive(c) && has_super_named(c, p + 1, len - 2);
    return c->kind == p[0];
}

// ---- subclasses ----
void class_add_to_super(Class *c)
{
    VM_ASSERT((mutex_held(&loader_lock) || world_is_stopped()) && !c->prev_subclass
              && !c->next_subclass);
    if (!c->super)
        return;
    c->next_subclass = c->super->subclasses;
    if (c->next_subclass)
        c->next_subclass->prev_subclass = c;
    c->super->subclasses = c;
}

void class_remove_from_super(Class *c)
{
    VM_ASSERT(world_is_stopped());
    if (c->prev_subclass)
        c->prev_subclass->next_subclass = c->next_subclass;
    else if (c->super && c->super->subclasses == c)
        c->super->subclasses = c->next_subclass;
    if (c->next_subclass)
        c->next_subclass->prev_subclass = c->prev_subclass;
    c->prev_subclass = c->next_subclass = NULL;
}

Class *class_next_below(const Class *c, const Class *top)
{
    if (c->subclasses)
        return c->subclasses;
    while (c != top && !c->next_subclass)
        c = c->super;
    return c == top ? NULL : c->next_subclass;
}
