// SPDX-License-Identifier: Apache-2.0
// From a method's bytecodes to its improved graph: the builder and the passes in their order.
#ifndef JIT_PIPELINE_H
#define JIT_PIPELINE_H

#include "jit/ir.h"

// Builds and improves the graph, which has a method and is empty. False: refused, g->refused says why. With `verify` it is checked
// after each pass; what is wrong ends the process with the graph on stderr. Adds nanoseconds of CPU to *nanos, the checks not counted.
// -XX:JitPrint prints it. The caller is IN_VM; NO_GC.
NODISCARD bool jit_make_graph(Graph *g, const BuildOptions *options, bool verify,
                              uint64_t *nanos);

#endif
