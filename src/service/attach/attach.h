// SPDX-License-Identifier: Apache-2.0
// The attach mechanism: how another process of the same user (jcmd, jstack, jmap, jinfo, the
// jdk.attach module) sends requests to this VM.
//
// A client that finds no socket /tmp/.java_pid<pid> makes a file .attach_pid<pid> and sends
// SIGQUIT: the Signal Dispatcher then starts the thread "Attach Listener" instead of printing a
// thread dump. A request is five texts, each ended by a NUL: the protocol "1", a command, three
// arguments. The reply is a number, a newline, text, the end of the stream.
#ifndef SERVICE_ATTACH_ATTACH_H
#define SERVICE_ATTACH_ATTACH_H

#include "base/strbuf.h"
#include "class/loader.h"

enum { ATTACH_ARGUMENTS = 3 };
// Runs a command: adds to `out`, returns 0 or an error number. self is IN_VM; what it leaves
// pending is reported to the client and cleared.
typedef int (*AttachOperation)(Thread *self, char *const arguments[ATTACH_ARGUMENTS],
                               StrBuf *out);
// Adds a command of a layer above; before Java runs.
void attach_register(const char *name, AttachOperation run);

// Removes a socket that a dead process of our number left. When the VM starts.
void attach_init(void);
// The VM is up: requests are served from now on, one that came earlier at once. Starts the
// listener where the options ask for it. False with the exception pending.
NODISCARD MAY_GC bool attach_enable(Thread *self);
// At SIGQUIT: true when a client sent it to attach (its trigger file is there); it is served.
MAY_GC bool attach_trigger(Thread *self);

#endif
