// SPDX-License-Identifier: Apache-2.0
// The socket of the attach mechanism and its thread (see attach.h). The thread serves all clients
// by poll(): commands run one after another, requests come in and answers go out side by side,
// so that a client that stalls keeps nobody out. Each answer is made whole before it is sent: a
// command never waits for its client. A client that stalls is dropped in the end.
// `lock` guards the state of the mechanism; clients belong to the listener's thread alone.
#define _GNU_SOURCE // struct ucred, accept4
#include "service/attach/attach.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"
#include "java/exception.h"
#include "java/java_thread.h"
#include "java/shutdown.h"
#include "options/options.h"
#include "service/attach/attach_operations.h"

enum {
    TEXTS = 2 + ATTACH_ARGUMENTS, // protocol, command, arguments
    PROTOCOL_MAX = 8,             // bytes without the NUL
    COMMAND_MAX = 16,
    ARGUMENT_MAX = 1024,
    REQUEST_MAX = PROTOCOL_MAX + COMMAND_MAX + ATTACH_ARGUMENTS * ARGUMENT_MAX + TEXTS,
    BAD_PROTOCOL = 101, // the reply to another protocol than "1"
    BACKLOG = 64,
    CLIENTS_MAX = 64,          // served at a time; more wait in the backlog
    PATIENCE_SECONDS = 10,     // until its request is whole, or where others wait for its place
    READER_SECONDS = 600,      // with one that does not read on: its user may be reading
    CHECK_MILLISECONDS = 1000, // from one look for stalled clients to the next
};

typedef struct Client {
    int fd;
    int64_t moved; // when it came, or the last byte of its answer went, os_nanos()
    bool asked;    // the request is whole
    bool gone;     // to be swept
    size_t len;    // bytes of the request so far
    size_t sent;   // bytes of the answer that went out
    StrBuf answer;
    char request[REQUEST_MAX];
} Client;

typedef enum ListenerState {
    LISTENER_ABSENT,
    LISTENER_BEGINS, // somebody starts it, without `lock`
    LISTENER_RUNS,
} ListenerState;

static Mutex lock = MUTEX_INIT(RANK_STARTUP);
static bool enabled, wanted; // `wanted`: a trigger came before the VM was up
static ListenerState state;
static _Atomic int listener = -1; // written under `lock`, read by the thread without
static struct sockaddr_un address, unpublished;

// ---- the socket ----

void attach_init(void)
{
    address.sun_family = unpublished.sun_family = AF_UNIX;
    int pid = (int)getpid();
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", pid);
    snprintf(unpublished.sun_path, sizeof unpublished.sun_path, "/tmp/.java_pid%d.tmp", pid);
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

// A listening socket at the path where no client looks yet. -1 with errno.
static int open_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    unlink(unpublished.sun_path);
    if (bind(fd, (struct sockaddr *)&unpublished, sizeof unpublished) == 0
        && listen(fd, BACKLOG) == 0 && chmod(unpublished.sun_path, 0600) == 0
        && chown(unpublished.sun_path, geteuid(), getegid()) == 0)
        return fd;
    int why = errno;
    unlink(unpublished.sun_path);
    close(fd);
    errno = why;
    return -1;
}

static bool is_ours(uid_t user)
{
    return user == geteuid() || user == 0;
}

// ---- clients, on the listener's thread, which is outside the VM ----

static VEC(Client *) clients; // in the order in which they came

static void free_client(Client *c)
{
    shutdown(c->fd, SHUT_RDWR);
    close(c->fd);
    sb_free(&c->answer);
    vm_free(c);
}

static bool is_stalled(const Client *c, int64_t now)
{
    bool patient = c->asked && clients.len < CLIENTS_MAX;
    return now - c->moved > (patient ? READER_SECONDS : PATIENCE_SECONDS) * 1000000000ll;
}

// Frees those who have gone or stall.
static void sweep_clients(void)
{
    int64_t now = os_nanos();
    size_t kept = 0;
    for (size_t i = 0; i < clients.len; i++) {
        Client *c = clients.at[i];
        if (c->gone || is_stalled(c, now))
            free_client(c);
        else
            clients.at[kept++] = c;
    }
    clients.len = kept;
}

// Takes one more client, if it may speak to us.
static void accept_client(int from)
{
    int fd = accept4(from, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno != EINTR && errno != ECONNABORTED && errno != EAGAIN)
            os_sleep_nanos(10 * 1000 * 1000); // out of files or memory: later perhaps
        return;
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || !is_ours(peer.uid)) {
        close(fd);
        return;
    }
    Client *c = vm_calloc(1, sizeof *c);
    c->fd = fd;
    c->moved = os_nanos();
    vec_push(&clients, c);
}

// Whether the first text, if it is whole or already too long, is another protocol than ours.
static bool is_other_protocol(const char *buffer, size_t len)
{
    bool whole = memchr(buffer, '\0', len) != NULL;
    return whole ? strcmp(buffer, "1") != 0 : len > PROTOCOL_MAX;
}

// Finds the texts in what was read; their number.
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

static bool texts_fit(char *const texts[TEXTS])
{
    for (int i = 2; i < TEXTS; i++)
        if (strlen(texts[i]) > ARGUMENT_MAX)
            return false;
    return strlen(texts[1]) <= COMMAND_MAX;
}

static bool would_block(void)
{
    return errno == EINTR || errno == EAGAIN;
}

// Reads what has come of a request; `texts` are set when it is whole. False: the client has gone
// or sends what is no request.
static bool read_request(Client *c, char *texts[TEXTS])
{
    ssize_t n = recv(c->fd, c->request + c->len, REQUEST_MAX - c->len, 0);
    if (n <= 0)
        return n < 0 && would_block();
    c->len += (size_t)n;
    if (is_other_protocol(c->request, c->len)) {
        sb_printf(&c->answer, "%d\n", BAD_PROTOCOL);
        c->asked = true;
        return true;
    }
    if (split(c->request, c->len, texts) < TEXTS)
        return c->len < REQUEST_MAX;
    c->asked = true;
    return texts_fit(texts);
}

// Sends what the client takes of its answer. False: all has gone out, or the client has gone.
static bool write_answer(Client *c)
{
    ssize_t n = send(c->fd, c->answer.s + c->sent, c->answer.len - c->sent, MSG_NOSIGNAL);
    if (n < 0)
        return would_block();
    c->sent += (size_t)n;
    c->moved = os_nanos();
    return c->sent < c->answer.len;
}

// Moves on the clients whose sockets are ready. The first whose request is whole, with its texts;
// NULL when there is none yet.
static Client *move_clients(const struct pollfd *ready, char *texts[TEXTS])
{
    for (size_t i = 0; i < clients.len; i++) {
        Client *c = clients.at[i];
        VM_ASSERT(ready[i].fd == c->fd);
        if (!ready[i].revents)
            continue;
        c->gone = !(c->asked ? write_answer(c) : read_request(c, texts));
        if (!c->gone && c->asked && !c->answer.s) {
            c->moved = os_nanos(); // it is not swept meanwhile
            return c;
        }
    }
    return NULL;
}

// Serves the sockets until some client has sent a whole request: that client, with its texts.
static Client *await_request(char *texts[TEXTS])
{
    static int from = -1;
    for (;;) {
        if (from != atomic_load(&listener)) { // replaced, and shut down for that
            if (from >= 0)
                close(from);
            from = atomic_load(&listener);
        }
        struct pollfd ready[CLIENTS_MAX + 1];
        size_t n = clients.len;
        for (size_t i = 0; i < n; i++)
            ready[i] = (struct pollfd){.fd = clients.at[i]->fd,
                                       .events = clients.at[i]->asked ? POLLOUT : POLLIN};
        ready[n] = (struct pollfd){.fd = n < CLIENTS_MAX ? from : -1, .events = POLLIN};
        Client *asking = NULL;
        if (poll(ready, n + 1, n ? CHECK_MILLISECONDS : -1) > 0) {
            asking = move_clients(ready, texts);
            if (ready[n].revents)
                accept_client(from);
        }
        sweep_clients();
        if (asking)
            return asking;
    }
}

// ---- the thread ----

// Runs a command and makes its answer: the number, a newline, the text. self is IN_VM.
static void execute(Thread *self, Client *c, char *const texts[TEXTS])
{
    LOG(LOG_ATTACH, LOG_DEBUG, "executing command %s", texts[1]);
    int64_t start = os_nanos();
    int code = attach_run(self, texts[1], texts + 2, &c->answer);
    char first[16];
    size_t text_len = c->answer.len,
           first_len = (size_t)snprintf(first, sizeof first, "%d\n", code);
    sb_add(&c->answer, first); // room for it
    memmove(c->answer.s + first_len, c->answer.s, text_len);
    memcpy(c->answer.s, first, first_len);
    int64_t took = os_nanos() - start; // nobody was served
    for (size_t i = 0; i < clients.len; i++)
        clients.at[i]->moved += took;
}

static void run_listener(Thread *self, void *arg)
{
    (void)arg;
    for (;;) {
        char *texts[TEXTS];
        thread_leave_vm(self, THREAD_WAITING);
        Client *c = await_request(texts);
        thread_enter_vm(self);
        HANDLE_SCOPE(self);
        execute(self, c, texts);
    }
}

// ---- starting ----

// Opens a socket where none is published (yet, or any more: somebody cleaned /tmp). True when one
// is open now; `*fresh` says whether it is to be published. Under `lock`.
static bool prepare_socket(bool *fresh)
{
    VM_ASSERT(mutex_held(&lock));
    int old = atomic_load(&listener);
    *fresh = old < 0 || access(address.sun_path, F_OK) != 0;
    int fd = *fresh ? open_socket() : old;
    if (fd < 0) {
        vm_warning("no attach socket %s: %s", address.sun_path, strerror(errno));
        return false;
    }
    if (*fresh && old >= 0)
        shutdown(old, SHUT_RDWR); // wakes the thread, which closes it
    atomic_store(&listener, fd);
    return true;
}

// Lets clients see the socket. Under `lock`.
static void publish_socket(void)
{
    if (enabled && rename(unpublished.sun_path, address.sun_path) == 0)
        return;
    if (enabled)
        vm_warning("no attach socket %s: %s", address.sun_path, strerror(errno));
    unlink(unpublished.sun_path);
}

// Opens the socket if it is not there and starts the thread if it does not run. No client sees
// a socket that nobody serves. False with the exception pending: no thread could be started; the
// next trigger tries again.
static bool start(Thread *self)
{
    mutex_lock(&lock);
    bool fresh = false, open = state != LISTENER_BEGINS && prepare_socket(&fresh);
    bool begins = open && state == LISTENER_ABSENT;
    if (begins)
        state = LISTENER_BEGINS;
    else if (fresh && open)
        publish_socket();
    mutex_unlock(&lock);
    if (!begins)
        return true;
    bool runs = java_thread_start_vm(self, "Attach Listener", 9, run_listener, NULL);
    mutex_lock(&lock);
    state = runs ? LISTENER_RUNS : LISTENER_ABSENT;
    if (runs) {
        publish_socket();
    } else {
        unlink(unpublished.sun_path);
        close(atomic_exchange(&listener, -1));
    }
    mutex_unlock(&lock);
    return runs;
}

bool attach_enable(Thread *self)
{
    ASSERT_MAY_GC(self);
    if (vm_options.disable_attach)
        return true;
    shutdown_add(remove_socket);
    mutex_lock(&lock);
    enabled = true;
    bool at_once = wanted || vm_options.start_attach_listener || vm_options.reduce_signals;
    mutex_unlock(&lock);
    return !at_once || start(self);
}

static bool is_trigger(const char *folder)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "%s.attach_pid%d", folder, (int)getpid());
    return stat(path, &s) == 0 && is_ours(s.st_uid);
}

bool attach_trigger(Thread *self)
{
    ASSERT_MAY_GC(self);
    if (vm_options.disable_attach || (!is_trigger("") && !is_trigger("/tmp/")))
        return false;
    mutex_lock(&lock);
    bool now = enabled;
    wanted = true;
    mutex_unlock(&lock);
    if (now && !start(self))
        exception_print(self, exception_take(self), "Exception in Signal Dispatcher ");
    return true;
}
