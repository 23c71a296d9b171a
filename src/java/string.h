// SPDX-License-Identifier: Apache-2.0
// Java strings from C. Unless said otherwise: MAY_GC, results are local handles (jobject) of the current
// scope, NULL (false) with the exception pending.
#ifndef JAVA_STRING_H
#define JAVA_STRING_H

#include "class/class.h"

NODISCARD MAY_GC jobject string_from_mutf8(Thread *self, const char *s);
NODISCARD MAY_GC jobject string_from_mutf8_n(Thread *self, const char *s, size_t len);
NODISCARD MAY_GC jobject string_from_utf16(Thread *self, const uint16_t *s, size_t len);
NODISCARD MAY_GC jobject string_from_latin1(Thread *self, const uint8_t *s, size_t len);
// bytes of the C locale (UTF-8 or Latin-1)
NODISCARD MAY_GC jobject string_from_platform(Thread *self, const char *s);
NODISCARD MAY_GC jobject string_intern(Thread *self, jobject string);
NODISCARD MAY_GC jobject string_intern_symbol(Thread *self, const Symbol *s);
NODISCARD MAY_GC jobject string_intern_mutf8_n(Thread *self, const char *s, size_t len);
// The same for natives of the class library: VM_OBJECT_ALLOC of the string and its bytes when they are new
NODISCARD MAY_GC jobject string_intern_reported(Thread *self, const char *s, size_t len);
NODISCARD MAY_GC jobject string_from_mutf8_reported(Thread *self, const char *s, size_t len);
// A String that no constructor has given a value (a debugger may stop there, JNI AllocObject makes
// one) is read as an empty one by all of these.
bool string_has_value(const Object *s);
int32_t string_length(const Object *s); // UTF-16 units
uint16_t string_char_at(const Object *s, int32_t i);
char *string_to_mutf8(const Object *s); // vm_malloc'ed, NUL-terminated; NULL for NULL. NO_GC
char *string_to_utf8(const Object *s);  // standard UTF-8 for files, environment. NO_GC
void string_get_utf16(const Object *s, int32_t start, int32_t len, uint16_t *out);
size_t string_mutf8_length(const Object *s);
void string_put_mutf8(const Object *s, char *out); // so many bytes, and no end. NO_GC
Symbol *string_to_symbol(const Object *s, bool dots_to_slashes, bool create); // NO_GC
// Calls visit (NULL: nobody) for each interned string, under the table's lock, with its bucket.
// The number of buckets. NO_GC, IN_VM.
size_t interned_strings_each(void (*visit)(void *ctx, size_t bucket, Object *s), void *ctx);
void strings_init(void); // intern table

#endif
