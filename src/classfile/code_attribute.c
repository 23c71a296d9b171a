// SPDX-License-Identifier: Apache-2.0
// The Code attribute (JVMS 4.7.3) with its line and variable tables: checked when the class file is
// parsed, the tables only where the format is checked; read whenever somebody asks. The
// instructions themselves are the verifier's business; here only what does not depend on them is
// checked: lengths, ranges within the code, constant pool indices.
#include "base/hash.h"
#include "base/vec.h"
#include "classfile/parser_internal.h"

enum { MAX_CODE = 65535 };

typedef struct CodeTables { // what is compared when the attribute is complete
    VEC(LocalVarEntry) locals;
    VEC(LocalVarEntry) types; // of LocalVariableTypeTable; descriptor holds the signature
    bool has_stack_map;
} CodeTables;

static bool parse_exception_table(Parser *ps, Reader *r, CodeInfo *c)
{
    uint16_t n = rd_u2(r);
    if (r->overrun || rd_left(r) < (size_t)n * 8)
        return parse_truncated(ps);
    c->exception_count = n;
    c->exceptions = rd_bytes(r, n * 8u);
    for (uint32_t i = 0; i < n; i++) {
        ExceptionEntry e = code_exception(c, i);
        if (e.start_pc >= e.end_pc || e.end_pc > c->code_len)
            return format_error(ps, "Illegal exception table range in class file %s",
                                ps->class_name);
        if (e.handler_pc >= c->code_len)
            return format_error(ps, "Illegal exception table handler in class file %s",
                                ps->class_name);
        if (e.catch_type != 0 && !cp_is(ps, e.catch_type, CP_CLASS))
            return format_error(
                ps, "Catch type in exception table has bad constant type in class file %s",
                ps->class_name);
    }
    return true;
}

static bool parse_lines(Parser *ps, Reader *body, const CodeInfo *c)
{
    uint16_t n = rd_u2(body);
    if (!body->overrun && body->len != 2 + 4u * n)
        return format_error(ps, "LineNumberTable attribute has wrong length in class file %s",
                            ps->class_name);
    if (rd_left(body) < 4u * n)
        return parse_truncated(ps);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t start_pc = rd_u2(body);
        (void)rd_u2(body);
        if (start_pc >= c->code_len)
            return format_error(ps, "Invalid pc in LineNumberTable in class file %s",
                                ps->class_name);
    }
    return true;
}

static LocalVarEntry read_local(Reader *r)
{
    LocalVarEntry e = {.start_pc = rd_u2(r)};
    e.length = rd_u2(r);
    e.name = rd_u2(r);
    e.descriptor = rd_u2(r);
    e.slot = rd_u2(r);
    return e;
}

static bool check_local(Parser *ps, const LocalVarEntry *e, const CodeInfo *c,
                        const char *table)
{
    if (e->start_pc >= c->code_len)
        return format_error(ps, "Invalid start_pc %u in %s in class file %s", e->start_pc,
                            table, ps->class_name);
    if ((uint32_t)e->start_pc + e->length > c->code_len)
        return format_error(ps, "Invalid length %u in %s in class file %s", e->length, table,
                            ps->class_name);
    if (!cp_is(ps, e->name, CP_UTF8))
        return format_error(ps, "Name index %u in %s has bad constant type in class file %s",
                            e->name, table, ps->class_name);
    if (!cp_is(ps, e->descriptor, CP_UTF8))
        return format_error(ps,
                            "Signature index %u in %s has bad constant type in class file %s",
                            e->descriptor, table, ps->class_name);
    return true;
}

// Names and descriptors of a LocalVariableTable; the slots too.
static bool check_local_format(Parser *ps, const LocalVarEntry *e, const CodeInfo *c,
                               bool types)
{
    Bytes name = cf_utf8(ps->cf, e->name), type = cf_utf8(ps->cf, e->descriptor);
    if (ps->check && !is_field_name(ps, name))
        return format_error(ps, "Illegal field name \"%.*s\" in class %s", (int)name.len,
                            name.p, ps->class_name);
    uint32_t last = e->slot;
    if (!types) {
        if (!is_field_type(ps, e->descriptor))
            return illegal_signature(ps, "Field", e->name, e->descriptor);
        last += kind_is_wide((char)type.p[0]);
    }
    return last < c->max_locals
           || format_error(ps, "Invalid index %u in %s in class file %s", e->slot,
                           types ? "LocalVariableTypeTable" : "LocalVariableTable",
                           ps->class_name);
}

static bool parse_locals(Parser *ps, Reader *body, const CodeInfo *c, CodeTables *t, bool types)
{
    const char *table = types ? "LocalVariableTypeTable" : "LocalVariableTable";
    uint16_t n = rd_u2(body);
    if (!body->overrun && body->len != 2 + 10u * n)
        return format_error(ps, "%s has wrong length in class file %s", table, ps->class_name);
    if (rd_left(body) < 10u * n)
        return parse_truncated(ps);
    for (uint32_t i = 0; i < n; i++) {
        LocalVarEntry e = read_local(body);
        if (!check_local(ps, &e, c, table) || !check_local_format(ps, &e, c, types))
            return false;
        if (types)
            vec_push(&t->types, e);
        else
            vec_push(&t->locals, e);
    }
    return true;
}

static uintptr_t local_key(const LocalVarEntry *e) // never 0: the name index is not
{
    return (uintptr_t)e->start_pc << 48 | (uintptr_t)e->length << 32 | (uintptr_t)e->name << 16
           | e->slot;
}

static bool local_error(Parser *ps, const LocalVarEntry *e, bool duplicate, const char *table)
{
    if (duplicate)
        return format_error(ps, "Duplicated %s attribute entry for '%.*s' in class file %s",
                            table, text_len(ps, e->name), text_at(ps, e->name), ps->class_name);
    return format_error(ps,
                        "LVTT entry for '%.*s' in class file %s does not match any LVT entry",
                        text_len(ps, e->name), text_at(ps, e->name), ps->class_name);
}

// Entries that are duplicated or match none are errors from Java 5 on.
static bool check_types(Parser *ps, CodeTables *t)
{
    PtrMap by_key = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < t->locals.len; i++) {
        LocalVarEntry *e = &t->locals.at[i];
        if (ptrmap_get(&by_key, local_key(e)) != NULL)
            ok = local_error(ps, e, true, "LocalVariableTable");
        ptrmap_put(&by_key, local_key(e), e);
    }
    for (size_t i = 0; ok && t->locals.len > 0 && i < t->types.len; i++) {
        LocalVarEntry *type = &t->types.at[i];
        LocalVarEntry *e = ptrmap_get(&by_key, local_key(type));
        if (e != NULL && e->signature == 0)
            e->signature = type->descriptor;
        else
            ok = local_error(ps, type, e != NULL, "LocalVariableTypeTable");
    }
    ptrmap_free(&by_key);
    return ok;
}

static bool parse_stack_map(Parser *ps, Reader *body, CodeTables *t)
{
    if (!parse_bounded(ps, body))
        return false;
    if (t->has_stack_map)
        return format_error(ps, "Multiple StackMapTable attributes in class file %s",
                            ps->class_name);
    t->has_stack_map = true;
    return true;
}

static bool parse_code_attributes(Parser *ps, Reader *r, const CodeInfo *c, CodeTables *t)
{
    uint16_t major = ps->cf->major, count = rd_u2(r);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t name;
        Reader body;
        if (!parse_attribute_header(
                ps, r, "Invalid code attribute name index %u in class file %s", &name, &body))
            return false;
        bool ok = true;
        if (attribute_is(ps, name, "LineNumberTable")) {
            ok = parse_lines(ps, &body, c);
        } else if (attribute_is(ps, name, "LocalVariableTable")) {
            ok = parse_locals(ps, &body, c, t, false);
        } else if (major >= JAVA_5 && attribute_is(ps, name, "LocalVariableTypeTable")) {
            ok = parse_locals(ps, &body, c, t, true);
        } else if (major >= JAVA_6 && attribute_is(ps, name, "StackMapTable")) {
            ok = parse_stack_map(ps, &body, t);
        }
        if (!ok || !parse_attribute_end(ps, r, &body))
            return false;
    }
    return !r->overrun || parse_truncated(ps);
}

static bool parse_code_head(Parser *ps, Reader *r, MethodInfo *m, CodeInfo *c)
{
    c->max_stack = rd_u2(r);
    c->max_locals = rd_u2(r);
    c->code_len = rd_u4(r);
    if (r->overrun)
        return parse_truncated(ps);
    Bytes type = cf_utf8(ps->cf, m->descriptor);
    uint32_t words = descriptor_method_shape((const char *)type.p, type.len).arg_words
                     + !(m->access & ACC_STATIC);
    if (words > c->max_locals)
        return format_error(ps, "Arguments can't fit into locals in class file %s",
                            ps->class_name);
    if (c->code_len == 0 || c->code_len > MAX_CODE)
        return format_error(ps, "Invalid method Code length %u in class file %s", c->code_len,
                            ps->class_name);
    c->code = rd_bytes(r, c->code_len);
    return c->code != NULL || parse_truncated(ps);
}

static bool wrong_length(Parser *ps)
{
    return format_error(ps, "Code segment has wrong length in class file %s", ps->class_name);
}

static bool check_tables(Parser *ps, Reader *r, const CodeInfo *c, const uint8_t *start)
{
    CodeTables t = {0};
    bool ok = parse_code_attributes(ps, r, c, &t);
    if (ok && (size_t)(r->p - start) != r->len)
        ok = wrong_length(ps);
    if (ok && ps->cf->major >= JAVA_5)
        ok = check_types(ps, &t);
    vec_free(&t.locals);
    vec_free(&t.types);
    return ok;
}

bool parse_code(Parser *ps, Reader r, MethodInfo *m)
{
    CodeInfo c = {0};
    const uint8_t *start = r.p;
    if (!parse_code_head(ps, &r, m, &c) || !parse_exception_table(ps, &r, &c)
        || (ps->check && !check_tables(ps, &r, &c, start)))
        return false;
    if ((size_t)(r.p - start) > r.len)
        return wrong_length(ps);
    m->code = start;
    return true;
}

// ---- reading ----

typedef struct Attributes { // of a Code attribute, one by one
    const ClassFile *cf;
    Reader r;
    uint32_t left;
} Attributes;

static Attributes attributes_of(const ClassFile *cf, const CodeInfo *c)
{
    Attributes a = {.cf = cf,
                    .r = {.p = c->attributes.p, .end = c->attributes.p + c->attributes.len}};
    a.left = rd_u2(&a.r);
    return a;
}

// The body of the next one of a name; false: there is none.
static bool next_named(Attributes *a, const char *name, Reader *body)
{
    while (a->left > 0) {
        a->left--;
        uint16_t index = rd_u2(&a->r);
        uint32_t len = rd_u4(&a->r);
        const uint8_t *p = rd_bytes(&a->r, len);
        if (a->r.overrun)
            break;
        if (!cf_is(a->cf, index, CP_UTF8) || !bytes_eq(cf_utf8(a->cf, index), name))
            continue;
        *body = (Reader){.p = p, .end = p + len, .len = len};
        return true;
    }
    return false;
}

Bytes code_stack_map(const ClassFile *cf, const CodeInfo *c)
{
    Attributes a = attributes_of(cf, c);
    Reader body;
    if (cf->major < JAVA_6 || !next_named(&a, "StackMapTable", &body))
        return (Bytes){0};
    return (Bytes){body.p, body.len};
}

// The number of entries of `size` bytes that a table has, which follow.
static uint32_t table_count(Reader *body, uint32_t size)
{
    uint32_t n = rd_u2(body);
    return MIN_OF(n, (uint32_t)(rd_left(body) / size));
}

LineEntry *code_lines(const ClassFile *cf, const CodeInfo *c, uint32_t *count)
{
    VEC(LineEntry) lines = {0};
    Attributes a = attributes_of(cf, c);
    for (Reader body; next_named(&a, "LineNumberTable", &body);)
        for (uint32_t n = table_count(&body, 4); n > 0; n--) {
            LineEntry e = {.start_pc = rd_u2(&body)};
            e.line = rd_u2(&body);
            vec_push(&lines, e);
        }
    *count = (uint32_t)lines.len;
    return lines.at;
}

int code_line(const ClassFile *cf, const CodeInfo *c, uint32_t bci)
{
    // the entry with the greatest start at or before bci; of equals the first
    int line = -1;
    uint32_t best = 0;
    Attributes a = attributes_of(cf, c);
    for (Reader body; next_named(&a, "LineNumberTable", &body);)
        for (uint32_t n = table_count(&body, 4); n > 0; n--) {
            uint16_t start = rd_u2(&body), number = rd_u2(&body);
            if (start == bci)
                return number;
            if (start < bci && (line < 0 || start >= best)) {
                best = start;
                line = number;
            }
        }
    return line;
}

static bool is_local(const ClassFile *cf, const LocalVarEntry *e)
{
    if (!cf_is(cf, e->name, CP_UTF8) || !cf_is(cf, e->descriptor, CP_UTF8))
        return false;
    Bytes type = cf_utf8(cf, e->descriptor);
    return descriptor_is_field((const char *)type.p, type.len);
}

static bool same_local(const LocalVarEntry *a, const LocalVarEntry *b)
{
    return local_key(a) == local_key(b);
}

// Gives the variables their generic signatures. The tables are short.
static void join_signatures(const ClassFile *cf, const CodeInfo *c, LocalVarEntry *locals,
                            uint32_t count)
{
    Attributes a = attributes_of(cf, c);
    for (Reader body; cf->major >= JAVA_5 && next_named(&a, "LocalVariableTypeTable", &body);)
        for (uint32_t n = table_count(&body, 10); n > 0; n--) {
            LocalVarEntry type = read_local(&body), *e = locals, *end = locals + count;
            while (e < end && !same_local(e, &type))
                e++;
            if (e < end && e->signature == 0 && cf_is(cf, type.descriptor, CP_UTF8))
                e->signature = type.descriptor;
        }
}

LocalVarEntry *code_locals(const ClassFile *cf, const CodeInfo *c, uint32_t *count)
{
    VEC(LocalVarEntry) locals = {0};
    Attributes a = attributes_of(cf, c);
    for (Reader body; next_named(&a, "LocalVariableTable", &body);)
        for (uint32_t n = table_count(&body, 10); n > 0; n--) {
            LocalVarEntry e = read_local(&body);
            if (is_local(cf, &e))
                vec_push(&locals, e);
        }
    *count = (uint32_t)locals.len;
    if (locals.len > 0)
        join_signatures(cf, c, locals.at, *count);
    return locals.at;
}

LocalFound code_find_local(const ClassFile *cf, const CodeInfo *c, int32_t slot, int32_t bci,
                           LocalVarEntry *out)
{
    LocalFound found = LOCAL_NO_TABLE;
    Attributes a = attributes_of(cf, c);
    for (Reader body; next_named(&a, "LocalVariableTable", &body);)
        for (uint32_t n = table_count(&body, 10); n > 0; n--) {
            LocalVarEntry e = read_local(&body);
            bool here = e.slot == slot && bci >= e.start_pc && bci <= e.start_pc + e.length;
            if ((!here && found == LOCAL_NOT_THERE) || !is_local(cf, &e))
                continue;
            found = LOCAL_NOT_THERE;
            if (here) {
                *out = e;
                return LOCAL_FOUND;
            }
        }
    return found;
}

bool code_has_locals(const ClassFile *cf, const CodeInfo *c)
{
    Attributes a = attributes_of(cf, c);
    for (Reader body; next_named(&a, "LocalVariableTable", &body);)
        if (table_count(&body, 10) > 0)
            return true;
    return false;
}
