// SPDX-License-Identifier: Apache-2.0
// Fused instructions (spec/fused_ops.def). The head of a run of instructions may have an op that does what the whole run does; the
// parts behind it keep their own, so that a jump into the middle, a frame that waits there and an exception's location need
// nothing. Heads are chosen when a method is decoded, and again around an instruction whose op changes: a head falls apart when
// a part gets a breakpoint or another form. A thread that steps or serves polls runs first parts only. Pure but for fuse_init.
#ifndef INTERP_FUSE_H
#define INTERP_FUSE_H

#include "interp/interp.h"

enum { FUSE_MAX = 5 };

// The first part of a fused op; other ops as they are.
uint16_t fused_first(uint16_t op);

// Once, before any code is decoded.
void fuse_init(void);
// Chooses the heads of decoded code that no thread runs yet.
void fuse_code(Insn *code, uint32_t count);
// Chooses again the heads of all runs that the instruction at pc can be a part of. Called when its op changed, under the lock that
// orders such changes.
void fuse_around(Insn *pc);

#endif
