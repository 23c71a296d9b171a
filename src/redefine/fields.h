// SPDX-License-Identifier: Apache-2.0
// Fields that come, go, and change their types and modifiers (-XX:+AllowEnhancedClassRedefinition), with the instances and statics that
// have them. docs/REDEFINITION.md.
//
// A field keeps its place in objects for as long as its class lives, also when it is deleted: what knows it by offset (Unsafe, var handles,
// method handles, jfieldIDs) reads and writes there and nowhere else. One that comes gets a place that is free in all subclasses,
// too, so that none of their fields moves. One that comes again takes its old place.
#ifndef REDEFINE_FIELDS_H
#define REDEFINE_FIELDS_H

#include "base/strbuf.h"
#include "redefine/structure.h"

// Whether the superclasses that classes have got (structure_link_supers) can give them their fields; else *reason says which cannot, and why.
// Fields of a class that was never initialized move out of the way of those of its new subclass; other fields stay. World stopped. NO_GC.
NODISCARD bool fields_can_be_gained(const Restructured *all, int count, StrBuf *reason);
// Chooses the places of fields that come, and the sizes that instances and mirrors will have; makes room for those that grow. False: there
// is none, and nothing has changed. World stopped, compiled frames are settled. NO_GC.
NODISCARD bool fields_plan(const Restructured *all, int count);
// Undoes a plan that is not carried out. World stopped. NO_GC.
void fields_forget(void);
// Carries it out: migrates instances and statics, and gives the classes their fields. World stopped. Objects move.
void fields_replace(Thread *self);

#endif
