// SPDX-License-Identifier: Apache-2.0
// The compile broker: which method is compiled when (docs/COMPILER.md). The interpreter's counts say what is heavy.
#ifndef JIT_BROKER_H
#define JIT_BROKER_H

#include "base/common.h"

// By the flags: with -XX:+JitCompile, methods from a certain weight on, with -XX:+JitAll each before its first call. Neither: nothing is
// compiled and nobody is asked. Once, before Java runs.
void broker_init(void);

#endif
