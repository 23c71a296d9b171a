// SPDX-License-Identifier: Apache-2.0
// Reading a file through a window, varints, and unpacking gzip into a file without a name. Files are read, not mapped: one that
// is cut short meanwhile ends early instead of killing the process, and a large one takes no memory.
#define _GNU_SOURCE // O_TMPFILE, mkostemp
#include "heap_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { UNPACK_BUFFER = 1 << 20 };
#define DEFAULT_UNPACKED (64ull << 30)

bool heap_reader_init(HeapReader *r, int fd, size_t capacity)
{
    assert(fd >= 0 && capacity > 0);
    *r = (HeapReader){
        .fd = fd, .capacity = capacity, .buffer = calloc(1, capacity + HEAP_PADDING)};
    return r->buffer != NULL;
}

void heap_reader_free(HeapReader *r)
{
    free(r->buffer);
    *r = (HeapReader){.fd = -1};
}

void heap_reader_seek(HeapReader *r, uint64_t at)
{
    ASSERT_WINDOW(r);
    if (at >= r->base && at - r->base <= r->len) {
        r->pos = (size_t)(at - r->base);
        return;
    }
    r->base = at;
    r->len = r->pos = 0;
    memset(r->buffer, 0, HEAP_PADDING);
}

static bool make_room(HeapReader *r, size_t n)
{
    if (r->pos > 0 && r->pos + n > r->capacity) {
        r->len -= r->pos;
        memmove(r->buffer, r->buffer + r->pos, r->len);
        r->base += r->pos;
        r->pos = 0;
    }
    if (n <= r->capacity)
        return true;
    uint8_t *bigger = n > HEAP_MAX_RECORD ? NULL : realloc(r->buffer, n + HEAP_PADDING);
    if (bigger == NULL)
        return false;
    r->buffer = bigger;
    r->capacity = n;
    return true;
}

size_t heap_reader_need(HeapReader *r, size_t n)
{
    ASSERT_WINDOW(r);
    if (r->len - r->pos >= n || !make_room(r, n))
        return r->len - r->pos;
    while (r->len - r->pos < n) {
        ssize_t got =
            pread(r->fd, r->buffer + r->len, r->capacity - r->len, (off_t)(r->base + r->len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            r->failed = errno;
        if (got <= 0)
            break;
        r->len += (size_t)got;
    }
    assert(r->len <= r->capacity); // so that the padding is behind it
    memset(r->buffer + r->len, 0, HEAP_PADDING);
    return r->len - r->pos;
}

uint64_t heap_file_size(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 && s.st_size > 0 ? (uint64_t)s.st_size : 0;
}

uint64_t heap_varint_long(HeapCursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = *c->p++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return v;
    }
    c->bad = true;
    return 0;
}

// ---- gzip ------------------------------------------------------------------------------------------------------------

static int open_nameless(const char *folder)
{
    if (folder == NULL)
        folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == 0)
        folder = "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    char path[PATH_MAX]; // a file system that has no files without a name
    if (snprintf(path, sizeof(path), "%s/lens-heap-XXXXXX", folder) >= (int)sizeof(path))
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static bool write_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t done = write(fd, bytes, len);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            bytes += done;
            len -= (size_t)done;
        }
    }
    return true;
}

// Unpacks all members. What is damaged ends it: what came before is used.
static bool unpack_stream(HeapReader *in, int out, uint8_t *buffer, HeapLoad *load)
{
    uint64_t limit =
        load->options->max_unpacked != 0 ? load->options->max_unpacked : DEFAULT_UNPACKED;
    uint64_t size = heap_file_size(in->fd), written = 0;
    z_stream z = {0};
    int state = Z_OK;
    bool ok = true;
    if (inflateInit2(&z, 15 + 32) != Z_OK)
        return heap_fail_memory(load->error);
    while (ok) {
        z.next_in = in->buffer + in->pos;
        z.avail_in = (uInt)heap_reader_need(in, 1);
        if (z.avail_in == 0)
            break;
        z.next_in = in->buffer + in->pos;
        z.next_out = buffer;
        z.avail_out = UNPACK_BUFFER;
        state = inflate(&z, Z_NO_FLUSH);
        in->pos = (size_t)(z.next_in - in->buffer);
        ASSERT_WINDOW(in);
        size_t got = UNPACK_BUFFER - z.avail_out;
        written += got;
        if (written > limit)
            ok = heap_fail(load->error, "The file is larger than %llu MB when it is unpacked.",
                           (unsigned long long)(limit >> 20));
        else if (!write_all(out, buffer, got))
            ok = heap_fail(load->error, "The unpacked file cannot be written: %s.",
                           strerror(errno));
        else if (state == Z_STREAM_END)
            inflateReset(&z);
        else if (state != Z_OK)
            break;
        ok = ok && heap_report(load, heap_reader_at(in), size);
    }
    inflateEnd(&z);
    if (ok && state != Z_STREAM_END)
        heap_lost(load->g, "The gzip file is damaged or ends too early. ");
    return ok;
}

int heap_unpack(int fd, HeapLoad *load)
{
    HeapReader in;
    uint8_t *buffer = malloc(UNPACK_BUFFER);
    int out = open_nameless(load->options->temp_folder);
    bool ok = heap_reader_init(&in, fd, UNPACK_BUFFER) && buffer != NULL;
    if (!ok)
        heap_fail_memory(load->error);
    else if (out < 0)
        ok = heap_fail(load->error, "No file can be made to unpack into: %s.", strerror(errno));
    heap_phase(load, "unpacking", 0, 200);
    ok = ok && unpack_stream(&in, out, buffer, load);
    heap_reader_free(&in);
    free(buffer);
    if (!ok && out >= 0)
        close(out);
    return ok ? out : -1;
}
