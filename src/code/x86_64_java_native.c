// SPDX-License-Identifier: Apache-2.0
// Compiled code calls native methods: the stub of java_native_stub for x86-64.
//
// Registers: rbx the Method, r15 the Thread, r12 the boundary of the stretch, r13 the native method's Frame, r11 its C function.
// Arguments come as code/java_convention.h says and go as the System V calling convention says: those in general registers move on by
// the JNIEnv and, of static methods, the class; references become handles, addresses of the Frame's slots. Before the Frame is the
// thread's youngest one the boundary's anchor says where the caller stands.
//
//     arguments on the stack | return address | rbp | jni_frames.len | the result | arguments of C on the stack, or a JavaPlace  <- rsp
#include "base/alloc.h"
#include "code/compiled_code.h"
#include "code/java_convention.h"
#include "code/x86_64_stub.h"
#include "event/event.h"
#include "frame/frame.h"

enum {
    WORD = sizeof(void *),
    SAVED_JNI_FRAMES = -WORD, // from rbp
    SAVED_RESULT = -2 * WORD,
    SAVED_BYTES = 2 * WORD,
    HANDLES_CHUNK = offsetof(Mutator, handles.chunk),
    HANDLES_TOP = offsetof(Mutator, handles.top),
    HANDLES_END = offsetof(Mutator, handles.end),
    FRAME_HANDLES_CHUNK = offsetof(Frame, handles.chunk),
    FRAME_HANDLES_TOP = offsetof(Frame, handles.top),
    MOST_ARGUMENTS = 255, // JVMS 4.3.3
};

static X86Mem of_thread(size_t offset)
{
    return x86_mem(R15, (int32_t)offset);
}

static X86Mem of_frame(size_t offset)
{
    return x86_mem(R13, (int32_t)offset);
}

static bool is_static(const char *shape)
{
    return shape[0] != '(';
}

// ---- arguments ----

static const X86Reg c_registers[] = {RDI, RSI, RDX, RCX, R8, R9};
enum { JNI_ENV = 0, JNI_OBJECT = 1, FIRST_ARGUMENT = 2 }; // among those

typedef struct Passed { // an argument behind the class or receiver
    JavaArgument from;
    int8_t reg; // of C, as JavaArgument.reg
    uint16_t stack_word;
} Passed;

// What C gets behind the class or the receiver. *stack_words: of those on the stack.
static unsigned find_arguments(const char *shape, Passed *out, unsigned *stack_words)
{
    unsigned count = 0, integers = FIRST_ARGUMENT;
    JavaArgument w = java_arguments(shape);
    *stack_words = 0;
    if (!is_static(shape))
        (void)java_argument_next(&w);
    while (java_argument_next(&w)) {
        Passed *p = &out[count++];
        bool is_float = w.kind == 'F' || w.kind == 'D';
        *p = (Passed){.from = w, .reg = JAVA_NO_REGISTER};
        if (is_float)
            p->reg = w.reg; // as many registers there
        else if (integers < ARRAY_LEN(c_registers))
            p->reg = (int8_t)c_registers[integers++];
        if (p->reg == JAVA_NO_REGISTER)
            p->stack_word = (uint16_t)(*stack_words)++;
    }
    return count;
}

static X86Mem slot_of(const JavaArgument *w, int32_t operands)
{
    return x86_mem(R12, operands + w->slot * (int32_t)sizeof(Slot));
}

// to = the argument in `from`, as C has it.
static void pass(Asm *a, X86Reg to, X86Reg from, const JavaArgument *w, int32_t operands)
{
    switch (w->kind) {
    case 'Z': x86_movzx_r32_r8(a, to, from); break;
    case 'B': x86_movsx_r32_r8(a, to, from); break;
    case 'C': x86_movzx_r32_r16(a, to, from); break;
    case 'S': x86_movsx_r32_r16(a, to, from); break;
    case 'L': // a handle to the slot, if there is something in it
        VM_ASSERT(to != from);
        x86_mov_m64_r64(a, slot_of(w, operands), from);
        x86_lea_r64_m(a, to, slot_of(w, operands));
        x86_test_r64_r64(a, from, from);
        x86_cmov_cc_r64_r64(a, X86_E, to, from);
        break;
    default: x86_mov_r64_r64(a, to, from);
    }
}

static void pass_on_stack(Asm *a, const Passed *p, int32_t operands)
{
    X86Mem to = x86_mem(RSP, p->stack_word * WORD);
    if (p->from.reg == JAVA_NO_REGISTER)
        x86_mov_r64_m64(a, R10, x86_mem(RBP, JAVA_STACK_AT + p->from.stack_word * WORD));
    pass(a, RAX, p->from.reg == JAVA_NO_REGISTER ? R10 : (X86Reg)p->from.reg, &p->from,
         operands);
    x86_mov_m64_r64(a, to, RAX);
}

// From the last one on: each goes where the next one was.
static void pass_arguments(Asm *a, const char *shape, const Passed *passed, unsigned count,
                           int32_t operands)
{
    for (unsigned i = 0; i < count; i++)
        if (passed[i].reg == JAVA_NO_REGISTER)
            pass_on_stack(a, &passed[i], operands);
    for (unsigned i = count; i-- > 0;)
        if (passed[i].reg != JAVA_NO_REGISTER && passed[i].reg < CODE_FIRST_XMM)
            pass(a, (X86Reg)passed[i].reg, (X86Reg)passed[i].from.reg, &passed[i].from,
                 operands);
    if (is_static(shape)) {
        x86_mov_r64_m64(a, c_registers[JNI_OBJECT], of_frame(FRAME_HANDLES_TOP));
    } else {
        X86Mem receiver = x86_mem(R12, operands);
        x86_mov_m64_r64(a, receiver, RDI);
        x86_lea_r64_m(a, c_registers[JNI_OBJECT], receiver);
    }
    x86_lea_r64_m(a, c_registers[JNI_ENV], of_thread(THREAD_OFFSET_jni));
}

// ---- before the call ----

// Whether somebody listens to calls.
static void check_events(Asm *a, X86Reg scratch, AsmLabel slow)
{
    _Static_assert(EVENT_METHOD_EXIT == EVENT_METHOD_ENTRY + 1, "both are read at once");
    const void *wanted = &event_wanted[EVENT_METHOD_ENTRY];
    x86_movabs_r64_i64(a, scratch, (int64_t)(uintptr_t)wanted);
    x86_cmp_m64_i8(a, x86_mem(scratch, 0), 0);
    x86_j_cc_l32(a, X86_NE, slow);
}

// Whether all is as it mostly is: nothing was changed yet but r10 to r13 and rax, which are nobody's.
static void check_entry(Asm *a, const char *shape, const JavaNatives *natives,
                        const JavaStubTargets *targets, AsmLabel slow)
{
    uint32_t words = MAX_OF(java_argument_slots(shape), 1);
    int32_t frame = targets->operands + (int32_t)(words * sizeof(Slot));
    x86_cmp_r64_m64(a, RSP, of_thread(THREAD_OFFSET_jit_limit));
    x86_j_cc_l32(a, X86_BE, slow);
    check_events(a, RAX, slow);
    x86_mov_r64_m64(a, R11, x86_mem(RBX, natives->native));
    x86_test_r64_r64(a, R11, R11);
    x86_j_cc_l32(a, X86_E, slow);
    x86_mov_r64_m64(a, R12, of_thread(THREAD_OFFSET_frame));
    x86_lea_r64_m(a, R13, x86_mem(R12, frame));
    x86_lea_r64_m(a, RAX, of_frame(sizeof(Frame) + 2 * sizeof(Slot)));
    x86_cmp_r64_m64(a, RAX, of_thread(THREAD_OFFSET_stack_limit));
    x86_j_cc_l32(a, X86_A, slow);
    x86_mov_r64_m64(a, R10, of_thread(HANDLES_TOP));
    if (!is_static(shape))
        return;
    x86_cmp_r64_m64(a, R10, of_thread(HANDLES_END));
    x86_j_cc_l32(a, X86_E, slow);
}

// As frame_anchor_set and interp_push_frame.
static void fill_frame(Asm *a, const JavaStubTargets *targets)
{
    x86_mov_r64_m64(a, RAX, x86_mem(RBP, 0));
    x86_mov_m64_r64(a, x86_mem(R12, targets->anchor_rbp), RAX);
    x86_mov_r64_m64(a, RAX, x86_mem(RBP, WORD));
    x86_mov_m64_r64(a, x86_mem(R12, targets->anchor_pc), RAX);
    x86_mov_m64_r64(a, of_frame(offsetof(Frame, prev)), R12);
    x86_mov_m64_r64(a, of_frame(offsetof(Frame, method)), RBX);
    x86_mov_m64_i32(a, of_frame(offsetof(Frame, pc)), 0);
    x86_mov_m32_i32(a, of_frame(offsetof(Frame, flags)), FRAME_NATIVE);
    x86_lea_r64_m(a, RAX, x86_mem(R12, targets->operands));
    x86_mov_m64_r64(a, of_frame(offsetof(Frame, locals)), RAX);
    x86_lea_r64_m(a, RAX, of_frame(sizeof(Frame)));
    x86_mov_m64_r64(a, of_frame(offsetof(Frame, sp)), RAX);
    x86_mov_r64_m64(a, RAX, of_thread(THREAD_OFFSET_last_frame_id));
    x86_add_r64_i32(a, RAX, FRAME_ID_STEP);
    x86_mov_m64_r64(a, of_thread(THREAD_OFFSET_last_frame_id), RAX);
    x86_mov_m64_r64(a, of_frame(offsetof(Frame, id)), RAX);
    x86_mov_r64_m64(a, RAX, of_thread(HANDLES_CHUNK));
    x86_mov_m64_r64(a, of_frame(FRAME_HANDLES_CHUNK), RAX);
    x86_mov_m64_r64(a, of_frame(FRAME_HANDLES_TOP), R10);
}

// As mirror_handle; r10: where it comes.
static void make_class_handle(Asm *a, const JavaNatives *natives)
{
    x86_mov_r64_m64(a, RAX, x86_mem(RBX, natives->cls));
    x86_mov_r64_m64(a, RAX, x86_mem(RAX, natives->mirror));
    x86_and_r64_i8(a, RAX, ~HANDLE_TAG);
    x86_mov_r64_m64(a, RAX, x86_mem(RAX, 0));
    x86_mov_m64_r64(a, x86_mem(R10, 0), RAX);
    x86_lea_r64_m(a, RAX, x86_mem(R10, WORD));
    x86_mov_m64_r64(a, of_thread(HANDLES_TOP), RAX);
}

// ---- behind the call ----

static void return_to_vm(Asm *a, AsmLabel slow)
{
    if (thread_plain_return == THREAD_IN_NATIVE) {
        x86_mov_m32_i32(a, of_thread(THREAD_OFFSET_state), THREAD_IN_VM);
    } else {
        x86_mov_r32_i32(a, RCX, THREAD_IN_VM);
        x86_xchg_m32_r32(a, of_thread(THREAD_OFFSET_state), RCX);
    }
    x86_cmp_m32_i8(a, of_thread(THREAD_OFFSET_poll), 0);
    x86_j_cc_l32(a, X86_NE, slow);
}

// Whether nothing has to be done but to free local references. rcx = what the handle stack is popped to.
static void check_exit(Asm *a, AsmLabel slow)
{
    x86_cmp_m64_i8(a, of_thread(THREAD_OFFSET_jit_limit), -1);
    x86_j_cc_l32(a, X86_E, slow);
    check_events(a, RCX, slow);
    x86_cmp_m64_i8(a, of_thread(THREAD_OFFSET_exception), 0);
    x86_j_cc_l32(a, X86_NE, slow);
    x86_cmp_m32_i8(a, of_frame(offsetof(Frame, flags)), FRAME_NATIVE);
    x86_j_cc_l32(a, X86_NE, slow);
    x86_mov_r64_m64(a, RCX, of_frame(FRAME_HANDLES_CHUNK));
    x86_cmp_r64_m64(a, RCX, of_thread(HANDLES_CHUNK));
    x86_j_cc_l32(a, X86_NE, slow);
    x86_mov_r64_m64(a, RCX, of_frame(FRAME_HANDLES_TOP));
    x86_cmp_r64_m64(a, RCX, of_thread(HANDLES_TOP));
#ifdef PELLUCID_DEBUG
    x86_j_cc_l32(a, X86_NE, slow); // what is popped is poisoned
#else
    x86_j_cc_l32(a, X86_A, slow);
#endif
}

// What the C function has left, as compiled code has it.
static void take_result(Asm *a, char kind)
{
    AsmLabel null = asm_label(a);
    switch (kind) {
    case 'Z':
        x86_test_r8_r8(a, RAX, RAX);
        x86_set_cc_r8(a, X86_NE, RAX);
        x86_movzx_r32_r8(a, RAX, RAX);
        break;
    case 'B': x86_movsx_r32_r8(a, RAX, RAX); break;
    case 'C': x86_movzx_r32_r16(a, RAX, RAX); break;
    case 'S': x86_movsx_r32_r16(a, RAX, RAX); break;
    case 'L':
        x86_test_r64_r64(a, RAX, RAX);
        x86_j_cc_l8(a, X86_E, null);
        x86_and_r64_i8(a, RAX, ~HANDLE_TAG);
        x86_mov_r64_m64(a, RAX, x86_mem(RAX, 0));
        break;
    default: break;
    }
    asm_bind(a, null);
}

static void leave(Asm *a, char result, const JavaStubTargets *targets)
{
    take_result(a, result);
    x86_mov_m64_r64(a, of_thread(HANDLES_TOP), RCX);
    x86_mov_r64_m64(a, RCX, x86_mem(RBP, SAVED_JNI_FRAMES));
    x86_mov_m64_r64(a, of_thread(offsetof(struct Thread, jni_frames.len)), RCX);
    x86_mov_m64_r64(a, of_thread(THREAD_OFFSET_frame), R12);
    x86_mov_m64_i32(a, x86_mem(R12, targets->anchor_pc), 0);
    x86_leave(a);
    x86_ret(a);
}

static void finish(Asm *a, char result, JavaRunFunction *function)
{
    X86Mem saved = x86_mem(RBP, SAVED_RESULT);
    if (result == 'F' || result == 'D')
        x86_movsd_m64_x(a, saved, XMM0);
    else
        x86_mov_m64_r64(a, saved, RAX);
    x86_mov_r64_m64(a, RSI, saved);
    x86_mov_r64_m64(a, RDX, x86_mem(RBP, SAVED_JNI_FRAMES));
    x86_stub_run(a, function);
}

// ---- all of it ----

static void emit(Asm *a, const char *shape, const JavaNatives *natives, const void *interpret,
                 const JavaStubTargets *targets)
{
    AsmLabel slow_entry = asm_label(a), slow_exit = asm_label(a);
    Passed passed[MOST_ARGUMENTS];
    unsigned stack_words, count = find_arguments(shape, passed, &stack_words);
    int32_t bytes = (int32_t)MAX_OF(stack_words * WORD, (unsigned)X86_PLACE_BYTES);
    check_entry(a, shape, natives, targets, slow_entry);
    x86_stub_frame(a, SAVED_BYTES + ALIGN_UP(bytes, 16));
    fill_frame(a, targets);
    if (is_static(shape))
        make_class_handle(a, natives);
    x86_mov_r64_m64(a, RAX, of_thread(offsetof(struct Thread, jni_frames.len)));
    x86_mov_m64_r64(a, x86_mem(RBP, SAVED_JNI_FRAMES), RAX);
    pass_arguments(a, shape, passed, count, targets->operands);
    x86_mov_m64_r64(a, of_thread(THREAD_OFFSET_frame), R13);
    x86_mov_m32_i32(a, of_thread(THREAD_OFFSET_state), THREAD_IN_NATIVE); // release
    x86_call_r64(a, R11);
    return_to_vm(a, slow_exit);
    check_exit(a, slow_exit);
    leave(a, java_result(shape), targets);
    asm_bind(a, slow_exit);
    finish(a, java_result(shape), natives->finish);
    asm_bind(a, slow_entry);
    x86_movabs_r64_i64(a, R11, (int64_t)(uintptr_t)interpret);
    x86_jmp_r64(a, R11);
}

const CodeBlob *java_native_make(const char *shape, const JavaNatives *natives,
                                 const void *interpret, const JavaStubTargets *targets)
{
    Asm a;
    x86_stub_begin(&a);
    emit(&a, shape, natives, interpret, targets);
    char *name = vm_asprintf("native call from compiled code %s", shape);
    const CodeBlob *blob = x86_stub_install(&a, CODE_JAVA_STUB, name);
    vm_free(name);
    return blob;
}
