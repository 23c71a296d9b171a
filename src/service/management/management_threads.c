// SPDX-License-Identifier: Apache-2.0
// The management interface's part for threads: what each does, waits for, holds, has used.
//
// A snapshot of the wanted threads is taken with the world stopped, as C data and handles; the
// java.lang.management.ThreadInfo objects are made of it when the world runs again.
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"
#include "frame/held_monitors.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/java_thread.h"
#include "java/stacktrace.h"
#include "service/dump/deadlock.h"
#include "service/management/management.h"

#define INFO        "java/lang/management/ThreadInfo"
#define THREAD      "Ljava/lang/Thread;"
#define OBJECT      "Ljava/lang/Object;"
#define INFO_PARAMS THREAD "I" OBJECT THREAD "JJJJ[Ljava/lang/StackTraceElement;"

enum { NANOS_PER_MS = 1000000 };

_Atomic bool thread_cpu_time_enabled = true, thread_allocated_memory_enabled = true;

typedef struct LockedMonitor {
    jobject object;
    int32_t depth; // of its frame; -1: entered through JNI
} LockedMonitor;
typedef struct ThreadSnapshot {
    jobject thread;  // NULL: there is none with this id
    const Thread *t; // not to be followed
    jint state;
    jobject lock, owner;
    WaitStatistics blocked, waited;
    VEC(TraceEntry) trace; // their classes are held by handles
    VEC(LockedMonitor) monitors;
    VEC(jobject) synchronizers;
} ThreadSnapshot;
typedef struct DumpOptions {
    int32_t max_depth; // of stack traces; negative: all
    bool monitors, synchronizers;
} DumpOptions;

// ---- the snapshot; world stopped ----

static WaitStatistics statistics_now(WaitStatistics w)
{
    if (w.since)
        w.nanos += os_nanos() - w.since;
    return w;
}

static jint state_of(Thread *self, Thread *t)
{
    jint state = object_get_int(deref(t->java_thread), OFF(Thread, threadStatus));
    if (t->suspended)
        state |= JMM_THREAD_STATE_SUSPENDED;
    if (t != self && atomic_load(&t->state) == THREAD_IN_NATIVE)
        state |= JMM_THREAD_STATE_NATIVE;
    return state;
}

static void snapshot_lock(Thread *self, Thread *t, ThreadSnapshot *s)
{
    uint32_t count;
    Object *o = monitor_blocked_object(t);
    if (!o)
        o = monitor_waiting_object(t);
    Thread *owner = o ? monitor_owner(o, &count) : NULL;
    if (!o) {
        o = thread_park_blocker(t);
        owner = synchronizer_owner(o);
    }
    s->lock = handle_new(self, o);
    s->owner = owner ? handle_new(self, deref(owner->java_thread)) : NULL;
}

typedef struct ShotPlace {
    Thread *self;
    ThreadSnapshot *snapshot;
} ShotPlace;

// Those of the frames that the snapshot has, and of native code.
static void snapshot_monitor(void *ctx, const HeldMonitor *m)
{
    const ShotPlace *to = ctx;
    if (!m->waiting && m->depth < (int32_t)to->snapshot->trace.len)
        vec_push(&to->snapshot->monitors,
                 ((LockedMonitor){handle_new(to->self, m->object), m->depth}));
}

static void snapshot_frame(void *ctx, const FrameCursor *f)
{
    const ShotPlace *to = ctx;
    handle_new(to->self, class_mirror(f->method->cls));
    vec_push(&to->snapshot->trace, trace_entry(f));
}

static void snapshot_stack(Thread *self, Thread *t, const DumpOptions *o, ThreadSnapshot *s)
{
    FrameCursor f = cursor_youngest(t);
    uint32_t max = o->max_depth >= 0 ? (uint32_t)o->max_depth : UINT32_MAX;
    frames_trace(&f, max, NULL, snapshot_frame, &(ShotPlace){self, s});
    if (o->monitors)
        thread_monitors_each(t, snapshot_monitor, &(ShotPlace){self, s});
}

static void snapshot_take(Thread *self, Thread *t, const DumpOptions *o, ThreadSnapshot *s)
{
    s->t = t;
    s->thread = handle_new(self, deref(t->java_thread));
    s->state = state_of(self, t);
    s->blocked = statistics_now(t->blocked);
    s->waited = statistics_now(t->waited);
    snapshot_lock(self, t, s);
    snapshot_stack(self, t, o, s);
}

typedef struct Snapshots {
    Thread *self;
    VEC(ThreadSnapshot) all;
} Snapshots;

static void note_synchronizer(void *ctx, Object *o)
{
    Snapshots *snapshots = ctx;
    const Thread *owner = synchronizer_owner(o);
    for (size_t i = 0; owner && i < snapshots->all.len; i++)
        if (snapshots->all.at[i].t == owner)
            vec_push(&snapshots->all.at[i].synchronizers, handle_new(snapshots->self, o));
}

static Thread *thread_by_tid(const Threads *threads, jlong tid)
{
    for (size_t i = 0; i < threads->len; i++)
        if (object_get_long(deref(threads->at[i]->java_thread), OFF(Thread, tid)) == tid
            && thread_of_java(deref(threads->at[i]->java_thread)) == threads->at[i])
            return threads->at[i];
    return NULL;
}

// ids NULL: all threads.
static void snapshots_take(Snapshots *snapshots, jlongArray ids, const DumpOptions *o)
{
    Thread *self = snapshots->self;
    world_stop(self);
    Threads threads = threads_with_java();
    size_t n = ids ? (size_t)array_length(deref(ids)) : threads.len;
    for (size_t i = 0; i < n; i++) {
        const jlong *tids = ids ? array_data(deref(ids)) : NULL;
        Thread *t = ids ? thread_by_tid(&threads, tids[i]) : threads.at[i];
        ThreadSnapshot snapshot = {.thread = NULL};
        if (t)
            snapshot_take(self, t, o, &snapshot);
        vec_push(&snapshots->all, snapshot);
    }
    if (o->synchronizers)
        heap_each_object(note_synchronizer, snapshots);
    world_resume(self);
    vec_free(&threads);
}

static void snapshots_free(Snapshots *snapshots)
{
    for (size_t i = 0; i < snapshots->all.len; i++) {
        vec_free(&snapshots->all.at[i].trace);
        vec_free(&snapshots->all.at[i].monitors);
        vec_free(&snapshots->all.at[i].synchronizers);
    }
    vec_free(&snapshots->all);
}

// ---- ThreadInfo ----

static jobject trace_array(Thread *self, const ThreadSnapshot *s)
{
    Class *c = class_array_of(self, CLS(StackTraceElement));
    jobject array = c ? array_new(self, c, (int32_t)s->trace.len) : NULL;
    for (size_t i = 0; array && i < s->trace.len; i++) {
        HANDLE_SCOPE(self);
        jobject e = stack_trace_element(self, &s->trace.at[i]);
        if (!e)
            return NULL;
        array_set_ref(deref(array), (int32_t)i, deref(e));
    }
    return array;
}

// monitors, depths, synchronizers: the last three arguments of the longer constructor.
static bool lock_arrays(Thread *self, const ThreadSnapshot *s, jvalue *args)
{
    Class *objects = class_array_of(self, CLS(Object));
    int32_t monitors = (int32_t)s->monitors.len, owned = (int32_t)s->synchronizers.len;
    args[0].l = objects ? array_new(self, objects, monitors) : NULL;
    args[1].l = args[0].l ? array_new(self, class_primitive_array('I'), monitors) : NULL;
    args[2].l = args[1].l ? array_new(self, objects, owned) : NULL;
    if (!args[2].l)
        return false;
    for (int32_t i = 0; i < monitors; i++) {
        array_set_ref(deref(args[0].l), i, deref(s->monitors.at[i].object));
        ((int32_t *)array_data(deref(args[1].l)))[i] = s->monitors.at[i].depth;
    }
    for (int32_t i = 0; i < owned; i++)
        array_set_ref(deref(args[2].l), i, deref(s->synchronizers.at[i]));
    return true;
}

static jobject info_make(Thread *self, const ThreadSnapshot *s, bool with_locks)
{
    HANDLE_SCOPE(self);
    bool timed = atomic_load(&thread_contention_timing);
    Class *c = loader_load(self, loader_boot, symbol_intern(INFO), true);
    jobject trace = c ? trace_array(self, s) : NULL;
    jvalue args[12] = {{.l = s->thread},
                       {.i = s->state},
                       {.l = s->lock},
                       {.l = s->owner},
                       {.j = (jlong)s->blocked.count},
                       {.j = timed ? s->blocked.nanos / NANOS_PER_MS : -1},
                       {.j = (jlong)s->waited.count},
                       {.j = timed ? s->waited.nanos / NANOS_PER_MS : -1},
                       {.l = trace}};
    if (!trace || (with_locks && !lock_arrays(self, s, args + 9)))
        return NULL;
    jobject info = object_construct(
        self, c,
        with_locks ? "(" INFO_PARAMS "[" OBJECT "[I[" OBJECT ")V" : "(" INFO_PARAMS ")V", args);
    SCOPE_RETURN(info);
}

static void infos_fill(Thread *self, const Snapshots *snapshots, bool with_locks,
                       jobjectArray infos)
{
    for (size_t i = 0; i < snapshots->all.len; i++) {
        HANDLE_SCOPE(self);
        if (!snapshots->all.at[i].thread)
            continue;
        jobject info = info_make(self, &snapshots->all.at[i], with_locks);
        if (!info)
            return;
        array_set_ref(deref(infos), (int32_t)i, deref(info));
    }
}

static bool ids_are_valid(Thread *self, jlongArray ids)
{
    const jlong *tids = array_data(deref(ids));
    for (int32_t i = 0; i < array_length(deref(ids)); i++)
        if (tids[i] <= 0) {
            throw_new(self, "java/lang/IllegalArgumentException", "Invalid thread ID entry");
            return false;
        }
    return true;
}

static jint JNICALL GetThreadInfo(JNIEnv *env, jlongArray ids, jint max_depth,
                                  jobjectArray infos)
{
    IN_VM(env);
    if (!ids || !infos) {
        throw_null(self, "java/lang/NullPointerException");
        return -1;
    }
    if (!ids_are_valid(self, ids))
        return -1;
    HANDLE_SCOPE(self);
    Snapshots snapshots = {.self = self};
    snapshots_take(&snapshots, ids, &(DumpOptions){.max_depth = max_depth});
    infos_fill(self, &snapshots, false, infos);
    snapshots_free(&snapshots);
    return 0;
}

static jobjectArray JNICALL DumpThreads(JNIEnv *env, jlongArray ids, jboolean monitors,
                                        jboolean synchronizers, jint max_depth)
{
    IN_VM(env);
    if (ids && !ids_are_valid(self, ids))
        return NULL;
    HANDLE_SCOPE(self);
    Snapshots snapshots = {.self = self};
    snapshots_take(&snapshots, ids, &(DumpOptions){max_depth, monitors, synchronizers});
    Class *c = loader_load(self, loader_boot, symbol_intern("[L" INFO ";"), true);
    jobject infos = c ? array_new(self, c, (int32_t)snapshots.all.len) : NULL;
    if (infos)
        infos_fill(self, &snapshots, true, infos);
    snapshots_free(&snapshots);
    SCOPE_RETURN(exception_pending(self) ? NULL : infos);
}

// ---- deadlocks ----

typedef struct Deadlocked {
    Thread *self;
    VEC(jobject) threads;
} Deadlocked;

static void note_cycle(void *ctx, const Threads *cycle)
{
    Deadlocked *d = ctx;
    for (size_t i = 0; i < cycle->len; i++)
        vec_push(&d->threads, handle_new(d->self, deref(cycle->at[i]->java_thread)));
}

// Thread[] of all that are in a cycle; NULL: none is.
static jobjectArray find_deadlocks(JNIEnv *env, bool monitors_only)
{
    IN_VM(env);
    HANDLE_SCOPE(self);
    Deadlocked d = {.self = self};
    world_stop(self);
    Threads threads = threads_with_java();
    deadlocks_each(&threads, monitors_only, note_cycle, &d);
    world_resume(self);
    Class *c = d.threads.len ? class_array_of(self, CLS(Thread)) : NULL;
    jobject array = c ? array_new(self, c, (int32_t)d.threads.len) : NULL;
    for (size_t i = 0; array && i < d.threads.len; i++)
        array_set_ref(deref(array), (int32_t)i, deref(d.threads.at[i]));
    vec_free(&threads);
    vec_free(&d.threads);
    SCOPE_RETURN(array);
}
static jobjectArray JNICALL FindDeadlocks(JNIEnv *env, jboolean monitors_only)
{
    return find_deadlocks(env, monitors_only);
}
static jobjectArray JNICALL FindCircularBlockedThreads(JNIEnv *env)
{
    return find_deadlocks(env, true);
}

// ---- what threads have used ----

typedef enum UsedKind { USED_CPU, USED_USER_CPU, USED_BYTES } UsedKind;

// t is self or the world is stopped.
static jlong used_by(Thread *t, UsedKind kind)
{
    switch (kind) {
    case USED_CPU: return os_thread_cpu_nanos(t->pthread);
    case USED_USER_CPU: return os_thread_user_nanos(t->os_id);
    default: return (jlong)heap_thread_allocated(&t->mutator);
    }
}

// By id, 0 the current one; -1: there is no such thread.
static jlong used_by_id(JNIEnv *env, jlong id, UsedKind kind)
{
    IN_VM(env);
    jlong used = -1;
    if (id == 0 || id == object_get_long(deref(self->java_thread), OFF(Thread, tid)))
        return used_by(self, kind);
    world_stop(self);
    Threads threads = threads_with_java();
    Thread *t = thread_by_tid(&threads, id);
    if (t && atomic_load(&t->state) != THREAD_NEW)
        used = used_by(t, kind);
    world_resume(self);
    vec_free(&threads);
    return used;
}

static void used_by_ids(JNIEnv *env, jlongArray ids, jlongArray out, UsedKind kind)
{
    IN_VM(env);
    if (!ids || !out) {
        throw_null(self, "java/lang/NullPointerException");
        return;
    }
    if (!ids_are_valid(self, ids))
        return;
    if (array_length(deref(ids)) != array_length(deref(out))) {
        throw_new(self, "java/lang/IllegalArgumentException",
                  "The length of the given long array does not match the length of "
                  "the given array of thread IDs");
        return;
    }
    world_stop(self);
    Threads threads = threads_with_java();
    const jlong *tids = array_data(deref(ids));
    for (int32_t i = 0; i < array_length(deref(ids)); i++) {
        Thread *t = thread_by_tid(&threads, tids[i]);
        if (t && atomic_load(&t->state) != THREAD_NEW)
            ((jlong *)array_data(deref(out)))[i] = used_by(t, kind);
    }
    world_resume(self);
    vec_free(&threads);
}

static jlong JNICALL GetThreadCpuTimeWithKind(JNIEnv *env, jlong id, jboolean with_system)
{
    return used_by_id(env, id, with_system ? USED_CPU : USED_USER_CPU);
}
static void JNICALL GetThreadCpuTimesWithKind(JNIEnv *env, jlongArray ids, jlongArray times,
                                              jboolean with_system)
{
    used_by_ids(env, ids, times, with_system ? USED_CPU : USED_USER_CPU);
}
static jlong JNICALL GetThreadCpuTime(JNIEnv *env, jlong id)
{
    return used_by_id(env, id, USED_CPU);
}
static jlong JNICALL GetOneThreadAllocatedMemory(JNIEnv *env, jlong id)
{
    return used_by_id(env, id, USED_BYTES);
}
static void JNICALL GetThreadAllocatedMemory(JNIEnv *env, jlongArray ids, jlongArray sizes)
{
    used_by_ids(env, ids, sizes, USED_BYTES);
}
static jlong JNICALL GetTotalThreadAllocatedMemory(JNIEnv *env)
{
    IN_VM(env);
    return (jlong)threads_allocated(self);
}

// The VM's own threads have no statistics of their own: the collector runs on the thread that allocates.
static jint JNICALL GetInternalThreadTimes(JNIEnv *env, jobjectArray names, jlongArray times)
{
    (void)env, (void)names, (void)times;
    return 0;
}

// ---- counts ----

jlong thread_attribute(JmmLongAttribute attribute)
{
    JavaThreadCounts c;
    java_thread_counts(&c);
    switch (attribute) {
    case JMM_THREAD_TOTAL_COUNT: return c.started;
    case JMM_THREAD_LIVE_COUNT: return c.live;
    case JMM_THREAD_PEAK_COUNT: return c.peak;
    case JMM_THREAD_DAEMON_COUNT: return c.daemon;
    default: return -1;
    }
}

static void reset_statistics(WaitStatistics *w, bool counts, bool times)
{
    if (counts)
        w->count = 0;
    if (!times)
        return;
    w->nanos = 0;
    w->since = w->since ? os_nanos() : 0;
}

bool reset_contention(Thread *self, jlong thread_id, bool counts, bool times)
{
    ASSERT_MAY_GC(self);
    bool found = thread_id == 0;
    world_stop(self);
    Threads threads = threads_with_java();
    for (size_t i = 0; i < threads.len; i++) {
        Thread *t = threads.at[i];
        if (thread_id && t != thread_by_tid(&threads, thread_id))
            continue;
        reset_statistics(&t->blocked, counts, times);
        reset_statistics(&t->waited, counts, times);
        found = true;
    }
    world_resume(self);
    vec_free(&threads);
    return found;
}

void management_fill_threads(JmmInterface *t)
{
    t->GetThreadInfo = GetThreadInfo;
    t->DumpThreads = DumpThreads;
    t->FindDeadlocks = FindDeadlocks;
    t->FindCircularBlockedThreads = FindCircularBlockedThreads;
    t->GetThreadCpuTime = GetThreadCpuTime;
    t->GetThreadCpuTimeWithKind = GetThreadCpuTimeWithKind;
    t->GetThreadCpuTimesWithKind = GetThreadCpuTimesWithKind;
    t->GetOneThreadAllocatedMemory = GetOneThreadAllocatedMemory;
    t->GetThreadAllocatedMemory = GetThreadAllocatedMemory;
    t->GetTotalThreadAllocatedMemory = GetTotalThreadAllocatedMemory;
    t->GetInternalThreadTimes = GetInternalThreadTimes;
}
