// SPDX-License-Identifier: Apache-2.0
// The management interface's part for diagnostic commands: there are none yet.
#include "classlib/management.h"

static jobjectArray JNICALL GetDiagnosticCommands(JNIEnv *env)
{
    IN_VM(env);
    Class *c = class_array_of(self, CLS(String));
    return c ? array_new(self, c, 0) : NULL;
}

static void unknown(JNIEnv *env)
{
    IN_VM(env);
    throw_new(self, "java/lang/IllegalArgumentException", "Unknown diagnostic command");
}
static void JNICALL GetDiagnosticCommandInfo(JNIEnv *env, jobjectArray names,
                                             JmmCommandInfo *infos)
{
    (void)names, (void)infos;
    unknown(env);
}
static void JNICALL GetDiagnosticCommandArgumentsInfo(JNIEnv *env, jstring name,
                                                      JmmCommandArgument *infos, jint count)
{
    (void)name, (void)infos, (void)count;
    unknown(env);
}
static jstring JNICALL ExecuteDiagnosticCommand(JNIEnv *env, jstring command)
{
    (void)command;
    unknown(env);
    return NULL;
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
