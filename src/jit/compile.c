// SPDX-License-Identifier: Apache-2.0
// See compile.h.
#include "jit/compile.h"

#include <stdio.h>

#include "base/output.h"
#include "jit/generate.h"
#include "jit/graph_assumptions.h"
#include "jit/pipeline.h"
#include "options/options.h"

static const CompiledCode *generate(const Method *m, Graph *g, JitResult *result)
{
    StrBuf name = {0}, listing = {0};
    sb_printf(&name, "%s.%s", m->cls->name->s, m->name->s);
    bool prints = vm_options.jit_print && strstr(name.s, vm_options.jit_print);
    sb_add(&name, m->desc->s);
    const GenerateOptions options = {.verify = vm_options.jit_verify, .installs = true};
    int64_t start = os_thread_cpu_nanos(pthread_self());
    const CompiledCode *code =
        jit_generate(g, name.s, prints ? &listing : NULL, &options, &result->no_room);
    result->nanos += (uint64_t)(os_thread_cpu_nanos(pthread_self()) - start);
    if (prints)
        fprintf(vm_stdout(), "%s\n%s\n", name.s, listing.s ? listing.s : "");
    sb_free(&name);
    sb_free(&listing);
    return code;
}

static const CompiledCode *compile(Method *m, const BuildOptions *options, JitResult *result)
{
    IrSource source = ir_source(m);
    Graph g;
    ir_init(&g, &source);
    result->made_for.len = 0;
    bool ok = jit_make_graph(&g, options, vm_options.jit_verify, &result->nanos);
    if (ok)
        graph_assumptions(&g, &result->made_for);
    const CompiledCode *code = ok ? generate(m, &g, result) : NULL;
    if (!code)
        result->refused = result->no_room ? "no room for code" : ir_refusal_text(g.refused);
    ir_free(&g);
    return code;
}

const CompiledCode *jit_compile(Thread *self, Method *m, const JitRequest *request)
{
    ASSERT_IN_VM(self);
    (void)self;
    JitResult *result = request->result;
    if (m->flags
        & METHOD_OBJECT_INIT) { // compiled code does not call it, but for objects to be registered
        result->refused = "Object.<init>";
        return NULL;
    }
    MethodEntry entry = method_entry_kind(m);
    if (entry != ENTRY_JAVA && entry != ENTRY_JAVA_COUNTED && entry != ENTRY_COMPILED) {
        result->refused = "calls of it do not run its bytecodes";
        return NULL;
    }
    BuildOptions options = request->options;
    options.enters_loop = request->osr_bci != JIT_NO_OSR;
    options.loop_bci = (uint32_t)request->osr_bci;
    const CompiledCode *code = compile(m, &options, result);
    if (!code && !result->no_room
        && options.inlines) { // a method that it inlined may be what is too much
        options.inlines = false;
        code = compile(m, &options, result);
    }
    return code;
}
