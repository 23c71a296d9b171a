// SPDX-License-Identifier: Apache-2.0
// See cpu.h. No code is generated for this processor yet.
#include "arch/cpu.h"

bool cpu_counts_bits(void)
{
    return false;
}

bool cpu_rounds(void)
{
    return false;
}
