// SPDX-License-Identifier: Apache-2.0
// The constant pool (JVMS 4.4): reading, then the checks that make every index in it point at
// an entry of the right kind, then (when the format is checked) names and descriptors.
#include "base/mutf8.h"
#include "classfile/parser_internal.h"

enum {
    REF_GET_FIELD = 1,
    REF_PUT_STATIC = 4,
    REF_INVOKE_VIRTUAL = 5,
    REF_INVOKE_STATIC = 6,
    REF_INVOKE_SPECIAL = 7,
    REF_NEW_INVOKE_SPECIAL = 8,
    REF_INVOKE_INTERFACE = 9
};

// Two faults of a descriptor have words of their own: a bad class name, too many dimensions.
// NULL for others.
static const char *descriptor_fault(Bytes d)
{
    const uint8_t *p = d.p, *end = d.p + d.len;
    if (p < end && *p == '(')
        p++;
    for (bool after_params = false; p < end; p++) {
        uint32_t dims = 0;
        if (*p == ')' && !after_params) {
            after_params = true;
            continue;
        }
        for (; p < end && *p == '['; p++)
            dims++;
        if (dims > 255)
            return "Array type descriptor has more than 255 dimensions in class file %s";
        if (p == end || strchr("BCDFIJSZL", *p) == NULL || *p == '\0')
            return NULL;
        if (*p != 'L')
            continue;
        const uint8_t *semi = memchr(p, ';', (size_t)(end - p));
        if (semi == NULL)
            return NULL;
        if (p[1] == '[' || !name_is_valid_class(p + 1, (size_t)(semi - p - 1)))
            return "Class name is empty or contains illegal character in descriptor in class "
                   "file %s";
        p = semi;
    }
    return NULL;
}

bool illegal_signature(Parser *ps, const char *what, uint16_t name, uint16_t descriptor)
{
    const char *fault = descriptor_fault(cf_utf8(ps->cf, descriptor));
    if (fault != NULL) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        return format_error(ps, fault, ps->class_name);
#pragma GCC diagnostic pop
    }
    return format_error(ps, "%s \"%.*s\" in class %s has illegal signature \"%.*s\"", what,
                        text_len(ps, name), text_at(ps, name), ps->class_name,
                        text_len(ps, descriptor), text_at(ps, descriptor));
}

// ---- reading ----

static bool read_utf8(Parser *ps, CpEntry *e)
{
    uint16_t len = rd_u2(&ps->r);
    const uint8_t *p = rd_bytes(&ps->r, len);
    if (p == NULL)
        return parse_truncated(ps);
    e->text = p;
    e->len = len;
    if (ps->check && !mutf8_is_valid(p, len))
        return format_error(ps, "Illegal UTF8 string in constant pool in class file %s",
                            ps->class_name);
    return true;
}

static int64_t read_s8(Reader *r)
{
    uint64_t high = rd_u4(r);
    return (int64_t)(high << 32 | rd_u4(r));
}

static bool tag_allowed(Parser *ps, uint8_t tag)
{
    uint16_t since = tag == CP_DYNAMIC ? JAVA_11 : tag >= CP_METHOD_HANDLE ? JAVA_7 : 0;
    if (ps->cf->major >= since)
        return true;
    return format_error(ps,
                        "Class file version does not support constant tag %u in class file %s",
                        tag, ps->class_name);
}

static bool read_entry(Parser *ps, CpEntry *e)
{
    Reader *r = &ps->r;
    switch (e->tag) {
    case CP_UTF8: return read_utf8(ps, e);
    case CP_INTEGER:
    case CP_FLOAT: e->i = (int32_t)rd_u4(r); return true;
    case CP_LONG:
    case CP_DOUBLE: e->l = read_s8(r); return true;
    case CP_METHOD_TYPE:
        if (!tag_allowed(ps, e->tag))
            return false;
        e->name = rd_u2(r);
        return true;
    case CP_CLASS:
    case CP_STRING: e->name = rd_u2(r); return true;
    case CP_FIELDREF:
    case CP_METHODREF:
    case CP_INTERFACE_METHODREF:
    case CP_NAME_AND_TYPE:
        e->ref.cls = rd_u2(r);
        e->ref.nat = rd_u2(r);
        return true;
    case CP_METHOD_HANDLE:
        if (!tag_allowed(ps, e->tag))
            return false;
        e->mh.kind = rd_u1(r);
        e->mh.ref = rd_u2(r);
        return true;
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC:
        if (!tag_allowed(ps, e->tag))
            return false;
        e->dyn.bsm = rd_u2(r);
        e->dyn.nat = rd_u2(r);
        ps->max_bsm = MAX_OF(ps->max_bsm, (int32_t)e->dyn.bsm);
        return true;
    case CP_MODULE:
    case CP_PACKAGE:
        if (ps->cf->major >= JAVA_9) {
            ps->bad_tag = e->tag; // an error unless this turns out to be a module-info
            e->name = rd_u2(r);
            return true;
        }
        break;
    default: break;
    }
    return format_error(ps, "Unknown constant tag %u in class file %s", e->tag, ps->class_name);
}

static bool read_entries(Parser *ps)
{
    ClassFile *cf = ps->cf;
    for (uint32_t i = 1; i < cf->cp_count; i++) {
        CpEntry *e = &cf->cp[i];
        e->tag = rd_u1(&ps->r);
        if (ps->r.overrun)
            return parse_truncated(ps);
        if (!read_entry(ps, e))
            return false;
        if (ps->r.overrun)
            return parse_truncated(ps);
        if (e->tag == CP_LONG || e->tag == CP_DOUBLE) {
            if (++i >= cf->cp_count)
                return format_error(ps, "Invalid constant pool entry %u in class file %s", i,
                                    ps->class_name);
        }
    }
    return true;
}

// ---- indices ----

static bool expect(Parser *ps, uint16_t index, uint8_t tag)
{
    return cp_is(ps, index, tag)
           || format_error(ps, "Invalid constant pool index %u in class file %s", index,
                           ps->class_name);
}

// Descriptors are checked whatever the options: later code walks them without bounds.
static bool check_method_type_descriptor(Parser *ps, uint16_t descriptor)
{
    if (!expect(ps, descriptor, CP_UTF8))
        return false;
    return descriptor_is_method(text_at(ps, descriptor), (size_t)text_len(ps, descriptor))
           || format_error(ps, "Method \"type\" in class %s has illegal signature \"%.*s\"",
                           ps->class_name, text_len(ps, descriptor), text_at(ps, descriptor));
}

static bool check_method_handle(Parser *ps, uint16_t index, const CpEntry *e)
{
    uint16_t kind = e->mh.kind, ref = e->mh.ref;
    if (kind < REF_GET_FIELD || kind > REF_INVOKE_INTERFACE)
        return format_error(ps,
                            "Bad method handle kind at constant pool index %u in class file %s",
                            index, ps->class_name);
    if (ref == 0 || ref >= ps->cf->cp_count)
        return expect(ps, ref, CP_METHODREF);
    uint8_t tag = ps->cf->cp[ref].tag;
    bool interface_ok =
        (kind == REF_INVOKE_STATIC || kind == REF_INVOKE_SPECIAL) && ps->cf->major >= JAVA_8;
    if (kind <= REF_PUT_STATIC) {
        return tag == CP_FIELDREF
               || format_error(ps,
                               "Invalid constant pool index %u in class file %s (not a field)",
                               ref, ps->class_name);
    }
    if (kind == REF_INVOKE_INTERFACE) {
        return tag == CP_INTERFACE_METHODREF
               || format_error(
                   ps,
                   "Invalid constant pool index %u in class file %s (not an interface method)",
                   ref, ps->class_name);
    }
    return tag == CP_METHODREF || (tag == CP_INTERFACE_METHODREF && interface_ok)
           || format_error(ps, "Invalid constant pool index %u in class file %s (not a method)",
                           ref, ps->class_name);
}

// The name and type of an entry must both be there, and the type be a field's or a method's
// descriptor.
static bool check_nat(Parser *ps, uint16_t nat, bool method)
{
    if (!expect(ps, nat, CP_NAME_AND_TYPE))
        return false;
    const CpEntry *e = &ps->cf->cp[nat];
    if (!expect(ps, e->nat.name, CP_UTF8) || !expect(ps, e->nat.type, CP_UTF8))
        return false;
    bool ok = method ? is_method_type(ps, e->nat.type) : is_field_type(ps, e->nat.type);
    return ok || illegal_signature(ps, method ? "Method" : "Field", e->nat.name, e->nat.type);
}

static bool check_entry(Parser *ps, uint16_t i)
{
    const CpEntry *e = &ps->cf->cp[i];
    switch (e->tag) {
    case CP_CLASS: {
        if (!expect(ps, e->name, CP_UTF8))
            return false;
        const uint8_t *name = ps->cf->cp[e->name].text;
        uint32_t len = ps->cf->cp[e->name].len;
        // array names are walked like descriptors, so they must be right in any case
        bool ok =
            ps->check || (len > 0 && name[0] == '[') ? name_is_valid_class(name, len) : true;
        return ok
               || format_error(ps, "Illegal class name \"%.*s\" in class file %s", (int)len,
                               name, ps->class_name);
    }
    case CP_STRING:
    case CP_MODULE:
    case CP_PACKAGE: return expect(ps, e->name, CP_UTF8);
    case CP_FIELDREF:
    case CP_METHODREF:
    case CP_INTERFACE_METHODREF:
        return expect(ps, e->ref.cls, CP_CLASS)
               && check_nat(ps, e->ref.nat, e->tag != CP_FIELDREF);
    case CP_NAME_AND_TYPE:
        return expect(ps, e->nat.name, CP_UTF8) && expect(ps, e->nat.type, CP_UTF8);
    case CP_METHOD_HANDLE: return check_method_handle(ps, i, e);
    case CP_METHOD_TYPE: return check_method_type_descriptor(ps, e->name);
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC: return check_nat(ps, e->dyn.nat, e->tag == CP_INVOKE_DYNAMIC);
    default: return true;
    }
}

// ---- format ----

static bool check_member_name(Parser *ps, uint16_t nat, bool method)
{
    uint16_t name = ps->cf->cp[nat].nat.name;
    const uint8_t *s = ps->cf->cp[name].text;
    size_t len = ps->cf->cp[name].len;
    bool ok = method ? name_is_valid_method(s, len) : name_is_valid_field(s, len);
    return ok
           || format_error(ps, "Illegal %s name \"%.*s\" in class %s",
                           method ? "method" : "field", (int)len, s, ps->class_name);
}

static bool check_init_returns_void(Parser *ps, uint16_t nat)
{
    const CpEntry *e = &ps->cf->cp[nat];
    Bytes type = cf_utf8(ps->cf, e->nat.type);
    return !bytes_eq(cf_utf8(ps->cf, e->nat.name), "<init>") || type.p[type.len - 1] == 'V'
           || illegal_signature(ps, "Method", e->nat.name, e->nat.type);
}

// A method reference may name <init>, returning void, but no other method with '<' (JVMS
// 4.4.2).
static bool check_methodref_name(Parser *ps, uint16_t nat)
{
    const CpEntry *e = &ps->cf->cp[nat];
    Bytes name = cf_utf8(ps->cf, e->nat.name);
    if (name.len == 0 || name.p[0] != '<')
        return true;
    if (!bytes_eq(name, "<init>"))
        return format_error(ps, "Bad method name at constant pool index %u in class file %s",
                            e->nat.name, ps->class_name);
    return check_init_returns_void(ps, nat);
}

static bool check_handle_name(Parser *ps, const CpEntry *e)
{
    if (e->mh.kind <= REF_PUT_STATIC)
        return true;
    uint16_t name_index = ps->cf->cp[ps->cf->cp[e->mh.ref].ref.nat].nat.name;
    Bytes name = cf_utf8(ps->cf, name_index);
    bool is_init = bytes_eq(name, "<init>");
    if (e->mh.kind == REF_NEW_INVOKE_SPECIAL) {
        return is_init
               || format_error(
                   ps, "Bad constructor name at constant pool index %u in class file %s",
                   name_index, ps->class_name);
    }
    return (!is_init && !bytes_eq(name, "<clinit>"))
           || format_error(ps, "Bad method name at constant pool index %u in class file %s",
                           name_index, ps->class_name);
}

static bool check_format(Parser *ps, uint16_t i)
{
    const CpEntry *e = &ps->cf->cp[i];
    switch (e->tag) {
    case CP_FIELDREF: return check_member_name(ps, e->ref.nat, false);
    case CP_METHODREF:
        return check_methodref_name(ps, e->ref.nat) && check_member_name(ps, e->ref.nat, true);
    case CP_INTERFACE_METHODREF:
        return check_init_returns_void(ps, e->ref.nat)
               && check_member_name(ps, e->ref.nat, true);
    case CP_METHOD_HANDLE: return check_handle_name(ps, e);
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC: {
        Bytes name = cf_utf8(ps->cf, ps->cf->cp[e->dyn.nat].nat.name);
        if (name.len > 0 && name.p[0] == '<')
            return format_error(ps,
                                "Bad method name at constant pool index %u in class file %s", i,
                                ps->class_name);
        return check_member_name(ps, e->dyn.nat, e->tag == CP_INVOKE_DYNAMIC);
    }
    case CP_NAME_AND_TYPE: {
        Bytes type = cf_utf8(ps->cf, e->nat.type);
        bool method = type.len > 0 && type.p[0] == '(';
        bool ok = method ? is_method_type(ps, e->nat.type) : is_field_type(ps, e->nat.type);
        if (!ok)
            return illegal_signature(ps, method ? "Method" : "Field", e->nat.name, e->nat.type);
        return check_member_name(ps, i, method);
    }
    default: return true;
    }
}

bool parse_constant_pool(Parser *ps)
{
    ClassFile *cf = ps->cf;
    cf->cp_count = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    if (cf->cp_count == 0)
        return format_error(ps, "Illegal constant pool size %u in class file %s", 0u,
                            ps->class_name);
    cf->cp = arena_alloc(&cf->arena, cf->cp_count * sizeof(CpEntry));
    if (!read_entries(ps))
        return false;
    for (uint32_t i = 1; i < cf->cp_count; i++) {
        if (!check_entry(ps, (uint16_t)i))
            return false;
    }
    if (!ps->check)
        return true;
    for (uint32_t i = 1; i < cf->cp_count; i++) {
        if (!check_format(ps, (uint16_t)i))
            return false;
    }
    return true;
}
