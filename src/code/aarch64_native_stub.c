// SPDX-License-Identifier: Apache-2.0
// There is no assembler for this processor. See native_stub.h.
#include "code/native_stub.h"

const CodeBlob *native_stub_make(const char *shape, void (*returned)(Thread *self))
{
    VM_ASSERT(shape);
    (void)returned;
    return NULL;
}
