// SPDX-License-Identifier: Apache-2.0
// java.lang.Class objects. Before java.lang.Class is laid out classes get none and wait on a
// fix-up list; the start runs on one thread, so that list needs no lock. Mirrors whose module
// has no java.lang.Module yet (java.base until it is defined, the boot loader's unnamed module
// until it is set) wait on a second list, under module_lock.
#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"

static VEC(Class *) without_mirror;
static size_t
    first_unreported; // of without_mirror: no OBJECT_ALLOC yet of it and those behind it
static bool ready;
static VEC(Class *) without_module;

bool mirrors_ready(void)
{
    return ready;
}

// ---- modules ----
static void set_module(Class *c, Object *mirror)
{
    mutex_lock(&module_lock);
    Object *module = c->module ? deref(c->module->module) : NULL;
    if (module)
        object_set_ref(mirror, OFF(Class, module), module);
    else
        vec_push(&without_module, c);
    mutex_unlock(&module_lock);
}

void mirrors_forget_dead(void)
{
    ASSERT_WORLD_STOPPED();
    size_t kept = 0;
    for (size_t i = 0; i < without_module.len; i++)
        if (!class_loader_data(without_module.at[i])->dead)
            without_module.at[kept++] = without_module.at[i];
    without_module.len = kept;
}

void mirrors_set_module(Module *m)
{
    mutex_lock(&module_lock);
    Object *module = deref(m->module);
    size_t kept = 0;
    for (size_t i = 0; i < without_module.len; i++) {
        Class *c = without_module.at[i];
        if (c->module == m)
            object_set_ref(class_mirror(c), OFF(Class, module), module);
        else
            without_module.at[kept++] = c;
    }
    without_module.len = kept;
    mutex_unlock(&module_lock);
}

// ---- statics: ConstantValue (JVMS 4.7.2) ----
jobject mirror_constant_string(Thread *self, const ClassFile *cf, uint16_t string_index)
{
    ASSERT_MAY_GC(self);
    Bytes text = cf_utf8(cf, cf_first_index(cf, string_index));
    return string_intern_mutf8_n(self, (const char *)text.p, text.len);
}

static void set_integer(Object *mirror, const Field *f, int32_t v)
{
    switch (layout_kind_size(f->kind)) {
    case 1: object_set_byte(mirror, f->offset, (int8_t)(f->kind == 'Z' ? v & 1 : v)); break;
    case 2: object_set_short(mirror, f->offset, (int16_t)v); break;
    default: object_set_int(mirror, f->offset, v);
    }
}

void mirror_set_constant(const Class *c, const ClassFile *cf, const Field *f, jobject string)
{
    CpEntry e = cf_entry(cf, f->info->constant_value);
    switch (e.tag) {
    case CP_INTEGER: set_integer(class_mirror(c), f, e.i); return;
    case CP_FLOAT: object_set_float(class_mirror(c), f->offset, e.f); return;
    case CP_LONG: object_set_long(class_mirror(c), f->offset, e.l); return;
    case CP_DOUBLE: object_set_double(class_mirror(c), f->offset, e.d); return;
    case CP_STRING: object_set_ref(class_mirror(c), f->offset, deref(string)); return;
    default: return;
    }
}

static bool set_constant(Thread *self, const Class *c, const Field *f)
{
    HANDLE_SCOPE(self);
    uint16_t value = f->info->constant_value;
    bool is_string = cf_tag(c->cf, value) == CP_STRING;
    jobject s = is_string ? mirror_constant_string(self, c->cf, value) : NULL;
    if (is_string && !s)
        return false;
    mirror_set_constant(c, c->cf, f, s);
    return true;
}

static bool set_constants(Thread *self, const Class *c)
{
    FIELD_EACH (f, c)
        if ((f->access & ACC_STATIC) && f->info->constant_value && !set_constant(self, c, f))
            return false;
    return true;
}

// ---- making ----
static bool allocate(Thread *self, Class *c)
{
    layout_statics(c);
    Object *o = heap_alloc(self, &CLS(Class)->layout, c->layout.mirror_size);
    if (!o) {
        throw_out_of_memory(self, "Java heap space");
        return false;
    }
    object_set_long(o, OFF(Class, vm_class), (int64_t)(uintptr_t)c);
    c->mirror = loader_data_ref(class_loader_data(c), o);
    if (ready)
        (void)!object_report_alloc(self, o);
    return true;
}

static bool fill(Thread *self, Class *c, jobject protection_domain, jobject class_data)
{
    Object *o = class_mirror(c);
    if (c->loader)
        object_set_ref(o, OFF(Class, classLoader), deref(c->loader->java_loader));
    if (c->element)
        object_set_ref(o, OFF(Class, componentType), class_mirror(c->element));
    object_set_ref(o, OFF(Class, protection_domain), deref(protection_domain));
    object_set_ref(o, OFF(Class, classData), deref(class_data));
    set_module(c, o);
    return set_constants(self, c);
}

bool mirror_create(Thread *self, Class *c, jobject protection_domain, jobject class_data)
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(protection_domain);
    ASSERT_HANDLE(class_data);
    if (ready)
        return allocate(self, c) && fill(self, c, protection_domain, class_data);
    vec_push(&without_mirror, c);
    return true;
}

// The first classes, java.lang.Class before those it is the class of.
static void post_first(Thread *self)
{
    Class **first = without_mirror.at;
    while (*first != CLS(Class))
        first++;
    *first = without_mirror.at[0];
    without_mirror.at[0] = CLS(Class);
    while (first_unreported < without_mirror.len) {
        Class *c = without_mirror.at[first_unreported++];
        (void)!object_report_alloc(self, class_mirror(c));
        if (c->kind == 'L')
            event_post(self, CLASS_LOAD, .cls = c);
        else
            event_post(self, CLASS_MADE, .cls = c);
    }
}

bool mirror_is_unreported(const Object *o)
{
    for (size_t i = first_unreported; i < without_mirror.len; i++)
        if (without_mirror.at[i]->mirror && class_mirror(without_mirror.at[i]) == o)
            return true;
    return false;
}

bool mirrors_fix_up(Thread *self)
{
    ASSERT_MAY_GC(self);
    for (size_t i = 0; i < without_mirror.len; i++)
        if (!allocate(self, without_mirror.at[i]))
            return false;
    ready = true;
    for (size_t i = 0; i < without_mirror.len; i++)
        if (!fill(self, without_mirror.at[i], NULL, NULL))
            return false;
    post_first(self);
    vec_free(&without_mirror);
    return true;
}
