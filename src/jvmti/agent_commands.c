// SPDX-License-Identifier: Apache-2.0
// Loading agents into the running VM, as other processes ask for it: the attach command `load`,
// the diagnostic commands JVMTI.agent_load, JVMTI.data_dump and JVMTI.hotspot.
#include "classlib/attach.h"
#include "classlib/diagnostic_command.h"
#include "event/event.h"
#include "jvmti/jvmti_vm.h"
#include "jvmti/ti.h"
#include "jvmti/ti_departure.h"
#include "jvmti/ti_tags.h"

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

static const DiagnosticArgument hotspot_arguments[] = {
    {"mode", "on: as HotSpot; off: as the specification. Without it: which of them it is.",
     "STRING", NULL, false, false},
};
static void set_hotspot(bool on)
{
    atomic_store_explicit(&ti_hotspot, on, memory_order_relaxed);
    ti_prefixes_order();
}

static void hotspot(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    const char *mode = call->values[0];
    bool on = mode && strcmp(mode, "on") == 0;
    if (mode && !on && strcmp(mode, "off") != 0) {
        sb_printf(call->out, "JVMTI.hotspot: the mode is on or off, not %s\n", mode);
        return;
    }
    if (mode)
        set_hotspot(on);
    sb_printf(call->out, "JVM TI is as %s\n",
              ti_as_hotspot() ? "HotSpot" : "the specification");
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
    {.name = "JVMTI.hotspot",
     .description = "Do as HotSpot where it departs from the specification of JVM TI.",
     .impact = "Low",
     DIAGNOSTIC_CONTROL,
     DIAGNOSTIC_ARGUMENTS(hotspot_arguments),
     .run = hotspot},
};

void ti_commands_init(void)
{
    attach_register("load", attach_load);
    diagnostic_register(rows, ARRAY_LEN(rows));
}
