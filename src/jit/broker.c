// SPDX-License-Identifier: Apache-2.0
// See broker.h. What is compiled is compiled by the thread that runs it.
#include "jit/broker.h"

#include <inttypes.h>

#include "base/log.h"
#include "interp/profile.h"
#include "jit/compile.h"
#include "options/options.h"

enum {
    WEIGHT_LEVEL1 = 1500, // calls and backward branches from which a method is compiled
    TURNS_OSR =
        20000, // backward branches of one activation from which it leaves the interpreter
    WEIGHT_EVERY_METHOD = 1,
};

static void log_result(const Method *m, const JitResult *r)
{
    LOG(LOG_JIT, LOG_DEBUG, "%s.%s%s: refused: %s", m->cls->name->s, m->name->s, m->desc->s,
        r->refused);
}

static void compile(Thread *self, Method *m)
{
    JitResult result = {0};
    JitRequest request = {.osr_bci = JIT_NO_OSR,
                          .options = {.link = vm_options.jit_all, .landings = true},
                          .result = &result};
    const struct CompiledCode *code = jit_compile(self, m, &request);
    if (!code)
        log_result(m, &result);
}

// C code that compiles needs as much of the stack as C code that calls Java.
static bool has_stack(const Thread *self)
{
    return (char *)__builtin_frame_address(0) > self->c_stack_limit;
}

static void on_heavy(Thread *self, Method *m, MethodProfile *p, uint32_t weight, int32_t loop)
{
    (void)weight;
    if (loop != PROFILE_CALLS_ALONE || !has_stack(self)
        || atomic_exchange_explicit(&p->asked, true, memory_order_relaxed))
        return;
    compile(self, m);
}

void broker_init(void)
{
    if (vm_options.jit_all || vm_options.jit_compile)
        profile_set_compiler(on_heavy, vm_options.jit_all ? WEIGHT_EVERY_METHOD : WEIGHT_LEVEL1,
                             TURNS_OSR);
}
