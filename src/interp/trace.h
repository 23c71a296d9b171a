// SPDX-License-Identifier: Apache-2.0
// -XX:JitTrace=file: both engines write what the frame holds before each call and return and wherever a loop begins again, so that a run
// that interprets and one that compiles can be compared (tools/jit_compare.py, docs/TRACE.md). Traced are methods of classes that the boot
// loader has not defined; with -XX:CompileCommand=log those that it names. The interpreter has a table of handlers for it, compiled code has
// nodes (IR_Trace). Without the flag there is neither.
#ifndef INTERP_TRACE_H
#define INTERP_TRACE_H

#include "class/class.h"
#include "thread/thread.h"

// Opens the file, if the flag is given: what is wrong is said, and nothing is traced then. Once, before Java runs.
void trace_init(void);
bool trace_is_on(void);
// Whether a frame is written down before the instruction at bci. Thread-safe, NO_GC.
bool trace_wants(const Method *m, uint32_t bci);
// Writes down self's youngest frame if its place is wanted. Self's frame is saved, or stands at a site with a state. NO_GC.
void trace_youngest(Thread *self);

#endif
