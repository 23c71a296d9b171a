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
} Restructured;

// What c may change. NO_GC.
ClassFileFreedom structure_freedom(const Class *c);
// The loader constraints of methods that come, with those that they override and that override them (JVMS 5.3.4). False with
// LinkageError pending. MAY_GC.
NODISCARD MAY_GC bool structure_check_constraints(Thread *self, const Restructured *r);
// Whether no method overrides a final one and no final class has subclasses, once all of these have changed. World stopped, NO_GC.
NODISCARD bool structure_fits(const Restructured *all, int count);
// Once the members are replaced: tables, calls, nests, caches. World stopped, NO_GC.
void structure_spread(Thread *self, const Restructured *all, int count);

#endif
