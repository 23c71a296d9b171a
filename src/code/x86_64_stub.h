// SPDX-License-Identifier: Apache-2.0
// What makers of stubs share: begin, emit, install. NO_GC.
#ifndef CODE_X86_64_STUB_H
#define CODE_X86_64_STUB_H

#include "code/java_stubs.h"
#include "code/x86_64_asm.h"

void x86_stub_begin(Asm *a);
// Ends what x86_stub_begin began, and installs the code; prints it if -XX:+PrintStubCode. NULL: code_install gives none, or no
// memory was left for the code.
NODISCARD const CodeBlob *x86_stub_install(Asm *a, CodeKind kind, const char *name);

// A frame with `bytes`, a multiple of 16, at rsp.
void x86_stub_frame(Asm *a, int32_t bytes);
enum { X86_PLACE_BYTES = ALIGN_UP(sizeof(JavaPlace), 16) };
// Calls a C function whose arguments lie where it takes them; rax is lost.
void x86_stub_call(Asm *a, const void *fn);
// Goes to the JavaPlace at rsp.
void x86_stub_go(Asm *a);
// In such a frame, with X86_PLACE_BYTES at rsp, of a stub that compiled code has called: calls fn with rsi and rdx as its a and b, and
// returns its result in rax and in xmm0, or goes where it says.
void x86_stub_run(Asm *a, JavaRunFunction *fn);
// x86_64_java_post.c: the whole of a stub that posts METHOD_ENTRY or METHOD_EXIT.
void x86_stub_post(Asm *a, JavaStubKind kind, const JavaStubTargets *targets);

#endif
