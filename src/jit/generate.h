// SPDX-License-Identifier: Apache-2.0
// From an improved graph to machine code in the cache.
#ifndef JIT_GENERATE_H
#define JIT_GENERATE_H

#include "jit/ir.h"

typedef struct GenerateOptions {
    bool verify;   // the registers are checked; what is wrong ends the process
    bool installs; // else the code is made for nothing
} GenerateOptions;

struct CompiledCode;
// NULL: g->refused says why, or there is no room for the code, or no assembler for this processor (*no_room). The code's name is for
// people. Prints the code if `listing`. IN_VM, as it follows what the graph names; NO_GC.
NODISCARD const struct CompiledCode *jit_generate(Graph *g, const char *name, StrBuf *listing,
                                                  const GenerateOptions *options,
                                                  bool *no_room);

#endif
