// SPDX-License-Identifier: Apache-2.0
// Failure injection, see fault.h. CMakeLists.txt names the functions below to the linker (--wrap): what
// the VM calls as `open` comes to __wrap_open, and __real_open is the C library's. Uses no lock and
// no memory: it is called from signal handlers too.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "platform/fault.h"

#ifdef PELLUCID_FAULTS
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STACK_DEPTH = 8, SITES = 1 << 14, FRAME_MOST = 1 << 16 };

static const char *const kind_names[FAULT_KINDS] = {"memory", "map", "commit", "thread",
                                                    "file"};
static const int kind_errors[FAULT_KINDS] = {ENOMEM, ENOMEM, ENOMEM, EAGAIN, EIO};

static _Atomic uint64_t counts[FAULT_KINDS];
static int armed_kind = -1; // written while there is one thread, or by a test
static uint64_t armed_at;
static bool armed_later, reports_sites;
static _Atomic uint64_t sites[SITES]; // hashes of stacks, open addressing

extern const char __ehdr_start; // of this library: its first byte

ssize_t __real_write(int fd, const void *p, size_t size);

// ---- reports ----

// The return addresses by frame pointers. Code without them (the engine's loop) ends the list.
__attribute__((noinline)) static int take_stack(uintptr_t *out)
{
    const uintptr_t *frame = __builtin_frame_address(0);
    int n = 0;
    while (n < STACK_DEPTH) {
        const uintptr_t *next = (const uintptr_t *)frame[0];
        out[n++] = frame[1];
        if (next <= frame || (uintptr_t)next - (uintptr_t)frame > FRAME_MOST
            || (uintptr_t)next % 8)
            break;
        frame = next;
    }
    return n;
}

static void report(FaultKind kind, uint64_t n, const char *site, const uintptr_t *stack,
                   int depth)
{
    char line[512];
    int len = snprintf(line, sizeof line, "fault: %s%s %llu%s", site, kind_names[kind],
                       (unsigned long long)n, depth ? " fails at" : "");
    for (int i = 0; i < depth; i++)
        len += snprintf(line + len, sizeof line - (size_t)len, " %lx",
                        (unsigned long)(stack[i] - (uintptr_t)&__ehdr_start));
    line[len++] = '\n';
    ssize_t ignored = __real_write(STDERR_FILENO, line, (size_t)len);
    (void)ignored;
}

// Whether this stack was not seen before.
static bool add_site(FaultKind kind)
{
    uintptr_t stack[STACK_DEPTH];
    uint64_t hash = (uint64_t)kind + 1;
    for (int i = 0, n = take_stack(stack); i < n; i++)
        hash = (hash ^ stack[i]) * 0x9E3779B97F4A7C15u;
    for (uint64_t i = hash >> 40;; i++) {
        uint64_t old = 0;
        if (atomic_compare_exchange_strong(&sites[i % SITES], &old, hash))
            return true;
        if (old == hash)
            return false;
    }
}

// ---- counting ----

// Whether this operation, which counts now, is to fail; errno is set then.
__attribute__((noinline)) static bool due(FaultKind kind)
{
    if (armed_kind != (int)kind)
        return false;
    uint64_t n = atomic_fetch_add_explicit(&counts[kind], 1, memory_order_relaxed) + 1;
    if (reports_sites && add_site(kind))
        report(kind, n, "site ", NULL, 0);
    if (armed_at == 0 || n < armed_at || (n > armed_at && !armed_later))
        return false;
    uintptr_t stack[STACK_DEPTH];
    if (n == armed_at)
        report(kind, n, "", stack, take_stack(stack));
    errno = kind_errors[kind];
    return true;
}

void fault_arm(FaultKind kind, uint64_t n, bool later)
{
    armed_kind = n ? (int)kind : -1;
    armed_at = n;
    armed_later = later;
    atomic_store(&counts[kind], 0);
}

__attribute__((constructor)) static void arm_by_environment(void)
{
    const char *given = getenv("PELLUCID_FAULT");
    for (int kind = 0; given && kind < FAULT_KINDS; kind++) {
        size_t len = strlen(kind_names[kind]);
        if (strncmp(given, kind_names[kind], len) != 0 || given[len] != ':')
            continue;
        char *end;
        armed_at = strtoull(given + len + 1, &end, 10);
        armed_later = *end == '+';
        armed_kind = kind;
        reports_sites = getenv("PELLUCID_FAULT_SITES") != NULL;
    }
}

__attribute__((destructor)) static void report_count(void)
{
    if (armed_kind >= 0)
        report(armed_kind, atomic_load(&counts[armed_kind]), "", NULL, 0);
}

// ---- what is wrapped ----

#define WRAP(kind, type, failed, name, parameters, ...) \
    type __real_##name parameters;                      \
    type __wrap_##name parameters;                      \
    type __wrap_##name parameters                       \
    {                                                   \
        if (due(FAULT_##kind))                          \
            return failed;                              \
        return __real_##name(__VA_ARGS__);              \
    }

WRAP(MEMORY, void *, NULL, malloc, (size_t n), n)
WRAP(MEMORY, void *, NULL, calloc, (size_t n, size_t size), n, size)
WRAP(MEMORY, void *, NULL, realloc, (void *p, size_t n), p, n)
WRAP(MEMORY, void *, NULL, aligned_alloc, (size_t a, size_t n), a, n)
WRAP(MEMORY, int, -1, vasprintf, (char **out, const char *format, va_list ap), out, format, ap)
WRAP(MAP, void *, MAP_FAILED, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at),
     p, n, prot, flags, fd, at)
WRAP(COMMIT, int, -1, mprotect, (void *p, size_t n, int prot), p, n, prot)
WRAP(THREAD, int, EAGAIN, pthread_create,
     (pthread_t * out, const pthread_attr_t *a, void *(*run)(void *), void *arg), out, a, run,
     arg)
WRAP(FILE, FILE *, NULL, fopen, (const char *path, const char *mode), path, mode)
WRAP(FILE, char *, NULL, fgets, (char *p, int n, FILE *f), p, n, f)
WRAP(FILE, size_t, 0, fread, (void *p, size_t size, size_t n, FILE *f), p, size, n, f)
WRAP(FILE, ssize_t, -1, read, (int fd, void *p, size_t n), fd, p, n)
WRAP(FILE, int, -1, stat, (const char *path, struct stat *s), path, s)
WRAP(FILE, int, -1, lstat, (const char *path, struct stat *s), path, s)
WRAP(FILE, int, -1, fstat, (int fd, struct stat *s), fd, s)
WRAP(FILE, DIR *, NULL, opendir, (const char *path), path)
WRAP(FILE, DIR *, NULL, fdopendir, (int fd), fd)
WRAP(FILE, ssize_t, -1, readlink, (const char *path, char *out, size_t n), path, out, n)
WRAP(FILE, char *, NULL, realpath, (const char *path, char *out), path, out)
WRAP(FILE, int, -1, rename, (const char *from, const char *to), from, to)
WRAP(FILE, int, -1, mkdir, (const char *path, mode_t mode), path, mode)
WRAP(FILE, int, -1, chmod, (const char *path, mode_t mode), path, mode)
WRAP(FILE, int, EIO, posix_fallocate, (int fd, off_t from, off_t n), fd, from, n)
WRAP(FILE, int, -1, flock, (int fd, int how), fd, how)
WRAP(FILE, int, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
WRAP(FILE, int, -1, bind, (int fd, const struct sockaddr *a, socklen_t n), fd, a, n)
WRAP(FILE, int, -1, listen, (int fd, int n), fd, n)
WRAP(FILE, int, -1, accept4, (int fd, struct sockaddr *a, socklen_t *n, int flags), fd, a, n,
     flags)
WRAP(FILE, ssize_t, -1, recv, (int fd, void *p, size_t n, int flags), fd, p, n, flags)
WRAP(FILE, ssize_t, -1, send, (int fd, const void *p, size_t n, int flags), fd, p, n, flags)
WRAP(FILE, void *, NULL, dlopen, (const char *path, int flags), path, flags)

// The standard streams do not fail here: what the VM says is looked at.
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    if (fd > STDERR_FILENO && due(FAULT_FILE))
        return -1;
    return __real_write(fd, p, n);
}

size_t __real_fwrite(const void *p, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f)
{
    if (f != stdout && f != stderr && due(FAULT_FILE))
        return 0;
    return __real_fwrite(p, size, n, f);
}

void *__real_mremap(void *from, size_t size, size_t to_size, int flags, void *to);
void *__wrap_mremap(void *from, size_t size, size_t to_size, int flags, void *to);
void *__wrap_mremap(void *from, size_t size, size_t to_size, int flags, void *to)
{
    return due(FAULT_MAP) ? MAP_FAILED : __real_mremap(from, size, to_size, flags, to);
}

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode) // which callers leave out, or not
{
    return due(FAULT_FILE) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int folder, const char *path, int flags, mode_t mode);
int __wrap_openat(int folder, const char *path, int flags, mode_t mode);
int __wrap_openat(int folder, const char *path, int flags, mode_t mode)
{
    return due(FAULT_FILE) ? -1 : __real_openat(folder, path, flags, mode);
}
#endif
