// SPDX-License-Identifier: Apache-2.0
// Whether references keep to their declared types when classes and interfaces lose interfaces and superclasses
// (-XX:+AllowEnhancedClassRedefinition).
#ifndef REDEFINE_REFERENCES_H
#define REDEFINE_REFERENCES_H

#include "base/strbuf.h"
#include "redefine/structure.h"

typedef enum ReferencesFit {
    REFERENCES_FIT,
    REFERENCES_DO_NOT_FIT,
    REFERENCES_MAY_FIT_LATER, // a frame of another thread is in the way
} ReferencesFit;

// Whether no field, static, array that is reachable, and no receiver or argument of a frame, refers to an object that will not be of its declared
// type any more, once all of these have changed. Else `place` says where, in words. World stopped by self, compiled frames are settled. NO_GC.
NODISCARD ReferencesFit references_fit(const Thread *self, const Restructured *all, int count,
                                       StrBuf *place);

#endif
