// SPDX-License-Identifier: Apache-2.0
// See compile.h. The graph is made and improved; what makes machine code of it is not written.
#include "jit/compile.h"

#include "jit/graph_assumptions.h"
#include "jit/pipeline.h"
#include "options/options.h"

const CompiledCode *jit_compile(Thread *self, Method *m, const JitRequest *request)
{
    ASSERT_IN_VM(self);
    (void)self;
    JitResult *result = request->result;
    IrSource source = ir_source(m);
    Graph g;
    ir_init(&g, &source);
    bool ok = jit_make_graph(&g, &request->options, vm_options.jit_verify, &result->nanos);
    if (ok)
        graph_assumptions(&g, &result->made_for);
    result->refused = ok ? "no backend yet" : ir_refusal_text(g.refused);
    ir_free(&g);
    return NULL;
}
