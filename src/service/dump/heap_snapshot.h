// SPDX-License-Identifier: Apache-2.0
// A process that has the program's memory as it is at one moment, and writes it down while the program runs on.
#ifndef SERVICE_DUMP_HEAP_SNAPSHOT_H
#define SERVICE_DUMP_HEAP_SNAPSHOT_H

#include "thread/thread.h"

// How the work in that process ended.
typedef struct SnapshotEnd {
    bool reached;   // the work is done
    int error;      // errno, where it failed; 0: it did not
    uint64_t bytes; // written
} SnapshotEnd;

typedef struct Snapshot {
    int pid;
    SnapshotEnd *end; // shared with the process
} Snapshot;

// To be called before the world is stopped for snapshot_begin, which copies page tables: the pages of a large heap are gathered into large
// ones, where the system can. Waits in a safe state, some seconds a GB. MAY_GC.
MAY_GC void snapshot_prepare(Thread *self);
// Makes the process, which does `work` and ends. Of what the program has open it keeps `fd`. It has one thread: locks that others hold are
// never given back, so `work` must take none that a thread in a safe state may hold. It is ended with the thread that made it. World
// stopped. Whether it exists; else errno says why not. NO_GC.
bool snapshot_begin(Snapshot *s, int fd, void (*work)(void *ctx, SnapshotEnd *end), void *ctx);
// Waits for its end, in a safe state. What the program changes meanwhile is copied, page by page: where that takes more than
// `copied_most` bytes (0: half of the memory that is available now) the process is ended. NULL: *end says how the work ended; else why it
// did not: valid until the thread's next call. The world is not stopped by self. MAY_GC.
MAY_GC const char *snapshot_await(Thread *self, Snapshot *s, uint64_t copied_most,
                                  SnapshotEnd *end);

#endif
