// SPDX-License-Identifier: Apache-2.0
// The JSON writer (json.h).
#define _GNU_SOURCE
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *room_for(Json *json, size_t more)
{
    if (json->length + more + 1 > json->room) {
        json->room = json->room ? json->room : 256;
        while (json->length + more + 1 > json->room)
            json->room *= 2;
        json->text = mem_resize(json->text, json->room, 1);
    }
    assert(json->length < json->room);
    return json->text + json->length;
}

static void put(Json *json, const char *text, size_t length)
{
    char *to = room_for(json, length);
    memcpy(to, text, length);
    to[length] = 0;
    json->length += length;
}

static void put_comma(Json *json)
{
    if (json->comma)
        put(json, ",", 1);
    json->comma = true;
}

// Inside an object a value stands behind its key.
static void begin_value(Json *json)
{
    assert(json->keyed == (json->depth > 0 && (json->objects & 1)));
    json->keyed = false;
    put_comma(json);
}

void json_free(Json *json)
{
    free(json->text);
    *json = (Json){0};
}

static void open_with(Json *json, const char *bracket)
{
    assert(json->depth < JSON_MAX_DEPTH); // what we write our reader takes
    begin_value(json);
    put(json, bracket, 1);
    json->comma = false;
    json->objects = json->objects << 1 | (*bracket == '{');
    json->depth++;
}

static void close_with(Json *json, const char *bracket)
{
    assert(json->depth > 0 && (json->objects & 1) == (*bracket == '}') && !json->keyed);
    put(json, bracket, 1);
    json->comma = true;
    json->objects >>= 1;
    json->depth--;
}

void json_object(Json *json)
{
    open_with(json, "{");
}

void json_end(Json *json)
{
    close_with(json, "}");
}

void json_array(Json *json)
{
    open_with(json, "[");
}

void json_array_end(Json *json)
{
    close_with(json, "]");
}

// The length of the UTF-8 character at `s`, or 0 if there is none that is well-formed.
static size_t utf8_length(const unsigned char *s, size_t left)
{
    static const unsigned char low[] = {0, 0, 0x80, 0x80, 0x80};
    unsigned char c = s[0];
    size_t n = c < 0x80                 ? 1
               : c >= 0xc2 && c <= 0xdf ? 2
               : (c & 0xf0) == 0xe0     ? 3
               : c >= 0xf0 && c <= 0xf4 ? 4
                                        : 0;
    if (n == 0 || n > left)
        return 0;
    unsigned char min = c == 0xe0   ? 0xa0
                        : c == 0xf0 ? 0x90
                                    : low[n],
                  max = c == 0xed   ? 0x9f
                        : c == 0xf4 ? 0x8f
                                    : 0xbf;
    if (n > 1 && (s[1] < min || s[1] > max))
        return 0;
    for (size_t i = 2; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    return n;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

static void put_string(Json *json, const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    put(json, "\"", 1);
    for (size_t i = 0; i < length;) {
        size_t plain = i;
        while (plain < length && is_plain(s[plain]))
            plain++;
        put(json, text + i, plain - i);
        if ((i = plain) == length)
            break;
        size_t n = utf8_length(s + i, length - i);
        if (n > 1) {
            put(json, text + i, n);
        } else {
            char escape[8];
            unsigned code = n == 1 ? s[i] : 0xfffd;
            put(json, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", code));
            n = 1;
        }
        i += n;
    }
    put(json, "\"", 1);
}

void json_key(Json *json, const char *key)
{
    assert(json->depth > 0 && (json->objects & 1) && !json->keyed);
    put_comma(json);
    put_string(json, key, strlen(key));
    put(json, ":", 1);
    json->comma = false;
    json->keyed = true;
}

void json_text_n(Json *json, const char *text, size_t length)
{
    begin_value(json);
    put_string(json, text, length);
}

void json_text(Json *json, const char *text)
{
    if (text == NULL)
        json_null(json);
    else
        json_text_n(json, text, strlen(text));
}

void json_int(Json *json, int64_t value)
{
    char digits[32];
    begin_value(json);
    put(json, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, value));
}

void json_uint(Json *json, uint64_t value)
{
    char digits[32];
    begin_value(json);
    put(json, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value));
}

void json_real(Json *json, double value)
{
    char digits[64];
    if (!isfinite(value)) {
        json_null(json);
        return;
    }
    size_t length;
    if (fabs(value) >= 1e15) {
        length = (size_t)snprintf(digits, sizeof digits, "%.17g", value);
    } else {
        length = (size_t)snprintf(digits, sizeof digits, "%.3f", value);
        while (digits[length - 1] == '0')
            length--;
        length -= digits[length - 1] == '.';
    }
    begin_value(json);
    put(json, digits, length);
}

void json_bool(Json *json, bool value)
{
    begin_value(json);
    put(json, value ? "true" : "false", value ? 4 : 5);
}

void json_null(Json *json)
{
    begin_value(json);
    put(json, "null", 4);
}

void json_raw(Json *json, const char *text, size_t length)
{
    assert(length > 0); // nothing is no value
    begin_value(json);
    put(json, text, length);
}

void json_put_text(Json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

void json_put_format(Json *json, const char *key, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    json_key(json, key);
    json_text(json, length < 0 ? NULL : text);
    if (length >= 0)
        free(text);
}

void json_put_int(Json *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_int(json, value);
}

void json_put_uint(Json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_uint(json, value);
}

void json_put_real(Json *json, const char *key, double value)
{
    json_key(json, key);
    json_real(json, value);
}

void json_put_bool(Json *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}

void json_put_object(Json *json, const char *key)
{
    json_key(json, key);
    json_object(json);
}

void json_put_array(Json *json, const char *key)
{
    json_key(json, key);
    json_array(json);
}
