// SPDX-License-Identifier: Apache-2.0
// Stubs for native methods on x86-64, System V calling convention. See native_stub.h.
//
// Registers of a stub: rbx the Thread, r10 the locals, r11 the function; rax is 0 while arguments are passed. Its frame:
//
//     return address | rbp | rbx | the result, while something else is called | arguments on the stack   <- rsp
#include "code/native_stub.h"

#include "base/alloc.h"
#include "code/x86_64_stub.h"

enum {
    SAVED_RBX = -8, // from rbp
    SAVED_RESULT = -16,
    SLOT_BYTES = sizeof(Slot),
    MUST_WAIT = POLL_SAFEPOINT | POLL_SUSPEND,
};

static const X86Reg integer_registers[] = {RDI, RSI, RDX, RCX, R8, R9};
enum { FLOAT_REGISTERS = 8, IMPLICIT_ARGUMENTS = 2 };

// ---- arguments ----

typedef enum PlaceKind { IN_REGISTER, IN_XMM, ON_STACK } PlaceKind;

typedef struct Arguments { // a walk over those of a shape
    const char *next;
    unsigned integers, floats, on_stack, slot;
    // of the current one
    char kind;
    PlaceKind place;
    int32_t at;   // its number among its places
    int32_t from; // its offset from the locals
} Arguments;

static bool is_static(const char *shape)
{
    return shape[0] != '(';
}

static Arguments arguments_of(const char *shape)
{
    return (Arguments){.next = strchr(shape, '(') + 1,
                       .integers = IMPLICIT_ARGUMENTS,
                       .slot = is_static(shape) ? 0 : 1};
}

static bool next_argument(Arguments *w)
{
    if (*w->next == ')')
        return false;
    w->kind = *w->next++;
    bool is_float = w->kind == 'F' || w->kind == 'D';
    unsigned *count = is_float ? &w->floats : &w->integers;
    unsigned most = is_float ? FLOAT_REGISTERS : ARRAY_LEN(integer_registers);
    w->place = *count < most ? (is_float ? IN_XMM : IN_REGISTER) : ON_STACK;
    w->at = (int32_t)(w->place == ON_STACK ? w->on_stack++ : (*count)++);
    w->from = (int32_t)w->slot * SLOT_BYTES;
    w->slot += w->kind == 'J' || w->kind == 'D' ? 2 : 1;
    return true;
}

static void load_integer(Asm *a, X86Reg to, char kind, X86Mem from)
{
    switch (kind) {
    case 'Z': x86_movzx_r32_m8(a, to, from); break;
    case 'B': x86_movsx_r32_m8(a, to, from); break;
    case 'C': x86_movzx_r32_m16(a, to, from); break;
    case 'S': x86_movsx_r32_m16(a, to, from); break;
    case 'I':
    case 'F': x86_mov_r32_m32(a, to, from); break;
    case 'J':
    case 'D': x86_mov_r64_m64(a, to, from); break;
    default: // a handle to the slot, if there is something in it
        VM_ASSERT(kind == 'L');
        x86_lea_r64_m(a, to, from);
        x86_cmp_m64_i8(a, from, 0);
        x86_cmov_cc_r64_r64(a, X86_E, to, RAX);
    }
}

static void load_float(Asm *a, X86Xmm to, char kind, X86Mem from)
{
    if (kind == 'F')
        x86_movss_x_m32(a, to, from);
    else
        x86_movsd_x_m64(a, to, from);
}

// Those on the stack first: they go through r9, which is the last register of arguments.
static void pass_arguments(Asm *a, const char *shape)
{
    x86_xor_r32_r32(a, RAX, RAX);
    Arguments w = arguments_of(shape);
    while (next_argument(&w)) {
        if (w.place == ON_STACK) {
            load_integer(a, R9, w.kind, x86_mem(R10, w.from));
            x86_mov_m64_r64(a, x86_mem(RSP, w.at * SLOT_BYTES), R9);
        }
    }
    w = arguments_of(shape);
    while (next_argument(&w)) {
        if (w.place == IN_REGISTER)
            load_integer(a, integer_registers[w.at], w.kind, x86_mem(R10, w.from));
        else if (w.place == IN_XMM)
            load_float(a, (X86Xmm)w.at, w.kind, x86_mem(R10, w.from));
    }
}

static int32_t stack_bytes(const char *shape)
{
    Arguments w = arguments_of(shape);
    while (next_argument(&w)) {
    }
    return (int32_t)ALIGN_UP(w.on_stack * SLOT_BYTES, 16u);
}

// ---- states ----

static X86Mem of_thread(size_t offset)
{
    return x86_mem(RBX, (int32_t)offset);
}

static void leave_vm(Asm *a)
{
    x86_mov_m32_i32(a, of_thread(THREAD_OFFSET_state), THREAD_IN_NATIVE); // release
}

// As thread_return; leaves the result where it is. The branch is taken when the thread has to wait.
static void return_to_vm(Asm *a, AsmLabel wait)
{
    if (thread_plain_return == THREAD_IN_NATIVE) {
        x86_mov_m32_i32(a, of_thread(THREAD_OFFSET_state), THREAD_IN_VM);
    } else {
        x86_mov_r32_i32(a, RCX, THREAD_IN_VM);
        x86_xchg_m32_r32(a, of_thread(THREAD_OFFSET_state), RCX);
    }
    x86_test_m8_i8(a, of_thread(THREAD_OFFSET_poll), MUST_WAIT);
    x86_j_cc_l32(a, X86_NE, wait);
}

// Calls a function of the VM's, while the result of the method is kept.
static void call_aside(Asm *a, char result, void (*function)(Thread *self))
{
    X86Mem saved = x86_mem(RBP, SAVED_RESULT);
    bool is_float = result == 'F' || result == 'D';
    if (is_float)
        x86_movsd_m64_x(a, saved, XMM0);
    else
        x86_mov_m64_r64(a, saved, RAX);
    x86_mov_r64_r64(a, RDI, RBX);
    x86_movabs_r64_i64(a, RAX, (int64_t)(uintptr_t)function);
    x86_call_r64(a, RAX);
    if (is_float)
        x86_movsd_x_m64(a, XMM0, saved);
    else
        x86_mov_r64_m64(a, RAX, saved);
}

// ---- the result ----

// What the callee left in rax or xmm0, as a slot has it: its upper bits may be anything.
static void take_result(Asm *a, char kind)
{
    AsmLabel null = asm_label(a);
    switch (kind) {
    case 'V': x86_xor_r32_r32(a, RAX, RAX); break;
    case 'Z':
        x86_test_r8_r8(a, RAX, RAX);
        x86_set_cc_r8(a, X86_NE, RAX);
        x86_movzx_r32_r8(a, RAX, RAX);
        break;
    case 'B': x86_movsx_r64_r8(a, RAX, RAX); break;
    case 'C': x86_movzx_r32_r16(a, RAX, RAX); break;
    case 'S': x86_movsx_r64_r16(a, RAX, RAX); break;
    case 'I': x86_movsxd_r64_r32(a, RAX, RAX); break;
    case 'J': break;
    case 'F': x86_movd_r32_x(a, RAX, XMM0); break;
    case 'D': x86_movq_r64_x(a, RAX, XMM0); break;
    default: // a handle of any kind
        VM_ASSERT(kind == 'L');
        x86_test_r64_r64(a, RAX, RAX);
        x86_j_cc_l8(a, X86_E, null);
        x86_and_r64_i8(a, RAX, ~HANDLE_TAG);
        x86_mov_r64_m64(a, RAX, x86_mem(RAX, 0));
    }
    asm_bind(a, null);
}

// ---- all of it ----

static void enter(Asm *a, const char *shape)
{
    x86_push_r64(a, RBP);
    x86_mov_r64_r64(a, RBP, RSP);
    x86_push_r64(a, RBX);
    x86_sub_r64_i32(a, RSP, SLOT_BYTES + stack_bytes(shape));
    x86_mov_r64_r64(a, RBX, RDI);
    x86_mov_r64_r64(a, R10, RSI);
    x86_mov_r64_r64(a, R11, RDX);
    x86_lea_r64_m(a, RDI, of_thread(THREAD_OFFSET_jni));
    if (is_static(shape))
        x86_mov_r64_r64(
            a, RSI, RCX); // else the receiver's handle is the first slot, as rsi says already
}

static void emit(Asm *a, const char *shape, void (*returned)(Thread *self))
{
    AsmLabel wait = asm_label(a), back = asm_label(a);
    char result = strchr(shape, ')')[1];
    enter(a, shape);
    pass_arguments(a, shape);
    leave_vm(a);
    x86_call_r64(a, R11);
    if (returned)
        call_aside(a, result, returned);
    return_to_vm(a, wait);
    asm_bind(a, back);
    take_result(a, result);
    x86_mov_r64_m64(a, RBX, x86_mem(RBP, SAVED_RBX));
    x86_leave(a);
    x86_ret(a);
    asm_bind(a, wait);
    call_aside(a, result, thread_wait_to_enter);
    x86_jmp(a, back);
}

const CodeBlob *native_stub_make(const char *shape, void (*returned)(Thread *self))
{
    VM_ASSERT(shape && strchr(shape, '(') && strchr(shape, ')'));
    Asm a;
    x86_stub_begin(&a);
    emit(&a, shape, returned);
    char *name = vm_asprintf("native call %s", shape);
    const CodeBlob *blob = x86_stub_install(&a, CODE_NATIVE_STUB, name);
    vm_free(name);
    return blob;
}
