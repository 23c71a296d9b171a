// SPDX-License-Identifier: Apache-2.0
// See json.h.
#include "base/json.h"

#include <inttypes.h>

void json_next(StrBuf *out)
{
    VM_ASSERT(out->len > 0);
    char last = out->s[out->len - 1];
    if (!strchr("[{:", last))
        sb_putc(out, ',');
}

void json_name(StrBuf *out, const char *name)
{
    json_next(out);
    json_text(out, name);
    sb_putc(out, ':');
}

void json_number(StrBuf *out, int64_t n)
{
    json_next(out);
    sb_printf(out, "%" PRId64, n);
}

enum { NO_CHARACTER = 0xFFFD };

// The character of `more` bytes behind the first, whose own bits are `bits`. How many were read is added to *at.
static uint32_t read_rest(const uint8_t *s, size_t len, size_t *at, uint32_t bits,
                          uint32_t more)
{
    for (uint32_t i = 0; i < more; i++) {
        if (*at + i >= len || (s[*at + i] & 0xC0) != 0x80)
            return NO_CHARACTER;
        bits = bits << 6 | (s[*at + i] & 0x3Fu);
    }
    *at += more;
    return bits;
}

static uint32_t read_character(const uint8_t *s, size_t len, size_t *at)
{
    uint8_t first = s[(*at)++];
    if (first < 0x80)
        return first;
    if (first >> 5 == 6)
        return read_rest(s, len, at, first & 0x1Fu, 1);
    if (first >> 4 == 14)
        return read_rest(s, len, at, first & 0x0Fu, 2);
    return first >> 3 == 30 ? read_rest(s, len, at, first & 0x07u, 3) : NO_CHARACTER;
}

static void put_character(StrBuf *out, uint32_t c)
{
    bool plain = c >= ' ' && c <= '~' && !strchr("\"\\<>&", (int)c);
    if (plain)
        sb_putc(out, (char)c);
    else if (c < 0x10000)
        sb_printf(out, "\\u%04x", c);
    else // as two surrogates
        sb_printf(out, "\\u%04x\\u%04x", 0xD7C0 + (c >> 10), 0xDC00 + (c & 0x3FF));
}

void json_text_n(StrBuf *out, const void *bytes, size_t len)
{
    sb_putc(out, '"');
    for (size_t at = 0; at < len;)
        put_character(out, read_character(bytes, len, &at));
    sb_putc(out, '"');
}

void json_text(StrBuf *out, const char *text)
{
    json_text_n(out, text, strlen(text));
}
