// SPDX-License-Identifier: Apache-2.0
// Diagnostic commands about the compiler and of generated code: Compiler.*.
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output.h"
#include "code/code_perf_map.h"
#include "java/engine.h"
#include "java/shutdown.h"
#include "jit/broker.h"
#include "options/flags.h"
#include "options/options.h"
#include "service/commands/commands.h"

// ---- Compiler.codecache ----

typedef struct BlobCounts {
    int all, methods, adapters;
} BlobCounts;

static void count_blob(void *ctx, const CodeBlob *blob)
{
    BlobCounts *n = ctx;
    n->all++;
    n->methods += blob->kind == CODE_COMPILED_METHOD;
    n->adapters += blob->kind != CODE_COMPILED_METHOD;
}

static const char *state_text(void)
{
    switch (broker_state()) {
    case BROKER_ON: return "enabled";
    case BROKER_FULL: return "disabled (not enough contiguous free space left)";
    case BROKER_OFF: break;
    }
    return "disabled (interpreter mode)";
}

static void describe_code_cache(StrBuf *out)
{
    CodeCacheUse use;
    BlobCounts n = {0};
    code_cache_use(&use);
    code_each(count_blob, &n);
    sb_printf(out,
              "CodeCache: size=%zuKb used=%zuKb max_used=%zuKb free=%zuKb\n"
              " bounds [0x%016" PRIxPTR ", 0x%016" PRIxPTR ", 0x%016" PRIxPTR "]\n"
              " total_blobs=%d nmethods=%d adapters=%d\n compilation: %s\n"
              "              stopped_count=%d, restarted_count=0\n full_count=%d\n"
              "Decoded bytecodes: used=%zuKb\n",
              use.size >> 10, use.used >> 10, use.used >> 10, (use.size - use.used) >> 10,
              use.start, use.start + use.used, use.start + use.size, n.all, n.methods,
              n.adapters, state_text(), broker_state() == BROKER_FULL,
              broker_state() == BROKER_FULL, engine->code_bytes() >> 10);
}

static void code_cache(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    describe_code_cache(call->out);
}

// -XX:+PrintCodeCache
static void print_code_cache(Thread *self)
{
    (void)self;
    StrBuf text = {0};
    describe_code_cache(&text);
    fputs(text.s, vm_stdout());
    sb_free(&text);
}

// ---- Compiler.perfmap ----

static void add_blob(void *out, const CodeBlob *blob)
{
    code_perf_map_line(out, blob);
}

// What perf reads of code that no file has. The text is made first: code is freed while nobody is IN_VM.
static bool write_perf_map(Thread *self, char path[CODE_PERF_PATH_BYTES])
{
    StrBuf map = {0};
    code_each(add_blob, &map);
    code_perf_map_path(path);
    thread_leave_vm(self, THREAD_BLOCKED);
    FILE *f = fopen(path, "w");
    bool ok = f && fwrite(map.s ? map.s : "", 1, map.len, f) == map.len;
    ok = f && fclose(f) == 0 && ok;
    thread_enter_vm(self);
    sb_free(&map);
    return ok;
}

static void perf_map(Thread *self, const DiagnosticCall *call)
{
    char path[CODE_PERF_PATH_BYTES];
    if (!write_perf_map(self, path))
        sb_printf(call->out, "%s could not be written\n", path);
}

// -XX:+DumpPerfMapAtExit
static void write_last_perf_map(Thread *self)
{
    char path[CODE_PERF_PATH_BYTES];
    if (!write_perf_map(self, path))
        vm_warning("%s could not be written", path);
}

void compiler_commands_start(void)
{
    if (flags_is("DumpPerfMapAtExit", "true"))
        shutdown_add(write_last_perf_map);
    if (flags_is("PrintCodeCache", "true"))
        shutdown_add(print_code_cache);
}

// ---- the others ----

static void code_list(Thread *self, const DiagnosticCall *call)
{
    broker_describe_code(self, call->out);
}

static void compile_queue(Thread *self, const DiagnosticCall *call)
{
    broker_describe_queue(self, call->out);
}

static const DiagnosticCommand rows[] = {
    {.name = "Compiler.codecache",
     .description = "Print code cache layout and bounds.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     .run = code_cache},
    {.name = "Compiler.codelist",
     .description = "Print all compiled methods in code cache that are alive",
     .impact = "Medium",
     DIAGNOSTIC_MONITOR,
     .run = code_list},
    {.name = "Compiler.perfmap",
     .description = "Write map file for Linux perf tool.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     .run = perf_map},
    {.name = "Compiler.queue",
     .description = "Print methods queued for compilation.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     .run = compile_queue},
};
const DiagnosticRows compiler_commands = {rows, ARRAY_LEN(rows)};
