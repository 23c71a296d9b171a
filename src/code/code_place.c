// SPDX-License-Identifier: Apache-2.0
// See code_place.h.
#include "code/code_place.h"

#include <stdio.h>

#include "code/code_cache.h"

void code_place(SymbolFile *file, uintptr_t at, bool is_return, char *out, size_t size)
{
    VM_ASSERT(size > 0);
    const CodeBlob *blob = code_find(at - is_return);
    if (blob)
        snprintf(out, size, " %s+0x%zx (generated)", blob->name,
                 (size_t)(at - (uintptr_t)blob->start));
    else
        native_place(file, at, is_return, out, size);
}
