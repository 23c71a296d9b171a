// SPDX-License-Identifier: Apache-2.0
// The Code attribute (JVMS 4.7.3) with its line and variable tables. The instructions
// themselves are the verifier's business; here only what does not depend on them is checked:
// lengths, ranges within the code, constant pool indices.
#include "base/hash.h"
#include "base/vec.h"
#include "classfile/parser_internal.h"

enum { MAX_CODE = 65535 };

// The tables grow here and move to the arena when the attribute is complete.
typedef struct CodeTables {
    VEC(LineEntry) lines;
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
    c->exceptions = arena_alloc(&ps->cf->arena, n * sizeof(ExceptionEntry));
    for (uint32_t i = 0; i < n; i++) {
        ExceptionEntry *e = &c->exceptions[i];
        e->start_pc = rd_u2(r);
        e->end_pc = rd_u2(r);
        e->handler_pc = rd_u2(r);
        e->catch_type = rd_u2(r);
        if (e->start_pc >= e->end_pc || e->end_pc > c->code_len)
            return format_error(ps, "Illegal exception table range in class file %s",
                                ps->class_name);
        if (e->handler_pc >= c->code_len)
            return format_error(ps, "Illegal exception table handler in class file %s",
                                ps->class_name);
        if (e->catch_type != 0 && !cp_is(ps, e->catch_type, CP_CLASS))
            return format_error(
                ps, "Catch type in exception table has bad constant type in class file %s",
                ps->class_name);
    }
    return true;
}

static bool parse_lines(Parser *ps, Reader *body, const CodeInfo *c, CodeTables *t)
{
    uint16_t n = rd_u2(body);
    if (!body->overrun && body->len != 2 + 4u * n)
        return format_error(ps, "LineNumberTable attribute has wrong length in class file %s",
                            ps->class_name);
    if (rd_left(body) < 4u * n)
        return parse_truncated(ps);
    for (uint32_t i = 0; i < n; i++) {
        LineEntry e = {.start_pc = rd_u2(body)};
        e.line = rd_u2(body);
        if (e.start_pc >= c->code_len)
            return format_error(ps, "Invalid pc in LineNumberTable in class file %s",
                                ps->class_name);
        vec_push(&t->lines, e);
    }
    return true;
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
        last += type.p[0] == 'J' || type.p[0] == 'D';
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
        LocalVarEntry e = {.start_pc = rd_u2(body)};
        e.length = rd_u2(body);
        e.name = rd_u2(body);
        e.descriptor = rd_u2(body);
        e.slot = rd_u2(body);
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

// Gives the variables their generic signatures. Entries that are duplicated or match none are
// errors only when the format is checked, from Java 5 on.
static bool join_types(Parser *ps, CodeTables *t)
{
    bool strict = ps->check && ps->cf->major >= JAVA_5;
    PtrMap by_key = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < t->locals.len; i++) {
        LocalVarEntry *e = &t->locals.at[i];
        if (strict && ptrmap_get(&by_key, local_key(e)) != NULL)
            ok = local_error(ps, e, true, "LocalVariableTable");
        ptrmap_put(&by_key, local_key(e), e);
    }
    for (size_t i = 0; ok && i < t->types.len; i++) {
        LocalVarEntry *type = &t->types.at[i];
        LocalVarEntry *e = ptrmap_get(&by_key, local_key(type));
        if (e != NULL && e->signature == 0)
            e->signature = type->descriptor;
        else if (strict && t->locals.len > 0)
            ok = local_error(ps, type, e != NULL, "LocalVariableTypeTable");
    }
    ptrmap_free(&by_key);
    return ok;
}

static bool parse_stack_map(Parser *ps, Reader *body, CodeInfo *c, CodeTables *t)
{
    if (!parse_bounded(ps, body))
        return false;
    if (t->has_stack_map)
        return format_error(ps, "Multiple StackMapTable attributes in class file %s",
                            ps->class_name);
    t->has_stack_map = true;
    c->stack_map = (Bytes){body->p, (uint32_t)rd_left(body)};
    return true;
}

static bool parse_code_attributes(Parser *ps, Reader *r, CodeInfo *c, CodeTables *t)
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
            ok = parse_lines(ps, &body, c, t);
        } else if (attribute_is(ps, name, "LocalVariableTable")) {
            ok = parse_locals(ps, &body, c, t, false);
        } else if (major >= JAVA_5 && attribute_is(ps, name, "LocalVariableTypeTable")) {
            ok = parse_locals(ps, &body, c, t, true);
        } else if (major >= JAVA_6 && attribute_is(ps, name, "StackMapTable")) {
            ok = parse_stack_map(ps, &body, c, t);
        } else if (major >= JAVA_8 && attribute_is(ps, name, "RuntimeVisibleTypeAnnotations")) {
            c->has_type_annotations = true;
        }
        if (!ok || !parse_attribute_end(ps, r, &body))
            return false;
    }
    return !r->overrun || parse_truncated(ps);
}

static void *move_to_arena(Arena *a, const void *from, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    return memcpy(arena_alloc(a, bytes), from, bytes);
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

bool parse_code(Parser *ps, Reader r, MethodInfo *m)
{
    Arena *arena = &ps->cf->arena;
    CodeInfo *c = arena_alloc(arena, sizeof(CodeInfo));
    CodeTables t = {0};
    const uint8_t *start = r.p;
    bool ok = parse_code_head(ps, &r, m, c) && parse_exception_table(ps, &r, c)
              && parse_code_attributes(ps, &r, c, &t);
    if (ok && (size_t)(r.p - start) != r.len)
        ok = format_error(ps, "Code segment has wrong length in class file %s", ps->class_name);
    if (ok && t.locals.len + t.types.len > 0)
        ok = join_types(ps, &t);
    if (ok) {
        c->line_count = (uint32_t)t.lines.len;
        c->lines = move_to_arena(arena, t.lines.at, t.lines.len * sizeof(LineEntry));
        c->local_count = (uint32_t)t.locals.len;
        c->locals = move_to_arena(arena, t.locals.at, t.locals.len * sizeof(LocalVarEntry));
        m->code = c;
    }
    vec_free(&t.lines);
    vec_free(&t.locals);
    vec_free(&t.types);
    return ok;
}

int codeinfo_line(const CodeInfo *code, uint32_t bci)
{
    // the entry with the greatest start at or before bci; of equals the first
    int line = -1;
    uint32_t best = 0;
    for (uint32_t i = 0; i < code->line_count; i++) {
        const LineEntry *e = &code->lines[i];
        if (e->start_pc == bci)
            return e->line;
        if (e->start_pc < bci && (line < 0 || e->start_pc >= best)) {
            best = e->start_pc;
            line = e->line;
        }
    }
    return line;
}
