// SPDX-License-Identifier: Apache-2.0
// See engine.h.
#include "java/engine.h"

const Engine *engine;

void engine_set(const Engine *e)
{
    VM_ASSERT(e && !engine);
    engine = e;
}

static Mutex entries_lock = MUTEX_INIT(RANK_STUBS); // method_change_entry

void method_set_entry(Method *m, MethodEntry kind)
{
    VM_ASSERT(kind < ENTRY_COUNT);
    const void *code = engine && engine->entries ? engine->entries[kind] : NULL;
    const void *compiled = engine ? engine->compiled_entry : NULL;
    atomic_store_explicit(&m->entry_kind, (uint8_t)kind,
                          memory_order_release); // compute (interp/compiled_call.c)
    atomic_store_explicit(&m->entry, code,
                          memory_order_release); // pairs with the engine's load for a call
    atomic_store_explicit(&m->compiled_entry, compiled, memory_order_release); // likewise
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
