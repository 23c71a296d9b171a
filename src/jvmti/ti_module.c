// SPDX-License-Identifier: Apache-2.0
// Modules (JVM TI, Module). Changes go through the class library, which keeps the VM's tables
// and its own alike.
#include "class/vm_classes.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "jvmti/generated/decl.h"

static void add_module(void *ctx, Module *m)
{
    if (m->module)
        vec_push((TiHandles *)ctx, m->module);
}

jvmtiError ti_GetAllModules(Thread *self, TiEnv *env, jint *module_count_ptr,
                            jobject **modules_ptr)
{
    (void)env;
    TiHandles modules = {0};
    modules_each(add_module, &modules);
    jvmtiError error =
        ti_give_handles(self, modules.at, modules.len, module_count_ptr, modules_ptr);
    vec_free(&modules);
    return error;
}

// The module of a package, named with slashes; NULL: the loader knows no such package.
static Module *module_of_package(Thread *self, Loader *l, const char *package)
{
    HANDLE_SCOPE(self);
    Symbol *name = symbol_find_n(package, strlen(package));
    Package *p = name ? loader_package(l, name, false) : NULL;
    return p ? p->module : NULL;
}

jvmtiError ti_GetNamedModule(Thread *self, TiEnv *env, jobject class_loader,
                             const char *package_name, jobject *module_ptr)
{
    (void)env;
    *module_ptr = NULL;
    if (class_loader && !ti_is_instance(class_loader, CLS(ClassLoader)))
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    Module *m = module_of_package(self, loader_of(self, class_loader), package_name);
    if (m && m->name)
        *module_ptr = handle_new(self, deref(m->module));
    return JVMTI_ERROR_NONE;
}

// Calls a static method of jdk.internal.module.Modules.
static jvmtiError call_modules(Thread *self, const char *method, const char *desc,
                               const jvalue *args)
{
    HANDLE_SCOPE(self);
    TiUpcall up;
    ti_upcall_begin(self, &up);
    (void)!java_call_static(self, "jdk/internal/module/Modules", method, desc, args, NULL);
    bool no_memory =
        exception_pending(self) && object_is_instance(self->exception, CLS(OutOfMemoryError));
    if (!ti_upcall_end(self, &up))
        return JVMTI_ERROR_NONE;
    return no_memory ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_INTERNAL;
}

jvmtiError ti_AddModuleReads(Thread *self, TiEnv *env, jobject module, jobject to_module)
{
    (void)env;
    return call_modules(self, "addReads", "(Ljava/lang/Module;Ljava/lang/Module;)V",
                        (jvalue[]){{.l = module}, {.l = to_module}});
}

static bool is_named(jobject module)
{
    return object_get_ref(deref(module), OFF(Module, name)) != NULL;
}

// Whether a package, named with dots, is in a module.
static bool has_package(Thread *self, jobject module, const char *pkg_name)
{
    Module *m = module_of(self, module);
    if (!m || strchr(pkg_name, '/')) {
        self->exception = NULL;
        return false;
    }
    char *internal = vm_strdup(pkg_name);
    for (char *c = internal; *c; c++)
        if (*c == '.')
            *c = '/';
    Symbol *name = symbol_find_n(internal, strlen(internal));
    vm_free(internal);
    Package *p = name ? loader_package(m->loader, name, false) : NULL;
    return p && p->module == m;
}

// The package as a string of the class library. NULL: the module has no such package.
static jobject package_string(Thread *self, jobject module, const char *pkg_name)
{
    return has_package(self, module, pkg_name) ? string_from_mutf8(self, pkg_name) : NULL;
}

static jvmtiError add_package(Thread *self, const char *method, jobject module,
                              const char *pkg_name, jobject to_module)
{
    if (!is_named(module))
        return JVMTI_ERROR_NONE; // everything of it is open
    HANDLE_SCOPE(self);
    TiUpcall up;
    ti_upcall_begin(self, &up);
    jobject package = package_string(self, module, pkg_name);
    ti_upcall_end(self, &up);
    if (!package)
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    return call_modules(self, method,
                        "(Ljava/lang/Module;Ljava/lang/String;Ljava/lang/Module;)V",
                        (jvalue[]){{.l = module}, {.l = package}, {.l = to_module}});
}

jvmtiError ti_AddModuleExports(Thread *self, TiEnv *env, jobject module, const char *pkg_name,
                               jobject to_module)
{
    (void)env;
    return add_package(self, "addExports", module, pkg_name, to_module);
}

jvmtiError ti_AddModuleOpens(Thread *self, TiEnv *env, jobject module, const char *pkg_name,
                             jobject to_module)
{
    (void)env;
    return add_package(self, "addOpens", module, pkg_name, to_module);
}

// Neither a service nor its provider, as HotSpot answers.
static bool is_primitive(jclass c)
{
    return class_is_primitive(class_of_handle(c));
}

jvmtiError ti_AddModuleUses(Thread *self, TiEnv *env, jobject module, jclass service)
{
    (void)env;
    if (is_primitive(service))
        return JVMTI_ERROR_INVALID_CLASS;
    return call_modules(self, "addUses", "(Ljava/lang/Module;Ljava/lang/Class;)V",
                        (jvalue[]){{.l = module}, {.l = service}});
}

jvmtiError ti_AddModuleProvides(Thread *self, TiEnv *env, jobject module, jclass service,
                                jclass impl_class)
{
    (void)env;
    if (is_primitive(service) || is_primitive(impl_class))
        return JVMTI_ERROR_INVALID_CLASS;
    return call_modules(self, "addProvides",
                        "(Ljava/lang/Module;Ljava/lang/Class;Ljava/lang/Class;)V",
                        (jvalue[]){{.l = module}, {.l = service}, {.l = impl_class}});
}

jvmtiError ti_IsModifiableModule(Thread *self, TiEnv *env, jobject module,
                                 jboolean *is_modifiable_module_ptr)
{
    (void)self, (void)env, (void)module;
    *is_modifiable_module_ptr = JNI_TRUE;
    return JVMTI_ERROR_NONE;
}
