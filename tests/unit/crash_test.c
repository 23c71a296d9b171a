// SPDX-License-Identifier: Apache-2.0
// The crash report without a Java VM: vm_fatal, and reports of processes too broken to tell
// everything. (tests/java/vm/CrashReport.java has the rest.)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vmtest.h"

#include "heap/heap_internal.h"
#include "options/options.h"
#include "service/report/crash.h"
#include "service/report/crash_internal.h"

static char errors[1 << 17], logged[1 << 20];

static void read_all(int fd, char *out, size_t size)
{
    size_t len = 0;
    for (ssize_t n; (n = read(fd, out + len, size - 1 - len)) > 0;)
        len += (size_t)n;
    out[len] = '\0';
    close(fd);
}

// Runs the body in a child process; `errors` gets its stderr, `logged` its log file. Returns
// the wait status.
static int run_child(void (*body)(void))
{
    char folder[] = "/tmp/crash_test.XXXXXX", path[128];
    int ends[2], status = -1;
    if (!mkdtemp(folder) || pipe(ends) != 0)
        return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (chdir(folder) == 0)
            body();
        _exit(0);
    }
    close(ends[1]);
    read_all(ends[0], errors, sizeof errors);
    waitpid(child, &status, 0);
    snprintf(path, sizeof path, "%s/pellucid_err_pid%d.log", folder, (int)child);
    read_all(open(path, O_RDONLY), logged, sizeof logged);
    unlink(path);
    snprintf(path, sizeof path, "%s/core", folder);
    unlink(path);
    rmdir(folder);
    return status;
}

// Whether the child aborted and left one complete report, in both places.
static void expect_report(int status)
{
    EXPECT_MSG(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %#x",
               (unsigned)status);
    char *head = strstr(errors, " ends after a fatal error in process ");
    EXPECT(head && !strstr(head + 1, " ends after a fatal error in process "));
    EXPECT(strstr(errors, "---- Heap ----")
           && strstr(errors, ".log has this report and the memory map."));
    EXPECT(strstr(logged, "---- Heap ----") && strstr(logged, "---- Memory map ----\n"));
}

static void call_fatal(void)
{
    crash_init();
    vm_fatal("the reason is %d", 7);
}

TEST(vm_fatal)
{
    expect_report(run_child(call_fatal));
    EXPECT(strncmp(errors, "pellucid: the reason is 7\n", 26) == 0);
    EXPECT(strstr(logged,
                  "# SIGABRT (signal 6, code -6): abort\n# Internal error: the reason is 7\n"));
    EXPECT(strstr(logged, " call_fatal+0x")
           && strstr(logged, "which is not attached to the VM"));
}

// The address sanitizer takes faults itself; the thread sanitizer delays signals while a lock is waited for.
#if !defined(UNDER_ASAN) && !defined(__SANITIZE_THREAD__)

static void hook(void)
{
    crash_emit("the hook\n");
    *(volatile int *)NULL = 1;
}

static void corrupt(void)
{
    crash_init();
    threads_first = (Thread *)8;
    vm_options.java_home = (char *)16;
    vm_options.abort_hook = hook;
    kill(getpid(), SIGSEGV);
}

TEST(faults_while_reporting)
{
    expect_report(run_child(corrupt));
    EXPECT(strstr(errors, "---- All threads")
           && strstr(errors, "[a further fault here: this part is cut short]\n\n---- VM ----"));
    EXPECT(strstr(errors, "[a further fault here: this part is cut short]\n\n---- Heap ----"));
    EXPECT(strstr(errors, "the hook\n\n[a further fault here"));
}

static void hold_lock(void)
{
    crash_init();
    pthread_mutex_lock(&heap.lock.m);
    __builtin_trap();
}

TEST(no_progress)
{
    expect_report(run_child(hold_lock));
    EXPECT(strstr(errors, "# SIGILL (signal 4,") && strstr(errors, " hold_lock+0x"));
    EXPECT(strstr(errors, "---- Heap ----\n\n[no progress here: this part is cut short]\n"));
}

static void run_over(void)
{
    crash_init();
    char *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page, 4096);
    ((void (*)(void))(uintptr_t)page)();
    crash_emit(" "); // no tail call
}

TEST(call_of_unmapped_code)
{
    expect_report(run_child(run_over));
    EXPECT(strstr(errors, "---- Native stack") && strstr(errors, " run_over+0x"));
}

#endif
