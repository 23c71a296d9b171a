// SPDX-License-Identifier: Apache-2.0
// What the VM's start needs of this layer.
#ifndef CLASSLIB_CLASSLIB_H
#define CLASSLIB_CLASSLIB_H

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
// The dump that SIGQUIT prints: every thread with its Java stack and locks, in HotSpot's layout.
MAY_GC void print_thread_dump(Thread *self, void (*print)(void *ctx, const char *text),
                              void *ctx);

// The VM is initialised: what RuntimeMXBean calls its start.
void management_note_start(void);
// Around each collection, the world stopped: records for management, and tells who waits for it.
void management_gc_begin(void);
void management_gc_end(bool full);

#endif
