// SPDX-License-Identifier: Apache-2.0
// /metrics: OpenMetrics 1.0 text of the latest values. Scraping begins the recording of metrics where none runs.
#define _GNU_SOURCE
#include "export.h"
#include "open_metrics.h"
#include "query.h"

#include <string.h>

const OpenMetric open_metrics[] = {
    {LENS_PROCESS_CPU, "jvm_process_cpu_seconds", "seconds", "CPU time of the process.", 1e9,
     true},
    {LENS_HEAP_USED, "jvm_heap_used_bytes", "bytes", "Heap in use.", 1, false},
    {LENS_HEAP_COMMITTED, "jvm_heap_committed_bytes", "bytes", "Heap committed.", 1, false},
    {LENS_HEAP_MAX, "jvm_heap_max_bytes", "bytes", "The most that the heap may be.", 1, false},
    {LENS_ALLOCATED, "jvm_allocated_bytes", "bytes", "Bytes allocated in the heap.", 1, true},
    {LENS_GC_COUNT, "jvm_gc_collections", "", "Collections.", 1, true},
    {LENS_GC_NANOS, "jvm_gc_pause_seconds", "seconds", "Time that collections took.", 1e9,
     true},
    {LENS_CLASSES, "jvm_classes_loaded", "", "Classes loaded now.", 1, false},
    {LENS_THREADS_LIVE, "jvm_threads_live", "", "Threads that live.", 1, false},
    {LENS_THREADS_RUNNING, "jvm_threads_running", "", "Threads that run.", 1, false},
    {LENS_THREADS_BLOCKED, "jvm_threads_blocked", "", "Threads that wait for a monitor.", 1,
     false},
    {LENS_THREADS_WAITING, "jvm_threads_waiting", "", "Threads that wait, park or sleep.", 1,
     false},
    {LENS_EXCEPTION_COUNT, "jvm_exceptions", "", "Exceptions thrown while they are recorded.",
     1, true},
    {LENS_CONTENDED_COUNT, "jvm_monitor_contended", "",
     "Contended monitor enters while locks are recorded.", 1, true},
    {LENS_CONTENDED_NANOS, "jvm_monitor_wait_seconds", "seconds",
     "Time waited for contended monitors while locks are recorded.", 1e9, true},
    {LENS_CODE_CACHE_USED, "jvm_code_cache_used_bytes", "bytes", "Compiled code.", 1, false},
    {LENS_RESIDENT, "process_resident_memory_bytes", "bytes", "Resident memory of the process.",
     1, false},
    {LENS_AGENT_NANOS, "lens_agent_cpu_seconds", "seconds",
     "What Lens itself has used in the process.", 1e9, true},
};

const size_t open_metric_count = sizeof open_metrics / sizeof *open_metrics;

static void put_labels(const Session *s, Bytes *out)
{
    export_put(out, "{pid=\"%d\",main=\"", s->jvm.process.pid);
    for (const char *c = s->jvm.main; *c != 0; c++) {
        if (*c == '"' || *c == '\\')
            bytes_put(out, "\\", 1);
        bytes_put(out, (unsigned char)*c < 0x20 ? "?" : c, 1);
    }
    export_put(out, "\"}");
}

static void put_metric(const Session *s, Bytes *out, const OpenMetric *o)
{
    uint32_t n = s->model->metrics[o->metric].count;
    const ModelMetric *last = n ? &s->model->metrics[o->metric].at[n - 1] : NULL;
    if (last == NULL)
        return;
    export_put(out, "# TYPE %s %s\n", o->name, o->is_counter ? "counter" : "gauge");
    if (*o->unit != 0)
        export_put(out, "# UNIT %s %s\n", o->name, o->unit);
    export_put(out, "# HELP %s %s\n", o->name, o->help);
    export_put(out, "%s%s", o->name, o->is_counter ? "_total" : "");
    put_labels(s, out);
    export_put(out, " %.9g\n", (double)last->value / o->divide);
}

static void put_all(Query *q)
{
    for (size_t i = 0; i < open_metric_count; i++)
        put_metric(q->session, &q->bytes, &open_metrics[i]);
    export_put(&q->bytes, "# EOF\n");
    q->type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

void query_open_metrics(Query *q)
{
    if (!query_has_model(q))
        return;
    if (q->session->link != NULL && session_running(q->session, "metrics") == NULL) {
        Order *o = session_order(q->session, "metrics", NULL, 0, -1);
        o->own = true;
    }
    put_all(q);
}
