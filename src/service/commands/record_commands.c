// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands about what has happened so far: VM.events, VM.print_touched_methods; the
// latter's list also at the end, for -XX:+PrintTouchedMethodsAtExit.
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/output.h"
#include "base/recent.h"
#include "java/shutdown.h"
#include "options/options.h"
#include "service/commands/commands.h"

// ---- VM.events ----

static const DiagnosticArgument events_arguments[] = {
    {"log", "Name of log to be printed. If omitted, all logs are printed.", "STRING", NULL,
     true, false},
    {"max",
     "Maximum number of events to be printed (newest first). If omitted, all events are "
     "printed.",
     "STRING", NULL, true, false},
};

static void add_log(StrBuf *sb, RecentLog log, size_t max)
{
    size_t count = recent_count(log);
    sb_printf(sb, "%s (%zu events):\n", recent_title(log), count);
    if (count == 0)
        sb_add(sb, "No events\n");
    if (count > max)
        sb_add(sb, "...(skipped)\n");
    for (size_t i = count - MIN_OF(count, max); i < count; i++) {
        char line[RECENT_LINE];
        if (recent_line(log, i, line))
            sb_printf(sb, "%s\n", line);
    }
    sb_add(sb, "\n");
}

static void add_names(StrBuf *sb, const char *wrong)
{
    sb_printf(sb,
              "The name \"%s\" did not match any known event log. Valid event log names are:\n",
              wrong);
    for (int i = 0; i < RECENT_LOGS; i++)
        sb_printf(sb, "\"%s\" : %s\n", recent_name(i), recent_title(i));
}

static void events(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    const char *name = diagnostic_text(call, 0), *max_text = diagnostic_text(call, 1);
    char *end = NULL;
    long max = max_text ? strtol(max_text, &end, 10) : 0;
    if (max_text && *end) {
        sb_printf(call->out, "Invalid max option: \"%s\".\n", max_text);
        return;
    }
    bool found = false;
    for (int i = 0; i < RECENT_LOGS; i++) {
        if (name && strcasecmp(name, recent_name(i)) != 0)
            continue;
        add_log(call->out, i, max > 0 ? (size_t)max : SIZE_MAX);
        found = true;
    }
    if (!found)
        add_names(call->out, name);
}

// ---- VM.print_touched_methods ----

static bool was_touched(const Method *m)
{
    return atomic_load_explicit(&m->code, memory_order_relaxed) || method_native(m);
}

static void add_touched(void *out, Class *c)
{
    METHOD_EACH (m, c) {
        if (was_touched(m))
            sb_printf(out, "%s.%s:%s\n", c->name->s, m->name->s, m->desc->s);
    }
}

static void add_all_touched(StrBuf *out)
{
    sb_add(out, "# Method::print_touched_methods version 1\n");
    classes_each(add_touched, out);
}

static void touched_methods(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    if (!vm_options.log_touched_methods) {
        sb_add(call->out, "VM.print_touched_methods command requires -XX:+LogTouchedMethods\n");
        return;
    }
    add_all_touched(call->out);
}

static void print_touched_methods(Thread *self)
{
    (void)self;
    StrBuf list = {0};
    add_all_touched(&list);
    fputs(list.s, vm_stdout());
    fflush(vm_stdout());
    sb_free(&list);
}

void record_commands_start(void)
{
    if (vm_options.log_touched_methods && vm_options.print_touched_methods)
        shutdown_add(print_touched_methods);
}

static const DiagnosticCommand rows[] = {
    {.name = "VM.events",
     .description = "Print VM event logs",
     .impact = "Low: Depends on event log size. ",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(events_arguments),
     .run = events},
    {.name = "VM.print_touched_methods",
     .description =
         "Print all methods that have ever been touched during the lifetime of this JVM.",
     .impact = "Medium: Depends on Java content.",
     .run = touched_methods},
};
const DiagnosticRows record_commands = {rows, ARRAY_LEN(rows)};
