// SPDX-License-Identifier: Apache-2.0
// Resolution of classes, fields and methods named in constant pools (JVMS 5.4.3.1 - 5.4.3.4).
// What an entry resolves to, or the error of the attempt, is published in its slot (pool_slot); the
// checks that depend on the instruction are made each time.
#include "base/log.h"
#include "class/assumption.h"
#include "frame/frame_cursor.h"
#include "java/describe.h"
#include "java/exception.h"
#include "link/access.h"
#include "link/resolve_internal.h"

// ---- classes ----

static Class *load_class_entry(Thread *self, ConstantPool *pool, uint16_t index)
{
    if (index == pool->cf->this_class) // also how a hidden class names itself
        return pool->cls;
    Symbol *name = cp_symbol(pool->cf, cf_first_index(pool->cf, index));
    Class *c = loader_load(self, pool->cls->loader, name, true);
    return c && access_require_class(self, pool->cls, c) ? c : NULL;
}

static void log_resolution(Thread *self, const Class *from, const Class *to)
{
    FrameCursor f;
    const ClassFile *cf = cursor_first(&f, self) ? f.method->cls->cf : NULL;
    char *a = class_external_name(from), *b = class_external_name(to);
    if (cf && cf->source_file) {
        Bytes file = cf_utf8(cf, cf->source_file);
        log_write(LOG_CLASS_RESOLVE, LOG_DEBUG, "%s %s %.*s:%d", a, b, (int)file.len,
                  (const char *)file.p, method_line(f.method, f.bci));
    } else
        log_write(LOG_CLASS_RESOLVE, LOG_DEBUG, "%s %s", a, b);
    vm_free(a);
    vm_free(b);
}

Class *resolve_class(Thread *self, ConstantPool *pool, uint16_t index)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(index > 0 && index < pool->cf->cp_count);
    ASSERT_MAY_GC(self);
    void *found;
    if (LIKELY(resolved_before(self, pool_slot(pool, index), &found)))
        return found;
    if (!c_stack_check(self))
        return NULL;
    HANDLE_SCOPE(self);
    pool_pin(self, pool);
    Class *c = load_class_entry(self, pool, index);
    if (c && log_on(LOG_CLASS_RESOLVE, LOG_DEBUG))
        log_resolution(self, pool->cls, c);
    return resolve_outcome(self, pool, pool_slot(pool, index), c, true,
                           cp_symbol(pool->cf, cf_first_index(pool->cf, index)));
}

Class *resolved_class(ConstantPool *pool, uint16_t index)
{
    // It makes nothing of the pool: the compiler asks within an attempt.
    void *found = pool_resolved(pool, index);
    return resolved_is_error(found) ? NULL : found;
}

// ---- fields ----

static char *field_text(const Class *named, const Symbol *name)
{
    char *cls = class_external_name(named), *text = vm_asprintf("%s.%s", cls, name->s);
    vm_free(cls);
    return text;
}

static bool throw_field_access(Thread *self, Class *caller, Field *f)
{
    char *text = field_text(f->cls, f->name);
    throw_owned(self, "java/lang/IllegalAccessError",
                access_message_member(caller, f->cls, f->access, "field", text));
    vm_free(text);
    return false;
}

bool link_constrain_field(Thread *self, Class *caller, Field *f)
{
    ASSERT_MAY_GC(self);
    char kind = *f->desc->s;
    if ((kind != 'L' && kind != '[') || caller->loader == f->cls->loader)
        return true;
    HANDLE_SCOPE(self);
    Symbol *type = kind == 'L' ? symbol_intern_n(f->desc->s + 1, f->desc->len - 2) : f->desc;
    if (loader_constrain(self, type, caller->loader, f->cls->loader))
        return true;
    StrBuf la = {0}, lb = {0};
    describe_loader(&la, caller->loader);
    describe_loader(&lb, f->cls->loader);
    char *a = class_external_name(caller), *b = class_external_name(f->cls);
    char *pa = describe_place(caller), *pb = describe_place(f->cls);
    char *t = describe_class_name(type);
    throw_new(self, "java/lang/LinkageError",
              "loader constraint violation: when resolving field \"%s\" of type %s, the class "
              "loader %s of the current class, %s, and the class loader %s for the field's "
              "defining class, %s, have different Class objects for type %s (%s; %s)",
              f->name->s, t, la.s, a, lb.s, b, t, pa, pb);
    char *owned[] = {a, b, pa, pb, t, la.s, lb.s};
    for (size_t i = 0; i < ARRAY_LEN(owned); i++)
        vm_free(owned[i]);
    return false;
}

Field *link_field(Thread *self, Class *cls, Symbol *name, Symbol *desc, Class *caller)
{
    VM_ASSERT(name && desc);
    ASSERT_MAY_GC(self);
    Field *f = class_is_array(cls) || class_is_primitive(cls)
                   ? NULL
                   : class_find_field(cls, name, desc);
    if (!f) {
        throw_new(self, "java/lang/NoSuchFieldError", "%s", name->s);
        return NULL;
    }
    if (!caller)
        return f;
    switch (access_check_member(self, caller, cls, f->cls, f->access)) {
    case ACCESS_OK: break;
    case ACCESS_EXCEPTION: return NULL;
    default: throw_field_access(self, caller, f); return NULL;
    }
    return link_constrain_field(self, caller, f) ? f : NULL;
}

static Field *resolve_field_entry(Thread *self, ConstantPool *pool, uint16_t index)
{
    void *found;
    MemberRef ref;
    if (LIKELY(resolved_before(self, pool_slot(pool, index), &found)))
        return found;
    for (;;) {
        uint64_t before = class_tables_remade();
        if (!resolve_member_ref(self, pool, index, &ref))
            return NULL;
        Field *f = resolve_finish(self, pool, index,
                                  link_field(self, ref.cls, ref.name, ref.desc, pool->cls));
        if (!f || class_tables_remade() == before)
            return f;
        atomic_store(pool_slot(pool, index), NULL); // its class may have other fields now
    }
}

static bool throw_final_update(Thread *self, Method *from, Field *f, bool other_class)
{
    const char *kind = f->access & ACC_STATIC ? "static" : "non-static";
    char *text = field_text(f->cls, f->name), *cls = class_external_name(from->cls), *message;
    if (other_class)
        message = vm_asprintf(
            "Update to %s final field %s attempted from a different class (%s) than the "
            "field's declaring class",
            kind, text, cls);
    else
        message = vm_asprintf(
            "Update to %s final field %s attempted from a different method (%s) than the "
            "initializer method %s ",
            kind, text, from->name->s, f->access & ACC_STATIC ? "<clinit>" : "<init>");
    vm_free(text);
    vm_free(cls);
    throw_owned(self, "java/lang/IllegalAccessError", message);
    return false;
}

static bool check_final_put(Thread *self, Method *from, const ClassFile *cf, Field *f)
{
    if (!(f->access & ACC_FINAL))
        return true;
    if (from->cls != f->cls)
        return throw_final_update(self, from, f, true);
    Symbol *initializer = f->access & ACC_STATIC ? SYM(clinit) : SYM(init);
    if (cf->major >= 53 && from->name != initializer)
        return throw_final_update(self, from, f, false);
    if (from->name != initializer)
        assumption_break_final(self, f);
    return true;
}

Field *resolve_field(Thread *self, Method *from, uint16_t index, bool is_static, FieldUse use)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(index > 0 && index < from->pool->cf->cp_count);
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    ConstantPool *pool = from->pool;
    pool_pin(self, pool);
    Field *f = resolve_field_entry(self, pool, index);
    if (!f)
        return NULL;
    if (is_static != ((f->access & ACC_STATIC) != 0)) {
        Class *named = resolve_class(self, pool, cf_first_index(pool->cf, index));
        char *text = field_text(named ? named : f->cls, f->name);
        throw_owned(
            self, "java/lang/IncompatibleClassChangeError",
            vm_asprintf("Expected %s field %s", is_static ? "static" : "non-static", text));
        vm_free(text);
        return NULL;
    }
    return use == FIELD_GET || check_final_put(self, from, pool->cf, f) ? f : NULL;
}

Field *resolved_field(ConstantPool *pool, uint16_t index)
{
    // It makes nothing of the pool: the compiler asks within an attempt.
    void *found = pool_resolved(pool, index);
    return resolved_is_error(found) ? NULL : found;
}

// ---- methods ----

static Method *resolve_method_entry(Thread *self, ConstantPool *pool, uint16_t index,
                                    InvokeKind kind)
{
    void *found;
    MemberRef ref;
    if (LIKELY(resolved_before(self, pool_slot(pool, index), &found)))
        return found;
    if (!resolve_member_ref(self, pool, index, &ref))
        return NULL;
    bool interface_ref = cf_tag(pool->cf, index) == CP_INTERFACE_METHODREF;
    Method *m =
        link_method(self, ref.cls, ref.name, ref.desc, kind, pool->cls, interface_ref, true);
    return resolve_finish(self, pool, index, m);
}

static bool throw_kind(Thread *self, const char *format, const Method *m)
{
    char *text = method_external_name(m);
    StrBuf sb = {0};
    sb_printf(&sb, "%s '%s'", format, text);
    vm_free(text);
    throw_owned(self, "java/lang/IncompatibleClassChangeError", sb.s);
    return false;
}

// The checks of an instruction on a method that another instruction resolved already.
static bool check_kind(Thread *self, Method *m, InvokeKind kind)
{
    if (kind == INVOKE_STATIC)
        return method_is_static(m) || throw_kind(self, "Expected static method", m);
    if (!method_is_static(m))
        return true;
    return throw_kind(self,
                      kind == INVOKE_INTERFACE ? "Expected instance not static method"
                                               : "Expecting non-static method",
                      m);
}

Method *resolve_method(Thread *self, Method *from, uint16_t index, InvokeKind kind)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(index > 0 && index < from->pool->cf->cp_count);
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    ConstantPool *pool = from->pool;
    pool_pin(self, pool);
    Method *m = resolve_method_entry(self, pool, index, kind);
    return m && check_kind(self, m, kind) ? m : NULL;
}

Method *resolve_special(Thread *self, Method *from, uint16_t index, Method *resolved)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    ConstantPool *pool = from->pool;
    pool_pin(self, pool);
    Class *named = resolve_class(self, pool, cf_first_index(pool->cf, index));
    return named ? link_special(self, pool->cls, named, resolved) : NULL;
}
