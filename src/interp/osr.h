// SPDX-License-Identifier: Apache-2.0
// Code that is entered in the middle of an activation, where a loop begins (on-stack replacement). A method has such code for as many of
// its loops as are worth it: HotLoop of profile.h.
#ifndef INTERP_OSR_H
#define INTERP_OSR_H

#include "interp/compiled_call.h"

// From now on activations of m that come to the beginning of the hot loop at code->osr_bci may go on in `code`, which was installed; NULL: no
// more. Nothing keeps the code of a loop over a poll. False: there is no room for the stub that enters it. NO_GC.
NODISCARD bool osr_set_code(Method *m, int32_t bci, const CompiledCode *code);
// Self's youngest frame, which is saved and runs by the normal table, is where a loop begins: it goes on in code of the loop, if there
// is some and the frame is as that expects. MAY_GC.
MAY_GC CompiledEnd osr_run(Thread *self, Resume *how);

#endif
