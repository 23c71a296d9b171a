// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands about the process and the VM's state at large: VM.dynlibs,
// VM.info, VM.log.
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"
#include "options/options.h"
#include "service/commands/commands.h"
#include "service/dump/thread_dump.h"
#include "service/management/memory_pools.h"

static void add_file(StrBuf *sb, const char *path)
{
    char buffer[4096];
    FILE *f = fopen(path, "re");
    for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        sb_add_n(sb, buffer, n);
    if (f)
        fclose(f);
    else
        sb_printf(sb, "%s: %s\n", path, strerror(errno));
}

static void dynamic_libraries(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    sb_add(call->out, "Dynamic libraries:\n");
    add_file(call->out, "/proc/self/maps");
}

// ---- VM.info ----

static void add_summary(StrBuf *sb)
{
    struct utsname host;
    uname(&host);
    sb_printf(sb,
              "#\n# Java VM: %s (%s, %s, compressed oops, compressed class ptrs, %s-%s)\n\n",
              options_property("java.vm.name"), vm_version, options_property("java.vm.info"),
              "linux", host.machine);
    sb_add(sb, "---------------  S U M M A R Y ------------\n\nCommand Line: ");
    for (size_t i = 0; i < vm_options.args.len; i++)
        sb_printf(sb, "%s ", vm_options.args.at[i]);
    sb_printf(sb, "%s\n\nHost: %s, %d cores, %lluM, %s %s\n",
              vm_options.java_command ? vm_options.java_command : "", host.nodename,
              os_cpu_count(), (unsigned long long)(os_physical_memory() >> 20), host.sysname,
              host.release);
    sb_printf(sb, "elapsed time: %.6f seconds\n\n", (double)log_uptime_nanos() / 1e9);
}

static void info(Thread *self, const DiagnosticCall *call)
{
    StrBuf *sb = call->out;
    add_summary(sb);
    sb_add(sb, "---------------  P R O C E S S  ---------------\n\n");
    dump_threads(self, (ThreadDump){.heap = true}, sb);
    sb_printf(sb, "resident %lluK, at most %lluK\n\n",
              (unsigned long long)(os_resident_memory() >> 10),
              (unsigned long long)(os_peak_resident_memory() >> 10));
    dynamic_libraries(self, call);
    sb_add(sb, "\n---------------  S Y S T E M  ---------------\n\n");
    add_file(sb, "/proc/meminfo");
    sb_add(sb, "\nEND.\n");
}

// ---- VM.log ----

static const DiagnosticArgument log_arguments[] = {
    {"output", "The name or index (#<index>) of output to configure.", "STRING", NULL, true,
     false},
    {"output_options", "Options for the output.", "STRING", NULL, true, false},
    {"what", "Configures what tags to log.", "STRING", NULL, true, false},
    {"decorators",
     "Configures which decorators to use. Use 'none' or an empty value to remove all.",
     "STRING", NULL, true, false},
    {"disable", "Turns off all logging and clears the log configuration.", "BOOLEAN", NULL,
     true, false},
    {"list", "Lists current log configuration.", "BOOLEAN", NULL, true, false},
    {"rotate", "Rotates all logs.", "BOOLEAN", NULL, true, false},
};
enum {
    LOG_OUTPUT,
    LOG_OUTPUT_OPTIONS,
    LOG_WHAT,
    LOG_DECORATORS_GIVEN,
    LOG_DISABLE,
    LOG_LIST,
    LOG_ROTATE
};

static void log_command(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    char **v = call->values, error[256] = "";
    bool changes = v[LOG_OUTPUT] || v[LOG_WHAT] || v[LOG_DECORATORS_GIVEN];
    if (diagnostic_boolean(call, LOG_DISABLE)
        && !log_configure(":disable", error, sizeof error))
        sb_printf(call->out, "%s\n", error);
    const char *output = v[LOG_OUTPUT] ? v[LOG_OUTPUT] : "stdout";
    if (strcmp(output, "#0") == 0 || strcmp(output, "#1") == 0)
        output = output[1] == '0' ? "stdout" : "stderr";
    char *spec = vm_asprintf(":%s:%s:%s:%s", v[LOG_WHAT] ? v[LOG_WHAT] : "", output,
                             v[LOG_DECORATORS_GIVEN] ? v[LOG_DECORATORS_GIVEN] : "",
                             v[LOG_OUTPUT_OPTIONS] ? v[LOG_OUTPUT_OPTIONS] : "");
    if (changes && !log_configure(spec, error, sizeof error))
        sb_printf(call->out, "%s\n", error);
    vm_free(spec);
    if (diagnostic_boolean(call, LOG_LIST))
        log_describe(call->out);
    if (diagnostic_boolean(call, LOG_ROTATE))
        log_rotate();
    bool asked = false;
    for (int i = LOG_OUTPUT; i <= LOG_ROTATE; i++)
        asked = asked || v[i];
    if (!asked)
        diagnostic_add_syntax(call->out, call->command);
}

static const DiagnosticCommand rows[] = {
    {.name = "VM.dynlibs",
     .description = "Print loaded dynamic libraries.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     .run = dynamic_libraries},
    {.name = "VM.info",
     .description = "Print information about JVM environment and status.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     .run = info},
    {.name = "VM.log",
     .description =
         "Lists current log configuration, enables/disables/configures a log output, or "
         "rotates all logs.",
     .impact = "Low: No impact",
     DIAGNOSTIC_CONTROL,
     DIAGNOSTIC_ARGUMENTS(log_arguments),
     .run = log_command},
};
const DiagnosticRows state_commands = {rows, ARRAY_LEN(rows)};
