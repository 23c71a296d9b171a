// SPDX-License-Identifier: Apache-2.0
// The class file (JVMS 4.1): version, this and super class, interfaces, fields, methods. The
// words of the errors are those that tests and users know from HotSpot.
#include <stdio.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "classfile/parser_internal.h"

enum { CF_ARENA_BLOCK = 256 }; // what is parsed is little, and there are many

enum { PREVIEW = 65535 };
enum { MEMBER_HEAD = 8 }; // bytes of a field or method in front of its attributes
enum {
    CLASS_FLAGS = ACC_PUBLIC | ACC_FINAL | ACC_SUPER | ACC_INTERFACE | ACC_ABSTRACT
                  | ACC_ANNOTATION | ACC_ENUM | ACC_SYNTHETIC,
    FIELD_FLAGS = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL
                  | ACC_VOLATILE | ACC_TRANSIENT | ACC_ENUM | ACC_SYNTHETIC,
    METHOD_FLAGS = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL
                   | ACC_SYNCHRONIZED | ACC_BRIDGE | ACC_VARARGS | ACC_NATIVE | ACC_ABSTRACT
                   | ACC_STRICT | ACC_SYNTHETIC,
};

bool parse_fail(Parser *ps, ClassFileErrorKind kind, const char *fmt, ...)
{
    if (ps->error == NULL)
        return false;
    ps->error->kind = kind;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(ps->error->message, sizeof(ps->error->message), fmt, ap);
    va_end(ap);
    return false;
}

bool parse_truncated(Parser *ps)
{
    return format_error(ps, "Truncated class file");
}

// ---- version ----

static bool bad_version(Parser *ps, const char *text)
{
    return parse_fail(ps, CLASSFILE_UNSUPPORTED_VERSION,
                      "%s (class file version %u.%u) was compiled with %s", ps->class_name,
                      ps->cf->major, ps->cf->minor, text);
}

static bool check_version(Parser *ps)
{
    uint16_t major = ps->cf->major, minor = ps->cf->minor;
    if (major < JAVA_1)
        return bad_version(ps, "an invalid major version");
    if (major > JAVA_17)
        return parse_fail(
            ps, CLASSFILE_UNSUPPORTED_VERSION,
            "%s has been compiled by a more recent version of the Java Runtime (class file "
            "version %u.%u), "
            "this version of the Java Runtime only recognizes class file versions up to %u.0",
            ps->class_name, major, minor, JAVA_17);
    if (major < JAVA_12 || minor == 0)
        return true;
    if (minor != PREVIEW)
        return bad_version(ps, "an invalid non-zero minor version");
    if (major != JAVA_17)
        return bad_version(
            ps, "preview features that are unsupported. This version of the Java Runtime only "
                "recognizes preview features for class file version 61.65535");
    if (!ps->allow_preview)
        return parse_fail(ps, CLASSFILE_UNSUPPORTED_VERSION,
                          "Preview features are not enabled for %s (class file version %u.%u). "
                          "Try running with "
                          "'--enable-preview'",
                          ps->class_name, major, minor);
    return true;
}

static bool parse_head(Parser *ps)
{
    uint32_t magic = rd_u4(&ps->r);
    if (ps->r.overrun || ps->cf->len < 8) // magic and version are asked for together
        return parse_truncated(ps);
    if (magic != 0xCAFEBABE)
        return format_error(ps, "Incompatible magic value %u in class file %s", magic,
                            ps->class_name);
    ps->cf->minor = rd_u2(&ps->r);
    ps->cf->major = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    return check_version(ps);
}

// ---- the class itself ----

static bool parse_access(Parser *ps)
{
    ClassFile *cf = ps->cf;
    uint16_t flags = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    bool module = cf->major >= JAVA_9 && (flags & ACC_MODULE);
    if (!module && ps->bad_tag != 0)
        return format_error(ps, "Unknown constant tag %u in class file %s", ps->bad_tag,
                            ps->class_name);
    if (module)
        return parse_fail(ps, CLASSFILE_NO_CLASS_DEF,
                          "%s is not a class because access_flag ACC_MODULE is set",
                          ps->class_name);
    flags &= CLASS_FLAGS;
    if ((flags & ACC_INTERFACE) && cf->major < JAVA_6)
        flags |= ACC_ABSTRACT;
    cf->access = flags;
    if (ps->check && !class_flags_legal(cf->major, flags))
        return format_error(ps, "Illegal class modifiers in class %s: 0x%X", ps->class_name,
                            flags);
    return true;
}

static bool is_array_name(Bytes name)
{
    return name.len > 0 && name.p[0] == '[';
}

static char *arena_string(Arena *a, Bytes b)
{
    return memcpy(arena_alloc(a, (size_t)b.len + 1), b.p, b.len);
}

static bool parse_this_class(Parser *ps)
{
    ClassFile *cf = ps->cf;
    cf->this_class = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    if (!cp_is(ps, cf->this_class, CP_CLASS))
        return format_error(ps, "Invalid this class index %u in constant pool in class file %s",
                            cf->this_class, ps->class_name);
    Bytes name = cf_class_name(cf, cf->this_class);
    if (is_array_name(name) || name.len == 0)
        return format_error(ps, "Bad class name in class file %s", ps->class_name);
    if (ps->expected == NULL)
        ps->class_name = arena_string(&cf->arena, name);
    else if (!bytes_eq(name, ps->expected))
        return parse_fail(ps, CLASSFILE_NO_CLASS_DEF, "%s (wrong name: %.*s)", ps->expected,
                          (int)name.len, name.p);
    return true;
}

static bool parse_super_class(Parser *ps)
{
    ClassFile *cf = ps->cf;
    bool is_object = bytes_eq(cf_class_name(cf, cf->this_class), "java/lang/Object");
    cf->super_class = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    bool ok = cf->super_class == 0 ? is_object : cp_is(ps, cf->super_class, CP_CLASS);
    if (!ok)
        return format_error(ps, "Invalid superclass index %u in class file %s", cf->super_class,
                            ps->class_name);
    if (cf->super_class == 0)
        return true;
    Bytes super = cf_class_name(cf, cf->super_class);
    if (is_array_name(super))
        return format_error(ps, "Bad superclass name in class file %s", ps->class_name);
    return true;
}

// What is looked at when all has been read.
static bool check_supers(Parser *ps)
{
    const ClassFile *cf = ps->cf;
    if (cf->interface_count > 0
        && bytes_eq(cf_class_name(cf, cf->this_class), "java/lang/Object"))
        return format_error(ps,
                            "java.lang.Object cannot implement an interface in class file %s",
                            ps->class_name);
    bool of_object = cf->super_class == 0
                     || bytes_eq(cf_class_name(cf, cf->super_class), "java/lang/Object");
    return !(cf->access & ACC_INTERFACE) || of_object
           || format_error(
               ps, "Interfaces must have java.lang.Object as superclass in class file %s",
               ps->class_name);
}

static bool interfaces_distinct(Parser *ps)
{
    ClassFile *cf = ps->cf;
    StrMap seen = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < cf->interface_count; i++) {
        Bytes name = cf_class_name(cf, cf->interfaces[i]);
        if (strmap_get_n(&seen, (const char *)name.p, name.len) != NULL)
            ok = format_error(ps, "Duplicate interface name \"%.*s\" in class file %s",
                              (int)name.len, name.p, ps->class_name);
        strmap_put_n(&seen, (const char *)name.p, name.len, cf);
    }
    strmap_free(&seen);
    return ok;
}

static bool load_interface(Parser *ps, Bytes name)
{
    const ClassFileOptions *o = ps->options;
    return o->load_interface == NULL || o->load_interface(o->ctx, ps->cf, name)
           || parse_fail(ps, CLASSFILE_PENDING, "%s", "");
}

static bool parse_interfaces(Parser *ps)
{
    ClassFile *cf = ps->cf;
    uint16_t n = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    cf->interfaces = arena_alloc(&cf->arena, n * sizeof(uint16_t));
    for (uint32_t i = 0; i < n; i++) {
        cf->interfaces[i] = rd_u2(&ps->r);
        if (ps->r.overrun)
            return parse_truncated(ps);
        if (!cp_is(ps, cf->interfaces[i], CP_CLASS))
            return format_error(
                ps, "Interface name has bad constant pool index %u in class file %s",
                cf->interfaces[i], ps->class_name);
        Bytes name = cf_class_name(cf, cf->interfaces[i]);
        if (is_array_name(name))
            return format_error(ps, "Bad interface name in class file %s", ps->class_name);
        if (!load_interface(ps, name))
            return false;
    }
    cf->interface_count = n;
    return !ps->check || n < 2 || interfaces_distinct(ps);
}

// ---- members ----

// Remembers name and descriptor; false when they were seen before.
static bool member_is_new(Parser *ps, StrMap *seen, uint16_t name, uint16_t descriptor)
{
    StrBuf key = {0};
    sb_add_n(&key, text_at(ps, name), (size_t)text_len(ps, name));
    sb_putc(&key, '\0');
    sb_add_n(&key, text_at(ps, descriptor), (size_t)text_len(ps, descriptor));
    bool is_new = strmap_get_n(seen, key.s, key.len) == NULL;
    strmap_put_n(seen, key.s, key.len, ps);
    sb_free(&key);
    return is_new;
}

// The descriptor is shown with dots.
static bool duplicate_member(Parser *ps, const char *what, uint16_t name, uint16_t descriptor)
{
    char *type = arena_string(&ps->cf->arena, cf_utf8(ps->cf, descriptor));
    for (char *p = type; *p != '\0'; p++)
        *p = *p == '/' ? '.' : *p;
    return format_error(ps, "Duplicate %s name \"%.*s\" with signature \"%s\" in class file %s",
                        what, text_len(ps, name), text_at(ps, name), type, ps->class_name);
}

static bool parse_field(Parser *ps, FieldInfo *f, StrMap *seen)
{
    if (rd_left(&ps->r) < MEMBER_HEAD)
        return parse_truncated(ps);
    f->access = rd_u2(&ps->r) & FIELD_FLAGS;
    f->name = rd_u2(&ps->r);
    f->descriptor = rd_u2(&ps->r);
    if (ps->check && !field_flags_legal(ps->cf, f->access))
        return format_error(ps, "Illegal field modifiers in class %s: 0x%X", ps->class_name,
                            f->access);
    if (!cp_is(ps, f->name, CP_UTF8))
        return format_error(ps,
                            "Invalid constant pool index %u for field name in class file %s",
                            f->name, ps->class_name);
    Bytes name = cf_utf8(ps->cf, f->name);
    if (ps->check && !is_field_name(ps, name))
        return format_error(ps, "Illegal field name \"%.*s\" in class %s", (int)name.len,
                            name.p, ps->class_name);
    if (!cp_is(ps, f->descriptor, CP_UTF8))
        return format_error(
            ps, "Invalid constant pool index %u for field signature in class file %s",
            f->descriptor, ps->class_name);
    if (!is_field_type(ps, f->descriptor))
        return illegal_signature(ps, "Field", f->name, f->descriptor);
    if (!parse_field_attributes(ps, f))
        return false;
    if (ps->check && !member_is_new(ps, seen, f->name, f->descriptor))
        return duplicate_member(ps, "field", f->name, f->descriptor);
    return true;
}

static bool parse_fields(Parser *ps)
{
    ClassFile *cf = ps->cf;
    uint16_t n = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    cf->fields = arena_alloc(&cf->arena, n * sizeof(FieldInfo));
    cf->field_count = n;
    StrMap seen = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = parse_field(ps, &cf->fields[i], &seen);
    strmap_free(&seen);
    return ok;
}

static bool check_method_flags(Parser *ps, MethodInfo *m, bool is_init, bool is_clinit)
{
    ClassFile *cf = ps->cf;
    if (is_clinit) {
        // flags other than static and strict are of no consequence
        if (cf->major < JAVA_7) {
            m->access = ACC_STATIC | (m->access & ACC_STRICT);
        } else if (m->access & ACC_STATIC) {
            m->access &= ACC_STATIC | ACC_STRICT;
        } else {
            return format_error(ps, "Method <clinit> is not static in class file %s",
                                ps->class_name);
        }
        return true;
    }
    if (is_init && (cf->access & ACC_INTERFACE))
        return format_error(ps, "Interface cannot have a method named <init>, class file %s",
                            ps->class_name);
    if (ps->check && !method_flags_legal(cf, m->access, is_init))
        return format_error(ps, "Method %.*s in class %s has illegal modifiers: 0x%X",
                            text_len(ps, m->name), text_at(ps, m->name), ps->class_name,
                            m->access);
    return true;
}

static bool check_method_type(Parser *ps, const MethodInfo *m, bool is_init, bool is_clinit)
{
    Bytes type = cf_utf8(ps->cf, m->descriptor);
    bool ok = is_method_type(ps, m->descriptor);
    if (ok && (is_init || is_clinit))
        ok = type.p[type.len - 1] == 'V' && type.p[type.len - 2] == ')';
    if (ok && is_clinit && ps->cf->major >= JAVA_7)
        ok = bytes_eq(type, "()V");
    if (!ok)
        return illegal_signature(ps, "Method", m->name, m->descriptor);
    if (descriptor_argument_words((const char *)type.p, type.len) + !(m->access & ACC_STATIC)
        > 255)
        return format_error(ps, "Too many arguments in method signature in class file %s",
                            ps->class_name);
    return true;
}

static bool parse_method(Parser *ps, MethodInfo *m, StrMap *seen)
{
    if (rd_left(&ps->r) < MEMBER_HEAD)
        return parse_truncated(ps);
    m->access = rd_u2(&ps->r) & METHOD_FLAGS;
    m->name = rd_u2(&ps->r);
    m->descriptor = rd_u2(&ps->r);
    if (!cp_is(ps, m->name, CP_UTF8))
        return format_error(ps,
                            "Illegal constant pool index %u for method name in class file %s",
                            m->name, ps->class_name);
    Bytes name = cf_utf8(ps->cf, m->name);
    if (ps->check && !is_method_name(ps, name))
        return format_error(ps, "Illegal method name \"%.*s\" in class %s", (int)name.len,
                            name.p, ps->class_name);
    if (!cp_is(ps, m->descriptor, CP_UTF8))
        return format_error(
            ps, "Illegal constant pool index %u for method signature in class file %s",
            m->descriptor, ps->class_name);
    bool is_init = bytes_eq(name, "<init>");
    bool is_clinit = bytes_eq(name, "<clinit>");
    if (!check_method_flags(ps, m, is_init, is_clinit)
        || !check_method_type(ps, m, is_init, is_clinit) || !parse_method_attributes(ps, m))
        return false;
    if (ps->check && !member_is_new(ps, seen, m->name, m->descriptor))
        return duplicate_member(ps, "method", m->name, m->descriptor);
    return true;
}

static bool parse_methods(Parser *ps)
{
    ClassFile *cf = ps->cf;
    uint16_t n = rd_u2(&ps->r);
    if (ps->r.overrun)
        return parse_truncated(ps);
    cf->methods = arena_alloc(&cf->arena, n * sizeof(MethodInfo));
    cf->method_count = n;
    StrMap seen = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = parse_method(ps, &cf->methods[i], &seen);
    strmap_free(&seen);
    return ok;
}

// ---- entry ----

static bool parse_all(Parser *ps)
{
    if (!parse_head(ps) || !parse_constant_pool(ps) || !parse_access(ps)
        || !parse_this_class(ps) || !parse_super_class(ps) || !parse_interfaces(ps)
        || !parse_fields(ps) || !parse_methods(ps) || !parse_class_attributes(ps))
        return false;
    if (rd_left(&ps->r) != 0)
        return format_error(ps, "Extra bytes at the end of class file %s", ps->class_name);
    return check_supers(ps);
}

static const uint8_t *copy_bytes(Arena *arena, const uint8_t *bytes, size_t len)
{
    uint8_t *copy =
        arena_alloc(arena, len + 1); // one more: reading of an empty file still has a place
    return len > 0 ? memcpy(copy, bytes, len) : copy;
}

static ClassFile *classfile_new(const uint8_t *bytes, size_t len, bool immutable)
{
    Arena arena = {.block = CF_ARENA_BLOCK};
    ClassFile *cf = arena_alloc(&arena, sizeof(ClassFile));
    cf->bytes = immutable ? bytes : copy_bytes(&arena, bytes, len);
    cf->len = len;
    cf->arena = arena;
    return cf;
}

ClassFile *classfile_parse(const uint8_t *bytes, size_t len, const ClassFileOptions *options,
                           ClassFileError *error)
{
    bool named = options->name != NULL && options->name[0] != '\0';
    ClassFile *cf = classfile_new(bytes, len, options->immutable);
    Parser ps = {
        .cf = cf,
        .r = {.p = cf->bytes, .end = cf->bytes + len},
        .check = options->check_format,
        .allow_preview = options->allow_preview,
        .expected = named ? options->name : NULL,
        .class_name = named ? options->name : "<Unknown>",
        .max_bsm = -1,
        .options = options,
        .error = error,
    };
    if (error != NULL)
        *error = (ClassFileError){.kind = CLASSFILE_OK};
    bool ok = parse_all(&ps);
    vm_free(ps.known);
    if (ok)
        return cf;
    classfile_free(cf);
    return NULL;
}

void classfile_free(ClassFile *cf)
{
    if (cf == NULL)
        return;
    Arena arena = cf->arena; // cf itself lies in it
    arena_free(&arena);
}
