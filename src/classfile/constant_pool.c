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
    const char *fault =
        wants_old_names(ps) ? NULL : descriptor_fault(cf_utf8(ps->cf, descriptor));
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

static bool read_utf8(Parser *ps)
{
    uint16_t len = rd_u2(&ps->r);
    const uint8_t *p = rd_bytes(&ps->r, len);
    if (p == NULL)
        return parse_truncated(ps);
    if (ps->check && !mutf8_is_valid(p, len))
        return format_error(ps, "Illegal UTF8 string in constant pool in class file %s",
                            ps->class_name);
    return true;
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

// Reads over an entry behind its tag.
static bool read_entry(Parser *ps, uint8_t tag)
{
    Reader *r = &ps->r;
    switch (tag) {
    case CP_UTF8: return read_utf8(ps);
    case CP_INTEGER:
    case CP_FLOAT:
    case CP_FIELDREF:
    case CP_METHODREF:
    case CP_INTERFACE_METHODREF:
    case CP_NAME_AND_TYPE: rd_bytes(r, 4); return true;
    case CP_LONG:
    case CP_DOUBLE: rd_bytes(r, 8); return true;
    case CP_CLASS:
    case CP_STRING: rd_bytes(r, 2); return true;
    case CP_METHOD_TYPE:
        if (!tag_allowed(ps, tag))
            return false;
        rd_bytes(r, 2);
        return true;
    case CP_METHOD_HANDLE:
        if (!tag_allowed(ps, tag))
            return false;
        rd_bytes(r, 3);
        return true;
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC: {
        if (!tag_allowed(ps, tag))
            return false;
        int32_t bsm = rd_u2(r);
        rd_bytes(r, 2);
        ps->max_bsm = MAX_OF(ps->max_bsm, bsm);
        return true;
    }
    case CP_MODULE:
    case CP_PACKAGE:
        if (ps->cf->major >= JAVA_9) {
            ps->bad_tag = tag; // an error unless this turns out to be a module-info
            rd_bytes(r, 2);
            return true;
        }
        break;
    default: break;
    }
    return format_error(ps, "Unknown constant tag %u in class file %s", tag, ps->class_name);
}

static void set_at(ClassFile *cf, uint32_t index, size_t at)
{
    if (cf->cp_near)
        cf->cp_near[index] = (uint16_t)at;
    else
        cf->cp_far[index] = (uint32_t)at;
}

static bool read_entries(Parser *ps)
{
    ClassFile *cf = ps->cf;
    for (uint32_t i = 1; i < cf->cp_count; i++) {
        set_at(cf, i, (size_t)(ps->r.p - cf->bytes));
        uint8_t tag = rd_u1(&ps->r);
        if (ps->r.overrun)
            return parse_truncated(ps);
        if (!read_entry(ps, tag))
            return false;
        if (ps->r.overrun)
            return parse_truncated(ps);
        if (tag == CP_LONG || tag == CP_DOUBLE) {
            if (++i >= cf->cp_count)
                return format_error(ps, "Invalid constant pool entry %u in class file %s",
                                    i - 1, ps->class_name);
        }
    }
    return true;
}

CpEntry cf_entry(const ClassFile *cf, uint16_t index)
{
    VM_ASSERT(index > 0 && index < cf->cp_count);
    CpEntry e = {.tag = cf_tag(cf, index)};
    const uint8_t *p = cf->bytes + cf_at(cf, index) + 1;
    switch (e.tag) {
    case CP_UTF8:
        e.len = get_u2(p);
        e.text = p + 2;
        break;
    case CP_INTEGER:
    case CP_FLOAT: e.i = get_s4(p); break;
    case CP_LONG:
    case CP_DOUBLE: e.l = (int64_t)((uint64_t)get_u4(p) << 32 | get_u4(p + 4)); break;
    case CP_CLASS:
    case CP_STRING:
    case CP_METHOD_TYPE:
    case CP_MODULE:
    case CP_PACKAGE: e.name = get_u2(p); break;
    case CP_METHOD_HANDLE:
        e.mh.kind = p[0];
        e.mh.ref = get_u2(p + 1);
        break;
    case CP_FIELDREF:
    case CP_METHODREF:
    case CP_INTERFACE_METHODREF:
    case CP_NAME_AND_TYPE:
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC: // two indices
        e.ref.cls = get_u2(p);
        e.ref.nat = get_u2(p + 2);
        break;
    default: break;
    }
    return e;
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
    return is_method_type(ps, descriptor)
           || format_error(ps, "Method \"type\" in class %s has illegal signature \"%.*s\"",
                           ps->class_name, text_len(ps, descriptor), text_at(ps, descriptor));
}

static bool check_method_handle(Parser *ps, uint16_t index, const CpEntry *e)
{
    uint16_t kind = e->mh.kind, ref = e->mh.ref;
    if (ref == 0 || ref >= ps->cf->cp_count)
        return expect(ps, ref, CP_METHODREF);
    if (kind < REF_GET_FIELD || kind > REF_INVOKE_INTERFACE)
        return format_error(ps,
                            "Bad method handle kind at constant pool index %u in class file %s",
                            index, ps->class_name);
    uint8_t tag = cf_tag(ps->cf, ref);
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

// The name and type of an entry must both be there. Where the format is not checked, the type
// must be a field's or a method's descriptor all the same.
static bool check_nat(Parser *ps, uint16_t nat, bool method)
{
    if (!expect(ps, nat, CP_NAME_AND_TYPE))
        return false;
    CpEntry e = cf_entry(ps->cf, nat);
    if (!expect(ps, e.nat.name, CP_UTF8) || !expect(ps, e.nat.type, CP_UTF8))
        return false;
    bool ok =
        ps->check || (method ? is_method_type(ps, e.nat.type) : is_field_type(ps, e.nat.type));
    return ok || illegal_signature(ps, method ? "Method" : "Field", e.nat.name, e.nat.type);
}

static bool check_class_name(Parser *ps, const CpEntry *e)
{
    Bytes name = cf_utf8(ps->cf, e->name);
    return is_class_name(ps, name)
           || format_error(ps, "Illegal class name \"%.*s\" in class file %s", (int)name.len,
                           name.p, ps->class_name);
}

static bool check_entry(Parser *ps, uint16_t i)
{
    if (cf_tag(ps->cf, i) == CP_UTF8) // most are, and nothing is left to check
        return true;
    CpEntry entry = cf_entry(ps->cf, i), *e = &entry;
    switch (e->tag) {
    case CP_CLASS: {
        if (!expect(ps, e->name, CP_UTF8))
            return false;
        // array names are walked like descriptors, so they must be right in any case
        Bytes name = cf_utf8(ps->cf, e->name);
        bool walked = !ps->check && name.len > 0 && name.p[0] == '[';
        return !walked || check_class_name(ps, e);
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
    case CP_METHOD_TYPE:
        return expect(ps, e->name, CP_UTF8)
               && (ps->check || check_method_type_descriptor(ps, e->name));
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC: return check_nat(ps, e->dyn.nat, e->tag == CP_INVOKE_DYNAMIC);
    default: return true;
    }
}

// ---- format ----

static bool is_method_nat(const Parser *ps, const CpEntry *nat)
{
    Bytes type = cf_utf8(ps->cf, nat->nat.type);
    return type.len > 0 && type.p[0] == '(';
}

// The descriptor says whether it is a field's or a method's. <init> and <clinit> return void.
static bool check_nat_format(Parser *ps, const CpEntry *e)
{
    for (int i = 0; i < 2; i++) {
        uint16_t index = i == 0 ? e->nat.name : e->nat.type;
        if (text_len(ps, index) == 0)
            return format_error(ps, "Illegal zero length constant pool entry at %u in class %s",
                                index, ps->class_name);
    }
    bool method = is_method_nat(ps, e);
    Bytes name = cf_utf8(ps->cf, e->nat.name), type = cf_utf8(ps->cf, e->nat.type);
    if (!(method ? is_method_name(ps, name) : is_field_name(ps, name)))
        return format_error(ps, "Illegal %s name \"%.*s\" in class %s",
                            method ? "method" : "field", (int)name.len, name.p, ps->class_name);
    bool ok = method ? is_method_type(ps, e->nat.type) : is_field_type(ps, e->nat.type);
    if (ok && method && name.p[0] == '<')
        ok = type.p[type.len - 1] == 'V' && type.p[type.len - 2] == ')';
    return ok || illegal_signature(ps, method ? "Method" : "Field", e->nat.name, e->nat.type);
}

// Name and type are checked where they stand; here only that a field has a field's type, a
// method a method's.
static bool check_ref_format(Parser *ps, uint16_t nat, bool method, const char *what)
{
    CpEntry e = cf_entry(ps->cf, nat);
    if (is_method_nat(ps, &e) == method)
        return true;
    return format_error(ps, "%s \"%.*s\" in class %s has illegal signature \"%.*s\"", what,
                        text_len(ps, e.nat.name), text_at(ps, e.nat.name), ps->class_name,
                        text_len(ps, e.nat.type), text_at(ps, e.nat.type));
}

// A method reference may name <init>, but no other method with '<' (JVMS 4.4.2).
static bool check_methodref_name(Parser *ps, uint16_t nat)
{
    uint16_t index = cf_first_index(ps->cf, nat);
    Bytes name = cf_utf8(ps->cf, index);
    return name.len == 0 || name.p[0] != '<' || bytes_eq(name, "<init>")
           || format_error(ps, "Bad method name at constant pool index %u in class file %s",
                           index, ps->class_name);
}

static bool check_handle_name(Parser *ps, const CpEntry *e)
{
    if (e->mh.kind <= REF_PUT_STATIC)
        return true;
    uint16_t name_index = cf_first_index(ps->cf, cf_entry(ps->cf, e->mh.ref).ref.nat);
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
    CpEntry e = cf_entry(ps->cf, i);
    switch (e.tag) {
    case CP_CLASS: return check_class_name(ps, &e);
    case CP_NAME_AND_TYPE: return check_nat_format(ps, &e);
    case CP_FIELDREF: return check_ref_format(ps, e.ref.nat, false, "Field");
    case CP_METHODREF:
        return check_ref_format(ps, e.ref.nat, true, "Method")
               && check_methodref_name(ps, e.ref.nat);
    case CP_INTERFACE_METHODREF: return check_ref_format(ps, e.ref.nat, true, "Method");
    case CP_DYNAMIC: return check_ref_format(ps, e.dyn.nat, false, "CONSTANT_Dynamic");
    case CP_INVOKE_DYNAMIC: return check_ref_format(ps, e.dyn.nat, true, "Method");
    case CP_METHOD_HANDLE: return check_handle_name(ps, &e);
    case CP_METHOD_TYPE: return check_method_type_descriptor(ps, e.name);
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
    if (cf->len <= UINT16_MAX)
        cf->cp_near = arena_alloc(&cf->arena, cf->cp_count * sizeof *cf->cp_near);
    else
        cf->cp_far = arena_alloc(&cf->arena, cf->cp_count * sizeof *cf->cp_far);
    ps->known = vm_calloc(cf->cp_count, 1);
    if (!read_entries(ps))
        return false;
    if (ps->bad_tag != 0) // in no case a class: what is said depends on the access flags
        return true;
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
