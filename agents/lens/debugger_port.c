// SPDX-License-Identifier: Apache-2.0
// A transport of the JDWP back end (jdwpTransport.h): one debugger at a time, on 127.0.0.1.
//
// The back end calls StartListening, then Accept in a thread of its own, ReadPacket in another, and
// WritePacket from any. Whether there is a port is decided elsewhere, so Accept waits until there is
// one, and never ends with an error: the back end would end the process. `lock` guards the
// descriptors; they are closed by who uses them, others only shut them down.
#define _GNU_SOURCE
#include "debugger.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <jdwpTransport.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HANDSHAKE_MS = 5000, LOOK_MS = 200, PACKET_MAX = 256 << 20 };
static const char hello[] = "JDWP-Handshake";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER; // packets do not mix
static int listener = -1, connection = -1;
static jdwpTransportCallback callbacks;

// ---- the port ----

int lens_debugger_open(int port)
{
    assert(port >= 0 && port <= UINT16_MAX);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, 1) != 0
        || getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    lens_debugger_close();
    pthread_mutex_lock(&lock);
    listener = fd;
    pthread_mutex_unlock(&lock);
    return ntohs(address.sin_port);
}

void lens_debugger_close(void)
{
    pthread_mutex_lock(&lock);
    if (listener >= 0)
        close(listener); // Accept only polls it under the lock
    listener = -1;
    if (connection >= 0)
        (void)shutdown(connection,
                       SHUT_RDWR); // ReadPacket sees the end, and the back end closes it
    pthread_mutex_unlock(&lock);
}

// ---- bytes ----

static bool read_all(int fd, void *bytes, size_t len)
{
    for (uint8_t *at = bytes; len;) {
        ssize_t n = recv(fd, at, len, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static bool write_all(int fd, const void *bytes, size_t len)
{
    for (const uint8_t *at = bytes; len;) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static uint32_t get_4(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put_4(uint8_t *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (24 - 8 * i));
}

// ---- connecting ----

// A connection that waits at the port; -1: none for a while.
static int take_connection(void)
{
    int fd = -1;
    pthread_mutex_lock(&lock);
    struct pollfd p = {listener, POLLIN, 0};
    if (listener >= 0 && poll(&p, 1, 0) > 0)
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    pthread_mutex_unlock(&lock);
    if (fd < 0)
        (void)usleep(LOOK_MS * 1000);
    return fd;
}

// Debugger and back end say the same word. Who does not in time is no debugger.
static bool shake_hands(int fd)
{
    char said[sizeof hello - 1];
    struct timeval patience = {HANDSHAKE_MS / 1000, 0}, none = {0};
    int on = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool ok = read_all(fd, said, sizeof said) && memcmp(said, hello, sizeof said) == 0
              && write_all(fd, hello, sizeof said);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return ok;
}

// Whether the port is still open: then the connection is the debugger's.
static bool keep_connection(int fd)
{
    assert(fd >= 0);
    pthread_mutex_lock(&lock);
    bool is_open = listener >= 0;
    if (is_open)
        connection = fd;
    pthread_mutex_unlock(&lock);
    return is_open;
}

static jdwpTransportError JNICALL transport_accept(jdwpTransportEnv *env, jlong timeout,
                                                   jlong handshake_timeout)
{
    (void)env, (void)timeout, (void)handshake_timeout;
    for (;;) {
        int fd = take_connection();
        if (fd < 0)
            continue;
        if (shake_hands(fd) && keep_connection(fd))
            return JDWPTRANSPORT_ERROR_NONE;
        close(fd);
    }
}

static int current(void)
{
    pthread_mutex_lock(&lock);
    int fd = connection;
    pthread_mutex_unlock(&lock);
    return fd;
}

static jboolean JNICALL transport_is_open(jdwpTransportEnv *env)
{
    (void)env;
    return current() >= 0;
}

static jdwpTransportError JNICALL transport_close(jdwpTransportEnv *env)
{
    (void)env;
    pthread_mutex_lock(&lock);
    int fd = connection;
    connection = -1;
    pthread_mutex_unlock(&lock);
    if (fd >= 0) {
        (void)shutdown(fd, SHUT_RDWR); // who still reads from it sees the end
        close(fd);
    }
    return JDWPTRANSPORT_ERROR_NONE;
}

// ---- packets ----

static jdwpTransportError JNICALL transport_read(jdwpTransportEnv *env, jdwpPacket *packet)
{
    uint8_t head[JDWP_HEADER_SIZE];
    int fd = current();
    (void)env;
    memset(packet, 0, sizeof *packet); // length 0: the end
    if (fd < 0 || !read_all(fd, head, sizeof head))
        return JDWPTRANSPORT_ERROR_NONE;
    uint32_t len = get_4(head);
    if (len < JDWP_HEADER_SIZE || len > PACKET_MAX)
        return JDWPTRANSPORT_ERROR_IO_ERROR;
    packet->type.cmd.id = (jint)get_4(head + 4);
    packet->type.cmd.flags = (jbyte)head[8];
    if (head[8] & JDWPTRANSPORT_FLAGS_REPLY) {
        packet->type.reply.errorCode = (jshort)(head[9] << 8 | head[10]);
    } else {
        packet->type.cmd.cmdSet = (jbyte)head[9];
        packet->type.cmd.cmd = (jbyte)head[10];
    }
    size_t data_len = len - JDWP_HEADER_SIZE;
    if (data_len) {
        packet->type.cmd.data = callbacks.alloc((jint)data_len);
        if (!packet->type.cmd.data)
            return JDWPTRANSPORT_ERROR_OUT_OF_MEMORY;
        if (!read_all(fd, packet->type.cmd.data, data_len)) {
            callbacks.free(packet->type.cmd.data);
            packet->type.cmd.data = NULL;
            return JDWPTRANSPORT_ERROR_NONE;
        }
    }
    packet->type.cmd.len = (jint)len;
    return JDWPTRANSPORT_ERROR_NONE;
}

static jdwpTransportError JNICALL transport_write(jdwpTransportEnv *env,
                                                  const jdwpPacket *packet)
{
    uint8_t head[JDWP_HEADER_SIZE];
    uint32_t len = (uint32_t)packet->type.cmd.len;
    (void)env;
    if (len < JDWP_HEADER_SIZE)
        return JDWPTRANSPORT_ERROR_ILLEGAL_ARGUMENT;
    put_4(head, len);
    put_4(head + 4, (uint32_t)packet->type.cmd.id);
    head[8] = (uint8_t)packet->type.cmd.flags;
    if (head[8] & JDWPTRANSPORT_FLAGS_REPLY) {
        head[9] = (uint8_t)(packet->type.reply.errorCode >> 8);
        head[10] = (uint8_t)packet->type.reply.errorCode;
    } else {
        head[9] = (uint8_t)packet->type.cmd.cmdSet;
        head[10] = (uint8_t)packet->type.cmd.cmd;
    }
    pthread_mutex_lock(&write_lock);
    int fd = current();
    bool ok = fd >= 0 && write_all(fd, head, sizeof head)
              && write_all(fd, packet->type.cmd.data, len - JDWP_HEADER_SIZE);
    pthread_mutex_unlock(&write_lock);
    return ok ? JDWPTRANSPORT_ERROR_NONE : JDWPTRANSPORT_ERROR_IO_ERROR;
}

// ---- the table ----

static jdwpTransportError JNICALL transport_capabilities(jdwpTransportEnv *env,
                                                         JDWPTransportCapabilities *out)
{
    (void)env;
    memset(out, 0, sizeof *out);
    return JDWPTRANSPORT_ERROR_NONE;
}

static jdwpTransportError JNICALL transport_attach(jdwpTransportEnv *env, const char *address,
                                                   jlong timeout, jlong handshake_timeout)
{
    (void)env, (void)address, (void)timeout, (void)handshake_timeout;
    return JDWPTRANSPORT_ERROR_ILLEGAL_STATE; // it listens only
}

static jdwpTransportError JNICALL transport_listen(jdwpTransportEnv *env, const char *address,
                                                   char **actual)
{
    static const char name[] = "lens";
    (void)env, (void)address;
    *actual = callbacks.alloc(sizeof name);
    if (!*actual)
        return JDWPTRANSPORT_ERROR_OUT_OF_MEMORY;
    memcpy(*actual, name, sizeof name);
    return JDWPTRANSPORT_ERROR_NONE;
}

static jdwpTransportError JNICALL transport_stop(jdwpTransportEnv *env)
{
    (void)env;
    return JDWPTRANSPORT_ERROR_NONE;
}

static jdwpTransportError JNICALL transport_error(jdwpTransportEnv *env, char **text)
{
    (void)env;
    *text = NULL;
    return JDWPTRANSPORT_ERROR_MSG_NOT_AVAILABLE;
}

static jdwpTransportError JNICALL transport_configure(jdwpTransportEnv *env,
                                                      jdwpTransportConfiguration *config)
{
    (void)env, (void)config;
    return JDWPTRANSPORT_ERROR_NONE;
}

static const struct jdwpTransportNativeInterface_ table = {
    NULL,           transport_capabilities, transport_attach,  transport_listen,
    transport_stop, transport_accept,       transport_is_open, transport_close,
    transport_read, transport_write,        transport_error,   transport_configure,
};

JNIEXPORT jint JNICALL jdwpTransport_OnLoad(JavaVM *vm, jdwpTransportCallback *callback,
                                            jint version, jdwpTransportEnv **env);
JNIEXPORT jint JNICALL jdwpTransport_OnLoad(JavaVM *vm, jdwpTransportCallback *callback,
                                            jint version, jdwpTransportEnv **env)
{
    static jdwpTransportEnv transport = &table;
    (void)vm;
    if (version != JDWPTRANSPORT_VERSION_1_0 && version != JDWPTRANSPORT_VERSION_1_1)
        return JNI_EVERSION;
    callbacks = *callback;
    *env = &transport;
    return JNI_OK;
}
