// SPDX-License-Identifier: Apache-2.0
// See deadlock.h.
#include "service/dump/deadlock.h"

#include "class/loader.h"
#include "class/vm_classes.h"
#include "thread/monitor.h"

Threads threads_with_java(void)
{
    Threads threads = {0};
    THREAD_EACH(t)
    if (deref(t->java_thread) && !t->hidden)
        vec_push(&threads, t);
    return threads;
}

Object *thread_park_blocker(const Thread *t)
{
    Object *o = deref(t->java_thread);
    int status = o ? object_get_int(o, OFF(Thread, threadStatus)) : 0;
    bool parked = status == STATUS_PARKED || status == STATUS_PARKED_TIMED;
    return parked ? object_get_ref(o, OFF(Thread, parkBlocker)) : NULL;
}

Thread *synchronizer_owner(Object *o)
{
    Class *c = CLS(AbstractOwnableSynchronizer);
    if (!o || !c || !object_is_instance(o, c))
        return NULL;
    return thread_of_java(
        object_get_ref(o, OFF(AbstractOwnableSynchronizer, exclusiveOwnerThread)));
}

Thread *thread_waits_for(Thread *t, bool monitors_only)
{
    uint32_t count;
    Object *o = monitor_blocked_object(t);
    Thread *owner = o               ? monitor_owner(o, &count)
                    : monitors_only ? NULL
                                    : synchronizer_owner(thread_park_blocker(t));
    return owner && deref(owner->java_thread) ? owner : NULL;
}

static bool holds(const Threads *threads, const Thread *t)
{
    for (size_t i = 0; i < threads->len; i++)
        if (threads->at[i] == t)
            return true;
    return false;
}

// The part of a path of waiting threads that begins with t.
static Threads cycle_of(const Threads *path, const Thread *t)
{
    Threads cycle = {0};
    for (size_t i = 0; i < path->len; i++)
        if (cycle.len || path->at[i] == t)
            vec_push(&cycle, path->at[i]);
    return cycle;
}

int deadlocks_each(const Threads *threads, bool monitors_only,
                   void (*visit)(void *ctx, const Threads *cycle), void *ctx)
{
    Threads known = {0};
    int found = 0;
    for (size_t i = 0; i < threads->len; i++) {
        Threads path = {0};
        Thread *t = threads->at[i];
        for (; t && !holds(&path, t) && !holds(&known, t);
             t = thread_waits_for(t, monitors_only))
            vec_push(&path, t);
        if (t && holds(&path, t)) {
            Threads cycle = cycle_of(&path, t);
            visit(ctx, &cycle);
            vec_free(&cycle);
            found++;
        }
        for (size_t k = 0; k < path.len; k++)
            vec_push(&known, path.at[k]);
        vec_free(&path);
    }
    vec_free(&known);
    return found;
}
