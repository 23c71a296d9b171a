// SPDX-License-Identifier: Apache-2.0
// Who waits for whom among the threads: by monitors and by java.util.concurrent's ownable
// synchronizers. All with the world stopped; NO_GC.
#ifndef SERVICE_DUMP_DEADLOCK_H
#define SERVICE_DUMP_DEADLOCK_H

#include "base/vec.h"
#include "thread/thread.h"

typedef VEC(Thread *) Threads;

// The visible threads with a java.lang.Thread, oldest first; vec_free it.
Threads threads_with_java(void);
// What a thread waits for in LockSupport.park, NULL when it says nothing or does not park.
Object *thread_park_blocker(const Thread *t);
// The thread that holds an AbstractOwnableSynchronizer; NULL for other objects and free ones.
Thread *synchronizer_owner(Object *o);
// The thread that holds what t waits to get, NULL when there is none.
Thread *thread_waits_for(Thread *t, bool monitors_only);
// Calls visit for each cycle among the threads, in the order of waiting. The number of cycles.
int deadlocks_each(const Threads *threads, bool monitors_only,
                   void (*visit)(void *ctx, const Threads *cycle), void *ctx);

#endif
