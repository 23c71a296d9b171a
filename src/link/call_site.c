// SPDX-License-Identifier: Apache-2.0
// invokedynamic call sites, calls of MethodHandle.invoke(Exact) and VarHandle access modes, and
// the intrinsic methods under them (invokeBasic, linkTo*). Linking is done by
// java.lang.invoke.MethodHandleNatives; the first result published wins, and LinkageErrors are
// recorded. Lock: RANK_RESOLVE for the table of intrinsics.
#include "link/call_site.h"

#include "base/strbuf.h"
#include "class/vm_classes.h"
#include "java/box.h"
#include "java/call.h"
#include "java/engine.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "link/access.h"
#include "link/member_name.h"
#include "link/resolve_internal.h"

// ---- intrinsics ----

static Mutex intrinsic_lock = MUTEX_INIT(RANK_RESOLVE);
static StrMap intrinsics; // "name(desc" -> Method *

int method_handle_intrinsic_entry(const Symbol *name)
{
    if (name == SYM(invokeBasic))
        return ENTRY_INVOKE_BASIC;
    if (name == SYM(linkToVirtual))
        return ENTRY_LINK_TO_VIRTUAL;
    if (name == SYM(linkToStatic))
        return ENTRY_LINK_TO_STATIC;
    if (name == SYM(linkToSpecial))
        return ENTRY_LINK_TO_SPECIAL;
    if (name == SYM(linkToInterface))
        return ENTRY_LINK_TO_INTERFACE;
    return name == SYM(linkToNative) ? ENTRY_LINK_TO_NATIVE : -1;
}

bool is_linked_polymorphic(const Class *cls, const Symbol *name)
{
    if (cls == CLS(MethodHandle))
        return name == SYM(invoke) || name == SYM(invokeExact);
    if (cls != CLS(VarHandle))
        return false;
    const Method *m = class_declared_method(
        cls, name, symbol_intern("([Ljava/lang/Object;)Ljava/lang/Object;"));
    if (!m)
        m = class_declared_method(cls, name, symbol_intern("([Ljava/lang/Object;)Z"));
    if (!m)
        m = class_declared_method(cls, name, symbol_intern("([Ljava/lang/Object;)V"));
    return m && (m->access & (ACC_NATIVE | ACC_VARARGS)) == (ACC_NATIVE | ACC_VARARGS);
}

static void add_erased(StrBuf *sb, char kind)
{
    if (kind_is_reference(kind))
        sb_add(sb, "Ljava/lang/Object;");
    else
        sb_putc(sb, strchr("ZBCS", kind) ? 'I' : kind);
}

// The descriptor with references as Object and small integers as int; with keep_last the last
// parameter stays.
static Symbol *erase(const Symbol *desc, bool keep_last)
{
    StrBuf sb = {0};
    DescriptorWalk w = descriptor_walk(desc->s, desc->len, 0);
    sb_putc(&sb, '(');
    while (descriptor_walk_next(&w)) {
        if (keep_last && *w.next == ')')
            sb_add_n(&sb, w.type, w.len);
        else
            add_erased(&sb, w.kind);
    }
    sb_putc(&sb, ')');
    add_erased(&sb, w.next[1]);
    Symbol *s = symbol_intern_n(sb.s, sb.len);
    sb_free(&sb);
    return s;
}

static Method *make_intrinsic(Symbol *name, Symbol *desc, int entry)
{
    MethodShape shape = descriptor_method_shape(desc->s, desc->len);
    bool is_static = entry != ENTRY_INVOKE_BASIC;
    Method *m = vm_calloc(1, sizeof(*m));
    symbol_keep(name);
    symbol_keep(desc);
    m->cls = CLS(MethodHandle);
    m->name = name;
    m->desc = desc;
    m->access =
        (uint16_t)(ACC_FINAL | ACC_NATIVE | ACC_SYNTHETIC | (is_static ? ACC_STATIC : 0));
    m->flags = METHOD_HIDDEN;
    m->slot = UINT32_MAX;
    method_set_entry(m, (MethodEntry)entry);
    m->param_count = shape.param_count;
    m->arg_words = (uint8_t)(shape.arg_words + (is_static ? 0 : 1));
    m->ret = shape.ret;
    m->max_locals = m->arg_words;
    m->table_index = -1;
    return m;
}

Method *method_handle_intrinsic(Thread *self, Symbol *name, Symbol *desc)
{
    ASSERT_MAY_GC(self);
    (void)self;
    int entry = method_handle_intrinsic_entry(name);
    if (entry < 0)
        return NULL;
    Symbol *erased = erase(desc, entry != ENTRY_INVOKE_BASIC);
    char *key = vm_asprintf("%s%s", name->s, erased->s);
    mutex_lock(&intrinsic_lock);
    Method *m = strmap_get(&intrinsics, key);
    if (!m) {
        m = make_intrinsic(name, erased, entry);
        strmap_put(&intrinsics, key, m);
    }
    mutex_unlock(&intrinsic_lock);
    vm_free(key);
    return m;
}

// ---- what linking returns ----

static CallSite *site_new(Thread *self, ConstantPool *pool, jobject member_name,
                          jobject appendix_array)
{
    Method *adapter = member_name ? member_name_target(deref(member_name)) : NULL;
    if (!adapter) {
        throw_new(self, "java/lang/LinkageError", "bad method handle linkage");
        return NULL;
    }
    CallSite *site = pool_alloc(pool, sizeof(*site));
    site->adapter = adapter;
    pool_depend(pool, adapter->cls);
    site->appendix = pool_ref(pool, array_get_ref(deref(appendix_array), 0));
    return site;
}

// resolve_outcome of a new site, or NULL.
static CallSite *site_publish(Thread *self, ConstantPool *pool, _Atomic(void *) *slot,
                              CallSite *site, bool with_cause)
{
    CallSite *p = resolve_outcome(self, pool, slot, site, with_cause, NULL);
    if (site && p != site)
        pool_unref(pool, site->appendix);
    return p;
}

static jobject appendix_box(Thread *self)
{
    Class *objects = class_array_of(self, CLS(Object));
    return objects ? array_new(self, objects, 1) : NULL;
}

// ---- MethodHandle.invoke ----

bool resolve_is_invoke_handle(Thread *self, ConstantPool *pool, uint16_t index)
{
    ASSERT_MAY_GC(self);
    CpEntry e = cf_entry(pool->cf, index);
    if (e.tag != CP_METHODREF)
        return false;
    Bytes cls = cf_class_name(pool->cf, e.ref.cls);
    if (!bytes_eq(cls, "java/lang/invoke/MethodHandle")
        && !bytes_eq(cls, "java/lang/invoke/VarHandle"))
        return false;
    Class *c = resolve_class(self, pool, e.ref.cls);
    if (!c) {
        self->exception = NULL; // resolve_method meets the same error
        return false;
    }
    return is_linked_polymorphic(
        c, cp_symbol(pool->cf, cf_name_and_type(pool->cf, index).nat.name));
}

static CallSite *link_invoke_handle(Thread *self, ConstantPool *pool, uint16_t index)
{
    MemberRef ref;
    if (!resolve_member_ref(self, pool, index, &ref))
        return NULL;
    jobject type = method_type_of(self, pool->cls, ref.desc->s, ref.desc->len);
    jobject text = type ? string_intern_symbol(self, ref.name) : NULL;
    jobject box = text ? appendix_box(self) : NULL;
    if (!box || !class_initialize(self, CLS(MethodHandleNatives)))
        return NULL;
    jvalue args[6] = {{.l = mirror_handle(self, pool->cls)},
                      {.i = REF_invokeVirtual},
                      {.l = mirror_handle(self, ref.cls)},
                      {.l = text},
                      {.l = type},
                      {.l = box}};
    jvalue result = {0};
    if (!java_call(self, MTH(MethodHandleNatives, linkMethod), args, &result))
        return NULL;
    return site_new(self, pool, result.l, box);
}

CallSite *resolve_invoke_handle(Thread *self, ConstantPool *pool, uint16_t index)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(index > 0 && index < pool->cf->cp_count);
    ASSERT_MAY_GC(self);
    _Atomic(void *) *slot = pool_slot(pool, index);
    void *found;
    if (resolved_before(self, slot, &found))
        return found;
    if (!c_stack_check(self))
        return NULL;
    HANDLE_SCOPE(self);
    pool_pin(self, pool);
    return site_publish(self, pool, slot, link_invoke_handle(self, pool, index), true);
}

// ---- bootstrap methods ----

// A static argument as an object: numbers boxed. *is_null when the argument is a null dynamic
// constant.
static jobject static_argument(Thread *self, ConstantPool *pool, uint16_t index, bool *is_null)
{
    CpEntry e = cf_entry(pool->cf, index);
    jvalue v = {0};
    *is_null = false;
    switch (e.tag) {
    case CP_INTEGER: v.i = e.i; return box_value(self, 'I', v);
    case CP_FLOAT: v.f = e.f; return box_value(self, 'F', v);
    case CP_LONG: v.j = e.l; return box_value(self, 'J', v);
    case CP_DOUBLE: v.d = e.d; return box_value(self, 'D', v);
    default: return resolve_constant(self, pool, index, is_null);
    }
}

static bool fill_arguments(Thread *self, ConstantPool *pool, const BootstrapMethod *bsm,
                           jobject array)
{
    for (uint16_t i = 0; i < bsm->arg_count; i++) {
        HANDLE_SCOPE(self);
        bool is_null;
        jobject arg = static_argument(self, pool, bsm->args[i], &is_null);
        if (!arg && !is_null)
            return false;
        array_set_ref(deref(array), i, deref(arg));
    }
    return true;
}

static bool push_arguments(Thread *self, ConstantPool *pool, const BootstrapMethod *bsm,
                           jobject *out)
{
    *out = NULL;
    if (bsm->arg_count == 0)
        return true;
    Class *objects = class_array_of(self, CLS(Object));
    jobject array = objects ? array_new(self, objects, bsm->arg_count) : NULL;
    if (!array || !fill_arguments(self, pool, bsm, array))
        return false;
    Object *only = array_get_ref(deref(array), 0);
    bool bare = bsm->arg_count == 1 && only && !class_is_array(object_class(only));
    *out = bare ? handle_new(self, only) : array;
    return true;
}

// MethodType of a call site, Class of a dynamic constant.
static jobject bootstrap_type(Thread *self, Class *holder, Symbol *desc)
{
    if (desc->s[0] == '(')
        return method_type_of(self, holder, desc->s, desc->len);
    Class *c = desc->len == 1 ? class_primitive(desc->s[0])
                              : class_from_descriptor(self, holder->loader, desc->s, desc->len);
    if (!c || !access_require_class(self, holder, c))
        return NULL;
    return mirror_handle(self, c);
}

bool bootstrap_call_prepare(Thread *self, ConstantPool *pool, uint16_t index,
                            BootstrapCall *out)
{
    ASSERT_MAY_GC(self);
    const ClassFile *cf = pool->cf;
    CpEntry e = cf_entry(cf, index);
    const BootstrapMethod *bsm = &cf->bootstrap_methods[e.dyn.bsm];
    Symbol *name, *desc;
    bool is_null;
    cp_name_and_type(cf, e.dyn.nat, &name, &desc);
    if (!class_initialize(self, CLS(MethodHandleNatives)))
        return false;
    out->method = resolve_constant(self, pool, bsm->method_handle, &is_null);
    if (!out->method)
        return false;
    out->name = string_intern_symbol(self, name);
    out->type = out->name ? bootstrap_type(self, pool->cls, desc) : NULL;
    return out->type && push_arguments(self, pool, bsm, &out->args);
}

void bootstrap_wrap_failure(Thread *self)
{
    ASSERT_MAY_GC(self);
    if (!self->exception || object_is_instance(self->exception, CLS(Error)))
        return;
    HANDLE_SCOPE(self);
    jvalue cause = {.l = exception_take(self)};
    jobject error =
        object_construct(self, CLS(BootstrapMethodError), "(Ljava/lang/Throwable;)V", &cause);
    if (error)
        exception_set(self, error);
}

// ---- invokedynamic ----

static CallSite *link_dynamic(Thread *self, ConstantPool *pool, uint16_t index)
{
    BootstrapCall call;
    if (!bootstrap_call_prepare(self, pool, index, &call))
        return NULL;
    jobject box = appendix_box(self);
    if (!box)
        return NULL;
    jvalue args[7] = {{.l = mirror_handle(self, pool->cls)},
                      {.i = index},
                      {.l = call.method},
                      {.l = call.name},
                      {.l = call.type},
                      {.l = call.args},
                      {.l = box}};
    jvalue result = {0};
    if (!java_call(self, MTH(MethodHandleNatives, linkCallSite), args, &result))
        return NULL;
    return site_new(self, pool, result.l, box);
}

CallSite *resolve_invoke_dynamic(Thread *self, Method *from, uint16_t index,
                                 _Atomic(void *) *slot)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(index > 0 && index < from->pool->cf->cp_count);
    ASSERT_MAY_GC(self);
    void *found;
    if (resolved_before(self, slot, &found))
        return found;
    if (!c_stack_check(self))
        return NULL;
    HANDLE_SCOPE(self);
    ConstantPool *pool = from->pool; // of the code that has the slot
    pool_pin(self, pool);
    CallSite *site = link_dynamic(self, pool, index);
    if (!site)
        bootstrap_wrap_failure(self);
    return site_publish(self, pool, slot, site, false);
}
