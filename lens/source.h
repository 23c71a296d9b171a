// SPDX-License-Identifier: Apache-2.0
// Finds the source of a class: what --source names, beside the class path, below the program's folder, and the JDK's src.zip.
#ifndef LENS_SOURCE_H
#define LENS_SOURCE_H

#include "session.h"

typedef struct Source {
    char *text; // NULL: not found
    size_t length;
    char *path;           // where it was found
    ARRAY(char *) looked; // places where it was not
} Source;
void source_find(const Session *session, const char *class_name, Source *source);
void source_free(Source *source);

#endif
