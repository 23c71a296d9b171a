// SPDX-License-Identifier: Apache-2.0
// What the dumps share: packed records in one growing block, traces of all threads. NO_GC; world
// stopped, unless it is said otherwise.
#ifndef JVMPI_PI_DUMP_H
#define JVMPI_PI_DUMP_H

#include "jvmpi/pi.h"

typedef struct PiBytes {
    char *at;
    size_t len, cap;
} PiBytes;
// The low `size` bytes of a value, big-endian.
void pi_put(PiBytes *b, int size, uint64_t value);
static inline void pi_put_u1(PiBytes *b, int value)
{
    pi_put(b, 1, (uint64_t)value);
}
static inline void pi_put_u4(PiBytes *b, uint32_t value)
{
    pi_put(b, 4, value);
}
void pi_put_pointer(PiBytes *b, const void *p); // native

// One trace for each thread, the frames complete.
typedef struct PiTraces {
    JVMPI_CallTrace *at;
    jint *status;
    jint count;
} PiTraces;
PiTraces pi_traces_take(void);
void pi_traces_free(PiTraces *t);

// The record of one object at level 1 or 2. Also with the world running, GC disabled.
void pi_dump_object(PiBytes *b, const Object *o, jint level);
// The root records.
void pi_dump_roots(PiBytes *b);

// The bodies of RequestEvent. False: it fails.
MAY_GC bool pi_request_heap_dump(Thread *self, PiAgent *agent, void *arg);
MAY_GC bool pi_request_object_dump(Thread *self, PiAgent *agent, void *arg);
MAY_GC bool pi_request_monitor_dump(Thread *self, PiAgent *agent, void *arg);

#endif
