// SPDX-License-Identifier: Apache-2.0
// What libverify.so, the verifier of class files before version 50, reads of a class: constant
// pool, fields and methods by their index in the class file. Strings are symbols, which are
// never freed. libverify has checked the tag and range of an index before it asks; a wrong one
// is answered with NULL or -1.
#include "classlib/jvm.h"
#include "java/java_object.h"

enum { FIELD_MODIFIERS = 0x50DF, METHOD_MODIFIERS = 0x1DFF };

static const ClassFile *class_file_of(jclass c)
{
    return class_file_in_question(class_of_handle(c));
}

// ---- the class ----

const char *JNICALL JVM_GetClassNameUTF(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return class_of_handle(c)->name->s;
}
jint JNICALL JVM_GetClassCPEntriesCount(JNIEnv *env, jclass c)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    return cf ? cf->cp_count : 0;
}
void JNICALL JVM_GetClassCPTypes(JNIEnv *env, jclass c, unsigned char *types)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    for (int i = 0; cf && i < cf->cp_count; i++)
        types[i] = cf_tag(cf, (uint16_t)i);
}
jint JNICALL JVM_GetClassFieldsCount(JNIEnv *env, jclass c)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    return cf ? cf->field_count : 0;
}
jint JNICALL JVM_GetClassMethodsCount(JNIEnv *env, jclass c)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    return cf ? cf->method_count : 0;
}
jboolean JNICALL JVM_IsSameClassPackage(JNIEnv *env, jclass a, jclass b)
{
    IN_VM(env);
    return class_same_package(class_of_handle(a), class_of_handle(b));
}

// ---- names and descriptors of constant pool entries ----

static const char *utf_text(const ClassFile *cf, uint16_t utf8)
{
    Bytes b = cf_utf8(cf, utf8);
    return symbol_intern_n((const char *)b.p, b.len)->s;
}
// The name in the constant pool's entry of a class. A hidden class is not the class that its file names.
static const char *class_name_text(jclass c, const ClassFile *cf, uint16_t index)
{
    const Class *own = class_of_handle(c);
    return own->hidden && index == cf->this_class ? own->name->s
                                                  : utf_text(cf, cf_first_index(cf, index));
}
// The entry if it exists and its tag is in the set (bit per tag), else one of tag 0.
static CpEntry cp_entry(const ClassFile *cf, jint index, uint32_t tags)
{
    if (!cf || index <= 0 || index >= cf->cp_count)
        return (CpEntry){0};
    CpEntry e = cf_entry(cf, (uint16_t)index);
    return tags >> e.tag & 1 ? e : (CpEntry){0};
}
enum {
    FIELD_REFS = 1u << CP_FIELDREF,
    METHOD_REFS = 1u << CP_METHODREF | 1u << CP_INTERFACE_METHODREF,
    DYNAMIC_REFS = 1u << CP_DYNAMIC | 1u << CP_INVOKE_DYNAMIC,
};

static const char *ref_class_name(JNIEnv *env, jclass c, jint index, uint32_t tags)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    CpEntry e = cp_entry(cf, index, tags);
    return e.tag ? class_name_text(c, cf, e.ref.cls) : NULL;
}
static const char *ref_name_or_type(JNIEnv *env, jclass c, jint index, uint32_t tags, bool name)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    CpEntry e = cp_entry(cf, index, tags);
    if (!e.tag)
        return NULL;
    CpEntry nat = cf_name_and_type(cf, (uint16_t)index);
    return utf_text(cf, name ? nat.nat.name : nat.nat.type);
}
static const char *ref_name(JNIEnv *env, jclass c, jint index, uint32_t tags)
{
    return ref_name_or_type(env, c, index, tags, true);
}
static const char *ref_signature(JNIEnv *env, jclass c, jint index, uint32_t tags)
{
    return ref_name_or_type(env, c, index, tags, false);
}

const char *JNICALL JVM_GetCPClassNameUTF(JNIEnv *env, jclass c, jint index)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    CpEntry e = cp_entry(cf, index, 1u << CP_CLASS);
    return e.tag ? class_name_text(c, cf, (uint16_t)index) : NULL;
}
const char *JNICALL JVM_GetCPFieldClassNameUTF(JNIEnv *env, jclass c, jint index)
{
    return ref_class_name(env, c, index, FIELD_REFS);
}
const char *JNICALL JVM_GetCPFieldNameUTF(JNIEnv *env, jclass c, jint index)
{
    return ref_name(env, c, index, FIELD_REFS);
}
const char *JNICALL JVM_GetCPFieldSignatureUTF(JNIEnv *env, jclass c, jint index)
{
    return ref_signature(env, c, index, FIELD_REFS);
}
const char *JNICALL JVM_GetCPMethodClassNameUTF(JNIEnv *env, jclass c, jint index)
{
    return ref_class_name(env, c, index, METHOD_REFS);
}
const char *JNICALL JVM_GetCPMethodNameUTF(JNIEnv *env, jclass c, jint index)
{
    return ref_name(env, c, index, METHOD_REFS | DYNAMIC_REFS);
}
const char *JNICALL JVM_GetCPMethodSignatureUTF(JNIEnv *env, jclass c, jint index)
{
    return ref_signature(env, c, index, METHOD_REFS | DYNAMIC_REFS);
}
void JNICALL JVM_ReleaseUTF(const char *text)
{
    (void)text; // a symbol: it is pinned while the verifier runs
}

// ---- flags of referenced members, when the named class itself declares them ----

// Interns name and descriptor of a member reference; false when the index is none.
static bool member_symbols(const ClassFile *cf, jint index, uint32_t tags, Symbol **name,
                           Symbol **desc)
{
    CpEntry e = cp_entry(cf, index, tags);
    if (!e.tag)
        return false;
    CpEntry nat = cf_entry(cf, e.ref.nat);
    Bytes n = cf_utf8(cf, nat.nat.name), d = cf_utf8(cf, nat.nat.type);
    *name = symbol_intern_n((const char *)n.p, n.len);
    *desc = symbol_intern_n((const char *)d.p, d.len);
    return true;
}
jint JNICALL JVM_GetCPFieldModifiers(JNIEnv *env, jclass c, int index, jclass called)
{
    IN_VM(env);
    Symbol *name, *desc;
    if (!member_symbols(class_file_of(c), index, FIELD_REFS, &name, &desc))
        return -1;
    const Field *f = class_declared_field(class_of_handle(called), name, desc);
    return f ? f->access & FIELD_MODIFIERS : -1;
}
jint JNICALL JVM_GetCPMethodModifiers(JNIEnv *env, jclass c, int index, jclass called)
{
    IN_VM(env);
    Symbol *name, *desc;
    if (!member_symbols(class_file_of(c), index, METHOD_REFS, &name, &desc))
        return -1;
    const Method *m = class_declared_method(class_of_handle(called), name, desc);
    return m ? m->access & METHOD_MODIFIERS : -1;
}

// ---- declared members by index ----

static const MethodInfo *method_info_at(jclass c, jint index)
{
    const ClassFile *cf = class_file_of(c);
    VM_CHECK(index >= 0 && index < cf->method_count);
    return &cf->methods[index];
}

jint JNICALL JVM_GetFieldIxModifiers(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    VM_CHECK(index >= 0 && index < cf->field_count);
    return cf->fields[index].access & FIELD_MODIFIERS;
}
jint JNICALL JVM_GetMethodIxModifiers(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    return method_info_at(c, index)->access & METHOD_MODIFIERS;
}
const char *JNICALL JVM_GetMethodIxNameUTF(JNIEnv *env, jclass c, jint index)
{
    IN_VM(env);
    return utf_text(class_file_of(c), method_info_at(c, index)->name);
}
const char *JNICALL JVM_GetMethodIxSignatureUTF(JNIEnv *env, jclass c, jint index)
{
    IN_VM(env);
    return utf_text(class_file_of(c), method_info_at(c, index)->descriptor);
}
jint JNICALL JVM_GetMethodIxArgsSize(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    const MethodInfo *m = method_info_at(c, index);
    Bytes desc = cf_utf8(class_file_of(c), m->descriptor);
    return descriptor_method_shape((const char *)desc.p, desc.len).arg_words
           + !(m->access & ACC_STATIC);
}
jboolean JNICALL JVM_IsConstructorIx(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    const ClassFile *cf = class_file_of(c);
    return bytes_eq(cf_utf8(cf, method_info_at(c, index)->name), "<init>");
}
jboolean JNICALL JVM_IsVMGeneratedMethodIx(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    (void)c, (void)index; // those have no index
    return JNI_FALSE;
}

// ---- code ----

// All 0 for a method without.
static CodeInfo code_at(jclass c, jint index)
{
    const uint8_t *body = method_info_at(c, index)->code;
    return body ? code_info(body) : (CodeInfo){0};
}

jint JNICALL JVM_GetMethodIxByteCodeLength(JNIEnv *env, jclass c, jint index)
{
    IN_VM(env);
    CodeInfo code = code_at(c, index);
    return (jint)code.code_len;
}
void JNICALL JVM_GetMethodIxByteCode(JNIEnv *env, jclass c, jint index, unsigned char *out)
{
    IN_VM(env);
    CodeInfo code = code_at(c, index);
    if (code.code_len)
        memcpy(out, code.code, code.code_len);
}
jint JNICALL JVM_GetMethodIxMaxStack(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    CodeInfo code = code_at(c, index);
    return code.max_stack;
}
jint JNICALL JVM_GetMethodIxLocalsCount(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    CodeInfo code = code_at(c, index);
    return code.max_locals;
}
jint JNICALL JVM_GetMethodIxExceptionTableLength(JNIEnv *env, jclass c, int index)
{
    IN_VM(env);
    CodeInfo code = code_at(c, index);
    return code.exception_count;
}
void JNICALL JVM_GetMethodIxExceptionTableEntry(JNIEnv *env, jclass c, jint index,
                                                jint entry_index,
                                                struct JvmExceptionTableEntry *entry)
{
    IN_VM(env);
    CodeInfo code = code_at(c, index);
    VM_CHECK(entry_index >= 0 && entry_index < code.exception_count);
    ExceptionEntry e = code_exception(&code, (uint32_t)entry_index);
    *entry = (struct JvmExceptionTableEntry){e.start_pc, e.end_pc, e.handler_pc, e.catch_type};
}
jint JNICALL JVM_GetMethodIxExceptionsCount(JNIEnv *env, jclass c, jint index)
{
    IN_VM(env);
    uint16_t count;
    method_exceptions(class_file_of(c), method_info_at(c, index), &count);
    return count;
}
void JNICALL JVM_GetMethodIxExceptionIndexes(JNIEnv *env, jclass c, jint index,
                                             unsigned short *out)
{
    IN_VM(env);
    uint16_t count;
    const uint8_t *p = method_exceptions(class_file_of(c), method_info_at(c, index), &count);
    for (uint16_t i = 0; i < count; i++)
        out[i] = get_u2(p + 2 * i);
}
