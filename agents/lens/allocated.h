// SPDX-License-Identifier: Apache-2.0
// How many bytes the program has allocated so far.
#ifndef LENS_AGENT_ALLOCATED_H
#define LENS_AGENT_ALLOCATED_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LensThreadBytes {
    jlong id; // Thread.getId
    jlong bytes;
} LensThreadBytes;

// What one order has read so far; zeroed before the first reading.
typedef struct LensAllocated {
    int64_t total;
    int64_t heap_used, collections; // of the last reading
    LensThreadBytes *threads;       // likewise, by id
    size_t threads_len;
} LensAllocated;

// For HELLO, "vm": the VM counts it. "threads": what com.sun.management.ThreadMXBean says of all threads or, in an older JDK, of each:
// then what a thread allocates between the last reading and its end is missing. "heap": what the heap grows between readings; 0 where a collection comes
// in between. ATTACHED.
const char *lens_allocated_source(void);
// False: it cannot be told. heap_used is its present size, collections how many there were. ATTACHED.
bool lens_allocated_read(LensAllocated *state, JNIEnv *jni, int64_t heap_used,
                         int64_t collections, int64_t *bytes);
void lens_allocated_free(LensAllocated *state);

#endif
