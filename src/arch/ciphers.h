// SPDX-License-Identifier: Apache-2.0
// Instructions for AES and the multiplication of GCM. Pure, NO_GC.
#ifndef ARCH_CIPHERS_H
#define ARCH_CIPHERS_H

#include "base/common.h"

enum { AES_BLOCK = 16, AES_MOST_ROUNDS = 14 };

// A key's words, four for each round and the beginning. For decryption: of the equivalent inverse cipher, those of the last round first.
typedef struct AesKey {
    const uint32_t *words;
    uint32_t rounds;
} AesKey;

// From and to may be the same, but do not overlap else.
typedef struct CipherFunctions {
    void (*encrypt)(AesKey key, const uint8_t *from, uint8_t *to);
    void (*decrypt)(AesKey key, const uint8_t *from, uint8_t *to);
    // Adds the encrypted counter, a big-endian number that is counted on, to each block.
    void (*count)(AesKey key, uint8_t *counter, const uint8_t *from, uint8_t *to,
                  size_t blocks);
    // state = (state + block) * factor for each block; both have the higher word first.
    void (*hash)(uint64_t *state, const uint64_t *factor, const uint8_t *from, size_t blocks);
} CipherFunctions;

// What each processor's file defines: NULL where this one has no instructions for all of them.
const CipherFunctions *arch_ciphers(void);

#endif
