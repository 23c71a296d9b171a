// SPDX-License-Identifier: Apache-2.0
// Names in class files before Java 5 (JVMS2 2.7, 4.2): Java identifiers; in the name of a class
// only the first part must not begin with a digit. Letters beyond ASCII are not distinguished from other
// characters there.
#include "classfile/parser_internal.h"

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'
           || c >= 0x80;
}

// Of letters, digits (not at the start) and `separator`.
static bool is_made_of(Bytes name, uint8_t separator)
{
    for (uint32_t i = 0; i < name.len; i++) {
        uint8_t c = name.p[i];
        bool inner = (c >= '0' && c <= '9') || c == separator;
        if (!is_letter(c) && (i == 0 || !inner))
            return false;
    }
    return name.len > 0;
}

bool old_name_is_valid(Bytes name)
{
    return is_made_of(name, '$');
}

bool old_descriptor_is_valid(Bytes d)
{
    for (uint32_t i = 0; i < d.len; i++) {
        if (d.p[i] != 'L')
            continue;
        const uint8_t *name = d.p + i + 1, *end = memchr(name, ';', d.len - i - 1);
        if (!is_made_of((Bytes){name, (uint32_t)(end - name)}, '/'))
            return false;
        i = (uint32_t)(end - d.p);
    }
    return true;
}

bool old_class_name_is_valid(Bytes name)
{
    return name.p[0] == '[' ? old_descriptor_is_valid(name) : is_made_of(name, '/');
}
