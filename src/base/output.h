// SPDX-License-Identifier: Apache-2.0
// Where the VM prints what no log output takes: answers and reports to standard output, complaints to
// standard error. -XX:-DisplayVMOutput, DisplayVMOutputToStderr and DisplayVMOutputToStdout redirect them.
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdio.h>

#include "base/common.h"

// What java -version calls this VM and its warnings begin with.
extern const char vm_name[];
// The streams in force: never NULL. Any thread; not in a signal handler.
FILE *vm_stdout(void);
FILE *vm_stderr(void);
// Sends what is for standard output to nowhere (`silent`) or to standard error, or what is for standard
// error to standard output. Before other threads run.
void vm_output_redirect(bool silent, bool to_stderr, bool to_stdout);

#endif
