// SPDX-License-Identifier: Apache-2.0
// See perf_file.h; and the mapping of other processes' files.
#define _GNU_SOURCE
#include "service/perf/perf_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "java/shutdown.h"
#include "options/options.h"
#include "service/perf/perf_data.h"

static const char folder_prefix[] = "/tmp/hsperfdata_";
static char *own_path; // of our file
static pid_t own_pid;  // a forked child leaves it alone
static const char *own_region;
static size_t own_size;

static char *user_name(void)
{
    char buffer[1024];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found) == 0 && found
        && *found->pw_name)
        return vm_strdup(found->pw_name);
    return vm_asprintf("%u", (unsigned)geteuid());
}

// ---- folders ----

// An open descriptor of a folder that is what it should be; else -1.
static int open_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;
    bool safe = fd >= 0 && fstat(fd, &s) == 0 && S_ISDIR(s.st_mode)
                && (s.st_uid == geteuid() || geteuid() == 0)
                && !(s.st_mode & (S_IWGRP | S_IWOTH));
    if (fd >= 0 && !safe) {
        close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
}

// Whether the file of a process is left over: that one is gone, or it was ours before us.
// A VM holds a lock on its file, so one in another container, whose number says nothing here,
// is seen to live.
static bool is_stale(int folder, const char *name, int pid)
{
    if (pid != own_pid && (kill(pid, 0) == 0 || errno != ESRCH))
        return false;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool stale = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return stale;
}

static void clean(int folder)
{
    DIR *d = fdopendir(dup(folder));
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char *end;
        long pid = strtol(e->d_name, &end, 10);
        if (isdigit((unsigned char)*e->d_name) && !*end
            && is_stale(folder, e->d_name, (int)pid))
            unlinkat(folder, e->d_name, 0);
    }
    closedir(d);
}

// ---- our file ----

// Writes a copy, as -XX:+PerfDataSaveToFile wants it.
static void save(void)
{
    const char *name = vm_options.perf_save_file;
    char *path = name && *name ? vm_strdup(name) : vm_asprintf("hsperfdata_%d", (int)own_pid);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    size_t done = 0;
    for (ssize_t n = 1; fd >= 0 && n > 0 && done < own_size; done += (size_t)MAX_OF(n, 0))
        n = write(fd, own_region + done, own_size - done);
    if (fd < 0)
        vm_warning("Could not create Perfdata save file: %s: %s\n", path, strerror(errno));
    else if (done < own_size)
        vm_warning("Could not write Perfdata save file: %s: %s\n", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    vm_free(path);
}

// Runs at the VM's end, and at the process's where the VM never began.
static void remove_own(void)
{
    if (!own_path || getpid() != own_pid)
        return;
    char *path = own_path;
    own_path = NULL;
    if (vm_options.perf_save)
        save();
    unlink(path);
    vm_free(path);
}

static void end(Thread *self)
{
    (void)self;
    perf_sample();
    remove_own();
}

// The file, locked, of the full size. -1 when it cannot be had.
static int make_file(int folder, const char *name, size_t size)
{
    int fd = openat(folder, name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && posix_fallocate(fd, 0, (off_t)size) == 0)
        return fd;
    unlinkat(folder, name, 0);
    close(fd);
    return -1;
}

char *perf_file_create(size_t size)
{
    own_pid = getpid();
    char *user = user_name(), *path = vm_asprintf("%s%s", folder_prefix, user), name[16];
    snprintf(name, sizeof name, "%d", (int)own_pid);
    void *p = MAP_FAILED;
    mkdir(path, 0755);
    int folder = open_folder(path), fd = -1;
    if (folder >= 0) {
        clean(folder);
        fd = make_file(folder, name, size); // stays open: its lock says that we live
        close(folder);
    }
    if (fd >= 0)
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED) {
        own_path = vm_asprintf("%s/%s", path, name);
        own_region = p;
        own_size = size;
        shutdown_add(end);
        atexit(remove_own);
    }
    vm_free(path);
    vm_free(user);
    return p == MAP_FAILED ? NULL : p;
}

// ---- files of others ----

// The folder below `tmp` that has the file of a process; "" where there is none.
static void find_folder(const char *tmp, int pid, char *out, size_t size)
{
    DIR *d = opendir(tmp);
    *out = '\0';
    for (struct dirent *e; d && !*out && (e = readdir(d)) != NULL;) {
        char path[512];
        struct stat s;
        snprintf(path, sizeof path, "%s/%s/%d", tmp, e->d_name, pid);
        if (strncmp(e->d_name, "hsperfdata_", 11) == 0 && lstat(path, &s) == 0
            && S_ISREG(s.st_mode))
            snprintf(out, size, "%s/%s", tmp, e->d_name);
    }
    if (d)
        closedir(d);
}

// The number a process has in its own, innermost namespace.
static int inner_pid(int pid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "re");
    int inner = pid;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "NSpid:", 6) == 0)
            inner = atoi(strrchr(line, '\t') ? strrchr(line, '\t') : line + 6);
    if (f)
        fclose(f);
    return inner;
}

static int open_other(const char *user, int pid, bool writable, const char **error)
{
    char folder_path[512], name[16], tmp[64];
    int inner = inner_pid(pid);
    snprintf(tmp, sizeof tmp, inner == pid ? "/tmp" : "/proc/%d/root/tmp", pid);
    if (user)
        snprintf(folder_path, sizeof folder_path, "%s/hsperfdata_%s", tmp, user);
    else
        find_folder(tmp, inner, folder_path, sizeof folder_path);
    if (!*folder_path) {
        *error = "Process not found";
        return -1;
    }
    int folder = open_folder(folder_path);
    if (folder < 0)
        return -1;
    snprintf(name, sizeof name, "%d", inner);
    int fd = openat(folder, name, (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC);
    close(folder);
    return fd;
}

void *perf_map(const char *user, int pid, bool writable, size_t *size, const char **error)
{
    *error = NULL;
    int fd = open_other(user, pid, writable, error);
    if (fd < 0)
        return NULL;
    struct stat s;
    void *p = MAP_FAILED;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink == 1 && s.st_size > 0)
        p = mmap(NULL, (size_t)s.st_size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED,
                 fd, 0);
    else
        *error = "the file is not safe";
    close(fd);
    *size = (size_t)s.st_size;
    return p == MAP_FAILED ? NULL : p;
}
