// SPDX-License-Identifier: Apache-2.0
// See compile.h.
#include "jit/compile.h"

#include <stdio.h>

#include "base/output.h"
#include "jit/generate.h"
#include "jit/graph_assumptions.h"
#include "jit/pipeline.h"
#include "options/options.h"
#include "redefine/class_version.h"

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

// BuildOptions.pause. Whoever stops the world does not wait for the whole graph; where a class was redefined meanwhile, the graph may be of
// another body than the method has.
static bool let_world_stop(void *thread, Graph *g)
{
    Thread *self = thread;
    if (!thread_poll_wanted(self))
        return true;
    uint64_t retired = versions_retired();
    graph_keep(self, g);
    thread_poll(self);
    return versions_retired() == retired;
}

// The rest, of a graph that was built.
static const CompiledCode *finish(Graph *g, JitResult *result)
{
    jit_improve_graph(g, vm_options.jit_verify, &result->nanos);
    graph_assumptions(g, &result->made_for);
    return generate(g->source->method, g, result);
}

// The same in a safe state.
static const CompiledCode *finish_aside(Thread *self, Graph *g, JitResult *result)
{
    graph_keep(self, g);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    const CompiledCode *code = finish(g, result);
    thread_enter_vm(self);
    return code;
}

static const CompiledCode *compile(Thread *self, Method *m, const JitRequest *request,
                                   const BuildOptions *options)
{
    JitResult *result = request->result;
    IrSource source = ir_source(m);
    Graph g;
    ir_init(&g, &source);
    g.view = request->view;
    result->made_for.len = 0;
    const CompiledCode *code = NULL;
    if (jit_build_graph(&g, options, vm_options.jit_verify, &result->nanos)) {
        graph_bodies(&g, &result->made_for);
        code = request->aside ? finish_aside(self, &g, result) : finish(&g, result);
    }
    if (!code)
        result->refused = result->no_room ? "no room for code" : ir_refusal_text(g.refused);
    result->changed = g.refused == REFUSED_CHANGED;
    ir_free(&g);
    return code;
}

const CompiledCode *jit_compile(Thread *self, Method *m, const JitRequest *request)
{
    ASSERT_IN_VM(self);
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
    options.pause = request->aside ? let_world_stop : NULL;
    options.pause_ctx = self;
    const CompiledCode *code = compile(self, m, request, &options);
    if (!code && !result->no_room && !result->changed
        && options.inlines) { // a method that it inlined may be what is too much
        options.inlines = false;
        code = compile(self, m, request, &options);
    }
    return code;
}
