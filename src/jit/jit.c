// SPDX-License-Identifier: Apache-2.0
// See jit.h. The walk over all methods is done by the thread that ends the VM, IN_VM without a poll: no class is
// unloaded and no code freed under it.
#include "jit/jit.h"

#include <inttypes.h>

#include "base/log.h"
#include "class/loader.h"
#include "interp/compiled_call.h"
#include "java/shutdown.h"
#include "jit/broker.h"
#include "jit/generate.h"
#include "jit/intrinsic_table.h"
#include "jit/pipeline.h"
#include "jit/runtime.h"
#include "jit/view.h"
#include "options/options.h"

typedef struct Tally {
    uint64_t built, bytes, nodes, nanos;
    uint64_t refused[REFUSED_COUNT];
} Tally;

typedef VEC(Class *) Classes;

// Makes its code twice: for the time, and to see that it is right.
static void try_code(Graph *g, Tally *tally)
{
    bool no_room;
    char *name = vm_asprintf("%s.%s%s", g->source->method->cls->name->s,
                             g->source->method->name->s, g->source->method->desc->s);
    int64_t start = os_thread_cpu_nanos(pthread_self());
    (void)!jit_generate(g, name, NULL, &(GenerateOptions){0}, &no_room);
    tally->nanos += (uint64_t)(os_thread_cpu_nanos(pthread_self()) - start);
    if (!g->refused)
        (void)!jit_generate(g, name, NULL, &(GenerateOptions){.verify = true}, &no_room);
    vm_free(name);
}

static void try_method(Method *m, const BuildOptions *options, Tally *tally)
{
    IrSource source = ir_source(m);
    Graph g;
    ir_init(&g, &source);
    bool ok = jit_make_graph(&g, options, true, &tally->nanos);
    if (ok && compiled_calls_possible())
        try_code(&g, tally);
    tally->refused[g.refused]++;
    if (ok && !g.refused) {
        tally->built++;
        tally->bytes += source.code.code_len;
        tally->nodes += g.nodes.len;
    } else {
        LOG(LOG_JIT, LOG_DEBUG, "%s.%s%s: refused: %s", m->cls->name->s, m->name->s, m->desc->s,
            ir_refusal_text(g.refused));
    }
    ir_free(&g);
}

static void collect(void *ctx, Class *c)
{
    vec_push((Classes *)ctx, c);
}

static void log_tally(const Tally *t, const char *how)
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
    const BuildOptions options[] = {
        {.landings = true,
         .enters = true,
         .intrinsics = true,
         .inlines = vm_options.jit_inline,
         .inlines_all = vm_options.jit_inline_all},
        {.link = true, .landings = true, .intrinsics = true, .returns = true}};
    static const char *const names[] = {"as they ran", "linking"};
    Classes classes = {0};
    classes_each(collect, &classes);
    for (size_t how = 0; how < ARRAY_LEN(options); how++) {
        Tally tally = {0};
        for (size_t i = 0; i < classes.len; i++) {
            if (classes.at[i]->kind != 'L')
                continue;
            METHOD_EACH (m, classes.at[i])
                if (method_has_code(m))
                    try_method(m, &options[how], &tally);
        }
        log_tally(&tally, names[how]);
    }
    vec_free(&classes);
}

void jit_init(void)
{
    if (vm_options.jit_verify)
        shutdown_add(try_all);
    jit_evaluate_init();
    intrinsics_init();
    runtime_init();
    view_init();
    broker_init();
}

void jit_start(Thread *self)
{
    broker_start(self);
}

void jit_collected(void)
{
    broker_collected();
}
