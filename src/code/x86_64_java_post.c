// SPDX-License-Identifier: Apache-2.0
// Compiled code posts METHOD_ENTRY and METHOD_EXIT: rcx the jmethodID, r9 what the method returns. No register holds a value of the frame
// over it.
//
// A single receiver (JavaReceiver) is called at once, without C of the VM, where that has nothing else to do; the stub has no frame then.
// Meanwhile, as C functions keep them: rbx the top of the handle stack before, r12 its chunk, r13 Thread.tool_depth before; at rsp
// Thread.jni_frames.len before. r14, which may be the heap's base, stays. All that may stand in the way is looked at before anything is
// written: what goes the long way has its arguments still.
#include "code/x86_64_stub.h"
#include "event/event.h"
#include "frame/frame.h"
#include "options/options.h"

enum {
    WORD = sizeof(void *),
    HANDLES_CHUNK = offsetof(Mutator, handles.chunk),
    HANDLES_TOP = offsetof(Mutator, handles.top),
    HANDLES_END = offsetof(Mutator, handles.end),
    JNI_FRAMES = offsetof(struct Thread, jni_frames.len),
};

typedef struct Post {
    JavaStubKind kind;
    const JavaStubTargets *targets;
    AsmLabel slow;  // by event_calls
    AsmLabel asked; // in the stub's frame: something is to be done behind the event
} Post;

static X86Mem of_thread(size_t offset)
{
    return x86_mem(R15, (int32_t)offset);
}

// ---- to a single receiver ----

// rdi = the receiver, rdx = what it keeps of the thread, r10 = its callback.
static void find_receiver(Asm *a, const Post *p)
{
    const JavaReceiver *r = p->targets->receiver;
    bool entry = p->kind == JAVA_STUB_POST_ENTRY;
    const void *wanted = &event_wanted[entry ? EVENT_METHOD_ENTRY : EVENT_METHOD_EXIT];
    const void *found = entry ? r->entry : r->exit;
    x86_movabs_r64_i64(a, RAX, (int64_t)(uintptr_t)wanted);
    x86_cmp_m32_i8(a, x86_mem(RAX, 0), 1); // nobody else does
    x86_j_cc_l32(a, X86_NE, p->slow);
    x86_movabs_r64_i64(a, RAX, (int64_t)(uintptr_t)found);
    x86_mov_r64_m64(a, RDI, x86_mem(RAX, 0));
    x86_test_r64_r64(a, RDI, RDI);
    x86_j_cc_l32(a, X86_E, p->slow);
    x86_mov_r64_m64(a, R10, x86_mem(RDI, entry ? r->entry_callback : r->exit_callback));
    x86_test_r64_r64(a, R10, R10);
    x86_j_cc_l32(a, X86_E, p->slow);
    x86_mov_r64_m64(a, RDX, of_thread((size_t)r->of_thread));
    x86_test_r64_r64(a, RDX, RDX);
    x86_j_cc_l32(a, X86_E, p->slow);
    x86_cmp_r64_m64(a, RDI, x86_mem(RDX, r->owner));
    x86_j_cc_l32(a, X86_NE, p->slow);
}

// rbx and r8 = the top of the handle stack before and after. The last check counts the event.
static void check_rest(Asm *a, const Post *p)
{
    const JavaReceiver *r = p->targets->receiver;
    int32_t handles = p->kind == JAVA_STUB_POST_REFERENCE ? 2 : 1;
    x86_mov_r64_m64(a, RBX, of_thread(HANDLES_TOP));
    x86_lea_r64_m(a, R8, x86_mem(RBX, handles * WORD));
    x86_cmp_r64_m64(a, R8, of_thread(HANDLES_END));
    x86_j_cc_l32(a, X86_A, p->slow);
    x86_mov_r64_m64(a, R11, x86_mem(RDX, r->posted));
    x86_cmp_r64_m64(a, R11, x86_mem(RDX, r->post_before));
    x86_j_cc_l32(a, X86_GE, p->slow);
    x86_add_r64_i8(a, R11, 1);
    x86_mov_m64_r64(a, x86_mem(RDX, r->posted), R11);
}

// The handles of the thread and of a result, which comes into r9.
static void make_handles(Asm *a, const Post *p)
{
    x86_mov_r64_m64(a, RAX, of_thread(THREAD_OFFSET_java_thread));
    x86_and_r64_i8(a, RAX, ~HANDLE_TAG);
    x86_mov_r64_m64(a, RAX, x86_mem(RAX, 0));
    x86_mov_m64_r64(a, x86_mem(RBX, 0), RAX);
    if (p->kind == JAVA_STUB_POST_REFERENCE) {
        x86_mov_m64_r64(a, x86_mem(RBX, WORD), R9);
        x86_lea_r64_m(a, RAX, x86_mem(RBX, WORD));
        x86_test_r64_r64(a, R9, R9);
        x86_cmov_cc_r64_r64(a, X86_NE, R9, RAX);
    }
    x86_mov_m64_r64(a, of_thread(HANDLES_TOP), R8);
    x86_mov_r64_m64(a, R12, of_thread(HANDLES_CHUNK));
}

// As frame_anchor_set, of the caller; rax and rdx are lost.
static void set_anchor(Asm *a, const JavaStubTargets *targets, X86Reg rbp, X86Mem pc)
{
    x86_mov_r64_m64(a, RAX, of_thread(THREAD_OFFSET_frame));
    x86_mov_m64_r64(a, x86_mem(RAX, targets->anchor_rbp), rbp);
    x86_mov_r64_m64(a, RDX, pc);
    x86_mov_m64_r64(a, x86_mem(RAX, targets->anchor_pc), RDX);
}

static void clear_anchor(Asm *a, const JavaStubTargets *targets)
{
    x86_mov_r64_m64(a, RAX, of_thread(THREAD_OFFSET_frame));
    x86_mov_m64_i32(a, x86_mem(RAX, targets->anchor_pc), 0);
}

// Behind the callback, IN_VM, where the thread is to wait or local references are left: as thread_enter_vm, jni_frames_close and handle_pop.
static MAY_GC void end_callback(Thread *self, struct HandleChunk *chunk, Object **top,
                                size_t jni_frames)
{
    if (atomic_load(&self->poll) & (POLL_SAFEPOINT | POLL_SUSPEND))
        thread_wait_to_enter(self);
    jni_frames_close(self, jni_frames);
    handle_pop(self, (HandleMark){chunk, top});
}

// IN_NATIVE, within a tool's function more.
static void call_receiver(Asm *a)
{
    x86_mov_r32_m32(a, R13, of_thread(THREAD_OFFSET_tool_depth));
    x86_lea_r32_m(a, RAX, x86_mem(R13, 1));
    x86_mov_m32_r32(a, of_thread(THREAD_OFFSET_tool_depth), RAX);
    x86_lea_r64_m(a, RSI, of_thread(THREAD_OFFSET_jni));
    x86_mov_r64_r64(a, RDX, RBX);
    x86_xor_r32_r32(a, R8, R8); // by no exception
    x86_push_m64(a, of_thread(JNI_FRAMES));
    x86_mov_m32_i32(a, of_thread(THREAD_OFFSET_state), THREAD_IN_NATIVE); // release
    x86_call_r64(a, R10);
    if (thread_plain_return == THREAD_IN_NATIVE) {
        x86_mov_m32_i32(a, of_thread(THREAD_OFFSET_state), THREAD_IN_VM);
    } else {
        x86_mov_r32_i32(a, RCX, THREAD_IN_VM);
        x86_xchg_m32_r32(a, of_thread(THREAD_OFFSET_state), RCX);
    }
}

// Frees the local references, or goes where end_callback does.
static void end_call(Asm *a, AsmLabel busy)
{
#ifdef PELLUCID_DEBUG
    x86_jmp(a, busy); // handles that were freed are poisoned
#endif
    x86_cmp_m32_i8(a, of_thread(THREAD_OFFSET_poll), 0);
    x86_j_cc_l32(a, X86_NE, busy);
    x86_mov_r64_m64(a, RCX, x86_mem(RSP, 0));
    x86_cmp_r64_m64(a, RCX, of_thread(JNI_FRAMES));
    x86_j_cc_l32(a, X86_B, busy);
    x86_cmp_r64_m64(a, R12, of_thread(HANDLES_CHUNK));
    x86_j_cc_l32(a, X86_NE, busy);
    x86_cmp_r64_m64(a, RBX, of_thread(HANDLES_TOP));
    x86_j_cc_l32(a, X86_A, busy);
    x86_mov_m64_r64(a, of_thread(HANDLES_TOP), RBX);
}

static void jump_if_asked(Asm *a, AsmLabel asked)
{
    x86_cmp_m64_i8(a, of_thread(THREAD_OFFSET_exception), 0);
    x86_j_cc_l32(a, X86_NE, asked);
    x86_cmp_m64_i8(a, of_thread(THREAD_OFFSET_jit_limit), -1);
    x86_j_cc_l32(a, X86_E, asked);
    if (vm_options.jit_hook_all)
        x86_jmp(a, asked);
}

static void post_directly(Asm *a, const Post *p)
{
    AsmLabel busy = asm_label(a), ended = asm_label(a), asked = asm_label(a);
    find_receiver(a, p);
    check_rest(a, p);
    make_handles(a, p);
    set_anchor(a, p->targets, RBP, x86_mem(RSP, 0));
    call_receiver(a);
    end_call(a, busy);
    asm_bind(a, ended);
    x86_mov_m32_r32(a, of_thread(THREAD_OFFSET_tool_depth), R13);
    x86_add_r64_i8(a, RSP, WORD);
    jump_if_asked(a, asked);
    clear_anchor(a, p->targets);
    x86_ret(a);
    asm_bind(a, busy);
    x86_mov_r64_r64(a, RDI, R15);
    x86_mov_r64_r64(a, RSI, R12);
    x86_mov_r64_r64(a, RDX, RBX);
    x86_mov_r64_m64(a, RCX, x86_mem(RSP, 0));
    x86_stub_call(a, (const void *)end_callback);
    x86_jmp(a, ended);
    asm_bind(a, asked);
    x86_stub_frame(a, X86_PLACE_BYTES);
    x86_jmp(a, p->asked);
}

// ---- to any ----

// Calls what posts the event: as event_calls has it, or, of a reference, what makes a handle of it before.
static void call_post(Asm *a, const Post *p)
{
    if (p->kind == JAVA_STUB_POST_REFERENCE) {
        x86_stub_call(a, (const void *)p->targets->post_reference);
        return;
    }
    const void *fn = p->kind == JAVA_STUB_POST_ENTRY ? (const void *)&event_calls.entry
                                                     : (const void *)&event_calls.exit;
    x86_movabs_r64_i64(a, RAX, (int64_t)(uintptr_t)fn);
    x86_call_m64(a, x86_mem(RAX, 0));
}

static void post_by_calls(Asm *a, const Post *p)
{
    AsmLabel back = asm_label(a);
    x86_stub_frame(a, X86_PLACE_BYTES);
    x86_mov_r64_m64(a, R8, x86_mem(RBP, 0));
    set_anchor(a, p->targets, R8, x86_mem(RBP, WORD));
    x86_mov_r64_r64(a, RDI, R15);
    x86_mov_r64_m64(a, RSI, x86_mem(RCX, 0)); // as method_of_id
    x86_xor_r32_r32(a, RDX, RDX);             // by no exception
    x86_mov_r64_r64(a, RCX, R9);
    call_post(a, p);
    jump_if_asked(a, p->asked);
    asm_bind(a, back);
    clear_anchor(a, p->targets);
    x86_leave(a);
    x86_ret(a);
    asm_bind(a, p->asked);
    x86_mov_r64_r64(a, RDI, R15);
    x86_mov_r64_m64(a, RSI, x86_mem(RBP, WORD));
    x86_mov_r64_m64(a, RDX, x86_mem(RBP, 0));
    x86_mov_r64_r64(a, RCX, RSP);
    x86_stub_call(a, (const void *)p->targets->posted);
    x86_test_r8_r8(a, RAX, RAX);
    x86_j_cc_l32(a, X86_E, back);
    x86_stub_go(a);
}

void x86_stub_post(Asm *a, JavaStubKind kind, const JavaStubTargets *targets)
{
    const Post p = {kind, targets, .slow = asm_label(a), .asked = asm_label(a)};
    if (targets->receiver)
        post_directly(a, &p);
    asm_bind(a, p.slow);
    post_by_calls(a, &p);
}
