// SPDX-License-Identifier: Apache-2.0
// JSON: a writer into memory that puts the commas itself, and a reader of whole texts into a tree.
// What is written is valid JSON and valid UTF-8 whatever the texts hold: bytes that are not UTF-8 become U+FFFD, and `<`, `>`, `&`
// are escaped, so that the result may stand in a page's script element.
#ifndef LENS_JSON_H
#define LENS_JSON_H

#include "base.h"

#define JSON_MAX_DEPTH 32

typedef struct Json {
    char *text; // NUL-terminated
    size_t length, room;
    bool comma;       // the next value needs one before it
    bool keyed;       // a key was written, and waits for its value
    uint32_t depth;   // brackets that are open
    uint32_t objects; // of these, the innermost lowest: 1 an object, 0 an array
} Json;
// All brackets are closed.
static inline bool json_is_whole(const Json *json)
{
    return json->depth == 0 && json->length != 0;
}

void json_free(Json *json);
void json_object(Json *json); // opens {
void json_end(Json *json);    // closes }
void json_array(Json *json);  // opens [
void json_array_end(Json *json);
void json_key(Json *json, const char *key);
void json_text(Json *json, const char *text); // NULL: null
void json_text_n(Json *json, const char *text, size_t length);
void json_int(Json *json, int64_t value);
void json_uint(Json *json, uint64_t value);
void json_real(Json *json, double value); // three decimals at most; null if it is no number
void json_bool(Json *json, bool value);
void json_null(Json *json);
// Bytes that are JSON already: a value of its own.
void json_raw(Json *json, const char *text, size_t length);

// A key and its value.
void json_put_text(Json *json, const char *key, const char *text);
void json_put_format(Json *json, const char *key, const char *format, ...) LENS_PRINTF(3, 4);
void json_put_int(Json *json, const char *key, int64_t value);
void json_put_uint(Json *json, const char *key, uint64_t value);
void json_put_real(Json *json, const char *key, double value);
void json_put_bool(Json *json, const char *key, bool value);
void json_put_object(Json *json, const char *key);
void json_put_array(Json *json, const char *key);

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;
typedef struct JsonValue JsonValue;
struct JsonValue {
    JsonKind kind;
    char *key;        // in an object, else NULL
    char *text;       // of a string, and of a number as it was written
    double number;    // also of true: 1
    JsonValue *first; // of an array or object
    JsonValue *next;  // sibling
};
// NULL if the text is not one whole JSON value, or is nested deeper than JSON_MAX_DEPTH. json_value_free gives it back.
JsonValue *json_parse(const char *text, size_t length);
void json_value_free(JsonValue *value);
// A member of an object, or NULL; `object` may be NULL.
const JsonValue *json_member(const JsonValue *object, const char *key);
// A member's string (a number's as written, true is "1", false "0"), or NULL.
const char *json_member_text(const JsonValue *object, const char *key);

#endif
