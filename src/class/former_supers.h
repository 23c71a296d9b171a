// SPDX-License-Identifier: Apache-2.0
// Superclasses that a redefinition has taken away (redefine/structure.h), from a class and all that were below it: each has its list.
//
// Code that was on its way with such an object while the world was stopped may still take it for an instance of the former superclass. So
// the places that its fields have in the objects stay reserved, whatever is redefined later (redefine/fields.h); and a call of one of its
// methods looks at the receiver (Class.was_super), as the method tables of the object have no place for it. Such code gets an
// IncompatibleClassChangeError, or reads a field that nobody else uses: it never takes one thing for another.
#ifndef CLASS_FORMER_SUPERS_H
#define CLASS_FORMER_SUPERS_H

#include "class/class.h"

// Whether s is a former superclass of c. NO_GC.
bool class_was_below(const Class *c, const Class *s);
// Likewise, or c is below s: its instances have places for s's fields. NO_GC.
static inline bool class_has_places_of(const Class *c, const Class *s)
{
    return class_is_subclass(c, s) || (s->was_super && class_was_below(c, s));
}
// The loaded classes whose instances have places for c's fields, c among them; a class comes behind its superclass. `at`: NULL for the
// first one. NULL at the end. World stopped. NO_GC.
Class *class_next_with_places(const Class *at, const Class *c);
#define WITH_PLACES_EACH(x, c) \
    for (Class *x = class_next_with_places(NULL, (c)); x; x = class_next_with_places(x, (c)))

#endif
