// SPDX-License-Identifier: Apache-2.0
// Reading the dumps that the VM gives: numbers are big-endian, pointers the machine's.
#ifndef HPROF_READ_H
#define HPROF_READ_H

#include <string.h>

#include "hprof/hprof.h"

typedef struct Reader {
    const uint8_t *at, *end;
} Reader;

static inline const void *get_pointer(Reader *r)
{
    const void *p;
    memcpy(&p, r->at, sizeof p);
    r->at += sizeof p;
    return p;
}

static inline uint64_t get(Reader *r, int size)
{
    assert(size > 0 && size <= 8);
    uint64_t v = 0;
    for (int i = 0; i < size; i++)
        v = v << 8 | *r->at++;
    return v;
}

#endif
