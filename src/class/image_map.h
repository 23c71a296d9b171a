// SPDX-License-Identifier: Apache-2.0
// The class library's image lib/modules, mapped whole. Class files that lie in it uncompressed are
// read where they are: no copy of them is kept. The mapping stays until the process ends.
#ifndef CLASS_IMAGE_MAP_H
#define CLASS_IMAGE_MAP_H

#include "base/common.h"

typedef struct ImageResource {
    const uint8_t *bytes; // NULL: they are compressed
    size_t size;          // uncompressed
} ImageResource;

// Maps the file. False: it cannot be read or is no image of the format that is known. Once, before the first class.
NODISCARD bool image_map_open(const char *path);
// Whether `path` is the file that was opened, by the same name; then its bytes are *bytes.
NODISCARD bool image_map_file(const char *path, const uint8_t **bytes, size_t *size);
// Finds /module/name; `name` has '/' between its parts, and its extension. False: there is none. Thread-safe. NO_GC.
NODISCARD bool image_map_find(const char *module, const char *name, ImageResource *found);
// Whether these bytes lie in the mapping: they never change and are never unmapped. NO_GC.
bool image_map_contains(const uint8_t *p, size_t len);

#endif
