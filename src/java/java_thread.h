// SPDX-License-Identifier: Apache-2.0
// The Java side of threads: java.lang.Thread objects, how they begin and end.
#ifndef JAVA_JAVA_THREAD_H
#define JAVA_JAVA_THREAD_H

#include "class/loader.h"

// Links thread.h with java.lang.Thread (status, interrupt flag, eetop) and with the visitors of frames.
void java_threads_init(void);
// The system and main thread groups and the main Thread object, for the thread that creates the VM.
NODISCARD MAY_GC bool java_thread_create_main(Thread *self);
// Gives the attached OS thread self a java.lang.Thread: name NULL "Thread-N", group NULL main.
// Posts THREAD_START; what a listener throws is pending then, with true.
NODISCARD MAY_GC bool java_thread_attach(Thread *self, const char *name, jobject group,
                                         bool daemon);
typedef enum Launch { LAUNCHED, LAUNCHED_BEFORE, LAUNCH_REFUSED } Launch; // by the system
// thread_start for a new java.lang.Thread, which is RUNNABLE from here on: whoever started it never sees it NEW.
NODISCARD MAY_GC Launch java_thread_launch(Thread *self, jobject thread, size_t stack,
                                           void (*body)(Thread *self, void *arg), void *arg);
// Thread.start0: IllegalThreadStateException, OutOfMemoryError.
MAY_GC void java_thread_start(Thread *self, jobject thread);
// A thread of the VM's own with a java.lang.Thread in the system group (Signal Dispatcher,
// Attach Listener …).
NODISCARD MAY_GC bool java_thread_start_vm(Thread *self, const char *name, int priority,
                                           void (*body)(Thread *self, void *arg), void *arg);
// The exit protocol: uncaught exception, Thread.exit, THREAD_END, TERMINATED, notifyAll.
// Afterwards the thread has no Java side.
MAY_GC void java_thread_exit(Thread *self);
// Thread.stop, JVM TI StopThread: an exception in another thread, which the caller has pinned. Sets its
// interrupt status too, as HotSpot does; what it sleeps or waits in clears that again.
MAY_GC void java_thread_stop(Thread *self, Thread *t, jobject exception);
// The java.lang.Thread of self as a local handle.
static inline jobject java_thread_current(Thread *self)
{
    return handle_new(self, deref(self->java_thread));
}
// Threads with a java.lang.Thread.
typedef struct JavaThreadCounts {
    int64_t started, live, peak, daemon;
} JavaThreadCounts;
// From any thread, attached or not, at any time. NO_GC.
void java_thread_counts(JavaThreadCounts *out);
void java_thread_reset_peak(void);
extern jobject system_thread_group, main_thread_group; // globals
// Set just before VM_INIT is posted.
extern _Atomic bool vm_initialized;

#endif
