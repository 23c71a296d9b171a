// SPDX-License-Identifier: Apache-2.0
// See code_perf_map.h.
#include "code/code_perf_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static int map_file = -1;

void code_perf_map_path(char path[CODE_PERF_PATH_BYTES])
{
    snprintf(path, CODE_PERF_PATH_BYTES, "/tmp/perf-%d.map", (int)getpid());
}

void code_perf_map_line(StrBuf *out, const CodeBlob *blob)
{
    sb_printf(out, "0x%016" PRIxPTR " 0x%016x %s\n", (uintptr_t)blob->start, blob->size,
              blob->name);
}

bool code_perf_map_begin(void)
{
    char path[CODE_PERF_PATH_BYTES];
    code_perf_map_path(path);
    map_file =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    return map_file >= 0;
}

void code_perf_map_add(const CodeBlob *blob)
{
    if (map_file < 0)
        return;
    StrBuf line = {0};
    code_perf_map_line(&line, blob);
    ssize_t written = write(map_file, line.s, line.len);
    (void)written;
    sb_free(&line);
}
