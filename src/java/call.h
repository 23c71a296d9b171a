// SPDX-License-Identifier: Apache-2.0
// Calls of Java code from C.
#ifndef JAVA_CALL_H
#define JAVA_CALL_H

#include "class/class.h"

// The engine registers how Java code is run. args: receiver first (as .l), references as
// handles; the result's .l is a local handle.
typedef bool (*JavaCall)(Thread *self, Method *m, const jvalue *args, jvalue *result);
void java_set_engine(JavaCall call);
// Runs exactly `m`. False with the exception pending. result may be NULL.
NODISCARD MAY_GC bool java_call(Thread *self, Method *m, const jvalue *args, jvalue *result);
// Selects by the receiver args[0] first.
NODISCARD MAY_GC bool java_call_virtual(Thread *self, Method *m, const jvalue *args,
                                        jvalue *result);
// Loads, initialises, finds and calls a static method by names; for rare upcalls.
NODISCARD MAY_GC bool java_call_static(Thread *self, const char *cls, const char *name,
                                       const char *desc, const jvalue *args, jvalue *result);
bool java_engine_ready(void);

#endif
