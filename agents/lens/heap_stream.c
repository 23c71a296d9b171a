// SPDX-License-Identifier: Apache-2.0
// Writing a heap walk: a buffer, and a descriptor that may be slow, full or closed at its other end.
#include "heap.h"

#include "expr.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 2000,
    STEP_MS = 50
}; // for a reader that does not read, while the program stands

// A write to a pipe or socket must not wait for its reader: poll does, for a time.
static void never_wait(int fd)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

bool heap_stream_open(HeapStream *s, int fd, bool keeps_pieces, const _Atomic bool *stopping)
{
    *s = (HeapStream){.fd = fd, .stopping = stopping};
    never_wait(fd);
    s->buffer = s->at = malloc(HEAP_BUFFER);
    if (!s->buffer)
        return false;
    s->limit = s->buffer + HEAP_BUFFER - HEAP_RECORD_MAX;
    s->pieces_cap = keeps_pieces ? 256 : 0;
    s->pieces = keeps_pieces ? malloc(s->pieces_cap * sizeof *s->pieces) : NULL;
    return !keeps_pieces || s->pieces;
}

void heap_stream_close(HeapStream *s)
{
    free(s->buffer);
    free(s->pieces);
    s->buffer = NULL;
    s->pieces = NULL;
}

static void end_stream(HeapStream *s, HeapEnd end, const char *why)
{
    s->end = end;
    snprintf(s->why, sizeof s->why, "%s", why);
}

// Waits until the descriptor takes more; false when the reader does not read or the order ends.
static bool wait_for_room(HeapStream *s)
{
    struct pollfd p = {s->fd, POLLOUT, 0};
    for (int waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
        if (*s->stopping)
            return false;
        if (poll(&p, 1, STEP_MS) > 0)
            return true;
    }
    return false;
}

// write without a SIGPIPE: the thread is the VM's, and what it does with that signal is not ours.
static ssize_t write_quietly(int fd, const void *bytes, size_t len)
{
    sigset_t pipe_only, before, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t n = write(fd, bytes, len);
    int error = errno;
    if (n < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
        (void)sigtimedwait(&pipe_only, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return n;
}

static bool write_all(HeapStream *s, const uint8_t *at, size_t len)
{
    while (len) {
        ssize_t n = wait_for_room(s) ? write_quietly(s->fd, at, len) : 0;
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        } else if (n == 0) {
            end_stream(s, HEAP_STOPPED, *s->stopping ? "stopped" : "nobody reads the walk");
            return false;
        } else if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
            end_stream(s, HEAP_DISK_FULL, strerror(errno));
            return false;
        } else if (errno != EINTR && errno != EAGAIN) {
            end_stream(s, HEAP_STOPPED, strerror(errno));
            return false;
        }
    }
    return true;
}

static bool keep_piece(HeapStream *s, size_t len)
{
    assert(len <= HEAP_BUFFER);
    if (!s->pieces_cap)
        return true;
    if (s->pieces_len == s->pieces_cap) {
        uint32_t *grown = realloc(s->pieces, 2 * s->pieces_cap * sizeof *grown);
        if (!grown) {
            end_stream(s, HEAP_STOPPED, "no memory left");
            return false;
        }
        s->pieces = grown;
        s->pieces_cap *= 2;
    }
    s->pieces[s->pieces_len++] = (uint32_t)len;
    return true;
}

bool heap_stream_flush(HeapStream *s)
{
    assert(s->at >= s->buffer && s->at <= s->buffer + HEAP_BUFFER);
    size_t len = (size_t)(s->at - s->buffer);
    s->at = s->buffer;
    if (s->end != HEAP_WHOLE)
        return false;
    if (*s->stopping) {
        end_stream(s, HEAP_STOPPED, "stopped");
        return false;
    }
    return len == 0 || (write_all(s, s->buffer, len) && keep_piece(s, len));
}

void heap_put_bytes(HeapStream *s, const void *bytes, size_t len)
{
    assert(len <= HEAP_ARRAY_BYTES);
    memcpy(s->at, bytes, len);
    s->at += len;
}

void heap_put_s(HeapStream *s, const char *utf8)
{
    size_t len = strlen(utf8);
    if (len > HEAP_STRING_CHARS)
        for (len = HEAP_STRING_CHARS; len && ((uint8_t)utf8[len] & 0xc0) == 0x80; len--)
            ;
    heap_put_u(s, len);
    heap_put_bytes(s, utf8, len);
}

void heap_put_chars(HeapStream *s, const jchar *chars, size_t len)
{
    char text[HEAP_STRING_CHARS * 3];
    size_t most = len < HEAP_STRING_CHARS ? len : HEAP_STRING_CHARS;
    size_t bytes = expr_utf8(text, sizeof text, chars, most);
    heap_put_u(s, bytes);
    heap_put_bytes(s, text, bytes);
}
