// SPDX-License-Identifier: Apache-2.0
// What the VM's start needs of this layer.
#ifndef CLASSLIB_CLASSLIB_H
#define CLASSLIB_CLASSLIB_H

#include "base/strbuf.h"
#include "class/loader.h"

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

#endif
