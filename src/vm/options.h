// SPDX-License-Identifier: Apache-2.0
// The command line: JavaVMInitArgs, JAVA_TOOL_OPTIONS, _JAVA_OPTIONS into vm_options.
#ifndef VM_OPTIONS_H
#define VM_OPTIONS_H

#include <jni.h>

#include "runtime/options.h"

// Fills vm_options. On a wrong option prints one line on stderr, as HotSpot words it, and
// returns JNI_EINVAL or JNI_ERR.
jint options_parse(const JavaVMInitArgs *args);
// "64m", "0x10g", "4096": bytes. False when it is no size.
NODISCARD bool options_parse_size(const char *s, uint64_t *out);

#endif
