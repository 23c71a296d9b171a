// SPDX-License-Identifier: Apache-2.0
// Array classes (JVMS 5.3.3): one for each component class, made on demand and kept in
// Class.array_class; they live in the class loader data of that class. They share the vtable of
// java.lang.Object. Publishing is one compare-and-swap; who loses abandons his.
#include "class/loader_internal.h"
#include "event/event.h"
#include "java/exception.h"

enum { MAX_DIMENSIONS = 255 };

static Symbol *array_name(const Class *element)
{
    char *s;
    if (class_is_array(element))
        s = vm_asprintf("[%s", element->name->s);
    else if (class_is_primitive(element))
        s = vm_asprintf("[%c", element->kind);
    else
        s = vm_asprintf("[L%s;", element->name->s);
    Symbol *y = symbol_intern(s);
    vm_free(s);
    return y;
}

static void set_layout(Class *c)
{
    bool refs = !class_is_primitive(c->element);
    int size = refs ? (int)sizeof(Narrow) : layout_kind_size(c->element->kind);
    c->layout.shape = refs ? SHAPE_REF_ARRAY : SHAPE_PRIM_ARRAY;
    c->layout.elem_shift = (uint8_t)__builtin_ctz((unsigned)size);
}

// Both interfaces have no methods.
static bool set_interfaces(Thread *self, Class *c)
{
    static Class *both[2];
    static Itable tables[2];
    if (!both[1]) {
        Class *cloneable = loader_load(self, loader_boot, SYM(java_lang_Cloneable), true);
        Class *serializable =
            cloneable ? loader_load(self, loader_boot, SYM(java_io_Serializable), true) : NULL;
        if (!serializable)
            return false;
        both[0] = tables[0].iface = cloneable;
        both[1] = tables[1].iface = serializable;
    }
    c->interfaces = c->all_interfaces = both;
    c->interface_count = c->all_interface_count = 2;
    c->itables = tables;
    c->itable_len = 2;
    return true;
}

static bool set_supers(Thread *self, Class *c)
{
    Class *object = loader_load(self, loader_boot, SYM(java_lang_Object), true);
    if (!object || !class_build_tables(self, object) || !set_interfaces(self, c))
        return false;
    c->super = object;
    c->depth = 1;
    c->display[0] = object;
    c->display[1] = c;
    c->vtable = object->vtable;
    c->vtable_len = object->vtable_len;
    return true;
}

static uint16_t array_access(const Class *c)
{
    const Class *base = class_base_element(c);
    uint16_t visible = base->inner_access & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED);
    return visible | ACC_FINAL | ACC_ABSTRACT;
}

static Class *make(Thread *self, Class *element)
{
    Class *c = class_new(self);
    if (!c)
        return NULL;
    c->kind = '[';
    c->element = element;
    c->name = array_name(element);
    c->loader = element->loader;
    c->layout.loader_data = class_loader_data(element);
    c->module = element->module;
    c->package = element->package;
    c->access = c->inner_access = array_access(c);
    set_layout(c);
    if (!set_supers(self, c))
        return NULL;
    c->verified = true;
    atomic_store(&c->state, CLASS_INITIALIZED);
    return mirror_create(self, c, NULL, NULL) ? c : NULL;
}

static int dimensions(const Class *c)
{
    int n = 0;
    for (; class_is_array(c); c = c->element)
        n++;
    return n;
}

Class *class_array_of(Thread *self, Class *element)
{
    VM_ASSERT(element->kind != 'V');
    ASSERT_MAY_GC(self);
    Class *c = atomic_load_explicit(&element->array_class, memory_order_acquire);
    if (LIKELY(c != NULL))
        return c;
    if (dimensions(element) >= MAX_DIMENSIONS) {
        throw_new(self, "java/lang/IllegalArgumentException",
                  "array type has more than 255 dimensions");
        return NULL;
    }
    c = make(self, element);
    if (!c)
        return NULL;
    Class *seen = NULL;
    if (!atomic_compare_exchange_strong(&element->array_class, &seen, c)) {
        class_abandon(c);
        return seen;
    }
    if (mirrors_ready())
        event_post(self, CLASS_MADE, .cls = c);
    return c;
}
