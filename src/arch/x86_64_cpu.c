// SPDX-License-Identifier: Apache-2.0
// See cpu.h.
#include <cpuid.h>

#include "arch/cpu.h"

enum { EXTENDED = (int)0x80000001, STRUCTURED = 7 };

typedef struct Cpuid {
    unsigned a, b, c, d;
} Cpuid;

// All 0 where the processor does not know the leaf.
static Cpuid cpuid(unsigned leaf)
{
    Cpuid r = {0};
    (void)__get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
    return r;
}

bool cpu_counts_bits(void)
{
    enum { LZCNT = 1 << 5, BMI1 = 1 << 3, POPCNT = 1 << 23 };
    return cpuid((unsigned)EXTENDED).c & LZCNT && cpuid(STRUCTURED).b & BMI1
           && cpuid(1).c & POPCNT;
}

bool cpu_rounds(void)
{
    enum { SSE41 = 1 << 19 };
    return cpuid(1).c & SSE41;
}
