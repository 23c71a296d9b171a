// SPDX-License-Identifier: Apache-2.0
// Attributes of classes, fields, methods and record components (JVMS 4.7), all but Code. An
// attribute that this version of the class file does not know is skipped. Bodies that only the
// class library reads stay as byte ranges; every index that is stored has been checked.
#include "base/hash.h"
#include "classfile/parser_internal.h"

bool attribute_is(const Parser *ps, uint16_t name, const char *text)
{
    return bytes_eq(cf_utf8(ps->cf, name), text);
}

bool parse_attribute_header(Parser *ps, Reader *r, const char *bad_name, uint16_t *name,
                            Reader *body)
{
    *name = rd_u2(r);
    uint32_t len = rd_u4(r);
    if (r->overrun)
        return parse_truncated(ps);
    if (!cp_is(ps, *name, CP_UTF8)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        return format_error(ps, bad_name, *name, ps->class_name);
#pragma GCC diagnostic pop
    }
    *body = (Reader){.p = r->p, .end = r->end, .len = len};
    return true;
}

bool parse_bounded(Parser *ps, Reader *body)
{
    if (rd_left(body) < body->len)
        return parse_truncated(ps);
    body->end = body->p + body->len;
    return true;
}

bool parse_attribute_end(Parser *ps, Reader *r, const Reader *body)
{
    return rd_bytes(r, body->len) != NULL || parse_truncated(ps);
}

// Takes the body as a byte range; a second attribute of the same name is an error.
static bool take_range(Parser *ps, Reader *body, Bytes *out, const char *what,
                       const char *where)
{
    if (out->p != NULL)
        return format_error(ps, "Multiple %s attributes%s in class file %s", what, where,
                            ps->class_name);
    if (!parse_bounded(ps, body))
        return false;
    *out = (Bytes){body->p, body->len};
    return true;
}

// Passes over an attribute that nobody asks for; a second one of the same name is an error.
static bool note_invisible(Parser *ps, uint8_t which, const char *what, const char *where)
{
    if (ps->seen.invisible & which)
        return format_error(ps, "Multiple %s attributes%s in class file %s", what, where,
                            ps->class_name);
    ps->seen.invisible |= which;
    return true;
}

// ---- what fields, methods and record components have in common ----

typedef struct MemberWords { // of HotSpot's messages, which differ from place to place
    const char *where;       // " for field"
    const char *kind;        // "field"
    const char *signature_length, *signature_index;
} MemberWords;
#define BAD_SIGNATURE_INDEX \
    "Invalid Signature attribute at constant pool index %u in class file %s"
static const MemberWords field_words = {
    " for field", "field", "Wrong size %u for field's Signature attribute in class file %s",
    BAD_SIGNATURE_INDEX};
static const MemberWords method_words = {
    " for method", "method", "Invalid Signature attribute length %u in class file %s",
    BAD_SIGNATURE_INDEX};
static const MemberWords component_words = {
    " for Record component", "record component",
    "Invalid Signature attribute length %u in Record component in class file %s",
    BAD_SIGNATURE_INDEX};

// Before the attributes of a class or member are read: ps stands at their count.
static void begin_attributes(Parser *ps, const Reader *r, MemberAttributes *a)
{
    ps->seen = (MemberSeen){0};
    a->at = (uint32_t)(r->p - ps->cf->bytes);
}

static bool take_annotations(Parser *ps, Reader *body, MemberAttributes *a, Bytes *seen,
                             const char *what, const char *where)
{
    a->annotated = true;
    return take_range(ps, body, seen, what, where);
}

static bool parse_signature(Parser *ps, Reader *body, uint16_t *out, const MemberWords *w)
{
    if (*out != 0)
        return format_error(ps, "Multiple Signature attributes%s in class file %s", w->where,
                            ps->class_name);
    uint32_t len = body->len;
    if (len != 2) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        return format_error(ps, w->signature_length, len, ps->class_name);
#pragma GCC diagnostic pop
    }
    *out = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    if (!cp_is(ps, *out, CP_UTF8)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        return format_error(ps, w->signature_index, *out, ps->class_name);
#pragma GCC diagnostic pop
    }
    return true;
}

static bool check_marker(Parser *ps, const Reader *body, const char *name, const char *kind)
{
    return body->len == 0
           || format_error(ps, "Invalid %s %s attribute length %u in class file %s", name, kind,
                           body->len, ps->class_name);
}

// The attribute says what the flag says (JVMS 4.7.8).
static uint16_t synthetic_access(const MemberAttributes *a)
{
    return a->synthetic ? ACC_SYNTHETIC : 0;
}

static bool parse_member_attribute(Parser *ps, uint16_t name, Reader *body, MemberAttributes *a,
                                   const MemberWords *w)
{
    uint16_t major = ps->cf->major;
    if (attribute_is(ps, name, "Synthetic")) {
        a->synthetic = true;
        return check_marker(ps, body, "Synthetic", w->kind);
    }
    if (attribute_is(ps, name, "Deprecated"))
        return check_marker(ps, body, "Deprecated", w->kind);
    if (major < JAVA_5)
        return true;
    if (attribute_is(ps, name, "Signature"))
        return parse_signature(ps, body, &a->signature, w);
    if (attribute_is(ps, name, "RuntimeVisibleAnnotations"))
        return take_annotations(ps, body, a, &ps->seen.annotations.plain,
                                "RuntimeVisibleAnnotations", w->where);
    if (attribute_is(ps, name, "RuntimeVisibleTypeAnnotations"))
        return take_annotations(ps, body, a, &ps->seen.annotations.types,
                                "RuntimeVisibleTypeAnnotations", w->where);
    if (attribute_is(ps, name, "RuntimeInvisibleAnnotations"))
        return note_invisible(ps, INVISIBLE_PLAIN, "RuntimeInvisibleAnnotations", w->where);
    if (attribute_is(ps, name, "RuntimeInvisibleTypeAnnotations"))
        return note_invisible(ps, INVISIBLE_TYPES, "RuntimeInvisibleTypeAnnotations", w->where);
    return true;
}

// ---- fields ----

static bool constant_fits(Parser *ps, const FieldInfo *f, uint16_t index)
{
    Bytes type = cf_utf8(ps->cf, f->descriptor);
    switch (type.p[0]) {
    case 'J': return cp_is(ps, index, CP_LONG);
    case 'F': return cp_is(ps, index, CP_FLOAT);
    case 'D': return cp_is(ps, index, CP_DOUBLE);
    case 'I':
    case 'C':
    case 'S':
    case 'B':
    case 'Z': return cp_is(ps, index, CP_INTEGER);
    default: return bytes_eq(type, "Ljava/lang/String;") && cp_is(ps, index, CP_STRING);
    }
}

static bool parse_constant_value(Parser *ps, Reader *body, FieldInfo *f)
{
    if (f->constant_value != 0)
        return format_error(ps, "Duplicate ConstantValue attribute in class file %s",
                            ps->class_name);
    if (body->len != 2)
        return format_error(ps,
                            "Invalid ConstantValue field attribute length %u in class file %s",
                            body->len, ps->class_name);
    uint16_t index = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    if (index == 0 || index >= ps->cf->cp_count)
        return format_error(
            ps, "Bad initial value index %u in ConstantValue attribute in class file %s", index,
            ps->class_name);
    if (!constant_fits(ps, f, index)) {
        Bytes type = cf_utf8(ps->cf, f->descriptor);
        bool string = kind_is_reference((char)type.p[0]);
        return format_error(ps,
                            string ? "Bad string initial value in class file %s"
                                   : "Inconsistent constant value type in class file %s",
                            ps->class_name);
    }
    f->constant_value = index;
    return true;
}

bool parse_field_attributes(Parser *ps, FieldInfo *f)
{
    begin_attributes(ps, &ps->r, &f->attrs);
    uint16_t count = rd_u2(&ps->r);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t name;
        Reader body;
        if (!parse_attribute_header(
                ps, &ps->r, "Invalid field attribute index %u in class file %s", &name, &body))
            return false;
        bool ok = (f->access & ACC_STATIC) && attribute_is(ps, name, "ConstantValue")
                      ? parse_constant_value(ps, &body, f)
                      : parse_member_attribute(ps, name, &body, &f->attrs, &field_words);
        if (!ok || !parse_attribute_end(ps, &ps->r, &body))
            return false;
    }
    f->access |= synthetic_access(&f->attrs);
    return !ps->r.overrun || parse_truncated(ps);
}

// ---- methods ----

// A u2 count and as many CLASS indices, which must fill the body. Body stays where it is.
static bool check_class_list(Parser *ps, const Reader *body, const char *bad_index,
                             const char *bad_length)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    Reader r = *body;
    uint16_t n = rd_u2(&r);
    if (r.overrun || rd_left(&r) < (size_t)n * 2)
        return parse_truncated(ps);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t index = rd_u2(&r);
        if (!cp_is(ps, index, CP_CLASS))
            return format_error(ps, bad_index, index, ps->class_name);
    }
    if (body->len != 2 + 2u * n)
        return format_error(ps, bad_length, ps->class_name);
#pragma GCC diagnostic pop
    return true;
}

static bool parse_class_list(Parser *ps, Reader *body, uint16_t *count, uint16_t **out,
                             const char *bad_index, const char *bad_length)
{
    if (!check_class_list(ps, body, bad_index, bad_length))
        return false;
    *count = rd_u2(body);
    *out = arena_alloc(&ps->cf->arena, *count * sizeof **out);
    for (uint32_t i = 0; i < *count; i++)
        (*out)[i] = rd_u2(body);
    return true;
}

static bool check_exceptions(Parser *ps, Reader *body)
{
    if (ps->seen.exceptions)
        return format_error(ps, "Multiple Exceptions attributes in class file %s",
                            ps->class_name);
    ps->seen.exceptions = true;
    return check_class_list(ps, body,
                            "Exception name has bad type at constant pool %u in class file %s",
                            "Exceptions attribute has wrong length in class file %s");
}

static bool check_parameters(Parser *ps, const Reader *attribute)
{
    Reader r = *attribute, *body = &r;
    if (ps->seen.parameters)
        return format_error(ps, "Multiple MethodParameters attributes in class file %s",
                            ps->class_name);
    uint8_t n = rd_u1(body);
    if (body->overrun)
        return parse_truncated(ps);
    if (body->len != 1 + 4u * n)
        return format_error(
            ps, "Invalid MethodParameters method attribute length %u in class file", body->len);
    ps->seen.parameters = true;
    return rd_left(body) >= 4u * n || parse_truncated(ps);
}

static bool parse_code_attribute(Parser *ps, Reader *body, MethodInfo *m)
{
    if (m->access & (ACC_NATIVE | ACC_ABSTRACT))
        return format_error(ps, "Code attribute in native or abstract methods in class file %s",
                            ps->class_name);
    if (m->code != NULL)
        return format_error(ps, "Multiple Code attributes in class file %s", ps->class_name);
    return parse_code(ps, *body, m);
}

static bool parse_method_attribute(Parser *ps, uint16_t name, Reader *body, MethodInfo *m)
{
    if (attribute_is(ps, name, "Code"))
        return parse_code_attribute(ps, body, m);
    if (attribute_is(ps, name, "Exceptions"))
        return check_exceptions(ps, body);
    if (attribute_is(ps, name, "MethodParameters"))
        return check_parameters(ps, body);
    if (ps->cf->major >= JAVA_5 && attribute_is(ps, name, "RuntimeVisibleParameterAnnotations"))
        return take_annotations(ps, body, &m->attrs, &ps->seen.annotations.parameters,
                                "RuntimeVisibleParameterAnnotations", " for method");
    if (ps->cf->major >= JAVA_5
        && attribute_is(ps, name, "RuntimeInvisibleParameterAnnotations"))
        return note_invisible(ps, INVISIBLE_PARAMETERS, "RuntimeInvisibleParameterAnnotations",
                              " for method");
    if (ps->cf->major >= JAVA_5 && attribute_is(ps, name, "AnnotationDefault"))
        return take_annotations(ps, body, &m->attrs, &ps->seen.annotations.defaults,
                                "AnnotationDefault", " for method");
    return parse_member_attribute(ps, name, body, &m->attrs, &method_words);
}

bool parse_method_attributes(Parser *ps, MethodInfo *m)
{
    begin_attributes(ps, &ps->r, &m->attrs);
    uint16_t count = rd_u2(&ps->r);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t name;
        Reader body;
        if (!parse_attribute_header(ps, &ps->r,
                                    "Invalid method attribute name index %u in class file %s",
                                    &name, &body)
            || !parse_method_attribute(ps, name, &body, m)
            || !parse_attribute_end(ps, &ps->r, &body))
            return false;
    }
    m->access |= synthetic_access(&m->attrs);
    if (ps->r.overrun)
        return parse_truncated(ps);
    if (m->code == NULL && !(m->access & (ACC_NATIVE | ACC_ABSTRACT)))
        return format_error(
            ps,
            "Absent Code attribute in method that is not native or abstract in class file %s",
            ps->class_name);
    return true;
}

// ---- class attributes ----

static bool parse_source_file(Parser *ps, Reader *body)
{
    ClassFile *cf = ps->cf;
    if (body->len != 2)
        return format_error(ps, "Wrong SourceFile attribute length in class file %s",
                            ps->class_name);
    if (cf->source_file != 0)
        return format_error(ps, "Multiple SourceFile attributes in class file %s",
                            ps->class_name);
    cf->source_file = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    return cp_is(ps, cf->source_file, CP_UTF8)
           || format_error(
               ps, "Invalid SourceFile attribute at constant pool index %u in class file %s",
               cf->source_file, ps->class_name);
}

static bool check_inner_class(Parser *ps, const InnerClassEntry *e, uint16_t flags)
{
    if (!cp_is(ps, e->inner, CP_CLASS))
        return format_error(ps,
                            "inner_class_info_index %u has bad constant type in class file %s",
                            e->inner, ps->class_name);
    if (e->outer != 0 && !cp_is(ps, e->outer, CP_CLASS))
        return format_error(ps,
                            "outer_class_info_index %u has bad constant type in class file %s",
                            e->outer, ps->class_name);
    if (e->name != 0 && !cp_is(ps, e->name, CP_UTF8))
        return format_error(ps, "inner_name_index %u has bad constant type in class file %s",
                            e->name, ps->class_name);
    if (ps->cf->major >= JAVA_9 && (flags & ACC_MODULE))
        return parse_fail(ps, CLASSFILE_NO_CLASS_DEF,
                          "%s is not a class because access_flag ACC_MODULE is set",
                          ps->class_name);
    if (!ps->check)
        return true;
    if (e->outer != 0 && cf_class_name(ps->cf, e->outer).len > 0
        && cf_class_name(ps->cf, e->outer).p[0] == '[')
        return format_error(ps, "Outer class is an array class in class file %s",
                            ps->class_name);
    if (e->inner == e->outer)
        return format_error(ps, "Class is both outer and inner class in class file %s",
                            ps->class_name);
    return class_flags_legal(ps->cf->major, e->access)
           || format_error(ps, "Illegal class modifiers in class %s: 0x%X", ps->class_name,
                           e->access);
}

static bool inner_classes_distinct(const ClassFile *cf)
{
    PtrMap seen = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < cf->inner_class_count; i++) {
        const InnerClassEntry *e = &cf->inner_classes[i];
        uintptr_t key = (uintptr_t)e->inner << 48 | (uintptr_t)e->outer << 32
                        | (uintptr_t)e->name << 16 | e->access;
        if (key == 0)
            continue;
        ok = ptrmap_get(&seen, key) == NULL;
        ptrmap_put(&seen, key, (void *)e);
    }
    ptrmap_free(&seen);
    return ok;
}

// Whether two entries are of the same class.
static bool inner_classes_repeat(const ClassFile *cf)
{
    PtrMap seen = {0};
    bool repeat = false;
    for (uint32_t i = 0; !repeat && i < cf->inner_class_count; i++) {
        const InnerClassEntry *e = &cf->inner_classes[i];
        repeat = e->inner && ptrmap_get(&seen, e->inner) != NULL;
        if (e->inner)
            ptrmap_put(&seen, e->inner, (void *)e);
    }
    ptrmap_free(&seen);
    return repeat;
}

static bool same_name(Bytes a, Bytes b)
{
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

// The entry that says of which class `name` is a member, NULL when there is none.
static const InnerClassEntry *member_entry(const ClassFile *cf, Bytes name)
{
    for (uint32_t i = 0; i < cf->inner_class_count; i++) {
        const InnerClassEntry *e = &cf->inner_classes[i];
        if (e->outer != 0 && same_name(cf_class_name(cf, e->inner), name))
            return e;
    }
    return NULL;
}

// Whether a class would be a member of itself, over others or at once.
static bool inner_classes_circular(const ClassFile *cf)
{
    for (uint32_t i = 0; i < cf->inner_class_count; i++) {
        const InnerClassEntry *e = &cf->inner_classes[i];
        for (uint32_t steps = 0; e != NULL && e->outer != 0; steps++) {
            Bytes outer = cf_class_name(cf, e->outer);
            if (steps > cf->inner_class_count || same_name(cf_class_name(cf, e->inner), outer))
                return true;
            e = member_entry(cf, outer);
        }
    }
    return false;
}

static bool parse_inner_classes(Parser *ps, Reader *body)
{
    enum {
        KNOWN = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL
                | ACC_INTERFACE | ACC_ABSTRACT | ACC_SYNTHETIC | ACC_ANNOTATION | ACC_ENUM
                | ACC_SUPER
    };
    ClassFile *cf = ps->cf;
    cf->has_inner_classes = true;
    uint16_t n = rd_u2(body);
    if (body->overrun || rd_left(body) < (size_t)n * 8)
        return parse_truncated(ps);
    cf->inner_classes = arena_alloc(&cf->arena, n * sizeof(InnerClassEntry));
    for (uint32_t i = 0; i < n; i++) {
        InnerClassEntry *e = &cf->inner_classes[i];
        e->inner = rd_u2(body);
        e->outer = rd_u2(body);
        e->name = rd_u2(body);
        uint16_t flags = rd_u2(body);
        e->access = flags & KNOWN;
        if ((e->access & ACC_INTERFACE) && cf->major < 50)
            e->access |= ACC_ABSTRACT;
        if (!check_inner_class(ps, e, flags))
            return false;
    }
    cf->inner_class_count = n;
    if (ps->check && cf->major >= JAVA_5 && body->len != 2 + 8u * n)
        return format_error(ps, "Wrong InnerClasses attribute length in class file %s",
                            ps->class_name);
    if (ps->check && cf->major >= JAVA_5 && !inner_classes_distinct(cf))
        return format_error(ps, "Duplicate entry in InnerClasses attribute in class file %s",
                            ps->class_name);
    if (inner_classes_circular(cf) || (ps->check && inner_classes_repeat(cf)))
        cf->inner_class_count = 0; // as if there was no attribute
    return true;
}

static bool parse_enclosing_method(Parser *ps, Reader *body)
{
    ClassFile *cf = ps->cf;
    if (cf->enclosing_class != 0)
        return format_error(ps, "Multiple EnclosingMethod attributes in class file %s",
                            ps->class_name);
    if (body->len != 4)
        return format_error(ps, "Wrong EnclosingMethod attribute length %u in class file %s",
                            body->len, ps->class_name);
    cf->enclosing_class = rd_u2(body);
    cf->enclosing_method = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    if (cf->enclosing_class == 0)
        return format_error(ps,
                            "Invalid class index in EnclosingMethod attribute in class file %s",
                            ps->class_name);
    if (!cp_is(ps, cf->enclosing_class, CP_CLASS))
        return format_error(ps,
                            "Invalid or out-of-bounds class index in EnclosingMethod attribute "
                            "in class file %s",
                            ps->class_name);
    if (cf->enclosing_method != 0 && !cp_is(ps, cf->enclosing_method, CP_NAME_AND_TYPE))
        return format_error(ps,
                            "Invalid or out-of-bounds method index in EnclosingMethod "
                            "attribute in class file %s",
                            ps->class_name);
    return true;
}

static bool is_loadable(const Parser *ps, uint16_t index)
{
    uint32_t loadable = 1u << CP_INTEGER | 1u << CP_FLOAT | 1u << CP_LONG | 1u << CP_DOUBLE
                        | 1u << CP_CLASS | 1u << CP_STRING | 1u << CP_METHOD_HANDLE
                        | 1u << CP_METHOD_TYPE | 1u << CP_DYNAMIC;
    return index < ps->cf->cp_count && (loadable >> cf_tag(ps->cf, index) & 1u) != 0;
}

static bool parse_bootstrap_method(Parser *ps, Reader *body, const uint8_t *end,
                                   BootstrapMethod *b)
{
    b->method_handle = rd_u2(body);
    uint16_t n = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    if (!cp_is(ps, b->method_handle, CP_METHOD_HANDLE))
        return format_error(ps,
                            "bootstrap_method_index %u has bad constant type in class file %s",
                            b->method_handle, ps->class_name);
    if (end - body->p < 2 * (ptrdiff_t)n)
        return format_error(ps,
                            "Invalid BootstrapMethods num_bootstrap_methods or "
                            "num_bootstrap_arguments value in class file %s",
                            ps->class_name);
    b->args = arena_alloc(&ps->cf->arena, n * sizeof(uint16_t));
    b->arg_count = n;
    for (uint32_t i = 0; i < n; i++) {
        b->args[i] = rd_u2(body);
        if (!is_loadable(ps, b->args[i]))
            return format_error(ps, "argument_index %u has bad constant type in class file %s",
                                b->args[i], ps->class_name);
    }
    return true;
}

static bool parse_bootstrap_methods(Parser *ps, Reader *body)
{
    ClassFile *cf = ps->cf;
    if (cf->bootstrap_methods != NULL)
        return format_error(ps, "Multiple BootstrapMethods attributes in class file %s",
                            ps->class_name);
    if (rd_left(body) < body->len)
        return parse_truncated(ps);
    if (body->len < 2)
        return format_error(ps, "Invalid BootstrapMethods attribute length %u in class file %s",
                            body->len, ps->class_name);
    const uint8_t *end = body->p + body->len;
    uint16_t n = rd_u2(body);
    cf->bootstrap_methods = arena_alloc(&cf->arena, n * sizeof(BootstrapMethod));
    for (uint32_t i = 0; i < n; i++) {
        if (!parse_bootstrap_method(ps, body, end, &cf->bootstrap_methods[i]))
            return false;
    }
    cf->bootstrap_count = n;
    return body->p == end
           || format_error(ps, "Bad length on BootstrapMethods in class file %s",
                           ps->class_name);
}

static bool parse_nest_host(Parser *ps, Reader *body)
{
    ClassFile *cf = ps->cf;
    if (ps->late[LATE_NEST_MEMBERS].p != NULL)
        return format_error(ps,
                            "Conflicting NestMembers and NestHost attributes in class file %s",
                            ps->class_name);
    if (cf->nest_host != 0)
        return format_error(ps, "Multiple NestHost attributes in class file %s",
                            ps->class_name);
    if (body->len != 2)
        return format_error(ps, "Wrong NestHost attribute length in class file %s",
                            ps->class_name);
    cf->nest_host = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    return cp_is(ps, cf->nest_host, CP_CLASS)
           || format_error(
               ps, "Nest-host class_info_index %u has bad constant type in class file %s",
               cf->nest_host, ps->class_name);
}

static bool parse_nest_members(Parser *ps, Reader *body)
{
    ClassFile *cf = ps->cf;
    return parse_class_list(
        ps, body, &cf->nest_member_count, &cf->nest_members,
        "Nest member class_info_index %u has bad constant type in class file %s",
        "Wrong NestMembers attribute length in class file %s");
}

static bool parse_permitted(Parser *ps, Reader *body)
{
    ClassFile *cf = ps->cf;
    cf->is_sealed = true;
    return parse_class_list(
        ps, body, &cf->permitted_count, &cf->permitted,
        "Permitted subclass class_info_index %u has bad constant type in class file %s",
        "Wrong PermittedSubclasses attribute length in class file %s");
}

static bool parse_component(Parser *ps, Reader *body, RecordComponentInfo *c)
{
    c->name = rd_u2(body);
    c->descriptor = rd_u2(body);
    begin_attributes(ps, body, &c->attrs);
    uint16_t count = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    if (!cp_is(ps, c->name, CP_UTF8))
        return format_error(
            ps, "Invalid constant pool index %u for name in Record attribute in class file %s",
            c->name, ps->class_name);
    if (!cp_is(ps, c->descriptor, CP_UTF8))
        return format_error(ps,
                            "Invalid constant pool index %u for descriptor in Record attribute "
                            "in class file %s",
                            c->descriptor, ps->class_name);
    Bytes name = cf_utf8(ps->cf, c->name);
    if (ps->check && !is_field_name(ps, name))
        return format_error(ps, "Illegal field name \"%.*s\" in class %s", (int)name.len,
                            name.p, ps->class_name);
    if (!is_field_type(ps, c->descriptor))
        return illegal_signature(ps, "Field", c->name, c->descriptor);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t attribute;
        Reader inner;
        if (!parse_attribute_header(ps, body,
                                    "Invalid Record attribute name index %u in class file %s",
                                    &attribute, &inner)
            || !parse_member_attribute(ps, attribute, &inner, &c->attrs, &component_words)
            || !parse_attribute_end(ps, body, &inner))
            return false;
    }
    return true;
}

static bool parse_record(Parser *ps, Reader *body)
{
    ClassFile *cf = ps->cf;
    cf->is_record = true;
    const uint8_t *start = body->p;
    uint16_t n = rd_u2(body);
    if (body->overrun)
        return parse_truncated(ps);
    cf->components = arena_alloc(&cf->arena, n * sizeof(RecordComponentInfo));
    for (uint32_t i = 0; i < n; i++) {
        if (!parse_component(ps, body, &cf->components[i]))
            return false;
    }
    cf->component_count = n;
    return (size_t)(body->p - start) == body->len
           || format_error(ps, "Record attribute has wrong length in class file %s",
                           ps->class_name);
}

static bool note_late(Parser *ps, Reader *body, LateAttribute which, const char *name)
{
    if (ps->late[which].p != NULL)
        return format_error(ps, "Multiple %s attributes in class file %s", name,
                            ps->class_name);
    ps->late[which] = *body;
    return true;
}

static bool note_inner_classes(Parser *ps, Reader *body)
{
    return note_late(ps, body, LATE_INNER_CLASSES, "InnerClasses");
}

static bool note_nest_members(Parser *ps, Reader *body)
{
    if (!note_late(ps, body, LATE_NEST_MEMBERS, "NestMembers"))
        return false;
    return ps->cf->nest_host == 0
           || format_error(ps,
                           "Conflicting NestHost and NestMembers attributes in class file %s",
                           ps->class_name);
}

static bool note_record(Parser *ps, Reader *body)
{
    return note_late(ps, body, LATE_RECORD, "Record");
}

static bool note_permitted(Parser *ps, Reader *body)
{
    if (!note_late(ps, body, LATE_PERMITTED, "PermittedSubclasses"))
        return false;
    return !(ps->cf->access & ACC_FINAL)
           || format_error(ps, "PermittedSubclasses attribute in final class file %s",
                           ps->class_name);
}

typedef bool (*ParseAttribute)(Parser *ps, Reader *body);
typedef struct ClassAttribute {
    const char *name;
    uint16_t since; // major version
    ParseAttribute parse;
} ClassAttribute;
static const ClassAttribute class_attributes[] = {
    {"SourceFile", 0, parse_source_file},
    {"InnerClasses", 0, note_inner_classes},
    {"EnclosingMethod", JAVA_5, parse_enclosing_method},
    {"BootstrapMethods", JAVA_7, parse_bootstrap_methods},
    {"NestHost", JAVA_11, parse_nest_host},
    {"NestMembers", JAVA_11, note_nest_members},
    {"Record", JAVA_16, note_record},
    {"PermittedSubclasses", JAVA_17, note_permitted},
};
static const ParseAttribute late_attributes[LATE_COUNT] = {
    [LATE_INNER_CLASSES] = parse_inner_classes,
    [LATE_NEST_MEMBERS] = parse_nest_members,
    [LATE_RECORD] = parse_record,
    [LATE_PERMITTED] = parse_permitted,
};
static const MemberWords class_words = {"", "classfile",
                                        "Wrong Signature attribute length %u in class file %s",
                                        "Invalid constant pool index %u in Signature attribute "
                                        "in class file %s"};

static bool parse_class_attribute(Parser *ps, uint16_t name, Reader *body)
{
    ClassFile *cf = ps->cf;
    for (size_t i = 0; i < ARRAY_LEN(class_attributes); i++) {
        const ClassAttribute *a = &class_attributes[i];
        if (cf->major >= a->since && attribute_is(ps, name, a->name))
            return a->parse(ps, body);
    }
    if (attribute_is(ps, name, "SourceDebugExtension"))
        return take_range(ps, body, &cf->source_debug_extension, "SourceDebugExtension", "");
    return parse_member_attribute(ps, name, body, &cf->attrs, &class_words);
}

bool parse_class_attributes(Parser *ps)
{
    begin_attributes(ps, &ps->r, &ps->cf->attrs);
    uint16_t count = rd_u2(&ps->r);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t name;
        Reader body;
        if (!parse_attribute_header(
                ps, &ps->r, "Attribute name has bad constant pool index %u in class file %s",
                &name, &body)
            || !parse_class_attribute(ps, name, &body)
            || !parse_attribute_end(ps, &ps->r, &body))
            return false;
    }
    ps->cf->access |= synthetic_access(&ps->cf->attrs);
    if (ps->r.overrun)
        return parse_truncated(ps);
    for (int i = 0; i < LATE_COUNT; i++) {
        if (ps->late[i].p != NULL && !late_attributes[i](ps, &ps->late[i]))
            return false;
    }
    if (ps->max_bsm >= 0 && ps->cf->bootstrap_methods == NULL)
        return format_error(ps, "Missing BootstrapMethods attribute in class file %s",
                            ps->class_name);
    if (ps->max_bsm >= (int32_t)ps->cf->bootstrap_count)
        return format_error(ps, "Short length on BootstrapMethods in class file %s",
                            ps->class_name);
    return true;
}

// ---- reading what is not stored ----

// The body of an attribute of a class or member by its name; p NULL: it has none. The parser has
// walked the attributes: their names and lengths are right.
static Bytes find_attribute(const ClassFile *cf, const MemberAttributes *a, const char *name)
{
    const uint8_t *p = cf->bytes + a->at;
    uint32_t count = get_u2(p);
    p += 2;
    for (; count > 0; count--) {
        uint32_t len = get_u4(p + 2);
        if (bytes_eq(cf_utf8(cf, get_u2(p)), name))
            return (Bytes){p + 6, len};
        p += 6 + len;
    }
    return (Bytes){0};
}

MemberAnnotations member_annotations(const ClassFile *cf, const MemberAttributes *a)
{
    if (!a->annotated)
        return (MemberAnnotations){0};
    return (MemberAnnotations){
        .plain = find_attribute(cf, a, "RuntimeVisibleAnnotations"),
        .types = find_attribute(cf, a, "RuntimeVisibleTypeAnnotations"),
        .parameters = find_attribute(cf, a, "RuntimeVisibleParameterAnnotations"),
        .defaults = find_attribute(cf, a, "AnnotationDefault"),
    };
}

const uint8_t *method_exceptions(const ClassFile *cf, const MethodInfo *m, uint16_t *count)
{
    Bytes body = find_attribute(cf, &m->attrs, "Exceptions");
    *count = body.p ? get_u2(body.p) : 0;
    return body.p ? body.p + 2 : NULL;
}

bool method_parameters(const ClassFile *cf, const MethodInfo *m, uint8_t *count)
{
    Bytes body = find_attribute(cf, &m->attrs, "MethodParameters");
    *count = body.p ? body.p[0] : 0;
    return body.p != NULL;
}

MethodParameter method_parameter(const ClassFile *cf, const MethodInfo *m, uint8_t i)
{
    const uint8_t *p = find_attribute(cf, &m->attrs, "MethodParameters").p + 1 + (size_t)i * 4;
    return (MethodParameter){get_u2(p), get_u2(p + 2)};
}
