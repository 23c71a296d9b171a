// SPDX-License-Identifier: Apache-2.0
// The JSON reader (json.h): recursive descent with a limit of depth. The input is hostile.
#include "json.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const char *at, *end;
    int depth;
} Reader;

static JsonValue *read_value(Reader *r);

static void skip_space(Reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) != NULL && *r->at != 0)
        r->at++;
}

static bool take(Reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(Reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool read_hex(Reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        if (r->at == r->end)
            return false;
        char c = *r->at++;
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0)
            return false;
        *code = *code * 16 + (unsigned)digit;
    }
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    assert(code <= 0x10ffff && (code < 0xd800 || code >= 0xe000));
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

// What follows a backslash; NULL if it is no escape. NUL becomes U+FFFD, as our texts end with one.
static char *read_escape(Reader *r, char *to)
{
    assert(r->at < r->end); // a string ends with a quote that is no escape
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = *r->at++;
    const char *plain = c ? strchr(from, c) : NULL;
    if (plain != NULL) {
        *to++ = into[plain - from];
        return to;
    }
    unsigned code, low;
    if (c != 'u' || !read_hex(r, &code))
        return NULL;
    if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\'
        && r->at[1] == 'u') {
        r->at += 2;
        if (!read_hex(r, &low))
            return NULL;
        code = low >= 0xdc00 && low < 0xe000
                   ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                   : 0xfffd;
    }
    return put_utf8(to, code == 0 || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code);
}

static char *read_string(Reader *r)
{
    if (!take(r, '"'))
        return NULL;
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    if (close >= r->end)
        return NULL;
    char *text = mem_new((size_t)(close - r->at) + 1, 1), *to = text;
    while (to != NULL && r->at < close) {
        if (*r->at == '\\') {
            r->at++;
            to = read_escape(r, to);
        } else if ((unsigned char)*r->at < 0x20) {
            to = NULL;
        } else {
            *to++ = *r->at++;
        }
    }
    if (to == NULL || r->at != close) {
        free(text);
        return NULL;
    }
    *to = 0;
    r->at++;
    return text;
}

static bool read_members(Reader *r, JsonValue *into, char close)
{
    JsonValue **last = &into->first;
    if (take(r, close))
        return true;
    do {
        char *key = NULL;
        if (close == '}' && ((key = read_string(r)) == NULL || !take(r, ':'))) {
            free(key);
            return false;
        }
        if ((*last = read_value(r)) == NULL) {
            free(key);
            return false;
        }
        (*last)->key = key;
        last = &(*last)->next;
    } while (take(r, ','));
    return take(r, close);
}

static bool read_number(Reader *r, JsonValue *into)
{
    const char *from = r->at;
    while (r->at < r->end && *r->at != 0 && strchr("+-0123456789.eE", *r->at) != NULL)
        r->at++;
    if (from == r->at || r->at - from > 40)
        return false;
    char *end;
    into->kind = JSON_NUMBER;
    into->text = mem_text(from, (size_t)(r->at - from));
    into->number = strtod(into->text, &end);
    return *end == 0;
}

static bool read_into(Reader *r, JsonValue *v)
{
    if (take(r, '{')) {
        v->kind = JSON_OBJECT;
        return read_members(r, v, '}');
    }
    if (take(r, '[')) {
        v->kind = JSON_ARRAY;
        return read_members(r, v, ']');
    }
    if (r->at < r->end && *r->at == '"') {
        v->kind = JSON_STRING;
        return (v->text = read_string(r)) != NULL;
    }
    bool is_true = take_word(r, "true");
    if (is_true || take_word(r, "false")) {
        v->kind = JSON_BOOL;
        v->number = is_true;
        v->text = mem_text(is_true ? "1" : "0", 1);
        return true;
    }
    return take_word(r, "null") || read_number(r, v);
}

static JsonValue *read_value(Reader *r)
{
    if (++r->depth > JSON_MAX_DEPTH)
        return NULL;
    JsonValue *v = mem_new(1, sizeof *v);
    if (!read_into(r, v)) {
        json_value_free(v);
        return NULL;
    }
    assert(r->depth > 0);
    r->depth--;
    return v;
}

JsonValue *json_parse(const char *text, size_t length)
{
    Reader r = {.at = text, .end = text + length};
    skip_space(&r);
    JsonValue *v = read_value(&r);
    assert(v == NULL || r.depth == 0);
    skip_space(&r);
    if (v != NULL && r.at != r.end) {
        json_value_free(v);
        return NULL;
    }
    return v;
}

void json_value_free(JsonValue *value)
{
    while (value != NULL) {
        JsonValue *next = value->next;
        json_value_free(value->first);
        free(value->key);
        free(value->text);
        free(value);
        value = next;
    }
}

const JsonValue *json_member(const JsonValue *object, const char *key)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (const JsonValue *v = object->first; v != NULL; v = v->next) {
        assert(v->key != NULL);
        if (strcmp(v->key, key) == 0)
            return v;
    }
    return NULL;
}

const char *json_member_text(const JsonValue *object, const char *key)
{
    const JsonValue *v = json_member(object, key);
    return v != NULL ? v->text : NULL;
}
