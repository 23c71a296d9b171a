// SPDX-License-Identifier: Apache-2.0
// What /proc tells of a process.
#ifndef LENS_PROCESS_H
#define LENS_PROCESS_H

#include "base.h"

#include <sys/types.h>

typedef struct Process {
    pid_t pid;
    pid_t inner_pid; // its number in its innermost PID namespace
    uid_t uid;       // effective
    gid_t gid;
    uint64_t
        start; // clock ticks since boot (field 22 of stat): with the PID it names a process for good
    uint64_t started;  // ms since 1970
    bool has_ended;    // a zombie: its parent has not looked yet
    bool catches_quit; // SIGQUIT has a handler
    bool same_mounts;  // it sees the files that we see
} Process;

// False: there is none, or it may not be looked at.
bool process_read(pid_t pid, Process *process);
// The same process still runs.
bool process_is(const Process *process);
// A whole small file of /proc/PID/; NULL if it cannot be read. To be freed. A NUL follows.
char *process_file(pid_t pid, const char *name, size_t *length);
// The path of a file as the process sees it, from here: /proc/PID/root/path.
char *process_path(const Process *process, const char *path);
// Maps a file whose name ends with /name. The path is copied where `path` is not NULL.
bool process_maps(pid_t pid, const char *name, char *path, size_t room);
uint32_t processor_count(void);

#endif
