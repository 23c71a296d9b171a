// SPDX-License-Identifier: Apache-2.0
// Stubs that call the C functions of native methods (JNI, Calling Convention of native methods). One for each shape, shared by all
// methods that have it. A shape is a text: "static" or nothing, then a descriptor with all references as L: "static(IJL)V".
//
// What a stub does: it passes the JNIEnv, the class or the receiver, and the arguments from the slots of the native frame; a reference
// goes as the address of its slot, or NULL. The thread is IN_NATIVE for the time of the call, and comes back as thread_enter_vm
// does. A stub keeps a frame pointer. The method's frame is the thread's newest one all the time: a profiler needs to know nothing
// of stubs.
#ifndef CODE_NATIVE_STUB_H
#define CODE_NATIVE_STUB_H

#include "code/code_cache.h"
#include "thread/thread.h"

// Calls fn. `cls`: the handle of the class, for static methods; else of no use. Gives the result as a slot holds it (a
// reference raw). MAY_GC: the collector runs while the thread is away.
typedef uint64_t NativeStub(Thread *self, Slot *locals, void *fn, jobject cls);

// A new stub. `returned`, if any, is called after fn, still IN_NATIVE. NULL: code_install gives none, or there is no assembler for
// this processor. Thread-safe, NO_GC.
NODISCARD const CodeBlob *native_stub_make(const char *shape, void (*returned)(Thread *self));

#endif
