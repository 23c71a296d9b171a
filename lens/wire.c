// SPDX-License-Identifier: Apache-2.0
// Varints, blocks and CRC-32C (wire.h).
#include "wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(LensBlock) == 32, "the header of a block has no gaps");

static uint64_t fail(Wire *wire)
{
    wire->bad = true;
    wire->at = wire->end;
    return 0;
}

uint64_t wire_u(Wire *wire)
{
    assert(wire->at <= wire->end);
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
        uint8_t byte = *wire->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return fail(wire);
}

int64_t wire_z(Wire *wire)
{
    uint64_t value = wire_u(wire);
    return (int64_t)(value >> 1 ^ -(value & 1));
}

uint32_t wire_u32(Wire *wire)
{
    uint64_t value = wire_u(wire);
    return value > UINT32_MAX ? (uint32_t)fail(wire) : (uint32_t)value;
}

uint32_t wire_count(Wire *wire, uint32_t least)
{
    assert(least > 0);
    uint64_t value = wire_u(wire);
    return value > (uint64_t)(wire->end - wire->at) / least ? (uint32_t)fail(wire)
                                                            : (uint32_t)value;
}

WireText wire_s(Wire *wire)
{
    uint32_t length = wire_count(wire, 1);
    assert(length <= (size_t)(wire->end - wire->at));
    WireText text = {(const char *)wire->at, length};
    wire->at += length;
    return text;
}

void bytes_put(Bytes *bytes, const void *from, size_t length)
{
    assert(bytes->length <= bytes->room && (length == 0 || from != NULL));
    if (bytes->length + length > bytes->room) {
        bytes->room = bytes->room ? bytes->room : 256;
        while (bytes->length + length > bytes->room)
            bytes->room *= 2;
        bytes->at = mem_resize(bytes->at, bytes->room, 1);
    }
    if (length != 0)
        memcpy(bytes->at + bytes->length, from, length);
    bytes->length += length;
}

void bytes_u(Bytes *bytes, uint64_t value)
{
    uint8_t digits[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        digits[n++] = (uint8_t)(value | 0x80);
    digits[n++] = (uint8_t)value;
    assert(n <= sizeof digits);
    bytes_put(bytes, digits, n);
}

void bytes_z(Bytes *bytes, int64_t value)
{
    bytes_u(bytes, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void bytes_s(Bytes *bytes, const char *text)
{
    size_t length = strlen(text);
    bytes_u(bytes, length);
    bytes_put(bytes, text, length);
}

void bytes_free(Bytes *bytes)
{
    free(bytes->at);
    *bytes = (Bytes){0};
}

static uint32_t crc_table[256];

static void make_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        crc_table[i] = crc;
    }
}

uint32_t crc32c(const void *data, size_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_crc_table);
    const uint8_t *p = data;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; i++)
        crc = crc >> 8 ^ crc_table[(uint8_t)(crc ^ p[i])];
    return ~crc;
}

const char *wire_block_refused(const LensBlock *block)
{
    if (block->magic != LENS_MAGIC)
        return "no block begins here";
    if (block->length > LENS_MAX_PAYLOAD)
        return "a block is longer than the protocol allows";
    return NULL;
}

bool wire_block_whole(const LensBlock *block, const uint8_t *payload)
{
    assert(block->length <= LENS_MAX_PAYLOAD);
    return crc32c(payload, block->length) == block->crc;
}

LensBlock wire_block(LensBlockType type, uint64_t time, const void *payload, size_t length)
{
    assert(length <= UINT32_MAX && (length == 0 || payload != NULL));
    return (LensBlock){.magic = LENS_MAGIC,
                       .length = (uint32_t)length,
                       .type = (uint8_t)type,
                       .time = time,
                       .crc = crc32c(payload, length)};
}
