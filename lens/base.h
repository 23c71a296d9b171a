// SPDX-License-Identifier: Apache-2.0
// What all of the front program stands on: memory that is there or ends the program with a sentence, arrays that grow, a map of
// numbers, interned names, clocks. Single-threaded but for what says otherwise.
#ifndef LENS_BASE_H
#define LENS_BASE_H

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LENS_PRINTF(text, first) __attribute__((format(printf, text, first)))

// Zeroed memory of count x size bytes. Ends the program with one line when there is none. Any thread.
void *mem_new(size_t count, size_t size);
// realloc with the same ending; what is new is not zeroed. Any thread.
void *mem_resize(void *old, size_t count, size_t size);
// A copy of `length` bytes and a NUL. Any thread.
char *mem_text(const char *text, size_t length);
// asprintf with the same ending. Any thread.
char *mem_format(const char *format, ...) LENS_PRINTF(1, 2);

// Arrays: ARRAY(int) a = {0}; *ARRAY_PUSH(&a) = 1; a.at[0]; free(a.at). What ARRAY_PUSH returns is zeroed.
#define ARRAY(T)              \
    struct {                  \
        T *at;                \
        uint32_t count, room; \
    }
#define ARRAY_PUSH(a)                                                         \
    ((a)->count == (a)->room                                                  \
         ? (void)((a)->at = array_more((a)->at, &(a)->room, sizeof *(a)->at)) \
         : (void)0,                                                           \
     __builtin_memset(&(a)->at[(a)->count], 0, sizeof *(a)->at), &(a)->at[(a)->count++])
void *array_more(void *at, uint32_t *room, size_t size);
// i is an index of the array.
#define ASSERT_INDEX(a, i) assert((i) < (a)->count)

// A map of 64-bit numbers to 32-bit ones that never shrinks. Zeroed memory is an empty map.
typedef struct Map {
    uint64_t *keys; // key + 1, so that 0 is free; the key UINT64_MAX is refused
    uint32_t *values;
    uint32_t count, room; // room: a power of two, or 0
} Map;
// The value, or `otherwise`.
uint32_t map_get(const Map *map, uint64_t key, uint32_t otherwise);
// Where the value of `key` is, made with the value 0 if it was not there: valid until the next call of map_at.
uint32_t *map_at(Map *map, uint64_t key);
void map_free(Map *map);
uint64_t hash_mix(uint64_t x);

// Interned texts. Id 0 is the empty text. Zeroed memory is an empty table.
typedef struct Names {
    char **texts; // by id
    uint32_t *slots;
    uint32_t count, room, slot_count;
    uint64_t bytes;
} Names;
uint32_t names_add(Names *names, const char *text, size_t length);
// The id of a text that was added, or UINT32_MAX.
uint32_t names_find(const Names *names, const char *text, size_t length);
// Valid as long as the table. Ids that are none give "".
const char *names_text(const Names *names, uint32_t id);
void names_free(Names *names);

uint64_t clock_monotonic(void); // ns
uint64_t clock_realtime(void);  // ns

// Copies with an ending NUL, cut if it must be. `room` is at least 1.
void text_copy(char *to, size_t room, const char *from);
bool text_ends_with(const char *text, const char *end);
// A number that is the whole text, or false. No sign, no white space.
bool text_number(const char *text, uint64_t *value);

#endif
