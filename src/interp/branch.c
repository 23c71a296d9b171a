// SPDX-License-Identifier: Apache-2.0
// What the instruction that is about to run will do, for listeners of INSTRUCTION.
#include "event/event.h"
#include "interp/breakpoint.h"
#include "interp/fuse.h"
#include "interp/interp.h"

static bool compare(int32_t x, int32_t y, int how) // 0 eq, 1 ne, 2 lt, 3 ge, 4 gt, 5 le
{
    switch (how) {
    case 0: return x == y;
    case 1: return x != y;
    case 2: return x < y;
    case 3: return x >= y;
    case 4: return x > y;
    default: return x <= y;
    }
}

// Whether an if-instruction will jump. The operands are still below sp.
static bool is_taken(uint16_t op, const Slot *sp)
{
    if (op >= BC_ifeq && op <= BC_ifle)
        return compare(sp[-1].i, 0, op - BC_ifeq);
    if (op >= BC_if_icmpeq && op <= BC_if_icmple)
        return compare(sp[-2].i, sp[-1].i, op - BC_if_icmpeq);
    if (op == BC_if_acmpeq || op == BC_if_acmpne)
        return (sp[-2].ref == sp[-1].ref) == (op == BC_if_acmpeq);
    return (sp[-1].ref == NULL) == (op == BC_ifnull);
}

static int32_t chosen_pair(const SwitchTable *t, int32_t key)
{
    for (int32_t i = 0; i < t->count; i++)
        if (t->keys[i] == key)
            return i;
    return t->count;
}

static bool is_if(uint16_t op)
{
    return (op >= BC_ifeq && op <= BC_if_acmpne) || op == BC_ifnull || op == BC_ifnonnull;
}

void branch_post(Thread *self, Frame *f, const Insn *pc)
{
    struct Event_INSTRUCTION e = {.method = f->method, .bci = pc->bci};
    uint16_t op = fused_first(breakpoint_original(pc));
    if (is_if(op)) {
        e.branch = 'i';
        e.a = is_taken(op, f->sp);
    } else if (op == BC_tableswitch) {
        const SwitchTable *t = pc->p;
        e.branch = 't';
        e.a = f->sp[-1].i;
        e.b = t->low;
        e.c = t->high;
    } else if (op == BC_lookupswitch) {
        const SwitchTable *t = pc->p;
        e.branch = 'l';
        e.a = chosen_pair(t, f->sp[-1].i);
        e.b = t->count;
    }
    event_fire(self, EVENT_INSTRUCTION, &e);
}
