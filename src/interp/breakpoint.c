// SPDX-License-Identifier: Apache-2.0
// See breakpoint.h. The map changes while the world is stopped and under breakpoints_lock, which
// also orders threads that quicken.
#include "interp/breakpoint.h"

#include "base/hash.h"
#include "class/assumption.h"
#include "event/event.h"
#include "interp/fuse.h"
#include "interp/profile.h"

static Mutex breakpoints_lock = MUTEX_INIT(RANK_CODE);
static PtrMap breakpoints; // Insn * -> Breakpoint *; entries stay
static _Atomic uint64_t set_count;

// Its place among the owners, -1: none.
static ptrdiff_t find(const Breakpoint *b, const void *owner)
{
    for (size_t i = 0; i < b->owners.len; i++)
        if (b->owners.at[i] == owner)
            return (ptrdiff_t)i;
    return -1;
}

bool breakpoint_is_of(const Breakpoint *b, const void *owner)
{
    return find(b, owner) >= 0;
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

bool breakpoint_set(Thread *self, Method *m, uint32_t bci, const void *owner)
{
    if (!method_has_code(m))
        return false;
    breakpoints_prepare(self, m);
    Insn *pc = method_insn_at(m, bci);
    if (!pc)
        return false;
    mutex_lock(&breakpoints_lock);
    Breakpoint *b = breakpoint_of(pc);
    if (!b->owners.len) {
        atomic_store(&b->op, fused_first(atomic_load(&pc->op)));
        replace(pc, OP_breakpoint);
    }
    if (!breakpoint_is_of(b, owner))
        vec_push(&b->owners, owner);
    mutex_unlock(&breakpoints_lock);
    atomic_fetch_add(&set_count, 1);
    assumption_break(self, ASSUME_METHOD_BREAKPOINTS, m);
    return true;
}

uint64_t breakpoints_set(void)
{
    return atomic_load(&set_count);
}

// breakpoints_lock is held. False: it was not owner's.
static bool clear(Insn *pc, Breakpoint *b, const void *owner)
{
    ASSERT_HELD(&breakpoints_lock);
    ptrdiff_t i = find(b, owner);
    if (i < 0)
        return false;
    b->owners.at[i] = b->owners.at[--b->owners.len];
    if (!b->owners.len)
        replace(pc, atomic_load(&b->op));
    return true;
}

bool breakpoint_clear(Method *m, uint32_t bci, const void *owner)
{
    Insn *pc = method_insn_at(m, bci);
    mutex_lock(&breakpoints_lock);
    Breakpoint *b = pc ? ptrmap_get(&breakpoints, (uintptr_t)pc) : NULL;
    bool found = b && clear(pc, b, owner);
    mutex_unlock(&breakpoints_lock);
    return found;
}

bool breakpoint_is_set(const Method *m, uint32_t bci, const void *owner)
{
    const Insn *pc = method_insn_at(m, bci);
    const Breakpoint *b = pc ? breakpoint_at(pc) : NULL;
    return b && breakpoint_is_of(b, owner);
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

bool breakpoint_is_at(const Insn *pc)
{
    return atomic_load_explicit(&pc->op, memory_order_relaxed) == OP_breakpoint;
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
        while (b && b->owners.len)
            clear(&code[i], b, b->owners.at[0]);
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
            vec_free(&b->owners);
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
    Breakpoint *b = ptrmap_get(&breakpoints, (uintptr_t)pc);
    if (b && b->owners.len)
        atomic_store_explicit(&b->op, op, memory_order_release);
    else
        replace(pc, op);
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
