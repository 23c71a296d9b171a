// SPDX-License-Identifier: Apache-2.0
// java.lang.Module's natives and the boot loader's packages.
#include "base/vec.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"

// ---- defining ----

// The name of a java.lang.Module; NULL when it is none or has none, which module_define rejects.
static Object *module_name(jobject module)
{
    Object *o = deref(module);
    return o && object_is_instance(o, CLS(Module)) ? object_get_ref(o, OFF(Module, name))
                                                   : NULL;
}
// Whether a slashed name is one of a package (JVMS 4.2.1, 4.2.2).
static bool is_package_name(const char *name)
{
    size_t len = strlen(name);
    return len && name[0] != '/' && name[len - 1] != '/' && !strstr(name, "//")
           && !strpbrk(name, ";[");
}
// The slashed text of a package name; NULL with IllegalArgumentException when it is none.
static char *package_text(Thread *self, jobject module, Object *string)
{
    char *name = string && object_class(string) == CLS(String) ? string_to_mutf8(string) : NULL;
    if (!name) {
        throw_new(self, "java/lang/IllegalArgumentException", "Bad package name");
        return NULL;
    }
    for (char *p = name; *p; p++)
        if (*p == '.')
            *p = '/';
    if (is_package_name(name))
        return name;
    char *owner = string_to_mutf8(module_name(module));
    throw_new(self, "java/lang/IllegalArgumentException",
              "Invalid package name: %s for module: %s", name, owner);
    vm_free(owner);
    vm_free(name);
    return NULL;
}
void JNICALL JVM_DefineModule(JNIEnv *env, jobject module, jboolean is_open, jstring version,
                              jstring location, jobjectArray packages)
{
    IN_VM(env);
    int count = packages && module_name(module) ? array_length(deref(packages)) : 0;
    char **names = vm_calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count && !exception_pending(self); i++)
        names[i] = package_text(self, module, array_get_ref(deref(packages), i));
    char *v = string_to_mutf8(deref(version)), *l = string_to_mutf8(deref(location));
    if (!exception_pending(self))
        module_define(self, module, is_open, v, l, (const char *const *)names, count);
    for (int i = 0; i < count; i++)
        vm_free(names[i]);
    vm_free(names);
    vm_free(v);
    vm_free(l);
}
void JNICALL JVM_SetBootLoaderUnnamedModule(JNIEnv *env, jobject module)
{
    IN_VM(env);
    module_set_boot_unnamed(self, module);
}
void JNICALL JVM_AddReadsModule(JNIEnv *env, jobject from, jobject source)
{
    IN_VM(env);
    module_add_reads(self, from, source);
}

static void add_exports(JNIEnv *env, jobject from, jstring package,
                        bool (*add)(Thread *self, jobject from, const char *package,
                                    jobject to),
                        jobject to)
{
    IN_VM(env);
    if (!package) {
        throw_new(self, "java/lang/NullPointerException", "package is null");
        return;
    }
    char *name = string_to_mutf8(deref(package));
    add(self, from, name, to);
    vm_free(name);
}
static bool to_all_unnamed(Thread *self, jobject from, const char *package, jobject to)
{
    (void)to;
    return module_add_exports_to_all_unnamed(self, from, package);
}
void JNICALL JVM_AddModuleExports(JNIEnv *env, jobject from, jstring package, jobject to)
{
    if (!to) {
        IN_VM(env);
        throw_new(self, "java/lang/NullPointerException", "to_module is null");
        return;
    }
    add_exports(env, from, package, module_add_exports, to);
}
void JNICALL JVM_AddModuleExportsToAll(JNIEnv *env, jobject from, jstring package)
{
    add_exports(env, from, package, module_add_exports, NULL);
}
void JNICALL JVM_AddModuleExportsToAllUnnamed(JNIEnv *env, jobject from, jstring package)
{
    add_exports(env, from, package, to_all_unnamed, NULL);
}

// ---- packages of the boot loader ----

typedef struct PackageList {
    VEC(const Package *) found;
} PackageList;
static void collect(void *ctx, Package *p)
{
    PackageList *list = ctx;
    vec_push(&list->found, p);
}
jobjectArray JNICALL JVM_GetSystemPackages(JNIEnv *env)
{
    IN_VM(env);
    PackageList list = {0};
    loader_boot_packages(collect, &list);
    Class *strings = class_array_of(self, CLS(String));
    jobject a = strings ? array_new(self, strings, (int32_t)list.found.len) : NULL;
    for (size_t i = 0; a && i < list.found.len; i++) {
        HANDLE_SCOPE(self);
        const Symbol *text = list.found.at[i]->name;
        jobject name = string_from_mutf8_reported(self, text->s, text->len);
        if (!name) {
            a = NULL;
            break;
        }
        array_set_ref(deref(a), (int32_t)i, deref(name));
    }
    vec_free(&list.found);
    if (a)
        object_post_alloc(self, a);
    return a;
}
jstring JNICALL JVM_GetSystemPackage(JNIEnv *env, jstring name)
{
    IN_VM(env);
    Symbol *symbol = string_to_symbol(deref(name), false, false);
    Package *p = symbol ? loader_package(loader_boot, symbol, false) : NULL;
    if (!p)
        return NULL;
    const Symbol *location = p->location ? p->location : p->module ? p->module->location : NULL;
    return location ? string_from_mutf8_reported(self, location->s, location->len) : NULL;
}
