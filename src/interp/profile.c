// SPDX-License-Identifier: Apache-2.0
// See profile.h. The list of profiles is guarded by profiles_lock, or the world is stopped.
#include "interp/profile.h"

#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "java/engine.h"

// Backward branches from one credit to the next: LOOPS_LEAST and a pseudo-random number of more, so that
// the turns of an inner loop are not always charged where the outer one stands.
enum { LOOPS_LEAST = 512, LOOPS_SPREAD = 2 }; // the latter in multiples of the former

static uint32_t threshold = PROFILE_WARM;
static bool wanted; // else nothing is counted
static struct {
    ProfileHeavy *heavy; // NULL: there is none
    uint32_t weight, turns, again;
} compiler;
static Mutex profiles_lock = MUTEX_INIT(RANK_CODE);
static MethodProfile *profiles;
static _Atomic size_t bytes;

static const struct {
    uint16_t plain, profiling;
} forms[] = {
#define FORM(plain, profiling) {plain, OP_##profiling},
#include "spec/profiled_ops.def"
#undef FORM
};

void profile_init(uint32_t weight, bool wanted_now)
{
    VM_ASSERT(weight >= 1 && weight <= PROFILE_WARM);
    threshold = weight;
    wanted = wanted_now;
}

void profile_set_compiler(ProfileHeavy *heavy, uint32_t weight, uint32_t turns, uint32_t again)
{
    VM_ASSERT(!compiler.heavy && weight >= 1 && again >= 1);
    compiler.heavy = heavy;
    compiler.weight = weight;
    compiler.turns = turns;
    compiler.again = again;
    wanted = true;
}

// The weight from which anybody wants to know of a method.
static uint32_t least_weight(void)
{
    return compiler.heavy ? MIN_OF(threshold, compiler.weight) : threshold;
}

void profile_init_head(CodeHead *head)
{
    uint32_t first = wanted ? least_weight() : 0;
    atomic_store_explicit(&head->calls_left, first, memory_order_relaxed);
    atomic_store_explicit(&head->calls_granted, first, memory_order_relaxed);
}

// ---- forms ----
uint16_t profile_form(const Method *m, uint16_t plain)
{
    MethodProfile *p = method_profile(m);
    if (!p || !atomic_load_explicit(&p->on, memory_order_relaxed))
        return plain;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        if (forms[i].plain == plain)
            return forms[i].profiling;
    return plain;
}

uint16_t profile_plain(uint16_t op)
{
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        if (forms[i].profiling == op)
            return forms[i].plain;
    return op;
}

// ---- profiles ----
static bool has_site(uint8_t bytecode)
{
    switch (bytecode) {
    case BC_invokevirtual:
    case BC_invokeinterface:
    case BC_checkcast:
    case BC_instanceof:
    case BC_aastore: return true;
    default: return false;
    }
}

static bool insn_has_site(const Method *m, const Insn *pc)
{
    return has_site(method_bytecodes(m)[pc->bci]);
}

static uint32_t count_sites(const Method *m, const Insn *code)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->insn_count; i++)
        n += insn_has_site(m, &code[i]);
    return n;
}

static size_t bit_bytes(uint32_t bits)
{
    return (bits + 7u) / 8u;
}

static size_t size_of(uint32_t insns, uint32_t sites, uint32_t handlers)
{
    return sizeof(MethodProfile) + sites * sizeof(TypeSite) + insns * sizeof(uint16_t)
           + bit_bytes(insns) + bit_bytes(handlers);
}

// One block: the sites, the index, the bits.
static MethodProfile *profile_new(const Method *m)
{
    const Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    uint32_t insns = m->insn_count, sites = count_sites(m, code);
    uint32_t handlers = method_code(m).exception_count;
    MethodProfile *p = vm_calloc(1, size_of(insns, sites, handlers));
    p->insn_count = insns;
    p->site_count = sites;
    p->handler_count = handlers;
    p->site_of = (uint16_t *)(void *)&p->sites[sites];
    p->thrown = (_Atomic uint8_t *)(void *)&p->site_of[insns];
    p->caught = p->thrown + bit_bytes(insns);
    uint16_t site = 0;
    for (uint32_t i = 0; i < insns; i++)
        p->site_of[i] = insn_has_site(m, &code[i]) ? site++ : PROFILE_NO_SITE;
    return p;
}

// profiles_lock is held.
static void list_add(MethodProfile *p)
{
    ASSERT_HELD(&profiles_lock);
    p->next = profiles;
    if (profiles)
        profiles->prev = p;
    profiles = p;
}

// profiles_lock is held.
static void list_remove(MethodProfile *p)
{
    ASSERT_HELD(&profiles_lock);
    if (p->next)
        p->next->prev = p->prev;
    if (p->prev)
        p->prev->next = p->next;
    else
        profiles = p->next;
}

static size_t bytes_of(const MethodProfile *p)
{
    return size_of(p->insn_count, p->site_count, p->handler_count);
}

static Insn *code_of(const Method *m)
{
    return atomic_load_explicit(&m->code, memory_order_acquire);
}

HotLoop *profile_hot_loop(const MethodProfile *p, int32_t bci)
{
    HotLoop *l = atomic_load_explicit(&p->hot_loops, memory_order_acquire); // hot_loop_or_new
    while (l && l->bci != bci)
        l = l->next;
    return l;
}

static HotLoop *hot_loop_or_new(MethodProfile *p, int32_t bci)
{
    mutex_lock(&profiles_lock);
    HotLoop *l = profile_hot_loop(p, bci);
    if (!l) {
        l = vm_calloc(1, sizeof *l);
        l->bci = bci;
        l->next = atomic_load_explicit(&p->hot_loops, memory_order_relaxed);
        atomic_store_explicit(&p->hot_loops, l, memory_order_release);
    }
    mutex_unlock(&profiles_lock);
    return l;
}

static void free_loops(MethodProfile *p)
{
    for (HotLoop *l = atomic_load(&p->hot_loops), *next; l; l = next) {
        next = l->next;
        vm_free(l);
    }
}

static MethodProfile *profile_or_new(const Method *m)
{
    VM_ASSERT(method_has_code(m) && code_of(m));
    mutex_lock(&profiles_lock);
    MethodProfile *p = method_profile(m);
    if (!p) {
        p = profile_new(m);
        list_add(p);
        atomic_fetch_add_explicit(&bytes, bytes_of(p), memory_order_relaxed);
        atomic_store_explicit(&code_head(code_of(m))->profile, p, memory_order_release);
    }
    mutex_unlock(&profiles_lock);
    return p;
}

void profile_on(Method *m)
{
    MethodProfile *p = profile_or_new(m);
    atomic_store_explicit(&p->ripe, profile_weight(m) + PROFILE_RIPE, memory_order_relaxed);
    breakpoints_set_profiling(m, &p->on, true);
}

void profile_off(Method *m)
{
    MethodProfile *p = method_profile(m);
    if (p)
        breakpoints_set_profiling(m, &p->on, false);
}

void profile_free(const Method *m)
{
    ASSERT_WORLD_STOPPED();
    MethodProfile *p = method_profile(m);
    if (!p)
        return;
    atomic_store_explicit(&code_head(code_of(m))->profile, NULL, memory_order_relaxed);
    mutex_lock(&profiles_lock);
    list_remove(p);
    mutex_unlock(&profiles_lock);
    atomic_fetch_sub_explicit(&bytes, bytes_of(p), memory_order_relaxed);
    free_loops(p);
    vm_free(p);
}

static void forget_dead(TypeSite *site)
{
    for (int i = 0; i < PROFILE_CLASSES; i++) {
        const Class *c = atomic_load_explicit(&site->classes[i], memory_order_relaxed);
        if (!c || !class_loader_data(c)->dead)
            continue;
        atomic_store_explicit(&site->classes[i], NULL, memory_order_relaxed);
        atomic_store_explicit(&site->counts[i], 0, memory_order_relaxed);
    }
}

void profiles_forget_dead(void)
{
    ASSERT_WORLD_STOPPED();
    for (MethodProfile *p = profiles; p; p = p->next)
        for (uint32_t i = 0; i < p->site_count; i++)
            forget_dead(&p->sites[i]);
}

size_t profile_bytes(void)
{
    return atomic_load_explicit(&bytes, memory_order_relaxed);
}

// ---- reading ----
uint32_t profile_call_count(const Method *m)
{
    Insn *code = code_of(m);
    if (!code)
        return 0;
    const CodeHead *head = code_head(code);
    return atomic_load_explicit(&head->calls_granted, memory_order_relaxed)
           - atomic_load_explicit(&head->calls_left, memory_order_relaxed);
}

uint32_t profile_weight(const Method *m)
{
    const MethodProfile *p = method_profile(m);
    uint32_t loops = p ? atomic_load_explicit(&p->loops, memory_order_relaxed) : 0;
    uint32_t calls = profile_call_count(m);
    return loops < UINT32_MAX - calls ? calls + loops : UINT32_MAX;
}

const TypeSite *profile_site(const Method *m, const Insn *pc)
{
    const MethodProfile *p = method_profile(m);
    const Insn *code = code_of(m);
    VM_ASSERT(p && pc >= code && pc < code + p->insn_count);
    uint16_t site = p->site_of[pc - code];
    return site != PROFILE_NO_SITE ? &p->sites[site] : NULL;
}

void profile_count_other(const Method *m, const Insn *pc)
{
    TypeSite *site = (TypeSite *)(uintptr_t)profile_site(m, pc);
    if (site)
        profile_bump(&site->others);
}

uint32_t profile_taken(const Insn *pc)
{
    return (uint32_t)__atomic_load_n(&pc->b, __ATOMIC_RELAXED);
}

uint32_t profile_not_taken(const Insn *pc)
{
    return (uint32_t)__atomic_load_n(&pc->c, __ATOMIC_RELAXED);
}

// ---- counting ----
static void report_to_compiler(Thread *self, Method *m, int32_t loop)
{
    uint32_t weight = profile_weight(m);
    if (LIKELY(!compiler.heavy) || weight < compiler.weight)
        return;
    MethodProfile *p = profile_or_new(m);
    const _Atomic uint32_t *from = loop == PROFILE_CALLS_ALONE
                                       ? &p->reported_from
                                       : &hot_loop_or_new(p, loop)->reported_from;
    if (weight >= atomic_load_explicit(from, memory_order_relaxed))
        compiler.heavy(self, m, p, weight, loop);
}

// m has become heavier.
static void weigh(Thread *self, Method *m)
{
    const MethodProfile *p = method_profile(m);
    uint32_t weight = profile_weight(m);
    uint32_t ripe = p ? atomic_load_explicit(&p->ripe, memory_order_relaxed) : 0;
    if (!ripe && weight >= threshold)
        profile_on(m);
    else if (ripe && atomic_load_explicit(&p->on, memory_order_relaxed) && weight >= ripe)
        profile_off(m);
    report_to_compiler(self, m, PROFILE_CALLS_ALONE);
}

// How many calls of m are counted.
static uint32_t calls_max(const Method *m)
{
    if (!wanted)
        return 0;
    const MethodProfile *p = method_profile(m);
    bool waited =
        compiler.heavy && p
        && atomic_load_explicit(&p->reported_from, memory_order_relaxed) != PROFILE_NOT_AGAIN;
    return waited ? PROFILE_CALLS_WAITED : PROFILE_CALLS_MAX;
}

void profile_calls(Thread *self, Method *m)
{
    CodeHead *head = code_head(code_of(m));
    uint32_t granted = atomic_load_explicit(&head->calls_granted, memory_order_relaxed);
    atomic_store_explicit(&head->calls_left, 0, memory_order_relaxed);
    if (wanted)
        weigh(self, m);
    if (granted < calls_max(m)) {
        atomic_store_explicit(&head->calls_granted, granted + threshold, memory_order_relaxed);
        atomic_store_explicit(&head->calls_left, threshold, memory_order_relaxed);
    } else {
        (void)!method_change_entry(m, ENTRY_JAVA, ENTRY_JAVA_COUNTED);
    }
}

// Sets the weight from which m, or a loop of it, is reported again. By how much it is to grow until then.
static uint32_t report_later(const Method *m, _Atomic uint32_t *reported_from,
                             _Atomic uint8_t *in_vain, bool doubles)
{
    enum { DOUBLED_MOST = 12 };
    uint8_t times = doubles ? atomic_load_explicit(in_vain, memory_order_relaxed) : 0;
    if (doubles)
        atomic_store_explicit(in_vain, (uint8_t)MIN_OF(times + 1, DOUBLED_MOST),
                              memory_order_relaxed);
    uint64_t more = MIN_OF((uint64_t)compiler.again << times, (uint64_t)INT32_MAX);
    uint64_t from = MIN_OF(profile_weight(m) + more, (uint64_t)PROFILE_NOT_AGAIN - 1);
    atomic_store_explicit(reported_from, (uint32_t)from, memory_order_relaxed);
    return (uint32_t)more;
}

static uint32_t report_method_later(const Method *m, bool doubles)
{
    MethodProfile *p = method_profile(m);
    return report_later(m, &p->reported_from, &p->in_vain, doubles);
}

void profile_report_later(Method *m)
{
    (void)report_method_later(m, true);
}

void profile_report_loop_later(const Method *m, HotLoop *loop, bool doubles)
{
    (void)report_later(m, &loop->reported_from, &loop->in_vain, doubles);
}

// So many calls more are counted.
static void grant_calls(Method *m, uint32_t more)
{
    CodeHead *head = code_head(code_of(m));
    uint32_t calls = profile_call_count(m);
    if (calls >= PROFILE_CALLS_WAITED)
        return;
    atomic_store_explicit(&head->calls_granted, calls + more, memory_order_relaxed);
    atomic_store_explicit(&head->calls_left, more, memory_order_relaxed);
    (void)!method_change_entry(m, ENTRY_JAVA_COUNTED, ENTRY_JAVA);
}

void profile_report_again(Method *m, bool doubles)
{
    grant_calls(m, MIN_OF(report_method_later(m, doubles), threshold));
}

void profile_report_soon(Method *m)
{
    enum { CALLS = 50 };
    MethodProfile *p = method_profile(m);
    atomic_store_explicit(&p->reported_from, 1, memory_order_relaxed); // with the next grant
    grant_calls(m, MIN_OF((uint32_t)CALLS, compiler.again));
}

void profile_report_loop_soon(HotLoop *loop)
{
    atomic_store_explicit(&loop->reported_from, 1, memory_order_relaxed);
}

static uint32_t next_random(Thread *self)
{
    uint32_t x = self->loop_random ? self->loop_random : 0x9E3779B9u; // alike for each thread
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return self->loop_random = x;
}

// Adds, but not beyond what fits.
static void credit(_Atomic uint32_t *sum, uint32_t n)
{
    uint32_t old = atomic_load_explicit(sum, memory_order_relaxed);
    if (old + n >= old)
        atomic_store_explicit(sum, old + n, memory_order_relaxed);
}

// Counts for the activation that was charged last, or for another from now on.
static uint32_t credit_activation(Thread *self, uint64_t frame, uint32_t n)
{
    if (self->loop_frame != frame) {
        self->loop_frame = frame;
        self->loop_sum = 0;
    }
    return self->loop_sum += n;
}

static uint32_t next_budget(Thread *self)
{
    if (!wanted)
        return INT32_MAX;
    if (threshold < PROFILE_WARM)
        return threshold;
    uint32_t least = LOOPS_LEAST;
    if (compiler.heavy && compiler.turns < least)
        least = compiler.turns;
    return least + next_random(self) % (least * LOOPS_SPREAD);
}

// Backward branches that self took of its budget, which is used up when it is below zero; makes a new one.
static uint32_t take_loops(Thread *self)
{
    uint32_t taken = (uint32_t)(self->loop_grant - self->loop_budget);
    self->loop_budget = self->loop_grant = (int32_t)next_budget(self) - 1;
    return taken;
}

// One activation of m took `sum` backward branches, the last to `target`.
static void note_activation(Thread *self, Method *m, uint32_t sum, const Insn *target)
{
    MethodProfile *p = method_profile(m);
    if (sum > atomic_load_explicit(&p->longest, memory_order_relaxed))
        atomic_store_explicit(&p->longest, sum, memory_order_relaxed);
    if (UNLIKELY(compiler.heavy) && sum >= compiler.turns)
        report_to_compiler(self, m, target->bci);
}

bool profile_loops(Thread *self, const Insn *target)
{
    VM_ASSERT(self->frame && self->frame->method && self->loop_budget < 0);
    Method *m = (Method *)(uintptr_t)self->frame->method;
    uint32_t taken = take_loops(self);
    if (!wanted || (!method_profile(m) && taken + profile_call_count(m) < least_weight()))
        return false; // the latter: the first one of the thread, whose budget was empty
    if (!method_profile(m))
        profile_on(m);
    MethodProfile *p = method_profile(m);
    credit(&p->loops, taken);
    weigh(self, m);
    note_activation(self, m, credit_activation(self, self->frame->id, taken), target);
    return atomic_load_explicit(&p->hot_loops, memory_order_relaxed) != NULL;
}

void profile_other_class(TypeSite *site, Class *c)
{
    for (int i = 0; i < PROFILE_CLASSES; i++) {
        Class *seen = NULL;
        if (atomic_compare_exchange_strong_explicit(&site->classes[i], &seen, c,
                                                    memory_order_relaxed, memory_order_relaxed)
            || seen == c) {
            profile_bump(&site->counts[i]);
            return;
        }
    }
    profile_bump(&site->others);
}

static void set_bit(_Atomic uint8_t *bits, uint32_t i)
{
    if (!profile_has_bit(bits, i))
        atomic_fetch_or_explicit(&bits[i / 8], (uint8_t)(1u << i % 8), memory_order_relaxed);
}

void profile_throw(const Method *m, const Insn *pc)
{
    MethodProfile *p = method_profile(m);
    if (p)
        set_bit(p->thrown, (uint32_t)(pc - code_of(m)));
}

bool profile_has_thrown(const Method *m, uint32_t bci)
{
    const MethodProfile *p = method_profile(m);
    const Insn *pc = p ? method_insn_at(m, bci) : NULL;
    return pc && profile_has_bit(p->thrown, (uint32_t)(pc - code_of(m)));
}

void profile_catch(const Method *m, uint32_t entry)
{
    MethodProfile *p = method_profile(m);
    if (p)
        set_bit(p->caught, entry);
}
