// SPDX-License-Identifier: Apache-2.0
// The compiler works on graphs beside a stopped world, and asks classes for their supers then. A redefinition that gives classes other
// supers, fields or tables (redefine/structure.h) waits for it first, and keeps it out until it is done.
#ifndef CLASS_HIERARCHY_GATE_H
#define CLASS_HIERARCHY_GATE_H

#include "thread/thread.h"

// Begins to read beside a stopped world. False: a change is under way, or waits. NO_GC; any thread, and any number of them.
NODISCARD bool hierarchy_begin_reading(void);
void hierarchy_end_reading(void);
// Waits in a safe state until nobody reads. No lock is held, the world runs.
MAY_GC void hierarchy_begin_change(Thread *self);
void hierarchy_end_change(void);

#endif
