// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands of this layer, put together; Thread.* and GC.*.
#include "classlib/commands.h"

#include <malloc.h>

#include "classlib/classlib.h"
#include "runtime/options.h"

bool add_vm_support_text(Thread *self, const char *method, StrBuf *out)
{
    HANDLE_SCOPE(self);
    jvalue bytes;
    if (!java_call_static(self, "jdk/internal/vm/VMSupport", method, "()[B", NULL, &bytes))
        return false;
    Object *array = deref(bytes.l);
    sb_add_n(out, array_data(array), (size_t)array_length(array));
    return true;
}

// ---- threads ----

static const DiagnosticArgument print_arguments[] = {
    {"-l", "print java.util.concurrent locks", "BOOLEAN", "false", true, false},
    {"-e", "print extended thread information", "BOOLEAN", "false", true, false},
};
static void print_threads(Thread *self, const DiagnosticCall *call)
{
    ThreadDump what = {.synchronizers = diagnostic_boolean(call, 0),
                       .extended = diagnostic_boolean(call, 1)};
    dump_threads(self, what, call->out);
}

static const DiagnosticCommand thread_rows[] = {
    {.name = "Thread.print",
     .description = "Print all threads with stacktraces.",
     .impact = "Medium: Depends on the number of threads.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(print_arguments),
     .run = print_threads},
};
const DiagnosticRows thread_commands = {thread_rows, ARRAY_LEN(thread_rows)};

// ---- heap ----

static void heap_info(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    describe_heap(call->out);
}

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

static const DiagnosticCommand heap_rows[] = {
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
};
const DiagnosticRows heap_commands = {heap_rows, ARRAY_LEN(heap_rows)};

void diagnostic_register_classlib(void)
{
    static const DiagnosticRows *const all[] = {&help_command, &vm_commands, &heap_commands,
                                                &thread_commands};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        diagnostic_register(all[i]->rows, all[i]->count);
}
