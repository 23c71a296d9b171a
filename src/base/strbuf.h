// SPDX-License-Identifier: Apache-2.0
// A growing string for messages and paths. `StrBuf sb = {0}; sb_printf(&sb, ...); use sb.s;
// sb_free(&sb);`
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include "base/common.h"

typedef struct StrBuf {
    char *s; // NUL-terminated once anything was added, else NULL
    size_t len, cap;
} StrBuf;
// Each adds at the end and copies what it is given.
void sb_add(StrBuf *sb, const char *s);
void sb_add_n(StrBuf *sb, const char *s, size_t len);
void sb_putc(StrBuf *sb, char c);
void sb_printf(StrBuf *sb, const char *fmt, ...) PRINTF(2, 3);
void sb_vprintf(StrBuf *sb, const char *fmt, va_list ap);
void sb_free(StrBuf *sb); // leaves it empty, to be used again

// How alike two words are, 0 to 1 (the pairs of letters they share): for "Did you mean".
double text_likeness(const char *a, const char *b);

#endif
