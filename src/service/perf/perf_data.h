// SPDX-License-Identifier: Apache-2.0
// Performance data: named counters in a memory region that other processes of the user map from
// /tmp/hsperfdata_<user>/<pid> (jps, jcmd -l, jstat, jconsole), in the format 2.0 that
// jdk.internal.jvmstat documents by its sources. With -XX:-UsePerfData, or when the file cannot
// be made safely, counters live in C memory and nobody else sees them.
#ifndef SERVICE_PERF_PERF_DATA_H
#define SERVICE_PERF_PERF_DATA_H

#include "base/common.h"

typedef enum PerfUnits { // numbered as in the file, as the next
    PERF_NONE = 1,
    PERF_BYTES,
    PERF_TICKS,
    PERF_EVENTS,
    PERF_STRING,
    PERF_HERTZ,
} PerfUnits;
typedef enum PerfVariability {
    PERF_CONSTANT = 1,
    PERF_MONOTONIC,
    PERF_VARIABLE,
} PerfVariability;

// Opens the region. Options are known, no Java code has run.
void perf_data_init(void);
// The VM is up: adds the counters of its properties, and starts the thread that keeps all
// counters up to date. self is IN_VM. False with the exception pending.
NODISCARD MAY_GC bool perf_data_start(Thread *self);

// New counters; all functions are thread-safe and NO_GC. The memory stays for the life of the VM.
// NULL when there is one of the name.
int64_t *perf_add_long(const char *name, PerfUnits units, PerfVariability variability,
                       int64_t value);
// `max`: bytes, with the final NUL; 0: those of the value.
char *perf_add_text(const char *name, PerfVariability variability, const char *value,
                    size_t max);
// The memory of a text of `size` bytes (as above); not a string to anybody but Java.
char *perf_add_bytes(const char *name, PerfUnits units, PerfVariability variability,
                     const void *value, size_t len, size_t size);
// All counters in order: value is the number, or text when it is not NULL.
void perf_each(void (*visit)(void *ctx, const char *name, int64_t value, const char *text),
               void *ctx);
// Brings the counters that are sampled up to date now.
void perf_sample(void);
// A collection begins for a cause, or (NULL) has ended. World stopped.
void perf_note_gc(const char *cause);

// Another process's region, read-only or writable; NULL with errno, or with `error` set when it
// isn't safe. `user` NULL: whoever runs it. To be unmapped by munmap(result, *size).
void *perf_map(const char *user, int pid, bool writable, size_t *size, const char **error);

#endif
