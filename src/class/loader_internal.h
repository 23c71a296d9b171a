// SPDX-License-Identifier: Apache-2.0
// What the files that define, lay out and link classes share with each other, and with
// redefinition. Nobody else includes it.
#ifndef CLASS_LOADER_INTERNAL_H
#define CLASS_LOADER_INTERNAL_H

#include "class/loader.h"

// ---- class.c ----
// An empty class with its lock, in class space. NULL with OutOfMemoryError pending.
NODISCARD MAY_GC Class *class_new(Thread *self);
// define.c: takes back a class whose definition failed: it is freed when nobody refers to its mirror.
void class_abandon(Class *c);
// class.c: enters c, which is loaded, among the subclasses of its superclass, under loader_lock; takes it out with the
// world stopped.
void class_add_to_super(Class *c);
void class_remove_from_super(Class *c);
// Symbol of a CONSTANT_Utf8; of the name of a CONSTANT_Class.
Symbol *class_utf8_symbol(const ClassFile *cf, uint16_t index);
Symbol *class_name_symbol(const ClassFile *cf, uint16_t class_index);
// name, desc, shape, entry and sizes of methods[i] from its MethodInfo. No annotations.
void method_fill(Class *c, Method *m, const MethodInfo *info, uint32_t slot);

// ---- vm_annotations.c ----
// Sets the flags of methods and of the class that trusted annotations ask for.
void class_read_vm_annotations(Class *c);

// ---- layout.c ----
// Offsets of the instance fields and the Layout of instances. Superclass laid out before.
void layout_instance(Class *c);
// Whether its instances are finalized, by its methods and those of its supers.
void layout_find_finalizer(Class *c);
// Offsets of the statics in the mirror, mirror_size, static spans. java.lang.Class laid out before.
void layout_statics(Class *c);
// Notes in used[], a byte for each of an object, where fields of c have their places, deleted ones too: of instances, or in the mirror. NO_GC.
void layout_mark_used(const Class *c, bool statics, uint8_t *used);
// The reference spans of instances, and in the mirror, of a class whose fields changed, or whose superclass's did; that was done
// before. World stopped. NO_GC.
void layout_renew(Class *c);
void layout_renew_statics(Class *c);
// Byte size of a field of a kind in objects.
int layout_kind_size(char kind);

// ---- mirror.c ----
// Makes the mirror, or puts c on the fix-up list while java.lang.Class does not exist. False
// with the exception pending.
NODISCARD MAY_GC bool mirror_create(Thread *self, Class *c, jobject protection_domain,
                                    jobject class_data);
// The string that a static field's constant value is; NULL with the exception pending.
NODISCARD MAY_GC jobject mirror_constant_string(Thread *self, const ClassFile *cf,
                                                uint16_t string_index);
// Gives a static field of c its constant value, of cf; of a string it is what mirror_constant_string gave. NO_GC.
void mirror_set_constant(const Class *c, const ClassFile *cf, const Field *f, jobject string);
// java.lang.Class is laid out: makes the mirrors of the fix-up list.
NODISCARD MAY_GC bool mirrors_fix_up(Thread *self);
bool mirrors_ready(void);
// Classes that were found dead wait for no module any more. World stopped.
void mirrors_forget_dead(void);
// The module of m's classes now has a java.lang.Module: stores it in the mirrors that wait for it.
void mirrors_set_module(Module *m);

// ---- primitive.c, array_class.c ----
NODISCARD MAY_GC bool primitives_init(Thread *self); // the nine classes
NODISCARD MAY_GC bool primitive_arrays_init(
    Thread *self); // after Object, Cloneable and Serializable

// ---- boot_path.c ----
bool boot_path_init(const char *java_home, const char *append, char *error, size_t error_size);
const char *boot_path_java_home(void);
// Bytes of a class of the boot loader by its internal name, for boot_path_release; *source as
// -verbose:class prints it (immortal). NULL: there is no such class.
const uint8_t *boot_path_class(Symbol *name, size_t *len, const char **source);
void boot_path_release(const uint8_t *bytes, size_t len);

// ---- define.c ----
// Whether the class library is to trust what the loader defines.
bool loader_is_trusted(const Loader *l);
// A class file on its way through the listeners of CLASS_FILE_LOAD.
typedef struct HookedFile {
    const uint8_t *bytes; // as they left it; of vm_malloc when it is `rewritten`
    size_t len;
    bool rewritten;
    // of vm_malloc: as it was before those that may retransform changed it; NULL: they did not
    uint8_t *original;
    size_t original_len;
} HookedFile;
typedef struct HookedClass { // what the listeners get
    Class *redefined;        // NULL while a class is loaded
    bool retransform;        // only those that may retransform are asked
    Loader *loader;
    const char *name; // may be NULL
    jobject protection_domain;
} HookedClass;
// False with an exception pending that a listener threw: the class file is not to be used.
MAY_GC bool class_file_hook(Thread *self, const HookedClass *what, HookedFile *file);
// Whether a listener is on this thread now.
bool class_file_hook_is_open(void);
// Parses for a loader. `name`: for messages, may be NULL. NULL and *error.
ClassFile *class_file_parse(const Loader *l, const char *name, const HookedFile *file,
                            ClassFileError *error);

// ---- loader.c ----
// Enters a new class. Under no lock. False: *winner is what is registered already, or NULL when a
// loader constraint forbids it, because the name means *other.
bool loader_register(Loader *l, Class *c, Class **winner, Class **other);
// LinkageError: what a loader constraint lets l know c's name as is `other`.
COLD MAY_GC void throw_other_class(Thread *self, const Loader *l, const Class *c,
                                   const Class *other);
// What a thread is at with a name: its loader looks for it, or its supers are loaded. loader_lock.
typedef struct Loading {
    Thread *thread;
    Loader *loader;
    Symbol *name;
    Symbol *super; // that is loaded now; NULL: the loader looks for the class
    struct Loading *next;
} Loading;
// Marks that a thread loads a super of a class; false when it does so already (circularity).
bool loader_begin_super(Loading *s);
void loader_end_super(Loading *s);
// class_define; boot_lookup: a lost race gives the winner instead of LinkageError.
NODISCARD MAY_GC Class *class_define_for(Thread *self, Loader *loader, const uint8_t *bytes,
                                         size_t len, const DefineOptions *options,
                                         bool boot_lookup);

// ---- unload.c ----
// Class loader data for one weak hidden class, pinned.
ClassLoaderData *loader_data_of_hidden(void);
// loader.c: takes the dead classes and loaders off all lists; loaders through Loader.next, classes
// through next_in_loader. World stopped.
typedef struct DeadList {
    Class *classes;
    Loader *loaders;
} DeadList;
void loaders_take_dead(DeadList *out);
// constraints.c, module.c: a dead loader leaves the tables of the others and its own are freed.
void constraints_forget(Loader *l);
void modules_forget_dead(void);
void module_tables_free(Loader *l);

// ---- module.c ----
void modules_init(void); // java.base and the unnamed module of the boot loader
// A Module without a java.lang.Module yet.
Module *module_new(Loader *l, Symbol *name);
extern Mutex module_lock; // RANK_MODULE: packages, modules, reads, exports
// Links module and its java.lang.Module and patches waiting mirrors. NO_GC.
void module_bind(Module *m, Object *java_module);

// ---- constraints.c ----
// With loader_lock held: NULL when (l, name) may become c, which is remembered; else what it has to be.
Class *constraint_conflict(Loader *l, Symbol *name, Class *c);
// The constraints that `selected` standing for `overridden` in c's vtable, or (itable) in its table for the
// interface of `overridden`, imposes. False with LinkageError pending.
NODISCARD MAY_GC bool constraints_check_override(Thread *self, const Class *c,
                                                 const Method *selected,
                                                 const Method *overridden, bool itable);

// ---- define.c ----
// The superclass that a version of c names, with the checks of JVMS 5.3.5. NULL with the exception pending.
NODISCARD MAY_GC Class *class_load_super(Thread *self, Class *c, const ClassFile *cf);
// A superinterface that a version of c names (a CLASS entry of cf), with the checks of JVMS 5.3.5 but that it is an interface. NULL with
// the exception pending.
NODISCARD MAY_GC Class *class_load_interface(Thread *self, Class *c, const ClassFile *cf,
                                             uint16_t index);

// ---- link.c, vtable.c, itable.c ----
// vtable and itables, once the supers have theirs. False with the exception pending.
NODISCARD MAY_GC bool class_build_tables(Thread *self, Class *c);
NODISCARD MAY_GC bool vtable_build(Thread *self, Class *c);
// At loading: no method of c overrides a final one (JVMS 5.3.5). False with IncompatibleClassChangeError pending.
NODISCARD MAY_GC bool vtable_check_finals(Thread *self, const Class *c);
NODISCARD MAY_GC bool itables_build(Thread *self, Class *c);
// Likewise of a class that has them, once those of its supers are made anew. What the loader constraints are for the new methods was
// checked. World stopped, NO_GC.
void vtable_remake(Class *c);
void itables_remake(Class *c);
// Marks the methods of c that have jsr or ret.
void class_mark_jsr(Class *c);
// A method the VM adds to c: throws `exception` with `message` (vm_malloc'ed, taken over).
Method *class_add_overpass(Class *c, Symbol *name, Symbol *desc, const char *exception,
                           char *message);

// ---- verify_adapter.c ----
// JVMS 4.10, of a class file for c: the one it has or one that is to replace it. False with the
// exception pending.
NODISCARD MAY_GC bool class_verify(Thread *self, Class *c, ClassFile *cf);
// A class and the superclass that it is going to have.
typedef struct PlannedSuper {
    const Class *cls;
    Class *super;
} PlannedSuper;
// What the calling thread verifies from now on is verified as if these had come true; NULL, 0: it is no longer.
void class_plan_supers(const PlannedSuper *at, uint32_t count);

#endif
