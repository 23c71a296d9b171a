// SPDX-License-Identifier: Apache-2.0
// Additions to the class paths (JVM TI, Class Loader Search). Before the VM runs they become
// part of the options, later of the loaders.
#include "class/vm_classes.h"
#include "java/call.h"
#include "java/string.h"
#include "jvmti/generated/decl.h"
#include "jvmti/ti_property.h"
#include "options/options.h"

static void append_property(const char *key, const char *segment)
{
    const char *old = options_property(key);
    char *text = old && *old ? vm_asprintf("%s:%s", old, segment) : vm_strdup(segment);
    ti_property_set(key, text);
    vm_free(text);
}

jvmtiError ti_AddToBootstrapClassLoaderSearch(Thread *self, TiEnv *env, const char *segment)
{
    (void)self;
    if (ti_env_phase(env) == JVMTI_PHASE_ONLOAD) {
        append_property("jdk.boot.class.path.append", segment);
        loader_append_boot_path(segment);
        return JVMTI_ERROR_NONE;
    }
    return loader_append_boot_jar(segment) ? JVMTI_ERROR_NONE : JVMTI_ERROR_ILLEGAL_ARGUMENT;
}

// Calls the private method that the system class loader has for this.
static jvmtiError append_system_path(Thread *self, const char *segment)
{
    HANDLE_SCOPE(self);
    jvalue loader;
    if (!java_call(self, MTH(ClassLoader, getSystemClassLoader), NULL, &loader))
        return JVMTI_ERROR_INTERNAL;
    Method *m = class_find_method(object_class(deref(loader.l)),
                                  symbol_intern("appendToClassPathForInstrumentation"),
                                  symbol_intern("(Ljava/lang/String;)V"));
    if (!m)
        return JVMTI_ERROR_CLASS_LOADER_UNSUPPORTED;
    jobject path = string_from_platform(self, segment);
    if (!path || !java_call(self, m, (jvalue[]){{.l = loader.l}, {.l = path}}, NULL))
        return JVMTI_ERROR_INTERNAL;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_AddToSystemClassLoaderSearch(Thread *self, TiEnv *env, const char *segment)
{
    if (ti_env_phase(env) == JVMTI_PHASE_ONLOAD) {
        append_property("java.class.path", segment);
        return JVMTI_ERROR_NONE;
    }
    if (!loader_is_jar(segment))
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    HANDLE_SCOPE(self);
    TiUpcall up;
    ti_upcall_begin(self, &up);
    jvmtiError error = append_system_path(self, segment);
    ti_upcall_end(self, &up);
    return error;
}
