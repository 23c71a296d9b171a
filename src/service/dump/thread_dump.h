// SPDX-License-Identifier: Apache-2.0
// The thread dump (SIGQUIT, jstack, Thread.print) and what it says of the heap.
#ifndef SERVICE_DUMP_THREAD_DUMP_H
#define SERVICE_DUMP_THREAD_DUMP_H

#include "base/strbuf.h"
#include "thread/thread.h"

typedef struct ThreadDump { // what to print beside stacks and locks
    bool synchronizers;     // java.util.concurrent's locks that each thread holds
    bool extended;          // what it allocated, the classes it defined
    bool heap;
} ThreadDump;
// Every thread with its Java stack and locks, and deadlocks, in HotSpot's layout.
MAY_GC void dump_threads(Thread *self, ThreadDump what, StrBuf *sb);
// As SIGQUIT wants it.
MAY_GC void dump_threads_to_stdout(Thread *self);
// The spaces of the heap, in the layout of HotSpot's serial collector. NO_GC.
void describe_heap(StrBuf *sb);

#endif
