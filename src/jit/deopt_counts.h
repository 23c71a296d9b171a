// SPDX-License-Identifier: Apache-2.0
// Code that is deoptimized so often that the method is worth compiling anew: with what has been resolved meanwhile.
#ifndef JIT_DEOPT_COUNTS_H
#define JIT_DEOPT_COUNTS_H

#include "code/compiled_code.h"

enum { COMPILED_MOST = 10 }; // how often a method is compiled, as long as it has the same body

// A frame of the code left at the site, for the reason that the site has, or by an exception out of an inlined method with a monitor: whether the code is to be made not entrant, as another one would
// not be deoptimized there. `early`: methods are compiled before their first call, so that half of what is waited for else is enough. Counts it.
// Thread-safe, IN_VM, NO_GC.
NODISCARD bool deopts_are_many(const CompiledCode *code, const CodeSite *site, bool early);

#endif
