// SPDX-License-Identifier: Apache-2.0
// Bytes of the wire: varints, strings, growing payloads, checksums. No state, no lock.
#include "agent.h"

#include <stdlib.h>
#include <string.h>

size_t lens_varint(uint8_t *to, uint64_t value)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7) {
        to[len++] = (uint8_t)(value | 0x80);
    }
    to[len++] = (uint8_t)value;
    assert(len <= LENS_VARINT_MAX);
    return len;
}

uint64_t lens_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

// The length of the character at `s` if it is whole within `len` bytes and well-formed, else 0.
static size_t character(const uint8_t *s, size_t len)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t least;
    } FORMS[] = {{0x80, 0, 1}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t form = 0; form < sizeof FORMS / sizeof FORMS[0]; form++) {
        if ((s[0] & FORMS[form].mask) != FORMS[form].lead) {
            continue;
        }
        uint32_t code = s[0] & (uint8_t)~FORMS[form].mask;
        for (size_t i = 1; i <= form; i++) {
            if (i >= len || (s[i] & 0xc0) != 0x80) {
                return 0;
            }
            code = code << 6 | (s[i] & 0x3f);
        }
        bool is_good =
            code >= FORMS[form].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        return is_good ? form + 1 : 0;
    }
    return 0;
}

size_t lens_clean_utf8(uint8_t *to, size_t room, const char *utf8, size_t len)
{
    const uint8_t *s = (const uint8_t *)utf8;
    size_t used = 0;
    for (size_t at = 0; at < len;) {
        size_t width = character(s + at, len - at);
        const uint8_t *from = width > 0 ? s + at : (const uint8_t *)"\xef\xbf\xbd";
        size_t bytes = width > 0 ? width : 3;
        if (used + bytes > room) {
            break;
        }
        memcpy(to + used, from, bytes);
        used += bytes;
        at += width > 0 ? width : 1;
    }
    assert(used <= room);
    return used;
}

// ---- buffers ----

static bool make_room(LensBuffer *buffer, size_t more)
{
    assert(buffer->len <= buffer->cap);
    if (buffer->failed || buffer->len + more <= buffer->cap) {
        return !buffer->failed;
    }
    size_t cap = buffer->cap < 128 ? 256 : buffer->cap * 2;
    cap = cap < buffer->len + more ? buffer->len + more : cap;
    uint8_t *bytes = realloc(buffer->bytes, cap);
    if (bytes == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->cap = cap;
    return true;
}

void lens_buffer_bytes(LensBuffer *buffer, const void *bytes, size_t len)
{
    if (len > 0 && make_room(buffer, len)) {
        memcpy(buffer->bytes + buffer->len, bytes, len);
        buffer->len += len;
    }
}

void lens_buffer_u(LensBuffer *buffer, uint64_t value)
{
    if (make_room(buffer, LENS_VARINT_MAX)) {
        buffer->len += lens_varint(buffer->bytes + buffer->len, value);
    }
}

void lens_buffer_z(LensBuffer *buffer, int64_t value)
{
    lens_buffer_u(buffer, lens_zigzag(value));
}

void lens_buffer_s(LensBuffer *buffer, const char *utf8, size_t len)
{
    size_t most = len * 3 + LENS_VARINT_MAX; // each byte may become U+FFFD
    if (!make_room(buffer, most)) {
        return;
    }
    uint8_t *text = buffer->bytes + buffer->len + LENS_VARINT_MAX;
    size_t used = lens_clean_utf8(text, len * 3, utf8, len);
    size_t head = lens_varint(buffer->bytes + buffer->len, used);
    memmove(buffer->bytes + buffer->len + head, text, used);
    buffer->len += head + used;
    assert(buffer->len <= buffer->cap);
}

void lens_buffer_text(LensBuffer *buffer, const char *utf8)
{
    lens_buffer_s(buffer, utf8, strlen(utf8));
}

void lens_buffer_free(LensBuffer *buffer)
{
    free(buffer->bytes);
    *buffer = (LensBuffer){0};
}

// ---- reading ----

uint64_t lens_read_u(LensReader *reader)
{
    assert(reader->at <= reader->end);
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    reader->failed = true;
    return 0;
}

char *lens_read_s(LensReader *reader, size_t most)
{
    uint64_t len = lens_read_u(reader);
    if (reader->failed || len > most || len > (uint64_t)(reader->end - reader->at)
        || memchr(reader->at, '\0', len) != NULL) {
        reader->failed = true;
        return NULL;
    }
    char *text = malloc(len * 3 + 1);
    if (text == NULL) {
        reader->failed = true;
        return NULL;
    }
    text[lens_clean_utf8((uint8_t *)text, len * 3, (const char *)reader->at, len)] = '\0';
    reader->at += len;
    return text;
}

// ---- checksums ----

static uint32_t crc_table[256];

__attribute__((constructor)) static void make_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
        }
        crc_table[i] = crc;
    }
}

uint32_t lens_crc(const void *bytes, size_t len)
{
    uint32_t crc = ~0u;
    for (const uint8_t *p = bytes, *end = p + len; p < end; p++) {
        crc = crc >> 8 ^ crc_table[(crc ^ *p) & 0xff];
    }
    return ~crc;
}
