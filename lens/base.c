// SPDX-License-Identifier: Apache-2.0
// Memory, arrays, maps, names, clocks (base.h).
#define _GNU_SOURCE
#include "base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Noreturn void out_of_memory(void)
{
    fputs("lens: no memory left\n", stderr);
    exit(3);
}

void *mem_new(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (p == NULL)
        out_of_memory();
    return p;
}

void *mem_resize(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory();
    void *p = realloc(old, bytes ? bytes : 1);
    if (p == NULL)
        out_of_memory();
    return p;
}

char *mem_text(const char *text, size_t length)
{
    assert(text != NULL);
    char *copy = mem_resize(NULL, length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *mem_format(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        out_of_memory();
    va_end(args);
    return text;
}

void *array_more(void *at, uint32_t *room, size_t size)
{
    assert(size > 0 && (*room & (*room - 1)) == 0);
    if (*room > UINT32_MAX / 2)
        out_of_memory();
    *room = *room ? *room * 2 : 16;
    return mem_resize(at, *room, size);
}

uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    return x ^ x >> 32;
}

static uint32_t map_slot(const Map *map, uint64_t key)
{
    assert(map->count < map->room && (map->room & (map->room - 1)) == 0);
    uint32_t at = (uint32_t)hash_mix(key) & (map->room - 1);
    while (map->keys[at] != 0 && map->keys[at] != key + 1)
        at = (at + 1) & (map->room - 1);
    return at;
}

uint32_t map_get(const Map *map, uint64_t key, uint32_t otherwise)
{
    if (map->room == 0 || key == UINT64_MAX)
        return otherwise;
    uint32_t at = map_slot(map, key);
    return map->keys[at] ? map->values[at] : otherwise;
}

static void map_grow(Map *map)
{
    Map bigger = {.count = map->count, .room = map->room ? map->room * 2 : 64};
    if (bigger.room == 0)
        out_of_memory();
    bigger.keys = mem_new(bigger.room, sizeof *bigger.keys);
    bigger.values = mem_new(bigger.room, sizeof *bigger.values);
    for (uint32_t i = 0; i < map->room; i++) {
        if (map->keys[i] == 0)
            continue;
        uint32_t at = map_slot(&bigger, map->keys[i] - 1);
        bigger.keys[at] = map->keys[i];
        bigger.values[at] = map->values[i];
    }
    map_free(map);
    *map = bigger;
}

uint32_t *map_at(Map *map, uint64_t key)
{
    if (key == UINT64_MAX)
        key--; // no two keys of ours come near
    if (map->count >= map->room / 2)
        map_grow(map);
    uint32_t at = map_slot(map, key);
    if (map->keys[at] == 0) {
        map->keys[at] = key + 1;
        map->count++;
    }
    return &map->values[at];
}

void map_free(Map *map)
{
    free(map->keys);
    free(map->values);
    *map = (Map){0};
}

static uint64_t text_hash(const char *text, size_t length)
{
    uint64_t h = 14695981039346656037ull ^ length;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (uint8_t)text[i]) * 1099511628211ull;
    return hash_mix(h);
}

// The slot that holds the text, or the free one where it belongs.
static uint32_t names_slot(const Names *names, const char *text, size_t length)
{
    assert(names->count < names->slot_count
           && (names->slot_count & (names->slot_count - 1)) == 0);
    uint32_t at = (uint32_t)text_hash(text, length) & (names->slot_count - 1);
    for (; names->slots[at] != 0; at = (at + 1) & (names->slot_count - 1)) {
        const char *other = names->texts[names->slots[at]];
        if (strncmp(other, text, length) == 0 && other[length] == 0)
            break;
    }
    return at;
}

static void names_grow(Names *names)
{
    names->slot_count = names->slot_count ? names->slot_count * 2 : 256;
    free(names->slots);
    names->slots = mem_new(names->slot_count, sizeof *names->slots);
    for (uint32_t id = 1; id < names->count; id++)
        names->slots[names_slot(names, names->texts[id], strlen(names->texts[id]))] = id;
}

uint32_t names_add(Names *names, const char *text, size_t length)
{
    length = strnlen(text, length);
    if (length == 0)
        return 0;
    if (names->count >= names->slot_count / 2)
        names_grow(names);
    uint32_t at = names_slot(names, text, length);
    if (names->slots[at] != 0)
        return names->slots[at];
    if (names->count + 1 >= names->room)
        names->texts = array_more(names->texts, &names->room, sizeof *names->texts);
    if (names->count == 0)
        names->texts[names->count++] = mem_text("", 0);
    assert(names->count < names->room);
    names->texts[names->count] = mem_text(text, length);
    names->bytes += length + 1;
    names->slots[at] = names->count;
    return names->count++;
}

uint32_t names_find(const Names *names, const char *text, size_t length)
{
    if (length == 0)
        return 0;
    if (names->slot_count == 0)
        return UINT32_MAX;
    uint32_t id = names->slots[names_slot(names, text, length)];
    ASSERT_INDEX(names, id);
    return id ? id : UINT32_MAX;
}

const char *names_text(const Names *names, uint32_t id)
{
    return id < names->count ? names->texts[id] : "";
}

void names_free(Names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
    free(names->slots);
    *names = (Names){0};
}

static uint64_t clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

uint64_t clock_realtime(void)
{
    return clock_of(CLOCK_REALTIME);
}

void text_copy(char *to, size_t room, const char *from)
{
    assert(room > 0);
    size_t length = strnlen(from, room - 1);
    memcpy(to, from, length);
    to[length] = 0;
}

bool text_ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && memcmp(text + a - b, end, b) == 0;
}

bool text_number(const char *text, uint64_t *value)
{
    assert(text != NULL);
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *end == 0 && errno == 0;
}
