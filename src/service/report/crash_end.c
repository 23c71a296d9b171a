// SPDX-License-Identifier: Apache-2.0
// What the crash report says of the time before and after it: the latest events; whether there will
// be a core dump; the commands of -XX:OnError.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command_list.h"
#include "base/recent.h"
#include "options/options.h"
#include "service/report/crash_internal.h"

void crash_print_recent(void *unused)
{
    (void)unused;
    static char line[RECENT_LINE];
    for (int i = 0; i < RECENT_LOGS; i++) {
        size_t count = recent_count(i);
        crash_emit("%s (%zu events):\n%s", recent_title(i), count, count ? "" : "No events\n");
        for (size_t k = 0; k < count; k++)
            if (recent_line(i, k, line))
                crash_emit("%s\n", line);
        crash_emit("\n");
    }
}

// ---- the core dump ----

// Where the system puts it, from /proc/sys/kernel/core_pattern.
static void emit_core_place(void)
{
    static char pattern[256], folder[1024];
    int fd = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, pattern, sizeof pattern - 1) : 0;
    pattern[MAX_OF(n, 0)] = '\0';
    pattern[strcspn(pattern, "\n")] = '\0';
    close(fd);
    if (!getcwd(folder, sizeof folder))
        folder[0] = '\0';
    if (pattern[0] == '|')
        crash_emit("Core dumps may be processed with \"%s\" (or dumping to %s/core.%d)",
                   pattern + 1, folder, (int)getpid());
    else if (pattern[0] == '/')
        crash_emit("%s", pattern);
    else
        crash_emit("%s/%s", folder, pattern);
}

void crash_print_core(void *unused)
{
    (void)unused;
    struct rlimit limit;
    if (!vm_options.core_on_crash) {
        crash_emit("# CreateCoredumpOnCrash turned off, no core file dumped\n#\n");
    } else if (getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur == 0) {
        crash_emit(
            "# No core dump will be written. Core dumps have been disabled. To enable core "
            "dumping, try \"ulimit -c unlimited\" before starting Java again\n#\n");
    } else {
        crash_emit("# Core dump will be written. Default location: ");
        emit_core_place();
        if (limit.rlim_cur != RLIM_INFINITY)
            crash_emit(
                " (max size %llu k). To ensure a full core dump, try \"ulimit -c unlimited\" "
                "before starting Java again",
                (unsigned long long)limit.rlim_cur >> 10);
        crash_emit("\n#\n");
    }
}

// ---- commands ----

// The allocator may be broken: no posix_spawn, no handlers of fork.
static void run_command(const char *command)
{
    sigset_t none;
    pid_t child = vfork();
    if (child == 0) {
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

void crash_run_commands(void *unused)
{
    (void)unused;
    static char command[4096];
    const char *list = vm_options.on_error;
    if (!list || !*list)
        return;
    crash_emit("#\n# -XX:OnError=\"%s\"\n", list);
    while (command_list_next(&list, command, sizeof command)) {
        crash_emit("#   Executing /bin/sh -c \"%s\" ...\n", command);
        alarm(0); // a debugger takes its time
        run_command(command);
    }
}
