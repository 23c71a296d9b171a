// SPDX-License-Identifier: Apache-2.0
// Class loaders: their tables, and loading through them as resolution does (JVMS 5.3).
// loader_lock guards all tables and lists here; it is never held over anything that collects.
// Two threads may make the same class at once: the first to register wins, and the other one
// takes the winner (boot loader) or gets LinkageError.
#include "base/log.h"
#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "thread/monitor.h"

Loader *loader_boot;
_Atomic(Loader *) loader_system;
Mutex loader_lock = MUTEX_INIT(RANK_LOADER);

static Loader *loaders;   // list through next; loader_boot last
static Loading *loadings; // of all threads

bool loader_init(const char *java_home, const char *append, char *error, size_t error_size)
{
    loader_boot = vm_calloc(1, sizeof *loader_boot);
    loader_boot->is_boot = loader_boot->parallel_capable = true;
    loader_boot->loader_data.immortal = true;
    loader_data_add(&loader_boot->loader_data);
    loaders = loader_boot;
    modules_init();
    return boot_path_init(java_home, append, error, error_size);
}

void loaders_each(void (*visit)(void *ctx, Loader *l), void *ctx)
{
    mutex_lock(&loader_lock);
    for (Loader *l = loaders; l; l = l->next)
        visit(ctx, l);
    mutex_unlock(&loader_lock);
}

typedef struct ClassVisit {
    void (*visit)(void *ctx, Class *c);
    void *ctx;
} ClassVisit;

static void visit_with_arrays(const ClassVisit *v, Class *c)
{
    for (; c; c = atomic_load(&c->array_class))
        v->visit(v->ctx, c);
}

static void visit_defined(void *ctx, Loader *l)
{
    for (Class *c = l->defined; c; c = c->next_in_loader)
        if (c->mirror && !class_is_array(c))
            visit_with_arrays(ctx, c);
}

void classes_each(void (*visit)(void *ctx, Class *c), void *ctx)
{
    ClassVisit v = {visit, ctx};
    loaders_each(visit_defined, &v);
    for (const char *kind = "ZCFDBSIJ"; *kind; kind++)
        visit_with_arrays(&v, atomic_load(&class_primitive(*kind)->array_class));
}

// ---- the Loader of a java.lang.ClassLoader ----
static bool is_boot_instance(const Object *o, const char *cls)
{
    const Class *c = object_class(o);
    return c->loader == loader_boot && strcmp(c->name->s, cls) == 0;
}

static void bind_unnamed(Loader *l, Object *java_loader)
{
    Object *module = object_get_ref(java_loader, OFF(ClassLoader, unnamedModule));
    if (module && !l->unnamed->module)
        module_bind(l->unnamed, module);
}

static Loader *loader_new(Object *java_loader)
{
    Loader *l = vm_calloc(1, sizeof *l);
    l->java_loader = loader_data_ref(&l->loader_data, java_loader);
    l->is_platform =
        is_boot_instance(java_loader, "jdk/internal/loader/ClassLoaders$PlatformClassLoader");
    l->is_app =
        is_boot_instance(java_loader, "jdk/internal/loader/ClassLoaders$AppClassLoader");
    l->is_reflection =
        is_boot_instance(java_loader, "jdk/internal/reflect/DelegatingClassLoader");
    l->parallel_capable =
        object_get_ref(java_loader, OFF(ClassLoader, parallelLockMap)) != NULL;
    l->loader_data.immortal = l->is_platform || l->is_app;
    l->unnamed = module_new(l, NULL);
    return l;
}

static Loader *known_loader(const Object *java_loader)
{
    return (Loader *)(uintptr_t)object_get_long(java_loader, OFF(ClassLoader, vm_loader));
}

Loader *loader_of(Thread *self UNUSED, jobject java_loader)
{
    ASSERT_HANDLE(java_loader);
    Object *o = deref(java_loader);
    if (!o)
        return loader_boot;
    Loader *l = known_loader(o);
    if (!l) {
        mutex_lock(&loader_lock);
        l = known_loader(o);
        if (!l) {
            l = loader_new(o);
            loader_data_add(&l->loader_data);
            l->next = loaders;
            loaders = l;
            object_set_long(o, OFF(ClassLoader, vm_loader), (int64_t)(uintptr_t)l);
        }
        mutex_unlock(&loader_lock);
    }
    if (UNLIKELY(!l->unnamed->module))
        bind_unnamed(l, o);
    return l;
}

Loader *loader_constructed(Thread *self, jobject java_loader)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(java_loader);
    Loader *l = loader_of(self, java_loader);
    if (l == loader_boot || l->unnamed->module)
        return l;
    char *name = class_external_name(object_class(deref(java_loader)));
    throw_new(
        self, "java/lang/InternalError",
        "Internal Error: the unnamed module of class loader %s is null or not an instance "
        "of java.lang.Module: its constructor has not run",
        name);
    vm_free(name);
    return NULL;
}

// ---- tables ----
static Class *table_get(Loader *l, const Symbol *name)
{
    mutex_lock(&loader_lock);
    Class *c = ptrmap_get(&l->classes, (uintptr_t)name);
    mutex_unlock(&loader_lock);
    return c;
}

// Splits an array name: the number of dimensions, and the element's text ("I", "java/lang/String").
// 0: it is none, whatever it begins with.
static int split_array(const char *s, size_t len, const char **element, size_t *element_len)
{
    size_t dims = 0;
    while (dims < len && s[dims] == '[')
        dims++;
    *element = s + dims;
    *element_len = len - dims;
    if (*element_len < 2 || s[dims] != 'L' || s[len - 1] != ';')
        return *element_len == 1 && s[dims] != 'V' && class_primitive(s[dims]) ? (int)dims : 0;
    *element += 1;
    *element_len -= 2;
    return (int)dims;
}

Class *loader_find_loaded(Loader *loader, Symbol *name)
{
    ASSERT_NOT_HELD(&loader_lock);
    if (name->s[0] != '[')
        return table_get(loader, name);
    const char *s;
    size_t len;
    int dims = split_array(name->s, name->len, &s, &len);
    Class *c;
    if (dims == 0)
        return NULL;
    if (name->s[dims] != 'L') {
        c = class_primitive(*s);
    } else {
        Symbol *element = symbol_find_n(s, len);
        c = element ? table_get(loader, element) : NULL;
    }
    while (c && dims-- > 0)
        c = atomic_load_explicit(&c->array_class, memory_order_acquire);
    return c;
}

bool loader_register(Loader *l, Class *c, Class **winner, Class **other)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(c->loader == l);
    bool ok = true;
    *winner = *other = NULL;
    mutex_lock(&loader_lock);
    if (!c->hidden) {
        *winner = ptrmap_get(&l->classes, (uintptr_t)c->name);
        *other = *winner ? NULL : constraint_conflict(l, c->name, c);
        ok = !*winner && !*other;
        if (ok)
            ptrmap_put(&l->classes, (uintptr_t)c->name, c);
    }
    if (ok) {
        c->next_in_loader = l->defined;
        l->defined = c;
        class_add_to_super(c);
    }
    mutex_unlock(&loader_lock);
    return ok;
}

void throw_other_class(Thread *self, const Loader *l, const Class *c, const Class *other)
{
    ASSERT_MAY_GC(self);
    StrBuf mine = {0}, its = {0};
    describe_loader(&mine, l);
    describe_loader(&its, other->loader);
    char *name = class_external_name(c), *place = describe_place(other);
    const char *kind = class_is_interface(c) ? "interface" : "class";
    throw_new(self, "java/lang/LinkageError",
              "loader constraint violation: loader %s wants to load %s %s. A different %s with "
              "the same name was previously loaded by %s. (%s)",
              mine.s, kind, name, kind, its.s, place);
    vm_free(name);
    vm_free(place);
    sb_free(&mine);
    sb_free(&its);
}

// Records l as an initiating loader of c. False with LinkageError pending when that contradicts
// what it knows.
static bool record_initiated(Thread *self, Loader *l, Class *c)
{
    mutex_lock(&loader_lock);
    Class *known = ptrmap_get(&l->classes, (uintptr_t)c->name);
    Class *other = !known ? constraint_conflict(l, c->name, c) : known != c ? known : NULL;
    if (!known && !other) {
        ptrmap_put(&l->classes, (uintptr_t)c->name, c);
        loader_data_depend(&l->loader_data, c);
    }
    mutex_unlock(&loader_lock);
    if (other)
        throw_other_class(self, l, c, other);
    return !other;
}

// ---- unloading ----
static void classes_take_dead(Class **list, Class **out)
{
    for (Class **at = list; *at;) {
        Class *c = *at;
        if (!class_loader_data(c)->dead) {
            at = &c->next_in_loader;
            continue;
        }
        *at = c->next_in_loader;
        c->next_in_loader = *out;
        *out = c;
    }
}

void loaders_take_dead(DeadList *out)
{
    ASSERT_WORLD_STOPPED();
    for (Loader **at = &loaders; *at;) {
        Loader *l = *at;
        classes_take_dead(&l->defined, &out->classes);
        classes_take_dead(&l->abandoned, &out->classes);
        if (!l->loader_data.dead) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        l->next = out->loaders;
        out->loaders = l;
    }
}

// ---- circularity (JVMS 5.3.5 step 3) ----
static void loading_push(Loading *s)
{
    s->next = loadings;
    loadings = s;
}

static bool loads_supers_of(const Thread *t, const Loader *l, const Symbol *name)
{
    for (const Loading *s = loadings; s; s = s->next)
        if (s->thread == t && s->loader == l && s->name == name && s->super)
            return true;
    return false;
}

bool loader_begin_super(Loading *s)
{
    mutex_lock(&loader_lock);
    bool ok = !loads_supers_of(s->thread, s->loader, s->name);
    if (ok)
        loading_push(s);
    mutex_unlock(&loader_lock);
    return ok;
}

void loader_end_super(Loading *s)
{
    mutex_lock(&loader_lock);
    Loading **p = &loadings;
    while (*p != s)
        p = &(*p)->next;
    *p = s->next;
    mutex_unlock(&loader_lock);
}

// False: this thread is at (l, name) already, at its supers or, where the loader is not parallel capable, in the
// search of the loader. mark, when it is not NULL, begins such a search.
static bool check_circularity(Thread *self, Loader *l, Symbol *name, Loading *mark)
{
    bool circular = false;
    mutex_lock(&loader_lock);
    for (const Loading *s = loadings; s && !circular; s = s->next)
        circular = s->thread == self && s->loader == l && s->name == name
                   && (s->super || !l->parallel_capable);
    if (!circular && mark) {
        *mark = (Loading){.thread = self, .loader = l, .name = name};
        loading_push(mark);
    }
    mutex_unlock(&loader_lock);
    if (circular)
        throw_new(self, "java/lang/ClassCircularityError", "%s", name->s);
    return !circular;
}

// The super of (l, name) that another thread loads now; NULL: none does.
static Symbol *super_loaded_by_other(const Thread *self, const Loader *l, const Symbol *name)
{
    Symbol *super = NULL;
    mutex_lock(&loader_lock);
    for (const Loading *s = loadings; s && !super; s = s->next)
        if (s->thread != self && s->loader == l && s->name == name)
            super = s->super;
    mutex_unlock(&loader_lock);
    // as this thread's own: nothing was collected since
    return super ? symbol_intern_n(super->s, super->len) : NULL;
}

// ---- loading ----
// As loader_load, but NULL without exception when there was only nothing.
static Class *load_quietly(Thread *self, Loader *l, Symbol *name);
static Class *load_user(Thread *self, Loader *l, Symbol *name);

// A name that is none of an array is the loader's business, as any other.
static Class *load_array(Thread *self, Loader *l, Symbol *name)
{
    const char *s;
    size_t len;
    int dims = split_array(name->s, name->len, &s, &len);
    if (dims == 0)
        return l->is_boot ? NULL : load_user(self, l, name);
    Class *c = name->s[dims] == 'L' ? load_quietly(self, l, symbol_intern_n(s, len))
                                    : class_primitive(*s);
    while (c && dims-- > 0)
        c = class_array_of(self, c);
    return c;
}

Class *loader_find_boot(Thread *self, Symbol *name)
{
    ASSERT_MAY_GC(self);
    Class *c = loader_find_loaded(loader_boot, name);
    if (c)
        return c;
    if (name->s[0] == '[')
        return load_array(self, loader_boot, name);
    if (!check_circularity(self, loader_boot, name, NULL))
        return NULL;
    size_t len = 0;
    const char *source = NULL;
    const uint8_t *bytes = boot_path_class(name, &len, &source);
    if (!bytes)
        return NULL;
    DefineOptions options = {.name = name->s, .source = source};
    c = class_define_for(self, loader_boot, bytes, len, &options, true);
    boot_path_release(bytes, len);
    return c;
}

static jobject dotted_string(Thread *self, const Symbol *name)
{
    char *dotted = vm_strdup(name->s);
    for (char *p = dotted; *p; p++)
        if (*p == '/')
            *p = '.';
    jobject s = string_from_mutf8(self, dotted);
    vm_free(dotted);
    return s;
}

// loadClass(name) of the loader. NULL without exception when it answered null or something that
// is not the class asked for.
static Class *upcall(Thread *self, Loader *l, const Symbol *name)
{
    jvalue args[2], result = {.l = NULL};
    args[0].l = l->java_loader;
    args[1].l = dotted_string(self, name);
    if (exception_pending(self)
        || !java_call_virtual(self, MTH(ClassLoader, loadClass), args, &result) || !result.l)
        return NULL;
    Class *c = class_of_handle(result.l);
    return c->name == name && !class_is_primitive(c) ? c : NULL;
}

// Another thread loads a super of what this one wants. Two that want each other's classes would wait for each other's
// locks for ever: so this thread loads the super as well, and finds the circle. The other thread may have left the lock
// of a loader that is not parallel capable by waiting on it, where nobody else would wake it.
static bool load_super_of_other(Thread *self, Loader *l, Symbol *name)
{
    Symbol *super = super_loaded_by_other(self, l, name);
    if (!super)
        return true;
    if (!l->parallel_capable && monitor_is_held(self, deref(l->java_loader)))
        monitor_notify(self, l->java_loader, true);
    Loading mark = {.thread = self, .loader = l, .name = name, .super = super};
    if (!loader_begin_super(&mark))
        return true;
    Class *c = loader_load(self, l, super, true);
    loader_end_super(&mark);
    return c != NULL;
}

// The lock of the loader is held. Waits while another thread loads supers of the class, which is as good as its owner.
static Class *await_other(Thread *self, Loader *l, Symbol *name)
{
    enum { LOOK_AGAIN_MS = 10 }; // that thread need not own the lock, so that it could notify
    Class *c = table_get(l, name);
    while (!c && super_loaded_by_other(self, l, name)) {
        monitor_notify(self, l->java_loader, true);
        if (monitor_wait(self, l->java_loader, LOOK_AGAIN_MS) == WAIT_INTERRUPTED) {
            object_set_boolean(deref(self->java_thread), OFF(Thread, interrupted), 1);
            break;
        }
        c = table_get(l, name);
    }
    return c;
}

static Class *upcall_locked(Thread *self, Loader *l, Symbol *name)
{
    if (l->parallel_capable)
        return upcall(self, l, name);
    monitor_enter(self, l->java_loader);
    Class *c = await_other(self, l, name);
    if (!c)
        c = upcall(self, l, name);
    monitor_exit(self, l->java_loader);
    return c;
}

static Class *load_user(Thread *self, Loader *l, Symbol *name)
{
    HANDLE_SCOPE(self);
    Loading mark;
    if (!check_circularity(self, l, name, &mark))
        return NULL;
    Class *c = load_super_of_other(self, l, name) ? upcall_locked(self, l, name) : NULL;
    loader_end_super(&mark);
    return c && !exception_pending(self) && record_initiated(self, l, c) ? c : NULL;
}

static Class *load_quietly(Thread *self, Loader *l, Symbol *name)
{
    Class *c = loader_find_loaded(l, name);
    if (LIKELY(c != NULL))
        return c;
    if (l->is_boot)
        return loader_find_boot(self, name);
    return name->s[0] == '[' ? load_array(self, l, name) : load_user(self, l, name);
}

// A ClassNotFoundException that a loader threw becomes the cause of a NoClassDefFoundError.
static void throw_not_found(Thread *self, const char *error)
{
    HANDLE_SCOPE(self);
    jobject cause = NULL;
    if (exception_pending(self)) {
        if (!object_is_instance(self->exception, CLS(ClassNotFoundException)))
            return;
        cause = exception_take(self);
    }
    throw_cause(self, "java/lang/NoClassDefFoundError", cause, "%s", error);
}

Class *loader_load_said(Thread *self, Loader *loader, Symbol *name, const char *error)
{
    Class *c = load_quietly(self, loader, name);
    if (UNLIKELY(!c))
        throw_not_found(self, error);
    return c;
}

Class *loader_load(Thread *self, Loader *loader, Symbol *name, bool as_error)
{
    ASSERT_NO_LOCKS();
    if (as_error)
        return loader_load_said(self, loader, name, name->s);
    Class *c = load_quietly(self, loader, name);
    if (!c && !exception_pending(self))
        throw_new(self, "java/lang/ClassNotFoundException", "%s", name->s);
    return c;
}

Class *class_from_descriptor(Thread *self, Loader *loader, const char *desc, size_t len)
{
    ASSERT_MAY_GC(self);
    if (len == 1)
        return class_primitive(*desc);
    HANDLE_SCOPE(self);
    if (*desc == 'L')
        return loader_load(self, loader, symbol_intern_n(desc + 1, len - 2), true);
    return loader_load(self, loader, symbol_intern_n(desc, len), true);
}
