// SPDX-License-Identifier: Apache-2.0
// Stubs between compiled code and C: what compiled code calls beside other compiled methods, and what calls it. The C functions behind
// them are the engine's (interp/compiled_call.c, compiled_deopt.c).
//
// All keep a frame pointer. C frames are never skipped: whoever decides that a compiled frame does not go on behind its call returns to
// its stub with a JavaPlace, and the stub goes there. rsp is set first, so that frames that are deoptimized take no room on the C stack.
#ifndef CODE_JAVA_STUBS_H
#define CODE_JAVA_STUBS_H

#include "code/code_cache.h"
#include "thread/thread.h"

struct Method;

// Where a thread goes on instead of behind a call.
typedef struct JavaPlace {
    const void *pc;
    uintptr_t rsp, rbp;
    uint64_t how, result; // for JAVA_STUB_RESUME and JAVA_STUB_LEFT
} JavaPlace;

// What a call from C gives: how 0: the result as a slot holds it, or an exception is pending. Else the frame that was called
// has left to the interpreter: JavaPlace.how and .result. In rax and rdx.
typedef struct JavaReturn {
    uint64_t result, how;
} JavaReturn;
// Calls compiled code (Method.compiled_entry of m) with arguments from slots, a stub for each shape. Self's youngest frame is the
// boundary of a new stretch. MAY_GC.
typedef JavaReturn JavaEnter(Thread *self, const Slot *arguments, struct Method *m);

// The functions behind stubs. `from` is the address to which a stub would return and `rbp` the frame pointer of the frame it would
// return to. True: it goes to *to instead. All MAY_GC.
typedef bool JavaSiteFunction(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to);
// `base`: where rbp of the frame that would be returned to is saved, and its return address above that. False: returns with to->result.
typedef bool JavaRunFunction(Thread *self, uint64_t a, uint64_t b, uintptr_t *base,
                             JavaPlace *to);

// Posts METHOD_EXIT of m, whose result is a reference.
typedef void JavaPostReference(Thread *self, struct Method *m, bool by_exception,
                               Object *result);
// Behind an event of a call, while something is asked of the thread or an exception is pending: true: the thread goes on at *to.
typedef bool JavaPostedFunction(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to);

// Who alone may receive METHOD_ENTRY or METHOD_EXIT, and is called by compiled code itself: what the functions of event_calls do for it, in
// fewer steps. Its callbacks are as jvmtiEventMethodEntry and jvmtiEventMethodExit, the receiver for the environment. All are offsets but
// where it says so.
typedef struct JavaReceiver {
    void *const _Atomic *entry,
        *const _Atomic *exit; // addresses: of the receiver, or of NULL: there is none
    int32_t entry_callback, exit_callback; // of a receiver; NULL there: it has none
    int32_t of_thread; // of a Thread: what a receiver keeps of it, or NULL; of that:
    int32_t owner;     // the receiver
    int32_t posted;    // 64 bits: how many events were; it is counted up
    int32_t
        post_before; // 64 bits: event_calls posts those from that number on. 0 of threads whose events nobody is to see
} JavaReceiver;

typedef struct JavaStubTargets {
    int32_t compiled_entry;        // offset of Method.compiled_entry
    int32_t anchor_pc, anchor_rbp; // offsets in a Frame
    int32_t operands;              // likewise: of the operands of a boundary
    // What to call for m, whose entry is JAVA_STUB_ENTRY. Arguments lie in registers: NO_GC.
    const void *(*resolve)(struct Method *m);
    JavaRunFunction
        *interpret; // a: the Method, b: behind its arguments in the boundary's operands
    JavaRunFunction *interpret_any; // b: the argument registers by java_register_slot
    JavaRunFunction *resume;        // a and b: JavaPlace.how and .result
    JavaSiteFunction *deopt, *athrow, *throw, *poll;
    JavaPostReference *post_reference;
    JavaPostedFunction *posted;
    JavaSiteFunction *
        behind; // behind a JavaRuntime while something is asked of the thread; SavedRegisters has its result
    const JavaReceiver *receiver; // NULL: all events of calls go by event_calls
} JavaStubTargets;

// Stubs that all methods share.
typedef enum JavaStubKind {
    JAVA_STUB_ENTRY, // Method.compiled_entry of methods that compiled code has not called: finds the right one
    JAVA_STUB_ANY, // likewise of those for whose shape there is no room: as JavaShape.interpret does
    // Called by a compiled frame at a site (code/compiled_code.h); all registers are saved as SavedRegisters.
    JAVA_STUB_DEOPT,  // SITE_DEOPT: the frame goes on in the interpreter; does not come back
    JAVA_STUB_LAZY,   // what a hooked frame has called returns here: the same
    JAVA_STUB_ATHROW, // throws the object in CODE_SCRATCH; does not come back
    JAVA_STUB_THROW,  // the exception that is pending comes out of the site; does not come back
    JAVA_STUB_POLL, // SITE_RUNTIME: serves requests to the thread; comes back with all registers as they were
    // Called at a SITE_CALL without a result, with rcx the method's jmethodID and r9 what it returns, as a jvalue or an Object.
    JAVA_STUB_POST_ENTRY,
    JAVA_STUB_POST_EXIT,
    JAVA_STUB_POST_REFERENCE, // METHOD_EXIT with an object, or null
    // Jumped to, by JavaPlace:
    JAVA_STUB_RESUME, // the frame above a compiled one goes on in the interpreter; its result returns from the frame at rbp
    JAVA_STUB_LEFT,   // a JavaEnter returns .how and .result
    JAVA_STUB_COUNT
} JavaStubKind;

// Makes the stubs that all methods share but those that post. Once, before any is asked for. False: there is no code here, or no room for
// it; then nothing may be compiled.
NODISCARD bool java_stubs_init(const JavaStubTargets *targets);
// Likewise those that post, which call a single receiver themselves; NULL: none. Once, behind java_stubs_init, before there are threads.
void java_stubs_init_posts(const JavaReceiver *receiver);
// NULL unless java_stubs_init gave true, and where there was no room for one that posts.
const void *java_stub(JavaStubKind kind);

// Stubs of a shape; never freed.
typedef struct JavaShape {
    JavaEnter *enter;
    // Method.compiled_entry of methods that are not compiled. Also the place to which compiled code of the shape jumps at its
    // entry, before it has a frame, when rsp is not above Thread.jit_limit: polls, or throws StackOverflowError.
    const void *interpret;
} JavaShape;
// NULL: there is no room for code. Thread-safe, NO_GC.
const JavaShape *java_shape(const char *shape);

// Methods of java.lang.invoke.MethodHandle that another method is run for, which an argument names. References are of 32 bits.
typedef enum JavaLinkKind {
    JAVA_LINK_HANDLE, // invokeBasic: by the first argument, a MethodHandle
    JAVA_LINK_STATIC, // linkToStatic: by the last one, a MemberName, which the method does not get
    JAVA_LINK_SPECIAL, // linkToSpecial: likewise; the first one must not be null
} JavaLinkKind;
typedef struct JavaLinks { // offsets of fields
    int32_t form;          // of a MethodHandle: its LambdaForm
    int32_t entry;         // of that: a MemberName
    int32_t method;        // of a MemberName: a ResolvedMethodName
    int32_t target;        // of that: the Method
} JavaLinks;
// Method.compiled_entry of such methods of a shape: jumps to the code of the method that is named, or to JavaShape.interpret
// where something is null. NULL: there is no room for code. Thread-safe, NO_GC.
const void *java_link_stub(const char *shape, JavaLinkKind kind, const JavaLinks *links);

// Native methods that compiled code calls.
typedef struct JavaNatives { // offsets
    int32_t native;          // of a Method: its C function; NULL: not linked
    int32_t cls;             // of a Method: its Class
    int32_t mirror;          // of that: the handle of its mirror
    // What remains to be done behind a call, IN_VM, when anything is asked of the thread or the frame, which is the thread's youngest. a:
    // what the C function has left in rax or xmm0; b: jni_frames.len as it was before.
    JavaRunFunction *finish;
} JavaNatives;
// Method.compiled_entry of the native methods of a shape that are not synchronized: calls the C function of the method as native_run
// (interp/native_call.h) does, or goes to JavaShape.interpret where it is not linked or anything is asked of the thread. NULL: there
// is no room for code. Thread-safe, NO_GC.
const void *java_native_stub(const char *shape, const JavaNatives *natives);

// Calls code that goes on in the middle of a method, in a loop: `locals` of the interpreter's frame, which are read before anything is
// called. Otherwise as a JavaEnter.
typedef JavaReturn JavaEnterLoop(Thread *self, const Slot *locals, const void *code);
// The stub for a method's kind of result. NULL: there is no room for code. Thread-safe, NO_GC.
JavaEnterLoop *java_enter_loop(char result);

// Calls fn at a SITE_RUNTIME: registers are saved as SavedRegisters while it runs and restored, but for r11, which is its result (a float
// by its bits). `outgoing`: the first of the frame's outgoing words. What is pending in self->exception compiled code
// tests itself.
typedef uint64_t JavaRuntime(Thread *self, uint64_t *outgoing);
// The stub that compiled code calls for fn; one for each. NULL: there is no room for code. Thread-safe, NO_GC. Without keeps_floats the
// floating-point registers, in which the caller has nothing, are neither saved nor restored: 4 of the 27.5 ns of a FieldAccess event.
const void *java_runtime_stub(JavaRuntime *fn, bool keeps_floats);

// ---- for each processor ----
// The code of stubs; NULL: there is no room, or there is no assembler for this processor. NO_GC.
const CodeBlob *java_stub_make(JavaStubKind kind, const JavaStubTargets *targets);
const CodeBlob *java_enter_make(const char *shape, const JavaStubTargets *targets);
const CodeBlob *java_enter_loop_make(char result);
const CodeBlob *java_interpret_make(const char *shape, const JavaStubTargets *targets);
const CodeBlob *java_link_make(const char *shape, JavaLinkKind kind, const JavaLinks *links,
                               const void *interpret, const JavaStubTargets *targets);
const CodeBlob *java_native_make(const char *shape, const JavaNatives *natives,
                                 const void *interpret, const JavaStubTargets *targets);
const CodeBlob *java_runtime_make(JavaRuntime *fn, bool keeps_floats,
                                  const JavaStubTargets *targets);

#endif
