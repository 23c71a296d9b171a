// SPDX-License-Identifier: Apache-2.0
// See method_id.h. Cells come in page-sized, page-aligned blocks, so that a word can be distinguished from
// an id without reading what it points to. ids_lock is a leaf (RANK_CODE).
#include "class/method_id.h"

#include <stdlib.h>

#include "base/hash.h"
#include "platform/platform.h"

enum { BLOCK_BYTES = 4096, BLOCK_CELLS = BLOCK_BYTES / sizeof(Method *) };

typedef Method *_Atomic Cell;
static Mutex ids_lock = MUTEX_INIT(RANK_CODE);
static PtrMap blocks; // address of a block -> itself
static Cell *block;   // the newest
static size_t used = BLOCK_CELLS;

static Cell *cell_new(Method *m)
{
    if (used == BLOCK_CELLS) {
        block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
        if (!block)
            vm_exhausted("out of native memory for method ids");
        memset((void *)block, 0, BLOCK_BYTES);
        ptrmap_put(&blocks, (uintptr_t)block, block);
        used = 0;
    }
    atomic_store(&block[used], m);
    return &block[used++];
}

jmethodID method_id_slow(Method *m)
{
    if (!m)
        return NULL;
    if ((m->flags & METHOD_OLD) && !(m->flags & METHOD_OBSOLETE))
        m = method_current(m);
    jmethodID id = atomic_load_explicit(&m->id, memory_order_acquire);
    if (LIKELY(id != NULL))
        return id;
    mutex_lock(&ids_lock);
    id = atomic_load_explicit(&m->id, memory_order_relaxed);
    if (!id) {
        id = (jmethodID)(void *)cell_new(m);
        atomic_store_explicit(&m->id, (void *)id, memory_order_release);
    }
    mutex_unlock(&ids_lock);
    return id;
}

Method *method_of_id_checked(jmethodID id)
{
    uintptr_t at = (uintptr_t)id;
    if (at % sizeof(Cell))
        return NULL;
    mutex_lock(&ids_lock);
    bool known = ptrmap_get(&blocks, at & ~(uintptr_t)(BLOCK_BYTES - 1)) != NULL;
    mutex_unlock(&ids_lock);
    Method *m = known ? method_of_id(id) : NULL;
    return m && !method_is_deleted(m) ? m : NULL;
}

void method_id_forget(Method *m)
{
    Cell *cell = atomic_load(&m->id);
    if (cell && atomic_load(cell) == m)
        atomic_store(cell, NULL);
}

void method_id_move(Method *from, Method *to)
{
    Cell *cell = atomic_load(&from->id);
    if (!cell)
        return;
    method_id_forget(to);
    atomic_store(cell, to);
    atomic_store(&to->id, (void *)cell);
    atomic_store(&from->id, NULL);
}

void method_ids_forget(const Class *c)
{
    ASSERT_WORLD_STOPPED();
    for (uint32_t i = 0; i < c->method_count; i++)
        method_id_forget(class_method(c, i));
    for (uint32_t i = 0; i < c->extra_method_count; i++)
        method_id_forget(c->extra_methods[i]);
    for (OldMethod *o = c->old_methods; o; o = o->next)
        method_id_forget(&o->method);
}
