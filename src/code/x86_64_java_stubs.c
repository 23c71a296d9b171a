// SPDX-License-Identifier: Apache-2.0
// The stubs of java_stubs.h for x86-64. In compiled code and in all stubs but JavaEnter's beginning r15 is the Thread.
#include "base/alloc.h"
#include "code/compiled_code.h"
#include "code/java_convention.h"
#include "code/java_stubs.h"
#include "code/x86_64_stub.h"
#include "event/event.h"
#include "heap/object.h"
#include "options/options.h"

enum {
    WORD = sizeof(void *),
    PLACE_BYTES = X86_PLACE_BYTES,
    SAVED_BYTES = sizeof(SavedRegisters),
    GENERAL_REGISTERS = CODE_FIRST_XMM,
};

static X86Mem of_thread(size_t offset)
{
    return x86_mem(R15, (int32_t)offset);
}

// ---- compiled code is called: JavaEnter ----

// What C code wants to find again, from rbp down.
static const X86Reg kept_registers[] = {RBX, R12, R13, R14, R15};
enum { KEPT_BYTES = ALIGN_UP(ARRAY_LEN(kept_registers) * 8, 16) };

static X86Mem kept_at(unsigned i)
{
    return x86_mem(RBP, -(int32_t)(i + 1) * WORD);
}

static void leave_enter(Asm *a)
{
    for (unsigned i = 0; i < ARRAY_LEN(kept_registers); i++)
        x86_mov_r64_m64(a, kept_registers[i], kept_at(i));
    x86_leave(a);
    x86_ret(a);
}

static void load_argument(Asm *a, const JavaArgument *w)
{
    X86Mem from = x86_mem(R10, w->slot * (int32_t)sizeof(Slot));
    if (w->reg == JAVA_NO_REGISTER) {
        x86_mov_r64_m64(a, RAX, from);
        x86_mov_m64_r64(a, x86_mem(RSP, w->stack_word * WORD), RAX);
    } else if (w->reg < CODE_FIRST_XMM) {
        x86_mov_r64_m64(a, (X86Reg)w->reg, from);
    } else if (w->kind == 'F') {
        x86_movss_x_m32(a, (X86Xmm)(w->reg - CODE_FIRST_XMM), from);
    } else {
        x86_movsd_x_m64(a, (X86Xmm)(w->reg - CODE_FIRST_XMM), from);
    }
}

// rax and xmm0 as a slot has it.
static void take_result(Asm *a, char kind)
{
    switch (kind) {
    case 'V': x86_xor_r32_r32(a, RAX, RAX); break;
    case 'F': x86_movd_r32_x(a, RAX, XMM0); break;
    case 'D': x86_movq_r64_x(a, RAX, XMM0); break;
    case 'J':
    case 'L': break;
    default: x86_movsxd_r64_r32(a, RAX, RAX); break;
    }
}

static void begin_enter(Asm *a, size_t stack_words)
{
    x86_stub_begin(a);
    x86_stub_frame(a, KEPT_BYTES + (int32_t)ALIGN_UP(stack_words * WORD, 16u));
    for (unsigned i = 0; i < ARRAY_LEN(kept_registers); i++)
        x86_mov_m64_r64(a, kept_at(i), kept_registers[i]);
    x86_mov_r64_r64(a, R15, RDI);
    if (heap_base)
        x86_movabs_r64_i64(a, R14, (int64_t)heap_base);
}

static void end_enter(Asm *a, char result)
{
    take_result(a, result);
    x86_xor_r32_r32(a, RDX, RDX);
    leave_enter(a);
}

const CodeBlob *java_enter_make(const char *shape, const JavaStubTargets *targets)
{
    Asm a;
    begin_enter(&a, java_stack_words(shape));
    x86_mov_r64_r64(&a, R10, RSI);
    x86_mov_r64_r64(&a, RBX, RDX);
    JavaArgument w = java_arguments(shape);
    while (java_argument_next(&w))
        load_argument(&a, &w);
    x86_call_m64(&a, x86_mem(RBX, targets->compiled_entry));
    end_enter(&a, java_result(shape));
    char *name = vm_asprintf("enter %s", shape);
    const CodeBlob *blob = x86_stub_install(&a, CODE_JAVA_STUB, name);
    vm_free(name);
    return blob;
}

const CodeBlob *java_enter_loop_make(char result)
{
    Asm a;
    begin_enter(&a, 0);
    x86_mov_r64_r64(&a, RDI, RSI);
    x86_call_r64(&a, RDX);
    end_enter(&a, result);
    char *name = vm_asprintf("enter loop %c", result);
    const CodeBlob *blob = x86_stub_install(&a, CODE_JAVA_STUB, name);
    vm_free(name);
    return blob;
}

// At a JavaPlace in a JavaEnter that compiled code was to return to.
static void emit_left(Asm *a)
{
    x86_mov_r64_r64(a, RAX, RDX);
    x86_mov_r64_r64(a, RDX, RSI);
    leave_enter(a);
}

// ---- compiled code calls ----

// rax: the boundary.
static void store_argument(Asm *a, const JavaArgument *w, int32_t operands)
{
    X86Mem to = x86_mem(RAX, operands + w->slot * (int32_t)sizeof(Slot));
    if (w->reg == JAVA_NO_REGISTER) {
        x86_mov_r64_m64(a, R11, x86_mem(RBP, JAVA_STACK_AT + w->stack_word * WORD));
        x86_mov_m64_r64(a, to, R11);
    } else if (w->reg < CODE_FIRST_XMM) {
        x86_mov_m64_r64(a, to, (X86Reg)w->reg);
    } else {
        x86_movsd_m64_x(a, to, (X86Xmm)(w->reg - CODE_FIRST_XMM));
    }
}

const CodeBlob *java_interpret_make(const char *shape, const JavaStubTargets *targets)
{
    Asm a;
    x86_stub_begin(&a);
    x86_stub_frame(&a, PLACE_BYTES);
    x86_mov_r64_m64(&a, RAX, of_thread(THREAD_OFFSET_frame));
    JavaArgument w = java_arguments(shape);
    while (java_argument_next(&w))
        store_argument(&a, &w, targets->operands);
    int32_t end = targets->operands + (int32_t)(java_argument_slots(shape) * sizeof(Slot));
    x86_lea_r64_m(&a, RDX, x86_mem(RAX, end));
    x86_mov_r64_r64(&a, RSI, RBX);
    x86_stub_run(&a, targets->interpret);
    char *name = vm_asprintf("interpret %s", shape);
    const CodeBlob *blob = x86_stub_install(&a, CODE_JAVA_STUB, name);
    vm_free(name);
    return blob;
}

// ---- calls that an argument chooses ----

// r11 = the reference in a field of the object in `from`; null goes to `slow`.
static void follow(Asm *a, X86Reg from, int32_t field, AsmLabel slow)
{
    x86_mov_r32_m32(a, R11, x86_mem(from, field));
    x86_shl_r64_u8(a, R11, 3);
    x86_j_cc_l32(a, X86_E, slow);
    if (heap_base)
        x86_add_r64_r64(a, R11, R14);
}

// r11 = the last argument, at the first instruction of what is called.
static void take_last_argument(Asm *a, const char *shape, AsmLabel slow)
{
    JavaArgument w = java_arguments(shape), last = w;
    while (java_argument_next(&w))
        last = w;
    VM_ASSERT(last.kind == 'L');
    if (last.reg == JAVA_NO_REGISTER)
        x86_mov_r64_m64(a, R11, x86_mem(RSP, (last.stack_word + 1) * WORD));
    else
        x86_mov_r64_r64(a, R11, (X86Reg)last.reg);
    x86_test_r64_r64(a, R11, R11);
    x86_j_cc_l32(a, X86_E, slow);
}

const CodeBlob *java_link_make(const char *shape, JavaLinkKind kind, const JavaLinks *links,
                               const void *interpret, const JavaStubTargets *targets)
{
    static const char *const names[] = {"invokeBasic", "linkToStatic", "linkToSpecial"};
    Asm a;
    x86_stub_begin(&a);
    AsmLabel slow = asm_label(&a);
    if (kind == JAVA_LINK_HANDLE) {
        follow(&a, RDI, links->form, slow);
        follow(&a, R11, links->entry, slow);
    } else {
        take_last_argument(&a, shape, slow);
    }
    if (kind == JAVA_LINK_SPECIAL) {
        x86_test_r64_r64(&a, RDI, RDI);
        x86_j_cc_l32(&a, X86_E, slow);
    }
    follow(&a, R11, links->method, slow);
    x86_mov_r64_m64(&a, RBX, x86_mem(R11, links->target));
    x86_jmp_m64(&a, x86_mem(RBX, targets->compiled_entry));
    asm_bind(&a, slow);
    x86_movabs_r64_i64(&a, R11, (int64_t)(uintptr_t)interpret);
    x86_jmp_r64(&a, R11);
    char *name = vm_asprintf("%s %s", names[kind], shape);
    const CodeBlob *blob = x86_stub_install(&a, CODE_JAVA_STUB, name);
    vm_free(name);
    return blob;
}

// At a JavaPlace: rbp and rsp are those of a frame that has left, which is this stub's now.
static void emit_resume(Asm *a, const JavaStubTargets *targets)
{
    x86_sub_r64_i32(a, RSP, PLACE_BYTES);
    x86_stub_run(a, targets->resume);
}

enum { REGISTER_BYTES = ALIGN_UP(JAVA_REGISTER_SLOTS * sizeof(Slot), 16) };

// All registers that arguments lie in, `at` bytes above rsp.
static void store_registers(Asm *a, int32_t at)
{
    x86_mov_r64_r64(a, RAX, RSP);
    JavaArgument w = java_arguments(JAVA_ALL_REGISTERS);
    while (java_argument_next(&w))
        store_argument(a, &w, at);
}

static void emit_any(Asm *a, const JavaStubTargets *targets)
{
    x86_stub_frame(a, PLACE_BYTES + REGISTER_BYTES);
    store_registers(a, PLACE_BYTES);
    x86_lea_r64_m(a, RDX, x86_mem(RSP, PLACE_BYTES));
    x86_mov_r64_r64(a, RSI, RBX);
    x86_stub_run(a, targets->interpret_any);
}

static void emit_entry(Asm *a, const JavaStubTargets *targets)
{
    x86_stub_frame(a, REGISTER_BYTES);
    store_registers(a, 0);
    x86_mov_r64_r64(a, RDI, RBX);
    x86_stub_call(a, (const void *)targets->resolve);
    x86_mov_r64_r64(a, R11, RAX);
    x86_mov_r64_r64(a, R10, RSP);
    JavaArgument w = java_arguments(JAVA_ALL_REGISTERS);
    while (java_argument_next(&w))
        load_argument(a, &w);
    x86_leave(a);
    x86_jmp_r64(a, R11);
}

// ---- at sites: registers are saved, those for floating point where they are kept ----

static X86Mem saved_at(unsigned reg)
{
    return x86_mem(RSP, (int32_t)reg * WORD);
}

// Below the SavedRegisters a frame whose return address and saved rbp are those of the compiled frame; `bytes` more at rsp.
static void save_registers(Asm *a, int32_t bytes, bool keeps_floats,
                           const JavaStubTargets *targets)
{
    VM_ASSERT(bytes % 16 == 0);
    x86_lea_r64_m(a, RSP, x86_mem(RSP, -SAVED_BYTES));
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        x86_mov_m64_r64(a, saved_at(i), (X86Reg)i);
    for (unsigned i = CODE_FIRST_XMM; keeps_floats && i < CODE_REGISTERS; i++)
        x86_movsd_m64_x(a, saved_at(i), (X86Xmm)(i - CODE_FIRST_XMM));
    x86_push_m64(a, x86_mem(RSP, SAVED_BYTES));
    x86_push_r64(a, RBP);
    x86_mov_r64_r64(a, RBP, RSP);
    x86_sub_r64_i32(a, RSP, bytes + WORD); // what was called with rsp aligned
    x86_mov_r64_m64(a, RAX, of_thread(THREAD_OFFSET_frame));
    x86_mov_r64_m64(a, RCX, x86_mem(RBP, 0));
    x86_mov_m64_r64(a, x86_mem(RAX, targets->anchor_rbp), RCX);
    x86_mov_r64_m64(a, RCX, x86_mem(RBP, WORD));
    x86_mov_m64_r64(a, x86_mem(RAX, targets->anchor_pc), RCX);
}

// Returns to the compiled frame. What save_registers saved is as SavedRegisters has it.
static void restore_registers(Asm *a, bool keeps_floats, const JavaStubTargets *targets)
{
    x86_mov_r64_m64(a, RAX, of_thread(THREAD_OFFSET_frame));
    x86_mov_m64_i32(a, x86_mem(RAX, targets->anchor_pc), 0);
    x86_lea_r64_m(a, RSP, x86_mem(RBP, 2 * WORD));
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        if (i != RSP)
            x86_mov_r64_m64(a, (X86Reg)i, saved_at(i));
    for (unsigned i = CODE_FIRST_XMM; keeps_floats && i < CODE_REGISTERS; i++)
        x86_movsd_x_m64(a, (X86Xmm)(i - CODE_FIRST_XMM), saved_at(i));
    x86_lea_r64_m(a, RSP, x86_mem(RSP, SAVED_BYTES));
    x86_ret(a);
}

// Behind save_registers: calls fn; where that gives true, goes to the JavaPlace at rsp.
static void call_site_function(Asm *a, JavaSiteFunction *fn, AsmLabel go)
{
    x86_mov_r64_r64(a, RDI, R15);
    x86_mov_r64_m64(a, RSI, x86_mem(RBP, WORD));
    x86_mov_r64_m64(a, RDX, x86_mem(RBP, 0));
    x86_mov_r64_r64(a, RCX, RSP);
    x86_stub_call(a, (const void *)fn);
    x86_test_r8_r8(a, RAX, RAX);
    x86_j_cc_l32(a, X86_NE, go);
}

static void emit_at_site(Asm *a, JavaSiteFunction *fn, const JavaStubTargets *targets)
{
    AsmLabel go = asm_label(a);
    save_registers(a, PLACE_BYTES, true, targets);
    call_site_function(a, fn, go);
    restore_registers(a, true, targets);
    asm_bind(a, go);
    x86_stub_go(a);
}

// The return address, which was popped, is below rsp still: nothing but a signal handler, which spares it, ran since.
static void emit_lazy(Asm *a, const JavaStubTargets *targets)
{
    x86_lea_r64_m(a, RSP, x86_mem(RSP, -WORD));
    emit_at_site(a, targets->deopt, targets);
}

const CodeBlob *java_runtime_make(JavaRuntime *fn, bool keeps_floats,
                                  const JavaStubTargets *targets)
{
    enum { TO_SAVED = 2 * WORD, TO_OUTGOING = TO_SAVED + SAVED_BYTES + WORD }; // from rbp
    Asm a;
    x86_stub_begin(&a);
    AsmLabel go = asm_label(&a), back = asm_label(&a);
    save_registers(&a, PLACE_BYTES, keeps_floats, targets);
    x86_mov_r64_r64(&a, RDI, R15);
    x86_lea_r64_m(&a, RSI, x86_mem(RBP, TO_OUTGOING));
    x86_stub_call(&a, (const void *)fn);
    x86_mov_m64_r64(&a, x86_mem(RBP, TO_SAVED + R11 * WORD), RAX);
    x86_cmp_m64_i8(&a, of_thread(THREAD_OFFSET_jit_limit), -1);
    if (!vm_options.jit_hook_all)
        x86_j_cc_l32(&a, X86_NE, back);
    call_site_function(&a, targets->behind, go);
    asm_bind(&a, back);
    restore_registers(&a, keeps_floats, targets);
    asm_bind(&a, go);
    x86_stub_go(&a);
    return x86_stub_install(&a, CODE_JAVA_STUB, "runtime call");
}

const CodeBlob *java_stub_make(JavaStubKind kind, const JavaStubTargets *targets)
{
    static const char *const names[JAVA_STUB_COUNT] = {
        [JAVA_STUB_ENTRY] = "first call",
        [JAVA_STUB_ANY] = "interpret any",
        [JAVA_STUB_DEOPT] = "deoptimization",
        [JAVA_STUB_LAZY] = "deoptimization behind a call",
        [JAVA_STUB_ATHROW] = "athrow of compiled code",
        [JAVA_STUB_THROW] = "throw from compiled code",
        [JAVA_STUB_POLL] = "poll of compiled code",
        [JAVA_STUB_POST_ENTRY] = "method entry in compiled code",
        [JAVA_STUB_POST_EXIT] = "method exit in compiled code",
        [JAVA_STUB_POST_REFERENCE] = "method exit with a reference in compiled code",
        [JAVA_STUB_RESUME] = "go on in the interpreter",
        [JAVA_STUB_LEFT] = "return from compiled code",
    };
    VM_ASSERT(kind < JAVA_STUB_COUNT);
    Asm a;
    x86_stub_begin(&a);
    switch (kind) {
    case JAVA_STUB_ENTRY: emit_entry(&a, targets); break;
    case JAVA_STUB_ANY: emit_any(&a, targets); break;
    case JAVA_STUB_DEOPT: emit_at_site(&a, targets->deopt, targets); break;
    case JAVA_STUB_LAZY: emit_lazy(&a, targets); break;
    case JAVA_STUB_ATHROW: emit_at_site(&a, targets->athrow, targets); break;
    case JAVA_STUB_THROW: emit_at_site(&a, targets->throw, targets); break;
    case JAVA_STUB_POLL: emit_at_site(&a, targets->poll, targets); break;
    case JAVA_STUB_POST_ENTRY:
    case JAVA_STUB_POST_EXIT:
    case JAVA_STUB_POST_REFERENCE: x86_stub_post(&a, kind, targets); break;
    case JAVA_STUB_RESUME: emit_resume(&a, targets); break;
    default: emit_left(&a); break;
    }
    return x86_stub_install(&a, CODE_JAVA_STUB, names[kind]);
}
