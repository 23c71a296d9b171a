// SPDX-License-Identifier: Apache-2.0
// The report of a fatal signal.
#ifndef SERVICE_REPORT_CRASH_H
#define SERVICE_REPORT_CRASH_H

#include <signal.h>

#include "base/common.h"

// From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT (vm_fatal, abort) print a report to
// stderr and to pellucid_err_pid<pid>.log in the working directory, then abort the process;
// each thread that is bound gets an alternate signal stack, so that an overflow of its C stack
// is reported too. Call once, before options are parsed and the first thread is attached.
// NO_GC. In builds with AddressSanitizer only SIGABRT and SIGBUS: the sanitizer reports the others itself.
// A handler that the program had or, with libjsig, has for one of them is asked first. SIGPIPE,
// SIGXFSZ and SIGUSR2 go to the program's handler or nowhere. SIGABRT from another process ends this one without a report.
void crash_init(void);
// -XX:+AllowUserSignalHandlers, -XX:-UseSignalChaining: once options are known.
void crash_apply_options(void);
// For a program that handles signals itself and passes on what it does not know: whether the VM
// took it; else, where abort_if_not says so, the report.
EXPORT int JVM_handle_linux_signal(int number, siginfo_t *info, void *context,
                                   int abort_if_not);

#endif
