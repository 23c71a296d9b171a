// SPDX-License-Identifier: Apache-2.0
// Reads /proc (process.h).
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (8u << 20)

char *process_file(pid_t pid, const char *name, size_t *length)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t have = 0, room = 4096;
    char *text = mem_resize(NULL, room, 1);
    for (;;) {
        ssize_t n = read(fd, text + have, room - have - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        have += (size_t)n;
        if (have + 1 == room && room >= MAX_FILE)
            break;
        if (have + 1 == room)
            text = mem_resize(text, room *= 2, 1);
    }
    assert(have < room);
    close(fd);
    text[have] = 0;
    if (length != NULL)
        *length = have;
    return text;
}

static const char *status_field(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    return at ? at + strlen(name) : "";
}

static void read_status(Process *p, const char *status)
{
    unsigned ids[2];
    if (sscanf(status_field(status, "\nUid:"), "%*u %u", &ids[0]) == 1)
        p->uid = ids[0];
    if (sscanf(status_field(status, "\nGid:"), "%*u %u", &ids[1]) == 1)
        p->gid = ids[1];
    p->catches_quit =
        strtoull(status_field(status, "\nSigCgt:"), NULL, 16) >> (SIGQUIT - 1) & 1;
    p->inner_pid = p->pid;
    const char *number = status_field(status, "\nNSpid:");
    while (*number == '\t') // one for each namespace, the innermost last
        p->inner_pid = (pid_t)strtol(number + 1, (char **)&number, 10);
}

static bool read_start(Process *p)
{
    char *stat = process_file(p->pid, "stat", NULL);
    const char *at = stat ? strrchr(stat, ')') : NULL; // the name in front may hold anything
    p->has_ended = at != NULL && (at[1] == 0 || strchr("ZX", at[2]) != NULL);
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at != NULL)
        p->start = strtoull(at, NULL, 10);
    free(stat);
    return at != NULL;
}

static uint64_t boot_ms(void)
{
    char *stat = process_file(getpid(), "../stat", NULL);
    uint64_t seconds = stat ? strtoull(status_field(stat, "\nbtime "), NULL, 10) : 0;
    free(stat);
    return seconds * 1000;
}

static bool same_namespace(pid_t pid, const char *kind)
{
    char theirs[64], ours[64];
    struct stat a, b;
    snprintf(theirs, sizeof theirs, "/proc/%d/ns/%s", pid, kind);
    snprintf(ours, sizeof ours, "/proc/self/ns/%s", kind);
    return stat(theirs, &a) == 0 && stat(ours, &b) == 0 && a.st_ino == b.st_ino
           && a.st_dev == b.st_dev;
}

static bool same_root(pid_t pid)
{
    char theirs[64];
    struct stat a, b;
    snprintf(theirs, sizeof theirs, "/proc/%d/root/", pid);
    return stat(theirs, &a) == 0 && stat("/", &b) == 0 && a.st_ino == b.st_ino
           && a.st_dev == b.st_dev;
}

bool process_read(pid_t pid, Process *process)
{
    *process = (Process){.pid = pid};
    char *status = pid > 0 ? process_file(pid, "status", NULL) : NULL;
    if (status == NULL)
        return false;
    read_status(process, status);
    free(status);
    process->same_mounts = same_namespace(pid, "mnt") && same_root(pid);
    if (!read_start(process))
        return false;
    process->started = boot_ms() + process->start * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
    return true;
}

bool process_is(const Process *process)
{
    Process now = {.pid = process->pid};
    return read_start(&now) && !now.has_ended && now.start == process->start;
}

char *process_path(const Process *process, const char *path)
{
    assert(path != NULL && (process->same_mounts || process->pid > 0));
    if (process->same_mounts)
        return mem_text(path, strlen(path));
    return mem_format("/proc/%d/root%s", process->pid, path);
}

bool process_maps(pid_t pid, const char *name, char *path, size_t room)
{
    assert(path == NULL || room > 0);
    bool found = false;
    char *maps = process_file(pid, "maps", NULL);
    if (maps == NULL)
        return false;
    char *save, *wanted = mem_format("/%s", name);
    for (char *line = strtok_r(maps, "\n", &save); line != NULL && !found;
         line = strtok_r(NULL, "\n", &save)) {
        const char *file = strchr(line, '/');
        found = file != NULL && text_ends_with(file, wanted);
        if (found && path != NULL)
            text_copy(path, room, file);
    }
    free(wanted);
    free(maps);
    return found;
}

uint32_t processor_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}
