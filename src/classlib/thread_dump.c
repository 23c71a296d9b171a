// SPDX-License-Identifier: Apache-2.0
// The thread dump of SIGQUIT, in HotSpot's form: each thread with its stack and locks, the
// deadlocks among them, the heap. Made with the world stopped, printed when it runs again.
#include <time.h>

#include "base/strbuf.h"
#include "classlib/deadlock.h"
#include "classlib/jvm.h"
#include "interp/interp.h"
#include "runtime/describe.h"
#include "runtime/java_thread.h"
#include "runtime/options.h"
#include "thread/monitor.h"

enum { LOCKS_PER_FRAME = 16 };

static const char *status_text(int status, bool in_vm)
{
    switch (status) {
    case STATUS_RUNNABLE: return in_vm ? "waiting on condition" : "runnable";
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

static void add_stack(StrBuf *sb, const Thread *t)
{
    for (Frame *f = frame_first(t->frame); f; f = frame_older(f)) {
        describe_frame(sb, f->method, frame_bci(f));
        if (f == frame_first(t->frame)) {
            add_lock(sb, "waiting to lock", monitor_blocked_object((Thread *)(uintptr_t)t));
            add_lock(sb, "waiting on", monitor_waiting_object((Thread *)(uintptr_t)t));
            add_lock(sb, "parking to wait for ", thread_park_blocker(t));
        }
        Object *locks[LOCKS_PER_FRAME];
        for (int i = frame_monitors(t, f, locks, LOCKS_PER_FRAME); i-- > 0;)
            add_lock(sb, "locked", locks[i]);
    }
}

static void add_thread(StrBuf *sb, Thread *t)
{
    Object *o = deref(t->java_thread);
    char *name = name_of(t);
    int status = status_of(t);
    const Frame *top = frame_first(t->frame);
    bool waits = atomic_load(&t->state) == THREAD_BLOCKED
                 && (!top || method_is_native(top->method)); // not: at the safepoint
    sb_printf(sb,
              "\"%s\" #%lld%s prio=%d os_prio=0 cpu=%.2fms elapsed=%.2fs tid=0x%016zx "
              "nid=0x%llx %s  [0x%016zx]\n   java.lang.Thread.State: %s\n",
              name, (long long)object_get_long(o, OFF(Thread, tid)), t->daemon ? " daemon" : "",
              object_get_int(o, OFF(Thread, priority)),
              (double)os_thread_cpu_nanos(t->pthread) / 1e6,
              (double)(os_nanos() - t->start_nanos) / 1e9, (size_t)(uintptr_t)t,
              (unsigned long long)t->os_id, status_text(status, waits),
              top ? (size_t)(uintptr_t)t->stack_base : 0, status_name(status));
    vm_free(name);
    add_stack(sb, t);
    sb_putc(sb, '\n');
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

static void add_heap(StrBuf *sb)
{
    HeapStats h;
    heap_stats(&h);
    sb_printf(sb, "Heap\n total %zuK, used %zuK\n", h.committed >> 10, h.used >> 10);
    for (int i = 0; i < HEAP_POOLS; i++)
        sb_printf(sb, "  %-14s %zuK, %d%% used\n", h.pools[i].name, h.pools[i].committed >> 10,
                  h.pools[i].committed ? (int)(h.pools[i].used * 100 / h.pools[i].committed)
                                       : 0);
    sb_printf(sb, " class space    used %zuK\n\n", class_space_used() >> 10);
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

void print_thread_dump(Thread *self, void (*print)(void *ctx, const char *text), void *ctx)
{
    StrBuf sb = {0};
    add_head(&sb);
    world_stop(self);
    Threads threads = threads_with_java();
    for (size_t i = 0; i < threads.len; i++)
        add_thread(&sb, threads.at[i]);
    add_deadlocks(&sb, &threads);
    add_heap(&sb);
    world_resume(self);
    print(ctx, sb.s);
    vec_free(&threads);
    sb_free(&sb);
}
