// SPDX-License-Identifier: Apache-2.0
// The stack traces of throwables and threads.
#ifndef JAVA_STACKTRACE_H
#define JAVA_STACKTRACE_H

#include "class/class.h"
#include "frame/frame_cursor.h"

MAY_GC void throwable_fill_stack_trace(Thread *self, jobject throwable); // JVM_FillInStackTrace
// The method and bci of entry `i` of a throwable's backtrace; false when there is none. NO_GC.
bool throwable_frame(Object *throwable, int i, Method **m, int32_t *bci);
// The bci of a place in a version of a class that is gone: its line is unknown.
enum { TRACE_LOST = -2 };
// A place in code that stays good as long as the class does: the method's current version, and
// the version of the class that the bci is of.
typedef struct TraceEntry {
    Method *method;
    int32_t bci;
    uint32_t version;
} TraceEntry;
TraceEntry trace_entry(const FrameCursor *f); // NO_GC
// The method of that version, or the current one with *bci TRACE_LOST. NO_GC.
Method *trace_find_method(const TraceEntry *e, int32_t *bci);
// a filled StackTraceElement
NODISCARD MAY_GC jobject stack_trace_element(Thread *self, const TraceEntry *e);
MAY_GC bool stack_trace_element_fill(Thread *self, jobject element, Method *m, int32_t bci);
// Copies the places of another thread's Java frames, youngest first, hidden ones skipped; the
// thread is in a handshake or is self. NO_GC.
int thread_trace(Thread *t, int skip, int max, TraceEntry *out, bool show_hidden);

// its youngest frame was a hidden one: no helpful NPE message. NO_GC
bool throwable_top_hidden(Object *throwable);
int throwable_depth(Object *throwable); // entries of its backtrace. NO_GC

#endif
