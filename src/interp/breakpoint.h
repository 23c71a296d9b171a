// SPDX-License-Identifier: Apache-2.0
// Breakpoints in pre-decoded code: the instruction is replaced by one that posts BREAKPOINT and
// then does what it stood for. Code without a breakpoint pays nothing. Who sets one is its owner,
// an address that only distinguishes it from others; an instruction has at most one of each. They
// change while the world is stopped, so that a thread IN_VM reads them without a lock. NO_GC.
#ifndef INTERP_BREAKPOINT_H
#define INTERP_BREAKPOINT_H

#include "base/vec.h"
#include "class/class.h"

// Lives as long as the code of its method, also while it is not set.
typedef struct Breakpoint {
    _Atomic uint16_t op;      // what the instruction stands for
    VEC(const void *) owners; // none: it is not set
} Breakpoint;

bool breakpoint_is_of(const Breakpoint *b, const void *owner);

// Makes the code of m, which has bytecodes and whose class is linked, if it is not there: else setting the first breakpoint does, while
// the world is stopped.
void breakpoints_prepare(Thread *self, Method *m);
// A breakpoint of owner at a bytecode index, if it has none there. False: no instruction starts there, or
// the method has no bytecodes. World stopped.
bool breakpoint_set(Thread *self, Method *m, uint32_t bci, const void *owner);
// The instruction is restored with the last one. False: owner has none there. World stopped.
bool breakpoint_clear(Method *m, uint32_t bci, const void *owner);
// Whether owner has one there. The caller is IN_VM.
bool breakpoint_is_set(const Method *m, uint32_t bci, const void *owner);
// How many owner has, in any state.
size_t breakpoints_of(const void *owner);
// Clears all of owner. World stopped.
void breakpoints_clear_owner(const void *owner);
// Clears all owners' in a method. World stopped.
void breakpoints_clear_method(const Method *m);
// Takes all breakpoints off a method that is unloaded. World stopped.
void breakpoints_forget(const Method *m);

// How many were set ever, in all methods. Changes with the world stopped.
uint64_t breakpoints_set(void);

struct Insn;
// Whether any owner has one at an instruction.
bool breakpoint_is_at(const struct Insn *pc);
// The first instruction of m from `from` on (NULL: from the beginning) that has one; NULL: none has, or m was not decoded. The caller is
// IN_VM.
const struct Insn *breakpoint_from(const Method *m, const struct Insn *from);
// Whether any owner has one in the method. Likewise.
static inline bool breakpoints_in(const Method *m)
{
    return breakpoint_from(m, NULL) != NULL;
}
// The breakpoint at an instruction that is replaced. The caller is IN_VM.
const Breakpoint *breakpoint_at(const struct Insn *pc);
// Posts BREAKPOINT: self comes to the instruction of its top frame, of m, which has one. MAY_GC.
MAY_GC void breakpoint_post(Thread *self, Method *m, const struct Insn *pc);
// What the instruction at pc is behind a breakpoint, and without the parts that were fused with it. The
// caller is IN_VM.
uint16_t breakpoint_original(const struct Insn *pc);
// Replaces an instruction of m by its quick form, behind a breakpoint if there is one; while m is profiled, by the profiling form of
// that (profile.h). The caller is IN_VM.
void breakpoint_publish(const Method *m, struct Insn *pc, uint16_t op);
// The same, its operand first (Insn.p).
void breakpoint_publish_with(const Method *m, struct Insn *pc, void *operand, uint16_t op);
// Sets *flag, that m is profiled, and gives m's instructions the forms for it. The caller is IN_VM.
void breakpoints_set_profiling(const Method *m, _Atomic bool *flag, bool on);

#endif
