// SPDX-License-Identifier: Apache-2.0
// The events of calls, posted where the interpreter posts them: METHOD_ENTRY behind the monitor of a synchronized method, METHOD_EXIT when that
// is exited. What a frame that leaves at one of them still has to do says its state: the event was posted.
#include "jit/build.h"

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
    if (b->locks.len > 0) {
        NodeId lock = b->locks.at[0]; // the method's: it holds no other
        build_effect(b, IR_MonitorExit, IRT_V, 1, &lock, 0, build_state_again(b));
        b->locks.len--;
    }
    build_push(b, value);
    StateId leaving = build_state(b, b->in.bci, STATE_LEAVING);
    build_effect(b, IR_PostExit, IRT_V, value ? 1 : 0, &value, own_method(b), leaving);
}
