// SPDX-License-Identifier: Apache-2.0
// From bytes to a registered Class (JVMS 5.3.5): the CLASS_FILE_LOAD event, parsing, the checks
// of names, loading of the superclass and superinterfaces, layout, mirror, registration, and
// the events and upcall that report it. A Class that fails on the way was never visible; it is
// abandoned to class loader data of its own, which the next full collection finds dead.
#define _GNU_SOURCE
#include "base/log.h"
#include "base/recent.h"
#include "class/class_fill.h"
#include "class/image_map.h"
#include "class/metadata.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/exception.h"
#include "link/access.h"
#include "options/options.h"

// ---- bytes ----
bool loader_is_trusted(const Loader *l)
{
    return l->is_boot || l->is_platform;
}

static char *with_dots(const uint8_t *name, size_t len)
{
    char *s = vm_strndup((const char *)name, len);
    for (char *p = s; *p; p++)
        if (*p == '/')
            *p = '.';
    return s;
}

static const char *error_class(ClassFileErrorKind kind)
{
    switch (kind) {
    case CLASSFILE_UNSUPPORTED_VERSION: return "java/lang/UnsupportedClassVersionError";
    case CLASSFILE_NO_CLASS_DEF: return "java/lang/NoClassDefFoundError";
    case CLASSFILE_VERIFY: return "java/lang/VerifyError";
    case CLASSFILE_INCOMPATIBLE: return "java/lang/IncompatibleClassChangeError";
    default: return "java/lang/ClassFormatError";
    }
}

static bool check_prohibited(Thread *self, Loader *l, Bytes name)
{
    if (loader_is_trusted(l) || name.len < 5 || memcmp(name.p, "java/", 5) != 0)
        return true;
    HANDLE_SCOPE(self);
    StrBuf loader = {0};
    describe_loader(&loader, l);
    const uint8_t *end = memrchr(name.p, '/', name.len);
    char *package = with_dots(name.p, (size_t)(end - name.p));
    throw_new(self, "java/lang/SecurityException",
              "Class loader (instance of): %s tried to load prohibited package name: %s",
              loader.s, package);
    sb_free(&loader);
    vm_free(package);
    return false;
}

static bool check_name(Thread *self, Loader *l, const ClassFile *cf,
                       const DefineOptions *options)
{
    Bytes name = cf_class_name(cf, cf->this_class);
    if (options->name && options->name[0] && !options->hidden
        && !bytes_eq(name, options->name)) {
        throw_new(self, "java/lang/NoClassDefFoundError", "%s (wrong name: %.*s)",
                  options->name, (int)name.len, (const char *)name.p);
        return false;
    }
    return check_prohibited(self, l, name);
}

static _Thread_local int open_hooks;

bool class_file_hook_is_open(void)
{
    return open_hooks > 0;
}

bool class_file_hook(Thread *self, const HookedClass *what, HookedFile *file)
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    const uint8_t *given = file->bytes;
    open_hooks++;
    event_post(
        self, CLASS_FILE_LOAD, .redefined = what->redefined, .retransform = what->retransform,
        .loader = handle_new(self, deref(what->loader->java_loader)), .name = what->name,
        .protection_domain = what->protection_domain, .given = given, .bytes = &file->bytes,
        .len = &file->len, .original = &file->original, .original_len = &file->original_len);
    open_hooks--;
    file->rewritten = file->bytes != given;
    return !exception_pending(self);
}

typedef struct Defining {
    Thread *self;
    Loader *loader;
} Defining;

static bool throw_no_interface(Thread *self, Bytes name, const Class *other)
{
    char *a = with_dots(name.p, name.len), *b = class_external_name(other),
         *place = describe_own_place(other);
    throw_new(self, "java/lang/IncompatibleClassChangeError",
              "class %s can not implement %s, because it is not an interface (%s)", a, b,
              place);
    vm_free(a);
    vm_free(b);
    vm_free(place);
    return false;
}

// A superclass or superinterface of the class that cf is to become. A hidden class, too, must not look for its
// supers by the name it declares.
static Class *load_super(Thread *self, Loader *l, const ClassFile *cf, Symbol *super)
{
    Loading mark = {.thread = self,
                    .loader = l,
                    .name = class_name_symbol(cf, cf->this_class),
                    .super = super};
    if (!loader_begin_super(&mark)) {
        throw_new(self, "java/lang/ClassCircularityError", "%s", mark.name->s);
        return NULL;
    }
    Class *c = loader_load(self, l, super, true);
    loader_end_super(&mark);
    return c;
}

static bool load_interface(void *ctx, const ClassFile *cf, Bytes name)
{
    const Defining *d = ctx;
    Class *iface =
        load_super(d->self, d->loader, cf, symbol_intern_n((const char *)name.p, name.len));
    return iface
           && (class_is_interface(iface)
               || throw_no_interface(d->self, cf_class_name(cf, cf->this_class), iface));
}

static ClassFileOptions file_options(const Loader *l, const char *name, const HookedFile *file)
{
    return (ClassFileOptions){.name = name,
                              .check_format = loader_is_trusted(l) ? vm_options.verify_local
                                                                   : vm_options.verify_remote,
                              .allow_preview = vm_options.allow_preview,
                              .immutable = image_map_contains(file->bytes, file->len)};
}

ClassFile *class_file_parse(const Loader *l, const char *name, const HookedFile *file,
                            ClassFileError *error)
{
    ClassFileOptions how = file_options(l, name, file);
    return classfile_parse(file->bytes, file->len, &how, error);
}

static ClassFile *parse(Thread *self, Loader *l, const HookedFile *file,
                        const DefineOptions *options)
{
    ClassFileError error = {0};
    // a hidden class takes the name it is given
    const char *name = options->hidden ? NULL : options->name;
    ClassFileOptions how = file_options(l, name, file);
    how.load_interface = load_interface;
    how.ctx = &(Defining){self, l};
    ClassFile *cf = classfile_parse(file->bytes, file->len, &how, &error);
    if (!cf) {
        if (error.kind == CLASSFILE_PENDING)
            return NULL;
        throw_new(self, error_class(error.kind), "%s", error.message);
        return NULL;
    }
    if (check_name(self, l, cf, options))
        return cf;
    classfile_free(cf);
    return NULL;
}

// Parses what the listeners of CLASS_FILE_LOAD make of the bytes.
static ClassFile *parse_hooked(Thread *self, Loader *l, HookedFile *file,
                               const DefineOptions *options)
{
    HookedClass what = {
        .loader = l, .name = options->name, .protection_domain = options->protection_domain};
    bool taken = options->hidden || class_file_hook(self, &what, file);
    ClassFile *cf = taken ? parse(self, l, file, options) : NULL;
    if (file->rewritten)
        vm_free((void *)(uintptr_t)file->bytes);
    if (!cf)
        vm_free(file->original);
    return cf;
}

// ---- supers ----
static bool throw_incompatible(Thread *self, const Class *c, const Class *other,
                               const char *format)
{
    char *a = class_external_name(c), *b = class_external_name(other);
    StrBuf sb = {0};
    for (const char *p = format; *p; p++) {
        if (*p == 'A' && p[1] == '#')
            sb_add(&sb, a), p++;
        else if (*p == 'B' && p[1] == '#')
            sb_add(&sb, b), p++;
        else
            sb_putc(&sb, *p);
    }
    throw_new(self, "java/lang/IncompatibleClassChangeError", "%s", sb.s);
    sb_free(&sb);
    vm_free(a);
    vm_free(b);
    return false;
}

static bool permits(const Class *super, const Class *c)
{
    const ClassFile *cf = super->cf;
    if (super->module != c->module
        || (!(c->access & ACC_PUBLIC) && !class_same_package(super, c)))
        return false;
    for (int i = 0; i < cf->permitted_count; i++)
        if (bytes_eq(cf_class_name(cf, cf->permitted[i]), c->name->s))
            return true;
    return false;
}

static bool check_access(Thread *self, Class *c, Class *super, const char *what)
{
    bool accessor = super->magic && (c->loader->is_boot || c->loader->is_reflection);
    AccessResult result = accessor ? ACCESS_OK : access_check_class(self, c, super);
    if (result == ACCESS_OK)
        return true;
    if (result == ACCESS_EXCEPTION)
        return false;
    if (result == ACCESS_DENIED) {
        bool abstract = (super->access & ACC_ABSTRACT) && !class_is_interface(super);
        char *a = class_external_name(c), *b = class_external_name(super),
             *places = describe_places(c, super);
        throw_new(self, "java/lang/IllegalAccessError",
                  "class %s cannot access its %s%s %s (%s)", a, abstract ? "abstract " : "",
                  what, b, places);
        vm_free(a);
        vm_free(b);
        vm_free(places);
    } else {
        char *text = access_message_class(c, super, result);
        throw_new(self, "java/lang/IllegalAccessError", "%s check failed: %s",
                  strcmp(what, "superclass") == 0 ? "superclass access" : what, text);
        vm_free(text);
    }
    return false;
}

// Of a hidden class this gives the name in the class file.
static bool throw_interface_super(Thread *self, const Class *c, const Class *super)
{
    Bytes name = cf_class_name(c->cf, c->cf->this_class);
    char *a = with_dots(name.p, name.len), *b = class_external_name(super);
    throw_new(self, "java/lang/IncompatibleClassChangeError",
              "class %s has interface %s as super class", a, b);
    vm_free(a);
    vm_free(b);
    return false;
}

// What extends a class of java.base's reflection package has to be of a loader that is meant for
// that, even where the package is exported.
static bool check_reflection_super(Thread *self, const Class *c, const Class *super)
{
    if (c->loader->is_boot || c->loader->is_reflection || super->module != module_java_base
        || strcmp(super->package->name->s, "jdk/internal/reflect") != 0)
        return true;
    HANDLE_SCOPE(self);
    StrBuf loader = {0};
    describe_loader(&loader, c->loader);
    char *a = class_external_name(c), *b = class_external_name(super);
    throw_new(self, "java/lang/IllegalAccessError",
              "class %s loaded by %s cannot access jdk/internal/reflect superclass %s", a,
              loader.s, b);
    sb_free(&loader);
    vm_free(a);
    vm_free(b);
    return false;
}

static bool check_super(Thread *self, Class *c, Class *super)
{
    if (class_is_interface(super))
        return throw_interface_super(self, c, super);
    if (super->access & ACC_FINAL)
        return throw_incompatible(self, c, super,
                                  "class A# cannot inherit from final class B#");
    if (super->cf->is_sealed && !permits(super, c))
        return throw_incompatible(self, c, super,
                                  "class A# cannot inherit from sealed class B#");
    return check_reflection_super(self, c, super) && check_access(self, c, super, "superclass");
}

static bool check_interface(Thread *self, Class *c, Class *iface)
{
    if (iface->cf->is_sealed && !permits(iface, c))
        return throw_incompatible(self, c, iface,
                                  class_is_interface(c)
                                      ? "class A# cannot extend sealed interface B#"
                                      : "class A# cannot implement sealed interface B#");
    return check_access(self, c, iface, "superinterface");
}

static void log_super(const Class *c, const Class *super, const char *relation)
{
    if (!log_on(LOG_CLASS_RESOLVE, LOG_DEBUG))
        return;
    char *a = class_external_name(c), *b = class_external_name(super);
    log_write(LOG_CLASS_RESOLVE, LOG_DEBUG, "%s %s (%s)", a, b, relation);
    vm_free(a);
    vm_free(b);
}

Class *class_load_interface(Thread *self, Class *c, const ClassFile *cf, uint16_t index)
{
    ASSERT_MAY_GC(self);
    Class *iface = load_super(self, c->loader, cf, class_name_symbol(cf, index));
    if (!iface || !check_interface(self, c, iface))
        return NULL;
    log_super(c, iface, "interface");
    return iface;
}

Class *class_load_super(Thread *self, Class *c, const ClassFile *cf)
{
    ASSERT_MAY_GC(self);
    Class *super = load_super(self, c->loader, cf, class_name_symbol(cf, cf->super_class));
    if (!super || !check_super(self, c, super))
        return NULL;
    log_super(c, super, "super");
    return super;
}

static bool load_supers(Thread *self, Class *c)
{
    const ClassFile *cf = c->cf;
    if (cf->super_class && !(c->super = class_load_super(self, c, cf)))
        return false;
    c->interfaces =
        cf->interface_count ? vm_calloc(cf->interface_count, sizeof *c->interfaces) : NULL;
    for (int i = 0; i < cf->interface_count; i++) {
        Class *iface = class_load_interface(self, c, cf, cf->interfaces[i]);
        if (!iface)
            return false;
        c->interfaces[c->interface_count++] = iface;
    }
    return true;
}

// ---- the class ----
static bool fix_nest_host(Thread *self, Class *c, const DefineOptions *options)
{
    if (!c->hidden)
        return true;
    Class *host = options->nestmate ? class_nest_host(self, options->lookup) : c;
    if (!host)
        return false;
    atomic_store(&c->nest_host, host);
    loader_data_depend(class_loader_data(c), host);
    return true;
}

void class_abandon(Class *c)
{
    ASSERT_NOT_HELD(&loader_lock);
    c->abandoned = true;
    ClassLoaderData *shared = class_loader_data(c);
    if (class_is_array(c) || shared == &c->loader->loader_data) { // an array's is its element's
        ClassLoaderData *own = loader_data_of_hidden();
        jobject mirror = loader_data_ref(own, class_mirror(c));
        loader_data_unref(shared, c->mirror);
        c->mirror = mirror;
        c->layout.loader_data = own;
    }
    mutex_lock(&loader_lock);
    c->next_in_loader = c->loader->abandoned;
    c->loader->abandoned = c;
    mutex_unlock(&loader_lock);
    loader_data_unpin(class_loader_data(c));
}

// Fills a new class of l up to its mirror.
static bool make(Thread *self, Class *c, Loader *l, ClassFile *cf, const DefineOptions *options)
{
    class_fill_names(c, l, cf, options->hidden, options->name);
    if (options->hidden && !options->strong)
        c->layout.loader_data = loader_data_of_hidden();
    class_fill_members(c);
    if (loader_is_trusted(l) || (options->hidden && options->vm_annotations))
        class_read_vm_annotations(c);
    if (!load_supers(self, c) || !vtable_check_finals(self, c)
        || !fix_nest_host(self, c, options))
        return false;
    class_fill_hierarchy(c);
    layout_instance(c);
    return mirror_create(self, c, options->protection_domain, options->class_data);
}

// Classes changed while c was made, which is a subclass of nothing yet: what was read of its supers may be what it was before.
static void lay_out_again(Class *c)
{
    class_fill_hierarchy(c);
    layout_instance(c);
}

static void set_source(Class *c, const char *source)
{
    if (!source || strlen(source) > UINT16_MAX)
        return;
    c->source = symbol_intern(source);
    if (!c->loader->is_boot)
        return;
    mutex_lock(&module_lock);
    if (!c->package->location)
        c->package->location = c->source;
    mutex_unlock(&module_lock);
}

static void log_load(const Class *c)
{
    recent_add(RECENT_LOADED, "Loaded class %s", c->name->s);
    if (!log_on(LOG_CLASS_LOAD, LOG_INFO))
        return;
    char *name = class_external_name(c);
    if (c->source)
        log_write(LOG_CLASS_LOAD, LOG_INFO, "%s source: %s", name, c->source->s);
    else
        log_write(LOG_CLASS_LOAD, LOG_INFO, "%s", name);
    vm_free(name);
}

static void throw_duplicate(Thread *self, const Class *c, const Class *winner)
{
    StrBuf loader = {0};
    describe_loader(&loader, c->loader);
    char *name = class_external_name(c), *place = describe_place(winner);
    throw_new(self, "java/lang/LinkageError",
              "loader %s attempted duplicate %s definition for %s. (%s)", loader.s,
              class_is_interface(c) ? "interface" : "class", name, place);
    vm_free(name);
    vm_free(place);
    sb_free(&loader);
}

// ClassLoader.addClass keeps the class reachable from its loader.
static bool notify_loader(Thread *self, Class *c)
{
    if (c->loader->is_boot || c->hidden)
        return true;
    jvalue args[2] = {{.l = c->loader->java_loader}, {.l = c->mirror}};
    return java_call_virtual(self, MTH(ClassLoader, addClass), args, NULL);
}

_Atomic uint64_t classes_loaded, class_bytes_loaded, class_load_nanos;

// An exception that a listener of CLASS_LOAD threw is pending then: the class stays.
static Class *publish(Thread *self, Class *c, const DefineOptions *options, bool boot_lookup,
                      uint64_t made_after)
{
    Class *winner, *other;
    set_source(c, options->source);
    if (class_tables_remade() != made_after)
        lay_out_again(c);
    if (!loader_register(c->loader, c, &winner, &other)) {
        if (!winner)
            throw_other_class(self, c->loader, c, other);
        else if (!boot_lookup)
            throw_duplicate(self, c, winner);
        class_abandon(c);
        return boot_lookup ? winner : NULL;
    }
    atomic_fetch_add_explicit(&classes_loaded, 1, memory_order_relaxed);
    self->defined_classes++;
    log_load(c);
    if (!notify_loader(self, c))
        return NULL;
    if (mirrors_ready())
        event_post(self, CLASS_LOAD, .cls = c);
    return c;
}

static Class *define_pinned(Thread *self, Loader *loader, const uint8_t *bytes, size_t len,
                            const DefineOptions *options, bool boot_lookup)
{
    HANDLE_SCOPE(self);
    HookedFile file = {.bytes = bytes, .len = len};
    ClassFile *cf = parse_hooked(self, loader, &file, options);
    if (!cf)
        return NULL;
    Class *c = class_new(self);
    if (!c) {
        classfile_free(cf);
        vm_free(file.original);
        return NULL;
    }
    uint64_t made_after = class_tables_remade();
    if (!make(self, c, loader, cf, options)) {
        class_abandon(c);
        vm_free(file.original);
        return NULL;
    }
    c->pool->original = file.original;
    c->pool->original_len = file.original_len;
    c->pool->rewritten = file.rewritten;
    if (file.rewritten)
        c->module->default_reads = true;
    Class *made = publish(self, c, options, boot_lookup, made_after);
    if (made && file.rewritten && !exception_pending(self))
        module_report_default_reads(self, made->module);
    return made;
}

// Counts the time, that of superclasses that are loaded on the way once.
Class *class_define_for(Thread *self, Loader *loader, const uint8_t *bytes, size_t len,
                        const DefineOptions *options, bool boot_lookup)
{
    ASSERT_NO_LOCKS();
    VM_ASSERT(!exception_pending(self));
    ASSERT_MAY_GC(self);
    if (!metadata_reserve(self, len))
        return NULL;
    static __thread int depth;
    int64_t begin = depth++ == 0 ? os_nanos() : 0;
    loader_data_pin(&loader->loader_data);
    Class *c = define_pinned(self, loader, bytes, len, options, boot_lookup);
    if (c)
        handle_new(self, class_mirror(c));
    loader_data_unpin(&loader->loader_data);
    if (c && class_loader_data(c) != &c->loader->loader_data)
        loader_data_unpin(class_loader_data(c));
    if (--depth == 0)
        atomic_fetch_add_explicit(&class_load_nanos, (uint64_t)(os_nanos() - begin),
                                  memory_order_relaxed);
    if (c)
        atomic_fetch_add_explicit(&class_bytes_loaded, len, memory_order_relaxed);
    return exception_pending(self) ? NULL : c;
}

Class *class_define(Thread *self, Loader *loader, const uint8_t *bytes, size_t len,
                    const DefineOptions *options)
{
    ASSERT_MAY_GC(self);
    return class_define_for(self, loader, bytes, len, options, false);
}
