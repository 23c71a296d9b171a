// SPDX-License-Identifier: Apache-2.0
// AsyncGetCallTrace: the stack of the calling thread from inside a signal handler, at any
// instruction. It is in no specification; profilers find it by name. It takes no lock, allocates
// nothing and changes nothing. What makes it safe: Java frames lie on a stack of their own, a
// frame is whole before it becomes the thread's newest one, and both the frames and the methods
// they name outlive the handler. Frames of compiled code are found by the registers, and believed where
// all fits (code/compiled_frame.h).
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "class/loader.h"
#include "code/code_cache.h"
#include "frame/frame_cursor.h"
#include "jni/jni_vm.h"

// Why there is no trace: values of num_frames.
enum {
    NO_JAVA_FRAME = 0,
    GC_ACTIVE = -2,
    THREAD_EXIT = -8,
};

typedef struct ASGCT_CallFrame {
    jint lineno; // bytecode index; -3 in native methods
    jmethodID method_id;
} ASGCT_CallFrame;

typedef struct ASGCT_CallTrace {
    JNIEnv *env_id;  // of the interrupted thread, from GetEnv
    jint num_frames; // out: frames, or one of the reasons
    ASGCT_CallFrame *frames;
} ASGCT_CallTrace;

// The instruction at `word`, when it lies in the same code as `known`.
static const Insn *instruction_at(const Method *m, const Insn *known, uintptr_t word)
{
    const Insn *code = atomic_load_explicit(&m->code, memory_order_relaxed);
    uintptr_t start = (uintptr_t)code, offset = word - start;
    bool inside = code && known >= code && known < code + m->insn_count
                  && offset < m->insn_count * sizeof *code;
    return inside && offset % sizeof *code == 0 ? (const Insn *)word : NULL;
}

// The engine keeps the instruction pointer of its newest frame in a register and stores it at
// calls and safepoints alone: a register that points into that method's code is it.
static int32_t newest_bci(const FrameCursor *f, const void *ucontext)
{
    uintptr_t registers[ARCH_PRESERVED_MAX];
    int count = ucontext ? arch_preserved(ucontext, registers) : 0;
    for (int i = 0; i < count; i++) {
        const Insn *pc = instruction_at(f->method, cursor_insn(f), registers[i]);
        if (pc)
            return pc->bci;
    }
    return f->bci;
}

typedef struct Trace {
    ASGCT_CallFrame *next;
    const void *ucontext;
} Trace;

static void put_frame(void *ctx, const FrameCursor *f)
{
    Trace *trace = ctx;
    ASGCT_CallFrame *out = trace->next++;
    out->method_id = atomic_load_explicit(&f->method->id, memory_order_acquire);
    out->lineno = f->kind == KIND_NATIVE ? -3
                  : f->depth == 0 && f->kind == KIND_INTERPRETED
                      ? newest_bci(f, trace->ucontext)
                      : f->bci;
}

static jint take_trace(FrameCursor *newest, ASGCT_CallFrame *out, jint depth,
                       const void *ucontext)
{
    Trace trace = {out, ucontext};
    return (jint)frames_trace(newest, (uint32_t)MAX_OF(depth, 0), NULL, put_frame, &trace);
}

static bool first_frame(FrameCursor *newest, const Thread *self, const void *ucontext)
{
    ArchPlace at = {0};
    if (ucontext)
        at = arch_place(ucontext);
    return cursor_first_interrupted(newest, self, ucontext ? &at : NULL);
}

// A method whose id nobody has asked for has a NULL one: agents ask for those of each class in
// ClassPrepare and at their start. `ucontext` may be NULL.
EXPORT void AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext);
EXPORT void AsyncGetCallTrace(ASGCT_CallTrace *trace, jint depth, void *ucontext)
{
    if (!trace->env_id) {
        trace->num_frames = THREAD_EXIT;
        return;
    }
    const Thread *self = jni_thread(trace->env_id);
    FrameCursor newest;
    code_reading_begin();
    if ((pid_t)self->os_id != (pid_t)syscall(SYS_gettid))
        trace->num_frames = THREAD_EXIT;
    else if (heap_is_collecting())
        trace->num_frames = GC_ACTIVE;
    else if (!first_frame(&newest, self, ucontext))
        trace->num_frames = NO_JAVA_FRAME;
    else
        trace->num_frames = take_trace(&newest, trace->frames, depth, ucontext);
    code_reading_end();
}
