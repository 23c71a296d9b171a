// SPDX-License-Identifier: Apache-2.0
// What the instruction that is about to run will do, for listeners of INSTRUCTION.
#include "event/event.h"
#include "interp/breakpoint.h"
#include "interp/fuse.h"
#include "interp/interp.h"
#include "interp/profile.h"

static bool holds(Condition condition, int64_t x, int64_t y)
{
    switch (condition) {
    case CONDITION_EQ: return x == y;
    case CONDITION_NE: return x != y;
    case CONDITION_LT: return x < y;
    case CONDITION_GE: return x >= y;
    case CONDITION_GT: return x > y;
    case CONDITION_LE: return x <= y;
    default: return true;
    }
}

static int64_t operand(const Slot *s, char kind)
{
    return kind == 'A' ? (int64_t)(intptr_t)s->ref : s->i;
}

// Whether a conditional branch will jump. The operands are still below sp: two, or one and zero or null.
static bool is_taken(const BytecodeInfo *info, const Slot *sp)
{
    bool two = info->pop_words == 2;
    int64_t y = two ? operand(&sp[-1], info->pops[1]) : 0;
    return holds(info->condition, operand(two ? &sp[-2] : &sp[-1], info->pops[0]), y);
}

static int32_t chosen_pair(const SwitchTable *t, int32_t key)
{
    for (int32_t i = 0; i < t->count; i++)
        if (t->keys[i] == key)
            return i;
    return t->count;
}

void branch_post(Thread *self, Frame *f, const Insn *pc)
{
    ASSERT_MAY_GC(self);
    struct Event_INSTRUCTION e = {.method = f->method, .bci = pc->bci};
    uint16_t op = profile_plain(breakpoint_original(pc));
    if (op < BC_COUNT && bytecode_info[op].condition != CONDITION_NONE) {
        e.branch = 'i';
        e.a = is_taken(&bytecode_info[op], f->sp);
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
