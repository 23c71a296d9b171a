// SPDX-License-Identifier: Apache-2.0
// Objects and arrays from C: allocation with Java's exceptions, multi-dimensional arrays,
// clone, System.arraycopy.
#include <inttypes.h>

#include "class/loader.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "thread/slices.h"

Object *object_report_alloc(Thread *self, Object *o)
{
    ASSERT_MAY_GC(self);
    if (!event_on(OBJECT_ALLOC))
        return o;
    HANDLE_SCOPE(self);
    jobject h = handle_new(self, o);
    event_post(self, OBJECT_ALLOC, .object = h);
    return deref(h);
}

static bool buffers_wanted(void)
{
    return !event_is_wanted(EVENT_OBJECT_ALLOC);
}

static void on_event_switch(EventId id, bool on)
{
    (void)on;
    if (id == EVENT_OBJECT_ALLOC)
        heap_set_buffers(thread_current(), buffers_wanted);
}

void objects_init(void)
{
    event_on_switch(on_event_switch);
}

Object *object_new_raw(Thread *self, Class *c)
{
    VM_ASSERT(c->kind == 'L' && !class_is_interface(c));
    size_t size = c->layout.instance_size;
    Object *o = heap_alloc_fast(self, &c->layout, size);
    if (LIKELY(o != NULL))
        return o;
    o = heap_alloc(self, &c->layout, size);
    if (LIKELY(o != NULL))
        return object_report_alloc(self, o);
    throw_out_of_memory(self, "Java heap space");
    return NULL;
}

bool class_require_instantiable(Thread *self, Class *c, bool as_error)
{
    ASSERT_MAY_GC(self);
    if (LIKELY(c->kind == 'L' && !(c->access & (ACC_ABSTRACT | ACC_INTERFACE))
               && c != CLS(Class)))
        return true;
    const char *thrown =
        as_error ? "java/lang/InstantiationError" : "java/lang/InstantiationException";
    if (class_is_primitive(c)) {
        throw_null(self, thrown);
        return false;
    }
    if (c == CLS(Class)) // only the VM makes classes
        thrown = as_error ? "java/lang/IllegalAccessError" : "java/lang/IllegalAccessException";
    char *name = class_external_name(c);
    throw_new(self, thrown, "%s", name);
    vm_free(name);
    return false;
}

jobject object_new(Thread *self, Class *c)
{
    if (!class_require_instantiable(self, c, false))
        return NULL;
    if (!class_ready(self, c) && !class_initialize(self, c))
        return NULL;
    return handle_new(self, object_new_raw(self, c));
}

jobject object_construct(Thread *self, Class *c, const char *desc, const jvalue *args)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    jobject o = object_new(self, c);
    if (!o)
        return NULL;
    Method *init = class_declared_method(c, SYM(init), symbol_intern(desc));
    if (!init) {
        char *text = describe_method(c, SYM(init), symbol_intern(desc));
        throw_new(self, "java/lang/NoSuchMethodError", "'%s'", text);
        vm_free(text);
        return NULL;
    }
    jvalue argv[256] = {{.l = o}};
    for (int i = 0; i < init->param_count; i++)
        argv[i + 1] = args[i];
    if (!java_call(self, init, argv, NULL))
        return NULL;
    SCOPE_RETURN(o);
}

void object_post_alloc(Thread *self, jobject o)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(o);
    if (event_on(VM_OBJECT_ALLOC)) {
        Object *raw = deref(o);
        event_post(self, VM_OBJECT_ALLOC, o, object_class(raw), (int64_t)object_size(raw));
    }
}

// The arrays in fields of its own class: those of types, of annotations. Empty ones are shared
// (reflect_init), none of them is new.
static void post_arrays_of(Thread *self, jobject o)
{
    const Class *c = object_class(deref(o));
    FIELD_EACH (f, c) {
        if (f->access & ACC_STATIC || f->kind != '[')
            continue;
        HANDLE_SCOPE(self);
        jobject array = handle_new(self, object_get_ref(deref(o), f->offset));
        if (array && array_length(deref(array)) > 0)
            object_post_alloc(self, array);
    }
}

void object_post_alloc_array(Thread *self, jobject array)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(array);
    if (!array || !event_on(VM_OBJECT_ALLOC))
        return;
    object_post_alloc(self, array);
    if (!class_is_reference_array(object_class(deref(array))))
        return;
    for (int32_t i = 0; i < array_length(deref(array)); i++) {
        HANDLE_SCOPE(self);
        jobject o = handle_new(self, array_get_ref(deref(array), i));
        if (o && object_class(deref(o))->kind == '[') {
            object_post_alloc_array(self, o);
        } else if (o) {
            object_post_alloc(self, o);
            post_arrays_of(self, o);
        }
    }
}

// ---- arrays ----

Object *array_new_raw(Thread *self, Class *array_class, int32_t length)
{
    VM_ASSERT(class_is_array(array_class));
    if (UNLIKELY(length < 0)) {
        throw_new(self, "java/lang/NegativeArraySizeException", "%d", length);
        return NULL;
    }
    if (UNLIKELY(length > ARRAY_LENGTH_MAX)) {
        throw_out_of_memory(self, "Requested array size exceeds VM limit");
        return NULL;
    }
    Object *o = heap_alloc_array(self, &array_class->layout, length);
    if (LIKELY(o != NULL))
        return object_report_alloc(self, o);
    throw_out_of_memory(self, "Java heap space");
    return NULL;
}

jobject array_new(Thread *self, Class *array_class, int32_t length)
{
    VM_ASSERT(class_is_array(array_class));
    ASSERT_MAY_GC(self);
    return handle_new(self, array_new_raw(self, array_class, length));
}

static jobject multi_level(Thread *self, Class *array_class, int dims, const int32_t *lengths)
{
    HANDLE_SCOPE(self);
    jobject array = array_new(self, array_class, lengths[0]);
    if (!array || dims == 1)
        SCOPE_RETURN(array);
    for (int32_t i = 0; i < lengths[0]; i++) {
        HandleMark mark = handle_mark(self);
        jobject sub = multi_level(self, array_class->element, dims - 1, lengths + 1);
        if (!sub)
            return NULL;
        array_set_ref(deref(array), i, deref(sub));
        handle_pop(self, mark);
    }
    SCOPE_RETURN(array);
}

Object *array_new_multi(Thread *self, Class *array_class, int dims, const int32_t *lengths)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    for (int i = 0; i < dims; i++) {
        if (lengths[i] < 0) {
            throw_new(self, "java/lang/NegativeArraySizeException", "%d", lengths[i]);
            return NULL;
        }
    }
    return deref(multi_level(self, array_class, dims, lengths));
}

// ---- elements ----

void array_copy_elements(Object *src, int32_t src_pos, Object *dst, int32_t dst_pos,
                         int32_t length)
{
    const Class *c = object_class(src);
    int shift = c->layout.elem_shift;
    if (class_is_reference_array(c))
        array_copy_refs(src, src_pos, dst, dst_pos, length);
    else
        memmove((char *)array_data(dst) + ((size_t)dst_pos << shift),
                (char *)array_data(src) + ((size_t)src_pos << shift), (size_t)length << shift);
}

static Slices array_slices(jobject array, int32_t length)
{
    int shift = object_class(deref(array))->layout.elem_shift;
    return (Slices){.size = (size_t)length, .most = (size_t)SLICE_BYTES >> shift};
}

// Of arrays of one kind, within their bounds; every element may be stored. MAY_GC.
MAY_GC static void copy_elements(Thread *self, jobject src, int32_t src_pos, jobject dst,
                                 int32_t dst_pos, int32_t length)
{
    Slices s = array_slices(src, length);
    s.backwards = deref(src) == deref(dst) && src_pos < dst_pos;
    while (slices_next(self, &s))
        array_copy_elements(deref(src), src_pos + (int32_t)s.at, deref(dst),
                            dst_pos + (int32_t)s.at, (int32_t)s.count);
}

// ---- clone ----

static jobject clone_array(Thread *self, jobject o)
{
    Class *c = object_class(deref(o));
    int32_t length = array_length(deref(o));
    jobject copy = array_new(self, c, length);
    if (!copy)
        return NULL;
    copy_elements(self, o, 0, copy, 0, length);
    return copy;
}

Object *array_clone_fast(Thread *self, const Object *o)
{
    const Layout *l = object_layout(o);
    if (l->shape < SHAPE_REF_ARRAY || event_on(VM_OBJECT_ALLOC))
        return NULL;
    size_t size = object_size(o);
    Object *copy =
        size <= SLICE_BYTES ? heap_alloc_fast(self, (Layout *)(uintptr_t)l, size) : NULL;
    if (copy) // its length, too; it is young, its stores need no barrier
        memcpy(object_at(copy, ARRAY_LENGTH_OFFSET), object_at(o, ARRAY_LENGTH_OFFSET),
               size - ARRAY_LENGTH_OFFSET);
    return copy;
}

static void copy_fields(Object *from, Object *to, const Layout *l)
{
    memcpy(object_at(to, OBJECT_HEADER), object_at(from, OBJECT_HEADER),
           l->instance_size - OBJECT_HEADER);
    for (uint32_t s = 0; s < l->span_count; s++)
        for (uint32_t i = 0; i < l->spans[s].count; i++)
            heap_barrier(object_at(to, l->spans[s].offset + i * sizeof(Narrow)));
}

static jobject clone_instance(Thread *self, jobject o)
{
    HANDLE_SCOPE(self);
    Class *c = object_class(deref(o));
    jobject copy = handle_new(self, object_new_raw(self, c));
    if (!copy)
        return NULL;
    copy_fields(deref(o), deref(copy), &c->layout);
    if (c->layout.has_finalizer) {
        jvalue arg = {.l = copy};
        if (!java_call(self, MTH(Finalizer, register), &arg, NULL))
            return NULL;
    }
    SCOPE_RETURN(copy);
}

jobject object_clone(Thread *self, jobject o)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(o);
    Class *c = object_class(deref(o));
    jobject copy;
    if (class_is_array(c)) {
        copy = clone_array(self, o);
    } else if (!class_is_subclass(c, CLS(Cloneable))
               || (c->layout.shape != SHAPE_INSTANCE && c->layout.shape != SHAPE_LOADER)) {
        char *name = class_external_name(c);
        throw_new(self, "java/lang/CloneNotSupportedException", "%s", name);
        vm_free(name);
        return NULL;
    } else {
        copy = clone_instance(self, o);
    }
    if (copy)
        object_post_alloc(self, copy);
    return copy;
}

// ---- System.arraycopy ----

static void array_copy_not_array(Thread *self, const char *which, Object *o)
{
    char *name = class_external_name(object_class(o));
    throw_new(self, "java/lang/ArrayStoreException", "arraycopy: %s type %s is not an array",
              which, name);
    vm_free(name);
}

// "int[" or "object array["
static const char *array_copy_kind(Object *a)
{
    switch (object_class(a)->name->s[1]) {
    case 'Z': return "boolean[";
    case 'B': return "byte[";
    case 'C': return "char[";
    case 'S': return "short[";
    case 'I': return "int[";
    case 'J': return "long[";
    case 'F': return "float[";
    case 'D': return "double[";
    default: return "object array[";
    }
}

static bool array_copy_mismatch(Thread *self, Object *src, Object *dst)
{
    throw_new(self, "java/lang/ArrayStoreException",
              "arraycopy: type mismatch: can not copy %s] into %s]", array_copy_kind(src),
              array_copy_kind(dst));
    return false;
}

static bool array_copy_bad_start(Thread *self, const char *which, Object *a, int32_t pos)
{
    throw_new(self, "java/lang/ArrayIndexOutOfBoundsException",
              "arraycopy: %s index %d out of bounds for %s%d]", which, pos, array_copy_kind(a),
              array_length(a));
    return false;
}

static bool array_copy_bad_end(Thread *self, const char *which, Object *a, int32_t pos,
                               int32_t length)
{
    throw_new(self, "java/lang/ArrayIndexOutOfBoundsException",
              "arraycopy: last %s index %" PRIu32 " out of bounds for %s%d]", which,
              (uint32_t)pos + (uint32_t)length, array_copy_kind(a), array_length(a));
    return false;
}

static bool array_copy_check(Thread *self, Object *src, int32_t sp, Object *dst, int32_t dp,
                             int32_t length)
{
    if (sp < 0)
        return array_copy_bad_start(self, "source", src, sp);
    if (dp < 0)
        return array_copy_bad_start(self, "destination", dst, dp);
    if (length < 0) {
        throw_new(self, "java/lang/ArrayIndexOutOfBoundsException",
                  "arraycopy: length %d is negative", length);
        return false;
    }
    if ((int64_t)sp + length > array_length(src))
        return array_copy_bad_end(self, "source", src, sp, length);
    if ((int64_t)dp + length > array_length(dst))
        return array_copy_bad_end(self, "destination", dst, dp, length);
    return true;
}

static COLD void array_copy_bad_element(Thread *self, const Class *source, const Class *target)
{
    char *from = class_external_name(source), *to = class_external_name(target);
    throw_new(self, "java/lang/ArrayStoreException",
              class_is_subclass(target, source)
                  ? "arraycopy: element type mismatch: can not cast one of the elements "
                    "of %s[] to the type of the destination array, %s"
                  : "arraycopy: type mismatch: can not copy %s[] into %s[]",
              from, to);
    vm_free(from);
    vm_free(to);
}

// Element by element, as far as the types allow: how many. NO_GC.
static int32_t array_copy_allowed(Object *src, int32_t sp, Object *dst, int32_t dp,
                                  int32_t length)
{
    const Class *target = object_class(dst)->element;
    for (int32_t i = 0; i < length; i++) {
        Object *e = array_get_ref(src, sp + i);
        if (e && !object_is_instance(e, target))
            return i;
        array_set_ref(dst, dp + i, e);
    }
    return length;
}

static bool array_copy_checked(Thread *self, jobject src, int32_t sp, jobject dst, int32_t dp,
                               int32_t length)
{
    Slices s = array_slices(src, length);
    while (slices_next(self, &s)) {
        int32_t at = (int32_t)s.at, count = (int32_t)s.count;
        if (array_copy_allowed(deref(src), sp + at, deref(dst), dp + at, count) < count) {
            array_copy_bad_element(self, object_class(deref(src))->element,
                                   object_class(deref(dst))->element);
            return false;
        }
    }
    return true;
}

static bool array_copy_kinds(Thread *self, Object *src, Object *dst)
{
    const Class *sc = object_class(src), *dc = object_class(dst);
    if (!class_is_array(sc)) {
        array_copy_not_array(self, "source", src);
        return false;
    }
    if (!class_is_array(dc)) {
        array_copy_not_array(self, "destination", dst);
        return false;
    }
    bool refs = class_is_reference_array(sc);
    if (refs != class_is_reference_array(dc) || (!refs && sc != dc))
        return array_copy_mismatch(self, src, dst);
    return true;
}

bool array_copy(Thread *self, jobject src, int32_t src_pos, jobject dst, int32_t dst_pos,
                int32_t length)
{
    ASSERT_MAY_GC(self);
    if (!src || !dst) {
        throw_null(self, "java/lang/NullPointerException");
        return false;
    }
    if (!array_copy_kinds(self, deref(src), deref(dst))
        || !array_copy_check(self, deref(src), src_pos, deref(dst), dst_pos, length))
        return false;
    const Class *sc = object_class(deref(src)), *dc = object_class(deref(dst));
    if (sc != dc && !class_is_subclass(sc->element, dc->element))
        return array_copy_checked(self, src, src_pos, dst, dst_pos, length);
    copy_elements(self, src, src_pos, dst, dst_pos, length);
    return true;
}
