// SPDX-License-Identifier: Apache-2.0
// The mapping of lib/modules that libjimage.so makes. Class files that lie in it uncompressed are
// read where they are: no copy of them is kept. The mapping stays until the process ends.
#ifndef CLASS_IMAGE_MAP_H
#define CLASS_IMAGE_MAP_H

#include "base/common.h"

// Looks for the mapping of the file, which libjimage.so has opened. Where there is none, or the
// file's format is another one than expected, the functions below find nothing. Before the first
// class.
void image_map_init(const char *path);
// The bytes of a resource. `location` is what JIMAGE_FindResource gave, `size` its size; NULL: it
// is compressed, or nothing is mapped. Thread-safe. NO_GC.
const uint8_t *image_map_resource(int64_t location, size_t size);
// Whether these bytes lie in the mapping: they never change and are never unmapped. NO_GC.
bool image_map_contains(const uint8_t *p, size_t len);

#endif
