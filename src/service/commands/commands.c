// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands of this layer, put together; those on threads, and those that the
// class library answers: ManagementAgent.*.
#include "service/commands/commands.h"

#include "java/call.h"
#include "java/string.h"
#include "service/dump/thread_dump.h"

bool add_vm_support_text(Thread *self, const char *method, StrBuf *out)
{
    ASSERT_MAY_GC(self);
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

// ---- the JMX agent ----

#define AGENT "jdk/internal/agent/Agent"

// Its module may not be among those that the program started with.
static bool load_agent_module(Thread *self)
{
    jobject name = string_from_mutf8(self, "jdk.management.agent");
    jvalue module;
    return name
           && java_call_static(self, "jdk/internal/module/Modules", "loadModule",
                               "(Ljava/lang/String;)Ljava/lang/Module;",
                               (jvalue[]){{.l = name}}, &module);
}

#define TEXT(name, property)                                                  \
    {                                                                         \
        name, "set com.sun.management." property, "STRING", NULL, true, false \
    }
#define NUMBER(name)                                                   \
    {                                                                  \
        name, "set com.sun.management." name, "INT", NULL, true, false \
    }
static const DiagnosticArgument agent_arguments[] = {
    TEXT("config.file", "config.file"),
    TEXT("jmxremote.host", "jmxremote.host"),
    TEXT("jmxremote.port", "jmxremote.port"),
    TEXT("jmxremote.rmi.port", "jmxremote.rmi.port"),
    TEXT("jmxremote.ssl", "jmxremote.ssl"),
    TEXT("jmxremote.registry.ssl", "jmxremote.registry.ssl"),
    TEXT("jmxremote.authenticate", "jmxremote.authenticate"),
    TEXT("jmxremote.password.file", "jmxremote.password.file"),
    TEXT("jmxremote.access.file", "jmxremote.access.file"),
    TEXT("jmxremote.login.config", "jmxremote.login.config"),
    TEXT("jmxremote.ssl.enabled.cipher.suites", "jmxremote.ssl.enabled.cipher.suite"),
    TEXT("jmxremote.ssl.enabled.protocols", "jmxremote.ssl.enabled.protocols"),
    TEXT("jmxremote.ssl.need.client.auth", "jmxremote.need.client.auth"),
    TEXT("jmxremote.ssl.config.file", "jmxremote.ssl.config.file"),
    TEXT("jmxremote.autodiscovery", "jmxremote.autodiscovery"),
    NUMBER("jdp.port"),
    TEXT("jdp.address", "jdp.address"),
    TEXT("jdp.source_addr", "jdp.source_addr"),
    NUMBER("jdp.ttl"),
    NUMBER("jdp.pause"),
    TEXT("jdp.name", "jdp.name"),
};

// The agent reads "com.sun.management.name=value,...".
static void start_agent(Thread *self, const DiagnosticCall *call)
{
    StrBuf options = {0};
    sb_add(&options, "");
    for (int i = 0; i < call->command->argument_count; i++)
        if (call->values[i])
            sb_printf(&options, "%scom.sun.management.%s=%s", options.len ? "," : "",
                      agent_arguments[i].name, call->values[i]);
    jobject text = load_agent_module(self) ? string_from_platform(self, options.s) : NULL;
    sb_free(&options);
    if (text)
        (void)!java_call_static(self, AGENT, "startRemoteManagementAgent",
                                "(Ljava/lang/String;)V", (jvalue[]){{.l = text}}, NULL);
}

static void start_local_agent(Thread *self, const DiagnosticCall *call)
{
    (void)call;
    (void)!(load_agent_module(self)
            && java_call_static(self, AGENT, "startLocalManagementAgent", "()V", NULL, NULL));
}

static void stop_agent(Thread *self, const DiagnosticCall *call)
{
    (void)call;
    (void)!(load_agent_module(self)
            && java_call_static(self, AGENT, "stopRemoteManagementAgent", "()V", NULL, NULL));
}

static void agent_status(Thread *self, const DiagnosticCall *call)
{
    jvalue text;
    if (!load_agent_module(self)
        || !java_call_static(self, AGENT, "getManagementAgentStatus", "()Ljava/lang/String;",
                             NULL, &text))
        return;
    char *s = string_to_utf8(deref(text.l));
    sb_printf(call->out, "%s\n", s ? s : "");
    vm_free(s);
}

static const DiagnosticCommand rows[] = {
    {.name = "ManagementAgent.start",
     .description = "Start remote management agent.",
     .impact = "Low: No impact",
     .hidden_from_beans = true,
     DIAGNOSTIC_ARGUMENTS(agent_arguments),
     .run = start_agent},
    {.name = "ManagementAgent.start_local",
     .description = "Start local management agent.",
     .impact = "Low: No impact",
     .hidden_from_beans = true,
     .run = start_local_agent},
    {.name = "ManagementAgent.status",
     .description = "Print the management agent status.",
     .impact = "Low: No impact",
     DIAGNOSTIC_MONITOR,
     .hidden_from_beans = true,
     .run = agent_status},
    {.name = "ManagementAgent.stop",
     .description = "Stop remote management agent.",
     .impact = "Low: No impact",
     .hidden_from_beans = true,
     .run = stop_agent},
    {.name = "Thread.print",
     .description = "Print all threads with stacktraces.",
     .impact = "Medium: Depends on the number of threads.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(print_arguments),
     .run = print_threads},
};
const DiagnosticRows tool_commands = {rows, ARRAY_LEN(rows)};

void diagnostic_register_classlib(void)
{
    static const DiagnosticRows *const all[] = {
        &help_command,   &vm_commands,       &heap_commands,  &class_commands,
        &table_commands, &metadata_commands, &state_commands, &record_commands,
        &tool_commands,  &compiler_commands};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        diagnostic_register(all[i]->rows, all[i]->count);
    record_commands_start();
    compiler_commands_start();
}
