// SPDX-License-Identifier: Apache-2.0
// -XX:+PrintMethodData: what the interpreter counted of methods (interp/profile.h), as text.
#ifndef SERVICE_METHOD_DATA_H
#define SERVICE_METHOD_DATA_H

#include "base/strbuf.h"

// Adds the profiles of all loaded classes' methods, heaviest first. The caller is IN_VM. NO_GC.
void method_data_add(StrBuf *out);
// With the flag, prints them to standard output when the VM ends. Once, at the start.
void method_data_start(void);

#endif
