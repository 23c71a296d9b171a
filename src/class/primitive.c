// SPDX-License-Identifier: Apache-2.0
// The nine primitive classes (void included) and the eight classes of their arrays. Made once
// at the start, read-only after.
#include "class/loader_internal.h"

static const struct {
    char kind;
    const char *name;
} primitives[] = {{'Z', "boolean"}, {'C', "char"}, {'F', "float"},
                  {'D', "double"},  {'B', "byte"}, {'S', "short"},
                  {'I', "int"},     {'J', "long"}, {'V', "void"}};

static Class *by_kind[128];

Class *class_primitive(char kind)
{
    return by_kind[(unsigned char)kind & 127];
}

Class *class_primitive_array(char kind)
{
    return atomic_load_explicit(&class_primitive(kind)->array_class, memory_order_acquire);
}

static Class *make(Thread *self, char kind, const char *name)
{
    Class *c = class_new(self);
    if (!c)
        return NULL;
    c->name = symbol_intern(name);
    c->kind = kind;
    c->access = c->inner_access = ACC_PUBLIC | ACC_FINAL | ACC_ABSTRACT;
    c->loader = loader_boot;
    c->module = module_java_base;
    c->layout.instance_size = OBJECT_HEADER;
    atomic_store(&c->state, CLASS_INITIALIZED);
    c->verified = true;
    return mirror_create(self, c, NULL, NULL) ? c : NULL;
}

bool primitives_init(Thread *self)
{
    for (size_t i = 0; i < ARRAY_LEN(primitives); i++) {
        Class *c = make(self, primitives[i].kind, primitives[i].name);
        if (!c)
            return false;
        by_kind[(unsigned char)primitives[i].kind] = c;
    }
    return true;
}

bool primitive_arrays_init(Thread *self)
{
    ASSERT_MAY_GC(self);
    for (size_t i = 0; i < ARRAY_LEN(primitives); i++)
        if (primitives[i].kind != 'V'
            && !class_array_of(self, class_primitive(primitives[i].kind)))
            return false;
    return true;
}
