// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry: any bytes through the class file parser, with and without format checking,
// and what it accepts through the verifier, the instruction decoder and abstract interpretation.
//   clang -fsanitize=fuzzer,address,undefined -I. -Isrc fuzz/classfile_fuzz.c src/base/*.c src/classfile/*.c src/classfile/generated/*.c
//     src/verify/*.c
#include "classfile/flow.h"
#include "verify/verify.h"

#include <stdlib.h>

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

static void walk_code(const ClassFile *cf, const CodeInfo *code)
{
    uint32_t length, count;
    for (uint32_t bci = 0; bci < code->code_len; bci += length) {
        length = bytecode_length(code->code, code->code_len, bci);
        (void)code_line(cf, code, bci);
        if (length == 0)
            break;
    }
    for (uint32_t i = 0; i < code->exception_count; i++)
        (void)code_exception(code, i);
    free(code_lines(cf, code, &count));
    free(code_locals(cf, code, &count));
}

static void push(FlowWord *at, const Instruction *in, char kind)
{
    for (uint32_t i = 0; i < kind_words(kind); i++)
        at[i] = in->bci;
}

static void store(FlowWord *locals, const Instruction *in, FlowWord value)
{
    for (uint32_t i = 0; i < kind_words(in->info->local.kind); i++)
        locals[in->local + i] = value;
}

static void count_edge(void *ctx, FlowEdge kind, uint32_t to)
{
    (void)kind;
    *(uint32_t *)ctx += to;
}

static void interpret(const ClassFile *cf, const CodeInfo *code)
{
    static const FlowLattice lattice = {
        .push = push, .store = store, .caught = 1 << 20, .mixed = 1 << 20};
    Flow f;
    uint32_t edges = 0;
    if (flow_init(&f, cf, code, &lattice)) {
        (void)!flow_solve(&f);
        for (uint32_t i = 0; i < f.graph.block_count; i++) {
            (void)!flow_graph_edges(&f.graph, i, count_edge, &edges);
            for (const FlowState *s = f.entry[i]; s; s = s->next)
                (void)!flow_step_to(&f, s, f.graph.starts[i + 1] - 1u);
        }
    }
    flow_free(&f);
}

static void walk_method(const ClassFile *cf, const MethodInfo *m)
{
    uint16_t exceptions;
    uint8_t parameters;
    const uint8_t *p = method_exceptions(cf, m, &exceptions);
    for (uint16_t i = 0; i < exceptions; i++)
        (void)cf_class_name(cf, get_u2(p + 2 * i));
    (void)method_parameters(cf, m, &parameters);
    for (uint8_t i = 0; i < parameters; i++)
        (void)method_parameter(cf, m, i);
    (void)member_annotations(cf, &m->attrs);
    if (m->code != NULL) {
        CodeInfo code = code_info(m->code);
        walk_code(cf, &code);
        interpret(cf, &code);
    }
}

static void try_class(const uint8_t *data, size_t size, bool check)
{
    ClassFileError error;
    ClassFileOptions options = {.check_format = check, .allow_preview = true};
    ClassFile *cf = classfile_parse(data, size, &options, &error);
    if (cf == NULL)
        return;
    for (uint32_t i = 0; i < cf->method_count; i++)
        walk_method(cf, &cf->methods[i]);
    for (uint32_t i = 1; i < cf->cp_count; i++)
        (void)cf_entry(cf, (uint16_t)i);
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
