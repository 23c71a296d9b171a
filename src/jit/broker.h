// SPDX-License-Identifier: Apache-2.0
// The compile broker: which method is compiled when, and by whom (docs/BROKER.md). The interpreter's counts say what is heavy; what
// is asked for waits in a queue for a thread of the VM, or is compiled at once by the thread that runs it.
#ifndef JIT_BROKER_H
#define JIT_BROKER_H

#include "base/strbuf.h"
#include "class/class.h"

// By the flags (options_settle_compiler): registers with the profiles. Nothing is compiled: nobody is asked. Once, before the first class
// is loaded.
void broker_init(void);
// Starts the thread that compiles, if one is wanted. Before it, methods wait. MAY_GC.
MAY_GC void broker_start(Thread *self);

typedef enum BrokerState {
    BROKER_OFF, // by the flags, or for want of a thread
    BROKER_ON,
    BROKER_FULL, // no more: the code cache has no room
} BrokerState;
BrokerState broker_state(void);

// A full collection comes to its end: where the code cache is full, code that was retired is freed, and methods are compiled again. World
// stopped. NO_GC.
void broker_collected(void);

enum { COMPILED_NAME_MAX = 256 };
typedef struct CompileTotals {
    uint64_t compiled, refused; // excluded methods are neither
    uint64_t retired;           // of the compiled ones
    uint64_t bytes;     // of the bytecodes of those compiled, and of those inlined in them
    uint64_t nanos;     // of CPU, of all
    uint32_t last_size; // bytes of bytecodes of the last one compiled
    char last[COMPILED_NAME_MAX],
        last_refused[COMPILED_NAME_MAX]; // "java/lang/Object hashCode"
} CompileTotals;
// What was done so far. Thread-safe, NO_GC.
void broker_totals(CompileTotals *out);
// The methods whose calls enter compiled code, as text. self is IN_VM. NO_GC.
void broker_describe_code(Thread *self, StrBuf *out);
// What is being compiled and what waits, as text. self is IN_VM. NO_GC.
void broker_describe_queue(Thread *self, StrBuf *out);

#endif
