// SPDX-License-Identifier: Apache-2.0
// The management interface's part for diagnostic commands (the DiagnosticCommand MBean).
#include "class/vm_classes.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "service/commands/diagnostic_command.h"
#include "service/management/management.h"

static jobjectArray JNICALL GetDiagnosticCommands(JNIEnv *env)
{
    IN_VM(env);
    int32_t count = 0;
    for (size_t i = 0; i < diagnostic_count(); i++)
        count += !diagnostic_at(i)->hidden_from_beans;
    Class *c = class_array_of(self, CLS(String));
    jobject names = c ? array_new(self, c, count) : NULL;
    for (size_t i = 0, at = 0; names && i < diagnostic_count(); i++) {
        HANDLE_SCOPE(self);
        if (diagnostic_at(i)->hidden_from_beans)
            continue;
        jobject name = string_from_mutf8(self, diagnostic_at(i)->name);
        if (!name)
            return NULL;
        array_set_ref(deref(names), (int32_t)at++, deref(name));
    }
    return names;
}

// The command of a name; NULL with the exception pending.
static const DiagnosticCommand *command_of(Thread *self, Object *name)
{
    if (!name) {
        throw_new(self, "java/lang/NullPointerException",
                  "Command name cannot be null or empty.");
        return NULL;
    }
    char *text = string_to_utf8(name);
    const DiagnosticCommand *c = diagnostic_find(text);
    if (!c || c->hidden_from_beans) {
        c = NULL;
        throw_new(self, "java/lang/IllegalArgumentException", "Unknown diagnostic command");
    }
    vm_free(text);
    return c;
}

static void JNICALL GetDiagnosticCommandInfo(JNIEnv *env, jobjectArray names,
                                             JmmCommandInfo *infos)
{
    IN_VM(env);
    for (int32_t i = 0; i < array_length(deref(names)); i++) {
        const DiagnosticCommand *c = command_of(self, array_get_ref(deref(names), i));
        if (!c)
            return;
        infos[i] = (JmmCommandInfo){.name = c->name,
                                    .description = c->description,
                                    .impact = c->impact,
                                    .permission_class = c->permission[0],
                                    .permission_name = c->permission[1],
                                    .permission_action = c->permission[2],
                                    .argument_count = c->argument_count,
                                    .enabled = JNI_TRUE};
    }
}

static void JNICALL GetDiagnosticCommandArgumentsInfo(JNIEnv *env, jstring name,
                                                      JmmCommandArgument *infos, jint count)
{
    IN_VM(env);
    const DiagnosticCommand *c = command_of(self, deref(name));
    int position = 0;
    for (int i = 0; c && i < c->argument_count && i < count; i++) {
        const DiagnosticArgument *a = &c->arguments[i];
        infos[i] = (JmmCommandArgument){.name = a->name,
                                        .description = a->description,
                                        .type = a->type,
                                        .default_text = a->default_value,
                                        .mandatory = a->is_mandatory,
                                        .option = a->is_option,
                                        .multiple = JNI_FALSE,
                                        .position = a->is_option ? -1 : position++};
    }
}

static jstring JNICALL ExecuteDiagnosticCommand(JNIEnv *env, jstring command)
{
    IN_VM(env);
    StrBuf out = {0};
    jstring answer = NULL;
    char *text = string_to_utf8(deref(command));
    if (!text)
        throw_new(self, "java/lang/NullPointerException", "Command line cannot be null.");
    else if (diagnostic_execute(self, text, true, &out))
        answer = string_from_platform(self, out.s ? out.s : "");
    vm_free(text);
    sb_free(&out);
    return answer;
}

static void JNICALL SetDiagnosticFrameworkNotificationEnabled(JNIEnv *env, jboolean enabled)
{
    (void)env, (void)enabled; // the list of commands never changes
}

void management_fill_commands(JmmInterface *t)
{
    t->GetDiagnosticCommands = GetDiagnosticCommands;
    t->GetDiagnosticCommandInfo = GetDiagnosticCommandInfo;
    t->GetDiagnosticCommandArgumentsInfo = GetDiagnosticCommandArgumentsInfo;
    t->ExecuteDiagnosticCommand = ExecuteDiagnosticCommand;
    t->SetDiagnosticFrameworkNotificationEnabled = SetDiagnosticFrameworkNotificationEnabled;
}
