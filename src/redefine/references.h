// SPDX-License-Identifier: Apache-2.0
// Whether references keep to their declared types when classes and interfaces lose interfaces (-XX:+AllowEnhancedClassRedefinition).
#ifndef REDEFINE_REFERENCES_H
#define REDEFINE_REFERENCES_H

#include "base/strbuf.h"
#include "redefine/structure.h"

// Whether no field, static, array that is reachable, and no receiver or argument of a frame, refers to an object that will not be of its declared
// type any more, once all of these have changed. False: `place` says where, in words. World stopped, compiled frames are settled. NO_GC.
NODISCARD bool references_fit(const Restructured *all, int count, StrBuf *place);

#endif
