// SPDX-License-Identifier: Apache-2.0
// Memory, time, machine facts, threads and libraries on Linux. Facts of the machine respect the
// affinity mask and the control group (v1 and v2) that this process runs in.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/recent.h"
#include "platform/platform.h"

// ---- memory ----

size_t os_page_size(void)
{
    static size_t size;
    if (size == 0)
        size = (size_t)sysconf(_SC_PAGESIZE);
    return size;
}

void *os_reserve(size_t size, size_t align)
{
    if (align < os_page_size())
        align = os_page_size();
    if (size > SIZE_MAX - align)
        return NULL;
    size_t extra = align > os_page_size() ? align : 0;
    char *p =
        mmap(NULL, size + extra, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    char *aligned = (char *)ALIGN_UP((uintptr_t)p, align);
    if (aligned > p)
        munmap(p, (size_t)(aligned - p));
    size_t tail = extra - (size_t)(aligned - p);
    if (tail > 0)
        munmap(aligned + size, tail);
    return aligned;
}

bool os_reserve_at(uintptr_t address, size_t size)
{
    VM_ASSERT(address % os_page_size() == 0);
    void *p = mmap((void *)address, size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    if (p == (void *)address)
        return true;
    munmap(p, size); // a kernel that takes the address for a hint, before 4.17
    return false;
}

bool os_commit(void *p, size_t size)
{
    return mprotect(p, size, PROT_READ | PROT_WRITE) == 0;
}

void os_decommit(void *p, size_t size)
{
    // A fresh mapping over the old one gives the pages back and is inaccessible at once. The system may have
    // no room to note it; then the pages go alone.
    void *q = mmap(p, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                   -1, 0);
    if (q != p)
        os_discard(p, size);
}

void os_discard(void *p, size_t size)
{
    if (madvise(p, size, MADV_DONTNEED) != 0)
        memset(p, 0, size);
}

void os_protect_none(void *p, size_t size)
{
    (void)mprotect(p, size, PROT_NONE); // the system may have no room to note it
}

void os_prefer_large_pages(void *p, size_t size)
{
    (void)madvise(p, size, MADV_HUGEPAGE);
}

bool os_gather_pages(void *p, size_t size)
{
#ifndef MADV_COLLAPSE
    enum { MADV_COLLAPSE = 25 }; // of Linux 6.1, newer than Debian 12's C library
#endif
    VM_ASSERT((uintptr_t)p % OS_LARGE_PAGE == 0 && size % OS_LARGE_PAGE == 0);
    return madvise(p, size, MADV_COLLAPSE) == 0;
}

void os_release(void *p, size_t size)
{
    munmap(p, size);
}

bool os_move(void *from, void *to, size_t size)
{
    return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}

// ---- time ----

static int64_t clock_nanos(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return -1;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t os_nanos(void)
{
    return clock_nanos(CLOCK_MONOTONIC);
}

static int64_t first_nanos;
static uint64_t first_ticks;

__attribute__((constructor)) static void clock_begin(void)
{
    first_nanos = os_nanos();
    first_ticks = os_ticks();
}

int64_t os_ticks_to_nanos(uint64_t ticks)
{
    double per_tick = (double)(os_nanos() - first_nanos) / (double)(os_ticks() - first_ticks);
    return (int64_t)((double)ticks * per_tick);
}

int64_t os_wall_millis(void)
{
    return clock_nanos(CLOCK_REALTIME) / 1000000;
}

void os_wall_time(int64_t *seconds, int64_t *nanos)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    *seconds = t.tv_sec;
    *nanos = t.tv_nsec;
}

int64_t os_thread_cpu_nanos(pthread_t t)
{
    clockid_t clock;
    return pthread_getcpuclockid(t, &clock) == 0 ? clock_nanos(clock) : -1;
}

// utime is the 14th field of stat, the 12th behind the command's name, which may hold anything.
int64_t os_thread_user_nanos(uint64_t os_id)
{
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/self/task/%llu/stat", (unsigned long long)os_id);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return -1;
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    const char *rest = strrchr(text, ')');
    unsigned long long ticks;
    if (rest == NULL
        || sscanf(rest + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &ticks) != 1)
        return -1;
    return (int64_t)(ticks * (1000000000ull / (unsigned long long)sysconf(_SC_CLK_TCK)));
}

int64_t os_process_cpu_nanos(void)
{
    return clock_nanos(CLOCK_PROCESS_CPUTIME_ID);
}

// ---- control groups ----

// The directory of this process's control group for `controller` ("cpu", "memory"), or the root
// of v2. False when there is none.
typedef struct Cgroup {
    bool v2;
    char mount[PATH_MAX]; // of the hierarchy
    char path[PATH_MAX];  // of the group, below the mount, "/" when it is the root
} Cgroup;

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = list; (p = strstr(p, word)) != NULL; p++) {
        if ((p == list || p[-1] == ',') && (p[len] == ',' || p[len] == '\0'))
            return true;
    }
    return false;
}

// The line of /proc/self/cgroup: "4:cpu,cpuacct:/path" (v1) or "0::/path" (v2).
static bool cgroup_find_path(const char *controller, Cgroup *g)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (f == NULL)
        return false;
    char line[PATH_MAX + 256];
    bool found = false;
    while (fgets(line, sizeof(line), f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line;
        const char *id = strsep(&rest, ":"), *controllers = strsep(&rest, ":");
        if (rest == NULL)
            continue;
        bool v1 = has_word(controllers, controller);
        if (v1 || (!found && strcmp(id, "0") == 0 && *controllers == '\0')) {
            found = true;
            g->v2 = !v1;
            snprintf(g->path, sizeof(g->path), "%s", rest);
            if (v1)
                break;
        }
    }
    fclose(f);
    return found;
}

// The mount point from /proc/self/mountinfo; strips the mount's own root from the path.
static bool cgroup_find_mount(const char *controller, Cgroup *g)
{
    FILE *f = fopen("/proc/self/mountinfo", "re");
    if (f == NULL)
        return false;
    char *line = NULL;
    size_t cap = 0;
    bool found = false;
    while (!found && getline(&line, &cap, f) > 0) {
        char root[PATH_MAX], mount[PATH_MAX], type[64], options[PATH_MAX];
        const char *dash = strstr(line, " - ");
        if (dash == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s", root, mount) != 2
            || sscanf(dash, " - %63s %*s %4095s", type, options) != 2)
            continue;
        found = strcmp(type, g->v2 ? "cgroup2" : "cgroup") == 0
                && (g->v2 || has_word(options, controller));
        if (found) {
            size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
            snprintf(g->mount, sizeof(g->mount), "%s", mount);
            if (n > 0 && strncmp(g->path, root, n) == 0)
                memmove(g->path, g->path + n, strlen(g->path + n) + 1);
        }
    }
    free(line);
    fclose(f);
    return found;
}

static bool ignore_cgroups;

void os_ignore_control_groups(bool ignore)
{
    ignore_cgroups = ignore;
}

static bool cgroup_find(const char *controller, Cgroup *g)
{
    return !ignore_cgroups && cgroup_find_path(controller, g)
           && cgroup_find_mount(controller, g);
}

// First line of mount + path + "/" + file.
static bool cgroup_read(const Cgroup *g, const char *path, const char *file, char *out,
                        size_t size)
{
    char name[2 * PATH_MAX + 64];
    snprintf(name, sizeof(name), "%s%s/%s", g->mount, path, file);
    FILE *f = fopen(name, "re");
    if (f == NULL)
        return false;
    bool ok = fgets(out, (int)size, f) != NULL;
    fclose(f);
    return ok;
}

// Calls visit for the group and each of its parents: a limit anywhere above counts too.
static void cgroup_visit(Cgroup *g, void (*visit)(const Cgroup *g, const char *path, void *ctx),
                         void *ctx)
{
    for (;;) {
        visit(g, strcmp(g->path, "/") == 0 ? "" : g->path, ctx);
        char *slash = strrchr(g->path, '/');
        if (slash == NULL || g->path[1] == '\0')
            return;
        slash[slash == g->path] = '\0';
    }
}

static void visit_cpu(const Cgroup *g, const char *path, void *ctx)
{
    int *cpus = ctx;
    char text[128];
    long long quota = -1, period = 0;
    if (g->v2) {
        if (!cgroup_read(g, path, "cpu.max", text, sizeof(text))
            || sscanf(text, "%lld %lld", &quota, &period) != 2)
            return;
    } else {
        if (!cgroup_read(g, path, "cpu.cfs_quota_us", text, sizeof(text)))
            return;
        quota = atoll(text);
        if (!cgroup_read(g, path, "cpu.cfs_period_us", text, sizeof(text)))
            return;
        period = atoll(text);
    }
    if (quota > 0 && period > 0) {
        long long n = (quota + period - 1) / period;
        *cpus = (int)MIN_OF((long long)*cpus, n);
    }
}

static void visit_memory(const Cgroup *g, const char *path, void *ctx)
{
    uint64_t *bytes = ctx;
    char text[128];
    if (!cgroup_read(g, path, g->v2 ? "memory.max" : "memory.limit_in_bytes", text,
                     sizeof(text)))
        return;
    uint64_t limit = strtoull(text, NULL, 10); // 0 for "max"
    if (limit > 0 && limit < *bytes)
        *bytes = limit;
}

// ---- machine ----

static int cpu_count_now(void)
{
    int cpus = 0;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        cpus = CPU_COUNT(&set);
    if (cpus <= 0)
        cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    Cgroup g;
    if (cgroup_find("cpu", &g))
        cgroup_visit(&g, visit_cpu, &cpus);
    return MAX_OF(cpus, 1);
}

// Reading the limits of control groups takes long and programs ask often: an answer holds for a while.
int os_cpu_count(void)
{
    enum { HOLDS_NANOS = 20 * 1000 * 1000 };
    static _Atomic int64_t until;
    static _Atomic int count;
    int64_t now = os_nanos();
    if (now
        >= atomic_load_explicit(&until, memory_order_acquire)) { // pairs with the release below
        atomic_store_explicit(&count, cpu_count_now(), memory_order_relaxed);
        atomic_store_explicit(&until, now + HOLDS_NANOS, memory_order_release);
    }
    return atomic_load_explicit(&count, memory_order_relaxed);
}

uint64_t os_physical_memory(void)
{
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * os_page_size();
    Cgroup g;
    if (cgroup_find("memory", &g))
        cgroup_visit(&g, visit_memory, &bytes);
    return bytes;
}

uint64_t os_available_memory(void)
{
    return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * os_page_size();
}

uint64_t os_address_space_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                : UINT64_MAX;
}

uint64_t os_resident_memory(void)
{
    unsigned long long total, resident;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f == NULL)
        return 0;
    int n = fscanf(f, "%llu %llu", &total, &resident);
    fclose(f);
    return n == 2 ? resident * os_page_size() : 0;
}

uint64_t os_peak_resident_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

// ---- threads ----

OsStack os_current_stack(void)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0, guard = 0;
    VM_CHECK(pthread_getattr_np(pthread_self(), &attr) == 0);
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_getguardsize(&attr, &guard);
    pthread_attr_destroy(&attr);
    OsStack s = {.low = low, .high = (char *)low + size, .guard = guard};
    struct rlimit limit;
    if (getpid() == (pid_t)syscall(SYS_gettid) && getrlimit(RLIMIT_STACK, &limit) == 0) {
        // the primordial thread's stack grows on demand: an unlimited one is taken as 8 MB
        size_t most = limit.rlim_cur == RLIM_INFINITY ? 8u << 20 : limit.rlim_cur;
        if (size > most)
            s.low = s.high - most;
    } else {
        s.low += guard;
    }
    return s;
}

enum { GUARD_BYTES = 64 << 10 };
typedef struct Guard { // what os_guard_stack has made; at NULL: nothing
    char *at;
    bool is_mapped; // apart from the stack
} Guard;
static _Thread_local Guard own_guard;

// Below the primordial thread's stack, which the kernel lets grow to its limit, if it has one, and
// to the next mapping otherwise.
static void *map_guard(const char *low)
{
    char *at = (char *)(uintptr_t)low - (uintptr_t)low % os_page_size() - GUARD_BYTES;
    return mmap(at, GUARD_BYTES, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

void os_guard_stack(OsStack *stack)
{
    if (own_guard.at)
        return;
    if (getpid() == (pid_t)syscall(SYS_gettid)) {
        void *guard = map_guard(stack->low);
        own_guard = (Guard){guard == MAP_FAILED ? NULL : guard, true};
    } else if (stack->guard == 0 && (size_t)(stack->high - stack->low) > 4 * GUARD_BYTES
               && mprotect(stack->low, GUARD_BYTES, PROT_NONE) == 0) {
        own_guard = (Guard){stack->low, false};
        stack->low += GUARD_BYTES;
        stack->guard = GUARD_BYTES;
    }
}

void os_unguard_stack(void)
{
    if (own_guard.at && own_guard.is_mapped)
        munmap(own_guard.at, GUARD_BYTES);
    else if (own_guard.at)
        (void)!mprotect(own_guard.at, GUARD_BYTES, PROT_READ | PROT_WRITE);
    own_guard.at = NULL;
}

bool os_thread_start(pthread_t *out, size_t stack_size, void *(*run)(void *), void *arg)
{
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (stack_size > 0) {
        size_t size = MAX_OF(stack_size, (size_t)PTHREAD_STACK_MIN) + 2 * os_page_size();
        pthread_attr_setstacksize(&attr, ALIGN_UP(size, os_page_size()));
    }
    int rc = pthread_create(&thread, &attr, run, arg);
    pthread_attr_destroy(&attr);
    if (rc == 0 && out != NULL)
        *out = thread;
    return rc == 0;
}

void os_thread_set_name(const char *name)
{
    char cut[16];
    snprintf(cut, sizeof(cut), "%s", name);
    prctl(PR_SET_NAME, cut, 0, 0, 0);
}

uint64_t os_thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

static bool barrier_is_registered, code_barrier_is_registered;

__attribute__((constructor)) static void register_barrier(void)
{
#ifndef __SANITIZE_THREAD__ // which does not see such a barrier
    barrier_is_registered =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    code_barrier_is_registered =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
#endif
}

bool os_has_process_barrier(void)
{
    return barrier_is_registered;
}

bool os_has_code_barrier(void)
{
    return code_barrier_is_registered;
}

void os_code_barrier(void)
{
    VM_CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0);
}

void os_process_barrier(void)
{
    VM_CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
}

void os_yield(void)
{
    sched_yield();
}

void os_sleep_nanos(int64_t ns)
{
    if (ns <= 0)
        return;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec += (long)(ns % 1000000000);
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

// ---- libraries ----

void *os_library_open(const char *path, char *error, size_t error_size)
{
    LOG(LOG_OS, LOG_INFO, "attempting shared library load of %s", path);
    void *library = dlopen(path, RTLD_LAZY);
    if (library == NULL && error != NULL && error_size > 0) {
        const char *text = dlerror();
        snprintf(error, error_size, "%s", text == NULL ? "unknown error" : text);
        LOG(LOG_OS, LOG_INFO, "shared library load of %s failed, %s", path, error);
    }
    if (library) {
        recent_add(RECENT_LIBRARIES, "Loaded shared library %s", path);
        LOG(LOG_OS, LOG_INFO, "shared library load of %s was successful", path);
    }
    return library;
}

void *os_library_find(void *library, const char *symbol)
{
    return dlsym(library == NULL ? RTLD_DEFAULT : library, symbol);
}

void os_library_close(void *library)
{
    if (library != NULL)
        dlclose(library);
}

const void *os_library_base(const void *code)
{
    struct dl_find_object found; // unlike dladdr's, without a search for the symbol
    return _dl_find_object((void *)(uintptr_t)code, &found) == 0 ? found.dlfo_map_start : NULL;
}

// ---- mappings ----
const void *os_map_file(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return NULL;
    void *p = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        *len = (size_t)st.st_size;
        p = mmap(NULL, *len, PROT_READ, MAP_SHARED, fd, 0);
    }
    close(fd);
    return p == MAP_FAILED ? NULL : p;
}
