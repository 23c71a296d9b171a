// SPDX-License-Identifier: Apache-2.0
// See image_map.h. The file's format is that of the class library's jdk.internal.jimage: a header of
// seven words in native byte order, a table to find names with, one of offsets, the attributes of
// all locations, strings; behind them the resources.
#include "class/image_map.h"

#include "base/alloc.h"
#include "platform/platform.h"

enum { IMAGE_MAGIC = (int)0xCAFEDADA, IMAGE_VERSION = 1 << 16 };
enum {
    ATTRIBUTE_END,
    ATTRIBUTE_OFFSET = 5,
    ATTRIBUTE_COMPRESSED,
    ATTRIBUTE_UNCOMPRESSED,
    ATTRIBUTE_COUNT
};

typedef struct ImageHeader {
    uint32_t magic, version, flags, resource_count, table_length, locations_size, strings_size;
} ImageHeader;

// Written once, at the start.
static const uint8_t *map, *locations, *resources;
static size_t map_size, locations_size;

void image_map_init(const char *path)
{
    size_t size;
    const uint8_t *p = os_find_mapping(path, &size);
    ImageHeader h;
    if (!p || size < sizeof h)
        return;
    memcpy(&h, p, sizeof h);
    uint64_t begin = sizeof h + (uint64_t)h.table_length * 8,
             end = begin + h.locations_size + h.strings_size;
    if (h.magic != (uint32_t)IMAGE_MAGIC || h.version != IMAGE_VERSION || end > size)
        return;
    map = p;
    map_size = size;
    locations = p + begin;
    locations_size = h.locations_size;
    resources = p + end;
}

// A location is a run of attributes: kind and length of the value in a byte, then the value, most
// significant byte first.
static void read_location(size_t at, uint64_t attributes[ATTRIBUTE_COUNT])
{
    while (at < locations_size) {
        uint8_t head = locations[at++];
        size_t kind = head >> 3, len = (head & 7u) + 1;
        if (kind == ATTRIBUTE_END || kind >= ATTRIBUTE_COUNT || len > locations_size - at)
            return;
        uint64_t value = 0;
        for (size_t i = 0; i < len; i++)
            value = value << 8 | locations[at++];
        attributes[kind] = value;
    }
}

const uint8_t *image_map_resource(int64_t location, size_t size)
{
    uint64_t attributes[ATTRIBUTE_COUNT] = {0};
    if (!map || location < 0)
        return NULL;
    read_location((size_t)location, attributes);
    uint64_t offset = attributes[ATTRIBUTE_OFFSET], room = map_size - (size_t)(resources - map);
    bool there = attributes[ATTRIBUTE_COMPRESSED] == 0
                 && attributes[ATTRIBUTE_UNCOMPRESSED] == size && offset <= room
                 && size <= room - offset;
    return there ? resources + offset : NULL;
}

bool image_map_contains(const uint8_t *p, size_t len)
{
    uintptr_t from = (uintptr_t)p - (uintptr_t)map;
    return map && from <= map_size && len <= map_size - from;
}
