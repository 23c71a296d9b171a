// SPDX-License-Identifier: Apache-2.0
// Loading agents into the running VM, as other processes ask for it: the attach command `load`,
// the diagnostic commands JVMTI.agent_load and JVMTI.data_dump.
#include "classlib/attach.h"
#include "classlib/diagnostic_command.h"
#include "event/event.h"
#include "jvmti/jvmti_vm.h"
#include "jvmti/ti.h"

// Adds "return code: N", or why nothing was called (false).
static bool load(Thread *self, const char *name, bool is_path, const char *options, StrBuf *out)
{
    char error[1024];
    jint result;
    bool called = agent_attach(self, name, is_path, options, &result, error, sizeof error);
    if (called)
        sb_printf(out, "return code: %d\n", result);
    else
        sb_printf(out, "%s\n", error);
    return called;
}

static int attach_load(Thread *self, char *const arguments[], StrBuf *out)
{
    bool is_path = strcmp(arguments[1], "true") == 0;
    return load(self, arguments[0], is_path, arguments[2], out) ? JNI_OK : JNI_ERR;
}

static const DiagnosticArgument load_arguments[] = {
    {"library path", "Absolute path of the JVMTI agent to load.", "STRING", NULL, false, true},
    {"agent option", "Option string to pass the agent.", "STRING", NULL, false, false},
};
// A path that ends in ".jar" is an agent in Java: libinstrument loads it.
static void agent_load(Thread *self, const DiagnosticCall *call)
{
    const char *path = call->values[0], *options = call->values[1];
    size_t len = strlen(path);
    if (len <= 4 || strcmp(path + len - 4, ".jar") != 0) {
        load(self, path, true, options, call->out);
        return;
    }
    char *jar = options ? vm_asprintf("%s=%s", path, options) : vm_strdup(path);
    load(self, "instrument", false, jar, call->out);
    vm_free(jar);
}

static void data_dump(Thread *self, const DiagnosticCall *call)
{
    (void)call;
    event_post(self, DATA_DUMP, .unused = 0);
}

static const DiagnosticCommand rows[] = {
    {.name = "JVMTI.agent_load",
     .description = "Load JVMTI native agent.",
     .impact = "Low",
     DIAGNOSTIC_CONTROL,
     DIAGNOSTIC_ARGUMENTS(load_arguments),
     .run = agent_load},
    {.name = "JVMTI.data_dump",
     .description = "Signal the JVM to do a data-dump request for JVMTI.",
     .impact = "High",
     DIAGNOSTIC_MONITOR,
     .run = data_dump},
};

void ti_commands_init(void)
{
    attach_register("load", attach_load);
    diagnostic_register(rows, ARRAY_LEN(rows));
}
