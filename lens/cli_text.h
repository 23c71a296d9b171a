// SPDX-License-Identifier: Apache-2.0
// Numbers and tables for a terminal.
#ifndef LENS_CLI_TEXT_H
#define LENS_CLI_TEXT_H

#include "json.h"

typedef enum TextUnit {
    TEXT_PLAIN,
    TEXT_COUNT,
    TEXT_BYTES,
    TEXT_NS,
    TEXT_SHARE,
    TEXT_MS
} TextUnit;

typedef struct TextColumn {
    const char *title, *member; // of a row's object
    TextUnit unit;
    const char *
        same_unit_as; // the member of the whole answer that names the unit ("unit": ns, bytes, calls), or NULL
} TextColumn;

// A number with its unit: "12.3 MB", "4.2 ms", "37.5 %".
void text_number_with_unit(char *to, size_t room, double value, TextUnit unit);
// A table of the array `rows` of `answer`: numbers to the right.
void text_table(const JsonValue *answer, const char *rows, const TextColumn *columns,
                size_t count, uint64_t limit);

#endif
