// SPDX-License-Identifier: Apache-2.0
// Native methods: found, bound, wrapped; those that the VM supplies.
#ifndef LINK_NATIVE_H
#define LINK_NATIVE_H

#include "class/class.h"

// Finds the C function of a native method (JNI naming, libjava, ClassLoader.findNative, VM's own).
// UnsatisfiedLinkError when absent. Posts NATIVE_BIND.
NODISCARD MAY_GC void *native_link(Thread *self, Method *m);
// The VM's own natives: class, method, descriptor (NULL: any) -> function. Rows of spec tables;
// registered at start, found before dlsym.
typedef struct VmNative {
    const char *cls, *name, *desc;
    void *fn;
} VmNative;
void native_register_vm(const VmNative *rows, size_t count);
// What a short native of the class library does, on the slots of its arguments; the result goes to args[0]. NO_GC, does not throw or
// block. False: the native method is to be called instead (args are as they were).
typedef bool Intrinsic(Thread *self, const Method *m, Slot *args);
typedef struct IntrinsicRow {
    const char *cls, *name, *desc;
    Intrinsic *intrinsic;
} IntrinsicRow;
// Registered at start. A method gets its intrinsic when it is bound to a function of the VM or of libjava, and loses it when an agent or
// RegisterNatives puts another in its place.
void native_register_intrinsics(const IntrinsicRow *rows, size_t count);
// Registered at start: methods of the class library, Java or native, that the VM always computes itself, as HotSpot's interpreter does.
// A call pushes no frame and posts no event, whatever an agent binds, unless the intrinsic declines.
void native_register_always_intrinsic(const IntrinsicRow *rows, size_t count);
// The intrinsic of such a method, NULL of others. Takes RANK_RESOLVE.
Intrinsic *native_always_intrinsic(const Method *m);
// The native method of c that a method under its unprefixed name wraps, by the prefixes of agents;
// NULL: none. NO_GC.
Method *native_find_prefixed(const Class *c, const Method *wrapper);
// The native method of c that has the name of `left`, which is no native one any more, with the prefixes of agents or
// without; NULL: none. NO_GC.
Method *native_find_successor(const Class *c, const Method *left);
void native_set_library(void *libjava); // where boot natives are looked up first
// JVM TI SetNativeMethodPrefixes, outermost last
void native_set_prefixes(const char *const *prefixes, int count);
// Binds a native method to a function: posts NATIVE_BIND (a listener may replace it), stores
// and returns what is to be called. MAY_GC.
MAY_GC void *native_bind(Thread *self, Method *m, void *fn);
// The next call links it again. MAY_GC.
MAY_GC void native_unbind(Thread *self, Method *m);
// Asked last, for names no library has: agents' libraries. NULL: not found.
void native_set_agent_lookup(void *(*lookup)(const char *name));

#endif
