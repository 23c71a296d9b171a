// SPDX-License-Identifier: Apache-2.0
// The checksums CRC-32 (zip) and CRC-32C (Castagnoli) of memory that may be a mapped file which somebody has cut meanwhile. The
// register is given and returned as it is: no inversion before or after. No locks, NO_GC.
#ifndef ARCH_CRC32_H
#define ARCH_CRC32_H

#include "base/common.h"

// Continues the checksum *crc over `length` bytes at any alignment. False: a read faulted, *crc is as it was.
typedef bool Crc32Update(uint32_t *crc, const void *from, size_t length);

// Makes the tables and chooses by the processor. Once, before the functions below are called.
void crc32_start(void);

NODISCARD Crc32Update crc32_update, crc32c_update;
// The same without special instructions.
NODISCARD Crc32Update crc32_update_portable, crc32c_update_portable;

// What each processor's file defines: its own way, NULL when it has no better one than the tables.
Crc32Update *arch_crc32(uint32_t polynomial);
Crc32Update *arch_crc32c(void);

#endif
