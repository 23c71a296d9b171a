// SPDX-License-Identifier: Apache-2.0
// Metrics as rates and series.
#ifndef LENS_METRICS_H
#define LENS_METRICS_H

#include "json.h"
#include "model.h"

// How a metric is shown: a cumulative one as its growth a second, divided.
typedef struct MetricView {
    const char *name; // in series; NULL: it is not shown there
    double divide;
} MetricView;
extern const MetricView metric_views[METRIC_KINDS];

// From one value to another, as they come from the program: it wraps where they are too far apart.
static inline int64_t metric_difference(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

// name: value of the latest of each, for the stream; into an open object.
void metrics_put_latest(const Model *model, Json *json);
// The growth of a cumulative metric of `thread` (0: the process) in a range of ticks; the value before it is taken as its start.
// False: nothing is known.
bool metrics_growth(const Model *model, LensMetric metric, uint32_t thread, uint32_t from,
                    uint32_t to, int64_t *growth);

#endif
