// SPDX-License-Identifier: Apache-2.0
// What code that is made of a graph is made for although it can change.
#ifndef JIT_GRAPH_ASSUMPTIONS_H
#define JIT_GRAPH_ASSUMPTIONS_H

#include "jit/installed_code.h"
#include "jit/ir.h"

// That the method has this body, first; that its class is not unloaded: what the code names besides lives as long as that, as the class's
// constant pool names it; that nobody watches fields that it accesses. The graph is finished, of a method.
void graph_assumptions(const Graph *g, Assumptions *out);

#endif
