// SPDX-License-Identifier: Apache-2.0
// What the files of the crash report share and nobody else may use.
#ifndef SERVICE_REPORT_CRASH_INTERNAL_H
#define SERVICE_REPORT_CRASH_INTERNAL_H

#include <signal.h>

#include "thread/thread.h"

#if defined(__SANITIZE_ADDRESS__)
#    define UNDER_ASAN 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define UNDER_ASAN 1
#    endif
#endif

enum { ALTERNATE_STACK = 64 * 1024 }; // bytes

typedef struct FatalSignal {
    int number;
    const char *name, *meaning;
} FatalSignal;

typedef struct Crash {
    const FatalSignal *signal;
    const siginfo_t *info;
    const void *context; // a ucontext_t
    Thread *thread;      // that crashed; NULL: not attached
    uintptr_t pc, sp, fp;
    uintptr_t link; // return address in a register, 0 when the processor has none
} Crash;
extern Crash crash; // the one reported

// Threads bound from here on get an alternate signal stack; the unwinder is loaded, which a
// handler could not do.
void crash_prepare_stacks(void);

// ---- in the handler ----

// Adds text to the report: stderr and the log file. At most 4 KB.
PRINTF(1, 2) void crash_emit(const char *format, ...);
// Runs one part of the report; a fault, abort() or seconds without an end inside cut it short.
// Nests.
void crash_attempt(void (*part)(void *arg), void *arg);

// Sets pc, sp, fp and link of `crash`.
void crash_take_registers(const void *ucontext);
// Parts. The place behind the code address that *pc holds (a return address, but for crash.pc)
// is its function and file.
void crash_print_place(void *pc);
void crash_print_registers(void *unused);
void crash_print_native_stack(void *unused);
void crash_print_recent(void *unused); // events
void crash_print_core(void *unused);   // whether the system will dump the process
// Runs what -XX:OnError asks for, one after the other, however long it takes.
void crash_run_commands(void *unused);

#endif
