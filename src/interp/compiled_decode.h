// SPDX-License-Identifier: Apache-2.0
// Compiled frames become frames as the interpreter has them: when they are deoptimized, or before that, when they are parked.
#ifndef INTERP_COMPILED_DECODE_H
#define INTERP_COMPILED_DECODE_H

#include "code/compiled_frame.h"
#include "interp/interp.h"

typedef struct CompiledAt { // a compiled frame at a site
    const CompiledCode *code;
    const CodeSite *site;
    uintptr_t rbp;
} CompiledAt;

// The frames that a compiled frame of t stands for, which is not parked: a Frame for each method inlined in it, above `prev`, from whose sp on
// there is room. Gives the youngest. t is self or held. NO_GC.
Frame *compiled_decode(Thread *t, const CompiledAt *at, Frame *prev);
// The same of a parked one. Its ParkedFrame is of no use any more. NO_GC.
Frame *compiled_unpark(const ParkedFrame *parked, Frame *prev);
extern FrameParker compiled_park;
extern UnmadeSizer compiled_unmade_bytes;

#endif
