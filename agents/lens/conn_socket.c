// SPDX-License-Identifier: Apache-2.0
// The socket at which fronts come: made in a folder of the user's own, for the user and root
// alone. All of the agent's thread, but lens_connections_forked.
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 8, READ_AT_ONCE = 64 << 10 };

static int listener = -1;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

// Field 22 of /proc/self/stat: when the process began, in clock ticks. The name in field 2 may
// hold anything.
unsigned long long lens_start_ticks(void)
{
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[len > 0 ? len : 0] = '\0';
    const char *p = strrchr(text, ')');
    for (int field = 2; p != NULL && field < 22; field++) {
        p = strchr(p + 1, ' ');
    }
    return p != NULL ? strtoull(p, NULL, 10) : 0;
}

// The folder must be ours and closed to others: below /tmp anybody may have made it.
static bool make_folder(void)
{
    char folder[64];
    snprintf(folder, sizeof folder, LENS_SOCKET_FOLDER_FORMAT, (unsigned)geteuid());
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        agent_message("%s: %s", folder, strerror(errno));
        return false;
    }
    struct stat st;
    if (lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()
        || (st.st_mode & 077) != 0) {
        agent_message("%s is not a folder that only this user may enter: no front can connect",
                      folder);
        return false;
    }
    return true;
}

static bool listen_at(const char *path)
{
    unlink(path);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0
        || chmod(path, 0600) != 0 || listen(listener, BACKLOG) != 0) {
        agent_message("%s: %s: no front can connect", path, strerror(errno));
        return false;
    }
    return true;
}

bool lens_socket_open(void)
{
    ASSERT_AGENT_THREAD();
    if (listener >= 0 && access(address.sun_path, F_OK) == 0) {
        return true;
    }
    lens_socket_close();
    snprintf(address.sun_path, sizeof address.sun_path, LENS_SOCKET_FORMAT, (unsigned)geteuid(),
             (int)getpid(), lens_start_ticks());
    listener =
        make_folder() ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (listener >= 0 && !listen_at(address.sun_path)) {
        close(listener);
        listener = -1;
    }
    return listener >= 0;
}

void lens_socket_close(void)
{
    ASSERT_AGENT_THREAD();
    if (listener >= 0) {
        close(listener);
        listener = -1;
        unlink(address.sun_path);
    }
}

int lens_socket_fd(void)
{
    return listener;
}

static bool is_welcome(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0
           && (peer.uid == geteuid() || peer.uid == 0);
}

LensConnection *lens_socket_accept(void)
{
    ASSERT_AGENT_THREAD();
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        return NULL;
    }
    LensConnection *c = is_welcome(fd) ? lens_connection_new(fd, NULL) : NULL;
    if (c == NULL) {
        close(fd);
    }
    return c;
}

// ---- reading ----

// Keeps the last descriptor that came: it belongs to the next order.
static void keep_descriptor(LensConnection *c, struct msghdr *message)
{
    for (struct cmsghdr *m = CMSG_FIRSTHDR(message); m != NULL; m = CMSG_NXTHDR(message, m)) {
        if (m->cmsg_level != SOL_SOCKET || m->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t n = (m->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(m) + i * sizeof fd, sizeof fd);
            if (c->descriptor >= 0) {
                close(c->descriptor);
            }
            c->descriptor = fd;
        }
    }
}

static ssize_t receive(LensConnection *c)
{
    uint8_t bytes[READ_AT_ONCE];
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(4 * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = sizeof bytes};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(c->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n > 0) {
        keep_descriptor(c, &message);
        lens_buffer_bytes(&c->in, bytes, (size_t)n);
    }
    return n;
}

// Handles the blocks that are whole. False where what came is none.
static bool take_blocks(LensConnection *c, JNIEnv *jni)
{
    size_t at = 0;
    LensBlock block;
    while (c->in.len - at >= sizeof block) {
        memcpy(&block, c->in.bytes + at, sizeof block);
        if (block.magic != LENS_MAGIC || block.length > LENS_MAX_PAYLOAD) {
            return false;
        }
        if (c->in.len - at - sizeof block < block.length) {
            break;
        }
        const uint8_t *payload = c->in.bytes + at + sizeof block;
        if (lens_crc(payload, block.length) != block.crc) {
            return false;
        }
        if (block.type == LENS_ORDER) {
            lens_order_arrives(c, &(LensReader){.at = payload, .end = payload + block.length},
                               jni);
        }
        at += sizeof block + block.length;
    }
    assert(at <= c->in.len);
    memmove(c->in.bytes, c->in.bytes + at, c->in.len - at);
    c->in.len -= at;
    return true;
}

bool lens_connection_read(LensConnection *c, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    assert(!c->is_file);
    ssize_t n = receive(c);
    if (n < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    }
    c->heard = lens_now();
    return n > 0 && !c->in.failed && take_blocks(c, jni);
}

void lens_connections_forked(void)
{
    if (listener >= 0) {
        close(listener);
        listener = -1;
    }
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        if (lens_connections[i] != NULL) {
            close(lens_connections[i]->fd);
        }
    }
}
