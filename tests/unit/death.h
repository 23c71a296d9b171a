// SPDX-License-Identifier: Apache-2.0
// Tests of what ends the process: the checks of debug builds above all. CI runs them in the
// asan build, which has those checks.
#ifndef TESTS_UNIT_DEATH_H
#define TESTS_UNIT_DEATH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vmtest.h"

// Whether the body, run in a child process, ends it by vm_fatal with a message that contains
// `text`. The child has only the thread that calls this.
__attribute__((unused)) static bool dies_saying(void (*body)(void), const char *text)
{
    char said[4096];
    int ends[2], status = 0;
    size_t len = 0;
    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], said + len, sizeof said - 1 - len)) > 0;)
        len += (size_t)n;
    close(ends[0]);
    said[len] = '\0';
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(said, text) != NULL;
}

// A check of debug builds: the body ends the process there, and passes in the others.
#ifdef PELLUCID_DEBUG
#    define EXPECT_CHECKED(body, text) EXPECT(dies_saying(body, text))
#else
#    define EXPECT_CHECKED(body, text) EXPECT(!dies_saying(body, text))
#endif

#endif
