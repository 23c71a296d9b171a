// SPDX-License-Identifier: Apache-2.0
// See graph_assumptions.h.
#include "jit/graph_assumptions.h"

static void add(Assumptions *out, AssumptionKind kind, const void *object, const void *value)
{
    vec_push(out, ((Assumption){kind, object, value}));
}

static void add_of_node(const Graph *g, const Node *n, Assumptions *out)
{
    if (n->op == IR_LoadField)
        add(out, ASSUME_FIELD_UNWATCHED, ir_pointer(g, n), ASSUMED_NUMBER(WATCH_ACCESS));
    if (n->op == IR_StoreField)
        add(out, ASSUME_FIELD_UNWATCHED, ir_pointer(g, n), ASSUMED_NUMBER(WATCH_MODIFY));
}

void graph_assumptions(const Graph *g, Assumptions *out)
{
    const Method *m = g->source->method;
    VM_ASSERT(m && out->len == 0);
    add(out, ASSUME_METHOD_BODY, m, m->pool);
    if (!class_loader_data(m->cls)->immortal)
        add(out, ASSUME_CLASS_ALIVE, m->cls, NULL);
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            add_of_node(g, ir_node(g, nodes->at[k]), out);
    }
}
