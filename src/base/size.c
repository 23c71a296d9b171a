// SPDX-License-Identifier: Apache-2.0
// Numbers of options: sizes with a unit.
#include "base/size.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

bool size_parse(const char *s, uint64_t *out)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)*s))
        return false;
    uint64_t n = strtoull(s, &end, s[0] == '0' && (s[1] | 0x20) == 'x' ? 16 : 10);
    int shift = 0;
    switch (*end) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    case 't':
    case 'T': shift = 40; break;
    default: break;
    }
    *out = n << shift;
    return errno == 0 && end[shift != 0] == '\0' && n <= UINT64_MAX >> shift;
}
