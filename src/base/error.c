// SPDX-License-Identifier: Apache-2.0
// The end of the road. Corrupted VM state: one line on stderr, then abort() so that a core and the
// debugger see where. The system refuses what the VM needs: one line, exit code 1. Uses no allocation and no lock.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/common.h"

const char *vm_fatal_message;
void (*vm_fatal_way_out)(void);
bool vm_is_abort_reported;
static const char prefix[] = "pellucid: ";

void vm_abort_reported(void)
{
    vm_is_abort_reported = true;
    abort();
}

// Writes "pellucid: <message>" and a newline; leaves the message alone in `line`.
static void write_line(char *line, size_t size, const char *fmt, va_list ap)
{
    int n = snprintf(line, size, "%s", prefix);
    vsnprintf(line + n, size - (size_t)n - 1, fmt, ap);
    size_t len = strlen(line);
    line[len] = '\n';
    ssize_t written = write(STDERR_FILENO, line, len + 1);
    (void)written;
    line[len] = '\0';
}

void vm_fatal(const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    write_line(line, sizeof line, fmt, ap);
    va_end(ap);
#ifndef PELLUCID_DEBUG
    if (vm_fatal_way_out)
        vm_fatal_way_out();
#endif
    vm_fatal_message = line + strlen(prefix);
    abort();
}

void vm_exhausted(const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    write_line(line, sizeof line, fmt, ap);
    va_end(ap);
    _exit(1);
}
