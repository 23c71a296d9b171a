// SPDX-License-Identifier: Apache-2.0
// The text of a VerifyError: what is wrong, where, why, both frames, the bytes of the method
// and its tables, laid out as HotSpot does.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "verify/verify_internal.h"

#include <stdio.h>

#include "base/strbuf.h"

static void add_type(const Verifier *v, StrBuf *sb, VType t)
{
    static const char *const names[] = {
        [VT_TOP] = "top",
        [VT_INT] = "integer",
        [VT_FLOAT] = "float",
        [VT_LONG] = "long",
        [VT_LONG2] = "long_2nd",
        [VT_DOUBLE] = "double",
        [VT_DOUBLE2] = "double_2nd",
        [VT_NULL] = "null",
        [VT_UNINIT_THIS] = "uninitializedThis",
        [VT_UNINIT] = "uninitialized",
        [VT_ANY_REFERENCE] = "reference type",
        [VT_ANY_CATEGORY1] = "category1 type",
        [VT_ANY_CATEGORY2_2ND] = "category2_2nd type",
        [VT_BOOLEAN] = "boolean",
        [VT_BYTE] = "byte",
        [VT_SHORT] = "short",
        [VT_CHAR] = "char",
    };
    if (VT_KIND(t) == VT_OBJECT) {
        Bytes name = vtype_name(v, t);
        sb_printf(sb, "'%.*s'", (int)name.len, (const char *)name.p);
    } else {
        sb_add(sb, names[VT_KIND(t)]);
        if (VT_KIND(t) == VT_UNINIT)
            sb_printf(sb, " %u", VT_DATA(t));
    }
}

static void add_origin(StrBuf *sb, VOrigin o)
{
    switch (o.kind) {
    case ORIGIN_NONE: break;
    case ORIGIN_LOCAL: sb_printf(sb, " (current frame, locals[%u])", o.index); break;
    case ORIGIN_STACK: sb_printf(sb, " (current frame, stack[%u])", o.index); break;
    case ORIGIN_MAP_LOCAL: sb_printf(sb, " (stack map, locals[%u])", o.index); break;
    case ORIGIN_MAP_STACK: sb_printf(sb, " (stack map, stack[%u])", o.index); break;
    case ORIGIN_CP: sb_printf(sb, " (constant pool %u)", o.index); break;
    case ORIGIN_SIGNATURE: sb_add(sb, " (from method signature)"); break;
    }
}

static void add_reason(const Verifier *v, StrBuf *sb, const VError *e)
{
    sb_add(sb, "  Reason:\n    ");
    switch (e->reason) {
    case REASON_NONE:
    case REASON_BAD_CODE: sb_add(sb, "Error exists in the bytecode"); break;
    case REASON_BAD_TYPE:
        sb_add(sb, "Type ");
        add_type(v, sb, e->from);
        add_origin(sb, e->from_origin);
        sb_add(sb, " is not assignable to ");
        add_type(v, sb, e->to);
        add_origin(sb, e->to_origin);
        break;
    case REASON_INVALID_TYPE:
        sb_add(sb, "Invalid type: ");
        add_type(v, sb, e->from);
        add_origin(sb, e->from_origin);
        break;
    case REASON_BAD_LOCAL: sb_printf(sb, "Local index %u is invalid", e->index); break;
    case REASON_UNDERFLOW: sb_add(sb, "Attempt to pop empty stack."); break;
    case REASON_OVERFLOW: sb_add(sb, "Exceeded max stack size."); break;
    case REASON_BAD_CP: sb_printf(sb, "Constant pool index %u is invalid", e->index); break;
    case REASON_FLAGS_DIFFER:
        sb_add(sb, "Current frame's flags are not assignable to stack map frame's.");
        break;
    case REASON_BAD_FLAGS:
        sb_add(sb, "Current frame's flags are invalid in this context.");
        break;
    case REASON_LOCALS_DIFFER:
        sb_add(sb, "Current frame's local size doesn't match stackmap.");
        break;
    case REASON_STACK_DIFFERS:
        sb_add(sb, "Current frame's stack size doesn't match stackmap.");
        break;
    case REASON_NO_FRAME: sb_add(sb, "Expected stackmap frame at this location."); break;
    case REASON_BAD_MAP: sb_add(sb, "Invalid stackmap specification."); break;
    }
    sb_putc(sb, '\n');
}

static void add_slots(const Verifier *v, StrBuf *sb, const char *what, const VType *slots,
                      uint32_t count)
{
    sb_printf(sb, "    %s: {", what);
    for (uint32_t i = 0; i < count; i++) {
        sb_add(sb, i == 0 ? " " : ", ");
        add_type(v, sb, slots[i]);
    }
    sb_add(sb, " }\n");
}

static void add_frame(const Verifier *v, StrBuf *sb, uint32_t bci, bool this_uninit,
                      const VType *locals, uint32_t local_count, const VType *stack,
                      uint32_t sp)
{
    sb_printf(sb, "    bci: @%u\n    flags: {%s }\n", bci,
              this_uninit ? " flagThisUninit" : "");
    add_slots(v, sb, "locals", locals, local_count);
    add_slots(v, sb, "stack", stack, sp);
}

static void add_map_frame(const Verifier *v, StrBuf *sb, const char *title, const MapFrame *f)
{
    sb_printf(sb, "  %s Frame:\n", title);
    add_frame(v, sb, f->bci, f->this_uninit, f->locals, f->local_count, f->stack,
              f->stack_count);
}

// The frames that have to do with the reason.
static void add_frames(const Verifier *v, StrBuf *sb, const VError *e)
{
    switch (e->reason) {
    case REASON_NONE:
    case REASON_BAD_CODE:
    case REASON_BAD_LOCAL:
    case REASON_BAD_CP:
    case REASON_NO_FRAME: return;
    case REASON_BAD_TYPE:
    case REASON_INVALID_TYPE:
        if (e->from_origin.kind == ORIGIN_NONE || e->from_origin.kind == ORIGIN_CP)
            return;
        break;
    case REASON_BAD_MAP:
        if (e->map != NULL) {
            add_map_frame(v, sb, "Current", e->map);
            return;
        }
        break;
    default: break;
    }
    sb_add(sb, "  Current Frame:\n");
    add_frame(v, sb, v->bci, v->this_uninit, v->locals, v->local_count, v->stack,
              MAX_OF(v->sp, v->sp_before));
    if (e->map != NULL)
        add_map_frame(v, sb, "Stackmap", e->map);
}

static void add_bytecode(const Verifier *v, StrBuf *sb)
{
    enum { PER_LINE = 16 };
    sb_add(sb, "  Bytecode:\n");
    for (uint32_t i = 0; i <= v->c->code_len; i += PER_LINE) {
        sb_printf(sb, "    %07x:", i);
        for (uint32_t j = i; j < i + PER_LINE; j++) {
            sb_add(sb, (j & 1) == 0 ? " " : "");
            if (j < v->c->code_len)
                sb_printf(sb, "%02x", v->c->code[j]);
            else
                sb_add(sb, "  ");
        }
        sb_putc(sb, '\n');
    }
}

static void add_handlers(const Verifier *v, StrBuf *sb)
{
    if (v->c->exception_count == 0)
        return;
    sb_add(sb, "  Exception Handler Table:\n");
    for (uint32_t i = 0; i < v->c->exception_count; i++) {
        ExceptionEntry e = code_exception(v->c, i);
        sb_printf(sb, "    bci [%u, %u] => handler: %u\n", e.start_pc, e.end_pc, e.handler_pc);
    }
}

// ---- the table as it stands in the file, bounded by the attribute ----

typedef struct Raw {
    const uint8_t *p, *end;
} Raw;

static uint32_t raw_u1(Raw *r)
{
    return r->p < r->end ? *r->p++ : 0;
}

static uint32_t raw_u2(Raw *r)
{
    uint32_t high = raw_u1(r);
    return high << 8 | raw_u1(r);
}

static bool raw_types_fit(Raw r, uint32_t n, Raw *after)
{
    for (uint32_t i = 0; i < n; i++) {
        ptrdiff_t left = r.end - r.p, need = left > 0 && (*r.p == 7 || *r.p == 8) ? 3 : 1;
        if (left < need)
            return false;
        r.p += need;
    }
    *after = r;
    return true;
}

// Whether the frame that begins at r lies within the table.
static bool raw_frame_fits(Raw r)
{
    uint32_t type = raw_u1(&r);
    bool extended = type >= 247, reserved = type >= 128 && !extended;
    if (reserved)
        return false;
    if (extended && r.end - r.p < 2)
        return false;
    r.p += extended ? 2 : 0;
    if (type < 64 || (type >= 248 && type <= 251))
        return true;
    if (type < 252)
        return r.p < r.end;
    if (type < 255)
        return raw_types_fit(r, type - 251, &r);
    for (int list = 0; list < 2; list++) {
        if (r.end - r.p < 2)
            return false;
        uint32_t n = raw_u2(&r);
        if (!raw_types_fit(r, n, &r))
            return false;
    }
    return true;
}

static void add_raw_type(StrBuf *sb, Raw *r)
{
    static const char *const names[] = {"Top",  "Integer",          "Float", "Double", "Long",
                                        "Null", "UninitializedThis"};
    uint32_t tag = raw_u1(r);
    if (tag < ARRAY_LEN(names))
        sb_add(sb, names[tag]);
    else if (tag == 7)
        sb_printf(sb, "Object[#%u]", raw_u2(r));
    else if (tag == 8)
        sb_printf(sb, "Uninitialized[#%u]", raw_u2(r));
    else
        sb_printf(sb, "BAD:%u", tag);
}

static void add_raw_types(StrBuf *sb, Raw *r, uint32_t n)
{
    for (uint32_t i = 0; i < n && r->p < r->end; i++) {
        if (i > 0)
            sb_putc(sb, ',');
        add_raw_type(sb, r);
    }
}

static void add_raw_full(StrBuf *sb, Raw *r, uint32_t bci)
{
    sb_printf(sb, "full_frame(@%u,{", bci);
    add_raw_types(sb, r, raw_u2(r));
    sb_add(sb, "},{");
    add_raw_types(sb, r, raw_u2(r));
    sb_add(sb, "})");
}

static void add_raw_frame(StrBuf *sb, Raw *r, int64_t *bci)
{
    uint32_t type = raw_u1(r);
    uint32_t delta = type < 64 ? type : type < 128 ? type - 64 : raw_u2(r);
    *bci += delta + 1;
    uint32_t at = (uint32_t)*bci;
    if (type < 64) {
        sb_printf(sb, "same_frame(@%u)", at);
    } else if (type < 128 || type == 247) {
        sb_printf(sb, "%s(@%u,",
                  type < 128 ? "same_locals_1_stack_item_frame"
                             : "same_locals_1_stack_item_extended",
                  at);
        add_raw_type(sb, r);
        sb_putc(sb, ')');
    } else if (type >= 248 && type <= 250) {
        sb_printf(sb, "chop_frame(@%u,%u)", at, 251 - type);
    } else if (type == 251) {
        sb_printf(sb, "same_frame_extended(@%u)", at);
    } else if (type >= 252 && type <= 254) {
        sb_printf(sb, "append_frame(@%u,", at);
        add_raw_types(sb, r, type - 251);
        sb_putc(sb, ')');
    } else {
        add_raw_full(sb, r, at);
    }
}

static void add_stackmap_table(const Verifier *v, StrBuf *sb)
{
    if (v->stack_map.p == NULL)
        return;
    sb_add(sb, "  Stackmap Table:\n");
    Raw r = {v->stack_map.p, v->stack_map.p + v->stack_map.len};
    uint32_t count = raw_u2(&r);
    int64_t bci = -1;
    for (uint32_t i = 0; i < count && r.p < r.end; i++) {
        sb_add(sb, "    ");
        if (!raw_frame_fits(r))
            return;
        add_raw_frame(sb, &r, &bci);
        sb_putc(sb, '\n');
    }
}

// ---- the whole ----

// A frame that does not match is located where it stands, errors of the table itself at the
// start.
static uint32_t location_bci(const Verifier *v, const VError *e)
{
    if (e->reason == REASON_BAD_MAP)
        return 0;
    if (e->reason == REASON_STACK_DIFFERS)
        return v->bci;
    return e->map != NULL ? e->map->bci : v->bci;
}

static void add_location(const Verifier *v, StrBuf *sb, const VError *e)
{
    Bytes name = cf_utf8(v->cf, v->m->name), type = cf_utf8(v->cf, v->m->descriptor);
    uint32_t bci = location_bci(v, e);
    const char *op = "<invalid>";
    if (bci < v->c->code_len)
        op = instruction_name(v->c->code[bci]);
    sb_printf(sb, "  Location:\n    %s.%.*s%.*s @%u: %s\n", v->class_name, (int)name.len,
              (const char *)name.p, (int)type.len, (const char *)type.p, bci, op);
}

bool verify_fail(Verifier *v, const VError *e, const char *fmt, ...)
{
    StrBuf sb = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&sb, fmt, ap);
    va_end(ap);
    sb_add(&sb, "\nException Details:\n");
    add_location(v, &sb, e);
    add_reason(v, &sb, e);
    add_frames(v, &sb, e);
    add_bytecode(v, &sb);
    add_handlers(v, &sb);
    add_stackmap_table(v, &sb);
    snprintf(v->message, v->message_size, "%s", sb.s);
    v->status = VERIFY_ERROR;
    sb_free(&sb);
    return false;
}

bool invalid_stack_type(Verifier *v, VType t, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    VError e = {.reason = REASON_INVALID_TYPE, .from = t, .from_origin = {ORIGIN_STACK, v->sp}};
    return verify_fail(v, &e, "%s", text);
}

bool bad_stack_type(Verifier *v, VType from, VType to, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    VError e = {.reason = REASON_BAD_TYPE,
                .from = from,
                .to = to,
                .from_origin = {ORIGIN_STACK, v->sp}};
    return verify_fail(v, &e, "%s", text);
}

// "int[]", "java.util.List"
static const char *add_external_type(StrBuf *sb, const char *p)
{
    static const struct {
        char kind;
        const char *name;
    } primitives[] = {{'B', "byte"},  {'C', "char"},    {'D', "double"},
                      {'F', "float"}, {'I', "int"},     {'J', "long"},
                      {'S', "short"}, {'Z', "boolean"}, {'V', "void"}};
    uint32_t dims = 0;
    for (; *p == '['; p++)
        dims++;
    if (*p == 'L') {
        for (p++; *p != ';'; p++)
            sb_putc(sb, *p == '/' ? '.' : *p);
    }
    for (size_t i = 0; i < ARRAY_LEN(primitives); i++) {
        if (primitives[i].kind == *p)
            sb_add(sb, primitives[i].name);
    }
    for (; dims > 0; dims--)
        sb_add(sb, "[]");
    return p + 1;
}

// "int p.A.m(java.lang.String, long)"
static void add_external_method(const Verifier *v, StrBuf *sb)
{
    Bytes name = cf_utf8(v->cf, v->m->name), type = cf_utf8(v->cf, v->m->descriptor);
    const char *p = (const char *)type.p, *ret = memrchr(p, ')', type.len);
    add_external_type(sb, ret + 1);
    sb_printf(sb, " %s.%.*s(", v->external_name, (int)name.len, (const char *)name.p);
    for (p++; *p != ')';) {
        p = add_external_type(sb, p);
        if (*p != ')')
            sb_add(sb, ", ");
    }
    sb_putc(sb, ')');
}

bool verify_format_fail(Verifier *v, const char *fmt, ...)
{
    StrBuf sb = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&sb, fmt, ap);
    va_end(ap);
    sb_add(&sb, " in method '");
    add_external_method(v, &sb);
    sb_putc(&sb, '\'');
    snprintf(v->message, v->message_size, "%s", sb.s);
    v->status = VERIFY_FORMAT_ERROR;
    sb_free(&sb);
    return false;
}

bool verify_stackmap_fail(Verifier *v, const char *what)
{
    snprintf(v->message, v->message_size, "StackMapTable format error: %s", what);
    v->status = VERIFY_MAP_ERROR;
    return false;
}
