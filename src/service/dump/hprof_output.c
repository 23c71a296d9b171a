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

// ---- packing: each buffer becomes a member of the file, which whole files are made of in both formats ----

typedef struct HprofPacker {
    // Packs `len` bytes into `out`: how many, or 0 and *why.
    size_t (*pack)(struct HprofPacker *p, char *in, size_t len, const char **why);
    const void *library_function;
    int level;
    bool begun;
    size_t out_len, tmp_len;
    char *out, *tmp;
} HprofPacker;

// ---- gzip, by the JDK's libzip ----

typedef const char *(*GzipInit)(size_t in_len, size_t *out_len, size_t *tmp_len, int level);
typedef size_t (*GzipFully)(char *in, size_t in_len, char *out, size_t out_len, char *tmp,
                            size_t tmp_len, int level, char *comment, const char **why);

static size_t pack_gzip(HprofPacker *p, char *in, size_t len, const char **why)
{
    // the comment says to readers that seek how much of the dump a member holds
    char comment[64] = "HPROF BLOCKSIZE=1048576";
    GzipFully compress = (GzipFully)(uintptr_t)p->library_function;
    return compress(in, len, p->out, p->out_len, p->tmp, p->tmp_len, p->level,
                    p->begun ? NULL : comment, why);
}

static const char *begin_gzip(HprofPacker *p)
{
    char error[256];
    char *path = vm_asprintf("%s/libzip.so", vm_options.library_dir);
    void *library = os_library_open(path, error, sizeof error);
    vm_free(path);
    GzipInit init = library ? (GzipInit)os_library_find(library, "ZIP_GZip_InitParams") : NULL;
    p->pack = pack_gzip;
    p->library_function = library ? os_library_find(library, "ZIP_GZip_Fully") : NULL;
    return init && p->library_function ? init(BUFFER_SIZE, &p->out_len, &p->tmp_len, p->level)
                                       : "Cannot get ZIP_GZip_InitParams function";
}

// ---- zstd, by the system's library ----

typedef size_t (*ZstdCompress)(void *out, size_t out_len, const void *in, size_t len,
                               int level);

static size_t pack_zstd(HprofPacker *p, char *in, size_t len, const char **why)
{
    ZstdCompress compress = (ZstdCompress)(uintptr_t)p->library_function;
    size_t n = compress(p->out, p->out_len, in, len, p->level);
    if (n > p->out_len) // an error's code
        *why = "libzstd cannot compress";
    return n > p->out_len ? 0 : n;
}

static const char *begin_zstd(HprofPacker *p)
{
    enum { ROOM = 1 << 16 }; // more than what does not shrink grows by
    char error[256];
    void *library = os_library_open("libzstd.so.1", error, sizeof error);
    p->pack = pack_zstd;
    p->library_function = library ? os_library_find(library, "ZSTD_compress") : NULL;
    p->out_len = BUFFER_SIZE + ROOM;
    return p->library_function ? NULL : "libzstd.so.1 is not there: install libzstd1";
}

static HprofPacker *packer_new(HprofPacking how, int level, const char **why)
{
    HprofPacker *p = vm_calloc(1, sizeof *p);
    p->level = level;
    *why = how == HPROF_GZIP ? begin_gzip(p) : begin_zstd(p);
    if (*why) {
        vm_free(p);
        return NULL;
    }
    p->out = vm_malloc(p->out_len);
    p->tmp = vm_malloc(p->tmp_len + 1);
    return p;
}

static void packer_free(HprofPacker *p)
{
    if (!p)
        return;
    vm_free(p->out);
    vm_free(p->tmp);
    vm_free(p);
}

// ---- the file ----

static void hold(HprofOutput *out, const char *p, size_t len)
{
    if (out->held_cap - out->held_len < len) {
        size_t cap = MAX_OF(2 * out->held_cap, out->held_len + len);
        char *grown = vm_realloc_or_null(out->held, cap);
        if (!grown) {
            out->error = ENOMEM;
            return;
        }
        out->held = grown;
        out->held_cap = cap;
    }
    memcpy(out->held + out->held_len, p, len);
    out->held_len += len;
}

static void write_raw(HprofOutput *out, const char *p, size_t len)
{
    if (out->holds && len > 0 && !out->error)
        hold(out, p, len);
    if (out->holds)
        return;
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

void hprof_hold(HprofOutput *out)
{
    out->holds = true;
}

void hprof_release(HprofOutput *out)
{
    out->holds = false;
    write_raw(out, out->held, out->held_len);
    out->held_len = 0;
}

void hprof_flush(HprofOutput *out)
{
    HprofPacker *p = out->packer;
    if (!p) {
        write_raw(out, out->buffer, out->len);
    } else if (out->len > 0) {
        const char *why = NULL;
        size_t n = p->pack(p, out->buffer, out->len, &why);
        p->begun = true;
        if (why && !out->error)
            out->error = EIO;
        write_raw(out, p->out, why ? 0 : n);
    }
    out->len = 0;
}

// A descriptor that is given stays open when ours is closed.
static int open_target(const HprofTarget *t)
{
    if (!t->path)
        return fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
    return open(t->path, O_RDWR | O_CREAT | O_CLOEXEC | (t->overwrite ? O_TRUNC : O_EXCL),
                0600);
}

bool hprof_open(HprofOutput *out, const HprofTarget *target, const char **why)
{
    *out = (HprofOutput){.fd = -1};
    *why = NULL;
    if (target->packing != HPROF_PLAIN
        && !(out->packer = packer_new(target->packing, target->level, why)))
        return false;
    out->fd = open_target(target);
    if (out->fd < 0) {
        out->error = errno;
        packer_free(out->packer);
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
    packer_free(out->packer);
    vm_free(out->buffer);
    vm_free(out->held);
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
