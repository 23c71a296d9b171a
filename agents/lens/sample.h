// SPDX-License-Identifier: Apache-2.0
// Sampling, among its own files. Threads are sampled from within, by a signal whose handler
// asks AsyncGetCallTrace: at any instruction. What comes when: for CPU time a timer of each
// thread's own (sample_timer.c), for wall time a thread of the agent (sample_wall.c), which
// signals threads that run alone: of those that wait the VM tells stack and state.
#ifndef LENS_SAMPLE_H
#define LENS_SAMPLE_H

#include "agent.h"

#include <signal.h>

// As AsyncGetCallTrace fills it.
typedef struct LensCallFrame {
    jint bci; // -3 in native methods
    jmethodID method;
} LensCallFrame;

// A sample as the handler leaves it in a ring; `frames` LensCallFrame follow.
typedef struct LensRawSample {
    JNIEnv *env; // NULL: the thread is not attached
    uint64_t weight;
    uint64_t pc;
    int32_t tid;
    // At most 0: the reason of AsyncGetCallTrace why there are none; LENS_NO_ROOM
    int32_t frames;
    uint8_t kind, state;
    uint8_t reserved[6];
} LensRawSample;
enum { LENS_NO_ROOM = -999 }; // more handlers at once than buffers

typedef struct LensSampling {
    unsigned cpu_hz, wall_hz; // 0: not wanted
    unsigned depth;
    bool native;
} LensSampling;

const LensSampling *lens_sampling(void); // what runs (sample.c). AGENT

// sample_handler.c
// Chooses a signal that nobody handles, once. False where there is none. AGENT
bool lens_handler_install(void);
int lens_handler_signal(void);
// From now on signals are heard; false when memory ends. AGENT
bool lens_handler_begin(unsigned depth);
void lens_handler_end(void); // returns when no handler runs any more, 1 s at most. AGENT

// sample_timer.c: slots of threads. The value that comes with a signal is the slot's number.
bool lens_timers_begin(unsigned hz); // AGENT
void lens_timers_end(void);
// Arms threads that were not seen yet, disarms those that are gone. AGENT
void lens_timers_look(void);
void lens_timer_arm(int tid);      // HEAP; once for each thread
void lens_timer_disarm(int tid);   // HEAP
const char *lens_timers_how(void); // "perf_event_open", ...
// In the handler: whether this signal is of slot `number` and the calling thread's; and its CPU
// time since the last sample. SIGNAL
bool lens_timer_weight(const siginfo_t *info, int tid, uint64_t *weight);

// sample_wall.c
bool lens_wall_begin(unsigned hz, unsigned depth); // AGENT
void lens_wall_end(void);
// Likewise for a signal of the wall sampler.
bool lens_wall_weight(const siginfo_t *info, uint64_t *weight);

#endif
