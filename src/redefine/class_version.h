// SPDX-License-Identifier: Apache-2.0
// Versions of a class: a ConstantPool is one, with its class file, what its entries resolved to and
// what was made for its code. A replaced one (redefine.h) stays as long as a frame runs a method
// of it or a thread has it pinned; versions_sweep frees the others, with the methods left of them.
// C code that reads a class file or a pool across a MAY_GC call pins it first (docs/GC.md).
#ifndef REDEFINE_CLASS_VERSION_H
#define REDEFINE_CLASS_VERSION_H

#include "class/class.h"

// A version of c with nothing resolved but the class itself. Takes cf. NO_GC.
ConstantPool *constant_pool_new(Class *c, ClassFile *cf);
// Frees a version that is not the current one, and its class file. NO_GC.
void constant_pool_free(ConstantPool *pool);

// ---- what entries resolved to; thread-safe, NO_GC ----
// Where it is published, for an entry that can be resolved (class, string, member reference, method
// handle, method type, dynamic constant or call). NULL in it: not yet.
_Atomic(void *) *pool_slot(ConstantPool *pool, uint16_t index);
// What is published there, for any entry; NULL: nothing.
void *pool_resolved(ConstantPool *pool, uint16_t index);

// ---- what lives as long as a version; thread-safe, NO_GC ----
void *pool_alloc(ConstantPool *pool, size_t size); // zeroed memory
jobject pool_ref(ConstantPool *pool, Object *o);   // as loader_data_ref
// A handle of an object that code names; the same for the same object, mostly. It is not given back. NO_GC.
jobject pool_constant(ConstantPool *pool, Object *o);
void pool_unref(ConstantPool *pool, jobject ref); // gives back one of pool_ref; NULL: nothing
void pool_depend(ConstantPool *pool, const Class *on); // as loader_data_depend

// ---- using one ----
// Keeps a version and its methods until the enclosing HANDLE_SCOPE or native method ends. NO_GC.
static inline void pool_pin(Thread *self, ConstantPool *pool)
{
    handle_pin(self, pool, PIN_VERSION);
}
// Likewise the version that m is of, if any.
static inline void method_pin(Thread *self, const Method *m)
{
    if (m->pool)
        pool_pin(self, m->pool);
}
// The current version of c, pinned; NULL for arrays and primitives. NO_GC.
static inline ConstantPool *class_version(Thread *self, Class *c)
{
    if (c->pool)
        pool_pin(self, c->pool);
    return c->pool;
}

// ---- replaced versions; world stopped ----
// Notes that pool is a replaced version from now on.
void version_retire(ConstantPool *pool);
// How many that was done with. self is IN_VM, or the world is stopped.
uint64_t versions_retired(void);
// Makes java.lang.Class drop what it keeps of the members of c, which was replaced or is below such a class.
void version_count(const Class *c);
// Frees the replaced versions that are not in use, and all those of dead classes.
void versions_sweep(void);
// Frees the current version of a dead class, which was swept.
void version_free_last(Class *c);
// What is left of a method in a replaced version; NULL: nothing.
OldMethod *version_find_method(const Class *c, uint32_t slot, uint32_t version);
// The method in a version of its class, itself for the current one; NULL: nothing is left of it.
// NO_GC; not only with the world stopped.
Method *method_of_version(Method *m, uint32_t version);
// Frees the code of a method that no frame is in, with all the engine made from it.
void method_take_code(Method *m);

// Registered once, before the first class: how the engine frees code, what it does when a field is watched that
// code of a version accesses (ConstantPool.accesses), and how it makes all code resolve anew what names affected classes.
void version_set_engine(void (*forget)(Method *m), Invalidate *watch,
                        void (*relink)(bool (*is_affected)(const Class *c)));
// World stopped: entries of constant pools and instructions that name a method through an affected class, or make its
// instances, resolve anew. is_affected is right for all classes below one for which it is right. NO_GC.
void versions_relink(bool (*is_affected)(const Class *c));

#endif
