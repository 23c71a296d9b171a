// SPDX-License-Identifier: Apache-2.0
// See osr.h.
#include "interp/osr.h"

#include "frame/held_monitors.h"
#include "interp/profile.h"
#include "java/java_object.h"

bool osr_set_code(Method *m, int32_t bci, const CompiledCode *code)
{
    VM_ASSERT(!code || (code->method == m && code->osr_bci == bci));
    const MethodProfile *p = method_profile(m);
    HotLoop *loop = p ? profile_hot_loop(p, bci) : NULL; // another body has none
    if (!loop || (code && !java_enter_loop(m->ret)))
        return false;
    atomic_store_explicit(&loop->code, code, memory_order_release); // find
    return true;
}

static const CompiledCode *find(const Frame *f)
{
    const MethodProfile *p = method_profile(f->method);
    const HotLoop *loop = p ? profile_hot_loop(p, frame_bci(f)) : NULL;
    return loop ? atomic_load_explicit(&loop->code, memory_order_acquire) : NULL;
}

// Whether the frame holds the monitors that the code takes it to hold. A tool may have changed the locals.
static bool has_monitors(const Thread *self, const Frame *f, const CompiledCode *code)
{
    uint32_t count = frame_block_monitors(f) + (f->flags & FRAME_LOCKED ? 1 : 0);
    if (count != code->osr_lock_count)
        return false;
    Object **held = self->held.top - count;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t local = code->osr_locks[i];
        if (held[i]
            != (local == CODE_LOCK_CLASS ? class_mirror(f->method->cls) : f->locals[local].ref))
            return false;
    }
    return true;
}

CompiledEnd osr_run(Thread *self, Resume *how)
{
    ASSERT_MAY_GC(self);
    const Frame *f = self->frame;
    const uint32_t monitors = FRAME_LOCKED | ~(uint32_t)(FRAME_BLOCK_MONITOR - 1);
    const CompiledCode *code = find(f);
    if (!code
        || f->method->flags & METHOD_OLD // its code was retired; nobody looked at its own loops
        || f->flags & ~(monitors | FRAME_LINKED) || !has_monitors(self, f, code))
        return COMPILED_NOT;
    return compiled_run_loop(self, code, how);
}
