// SPDX-License-Identifier: Apache-2.0
// /tmp/perf-<pid>.map, which perf reads for code that no file has: a line for each piece of code.
// Lock: the code cache's, which the caller of code_perf_map_add holds.
#ifndef CODE_CODE_PERF_MAP_H
#define CODE_CODE_PERF_MAP_H

#include "base/strbuf.h"
#include "code/code_cache.h"

// The file's name.
enum { CODE_PERF_PATH_BYTES = 64 };
void code_perf_map_path(char path[CODE_PERF_PATH_BYTES]);
// The line of a piece.
void code_perf_map_line(StrBuf *out, const CodeBlob *blob);
// -XX:+JitPerfMap: begins the file; each piece is added to it when it is installed from now on, so that it is right for all that ran if
// the process ends in whatever way. A place that is used again has a second line. Before code_cache_init. False, and errno: it cannot be written.
bool code_perf_map_begin(void);
// Does nothing unless it was begun. What cannot be written is left out. NO_GC.
void code_perf_map_add(const CodeBlob *blob);

#endif
