// SPDX-License-Identifier: Apache-2.0
// See x86_64_stub.h.
#include "code/x86_64_stub.h"

#include <stdio.h>

#include "base/output.h"
#include "options/options.h"

static void print(const Asm *a, const CodeBlob *blob)
{
    StrBuf text = {0};
    x86_print(a, (uintptr_t)blob->start, &text);
    fprintf(vm_stdout(), "%s [%p, %p] %u bytes\n%s\n", blob->name, (const void *)blob->start,
            (const void *)(blob->start + blob->size), blob->size, text.s);
    fflush(vm_stdout());
    sb_free(&text);
}

void x86_stub_begin(Asm *a)
{
    asm_init(a);
    a->keeps_listing = vm_options.print_stubs;
}

const CodeBlob *x86_stub_install(Asm *a, CodeKind kind, const char *name)
{
    VM_ASSERT(a->keeps_listing == vm_options.print_stubs && name);
    const CodeBlob *blob = NULL;
    if (asm_finish(a) == ASM_OK)
        blob = code_install(asm_code(a), asm_size(a), kind, name);
    if (blob && vm_options.print_stubs)
        print(a, blob);
    asm_free(a);
    return blob;
}

void x86_stub_frame(Asm *a, int32_t bytes)
{
    VM_ASSERT(bytes % 16 == 0);
    x86_push_r64(a, RBP);
    x86_mov_r64_r64(a, RBP, RSP);
    x86_sub_r64_i32(a, RSP, bytes);
}

void x86_stub_call(Asm *a, const void *fn)
{
    x86_movabs_r64_i64(a, RAX, (int64_t)(uintptr_t)fn);
    x86_call_r64(a, RAX);
}

void x86_stub_go(Asm *a)
{
    x86_mov_r64_m64(a, RCX, x86_mem(RSP, offsetof(JavaPlace, pc)));
    x86_mov_r64_m64(a, RSI, x86_mem(RSP, offsetof(JavaPlace, how)));
    x86_mov_r64_m64(a, RDX, x86_mem(RSP, offsetof(JavaPlace, result)));
    x86_mov_r64_m64(a, RBP, x86_mem(RSP, offsetof(JavaPlace, rbp)));
    x86_mov_r64_m64(a, RSP, x86_mem(RSP, offsetof(JavaPlace, rsp)));
    x86_jmp_r64(a, RCX);
}

void x86_stub_run(Asm *a, JavaRunFunction *fn)
{
    AsmLabel go = asm_label(a);
    x86_mov_r64_r64(a, RDI, R15);
    x86_mov_r64_r64(a, RCX, RBP);
    x86_mov_r64_r64(a, R8, RSP);
    x86_stub_call(a, (const void *)fn);
    x86_test_r8_r8(a, RAX, RAX);
    x86_j_cc_l8(a, X86_NE, go);
    x86_mov_r64_m64(a, RAX, x86_mem(RSP, offsetof(JavaPlace, result)));
    x86_movq_x_r64(a, XMM0, RAX);
    x86_leave(a);
    x86_ret(a);
    asm_bind(a, go);
    x86_stub_go(a);
}
