// SPDX-License-Identifier: Apache-2.0
// The report of a fatal signal.
#ifndef VM_CRASH_H
#define VM_CRASH_H

// From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT (vm_fatal, abort) print a report to
// stderr and to pellucid_err_pid<pid>.log in the working directory, then abort the process;
// each thread that is bound gets an alternate signal stack, so that an overflow of its C stack
// is reported too. Call once, before options are parsed and the first thread is attached.
// NO_GC. In builds with AddressSanitizer only SIGABRT: the sanitizer reports the others itself.
void crash_init(void);

#endif
