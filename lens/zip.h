// SPDX-License-Identifier: Apache-2.0
// Reads one file out of a zip or jar. The archive is hostile: limits before memory is taken.
#ifndef LENS_ZIP_H
#define LENS_ZIP_H

#include "base.h"

// The entry of that name, or the first whose name ends with "/name"; at most `most` bytes. NULL: not there, or not readable.
// To be freed; a NUL follows. `found` (room 512) gets the entry's name.
char *zip_read(const char *path, const char *name, size_t most, size_t *length, char *found);

#endif
