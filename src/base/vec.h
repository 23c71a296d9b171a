// SPDX-License-Identifier: Apache-2.0
// Growable arrays: `VEC(int) v = {0}; vec_push(&v, 7); for (size_t i = 0; i < v.len; i++) v.at[i]`.
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/alloc.h"

#define VEC(T)           \
    struct {             \
        T *at;           \
        size_t len, cap; \
    }

// Room for `count` elements at once, of a vector that has none yet.
#define vec_reserve(v, count)                             \
    do {                                                  \
        VM_ASSERT(!(v)->at && (count) > 0);               \
        (v)->cap = (count);                               \
        (v)->at = vm_malloc((v)->cap * sizeof(*(v)->at)); \
    } while (0)

// Makes room for one more element. Used by vec_push.
void vec_grow(void **at, size_t *cap, size_t elem_size);

#define vec_push(v, x)                                                \
    do {                                                              \
        if ((v)->len == (v)->cap)                                     \
            vec_grow((void **)&(v)->at, &(v)->cap, sizeof(*(v)->at)); \
        (v)->at[(v)->len++] = (x);                                    \
    } while (0)
#define vec_free(v) (vm_free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)

#endif
