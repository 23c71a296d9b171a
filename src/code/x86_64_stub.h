// SPDX-License-Identifier: Apache-2.0
// What makers of stubs share: begin, emit, install. NO_GC.
#ifndef CODE_X86_64_STUB_H
#define CODE_X86_64_STUB_H

#include "code/code_cache.h"
#include "code/x86_64_asm.h"

void x86_stub_begin(Asm *a);
// Ends what x86_stub_begin began, and installs the code; prints it if -XX:+PrintStubCode. NULL: code_install gives none, or no
// memory was left for the code.
NODISCARD const CodeBlob *x86_stub_install(Asm *a, CodeKind kind, const char *name);

#endif
