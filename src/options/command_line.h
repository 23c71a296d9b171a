// SPDX-License-Identifier: Apache-2.0
// The command line: JavaVMInitArgs, JAVA_TOOL_OPTIONS, _JAVA_OPTIONS into vm_options.
#ifndef OPTIONS_COMMAND_LINE_H
#define OPTIONS_COMMAND_LINE_H

#include <jni.h>

#include "options/options.h"

// Fills vm_options. On a wrong option prints one line on stderr, as HotSpot words it, and
// returns JNI_EINVAL or JNI_ERR.
jint options_parse(const JavaVMInitArgs *args);
// -Dcom.sun.management…: the JMX agent is to start with the VM.
bool options_want_management_agent(void);

#endif
