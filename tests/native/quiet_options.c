// SPDX-License-Identifier: Apache-2.0
// Preloaded where the runner gives all VMs of a test their options by JAVA_TOOL_OPTIONS: that they were picked up is not printed, by
// either VM, since a test that reads what its VMs say does not expect it. Its own options, not those in TEST_TOOL_OPTIONS, are told.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int __vfprintf_chk(FILE *file, int level, const char *format, va_list arguments);
EXPORTED int __fprintf_chk(FILE *file, int level, const char *format, ...);

static bool is_hidden(const char *format, va_list arguments)
{
    if (strncmp(format, "Picked up %s: %s", 16) != 0)
        return false;
    const char *ours = getenv("TEST_TOOL_OPTIONS");
    va_list copy;
    va_copy(copy, arguments);
    bool hidden = strcmp(va_arg(copy, const char *), "JAVA_TOOL_OPTIONS") == 0 && ours
                  && strcmp(va_arg(copy, const char *), ours) == 0;
    va_end(copy);
    return hidden;
}

EXPORTED int vfprintf(FILE *file, const char *format, va_list arguments)
{
    static int (*next)(FILE *, const char *, va_list);
    if (!next)
        next = (int (*)(FILE *, const char *, va_list))dlsym(RTLD_NEXT, "vfprintf");
    return is_hidden(format, arguments) ? 0 : next(file, format, arguments);
}

EXPORTED int fprintf(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vfprintf(file, format, arguments);
    va_end(arguments);
    return written;
}

int __vfprintf_chk(FILE *file, int level, const char *format, va_list arguments)
{
    (void)level;
    return vfprintf(file, format, arguments);
}

int __fprintf_chk(FILE *file, int level, const char *format, ...)
{
    (void)level;
    va_list arguments;
    va_start(arguments, format);
    int written = vfprintf(file, format, arguments);
    va_end(arguments);
    return written;
}
