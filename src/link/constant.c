// SPDX-License-Identifier: Apache-2.0
// Constants of ldc (JVMS 5.4.3.5, 5.4.3.6) and MethodTypes of descriptors. Resolved strings,
// method types, method handles and dynamic constants are handles of the class loader data in
// the slots of their entries (pool_slot); a dynamic constant that is null is the address of
// null_constant. Lock: RANK_RESOLVE for the cache of method types.
#include "base/strbuf.h"
#include "class/vm_classes.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "link/access.h"
#include "link/call_site.h"
#include "link/member_name.h"
#include "link/resolve_internal.h"

static char null_constant[8] __attribute__((aligned(8)));

// ---- method types ----

static Mutex type_lock = MUTEX_INIT(RANK_RESOLVE);
static StrMap type_cache; // descriptor -> global MethodType; only of universal classes

// Whether a type means the same to every loader: primitive, or of java.lang or java.lang.invoke.
static bool names_universal(const char *start, size_t len)
{
    static const char lang[] = "Ljava/lang/", invoke[] = "Ljava/lang/invoke/";
    const char *end = start + len;
    while (*start == '[')
        start++;
    len = (size_t)(end - start);
    if (*start != 'L')
        return true;
    size_t prefix =
        len > strlen(invoke) && memcmp(start, invoke, strlen(invoke)) == 0 ? strlen(invoke)
        : len > strlen(lang) && memcmp(start, lang, strlen(lang)) == 0     ? strlen(lang)
                                                                           : 0;
    return prefix && !memchr(start + prefix, '/', len - prefix);
}

// NULL with no exception when it is none.
static Class *universal_class(Thread *self, const char *start, size_t len)
{
    if (!names_universal(start, len))
        return NULL;
    Class *c = class_from_descriptor(self, loader_boot, start, len), *element = c;
    if (!c)
        self->exception = NULL;
    while (element && class_is_array(element))
        element = element->element;
    return element && (element->access & ACC_PUBLIC) ? c : NULL;
}

// Loaders are asked from the first class on that is not universal, as on HotSpot.
static Class *type_class(Thread *self, Class *holder, const char *start, size_t len,
                         bool *universal)
{
    if (len == 1)
        return class_primitive(*start);
    Class *c = *universal ? universal_class(self, start, len) : NULL;
    if (c)
        return c;
    *universal = false;
    c = class_from_descriptor(self, holder->loader, start, len);
    return c && access_require_class(self, holder, c) ? c : NULL;
}

// A MethodType may have more parameters than a method: Java code refuses it.
static int32_t parameter_count(const char *desc)
{
    int32_t count = 0;
    DescriptorWalk w = descriptor_walk(desc, strlen(desc), 0);
    while (descriptor_walk_next(&w))
        count++;
    return count;
}

// Return type and parameter types of a descriptor, as mirrors.
static bool types_of(Thread *self, Class *holder, const char *desc, jvalue *out,
                     bool *universal)
{
    Class *classes = class_array_of(self, CLS(Class));
    out[1].l = classes ? array_new(self, classes, parameter_count(desc)) : NULL;
    if (!out[1].l)
        return false;
    DescriptorWalk w = descriptor_walk(desc, strlen(desc), 0);
    while (descriptor_walk_next(&w)) {
        Class *c = type_class(self, holder, w.type, w.len, universal);
        if (!c)
            return false;
        array_set_ref(deref(out[1].l), (int32_t)w.index, class_mirror(c));
    }
    const char *p = w.next + (*w.next == ')');
    Class *ret = type_class(self, holder, p, strlen(p), universal);
    if (!ret)
        return false;
    out[0].l = mirror_handle(self, ret);
    return true;
}

static jobject make_method_type(Thread *self, Class *holder, const char *desc)
{
    HANDLE_SCOPE(self);
    jvalue args[2] = {0}, result = {0};
    bool universal = true;
    if (!types_of(self, holder, desc, args, &universal))
        return NULL;
    if (!class_initialize(self, CLS(MethodHandleNatives))
        || !java_call(self, MTH(MethodHandleNatives, findMethodHandleType), args, &result))
        return NULL;
    if (universal) {
        mutex_lock(&type_lock);
        if (!strmap_get(&type_cache, desc))
            strmap_put(&type_cache, desc, global_new(deref(result.l)));
        mutex_unlock(&type_lock);
    }
    SCOPE_RETURN(result.l);
}

jobject method_type_of(Thread *self, Class *holder, const char *desc, size_t len)
{
    ASSERT_MAY_GC(self);
    mutex_lock(&type_lock);
    jobject cached = strmap_get_n(&type_cache, desc, len);
    mutex_unlock(&type_lock);
    if (cached)
        return handle_new(self, deref(cached));
    char *text = vm_strndup(desc, len);
    jobject type = make_method_type(self, holder, text);
    vm_free(text);
    return type;
}

// ---- method handles ----

static InvokeKind handle_invoke_kind(int kind)
{
    return kind == REF_invokeStatic      ? INVOKE_STATIC
           : kind == REF_invokeInterface ? INVOKE_INTERFACE
           : kind == REF_invokeVirtual   ? INVOKE_VIRTUAL
                                         : INVOKE_SPECIAL;
}

// The kind of reference must fit the class (JVMS 5.4.3.3, first step). `index` is of the method handle.
static bool check_handle_ref(Thread *self, const MemberRef *ref, uint16_t index,
                             bool interface_ref)
{
    if (class_is_interface(ref->cls) == interface_ref)
        return true;
    char *c = class_external_name(ref->cls), *m = describe_method(NULL, ref->name, ref->desc);
    throw_owned(
        self, "java/lang/IncompatibleClassChangeError",
        vm_asprintf("Inconsistent constant pool data in classfile for class %s. Method '%s' at "
                    "index %u is %s "
                    "and should be %s",
                    c, m, index,
                    interface_ref ? "CONSTANT_InterfaceMethodRef" : "CONSTANT_MethodRef",
                    interface_ref ? "CONSTANT_MethodRef" : "CONSTANT_InterfaceMethodRef"));
    vm_free(c);
    vm_free(m);
    return false;
}

// Type argument of linkMethodHandleConstant for a method; the method must link.
static jobject link_handle_method(Thread *self, ConstantPool *pool, const CpEntry *mh,
                                  uint16_t index, const MemberRef *ref)
{
    bool interface_ref = cf_tag(pool->cf, mh->mh.ref) == CP_INTERFACE_METHODREF;
    bool polymorphic =
        mh->mh.kind == REF_invokeVirtual && is_linked_polymorphic(ref->cls, ref->name);
    InvokeKind kind = handle_invoke_kind(mh->mh.kind);
    if (!check_handle_ref(self, ref, index, interface_ref))
        return NULL;
    Method *m = polymorphic ? NULL
                            : link_method(self, ref->cls, ref->name, ref->desc, kind, pool->cls,
                                          interface_ref, true);
    if (!polymorphic && !m)
        return NULL;
    if (mh->mh.kind == REF_invokeSpecial && !link_check_indirect(self, pool->cls, ref->cls, m))
        return NULL;
    return method_type_of(self, pool->cls, ref->desc->s, ref->desc->len);
}

static jobject link_handle_field(Thread *self, Class *holder, const MemberRef *ref)
{
    if (!link_field(self, ref->cls, ref->name, ref->desc, NULL))
        return NULL;
    bool universal = true;
    Class *type = type_class(self, holder, ref->desc->s, ref->desc->len, &universal);
    return type ? mirror_handle(self, type) : NULL;
}

static jobject make_method_handle(Thread *self, ConstantPool *pool, uint16_t index)
{
    CpEntry e = cf_entry(pool->cf, index);
    MemberRef ref;
    if (!resolve_member_ref(self, pool, e.mh.ref, &ref))
        return NULL;
    jobject type = e.mh.kind <= REF_putStatic ? link_handle_field(self, pool->cls, &ref)
                                              : link_handle_method(self, pool, &e, index, &ref);
    jobject text = type ? string_intern_symbol(self, ref.name) : NULL;
    if (!text || !class_initialize(self, CLS(MethodHandleNatives)))
        return NULL;
    jvalue args[5] = {{.l = mirror_handle(self, pool->cls)},
                      {.i = e.mh.kind},
                      {.l = mirror_handle(self, ref.cls)},
                      {.l = text},
                      {.l = type}};
    jvalue result = {0};
    if (!java_call(self, MTH(MethodHandleNatives, linkMethodHandleConstant), args, &result))
        return NULL;
    return result.l;
}

// ---- dynamic constants and static arguments ----

static jobject link_dynamic(Thread *self, ConstantPool *pool, uint16_t index)
{
    BootstrapCall call;
    if (!bootstrap_call_prepare(self, pool, index, &call))
        return NULL;
    jvalue args[6] = {{.l = mirror_handle(self, pool->cls)},
                      {.i = index},
                      {.l = call.method},
                      {.l = call.name},
                      {.l = call.type},
                      {.l = call.args}};
    jvalue result = {0};
    return java_call(self, MTH(MethodHandleNatives, linkDynamicConstant), args, &result)
               ? handle_new(self, deref(result.l))
               : NULL;
}

static jobject make_dynamic(Thread *self, ConstantPool *pool, uint16_t index, bool *is_null)
{
    jobject made = link_dynamic(self, pool, index);
    if (exception_pending(self))
        bootstrap_wrap_failure(self);
    else
        *is_null = !made;
    return made;
}

static jobject make_constant(Thread *self, ConstantPool *pool, uint16_t index, bool *is_null)
{
    const ClassFile *cf = pool->cf;
    CpEntry e = cf_entry(cf, index);
    Bytes text;
    switch (e.tag) {
    case CP_STRING:
        text = cf_utf8(cf, e.name);
        return string_intern_mutf8_n(self, (const char *)text.p, text.len);
    case CP_METHOD_TYPE:
        text = cf_utf8(cf, e.name);
        return method_type_of(self, pool->cls, (const char *)text.p, text.len);
    case CP_METHOD_HANDLE: return make_method_handle(self, pool, index);
    case CP_DYNAMIC: return make_dynamic(self, pool, index, is_null);
    default:
        throw_new(self, "java/lang/InternalError",
                  "constant pool entry %u of tag %u is no loadable constant", index, e.tag);
        return NULL;
    }
}

// What an error without a message says when it is thrown again; NULL: nothing.
static const Symbol *dynamic_name(const ConstantPool *pool, uint16_t index)
{
    if (cf_tag(pool->cf, index) != CP_DYNAMIC)
        return NULL;
    return cp_symbol(pool->cf, cf_name_and_type(pool->cf, index).nat.name);
}

static jobject constant_of(void *p, bool *is_null)
{
    *is_null = p == null_constant;
    return *is_null ? NULL : p;
}

jobject resolve_constant(Thread *self, ConstantPool *pool, uint16_t index, bool *is_null)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(index > 0 && index < pool->cf->cp_count);
    ASSERT_MAY_GC(self);
    *is_null = false;
    if (cf_tag(pool->cf, index) == CP_CLASS) {
        Class *c = resolve_class(self, pool, index);
        return c ? c->mirror : NULL;
    }
    _Atomic(void *) *slot = pool_slot(pool, index);
    void *p;
    if (resolved_before(self, slot, &p))
        return constant_of(p, is_null);
    if (!c_stack_check(self))
        return NULL;
    HANDLE_SCOPE(self);
    pool_pin(self, pool);
    bool null_result = false;
    jobject h = make_constant(self, pool, index, &null_result);
    jobject ref = h ? loader_data_ref(class_loader_data(pool->cls), deref(h)) : NULL;
    void *mine = null_result ? (void *)null_constant : ref;
    p = resolve_outcome(self, pool, slot, mine, true, dynamic_name(pool, index));
    if (ref && p != ref)
        loader_data_unref(class_loader_data(pool->cls), ref);
    return constant_of(p, is_null);
}

// ---- looking at them ----

static bool is_handle_entry(uint8_t tag)
{
    return tag == CP_STRING || tag == CP_METHOD_HANDLE || tag == CP_METHOD_TYPE
           || tag == CP_DYNAMIC;
}

jobject constant_handle(ConstantPool *pool, uint32_t index)
{
    void *p = pool_resolved(pool, (uint16_t)index);
    bool is_handle = ((uintptr_t)p & HANDLE_TAG) == HANDLE_GLOBAL;
    return is_handle && is_handle_entry(cf_tag(pool->cf, (uint16_t)index)) ? p : NULL;
}

// As on HotSpot an entry counts for resolved when its class is there for the loader, but that of an array.
static const Class *loaded_class(const Class *c, uint32_t index)
{
    Bytes text = cf_class_name(c->cf, (uint16_t)index);
    Symbol *name = symbol_find_n((const char *)text.p, text.len);
    return name && name->s[0] != '[' ? loader_find_loaded(c->loader, name) : NULL;
}

Object *constant_object(const Class *c, uint32_t index)
{
    if (cf_tag(c->cf, (uint16_t)index) != CP_CLASS)
        return deref(constant_handle(c->pool, index));
    void *p = pool_resolved(c->pool, (uint16_t)index);
    if (p && resolved_is_error(p))
        return NULL;
    const Class *refers_to = p ? p : loaded_class(c, index);
    return refers_to ? class_mirror(refers_to) : NULL;
}
