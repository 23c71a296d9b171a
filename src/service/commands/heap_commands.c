// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands GC.* and System.trim_native_heap, and the attach commands inspectheap
// and dumpheap, which do the same.
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "java/call.h"
#include "java/string.h"
#include "options/options.h"
#include "service/attach/attach_operations.h"
#include "service/commands/commands.h"
#include "service/dump/heap_dump.h"
#include "service/dump/heap_histogram.h"
#include "service/dump/thread_dump.h"

// ---- GC.run, GC.run_finalization, GC.heap_info, System.trim_native_heap ----

static void run_gc(Thread *self, const DiagnosticCall *call)
{
    if (vm_options.disable_explicit_gc)
        sb_add(call->out, "Explicit GC is disabled, no GC has been performed.\n");
    else
        heap_collect(self, GC_SYSTEM_GC, true);
}

static void run_finalization(Thread *self, const DiagnosticCall *call)
{
    (void)call;
    (void)!java_call_static(self, "java/lang/System", "runFinalization", "()V", NULL, NULL);
}

static void heap_info(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    describe_heap(call->out);
}

static void trim_native_heap(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    uint64_t before = os_resident_memory() >> 10;
    malloc_trim(0);
    uint64_t after = os_resident_memory() >> 10;
    sb_printf(call->out, "Trim native heap: RSS+Swap: %lluK->%lluK (%+lldK)\n",
              (unsigned long long)before, (unsigned long long)after,
              (long long)(after - before));
}

// ---- GC.finalizer_info ----

static Field *field_of(const Object *o, const char *name)
{
    Class *c = object_class(o);
    FIELD_EACH (f, c)
        if (strcmp(f->name->s, name) == 0)
            return f;
    return NULL;
}

static void finalizer_info(Thread *self, const DiagnosticCall *call)
{
    jvalue rows;
    if (!java_call_static(self, "java/lang/ref/FinalizerHistogram", "getFinalizerHistogram",
                          "()[Ljava/lang/ref/FinalizerHistogram$Entry;", NULL, &rows))
        return;
    int32_t n = array_length(deref(rows.l));
    sb_add(call->out, n ? "Unreachable instances waiting for finalization\n"
                          "#instances  class name\n-----------------------\n"
                        : "No instances waiting for finalization found\n");
    for (int32_t i = 0; i < n; i++) {
        Object *row = array_get_ref(deref(rows.l), i);
        Field *count = field_of(row, "instanceCount"), *cls = field_of(row, "className");
        char *name = cls ? string_to_utf8(object_get_ref(row, cls->offset)) : NULL;
        sb_printf(call->out, "%10d  %s\n", count ? object_get_int(row, count->offset) : 0,
                  name ? name : "");
        vm_free(name);
    }
}

// ---- histogram and dump ----

static const DiagnosticArgument histogram_arguments[] = {
    {"-all", "Inspect all objects, including unreachable objects", "BOOLEAN", "false", true,
     false},
    {"-parallel",
     "Number of parallel threads to use for heap inspection. 0 (the default) means let the VM "
     "determine the number of threads to use. 1 means use one thread (disable parallelism). "
     "For "
     "any other value the VM will try to use the specified number of threads, but might use "
     "fewer.",
     "INT", "0", true, false},
};
static void class_histogram(Thread *self, const DiagnosticCall *call)
{
    int64_t threads = diagnostic_integer(call, 1);
    if (threads < 0)
        sb_printf(call->out, "Parallel thread number out of range (>=0): %lld\n",
                  (long long)threads);
    else
        heap_histogram_print(self, !diagnostic_boolean(call, 0), call->out);
}

static void add_dump(Thread *self, const HeapDumpOptions *options, StrBuf *out)
{
    HeapDumpResult result = {0};
    sb_printf(out, "Dumping heap to %s ...\n", options->to.path);
    const char *error = heap_dump_write_as(self, options, &result);
    heap_dump_describe(options->to.path, error, &result, out);
}

// Sets the packing if its level, which a text gives, is possible.
static bool set_packing(HprofTarget *to, HprofPacking how, int64_t level, StrBuf *out)
{
    int most = how == HPROF_GZIP ? 9 : 19;
    bool ok = level >= 1 && level <= most;
    if (!ok)
        sb_printf(out, "Compression level out of range (1-%d): %lld\n", most, (long long)level);
    to->packing = how;
    to->level = (int)level;
    return ok;
}

static const DiagnosticArgument dump_arguments[] = {
    {"filename", "Name of the dump file", "STRING", NULL, false, true},
    {"-all", "Dump all objects, including unreachable objects", "BOOLEAN", "false", true,
     false},
    {"-gz",
     "If specified, the heap dump is written in gzipped format using the given compression "
     "level. 1 (recommended) is the fastest, 9 the strongest compression.",
     "INT", "1", true, false},
    {"-overwrite", "If specified, the dump file will be overwritten if it exists", "BOOLEAN",
     "false", true, false},
    {"-snapshot",
     "A process of its own writes the dump while the program runs on; all objects are dumped, "
     "nothing is collected first",
     "BOOLEAN", "false", true, false},
    {"-limit",
     "For -snapshot: MiB of memory that may be copied because the program changes it; more "
     "end the snapshot. 0: half of the memory that is available",
     "INT", "0", true, false},
    {"-zstd",
     "If specified, the heap dump is written in zstd format using the given compression level, "
     "1 to 19; libzstd1 has to be installed",
     "INT", "1", true, false},
};
static void heap_dump(Thread *self, const DiagnosticCall *call)
{
    bool snapshot = diagnostic_boolean(call, 4);
    HeapDumpOptions options = {
        .live = !diagnostic_boolean(call, 1) && !snapshot,
        .to = {.path = call->values[0], .overwrite = diagnostic_boolean(call, 3)},
        .snapshot = snapshot};
    int64_t limit = diagnostic_integer(call, 5);
    if (limit < 0 || limit > INT64_MAX >> 20) {
        sb_printf(call->out, "Limit out of range (>=0): %lld\n", (long long)limit);
        return;
    }
    options.copied_most = (uint64_t)limit << 20;
    if (call->values[2] && call->values[6]) {
        sb_add(call->out, "Either -gz or -zstd\n");
        return;
    }
    if (call->values[2]
        && !set_packing(&options.to, HPROF_GZIP, diagnostic_integer(call, 2), call->out))
        return;
    if (call->values[6]
        && !set_packing(&options.to, HPROF_ZSTD, diagnostic_integer(call, 6), call->out))
        return;
    add_dump(self, &options, call->out);
}

// "-live", "-all" or nothing, which is live. False: something else.
static bool parse_live(const char *operation, const char *text, bool *live, StrBuf *out)
{
    *live = strcmp(text, "-all") != 0;
    if (!*text || !*live || strcmp(text, "-live") == 0)
        return true;
    sb_printf(out, "Invalid argument to %s operation: %s\n", operation, text);
    return false;
}

// Arguments: what, file (else the client gets the table), number of threads.
int attach_inspect_heap(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    ASSERT_MAY_GC(self);
    bool live;
    if (!parse_live("inspectheap", arguments[0], &live, out))
        return JNI_ERR;
    char *end;
    strtoul(arguments[2], &end, 10); // how many makes no difference here
    if (*end) {
        sb_printf(out, "Invalid parallel thread number: [%s]\n", arguments[2]);
        return JNI_ERR;
    }
    if (!*arguments[1]) {
        heap_histogram_print(self, live, out);
        return JNI_OK;
    }
    StrBuf table = {0};
    FILE *f = fopen(arguments[1], "we");
    if (f)
        heap_histogram_print(self, live, &table);
    bool ok = f && fwrite(table.s, 1, table.len, f) == table.len;
    int why = errno;
    if (f)
        ok = fclose(f) == 0 && ok;
    if (ok)
        sb_printf(out, "Heap inspection file created: %s\n", arguments[1]);
    else
        sb_printf(out, "Unable to create %s: %s\n", arguments[1], strerror(why));
    sb_free(&table);
    return ok ? JNI_OK : JNI_ERR;
}

// Arguments: file, what, level of compression.
int attach_dump_heap(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    ASSERT_MAY_GC(self);
    HeapDumpOptions options = {.to = {.path = arguments[0]}};
    if (!*arguments[0]) {
        sb_add(out, "No dump file specified\n");
        return JNI_OK;
    }
    if (!parse_live("dumpheap", arguments[1], &options.live, out))
        return JNI_ERR;
    if (*arguments[2] && !set_packing(&options.to, HPROF_GZIP, atoi(arguments[2]), out))
        return JNI_ERR;
    add_dump(self, &options, out);
    return JNI_OK;
}

static const DiagnosticCommand rows[] = {
    {.name = "GC.class_histogram",
     .description = "Provide statistics about the Java heap usage.",
     .impact = "High: Depends on Java heap size and content.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(histogram_arguments),
     .run = class_histogram},
    {.name = "GC.finalizer_info",
     .description = "Provide information about Java finalization queue.",
     .impact = "Medium",
     DIAGNOSTIC_MONITOR,
     .run = finalizer_info},
    {.name = "GC.heap_dump",
     .description = "Generate a HPROF format dump of the Java heap.",
     .impact = "High: Depends on Java heap size and content. Request a full GC unless the "
               "'-all' option is specified.",
     DIAGNOSTIC_MONITOR,
     .hidden_from_beans = true,
     DIAGNOSTIC_ARGUMENTS(dump_arguments),
     .run = heap_dump},
    {.name = "GC.heap_info",
     .description = "Provide generic Java heap information.",
     .impact = "Medium",
     DIAGNOSTIC_MONITOR,
     .run = heap_info},
    {.name = "GC.run",
     .description = "Call java.lang.System.gc().",
     .impact = "Medium: Depends on Java heap size and content.",
     .run = run_gc},
    {.name = "GC.run_finalization",
     .description = "Call java.lang.System.runFinalization().",
     .impact = "Medium: Depends on Java content.",
     .run = run_finalization},
    {.name = "System.trim_native_heap",
     .description = "Attempts to free up memory by trimming the C-heap.",
     .impact = "Low",
     DIAGNOSTIC_CONTROL,
     .run = trim_native_heap},
};
const DiagnosticRows heap_commands = {rows, ARRAY_LEN(rows)};
