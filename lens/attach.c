// SPDX-License-Identifier: Apache-2.0
// The attach protocol (attach.h). All paths go through /proc/PID/root where the process sees other files than we do: a socket with
// a name is found by its inode, so no namespace must be entered. The work runs in a child process when it must take on another user.
#define _GNU_SOURCE
#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_FOR_SOCKET_MS 5000
#define WAIT_FOR_REPLY_MS  30000
#define MAX_REPLY          65536

static bool socket_is_there(const Process *p, const char *path)
{
    assert(path[0] == '/');
    struct stat st;
    return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == p->uid;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    text_copy(address.sun_path, sizeof address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

// Makes the trigger file and gives its path, or NULL. To be freed and removed.
static char *make_trigger(const Process *p)
{
    char *inside = mem_format("/tmp/.attach_pid%d", p->inner_pid);
    char *paths[] = {mem_format("/proc/%d/cwd/.attach_pid%d", p->pid, p->inner_pid),
                     process_path(p, inside)};
    char *made = NULL;
    for (int i = 0; i < 2; i++) {
        int fd =
            made ? -1
                 : open(paths[i], O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0660);
        if (fd >= 0) {
            close(fd);
            made = paths[i];
        } else {
            free(paths[i]);
        }
    }
    free(inside);
    return made;
}

static char *wake_listener(const Process *p, const char *socket_path)
{
    assert(p->pid > 0 && p->inner_pid > 0);
    if (!p->catches_quit)
        return mem_format("the program does not catch SIGQUIT (-Xrs, or it is just starting): "
                          "it cannot be asked to listen. "
                          "Start it with -agentpath:liblens.so");
    char *trigger = make_trigger(p);
    if (trigger == NULL)
        return mem_format("cannot make /tmp/.attach_pid%d in the program's view: %s",
                          p->inner_pid, strerror(errno));
    char *error = NULL;
    if (!process_is(p) || kill(p->pid, SIGQUIT) != 0)
        error = mem_format("the process has ended");
    for (int waited = 0; error == NULL && !socket_is_there(p, socket_path); waited += 5) {
        if (waited >= WAIT_FOR_SOCKET_MS)
            error = mem_format("the program did not open its socket for tools within 5 s. It "
                               "may be stopped, or was started with "
                               "-XX:+DisableAttachMechanism");
        else
            poll(NULL, 0, 5);
    }
    unlink(trigger);
    free(trigger);
    return error;
}

static bool send_words(int fd, const char *const *words, int count)
{
    assert(fd >= 0 && count > 0);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(words[i]) + 1;
        for (size_t at = 0; at < length;) {
            ssize_t n = send(fd, words[i] + at, length - at, MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return false;
            at += (size_t)n;
        }
    }
    return true;
}

// The whole reply, NUL-terminated. False: it did not end in time.
static bool read_reply(int fd, char *reply, size_t room)
{
    assert(fd >= 0 && room > 1);
    size_t have = 0;
    uint64_t until = clock_monotonic() + WAIT_FOR_REPLY_MS * 1000000ull;
    while (clock_monotonic() < until && have < room - 1) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 1000) <= 0)
            continue;
        ssize_t n = read(fd, reply + have, room - 1 - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            reply[have] = 0;
            return n == 0;
        }
        have += (size_t)n;
    }
    reply[have] = 0;
    return false;
}

// "0\nreturn code: 0" is success; else the text says why: the first line's number differs between VMs.
static char *judge_reply(char *reply)
{
    const char *code = strstr(reply, "return code: ");
    if (code != NULL && strtol(code + 13, NULL, 10) == 0)
        return NULL;
    if (code != NULL)
        return mem_format("the agent refused to start there (%.*s)", (int)strcspn(code, "\n"),
                          code);
    char *text = strchr(reply, '\n');
    text = text ? text + 1 : reply;
    text[strcspn(text, "\n")] = 0;
    if (strstr(text, "Dynamic agent loading is not enabled") != NULL)
        return mem_format("the program was started with -XX:-EnableDynamicAgentLoading: start "
                          "it with -agentpath:liblens.so");
    return mem_format("the VM refused to load the agent: %s",
                      *text ? text : "it gave no reason");
}

static char *load_through(const char *socket_path, const char *library, const char *options)
{
    int fd = connect_to(socket_path);
    if (fd < 0)
        return mem_format("cannot connect to the program's socket for tools: %s",
                          strerror(errno));
    const char *const words[] = {"1", "load", library, "true", options};
    char *reply = mem_new(MAX_REPLY, 1), *error;
    if (!send_words(fd, words, 5) || !read_reply(fd, reply, MAX_REPLY))
        error = mem_format("the program did not answer the request to load the agent");
    else
        error = judge_reply(reply);
    close(fd);
    free(reply);
    return error;
}

static bool copy_file(const char *from, int to)
{
    assert(to >= 0);
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    char buffer[65536];
    ssize_t n = -1;
    while (fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0) {
        if (write(to, buffer, (size_t)n) != n)
            break;
    }
    if (fd >= 0)
        close(fd);
    return n == 0;
}

// Another view of the files: the library goes into the program's own /tmp under a fresh name, mode 0700.
static char *load_copy(const Process *p, const char *socket_path, const char *library,
                       const char *options)
{
    assert(!p->same_mounts);
    char *path = process_path(p, "/tmp/.liblens-XXXXXX");
    int fd = mkostemp(path, O_CLOEXEC);
    char *error;
    if (fd < 0) {
        error =
            mem_format("cannot copy the agent into the program's /tmp: %s", strerror(errno));
    } else if (fchmod(fd, 0700) != 0 || !copy_file(library, fd)) {
        error = mem_format("cannot copy the agent into the program's /tmp");
    } else {
        close(fd);
        fd = -1;
        error = load_through(socket_path, path + strlen(path) - strlen("/tmp/.liblens-XXXXXX"),
                             options);
    }
    if (fd >= 0)
        close(fd);
    unlink(path);
    free(path);
    return error;
}

static char *attach_and_load(const Process *p, const char *library, const char *options)
{
    char *inside = mem_format("/tmp/.java_pid%d", p->inner_pid),
         *path = process_path(p, inside);
    char *error = socket_is_there(p, path) ? NULL : wake_listener(p, path);
    if (error == NULL && !process_is(p))
        error = mem_format("the process has ended");
    if (error == NULL && p->same_mounts)
        error = load_through(path, library, options);
    else if (error == NULL)
        error = load_copy(p, path, library, options);
    free(path);
    free(inside);
    return error;
}

// The child is the target's user; what it has to say comes through a pipe.
static char *load_as_user(const Process *p, const char *library, const char *options)
{
    assert(geteuid() == 0 && p->uid != 0); // who may become another
    int ends[2];
    char text[1024] = "";
    if (pipe2(ends, O_CLOEXEC) != 0)
        return mem_format("%s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        char *error = setegid(p->gid) != 0 || seteuid(p->uid) != 0
                          ? mem_format("cannot become the program's user")
                          : attach_and_load(p, library, options);
        if (error != NULL)
            (void)!write(ends[1], error, strlen(error));
        _exit(error != NULL);
    }
    close(ends[1]);
    int status = 1;
    ssize_t n = child > 0 ? read(ends[0], text, sizeof text - 1) : -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    if (status == 0)
        return NULL;
    return mem_text(n > 0 ? text : "attaching failed", n > 0 ? (size_t)n : 16);
}

char *attach_load(const Jvm *jvm, const char *library, const char *options)
{
    assert(jvm->attachable && library[0] == '/');
    const Process *p = &jvm->process;
    if (p->uid == geteuid())
        return attach_and_load(p, library, options);
    if (geteuid() != 0)
        return mem_format("process %d belongs to another user; run lens as that user", p->pid);
    return load_as_user(p, library, options);
}

char *attach_find_agent(void)
{
    static const char *const beside[] = {"../lib/liblens.so", "../agents/liblens.so",
                                         "liblens.so"};
    const char *named = getenv("LENS_AGENT");
    char self[4096];
    if (named != NULL)
        return access(named, R_OK) == 0 ? realpath(named, NULL) : NULL;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char *path = mem_format("%.*s/%s", (int)(slash - self), self, beside[i]);
        char *real = realpath(path, NULL);
        free(path);
        if (real != NULL)
            return real;
    }
    return NULL;
}
