// SPDX-License-Identifier: Apache-2.0
// The lists of shell commands that -XX:OnError and -XX:OnOutOfMemoryError give.
#ifndef BASE_COMMAND_LIST_H
#define BASE_COMMAND_LIST_H

#include "base/common.h"

// Puts the first command of *list into `command` and sets *list behind it. Commands are separated by
// ';'; %p is the process, %% a percent sign. A command that is too long is cut. False: there is none.
// May be called in a signal handler.
bool command_list_next(const char **list, char *command, size_t size);

// `text` with %p and %% replaced likewise.
void command_expand(const char *text, size_t len, char *out, size_t size);

#endif
