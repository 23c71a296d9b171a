// SPDX-License-Identifier: Apache-2.0
// Java calls C: the functions of native methods, by a generated stub or by libffi.
#ifndef INTERP_NATIVE_CALL_H
#define INTERP_NATIVE_CALL_H

#include "class/class.h"
#include "frame/frame.h"

// Calls the native function of the method of f, self's newest frame, with f->locals; links it first where that was not done. False with
// the exception pending; *result holds the value, references raw. MAY_GC.
NODISCARD MAY_GC bool native_invoke(Thread *self, Frame *f, Slot *result);
// Called, where it is set, whenever a native method has returned; the thread is still in native code. Set before the first call.
extern void (*native_returned)(Thread *self);

#endif
