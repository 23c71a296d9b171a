// SPDX-License-Identifier: Apache-2.0
// Monitors: the time threads waited to enter them (monitor=y), and the dump of all of them.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hprof/hprof_read.h"

enum { NANOS_PER_MS = 1000 * 1000 };

static jlong now_nanos(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (jlong)t.tv_sec * 1000000000 + t.tv_nsec;
}

void monitor_enter(const JVMPI_Event *e, const JVMPI_CallFrame *frames, int count)
{
    ASSERT_LOCKED();
    ThreadName *t = thread_find(e->env_id);
    if (!t)
        return;
    t->blocked_at = trace_of(frames, count, t);
    t->blocked_since = now_nanos();
}

void monitor_entered(const JVMPI_Event *e, jobjectID class_id)
{
    ASSERT_LOCKED();
    ThreadName *t = thread_find(e->env_id);
    if (!t || !t->blocked_at)
        return;
    t->blocked_at->contended++;
    t->blocked_at->contended_nanos += (uint64_t)(now_nanos() - t->blocked_since);
    t->blocked_at->monitor = class_find(class_id);
    t->blocked_at = NULL;
}

// ---- the report ----
static int by_time(const void *a, const void *b)
{
    const Trace *x = *(Trace *const *)a, *y = *(Trace *const *)b;
    return x->contended_nanos < y->contended_nanos   ? 1
           : x->contended_nanos > y->contended_nanos ? -1
                                                     : 0;
}

void monitors_write(void)
{
    ASSERT_LOCKED();
    uint64_t total = 0;
    size_t n = 0;
    double sum = 0;
    Trace **list = must_alloc(trace_count * sizeof *list);
    for (uint32_t i = 0; i < trace_count; i++) {
        total += all_traces[i]->contended_nanos;
        if (all_traces[i]->contended)
            list[n++] = all_traces[i];
    }
    qsort(list, n, sizeof *list, by_time);
    for (size_t i = 0; i < n; i++)
        write_trace(list[i]);
    print("MONITOR TIME BEGIN (total = %llu ms) %s\n",
          (unsigned long long)(total / NANOS_PER_MS), output_date());
    print("rank   self  accum   count trace monitor\n");
    for (size_t i = 0; i < n; i++) {
        double self = total ? 100.0 * (double)list[i]->contended_nanos / (double)total : 0;
        if (self < 100 * hprof.options.cutoff)
            break;
        sum += self;
        print("%4zu %5.2f%% %5.2f%% %7llu %5u %s (Java)\n", i + 1, self, sum,
              (unsigned long long)list[i]->contended, list[i]->serial,
              list[i]->monitor ? list[i]->monitor->name : "<unknown>");
    }
    print("MONITOR TIME END\n");
    free(list);
}

// ---- the dump ----
static uint32_t serial_of(const void *env)
{
    const ThreadName *t = thread_find((JNIEnv *)(uintptr_t)env);
    return t ? t->serial : 0;
}

static void print_waiters(Reader *r, const char *what)
{
    uint32_t n = (uint32_t)get(r, 4);
    print("\t%s:", what);
    for (uint32_t i = 0; i < n; i++)
        print(" thread %u", serial_of(get_pointer(r)));
    print("\n");
}

static void print_monitor(Reader *r)
{
    if (*r->at++ == JVMPI_MONITOR_JAVA) {
        print("MONITOR %llx\n", (unsigned long long)(uintptr_t)get_pointer(r));
    } else {
        const char *name = get_pointer(r);
        print("RAW MONITOR \"%s\"(%llx)\n", name,
              (unsigned long long)(uintptr_t)get_pointer(r));
    }
    const void *owner = get_pointer(r);
    uint32_t entries = (uint32_t)get(r, 4);
    if (owner)
        print("\towner: thread %u, entry count: %u\n", serial_of(owner), entries);
    else
        print("\tunowned\n");
    print_waiters(r, "waiting to enter");
    print_waiters(r, "waiting to be notified");
}

static const char *status_name(jint status)
{
    switch (status & ~(JVMPI_THREAD_SUSPENDED | JVMPI_THREAD_INTERRUPTED)) {
    case JVMPI_THREAD_RUNNABLE: return "R";
    case JVMPI_THREAD_MONITOR_WAIT: return "MW";
    case JVMPI_THREAD_CONDVAR_WAIT: return "CW";
    default: return "UN";
    }
}

void monitor_dump_write(const JVMPI_Event *e)
{
    ASSERT_LOCKED();
    jint n = e->u.monitor_dump.num_traces;
    Trace **traces = must_alloc((size_t)n * sizeof *traces);
    for (jint i = 0; i < n; i++) {
        const JVMPI_CallTrace *t = &e->u.monitor_dump.traces[i];
        jint depth = t->num_frames < hprof.options.depth ? t->num_frames : hprof.options.depth;
        traces[i] = trace_of(t->frames, depth, thread_find(t->env_id));
        write_trace(traces[i]);
    }
    print("MONITOR DUMP BEGIN\n");
    for (jint i = 0; i < n; i++) {
        jint status = e->u.monitor_dump.threads_status[i];
        print("\tTHREAD %u, trace %u, status: %s%s%s\n",
              serial_of(e->u.monitor_dump.traces[i].env_id), traces[i]->serial,
              status & JVMPI_THREAD_SUSPENDED ? "S|" : "",
              status & JVMPI_THREAD_INTERRUPTED ? "intr|" : "", status_name(status));
    }
    Reader r = {(const uint8_t *)e->u.monitor_dump.begin,
                (const uint8_t *)e->u.monitor_dump.end};
    while (r.at < r.end)
        print_monitor(&r);
    print("MONITOR DUMP END\n");
    free(traces);
}
