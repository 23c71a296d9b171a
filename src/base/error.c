// SPDX-License-Identifier: Apache-2.0
// The end of the road: corrupted VM state. One line on stderr, then abort() so that a core and
// the debugger see where. Uses no allocation and no lock.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/common.h"

const char *vm_fatal_message;
bool vm_is_abort_told;

void vm_abort_told(void)
{
    vm_is_abort_told = true;
    abort();
}

void vm_fatal(const char *fmt, ...)
{
    char line[1024];
    int n = snprintf(line, sizeof(line), "pellucid: ");
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
    va_end(ap);
    size_t len = strlen(line);
    line[len++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, len);
    (void)written;
    line[len - 1] = '\0';
    vm_fatal_message = line + n;
    abort();
}
