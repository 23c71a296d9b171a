// SPDX-License-Identifier: Apache-2.0
// Which monitors a frame has entered. Nothing records it: the object of a synchronized method
// stands in the frame; that of a synchronized block is found in the local variable into which
// compilers store it just before they enter it.
#include "interp/interp.h"
#include "thread/monitor.h"

// The local variable that the instruction at `bci` stores a reference to; -1: it does something
// else.
static int stored_local(const uint8_t *code, uint32_t bci)
{
    if (code[bci] == BC_astore)
        return code[bci + 1];
    return code[bci] >= BC_astore_0 && code[bci] <= BC_astore_3 ? code[bci] - BC_astore_0 : -1;
}

static bool is_held(const Thread *t, Object *o)
{
    uint32_t count;
    return o
           && (monitor_owner(o, &count) == t
               || monitor_waiting_object((Thread *)(uintptr_t)t) == o);
}

static int add(const Thread *t, Object *o, Object **out, int count, int max)
{
    for (int i = 0; i < count; i++)
        if (out[i] == o)
            return count;
    if (count < max && is_held(t, o))
        out[count++] = o;
    return count;
}

int frame_monitors(const Thread *t, const Frame *f, Object **out, int max)
{
    int count = f->flags & FRAME_LOCKED ? add(t, f->sync, out, 0, max) : 0;
    const CodeInfo *code = f->method->info ? f->method->info->code : NULL;
    uint32_t end = code && f->pc ? (uint32_t)frame_bci(f) : 0;
    int local = -1;
    for (uint32_t bci = 0, len; bci < end; bci += len) {
        len = bytecode_length(code->code, code->code_len, bci);
        if (len == 0)
            break;
        if (code->code[bci] == BC_monitorenter && local >= 0
            && frame_local_is_ref(f, (uint32_t)local))
            count = add(t, f->locals[local].ref, out, count, max);
        local = stored_local(code->code, bci);
    }
    return count;
}
