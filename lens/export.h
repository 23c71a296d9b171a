// SPDX-License-Identifier: Apache-2.0
// Other tools' formats (API.md, /api/export). Each writes into Query.bytes and sets type and file name.
#ifndef LENS_EXPORT_H
#define LENS_EXPORT_H

#include "weigh.h"

typedef struct Export {
    Query *query;
    Model *model;
    Weights *weights; // of `data`
    const Brush *brush;
} Export;

// The data that a view of the command line exports: "cpu" for "top".
const char *export_data_of(const char *view);

bool export_collapsed(Export *export);
bool export_pprof(Export *export);
bool export_speedscope(Export *export);
bool export_firefox(Export *export);
bool export_chrome(Export *export);
bool export_csv(Export *export);
bool export_lcov(Export *export);
bool export_jacoco(Export *export);
bool export_html(Export *export);
bool export_json(Export *export);

// gzip of what is in query->bytes.
void export_gzip(Bytes *bytes);
void export_put(Bytes *bytes, const char *format, ...) LENS_PRINTF(2, 3);

#endif
