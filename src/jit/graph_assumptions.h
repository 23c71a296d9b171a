// SPDX-License-Identifier: Apache-2.0
// What code that is made of a graph is made for although it can change.
#ifndef JIT_GRAPH_ASSUMPTIONS_H
#define JIT_GRAPH_ASSUMPTIONS_H

#include "jit/installed_code.h"
#include "jit/ir.h"

// That the methods have these bodies, the graph's own first. The graph was just built; the caller is IN_VM. NO_GC.
void graph_bodies(const Graph *g, Assumptions *out);
// Behind these: that no class is unloaded that the code names: by a type, by a field or a method; that nobody
// watches fields that it accesses. Objects that it names are constants of classes whose methods it does. The graph is finished. NO_GC.
void graph_assumptions(const Graph *g, Assumptions *out);

// Whether some event tells of each new object: a graph that does not make all of them is good only while none does. NO_GC.
bool graph_allocations_are_watched(void);

// Until the enclosing HANDLE_SCOPE ends, what the graph names by now stays valid, whoever unloads or redefines classes while self is not
// IN_VM: classes, methods, the versions of those whose bytecodes it has, the handles of objects. self is IN_VM. NO_GC.
void graph_keep(Thread *self, const Graph *g);

#endif
