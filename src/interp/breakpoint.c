// SPDX-License-Identifier: Apache-2.0
// See breakpoint.h. The map changes while the world is stopped and under breakpoints_lock, which
// also orders threads that quicken and those that meet one-shot breakpoints.
#include "interp/breakpoint.h"

#include "base/hash.h"
#include "class/assumption.h"
#include "event/event.h"
#include "interp/fuse.h"
#include "interp/profile.h"

static Mutex breakpoints_lock = MUTEX_INIT(RANK_CODE);
static PtrMap breakpoints; // Insn * -> Breakpoint *; entries stay
static _Atomic uint64_t set_count;

enum { ONCE = 1 }; // in an owner's word

static size_t words(const Breakpoint *b)
{
    return 1 + b->more.len;
}

static uintptr_t word_at(const Breakpoint *b, size_t i)
{
    return atomic_load_explicit(i ? &b->more.at[i - 1] : &b->first, memory_order_relaxed);
}

// breakpoints_lock is held.
static void put_word(Breakpoint *b, size_t i, uintptr_t word)
{
    ASSERT_HELD(&breakpoints_lock);
    atomic_store_explicit(i ? &b->more.at[i - 1] : &b->first, word, memory_order_relaxed);
}

// Its place among the owners, of NULL the first that is free; -1: none.
static ptrdiff_t find(const Breakpoint *b, const void *owner)
{
    for (size_t i = 0; i < words(b); i++)
        if ((word_at(b, i) & ~(uintptr_t)ONCE) == (uintptr_t)owner)
            return (ptrdiff_t)i;
    return -1;
}

// 0: it is not the owner's.
static uintptr_t own_word(const Breakpoint *b, const void *owner)
{
    ptrdiff_t i = find(b, owner);
    return i < 0 ? 0 : word_at(b, (size_t)i);
}

bool breakpoint_is_of(const Breakpoint *b, const void *owner)
{
    return find(b, owner) >= 0;
}

bool breakpoint_is_at(const Insn *pc)
{
    return atomic_load_explicit(&pc->op, memory_order_relaxed) == OP_breakpoint;
}

const Breakpoint *breakpoint_at(const Insn *pc)
{
    return ptrmap_get(&breakpoints, (uintptr_t)pc);
}

// The breakpoint at pc, made when there is none. breakpoints_lock is held.
static Breakpoint *breakpoint_of(const Insn *pc)
{
    ASSERT_HELD(&breakpoints_lock);
    Breakpoint *b = ptrmap_get(&breakpoints, (uintptr_t)pc);
    if (!b) {
        b = vm_calloc(1, sizeof *b);
        ptrmap_put(&breakpoints, (uintptr_t)pc, b);
    }
    return b;
}

static void replace(Insn *pc, uint16_t op)
{
    atomic_store_explicit(&pc->op, op, memory_order_release);
    fuse_around(pc);
}

void breakpoints_prepare(Thread *self, Method *m)
{
    if (!atomic_load_explicit(&m->code, memory_order_acquire))
        method_decode(self, m);
}

// breakpoints_lock is held.
static void own(Breakpoint *b, const void *owner, uintptr_t once)
{
    ASSERT_HELD(&breakpoints_lock);
    VM_ASSERT(owner && !((uintptr_t)owner & ONCE));
    ptrdiff_t i = find(b, owner);
    if (i >= 0) {
        put_word(b, (size_t)i, (uintptr_t)owner | (once & word_at(b, (size_t)i)));
        return;
    }
    b->owned++;
    i = find(b, NULL);
    if (i >= 0)
        put_word(b, (size_t)i, (uintptr_t)owner | once);
    else
        vec_push(&b->more, (uintptr_t)owner | once);
}

static bool set(Thread *self, Method *m, uint32_t bci, const void *owner, uintptr_t once)
{
    if (!method_has_code(m))
        return false;
    breakpoints_prepare(self, m);
    Insn *pc = method_insn_at(m, bci);
    if (!pc)
        return false;
    mutex_lock(&breakpoints_lock);
    Breakpoint *b = breakpoint_of(pc);
    uint64_t count = atomic_fetch_add(&set_count, 1) + 1;
    if (!b->owned) {
        b->set_as = count;
        atomic_store(&b->op, fused_first(atomic_load(&pc->op)));
        replace(pc, OP_breakpoint);
    }
    own(b, owner, once);
    mutex_unlock(&breakpoints_lock);
    assumption_break(self, ASSUME_METHOD_BREAKPOINTS, m);
    return true;
}

bool breakpoint_set(Thread *self, Method *m, uint32_t bci, const void *owner)
{
    return set(self, m, bci, owner, 0);
}

bool breakpoint_set_once(Thread *self, Method *m, uint32_t bci, const void *owner)
{
    return set(self, m, bci, owner, ONCE);
}

uint64_t breakpoints_set(void)
{
    return atomic_load(&set_count);
}

bool breakpoint_since(const Method *m, uint64_t count)
{
    if (breakpoints_set() == count)
        return false;
    for (const Insn *pc = breakpoint_from(m, NULL); pc; pc = breakpoint_from(m, pc + 1))
        if (breakpoint_at(pc)->set_as > count)
            return true;
    return false;
}

// breakpoints_lock is held. False: it was not owner's.
static bool clear(Insn *pc, Breakpoint *b, const void *owner)
{
    ASSERT_HELD(&breakpoints_lock);
    ptrdiff_t i = find(b, owner);
    if (i < 0)
        return false;
    put_word(b, (size_t)i, 0);
    VM_ASSERT(b->owned > 0);
    if (--b->owned == 0)
        replace(pc, atomic_load(&b->op));
    return true;
}

// Likewise.
static bool clear_at(const Method *m, uint32_t bci, const void *owner)
{
    Insn *pc = method_insn_at(m, bci);
    Breakpoint *b = pc ? ptrmap_get(&breakpoints, (uintptr_t)pc) : NULL;
    return b && clear(pc, b, owner);
}

bool breakpoint_clear(Method *m, uint32_t bci, const void *owner)
{
    mutex_lock(&breakpoints_lock);
    bool found = clear_at(m, bci, owner);
    mutex_unlock(&breakpoints_lock);
    return found;
}

// The owner's word; 0: it has none there.
static uintptr_t word_of(const Method *m, uint32_t bci, const void *owner)
{
    const Insn *pc = method_insn_at(m, bci);
    return pc && breakpoint_is_at(pc) ? own_word(breakpoint_at(pc), owner) : 0;
}

bool breakpoint_is_set(const Method *m, uint32_t bci, const void *owner)
{
    return word_of(m, bci, owner) != 0;
}

bool breakpoint_stays(const Method *m, uint32_t bci, const void *owner)
{
    return word_of(m, bci, owner) == (uintptr_t)owner;
}

bool breakpoint_meet(const Breakpoint *b, const Method *m, uint32_t bci, const void *owner)
{
    uintptr_t word = own_word(b, owner);
    if (!(word & ONCE))
        return word != 0;
    mutex_lock(&breakpoints_lock);
    bool taken = clear_at(m, bci, owner); // else another thread was faster
    if (taken && !(m->flags & METHOD_OBSOLETE)) {
        clear_at(method_current(m), bci, owner);
        for (OldMethod *o = m->cls->old_methods; o; o = o->next)
            if (o->method.slot == m->slot && !(o->method.flags & METHOD_OBSOLETE))
                clear_at(&o->method, bci, owner);
    }
    mutex_unlock(&breakpoints_lock);
    return taken;
}

size_t breakpoints_of(const void *owner)
{
    size_t n = 0;
    uintptr_t pc;
    void *b;
    mutex_lock(&breakpoints_lock);
    for (size_t i = 0; ptrmap_next(&breakpoints, &i, &pc, &b);)
        n += breakpoint_is_of(b, owner);
    mutex_unlock(&breakpoints_lock);
    return n;
}

const Insn *breakpoint_from(const Method *m, const Insn *from)
{
    const Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    const Insn *pc = from ? from : code;
    for (; code && pc < code + m->insn_count; pc++)
        if (breakpoint_is_at(pc))
            return pc;
    return NULL;
}

void breakpoint_post(Thread *self, Method *m, const Insn *pc)
{
    ASSERT_MAY_GC(self);
    event_post(self, BREAKPOINT, m, pc->bci, breakpoint_at(pc));
}

void breakpoints_clear_owner(const void *owner)
{
    uintptr_t pc;
    void *b;
    mutex_lock(&breakpoints_lock);
    for (size_t i = 0; ptrmap_next(&breakpoints, &i, &pc, &b);)
        clear((Insn *)pc, b, owner);
    mutex_unlock(&breakpoints_lock);
}

void breakpoints_clear_method(const Method *m)
{
    Insn *code = atomic_load(&m->code);
    mutex_lock(&breakpoints_lock);
    for (uint32_t i = 0; breakpoints.len && code && i < m->insn_count; i++) {
        Breakpoint *b = ptrmap_get(&breakpoints, (uintptr_t)&code[i]);
        for (size_t k = 0; b && k < words(b); k++)
            if (word_at(b, k))
                clear(&code[i], b, (const void *)(word_at(b, k) & ~(uintptr_t)ONCE));
    }
    mutex_unlock(&breakpoints_lock);
}

void breakpoints_forget(const Method *m)
{
    ASSERT_WORLD_STOPPED();
    breakpoints_clear_method(m);
    Insn *code = atomic_load(&m->code);
    mutex_lock(&breakpoints_lock);
    for (uint32_t i = 0; breakpoints.len && code && i < m->insn_count; i++) {
        Breakpoint *b = ptrmap_remove(&breakpoints, (uintptr_t)&code[i]);
        if (b)
            vec_free(&b->more);
        vm_free(b);
    }
    mutex_unlock(&breakpoints_lock);
}

uint16_t breakpoint_original(const Insn *pc)
{
    uint16_t op = atomic_load_explicit(&pc->op, memory_order_acquire);
    if (op != OP_breakpoint)
        return fused_first(op);
    return atomic_load_explicit(&breakpoint_at(pc)->op, memory_order_acquire);
}

// breakpoints_lock is held.
static void publish(const Method *m, Insn *pc, uint16_t plain)
{
    ASSERT_HELD(&breakpoints_lock);
    uint16_t op = profile_form(m, plain);
    if (!breakpoint_is_at(pc)) {
        replace(pc, op);
        return;
    }
    Breakpoint *b = ptrmap_get(&breakpoints, (uintptr_t)pc);
    atomic_store_explicit(&b->op, op, memory_order_release);
}

void breakpoint_publish(const Method *m, Insn *pc, uint16_t op)
{
    mutex_lock(&breakpoints_lock);
    publish(m, pc, op);
    mutex_unlock(&breakpoints_lock);
}

void breakpoint_publish_with(const Method *m, Insn *pc, void *operand, uint16_t op)
{
    mutex_lock(&breakpoints_lock);
    // Else another thread was first, and its quick form may be read already.
    if (pc->p != operand)
        __atomic_store_n(&pc->p, operand, __ATOMIC_RELEASE);
    publish(m, pc, op);
    mutex_unlock(&breakpoints_lock);
}

void breakpoints_set_profiling(const Method *m, _Atomic bool *flag, bool on)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    mutex_lock(&breakpoints_lock);
    atomic_store_explicit(flag, on, memory_order_relaxed);
    for (uint32_t i = 0; i < m->insn_count; i++) {
        uint16_t op = breakpoint_original(&code[i]), plain = profile_plain(op);
        if (profile_form(m, plain) != op)
            publish(m, &code[i], plain);
    }
    mutex_unlock(&breakpoints_lock);
}
