// SPDX-License-Identifier: Apache-2.0
// Reads recordings (store.h), in pieces and never by a mapping: a file that is cut off meanwhile would raise SIGBUS.
#define _GNU_SOURCE
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define MAX_DAMAGED 1000 // then the rest is given up: each costs a checksum of up to 1 MB

typedef struct Reading {
    StoreEach *each;
    void *context;
    StoreReport *report;
    ZSTD_DCtx *zstd;
    uint8_t *plain; // LENS_MAX_PAYLOAD bytes
    bool stopped;
} Reading;

// Gives a block on, uncompressed. False: it is damaged.
static bool give(Reading *r, const LensBlock *block, const uint8_t *payload)
{
    LensBlock head = *block;
    if (!wire_block_whole(block, payload))
        return false;
    if (block->flags & LENS_COMPRESSED) {
        size_t size =
            ZSTD_decompressDCtx(r->zstd, r->plain, LENS_MAX_PAYLOAD, payload, block->length);
        if (ZSTD_isError(size))
            return false;
        assert(size <= LENS_MAX_PAYLOAD);
        head.length = (uint32_t)size;
        head.flags &= (uint8_t)~LENS_COMPRESSED;
        head.crc = 0;
        payload = r->plain;
    }
    r->report->blocks++;
    r->report->whole = block->type == LENS_INDEX;
    if (block->type != LENS_INDEX && !r->each(r->context, &head, payload))
        r->stopped = true;
    return true;
}

// Takes what is whole in `data`; gives how many bytes are done. The rest is a block that is not there whole yet.
static size_t take_blocks(Reading *r, const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (!r->stopped && size - at >= sizeof(LensBlock)) {
        LensBlock block;
        memcpy(&block, data + at, sizeof block);
        if (wire_block_refused(&block) != NULL) {
            at++;
            r->report->skipped++;
            continue;
        }
        if (size - at - sizeof block < block.length)
            break;
        if (give(r, &block, data + at + sizeof block)) {
            at += sizeof block + block.length;
        } else {
            r->stopped = ++r->report->damaged >= MAX_DAMAGED;
            r->report->skipped++;
            at++;
        }
    }
    assert(at <= size);
    return at;
}

// The end of the data: a header whose length reaches beyond it may be damage, with whole blocks behind.
static void take_rest(Reading *r, const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (!r->stopped && at < size) {
        at += take_blocks(r, data + at, size - at);
        if (at < size) {
            at++;
            r->report->skipped++;
        }
    }
}

static void begin(Reading *r, StoreEach *each, void *context, StoreReport *report)
{
    *report = (StoreReport){0};
    *r = (Reading){.each = each, .context = context, .report = report};
    r->zstd = ZSTD_createDCtx();
    r->plain = mem_new(LENS_MAX_PAYLOAD, 1);
}

static void finish(Reading *r)
{
    ZSTD_freeDCtx(r->zstd);
    free(r->plain);
}

static size_t magic_length(const uint8_t *data, size_t size)
{
    return size >= 8 && memcmp(data, LENS_FILE_MAGIC, 8) == 0 ? 8 : 0;
}

bool store_read_memory(const uint8_t *data, size_t size, StoreEach *each, void *context,
                       StoreReport *report)
{
    Reading r;
    begin(&r, each, context, report);
    report->bytes = size;
    size_t magic = magic_length(data, size);
    take_rest(&r, data + magic, size - magic);
    finish(&r);
    return magic != 0 || report->blocks != 0;
}

// Reads in pieces: the buffer holds two of the largest blocks, what is left over moves to its front.
static const char *read_pieces(Reading *r, int fd)
{
    size_t room = 2 * (LENS_MAX_PAYLOAD + sizeof(LensBlock)), have = 0;
    uint8_t *buffer = mem_new(room, 1);
    bool first = true;
    const char *error = NULL;
    while (!r->stopped) {
        assert(have < room); // what is left is less than a block
        ssize_t n = read(fd, buffer + have, room - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            error = strerror(errno);
        if (n <= 0)
            break;
        r->report->bytes += (uint64_t)n;
        have += (size_t)n;
        if (first && have < 8)
            continue;
        size_t done = first ? magic_length(buffer, have) : 0;
        first = false;
        done += take_blocks(r, buffer + done, have - done);
        assert(done <= have);
        memmove(buffer, buffer + done, have - done);
        have -= done;
    }
    take_rest(r, buffer, have);
    free(buffer);
    return error;
}

const char *store_read_file(const char *path, StoreEach *each, void *context,
                            StoreReport *report)
{
    *report = (StoreReport){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return strerror(errno);
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return "it is not a plain file";
    }
    Reading r;
    begin(&r, each, context, report);
    const char *error = read_pieces(&r, fd);
    finish(&r);
    close(fd);
    if (error == NULL && report->blocks == 0)
        error = "it is not a Lens recording (no block of one is in it)";
    return error;
}
