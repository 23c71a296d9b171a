// SPDX-License-Identifier: Apache-2.0
// The heap written to a file in the binary HPROF format 1.0.2: classes, objects, roots, stacks.
// jmap -dump, GC.heap_dump, HotSpotDiagnosticMXBean.dumpHeap, -XX:+HeapDumpOnOutOfMemoryError.
#ifndef SERVICE_DUMP_HEAP_DUMP_H
#define SERVICE_DUMP_HEAP_DUMP_H

#include "base/strbuf.h"
#include "service/dump/hprof_output.h"
#include "thread/thread.h"

typedef struct HeapDumpOptions {
    HprofTarget to;
    bool live;            // collect first, so that only what is reachable is written
    bool snapshot;        // by a process of its own, while the program runs on
    uint64_t copied_most; // bytes, for a snapshot: snapshot_await
} HeapDumpOptions;
typedef struct HeapDumpResult {
    bool created;
    uint64_t bytes; // of the file
    double seconds;
    double
        stopped; // of a snapshot: seconds in which the program stood still; 0: of another dump, or none
} HeapDumpResult;
// Stops the world while it writes, or for a snapshot while that begins. NULL on success, else what the system says ("File exists"): valid
// until the thread's next call; what was written then stays. *result comes zeroed. MAY_GC.
MAY_GC const char *heap_dump_write_as(Thread *self, const HeapDumpOptions *options,
                                      HeapDumpResult *result);
// HotSpot's line on how that ended, and one on a snapshot. NO_GC.
void heap_dump_describe(const char *path, const char *error, const HeapDumpResult *result,
                        StrBuf *out);
// Plain, refusing an existing file; with -XX:+HeapDumpSnapshot a snapshot.
MAY_GC const char *heap_dump_write(Thread *self, const char *path, bool live);
// The dumps that flags ask for, with HotSpot's lines on stdout: into -XX:HeapDumpPath or
// java_pid<pid>.hprof; with -XX:+HeapDumpSnapshot snapshots. The second and later ones of the process get a number: .hprof.1
MAY_GC void heap_dump_by_flag(Thread *self);

#endif
