// SPDX-License-Identifier: Apache-2.0
// Filling a new Class from its ClassFile, step by step; also what redefinition does to make the
// new version of a class. All run before the class is published and never collect.
#ifndef CLASS_CLASS_FILL_H
#define CLASS_CLASS_FILL_H

#include "class/loader_internal.h"

// cf, loader, name (hidden: Name+0x…), access flags, package and module, the constant
// pool. `given`: the name a hidden class is defined by, NULL: the
// class file's.
void class_fill_names(Class *c, Loader *l, ClassFile *cf, bool hidden, const char *given);
// The access flags of c->cf.
void class_fill_access(Class *c);
// fields and methods of c->cf. No offsets, no table indices, no annotations.
void class_fill_members(Class *c);
// All that c implements or extends, from its superclass's and its interfaces'.
void class_fill_interfaces(Class *c);
// What follows from the superclass: depth, display, record and accessor marks.
void class_fill_superclass(Class *c);
// What follows from the supers: that, all_interfaces, trusted finals.
void class_fill_hierarchy(Class *c);

#endif
