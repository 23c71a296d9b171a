// SPDX-License-Identifier: Apache-2.0
// The commands of the attach socket: what a client may ask for.
#ifndef SERVICE_ATTACH_ATTACH_OPERATIONS_H
#define SERVICE_ATTACH_ATTACH_OPERATIONS_H

#include "service/attach/attach.h"

// Runs a command by its name, an unknown one too; adds the answer to `out`, an exception's text
// included. The number to reply.
MAY_GC int attach_run(Thread *self, const char *name, char *const arguments[ATTACH_ARGUMENTS],
                      StrBuf *out);
// AttachOperation of heap_commands.c.
MAY_GC int attach_inspect_heap(Thread *self, char *const arguments[ATTACH_ARGUMENTS],
                               StrBuf *out);
MAY_GC int attach_dump_heap(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out);

#endif
