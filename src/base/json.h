// SPDX-License-Identifier: Apache-2.0
// Writing JSON (RFC 8259) into a growing string, without spaces: values in order, json_next before each element.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/strbuf.h"

// A comma, but behind [ { and a name. `out` is not empty.
void json_next(StrBuf *out);
// A string of bytes that are UTF-8, modified or not; what is neither becomes U+FFFD. Beyond printable ASCII all is escaped, and so are
// < > and &: the text may stand in a script of an HTML page.
void json_text_n(StrBuf *out, const void *bytes, size_t len);
void json_text(StrBuf *out, const char *text);
// json_next, a name and a colon.
void json_name(StrBuf *out, const char *name);
// json_next and a number.
void json_number(StrBuf *out, int64_t n);

#endif
