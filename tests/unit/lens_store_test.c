// SPDX-License-Identifier: Apache-2.0
// Recordings: the index at their end.
#define _GNU_SOURCE
#include "store.h"
#include "vmtest.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Reading {
    uint64_t blocks, entries, wrong;
} Reading;

// Entries of an index, and how many of them do not name the block that they point at.
static void read_index(const uint8_t *data, size_t size, const LensBlock *index,
                       const uint8_t *payload, Reading *r)
{
    Wire wire = {.at = payload, .end = payload + index->length};
    for (uint64_t n = wire_u(&wire); n > 0; n--) {
        LensBlock block = {0};
        uint64_t offset = wire_u(&wire), type = wire_u(&wire), time = wire_u(&wire);
        if (offset <= size - sizeof block)
            memcpy(&block, data + offset, sizeof block);
        r->wrong += block.magic != LENS_MAGIC || block.type != type || block.time != time;
        r->entries++;
    }
    r->wrong += wire.bad || wire_more(&wire);
}

static Reading read_all(const char *path)
{
    Reading r = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = (size_t)lseek(fd, 0, SEEK_END);
    const uint8_t *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    for (size_t at = 8; at < size;) {
        LensBlock block;
        memcpy(&block, data + at, sizeof block);
        at += sizeof block;
        if (block.type == LENS_INDEX)
            read_index(data, size, &block, data + at, &r);
        else
            r.blocks++;
        at += block.length;
    }
    munmap((void *)data, size);
    close(fd);
    return r;
}

static Reading record(uint64_t blocks)
{
    char path[] = "/tmp/lens_store_XXXXXX";
    close(mkstemp(path));
    StoreWriter *store = store_create(path);
    for (uint64_t i = 1; i <= blocks; i++) {
        LensBlock block = wire_block(i % 2 ? LENS_GC : LENS_CLOCK, i, "", 0);
        store_write(store, &block, (const uint8_t *)"");
    }
    EXPECT(store_failed(store) == NULL);
    store_close(store);
    Reading r = read_all(path);
    unlink(path);
    return r;
}

TEST(an_index_names_each_block)
{
    Reading r = record(1000);
    EXPECT_INT(1000, r.blocks);
    EXPECT_INT(1000, r.entries);
    EXPECT_INT(0, r.wrong);
}

TEST(an_index_of_many_blocks_does_not_grow)
{
    Reading r = record(200000);
    EXPECT_INT(200000, r.blocks);
    EXPECT_INT(0, r.wrong);
    EXPECT(r.entries > 10000 && r.entries < 40000);
}
