// SPDX-License-Identifier: Apache-2.0
// -XX:CompileCommand, -XX:CompileOnly, -XX:CompileCommandFile. Nothing is compiled here, but what is said of the
// commands is as in HotSpot: scripts and harnesses (JMH) give them and read the answers.
#ifndef OPTIONS_COMPILE_COMMAND_H
#define OPTIONS_COMPILE_COMMAND_H

// Reads the commands of vm_options and says on stdout what each asks for, or what is wrong in it.
// A wrong one ends nothing.
void compile_commands_read(void);

#endif
