// SPDX-License-Identifier: Apache-2.0
// Metrics by the names that other systems take: OpenMetrics and OTLP.
#ifndef LENS_OPEN_METRICS_H
#define LENS_OPEN_METRICS_H

#include "model.h"

typedef struct OpenMetric {
    LensMetric metric;
    const char *name, *unit, *help; // unit: "" where it has none
    double divide;
    bool is_counter;
} OpenMetric;
extern const OpenMetric open_metrics[];
extern const size_t open_metric_count;

#endif
