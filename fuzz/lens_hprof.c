// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry: any bytes as an HPROF file of either id size through the reader, and all that can be asked of what it accepts.
#include "lens_heap_ask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char small[] = "JAVA PROFILE 1.0.1\0\0\0\0\4time....",
                      large[] = "JAVA PROFILE 1.0.2\0\0\0\0\10time....";
    heap_fuzz(small, sizeof(small) - 1, data, size);
    heap_fuzz(large, sizeof(large) - 1, data, size);
    return 0;
}
