// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the class file parser: the bounded reader and the error path. Nobody
// else includes it.
//
// Readers are sticky: past their end they give zeros and remember it in `overrun`, so a group
// of fields is read first and tested once. Nothing that was read is used before that test.
#ifndef CLASSFILE_PARSER_INTERNAL_H
#define CLASSFILE_PARSER_INTERNAL_H

#include "classfile/classfile.h"

enum { // major versions from which on a rule holds
    JAVA_1 = 45,
    JAVA_5 = 49,
    JAVA_6 = 50,
    JAVA_7 = 51,
    JAVA_8 = 52,
    JAVA_9 = 53,
    JAVA_11 = 55,
    JAVA_12 = 56,
    JAVA_16 = 60,
    JAVA_17 = 61,
};

typedef struct Reader {
    const uint8_t *p, *end;
    bool overrun;
    uint32_t len; // of an attribute's body: as the file says, which may be beyond the end
} Reader;

// Class attributes that are read when all of them were seen, in this order.
typedef enum LateAttribute {
    LATE_INNER_CLASSES,
    LATE_NEST_MEMBERS,
    LATE_RECORD,
    LATE_PERMITTED,
    LATE_COUNT
} LateAttribute;

enum {
    KNOWN_FIELD_TYPE = 1,
    KNOWN_METHOD_TYPE = 2
}; // a UTF8 is a field's, a method's descriptor

enum { INVISIBLE_PLAIN = 1, INVISIBLE_TYPES = 2, INVISIBLE_PARAMETERS = 4 };
typedef struct MemberSeen { // attributes of the class or member that is read
    MemberAnnotations annotations;
    uint8_t invisible; // INVISIBLE_*: they are not kept
    bool exceptions, parameters;
} MemberSeen;

typedef struct Parser {
    ClassFile *cf;
    Reader r;   // over the whole file
    bool check; // ClassFileOptions.check_format
    bool allow_preview;
    const char *expected;    // NULL when unknown
    const char *class_name;  // for messages
    uint32_t bad_tag;        // CP_MODULE or CP_PACKAGE seen, else 0
    int32_t max_bsm;         // highest bootstrap method index used, -1 none
    Reader late[LATE_COUNT]; // p NULL: not seen
    uint8_t *known; // by constant pool index: KNOWN_*; many entries say the same descriptor
    MemberSeen seen;
    const ClassFileOptions *options;
    ClassFileError *error;
} Parser;

static inline size_t rd_left(const Reader *r)
{
    return (size_t)(r->end - r->p);
}
static inline const uint8_t *rd_bytes(Reader *r, size_t n)
{
    if (UNLIKELY(rd_left(r) < n)) {
        r->overrun = true;
        r->p = r->end;
        return NULL;
    }
    const uint8_t *p = r->p;
    r->p += n;
    return p;
}
static inline uint8_t rd_u1(Reader *r)
{
    const uint8_t *p = rd_bytes(r, 1);
    return p == NULL ? 0 : *p;
}
static inline uint16_t rd_u2(Reader *r)
{
    const uint8_t *p = rd_bytes(r, 2);
    return p == NULL ? 0 : (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t rd_u4(Reader *r)
{
    const uint8_t *p = rd_bytes(r, 4);
    return p == NULL ? 0
                     : (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// Sets the error and returns false.
bool parse_fail(Parser *ps, ClassFileErrorKind kind, const char *fmt, ...) PRINTF(3, 4);
#define format_error(ps, ...) parse_fail(ps, CLASSFILE_FORMAT, __VA_ARGS__)
bool parse_truncated(Parser *ps);

// Whether the index names an entry of the tag.
static inline bool cf_is(const ClassFile *cf, uint16_t index, uint8_t tag)
{
    return index < cf->cp_count && cf_tag(cf, index) == tag;
}
static inline bool cp_is(const Parser *ps, uint16_t index, uint8_t tag)
{
    return cf_is(ps->cf, index, tag);
}
static inline const char *text_at(const Parser *ps, uint16_t utf8)
{
    return (const char *)cf_utf8(ps->cf, utf8).p;
}
static inline int text_len(const Parser *ps, uint16_t utf8)
{
    return (int)cf_utf8(ps->cf, utf8).len;
}

// old_names.c: in class files before Java 5 names were Java identifiers. Of names and descriptors
// that are well formed otherwise.
bool old_name_is_valid(Bytes name);
bool old_class_name_is_valid(Bytes name); // also of an array
bool old_descriptor_is_valid(Bytes descriptor);

static inline bool wants_old_names(const Parser *ps)
{
    return ps->check && ps->cf->major < JAVA_5;
}
// Whether the text at a UTF8 index is a field's, a method's descriptor.
static inline bool is_type(Parser *ps, uint16_t utf8, uint8_t known,
                           bool (*is)(const char *s, size_t len))
{
    if (ps->known[utf8] & known)
        return true;
    Bytes text = cf_utf8(ps->cf, utf8);
    if (!is((const char *)text.p, text.len)
        || (wants_old_names(ps) && !old_descriptor_is_valid(text)))
        return false;
    ps->known[utf8] |= known;
    return true;
}
static inline bool is_field_type(Parser *ps, uint16_t utf8)
{
    return is_type(ps, utf8, KNOWN_FIELD_TYPE, descriptor_is_field);
}
static inline bool is_method_type(Parser *ps, uint16_t utf8)
{
    return is_type(ps, utf8, KNOWN_METHOD_TYPE, descriptor_is_method);
}
static inline bool is_class_name(const Parser *ps, Bytes name)
{
    return name_is_valid_class(name.p, name.len)
           && (!wants_old_names(ps) || old_class_name_is_valid(name));
}
static inline bool is_field_name(const Parser *ps, Bytes name)
{
    return name_is_valid_field(name.p, name.len)
           && (!wants_old_names(ps) || old_name_is_valid(name));
}
static inline bool is_method_name(const Parser *ps, Bytes name)
{
    return name_is_valid_method(name.p, name.len)
           && (!wants_old_names(ps) || name.p[0] == '<' || old_name_is_valid(name));
}

// constant_pool.c
bool parse_constant_pool(Parser *ps);
bool illegal_signature(Parser *ps, const char *what, uint16_t name, uint16_t descriptor);

// attributes.c, code_attribute.c: each reads attributes_count and what follows.
bool parse_field_attributes(Parser *ps, FieldInfo *f);
bool parse_method_attributes(Parser *ps, MethodInfo *m);
bool parse_class_attributes(Parser *ps);
bool parse_code(Parser *ps, Reader r, MethodInfo *m);

// The next attribute: its name (a valid utf8 index) and a reader that begins with its body and
// ends with the file; the errors of a body come before that of its length. `bad_name` is the
// message for a name index that is none, with one %u for the index and one %s for the class.
bool parse_attribute_header(Parser *ps, Reader *r, const char *bad_name, uint16_t *name,
                            Reader *body);
// Ends the reader where the body ends: the file must have all of it.
bool parse_bounded(Parser *ps, Reader *body);
// Goes on behind the body.
bool parse_attribute_end(Parser *ps, Reader *r, const Reader *body);
bool attribute_is(const Parser *ps, uint16_t name, const char *text);

// member_flags.c: JVMS 4.1, 4.5, 4.6; only called when the format is checked.
bool class_flags_legal(uint16_t major, uint16_t flags);
bool field_flags_legal(const ClassFile *cf, uint16_t flags);
bool method_flags_legal(const ClassFile *cf, uint16_t flags, bool is_init);

#endif
