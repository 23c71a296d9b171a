// SPDX-License-Identifier: Apache-2.0
// The thread dump of SIGQUIT, jstack and Thread.print, in HotSpot's form: each thread with its
// stack and locks, the deadlocks among them, the heap. Made with the world stopped, printed when
// it runs again.
#include <time.h>

#include "base/output.h"
#include "base/strbuf.h"
#include "class/metadata.h"
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"
#include "frame/held_monitors.h"
#include "java/describe.h"
#include "java/java_thread.h"
#include "java/string.h"
#include "options/options.h"
#include "service/dump/deadlock.h"
#include "service/dump/thread_dump.h"

static const char *status_text(const Thread *t, int status)
{
    bool waits = atomic_load(&t->state) == THREAD_WAITING;
    switch (status) {
    case STATUS_RUNNABLE:
        return t->initializing ? "in Object.wait()"
               : waits         ? "waiting on condition"
                               : "runnable";
    case STATUS_SLEEPING: return "waiting on condition";
    case STATUS_WAITING:
    case STATUS_WAITING_TIMED: return "in Object.wait()";
    case STATUS_PARKED:
    case STATUS_PARKED_TIMED: return "waiting on condition";
    case STATUS_BLOCKED: return "waiting for monitor entry";
    default: return "unknown";
    }
}
static const char *status_name(int status)
{
    switch (status) {
    case STATUS_NEW: return "NEW";
    case STATUS_RUNNABLE: return "RUNNABLE";
    case STATUS_SLEEPING: return "TIMED_WAITING (sleeping)";
    case STATUS_WAITING: return "WAITING (on object monitor)";
    case STATUS_WAITING_TIMED: return "TIMED_WAITING (on object monitor)";
    case STATUS_PARKED: return "WAITING (parking)";
    case STATUS_PARKED_TIMED: return "TIMED_WAITING (parking)";
    case STATUS_BLOCKED: return "BLOCKED (on object monitor)";
    default: return "TERMINATED";
    }
}

static int status_of(const Thread *t)
{
    return object_get_int(deref(t->java_thread), OFF(Thread, threadStatus));
}

static char *name_of(const Thread *t)
{
    char *name = string_to_utf8(object_get_ref(deref(t->java_thread), OFF(Thread, name)));
    return name ? name : vm_strdup("");
}

// ---- stacks ----

static void add_lock(StrBuf *sb, const char *what, Object *o)
{
    if (!o)
        return;
    char *cls = class_external_name(object_class(o));
    sb_printf(sb, "\t- %s <0x%016zx> (a %s", what, (size_t)(uintptr_t)o, cls);
    vm_free(cls);
    if (object_class(o) == CLS(Class)) {
        cls = class_external_name(class_of_mirror(o));
        sb_printf(sb, " for %s", cls);
        vm_free(cls);
    }
    sb_add(sb, ")\n");
}

static void add_initialization(StrBuf *sb, const Thread *t)
{
    if (!t->initializing)
        return;
    char *cls = class_external_name(t->initializing);
    sb_printf(sb, "\t- waiting on the Class initialization monitor for %s\n", cls);
    vm_free(cls);
}

typedef VEC(HeldMonitor) HeldList;

static void note_monitor(void *ctx, const HeldMonitor *m)
{
    vec_push((HeldList *)ctx, *m);
}

typedef struct StackDump {
    StrBuf *sb;
    Thread *thread;
    const HeldList *held;
    size_t next; // of `held`
} StackDump;

static void add_frame(void *ctx, const FrameCursor *f)
{
    StackDump *d = ctx;
    describe_frame(d->sb, f->method, f->bci);
    if (f->depth == 0) {
        add_lock(d->sb, "waiting to lock", monitor_blocked_object(d->thread));
        add_lock(d->sb, "waiting on", monitor_waiting_object(d->thread));
        add_lock(d->sb, "parking to wait for ", thread_park_blocker(d->thread));
        add_initialization(d->sb, d->thread);
    }
    for (; d->next < d->held->len && d->held->at[d->next].depth == f->depth; d->next++)
        add_lock(d->sb, "locked", d->held->at[d->next].object);
}

static void add_stack(StrBuf *sb, Thread *t)
{
    HeldList held = {0};
    thread_monitors_each(t, note_monitor, &held);
    FrameCursor f = cursor_youngest(t);
    frames_trace(&f, UINT32_MAX, NULL, add_frame, &(StackDump){sb, t, &held, 0});
    vec_free(&held);
}

// Objects that java.util.concurrent's locks are, while a thread holds them.
typedef struct Owned {
    Thread *owner;
    Object *synchronizer;
} Owned;
typedef VEC(Owned) OwnedList;

static void note_owned(void *ctx, Object *o)
{
    Thread *owner = synchronizer_owner(o);
    if (owner)
        vec_push((OwnedList *)ctx, ((Owned){owner, o}));
}

static void add_owned(StrBuf *sb, const OwnedList *owned, const Thread *t)
{
    bool none = true;
    sb_add(sb, "\n   Locked ownable synchronizers:\n");
    for (size_t i = 0; i < owned->len; i++) {
        if (owned->at[i].owner != t)
            continue;
        Object *o = owned->at[i].synchronizer;
        char *cls = class_external_name(object_class(o));
        sb_printf(sb, "\t- <0x%016zx> (a %s)\n", (size_t)(uintptr_t)o, cls);
        vm_free(cls);
        none = false;
    }
    if (none)
        sb_add(sb, "\t- None\n");
}

static void add_extended(StrBuf *sb, Thread *t)
{
    uint64_t bytes = heap_thread_allocated(&t->mutator);
    int shift = bytes >= 10ull << 30   ? 30
                : bytes >= 10ull << 20 ? 20
                : bytes >= 10ull << 10 ? 10
                                       : 0;
    sb_printf(sb, "allocated=%llu%c defined_classes=%u ", (unsigned long long)(bytes >> shift),
              "BKMG"[shift / 10], t -> defined_classes);
}

static void add_thread(StrBuf *sb, Thread *t, bool extended)
{
    Object *o = deref(t->java_thread);
    char *name = name_of(t);
    int status = status_of(t);
    bool in_method = cursor_youngest(t).method != NULL;
    sb_printf(sb, "\"%s\" #%lld%s prio=%d os_prio=0 cpu=%.2fms elapsed=%.2fs ", name,
              (long long)object_get_long(o, OFF(Thread, tid)), t->daemon ? " daemon" : "",
              object_get_int(o, OFF(Thread, priority)),
              (double)os_thread_cpu_nanos(t->pthread) / 1e6,
              (double)(os_nanos() - t->start_nanos) / 1e9);
    if (extended)
        add_extended(sb, t);
    sb_printf(sb, "tid=0x%016zx nid=0x%llx %s  [0x%016zx]\n   java.lang.Thread.State: %s\n",
              (size_t)(uintptr_t)t, (unsigned long long)t->os_id, status_text(t, status),
              in_method ? (size_t)(uintptr_t)t->stack_base : 0, status_name(status));
    vm_free(name);
    add_stack(sb, t);
}

static void add_threads(StrBuf *sb, const Threads *threads, ThreadDump what)
{
    OwnedList owned = {0};
    if (what.synchronizers)
        heap_each_object(note_owned, &owned);
    for (size_t i = 0; i < threads->len; i++) {
        add_thread(sb, threads->at[i], what.extended);
        if (what.synchronizers)
            add_owned(sb, &owned, threads->at[i]);
        sb_putc(sb, '\n');
    }
    vec_free(&owned);
}

// ---- deadlocks ----

static void add_wait(StrBuf *sb, Thread *t)
{
    Object *monitor = monitor_blocked_object(t),
           *o = monitor ? monitor : thread_park_blocker(t);
    char *name = name_of(t), *cls = class_external_name(object_class(o)),
         *owner = name_of(thread_waits_for(t, false));
    sb_printf(sb, "\"%s\":\n", name);
    if (monitor)
        sb_printf(sb, "  waiting to lock monitor 0x%016zx (object 0x%016zx, a %s)",
                  (size_t)(uintptr_t)o, (size_t)(uintptr_t)o, cls);
    else
        sb_printf(sb, "  waiting for ownable synchronizer 0x%016zx, (a %s)",
                  (size_t)(uintptr_t)o, cls);
    sb_printf(sb, ",\n  which is held by \"%s\"\n\n", owner);
    vm_free(name);
    vm_free(cls);
    vm_free(owner);
}

static void add_cycle(void *ctx, const Threads *cycle)
{
    StrBuf *sb = ctx;
    sb_add(sb, "\nFound one Java-level deadlock:\n=============================\n");
    for (size_t i = 0; i < cycle->len; i++)
        add_wait(sb, cycle->at[i]);
    sb_add(sb, "Java stack information for the threads listed above:\n"
               "===================================================\n");
    for (size_t i = 0; i < cycle->len; i++) {
        char *name = name_of(cycle->at[i]);
        sb_printf(sb, "\"%s\":\n", name);
        vm_free(name);
        add_stack(sb, cycle->at[i]);
    }
}

static void add_deadlocks(StrBuf *sb, const Threads *threads)
{
    int found = deadlocks_each(threads, false, add_cycle, sb);
    if (found)
        sb_printf(sb, "\nFound %d deadlock%s.\n\n", found, found == 1 ? "" : "s");
}

// ---- the whole ----

static void count_slot(void *ctx, Object **slot)
{
    (void)slot;
    ++*(size_t *)ctx;
}

static void add_references(StrBuf *sb)
{
    size_t strong = 0, weak = 0;
    globals_visit(count_slot, &strong);
    weaks_visit(count_slot, &weak);
    sb_printf(sb, "JNI global refs: %zu, weak refs: %zu\n\n", strong, weak);
}

static int percent(const HeapPool *p)
{
    return p->committed ? (int)(p->used * 100 / p->committed) : 0;
}

void describe_heap(StrBuf *sb)
{
    HeapStats h;
    heap_stats(&h);
    const HeapPool *eden = &h.pools[0], *survivor = &h.pools[1], *old = &h.pools[2];
    sb_printf(sb, " def new generation   total %zuK, used %zuK\n",
              (eden->committed + survivor->committed) >> 10,
              (eden->used + survivor->used) >> 10);
    sb_printf(sb, "  eden space %zuK, %3d%% used\n", eden->committed >> 10, percent(eden));
    sb_printf(sb, "  from space %zuK, %3d%% used\n", survivor->committed >> 10,
              percent(survivor));
    sb_printf(sb, "  to   space %zuK,   0%% used\n", survivor->committed >> 10);
    sb_printf(sb, " tenured generation   total %zuK, used %zuK\n", old->committed >> 10,
              old->used >> 10);
    sb_printf(sb, "   the space %zuK, %3d%% used\n", old->committed >> 10, percent(old));
    size_t max = class_space_max(), native = metadata_committed() - class_space_committed();
    sb_printf(sb, " Metaspace       used %zuK, committed %zuK, reserved %zuK\n",
              metadata_used() >> 10, metadata_committed() >> 10, (native + max) >> 10);
    sb_printf(sb, "  class space    used %zuK, committed %zuK, reserved %zuK\n",
              class_space_used() >> 10, class_space_committed() >> 10, max >> 10);
}

static void add_head(StrBuf *sb)
{
    int64_t seconds, nanos;
    os_wall_time(&seconds, &nanos);
    time_t now = (time_t)seconds;
    struct tm tm;
    char stamp[32];
    strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
    sb_printf(sb, "%s\nFull thread dump %s (%s %s):\n\n", stamp,
              options_property("java.vm.name"), vm_version, options_property("java.vm.info"));
}

void dump_threads(Thread *self, ThreadDump what, StrBuf *sb)
{
    ASSERT_MAY_GC(self);
    add_head(sb);
    world_stop(self);
    Threads threads = threads_with_java();
    add_threads(sb, &threads, what);
    add_references(sb);
    add_deadlocks(sb, &threads);
    world_resume(self);
    vec_free(&threads);
    if (!what.heap)
        return;
    sb_add(sb, "Heap\n");
    describe_heap(sb);
    sb_putc(sb, '\n');
}

void dump_threads_to_stdout(Thread *self)
{
    ASSERT_MAY_GC(self);
    StrBuf sb = {0};
    dump_threads(self,
                 (ThreadDump){.synchronizers = options_now(vm_options.print_concurrent_locks),
                              .heap = true},
                 &sb);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    fputs(sb.s, vm_stdout());
    fflush(vm_stdout());
    thread_enter_vm(self);
    sb_free(&sb);
}
