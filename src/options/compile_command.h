// SPDX-License-Identifier: Apache-2.0
// -XX:CompileCommand, -XX:CompileOnly, -XX:CompileCommandFile. What is said of the commands is as in HotSpot: scripts and
// harnesses (JMH) give them and read the answers. What the compiler makes of them: jit/broker.c.
#ifndef OPTIONS_COMPILE_COMMAND_H
#define OPTIONS_COMPILE_COMMAND_H

#include "base/common.h"

// Reads the commands of vm_options and says on stdout what each asks for, or what is wrong in it.
// A wrong one ends nothing.
void compile_commands_read(void);

typedef struct CompileSubject { // a method, as class files name it
    const char *class_name, *method, *signature;
} CompileSubject;
// Whether a command with this option was given, for any method.
bool compile_command_is_given(const char *option);
// What the last command says that has this option and concerns the method: "true", "false", a number, a list in quotes; NULL: none does.
// The text stays. Once the commands are read; thread-safe.
const char *compile_command_value(const char *option, const CompileSubject *subject);
// -XX:CompileCommand=quiet: nothing is said of what they do, either.
bool compile_commands_are_quiet(void);

#endif
