// SPDX-License-Identifier: Apache-2.0
// Classes, fields, methods and their pre-decoded code: the VM's own structures, made from a
// ClassFile. They live in class space (Class) and C memory and do not move, until their class loader data are
// unloaded (unload.c). A Class's Java mirror is a java.lang.Class object that also holds its
// statics.
#ifndef CLASS_CLASS_H
#define CLASS_CLASS_H

#include "class/dependent.h"
#include "class/symbol.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"
#include "frame/insn.h"
#include "heap/class_loader_data.h"
#include "heap/heap.h"
#include "thread/thread.h"

typedef struct Module Module;
typedef struct Package Package;

typedef enum ClassState {
    CLASS_LOADED,
    CLASS_LINKED,
    CLASS_INITIALIZING,
    CLASS_INITIALIZED,
    CLASS_ERROR
} ClassState;

struct Field {
    Class *cls;
    Symbol *name, *desc;
    const FieldInfo *info;
    uint32_t offset; // in the object, or in the mirror for statics
    uint16_t access; // as in the class file
    uint16_t slot;   // class_field_in_slot's index
    char kind;       // first char of the descriptor
    bool trusted_final;
    bool
        deleted; // by a redefinition: is not found any more; its place in objects stays its own
    bool
        stable; // jdk.internal.vm.annotation.Stable: what is not 0 or null stays; so do an array's elements
    uint8_t watch; // WATCH_*: what some tool watches; changed while the world is stopped
    _Atomic bool
        final_changes; // something may write to it although it is final: assumption_break_final
};
enum { WATCH_ACCESS = 1, WATCH_MODIFY = 2 };
// The fields of a class of which some came or went by a redefinition (redefine/fields.h). Changes with the world stopped.
typedef struct FieldSlots {
    uint32_t first_count; // those of Class.fields, which come first
    uint32_t count;
    Field **at;      // by slot, deleted ones too
    Field **current; // the others, in the order of the class file
} FieldSlots;

typedef enum MethodEntry { // how a call of the method is begun; chosen at link time
    ENTRY_JAVA,
    ENTRY_JAVA_COUNTED, // the same, decoded, its calls counted no more (interp/profile.h)
    ENTRY_COMPILED,     // the same, with code of a compiler's (interp/compiled_call.h)
    ENTRY_NATIVE,
    ENTRY_INTRINSIC,        // a native method with an intrinsic (native_register_intrinsics)
    ENTRY_ALWAYS_INTRINSIC, // a method whose intrinsic stands for its code (native_always_intrinsic)
    ENTRY_ABSTRACT,
    ENTRY_INVOKE_BASIC,
    ENTRY_LINK_TO_VIRTUAL,
    ENTRY_LINK_TO_STATIC,
    ENTRY_LINK_TO_SPECIAL,
    ENTRY_LINK_TO_INTERFACE,
    ENTRY_LINK_TO_NATIVE,
    ENTRY_THROWS,
    ENTRY_COUNT
} MethodEntry;
// Which of 64 entries of a constant pool can be resolved, and how many can that stand in front.
typedef struct PoolRank {
    uint64_t resolvable; // a bit for each entry
    uint32_t before;
} PoolRank;
// What POOL_GROUP resolvable entries in a row resolved to, see resolve.h.
enum { POOL_GROUP = 8 };
typedef struct PoolGroup {
    _Atomic(void *) resolved[POOL_GROUP];
} PoolGroup;
// A version of a class: the class file, what its constant pool entries resolved to, and what is
// left of it once it was redefined. Code keeps to the version it was decoded from, so whatever
// resolves an index takes the pool and not the class.
typedef struct ConstantPool {
    Class *cls;
    ClassFile *cf;
    uint32_t version; // 0 as it was loaded, one more with each redefinition
    bool replaced;    // there is a newer version
    bool rewritten;   // a listener changed the class file when it was loaded
    // The class file before retransformation changed it; NULL: cf's bytes.
    uint8_t *original;
    size_t original_len;
    Class **interfaces; // of a replaced one: those that the class had, if there is a new list
    bool in_use;        // likewise, while versions_sweep looks
    struct ConstantPool *next;        // of the replaced ones, of any class
    struct OwnedBlock *_Atomic owned; // pool_alloc
    struct PoolRef *_Atomic refs;     // pool_ref
    _Atomic size_t native_bytes;      // of it and all that it owns
    _Atomic(void *) this_class;       // what the entry of the class itself resolved to: cls
    Dependent accesses; // the code, on the fields of other classes that it names: watch.c
    PoolGroup *_Atomic *groups; // pool_slot: each made when one of its entries is resolved
    PoolRank ranks[];           // by constant pool index / 64
} ConstantPool;

enum { // Method.flags
    METHOD_CALLER_SENSITIVE = 1,
    METHOD_HIDDEN = 2,
    METHOD_LAMBDA_FORM_COMPILED = 4,
    METHOD_OVERPASS = 8 /* made by the VM: throws */,
    METHOD_OBSOLETE = 16, // METHOD_OLD, and the current version is another one
    METHOD_OBJECT_INIT = 32,
    METHOD_HAS_JSR = 64,
    METHOD_OLD = 128,           // an OldMethod
    METHOD_SCOPED = 256,        // accesses memory of a scope: see classlib/foreign.c
    METHOD_FORCE_INLINE = 1024, // jdk.internal.vm.annotation.ForceInline
    METHOD_DELETED = 512, // by a redefinition: is not found any more, and calling it throws
};

// The current version of a method is always at the same place: what names it (call sites,
// tables, ids, MemberNames) means the version of the moment.
struct Method {
    Class *cls;
    Symbol *name, *desc;
    const MethodInfo *info; // NULL for methods the VM made and deleted ones
    ConstantPool *pool;     // of info; NULL likewise
    uint32_t slot;          // class_method's index
    uint16_t access;
    uint16_t flags;
    _Atomic uint8_t entry_kind; // MethodEntry; changes when a native method is bound
    uint8_t param_count;
    uint8_t arg_words; // receiver included
    char ret;          // kind of the result
    uint16_t max_stack, max_locals;
    // Of a class: in its vtable. Of an interface: in the itables of it. -1: the method is never
    // selected (static, private, <init>).
    int32_t table_index;
    uint32_t insn_count;
    const void *_Atomic
        entry; // the engine's code for entry_kind, which begins a call (method_set_entry)
    const void *_Atomic
        compiled_entry; // what compiled code calls, Java arguments in registers: code/java_convention.h
    Insn *_Atomic code; // pre-decoded; NULL before the first call
    union {
        void *_Atomic native; // linked native function
        const struct JavaShape
            *_Atomic java_shape; // of one with code: how it is called when it is compiled
    };
    union { // what the engine made for its calls; NULL: nothing yet
        const void *_Atomic native_call; // of a native method: shared by methods, never freed
        void *_Atomic oop_maps;          // of one with code: the maps of its frames
    };
    union {
        struct OverpassInfo *overpass; // METHOD_OVERPASS: what to throw
        bool (*intrinsic)(Thread *self, const struct Method *m,
                          union Slot *args); // or ENTRY_ALWAYS_INTRINSIC
    };
    jobject member_name; // loader_data_ref: canonical ResolvedMethodName, made on demand
    void *_Atomic id;    // its jmethodID, made on demand (method_id.h)
};
_Static_assert(sizeof(Method) <= 128, "there are ten of them in a class");
struct OverpassInfo {
    const char *exception; // class to throw
    char *message;
};
// A method of a replaced version of its class that frames were in when it was replaced.
typedef struct OldMethod {
    Method method; // first; with METHOD_OLD
    struct OldMethod *next;
} OldMethod;

typedef struct Itable { // one per interface a class implements, directly or not
    Class *iface;
    Method **methods; // by table_index; NULL entries throw AbstractMethodError
} Itable;

struct Class {
    Layout layout; // first: the heap's view
    Symbol *
        name; // internal form: java/lang/String, [I, [Ljava/lang/String;, and int for primitives
    uint16_t access; // class file flags (arrays: computed)
    uint16_t
        inner_access; // flags by the InnerClasses attribute (= access when none): Class.getModifiers
    _Atomic uint8_t state; // ClassState
    char kind; // 'L' class or interface, '[' array, else a primitive's descriptor char
    bool hidden, is_record, verified;
    bool has_default_methods; // an interface that declares non-static non-abstract ones
    bool magic;               // of MagicAccessorImpl, in a loader for such
    bool accessor;            // subclass of MethodAccessorImpl
    bool abandoned;           // its definition failed: no event said that it was loaded
    bool joined, extended;    // it is linked, or a subclass is: class_join_hierarchy
    uint8_t depth;            // of supers, Object 0, saturating
    Class *super;
    uint16_t interface_count; // direct
    Class **interfaces;
    uint16_t all_interface_count; // all, for subtype checks
    Class **all_interfaces;
    Class *display[8]; // supers by depth, self included (depth < 8)
    Loader *loader;    // defining
    Module *module;
    Package *package;   // NULL for arrays of primitives and primitives
    ConstantPool *pool; // the current version; NULL for arrays and primitives
    ClassFile *cf;      // pool->cf
    uint16_t field_count;
    uint16_t first_method_count; // of `methods`
    uint32_t method_count;       // slots: with the methods added, and those deleted, since
    Field *fields;               // class file order; a block that never moves
    FieldSlots *field_slots;     // NULL: `fields` are all
    Method *methods;             // class file order; a block that never moves
    Method **added_methods;      // the slots behind; grows while the world is stopped
    uint32_t vtable_len, itable_len;
    Method **vtable;
    Itable *itables;
    OldMethod *old_methods; // of replaced versions; changes while the world is stopped
    Method **extra_methods; // overpasses and mirandas that the VM added
    uint32_t extra_method_count;
    Class *element;              // arrays: the component class
    Class *_Atomic array_class;  // class of arrays of this, once made
    Class *_Atomic nest_host;    // resolved; NULL before
    jobject mirror;              // loader_data_ref
    Thread *_Atomic init_thread; // written under init_lock
    Mutex init_lock;
    Cond init_cond;
    jobject init_error;    // loader_data_ref: the ExceptionInInitializerError given as cause
    char *nest_host_error; // why the nest host is the class itself
    Class *next_in_loader; // list of classes its loader defined
    // The loaded classes that have it as superclass, newest first; no arrays. loader_lock, or the world stopped.
    Class *subclasses, *next_subclass, *prev_subclass;
    _Atomic(void *) tool_data;   // of the JVMPI layer, see pi_class.c
    Symbol *source;              // "source:" of -verbose:class; may be NULL
    _Atomic size_t native_bytes; // metadata_count
};

// The class after c in a walk over all loaded classes below top, which begins with c == top; NULL at the end. Under
// loader_lock, or with the world stopped. NO_GC.
Class *class_next_below(const Class *c, const Class *top);

static inline bool class_is_interface(const Class *c)
{
    return (c->access & ACC_INTERFACE) != 0;
}
static inline bool class_is_array(const Class *c)
{
    return c->kind == '[';
}
static inline bool class_is_primitive(const Class *c)
{
    return c->kind != 'L' && c->kind != '[';
}
static inline bool class_is_reference_array(const Class *c)
{
    return c->layout.shape == SHAPE_REF_ARRAY;
}
static inline ClassState class_state(const Class *c)
{
    return (ClassState)atomic_load_explicit(&c->state, memory_order_acquire);
}
// Whether `new` makes an object of it without more ado.
static inline bool class_makes_instances(const Class *c)
{
    return c->kind == 'L' && !(c->access & (ACC_INTERFACE | ACC_ABSTRACT))
           && c->layout.shape != SHAPE_MIRROR && class_state(c) == CLASS_INITIALIZED;
}
// The mirror as a raw reference.
static inline Object *class_mirror(const Class *c)
{
    return deref(c->mirror);
}
// The classes that c lives and dies with, and the references that all of them hold.
static inline ClassLoaderData *class_loader_data(const Class *c)
{
    return c->layout.loader_data;
}
// Keeps `on` alive while u lives. NO_GC.
static inline void loader_data_depend(ClassLoaderData *u, const Class *on)
{
    if (class_loader_data(on) != u && !class_loader_data(on)->immortal)
        loader_data_ref(u, class_mirror(on));
}
// Arrays: the class below all dimensions; else c.
const Class *class_base_element(const Class *c);
// The class a mirror stands for; primitives have classes too. NULL never.
Class *class_of_mirror(const Object *mirror);

// Whether every instance of `c` is an instance of `t` (JVMS checkcast rules, arrays included).
// NO_GC.
bool class_is_subclass_slow(const Class *c, const Class *t);
ALWAYS_INLINE bool class_is_subclass(const Class *c, const Class *t)
{
    if (c == t)
        return true;
    if (t->depth < 8 && !(t->access & ACC_INTERFACE) && t->kind == 'L')
        return c->display[t->depth] == t;
    return class_is_subclass_slow(c, t);
}
ALWAYS_INLINE bool object_is_instance(const Object *o, const Class *t)
{
    return class_is_subclass((Class *)(void *)object_layout(o), t);
}
// Whether instances of c may stand where a descriptor says so; by name, as the descriptor's class
// may not be loaded. NO_GC.
bool class_fits_descriptor(const Class *c, const char *desc, size_t len);
bool class_same_package(const Class *a, const Class *b);

// Members declared by the class itself; NULL when absent.
Method *class_declared_method(const Class *c, const Symbol *name, const Symbol *desc);
Field *class_declared_field(const Class *c, const Symbol *name, const Symbol *desc);
// All that an instance has of fields, those of superclasses included, always in the same order. False: they are more than max, or
// the VM has some of its own there. NO_GC.
NODISCARD bool class_instance_fields(const Class *c, uint32_t max, const Field **out,
                                     uint32_t *count);
// Members through supers (and interfaces: JVMS 5.4.3.2, 5.4.3.3 without access checks). NULL
// when absent.
Method *class_find_method(const Class *c, const Symbol *name, const Symbol *desc);
Field *class_find_field(const Class *c, const Symbol *name, const Symbol *desc);
// 5.4.3.4 for interfaces.
Method *class_find_interface_method(const Class *iface, const Symbol *name, const Symbol *desc);
// What a call of `m` on an instance of `c` selects (JVMS 5.4.6): vtable or itable. Abstract or NULL: no
// implementation (AbstractMethodError), or `c` does not implement the interface (NULL, and
// *not_implemented is set; it may be NULL).
Method *class_select_method(const Class *c, Method *m, bool *not_implemented);
Itable *class_find_itable(const Class *c, const Class *iface);

// External name (java.lang.String, [I; hidden: Foo$$Lambda/0x…) in memory of vm_malloc.
char *class_external_name(const Class *c);
// "java.lang.String.length()" as HotSpot prints methods in messages: 'int
// java.lang.String.length()'.
char *method_external_name(const Method *m);

// Whether a call selects by the receiver; through its vtable, through the itable of an interface.
static inline bool method_is_selected(const Method *m)
{
    return m->table_index >= 0;
}
static inline bool method_in_vtable(const Method *m)
{
    return m->table_index >= 0 && !class_is_interface(m->cls);
}
static inline bool method_in_itable(const Method *m)
{
    return m->table_index >= 0 && class_is_interface(m->cls);
}
// Of a method that may be bound meanwhile, either kind.
static inline MethodEntry method_entry_kind(const Method *m)
{
    return (MethodEntry)atomic_load_explicit(&m->entry_kind, memory_order_relaxed);
}
static inline bool method_is_static(const Method *m)
{
    return (m->access & ACC_STATIC) != 0;
}
static inline bool method_is_native(const Method *m)
{
    return (m->access & ACC_NATIVE) != 0;
}
// The linked function of a native method; NULL: none yet, or the method is not native.
static inline void *method_native(const Method *m)
{
    return method_is_native(m) ? atomic_load_explicit(&m->native, memory_order_acquire) : NULL;
}
static inline bool method_is_abstract(const Method *m)
{
    return (m->access & ACC_ABSTRACT) != 0;
}
// Whether it has bytecodes; what is read from its Code attribute then.
static inline bool method_has_code(const Method *m)
{
    return m->info && m->info->code;
}
static inline CodeInfo method_code(const Method *m)
{
    return code_info(m->info->code);
}
static inline const uint8_t *method_bytecodes(const Method *m)
{
    return code_bytecodes(m->info->code);
}
// The class file a method comes from.
static inline const ClassFile *method_class_file(const Method *m)
{
    return m->pool ? m->pool->cf : m->cls->cf;
}
static inline bool method_is_deleted(const Method *m)
{
    return (m->flags & METHOD_DELETED) != 0;
}
// The field of a class that comes behind f in the order of the class file, the first one of NULL; NULL: none, or f is not there any more.
Field *class_next_field_of_slots(const Class *c, const Field *f);
static inline Field *class_next_field(const Class *c, const Field *f)
{
    if (UNLIKELY(c->field_slots != NULL))
        return class_next_field_of_slots(c, f);
    Field *next = f ? (Field *)(uintptr_t)f + 1 : c->fields;
    return next < c->fields + c->field_count ? next : NULL;
}
// Each field f that c declares, in the order of the class file.
#define FIELD_EACH(f, c) \
    for (Field *f = class_next_field(c, NULL); f; f = class_next_field(c, f))
// All slots of fields, and what is in one. A deleted field stays in its slot.
static inline uint32_t class_field_slot_count(const Class *c)
{
    return c->field_slots ? c->field_slots->count : c->field_count;
}
static inline Field *class_field_in_slot(const Class *c, uint32_t slot)
{
    return c->field_slots ? c->field_slots->at[slot] : &c->fields[slot];
}
// The field with this address, if the class declares it; NULL: it does not. Any address.
Field *class_field_at(const Class *c, const void *address);
// The method in a slot, 0 to method_count - 1. A deleted one stays in its slot.
static inline Method *class_method(const Class *c, uint32_t slot)
{
    return LIKELY(slot < c->first_method_count)
               ? &c->methods[slot]
               : c->added_methods[slot - c->first_method_count];
}
// The first method from a slot on that is not deleted; NULL: none.
static inline Method *class_method_from(const Class *c, uint32_t slot)
{
    for (; slot < c->method_count; slot++)
        if (!method_is_deleted(class_method(c, slot)))
            return class_method(c, slot);
    return NULL;
}
// Each method m that c declares, <init> and <clinit> too. The class may be redefined meanwhile.
#define METHOD_EACH(m, c) \
    for (Method *m = class_method_from(c, 0); m; m = class_method_from(c, m->slot + 1))
// The current version of a method.
static inline Method *method_current(const Method *m)
{
    return m->flags & METHOD_OLD ? class_method(m->cls, m->slot) : (Method *)(uintptr_t)m;
}
int method_line(const Method *m, int32_t bci); // -1 unknown, -2 native
// As code_lines and code_locals; of any method.
LineEntry *method_lines(const Method *m, uint32_t *count);
LocalVarEntry *method_locals(const Method *m, uint32_t *count);
#endif
