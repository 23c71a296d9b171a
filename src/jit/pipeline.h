// SPDX-License-Identifier: Apache-2.0
// From a method's bytecodes to its improved graph: the builder and the passes in their order.
#ifndef JIT_PIPELINE_H
#define JIT_PIPELINE_H

#include "jit/ir.h"

// With `verify` the graph is checked after each step; what is wrong ends the process with the graph on stderr. Nanoseconds of CPU are
// added to *nanos, the checks not counted. It may be NULL where nobody looks (Graph.view, verify): to ask for the time takes a microsecond.

// Builds the graph, which has a method and is empty. False: refused, g->refused says why. The caller is IN_VM; NO_GC, but for options->pause.
NODISCARD bool jit_build_graph(Graph *g, const BuildOptions *options, bool verify,
                               uint64_t *nanos);
// The passes, over a graph that was built. -XX:JitPrint prints it. The caller is IN_VM, or keeps what the graph names (graph_keep). NO_GC.
void jit_improve_graph(Graph *g, bool verify, uint64_t *nanos);
// Both. The caller is IN_VM; NO_GC.
NODISCARD bool jit_make_graph(Graph *g, const BuildOptions *options, bool verify,
                              uint64_t *nanos);

#endif
