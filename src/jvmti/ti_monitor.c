// SPDX-License-Identifier: Apache-2.0
// Monitors of threads and objects (JVM TI, Get Owned Monitor Info, Get Current Contended
// Monitor, Get Object Monitor Usage). What a thread owns is what it has recorded
// (frame/held_monitors.h).
#include "frame/held_monitors.h"
#include "jvmti/generated/decl.h"

typedef VEC(jvmtiMonitorStackDepthInfo) OwnedList;
typedef VEC(HeldMonitor) HeldList;

static void add_owned(void *ctx, const HeldMonitor *m)
{
    if (!m->waiting)
        vec_push((HeldList *)ctx, *m);
}

// Those of a frame come from the newest to the oldest and are reported in the order they were entered.
static void reverse_each_frame(HeldList *held)
{
    for (size_t start = 0, end; start < held->len; start = end) {
        for (end = start + 1; end < held->len; end++)
            if (held->at[end].depth != held->at[start].depth)
                break;
        for (size_t i = start, j = end - 1; i < j; i++, j--) {
            HeldMonitor swapped = held->at[i];
            held->at[i] = held->at[j];
            held->at[j] = swapped;
        }
    }
}

// Whether the object of one was reported already: by a younger frame, or an earlier entry of the same.
static bool is_reported(const HeldList *held, size_t index)
{
    uint32_t entries;
    const HeldMonitor *m = &held->at[index];
    monitor_owner(m->object, &entries);
    for (size_t i = 0; entries > 1 && i < index; i++)
        if (held->at[i].object == m->object)
            return true;
    return false;
}

// The monitors of t, the youngest frame's first, native code's last.
static OwnedList find_owned(Thread *self, Thread *t)
{
    HeldList held = {0};
    OwnedList found = {0};
    thread_handshake(self, t);
    thread_monitors_each(t, add_owned, &held);
    reverse_each_frame(&held);
    for (size_t i = 0; i < held.len; i++) {
        if (is_reported(&held, i))
            continue;
        jobject monitor = handle_new(self, held.at[i].object);
        vec_push(&found, ((jvmtiMonitorStackDepthInfo){monitor, held.at[i].depth}));
    }
    thread_handshake_end(self, t);
    vec_free(&held);
    return found;
}

jvmtiError ti_GetOwnedMonitorInfo(Thread *self, TiEnv *env, Thread *thread,
                                  jint *owned_monitor_count_ptr, jobject **owned_monitors_ptr)
{
    (void)env;
    OwnedList found = find_owned(self, thread);
    jobject *monitors = ti_alloc(found.len * sizeof *monitors);
    bool given = monitors || !found.len;
    for (size_t i = 0; given && i < found.len; i++)
        monitors[i] = found.at[i].monitor;
    if (given) {
        *owned_monitor_count_ptr = (jint)found.len;
        *owned_monitors_ptr = monitors;
    }
    vec_free(&found);
    return given ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

jvmtiError ti_GetOwnedMonitorStackDepthInfo(Thread *self, TiEnv *env, Thread *thread,
                                            jint *monitor_info_count_ptr,
                                            jvmtiMonitorStackDepthInfo **monitor_info_ptr)
{
    (void)env;
    OwnedList found = find_owned(self, thread);
    jvmtiMonitorStackDepthInfo *infos = ti_alloc(found.len * sizeof *infos);
    bool given = infos || !found.len;
    for (size_t i = 0; given && i < found.len; i++)
        infos[i] = found.at[i];
    if (given) {
        *monitor_info_count_ptr = (jint)found.len;
        *monitor_info_ptr = infos;
    }
    vec_free(&found);
    return given ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

jvmtiError ti_GetCurrentContendedMonitor(Thread *self, TiEnv *env, Thread *thread,
                                         jobject *monitor_ptr)
{
    (void)env;
    thread_handshake(self, thread);
    Object *o = monitor_blocked_object(thread);
    *monitor_ptr = handle_new(self, o ? o : monitor_waiting_object(thread));
    thread_handshake_end(self, thread);
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
