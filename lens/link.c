// SPDX-License-Identifier: Apache-2.0
// The connection to an agent (link.h). One thread, the loop's. What comes in is hostile: a length is looked at before memory is
// taken, and a block whose checksum is wrong ends the connection, as its definitions may be lost.
#define _GNU_SOURCE
#include "link.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READ_AT_ONCE (4u << 20) // bytes in one turn of the loop, so that HTTP gets its share
#define MAX_QUEUED   (8u << 20)

typedef struct Outgoing {
    struct Outgoing *next;
    int fd; // goes with the first byte; -1: none
    size_t length, sent;
    uint8_t bytes[];
} Outgoing;

struct Link {
    int fd;
    Process process;
    LinkEvents events;
    struct event *readable, *writable, *beat;
    uint8_t *in;
    size_t have, room;
    Outgoing *out, **out_end;
    size_t queued;
    uint32_t sequence;
    bool is_closing;
};

char *link_socket_path(const Process *process)
{
    char inside[128];
    snprintf(inside, sizeof inside, LENS_SOCKET_FORMAT, process->uid, process->inner_pid,
             (unsigned long long)process->start);
    return process_path(process, inside);
}

static void fail(Link *link, const char *why)
{
    if (link->is_closing)
        return;
    link->is_closing = true;
    link->events.closed(link->events.context, why);
    link_close(link);
}

// Gives whole blocks on. False: the link is gone.
static bool take_blocks(Link *link)
{
    size_t at = 0;
    while (link->have - at >= sizeof(LensBlock)) {
        LensBlock block;
        memcpy(&block, link->in + at, sizeof block);
        const char *why = wire_block_refused(&block);
        if (why != NULL)
            return fail(link, why), false;
        if (link->have - at - sizeof block < block.length)
            break;
        const uint8_t *payload = link->in + at + sizeof block;
        if (block.flags != 0 || !wire_block_whole(&block, payload))
            return fail(link, "a block's checksum is wrong"), false;
        link->events.block(link->events.context, &block, payload);
        if (link->is_closing)
            return false;
        at += sizeof block + block.length;
    }
    assert(at <= link->have);
    memmove(link->in, link->in + at, link->have - at);
    link->have -= at;
    return true;
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
    Link *link = context;
    (void)what;
    for (size_t total = 0; total < READ_AT_ONCE;) {
        assert(link->have < link->room); // a whole block was taken before
        ssize_t n = read(fd, link->in + link->have, link->room - link->have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            fail(link, n < 0 ? strerror(errno) : NULL);
            return;
        }
        link->have += (size_t)n;
        total += (size_t)n;
        if (!take_blocks(link))
            return;
    }
}

static ssize_t send_piece(Link *link, Outgoing *piece)
{
    assert(piece->sent < piece->length);
    struct iovec io = {piece->bytes + piece->sent, piece->length - piece->sent};
    struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    if (piece->fd >= 0 && piece->sent == 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.room;
        control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &piece->fd, sizeof(int));
    }
    return sendmsg(link->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void drop_first(Link *link)
{
    Outgoing *piece = link->out;
    assert(piece != NULL && link->queued >= piece->length);
    link->out = piece->next;
    if (link->out == NULL)
        link->out_end = &link->out;
    link->queued -= piece->length;
    if (piece->fd >= 0)
        close(piece->fd);
    free(piece);
}

static void flush(Link *link)
{
    while (link->out != NULL) {
        ssize_t n = send_piece(link, link->out);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) { // an error other than "later" is met by the reader, too
            if (errno == EAGAIN)
                event_add(link->writable, NULL);
            return;
        }
        link->out->sent += (size_t)n;
        if (link->out->sent == link->out->length)
            drop_first(link);
    }
}

static void on_writable(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    flush(context);
}

static void send_block(Link *link, LensBlockType type, const void *payload, size_t length,
                       int fd)
{
    assert(!link->is_closing && (length == 0 || payload != NULL));
    LensBlock block = wire_block(type, clock_monotonic(), payload, length);
    if (length > LENS_MAX_PAYLOAD || link->queued + length > MAX_QUEUED) {
        if (fd >= 0)
            close(fd);
        return;
    }
    block.sequence = link->sequence++;
    Outgoing *piece = mem_new(1, sizeof *piece + sizeof block + length);
    piece->fd = fd;
    piece->length = sizeof block + length;
    memcpy(piece->bytes, &block, sizeof block);
    if (length != 0)
        memcpy(piece->bytes + sizeof block, payload, length);
    *link->out_end = piece;
    link->out_end = &piece->next;
    link->queued += piece->length;
    flush(link);
}

static void on_beat(evutil_socket_t fd, short what, void *context)
{
    Link *link = context;
    (void)fd, (void)what;
    if (!process_is(&link->process))
        fail(link, NULL);
    else
        send_block(link, LENS_PING, NULL, 0, -1);
}

static int connect_socket(const Process *process)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer;
    socklen_t length = sizeof peer;
    char *path = link_socket_path(process);
    text_copy(address.sun_path, sizeof address.sun_path, path);
    bool fits = strlen(path) < sizeof address.sun_path;
    free(path);
    int fd = fits ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return -1;
    bool good = connect(fd, (struct sockaddr *)&address, sizeof address) == 0
                && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0;
    if (good && peer.uid != process->uid) {
        errno = EACCES; // another user made a socket of that name
        good = false;
    }
    if (good)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

Link *link_open(struct event_base *base, const Process *process, const LinkEvents *events)
{
    assert(events->block != NULL && events->closed != NULL);
    int fd = connect_socket(process);
    if (fd < 0)
        return NULL;
    evutil_make_socket_nonblocking(fd);
    Link *link = mem_new(1, sizeof *link);
    link->fd = fd;
    link->process = *process;
    link->events = *events;
    link->out_end = &link->out;
    link->room = 2 * (LENS_MAX_PAYLOAD + sizeof(LensBlock));
    link->in = mem_resize(NULL, link->room, 1);
    link->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, link);
    link->writable = event_new(base, fd, EV_WRITE, on_writable, link);
    link->beat = event_new(base, -1, EV_PERSIST, on_beat, link);
    event_add(link->readable, NULL);
    event_add(link->beat, &(struct timeval){2, 0});
    return link;
}

void link_order(Link *link, uint64_t id, const char *verb, const LinkPair *pairs,
                uint32_t count, int fd)
{
    assert(count == 0 || pairs != NULL);
    Bytes payload = {0};
    bytes_u(&payload, id);
    bytes_s(&payload, verb);
    bytes_u(&payload, count);
    for (uint32_t i = 0; i < count; i++) {
        bytes_s(&payload, pairs[i].name);
        bytes_s(&payload, pairs[i].value);
    }
    send_block(link, LENS_ORDER, payload.at, payload.length, fd);
    bytes_free(&payload);
}

void link_close(Link *link)
{
    if (link == NULL)
        return;
    link->is_closing = true;
    event_free(link->readable);
    event_free(link->writable);
    event_free(link->beat);
    while (link->out != NULL)
        drop_first(link);
    close(link->fd);
    assert(link->queued == 0);
    free(link->in);
    free(link);
}
