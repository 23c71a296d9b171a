// SPDX-License-Identifier: Apache-2.0
// Operations on much memory are done in slices with a poll between them, so that no stop of the world waits for a whole one. What is in the
// heap may lie elsewhere in each slice: its address is asked for again.
#ifndef THREAD_SLICES_H
#define THREAD_SLICES_H

#include "thread/thread.h"

// So much is done without a poll, where each byte, or each of a few, costs no more than a copy.
enum { SLICE_BYTES = 64 * 1024 };

typedef struct Slices { // of `size` units, up to `most` each
    size_t size, most;
    bool backwards; // the last one comes first
    size_t done;    // slices
    size_t at, count;
} Slices;

// The next slice: [at, at + count). False: there is none. Polls before each but the first: MAY_GC.
MAY_GC static inline bool slices_next(Thread *self, Slices *s)
{
    size_t number = (s->size + s->most - 1) / s->most;
    if (s->done == number)
        return false;
    if (s->done > 0)
        thread_poll_within(self);
    s->at = (s->backwards ? number - 1 - s->done : s->done) * s->most;
    s->count = MIN_OF(s->most, s->size - s->at);
    s->done++;
    return true;
}

#endif
