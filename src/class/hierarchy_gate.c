// SPDX-License-Identifier: Apache-2.0
// See hierarchy_gate.h.
#include "class/hierarchy_gate.h"

static Mutex gate_lock = MUTEX_INIT(RANK_REDEFINE);
static Cond gate_cond = {PTHREAD_COND_INITIALIZER};
static int readers, changes; // gate_lock

bool hierarchy_begin_reading(void)
{
    mutex_lock(&gate_lock);
    bool may = changes == 0;
    readers += may;
    mutex_unlock(&gate_lock);
    return may;
}

void hierarchy_end_reading(void)
{
    mutex_lock(&gate_lock);
    VM_ASSERT(readers > 0);
    if (--readers == 0)
        cond_broadcast(&gate_cond);
    mutex_unlock(&gate_lock);
}

void hierarchy_begin_change(Thread *self)
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    thread_lock(self, &gate_lock);
    changes++;
    while (readers)
        thread_cond_wait(self, &gate_cond, &gate_lock, -1);
    mutex_unlock(&gate_lock);
}

void hierarchy_end_change(void)
{
    mutex_lock(&gate_lock);
    VM_ASSERT(changes > 0 && readers == 0);
    changes--;
    mutex_unlock(&gate_lock);
}
