// SPDX-License-Identifier: Apache-2.0
// See hprof_output.h. A segment states its length before its contents: it is gathered in the
// buffer, its length written in at its end; a piece larger than the buffer is a segment of its own.
#include "service/dump/hprof_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "options/options.h"
#include "platform/platform.h"

enum { BUFFER_SIZE = 1 << 20, RECORD_HEAD = 9, LENGTH_AT = 5 };

// ---- gzip, by the JDK's libzip: each buffer becomes a member of the file ----

typedef const char *(*GzipInit)(size_t in_len, size_t *out_len, size_t *tmp_len, int level);
typedef size_t (*GzipFully)(char *in, size_t in_len, char *out, size_t out_len, char *tmp,
                            size_t tmp_len, int level, char *comment, const char **why);
typedef struct HprofGzip {
    GzipFully compress;
    int level;
    bool begun;
    size_t out_len, tmp_len;
    char *out, *tmp;
} HprofGzip;

static HprofGzip *gzip_new(int level, const char **why)
{
    char error[256];
    char *path = vm_asprintf("%s/libzip.so", vm_options.library_dir);
    void *library = os_library_open(path, error, sizeof error);
    vm_free(path);
    GzipInit init = library ? (GzipInit)os_library_find(library, "ZIP_GZip_InitParams") : NULL;
    HprofGzip *g = vm_calloc(1, sizeof *g);
    g->level = level;
    g->compress = library ? (GzipFully)os_library_find(library, "ZIP_GZip_Fully") : NULL;
    *why = init && g->compress ? init(BUFFER_SIZE, &g->out_len, &g->tmp_len, level)
                               : "Cannot get ZIP_GZip_InitParams function";
    if (*why) {
        vm_free(g);
        return NULL;
    }
    g->out = vm_malloc(g->out_len);
    g->tmp = vm_malloc(g->tmp_len);
    return g;
}

static void gzip_free(HprofGzip *g)
{
    if (!g)
        return;
    vm_free(g->out);
    vm_free(g->tmp);
    vm_free(g);
}

// ---- the file ----

static void write_raw(HprofOutput *out, const char *p, size_t len)
{
    while (len > 0 && !out->error) {
        ssize_t n = write(out->fd, p, len);
        if (n < 0 && errno != EINTR)
            out->error = errno;
        if (n <= 0)
            continue;
        p += n;
        len -= (size_t)n;
        out->written += (uint64_t)n;
    }
}

void hprof_flush(HprofOutput *out)
{
    HprofGzip *g = out->gzip;
    if (!g) {
        write_raw(out, out->buffer, out->len);
    } else if (out->len > 0) {
        const char *why = NULL;
        // the comment says to readers that seek how much of the dump a member holds
        char comment[64] = "HPROF BLOCKSIZE=1048576";
        size_t n = g->compress(out->buffer, out->len, g->out, g->out_len, g->tmp, g->tmp_len,
                               g->level, g->begun ? NULL : comment, &why);
        g->begun = true;
        if (why && !out->error)
            out->error = EIO;
        write_raw(out, g->out, why ? 0 : n);
    }
    out->len = 0;
}

bool hprof_open(HprofOutput *out, const char *path, bool overwrite, int gzip, const char **why)
{
    *out = (HprofOutput){.fd = -1};
    *why = NULL;
    if (gzip && !(out->gzip = gzip_new(gzip, why)))
        return false;
    out->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), 0600);
    if (out->fd < 0) {
        out->error = errno;
        gzip_free(out->gzip);
        return false;
    }
    out->buffer = vm_malloc(BUFFER_SIZE);
    return true;
}

bool hprof_close(HprofOutput *out)
{
    hprof_flush(out);
    if (close(out->fd) != 0 && !out->error)
        out->error = errno;
    gzip_free(out->gzip);
    vm_free(out->buffer);
    return out->error == 0;
}

// ---- numbers ----

void hprof_bytes(HprofOutput *out, const void *bytes, size_t len)
{
    const char *p = bytes;
    while (len > 0) {
        if (out->len == BUFFER_SIZE)
            hprof_flush(out);
        size_t n = MIN_OF(len, BUFFER_SIZE - out->len);
        memcpy(out->buffer + out->len, p, n);
        out->len += n;
        p += n;
        len -= n;
    }
}

void hprof_u1(HprofOutput *out, uint8_t v)
{
    hprof_bytes(out, &v, sizeof v);
}
void hprof_u2(HprofOutput *out, uint16_t v)
{
    v = __builtin_bswap16(v);
    hprof_bytes(out, &v, sizeof v);
}
void hprof_u4(HprofOutput *out, uint32_t v)
{
    v = __builtin_bswap32(v);
    hprof_bytes(out, &v, sizeof v);
}
void hprof_u8(HprofOutput *out, uint64_t v)
{
    v = __builtin_bswap64(v);
    hprof_bytes(out, &v, sizeof v);
}

// ---- records ----

void hprof_record(HprofOutput *out, uint8_t tag, uint32_t len)
{
    hprof_u1(out, tag);
    hprof_u4(out, 0); // microseconds since the dump began
    hprof_u4(out, len);
}

static void segment_end(HprofOutput *out)
{
    if (!out->in_segment)
        return;
    uint32_t len = __builtin_bswap32((uint32_t)(out->len - RECORD_HEAD));
    memcpy(out->buffer + LENGTH_AT, &len, sizeof len);
    out->in_segment = false;
    hprof_flush(out);
}

void hprof_piece(HprofOutput *out, uint8_t tag, uint64_t size)
{
    if (out->in_segment && size > BUFFER_SIZE - out->len)
        segment_end(out);
    if (!out->in_segment) {
        hprof_flush(out);
        hprof_record(out, HPROF_HEAP_SEGMENT, (uint32_t)size);
        out->in_segment = size <= BUFFER_SIZE - RECORD_HEAD; // else it is alone in this one
    }
    hprof_u1(out, tag);
}

void hprof_end_heap(HprofOutput *out)
{
    segment_end(out);
    hprof_flush(out);
    hprof_record(out, HPROF_HEAP_END, 0);
}
