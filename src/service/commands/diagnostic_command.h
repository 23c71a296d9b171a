// SPDX-License-Identifier: Apache-2.0
// Diagnostic commands: what `jcmd`, the attach socket and the DiagnosticCommand MBean run. A
// command is a row: its name, how it describes itself, its arguments, and a function that
// appends its answer to a buffer. Each layer registers its own rows before Java runs; the list
// is read-only afterwards.
#ifndef SERVICE_COMMANDS_DIAGNOSTIC_COMMAND_H
#define SERVICE_COMMANDS_DIAGNOSTIC_COMMAND_H

#include "base/strbuf.h"
#include "class/loader.h"

typedef struct DiagnosticArgument {
    const char *name, *description;
    const char *type;          // "STRING", "BOOLEAN", "INT": how its text is checked
    const char *default_value; // NULL: none
    bool is_option;            // name=value at any place; else by position
    bool is_mandatory;
} DiagnosticArgument;

typedef struct DiagnosticCommand DiagnosticCommand;
// One run: the texts that were given for the arguments of the row, NULL where there is none.
typedef struct DiagnosticCall {
    const DiagnosticCommand *command;
    char **values;
    StrBuf *out;
} DiagnosticCall;

struct DiagnosticCommand {
    const char *name, *description, *impact;
    const char *permission[3]; // class, name, action; class NULL: none is needed
    const DiagnosticArgument *arguments;
    int argument_count;
    bool hidden_from_beans; // the MBean does not offer it
    // self is IN_VM. A command that fails leaves an exception pending.
    MAY_GC void (*run)(Thread *self, const DiagnosticCall *call);
};
#define DIAGNOSTIC_ARGUMENTS(a) .arguments = (a), .argument_count = ARRAY_LEN(a)
#define DIAGNOSTIC_MONITOR \
    .permission = {"java.lang.management.ManagementPermission", "monitor", NULL}
#define DIAGNOSTIC_CONTROL \
    .permission = {"java.lang.management.ManagementPermission", "control", NULL}

// Adds rows; they live for ever. Before Java runs.
void diagnostic_register(const DiagnosticCommand *rows, size_t count);
// The commands, by name: 0 ... count - 1.
size_t diagnostic_count(void);
const DiagnosticCommand *diagnostic_at(size_t i);
// NULL when there is none of the name.
const DiagnosticCommand *diagnostic_find(const char *name);

// Runs the commands in `text`, one a line ("Thread.print -l"); empty lines and those from '#'
// on are skipped, "stop" ends it. What they answer is added to `out`. False with the exception
// pending: IllegalArgumentException for an unknown command or a wrong argument. `for_bean`:
// those that are hidden from beans are unknown. self is IN_VM.
NODISCARD MAY_GC bool diagnostic_execute(Thread *self, const char *text, bool for_bean,
                                         StrBuf *out);
// Argument i of a run, or its default, as text (NULL: neither), a boolean, an integer.
const char *diagnostic_text(const DiagnosticCall *call, int i);
bool diagnostic_boolean(const DiagnosticCall *call, int i);
int64_t diagnostic_integer(const DiagnosticCall *call, int i);
// What `help` says of a command's arguments; it has some.
void diagnostic_add_syntax(StrBuf *sb, const DiagnosticCommand *c);

// The rows of this layer.
void diagnostic_register_classlib(void);

#endif
