// SPDX-License-Identifier: Apache-2.0
// The socket of the attach mechanism and its thread (see attach.h). One request at a time; a
// client that stalls is dropped after some seconds, so that it can't keep others out. The state
// is the Signal Dispatcher's and the starting thread's, under `lock`.
#define _GNU_SOURCE // struct ucred
#include "classlib/attach.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "classlib/attach_operations.h"
#include "options/options.h"
#include "runtime/java_thread.h"
#include "runtime/shutdown.h"

enum {
    TEXTS = 2 + ATTACH_ARGUMENTS, // protocol, command, arguments
    PROTOCOL_MAX = 8,             // bytes without the NUL
    COMMAND_MAX = 16,
    ARGUMENT_MAX = 1024,
    REQUEST_MAX = PROTOCOL_MAX + COMMAND_MAX + ATTACH_ARGUMENTS * ARGUMENT_MAX + TEXTS,
    BAD_PROTOCOL = 101, // the reply to another protocol than "1"
    BACKLOG = 5,
    PATIENCE_SECONDS = 10, // for a client to send its request
};

static Mutex lock = MUTEX_INIT(RANK_STARTUP);
static bool enabled, wanted; // `wanted`: a knock came before the VM was up
static _Atomic int listener = -1;
static struct sockaddr_un address;

// ---- the socket ----

void attach_init(void)
{
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", (int)getpid());
    struct stat s;
    if (lstat(address.sun_path, &s) == 0)
        unlink(address.sun_path);
}

static void remove_socket(Thread *self)
{
    (void)self;
    mutex_lock(&lock);
    enabled = false;
    if (atomic_load(&listener) >= 0)
        unlink(address.sun_path);
    mutex_unlock(&lock);
}

// A listening socket at a path that appears only when it can be used. -1 with errno.
static int open_socket(void)
{
    struct sockaddr_un first = address;
    snprintf(first.sun_path, sizeof first.sun_path, "/tmp/.java_pid%d.tmp", (int)getpid());
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    unlink(first.sun_path);
    mode_t mask = umask(0177);
    bool bound = bind(fd, (struct sockaddr *)&first, sizeof first) == 0;
    umask(mask);
    if (bound && listen(fd, BACKLOG) == 0 && chmod(first.sun_path, 0600) == 0
        && chown(first.sun_path, geteuid(), getegid()) == 0
        && rename(first.sun_path, address.sun_path) == 0)
        return fd;
    int why = errno;
    unlink(first.sun_path);
    close(fd);
    errno = why;
    return -1;
}

static bool is_ours(uid_t user)
{
    return user == geteuid() || user == 0;
}

// ---- requests ----

// Waits for a client that may speak to us.
static int accept_client(void)
{
    for (;;) {
        int from = atomic_load(&listener), fd = accept4(from, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            if (from != atomic_load(&listener))
                close(from); // replaced, and shut down for that
            else if (errno != EINTR && errno != ECONNABORTED)
                os_sleep_nanos(10 * 1000 * 1000); // out of files or memory: later perhaps
            continue;
        }
        struct ucred peer;
        socklen_t size = sizeof peer;
        struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && is_ours(peer.uid)
            && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0)
            return fd;
        close(fd);
    }
}

static void write_all(int fd, const char *s, size_t len)
{
    while (len) {
        ssize_t n = send(fd, s, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; // the client has gone
        s += n;
        len -= (size_t)n;
    }
}

// Whether the first text, if it is whole or already too long, is another protocol than ours.
static bool is_other_protocol(const char *buffer, size_t len)
{
    bool whole = memchr(buffer, '\0', len) != NULL;
    return whole ? strcmp(buffer, "1") != 0 : len > PROTOCOL_MAX;
}

// Splits what was read into its texts; their number.
static int split(char *buffer, size_t len, char *texts[TEXTS])
{
    int n = 0;
    for (char *p = buffer, *end; n < TEXTS && p < buffer + len; p = end + 1) {
        end = memchr(p, '\0', (size_t)(buffer + len - p));
        if (!end)
            break;
        texts[n++] = p;
    }
    return n;
}

// Reads a request. False when there is none: the client has gone, stalls, or sends what is no
// request.
static bool read_request(int fd, char buffer[REQUEST_MAX], char *texts[TEXTS])
{
    size_t len = 0;
    int64_t end = os_nanos() + PATIENCE_SECONDS * 1000000000ll;
    while (split(buffer, len, texts) < TEXTS) {
        ssize_t n = len < REQUEST_MAX && os_nanos() < end
                        ? recv(fd, buffer + len, REQUEST_MAX - len, 0)
                        : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        len += (size_t)n;
        if (is_other_protocol(buffer, len)) {
            char reply[16];
            snprintf(reply, sizeof reply, "%d\n", BAD_PROTOCOL);
            write_all(fd, reply, strlen(reply));
            return false;
        }
    }
    for (int i = 2; i < TEXTS; i++)
        if (strlen(texts[i]) > ARGUMENT_MAX)
            return false;
    return strlen(texts[1]) <= COMMAND_MAX;
}

// self is IN_VM.
static void serve(Thread *self, int fd, char *const texts[TEXTS])
{
    StrBuf out = {0};
    LOG(LOG_ATTACH, LOG_DEBUG, "executing command %s", texts[1]);
    int code = attach_run(self, texts[1], texts + 2, &out);
    char head[16];
    snprintf(head, sizeof head, "%d\n", code);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    write_all(fd, head, strlen(head));
    write_all(fd, out.s ? out.s : "", out.len);
    thread_enter_vm(self);
    sb_free(&out);
}

static void run_listener(Thread *self, void *arg)
{
    (void)arg;
    char buffer[REQUEST_MAX], *texts[TEXTS];
    for (;;) {
        thread_leave_vm(self, THREAD_WAITING);
        int fd = accept_client();
        bool asked = read_request(fd, buffer, texts);
        thread_enter_vm(self);
        if (asked) {
            HANDLE_SCOPE(self);
            serve(self, fd, texts);
        }
        thread_leave_vm(self, THREAD_IN_NATIVE);
        shutdown(fd, SHUT_RDWR);
        close(fd);
        thread_enter_vm(self);
    }
}

// ---- starting ----

// Opens the socket if it is not there (again, when somebody has removed it) and starts the
// thread, once. False, with the exception pending if Java said so, when that is not possible.
static bool start(Thread *self)
{
    mutex_lock(&lock);
    int old = atomic_load(&listener), fd = -1;
    bool there = old >= 0 && access(address.sun_path, F_OK) == 0;
    if (!there)
        fd = open_socket();
    int why = errno;
    if (fd >= 0) {
        atomic_store(&listener, fd);
        if (old >= 0)
            shutdown(old, SHUT_RDWR); // ends its accept
    }
    mutex_unlock(&lock);
    if (!there && fd < 0)
        vm_warning("no attach socket %s: %s", address.sun_path, strerror(why));
    return old >= 0 || fd < 0
           || java_thread_start_vm(self, "Attach Listener", 9, run_listener, NULL);
}

bool attach_enable(Thread *self)
{
    if (vm_options.disable_attach)
        return true;
    shutdown_add(remove_socket);
    mutex_lock(&lock);
    enabled = true;
    bool at_once = wanted || vm_options.start_attach_listener || vm_options.reduce_signals;
    mutex_unlock(&lock);
    return !at_once || start(self);
}

static bool is_knock(const char *folder)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "%s.attach_pid%d", folder, (int)getpid());
    return stat(path, &s) == 0 && is_ours(s.st_uid);
}

bool attach_knock(Thread *self)
{
    if (vm_options.disable_attach || (!is_knock("") && !is_knock("/tmp/")))
        return false;
    mutex_lock(&lock);
    bool now = enabled;
    wanted = true;
    mutex_unlock(&lock);
    if (now && !start(self))
        exception_print(self, exception_take(self), "Exception in Signal Dispatcher ");
    return true;
}
