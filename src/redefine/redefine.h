// SPDX-License-Identifier: Apache-2.0
// Replacing the class files of classes in use (JVM TI RedefineClasses, RetransformClasses).
//
// The current version of each method stays where it is and gets new contents, with the world
// stopped: call sites, tables, method ids and MemberNames mean the new version from then on.
// Frames in it are moved to a copy of the old one (OldMethod), which keeps its code and its
// constant pool.
//
// With -XX:+AllowRedefinitionToAddDeleteMethods private methods that are static or final come and
// go. An added one gets a slot behind the others. A deleted one keeps its slot, as call sites,
// MemberNames, reflection and ids may name it: a call of it resolves anew, mostly to a
// NoSuchMethodError, until a method of the same name, descriptor and modifiers is added and takes
// the slot.
#ifndef REDEFINE_REDEFINE_H
#define REDEFINE_REDEFINE_H

#include "class/class.h"

typedef enum RedefineStatus {
    REDEFINE_OK,
    REDEFINE_INVALID_CLASS, // its initialization failed
    REDEFINE_UNSUPPORTED_VERSION,
    REDEFINE_INVALID_FORMAT,
    REDEFINE_CIRCULAR,
    REDEFINE_FAILS_VERIFICATION,
    REDEFINE_NAMES_DONT_MATCH,
    REDEFINE_HIERARCHY_CHANGED,
    REDEFINE_ATTRIBUTE_CHANGED,
    REDEFINE_MODIFIERS_CHANGED,
    REDEFINE_SCHEMA_CHANGED,
    REDEFINE_METHOD_DELETED,
    REDEFINE_METHOD_MODIFIERS_CHANGED,
    REDEFINE_METHOD_ADDED,
    REDEFINE_OUT_OF_MEMORY,
    REDEFINE_INTERNAL, // the class in use does not link
} RedefineStatus;

typedef struct RedefineRequest {
    Class *cls;           // modifiable
    const uint8_t *bytes; // NULL: retransform, from the bytes before the last retransformation
    size_t len;
    bool free; // it may change what -XX:+AllowEnhancedClassRedefinition lets all change
} RedefineRequest;

// Whether a class may be redefined: neither primitive nor array nor hidden.
bool class_is_modifiable(const Class *c);
// Posts CLASS_FILE_LOAD for each, checks the results, and replaces all classes or none. A class
// may stand in the list twice; the last one stays. Waits while another thread redefines one of
// them. `replacing` is called for each class with the world stopped, before it changes. No
// exception is pending before and after. MAY_GC, runs Java.
MAY_GC RedefineStatus classes_redefine(Thread *self, const RedefineRequest *requests, int count,
                                       void (*replacing)(Class *c));

// Why the last call of this thread was refused, where its status does not tell that; "": there is nothing more to say.
const char *redefine_refusal(void);

#endif
