// SPDX-License-Identifier: Apache-2.0
// See c_functions.h: blocks of message digests.
#include "arch/digests.h"
#include "jit/c_functions.h"

// A state of so many elements, and a block of so many bytes at the offset.
static bool is_right(const Object *state, int32_t length, const Object *bytes, int32_t offset,
                     int32_t block)
{
    return state && bytes && array_length(state) == length && offset >= 0
           && array_length(bytes) - block >= offset;
}

static const uint8_t *block_at(const Object *bytes, int32_t offset)
{
    return (const uint8_t *)array_data(bytes) + offset;
}

int64_t c_sha1(Object *state, const Object *bytes, int32_t offset)
{
    if (!is_right(state, SHA1_WORDS, bytes, offset, SHA256_BLOCK))
        return C_DECLINED;
    sha1_block(array_data(state), block_at(bytes, offset));
    return 0;
}

int64_t c_sha256(Object *state, const Object *bytes, int32_t offset)
{
    if (!is_right(state, SHA2_WORDS, bytes, offset, SHA256_BLOCK))
        return C_DECLINED;
    sha256_block(array_data(state), block_at(bytes, offset));
    return 0;
}

int64_t c_sha512(Object *state, const Object *bytes, int32_t offset)
{
    if (!is_right(state, SHA2_WORDS, bytes, offset, SHA512_BLOCK))
        return C_DECLINED;
    sha512_block(array_data(state), block_at(bytes, offset));
    return 0;
}
