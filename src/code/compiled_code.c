// SPDX-License-Identifier: Apache-2.0
// See compiled_code.h.
#include "code/compiled_code.h"

#include "arch/arch.h"
#include "base/alloc.h"
#include "code/java_stubs.h"
#include "heap/handle.h"

// ---- making ----

// The description is one block: the structure, and behind it the arrays.
typedef struct Description {
    char *start; // NULL: the size is asked for
    size_t size;
} Description;

static void *lay(Description *l, const void *from, size_t count, size_t size)
{
    char *to = l->start ? l->start + l->size : NULL;
    if (to && from && count > 0)
        memcpy(to, from, count * size);
    l->size += ALIGN_UP(count * size, sizeof(uint64_t));
    return to;
}

UNUSED static bool is_sorted(const CompiledCode *code)
{
    for (uint32_t i = 1; i < code->site_count; i++)
        if (code->sites[i - 1].offset >= code->sites[i].offset)
            return false;
    for (uint32_t i = 1; i < code->position_count; i++)
        if (code->positions[i - 1].offset >= code->positions[i].offset)
            return false;
    return true;
}

// Finds a site by its offset: at most half of the table is in use.
static uint32_t bits_of_site_table(const CompiledCode *made)
{
    uint32_t bits = 1;
    while (1u << bits < 2 * made->site_count)
        bits++;
    return bits;
}

// The table is zeroed.
static void fill_site_table(const CompiledCode *c, uint32_t *table)
{
    uint32_t mask = (1u << (32 - c->site_shift)) - 1;
    for (uint32_t i = 0; i < c->site_count; i++) {
        uint32_t h = compiled_site_hash(c, c->sites[i].offset);
        while (table[h])
            h = (h + 1) & mask;
        table[h] = i + 1;
    }
}

void compiled_free(const CompiledCode *c)
{
    if (c->blob)
        code_free(c->blob);
    vm_free((void *)(uintptr_t)c);
}

// In zeroed memory, or, without a start, only its size.
static CompiledCode *describe(Description *l, const CompiledCode *made)
{
    uint32_t bits = bits_of_site_table(made);
    CompiledCode d = *made, *c = lay(l, made, 1, sizeof *made);
    uint32_t *site_table = lay(l, NULL, (size_t)1 << bits, sizeof *site_table);
    d.site_shift = 32 - bits;
    d.site_table = site_table;
    d.sites = lay(l, made->sites, made->site_count, sizeof *made->sites);
    d.states = lay(l, made->states, made->state_count, sizeof *made->states);
    d.values = lay(l, made->values, made->value_count, sizeof *made->values);
    d.scopes = lay(l, made->scopes, made->scope_count, sizeof *made->scopes);
    d.constants = lay(l, made->constants, made->constant_count, sizeof *made->constants);
    d.positions = lay(l, made->positions, made->position_count, sizeof *made->positions);
    d.root_words = lay(l, made->root_words, made->root_count, sizeof *made->root_words);
    d.landings = lay(l, made->landings, made->landing_count, sizeof *made->landings);
    d.guards = lay(l, made->guards, made->guard_count, sizeof *made->guards);
    d.deopts = lay(l, NULL, made->site_count, sizeof *made->deopts);
    d.osr_locks = lay(l, made->osr_locks, made->osr_lock_count, sizeof *made->osr_locks);
    d.caches = lay(l, (const void *)made->caches, made->cache_count, sizeof *made->caches);
    if (c) {
        *c = d;
        fill_site_table(c, site_table);
    }
    return c;
}

const CompiledCode *compiled_install(const CompiledCode *made, const void *code, size_t size,
                                     const char *name)
{
    VM_ASSERT(made->frame_size % 16 == 0 && made->scope_count > 0 && is_sorted(made));
    Description layout = {0};
    (void)describe(&layout, made);
    layout = (Description){.start = attempt_result(layout.size)};
    CompiledCode *c = describe(&layout, made);
    c->blob = code_install(code, size, CODE_COMPILED_METHOD, name);
    if (!c->blob) {
        compiled_free(c);
        return NULL;
    }
    atomic_store_explicit(&((CodeBlob *)(uintptr_t)c->blob)->compiled, c,
                          memory_order_release); // compiled_find
    return c;
}

// ---- reading ----

const CodePosition *compiled_position(const CompiledCode *code, uint32_t offset)
{
    VM_ASSERT(code->position_count > 0 && offset < code->blob->size);
    uint32_t low = 0, high = code->position_count;
    while (high - low > 1) { // the last one that begins at the offset or before
        uint32_t middle = low + (high - low) / 2;
        if (code->positions[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    return &code->positions[low];
}

bool compiled_recover(void *context)
{
    uintptr_t pc = arch_place(context).pc;
    const CompiledCode *code = compiled_find(pc);
    for (uint32_t i = 0; code != NULL && i < code->guard_count; i++) {
        const CodeGuard *guard = &code->guards[i];
        uintptr_t start = (uintptr_t)code->blob->start;
        if (pc >= start + guard->begin && pc < start + guard->end) {
            arch_set_pc(context, start + guard->fault);
            return true;
        }
    }
    return false;
}

Slot compiled_value(const CompiledCode *code, CodeValue v, uintptr_t rbp,
                    const SavedRegisters *registers)
{
    Slot s = {0};
    switch ((ValuePlace)v.place) {
    case PLACE_UNSET: return s;
    case PLACE_REGISTER:
        VM_ASSERT(registers && v.index < CODE_REGISTERS);
        s.raw = registers->at[v.index];
        break;
    case PLACE_SLOT: s.raw = *compiled_slot(rbp, v.index); break;
    case PLACE_CONSTANT: s.raw = code->constants[v.index]; break;
    case PLACE_VIRTUAL: VM_ASSERT(false); break; // who reads values has had it made
    case PLACE_HANDLE: s.ref = deref((jobject)(uintptr_t)code->constants[v.index]); break;
    }
    if (v.kind == VALUE_I)
        s.l = s.i; // as the interpreter's handlers leave it
    else if (v.kind == VALUE_F)
        s.raw = (uint32_t)s.i;
    return s;
}

// ---- hooks ----

static uintptr_t *events_word(uintptr_t rbp)
{
    return (uintptr_t *)(rbp - CODE_EVENTS_AT); // NOLINT: the address of a frame
}

uintptr_t compiled_lazy_pc;

// The mark of a ParkedFrame's address in an events word: no code lies there.
static const uintptr_t parked_mark = (uintptr_t)1 << 63;

static ParkedFrame *parked_by(uintptr_t events)
{
    return events & parked_mark ? (ParkedFrame *)(events & ~parked_mark) : NULL; // NOLINT
}

// These read what a frame has also where the address sanitizer still has marks of C frames that are gone.
__attribute__((no_sanitize("address"))) uintptr_t compiled_hooked_pc(uintptr_t rbp)
{
    uintptr_t events = *events_word(rbp);
    const ParkedFrame *p = parked_by(events);
    return p ? p->pc : events;
}

__attribute__((no_sanitize("address"))) bool compiled_is_hooked(const CompiledCode *code,
                                                                uintptr_t rbp)
{
    return compiled_lazy_pc && *compiled_return_address(code, rbp) == compiled_lazy_pc;
}

__attribute__((no_sanitize("address"))) static void hook(const CompiledCode *code,
                                                         uintptr_t rbp, uintptr_t events)
{
    *events_word(rbp) = events;
    atomic_signal_fence(memory_order_release); // compiled_true_pc, in a signal handler
    *compiled_return_address(code, rbp) = compiled_lazy_pc;
}

__attribute__((no_sanitize("address"))) void compiled_hook(const CompiledCode *code,
                                                           uintptr_t rbp)
{
    uintptr_t pc = *compiled_return_address(code, rbp);
    VM_ASSERT(compiled_find(compiled_true_pc(pc, rbp) - 1) == code);
    if (!compiled_is_hooked(code, rbp))
        hook(code, rbp, pc);
}

__attribute__((no_sanitize("address"))) ParkedFrame *compiled_parked(const CompiledCode *code,
                                                                     uintptr_t rbp)
{
    return compiled_is_hooked(code, rbp) ? parked_by(*events_word(rbp)) : NULL;
}

void compiled_set_parked(const CompiledCode *code, uintptr_t rbp, ParkedFrame *p)
{
    VM_ASSERT(!compiled_parked(code, rbp) && !((uintptr_t)p & parked_mark));
    hook(code, rbp, (uintptr_t)p | parked_mark);
}
