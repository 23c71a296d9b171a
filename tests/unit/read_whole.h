// SPDX-License-Identifier: Apache-2.0
// A whole file in memory, for the unit tests that read class files.
#ifndef TESTS_UNIT_READ_WHOLE_H
#define TESTS_UNIT_READ_WHOLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The bytes, from malloc; NULL when the file cannot be opened, *len 0 when it cannot be read.
static inline uint8_t *read_whole(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*len + 1);
    if (bytes == NULL || fread(bytes, 1, *len, f) != *len)
        *len = 0;
    fclose(f);
    return bytes;
}

#endif
