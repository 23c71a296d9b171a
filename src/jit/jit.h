// SPDX-License-Identifier: Apache-2.0
// The compiler as others see it (docs/COMPILER.md): it is started, and told what concerns it.
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "thread/thread.h"

// By the flags: with -XX:+JitVerify the graph of every method of the loaded classes is made and verified when the VM
// ends, and -Xlog:jit+compilation tells how many and how fast; what is wrong in one ends the process. -XX:JitPrint=text prints those of
// methods in whose class.name the text is found. Once, before Java runs.
void jit_init(void);
// Java runs, threads can be started. MAY_GC.
MAY_GC void jit_start(Thread *self);
// A full collection comes to its end: where the code cache is full, code that was retired is freed. World stopped. NO_GC.
void jit_collected(void);

// ---- evaluate.c ----
#ifdef PELLUCID_DEBUG
// Reads the setting.
void jit_evaluate_init(void);
#else
static inline void jit_evaluate_init(void) {}
#endif

#endif
