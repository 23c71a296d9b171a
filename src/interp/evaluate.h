// SPDX-License-Identifier: Apache-2.0
// Methods that begin in the compiler's evaluator (jit/evaluate.c), to prove that what the compiler makes of them is right. In
// every build but release. The macro is interp_run's own: it names its variables and does nothing in a product build.
#ifndef INTERP_EVALUATE_H
#define INTERP_EVALUATE_H

#include "interp/interp.h"

#ifdef PELLUCID_DEBUG
// May run the beginning of the method whose frame, self's youngest, was just entered, and leaves the frame as it is where
// the interpreter goes on. NULL: nobody does. NO_GC.
extern void (*interp_evaluate)(Thread *self, Frame *f);
// Not while something listens to calls, or is asked of the thread.
#    define EVALUATE()                                                                      \
        do {                                                                                \
            if (UNLIKELY(interp_evaluate)                                                   \
                && atomic_load_explicit(&self->dispatch, memory_order_relaxed) == normal) { \
                frame->sp = sp;                                                             \
                interp_evaluate(self, frame);                                               \
                pc = (Insn *)frame->pc;                                                     \
                sp = frame->sp;                                                             \
            }                                                                               \
        } while (0)
#else
#    define EVALUATE() ((void)0)
#endif

#endif
