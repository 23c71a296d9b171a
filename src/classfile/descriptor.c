// SPDX-License-Identifier: Apache-2.0
// Descriptors (JVMS 4.3) and names (JVMS 4.2). Pure; never reads past s + len.
#include "classfile/classfile.h"

enum { MAX_DIMENSIONS = 255, MAX_ARGUMENT_WORDS = 255 };

// What ends a part of a class name. Names are most of what a parser reads, hence a table.
static const bool ends_part[256] = {['\0'] = 1, ['.'] = 1, ['['] = 1, ['/'] = 1, [';'] = 1};

// Length of the class name that starts at s and ends at ';' or the end: at least one part,
// parts separated by single '/', no '.', '[' in it. 0 when there is none.
static size_t class_name_length(const char *s, size_t len)
{
    for (size_t i = 0, part = 0;; part = ++i) {
        while (i < len && !ends_part[(uint8_t)s[i]])
            i++;
        if (i == part)
            return 0;
        if (i == len || s[i] == ';')
            return i;
        if (s[i] != '/')
            return 0;
    }
}

// Length of the field type at s; 0 when there is none.
static size_t field_type_length(const char *s, size_t len)
{
    size_t dims = 0;
    while (dims < len && s[dims] == '[')
        dims++;
    if (dims > MAX_DIMENSIONS || dims == len)
        return 0;
    switch (s[dims]) {
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z': return dims + 1;
    case 'L': {
        size_t n = class_name_length(s + dims + 1, len - dims - 1);
        size_t end = dims + 1 + n;
        return n == 0 || end == len ? 0 : end + 1;
    }
    default: return 0;
    }
}

bool descriptor_is_field(const char *s, size_t len)
{
    return len > 0 && field_type_length(s, len) == len;
}

bool descriptor_is_method(const char *s, size_t len)
{
    if (len < 3 || s[0] != '(')
        return false;
    size_t i = 1;
    while (i < len && s[i] != ')') {
        size_t n = field_type_length(s + i, len - i);
        if (n == 0)
            return false;
        i += n;
    }
    if (i >= len)
        return false;
    i++;
    return (len - i == 1 && s[i] == 'V') || descriptor_is_field(s + i, len - i);
}

MethodShape descriptor_method_shape(const char *s, size_t len)
{
    uint32_t params = 0, words = 0;
    DescriptorWalk w = descriptor_walk(s, len, 0);
    for (; descriptor_walk_next(&w); params++)
        words += kind_words(w.kind);
    return (MethodShape){
        .param_count = (uint8_t)MIN_OF(params, (uint32_t)MAX_ARGUMENT_WORDS),
        .arg_words = (uint8_t)MIN_OF(words, (uint32_t)MAX_ARGUMENT_WORDS),
        .ret = w.next + 1 < w.end ? w.next[1] : 'V',
    };
}

uint32_t descriptor_argument_words(const char *s, size_t len)
{
    uint32_t words = 0;
    DescriptorWalk w = descriptor_walk(s, len, 0);
    while (descriptor_walk_next(&w))
        words += kind_words(w.kind);
    return words;
}

DescriptorWalk descriptor_walk(const char *s, size_t len, uint32_t first_slot)
{
    return (DescriptorWalk){.next = s + (len > 0),
                            .end = s + len,
                            .index = UINT32_MAX, // one less than that of the first
                            .slot = first_slot};
}

bool descriptor_walk_next(DescriptorWalk *w)
{
    const char *s = w->next;
    if (s >= w->end || *s == ')')
        return false;
    w->slot += w->type ? kind_words(w->kind) : 0;
    w->index++;
    w->kind = *s;
    w->type = s;
    while (s < w->end && *s == '[')
        s++;
    if (s < w->end && *s == 'L') {
        const char *last = memchr(s, ';', (size_t)(w->end - s));
        s = last ? last : w->end;
    }
    w->next = s < w->end ? s + 1 : s;
    w->len = (uint32_t)(w->next - w->type);
    return true;
}

// An unqualified name: not empty, none of . ; [ / (and < > in a method's).
static bool is_unqualified(const uint8_t *s, size_t len, const char *forbidden)
{
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '\0' || strchr(forbidden, s[i]) != NULL)
            return false;
    }
    return len > 0;
}

bool name_is_valid_class(const uint8_t *s, size_t len)
{
    if (len > 0 && s[0] == '[')
        return descriptor_is_field((const char *)s, len);
    return class_name_length((const char *)s, len) == len && len > 0;
}

bool name_is_valid_field(const uint8_t *s, size_t len)
{
    return is_unqualified(s, len, ".;[/");
}

bool name_is_valid_method(const uint8_t *s, size_t len)
{
    Bytes b = {s, (uint32_t)len};
    if (len > 0 && s[0] == '<')
        return bytes_eq(b, "<init>") || bytes_eq(b, "<clinit>");
    return is_unqualified(s, len, ".;[/<>");
}
