// SPDX-License-Identifier: Apache-2.0
// Calls of Java code from C, which the engine runs (engine.h).
#ifndef JAVA_CALL_H
#define JAVA_CALL_H

#include "class/class.h"

// Runs exactly `m`. args: receiver first (as .l), references as handles; the result's .l is a local handle. False
// with the exception pending. result may be NULL.
NODISCARD MAY_GC bool java_call(Thread *self, Method *m, const jvalue *args, jvalue *result);
// Selects by the receiver args[0] first.
NODISCARD MAY_GC bool java_call_virtual(Thread *self, Method *m, const jvalue *args,
                                        jvalue *result);
// Loads, initialises, finds and calls a static method by names; for rare upcalls.
NODISCARD MAY_GC bool java_call_static(Thread *self, const char *cls, const char *name,
                                       const char *desc, const jvalue *args, jvalue *result);
#endif
