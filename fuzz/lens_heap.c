// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry: any bytes as a heap walk of Lens through its reader, and all that can be asked of what it accepts.
#include "lens_heap_ask.h"

#include "lens_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    heap_fuzz(LENS_HEAP_MAGIC, sizeof(LENS_HEAP_MAGIC) - 1, data, size);
    return 0;
}
