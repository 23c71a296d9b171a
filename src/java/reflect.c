// SPDX-License-Identifier: Apache-2.0
// java.lang.reflect.Field, Method and Constructor objects: made without their constructors,
// every field filled as the class library expects. `slot` is the index in the class's table of
// declared members.
#include "java/reflect.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "link/resolve.h"
#include "redefine/class_version.h"

enum { FIELD_MODIFIERS = 0x50DF, METHOD_MODIFIERS = 0x1DFF };

jobject bytes_to_array(Thread *self, Bytes b)
{
    ASSERT_MAY_GC(self);
    if (!b.p)
        return NULL;
    jobject array = array_new(self, class_primitive_array('B'), (int32_t)b.len);
    if (array)
        memcpy(array_data(deref(array)), b.p, b.len);
    return array;
}

jobject class_name_string(Thread *self, Class *c)
{
    ASSERT_MAY_GC(self);
    Object *name = object_get_ref(class_mirror(c), OFF(Class, name));
    if (name)
        return handle_new(self, name);
    char *text = class_external_name(c);
    jobject h = string_intern_mutf8_n(self, text, strlen(text));
    vm_free(text);
    if (h)
        object_set_ref(class_mirror(c), OFF(Class, name), deref(h));
    return h;
}

jobject class_name_string_reported(Thread *self, Class *c)
{
    ASSERT_MAY_GC(self);
    char *text = class_external_name(c);
    jobject h = string_intern_reported(self, text, strlen(text));
    vm_free(text);
    return h ? class_name_string(self, c) : NULL;
}

// Stores bytes in a field of type byte[]; nothing when absent.
static bool set_bytes(Thread *self, jobject o, uint32_t offset, Bytes b)
{
    if (!b.p)
        return true;
    HANDLE_SCOPE(self);
    jobject array = bytes_to_array(self, b);
    if (array)
        object_set_ref(deref(o), offset, deref(array));
    return array != NULL;
}

static bool set_text(Thread *self, jobject o, uint32_t offset, const char *s, size_t len)
{
    HANDLE_SCOPE(self);
    jobject text = string_intern_mutf8_n(self, s, len);
    if (text)
        object_set_ref(deref(o), offset, deref(text));
    return text != NULL;
}

static bool set_signature(Thread *self, jobject o, uint32_t offset, const ClassFile *cf,
                          uint16_t index)
{
    if (!index)
        return true;
    Bytes b = cf_utf8(cf, index);
    return set_text(self, o, offset, (const char *)b.p, b.len);
}

static Class *descriptor_class(Thread *self, Class *holder, const char *s, size_t len)
{
    return len == 1 ? class_primitive(*s) : class_from_descriptor(self, holder->loader, s, len);
}

// ---- fields ----

static bool fill_field(Thread *self, jobject o, Field *f)
{
    const ConstantPool *pool = class_version(self, f->cls);
    const MemberAttributes *attrs = &f->info->attrs;
    Class *type = descriptor_class(self, f->cls, f->desc->s, f->desc->len);
    if (!type)
        return false;
    Object *raw = deref(o);
    object_set_ref(raw, OFF(ReflectField, clazz), class_mirror(f->cls));
    object_set_ref(raw, OFF(ReflectField, type), class_mirror(type));
    object_set_int(raw, OFF(ReflectField, slot), f->slot);
    object_set_int(raw, OFF(ReflectField, modifiers), f->access & FIELD_MODIFIERS);
    object_set_boolean(raw, OFF(ReflectField, trustedFinal), f->trusted_final);
    return set_text(self, o, OFF(ReflectField, name), f->name->s, f->name->len)
           && set_signature(self, o, OFF(ReflectField, signature), pool->cf, attrs->signature)
           && set_bytes(self, o, OFF(ReflectField, annotations),
                        member_annotations(pool->cf, attrs).plain);
}

static jobject allocate(Thread *self, Class *c)
{
    return class_initialize(self, c) ? handle_new(self, object_new_raw(self, c)) : NULL;
}

jobject reflect_field(Thread *self, Field *f)
{
    VM_ASSERT(class_field_in_slot(f->cls, f->slot) == f);
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    jobject o = allocate(self, CLS(ReflectField));
    if (o && f->deleted)
        throw_new(self, "java/lang/NoSuchFieldError", "%s", f->name->s);
    if (!o || f->deleted || !fill_field(self, o, f))
        return NULL;
    SCOPE_RETURN(o);
}

Field *reflect_field_of(Object *field)
{
    Class *c = class_of_mirror(object_get_ref(field, OFF(ReflectField, clazz)));
    return class_field_in_slot(c, (uint32_t)object_get_int(field, OFF(ReflectField, slot)));
}

// ---- methods and constructors ----

typedef struct ExecutableOffsets {
    uint32_t clazz, slot, parameterTypes, exceptionTypes, modifiers, signature, annotations,
        parameterAnnotations;
} ExecutableOffsets;

static ExecutableOffsets executable_offsets(bool constructor)
{
    if (constructor)
        return (ExecutableOffsets){OFF(ReflectConstructor, clazz),
                                   OFF(ReflectConstructor, slot),
                                   OFF(ReflectConstructor, parameterTypes),
                                   OFF(ReflectConstructor, exceptionTypes),
                                   OFF(ReflectConstructor, modifiers),
                                   OFF(ReflectConstructor, signature),
                                   OFF(ReflectConstructor, annotations),
                                   OFF(ReflectConstructor, parameterAnnotations)};
    return (ExecutableOffsets){
        OFF(ReflectMethod, clazz),          OFF(ReflectMethod, slot),
        OFF(ReflectMethod, parameterTypes), OFF(ReflectMethod, exceptionTypes),
        OFF(ReflectMethod, modifiers),      OFF(ReflectMethod, signature),
        OFF(ReflectMethod, annotations),    OFF(ReflectMethod, parameterAnnotations)};
}

static jobject no_classes; // global; shared by all without parameters or exceptions

bool reflect_init(Thread *self)
{
    HANDLE_SCOPE(self);
    Class *classes = class_array_of(self, CLS(Class));
    jobject empty = classes ? array_new(self, classes, 0) : NULL;
    if (empty)
        no_classes = global_new(deref(empty));
    return empty;
}

static jobject array_of_classes(Thread *self, int32_t count)
{
    if (count == 0)
        return handle_new(self, deref(no_classes));
    Class *classes = class_array_of(self, CLS(Class));
    return classes ? array_new(self, classes, count) : NULL;
}

static bool set_parameter_types(Thread *self, jobject o, uint32_t offset, Method *m)
{
    HANDLE_SCOPE(self);
    jobject array = array_of_classes(self, m->param_count);
    if (!array)
        return false;
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, 0);
    while (descriptor_walk_next(&w)) {
        Class *c = descriptor_class(self, m->cls, w.type, w.len);
        if (!c)
            return false;
        array_set_ref(deref(array), (int32_t)w.index, class_mirror(c));
    }
    object_set_ref(deref(o), offset, deref(array));
    return true;
}

static bool set_exception_types(Thread *self, jobject o, uint32_t offset, ConstantPool *pool,
                                const MethodInfo *info)
{
    HANDLE_SCOPE(self);
    uint16_t count = 0;
    const uint8_t *indices = info ? method_exceptions(pool->cf, info, &count) : NULL;
    jobject array = array_of_classes(self, count);
    if (!array)
        return false;
    for (int32_t i = 0; i < count; i++) {
        Class *c = resolve_class(self, pool, get_u2(indices + 2 * i));
        if (!c)
            return false;
        array_set_ref(deref(array), i, class_mirror(c));
    }
    object_set_ref(deref(o), offset, deref(array));
    return true;
}

static bool fill_executable(Thread *self, jobject o, Method *m, ConstantPool *pool,
                            const MethodInfo *info, bool constructor)
{
    ExecutableOffsets at = executable_offsets(constructor);
    Object *raw = deref(o);
    object_set_ref(raw, at.clazz, class_mirror(m->cls));
    object_set_int(raw, at.slot, m->slot);
    object_set_int(raw, at.modifiers, m->access & METHOD_MODIFIERS);
    if (!set_parameter_types(self, o, at.parameterTypes, m)
        || !set_exception_types(self, o, at.exceptionTypes, pool, info))
        return false;
    if (!info)
        return true;
    MemberAnnotations annotations = member_annotations(pool->cf, &info->attrs);
    return set_signature(self, o, at.signature, pool->cf, info->attrs.signature)
           && set_bytes(self, o, at.annotations, annotations.plain)
           && set_bytes(self, o, at.parameterAnnotations, annotations.parameters);
}

static bool fill_method(Thread *self, jobject o, Method *m, ConstantPool *pool,
                        const MethodInfo *info)
{
    const char *ret = strchr(m->desc->s, ')') + 1;
    Class *type = descriptor_class(self, m->cls, ret, strlen(ret));
    if (!type)
        return false;
    object_set_ref(deref(o), OFF(ReflectMethod, returnType), class_mirror(type));
    return set_text(self, o, OFF(ReflectMethod, name), m->name->s, m->name->len)
           && (!info
               || set_bytes(self, o, OFF(ReflectMethod, annotationDefault),
                            member_annotations(pool->cf, &info->attrs).defaults));
}

jobject reflect_method(Thread *self, Method *m)
{
    VM_ASSERT(m->slot < m->cls->method_count);
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    bool constructor = m->name == SYM(init);
    ConstantPool *pool = m->pool;
    const MethodInfo *info = m->info; // of the same version
    method_pin(self, m);
    jobject o = allocate(self, constructor ? CLS(ReflectConstructor) : CLS(ReflectMethod));
    if (!o || !fill_executable(self, o, m, pool, info, constructor))
        return NULL;
    if (!constructor && !fill_method(self, o, m, pool, info))
        return NULL;
    SCOPE_RETURN(o);
}

Method *reflect_method_of(Object *executable)
{
    ExecutableOffsets at =
        executable_offsets(object_class(executable) == CLS(ReflectConstructor));
    Class *c = class_of_mirror(object_get_ref(executable, at.clazz));
    return class_method(c, (uint32_t)object_get_int(executable, at.slot));
}
