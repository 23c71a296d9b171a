// SPDX-License-Identifier: Apache-2.0
// See engine.h.
#include "java/engine.h"

const Engine *engine;

void engine_set(const Engine *e)
{
    VM_ASSERT(e && !engine);
    engine = e;
}

static Mutex entries_lock =
    MUTEX_INIT(RANK_STUBS); // method_change_entry, method_publish_compiled

// Who begins a call by `entry` goes on to `compiled_entry`, and from the engine's own one of these back to `entry`: that of compiled code is
// there before the entry that leads to it, and goes behind it.
static void set_entry(Method *m, MethodEntry kind, const void *compiled)
{
    VM_ASSERT(kind < ENTRY_COUNT);
    const void *code = engine && engine->entries ? engine->entries[kind] : NULL;
    atomic_store_explicit(&m->entry_kind, (uint8_t)kind,
                          memory_order_release); // compute (interp/compiled_call.c)
    if (kind == ENTRY_COMPILED) {
        atomic_store_explicit(&m->compiled_entry, compiled,
                              memory_order_release); // loaded by the call
        os_widen_window();
    }
    atomic_store_explicit(&m->entry, code,
                          memory_order_release); // pairs with the engine's load for a call
    if (kind != ENTRY_COMPILED)
        atomic_store_explicit(&m->compiled_entry, compiled, memory_order_release); // likewise
}

void method_set_entry(Method *m, MethodEntry kind)
{
    VM_ASSERT(kind != ENTRY_COMPILED);
    set_entry(m, kind, engine ? engine->compiled_entry : NULL);
}

bool method_publish_compiled(Method *m, const void *start)
{
    mutex_lock(&entries_lock);
    MethodEntry kind = method_entry_kind(m);
    bool is_java = kind == ENTRY_JAVA || kind == ENTRY_JAVA_COUNTED || kind == ENTRY_COMPILED;
    if (is_java)
        set_entry(m, ENTRY_COMPILED, start);
    mutex_unlock(&entries_lock);
    return is_java;
}

bool method_change_entry(Method *m, MethodEntry from, MethodEntry to)
{
    VM_ASSERT(from != to);
    mutex_lock(&entries_lock);
    bool is_from = method_entry_kind(m) == from;
    if (is_from)
        method_set_entry(m, to);
    mutex_unlock(&entries_lock);
    return is_from;
}
