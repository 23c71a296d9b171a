// SPDX-License-Identifier: Apache-2.0
// Loading agents into the running VM, as other processes ask for it: the attach command `load`,
// the diagnostic commands JVMTI.agent_load, JVMTI.data_dump and JVMTI.hotspot; and starting a
// debugger back end that waits for it, VM.start_java_debugging. The texts are HotSpot's.
#include "event/event.h"
#include "jvmti/env/jvmti_vm.h"
#include "jvmti/env/ti.h"
#include "jvmti/env/ti_departure.h"
#include "jvmti/tags/ti_tags.h"
#include "options/options.h"
#include "service/attach/attach.h"
#include "service/commands/diagnostic_command.h"

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

// -XX:-EnableDynamicAgentLoading forbids this way alone, as in HotSpot 17: JVMTI.agent_load goes on.
static int attach_load(Thread *self, char *const arguments[], StrBuf *out)
{
    if (!vm_options.dynamic_agents) {
        sb_add(out, "Dynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading "
                    "to launch target VM.");
        return JNI_ERR;
    }
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

static const DiagnosticArgument enhanced_arguments[] = {
    {"mode",
     "on: classes change any method; off: as the specification. Without it: which of them it "
     "is.",
     "STRING", NULL, false, false},
};

static void enhanced_redefinition(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    const char *mode = call->values[0];
    bool on = mode && strcmp(mode, "on") == 0;
    if (mode && !on && strcmp(mode, "off") != 0) {
        sb_printf(call->out, "JVMTI.enhanced_redefinition: the mode is on or off, not %s\n",
                  mode);
        return;
    }
    if (mode)
        atomic_store(&vm_options.enhanced_redefinition, on);
    sb_printf(call->out, "Redefinition is %s\n",
              options_now(vm_options.enhanced_redefinition) ? "enhanced"
                                                            : "as the specification");
}

// What libjdwp exports for this command: NULL, or why it was not started.
typedef const char *(*StartDebugging)(JNIEnv *env, jthread thread, const char **transport,
                                      const char **address, jboolean *is_first);
static const char start_debugging_name[] = "debugInit_startDebuggingViaCommand";

static void start_java_debugging(Thread *self, const DiagnosticCall *call)
{
    void *function = NULL;
    const char *error = NULL, *transport = NULL, *address = NULL;
    jboolean is_first = JNI_FALSE;
    if (!ti_agent_find_function("jdwp", start_debugging_name, &function)) {
        error = "Could not find jdwp agent.";
    } else if (!function) {
        error = "Could not find debugInit_startDebuggingViaCommand in the jdwp agent.";
    } else {
        jthread thread = handle_new(self, deref(self->java_thread));
        thread_leave_vm(self, THREAD_IN_NATIVE);
        error =
            ((StartDebugging)function)(jni_env(self), thread, &transport, &address, &is_first);
        thread_enter_vm(self);
    }
    if (error)
        sb_printf(call->out, "Debugging has not been started: %s\n", error);
    else
        sb_printf(call->out, "%s\nTransport : %s\nAddress : %s\n",
                  is_first ? "Debugging has been started." : "Debugging is already active.",
                  transport ? transport : "#unknown", address ? address : "#unknown");
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
    {.name = "JVMTI.enhanced_redefinition",
     .description = "Let redefined classes change more than the bodies of their methods.",
     .impact = "Low",
     DIAGNOSTIC_CONTROL,
     DIAGNOSTIC_ARGUMENTS(enhanced_arguments),
     .run = enhanced_redefinition},
    {.name = "JVMTI.hotspot",
     .description = "Do as HotSpot where it departs from the specification of JVM TI.",
     .impact = "Low",
     DIAGNOSTIC_CONTROL,
     DIAGNOSTIC_ARGUMENTS(hotspot_arguments),
     .run = hotspot},
    {.name = "VM.start_java_debugging",
     .description = "Starts up the Java debugging if the jdwp agentlib was enabled with the "
                    "option onjcmd=y.",
     .impact = "High: Switches the VM into Java debug mode.",
     DIAGNOSTIC_CONTROL,
     .hidden_from_beans = true,
     .run = start_java_debugging},
};

void ti_commands_init(void)
{
    attach_register("load", attach_load);
    diagnostic_register(rows, ARRAY_LEN(rows));
}
