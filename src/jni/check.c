// SPDX-License-Identifier: Apache-2.0
// What -Xcheck:jni looks at. check_table.c says where.
#include "jni/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mutf8.h"
#include "base/output.h"
#include "class/vm_classes.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "options/options.h"

// What the native methods of this thread have to answer for.
static _Thread_local struct {
    const char *unchecked; // function whose exception nobody asked for; NULL: none
    int critical;          // sections open
} state;

const struct JNINativeInterface_ *jni_unchecked;

// ---- reports ----

void check_fail(JNIEnv *env, const char *format, ...)
{
    char message[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(message, sizeof message, format, ap);
    va_end(ap);
    jni_unchecked->FatalError(env, message);
    jni_abort();
}

static PRINTF(2, 3) void warn(Thread *self, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    flockfile(vm_stdout()); // the lines of a warning stay together
    fputs("WARNING in native method: ", vm_stdout());
    vfprintf(vm_stdout(), format, ap);
    va_end(ap);
    fputc('\n', vm_stdout());
    jni_print_stack(self);
    funlockfile(vm_stdout());
}

void check_no_exception(JNIEnv *env)
{
    Thread *self = jni_thread(env);
    if (exception_pending(self))
        warn(self, "JNI call made with exception pending");
}

JniForbidden jni_forbidden;

void check_call_of(const char *function, JNIEnv *env, CheckFlags flags)
{
    if (jni_forbidden)
        jni_forbidden(function);
    Thread *self = jni_thread(env), *current = thread_current();
    if (!current) {
        fputs("FATAL ERROR in native method: Using JNIEnv in non-Java thread\n", vm_stdout());
        jni_abort();
    }
    if (self != current)
        check_fail(jni_env(current), "Using JNIEnv in the wrong thread");
    if (state.critical && !(flags & IN_CRITICAL)) {
        fputs("Warning: Calling other JNI functions in the scope of "
              "Get/ReleasePrimitiveArrayCritical or Get/ReleaseStringCritical\n",
              vm_stdout());
        fflush(vm_stdout());
    }
    if (flags & WITH_EXCEPTION)
        return;
    check_no_exception(env);
    if (state.unchecked)
        warn(self, "JNI call made without checking exceptions when required to from %s",
             state.unchecked);
    state.unchecked = NULL;
}

void check_later(const char *function)
{
    state.unchecked = function;
}
void check_asked(void)
{
    state.unchecked = NULL;
}
void jni_check_return(Thread *self)
{
    (void)self;
    state.unchecked = NULL;
}
void check_critical_enter(void)
{
    state.critical++;
}
void check_critical_exit(void)
{
    if (state.critical > 0)
        state.critical--;
}

// ---- references ----

static bool is_live(JNIEnv *env, jobject o)
{
    return jni_unchecked->GetObjectRefType(env, o) != JNIInvalidRefType;
}
// The checks below hold the world by being in the VM, and leave it before they report.
static bool is_kind(JNIEnv *env, jobject o, bool (*test)(Class *cls))
{
    IN_VM(env);
    Object *object = deref(o);
    return object && test(object_class(object));
}
static bool is_class(Class *cls)
{
    return cls == CLS(Class);
}
static bool is_string(Class *cls)
{
    return cls == CLS(String);
}
static bool is_array(Class *cls)
{
    return class_is_array(cls);
}
static bool is_object_array(Class *cls)
{
    return class_is_array(cls) && kind_is_reference(cls->name->s[1]);
}
static bool is_throwable(Class *cls)
{
    return class_is_subclass(cls, CLS(Throwable));
}

void check_reference(JNIEnv *env, jobject o)
{
    if (!o || !is_live(env, o))
        check_fail(env, "Bad global or local ref passed to JNI");
}
void check_reference_or_null(JNIEnv *env, jobject o)
{
    if (o && !is_live(env, o))
        check_fail(env, "Bad global or local ref passed to JNI");
}
void check_class(JNIEnv *env, jclass c)
{
    check_reference(env, c);
    if (!is_kind(env, c, is_class))
        check_fail(env, "JNI received a class argument that is not a class");
}
void check_throwable(JNIEnv *env, jthrowable o)
{
    check_reference(env, o);
    if (!is_kind(env, o, is_throwable))
        check_fail(env, "JNI Throw or ThrowNew received a class argument that is not a "
                        "Throwable or Throwable subclass");
}
void check_throwable_class(JNIEnv *env, jclass c)
{
    check_class(env, c);
    bool good;
    {
        IN_VM(env);
        good = is_throwable(class_of_handle(c));
    }
    if (!good)
        check_fail(env, "JNI Throw or ThrowNew received a class argument that is not a "
                        "Throwable or Throwable subclass");
}
void check_string(JNIEnv *env, jstring s)
{
    if (!s || !is_live(env, s) || !is_kind(env, s, is_string))
        check_fail(env, "JNI string operation received a non-string");
}
void check_array(JNIEnv *env, jarray a)
{
    if (!a || !is_live(env, a) || !is_kind(env, a, is_array))
        check_fail(env, "Non-array passed to JNI array operations");
}
void check_object_array(JNIEnv *env, jobjectArray a)
{
    check_array(env, a);
    if (!is_kind(env, a, is_object_array))
        check_fail(env, "Object array expected but not received for JNI array operation");
}
void check_primitive_array(JNIEnv *env, jarray a, char kind)
{
    check_array(env, a);
    char found;
    {
        IN_VM(env);
        found = object_class(deref(a))->name->s[1];
    }
    if (kind_is_reference(found))
        check_fail(env,
                   "Primitive type array expected but not received for JNI array operation");
    if (kind && found != kind)
        check_fail(env, "Array element type mismatch in JNI");
}

void check_reference_type(JNIEnv *env, jobject o, jobjectRefType type, const char *function)
{
    static const char *const kinds[] = {[JNILocalRefType] = "local",
                                        [JNIGlobalRefType] = "global",
                                        [JNIWeakGlobalRefType] = "weak global"};
    if (type != JNIWeakGlobalRefType)
        check_reference_or_null(env, o);
    if (o && jni_unchecked->GetObjectRefType(env, o) != type)
        check_fail(env, "Invalid %s JNI handle passed to %s", kinds[type], function);
}

void check_capacity(JNIEnv *env, jint capacity)
{
    if (capacity < 0)
        check_fail(env, "negative capacity");
}

void check_descriptor(JNIEnv *env, const char *name)
{
    size_t len = name ? strlen(name) : 0;
    if (!mutf8_is_valid((const uint8_t *)name, len))
        check_fail(env, "JNI class name is not a valid UTF8 string \"%s\"", name);
    if (len > 1 && name[0] == 'L' && name[len - 1] == ';')
        warn(jni_thread(env),
             "JNI FindClass received a bad class descriptor \"%s\".  A correct class "
             "descriptor has no leading \"L\" or trailing \";\".  Incorrect descriptors will "
             "not be accepted in future releases.",
             name);
}

// ---- members ----

static const Field *field_in(const Class *cls, jfieldID id)
{
    return class_field_at(cls, id);
}
// The field of an id among those of a class and all above it; NULL when it is none.
static const Field *field_of(const Class *cls, jfieldID id)
{
    const Field *f = NULL;
    for (const Class *c = cls; c && !f; c = c->super) {
        f = field_in(c, id);
        for (int i = 0; i < c->interface_count && !f; i++)
            f = field_of(c->interfaces[i], id);
    }
    return f;
}
static const Field *find_field(JNIEnv *env, jobject o, jfieldID id, bool is_static)
{
    IN_VM(env);
    return field_of(is_static ? class_of_handle(o) : object_class(deref(o)), id);
}

void check_instance_field(JNIEnv *env, jobject o, jfieldID id, char kind)
{
    if (!o)
        check_fail(env, "Null object passed to JNI");
    check_reference(env, o);
    const Field *f = find_field(env, o, id, false);
    if (!f)
        check_fail(env, "Wrong field ID passed to JNI");
    if (f->access & ACC_STATIC)
        check_fail(env, "Static field ID passed to JNI");
    if ((f->kind == '[' ? 'L' : f->kind) != kind)
        check_fail(env, "Field type (instance) mismatch in JNI get/set field operations");
}
void check_static_field(JNIEnv *env, jclass c, jfieldID id, char kind)
{
    check_class(env, c);
    const Field *f = find_field(env, c, id, true);
    if (!f)
        check_fail(env, "Wrong static field ID passed to JNI");
    if (!(f->access & ACC_STATIC))
        check_fail(env, "Non-static field ID passed to JNI");
    if ((f->kind == '[' ? 'L' : f->kind) != kind)
        check_fail(env, "Field type (static) mismatch in JNI get/set field operations");
}
void check_method(JNIEnv *env, jmethodID id)
{
    if (!method_of_id_checked(id))
        check_fail(env, "Wrong method ID passed to JNI call");
}
void check_method_of(JNIEnv *env, jclass c, jmethodID id)
{
    check_method(env, id);
    bool good;
    {
        IN_VM(env);
        good = class_is_subclass(class_of_handle(c), method_of_id(id)->cls);
    }
    if (!good)
        check_fail(env, "Wrong object class or methodID passed to JNI call");
}

// ---- guarded copies ----

enum { GUARD = 32 }; // bytes on either side
static const uint8_t guard_byte = 0xab;
static const uint64_t guard_magic = 0x6a6e692067756172;

typedef struct GuardedCopy {
    uint64_t magic;
    void *real;
    size_t size;
    uint8_t before[GUARD];
    uint8_t data[]; // then GUARD bytes more
} GuardedCopy;

static GuardedCopy *copy_of(void *data)
{
    return (GuardedCopy *)(void *)((char *)data - offsetof(GuardedCopy, data));
}

void *guard_new(void *real, size_t size)
{
    GuardedCopy *copy = vm_malloc(sizeof *copy + size + GUARD);
    *copy = (GuardedCopy){.magic = guard_magic, .real = real, .size = size};
    memset(copy->before, guard_byte, GUARD);
    memcpy(copy->data, real, size);
    memset(copy->data + size, guard_byte, GUARD);
    return copy->data;
}

static bool is_whole(const uint8_t *guard)
{
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != guard_byte)
            return false;
    return true;
}

void *guard_real(void *data, size_t *size)
{
    GuardedCopy *copy = copy_of(data);
    if (copy->magic != guard_magic || !is_whole(copy->before)
        || !is_whole(copy->data + copy->size))
        return NULL;
    *size = copy->size;
    return copy->real;
}

void guard_free(void *data)
{
    GuardedCopy *copy = copy_of(data);
    copy->magic = 0;
    vm_free(copy);
}
