// SPDX-License-Identifier: Apache-2.0
// Whether the code of other classes stays verified when classes lose superclasses (-XX:+AllowEnhancedClassRedefinition): what hands an object
// of the class to where the superclass is declared must not be there. docs/REDEFINITION.md.
#ifndef REDEFINE_REVERIFY_H
#define REDEFINE_REVERIFY_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "class/loader_internal.h"

typedef VEC(const Class *) ReverifiedClasses;
typedef struct Reverify {   // of one redefinition
    ReverifiedClasses lose; // that get another superclass, and all below them
    ReverifiedClasses lost; // superclasses that some of them will not have any more
    ReverifiedClasses seen; // whose code was looked at and stays right; local handles keep them
    uint64_t verified, losses; // classes_verified, classes_super_losses when that began
} Reverify;

// Looks at all code that names a class that loses a superclass, and that superclass, by class_plan_supers. False: some is not right any more, and
// `place` says what.
NODISCARD MAY_GC bool reverify(Thread *self, Reverify *r, const PlannedSuper *supers,
                               uint32_t count, StrBuf *place);
// Whether no such code was verified meanwhile; else it is done again. World stopped. NO_GC.
bool reverify_is_current(const Reverify *r);
void reverify_free(Reverify *r);

#endif
