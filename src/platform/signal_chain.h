// SPDX-License-Identifier: Apache-2.0
// Handlers of the VM and of the program for one signal: the program's, installed before the VM
// came or, with libjsig preloaded, at any time, gets what is not the VM's. Thread-safe where not
// said otherwise; NO_GC.
#ifndef PLATFORM_SIGNAL_CHAIN_H
#define PLATFORM_SIGNAL_CHAIN_H

#include <signal.h>

#include "base/common.h"

// Around the installation of the VM's handlers: notifies libjsig, if it is there. One thread, before
// others run.
void chain_begin(void);
void chain_end(void);
// Installs a handler of the VM and keeps what the program had there. The same.
void chain_install(int sig, const struct sigaction *action);
// Gives the program those of its signals back for which it had handlers (AllowUserSignalHandlers).
void chain_yield(void);
// No program's handler is called any more (-XX:-UseSignalChaining).
void chain_disable(void);
// Calls the program's handler as the system would: mask, form, one shot. False when there is
// none (ignored counts as handled). Safe in a handler.
bool chain_call(int sig, siginfo_t *info, void *context);

#endif
