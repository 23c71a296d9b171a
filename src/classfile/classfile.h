// SPDX-License-Identifier: Apache-2.0
// A parsed class file (JVMS 4). Pure: knows no loader, no heap, no thread. All of it lives in
// one arena, together with a copy of the bytes unless they are immutable; it stays alive as long
// as the class made from it.
//
// What can be read from the bytes is not stored: the entries of the constant pool, Code attributes
// with their tables, annotations. The parser has checked their indices and lengths; the tables of
// Code only where it checks the format, so whoever reads them skips what makes no sense. Names are
// indices of CONSTANT_Utf8 entries.
#ifndef CLASSFILE_CLASSFILE_H
#define CLASSFILE_CLASSFILE_H

#include "base/alloc.h"
#include "classfile/bytecode.h"

enum {
    CP_UTF8 = 1,
    CP_INTEGER = 3,
    CP_FLOAT = 4,
    CP_LONG = 5,
    CP_DOUBLE = 6,
    CP_CLASS = 7,
    CP_STRING = 8,
    CP_FIELDREF = 9,
    CP_METHODREF = 10,
    CP_INTERFACE_METHODREF = 11,
    CP_NAME_AND_TYPE = 12,
    CP_METHOD_HANDLE = 15,
    CP_METHOD_TYPE = 16,
    CP_DYNAMIC = 17,
    CP_INVOKE_DYNAMIC = 18,
    CP_MODULE = 19,
    CP_PACKAGE = 20,
};

enum {
    ACC_PUBLIC = 0x0001,
    ACC_PRIVATE = 0x0002,
    ACC_PROTECTED = 0x0004,
    ACC_STATIC = 0x0008,
    ACC_FINAL = 0x0010,
    ACC_SUPER = 0x0020,
    ACC_SYNCHRONIZED = 0x0020,
    ACC_VOLATILE = 0x0040,
    ACC_BRIDGE = 0x0040,
    ACC_TRANSIENT = 0x0080,
    ACC_VARARGS = 0x0080,
    ACC_NATIVE = 0x0100,
    ACC_INTERFACE = 0x0200,
    ACC_ABSTRACT = 0x0400,
    ACC_STRICT = 0x0800,
    ACC_SYNTHETIC = 0x1000,
    ACC_ANNOTATION = 0x2000,
    ACC_ENUM = 0x4000,
    ACC_MODULE = 0x8000,
};

typedef struct Bytes { // a range of the class file; p NULL when the attribute is absent
    const uint8_t *p;
    uint32_t len;
} Bytes;

typedef struct CpEntry { // as cf_entry reads it
    uint8_t tag;         // 0 for index 0 and the second half of a long or double
    uint16_t len;        // UTF8: of the text
    union {
        const uint8_t *text; // UTF8: in the class file, not NUL-terminated
        int32_t i;
        float f;
        int64_t l;
        double d;
        // CLASS, MODULE, PACKAGE: name; STRING: text; METHOD_TYPE: descriptor
        uint16_t name;
        struct {
            uint16_t cls, nat;
        } ref; // FIELDREF, METHODREF, INTERFACE_METHODREF
        struct {
            uint16_t name, type;
        } nat; // NAME_AND_TYPE
        struct {
            uint16_t kind, ref;
        } mh; // METHOD_HANDLE
        struct {
            uint16_t bsm, nat;
        } dyn; // DYNAMIC, INVOKE_DYNAMIC: index into bootstrap_methods
    };
} CpEntry;
typedef struct ExceptionEntry {
    uint16_t start_pc, end_pc, handler_pc, catch_type; // catch_type 0: any
} ExceptionEntry;

typedef struct LineEntry {
    uint16_t start_pc, line;
} LineEntry;

typedef struct LocalVarEntry {
    uint16_t start_pc, length, name, descriptor, signature /* 0 when none */, slot;
} LocalVarEntry;

typedef struct CodeInfo { // as code_info reads it
    uint16_t max_stack, max_locals;
    uint32_t code_len;
    const uint8_t *code;
    uint16_t exception_count;
    const uint8_t *exceptions; // see code_exception
    Bytes attributes;          // attributes_count and what follows
} CodeInfo;

typedef struct MemberAnnotations { // bodies of the attributes
    Bytes plain;                   // RuntimeVisibleAnnotations
    Bytes types;                   // RuntimeVisibleTypeAnnotations
    Bytes parameters,
        defaults; // of methods: RuntimeVisibleParameterAnnotations, AnnotationDefault
} MemberAnnotations;

typedef struct MemberAttributes { // common to classes, fields, methods, record components
    uint16_t signature;           // 0 when none
    bool synthetic;
    bool annotated; // member_annotations has something
    uint32_t at;    // of attributes_count in the file
} MemberAttributes;

typedef struct FieldInfo {
    uint16_t access, name, descriptor;
    uint16_t constant_value; // 0 when none
    MemberAttributes attrs;
} FieldInfo;

typedef struct MethodInfo {
    uint16_t access, name, descriptor;
    MemberAttributes attrs;
    const uint8_t *code; // body of the Code attribute; NULL for native and abstract methods
} MethodInfo;

typedef struct MethodParameter {
    uint16_t name, access; // unchecked: no reason to refuse the class
} MethodParameter;

typedef struct InnerClassEntry {
    uint16_t inner, outer, name, access; // 0 where the file has 0
} InnerClassEntry;

typedef struct BootstrapMethod {
    uint16_t method_handle; // CP_METHOD_HANDLE index
    uint16_t arg_count;
    uint16_t *args;
} BootstrapMethod;

typedef struct RecordComponentInfo {
    uint16_t name, descriptor;
    MemberAttributes attrs;
} RecordComponentInfo;

typedef struct ClassFile {
    Arena arena;
    const uint8_t *bytes; // a copy in the arena, but for ClassFileOptions.immutable
    size_t len;
    uint16_t minor, major;
    uint16_t cp_count;
    // Where the tag of an entry is, 0: index 0, second half of a long or double. In a file of up to
    // 64 KB cp_near has it, else cp_far; the other is NULL. See cf_at.
    uint16_t *cp_near;
    uint32_t *cp_far;
    uint16_t access;
    uint16_t this_class, super_class; // CLASS indices; super 0 for java/lang/Object
    uint16_t interface_count;
    uint16_t *interfaces; // CLASS indices
    uint16_t field_count, method_count;
    FieldInfo *fields;
    MethodInfo *methods;
    // class attributes
    uint16_t source_file; // utf8 index, 0 when none
    MemberAttributes attrs;
    Bytes source_debug_extension;
    bool has_inner_classes;
    uint16_t inner_class_count;
    InnerClassEntry *inner_classes;
    uint16_t enclosing_class, enclosing_method; // CLASS and NAME_AND_TYPE indices, 0 when none
    uint16_t bootstrap_count;
    BootstrapMethod *bootstrap_methods;
    uint16_t nest_host; // CLASS index, 0 when none
    uint16_t nest_member_count, *nest_members;
    bool is_record; // has a Record attribute
    uint16_t component_count;
    RecordComponentInfo *components;
    bool is_sealed; // has PermittedSubclasses
    uint16_t permitted_count, *permitted;
} ClassFile;

typedef enum ClassFileErrorKind {
    CLASSFILE_OK,
    CLASSFILE_FORMAT,              // java.lang.ClassFormatError
    CLASSFILE_UNSUPPORTED_VERSION, // java.lang.UnsupportedClassVersionError
    CLASSFILE_NO_CLASS_DEF,        // java.lang.NoClassDefFoundError (ACC_MODULE set)
    CLASSFILE_VERIFY,              // java.lang.VerifyError
    CLASSFILE_INCOMPATIBLE,        // java.lang.IncompatibleClassChangeError
    CLASSFILE_PENDING,             // load_interface has thrown
} ClassFileErrorKind;

typedef struct ClassFileError {
    ClassFileErrorKind kind;
    // HotSpot's wording, with the class name in front of or in it where HotSpot has it; it cuts
    // there, too.
    char message[1024];
} ClassFileError;

typedef struct ClassFileOptions {
    const char *name; // expected name for messages ("" or NULL when unknown), internal form
    // full format checking (names, descriptors, flags, duplicates); boot classes go without
    bool check_format;
    bool allow_preview; // --enable-preview: 61.65535 is accepted
    bool immutable;     // the bytes stay where and as they are: no copy is made
    // Loads an interface that the class names, while the file is read: what is wrong with it is
    // found before what is wrong further on. False: an exception is pending, the error kind is
    // CLASSFILE_PENDING. Of cf the name of the class is known. May be NULL.
    bool (*load_interface)(void *ctx, const ClassFile *cf, Bytes name);
    void *ctx;
} ClassFileOptions;

// Parses. Never reads outside bytes[0..len), never crashes on any input, at any check_format
// value. NULL and *error on failure.
NODISCARD ClassFile *classfile_parse(const uint8_t *bytes, size_t len,
                                     const ClassFileOptions *options, ClassFileError *error);
void classfile_free(ClassFile *cf);

static inline uint32_t cf_at(const ClassFile *cf, uint16_t index)
{
    return LIKELY(cf->cp_near) ? cf->cp_near[index] : cf->cp_far[index];
}
// The tag of an entry; its index is less than cp_count.
static inline uint8_t cf_tag(const ClassFile *cf, uint16_t index)
{
    uint32_t at = cf_at(cf, index);
    return at ? cf->bytes[at] : 0;
}
// An entry; likewise.
CpEntry cf_entry(const ClassFile *cf, uint16_t index);
// The text of a CONSTANT_Utf8 entry; of the name of a CLASS entry; not NUL-terminated. Index
// must be valid (the parser checked).
static inline Bytes cf_utf8(const ClassFile *cf, uint16_t index)
{
    const uint8_t *p = cf->bytes + cf_at(cf, index) + 1;
    return (Bytes){p + 2, get_u2(p)};
}
// The first index that an entry holds: the name of a CLASS, MODULE or PACKAGE, the text of a
// STRING, the name of a NAME_AND_TYPE, the class of a member reference.
static inline uint16_t cf_first_index(const ClassFile *cf, uint16_t index)
{
    return get_u2(cf->bytes + cf_at(cf, index) + 1);
}
// The NAME_AND_TYPE entry of a member reference, dynamic constant or call.
static inline CpEntry cf_name_and_type(const ClassFile *cf, uint16_t index)
{
    return cf_entry(cf, get_u2(cf->bytes + cf_at(cf, index) + 3));
}
static inline Bytes cf_class_name(const ClassFile *cf, uint16_t class_index)
{
    return cf_utf8(cf, cf_first_index(cf, class_index));
}
static inline bool bytes_eq(Bytes b, const char *s)
{
    size_t n = strlen(s);
    return b.len == n && memcmp(b.p, s, n) == 0;
}
// The annotations of a class, field, method or record component, empty when it has none.
MemberAnnotations member_annotations(const ClassFile *cf, const MemberAttributes *a);
// What a method declares to throw: `count` CLASS indices, for get_u2; NULL when none.
const uint8_t *method_exceptions(const ClassFile *cf, const MethodInfo *m, uint16_t *count);
// Whether the method has a MethodParameters attribute; with how many entries.
bool method_parameters(const ClassFile *cf, const MethodInfo *m, uint8_t *count);
// An entry of it, i < count.
MethodParameter method_parameter(const ClassFile *cf, const MethodInfo *m, uint8_t i);

// ---- code; code_attribute.c ----
// Of MethodInfo.code, which is not NULL. Cheap: the tables stay where they are.
static inline CodeInfo code_info(const uint8_t *body)
{
    enum { HEAD = 8, EXCEPTION = 8 };
    CodeInfo c = {.max_stack = get_u2(body),
                  .max_locals = get_u2(body + 2),
                  .code_len = get_u4(body + 4),
                  .code = body + HEAD};
    const uint8_t *table = c.code + c.code_len, *end = body + get_u4(body - 4);
    c.exception_count = get_u2(table);
    c.exceptions = table + 2;
    c.attributes.p = c.exceptions + c.exception_count * EXCEPTION;
    c.attributes.len = (uint32_t)(end - c.attributes.p);
    return c;
}
// The bytecodes alone.
static inline const uint8_t *code_bytecodes(const uint8_t *body)
{
    return body + 8;
}
// An entry of the exception table, i < exception_count.
static inline ExceptionEntry code_exception(const CodeInfo *c, uint32_t i)
{
    const uint8_t *p = c->exceptions + (size_t)i * 8;
    return (ExceptionEntry){get_u2(p), get_u2(p + 2), get_u2(p + 4), get_u2(p + 6)};
}
// Body of StackMapTable (starts with number_of_entries); p NULL when there is none.
Bytes code_stack_map(const ClassFile *cf, const CodeInfo *c);
// All LineNumberTables together, file order; all LocalVariableTables with the signatures of the
// LocalVariableTypeTables. To be freed with vm_free; NULL when there is no entry.
LineEntry *code_lines(const ClassFile *cf, const CodeInfo *c, uint32_t *count);
LocalVarEntry *code_locals(const ClassFile *cf, const CodeInfo *c, uint32_t *count);
// Whether code_locals has any.
bool code_has_locals(const ClassFile *cf, const CodeInfo *c);
typedef enum LocalFound {
    LOCAL_NO_TABLE, // code_locals has none at all
    LOCAL_NOT_THERE,
    LOCAL_FOUND,
} LocalFound;
// The first of code_locals that is valid in `slot` at `bci`, start_pc + length still being valid (JVM TI, jvmtiLocalVariableEntry). Its
// signature is left out.
LocalFound code_find_local(const ClassFile *cf, const CodeInfo *c, int32_t slot, int32_t bci,
                           LocalVarEntry *out);
// Line of a bytecode index: -1 when there is no table.
int code_line(const ClassFile *cf, const CodeInfo *c, uint32_t bci);

// ---- descriptors (JVMS 4.3), pure; descriptor.c ----
bool descriptor_is_field(const char *s, size_t len);
bool descriptor_is_method(const char *s, size_t len);
// Counts of a valid method descriptor: parameters, argument words (long and double 2, receiver
// not counted), the return type char ('V','I','L','[' …).
typedef struct MethodShape {
    uint8_t param_count, arg_words;
    char ret;
} MethodShape;
MethodShape descriptor_method_shape(const char *s, size_t len);
// Argument words alone, also of a descriptor that has more than it may or is no descriptor at all.
uint32_t descriptor_argument_words(const char *s, size_t len);
// A walk over the parameters of a method descriptor:
//   DescriptorWalk w = descriptor_walk(s, len, first_slot);
//   while (descriptor_walk_next(&w)) ...
typedef struct DescriptorWalk {
    const char *next, *end; // where the next type begins; behind the last parameter the ')'
    char kind;              // of this parameter: the first letter of its type
    const char *type;       // its text
    uint32_t len;
    uint32_t index; // from 0
    uint32_t slot;  // where it begins among the locals, if the first one begins at first_slot
} DescriptorWalk;
DescriptorWalk descriptor_walk(const char *s, size_t len, uint32_t first_slot);
// Moves to the next parameter; false when there is none. Never reads past the end.
bool descriptor_walk_next(DescriptorWalk *w);
// Unqualified or binary name checks (4.2).
bool name_is_valid_class(const uint8_t *s, size_t len); // java/lang/String or [I
bool name_is_valid_field(const uint8_t *s, size_t len);
bool name_is_valid_method(const uint8_t *s, size_t len); // <init>, <clinit> allowed

#endif
