// SPDX-License-Identifier: Apache-2.0
// The one out-of-line part of the growable array: doubling its room.
#include "base/vec.h"

void vec_grow(void **at, size_t *cap, size_t elem_size)
{
    size_t wanted = *cap == 0 ? 8 : *cap * 2;
    if (UNLIKELY(wanted > SIZE_MAX / elem_size))
        vm_exhausted("array of %zu elements is too long", wanted);
    *at = vm_realloc(*at, wanted * elem_size);
    *cap = wanted;
}
