// SPDX-License-Identifier: Apache-2.0
// What code that is made of a graph is made for although it can change.
#ifndef JIT_GRAPH_ASSUMPTIONS_H
#define JIT_GRAPH_ASSUMPTIONS_H

#include "jit/installed_code.h"
#include "jit/ir.h"

// That the method has this body, first; that no class is unloaded that the code names: by a type, by a field or a method; that nobody
// watches fields that it accesses. Objects that it names are constants of classes whose methods it does. The graph is finished, of a method.
void graph_assumptions(const Graph *g, Assumptions *out);

#endif
