// SPDX-License-Identifier: Apache-2.0
// How the VM ends: System.exit and DestroyJavaVM meet here.
#ifndef JAVA_SHUTDOWN_H
#define JAVA_SHUTDOWN_H

#include "thread/thread.h"

// Called, last added first, when the VM ends: while Java still works (`self` attached), after
// VM_DEATH was posted.
void shutdown_add(void (*action)(Thread *self));
// Called after these, when no other thread comes to run any more: IN_VM, with the world stopped.
void shutdown_set_last(void (*action)(Thread *self));
// Called instead of these when the VM fails to start, in native state or on a thread that is not
// attached.
void shutdown_set_failure(void (*action)(void));
// Called by vm_exit when nothing but exit(3) is left to do, in native state.
void shutdown_set_exiting(void (*action)(void));
// Posts VM_DEATH and runs the actions; once; later callers wait for ever (they are frozen with
// the other threads), but for a handler or action that calls it again. MAY_GC.
MAY_GC void vm_shutdown(Thread *self);
// Ends the process: vm_shutdown, then the embedder's exit hook or exit(code). JVM_Halt.
NORETURN void vm_exit(Thread *self, int code);
// Prints "Error occurred during initialization of VM", the message (may be NULL) and the
// pending exception of `self` (may be NULL: no thread is there yet) on stdout, as HotSpot does,
// calls what shutdown_set_failure was given and ends the process with 1.
NORETURN void vm_exit_during_initialization(Thread *self, const char *message);

#endif
