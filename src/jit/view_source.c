// SPDX-License-Identifier: Apache-2.0
// The methods of a graph for people: bytecodes with what they name, tables of lines and locals, and the lines of their source where
// its file is found: below the folders of -XX:JitViewSource, else of the class path. See view.h.
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "class/loader.h"
#include "jit/view.h"
#include "options/options.h"

void view_method_name(StrBuf *out, const Method *m)
{
    char *class_name = class_external_name(m->cls);
    sb_printf(out, "%s.%s%s", class_name, m->name->s, m->desc->s);
    vm_free(class_name);
}

// ---- bytecodes ----

static void add_bytes(StrBuf *out, Bytes b)
{
    sb_add_n(out, (const char *)b.p, b.len);
}

static void add_member(StrBuf *out, const ClassFile *cf, uint16_t name_and_type)
{
    CpEntry e = cf_entry(cf, name_and_type);
    add_bytes(out, cf_utf8(cf, e.nat.name));
    sb_putc(out, ' ');
    add_bytes(out, cf_utf8(cf, e.nat.type));
}

static void add_constant(StrBuf *out, const ClassFile *cf, uint16_t index)
{
    CpEntry e = cf_entry(cf, index);
    switch (e.tag) {
    case CP_INTEGER: sb_printf(out, "%d", e.i); break;
    case CP_LONG: sb_printf(out, "%lldL", (long long)e.l); break;
    case CP_FLOAT: sb_printf(out, "%.9gf", (double)e.f); break;
    case CP_DOUBLE: sb_printf(out, "%.17g", e.d); break;
    case CP_CLASS:
    case CP_METHOD_TYPE: add_bytes(out, cf_utf8(cf, e.name)); break;
    case CP_STRING:
        sb_putc(out, '"');
        add_bytes(out, cf_utf8(cf, e.name));
        sb_putc(out, '"');
        break;
    case CP_FIELDREF:
    case CP_METHODREF:
    case CP_INTERFACE_METHODREF:
        add_bytes(out, cf_class_name(cf, e.ref.cls));
        sb_putc(out, '.');
        add_member(out, cf, e.ref.nat);
        break;
    case CP_DYNAMIC:
    case CP_INVOKE_DYNAMIC:
        sb_printf(out, "#%u ", e.dyn.bsm);
        add_member(out, cf, e.dyn.nat);
        break;
    default: sb_printf(out, "#%u", index);
    }
}

static void add_switch(StrBuf *out, const uint8_t *code, uint32_t bci)
{
    SwitchOperands s = switch_read(code, bci);
    for (uint32_t i = 0; i < s.count; i++)
        sb_printf(out, "%d:%d ", switch_key(&s, i), (int32_t)bci + switch_offset(&s, i));
    sb_printf(out, "else %d", (int32_t)bci + s.other);
}

static bool is_number(uint8_t op)
{
    return op == BC_bipush || op == BC_sipush || op == BC_newarray || op == BC_iinc;
}

static void add_operands(StrBuf *out, const ClassFile *cf, const uint8_t *code,
                         const Instruction *in)
{
    if (in->info->local.use && in->length > 1)
        sb_printf(out, "%u ", in->local);
    if (is_number(in->op))
        sb_printf(out, "%d", in->value);
    else if (in->constant)
        add_constant(out, cf, in->constant);
    else if (in->op == BC_tableswitch || in->op == BC_lookupswitch)
        add_switch(out, code, in->bci);
    else if (in->info->flags & BCF_BRANCH)
        sb_printf(out, "%d", (int32_t)in->bci + in->offset);
}

// [bci, bytes, name, operands]
static void add_code(StrBuf *out, const IrSource *s)
{
    Instruction in;
    json_name(out, "code");
    sb_putc(out, '[');
    for (uint32_t bci = 0; instruction_read(s->code.code, s->code.code_len, bci, &in);
         bci += in.length) {
        StrBuf text = {0};
        add_operands(&text, s->cf, s->code.code, &in);
        json_next(out);
        sb_printf(out, "[%u,%u,\"%s\",", bci, in.length, in.info->name);
        json_text_n(out, text.s, text.len);
        sb_putc(out, ']');
        sb_free(&text);
    }
    sb_putc(out, ']');
}

// ---- tables ----

// [slot, from, to, name, type]
static void add_locals(StrBuf *out, const IrSource *s)
{
    uint32_t count;
    LocalVarEntry *locals = code_locals(s->cf, &s->code, &count);
    json_name(out, "locals");
    sb_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        Bytes name = cf_utf8(s->cf, locals[i].name),
              type = cf_utf8(s->cf, locals[i].descriptor);
        json_next(out);
        sb_printf(out, "[%u,%u,%u,", locals[i].slot, locals[i].start_pc,
                  locals[i].start_pc + locals[i].length);
        json_text_n(out, name.p, name.len);
        sb_putc(out, ',');
        json_text_n(out, type.p, type.len);
        sb_putc(out, ']');
    }
    sb_putc(out, ']');
    vm_free(locals);
}

// [from, to, handler, class or ""]
static void add_handlers(StrBuf *out, const IrSource *s)
{
    json_name(out, "handlers");
    sb_putc(out, '[');
    for (uint32_t i = 0; i < s->code.exception_count; i++) {
        ExceptionEntry e = code_exception(&s->code, i);
        Bytes type = e.catch_type ? cf_class_name(s->cf, e.catch_type) : (Bytes){0};
        json_next(out);
        sb_printf(out, "[%u,%u,%u,", e.start_pc, e.end_pc, e.handler_pc);
        json_text_n(out, type.p, type.len);
        sb_putc(out, ']');
    }
    sb_putc(out, ']');
}

// ---- source ----

typedef struct LineSpan {
    uint32_t first, last; // from 1; first 0: nothing is known
} LineSpan;

// [bci, line]
static LineSpan add_lines(StrBuf *out, const IrSource *s)
{
    LineSpan span = {0};
    uint32_t count;
    LineEntry *lines = code_lines(s->cf, &s->code, &count);
    json_name(out, "lines");
    sb_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = lines[i].line;
        json_next(out);
        sb_printf(out, "[%u,%u]", lines[i].start_pc, line);
        span.first = span.first ? MIN_OF(span.first, line) : line;
        span.last = MAX_OF(span.last, line);
    }
    sb_putc(out, ']');
    vm_free(lines);
    return span;
}

// Opens folder/package/file or folder/module/package/file.
static FILE *open_below(const char *folder, size_t len, const Method *m, Bytes file)
{
    const char *name = m->cls->name->s, *slash = strrchr(name, '/');
    int package = slash ? (int)(slash - name + 1) : 0;
    StrBuf path = {0};
    sb_printf(&path, "%.*s/%.*s", (int)len, folder, package, name);
    add_bytes(&path, file);
    FILE *f = fopen(path.s, "re");
    if (!f && m->cls->module && m->cls->module->name) {
        path.len = 0;
        sb_printf(&path, "%.*s/%s/%.*s", (int)len, folder, m->cls->module->name->s, package,
                  name);
        add_bytes(&path, file);
        f = fopen(path.s, "re");
    }
    sb_free(&path);
    return f;
}

static FILE *open_source(const Method *m, Bytes file)
{
    const char *rest = vm_options.jit_view_source ? vm_options.jit_view_source
                                                  : options_property("java.class.path");
    FILE *f = NULL;
    bool plain = file.len > 0 && !memchr(file.p, '/', file.len) && !memchr(file.p, 0, file.len);
    while (plain && !f && rest && *rest) {
        size_t len = strcspn(rest, ":");
        f = open_below(rest, len, m, file);
        rest += len + (rest[len] == ':');
    }
    return f;
}

static void add_source(StrBuf *out, const IrSource *s, LineSpan span)
{
    enum { BEFORE = 3, BEHIND = 1, MOST = 4000 };
    Bytes file = s->cf->source_file ? cf_utf8(s->cf, s->cf->source_file) : (Bytes){0};
    json_name(out, "file");
    json_text_n(out, file.p, file.len);
    FILE *f = span.first ? open_source(s->method, file) : NULL;
    uint32_t first = span.first > BEFORE ? span.first - BEFORE : 1;
    uint32_t last = MIN_OF(span.last + BEHIND, first + MOST);
    sb_printf(out, ",\"first\":%u,\"source\":[", first);
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    for (uint32_t n = 1; f && n <= last && (len = getline(&line, &room, f)) >= 0; n++) {
        if (n < first)
            continue;
        json_next(out);
        json_text_n(out, line, strcspn(line, "\r\n"));
    }
    sb_putc(out, ']');
    free(line);
    if (f)
        fclose(f);
}

// ---- all ----

static void add_method(StrBuf *out, const IrSource *s)
{
    StrBuf name = {0};
    view_method_name(&name, s->method);
    json_next(out);
    sb_putc(out, '{');
    json_name(out, "name");
    json_text_n(out, name.s, name.len);
    sb_printf(out, ",\"bytes\":%u", s->code.code_len);
    add_source(out, s, add_lines(out, s));
    add_locals(out, s);
    add_handlers(out, s);
    add_code(out, s);
    sb_putc(out, '}');
    sb_free(&name);
}

// The number of a scope's method among those that are written; `count` if it is not yet.
static uint32_t find(const Graph *g, const uint32_t *first_scope, uint32_t count,
                     uint32_t scope)
{
    const Method *m = g->scopes.at[scope].source->method;
    uint32_t i = 0;
    while (i < count && g->scopes.at[first_scope[i]].source->method != m)
        i++;
    return i;
}

void view_add_methods(StrBuf *out, const Graph *g)
{
    StrBuf scopes = {0};
    uint32_t count = 0, *first_scope = vm_calloc(g->scopes.len, sizeof *first_scope);
    sb_add(out, "\"methods\":[");
    sb_putc(&scopes, '[');
    for (uint32_t i = 0; i < g->scopes.len; i++) {
        uint32_t method = find(g, first_scope, count, i);
        if (method == count) {
            first_scope[count++] = i;
            add_method(out, g->scopes.at[i].source);
        }
        json_next(&scopes); // [method, the caller's state or 0]
        sb_printf(&scopes, "[%u,%u]", method, g->scopes.at[i].caller);
    }
    sb_printf(out, "],\"scopes\":%s]", scopes.s);
    sb_free(&scopes);
    vm_free(first_scope);
}
