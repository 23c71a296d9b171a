// SPDX-License-Identifier: Apache-2.0
// Finds Java VMs: processes that map a libjvm.so.
#ifndef LENS_DISCOVER_H
#define LENS_DISCOVER_H

#include "process.h"

typedef struct Jvm {
    Process process;
    char main[256]; // main class, jar or module
    char vm[96];    // "Pellucid", "OpenJDK 64-Bit Server VM"
    char version[64];
    char user[64];
    char library[512]; // libjvm.so, as the process sees it
    bool attachable;
    char why[256]; // why not
} Jvm;

// All Java VMs that this user may look at, by PID. To be freed.
Jvm *discover_all(uint32_t *count);
// False: `why` says why this process is none.
bool discover_one(pid_t pid, Jvm *jvm);

#endif
