// SPDX-License-Identifier: Apache-2.0
// Metrics as rates and series (metrics.h).
#define _GNU_SOURCE
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

// Cumulative ones are shown as growth a second: of nanoseconds of CPU that is cores in use after a division.
const MetricView metric_views[METRIC_KINDS] = {
    [LENS_PROCESS_CPU] = {"process_cpu", 1e9},
    [LENS_HEAP_USED] = {"heap_used", 1},
    [LENS_HEAP_COMMITTED] = {"heap_committed", 1},
    [LENS_HEAP_MAX] = {"heap_max", 1},
    [LENS_ALLOCATED] = {"allocation_rate", 1},
    [LENS_GC_COUNT] = {"gc_count", 1},
    [LENS_GC_NANOS] = {"gc_nanos", 1},
    [LENS_CLASSES] = {"classes", 1},
    [LENS_THREADS_LIVE] = {"threads_live", 1},
    [LENS_THREADS_RUNNING] = {"threads_running", 1},
    [LENS_THREADS_BLOCKED] = {"threads_blocked", 1},
    [LENS_THREADS_WAITING] = {"threads_waiting", 1},
    [LENS_EXCEPTION_COUNT] = {"exception_count", 1},
    [LENS_CONTENDED_COUNT] = {"contended_count", 1},
    [LENS_CONTENDED_NANOS] = {"contended_nanos", 1},
    [LENS_CODE_CACHE_USED] = {"code_cache_used", 1},
    [LENS_RESIDENT] = {"resident", 1},
    [LENS_AGENT_NANOS] = {"agent_nanos", 1},
};

// The growth a second between two values, divided; NaN where no time lies between or the count began anew.
static double rate_between(const ModelMetric *a, const ModelMetric *b, double divide)
{
    if (b->time <= a->time || b->value < a->value)
        return __builtin_nan("");
    return (double)metric_difference(a->value, b->value)
           / ((double)(b->time - a->time) * TICK_NS / 1e9) / divide;
}

void metrics_put_latest(const Model *m, Json *json)
{
    for (int kind = 1; kind < METRIC_KINDS; kind++) {
        uint32_t n = m->metrics[kind].count;
        const ModelMetric *last = n ? &m->metrics[kind].at[n - 1] : NULL;
        if (metric_views[kind].name == NULL || last == NULL || last->thread != 0)
            continue;
        if (!metric_is_cumulative((LensMetric)kind))
            json_put_int(json, metric_views[kind].name, last->value);
        else if (n > 1)
            json_put_real(json, metric_views[kind].name,
                          rate_between(last - 1, last, metric_views[kind].divide));
    }
}

bool metrics_growth(const Model *m, LensMetric metric, uint32_t thread, uint32_t from,
                    uint32_t to, int64_t *growth)
{
    assert(metric > 0 && metric < METRIC_KINDS && from <= to);
    bool any = false;
    int64_t first = 0, last = 0;
    for (uint32_t i = 0; i < m->metrics[metric].count; i++) {
        const ModelMetric *v = &m->metrics[metric].at[i];
        if (v->thread != thread || v->time > to)
            continue;
        if (!any || v->time < from)
            first = v->value;
        last = v->value;
        any = true;
    }
    *growth = metric_difference(first, last);
    return any;
}
