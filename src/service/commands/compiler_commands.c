// SPDX-License-Identifier: Apache-2.0
// Diagnostic commands about the compiler and of generated code: Compiler.*.
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "code/code_cache.h"
#include "java/engine.h"
#include "jit/broker.h"
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

static void code_cache(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    CodeCacheUse use;
    BlobCounts n = {0};
    code_cache_use(&use);
    code_each(count_blob, &n);
    sb_printf(call->out,
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

// ---- Compiler.perfmap ----

static void write_blob(void *file, const CodeBlob *blob)
{
    fprintf(file, "0x%016" PRIxPTR " 0x%016x %s\n", (uintptr_t)blob->start, blob->size,
            blob->name);
}

// What perf reads of code that no file has.
static void perf_map(Thread *self, const DiagnosticCall *call)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    thread_leave_vm(self, THREAD_BLOCKED);
    FILE *f = fopen(path, "w");
    if (f)
        code_each(write_blob, f);
    bool ok = f && fclose(f) == 0;
    thread_enter_vm(self);
    if (!ok)
        sb_printf(call->out, "%s could not be written\n", path);
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
