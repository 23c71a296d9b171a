// SPDX-License-Identifier: Apache-2.0
// Reflection: declared members, calls, arrays, and who is calling.
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "frame/frame_cursor.h"
#include "java/box.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "java/string.h"
#include "redefine/class_version.h"

// ---- declared members ----

// Makes the strings of a member's name and generic type (index 0: none), so that they are posted.
// Keeps them by handles; the pool is pinned. False with an exception pending.
static bool post_texts(Thread *self, const ConstantPool *pool, const Symbol *name,
                       uint16_t signature)
{
    if (name != SYM(init) && !string_intern_reported(self, name->s, name->len))
        return false;
    if (!signature)
        return true;
    Bytes b = cf_utf8(pool->cf, signature);
    return string_intern_reported(self, (const char *)b.p, b.len) != NULL;
}

typedef VEC(Method *) Methods;
typedef bool (*MethodFilter)(const Method *m);
static bool is_method(const Method *m)
{
    return m->name != SYM(init) && m->name != SYM(clinit);
}
static bool is_constructor(const Method *m)
{
    return m->name == SYM(init);
}

static jobjectArray reflected_array(Thread *self, Class *array_class, const Methods *methods)
{
    jobject a = array_new(self, array_class, (int32_t)methods->len);
    for (size_t i = 0; a && i < methods->len; i++) {
        HANDLE_SCOPE(self);
        Method *m = methods->at[i];
        method_pin(self, m);
        if (!post_texts(self, m->pool, m->name, m->info ? m->info->attrs.signature : 0))
            return NULL;
        jobject member = reflect_method(self, m);
        if (!member)
            return NULL;
        array_set_ref(deref(a), (int32_t)i, deref(member));
    }
    object_post_alloc_array(self, a);
    return a;
}

static jobjectArray declared_methods(JNIEnv *env, jclass c, bool public_only,
                                     MethodFilter filter, int result_class)
{
    IN_VM(env);
    Class *cls = class_of_handle(c);
    Class *array_class = class_array_of(self, vm_classes[result_class]);
    if (!array_class || (cls->kind == 'L' && !class_link(self, cls)))
        return NULL;
    Methods found = {0}; // of this moment: the class may be redefined meanwhile
    METHOD_EACH (m, cls) {
        if (filter(m) && (!public_only || m->access & ACC_PUBLIC))
            vec_push(&found, m);
    }
    jobjectArray a = reflected_array(self, array_class, &found);
    vec_free(&found);
    return a;
}
jobjectArray JNICALL JVM_GetClassDeclaredMethods(JNIEnv *env, jclass c, jboolean public_only)
{
    return declared_methods(env, c, public_only, is_method, C_ReflectMethod);
}
jobjectArray JNICALL JVM_GetClassDeclaredConstructors(JNIEnv *env, jclass c,
                                                      jboolean public_only)
{
    return declared_methods(env, c, public_only, is_constructor, C_ReflectConstructor);
}
// The class may be redefined meanwhile, and the array be of fields that it had and has.
static jobjectArray declared_fields(Thread *self, Class *cls, bool public_only)
{
    Class *array_class = class_array_of(self, CLS(ReflectField));
    if (!array_class || (cls->kind == 'L' && !class_link(self, cls)))
        return NULL;
    int32_t n = 0;
    FIELD_EACH (f, cls)
        n += !public_only || f->access & ACC_PUBLIC;
    jobject a = array_new(self, array_class, n);
    int32_t length = n;
    n = 0;
    for (Field *f = class_next_field(cls, NULL); a && f && n < length;
         f = class_next_field(cls, f)) {
        HANDLE_SCOPE(self);
        if (public_only && !(f->access & ACC_PUBLIC))
            continue;
        if (!post_texts(self, class_version(self, cls), f->name, f->info->attrs.signature))
            return NULL;
        if (f->deleted)
            break;
        jobject member = reflect_field(self, f);
        if (!member)
            return NULL;
        array_set_ref(deref(a), n++, deref(member));
    }
    return a;
}

jobjectArray JNICALL JVM_GetClassDeclaredFields(JNIEnv *env, jclass c, jboolean public_only)
{
    IN_VM(env);
    Class *cls = class_of_handle(c);
    uint64_t before;
    jobjectArray a;
    do {
        before = class_tables_remade();
        a = declared_fields(self, cls, public_only);
    } while (a && class_tables_remade() != before);
    object_post_alloc_array(self, a);
    return a;
}

// ---- records ----

static bool set_utf8(Thread *self, jobject o, uint32_t offset, const ClassFile *cf,
                     uint16_t index)
{
    if (!index)
        return true;
    Bytes b = cf_utf8(cf, index);
    jobject s = string_intern_reported(self, (const char *)b.p, b.len);
    if (s)
        object_set_ref(deref(o), offset, deref(s));
    return s != NULL;
}
static bool set_bytes(Thread *self, jobject o, uint32_t offset, Bytes b)
{
    jobject a = bytes_to_array(self, b);
    if (a)
        object_set_ref(deref(o), offset, deref(a));
    return !exception_pending(self);
}
static Method *accessor_of(const Class *c, Bytes name, Bytes type)
{
    char *desc = vm_asprintf("()%.*s", (int)type.len, (const char *)type.p);
    Symbol *n = symbol_find_n((const char *)name.p, name.len),
           *d = symbol_find_n(desc, strlen(desc));
    vm_free(desc);
    Method *m = n && d ? class_declared_method(c, n, d) : NULL;
    return m && !method_is_static(m) ? m : NULL;
}
static jobject record_component(Thread *self, Class *c, const ClassFile *cf,
                                const RecordComponentInfo *info)
{
    Bytes type = cf_utf8(cf, info->descriptor);
    jobject o = object_new(self, CLS(RecordComponent));
    if (!o)
        return NULL;
    object_set_ref(deref(o), OFF(RecordComponent, clazz), class_mirror(c));
    Class *type_class = class_from_descriptor(self, c->loader, (const char *)type.p, type.len);
    if (!type_class)
        return NULL;
    object_set_ref(deref(o), OFF(RecordComponent, type), class_mirror(type_class));
    if (!set_utf8(self, o, OFF(RecordComponent, name), cf, info->name))
        return NULL;
    Method *accessor = accessor_of(c, cf_utf8(cf, info->name), type);
    jobject method = accessor ? reflect_method(self, accessor) : NULL;
    if (accessor && !method)
        return NULL;
    if (method)
        object_post_alloc(self, method);
    object_set_ref(deref(o), OFF(RecordComponent, accessor), deref(method));
    bool ok = set_utf8(self, o, OFF(RecordComponent, signature), cf, info->attrs.signature)
              && set_bytes(self, o, OFF(RecordComponent, annotations),
                           member_annotations(cf, &info->attrs).plain)
              && set_bytes(self, o, OFF(RecordComponent, typeAnnotations),
                           member_annotations(cf, &info->attrs).types);
    return ok ? o : NULL;
}
jobjectArray JNICALL JVM_GetRecordComponents(JNIEnv *env, jclass c)
{
    IN_VM(env);
    Class *cls = class_of_handle(c);
    if (!cls->is_record)
        return NULL;
    Class *array_class = class_array_of(self, CLS(RecordComponent));
    const ClassFile *cf = class_version(self, cls)->cf;
    jobject a = array_class ? array_new(self, array_class, cf->component_count) : NULL;
    for (int i = 0; a && i < cf->component_count; i++) {
        HANDLE_SCOPE(self);
        jobject component = record_component(self, cls, cf, &cf->components[i]);
        if (!component)
            return NULL;
        array_set_ref(deref(a), i, deref(component));
    }
    object_post_alloc_array(self, a);
    return a;
}

// ---- attributes of members ----

// Every name is none or a Utf8 constant; IllegalArgumentException otherwise, of which java.lang.reflect makes its own.
static bool check_parameter_names(Thread *self, const ClassFile *cf, const MethodInfo *info,
                                  uint8_t count)
{
    for (uint8_t i = 0; i < count; i++) {
        uint16_t name = method_parameter(cf, info, i).name;
        if (name != 0 && (name >= cf->cp_count || cf_tag(cf, name) != CP_UTF8)) {
            throw_new(self, "java/lang/IllegalArgumentException",
                      "Invalid constant pool index");
            return false;
        }
    }
    return true;
}

jobjectArray JNICALL JVM_GetMethodParameters(JNIEnv *env, jobject executable)
{
    IN_VM(env);
    Method *m = reflect_method_of(deref(executable));
    const MethodInfo *info = m->info;
    uint8_t count;
    if (!info || !method_parameters(m->pool->cf, info, &count))
        return NULL;
    const ClassFile *cf = m->pool->cf;
    if (!check_parameter_names(self, cf, info, count))
        return NULL;
    method_pin(self, m);
    Class *array_class = class_array_of(self, CLS(Parameter));
    jobject a = array_class ? array_new(self, array_class, count) : NULL;
    for (int i = 0; a && i < count; i++) {
        HANDLE_SCOPE(self);
        MethodParameter parameter = method_parameter(cf, info, (uint8_t)i);
        jobject p = object_new(self, CLS(Parameter));
        if (!p || !set_utf8(self, p, OFF(Parameter, name), cf, parameter.name))
            return NULL;
        object_set_int(deref(p), OFF(Parameter, modifiers), parameter.access);
        object_set_ref(deref(p), OFF(Parameter, executable), deref(executable));
        object_set_int(deref(p), OFF(Parameter, index), i);
        array_set_ref(deref(a), i, deref(p));
    }
    return a;
}
jbyteArray JNICALL JVM_GetMethodTypeAnnotations(JNIEnv *env, jobject executable)
{
    IN_VM(env);
    Method *m = reflect_method_of(deref(executable));
    method_pin(self, m);
    if (!m->info)
        return NULL;
    return bytes_to_array(self, member_annotations(m->pool->cf, &m->info->attrs).types);
}
jbyteArray JNICALL JVM_GetFieldTypeAnnotations(JNIEnv *env, jobject field)
{
    IN_VM(env);
    const Field *f = reflect_field_of(deref(field));
    const ConstantPool *pool = class_version(self, f->cls);
    return bytes_to_array(self, member_annotations(pool->cf, &f->info->attrs).types);
}

// ---- calls ----

// What a value of this kind was given back as. VM_OBJECT_ALLOC when that is a box.
static jobject posted_box(Thread *self, char kind, jobject result)
{
    if (result && kind != 'L' && kind != '[')
        object_post_alloc(self, result);
    return result;
}

jobject JNICALL JVM_InvokeMethod(JNIEnv *env, jobject method, jobject receiver,
                                 jobjectArray args)
{
    IN_VM(env);
    bool ok = true;
    Method *m = reflect_method_of(deref(method));
    if (method_is_deleted(m)) {
        throw_new(self, "java/lang/InternalError", "invoke");
        return NULL;
    }
    char kind = m->ret;
    return posted_box(self, kind, reflect_invoke(self, m, receiver, args, &ok));
}
jobject JNICALL JVM_NewInstanceFromConstructor(JNIEnv *env, jobject constructor,
                                               jobjectArray args)
{
    IN_VM(env);
    return reflect_new_instance(self, reflect_method_of(deref(constructor)), args);
}

// ---- who is calling ----

static bool is_reflection_invoke(const Method *m)
{
    return m->cls == CLS(ReflectMethod) && m->name == SYM(invoke);
}
// Frames that security checks do not see: reflection's own, and code made for method handles.
static bool is_ignored(const Method *m)
{
    return is_reflection_invoke(m) || m->cls->accessor || m->flags & METHOD_LAMBDA_FORM_COMPILED
           || (m->cls == CLS(MethodHandle) && method_is_native(m));
}
jclass JNICALL JVM_GetCallerClass(JNIEnv *env)
{
    IN_VM(env);
    FrameCursor f;
    if (!cursor_first(&f, self) || strcmp(f.method->name->s, "getCallerClass") != 0) {
        throw_new(self, "java/lang/InternalError",
                  "JVM_GetCallerClass must only be called from Reflection.getCallerClass");
        return NULL;
    }
    if (!cursor_older(&f) || !(f.method->flags & METHOD_CALLER_SENSITIVE)) {
        throw_new(self, "java/lang/InternalError",
                  "CallerSensitive annotation expected at frame 1");
        return NULL;
    }
    bool found = cursor_older(&f);
    while (found && is_ignored(f.method))
        found = cursor_older(&f);
    return found ? mirror_handle(self, f.method->cls) : NULL;
}
// getClassContext itself is native.
static bool in_class_context(const Method *m)
{
    return !is_ignored(m) && !method_is_native(m);
}
jobjectArray JNICALL JVM_GetClassContext(JNIEnv *env)
{
    IN_VM(env);
    int32_t n = 0;
    FRAMES_EACH(f, self)
    n += in_class_context(f.method);
    Class *array_class = class_array_of(self, CLS(Class));
    jobject a = array_class ? array_new(self, array_class, n) : NULL;
    n = 0;
    if (!a)
        return NULL;
    FRAMES_EACH(f, self)
    if (in_class_context(f.method))
        array_set_ref(deref(a), n++, class_mirror(f.method->cls));
    object_post_alloc(self, a);
    return a;
}
jobject JNICALL JVM_LatestUserDefinedLoader(JNIEnv *env)
{
    IN_VM(env);
    FRAMES_EACH(f, self)
    {
        const Class *c = f.method->cls;
        if (c->loader && !c->loader->is_boot && !c->loader->is_platform && !c->accessor
            && !c->magic)
            return handle_new(self, deref(c->loader->java_loader));
    }
    return NULL;
}

// ---- java.lang.reflect.Array ----

static bool require_array(Thread *self, jobject a)
{
    if (!a || !deref(a)) {
        throw_null(self, "java/lang/NullPointerException");
        return false;
    }
    if (class_is_array(object_class(deref(a))))
        return true;
    throw_new(self, "java/lang/IllegalArgumentException", "Argument is not an array");
    return false;
}
static bool require_element(Thread *self, jobject a, jint index)
{
    if (!require_array(self, a))
        return false;
    if ((uint32_t)index < (uint32_t)array_length(deref(a)))
        return true;
    throw_null(self, "java/lang/ArrayIndexOutOfBoundsException");
    return false;
}
static char element_kind(Object *a)
{
    return object_class(a)->element->kind;
}
static bool holds_references(Object *a)
{
    return class_is_reference_array(object_class(a));
}
static bool require_primitives(Thread *self, jobject a)
{
    if (!require_array(self, a))
        return false;
    if (!holds_references(deref(a)))
        return true;
    throw_new(self, "java/lang/IllegalArgumentException",
              "Argument is not an array of primitive type");
    return false;
}
static size_t element_offset(Object *a, jint index)
{
    return ARRAY_BASE + ((size_t)index << object_layout(a)->elem_shift);
}

jint JNICALL JVM_GetArrayLength(JNIEnv *env, jobject a)
{
    IN_VM(env);
    return require_array(self, a) ? array_length(deref(a)) : 0;
}
jobject JNICALL JVM_GetArrayElement(JNIEnv *env, jobject a, jint index)
{
    IN_VM(env);
    if (!require_element(self, a, index))
        return NULL;
    char kind = element_kind(deref(a));
    jvalue v = memory_get(self, deref(a), element_offset(deref(a), index), kind, false);
    return posted_box(self, kind, box_value(self, kind, v));
}
// The libraries pass basic type numbers: boolean 4 … long 11.
static char kind_of_code(int code)
{
    static const char kinds[] = "ZCFDBSIJ";
    return code >= 4 && code <= 11 ? kinds[code - 4] : 'L';
}
jvalue JNICALL JVM_GetPrimitiveArrayElement(JNIEnv *env, jobject a, jint index, jint code)
{
    IN_VM(env);
    jvalue v = {0};
    if (!require_primitives(self, a) || !require_element(self, a, index))
        return v;
    char kind = element_kind(deref(a));
    v = memory_get(self, deref(a), element_offset(deref(a), index), kind, false);
    if (!widen_value(kind, kind_of_code(code), &v))
        throw_new(self, "java/lang/IllegalArgumentException", "argument type mismatch");
    return v;
}
void JNICALL JVM_SetArrayElement(JNIEnv *env, jobject a, jint index, jobject value)
{
    IN_VM(env);
    if (!require_array(self, a))
        return;
    if (!deref(value) && !holds_references(deref(a))) {
        throw_null(self, "java/lang/IllegalArgumentException");
        return;
    }
    if (!require_element(self, a, index))
        return;
    char kind = element_kind(deref(a)), from;
    jvalue v = {.l = value};
    if (kind_is_reference(kind)) {
        if (value && deref(value)
            && !object_is_instance(deref(value), object_class(deref(a))->element)) {
            throw_new(self, "java/lang/IllegalArgumentException",
                      "array element type mismatch");
            return;
        }
    } else if (!unbox_value(deref(value), &from, &v) || !widen_value(from, kind, &v)) {
        throw_new(self, "java/lang/IllegalArgumentException", "argument type mismatch");
        return;
    }
    memory_set(deref(a), element_offset(deref(a), index), kind, v, false);
}
void JNICALL JVM_SetPrimitiveArrayElement(JNIEnv *env, jobject a, jint index, jvalue v,
                                          unsigned char code)
{
    IN_VM(env);
    if (!require_primitives(self, a) || !require_element(self, a, index))
        return;
    char kind = element_kind(deref(a));
    if (!widen_value(kind_of_code(code), kind, &v))
        throw_new(self, "java/lang/IllegalArgumentException", "argument type mismatch");
    else
        memory_set(deref(a), element_offset(deref(a), index), kind, v, false);
}

enum { MAX_DIMENSIONS = 255 };
// The class of arrays of an element class that will get `dimensions` dimensions more.
static Class *array_class_for(Thread *self, jclass element, int32_t dimensions)
{
    Class *c = class_of_handle(element);
    int32_t has = class_is_array(c) ? (int32_t)strspn(c->name->s, "[") : 0;
    if (c->kind != 'V' && has + dimensions <= MAX_DIMENSIONS)
        return class_array_of(self, c);
    throw_null(self, "java/lang/IllegalArgumentException");
    return NULL;
}
static bool require_length(Thread *self, int32_t length)
{
    if (length < 0)
        throw_new(self, "java/lang/NegativeArraySizeException", "%d", length);
    return length >= 0;
}
jobject JNICALL JVM_NewArray(JNIEnv *env, jclass element, jint length)
{
    IN_VM(env);
    if (!element) {
        throw_null(self, "java/lang/NullPointerException");
        return NULL;
    }
    Class *c = require_length(self, length) ? array_class_for(self, element, 1) : NULL;
    jobject array = c ? array_new(self, c, length) : NULL;
    if (array)
        object_post_alloc(self, array);
    return array;
}
jobject JNICALL JVM_NewMultiArray(JNIEnv *env, jclass element, jintArray dimensions)
{
    IN_VM(env);
    if (!element || !dimensions) {
        throw_null(self, "java/lang/NullPointerException");
        return NULL;
    }
    int32_t lengths[MAX_DIMENSIONS];
    int32_t n = array_length(deref(dimensions));
    if (n == 0 || n > MAX_DIMENSIONS) {
        throw_null(self, "java/lang/IllegalArgumentException");
        return NULL;
    }
    memcpy(lengths, array_data(deref(dimensions)), (size_t)n * sizeof *lengths);
    for (int32_t i = 0; i < n; i++)
        if (!require_length(self, lengths[i]))
            return NULL;
    Class *c = array_class_for(self, element, n);
    for (int32_t i = 1; c && i < n; i++)
        c = class_array_of(self, c);
    jobject array = c ? handle_new(self, array_new_multi(self, c, n, lengths)) : NULL;
    object_post_alloc_array(self, array);
    return array;
}
