// SPDX-License-Identifier: Apache-2.0
// Redefinitions that change more than the bodies of methods (-XX:+AllowEnhancedClassRedefinition): which classes they are
// about, what forbids them, and what follows for the tables of methods, for resolved calls and for what java.lang.Class keeps.
// docs/REDEFINITION.md.
#ifndef REDEFINE_STRUCTURE_H
#define REDEFINE_STRUCTURE_H

#include "class/class.h"
#include "classfile/compare.h"

// A class and its version to come.
typedef struct Restructured {
    Class *cls;
    const ClassFile *to;
    Class *super; // to come
    Class
        *old_super; // the one before that, once structure_link_supers was done; NULL: it stays
    Class **interfaces; // in the order of the class file; the class takes the list
    jobject *strings; // by the number of a field: the constant value of a static one; else NULL
} Restructured;

// What c may change, by the flags, and all of it if who asks is `free`. NO_GC.
ClassFileFreedom structure_freedom(const Class *c, bool free);
// Loads and links the superclass of r->to, and gives r->super. False with the exception pending.
NODISCARD MAY_GC bool structure_load_super(Thread *self, Restructured *r);
// Loads and links the interfaces of r->to, and gives r->interfaces. False with the exception pending.
NODISCARD MAY_GC bool structure_load_interfaces(Thread *self, Restructured *r);
// Gives r->strings. False with the exception pending.
NODISCARD MAY_GC bool structure_make_strings(Thread *self, Restructured *r);
// The loader constraints of methods and interfaces that come, with what they override and what overrides them (JVMS 5.3.4). False with
// LinkageError pending. MAY_GC.
NODISCARD MAY_GC bool structure_check_constraints(Thread *self, const Restructured *r);
// Whether no method overrides a final one, no final class has subclasses and no class or interface extends itself, once all of these have
// changed. World stopped, NO_GC.
NODISCARD bool structure_fits(const Restructured *all, int count);
// Whether instances of c, which is no array, will be of type t, once all of these have changed. World stopped, NO_GC.
bool structure_will_be(const Restructured *all, int count, const Class *c, const Class *t);
// Classes get their superclasses to come: links, depths; not yet tables and places of fields. And back. World stopped, NO_GC.
void structure_link_supers(Restructured *all, int count);
void structure_unlink_supers(Restructured *all, int count);
// Whether the instances of c have got superclass s by that. The one that gave it, or NULL. World stopped, NO_GC.
const Restructured *structure_gainer(const Restructured *all, int count, const Class *c,
                                     const Class *s);
// Once the members are replaced: tables, calls, nests, caches. World stopped, NO_GC.
void structure_spread(Thread *self, const Restructured *all, int count);

#endif
