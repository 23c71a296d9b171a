// SPDX-License-Identifier: Apache-2.0
// Java calls C: the functions of native methods, by a generated stub or by libffi.
#ifndef INTERP_NATIVE_CALL_H
#define INTERP_NATIVE_CALL_H

#include "class/class.h"
#include "frame/frame.h"

// Runs the native method of f, self's newest frame, whose flags and arguments are set: links it where that was not done, enters its
// monitor, posts its entry and exit, calls it, and frees its local references. False with the exception pending; else the result is
// at f->locals[0], references raw. f stays.
NODISCARD MAY_GC bool native_run(Thread *self, Frame *f);
// The rest of that where generated code has called the C function of f's method (JavaNatives.finish): `raw` is what it has left,
// `jni_frames` the length of self->jni_frames before. The handle of the class is made. Self is IN_VM but has not polled.
NODISCARD MAY_GC bool native_finish(Thread *self, Frame *f, uint64_t raw, size_t jni_frames);
// Called, where it is set, whenever a native method has returned; the thread is still in native code. Set before the first call.
extern void (*native_returned)(Thread *self);

#endif
