// SPDX-License-Identifier: Apache-2.0
#include "base/command_list.h"

#include <stdio.h>
#include <unistd.h>

void command_expand(const char *text, size_t len, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < size; i++) {
        bool process = text[i] == '%' && i + 1 < len && text[i + 1] == 'p';
        bool percent = text[i] == '%' && i + 1 < len && text[i + 1] == '%';
        if (process)
            n += (size_t)snprintf(out + n, size - n, "%d", (int)getpid());
        else
            out[n++] = text[i];
        i += process || percent;
    }
    out[MIN_OF(n, size - 1)] = '\0';
}

bool command_list_next(const char **list, char *command, size_t size)
{
    const char *from = *list + strspn(*list, " ;");
    size_t len = strcspn(from, ";");
    *list = from + len;
    command_expand(from, len, command, size);
    return len > 0;
}
