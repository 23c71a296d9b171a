// SPDX-License-Identifier: Apache-2.0
// What this processor has beyond its kind's baseline. Pure after the first call; thread-safe, NO_GC.
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include "base/common.h"

// Instructions that count bits, leading and trailing zeros: POPCNT, LZCNT, TZCNT of x86-64.
bool cpu_counts_bits(void);
// An instruction that rounds a double to an integer as one is told: SSE 4.1.
bool cpu_rounds(void);

#endif
