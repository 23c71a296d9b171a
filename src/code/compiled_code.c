// SPDX-License-Identifier: Apache-2.0
// See compiled_code.h.
#include "code/compiled_code.h"

#include "arch/arch.h"
#include "base/alloc.h"
#include "code/java_stubs.h"
#include "heap/handle.h"

// ---- making ----

static const void *copy(const void *from, size_t count, size_t size)
{
    void *to = vm_malloc(MAX_OF(count * size, 1u));
    if (count)
        memcpy(to, from, count * size);
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
static void make_site_table(CompiledCode *c)
{
    uint32_t bits = 1;
    while (1u << bits < 2 * c->site_count)
        bits++;
    uint32_t *table = vm_calloc((size_t)1 << bits, sizeof *table), mask = (1u << bits) - 1;
    c->site_shift = 32 - bits;
    for (uint32_t i = 0; i < c->site_count; i++) {
        uint32_t h = compiled_site_hash(c, c->sites[i].offset);
        while (table[h])
            h = (h + 1) & mask;
        table[h] = i + 1;
    }
    c->site_table = table;
}

void compiled_free(const CompiledCode *c)
{
    if (c->blob)
        code_free(c->blob);
    const void *parts[] = {c->sites,     c->site_table,
                           c->states,    c->values,
                           c->scopes,    c->constants,
                           c->positions, c->root_words,
                           c->landings,  c->guards,
                           c->osr_locks, c->deopts,
                           c->caches,    c};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        vm_free((void *)(uintptr_t)parts[i]);
}

const CompiledCode *compiled_install(const CompiledCode *made, const void *code, size_t size,
                                     const char *name)
{
    VM_ASSERT(made->frame_size % 16 == 0 && made->scope_count > 0 && is_sorted(made));
    CompiledCode *c = vm_malloc(sizeof *c);
    *c = *made;
    c->sites = copy(made->sites, made->site_count, sizeof *made->sites);
    make_site_table(c);
    c->states = copy(made->states, made->state_count, sizeof *made->states);
    c->values = copy(made->values, made->value_count, sizeof *made->values);
    c->scopes = copy(made->scopes, made->scope_count, sizeof *made->scopes);
    c->constants = copy(made->constants, made->constant_count, sizeof *made->constants);
    c->positions = copy(made->positions, made->position_count, sizeof *made->positions);
    c->root_words = copy(made->root_words, made->root_count, sizeof *made->root_words);
    c->landings = copy(made->landings, made->landing_count, sizeof *made->landings);
    c->guards = copy(made->guards, made->guard_count, sizeof *made->guards);
    c->deopts = vm_calloc(MAX_OF(made->site_count, 1u), sizeof *c->deopts);
    c->osr_locks = copy(made->osr_locks, made->osr_lock_count, sizeof *made->osr_locks);
    c->caches = copy(made->caches, made->cache_count, sizeof *made->caches);
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
