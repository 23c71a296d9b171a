// SPDX-License-Identifier: Apache-2.0
// See compare.h.
#include "classfile/compare.h"

#include "classfile/bytecode.h"

typedef struct Versions {
    const ClassFile *a, *b;
} Versions;

static bool same_bytes(Bytes a, Bytes b)
{
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

static bool same_utf8(const Versions *v, uint16_t i, uint16_t j)
{
    return same_bytes(cf_utf8(v->a, i), cf_utf8(v->b, j));
}

// CLASS entries; 0 where the file has none.
static bool same_class(const Versions *v, uint16_t i, uint16_t j)
{
    if (!i || !j)
        return i == j;
    return same_bytes(cf_class_name(v->a, i), cf_class_name(v->b, j));
}

static bool same_classes(const Versions *v, const uint16_t *a, uint32_t count,
                         const uint16_t *b, uint32_t other_count)
{
    if (count != other_count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!same_class(v, a[i], b[i]))
            return false;
    return true;
}

static bool lists_class(const Versions *v, uint16_t i, const uint16_t *b, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++)
        if (same_class(v, i, b[j]))
            return true;
    return false;
}

// The same classes in any order; none is listed twice.
static bool same_class_set(const Versions *v, const uint16_t *a, uint32_t count,
                           const uint16_t *b, uint32_t other_count)
{
    if (count != other_count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!lists_class(v, a[i], b, count))
            return false;
    return true;
}

// ---- the class ----
static bool same_optional_utf8(const Versions *v, uint16_t i, uint16_t j)
{
    return i && j ? same_utf8(v, i, j) : i == j;
}

static bool same_record(const Versions *v, bool same_components)
{
    const ClassFile *a = v->a, *b = v->b;
    if (a->is_record != b->is_record)
        return false;
    if (!same_components)
        return true;
    if (a->component_count != b->component_count)
        return false;
    for (uint32_t i = 0; i < a->component_count; i++) {
        const RecordComponentInfo *x = &a->components[i], *y = &b->components[i];
        if (!same_utf8(v, x->name, y->name) || !same_utf8(v, x->descriptor, y->descriptor)
            || !same_optional_utf8(v, x->attrs.signature, y->attrs.signature))
            return false;
    }
    return true;
}

static bool same_nest_and_permitted(const Versions *v)
{
    const ClassFile *a = v->a, *b = v->b;
    return same_class(v, a->nest_host, b->nest_host)
           && same_class_set(v, a->nest_members, a->nest_member_count, b->nest_members,
                             b->nest_member_count)
           && a->is_sealed == b->is_sealed
           && same_class_set(v, a->permitted, a->permitted_count, b->permitted,
                             b->permitted_count);
}

static bool same_fields(const Versions *v)
{
    if (v->a->field_count != v->b->field_count)
        return false;
    for (uint32_t i = 0; i < v->a->field_count; i++) {
        const FieldInfo *x = &v->a->fields[i], *y = &v->b->fields[i];
        if (x->access != y->access || !same_utf8(v, x->name, y->name)
            || !same_utf8(v, x->descriptor, y->descriptor))
            return false;
    }
    return true;
}

// ---- methods ----
static bool method_is(const ClassFile *cf, const MethodInfo *m, Bytes name, Bytes descriptor)
{
    return same_bytes(cf_utf8(cf, m->name), name)
           && same_bytes(cf_utf8(cf, m->descriptor), descriptor);
}

const MethodInfo *classfile_find_method(const ClassFile *cf, Bytes name, Bytes descriptor,
                                        uint32_t guess)
{
    if (guess < cf->method_count && method_is(cf, &cf->methods[guess], name, descriptor))
        return &cf->methods[guess];
    for (uint32_t i = 0; i < cf->method_count; i++)
        if (method_is(cf, &cf->methods[i], name, descriptor))
            return &cf->methods[i];
    return NULL;
}

static const MethodInfo *counterpart(const ClassFile *of, const MethodInfo *m,
                                     const ClassFile *in, uint32_t guess)
{
    return classfile_find_method(in, cf_utf8(of, m->name), cf_utf8(of, m->descriptor), guess);
}

// No table and no other class's call of another method depends on it.
static bool may_come_and_go(const MethodInfo *m)
{
    return (m->access & ACC_PRIVATE) && (m->access & (ACC_STATIC | ACC_FINAL));
}

static ClassFileChange compare_methods(const ClassFile *from, const ClassFile *to,
                                       bool add_delete)
{
    for (uint32_t i = 0; i < from->method_count; i++) {
        const MethodInfo *m = &from->methods[i];
        const MethodInfo *n = counterpart(from, m, to, i);
        if (!n && !(add_delete && may_come_and_go(m)))
            return CLASSFILE_METHOD_DELETED;
        if (n && ((m->access ^ n->access) & ~ACC_NATIVE))
            return CLASSFILE_METHOD_MODIFIERS_CHANGED;
    }
    for (uint32_t i = 0; i < to->method_count; i++) {
        const MethodInfo *m = &to->methods[i];
        if (!counterpart(to, m, from, i) && !(add_delete && may_come_and_go(m)))
            return CLASSFILE_METHOD_ADDED;
    }
    return CLASSFILE_COMPATIBLE;
}

static bool fits_hierarchy(const Versions *v, ClassFileFreedom freedom)
{
    const ClassFile *a = v->a, *b = v->b;
    if (freedom == FREE_MEMBERS)
        return !a->super_class == !b->super_class;
    return same_class(v, a->super_class, b->super_class)
           && same_classes(v, a->interfaces, a->interface_count, b->interfaces,
                           b->interface_count);
}

// What makes a class an interface, an annotation or a module is no more than a flag, and yet another kind of class.
enum { ACC_KIND = ACC_INTERFACE | ACC_ANNOTATION | ACC_MODULE };

ClassFileChange classfile_compare(const ClassFile *from, const ClassFile *to,
                                  ClassFileFreedom freedom)
{
    Versions v = {from, to};
    bool is_free = freedom == FREE_MEMBERS;
    uint16_t fixed = is_free ? ACC_KIND : UINT16_MAX;
    if (!fits_hierarchy(&v, freedom))
        return CLASSFILE_HIERARCHY_CHANGED;
    if (!same_record(&v, !is_free) || (!is_free && !same_nest_and_permitted(&v)))
        return CLASSFILE_ATTRIBUTE_CHANGED;
    if ((from->access ^ to->access) & fixed)
        return CLASSFILE_MODIFIERS_CHANGED;
    if (is_free)
        return CLASSFILE_COMPATIBLE;
    if (!same_fields(&v))
        return CLASSFILE_SCHEMA_CHANGED;
    return compare_methods(from, to, freedom == FREE_PRIVATE_METHODS);
}

// ---- equivalence ----
enum { MAX_DEPTH = 16 }; // of dynamic constants within each other's arguments

static bool same_entry(const Versions *v, uint16_t i, uint16_t j, int depth);

static bool same_bootstrap(const Versions *v, uint16_t i, uint16_t j, int depth)
{
    const BootstrapMethod *x = &v->a->bootstrap_methods[i], *y = &v->b->bootstrap_methods[j];
    if (x->arg_count != y->arg_count
        || !same_entry(v, x->method_handle, y->method_handle, depth))
        return false;
    for (uint32_t k = 0; k < x->arg_count; k++)
        if (!same_entry(v, x->args[k], y->args[k], depth))
            return false;
    return true;
}

static bool same_entry(const Versions *v, uint16_t i, uint16_t j, int depth)
{
    CpEntry x = cf_entry(v->a, i), y = cf_entry(v->b, j);
    if (x.tag != y.tag || depth > MAX_DEPTH)
        return false;
    switch (x.tag) {
    case CP_UTF8: return same_utf8(v, i, j);
    case CP_INTEGER:
    case CP_FLOAT: return x.i == y.i;
    case CP_LONG:
    case CP_DOUBLE: return x.l == y.l;
    case CP_CLASS:
    case CP_STRING:
    case CP_METHOD_TYPE: return same_utf8(v, x.name, y.name);
    case CP_FIELDREF:
    case CP_METHODREF:
    case CP_INTERFACE_METHODREF:
        return same_class(v, x.ref.cls, y.ref.cls)
               && same_entry(v, x.ref.nat, y.ref.nat, depth + 1);
    case CP_NAME_AND_TYPE:
        return same_utf8(v, x.nat.name, y.nat.name) && same_utf8(v, x.nat.type, y.nat.type);
    case CP_METHOD_HANDLE:
        return x.mh.kind == y.mh.kind && same_entry(v, x.mh.ref, y.mh.ref, depth + 1);
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC:
        return same_entry(v, x.dyn.nat, y.dyn.nat, depth + 1)
               && same_bootstrap(v, x.dyn.bsm, y.dyn.bsm, depth + 1);
    default: return true;
    }
}

static bool same_instruction(const Versions *v, const uint8_t *p, const uint8_t *q,
                             uint32_t len)
{
    if (p[0] != q[0])
        return false;
    switch (bytecode_info[p[0]].format[0]) {
    case 'k': return same_entry(v, p[1], q[1], 0);
    case 'K':
        return same_entry(v, get_u2(p + 1), get_u2(q + 1), 0)
               && memcmp(p + 3, q + 3, len - 3) == 0;
    default: return memcmp(p, q, len) == 0;
    }
}

bool method_is_equivalent(const ClassFile *a, const MethodInfo *m, const ClassFile *b,
                          const MethodInfo *n)
{
    Versions v = {a, b};
    if (!m->code || !n->code)
        return m->code == n->code;
    CodeInfo x = code_info(m->code), y = code_info(n->code);
    if (x.code_len != y.code_len || x.max_stack != y.max_stack || x.max_locals != y.max_locals)
        return false;
    for (uint32_t bci = 0, len; bci < x.code_len; bci += len) {
        len = bytecode_length(x.code, x.code_len, bci);
        if (!len || len != bytecode_length(y.code, y.code_len, bci)
            || !same_instruction(&v, x.code + bci, y.code + bci, len))
            return false;
    }
    return true;
}
