// SPDX-License-Identifier: Apache-2.0
// See breakpoint.h. The replaced ops stand in a map under breakpoints_lock, which also orders
// quickening against setting and clearing.
#include "interp/breakpoint.h"

#include "base/hash.h"
#include "interp/fuse.h"

typedef struct Breakpoint {
    uint16_t op; // what the instruction stands for
    uint32_t count;
} Breakpoint;

static Mutex breakpoints_lock = MUTEX_INIT(RANK_CODE);
static PtrMap breakpoints; // Insn * -> Breakpoint *; entries stay, count 0 when unused

bool breakpoint_set(Thread *self, Method *m, uint32_t bci)
{
    if (!m->info || !m->info->code)
        return false;
    if (!atomic_load_explicit(&m->code, memory_order_acquire))
        method_decode(self, m);
    Insn *pc = method_insn_at(m, bci);
    if (!pc)
        return false;
    mutex_lock(&breakpoints_lock);
    Breakpoint *b = ptrmap_get(&breakpoints, (uintptr_t)pc);
    if (!b) {
        b = vm_calloc(1, sizeof *b);
        ptrmap_put(&breakpoints, (uintptr_t)pc, b);
    }
    if (b->count++ == 0) {
        b->op = fused_first(atomic_load(&pc->op));
        atomic_store(&pc->op, OP_breakpoint);
        fuse_around(pc);
    }
    mutex_unlock(&breakpoints_lock);
    return true;
}

bool breakpoint_clear(Method *m, uint32_t bci)
{
    Insn *pc = method_insn_at(m, bci);
    mutex_lock(&breakpoints_lock);
    Breakpoint *b = pc ? ptrmap_get(&breakpoints, (uintptr_t)pc) : NULL;
    bool found = b && b->count > 0;
    if (found && --b->count == 0) {
        atomic_store(&pc->op, b->op);
        fuse_around(pc);
    }
    mutex_unlock(&breakpoints_lock);
    return found;
}

void breakpoints_forget(const Method *m)
{
    Insn *code = atomic_load(&m->code);
    for (uint32_t i = 0; breakpoints.len && code && i < m->insn_count; i++) {
        Breakpoint *b = ptrmap_remove(&breakpoints, (uintptr_t)&code[i]);
        if (b && b->count > 0)
            atomic_store(&code[i].op, b->op);
        vm_free(b);
    }
}

uint16_t breakpoint_original(const Insn *pc)
{
    uint16_t op = atomic_load_explicit(&pc->op, memory_order_acquire);
    if (op != OP_breakpoint)
        return fused_first(op);
    mutex_lock(&breakpoints_lock);
    Breakpoint *b = ptrmap_get(&breakpoints, (uintptr_t)pc);
    op = b->op;
    mutex_unlock(&breakpoints_lock);
    return op;
}

void breakpoint_publish(Insn *pc, uint16_t op)
{
    mutex_lock(&breakpoints_lock);
    Breakpoint *b = ptrmap_get(&breakpoints, (uintptr_t)pc);
    if (b && b->count > 0) {
        b->op = op;
    } else {
        atomic_store_explicit(&pc->op, op, memory_order_release);
        fuse_around(pc);
    }
    mutex_unlock(&breakpoints_lock);
}
