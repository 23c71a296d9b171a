// SPDX-License-Identifier: Apache-2.0
// Monitors of threads and objects (JVM TI, Get Owned Monitor Info, Get Current Contended
// Monitor, Get Object Monitor Usage). What a thread owns is found through what its frames refer
// to: a monitor entered by code is held in a local variable or is that of a synchronized
// method; those entered through JNI are in the thread's list.
#include <stdlib.h>

#include "interp/interp.h"
#include "jvmti/generated/decl.h"
#include "thread/monitor.h"

typedef struct Owned {
    Thread *self, *owner;
    TiHandles found;
} Owned;

static void add_if_owned(Owned *owned, Object *o)
{
    uint32_t count;
    if (!o || monitor_owner(o, &count) != owned->owner)
        return;
    for (size_t i = 0; i < owned->found.len; i++)
        if (deref(owned->found.at[i]) == o)
            return;
    vec_push(&owned->found, handle_new(owned->self, o));
}

static void visit_slot(void *ctx, Object **slot)
{
    add_if_owned(ctx, *slot);
}

enum { MONITORS_MAX = 64 }; // of one frame

// Those of the youngest frame first; in each in the order they were entered. IN: the thread is
// held or self.
static void find_owned(Owned *owned)
{
    for (const Frame *f = frame_first(owned->owner->frame); f; f = frame_older((Frame *)f)) {
        Object *objects[MONITORS_MAX];
        int n = frame_monitors(owned->owner, f, objects, MONITORS_MAX);
        for (int i = 0; i < n; i++)
            add_if_owned(owned, objects[i]);
        add_if_owned(owned, f->sync); // while the entering of it is told
    }
    thread_hooks.visit_frames(owned->owner, visit_slot, owned);
    for (size_t i = 0; i < owned->owner->jni_monitors.len; i++)
        add_if_owned(owned, deref(owned->owner->jni_monitors.at[i]));
}

jvmtiError ti_GetOwnedMonitorInfo(Thread *self, TiEnv *env, Thread *thread,
                                  jint *owned_monitor_count_ptr, jobject **owned_monitors_ptr)
{
    (void)env;
    Owned owned = {.self = self, .owner = thread};
    thread_hold(self, thread);
    find_owned(&owned);
    thread_release(self, thread);
    return ti_give_list(&owned.found, owned_monitor_count_ptr, owned_monitors_ptr);
}

// ---- which frame entered it ----
static bool frame_entered(const Thread *t, const Frame *f, const Object *o)
{
    Object *objects[MONITORS_MAX];
    for (int i = frame_monitors(t, f, objects, MONITORS_MAX); i-- > 0;)
        if (objects[i] == o)
            return true;
    return false;
}

static bool entered_through_jni(const Thread *t, const Object *o)
{
    for (size_t i = 0; i < t->jni_monitors.len; i++)
        if (deref(t->jni_monitors.at[i]) == o)
            return true;
    return false;
}

// In MonitorContendedEntered the current frame owns o, but stands before what enters it.
static bool is_entering(const Thread *t, const Frame *top, const Object *o)
{
    return top && (!(top->flags & FRAME_NATIVE) || top->sync == o)
           && !entered_through_jni(t, o);
}

// The depth of the youngest frame that entered the monitor of o; -1: entered through JNI.
static jint depth_of_entry(const Thread *t, const Object *o)
{
    jint depth = 0;
    for (Frame *f = frame_first(t->frame); f; f = frame_older(f), depth++)
        if (frame_entered(t, f, o))
            return depth;
    return is_entering(t, frame_first(t->frame), o) ? 0 : -1;
}

static int by_depth(const void *a, const void *b)
{
    jint x = ((const jvmtiMonitorStackDepthInfo *)a)->stack_depth,
         y = ((const jvmtiMonitorStackDepthInfo *)b)->stack_depth;
    return (uint32_t)x < (uint32_t)y ? -1 : (uint32_t)x > (uint32_t)y; // -1 last
}

jvmtiError ti_GetOwnedMonitorStackDepthInfo(Thread *self, TiEnv *env, Thread *thread,
                                            jint *monitor_info_count_ptr,
                                            jvmtiMonitorStackDepthInfo **monitor_info_ptr)
{
    (void)env;
    Owned owned = {.self = self, .owner = thread};
    thread_hold(self, thread);
    find_owned(&owned);
    size_t n = owned.found.len;
    jvmtiMonitorStackDepthInfo *infos = ti_alloc(n * sizeof *infos);
    for (size_t i = 0; infos && i < n; i++)
        infos[i] = (jvmtiMonitorStackDepthInfo){
            owned.found.at[i], depth_of_entry(thread, deref(owned.found.at[i]))};
    thread_release(self, thread);
    vec_free(&owned.found);
    if (n && !infos)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    if (n)
        qsort(infos, n, sizeof *infos, by_depth);
    *monitor_info_count_ptr = (jint)n;
    *monitor_info_ptr = infos;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetCurrentContendedMonitor(Thread *self, TiEnv *env, Thread *thread,
                                         jobject *monitor_ptr)
{
    (void)env;
    thread_hold(self, thread);
    Object *o = monitor_blocked_object(thread);
    *monitor_ptr = handle_new(self, o ? o : monitor_waiting_object(thread));
    thread_release(self, thread);
    return JVMTI_ERROR_NONE;
}

static jthread *give_threads(Thread *self, Thread *const *threads, size_t count)
{
    jthread *out = ti_alloc(count * sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        out[i] = handle_new(self, deref(threads[i]->java_thread));
    return out;
}

jvmtiError ti_GetObjectMonitorUsage(Thread *self, TiEnv *env, jobject object,
                                    jvmtiMonitorUsage *info_ptr)
{
    (void)env;
    MonitorInfo info;
    world_stop(self);
    monitor_info(deref(object), &info);
    *info_ptr = (jvmtiMonitorUsage){
        .owner = info.owner ? handle_new(self, deref(info.owner->java_thread)) : NULL,
        .entry_count = (jint)info.entry_count,
        .waiter_count = (jint)(info.waiter_count + info.notify_count),
        .notify_waiter_count = (jint)info.notify_count,
    };
    size_t count = info.waiter_count + info.notify_count;
    Thread **all = vm_malloc((count + 1) * sizeof(Thread *));
    if (info.waiter_count)
        memcpy(all, info.waiters, info.waiter_count * sizeof(Thread *));
    if (info.notify_count)
        memcpy(all + info.waiter_count, info.notify_waiters,
               info.notify_count * sizeof(Thread *));
    info_ptr->waiters = give_threads(self, all, count);
    info_ptr->notify_waiters = give_threads(self, info.notify_waiters, info.notify_count);
    bool given =
        (info_ptr->waiters || !count) && (info_ptr->notify_waiters || !info.notify_count);
    world_resume(self);
    vm_free(all);
    vm_free(info.waiters);
    vm_free(info.notify_waiters);
    return given ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}
