// SPDX-License-Identifier: Apache-2.0
// See image_map.h. The file's format is that of the class library's jdk.internal.jimage: a header of
// seven words in native byte order; a table without collisions to find names with, and one of
// offsets; the attributes of all locations; strings; behind them the resources.
#include "class/image_map.h"

#include "base/alloc.h"
#include "platform/platform.h"

enum { IMAGE_MAGIC = (int)0xCAFEDADA, IMAGE_VERSION = 1 << 16, HASH_FACTOR = 0x01000193 };
enum {
    ATTRIBUTE_END,
    ATTRIBUTE_MODULE, // this and the next three: offsets of strings
    ATTRIBUTE_PARENT,
    ATTRIBUTE_BASE,
    ATTRIBUTE_EXTENSION,
    ATTRIBUTE_OFFSET,
    ATTRIBUTE_COMPRESSED, // size; 0: it is not compressed
    ATTRIBUTE_UNCOMPRESSED,
    ATTRIBUTE_COUNT
};

typedef struct ImageHeader {
    uint32_t magic, version, flags, resource_count, table_length, locations_size, strings_size;
} ImageHeader;

// Written once, at the start.
static char *file;
static const uint8_t *map, *locations, *strings, *resources;
static const int32_t *redirects;
static const uint32_t *offsets;
static size_t map_size;
static ImageHeader header;

bool image_map_open(const char *path)
{
    VM_ASSERT(!map);
    size_t size;
    const uint8_t *p = os_map_file(path, &size);
    if (!p || size < sizeof header)
        return false;
    memcpy(&header, p, sizeof header);
    uint64_t tables = (uint64_t)header.table_length * sizeof *offsets,
             end = sizeof header + 2 * tables + header.locations_size + header.strings_size;
    if (header.magic != (uint32_t)IMAGE_MAGIC || header.version != IMAGE_VERSION || end > size
        || header.table_length == 0 || header.strings_size == 0 || p[end - 1] != 0)
        return false;
    file = vm_strdup(path);
    map = p;
    map_size = size;
    redirects = (const void *)(p + sizeof header);
    offsets = (const void *)(p + sizeof header + tables);
    locations = p + sizeof header + 2 * tables;
    strings = locations + header.locations_size;
    resources = p + end;
    return true;
}

bool image_map_file(const char *path, const uint8_t **bytes, size_t *size)
{
    *bytes = map;
    *size = map_size;
    return map && strcmp(path, file) == 0;
}

// A location is a run of attributes: kind and length of the value in a byte, then the value, most
// significant byte first.
static void read_location(size_t at, uint64_t attributes[ATTRIBUTE_COUNT])
{
    while (at < header.locations_size) {
        uint8_t head = locations[at++];
        size_t kind = head >> 3, len = (head & 7u) + 1;
        if (kind == ATTRIBUTE_END || kind >= ATTRIBUTE_COUNT
            || len > header.locations_size - at)
            return;
        uint64_t value = 0;
        for (size_t i = 0; i < len; i++)
            value = value << 8 | locations[at++];
        attributes[kind] = value;
    }
}

// ---- names ----

static uint32_t hash_on(uint32_t hash, const char *s)
{
    for (; *s; s++)
        hash = hash * HASH_FACTOR ^ (uint8_t)*s;
    return hash;
}

static uint32_t name_index(const char *module, const char *name, uint32_t seed)
{
    uint32_t hash = hash_on(hash_on(hash_on(hash_on(seed, "/"), module), "/"), name);
    return (hash & INT32_MAX) % header.table_length;
}

// Where in the table of offsets the name stands if it is one of the image's.
static uint32_t find_index(const char *module, const char *name)
{
    int32_t redirect = redirects[name_index(module, name, HASH_FACTOR)];
    return redirect > 0 ? name_index(module, name, (uint32_t)redirect)
                        : (uint32_t)-1 - (uint32_t)redirect;
}

// Passes the string with that offset if `*text` begins with it.
static bool skip_string(const char **text, uint64_t offset)
{
    const char *s = offset < header.strings_size ? (const char *)strings + offset : "?";
    size_t len = strlen(s);
    if (strncmp(*text, s, len) != 0)
        return false;
    *text += len;
    return true;
}

static bool skip_char(const char **text, char c)
{
    return *(*text)++ == c;
}

static bool is_named(const uint64_t attributes[ATTRIBUTE_COUNT], const char *module,
                     const char *name)
{
    return skip_string(&module, attributes[ATTRIBUTE_MODULE]) && !*module
           && (!attributes[ATTRIBUTE_PARENT]
               || (skip_string(&name, attributes[ATTRIBUTE_PARENT]) && skip_char(&name, '/')))
           && skip_string(&name, attributes[ATTRIBUTE_BASE])
           && (!attributes[ATTRIBUTE_EXTENSION]
               || (skip_char(&name, '.')
                   && skip_string(&name, attributes[ATTRIBUTE_EXTENSION])))
           && !*name;
}

bool image_map_find(const char *module, const char *name, ImageResource *found)
{
    VM_ASSERT(map);
    uint64_t attributes[ATTRIBUTE_COUNT] = {0};
    uint32_t index = find_index(module, name);
    if (index >= header.table_length)
        return false;
    read_location(offsets[index], attributes);
    if (!is_named(attributes, module, name))
        return false;
    uint64_t offset = attributes[ATTRIBUTE_OFFSET], size = attributes[ATTRIBUTE_UNCOMPRESSED],
             room = map_size - (size_t)(resources - map);
    bool readable = attributes[ATTRIBUTE_COMPRESSED] == 0;
    if (readable && (offset > room || size > room - offset))
        return false;
    *found = (ImageResource){readable ? resources + offset : NULL, size};
    return true;
}

bool image_map_contains(const uint8_t *p, size_t len)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)map;
    return map && from <= map_size && len <= map_size - from;
}
