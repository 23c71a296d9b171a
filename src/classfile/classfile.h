// SPDX-License-Identifier: Apache-2.0
// A parsed class file (JVMS 4). Pure: knows no loader, no heap, no thread. All of it lives in
// one arena, together with a copy of the bytes unless they are immutable; it stays alive as long as the class
// made from it, whose rarely used attributes are read straight from here. Names are indices of
// CONSTANT_Utf8 entries; attribute bodies that only the class library reads (annotations …)
// stay as raw byte ranges.
#ifndef CLASSFILE_CLASSFILE_H
#define CLASSFILE_CLASSFILE_H

#include "base/alloc.h"

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

typedef struct CpEntry {
    uint8_t tag; // 0 for index 0 and the second half of a long or double
    // UTF8, the parser's: seen to be a field's, a method's descriptor; many entries say the same ones
    bool is_field_type, is_method_type;
    uint16_t len; // UTF8: of the text
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
_Static_assert(sizeof(CpEntry) == 16, "there are hundreds of them in a class");

typedef struct ExceptionEntry {
    uint16_t start_pc, end_pc, handler_pc, catch_type; // catch_type 0: any
} ExceptionEntry;

typedef struct LineEntry {
    uint16_t start_pc, line;
} LineEntry;

typedef struct LocalVarEntry {
    uint16_t start_pc, length, name, descriptor, signature /* 0 when none */, slot;
} LocalVarEntry;

typedef struct CodeInfo {
    uint16_t max_stack, max_locals;
    uint32_t code_len;
    const uint8_t *code;
    ExceptionEntry *exceptions;
    LineEntry *lines;      // all LineNumberTable attributes together, file order
    LocalVarEntry *locals; // all LocalVariableTables together
    uint32_t line_count, local_count;
    Bytes stack_map; // body of StackMapTable (starts with number_of_entries)
    uint16_t exception_count;
    bool has_type_annotations; // which nobody asks for
} CodeInfo;

typedef struct MemberAnnotations { // bodies of the attributes
    Bytes plain;                   // RuntimeVisibleAnnotations
    Bytes types;                   // RuntimeVisibleTypeAnnotations
    Bytes parameters,
        defaults; // of methods: RuntimeVisibleParameterAnnotations, AnnotationDefault
} MemberAnnotations;

typedef struct MemberAttributes { // common to fields, methods
    uint16_t signature;           // 0 when none
    bool synthetic, deprecated;
    uint8_t invisible; // INVISIBLE_*: attributes that are there once and not kept
    const MemberAnnotations *annotated; // NULL: few are
} MemberAttributes;
enum { INVISIBLE_PLAIN = 1, INVISIBLE_TYPES = 2, INVISIBLE_PARAMETERS = 4 };

typedef struct FieldInfo {
    uint16_t access, name, descriptor;
    uint16_t constant_value; // 0 when none
    MemberAttributes attrs;
} FieldInfo;

typedef struct MethodInfo {
    uint16_t access, name, descriptor;
    uint16_t exception_count; // Exceptions attribute
    uint16_t *exceptions;     // CLASS indices
    CodeInfo *code;           // NULL for native and abstract methods
    bool has_parameters;      // a MethodParameters attribute is present
    uint8_t parameter_count;
    struct MethodParameter {
        uint16_t name, access; // unchecked: no reason to refuse the class
    } * parameters;
    MemberAttributes attrs;
} MethodInfo;

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
    CpEntry *cp;
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

// The text of a CONSTANT_Utf8 entry; of the name of a CLASS entry; not NUL-terminated. Index
// must be valid (the parser checked).
static inline Bytes cf_utf8(const ClassFile *cf, uint16_t index)
{
    return (Bytes){cf->cp[index].text, cf->cp[index].len};
}
static inline Bytes cf_class_name(const ClassFile *cf, uint16_t class_index)
{
    return cf_utf8(cf, cf->cp[class_index].name);
}
static inline bool bytes_eq(Bytes b, const char *s)
{
    size_t n = strlen(s);
    return b.len == n && memcmp(b.p, s, n) == 0;
}
// The annotations of a field, method or record component, empty when it has none.
const MemberAnnotations *member_annotations(const MemberAttributes *a);
// Line of a bytecode index: -1 when there is no table.
int codeinfo_line(const CodeInfo *code, uint32_t bci);

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
// Walks the types of a descriptor: *p at a type (after '('); returns its kind char and moves *p
// behind it; *start/*len give its text. At ')' returns 0.
char descriptor_next(const char **p, const char **start, size_t *len);
// Unqualified or binary name checks (4.2).
bool name_is_valid_class(const uint8_t *s, size_t len); // java/lang/String or [I
bool name_is_valid_field(const uint8_t *s, size_t len);
bool name_is_valid_method(const uint8_t *s, size_t len); // <init>, <clinit> allowed

#endif
