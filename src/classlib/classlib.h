// SPDX-License-Identifier: Apache-2.0
// What the VM's start needs of this layer.
#ifndef CLASSLIB_CLASSLIB_H
#define CLASSLIB_CLASSLIB_H

#include "base/strbuf.h"
#include "runtime/java.h"

// Registers the natives that the VM itself supplies (Object, Unsafe, MethodHandleNatives, Perf
// …). Before any Java code.
void classlib_register_natives(void);
void references_init(void);
// The pending reference list became non-empty: wakes JVM_WaitForReferencePendingList. World
// stopped.
void references_notify(void);
// Signal handlers of the VM (SIGSEGV and friends, SIGPIPE) and, once Java runs, the Signal
// Dispatcher thread.
void signals_init(void);
NODISCARD MAY_GC bool signals_start_dispatcher(Thread *self);
typedef struct ThreadDump { // what to tell beside stacks and locks
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

// The VM is initialised: what RuntimeMXBean calls its start.
void management_note_start(void);
// Around each collection, the world stopped: records for management, and tells who waits for it.
void management_gc_begin(void);
void management_gc_end(bool full);

#endif
