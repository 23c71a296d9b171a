// SPDX-License-Identifier: Apache-2.0
// Reads and writes the blocks and varints of lens_wire.h. All that is read is hostile: a cursor that met an error stays `bad`, gives
// zeros, and never leaves its bytes.
#ifndef LENS_WIRE_READ_H
#define LENS_WIRE_READ_H

#include "base.h"
#include "lens_wire.h"

#define LENS_SYMBOLS \
    21 // written into recordings by the front: `u` module, `u` offset, `s` name of a native frame

typedef struct Wire {
    const uint8_t *at, *end;
    bool bad;
} Wire;

typedef struct WireText { // not NUL-terminated
    const char *at;
    uint32_t length;
} WireText;

uint64_t wire_u(Wire *wire);
int64_t wire_z(Wire *wire);
WireText wire_s(Wire *wire);
// A count of things of which each takes at least `least` bytes of what follows: else the cursor is bad and 0 the answer.
uint32_t wire_count(Wire *wire, uint32_t least);
// A `u` that must fit into 32 bits.
uint32_t wire_u32(Wire *wire);
static inline bool wire_more(const Wire *wire)
{
    return !wire->bad && wire->at < wire->end;
}

// Bytes to be written.
typedef struct Bytes {
    uint8_t *at;
    size_t length, room;
} Bytes;
void bytes_put(Bytes *bytes, const void *from, size_t length);
void bytes_u(Bytes *bytes, uint64_t value);
void bytes_z(Bytes *bytes, int64_t value);
void bytes_s(Bytes *bytes, const char *text);
void bytes_free(Bytes *bytes);

uint32_t crc32c(const void *data, size_t length);

// Why a block cannot be taken: NULL if its header is one. The payload's CRC is for wire_block_whole.
const char *wire_block_refused(const LensBlock *block);
bool wire_block_whole(const LensBlock *block, const uint8_t *payload);
// A header for the payload: magic, length and crc are set.
LensBlock wire_block(LensBlockType type, uint64_t time, const void *payload, size_t length);

#endif
