// SPDX-License-Identifier: Apache-2.0
// The VM's functions that compiled code calls (JavaRuntime of code/java_stubs.h). `outgoing` has their arguments.
#ifndef JIT_RUNTIME_H
#define JIT_RUNTIME_H

#include "class/class.h"
#include "code/java_stubs.h"

// Whether objects are taken from the thread's buffer by compiled code: heap_alloc_fast fails always in the stress build.
#ifdef PELLUCID_GC_STRESS
enum { ALLOCATES_INLINE = 0 };
#else
enum { ALLOCATES_INLINE = 1 };
#endif

// A new object of Class outgoing[0]; 0 with the exception pending. MAY_GC.
MAY_GC uint64_t runtime_new(Thread *self, uint64_t *outgoing);
// A new array of Class outgoing[0], of length outgoing[1]. Likewise.
MAY_GC uint64_t runtime_new_array(Thread *self, uint64_t *outgoing);

// A new array of Class outgoing[0] with outgoing[1] lengths, from outgoing[2] on. Likewise.
MAY_GC uint64_t runtime_new_multi(Thread *self, uint64_t *outgoing);

// Throw as an instruction does that a null reference came to, a divisor 0, index outgoing[0] of an array of length outgoing[1], length
// outgoing[0] of an array to be made, a cast of object outgoing[0] to Class outgoing[1]. MAY_GC.
MAY_GC uint64_t runtime_throw_null(Thread *self, uint64_t *outgoing);
MAY_GC uint64_t runtime_throw_zero(Thread *self, uint64_t *outgoing);
MAY_GC uint64_t runtime_throw_index(Thread *self, uint64_t *outgoing);
MAY_GC uint64_t runtime_throw_size(Thread *self, uint64_t *outgoing);
MAY_GC uint64_t runtime_throw_cast(Thread *self, uint64_t *outgoing);

// Enters or exits the monitor of object outgoing[0], as MonitorEnter and MonitorExit say. 0 with the exception pending and, if it was
// to be entered, nothing entered. MAY_GC.
MAY_GC uint64_t runtime_enter_monitor(Thread *self, uint64_t *outgoing);
MAY_GC uint64_t runtime_exit_monitor(Thread *self, uint64_t *outgoing);

// Whether Class outgoing[0] is Class outgoing[1] or below it. NO_GC.
uint64_t runtime_is_subclass(Thread *self, uint64_t *outgoing);

// Post BREAKPOINT, FIELD_ACCESS and FIELD_MODIFY: self comes to Insn outgoing[REPORT_INSN] of Method outgoing[REPORT_METHOD];
// of an access come its field, the object, or the class's mirror, and the value to be stored. 0 with the exception pending. MAY_GC.
enum { REPORT_METHOD, REPORT_INSN, REPORT_FIELD, REPORT_OBJECT, REPORT_VALUE };
MAY_GC uint64_t runtime_breakpoint(Thread *self, uint64_t *outgoing);
MAY_GC uint64_t runtime_get_watched(Thread *self, uint64_t *outgoing);
MAY_GC uint64_t runtime_put_watched(Thread *self, uint64_t *outgoing);

// -XX:JitTrace: writes down self's youngest frame, a compiled one. NO_GC.
uint64_t runtime_trace(Thread *self, uint64_t *outgoing);

// ---- calls of interface methods ----

// What a class has for a method of an interface. Constant; freed with neither.
typedef struct InterfaceFound {
    uint32_t klass; // as in objects
    Method *selected;
} InterfaceFound;
// Of a call: for each value of some bits of the class, the last that was selected there, or one of no class. Read by compiled code without
// a lock: words that change as a whole, and what they name is constant.
enum { CACHE_ENTRIES = 8, CACHE_SHIFT = 6 }; // classes are some 512 bytes apart
typedef struct InterfaceCache {
    const InterfaceFound *_Atomic found[CACHE_ENTRIES]; // by interface_cache_index
    Method *method;                                     // what is called
    struct InterfaceCache *next, *prev;
} InterfaceCache;
static inline uint32_t interface_cache_index(uint32_t klass)
{
    return klass >> CACHE_SHIFT & (CACHE_ENTRIES - 1);
}
// Thread-safe, NO_GC.
InterfaceCache *interface_cache_new(const Method *m);
// From now on it forgets classes that are unloaded: before code is run that has it.
void interface_cache_keep(InterfaceCache *c);
// Of one that is kept; no thread runs its code any more.
void interface_cache_free(InterfaceCache *c);
// The method for the receiver in the register of the first argument, the InterfaceCache being in that of results; fills the
// cache. 0 with the exception pending. MAY_GC then: no argument is needed any more.
MAY_GC uint64_t runtime_select(Thread *self, uint64_t *outgoing);
void runtime_init(void);

#endif
