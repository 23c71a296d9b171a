// SPDX-License-Identifier: Apache-2.0
// See jit.h. The walk over all methods is done by the thread that ends the VM, IN_VM without a poll: no class is
// unloaded and no code freed under it.
#include "jit/jit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "base/output.h"
#include "class/loader.h"
#include "java/shutdown.h"
#include "jit/ir.h"
#include "options/options.h"

typedef struct Tally {
    uint64_t built, bytes, nodes, nanos;
    uint64_t refused[REFUSED_COUNT];
} Tally;

typedef VEC(Class *) Classes;

// ---- checking ----

static void check(Graph *g, const Method *m, const char *pass)
{
    StrBuf wrong = {0};
    if (ir_verify(g, &wrong))
        return;
    StrBuf text = {0};
    ir_print(g, &text);
    fprintf(vm_stderr(), "%s\n", text.s);
    vm_fatal("%s.%s%s: wrong after %s: %s", m->cls->name->s, m->name->s, m->desc->s, pass,
             wrong.s);
}

static const struct {
    const char *name;
    void (*run)(Graph *g);
} passes[] = {{"gvn", ir_gvn}, {"dce", ir_dce}, {"layout", ir_layout}};

static void print(const Graph *g, const Method *m)
{
    StrBuf name = {0}, text = {0};
    sb_printf(&name, "%s.%s", m->cls->name->s, m->name->s);
    if (vm_options.jit_print && strstr(name.s, vm_options.jit_print)) {
        ir_print(g, &text);
        fprintf(vm_stdout(), "%s%s\n%s\n", name.s, m->desc->s, text.s);
    }
    sb_free(&name);
    sb_free(&text);
}

// Builds, then runs the passes, the time of the checks between them not counted.
static void try_method(Method *m, const BuildOptions *options, Tally *tally)
{
    IrSource source = ir_source(m);
    Graph g;
    int64_t start = os_thread_cpu_nanos(pthread_self());
    ir_init(&g, &source);
    bool ok = ir_build(&g, options);
    tally->nanos += (uint64_t)(os_thread_cpu_nanos(pthread_self()) - start);
    tally->refused[g.refused]++;
    if (!ok)
        LOG(LOG_JIT, LOG_DEBUG, "%s.%s%s: refused: %s", m->cls->name->s, m->name->s, m->desc->s,
            ir_refusal_text(g.refused));
    if (ok) {
        check(&g, m, "build");
        for (size_t i = 0; i < ARRAY_LEN(passes); i++) {
            start = os_thread_cpu_nanos(pthread_self());
            passes[i].run(&g);
            tally->nanos += (uint64_t)(os_thread_cpu_nanos(pthread_self()) - start);
            check(&g, m, passes[i].name);
        }
        print(&g, m);
        tally->built++;
        tally->bytes += source.code.code_len;
        tally->nodes += g.nodes.len;
    }
    ir_free(&g);
}

static void collect(void *ctx, Class *c)
{
    vec_push((Classes *)ctx, c);
}

static void tell(const Tally *t, const char *how)
{
    LOG(LOG_JIT, LOG_INFO,
        "%s: %" PRIu64 " methods, %" PRIu64 " bytes, %" PRIu64 " nodes, %" PRIu64
        " bytes a ms of CPU",
        how, t->built, t->bytes, t->nodes, t->nanos ? t->bytes * 1000000 / t->nanos : 0);
    for (int r = REFUSED_NOT + 1; r < REFUSED_COUNT; r++)
        if (t->refused[r])
            LOG(LOG_JIT, LOG_INFO, "%s: %" PRIu64 " refused: %s", how, t->refused[r],
                ir_refusal_text((IrRefusal)r));
}

static void try_all(Thread *self)
{
    ASSERT_IN_VM(self);
    (void)self;
    static const BuildOptions ways[] = {{.link = false},
                                        {.link = true, .landings = true, .returns = true}};
    static const char *const names[] = {"as they ran", "linking"};
    Classes classes = {0};
    classes_each(collect, &classes);
    for (size_t way = 0; way < ARRAY_LEN(ways); way++) {
        Tally tally = {0};
        for (size_t i = 0; i < classes.len; i++) {
            if (classes.at[i]->kind != 'L')
                continue;
            METHOD_EACH (m, classes.at[i])
                if (method_has_code(m))
                    try_method(m, &ways[way], &tally);
        }
        tell(&tally, names[way]);
    }
    vec_free(&classes);
}

void jit_init(void)
{
    if (vm_options.jit_verify)
        shutdown_add(try_all);
    jit_evaluate_init();
}
