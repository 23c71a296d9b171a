// SPDX-License-Identifier: Apache-2.0
// What is said of compilations, in HotSpot's words: -XX:+PrintCompilation, -Xlog:jit+compilation=debug, -XX:CompileCommand. self is
// IN_VM or the method cannot go away; NO_GC.
#ifndef JIT_COMPILE_PRINT_H
#define JIT_COMPILE_PRINT_H

#include "jit/compile_queue.h"
#include "options/compile_command.h"

// "   5  s!   3       Main::name (23 bytes)", with what came of it behind, which may be NULL.
void compile_print_line(StrBuf *out, const CompileTask *task, const char *message);
// The line, to all who want it; those of -XX:+PrintCompilation begin with the milliseconds.
void compile_print(const CompileTask *task, const char *message);
// A command keeps the method from being compiled.
void compile_print_excluded(const CompileTask *task);
// -XX:JitBisect: none is compiled after this one.
void compile_print_last(const CompileTask *task);
CompileSubject compile_subject(const Method *m);

#endif
