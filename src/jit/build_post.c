// SPDX-License-Identifier: Apache-2.0
// Events, posted where the interpreter posts them: METHOD_ENTRY behind the monitor of a synchronized method, METHOD_EXIT when that
// is exited; breakpoints before their instruction, accesses to watched fields behind its checks. What a frame that is deoptimized at one of
// them still has to do says its state: the event was posted. Whether a breakpoint or watch is still set is tested at each passage; where
// one is set later, code without its nodes is retired (installed_code.c).
#include "jit/build.h"

#include "interp/breakpoint.h"

static uint32_t own_method(const Builder *b)
{
    VM_ASSERT(b->source->method);
    return ir_intern(b->g, (uintptr_t)b->source->method);
}

void build_post_entry(Builder *b)
{
    build_effect(b, IR_PostEntry, IRT_V, 0, NULL, own_method(b),
                 build_state(b, 0, STATE_AGAIN));
}

void build_post_exit(Builder *b, NodeId value)
{
    VM_ASSERT(b->locks.len == 0);
    build_push(b, value);
    StateId leaving = build_state(b, b->in.bci, STATE_LEAVING);
    build_effect(b, IR_PostExit, IRT_V, value ? 1 : 0, &value, own_method(b), leaving);
}

// States of the instruction from now on say that it was.
static StateId state_reported(Builder *b, Reported what)
{
    b->reported = (uint8_t)what;
    b->again = 0;
    return build_state_again(b);
}

void build_breakpoint(Builder *b)
{
    if (!b->insn || !breakpoint_is_at(b->insn))
        return;
    uint32_t at = ir_intern(b->g, (uintptr_t)b->insn);
    build_effect(b, IR_Breakpoint, IRT_V, 0, NULL, at, state_reported(b, REPORTED_BREAKPOINT));
}

NodeId build_watched(Builder *b, IrOp op, IrType type, uint32_t count, const NodeId *in,
                     uint32_t field)
{
    VM_ASSERT(op == IR_GetWatched || op == IR_PutWatched);
    return build_effect(b, op, type, count, in, field, state_reported(b, REPORTED_ACCESS));
}
