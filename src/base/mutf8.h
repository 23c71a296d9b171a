// SPDX-License-Identifier: Apache-2.0
// Modified UTF-8 (JVMS 4.4.7) and its conversions. Pure.
#ifndef BASE_MUTF8_H
#define BASE_MUTF8_H

#include "base/common.h"

// Whether the bytes are legal modified UTF-8 as a class file may hold it (no 0 byte, no
// 0xF0..0xFF).
bool mutf8_is_valid(const uint8_t *s, size_t len);
// Number of UTF-16 units; malformed bytes count as one unit each. Never reads past s+len.
size_t mutf8_utf16_length(const uint8_t *s, size_t len, bool *all_latin1);
void mutf8_to_utf16(const uint8_t *s, size_t len, uint16_t *out);
void mutf8_to_latin1(const uint8_t *s, size_t len, uint8_t *out); // when all_latin1
// Bytes needed for the modified UTF-8 form, without a terminator.
size_t mutf8_length_of_utf16(const uint16_t *s, size_t len);
size_t mutf8_length_of_latin1(const uint8_t *s, size_t len);
size_t mutf8_from_utf16(const uint16_t *s, size_t len, char *out); // returns bytes written
size_t mutf8_from_latin1(const uint8_t *s, size_t len, char *out);

#endif
