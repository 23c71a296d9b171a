// SPDX-License-Identifier: Apache-2.0
// Modified UTF-8 (JVMS 4.4.7): NUL is C0 80, supplementary characters are two encoded
// surrogates. The decoders take any bytes: what is malformed stands for one unit a byte, so
// that lengths computed first and text written later always agree.
#include "base/mutf8.h"

static bool is_trail(uint8_t b)
{
    return (b & 0xC0) == 0x80;
}

bool mutf8_is_valid(const uint8_t *s, size_t len)
{
    size_t i = 0;
    while (i < len) {
        uint8_t b = s[i];
        if (b >= 0x01 && b <= 0x7F) {
            i += 1;
        } else if ((b & 0xE0) == 0xC0) {
            if (len - i < 2 || !is_trail(s[i + 1]))
                return false;
            uint32_t c = (uint32_t)(b & 0x1F) << 6 | (s[i + 1] & 0x3F);
            if (c != 0 && c < 0x80)
                return false;
            i += 2;
        } else if ((b & 0xF0) == 0xE0) {
            if (len - i < 3 || !is_trail(s[i + 1]) || !is_trail(s[i + 2]))
                return false;
            if (b == 0xE0 && s[i + 1] < 0xA0)
                return false;
            i += 3;
        } else {
            return false;
        }
    }
    return true;
}

// Decodes one unit at s (len >= 1 left) and returns how many bytes it took.
static size_t decode(const uint8_t *s, size_t len, uint16_t *unit)
{
    uint8_t b = s[0];
    if (LIKELY(b < 0x80)) {
        *unit = b;
        return 1;
    }
    if ((b & 0xE0) == 0xC0 && len >= 2 && is_trail(s[1])) {
        *unit = (uint16_t)((b & 0x1F) << 6 | (s[1] & 0x3F));
        return 2;
    }
    if ((b & 0xF0) == 0xE0 && len >= 3 && is_trail(s[1]) && is_trail(s[2])) {
        *unit = (uint16_t)((b & 0x0F) << 12 | (s[1] & 0x3F) << 6 | (s[2] & 0x3F));
        return 3;
    }
    *unit = b;
    return 1;
}

size_t mutf8_utf16_length(const uint8_t *s, size_t len, bool *all_latin1)
{
    size_t units = 0;
    bool latin1 = true;
    for (size_t i = 0; i < len; units++) {
        uint16_t unit;
        i += decode(s + i, len - i, &unit);
        latin1 &= unit <= 0xFF;
    }
    if (all_latin1 != NULL)
        *all_latin1 = latin1;
    return units;
}

void mutf8_to_utf16(const uint8_t *s, size_t len, uint16_t *out)
{
    for (size_t i = 0; i < len; out++)
        i += decode(s + i, len - i, out);
}

void mutf8_to_latin1(const uint8_t *s, size_t len, uint8_t *out)
{
    for (size_t i = 0; i < len; out++) {
        uint16_t unit;
        i += decode(s + i, len - i, &unit);
        *out = (uint8_t)unit;
    }
}

static size_t encode(uint16_t unit, char *out)
{
    if (unit >= 0x01 && unit <= 0x7F) {
        out[0] = (char)unit;
        return 1;
    }
    if (unit <= 0x7FF) {
        out[0] = (char)(0xC0 | unit >> 6);
        out[1] = (char)(0x80 | (unit & 0x3F));
        return 2;
    }
    out[0] = (char)(0xE0 | unit >> 12);
    out[1] = (char)(0x80 | (unit >> 6 & 0x3F));
    out[2] = (char)(0x80 | (unit & 0x3F));
    return 3;
}

size_t mutf8_length_of_utf16(const uint16_t *s, size_t len)
{
    size_t bytes = 0;
    for (size_t i = 0; i < len; i++)
        bytes += s[i] >= 0x01 && s[i] <= 0x7F ? 1 : s[i] <= 0x7FF ? 2 : 3;
    return bytes;
}

size_t mutf8_length_of_latin1(const uint8_t *s, size_t len)
{
    size_t bytes = 0;
    for (size_t i = 0; i < len; i++)
        bytes += s[i] >= 0x01 && s[i] <= 0x7F ? 1 : 2;
    return bytes;
}

size_t mutf8_from_utf16(const uint16_t *s, size_t len, char *out)
{
    char *p = out;
    for (size_t i = 0; i < len; i++)
        p += encode(s[i], p);
    return (size_t)(p - out);
}

size_t mutf8_from_latin1(const uint8_t *s, size_t len, char *out)
{
    char *p = out;
    for (size_t i = 0; i < len; i++)
        p += encode(s[i], p);
    return (size_t)(p - out);
}
