// SPDX-License-Identifier: Apache-2.0
// The choice among superinterface methods that resolution and table building share.
#ifndef CLASS_CLASS_MEMBERS_H
#define CLASS_CLASS_MEMBERS_H

#include "class/class.h"

enum { INTERFACE_CHOICE_MAX = 2 };
typedef struct InterfaceChoice { // maximally-specific superinterface methods (JVMS 5.4.3.3)
    int concrete_count;          // all of them; the first ones stand in concrete
    Method *concrete[INTERFACE_CHOICE_MAX];
    Method *abstract; // one of the abstract ones, or NULL
    int among;        // so many methods, less specific ones counted
} InterfaceChoice;
// Among all superinterfaces of c (c's own methods not counted). NO_GC.
InterfaceChoice class_choose_interface_method(const Class *c, const Symbol *name,
                                              const Symbol *desc);
// "Conflicting default methods: I.m J.m" of a choice with several concrete ones. vm_free it. NO_GC.
char *class_describe_conflict(const InterfaceChoice *choice);
// The instance method that invokespecial finds from class c on (JVMS 6.5): statics are passed over. NO_GC.
Method *class_find_instance_method(const Class *c, const Symbol *name, const Symbol *desc);

#endif
