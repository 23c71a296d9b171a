// SPDX-License-Identifier: Apache-2.0
// The attach protocol of Java VMs: a socket /tmp/.java_pidN in the process' own view, made by the VM when it finds a file
// .attach_pidN and gets SIGQUIT. SIGQUIT is sent only to a process that catches it: it would end any other.
#ifndef LENS_ATTACH_H
#define LENS_ATTACH_H

#include "discover.h"

// Loads an agent library (a path as we see it; it is copied to where the process sees it, if that differs) with options.
// NULL, or a sentence that says what was refused and what to do; to be freed. Blocks for at most some seconds.
char *attach_load(const Jvm *jvm, const char *library, const char *options);

// Where liblens.so is: $LENS_AGENT, ../lib/liblens.so or agents/liblens.so beside the program. NULL if nowhere; to be freed.
char *attach_find_agent(void);

#endif
