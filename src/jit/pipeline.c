// SPDX-License-Identifier: Apache-2.0
// See pipeline.h.
#include "jit/pipeline.h"

#include <stdio.h>

#include "base/output.h"
#include "class/class.h"
#include "jit/graph_assumptions.h"
#include "jit/view.h"
#include "options/compile_command.h"
#include "options/options.h"

// While somebody wants to know of allocations, all objects are made.
static void escape(Graph *g)
{
    if (vm_options.jit_escape && !graph_allocations_are_watched()) {
        ir_escape(g);
        ir_drop_unseen_locks(g);
    }
    ir_drop_escapes(g);
}

static void nest(Graph *g)
{
    if (vm_options.jit_unroll)
        ir_nest_loop(g);
}

static void peel(Graph *g)
{
    if (!vm_options.jit_unroll || !ir_peel(g))
        return;
    ir_gvn(g);
    ir_branches(g);
    ir_dce(g);
}

static void unroll(Graph *g)
{
    if (vm_options.jit_unroll)
        ir_unroll(g);
}

static const struct {
    const char *name;
    void (*run)(Graph *g);
} passes[] = {{"prune", ir_prune_escapes},
              {"jumps", ir_thread_jumps},
              {"choices", ir_choices},
              {"locks", ir_coarsen_locks},
              {"gvn", ir_gvn},
              {"branches", ir_branches},
              {"dce", ir_dce},
              {"nest", nest},
              {"peel", peel},
              {"escape", escape},
              {"unroll", unroll},
              {"layout", ir_layout}};

static void check(Graph *g, const char *pass)
{
    const Method *m = g->source->method;
    StrBuf wrong = {0};
    if (ir_verify(g, &wrong))
        return;
    StrBuf text = {0};
    ir_print(g, &text);
    fprintf(vm_stderr(), "%s\n", text.s);
    vm_fatal("%s.%s%s: wrong after %s: %s", m->cls->name->s, m->name->s, m->desc->s, pass,
             wrong.s);
}

// -XX:CompileCommand=print
static bool is_chosen_by_command(const Method *m)
{
    CompileSubject s = {m->cls->name->s, m->name->s, m->desc->s};
    const char *value = compile_command_value("print", &s);
    return value && strcmp(value, "true") == 0;
}

// -XX:JitPrint
static bool is_chosen_by_name(const Method *m)
{
    if (!vm_options.jit_print)
        return false;
    StrBuf name = {0};
    sb_printf(&name, "%s.%s", m->cls->name->s, m->name->s);
    bool chosen = strstr(name.s, vm_options.jit_print) != NULL;
    sb_free(&name);
    return chosen;
}

static void print(const Graph *g)
{
    const Method *m = g->source->method;
    if (!is_chosen_by_name(m) && !is_chosen_by_command(m))
        return;
    StrBuf text = {0};
    ir_print(g, &text);
    fprintf(vm_stdout(), "%s.%s%s\n%s\n", m->cls->name->s, m->name->s, m->desc->s, text.s);
    sb_free(&text);
}

static int64_t cpu_nanos(void)
{
    return os_thread_cpu_nanos(pthread_self());
}

// Adds to *nanos what passed since `start`; that, too. 0 where nobody asks.
static uint64_t add_since(uint64_t *nanos, int64_t start)
{
    uint64_t taken = nanos ? (uint64_t)(cpu_nanos() - start) : 0;
    if (nanos)
        *nanos += taken;
    return taken;
}

// The graph that a pass has made is shown and checked.
static void after(Graph *g, const char *pass, uint64_t taken, bool verify)
{
    view_pass(g->view, g, pass, taken);
    if (verify)
        check(g, pass);
}

bool jit_build_graph(Graph *g, const BuildOptions *options, bool verify, uint64_t *nanos)
{
    VM_ASSERT(g->source->method && g->nodes.len <= 1);
    view_restart(g->view, g);
    int64_t start = nanos ? cpu_nanos() : 0;
    bool ok = ir_build(g, options);
    uint64_t taken = add_since(nanos, start);
    if (ok)
        after(g, "build", taken, verify);
    return ok;
}

void jit_improve_graph(Graph *g, bool verify, uint64_t *nanos)
{
    VM_ASSERT(!g->refused && (nanos || !(g->view || verify)));
    int64_t start = nanos ? cpu_nanos() : 0;
    for (size_t i = 0; i < ARRAY_LEN(passes); i++) {
        passes[i].run(g);
        ir_between(g);
        if (!nanos)
            continue;
        uint64_t taken = add_since(nanos, start);
        after(g, passes[i].name, taken, verify);
        start = cpu_nanos(); // what looks is not counted
    }
    print(g);
}

bool jit_make_graph(Graph *g, const BuildOptions *options, bool verify, uint64_t *nanos)
{
    bool ok = jit_build_graph(g, options, verify, nanos);
    if (ok)
        jit_improve_graph(g, verify, nanos);
    return ok;
}
