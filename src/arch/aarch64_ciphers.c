// SPDX-License-Identifier: Apache-2.0
// See ciphers.h: nothing compiled runs on this processor.
#include "arch/ciphers.h"

const CipherFunctions *arch_ciphers(void)
{
    return NULL;
}
