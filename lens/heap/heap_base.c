// SPDX-License-Identifier: Apache-2.0
// What the heap's analysis is made with: arenas, maps from number to number, texts, arrays that grow.
#include "heap_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CHUNK = 64 << 10, // bytes of an arena's piece
    FIRST_CAPACITY = 64
};

typedef struct HeapChunk {
    struct HeapChunk *next;
    size_t used, size;
    uint64_t pad;
    uint8_t bytes[];
} HeapChunk;

void *heap_arena_get(HeapArena *arena, size_t bytes)
{
    HeapChunk *c = arena->chunks;
    assert(c == NULL || c->used <= c->size);
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (c == NULL || c->size - c->used < bytes) {
        size_t size = bytes > CHUNK / 4 ? bytes : CHUNK;
        c = calloc(1, sizeof(*c) + size);
        if (c == NULL)
            return NULL;
        c->size = size;
        if (size != CHUNK && arena->chunks != NULL) { // goes on filling the one before
            c->next = arena->chunks->next;
            arena->chunks->next = c;
        } else {
            c->next = arena->chunks;
            arena->chunks = c;
        }
    }
    void *p = c->bytes + c->used;
    c->used += bytes;
    return p;
}

char *heap_arena_text(HeapArena *arena, const char *text, size_t len)
{
    assert(text != NULL);
    char *copy = heap_arena_get(arena, len + 1);
    if (copy != NULL)
        memcpy(copy, text, len);
    return copy;
}

char *heap_arena_printf(HeapArena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    char *text = len < 0 ? NULL : heap_arena_get(arena, (size_t)len + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void heap_arena_free(HeapArena *arena)
{
    for (HeapChunk *c = arena->chunks, *next; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    arena->chunks = NULL;
}

bool heap_fail(HeapError *error, const char *format, ...)
{
    assert(format != NULL && error != NULL);
    if (error->text[0] == 0) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof(error->text), format, args);
        va_end(args);
    }
    return false;
}

bool heap_fail_memory(HeapError *error)
{
    return heap_fail(error, "There is not enough memory for this heap.");
}

uint64_t heap_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// ---- maps ------------------------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 27) * 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

uint64_t heap_hash(const void *bytes, size_t len, uint64_t seed)
{
    const uint8_t *p = bytes;
    uint64_t hash = mix(seed ^ len), word;
    for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
        memcpy(&word, p, sizeof(word));
        hash = mix(hash ^ word);
    }
    word = 0;
    memcpy(&word, p, len);
    return mix(hash ^ word);
}

// The place of the key, or the free one where it belongs.
static size_t map_place(const HeapMap *map, uint64_t key)
{
    assert(map->count < map->capacity && (map->capacity & (map->capacity - 1)) == 0);
    size_t i = mix(key ^ map->seed) & (map->capacity - 1);
    while (map->values[i] != 0 && map->keys[i] != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

uint64_t heap_map_get(const HeapMap *map, uint64_t key)
{
    return map->capacity == 0 ? 0 : map->values[map_place(map, key)];
}

static bool map_resize(HeapMap *map)
{
    HeapMap bigger = {.count = map->count,
                      .capacity = map->capacity == 0 ? FIRST_CAPACITY : map->capacity * 2,
                      .seed = map->seed};
    if (bigger.seed == 0) // keys are chosen by whoever made the file: where they go is not
        bigger.seed = mix(heap_now() ^ (uintptr_t)map);
    bigger.keys = calloc(bigger.capacity, sizeof(uint64_t));
    bigger.values = calloc(bigger.capacity, sizeof(uint64_t));
    if (bigger.keys == NULL || bigger.values == NULL) {
        free(bigger.keys);
        free(bigger.values);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->values[i] != 0) {
            size_t to = map_place(&bigger, map->keys[i]);
            bigger.keys[to] = map->keys[i];
            bigger.values[to] = map->values[i];
        }
    }
    free(map->keys);
    free(map->values);
    *map = bigger;
    return true;
}

bool heap_map_put(HeapMap *map, uint64_t key, uint64_t value)
{
    assert(value != 0); // it is what an absent key has
    if (map->count * 2 >= map->capacity && !map_resize(map))
        return false;
    size_t i = map_place(map, key);
    map->count += map->values[i] == 0;
    map->keys[i] = key;
    map->values[i] = value;
    return true;
}

void heap_map_free(HeapMap *map)
{
    free(map->keys);
    free(map->values);
    *map = (HeapMap){0};
}

bool heap_grow(void **array, size_t *capacity, size_t need, size_t size)
{
    assert(size > 0 && (*array != NULL || *capacity == 0));
    if (need <= *capacity)
        return true;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < need)
        wanted = need < FIRST_CAPACITY ? FIRST_CAPACITY : need;
    if (wanted > SIZE_MAX / 2 / size)
        return false;
    void *bigger = realloc(*array, wanted * size);
    if (bigger == NULL)
        return false;
    *array = bigger;
    *capacity = wanted;
    return true;
}

// ---- texts -----------------------------------------------------------------------------------------------------------

static const char replacement[] = "\xef\xbf\xbd";

static size_t put_utf8(char *out, uint32_t c)
{
    if (c == 0 || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff) {
        memcpy(out, replacement, 3);
        return 3;
    }
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

size_t heap_utf8_from_latin1(const uint8_t *in, size_t count, char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += put_utf8(out + len, in[i]);
    out[len] = 0;
    return len;
}

size_t heap_utf8_from_utf16(const uint16_t *in, size_t count, char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t c = in[i];
        if (c >= 0xd800 && c < 0xdc00 && i + 1 < count && in[i + 1] >= 0xdc00
            && in[i + 1] < 0xe000)
            c = 0x10000 + ((c - 0xd800) << 10) + (in[++i] - 0xdc00u);
        len += put_utf8(out + len, c);
    }
    out[len] = 0;
    return len;
}

// The bytes of the well-formed character at p; 0: there is none.
static size_t utf8_len(const uint8_t *p, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80       ? 1
               : p[0] >> 5 == 6  ? 2
               : p[0] >> 4 == 14 ? 3
               : p[0] >> 3 == 30 ? 4
                                 : 0;
    if (n <= 1)
        return p[0] == 0 ? 0 : n;
    if (n > left)
        return 0;
    uint32_t c = p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        c = c << 6 | (p[i] & 63);
    }
    return c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0 : n;
}

size_t heap_utf8_clean(const uint8_t *in, size_t len, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        size_t width = utf8_len(in + i, len - i);
        assert(width <= len - i);
        memcpy(out + n, width == 0 ? (const char *)replacement : (const char *)in + i,
               width == 0 ? 3 : width);
        n += width == 0 ? 3 : width;
        i += width == 0 ? 1 : width;
    }
    out[n] = 0;
    return n;
}
