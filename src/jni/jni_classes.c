// SPDX-License-Identifier: Apache-2.0
// JNI: classes, methods' ids, objects, reflection, natives' registration, modules.
#include "base/log.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "frame/frame_cursor.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "jni/jni_internal.h"
#include "link/native.h"

static jint JNICALL GetVersion(JNIEnv *env)
{
    (void)env;
    return JNI_VERSION_10;
}

// The loader FindClass uses: of the calling native method; in JNI_OnLoad the one that loads the
// library; with no caller the system loader, the boot loader before there is one.
static Loader *calling_loader(Thread *self)
{
    const Method *m = cursor_youngest(self).method;
    if (m && m->cls == CLS(NativeLibraries)) {
        jvalue cls;
        if (!java_call(self, MTH(NativeLibraries, getFromClass), NULL, &cls))
            return NULL;
        return cls.l ? class_of_handle(cls.l)->loader : loader_boot;
    }
    if (m)
        return m->cls->loader;
    Loader *system = atomic_load(&loader_system);
    return system ? system : loader_boot;
}

// A descriptor is taken as the class's name.
static Class *find_class(Thread *self, const char *name, size_t len)
{
    HANDLE_SCOPE(self);
    bool descriptor = len > 1 && name[0] == 'L' && name[len - 1] == ';';
    Symbol *symbol =
        descriptor ? symbol_intern_n(name + 1, len - 2) : symbol_intern_n(name, len);
    Loader *loader = calling_loader(self);
    Class *c = loader ? loader_load_said(self, loader, symbol, name) : NULL;
    return c && class_initialize(self, c) ? c : NULL;
}

static bool check_name_length(Thread *self, const char *name)
{
    if (strlen(name) <= UINT16_MAX)
        return true;
    char *text = describe_long_name(name);
    throw_new(self, "java/lang/NoClassDefFoundError", "%s", text);
    vm_free(text);
    return false;
}

static jclass find_class_named(Thread *self, const char *name)
{
    if (!name)
        throw_new(self, "java/lang/NoClassDefFoundError", "No class name given");
    if (!name || !check_name_length(self, name))
        return NULL;
    Class *c = find_class(self, name, strlen(name));
    return c ? mirror_handle(self, c) : NULL;
}

// With an exception pending it does its work and leaves it pending, as HotSpot does; one of its own
// takes its place.
static jclass JNICALL FindClass(JNIEnv *env, const char *name)
{
    IN_VM(env);
    HANDLE_SCOPE(self);
    ExceptionAside pending = exception_put_aside(self);
    jclass c = find_class_named(self, name);
    if (!exception_pending(self))
        exception_put_back(self, pending);
    SCOPE_RETURN(c);
}

static jclass JNICALL DefineClass(JNIEnv *env, const char *name, jobject loader,
                                  const jbyte *bytes, jsize len)
{
    IN_VM(env);
    Loader *l = loader_constructed(self, loader);
    if (!l || (name && !check_name_length(self, name)))
        return NULL;
    Class *c = class_define(self, l, (const uint8_t *)bytes, (size_t)len,
                            &(DefineOptions){.name = name});
    return c ? mirror_handle(self, c) : NULL;
}

static jclass JNICALL GetSuperclass(JNIEnv *env, jclass c)
{
    IN_VM(env);
    Class *cls = class_of_handle(c);
    return class_is_interface(cls) || !cls->super ? NULL : mirror_handle(self, cls->super);
}
static jboolean JNICALL IsAssignableFrom(JNIEnv *env, jclass from, jclass to)
{
    IN_VM(env);
    return class_is_subclass(class_of_handle(from), class_of_handle(to));
}
static jboolean JNICALL IsInstanceOf(JNIEnv *env, jobject o, jclass c)
{
    IN_VM(env);
    return !o || !deref(o) || (c && object_is_instance(deref(o), class_of_handle(c)));
}
static jclass JNICALL GetObjectClass(JNIEnv *env, jobject o)
{
    IN_VM(env);
    return mirror_handle(self, object_class(deref(o)));
}
static jobject JNICALL AllocObject(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return object_new(self, class_of_handle(c));
}

// ---- method ids ----

static Method *find_method(Thread *self, jclass c, const char *name, const char *desc,
                           bool is_static)
{
    HANDLE_SCOPE(self);
    Class *cls = class_of_handle(c);
    name = name ? name : "<init>"; // as HotSpot takes it
    Symbol *n = symbol_find_n(name, strlen(name)), *d = symbol_find_n(desc, strlen(desc));
    if (class_is_primitive(cls)) {
        throw_new(self, "java/lang/NoSuchMethodError", "%s", name);
        return NULL;
    }
    if (!class_initialize(self, cls))
        return NULL;
    Method *m = !n || !d                             ? NULL
                : n == SYM(init) || n == SYM(clinit) ? class_declared_method(cls, n, d)
                : class_is_interface(cls)            ? class_find_interface_method(cls, n, d)
                                                     : class_find_method(cls, n, d);
    if (!m || method_is_static(m) != is_static) {
        bool array = class_is_array(cls);
        throw_new(self, "java/lang/NoSuchMethodError", "%s%s%s%s.%s%s",
                  is_static ? "static " : "", array ? "" : "L", cls->name->s, array ? "" : ";",
                  name, desc);
        return NULL;
    }
    return m;
}
static jmethodID JNICALL GetMethodID(JNIEnv *env, jclass c, const char *name, const char *desc)
{
    IN_VM(env);
    return method_id(find_method(self, c, name, desc, false));
}
static jmethodID JNICALL GetStaticMethodID(JNIEnv *env, jclass c, const char *name,
                                           const char *desc)
{
    IN_VM(env);
    return method_id(find_method(self, c, name, desc, true));
}

// ---- reflection ----

static jmethodID JNICALL FromReflectedMethod(JNIEnv *env, jobject method)
{
    IN_VM(env);
    return method_id(reflect_method_of(deref(method)));
}
static jfieldID JNICALL FromReflectedField(JNIEnv *env, jobject field)
{
    IN_VM(env);
    return (jfieldID)reflect_field_of(deref(field));
}
static jobject JNICALL ToReflectedMethod(JNIEnv *env, jclass c, jmethodID id,
                                         jboolean is_static)
{
    (void)c, (void)is_static;
    IN_VM(env);
    return reflect_method(self, method_of_id(id));
}
static jobject JNICALL ToReflectedField(JNIEnv *env, jclass c, jfieldID id, jboolean is_static)
{
    (void)c, (void)is_static;
    IN_VM(env);
    return reflect_field(self, (Field *)id);
}

// ---- natives ----

// To give natives to a class of the platform's modules is the business of its own loader's code.
static void warn_of_platform(Thread *self, const Method *m)
{
    const Loader *loader = m->cls->loader;
    FrameCursor caller;
    if (!(loader->is_boot || loader->is_platform) || !m->cls->module->name
        || !log_on(LOG_JNI, LOG_WARNING))
        return;
    if (cursor_first(&caller, self) && cursor_is_current(&caller)
        && caller.method->cls->loader == loader)
        return;
    char *cls = class_external_name(m->cls);
    log_write(LOG_JNI, LOG_WARNING,
              "Re-registering of platform native method: %s.%s%s from code in a different "
              "classloader",
              cls, m->name->s, m->desc->s);
    vm_free(cls);
}
static jint JNICALL RegisterNatives(JNIEnv *env, jclass c, const JNINativeMethod *methods,
                                    jint count)
{
    IN_VM(env);
    HANDLE_SCOPE(self);
    Class *cls = class_of_handle(c);
    for (jint i = 0; i < count; i++) {
        const JNINativeMethod *row = &methods[i];
        Symbol *n = symbol_find_n(row->name, strlen(row->name)),
               *d = symbol_find_n(row->signature, strlen(row->signature));
        Method *m = n && d ? class_declared_method(cls, n, d) : NULL;
        Method *wrapped = m && !method_is_native(m) ? native_find_prefixed(cls, m) : NULL;
        m = wrapped ? wrapped : m;
        if (!m || !method_is_native(m)) {
            char *text = m ? method_external_name(m)
                           : vm_asprintf("%s.%s%s", cls->name->s, row->name, row->signature);
            throw_new(self, "java/lang/NoSuchMethodError",
                      m ? "Method '%s' is not declared as native" : "Method %s not found",
                      text);
            vm_free(text);
            return JNI_ERR;
        }
        warn_of_platform(self, m);
        native_bind(self, m, row->fnPtr);
        if (log_on(LOG_JNI, LOG_DEBUG)) {
            char *text = class_external_name(cls);
            log_write(LOG_JNI, LOG_DEBUG, "[Registering JNI native method %s.%s]", text,
                      row->name);
            vm_free(text);
        }
    }
    return JNI_OK;
}
static jint JNICALL UnregisterNatives(JNIEnv *env, jclass c)
{
    IN_VM(env);
    Class *cls = class_of_handle(c);
    METHOD_EACH (m, cls) {
        if (method_is_native(m))
            native_unbind(self, m);
    }
    return JNI_OK;
}

static jobject JNICALL GetModule(JNIEnv *env, jclass c)
{
    IN_VM(env);
    if (!c) {
        throw_null(self, "java/lang/NullPointerException");
        return NULL;
    }
    return handle_new(self, object_get_ref(deref(c), OFF(Class, module)));
}

void jni_fill_classes(struct JNINativeInterface_ *t)
{
    t->GetVersion = GetVersion;
    t->DefineClass = DefineClass;
    t->FindClass = FindClass;
    t->FromReflectedMethod = FromReflectedMethod;
    t->FromReflectedField = FromReflectedField;
    t->ToReflectedMethod = ToReflectedMethod;
    t->ToReflectedField = ToReflectedField;
    t->GetSuperclass = GetSuperclass;
    t->IsAssignableFrom = IsAssignableFrom;
    t->AllocObject = AllocObject;
    t->GetObjectClass = GetObjectClass;
    t->IsInstanceOf = IsInstanceOf;
    t->GetMethodID = GetMethodID;
    t->GetStaticMethodID = GetStaticMethodID;
    t->RegisterNatives = RegisterNatives;
    t->UnregisterNatives = UnregisterNatives;
    t->GetModule = GetModule;
}
