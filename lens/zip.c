// SPDX-License-Identifier: Apache-2.0
// Reads one file out of a zip (zip.h): the central directory is read whole, then one entry. No zip64, no encryption.
#define _GNU_SOURCE
#include "zip.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_DIRECTORY (64u << 20)
#define END_SIZE      22u
#define ENTRY_SIZE    46u
#define LOCAL_SIZE    30u
#define MAX_COMMENT   65535u

static uint32_t u2(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u4(const uint8_t *p)
{
    return u2(p) | u2(p + 2) << 16;
}

static bool read_at(int fd, uint64_t offset, void *to, size_t length)
{
    assert(fd >= 0);
    for (uint8_t *p = to; length > 0;) {
        ssize_t n = pread(fd, p, length, (off_t)offset);
        if (n <= 0)
            return false;
        p += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return true;
}

// The central directory; NULL: there is none.
static uint8_t *read_directory(int fd, uint64_t size, size_t *length)
{
    size_t tail = size < END_SIZE + MAX_COMMENT ? (size_t)size : END_SIZE + MAX_COMMENT;
    uint8_t *end = mem_new(tail + 1, 1), *directory = NULL;
    if (tail >= END_SIZE && read_at(fd, size - tail, end, tail)) {
        for (size_t at = tail - END_SIZE + 1; at-- > 0 && directory == NULL;) {
            uint64_t offset = u4(end + at + 16);
            if (u4(end + at) != 0x06054b50)
                continue;
            *length = u4(end + at + 12);
            if (*length > MAX_DIRECTORY || offset + *length > size)
                break;
            directory = mem_new(*length + 1, 1);
            if (!read_at(fd, offset, directory, *length)) {
                free(directory);
                directory = NULL;
                break;
            }
        }
    }
    free(end);
    return directory;
}

static bool is_named(const uint8_t *entry, size_t length, const char *name)
{
    size_t wanted = strlen(name);
    const char *text = (const char *)entry;
    if (length < wanted || memcmp(text + length - wanted, name, wanted) != 0)
        return false;
    return length == wanted || text[length - wanted - 1] == '/';
}

// The entry in the directory; NULL: none.
static const uint8_t *find_entry(const uint8_t *directory, size_t length, const char *name)
{
    for (size_t at = 0; length - at >= ENTRY_SIZE;) {
        const uint8_t *e = directory + at;
        assert(at <= length);
        size_t name_length = u2(e + 28),
               whole = ENTRY_SIZE + name_length + u2(e + 30) + u2(e + 32);
        if (u4(e) != 0x02014b50 || whole > length - at)
            return NULL;
        if (is_named(e + ENTRY_SIZE, name_length, name))
            return e;
        at += whole;
    }
    return NULL;
}

static bool inflate_into(const uint8_t *packed, size_t packed_length, char *to, size_t length)
{
    assert(packed_length <= UINT32_MAX && length <= UINT32_MAX);
    z_stream z = {.next_in = (Bytef *)packed,
                  .avail_in = (uInt)packed_length,
                  .next_out = (Bytef *)to,
                  .avail_out = (uInt)length};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return false;
    int result = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return result == Z_STREAM_END && z.total_out == length;
}

static char *read_entry(int fd, uint64_t file_size, const uint8_t *e, size_t most,
                        size_t *length)
{
    uint8_t local[LOCAL_SIZE];
    uint32_t method = u2(e + 10), packed_length = u4(e + 20);
    uint64_t offset = u4(e + 42);
    *length = u4(e + 24);
    if (*length > most || packed_length > most || !read_at(fd, offset, local, sizeof local)
        || u4(local) != 0x04034b50)
        return NULL;
    offset += LOCAL_SIZE + u2(local + 26) + u2(local + 28);
    if (offset + packed_length > file_size)
        return NULL;
    uint8_t *packed = mem_new(packed_length + 1u, 1);
    char *text = mem_new(*length + 1, 1);
    bool good = read_at(fd, offset, packed, packed_length);
    if (good && method == 8)
        good = inflate_into(packed, packed_length, text, *length);
    else if (good && method == 0 && packed_length == *length)
        memcpy(text, packed, *length);
    else
        good = false;
    free(packed);
    if (!good) {
        free(text);
        return NULL;
    }
    return text;
}

char *zip_read(const char *path, const char *name, size_t most, size_t *length, char *found)
{
    assert(name[0] != 0 && found != NULL);
    struct stat st;
    char *text = NULL;
    size_t directory_length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    uint8_t *directory = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
                             ? read_directory(fd, (uint64_t)st.st_size, &directory_length)
                             : NULL;
    const uint8_t *e = directory ? find_entry(directory, directory_length, name) : NULL;
    if (e != NULL) {
        size_t name_length = u2(e + 28) < 511 ? u2(e + 28) : 511;
        memcpy(found, e + ENTRY_SIZE, name_length);
        found[name_length] = 0;
        text = read_entry(fd, (uint64_t)st.st_size, e, most, length);
    }
    free(directory);
    close(fd);
    return text;
}
