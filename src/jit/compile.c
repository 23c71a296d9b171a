// SPDX-License-Identifier: Apache-2.0
// See compile.h.
#include "jit/compile.h"

#include <stdio.h>

#include "base/output.h"
#include "class/hierarchy_gate.h"
#include "interp/breakpoint.h"
#include "jit/generate.h"
#include "jit/graph_assumptions.h"
#include "jit/pipeline.h"
#include "options/options.h"
#include "redefine/class_version.h"

typedef struct Work {
    Thread *self;
    Method *method;
    const JitRequest *request;
    const BuildOptions *options;
    Assumptions made_for; // the result's, while they are the attempt's
    uint64_t *step_nanos; // CPU time of each step is added to it; NULL: the whole is measured
    const CompiledCode *code;
    IrRefusal refused;
    bool is_aside; // in finish_aside
} Work;

static int64_t cpu_nanos(void)
{
    return os_thread_cpu_nanos(pthread_self());
}

static const CompiledCode *generate(Work *w, Graph *g)
{
    const Method *m = g->source->method;
    StrBuf name = {0}, listing = {0};
    sb_add(&name, m->cls->name->s);
    sb_add(&name, ".");
    sb_add(&name, m->name->s);
    bool prints = vm_options.jit_print && strstr(name.s, vm_options.jit_print);
    sb_add(&name, m->desc->s);
    const GenerateOptions options = {.verify = vm_options.jit_verify, .installs = true};
    int64_t start = w->step_nanos ? cpu_nanos() : 0;
    const CompiledCode *code = jit_generate(g, name.s, prints ? &listing : NULL, &options,
                                            &w->request->result->no_room);
    if (w->step_nanos)
        *w->step_nanos += (uint64_t)(cpu_nanos() - start);
    if (prints)
        fprintf(vm_stdout(), "%s\n%s\n", name.s, listing.s ? listing.s : "");
    sb_free(&name);
    sb_free(&listing);
    return code;
}

// BuildOptions.pause. Whoever stops the world does not wait for the whole graph; where a class was redefined meanwhile, the graph may be of
// another body than the method has; where a breakpoint was set, it may have no node for that.
static bool let_world_stop(void *thread, Graph *g)
{
    Thread *self = thread;
    if (!thread_poll_wanted(self))
        return true;
    uint64_t retired = versions_retired(), set = breakpoints_set();
    graph_keep(self, g);
    thread_poll(self);
    return versions_retired() == retired && breakpoints_set() == set;
}

// Graph.between. A thread for which a stop waits may stand behind this one on its processor: the kernel may leave it there for milliseconds
// though another one is idle, and would give this one the processor again where it only yields.
static void give_way(void *thread)
{
    enum { GIVE_WAY_NANOS = 50000 };
    const Thread *self = thread;
    if ((atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_SAFEPOINT)
        && !world_is_stopped())
        os_sleep_nanos(GIVE_WAY_NANOS);
}

static void keep_assumptions(const Work *w)
{
    size_t count = w->made_for.len, size = count * sizeof *w->made_for.at;
    VM_ASSERT(count > 0); // the bodies
    Assumptions *kept = &w->request->result->made_for;
    *kept = (Assumptions){.at = attempt_result(size), .len = count, .cap = count};
    memcpy(kept->at, w->made_for.at, size);
}

// The rest, of a graph that was built.
static const CompiledCode *finish(Work *w, Graph *g)
{
    jit_improve_graph(g, vm_options.jit_verify, w->step_nanos);
    graph_assumptions(g, &w->made_for);
    keep_assumptions(w);
    return generate(w, g);
}

static void end_aside(Work *w)
{
    w->is_aside = false;
    hierarchy_end_reading();
    thread_enter_vm(w->self);
}

// finish in a safe state.
static const CompiledCode *finish_aside(Work *w, Graph *g)
{
    if (!hierarchy_begin_reading()) {
        g->refused = REFUSED_CHANGED;
        return NULL;
    }
    graph_keep(w->self, g);
    g->between = give_way;
    g->between_ctx = w->self;
    w->is_aside = true;
    thread_leave_vm(w->self, THREAD_IN_NATIVE);
    const CompiledCode *code = finish(w, g);
    end_aside(w);
    return code;
}

static uint64_t bytes_of_bytecodes(const Graph *g)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < g->scopes.len; i++)
        sum += g->scopes.at[i].source->code.code_len;
    return sum;
}

static void compile(void *ctx)
{
    Work *w = ctx;
    JitResult *result = w->request->result;
    IrSource source = ir_source(w->method);
    Graph g;
    ir_init(&g, &source);
    g.view = w->request->view;
    if (jit_build_graph(&g, w->options, vm_options.jit_verify, w->step_nanos)) {
        graph_bodies(&g, &w->made_for);
        result->bytes = bytes_of_bytecodes(&g);
        w->code = w->request->aside ? finish_aside(w, &g) : finish(w, &g);
    }
    w->refused = g.refused;
    vec_free(&w->made_for);
    ir_free(&g);
}

// Gives the compilation up where there is no memory for it, or a check of the compiler fails. Not while it is looked at: what is shown has
// memory of its own, and what is wrong ends the process; then the time is that of the steps, without the looking.
static const CompiledCode *try_to_compile(Work *w)
{
    JitResult *result = w->request->result;
    vec_free(&result->made_for);
    AttemptEnd end = ATTEMPT_DONE;
    if (w->request->view || vm_options.jit_verify) {
        w->step_nanos = &result->nanos;
        compile(w);
    } else {
        int64_t start = cpu_nanos();
        end = attempt_is_possible() ? attempt(compile, w) : ATTEMPT_NO_MEMORY;
        result->nanos += (uint64_t)(cpu_nanos() - start);
    }
    if (end != ATTEMPT_DONE) {
        if (w->is_aside)
            end_aside(w);
        w->made_for = result->made_for = (Assumptions){0}; // the attempt's
        w->code = NULL;
        w->refused = end == ATTEMPT_NO_MEMORY ? REFUSED_MEMORY : REFUSED_FAILED;
    }
    if (!w->code)
        result->refused = result->no_room ? "no room for code" : ir_refusal_text(w->refused);
    result->changed = w->refused == REFUSED_CHANGED;
    result->no_memory = w->refused == REFUSED_MEMORY;
    return w->code;
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
    Work work = {.self = self, .method = m, .request = request, .options = &options};
    const CompiledCode *code = try_to_compile(&work);
    if (!code && !result->no_room && !result->changed && !result->no_memory
        && options.inlines) { // a method that it inlined may be what is too much
        options.inlines = false;
        code = try_to_compile(&work);
    }
    return code;
}
