// SPDX-License-Identifier: Apache-2.0
// System, Runtime, properties, time, memory, libraries, assertions, halting; and the answers of
// a VM without class data sharing.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/shutdown.h"
#include "java/string.h"
#include "jni/jni_vm.h"
#include "options/options.h"
#include "service/management/management.h"
#include "thread/raw_monitor.h"

// ---- time ----

jlong JNICALL JVM_CurrentTimeMillis(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return os_wall_millis();
}
jlong JNICALL JVM_NanoTime(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return os_nanos();
}
jlong JNICALL JVM_GetNanoTimeAdjustment(JNIEnv *env, jclass c, jlong offset)
{
    (void)env, (void)c;
    int64_t seconds, nanos;
    os_wall_time(&seconds, &nanos);
    int64_t difference = seconds - offset;
    if (difference >= 1ll << 32 || difference <= -(1ll << 32))
        return -1; // the contract: "too far away"
    return difference * 1000000000 + nanos;
}

// ---- machine, memory ----

void *JNICALL JVM_GetManagement(jint version)
{
    Thread *self = thread_current();
    return self ? management_table(self, version) : NULL;
}

jint JNICALL JVM_ActiveProcessorCount(void)
{
    return options_cpu_count();
}
jboolean JNICALL JVM_IsUseContainerSupport(void)
{
    return vm_options.use_container_support;
}
jboolean JNICALL JVM_SupportsCX8(void)
{
    return JNI_TRUE;
}
static HeapStats stats(void)
{
    HeapStats s;
    heap_stats(&s);
    return s;
}
jlong JNICALL JVM_MaxMemory(void)
{
    return (jlong)stats().max;
}
jlong JNICALL JVM_TotalMemory(void)
{
    return (jlong)stats().committed;
}
jlong JNICALL JVM_FreeMemory(void)
{
    HeapStats s = stats();
    return (jlong)(s.committed - MIN_OF(s.used, s.committed));
}
void JNICALL JVM_GC(void)
{
    Thread *self = thread_current();
    if (vm_options.disable_explicit_gc || !self)
        return;
    thread_enter_vm(self);
    heap_collect(self, GC_SYSTEM_GC, true);
    thread_leave_vm(self, THREAD_IN_NATIVE);
}
jlong JNICALL JVM_MaxObjectInspectionAge(void)
{
    return (os_nanos() - heap_last_gc_nanos()) / 1000000;
}

// ---- properties ----

jobjectArray JNICALL JVM_GetProperties(JNIEnv *env)
{
    IN_VM(env);
    Class *array_class = class_array_of(self, CLS(String));
    size_t n = vm_options.properties.len;
    jobject array = array_class ? array_new(self, array_class, (int32_t)(2 * (n + 2))) : NULL;
    for (size_t i = 0; array && i < n; i++) {
        HANDLE_SCOPE(self);
        const Property *p = &vm_options.properties.at[i];
        jobject key = string_from_platform(self, p->key);
        jobject value = key ? string_from_platform(self, p->value) : NULL;
        if (!value)
            return NULL;
        array_set_ref(deref(array), (int32_t)(2 * i), deref(key));
        array_set_ref(deref(array), (int32_t)(2 * i + 1), deref(value));
    }
    return array;
}
jobjectArray JNICALL JVM_GetVmArguments(JNIEnv *env)
{
    IN_VM(env);
    Class *array_class = class_array_of(self, CLS(String));
    jobject array =
        array_class ? array_new(self, array_class, (int32_t)vm_options.args.len) : NULL;
    for (size_t i = 0; array && i < vm_options.args.len; i++) {
        HANDLE_SCOPE(self);
        jobject text = string_from_platform(self, vm_options.args.at[i]);
        if (!text)
            return NULL;
        array_set_ref(deref(array), (int32_t)i, deref(text));
    }
    return array;
}

static bool put_property(Thread *self, jobject properties, const char *key, const char *value)
{
    HANDLE_SCOPE(self);
    if (!value)
        return true;
    Class *c = object_class(deref(properties));
    Method *put = class_find_method(
        c, symbol_intern("put"),
        symbol_intern("(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"));
    jobject k = string_from_platform(self, key),
            v = k ? string_from_platform(self, value) : NULL;
    jvalue old;
    return v
           && java_call_virtual(self, put, (jvalue[]){{.l = properties}, {.l = k}, {.l = v}},
                                &old);
}
jobject JNICALL JVM_InitAgentProperties(JNIEnv *env, jobject properties)
{
    IN_VM(env);
    bool ok = put_property(self, properties, "sun.java.command", vm_options.java_command);
    ok = ok && put_property(self, properties, "sun.jvm.flags", ""); // of a .hotspotrc
    StrBuf args = {0};
    for (size_t i = 0; i < vm_options.args.len; i++)
        sb_printf(&args, "%s%s", i ? " " : "", vm_options.args.at[i]);
    ok = ok && put_property(self, properties, "sun.jvm.args", args.s);
    sb_free(&args);
    return ok ? properties : NULL;
}
jstring JNICALL JVM_GetTemporaryDirectory(JNIEnv *env)
{
    IN_VM(env);
    return string_from_mutf8(self, "/tmp");
}

// ---- libraries ----

void *JNICALL JVM_LoadLibrary(const char *name, jboolean throw_exception)
{
    char error[1024] = "";
    void *library = os_library_open(name, error, sizeof error);
    Thread *self = thread_current();
    if (!library && throw_exception && self) {
        thread_enter_vm(self);
        throw_new(self, "java/lang/UnsatisfiedLinkError", "%s: %s", name, error);
        thread_leave_vm(self, THREAD_IN_NATIVE);
    }
    return library;
}
void JNICALL JVM_UnloadLibrary(void *library)
{
    jni_close_library(library);
}
void *JNICALL JVM_FindLibraryEntry(void *library, const char *name)
{
    return os_library_find(library, name);
}
jboolean JNICALL JVM_IsSupportedJNIVersion(jint version)
{
    return jni_version_is_supported(version);
}
char *JNICALL JVM_NativePath(char *path)
{
    return path;
}

// ---- raw monitors of libzip ----

void *JNICALL JVM_RawMonitorCreate(void)
{
    return raw_monitor_new("libzip");
}
void JNICALL JVM_RawMonitorDestroy(void *m)
{
    raw_monitor_free(m);
}
jint JNICALL JVM_RawMonitorEnter(void *m)
{
    raw_monitor_enter(thread_current(), m);
    return 0;
}
void JNICALL JVM_RawMonitorExit(void *m)
{
    raw_monitor_exit(thread_current(), m);
}

// ---- assertions ----

static bool rule_fits(const AssertRule *r, const char *cls)
{
    if (!r->name)
        return true;
    if (!r->is_package)
        return strcmp(cls, r->name) == 0;
    size_t n = strlen(r->name);
    return n == 0 ? strchr(cls, '.') == NULL : strncmp(cls, r->name, n) == 0 && cls[n] == '.';
}
// How exactly a rule names a class: packages by length, classes above all, the general switch
// below all.
static size_t rule_weight(const AssertRule *r)
{
    return !r->name ? 0 : r->is_package ? 1 + strlen(r->name) : SIZE_MAX;
}
jboolean JNICALL JVM_DesiredAssertionStatus(JNIEnv *env, jclass unused, jclass c)
{
    (void)unused;
    IN_VM(env);
    Class *cls = class_of_handle(c);
    bool enable = cls->loader == loader_boot && vm_options.assert_system;
    size_t best = 0;
    char *name = class_external_name(cls);
    for (size_t i = 0; i < vm_options.asserts.len; i++) {
        const AssertRule *r = &vm_options.asserts.at[i];
        if ((!r->name && cls->loader == loader_boot) || !rule_fits(r, name)
            || rule_weight(r) < best)
            continue;
        best = rule_weight(r);
        enable = r->enable;
    }
    vm_free(name);
    return enable;
}

// Fills one of the two pairs of arrays of AssertionStatusDirectives.
static bool fill_directives(Thread *self, jobject directives, bool packages, uint32_t names_at,
                            uint32_t flags_at)
{
    int32_t n = 0, i = 0;
    for (size_t k = 0; k < vm_options.asserts.len; k++)
        n += vm_options.asserts.at[k].name && vm_options.asserts.at[k].is_package == packages;
    Class *strings = class_array_of(self, CLS(String));
    jobject names = strings ? array_new(self, strings, n) : NULL;
    jobject flags = names ? array_new(self, class_primitive_array('Z'), n) : NULL;
    for (size_t k = 0; flags && k < vm_options.asserts.len; k++) { // the last that fits decides
        const AssertRule *r = &vm_options.asserts.at[k];
        if (!r->name || r->is_package != packages)
            continue;
        jobject text = string_from_platform(self, r->name);
        if (!text)
            return false;
        array_set_ref(deref(names), i, deref(text));
        ((uint8_t *)array_data(deref(flags)))[i++] = r->enable;
    }
    if (!flags)
        return false;
    object_set_ref(deref(directives), names_at, deref(names));
    object_set_ref(deref(directives), flags_at, deref(flags));
    return true;
}
jobject JNICALL JVM_AssertionStatusDirectives(JNIEnv *env, jclass c)
{
    (void)c;
    IN_VM(env);
    jobject d = object_new(self, CLS(AssertionStatusDirectives));
    if (!d
        || !fill_directives(self, d, false, OFF(AssertionStatusDirectives, classes),
                            OFF(AssertionStatusDirectives, classEnabled))
        || !fill_directives(self, d, true, OFF(AssertionStatusDirectives, packages),
                            OFF(AssertionStatusDirectives, packageEnabled)))
        return NULL;
    bool all = false;
    for (size_t i = 0; i < vm_options.asserts.len; i++)
        if (!vm_options.asserts.at[i].name)
            all = vm_options.asserts.at[i].enable;
    object_set_boolean(deref(d), OFF(AssertionStatusDirectives, deflt), all);
    return d;
}

// ---- the end ----

void JNICALL JVM_BeforeHalt(void) {}
void JNICALL JVM_Halt(jint code)
{
    Thread *self = thread_current();
    thread_enter_vm(self);
    vm_exit(self, code);
}

// ---- class data sharing: there is none ----

jboolean JNICALL JVM_IsCDSDumpingEnabled(JNIEnv *env)
{
    (void)env;
    return JNI_FALSE;
}
jboolean JNICALL JVM_IsDumpingClassList(JNIEnv *env)
{
    (void)env;
    return JNI_FALSE;
}
jboolean JNICALL JVM_IsSharingEnabled(JNIEnv *env)
{
    (void)env;
    return JNI_FALSE;
}
jlong JNICALL JVM_GetRandomSeedForDumping(void)
{
    return 0;
}
void JNICALL JVM_InitializeFromArchive(JNIEnv *env, jclass c)
{
    (void)env, (void)c; // nothing archived: the class makes its values itself
}
static void no_archive(JNIEnv *env)
{
    IN_VM(env);
    throw_new(self, "java/lang/UnsupportedOperationException", "class data sharing");
}
void JNICALL JVM_DefineArchivedModules(JNIEnv *env, jobject platform_loader,
                                       jobject system_loader)
{
    (void)platform_loader, (void)system_loader;
    no_archive(env);
}
void JNICALL JVM_DumpClassListToFile(JNIEnv *env, jstring file)
{
    (void)file;
    no_archive(env);
}
void JNICALL JVM_DumpDynamicArchive(JNIEnv *env, jstring archive)
{
    (void)archive;
    no_archive(env);
}
void JNICALL JVM_LogLambdaFormInvoker(JNIEnv *env, jstring line)
{
    (void)env, (void)line; // only noted while a class list is written
}
jclass JNICALL JVM_LookupLambdaProxyClassFromArchive(JNIEnv *env, jclass caller, jstring name,
                                                     jobject factory_type, jobject method_type,
                                                     jobject implementation,
                                                     jobject instantiated)
{
    (void)env, (void)caller, (void)name, (void)factory_type, (void)method_type,
        (void)implementation, (void)instantiated;
    return NULL; // not found
}
void JNICALL JVM_RegisterLambdaProxyClassForArchiving(JNIEnv *env, jclass caller, jstring name,
                                                      jobject factory_type, jobject method_type,
                                                      jobject implementation,
                                                      jobject instantiated, jclass lambda)
{
    (void)env, (void)caller, (void)name, (void)factory_type, (void)method_type,
        (void)implementation, (void)instantiated, (void)lambda;
}

// ---- formatted output ----

int jio_vsnprintf(char *str, size_t count, const char *fmt, va_list args)
{
    int n = count ? vsnprintf(str, count, fmt, args) : -1;
    return n >= 0 && (size_t)n >= count ? -1 : n;
}
int jio_snprintf(char *str, size_t count, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = jio_vsnprintf(str, count, fmt, args);
    va_end(args);
    return n;
}
int jio_vfprintf(FILE *f, const char *fmt, va_list args)
{
    return vm_options.vfprintf_hook ? vm_options.vfprintf_hook(f, fmt, args)
                                    : vfprintf(f, fmt, args);
}
int jio_fprintf(FILE *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = jio_vfprintf(f, fmt, args);
    va_end(args);
    return n;
}
int jio_printf(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = jio_vfprintf(stdout, fmt, args);
    va_end(args);
    return n;
}
