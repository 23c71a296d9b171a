// SPDX-License-Identifier: Apache-2.0
// Failure injection: an operation of the system that the VM asks for is made to fail. In the debug
// and stress builds (PELLUCID_FAULTS) the linker sends what the VM's own code calls of the C library
// through fault.c; the JDK's libraries and agents call past it. In the other builds there is none of this.
//
//   PELLUCID_FAULT=memory:17     the 17th operation of this kind fails
//   PELLUCID_FAULT=memory:17+    and all later ones
//   PELLUCID_FAULT=memory:0      none; at the end their number is written to stderr: "fault: memory 1234"
//   PELLUCID_FAULT_SITES=1       each new stack of calls is reported with its number: "fault: site memory 17"
//
// An operation that is made to fail is reported with the addresses that led to it, within libjvm.so:
// "fault: memory 17 fails at 3f20 41b7 ...".
#ifndef PLATFORM_FAULT_H
#define PLATFORM_FAULT_H

#include "base/common.h"

#ifdef PELLUCID_FAULTS
typedef enum FaultKind {
    FAULT_MEMORY, // malloc and its kin
    FAULT_MAP,    // mmap, mremap
    FAULT_COMMIT, // mprotect
    FAULT_THREAD, // pthread_create
    FAULT_FILE,   // files, folders, sockets, libraries
    FAULT_KINDS
} FaultKind;

// From here on the n-th operation of the kind fails, and all later ones if `later`; 0: none. For
// unit tests. Any thread's operations count.
void fault_arm(FaultKind kind, uint64_t n, bool later);
#endif

#endif
