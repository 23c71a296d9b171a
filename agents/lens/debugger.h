// SPDX-License-Identifier: Apache-2.0
// The port of the debugger: a JDWP transport that can be opened and closed while the back end of the
// JDK stays loaded. (That of the JDK, dt_socket, listens for good.)
#ifndef LENS_DEBUGGER_H
#define LENS_DEBUGGER_H

#include <jni.h>

// Begins to listen on 127.0.0.1; port 0: any. Gives the port, or -errno. Any thread. Exported, as the
// back end may load this library a second time, from the JDK's folder: then that one has the port.
JNIEXPORT int lens_debugger_open(int port);
// Listens no more, and a debugger that is connected loses its connection; the back end then lets the
// program go on. Nothing where it is closed. Any thread.
JNIEXPORT void lens_debugger_close(void);

#endif
