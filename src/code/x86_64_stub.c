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
