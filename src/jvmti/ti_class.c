// SPDX-License-Identifier: Apache-2.0
// Classes (JVM TI, Class): what the class file and the loader say of them.
#include <stdlib.h>

#include "class/vm_classes.h"
#include "jvmti/generated/decl.h"
#include "redefine/redefine.h"

// ---- lists of classes ----
typedef VEC(Class *) ClassList;

static jvmtiError give_classes(Thread *self, ClassList *list, jint *count_out, jclass **out)
{
    jobject *handles = vm_malloc((list->len + 1) * sizeof *handles);
    for (size_t i = 0; i < list->len; i++)
        handles[i] = list->at[i]->mirror;
    jvmtiError error = ti_give_handles(self, handles, list->len, count_out, out);
    vm_free(handles);
    vec_free(list);
    return error;
}

static void add_with_arrays(ClassList *list, Class *c)
{
    for (; c; c = atomic_load(&c->array_class))
        vec_push(list, c);
}

// Those of primitives belong to every loader.
static void add_primitive_arrays(ClassList *list)
{
    for (const char *kind = "ZCFDBSIJ"; *kind; kind++)
        add_with_arrays(list, atomic_load(&class_primitive(*kind)->array_class));
}

static void add_class(void *ctx, Class *c)
{
    ClassList *list = ctx;
    vec_push(list, c);
}

jvmtiError ti_GetLoadedClasses(Thread *self, TiEnv *env, jint *class_count_ptr,
                               jclass **classes_ptr)
{
    (void)env;
    ClassList list = {0};
    classes_each(add_class, &list);
    return give_classes(self, &list, class_count_ptr, classes_ptr);
}

jvmtiError ti_GetClassLoaderClasses(Thread *self, TiEnv *env, jobject initiating_loader,
                                    jint *class_count_ptr, jclass **classes_ptr)
{
    (void)env;
    ClassList list = {0};
    if (initiating_loader && !ti_is_instance(initiating_loader, CLS(ClassLoader)))
        return give_classes(self, &list, class_count_ptr, classes_ptr); // it initiated none
    Loader *l = loader_of(self, initiating_loader);
    mutex_lock(&loader_lock);
    uintptr_t key;
    void *value;
    for (size_t i = 0; ptrmap_next(&l->classes, &i, &key, &value);)
        if (((Class *)value)->mirror && !class_is_array(value))
            add_with_arrays(&list, value);
    mutex_unlock(&loader_lock);
    add_primitive_arrays(&list);
    return give_classes(self, &list, class_count_ptr, classes_ptr);
}

// ---- one class ----
// The type signature of a class, by ti_alloc: LFoo; for classes, as they are for arrays and
// primitives.
static char *signature_of(const Class *c)
{
    bool wrapped = !class_is_primitive(c) && !class_is_array(c);
    const char *name = class_is_primitive(c) ? &c->kind : c->name->s;
    size_t len = class_is_primitive(c) ? 1 : c->name->len, n = 0;
    char *s = ti_alloc(len + 3);
    if (!s)
        return NULL;
    if (wrapped)
        s[n++] = 'L';
    memcpy(s + n, name, len);
    n += len;
    if (wrapped)
        s[n++] = ';';
    s[n] = '\0';
    // Hidden classes, and arrays of them: Lpackage/Name.suffix; as their name has the suffix
    // behind the last slash.
    char *plus = class_base_element(c)->hidden ? strrchr(s, '+') : NULL;
    if (plus)
        *plus = '.';
    return s;
}

jvmtiError ti_GetClassSignature(Thread *self, TiEnv *env, Class *klass, char **signature_ptr,
                                char **generic_ptr)
{
    (void)self, (void)env;
    if (signature_ptr && !(*signature_ptr = signature_of(klass)))
        return JVMTI_ERROR_OUT_OF_MEMORY;
    if (!generic_ptr)
        return JVMTI_ERROR_NONE;
    const ClassFile *cf = klass->cf;
    Bytes generic = cf && cf->attrs.signature ? cf_utf8(cf, cf->attrs.signature) : (Bytes){0};
    return ti_copy_bytes(generic, generic_ptr);
}

jvmtiError ti_GetClassStatus(Thread *self, TiEnv *env, Class *klass, jint *status_ptr)
{
    (void)self, (void)env;
    ClassState state = class_state(klass);
    jint status = 0;
    if (class_is_array(klass))
        status = JVMTI_CLASS_STATUS_ARRAY;
    else if (class_is_primitive(klass))
        status = JVMTI_CLASS_STATUS_PRIMITIVE;
    else {
        if (state >= CLASS_LINKED)
            status |= JVMTI_CLASS_STATUS_VERIFIED | JVMTI_CLASS_STATUS_PREPARED;
        if (state == CLASS_INITIALIZED)
            status |= JVMTI_CLASS_STATUS_INITIALIZED;
        if (state == CLASS_ERROR)
            status |= JVMTI_CLASS_STATUS_ERROR;
    }
    *status_ptr = status;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetSourceFileName(Thread *self, TiEnv *env, Class *klass, char **source_name_ptr)
{
    (void)self, (void)env;
    const ClassFile *cf = klass->cf;
    if (!cf || !cf->source_file)
        return JVMTI_ERROR_ABSENT_INFORMATION;
    return ti_copy_bytes(cf_utf8(cf, cf->source_file), source_name_ptr);
}

jvmtiError ti_GetClassModifiers(Thread *self, TiEnv *env, Class *klass, jint *modifiers_ptr)
{
    (void)self, (void)env;
    *modifiers_ptr = klass->inner_access | (klass->kind == 'L' ? klass->access & ACC_SUPER : 0);
    return JVMTI_ERROR_NONE;
}

static bool is_prepared(const Class *c)
{
    return class_state(c) >= CLASS_LINKED;
}

jvmtiError ti_GetClassMethods(Thread *self, TiEnv *env, Class *klass, jint *method_count_ptr,
                              jmethodID **methods_ptr)
{
    (void)self, (void)env;
    *method_count_ptr = 0;
    *methods_ptr = NULL;
    if (klass->kind != 'L')
        return JVMTI_ERROR_NONE;
    if (!is_prepared(klass))
        return JVMTI_ERROR_CLASS_NOT_PREPARED;
    const ClassFile *cf = klass->cf;
    jmethodID *ids = ti_alloc(cf->method_count * sizeof *ids);
    if (cf->method_count && !ids)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    METHOD_EACH (m, klass) {
        ids[m->info - cf->methods] = method_id(m); // can_maintain_original_method_order
    }
    *method_count_ptr = cf->method_count;
    *methods_ptr = ids;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetClassFields(Thread *self, TiEnv *env, Class *klass, jint *field_count_ptr,
                             jfieldID **fields_ptr)
{
    (void)self, (void)env;
    *field_count_ptr = 0;
    *fields_ptr = NULL;
    if (klass->kind != 'L')
        return JVMTI_ERROR_NONE;
    if (!is_prepared(klass))
        return JVMTI_ERROR_CLASS_NOT_PREPARED;
    jfieldID *ids = ti_alloc(klass->field_count * sizeof *ids);
    if (klass->field_count && !ids)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    jint count = 0;
    FIELD_EACH (f, klass)
        ids[count++] = (jfieldID)f;
    *field_count_ptr = count;
    *fields_ptr = ids;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetImplementedInterfaces(Thread *self, TiEnv *env, Class *klass,
                                       jint *interface_count_ptr, jclass **interfaces_ptr)
{
    (void)env;
    ClassList list = {0};
    *interface_count_ptr = 0;
    *interfaces_ptr = NULL;
    if (klass->kind != 'L')
        return JVMTI_ERROR_NONE;
    if (!is_prepared(klass))
        return JVMTI_ERROR_CLASS_NOT_PREPARED;
    for (uint32_t i = 0; i < klass->interface_count; i++)
        vec_push(&list, klass->interfaces[i]);
    return give_classes(self, &list, interface_count_ptr, interfaces_ptr);
}

jvmtiError ti_GetClassVersionNumbers(Thread *self, TiEnv *env, Class *klass,
                                     jint *minor_version_ptr, jint *major_version_ptr)
{
    (void)self, (void)env;
    if (!klass->cf)
        return JVMTI_ERROR_ABSENT_INFORMATION;
    *minor_version_ptr = klass->cf->minor;
    *major_version_ptr = klass->cf->major;
    return JVMTI_ERROR_NONE;
}

// The bytes of the constant pool in the class file: from behind the count to the access flags.
static Bytes constant_pool_bytes(const ClassFile *cf)
{
    enum { POOL_AT = 10 };
    const uint8_t *p = cf->bytes + POOL_AT;
    for (uint32_t i = 1; i < cf->cp_count; i++) {
        switch (*p) {
        case CP_UTF8: p += 3 + (p[1] << 8 | p[2]); break;
        case CP_LONG:
        case CP_DOUBLE: p += 9, i++; break;
        case CP_CLASS:
        case CP_STRING:
        case CP_METHOD_TYPE:
        case CP_MODULE:
        case CP_PACKAGE: p += 3; break;
        case CP_METHOD_HANDLE: p += 4; break;
        default: p += 5;
        }
    }
    return (Bytes){cf->bytes + POOL_AT, (uint32_t)(p - cf->bytes - POOL_AT)};
}

jvmtiError ti_GetConstantPool(Thread *self, TiEnv *env, Class *klass,
                              jint *constant_pool_count_ptr, jint *constant_pool_byte_count_ptr,
                              unsigned char **constant_pool_bytes_ptr)
{
    (void)self, (void)env;
    if (!klass->cf)
        return JVMTI_ERROR_ABSENT_INFORMATION;
    Bytes pool = constant_pool_bytes(klass->cf);
    unsigned char *copy = ti_alloc(pool.len);
    if (pool.len && !copy)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    memcpy(copy, pool.p, pool.len);
    *constant_pool_count_ptr = klass->cf->cp_count;
    *constant_pool_byte_count_ptr = (jint)pool.len;
    *constant_pool_bytes_ptr = copy;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_IsInterface(Thread *self, TiEnv *env, Class *klass, jboolean *is_interface_ptr)
{
    (void)self, (void)env;
    *is_interface_ptr = klass->kind == 'L' && class_is_interface(klass);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_IsArrayClass(Thread *self, TiEnv *env, Class *klass, jboolean *is_array_class_ptr)
{
    (void)self, (void)env;
    *is_array_class_ptr = class_is_array(klass);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_IsModifiableClass(Thread *self, TiEnv *env, Class *klass,
                                jboolean *is_modifiable_class_ptr)
{
    (void)self, (void)env;
    *is_modifiable_class_ptr = class_is_modifiable(klass);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetClassLoader(Thread *self, TiEnv *env, Class *klass, jobject *classloader_ptr)
{
    (void)env;
    *classloader_ptr =
        klass->loader ? handle_new(self, deref(klass->loader->java_loader)) : NULL;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetSourceDebugExtension(Thread *self, TiEnv *env, Class *klass,
                                      char **source_debug_extension_ptr)
{
    (void)self, (void)env;
    const ClassFile *cf = klass->cf;
    if (!cf || !cf->source_debug_extension.p)
        return JVMTI_ERROR_ABSENT_INFORMATION;
    return ti_copy_bytes(cf->source_debug_extension, source_debug_extension_ptr);
}
