// SPDX-License-Identifier: Apache-2.0
// A connection: a front at a socket, or a file of record=. What it is told is put together
// here: definitions first, then the records that name them, then blocks. A front that reads
// slowly loses records (counted); answers and definitions wait for it.
//
// Its `lock` guards all that is written: the agent's thread and workers write. Locks of
// definitions are taken under it, nothing else.
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    OUT_MOST = 4 << 20,    // bytes that wait for a slow front: beyond it records are dropped
    BLOCK_GOOD = 64 << 10, // a payload that is sent without waiting for more
    DEFS_MOST = 512 << 10,
    INDEX_MOST = 50000 // entries that surely fit into one payload
};

LensConnection *lens_connections[LENS_CONNECTIONS];

static LensConnection **free_place(void)
{
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        if (lens_connections[i] == NULL) {
            return &lens_connections[i];
        }
    }
    return NULL;
}

LensConnection *lens_connection_new(int fd, const char *path)
{
    ASSERT_AGENT_THREAD();
    assert(fd >= 0);
    LensConnection **place = free_place();
    LensConnection *c = place != NULL ? agent_alloc(sizeof *c) : NULL;
    char *copy = path != NULL ? strdup(path) : NULL;
    if (c == NULL || (path != NULL && copy == NULL)) {
        free(c);
        return NULL;
    }
    c->fd = fd;
    c->is_file = path != NULL;
    c->path = copy;
    c->descriptor = -1;
    c->index_step = 1;
    c->heard = c->wrote = lens_now();
    pthread_mutex_init(&c->lock, NULL);
    *place = c;
    return c;
}

// ---- bytes to a file or a socket, under the lock ----

// Writes all of it; false when the disk is full or the like.
static bool write_whole(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static void put_bytes(LensConnection *c, const void *bytes, size_t len)
{
    c->position += len;
    if (!c->is_file) {
        lens_buffer_bytes(&c->out, bytes, len);
        c->is_broken |= c->out.failed;
    } else if (!c->is_broken && !write_whole(c->fd, bytes, len)) {
        agent_message("%s: %s: recording ends here", c->path, strerror(errno));
        c->is_broken = true;
    }
}

// Leaves every second entry: a recording of days has no more of them than one of an hour.
static void thin_index(LensConnection *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->index_len; i += 2) {
        c->index[kept++] = c->index[i];
    }
    c->index_len = kept;
    c->index_step *= 2;
}

static void remember_block(LensConnection *c, const LensBlock *block)
{
    assert(c->index_len <= c->index_cap && c->index_len <= INDEX_MOST);
    if (block->sequence % c->index_step != 0) {
        return; // such a block is found by reading the file
    }
    if (c->index_len == INDEX_MOST) {
        thin_index(c);
    }
    if (c->index_len == c->index_cap) {
        size_t cap = c->index_cap == 0 ? 256 : c->index_cap * 2;
        LensIndexEntry *index = realloc(c->index, cap * sizeof *index);
        if (index == NULL) {
            return;
        }
        c->index = index;
        c->index_cap = cap;
    }
    c->index[c->index_len++] =
        (LensIndexEntry){.offset = c->position, .time = block->time, .type = block->type};
}

static void put_block(LensConnection *c, unsigned type, uint16_t source, uint64_t time,
                      uint32_t lost, const void *payload, size_t len)
{
    LensBlock block = {.magic = LENS_MAGIC,
                       .length = (uint32_t)len,
                       .type = (uint8_t)type,
                       .source = source,
                       .sequence = c->sequence++,
                       .time = time,
                       .crc = lens_crc(payload, len),
                       .lost = lost};
    if (c->is_file) {
        remember_block(c, &block);
    }
    put_bytes(c, &block, sizeof block);
    put_bytes(c, payload, len);
}

// Makes room of what has gone: a front that always leaves a little would let it grow for ever.
// What is moved is seldom more than has gone since the last time.
static void drop_written(LensConnection *c)
{
    ASSERT_HELD(&c->lock);
    assert(c->out_at <= c->out.len);
    if (c->out_at == c->out.len) {
        lens_buffer_free(&c->out);
        c->out_at = 0;
        c->wrote = lens_now();
    } else if (c->out_at >= OUT_MOST) {
        c->out.len -= c->out_at;
        memmove(c->out.bytes, c->out.bytes + c->out_at, c->out.len);
        c->out_at = 0;
    }
}

bool lens_connection_write(LensConnection *c)
{
    if (c->is_file) {
        return !c->is_broken;
    }
    pthread_mutex_lock(&c->lock);
    while (c->out_at < c->out.len) {
        ssize_t n = send(c->fd, c->out.bytes + c->out_at, c->out.len - c->out_at,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            c->is_broken |= errno != EAGAIN && errno != EWOULDBLOCK;
            break;
        }
        c->out_at += (size_t)n;
        c->wrote = lens_now();
    }
    drop_written(c);
    bool good = !c->is_broken;
    pthread_mutex_unlock(&c->lock);
    return good;
}

static bool has_room(const LensConnection *c)
{
    return c->is_file || c->out.len - c->out_at < OUT_MOST;
}

bool lens_connection_room(LensConnection *c)
{
    pthread_mutex_lock(&c->lock);
    bool room = has_room(c);
    pthread_mutex_unlock(&c->lock);
    return room;
}

// ---- definitions ----

static bool was_told(const LensBuffer *bits, uint32_t number)
{
    return number / 8 < bits->len && (bits->bytes[number / 8] >> number % 8 & 1) != 0;
}

static void mark_told(LensBuffer *bits, uint32_t number)
{
    static const uint8_t ZEROS[4096];
    while (bits->len <= number / 8 && !bits->failed) {
        lens_buffer_bytes(bits, ZEROS, sizeof ZEROS);
    }
    if (!bits->failed) {
        bits->bytes[number / 8] |= (uint8_t)(1u << number % 8);
    }
}

static void flush_defs(LensConnection *c)
{
    ASSERT_HELD(&c->lock);
    if (c->defs.len > 0) {
        put_block(c, LENS_DEFS, 0, lens_now(), 0, c->defs.bytes, c->defs.len);
        c->defs.len = 0;
    }
}

// Tells what it needs before itself. A stack may need 2,048 callers: they are told from the
// bottom, without recursion in C.
static void tell(LensConnection *c, uint32_t packed)
{
    ASSERT_HELD(&c->lock);
    assert(LENS_ID_NUMBER(packed) != 0);
    enum { DEEPEST = LENS_DEPTH + 64 };
    uint32_t *waiting = malloc(DEEPEST * sizeof *waiting);
    if (waiting == NULL) {
        return;
    }
    uint32_t len = 0;
    waiting[len++] = packed;
    while (len > 0) {
        uint32_t now = waiting[len - 1], needs[2] = {0};
        LensBuffer *told = &c->told[LENS_ID_KIND(now)];
        size_t before = c->defs.len;
        if (was_told(told, LENS_ID_NUMBER(now))
            || !lens_def_write(LENS_ID_KIND(now), LENS_ID_NUMBER(now), &c->defs, needs)) {
            len--;
            continue;
        }
        uint32_t more = 0;
        for (size_t i = 0; i < 2; i++) {
            if (needs[i] != 0 && len + more < DEEPEST
                && !was_told(&c->told[LENS_ID_KIND(needs[i])], LENS_ID_NUMBER(needs[i]))) {
                waiting[len + more++] = needs[i];
            }
        }
        if (more > 0) {
            c->defs.len = before; // once more, after them
            len += more;
            continue;
        }
        mark_told(told, LENS_ID_NUMBER(now));
        len--;
        if (c->defs.len > DEFS_MOST) {
            flush_defs(c);
        }
    }
    free(waiting);
}

void lens_connection_tell(LensConnection *c, uint32_t packed)
{
    pthread_mutex_lock(&c->lock);
    if (!was_told(&c->told[LENS_ID_KIND(packed)], LENS_ID_NUMBER(packed))) {
        tell(c, packed);
    }
    pthread_mutex_unlock(&c->lock);
}

static void tell_renamed(LensConnection *c)
{
    ASSERT_HELD(&c->lock);
    enum { AT_ONCE = 64 };
    uint32_t ids[AT_ONCE], n;
    while ((n = lens_thread_renamed_since(&c->renamed_seen, ids, AT_ONCE)) > 0) {
        for (uint32_t i = 0; i < n; i++) {
            if (was_told(&c->told[LENS_DEF_THREAD], ids[i])) {
                lens_def_write(LENS_DEF_THREAD, ids[i], &c->defs, (uint32_t[2]){0});
            }
        }
    }
}

// ---- records ----

static bool has_time(unsigned type)
{
    return ((1u << LENS_SAMPLES | 1u << LENS_METRICS | 1u << LENS_THREADS | 1u << LENS_ALLOCS
             | 1u << LENS_LOCKS | 1u << LENS_GC | 1u << LENS_EXCEPTIONS | 1u << LENS_WATCHES)
                >> type
            & 1)
           != 0;
}

static void flush_type(LensConnection *c, unsigned type, uint16_t source)
{
    ASSERT_HELD(&c->lock);
    LensPending *pending = &c->pending[type];
    flush_defs(c);
    put_block(c, type, source, pending->bytes.len > 0 ? pending->base : lens_now(),
              pending->lost, pending->bytes.bytes, pending->bytes.len);
    pending->bytes.len = 0;
    pending->lost = 0;
}

void lens_connection_add(LensConnection *c, uint16_t source, const LensRingRecord *record,
                         const uint32_t *ids, const uint8_t *bytes)
{
    ASSERT_AGENT_THREAD();
    assert(record->type < LENS_RAW_SAMPLE);
    pthread_mutex_lock(&c->lock);
    LensPending *pending = &c->pending[record->type];
    if (c->is_broken || !has_room(c) || pending->bytes.failed) {
        pending->lost++;
        pthread_mutex_unlock(&c->lock);
        return;
    }
    for (uint32_t i = 0; i < record->ids_len; i++) {
        if (!was_told(&c->told[LENS_ID_KIND(ids[i])], LENS_ID_NUMBER(ids[i]))) {
            tell(c, ids[i]);
        }
    }
    if (pending->bytes.len == 0) {
        pending->base = record->time;
    }
    if (has_time(record->type)) {
        lens_buffer_z(&pending->bytes, (int64_t)(record->time - pending->base));
    }
    lens_buffer_bytes(&pending->bytes, bytes, record->len);
    if (pending->bytes.len > BLOCK_GOOD) {
        flush_type(c, record->type, source);
    }
    pthread_mutex_unlock(&c->lock);
}

void lens_connection_flush(LensConnection *c, uint16_t source, const uint32_t lost[LENS_TYPES])
{
    ASSERT_AGENT_THREAD();
    pthread_mutex_lock(&c->lock);
    tell_renamed(c);
    for (unsigned type = 0; type < LENS_TYPES; type++) {
        if ((c->blocks >> type & 1) != 0) {
            c->pending[type].lost += lost[type];
        }
        if (c->pending[type].bytes.len > 0 || (c->pending[type].lost > 0 && has_room(c))) {
            flush_type(c, type, source);
        }
    }
    pthread_mutex_unlock(&c->lock);
}

bool lens_connection_block(LensConnection *c, LensBlockType type, const void *payload,
                           size_t len)
{
    pthread_mutex_lock(&c->lock);
    flush_defs(c);
    put_block(c, type, 0, lens_now(), 0, payload, len);
    bool good = !c->is_broken;
    pthread_mutex_unlock(&c->lock);
    return good;
}

// ---- begin and end ----

void lens_connection_hello(LensConnection *c)
{
    assert(c->position == 0); // it comes first
    LensBuffer hello = {0};
    lens_hello_write(&hello);
    if (c->is_file) {
        put_bytes(c, LENS_FILE_MAGIC, strlen(LENS_FILE_MAGIC));
    }
    lens_connection_block(c, LENS_HELLO, hello.bytes, hello.len);
    lens_buffer_free(&hello);
}

static void put_index(LensConnection *c)
{
    LensBuffer index = {0};
    lens_buffer_u(&index, c->index_len);
    for (size_t i = 0; i < c->index_len; i++) {
        lens_buffer_u(&index, c->index[i].offset);
        lens_buffer_u(&index, c->index[i].type);
        lens_buffer_u(&index, c->index[i].time);
    }
    if (!index.failed) {
        put_block(c, LENS_INDEX, 0, lens_now(), 0, index.bytes, index.len);
    }
    lens_buffer_free(&index);
}

// What a front has not taken yet; it gets half a second for it.
static void write_rest(LensConnection *c)
{
    uint64_t until = lens_now() + LENS_SECOND / 2;
    while (lens_connection_write(c) && c->out_at < c->out.len && lens_now() < until) {
        usleep(5000);
    }
}

void lens_connection_close(LensConnection *c, const char *bye)
{
    ASSERT_AGENT_THREAD();
    assert(c->blocks == 0); // no order is left
    if (bye != NULL && !c->is_broken) {
        LensBuffer text = {0};
        lens_buffer_text(&text, bye);
        lens_connection_block(c, LENS_BYE, text.bytes, text.len);
        lens_buffer_free(&text);
        if (c->is_file) {
            put_index(c);
        }
        write_rest(c);
    }
    close(c->fd);
    if (c->descriptor >= 0) {
        close(c->descriptor);
    }
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        if (lens_connections[i] == c) {
            lens_connections[i] = NULL;
        }
    }
    for (size_t i = 0; i < LENS_TYPES; i++) {
        lens_buffer_free(&c->pending[i].bytes);
    }
    for (size_t i = 0; i < LENS_KINDS; i++) {
        lens_buffer_free(&c->told[i]);
    }
    lens_buffer_free(&c->out);
    lens_buffer_free(&c->defs);
    lens_buffer_free(&c->in);
    pthread_mutex_destroy(&c->lock);
    free(c->index);
    free(c->path);
    free(c);
}
