// SPDX-License-Identifier: Apache-2.0
// See generate.h.
#include "jit/generate.h"

#include <stdio.h>

#include "base/output.h"
#include "interp/compiled_call.h"
#include "jit/runtime.h"
#include "jit/view.h"
#include "jit/x86_64_emit.h"

static const CompiledCode *install(const Emitter *e, const char *name)
{
    const Notes *t = &e->notes;
    const CompiledCode made = {.method = e->g->source->method,
                               .osr_bci = e->g->osr_bci,
                               .posts_calls = e->g->posts_calls,
                               .frame_size = e->frame_size,
                               .slot_words = (e->m->slot_count + 31) / 32,
                               .site_count = (uint32_t)t->sites.len,
                               .state_count = (uint32_t)t->states.len,
                               .value_count = (uint32_t)t->values.len,
                               .scope_count = (uint32_t)t->scopes.len,
                               .constant_count = (uint32_t)t->constants.len,
                               .position_count = (uint32_t)t->positions.len,
                               .root_count = (uint32_t)t->root_words.len,
                               .sites = t->sites.at,
                               .states = t->states.at,
                               .values = t->values.at,
                               .scopes = t->scopes.at,
                               .constants = t->constants.at,
                               .positions = t->positions.at,
                               .landing_count = (uint32_t)t->landings.len,
                               .root_words = t->root_words.at,
                               .landings = t->landings.at,
                               .guards = t->guards.at,
                               .guard_count = (uint32_t)t->guards.len,
                               .osr_locks = e->g->osr_locks.at,
                               .osr_lock_count = (uint32_t)e->g->osr_locks.len,
                               .caches = (void *const *)e->caches.at,
                               .cache_count = (uint32_t)e->caches.len};
    return compiled_install(&made, asm_code(&e->a), asm_size(&e->a), name);
}

static void free_emitter(Emitter *e)
{
    Notes *t = &e->notes;
    vec_free(&t->sites);
    vec_free(&t->states);
    vec_free(&t->values);
    vec_free(&t->scopes);
    vec_free(&t->sources);
    vec_free(&t->constants);
    vec_free(&t->positions);
    vec_free(&t->root_words);
    vec_free(&t->landings);
    vec_free(&t->guards);
    vec_free(&e->cold);
    vec_free(&e->faults);
    vec_free(&e->caches);
    asm_free(&e->a);
}

static void check(Emitter *e, const char *name)
{
    StrBuf wrong = {0};
    if (allocation_verify(e, &wrong))
        return;
    StrBuf text = {0};
    ir_print(e->g, &text);
    fprintf(vm_stderr(), "%s\n", text.s);
    vm_fatal("%s: wrong registers: %s", name, wrong.s);
}

// To who looks: what was emitted, up to the addresses behind it.
static void show(const Emitter *e)
{
    static const char *const kinds[] = {"call", "runtime", "select", "deopt"};
    size_t end = (size_t)asm_label_at(&e->a, e->entry_address);
    StrBuf text = {0};
    for (size_t i = 0; i < e->a.records.len; i++, text.len = 0) {
        size_t at = x86_listed_at(&e->a, i);
        size_t next = i + 1 < e->a.records.len ? x86_listed_at(&e->a, i + 1) : end;
        x86_print_one(&e->a, i, 0, &text);
        view_instruction(e->g->view, at, asm_code(&e->a) + at, next - at, text.s);
    }
    const Notes *t = &e->notes;
    for (size_t i = 0; i < t->sites.len; i++) {
        const CodeSite *s = &t->sites.at[i];
        uint32_t bci = s->state == CODE_NO_STATE ? 0 : t->states.at[s->state].bci;
        bool deopt = s->kind == SITE_DEOPT;
        view_site(e->g->view, s->offset, kinds[s->kind], bci,
                  deopt ? ir_deopt_text((DeoptReason)s->reason) : "", s->registers,
                  t->root_words.at + s->roots, deopt ? 0 : e->m->slot_count);
    }
    view_sizes(e->g->view, e->frame_size, asm_size(&e->a));
    sb_free(&text);
}

static const CompiledCode *emit(Machine *m, const char *name, StrBuf *listing,
                                const GenerateOptions *options, bool *no_room)
{
    const JavaShape *shape = method_java_shape(m->g->source->method);
    if (!shape) {
        *no_room = true;
        return NULL;
    }
    Emitter e = {.m = m,
                 .g = m->g,
                 .deopt_stub = java_stub(JAVA_STUB_DEOPT),
                 .throw_stub = java_stub(JAVA_STUB_THROW),
                 .athrow_stub = java_stub(JAVA_STUB_ATHROW),
                 .poll_stub = java_stub(JAVA_STUB_POLL),
                 .entry_stub = shape->interpret};
    asm_init(&e.a);
    e.a.keeps_listing = listing || m->g->view;
    emit_begin(&e);
    if (options->verify)
        check(&e, name);
    emit_graph(&e);
    if (e.refused)
        m->g->refused = e.refused;
    *no_room = e.refused == REFUSED_ROOM;
    const CompiledCode *code = NULL;
    AsmError error = asm_finish(&e.a);
    if (error == ASM_OK && !e.refused) {
        if (listing)
            x86_print(&e.a, 0, listing);
        if (m->g->view)
            show(&e);
        code = options->installs ? install(&e, name) : NULL;
        *no_room = !code && options->installs;
    }
    VM_ASSERT(error == ASM_OK || error == ASM_NO_MEMORY || e.refused);
    if (error != ASM_OK && !e.refused)
        m->g->refused = REFUSED_MEMORY;
    for (size_t i = 0; i < e.caches.len; i++)
        if (code)
            interface_cache_keep(e.caches.at[i]);
        else
            vm_free(e.caches.at[i]);
    free_emitter(&e);
    return code;
}

const CompiledCode *jit_generate(Graph *g, const char *name, StrBuf *listing,
                                 const GenerateOptions *options, bool *no_room)
{
    Machine m;
    const CompiledCode *code = NULL;
    machine_init(&m, g);
    machine_find_live(&m);
    ir_between(g);
    if (!m.failed)
        machine_build_intervals(&m);
    bool allocated = !m.failed && machine_allocate(&m);
    if (allocated)
        view_machine(g->view, &m);
    if (allocated)
        code = emit(&m, name, listing, options, no_room);
    else
        g->refused = REFUSED_REGISTERS;
    machine_free(&m);
    return code;
}
