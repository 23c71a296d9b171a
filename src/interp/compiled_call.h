// SPDX-License-Identifier: Apache-2.0
// The transitions between the interpreter, C and compiled code (docs/CODE.md, "Calls of compiled code").
//
// A stretch of compiled frames on the C stack begins with a JavaEnter and has a boundary on the Java stack (frame/frame.h), whose
// operands have room for the arguments of any method. Compiled code runs only while the thread's handler table is the normal one: while
// something is asked of the thread, or listens to calls, calls of compiled methods go to the interpreter, and frames at polls and
// behind calls of the interpreter are deoptimized for it.
#ifndef INTERP_COMPILED_CALL_H
#define INTERP_COMPILED_CALL_H

#include "code/compiled_code.h"
#include "code/java_stubs.h"
#include "interp/interp.h"

// Makes the stubs, if code can be made here. Before the first class is defined. Gives Engine.compiled_entry.
const void *compiled_calls_init(void);
// Whether methods can be compiled. NO_GC.
bool compiled_calls_possible(void);

// The stubs of m's shape, which are made when they are first asked for. NULL: there is no room for code. Thread-safe, NO_GC.
const JavaShape *method_java_shape(Method *m);
// From now on calls of m run `code`, which was installed for it and begins at the start of its blob; NULL: the interpreter
// again. m has bytecodes, which are decoded. Nothing but data changes: the world need not be stopped, and frames that are in old code, or
// about to enter it, stay there. One thread at a time for a method. False: nothing changed: there is no room for its stubs, or calls of
// it do not run its bytecodes (it was deleted); with NULL: it was not compiled. NO_GC.
NODISCARD bool method_set_compiled(Method *m, const CompiledCode *code);

// ---- for interp_run ----
typedef enum CompiledEnd {
    COMPILED_RETURNED, // the result lies where sp of self's youngest frame is; a reference is raw
    COMPILED_THREW,    // self->exception
    COMPILED_LEFT,     // self's youngest frame, above the caller's, is to go on as *how says
    COMPILED_NOT,      // of compiled_run_loop: nothing was done
} CompiledEnd;
// Runs m, whose entry is ENTRY_COMPILED: its arguments lie below sp and are no operands of self's youngest frame any more. MAY_GC.
MAY_GC CompiledEnd compiled_run(Thread *self, Method *m, Slot *sp, Resume *how);
// Code of a loop of self's youngest frame, which stands at its beginning, goes on in its place: it has no operands, and its monitors
// are those that the code was made for. Its result returns to the frame below. MAY_GC.
MAY_GC CompiledEnd compiled_run_loop(Thread *self, const CompiledCode *code, Resume *how);

// ---- compiled_deopt.c: behind the stubs ----
// The exception that is pending comes out of a call whose return address is `from`, of the frame at rbp, or of a
// JavaEnter: where the thread goes on. `rsp`: as it is behind that call. MAY_GC.
MAY_GC void compiled_throw(Thread *self, const void *from, uintptr_t rbp, uintptr_t rsp,
                           JavaPlace *to);
// Back at a call from the interpreter: whether the compiled frame has to be deoptimized for it, or something was thrown. `result`, of the kind that
// the site has, is renewed if it is a reference. MAY_GC.
MAY_GC bool compiled_serve(Thread *self, const void *from, uintptr_t rbp, Slot *result,
                           JavaPlace *to);
// The frame that a compiled one, or a JavaEnter, has called was popped: its arguments are operands of the boundary (pop_frame_perform). The
// caller goes on with the call, in the interpreter. `base` as for a JavaRunFunction. NO_GC.
void compiled_call_again(Thread *self, const uintptr_t *base, JavaPlace *to);
// Before a call, behind a poll: whether somebody has asked meanwhile that the frame that calls, which is the thread's youngest, be popped or
// return. Then it is deoptimized, and nothing is called. `base` as for a JavaRunFunction. NO_GC.
bool compiled_calls_no_more(Thread *self, const uintptr_t *base, JavaPlace *to);
// Called with each frame that is deoptimized at a SITE_DEOPT, or by an exception that leaves an inlined method which holds a monitor, as soon as it
// is the interpreter's: NO_GC. Set once, before there is compiled code.
typedef void CompiledDeoptimized(Thread *self, const CompiledCode *code, const CodeSite *site);
void compiled_on_deopt(CompiledDeoptimized *left);
// -XX:+JitHookAll: the youngest frames of self are hooked, parked, or left alone in turn, if they are compiled. NO_GC.
void compiled_hook_all(Thread *self);
// JavaStubTargets.deopt, .athrow, .throw, .poll, .behind.
JavaSiteFunction compiled_at_deopt, compiled_at_athrow, compiled_at_throw, compiled_at_poll,
    compiled_behind_runtime;
// JavaStubTargets.post_reference, .posted.
JavaPostReference compiled_post_reference;
JavaPostedFunction compiled_posted;
// Resume in a word, for JavaPlace.how; never 0.
static inline uint64_t compiled_pack(ResumeKind kind, int result_words)
{
    return 1u << 16 | (uint64_t)result_words << 8 | kind;
}
static inline Resume compiled_unpack(uint64_t how, uint64_t result)
{
    return (Resume){.kind = (ResumeKind)(how & 0xFF),
                    .result_words = (int)(how >> 8 & 0xFF),
                    .result.raw = result};
}

#endif
