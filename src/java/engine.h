// SPDX-License-Identifier: Apache-2.0
// What runs Java code: the interpreter, and the compiler beside it. It lies above the layers that make
// methods and call them: here is what they ask of it. That code is not valid any more, for a method, a
// field, a class or an event, is said by class/assumption.h.
#ifndef JAVA_ENGINE_H
#define JAVA_ENGINE_H

#include "class/class.h"

typedef struct Engine {
    // java_call: runs exactly m. `result` is not NULL. MAY_GC.
    bool (*call)(Thread *self, Method *m, const jvalue *args, jvalue *result);
    // The code that begins a call of a method of each MethodEntry; NULL: no method is called.
    const void *const *entries;
    // What compiled code calls for a method that was just made; NULL: nothing is compiled.
    const void *compiled_entry;
    // ---- PopFrame and Force Early Return (JVM TI); t is self or in a handshake. NO_GC ----
    // Whether either was already requested of a frame of t.
    bool (*frame_exit_is_requested)(const Thread *t);
    // The rest is about t's current frame, which is of Java code (cursor_is_current), and of which neither was requested.
    // It is popped when its thread would go on, and its call is done again. False: its caller is not Java code, or the call
    // cannot be done again.
    bool (*pop_frame)(Thread *t);
    // It returns `value`, which fits the method's result type; a reference is any handle.
    void (*force_return)(Thread *t, jvalue value);
    // Bytes of what was made of all methods' bytecodes. NO_GC.
    size_t (*code_bytes)(void);
} Engine;

// The engine of the process. NULL until it is registered.
extern const Engine *engine;
// Registers it, before the first class is defined: methods get their entries from it.
void engine_set(const Engine *e);
static inline bool engine_is_set(void)
{
    return engine != NULL;
}
// From now on a call of m begins as `kind` says: stores Method.entry_kind and, with release, Method.entry and
// Method.compiled_entry. What the code reads of m was stored before. One thread at a time for a method: it is being made, under the lock of native
// methods, or the world is stopped. NO_GC.
void method_set_entry(Method *m, MethodEntry kind);
// The same, of any thread, if its kind is `from`. False: it is not. NO_GC.
NODISCARD bool method_change_entry(Method *m, MethodEntry from, MethodEntry to);
// Lets calls of m, which has Java code, go to compiled code that begins at `start`. False: it is of another kind now. Any thread. NO_GC.
NODISCARD bool method_publish_compiled(Method *m, const void *start);

#endif
