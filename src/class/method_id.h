// SPDX-License-Identifier: Apache-2.0
// jmethodIDs. An id is the address of a cell that holds the Method *; the cell outlives the class
// and is empty from then on, so a stale id is recognized. Cells are made on demand and never freed.
#ifndef CLASS_METHOD_ID_H
#define CLASS_METHOD_ID_H

#include <jni.h>

#include "class/class.h"

// The id of a method, always the same; NULL for NULL. Thread-safe, also with the world stopped.
// NO_GC.
jmethodID method_id_slow(Method *m);
static inline jmethodID method_id(Method *m)
{
    jmethodID id = LIKELY(m && !(m->flags & METHOD_OLD))
                       ? atomic_load_explicit(&m->id, memory_order_acquire) // as it is stored
                       : NULL;
    return LIKELY(id != NULL) ? id : method_id_slow(m);
}
// The method of a valid id, which may be a deleted one. NULL when its class was unloaded, or it was
// an obsolete one of a version that is gone.
static inline Method *method_of_id(jmethodID id)
{
    return atomic_load_explicit((Method * _Atomic *)(void *)id, memory_order_relaxed);
}
// The method of any word that an agent takes for an id: NULL when it is none, or stale, or that of a
// deleted method. NO_GC.
Method *method_of_id_checked(jmethodID id);
// Empties the ids of a class that is unloaded, the id of a method that is freed. World stopped.
void method_ids_forget(const Class *c);
void method_id_forget(Method *m);
// Makes the id of `from`, if it has one, that of `to`. World stopped.
void method_id_move(Method *from, Method *to);

#endif
