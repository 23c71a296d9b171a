// SPDX-License-Identifier: Apache-2.0
// Message digests: a block of the message, at any alignment, is added to the state. NO_GC.
#ifndef ARCH_DIGESTS_H
#define ARCH_DIGESTS_H

#include "base/common.h"

enum { SHA1_WORDS = 5, SHA2_WORDS = 8, SHA256_BLOCK = 64, SHA512_BLOCK = 128 };

// Chooses by the processor. Once, before the functions below are called.
void digests_start(void);

typedef void Sha256Block(uint32_t *state, const uint8_t *block);
void sha1_block(uint32_t *state, const uint8_t *block);
Sha256Block sha256_block;
Sha256Block sha256_portable; // without special instructions
void sha512_block(uint64_t *state, const uint8_t *block);

extern const uint32_t sha256_constants[64];
// What each processor's file defines: NULL where this one has no instructions for it. Takes microseconds.
Sha256Block *arch_sha256(void);

#endif
