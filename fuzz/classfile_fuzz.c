// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry: any bytes through the class file parser, with and without format checking,
// and what it accepts through the verifier and the instruction decoder.
//   clang -fsanitize=fuzzer,address,undefined -Isrc fuzz/classfile_fuzz.c src/base/*.c src/classfile/*.c src/verify/*.c
#include "classfile/bytecode.h"
#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_assignable(void *ctx, Bytes from, Bytes to)
{
    (void)ctx;
    return (from.len ^ to.len) & 1;
}

static int is_protected_elsewhere(void *ctx, Bytes cls, Bytes name, Bytes descriptor,
                                  bool is_method)
{
    (void)ctx;
    return (cls.len + name.len + descriptor.len + is_method) % 7 == 0;
}

static void walk_code(const CodeInfo *code)
{
    uint32_t length;
    for (uint32_t bci = 0; bci < code->code_len; bci += length) {
        length = bytecode_length(code->code, code->code_len, bci);
        (void)codeinfo_line(code, bci);
        if (length == 0)
            return;
    }
}

static void try_class(const uint8_t *data, size_t size, bool check)
{
    ClassFileError error;
    ClassFileOptions options = {.check_format = check, .allow_preview = true};
    ClassFile *cf = classfile_parse(data, size, &options, &error);
    if (cf == NULL)
        return;
    for (uint32_t i = 0; i < cf->method_count; i++) {
        if (cf->methods[i].code != NULL)
            walk_code(cf->methods[i].code);
    }
    VerifyContext cx = {.is_assignable = is_assignable,
                        .is_protected_elsewhere = is_protected_elsewhere};
    static char message[8192];
    if (cf->major >= 50)
        (void)verify_class(cf, "Fuzz", &cx, message, sizeof(message));
    classfile_free(cf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_class(data, size, true);
    try_class(data, size, false);
    return 0;
}
