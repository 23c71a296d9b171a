// SPDX-License-Identifier: Apache-2.0
// Breakpoints in pre-decoded code: the instruction is replaced by one that posts BREAKPOINT and
// then does what it stood for. Code without a breakpoint pays nothing. Thread-safe; take effect
// at each thread's next arrival at the instruction. NO_GC.
#ifndef INTERP_BREAKPOINT_H
#define INTERP_BREAKPOINT_H

#include "runtime/class.h"

// One more breakpoint at a bytecode index. False: no instruction starts there, or the method has no
// bytecodes.
bool breakpoint_set(Thread *self, Method *m, uint32_t bci);
// One less; the instruction is restored with the last. False: there was none.
bool breakpoint_clear(Method *m, uint32_t bci);
// Takes all breakpoints off a method that is unloaded. World stopped.
void breakpoints_forget(const Method *m);

struct Insn;
// What the instruction at pc is behind a breakpoint, also while that one is being removed, and without the
// parts that were fused with it.
uint16_t breakpoint_original(const struct Insn *pc);
// Replaces an instruction by its quick form, behind a breakpoint if there is one.
void breakpoint_publish(struct Insn *pc, uint16_t op);

#endif
