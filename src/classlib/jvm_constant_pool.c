// SPDX-License-Identifier: Apache-2.0
// jdk.internal.reflect.ConstantPool: reading a class's constant pool, mainly for annotations.
// Its constantPoolOop is the class mirror.
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "java/string.h"
#include "redefine/class_version.h"

jobject JNICALL JVM_GetClassConstantPool(JNIEnv *env, jclass c)
{
    IN_VM(env);
    if (!class_of_handle(c)->cf)
        return NULL;
    jobject pool = object_new(self, CLS(ReflectConstantPool));
    if (pool) {
        object_set_ref(deref(pool), OFF(ReflectConstantPool, constantPoolOop), deref(c));
        object_post_alloc(self, pool);
    }
    return pool;
}

// The entry at an index, which must have one of the tags (ended by 0). Tag 0 with
// IllegalArgumentException otherwise.
static CpEntry entry(Thread *self, Class *c, jint index, const uint8_t *tags)
{
    if (index < 0 || index >= c->cf->cp_count) {
        throw_new(self, "java/lang/IllegalArgumentException",
                  "Constant pool index out of bounds");
        return (CpEntry){0};
    }
    CpEntry e = cf_entry(c->cf, (uint16_t)index);
    for (; *tags; tags++)
        if (e.tag == *tags)
            return e;
    throw_new(self, "java/lang/IllegalArgumentException", "Wrong type at constant pool index");
    return (CpEntry){0};
}
#define TAGS(...) ((const uint8_t[]){__VA_ARGS__, 0})
#define REF_TAGS  TAGS(CP_FIELDREF, CP_METHODREF, CP_INTERFACE_METHODREF)

jint JNICALL JVM_ConstantPoolGetSize(JNIEnv *env, jobject unused, jobject pool)
{
    (void)unused;
    IN_VM(env);
    return class_of_handle(pool)->cf->cp_count;
}

#define NUMBER(Name, type, wanted, member)                                                \
    type JNICALL JVM_ConstantPoolGet##Name##At(JNIEnv *env, jobject unused, jobject pool, \
                                               jint index)                                \
    {                                                                                     \
        (void)unused;                                                                     \
        IN_VM(env);                                                                       \
        CpEntry e = entry(self, class_of_handle(pool), index, TAGS(wanted));              \
        return e.tag ? e.member : 0;                                                      \
    }
NUMBER(Int, jint, CP_INTEGER, i)
NUMBER(Long, jlong, CP_LONG, l)
NUMBER(Float, jfloat, CP_FLOAT, f)
NUMBER(Double, jdouble, CP_DOUBLE, d)

static jstring utf8(Thread *self, const ClassFile *cf, uint16_t index)
{
    Bytes b = cf_utf8(cf, index);
    return string_from_mutf8_reported(self, (const char *)b.p, b.len);
}
jstring JNICALL JVM_ConstantPoolGetUTF8At(JNIEnv *env, jobject unused, jobject pool, jint index)
{
    (void)unused;
    IN_VM(env);
    Class *c = class_of_handle(pool);
    const ConstantPool *version = class_version(self, c);
    return entry(self, c, index, TAGS(CP_UTF8)).tag ? utf8(self, version->cf, (uint16_t)index)
                                                    : NULL;
}
jstring JNICALL JVM_ConstantPoolGetStringAt(JNIEnv *env, jobject unused, jobject pool,
                                            jint index)
{
    (void)unused;
    IN_VM(env);
    Class *c = class_of_handle(pool);
    bool is_null;
    if (!entry(self, c, index, TAGS(CP_STRING)).tag)
        return NULL;
    jobject constant = resolve_constant(self, c->pool, (uint16_t)index, &is_null);
    return handle_new(self, deref(constant));
}
jbyte JNICALL JVM_ConstantPoolGetTagAt(JNIEnv *env, jobject unused, jobject pool, jint index)
{
    (void)unused;
    IN_VM(env);
    const ClassFile *cf = class_of_handle(pool)->cf;
    if (index >= 0 && index < cf->cp_count)
        return (jbyte)cf_tag(cf, (uint16_t)index);
    throw_new(self, "java/lang/IllegalArgumentException", "Constant pool index out of bounds");
    return 0;
}

// ---- classes and members ----

// The class a CLASS entry names. NULL without exception when it is only looked for and not loaded.
static Class *class_of_entry(Thread *self, Class *c, uint16_t index, bool only_loaded)
{
    if (index == c->cf->this_class)
        return c;
    if (!only_loaded)
        return resolve_class(self, c->pool, index);
    Bytes name = cf_class_name(c->cf, index);
    Symbol *symbol = symbol_find_n((const char *)name.p, name.len);
    return symbol ? loader_find_loaded(c->loader, symbol) : NULL;
}
static jclass class_at(JNIEnv *env, jobject pool, jint index, bool only_loaded)
{
    IN_VM(env);
    Class *c = class_of_handle(pool);
    if (!entry(self, c, index, TAGS(CP_CLASS)).tag)
        return NULL;
    Class *found = class_of_entry(self, c, (uint16_t)index, only_loaded);
    return found ? mirror_handle(self, found) : NULL;
}
jclass JNICALL JVM_ConstantPoolGetClassAt(JNIEnv *env, jobject unused, jobject pool, jint index)
{
    (void)unused;
    return class_at(env, pool, index, false);
}
jclass JNICALL JVM_ConstantPoolGetClassAtIfLoaded(JNIEnv *env, jobject unused, jobject pool,
                                                  jint index)
{
    (void)unused;
    return class_at(env, pool, index, true);
}

// The class, name and descriptor of a member reference. False when the class is not there.
static bool member_at(Thread *self, Class *c, CpEntry e, bool only_loaded, Class **owner,
                      Symbol **name, Symbol **desc)
{
    const ClassFile *cf = class_version(self, c)->cf;
    CpEntry nat = cf_entry(cf, e.ref.nat);
    Bytes n = cf_utf8(cf, nat.nat.name), d = cf_utf8(cf, nat.nat.type);
    *owner = class_of_entry(self, c, e.ref.cls, only_loaded);
    *name = symbol_intern_n((const char *)n.p, n.len);
    *desc = symbol_intern_n((const char *)d.p, d.len);
    return *owner != NULL;
}
static jobject posted(Thread *self, jobject member)
{
    if (member)
        object_post_alloc(self, member);
    return member;
}
static jobject method_at(JNIEnv *env, jobject pool, jint index, bool only_loaded)
{
    IN_VM(env);
    Class *c = class_of_handle(pool), *owner;
    Symbol *name, *desc;
    CpEntry e = entry(self, c, index, TAGS(CP_METHODREF, CP_INTERFACE_METHODREF));
    if (!e.tag || !member_at(self, c, e, only_loaded, &owner, &name, &desc))
        return NULL;
    Method *m = class_is_interface(owner) ? class_find_interface_method(owner, name, desc)
                                          : class_find_method(owner, name, desc);
    if (m)
        return posted(self, reflect_method(self, m));
    if (!only_loaded)
        throw_new(self, "java/lang/RuntimeException",
                  "Unable to look up method in target class");
    return NULL;
}
jobject JNICALL JVM_ConstantPoolGetMethodAt(JNIEnv *env, jobject unused, jobject pool,
                                            jint index)
{
    (void)unused;
    return method_at(env, pool, index, false);
}
jobject JNICALL JVM_ConstantPoolGetMethodAtIfLoaded(JNIEnv *env, jobject unused, jobject pool,
                                                    jint index)
{
    (void)unused;
    return method_at(env, pool, index, true);
}
static jobject field_at(JNIEnv *env, jobject pool, jint index, bool only_loaded)
{
    IN_VM(env);
    Class *c = class_of_handle(pool), *owner;
    Symbol *name, *desc;
    CpEntry e = entry(self, c, index, TAGS(CP_FIELDREF));
    if (!e.tag || !member_at(self, c, e, only_loaded, &owner, &name, &desc))
        return NULL;
    Field *f = class_find_field(owner, name, desc);
    if (f)
        return posted(self, reflect_field(self, f));
    if (!only_loaded)
        throw_new(self, "java/lang/RuntimeException",
                  "Unable to look up field in target class");
    return NULL;
}
jobject JNICALL JVM_ConstantPoolGetFieldAt(JNIEnv *env, jobject unused, jobject pool,
                                           jint index)
{
    (void)unused;
    return field_at(env, pool, index, false);
}
jobject JNICALL JVM_ConstantPoolGetFieldAtIfLoaded(JNIEnv *env, jobject unused, jobject pool,
                                                   jint index)
{
    (void)unused;
    return field_at(env, pool, index, true);
}

// ---- the parts of references ----

jint JNICALL JVM_ConstantPoolGetClassRefIndexAt(JNIEnv *env, jobject unused, jobject pool,
                                                jint index)
{
    (void)unused;
    IN_VM(env);
    CpEntry e = entry(self, class_of_handle(pool), index, REF_TAGS);
    return e.tag ? e.ref.cls : 0;
}
jint JNICALL JVM_ConstantPoolGetNameAndTypeRefIndexAt(JNIEnv *env, jobject unused, jobject pool,
                                                      jint index)
{
    (void)unused;
    IN_VM(env);
    CpEntry e = entry(
        self, class_of_handle(pool), index,
        TAGS(CP_FIELDREF, CP_METHODREF, CP_INTERFACE_METHODREF, CP_DYNAMIC, CP_INVOKE_DYNAMIC));
    if (!e.tag)
        return 0;
    return e.tag == CP_DYNAMIC || e.tag == CP_INVOKE_DYNAMIC ? e.dyn.nat : e.ref.nat;
}
static jobjectArray string_array(Thread *self, const ClassFile *cf, int count,
                                 const uint16_t *indices)
{
    Class *strings = class_array_of(self, CLS(String));
    jobject a = strings ? array_new(self, strings, count) : NULL;
    for (int i = 0; a && i < count; i++) {
        jobject s = utf8(self, cf, indices[i]);
        if (!s)
            return NULL;
        array_set_ref(deref(a), i, deref(s));
    }
    if (a)
        object_post_alloc(self, a);
    return a;
}
jobjectArray JNICALL JVM_ConstantPoolGetMemberRefInfoAt(JNIEnv *env, jobject unused,
                                                        jobject pool, jint index)
{
    (void)unused;
    IN_VM(env);
    const ClassFile *cf = class_version(self, class_of_handle(pool))->cf;
    CpEntry e = entry(self, class_of_handle(pool), index, REF_TAGS);
    if (!e.tag)
        return NULL;
    CpEntry nat = cf_entry(cf, e.ref.nat);
    const uint16_t parts[] = {cf_first_index(cf, e.ref.cls), nat.nat.name, nat.nat.type};
    return string_array(self, cf, 3, parts);
}
jobjectArray JNICALL JVM_ConstantPoolGetNameAndTypeRefInfoAt(JNIEnv *env, jobject unused,
                                                             jobject pool, jint index)
{
    (void)unused;
    IN_VM(env);
    const ClassFile *cf = class_version(self, class_of_handle(pool))->cf;
    CpEntry e = entry(self, class_of_handle(pool), index, TAGS(CP_NAME_AND_TYPE));
    if (!e.tag)
        return NULL;
    const uint16_t parts[] = {e.nat.name, e.nat.type};
    return string_array(self, cf, 2, parts);
}
