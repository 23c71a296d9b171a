// SPDX-License-Identifier: Apache-2.0
// See heap_snapshot.h. The process is a fork: its memory is the program's, of which the kernel copies the pages that change.
#define _GNU_SOURCE // close_range
#include "service/dump/heap_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/heap.h"
#include "platform/platform.h"

enum {
    LOOK_NANOS = 10 * 1000 * 1000, // from one look at the process to the next
    LOOKS_PER_MEASURE = 20,        // of its memory, which takes longer
};

// ---- in the process ----

// The program's handlers are not for it; a reader that goes away is an error like others.
static void forget_signals(void)
{
    sigset_t none;
    for (int n = 1; n < NSIG; n++)
        (void)signal(n, n == SIGPIPE ? SIG_IGN : SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Connections and files of the program end when it closes them.
static void close_all_but(int fd)
{
    if (fd > 0)
        (void)close_range(0, (unsigned)fd - 1, 0);
    (void)close_range((unsigned)fd + 1, UINT_MAX, 0);
}

// Where memory is short, this process is the one to end.
static void offer_to_oom_killer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "1000", 4);
    close(fd);
}

static _Noreturn void run(pid_t parent, int fd, SnapshotEnd *end,
                          void (*work)(void *ctx, SnapshotEnd *end), void *ctx)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    forget_signals();
    offer_to_oom_killer();
    close_all_but(fd);
    work(ctx, end);
    end->reached = true;
    _exit(0);
}

// ---- before it ----

// In pieces: the memory map is locked during each. False: the system does not go on, as it has no large pages, or a collection has given
// these back.
static bool gather(const HeapRange *r)
{
    enum { PIECE = 16 * OS_LARGE_PAGE };
    bool goes_on = true;
    for (size_t at = 0; at < r->size && goes_on; at += PIECE)
        goes_on = os_gather_pages(r->start + at, MIN_OF((size_t)PIECE, r->size - at))
                  || errno == EAGAIN || errno == EBUSY; // of one page alone
    return goes_on;
}

void snapshot_prepare(Thread *self)
{
    ASSERT_MAY_GC(self);
    enum { LEAST = 256 << 20 }; // a process is made in few milliseconds below that
    HeapRange ranges[HEAP_RANGES];
    size_t size = 0;
    heap_ranges(ranges);
    for (size_t i = 0; i < HEAP_RANGES; i++)
        size += ranges[i].size;
    if (size < LEAST)
        return;
    thread_block(self);
    for (size_t i = 0; i < HEAP_RANGES && gather(&ranges[i]); i++)
        ;
    thread_unblock(self);
}

bool snapshot_begin(Snapshot *s, int fd, void (*work)(void *ctx, SnapshotEnd *end), void *ctx)
{
    ASSERT_WORLD_STOPPED();
    SnapshotEnd *end =
        mmap(NULL, sizeof *end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (end == MAP_FAILED)
        return false;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        run(parent, fd, end, work, ctx);
    int why = errno;
    *s = (Snapshot){pid, end};
    if (pid < 0)
        munmap(end, sizeof *end);
    errno = why;
    return pid > 0;
}

// ---- beside it ----

// Bytes that the process alone has: what was copied, and its own buffers.
static uint64_t private_bytes(int pid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *f = fopen(path, "re");
    uint64_t sum = 0;
    unsigned long long kib;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Private_Clean: %llu", &kib) == 1
            || sscanf(line, "Private_Dirty: %llu", &kib) == 1)
            sum += kib * 1024;
    if (f)
        fclose(f);
    return sum;
}

// Whether it ended by itself.
static bool watch(int pid, uint64_t copied_most, int *status)
{
    for (int looks = 1; waitpid(pid, status, WNOHANG) == 0; looks++) {
        if (looks % LOOKS_PER_MEASURE == 0 && private_bytes(pid) > copied_most) {
            kill(pid, SIGKILL);
            (void)waitpid(pid, status, 0);
            return false;
        }
        os_sleep_nanos(LOOK_NANOS);
    }
    return true;
}

const char *snapshot_await(Thread *self, Snapshot *s, uint64_t copied_most, SnapshotEnd *end)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(s->pid > 0 && !world_is_stopped());
    static _Thread_local char text[128];
    const char *why = NULL;
    int status = 0;
    uint64_t most = copied_most ? copied_most : os_available_memory() / 2;
    thread_block(self);
    if (!watch(s->pid, most, &status)) {
        snprintf(text, sizeof text,
                 "the program changed more than %llu MiB of memory meanwhile",
                 (unsigned long long)(most >> 20));
        why = text;
    } else if (!s->end->reached) {
        snprintf(text, sizeof text, "the process that wrote it was ended by signal %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        why = text;
    }
    thread_unblock(self);
    *end = *s->end;
    munmap(s->end, sizeof *s->end);
    *s = (Snapshot){0};
    return why;
}
