// SPDX-License-Identifier: Apache-2.0
// Numbers and tables for a terminal (cli_text.h).
#define _GNU_SOURCE
#include "cli_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 12

typedef struct Scale {
    double least;
    double divide;
    const char *unit;
} Scale;

static const Scale byte_scales[] = {
    {1e12, 1e12, "TB"}, {1e9, 1e9, "GB"}, {1e6, 1e6, "MB"}, {1e3, 1e3, "kB"}, {0, 1, "B"}};
static const Scale ns_scales[] = {
    {1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}};

static void scaled(char *to, size_t room, double value, const Scale *scales)
{
    double size = fabs(value);
    while (size < scales->least)
        scales++;
    double shown = value / scales->divide;
    snprintf(to, room, "%.*f %s",
             scales->divide == 1 || fabs(shown) >= 100 ? 0
             : fabs(shown) >= 10                       ? 1
                                                       : 2,
             shown, scales->unit);
}

void text_number_with_unit(char *to, size_t room, double value, TextUnit unit)
{
    switch (unit) {
    case TEXT_BYTES: scaled(to, room, value, byte_scales); break;
    case TEXT_NS: scaled(to, room, value, ns_scales); break;
    case TEXT_MS: scaled(to, room, value * 1e6, ns_scales); break;
    case TEXT_SHARE: snprintf(to, room, "%.1f %%", value * 100); break;
    case TEXT_COUNT: snprintf(to, room, "%.0f", value); break;
    case TEXT_PLAIN: snprintf(to, room, "%g", value); break;
    }
}

static TextUnit unit_of(const JsonValue *answer, const TextColumn *column)
{
    const char *name =
        column->same_unit_as ? json_member_text(answer, column->same_unit_as) : NULL;
    if (name == NULL)
        return column->unit;
    return strcmp(name, "ns") == 0      ? TEXT_NS
           : strcmp(name, "bytes") == 0 ? TEXT_BYTES
                                        : TEXT_COUNT;
}

// Texts of the program go to a terminal: what could steer it is replaced.
static void put_cell(char *to, size_t room, const char *text)
{
    text_copy(to, room, text);
    for (char *c = to; *c != 0; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
}

static void cell_text(char *to, size_t room, const JsonValue *answer, const JsonValue *row,
                      const TextColumn *column)
{
    const JsonValue *v = json_member(row, column->member);
    *to = 0;
    if (v == NULL || v->kind == JSON_NULL)
        return;
    if (v->kind == JSON_NUMBER)
        text_number_with_unit(to, room, v->number, unit_of(answer, column));
    else if (v->kind == JSON_BOOL)
        text_copy(to, room, v->number != 0 ? "yes" : "no");
    else if (v->text != NULL)
        put_cell(to, room, v->text);
}

static bool is_value(const JsonValue *v)
{
    return v != NULL && v->kind != JSON_NULL;
}

// By the first row that has a value.
static bool is_number_column(const JsonValue *rows, const TextColumn *column)
{
    const JsonValue *v = NULL;
    for (const JsonValue *row = rows->first; row != NULL && !is_value(v); row = row->next)
        v = json_member(row, column->member);
    return is_value(v) && v->kind == JSON_NUMBER;
}

void text_table(const JsonValue *answer, const char *rows_name, const TextColumn *columns,
                size_t count, uint64_t limit)
{
    assert(count <= MOST_COLUMNS);
    const JsonValue *rows = json_member(answer, rows_name);
    int width[MOST_COLUMNS];
    bool right[MOST_COLUMNS];
    char cell[400];
    if (rows == NULL || rows->first == NULL)
        return;
    for (size_t c = 0; c < count; c++) {
        uint64_t n = 0;
        width[c] = (int)strlen(columns[c].title);
        right[c] = is_number_column(rows, &columns[c]);
        for (const JsonValue *row = rows->first; row != NULL && n < limit;
             row = row->next, n++) {
            cell_text(cell, sizeof cell, answer, row, &columns[c]);
            width[c] = (int)strlen(cell) > width[c] ? (int)strlen(cell) : width[c];
        }
    }
    for (size_t c = 0; c < count; c++)
        printf("%*s%s",
               right[c]        ? width[c]
               : c + 1 < count ? -width[c]
                               : 0,
               columns[c].title, c + 1 < count ? "  " : "\n");
    uint64_t n = 0;
    for (const JsonValue *row = rows->first; row != NULL && n < limit; row = row->next, n++) {
        for (size_t c = 0; c < count; c++) {
            cell_text(cell, sizeof cell, answer, row, &columns[c]);
            printf("%*s%s",
                   right[c]        ? width[c]
                   : c + 1 < count ? -width[c]
                                   : 0,
                   cell, c + 1 < count ? "  " : "\n");
        }
    }
}
