// SPDX-License-Identifier: Apache-2.0
// Class loaders, their tables, the boot loader (jimage, patches, appended path), modules and
// packages.
#ifndef CLASS_LOADER_H
#define CLASS_LOADER_H

#include "base/hash.h"
#include "base/vec.h"
#include "class/class.h"

struct Loader {
    ClassLoaderData loader_data; // first: ClassLoader.vm_loader points here
    jobject java_loader;         // loader_data_ref; NULL for the boot loader
    PtrMap classes;              // Symbol * -> Class *: defined and initiated; RANK_LOADER lock
    Class *defined;              // list through next_in_loader
    Class *abandoned;            // the same: classes whose definition failed
    PtrMap packages;             // Symbol * (java/lang) -> Package *
    PtrMap modules;              // Symbol * -> Module *
    Module *unnamed;
    bool is_boot, is_platform, is_app, parallel_capable;
    bool is_reflection; // a jdk.internal.reflect.DelegatingClassLoader
    PtrMap constraints; // Symbol * -> LoaderConstraint *
    struct Loader *next;
};
struct Package {
    Symbol *name;
    Loader *loader;
    Module *module;
    Symbol *location; // where the boot loader has it from; may be NULL
    bool exported_to_all, exported_to_all_unnamed;
    PtrMap exported_to; // Module * -> itself
};
struct Module {
    Symbol *name; // NULL: unnamed
    Loader *loader;
    jobject
        module; // loader_data_ref: the java.lang.Module; NULL for java.base before it is defined
    Symbol *version, *location;
    bool open, reads_all_unnamed, defined;
    bool default_reads,
        default_reads_reported; // to the class library: see module_report_default_reads
    bool mentioned;             // others read it or export to it
    PtrMap reads;               // Module * -> itself
    VEC(char *) patches;        // --patch-module directories and jars
};
// Classes and interfaces defined so far, the bytes of their class files, and the time that took,
// ns; unload.h counts those that went again.
extern _Atomic uint64_t classes_loaded, class_bytes_loaded, class_load_nanos;
extern Loader *loader_boot;
extern _Atomic(Loader *) loader_system; // of the application; NULL until initPhase3 has ended
extern Module *module_java_base;
extern Mutex loader_lock; // RANK_LOADER

// How often tables of methods were made anew (class_remake_tables). self is IN_VM, or the world is stopped.
uint64_t class_tables_remade(void);
// Makes the tables of the classes anew that is_affected says, which is right for all classes below one for which it is right, and
// invalidates all compiled code. java.lang.Object is none of them. World stopped, NO_GC.
void class_remake_tables(Thread *self, bool (*is_affected)(const Class *c));

// Opens jimage and the boot path below java_home. `append` is -Xbootclasspath/a. False and a
// line in error on failure.
bool loader_init(const char *java_home, const char *append, char *error, size_t error_size);
// "name=path" of --patch-module for the boot loader's modules.
void loader_add_patch(const char *module, const char *path);
// More of the boot path: folders and jars with ':' between them; what is neither is left out.
void loader_append_boot_path(const char *list);
// A jar; false: it is none.
bool loader_append_boot_jar(const char *path);
bool loader_is_jar(const char *path); // libzip.so can open it
// after initPhase2: other modules than java.base may be searched
void loader_modules_ready(void);
bool loader_modules_are_ready(void);

// The Loader of a java.lang.ClassLoader (created on first sight); boot for NULL. MAY_GC.
MAY_GC Loader *loader_of(Thread *self, jobject java_loader);

// The same, to find or define classes by it. NULL: the constructor of java.lang.ClassLoader never ran for it
// (Unsafe.allocateInstance), so that it has no unnamed module for its classes; InternalError. MAY_GC.
MAY_GC Loader *loader_constructed(Thread *self, jobject java_loader);
void loaders_each(void (*visit)(void *ctx, Loader *l),
                  void *ctx); // under loader_lock by the callee

// All loaded classes, arrays too; not primitives. Under loader_lock by the callee.
void classes_each(void (*visit)(void *ctx, Class *c), void *ctx);

// Loads through a loader as resolution does (JVMS 5.3), arrays too. NULL with the exception
// pending: ClassNotFoundException of the loader is turned into NoClassDefFoundError only if
// `as_error`. MAY_GC, runs Java.
NODISCARD MAY_GC Class *loader_load(Thread *self, Loader *loader, Symbol *name, bool as_error);
// The same as an error that speaks of what the caller asked for.
NODISCARD MAY_GC Class *loader_load_said(Thread *self, Loader *loader, Symbol *name,
                                         const char *error);
// Boot loader only: NULL without exception when absent.
MAY_GC Class *loader_find_boot(Thread *self, Symbol *name);
// Already loaded (defined or initiated, arrays whose element is): NULL when not. NO_GC.
Class *loader_find_loaded(Loader *loader, Symbol *name);
// Names of all packages known to the boot loader, and the location of one
// (JVM_GetSystemPackage[s]).
void loader_boot_packages(void (*visit)(void *ctx, Package *p), void *ctx);

typedef struct DefineOptions {
    const char *name; // expected internal name, NULL when unknown
    jobject protection_domain;
    const char *source;                            // for -verbose:class; may be NULL
    bool hidden, nestmate, strong, vm_annotations; // JVM_LookupDefineClass
    Class *lookup;                                 // hidden classes: the lookup class
    jobject class_data;
} DefineOptions;
// Parses, creates (loading supers), registers; posts CLASS_FILE_LOAD and CLASS_LOAD. NULL with
// the exception pending. The mirror of the result is a local handle of the caller's scope, which
// keeps the class alive. MAY_GC, runs Java.
NODISCARD MAY_GC Class *class_define(Thread *self, Loader *loader, const uint8_t *bytes,
                                     size_t len, const DefineOptions *options);
// The class of arrays of c. NULL with OutOfMemoryError pending (or dimension > 255). MAY_GC.
NODISCARD MAY_GC Class *class_array_of(Thread *self, Class *element);
// By descriptor char: 'I' … 'V'. And its array.
Class *class_primitive(char kind);
Class *class_primitive_array(char kind); // not 'V'
// A class from a field descriptor text, loaded through `loader`. MAY_GC.
NODISCARD MAY_GC Class *class_from_descriptor(Thread *self, Loader *loader, const char *desc,
                                              size_t len);

// JVMS 5.4: verification, preparation, vtables. False with the exception pending. MAY_GC, runs
// Java. Idempotent.
NODISCARD MAY_GC bool class_link(Thread *self, Class *c);
// JVMS 5.5. False with the exception pending. MAY_GC, runs Java.
NODISCARD MAY_GC bool class_initialize(Thread *self, Class *c);
// Whether code of `self` may go on without class_initialize: initialised, or being initialised
// by self.
static inline bool class_ready(Thread *self, const Class *c)
{
    ClassState s = class_state(c);
    return LIKELY(s == CLASS_INITIALIZED)
           || (s == CLASS_INITIALIZING && c->init_thread == self);
}
// The nest host (JVMS 5.4.4), resolved on first use: the class itself when the attribute is wrong. NULL with a VirtualMachineError or
// ThreadDeath pending, which says nothing of that: it is resolved anew the next time. MAY_GC.
MAY_GC Class *class_nest_host(Thread *self, Class *c);
// The class file of c that the calling thread is verifying, else the current one. NULL for
// arrays and primitives.
const ClassFile *class_file_in_question(const Class *c);

// ---- loader constraints (JVMS 5.3.4) ----
bool loader_constrain(Thread *self, Symbol *class_name, Loader *a,
                      Loader *b); // false: violated
// The constraints of the types in m's descriptor between two loaders. NULL, or the name of the type that
// they know differently.
MAY_GC const Symbol *loader_constrain_method(Thread *self, const Method *m, Loader *a,
                                             Loader *b);

// ---- modules: module.c; they throw what the natives of java.lang.Module document. MAY_GC ----
bool module_define(Thread *self, jobject module, bool open, const char *version,
                   const char *location, const char *const *packages,
                   int package_count);                         // slashed names
bool module_add_reads(Thread *self, jobject from, jobject to); // to NULL: all unnamed
bool module_add_exports(Thread *self, jobject from, const char *package,
                        jobject to); // to NULL: to all
bool module_add_exports_to_all_unnamed(Thread *self, jobject from, const char *package);
bool module_set_boot_unnamed(Thread *self, jobject module);
Module *module_of(Thread *self, jobject java_module); // NULL with exception when unknown
bool module_can_read(const Module *from, const Module *to);
// A class of the module was changed by an agent, or may have been: the class library too has it
// read the unnamed modules of the boot and the application loader (JVM TI, ClassFileLoadHook). Once
// for each module, when there are modules. A pending exception stays.
MAY_GC void module_report_default_reads(Thread *self, Module *m);
bool package_is_exported(const Package *p, const Module *to);
Package *loader_package(Loader *l, Symbol *name,
                        bool create);                 // package of a class name's prefix
Symbol *class_package_name(const Symbol *class_name); // empty symbol for the unnamed package
void modules_each(void (*visit)(void *ctx, Module *m), void *ctx);

// ---- access (JVMS 5.4.4), access.c ----
// Reasons for messages.
typedef enum AccessResult {
    ACCESS_OK,
    ACCESS_DENIED,
    ACCESS_NOT_READABLE,
    ACCESS_NOT_EXPORTED,
    ACCESS_EXCEPTION
} AccessResult;
MAY_GC AccessResult access_check_class(Thread *self, Class *from, Class *to);
// `named` is the class in the symbolic reference, `owner` declares the member.
MAY_GC AccessResult access_check_member(Thread *self, Class *from, Class *named, Class *owner,
                                        uint16_t access);

#endif
