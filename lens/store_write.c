// SPDX-License-Identifier: Apache-2.0
// Writes recordings (store.h). One thread. A block is on the way to the disk when store_write returns: a front that is killed loses
// nothing that it had received.
#define _GNU_SOURCE
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define LEVEL             3
#define LEAST_TO_COMPRESS 128
#define INDEX_MOST        32768 // entries

typedef struct IndexEntry {
    uint64_t offset, time;
    uint8_t type;
} IndexEntry;

_Static_assert(INDEX_MOST % 2 == 0, "the block behind a full index is one of the thinner one");
_Static_assert(INDEX_MOST * 22 + 5 <= LENS_MAX_PAYLOAD, "an index is one block");

struct StoreWriter {
    int fd;
    int error; // errno of the write that failed, or 0
    char *path;
    uint64_t bytes;
    ZSTD_CCtx *zstd;
    uint8_t *packed;
    size_t packed_room;
    ARRAY(IndexEntry) index; // of each index_step-th block
    uint64_t blocks, index_step;
};

static bool write_all(int fd, const void *data, size_t length)
{
    for (const uint8_t *p = data; length > 0;) {
        ssize_t n = write(fd, p, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        length -= (size_t)n;
    }
    return true;
}

static void append(StoreWriter *store, const void *data, size_t length)
{
    assert(store->fd >= 0);
    if (store->error == 0 && !write_all(store->fd, data, length))
        store->error = errno ? errno : EIO;
    if (store->error == 0)
        store->bytes += length;
}

StoreWriter *store_create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    StoreWriter *store = mem_new(1, sizeof *store);
    store->fd = fd;
    store->path = mem_text(path, strlen(path));
    store->index_step = 1;
    store->zstd = ZSTD_createCCtx();
    store->packed_room = ZSTD_compressBound(LENS_MAX_PAYLOAD);
    store->packed = mem_new(store->packed_room, 1);
    append(store, LENS_FILE_MAGIC, 8);
    return store;
}

static void append_block(StoreWriter *store, const LensBlock *block, const uint8_t *payload)
{
    struct {
        LensBlock block;
        uint8_t payload[4096];
    } both;
    both.block = *block;
    if (block->length > sizeof both.payload) {
        append(store, block, sizeof *block);
        append(store, payload, block->length);
        return;
    }
    memcpy(both.payload, payload, block->length);
    append(store, &both, sizeof *block + block->length);
}

// Every second entry goes: a session may run for months.
static void thin_index(StoreWriter *store)
{
    assert(store->index.count == INDEX_MOST);
    store->index.count /= 2;
    for (uint32_t i = 0; i < store->index.count; i++)
        store->index.at[i] = store->index.at[2 * i];
    store->index_step *= 2;
}

static void note_block(StoreWriter *store, const LensBlock *block)
{
    if (store->blocks++ % store->index_step != 0)
        return;
    if (store->index.count == INDEX_MOST)
        thin_index(store);
    *ARRAY_PUSH(&store->index) =
        (IndexEntry){.offset = store->bytes, .time = block->time, .type = block->type};
}

void store_write(StoreWriter *store, const LensBlock *block, const uint8_t *payload)
{
    assert(block->length <= LENS_MAX_PAYLOAD && (block->length == 0 || payload != NULL));
    LensBlock head = *block;
    note_block(store, block);
    if (block->length >= LEAST_TO_COMPRESS && !(block->flags & LENS_COMPRESSED)) {
        size_t size = ZSTD_compressCCtx(store->zstd, store->packed, store->packed_room, payload,
                                        block->length, LEVEL);
        if (!ZSTD_isError(size) && size < block->length) {
            head.length = (uint32_t)size;
            head.flags |= LENS_COMPRESSED;
            head.crc = crc32c(store->packed, size);
            payload = store->packed;
        }
    }
    append_block(store, &head, payload);
}

uint64_t store_bytes(const StoreWriter *store)
{
    return store->bytes;
}

const char *store_failed(const StoreWriter *store)
{
    return store->error ? strerror(store->error) : NULL;
}

const char *store_path(const StoreWriter *store)
{
    return store->path;
}

static void write_index(StoreWriter *store, int fd)
{
    Bytes payload = {0};
    bytes_u(&payload, store->index.count);
    for (uint32_t i = 0; i < store->index.count; i++) {
        bytes_u(&payload, store->index.at[i].offset);
        bytes_u(&payload, store->index.at[i].type);
        bytes_u(&payload, store->index.at[i].time);
    }
    LensBlock block = wire_block(LENS_INDEX, 0, payload.at, payload.length);
    assert(payload.length <= LENS_MAX_PAYLOAD);
    if (write_all(fd, &block, sizeof block))
        (void)!write_all(fd, payload.at, payload.length);
    bytes_free(&payload);
}

static bool copy_bytes(int from, int to, uint64_t length)
{
    char buffer[65536];
    for (uint64_t at = 0; at < length;) {
        ssize_t n = pread(from, buffer,
                          sizeof buffer < length - at ? sizeof buffer : length - at, (off_t)at);
        if (n <= 0 || !write_all(to, buffer, (size_t)n))
            return false;
        at += (uint64_t)n;
    }
    return true;
}

bool store_copy(StoreWriter *store, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool good = copy_bytes(store->fd, fd, store->bytes);
    if (good)
        write_index(store, fd);
    int error = errno;
    if (close(fd) != 0)
        return false;
    errno = error;
    return good;
}

void store_close(StoreWriter *store)
{
    if (store->error == 0)
        write_index(store, store->fd);
    close(store->fd);
    ZSTD_freeCCtx(store->zstd);
    free(store->packed);
    free(store->index.at);
    free(store->path);
    free(store);
}
