// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands VM.*, those about the VM itself: version, options, flags, properties.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "java/call.h"
#include "java/string.h"
#include "options/flag_access.h"
#include "options/options.h"
#include "service/commands/commands.h"
#include "service/dump/thread_dump.h"

// ---- version, command line, properties, time ----

static void version(Thread *self, const DiagnosticCall *call)
{
    jobject key = string_from_mutf8(self, "java.version");
    jvalue value;
    if (!key
        || !java_call_static(self, "java/lang/System", "getProperty",
                             "(Ljava/lang/String;)Ljava/lang/String;", (jvalue[]){{.l = key}},
                             &value))
        return;
    char *text = string_to_utf8(deref(value.l));
    sb_printf(call->out, "%s version %s\nJDK %s\n", options_property("java.vm.name"),
              vm_version, text ? text : "");
    vm_free(text);
}

static void command_line(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    const char *class_path = options_property("java.class.path"),
               *launcher = options_property("sun.java.launcher");
    sb_add(call->out, "VM Arguments:\n");
    if (vm_options.args.len)
        sb_add(call->out, "jvm_args: ");
    for (size_t i = 0; i < vm_options.args.len; i++)
        sb_printf(call->out, "%s ", vm_options.args.at[i]);
    sb_printf(call->out, "%sjava_command: %s\n", vm_options.args.len ? "\n" : "",
              vm_options.java_command ? vm_options.java_command : "<unknown>");
    sb_printf(call->out, "java_class_path (initial): %s\nLauncher Type: %s\n",
              class_path && *class_path ? class_path : "<not set>",
              launcher ? launcher : "generic");
}

static void system_properties(Thread *self, const DiagnosticCall *call)
{
    (void)!add_vm_support_text(self, "serializePropertiesToByteArray", call->out);
}

static const DiagnosticArgument uptime_arguments[] = {
    {"-date", "Add a prefix with current date", "BOOLEAN", "false", true, false},
};
static void uptime(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    int64_t up = log_uptime_nanos();
    if (diagnostic_boolean(call, 0)) {
        int64_t seconds, nanos;
        os_wall_time(&seconds, &nanos);
        struct tm tm;
        char stamp[32], zone[8];
        localtime_r(&(time_t){(time_t)seconds}, &tm);
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &tm);
        strftime(zone, sizeof zone, "%z", &tm);
        sb_printf(call->out, "%s.%03d%s: ", stamp, (int)(nanos / 1000000), zone);
    }
    sb_printf(call->out, "%.3f s\n", (double)up / 1e9);
}

// ---- flags ----

static const DiagnosticArgument flags_arguments[] = {
    {"-all", "Print all flags supported by the VM", "BOOLEAN", "false", true, false},
};

// As -XX:+PrintFlagsFinal.
static void flags(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    bool all = diagnostic_boolean(call, 0);
    if (all)
        sb_add(call->out, "[Global flags]\n");
    for (size_t i = 0; i < flags_count(); i++) {
        FlagView f;
        flag_view(i, &f);
        if (all && !f.is_locked) {
            flag_add_row(call->out, &f);
        } else if (!all && f.origin != FLAG_BY_DEFAULT) {
            flag_add_option(call->out, &f);
            sb_putc(call->out, ' ');
        }
    }
    if (!all)
        sb_putc(call->out, '\n');
}

static const DiagnosticArgument set_flag_arguments[] = {
    {"flag name", "The name of the flag we want to set", "STRING", NULL, false, true},
    {"string value", "The value we want to set", "STRING", NULL, false, false},
};
static void set_flag(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    FlagView f;
    if (flag_view_named(call->values[0], &f) && !f.is_writeable)
        sb_add(call->out, "only 'writeable' flags can be set\n");
    else if (!call->values[1] && flag_view_named(call->values[0], &f))
        sb_add(call->out, "flag value is missing\n");
    else
        (void)flag_change(call->values[0], call->values[1] ? call->values[1] : "",
                          FLAG_BY_ATTACH, call->out);
}

// ---- what this VM does not do ----

static const DiagnosticArgument native_memory_arguments[] = {
    {"summary",
     "request runtime to report current memory summary, which includes total reserved and "
     "committed memory, along with memory usage summary by each subsystem.",
     "BOOLEAN", "false", true, false},
    {"detail", "request runtime to report memory allocation >= 1K by each callsite.", "BOOLEAN",
     "false", true, false},
    {"baseline",
     "request runtime to baseline current memory usage, so it can be compared against in later "
     "time.",
     "BOOLEAN", "false", true, false},
    {"summary.diff",
     "request runtime to report memory summary comparison against previous baseline.",
     "BOOLEAN", "false", true, false},
    {"detail.diff",
     "request runtime to report memory detail comparison against previous baseline, which "
     "shows "
     "the memory allocation activities at different callsites.",
     "BOOLEAN", "false", true, false},
    {"shutdown", "deprecated.", "BOOLEAN", "false", true, false},
    {"statistics", "print tracker statistics for tuning purpose.", "BOOLEAN", "false", true,
     false},
    {"scale", "Memory usage in which scale, KB, MB or GB", "STRING", "KB", true, false},
};
static void native_memory(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    sb_add(call->out, "Native memory tracking is not enabled\n");
}

static const DiagnosticCommand rows[] = {
    {.name = "VM.command_line",
     .description = "Print the command line used to start this VM instance.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     .run = command_line},
    {.name = "VM.flags",
     .description = "Print VM flag options and their current values.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(flags_arguments),
     .run = flags},
    {.name = "VM.native_memory",
     .description = "Print native memory usage",
     .impact = "Medium",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(native_memory_arguments),
     .run = native_memory},
    {.name = "VM.set_flag",
     .description = "Sets VM flag option using the provided value.",
     .impact = "Low",
     DIAGNOSTIC_CONTROL,
     DIAGNOSTIC_ARGUMENTS(set_flag_arguments),
     .run = set_flag},
    {.name = "VM.system_properties",
     .description = "Print system properties.",
     .impact = "Low",
     .permission = {"java.util.PropertyPermission", "*", "read"},
     .run = system_properties},
    {.name = "VM.uptime",
     .description = "Print VM uptime.",
     .impact = "Low",
     DIAGNOSTIC_ARGUMENTS(uptime_arguments),
     .run = uptime},
    {.name = "VM.version",
     .description = "Print JVM version information.",
     .impact = "Low",
     .permission = {"java.util.PropertyPermission", "java.vm.version", "read"},
     .run = version},
};
const DiagnosticRows vm_commands = {rows, ARRAY_LEN(rows)};
