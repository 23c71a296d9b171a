// SPDX-License-Identifier: Apache-2.0
// What stands in a structure that depends on assumptions: see assumption.h.
#ifndef CLASS_DEPENDENT_H
#define CLASS_DEPENDENT_H

#include "base/common.h"

typedef enum AssumptionKind {
#define ASSUMPTION(id, object, value) ASSUME_##id,
#include "spec/assumptions.def"
#undef ASSUMPTION
    ASSUMPTION_COUNT
} AssumptionKind;

typedef struct Dependent Dependent;
// An assumption that d is registered with does not hold any more. True: d stays registered, with all; false: with none.
// The world is stopped, by this thread; the table's lock is not held, but what the breaker holds is. No dependent may be
// registered, removed or freed. NO_GC, runs no Java. The object may be dead (CLASS_ALIVE).
typedef bool Invalidate(Dependent *d, AssumptionKind kind, const void *object);

// What was made for assumptions. Its owner holds it and calls dependent_remove before it is freed.
struct Dependent {
    Invalidate *invalidate;
    uint32_t first; // of its registrations; 0 at first
};

#endif
