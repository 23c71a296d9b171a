// SPDX-License-Identifier: Apache-2.0
// Frees the names that nothing has any more: of unloaded classes, of classes that were asked for and
// not found, of members that were looked up and are not there.
#ifndef CLASS_SYMBOL_SWEEP_H
#define CLASS_SYMBOL_SWEEP_H

#include "base/common.h"

// At the end of a collection, world stopped: frees unused symbols when there are many new ones
// since the last time (the stress build: after each full collection).
void symbols_sweep(bool full);

#endif
