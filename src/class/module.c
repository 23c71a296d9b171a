// SPDX-License-Identifier: Apache-2.0
// Modules and packages as the VM sees them: which module a package of a loader belongs to, who
// reads whom, and what is exported. module_lock guards the packages and modules of all loaders
// and the sets inside them; never held over anything that collects. Modules and packages are
// freed with their loader.
#define _GNU_SOURCE
#include "base/log.h"
#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/string.h"

Mutex module_lock = MUTEX_INIT(RANK_MODULE);
Module *module_java_base;
static VEC(Module *) modules;

// With module_lock held.
static Module *module_make(Loader *l, Symbol *name)
{
    ASSERT_HELD(&module_lock);
    Module *m = vm_calloc(1, sizeof *m);
    m->name = name;
    m->loader = l;
    vec_push(&modules, m);
    return m;
}

Module *module_new(Loader *l, Symbol *name)
{
    mutex_lock(&module_lock);
    Module *m = module_make(l, name);
    mutex_unlock(&module_lock);
    return m;
}

void modules_init(void)
{
    Symbol *name = symbol_intern("java.base");
    module_java_base = module_new(loader_boot, name);
    ptrmap_put(&loader_boot->modules, (uintptr_t)name, module_java_base);
    loader_boot->unnamed = module_new(loader_boot, NULL);
}

void modules_each(void (*visit)(void *ctx, Module *m), void *ctx)
{
    mutex_lock(&module_lock);
    for (size_t i = 0; i < modules.len; i++)
        visit(ctx, modules.at[i]);
    mutex_unlock(&module_lock);
}

void module_bind(Module *m, Object *java_module)
{
    ASSERT_INSTANCE(java_module);
    mutex_lock(&module_lock);
    bool first = !m->module;
    if (first) {
        object_set_long(java_module, OFF(Module, vm_module), (int64_t)(uintptr_t)m);
        m->module = loader_data_ref(&m->loader->loader_data, java_module);
    }
    mutex_unlock(&module_lock);
    if (first)
        mirrors_set_module(m);
}

// ---- unloading: world stopped ----
static bool is_dead(const Module *m)
{
    ASSERT_WORLD_STOPPED();
    return m->loader->loader_data.dead;
}

static void set_forget_dead(PtrMap *set)
{
    VEC(uintptr_t) dead = {0};
    uintptr_t key;
    void *value;
    for (size_t i = 0; ptrmap_next(set, &i, &key, &value);)
        if (is_dead(value))
            vec_push(&dead, key);
    for (size_t i = 0; i < dead.len; i++)
        ptrmap_remove(set, dead.at[i]);
    vec_free(&dead);
}

static void forget_mentions(void *ctx, Loader *l)
{
    uintptr_t key;
    void *p;
    (void)ctx;
    for (size_t i = 0; ptrmap_next(&l->packages, &i, &key, &p);)
        set_forget_dead(&((Package *)p)->exported_to);
}

void modules_forget_dead(void)
{
    ASSERT_WORLD_STOPPED();
    bool mentioned = false;
    size_t kept = 0;
    for (size_t i = 0; i < modules.len; i++) {
        Module *m = modules.at[i];
        if (!is_dead(m))
            modules.at[kept++] = m;
        else
            mentioned = mentioned || m->mentioned;
    }
    modules.len = kept;
    if (!mentioned)
        return;
    for (size_t i = 0; i < modules.len; i++)
        set_forget_dead(&modules.at[i]->reads);
    loaders_each(forget_mentions, NULL);
}

static void module_free(Module *m)
{
    ptrmap_free(&m->reads);
    vec_free(&m->patches);
    vm_free(m);
}

void module_tables_free(Loader *l)
{
    uintptr_t key;
    void *value;
    for (size_t i = 0; ptrmap_next(&l->packages, &i, &key, &value);) {
        ptrmap_free(&((Package *)value)->exported_to);
        vm_free(value);
    }
    for (size_t i = 0; ptrmap_next(&l->modules, &i, &key, &value);)
        module_free(value);
    module_free(l->unnamed);
    ptrmap_free(&l->packages);
    ptrmap_free(&l->modules);
}

// ---- packages ----
Symbol *class_package_name(const Symbol *class_name)
{
    const char *slash = memrchr(class_name->s, '/', class_name->len);
    return symbol_intern_n(class_name->s, slash ? (size_t)(slash - class_name->s) : 0);
}

// With module_lock held.
static Package *package_add(Loader *l, Symbol *name, Module *m)
{
    ASSERT_HELD(&module_lock);
    Package *p = ptrmap_get(&l->packages, (uintptr_t)name);
    if (!p) {
        p = vm_calloc(1, sizeof *p);
        p->name = name;
        p->loader = l;
        ptrmap_put(&l->packages, (uintptr_t)name, p);
    }
    p->module = m;
    return p;
}

Package *loader_package(Loader *l, Symbol *name, bool create)
{
    mutex_lock(&module_lock);
    Package *p = ptrmap_get(&l->packages, (uintptr_t)name);
    if (!p && create)
        p = package_add(
            l, name, l->is_boot && !module_java_base->defined ? module_java_base : l->unnamed);
    mutex_unlock(&module_lock);
    return p;
}

void loader_boot_packages(void (*visit)(void *ctx, Package *p), void *ctx)
{
    uintptr_t key;
    void *value;
    mutex_lock(&module_lock);
    for (size_t i = 0; ptrmap_next(&loader_boot->packages, &i, &key, &value);)
        if (((Package *)value)->location)
            visit(ctx, value);
    mutex_unlock(&module_lock);
}

static Symbol *slashed(const char *package)
{
    char *s = vm_strdup(package);
    for (char *p = s; *p; p++)
        if (*p == '.')
            *p = '/';
    Symbol *y = symbol_intern(s);
    vm_free(s);
    return y;
}

// ---- the Module of a java.lang.Module ----
static Module *bound(const Object *java_module)
{
    return (Module *)(uintptr_t)object_get_long(java_module, OFF(Module, vm_module));
}

// NULL without exception when the VM does not know it.
static Module *find(Thread *self, jobject java_module)
{
    Object *o = deref(java_module);
    if (!o || !object_is_instance(o, CLS(Module)))
        return NULL;
    Module *m = bound(o);
    if (m || object_get_ref(o, OFF(Module, name)))
        return m;
    HANDLE_SCOPE(self);
    jobject loader = handle_new(self, object_get_ref(o, OFF(Module, loader)));
    if (loader)
        loader_of(self, loader);
    return bound(deref(java_module));
}

Module *module_of(Thread *self, jobject java_module)
{
    Module *m = find(self, java_module);
    if (!m)
        throw_new(self, "java/lang/IllegalArgumentException", "module cannot be found");
    return m;
}

// The module that is to be read or exported to.
static Module *find_to(Thread *self, jobject to)
{
    Module *m = find(self, to);
    if (!m)
        throw_new(self, "java/lang/IllegalArgumentException", "to_module is invalid");
    return m;
}

static Module *find_from(Thread *self, jobject from)
{
    if (!deref(from)) {
        throw_new(self, "java/lang/NullPointerException", "from_module is null");
        return NULL;
    }
    Module *m = find(self, from);
    if (!m)
        throw_new(self, "java/lang/IllegalArgumentException", "from_module cannot be found");
    return m;
}

// ---- definition ----
static bool check_object(Thread *self, jobject module)
{
    Object *o = deref(module);
    if (!o) {
        throw_new(self, "java/lang/NullPointerException", "Null module object");
        return false;
    }
    if (!object_is_instance(o, CLS(Module))) {
        throw_new(self, "java/lang/IllegalArgumentException",
                  "module is not an instance of type java.lang.Module");
        return false;
    }
    return true;
}

static bool check_named(Thread *self, jobject module)
{
    if (object_get_ref(deref(module), OFF(Module, name)))
        return true;
    throw_new(self, "java/lang/NullPointerException", "Null module name");
    return false;
}

static bool check_of_boot_loader(Thread *self, jobject module)
{
    if (!object_get_ref(deref(module), OFF(Module, loader)))
        return true;
    throw_new(self, "java/lang/IllegalArgumentException",
              "Class loader must be the boot class loader");
    return false;
}

static void set_details(Module *m, bool open, const char *version, const char *location)
{
    m->open = open;
    m->version = version ? symbol_intern(version) : NULL;
    m->location = location ? symbol_intern(location) : NULL;
    m->defined = true;
}

static void log_defined(const Symbol *name, const char *location)
{
    LOG(LOG_MODULE_LOAD, LOG_INFO, "%s location: %s", name->s, location ? location : "NULL");
}

static bool define_java_base(Thread *self, jobject module, bool open, const char *version,
                             const char *location, const char *const *packages, int count)
{
    if (!check_of_boot_loader(self, module))
        return false;
    mutex_lock(&module_lock);
    bool again = module_java_base->defined;
    for (int i = 0; !again && i < count; i++)
        package_add(loader_boot, slashed(packages[i]), module_java_base);
    if (!again)
        set_details(module_java_base, open, version, location);
    mutex_unlock(&module_lock);
    if (again) {
        throw_new(self, "java/lang/InternalError", "Module java.base is already defined");
        return false;
    }
    module_bind(module_java_base, deref(module));
    log_defined(module_java_base->name, location);
    return true;
}

static bool check_packages(Thread *self, Loader *l, const char *const *packages, int count)
{
    if (l->is_boot || l->is_platform)
        return true;
    for (int i = 0; i < count; i++) {
        const char *p = packages[i];
        if (strncmp(p, "java", 4) != 0 || (p[4] && p[4] != '/' && p[4] != '.'))
            continue;
        char *cls = class_external_name(object_class(deref(l->java_loader)));
        throw_new(self, "java/lang/IllegalArgumentException",
                  "Class loader (instance of): %s tried to define prohibited package name: %s",
                  cls, p);
        vm_free(cls);
        return false;
    }
    return true;
}

// With module_lock held. NULL, or why the module cannot be defined (vm_malloc'ed).
static char *find_clash(Loader *l, const Symbol *name, const char *const *packages, int count)
{
    ASSERT_HELD(&module_lock);
    if (ptrmap_get(&l->modules, (uintptr_t)name))
        return vm_asprintf("Module %s is already defined", name->s);
    for (int i = 0; i < count; i++) {
        Symbol *y = slashed(packages[i]);
        const Package *p = ptrmap_get(&l->packages, (uintptr_t)y);
        if (!p)
            continue;
        if (p->module->name)
            return vm_asprintf("Package %s for module %s is already in another module, %s, "
                               "defined to the class loader",
                               y->s, name->s, p->module->name->s);
        return vm_asprintf("Package %s for module %s is already in the unnamed module defined "
                           "to the class loader",
                           y->s, name->s);
    }
    return NULL;
}

static bool define_other(Thread *self, Loader *l, Symbol *name, jobject module, bool open,
                         const char *version, const char *location, const char *const *packages,
                         int count)
{
    Module *m = NULL;
    mutex_lock(&module_lock);
    char *clash = find_clash(l, name, packages, count);
    if (!clash) {
        m = module_make(l, name);
        set_details(m, open, version, location);
        ptrmap_put(&l->modules, (uintptr_t)name, m);
        for (int i = 0; i < count; i++)
            package_add(l, slashed(packages[i]), m);
    }
    mutex_unlock(&module_lock);
    if (clash) {
        throw_new(self, "java/lang/IllegalStateException", "%s", clash);
        vm_free(clash);
        return false;
    }
    module_bind(m, deref(module));
    return true;
}

bool module_define(Thread *self, jobject module, bool open, const char *version,
                   const char *location, const char *const *packages, int package_count)
{
    if (!check_object(self, module) || !check_named(self, module))
        return false;
    HANDLE_SCOPE(self);
    Symbol *name =
        string_to_symbol(object_get_ref(deref(module), OFF(Module, name)), false, true);
    if (name == module_java_base->name)
        return define_java_base(self, module, open, version, location, packages, package_count);
    jobject java_loader = handle_new(self, object_get_ref(deref(module), OFF(Module, loader)));
    if (java_loader && object_is_instance(deref(java_loader), CLS(DelegatingClassLoader))) {
        throw_new(self, "java/lang/IllegalArgumentException",
                  "Class loader is an invalid delegating class loader");
        return false;
    }
    Loader *l = loader_of(self, java_loader);
    if (!l || !check_packages(self, l, packages, package_count)
        || !define_other(self, l, name, module, open, version, location, packages,
                         package_count))
        return false;
    log_defined(name, location);
    return true;
}

bool module_set_boot_unnamed(Thread *self, jobject module)
{
    if (!check_object(self, module) || !check_of_boot_loader(self, module))
        return false;
    module_bind(loader_boot->unnamed, deref(module));
    return true;
}

// ---- reads ----
// With module_lock held.
static void mention(Module *m, PtrMap *in)
{
    ASSERT_HELD(&module_lock);
    m->mentioned = true;
    ptrmap_put(in, (uintptr_t)m, m);
}

bool module_add_reads(Thread *self, jobject from, jobject to)
{
    Module *f = find_from(self, from);
    if (!f)
        return false;
    bool to_all = !deref(to);
    Module *t = to_all ? NULL : find_to(self, to);
    if (!t && !to_all)
        return false;
    if (f == t || !f->name)
        return true;
    mutex_lock(&module_lock);
    if (to_all)
        f->reads_all_unnamed = true;
    else
        mention(t, &f->reads);
    mutex_unlock(&module_lock);
    return true;
}

bool module_can_read(const Module *from, const Module *to)
{
    if (from == to || !from->name || to == module_java_base)
        return true;
    if (!to->name && from->reads_all_unnamed)
        return true;
    if (!to->name && from->default_reads && (to->loader->is_boot || to->loader->is_app))
        return true;
    mutex_lock(&module_lock);
    bool reads = ptrmap_get(&from->reads, (uintptr_t)to) != NULL;
    mutex_unlock(&module_lock);
    return reads;
}

void module_report_default_reads(Thread *self, Module *m)
{
    ASSERT_MAY_GC(self);
    if (!m->name || m->default_reads_reported || !loader_modules_are_ready())
        return;
    HANDLE_SCOPE(self);
    m->default_reads_reported = true;
    jobject pending = handle_new(self, self->exception);
    self->exception = NULL;
    jvalue nothing;
    if (!java_call_static(self, "jdk/internal/module/Modules", "transformedByAgent",
                          "(Ljava/lang/Module;)V", (jvalue[]){{.l = m->module}}, &nothing))
        self->exception = NULL;
    self->exception = deref(pending);
}

// ---- exports ----
static Package *find_package(Thread *self, const Module *m, const char *package)
{
    if (!package) {
        throw_new(self, "java/lang/NullPointerException", "package is null");
        return NULL;
    }
    Symbol *name = slashed(package);
    Package *p = loader_package(m->loader, name, false);
    if (p && p->module == m)
        return p;
    if (p)
        throw_new(self, "java/lang/IllegalArgumentException",
                  "Package: %s found in module %s, not in from_module: %s", name->s,
                  p->module->name ? p->module->name->s : "unnamed module", m->name->s);
    else
        throw_new(self, "java/lang/IllegalArgumentException",
                  "Package %s not found in from_module %s", name->s, m->name->s);
    return NULL;
}

enum ExportTo { TO_ALL, TO_UNNAMED, TO_ONE };

static bool add_exports(Thread *self, jobject from, const char *package, enum ExportTo how,
                        jobject to)
{
    Module *f = find_from(self, from);
    if (!f)
        return false;
    Module *t = how == TO_ONE ? find_to(self, to) : NULL;
    if (how == TO_ONE && !t)
        return false;
    if (!f->name || f->open)
        return true;
    Package *p = find_package(self, f, package);
    if (!p)
        return false;
    mutex_lock(&module_lock);
    if (how == TO_ALL)
        p->exported_to_all = true;
    else if (how == TO_UNNAMED)
        p->exported_to_all_unnamed = true;
    else
        mention(t, &p->exported_to);
    mutex_unlock(&module_lock);
    return true;
}

bool module_add_exports(Thread *self, jobject from, const char *package, jobject to)
{
    return add_exports(self, from, package, deref(to) ? TO_ONE : TO_ALL, to);
}

bool module_add_exports_to_all_unnamed(Thread *self, jobject from, const char *package)
{
    return add_exports(self, from, package, TO_UNNAMED, NULL);
}

bool package_is_exported(const Package *p, const Module *to)
{
    const Module *m = p->module;
    if (m == to || !m->name || m->open || p->exported_to_all || !m->defined)
        return true;
    if (!to->name && p->exported_to_all_unnamed)
        return true;
    mutex_lock(&module_lock);
    bool exported = ptrmap_get(&p->exported_to, (uintptr_t)to) != NULL;
    mutex_unlock(&module_lock);
    return exported;
}
