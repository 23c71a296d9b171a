// SPDX-License-Identifier: Apache-2.0
// See deopt_counts.h. Counts stand beside the code, one a site; of threads that are deoptimized at once one may be lost.
#include "jit/deopt_counts.h"

#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "interp/profile.h"
#include "jit/ir.h"

// How many deoptimizations are enough, where another code would have none: at one instruction, at all instructions. 0: of this reason none are.
static const struct {
    uint8_t at_one, at_all;
} enough[DEOPT_COUNT] = {
    [DEOPT_UNRESOLVED] = {4, 12},
    [DEOPT_CHECK] = {4, 12},
    [DEOPT_CLASS] = {4, 12},
    [DEOPT_MONITOR] = {4, 12},
};

static DeoptReason reason_of(const CodeSite *site)
{
    return site->kind == SITE_DEOPT ? (DeoptReason)site->reason : DEOPT_MONITOR;
}

// How often frames were deoptimized at the site; it ends at UINT8_MAX.
static _Atomic uint8_t *count_of(const CompiledCode *code, const CodeSite *site)
{
    return &code->deopts[site - code->sites];
}

static uint32_t deopts_at(const CompiledCode *code, const CodeSite *site)
{
    return atomic_load_explicit(count_of(code, site), memory_order_relaxed);
}

// Whether the instruction of the site has been resolved since: some never are (no class of that name, only null is cast).
static bool is_resolved(const CompiledCode *code, const CodeSite *site)
{
    const CodeState *s = &code->states[site->state];
    const Method *m = code->scopes[s->scope].method;
    const Insn *insn = method_insn_at(m, s->bci);
    VM_ASSERT(insn);
    if (insn->op == BC_multianewarray) // has no other form
        return resolved_class(m->pool, (uint16_t)insn->a);
    return profile_plain(breakpoint_original(insn)) != method_bytecodes(m)[s->bci];
}

static bool has_handler(const Method *m, uint32_t bci)
{
    CodeInfo info = method_code(m);
    for (uint32_t i = 0; i < info.exception_count; i++) {
        ExceptionEntry e = code_exception(&info, i);
        if (bci >= e.start_pc && bci < e.end_pc)
            return true;
    }
    return false;
}

// Whether the exception that has come out of a state's instruction, and will again, comes to a handler of the code's methods: then another
// code throws it itself, as build_throw.c says, or calls the method that it leaves with a monitor (build_inline.c).
static bool is_caught(const CompiledCode *code, uint32_t state)
{
    bool asks = true;
    while (state != CODE_NO_STATE) {
        const CodeState *s = &code->states[state];
        const CodeScope *scope = &code->scopes[s->scope];
        if (asks && !profile_has_thrown(scope->method, s->bci))
            return false;
        if (has_handler(scope->method, s->bci))
            return true;
        asks = s->locks > 0; // of the call of the method that holds it
        state = scope->caller;
    }
    return false;
}

// Whether another code would not be deoptimized there.
static bool is_mended(const CompiledCode *code, const CodeSite *site)
{
    switch (reason_of(site)) {
    case DEOPT_CHECK:
    case DEOPT_MONITOR: return is_caught(code, site->state);
    case DEOPT_CLASS: return true; // note_class
    default: return is_resolved(code, site);
    }
}

// The profile, which counts no more, says that there are other classes.
static void note_class(const CompiledCode *code, const CodeSite *site)
{
    const CodeState *s = &code->states[site->state];
    const Method *m = code->scopes[s->scope].method;
    if (method_profile(m))
        profile_count_other(m, method_insn_at(m, s->bci));
}

static bool same_place(const CompiledCode *code, const CodeSite *a, const CodeSite *b)
{
    const CodeState *s = &code->states[a->state], *t = &code->states[b->state];
    return code->scopes[s->scope].method == code->scopes[t->scope].method && s->bci == t->bci;
}

bool deopts_are_many(const CompiledCode *code, const CodeSite *site, bool early)
{
    DeoptReason reason = reason_of(site);
    VM_ASSERT(site->state != CODE_NO_STATE && reason < DEOPT_COUNT);
    uint32_t one = enough[reason].at_one, all = enough[reason].at_all;
    if (!one || deopts_at(code, site) == UINT8_MAX)
        return false;
    if (reason == DEOPT_CLASS)
        note_class(code, site);
    _Atomic uint8_t *count = count_of(code, site);
    atomic_store_explicit(count, (uint8_t)(deopts_at(code, site) + 1), memory_order_relaxed);
    uint32_t here = 0, sum = 0;
    for (uint32_t i = 0; i < code->site_count; i++) {
        const CodeSite *s = &code->sites[i];
        if (!deopts_at(code, s) || reason_of(s) != reason || !is_mended(code, s))
            continue;
        sum += deopts_at(code, s);
        here += same_place(code, s, site) ? deopts_at(code, s) : 0;
    }
    return here >= (early ? one / 2 : one) || sum >= (early ? all / 2 : all);
}
