// SPDX-License-Identifier: Apache-2.0
// Two versions of a class file side by side: may one replace the other in a running VM (JVM TI
// RedefineClasses), and which methods stay the same. Pure; both were parsed without an error.
#ifndef CLASSFILE_COMPARE_H
#define CLASSFILE_COMPARE_H

#include "classfile/classfile.h"

typedef enum ClassFileChange {
    CLASSFILE_COMPATIBLE,
    CLASSFILE_HIERARCHY_CHANGED, // superclass or direct superinterfaces
    CLASSFILE_ATTRIBUTE_CHANGED, // Record; NestHost, NestMembers, PermittedSubclasses
    CLASSFILE_MODIFIERS_CHANGED, // of the class
    CLASSFILE_SCHEMA_CHANGED,    // fields: names, descriptors, modifiers, order
    CLASSFILE_METHOD_DELETED,    // or with another name or descriptor
    CLASSFILE_METHOD_MODIFIERS_CHANGED,
    CLASSFILE_METHOD_ADDED,
} ClassFileChange;

// What a class may change while it is in use.
typedef enum ClassFileFreedom {
    FREE_BODIES, // of methods, which may also become native, or cease to be, and change places
    FREE_PRIVATE_METHODS, // besides: private methods that are static or final come and go
    FREE_MEMBERS, // besides: all of its methods; its interfaces; its nest, what it permits, its access flags but for what kind of class it is
} ClassFileFreedom;
// The first change, in this order, that the freedom does not allow.
ClassFileChange classfile_compare(const ClassFile *from, const ClassFile *to,
                                  ClassFileFreedom freedom);
// The method of a name and descriptor, NULL when there is none. `guess`: the index to look at first.
const MethodInfo *classfile_find_method(const ClassFile *cf, Bytes name, Bytes descriptor,
                                        uint32_t guess);
// Whether two methods are equivalent (JVM TI, RedefineClasses): the same code except for indices
// into the constant pool, which mean the same. Line numbers, local variables and, as on HotSpot,
// exception handlers don't count.
bool method_is_equivalent(const ClassFile *a, const MethodInfo *m, const ClassFile *b,
                          const MethodInfo *n);

#endif
