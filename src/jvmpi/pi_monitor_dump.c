// SPDX-License-Identifier: Apache-2.0
// The monitor dump: Java monitors that are owned, entered or waited on, found by the lock word of
// each object; all raw monitors; the stacks and states of all threads.
#include "jvmpi/pi_dump.h"
#include "thread/monitor.h"
#include "thread/raw_monitor.h"

static const JNIEnv *env_of(Thread *t)
{
    return t ? jni_env(t) : NULL;
}

static void put_threads(PiBytes *b, Thread **threads, size_t count)
{
    pi_put_u4(b, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        pi_put_pointer(b, env_of(threads[i]));
}

static void put_java(void *ctx, Object *o)
{
    uint64_t mark = atomic_load_explicit(&o->mark, memory_order_relaxed);
    if (MARK_STATE(mark) == MARK_UNLOCKED)
        return;
    MonitorInfo info;
    monitor_info(o, &info);
    pi_put_u1(ctx, JVMPI_MONITOR_JAVA);
    pi_put_pointer(ctx, o);
    pi_put_pointer(ctx, env_of(info.owner));
    pi_put_u4(ctx, info.entry_count);
    put_threads(ctx, info.waiters, info.waiter_count);
    put_threads(ctx, info.notify_waiters, info.notify_count);
    vm_free(info.waiters);
    vm_free(info.notify_waiters);
}

// Those of whom `waits_for` says that it is m.
static void put_raw_threads(PiBytes *b, const RawMonitor *m,
                            RawMonitor *(*waits_for)(Thread *t))
{
    VEC(Thread *) found = {0};
    THREAD_EACH(t)
    if (waits_for(t) == m)
        vec_push(&found, t);
    put_threads(b, found.at, found.len);
    vec_free(&found);
}

static RawMonitor *to_be_notified(Thread *t)
{
    return atomic_load(&t->raw_waiting_on);
}

static RawMonitor *to_enter(Thread *t)
{
    return to_be_notified(t) ? NULL : atomic_load(&t->raw_blocked_on);
}

static void put_raw(void *ctx, RawMonitor *m)
{
    pi_put_u1(ctx, JVMPI_MONITOR_RAW);
    pi_put_pointer(ctx, raw_monitor_name(m));
    pi_put_pointer(ctx, m);
    pi_put_pointer(ctx, env_of(raw_monitor_owner(m)));
    pi_put_u4(ctx, raw_monitor_entries(m));
    put_raw_threads(ctx, m, to_enter);
    put_raw_threads(ctx, m, to_be_notified);
}

bool pi_request_monitor_dump(Thread *self, PiAgent *agent, void *arg)
{
    ASSERT_MAY_GC(self);
    (void)arg;
    if (world_is_stopped())
        return false;
    PiBytes b = {0};
    pi_begin_gc_off(self);
    world_stop(self);
    heap_each_object(put_java, &b);
    raw_monitors_each(put_raw, &b);
    PiTraces traces = pi_traces_take();
    world_resume(self);
    pi_send_gc_off(self, agent,
                   &(JVMPI_Event){.event_type = JVMPI_EVENT_MONITOR_DUMP,
                                  .u.monitor_dump = {b.at, b.at + b.len, traces.count,
                                                     traces.at, traces.status}});
    pi_traces_free(&traces);
    vm_free(b.at);
    return true;
}
