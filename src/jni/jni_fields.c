// SPDX-License-Identifier: Apache-2.0
// JNI: field access. Static finals may be written (System.in, out, err are).
#include "class/assumption.h"
#include "interp/watch.h"
#include "java/box.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "jni/jni_internal.h"

static jobject watched_object(const Field *f, jobject o)
{
    return f->access & ACC_STATIC ? NULL : o;
}

static jvalue get(JNIEnv *env, Object *(*holder)(jobject o, const Field *f), jobject o,
                  jfieldID id)
{
    IN_VM(env);
    Field *f = (Field *)id;
    if (UNLIKELY(f->watch & WATCH_ACCESS))
        watch_get_native(self, f, watched_object(f, o));
    return memory_get(self, holder(o, f), f->offset, f->kind, (f->access & ACC_VOLATILE) != 0);
}
static void set(JNIEnv *env, Object *(*holder)(jobject o, const Field *f), jobject o,
                jfieldID id, jvalue v)
{
    IN_VM(env);
    Field *f = (Field *)id;
    if (UNLIKELY(f->watch & WATCH_MODIFY))
        watch_put_native(self, f, watched_object(f, o), v);
    if (UNLIKELY(f->access & ACC_FINAL))
        assumption_break_final(self, f);
    memory_set(holder(o, f), f->offset, f->kind, v, (f->access & ACC_VOLATILE) != 0);
}
static Object *instance(jobject o, const Field *f)
{
    (void)f;
    return deref(o);
}
static Object *statics(jobject c, const Field *f)
{
    (void)c;
    return class_mirror(f->cls);
}

#define FIELD_FAMILY(Type, type, member, kind)                                             \
    static type JNICALL Get##Type##Field(JNIEnv *env, jobject o, jfieldID id)              \
    {                                                                                      \
        return get(env, instance, o, id).member;                                           \
    }                                                                                      \
    static type JNICALL GetStatic##Type##Field(JNIEnv *env, jclass c, jfieldID id)         \
    {                                                                                      \
        return get(env, statics, c, id).member;                                            \
    }                                                                                      \
    static void JNICALL Set##Type##Field(JNIEnv *env, jobject o, jfieldID id, type v)      \
    {                                                                                      \
        set(env, instance, o, id, (jvalue){.member = v});                                  \
    }                                                                                      \
    static void JNICALL SetStatic##Type##Field(JNIEnv *env, jclass c, jfieldID id, type v) \
    {                                                                                      \
        set(env, statics, c, id, (jvalue){.member = v});                                   \
    }
JNI_PRIMITIVES(FIELD_FAMILY)
FIELD_FAMILY(Object, jobject, l, 'L')

static Field *find(Thread *self, jclass c, const char *name, const char *desc, bool is_static)
{
    HANDLE_SCOPE(self);
    Class *cls = class_of_handle(c);
    if (!class_initialize(self, cls))
        return NULL;
    Symbol *n = symbol_find_n(name, strlen(name)), *d = symbol_find_n(desc, strlen(desc));
    Field *f = n && d ? class_find_field(cls, n, d) : NULL;
    if (!f || !(f->access & ACC_STATIC) == is_static) {
        char *owner = class_external_name(cls);
        if (is_static)
            throw_new(self, "java/lang/NoSuchFieldError", "%s", name);
        else
            throw_new(self, "java/lang/NoSuchFieldError", "%s.%s %s", owner, name, desc);
        vm_free(owner);
        return NULL;
    }
    return f;
}
static jfieldID JNICALL GetFieldID(JNIEnv *env, jclass c, const char *name, const char *desc)
{
    IN_VM(env);
    return (jfieldID)find(self, c, name, desc, false);
}
static jfieldID JNICALL GetStaticFieldID(JNIEnv *env, jclass c, const char *name,
                                         const char *desc)
{
    IN_VM(env);
    return (jfieldID)find(self, c, name, desc, true);
}

void jni_fill_fields(struct JNINativeInterface_ *t)
{
#define FILL(Type, type, member, kind)                  \
    t->Get##Type##Field = Get##Type##Field;             \
    t->GetStatic##Type##Field = GetStatic##Type##Field; \
    t->Set##Type##Field = Set##Type##Field;             \
    t->SetStatic##Type##Field = SetStatic##Type##Field;
    JNI_PRIMITIVES(FILL)
    FILL(Object, jobject, l, 'L')
    t->GetFieldID = GetFieldID;
    t->GetStaticFieldID = GetStaticFieldID;
}
