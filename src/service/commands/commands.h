// SPDX-License-Identifier: Apache-2.0
// What the files with diagnostic commands of this layer share.
#ifndef SERVICE_COMMANDS_COMMANDS_H
#define SERVICE_COMMANDS_COMMANDS_H

#include "service/commands/diagnostic_command.h"

typedef struct DiagnosticRows {
    const DiagnosticCommand *rows;
    size_t count;
} DiagnosticRows;
extern const DiagnosticRows help_command, vm_commands, heap_commands, class_commands,
    table_commands, metadata_commands, state_commands, record_commands, tool_commands,
    compiler_commands;

// What the flags ask for at the end: -XX:+PrintTouchedMethodsAtExit, -XX:+DumpPerfMapAtExit. When the VM starts.
void record_commands_start(void);
void compiler_commands_start(void);

// Adds the byte[] that a static method of jdk.internal.vm.VMSupport makes: properties. False
// with the exception pending.
NODISCARD MAY_GC bool add_vm_support_text(Thread *self, const char *method, StrBuf *out);

#endif
