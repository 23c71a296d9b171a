// SPDX-License-Identifier: Apache-2.0
// See cpu.h.
#include <cpuid.h>
#include <pthread.h>

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

// The answers, which a virtual machine may take microseconds each to give.
enum { COUNTS_BITS = 1, ROUNDS = 2 };
static int has;
static pthread_once_t asked = PTHREAD_ONCE_INIT;

static void ask(void)
{
    enum { LZCNT = 1 << 5, BMI1 = 1 << 3, POPCNT = 1 << 23, SSE41 = 1 << 19 };
    Cpuid basic = cpuid(1);
    bool counts =
        cpuid((unsigned)EXTENDED).c & LZCNT && cpuid(STRUCTURED).b & BMI1 && basic.c & POPCNT;
    has = counts * COUNTS_BITS + ((basic.c & SSE41) != 0) * ROUNDS;
}

static bool have(int what)
{
    pthread_once(&asked, ask);
    return has & what;
}

bool cpu_counts_bits(void)
{
    return have(COUNTS_BITS);
}

bool cpu_rounds(void)
{
    return have(ROUNDS);
}
