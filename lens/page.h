// SPDX-License-Identifier: Apache-2.0
// The page's files: embedded when lens is built (tools/embed_page.py), or read from $LENS_PAGE_DIR while they are worked on.
#ifndef LENS_PAGE_H
#define LENS_PAGE_H

#include "base.h"

typedef struct PageFile {
    const char *name; // "index.html", "prism/prism.js"
    const uint8_t *gzip;
    size_t gzip_size, size;
} PageFile;

extern const PageFile page_files[]; // ends with a name of NULL
// A file's plain bytes, to be freed; NULL: there is none. *type: its media type.
uint8_t *page_read(const char *name, size_t *size, const char **type);
// The compressed bytes of an embedded file, or NULL (also while $LENS_PAGE_DIR is set).
const PageFile *page_embedded(const char *name);

#endif
