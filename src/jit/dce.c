// SPDX-License-Identifier: Apache-2.0
// What nobody needs: phis that have one value, nodes that nobody uses and that do nothing. What a state names is used.
#include "jit/ir.h"

// ---- replacing ----

static NodeId replacement(const NodeId *replaced, NodeId n)
{
    while (replaced[n])
        n = replaced[n];
    return n;
}

static void replace_in_nodes(Graph *g, const NodeId *replaced)
{
    for (size_t i = 0; i < g->order.len; i++) {
        IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < nodes->len; k++) {
            NodeId id = nodes->at[k];
            if (replaced[id])
                continue;
            Node *n = ir_node(g, id);
            NodeId *in = ir_inputs(g, n);
            for (uint32_t j = 0; j < ir_input_count(n); j++)
                in[j] = replacement(replaced, in[j]);
            nodes->at[kept++] = id;
        }
        nodes->len = kept;
    }
}

void ir_replace(Graph *g, const NodeId *replaced)
{
    replace_in_nodes(g, replaced);
    for (size_t i = 0; i < g->words.len; i++)
        g->words.at[i] = replacement(replaced, g->words.at[i]);
    for (size_t i = 0; i < g->boxes.len; i++) {
        g->boxes.at[i].box = replacement(replaced, g->boxes.at[i].box);
        g->boxes.at[i].value = replacement(replaced, g->boxes.at[i].value);
    }
}

// ---- phis of one value ----

// The only value that a phi can have; 0: there are two.
static NodeId only_value(const Graph *g, const NodeId *replaced, NodeId phi)
{
    Node *n = ir_node(g, phi);
    const NodeId *in = ir_inputs(g, n);
    NodeId only = 0;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        NodeId value = replacement(replaced, in[i]);
        if (value == phi || value == only)
            continue;
        if (only)
            return 0;
        only = value;
    }
    return only;
}

static bool drop_phis(Graph *g, NodeId *replaced)
{
    bool changed = false;
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len && ir_node(g, nodes->at[k])->op == IR_Phi; k++) {
            NodeId phi = nodes->at[k];
            NodeId only = replaced[phi] ? 0 : only_value(g, replaced, phi);
            if (only) {
                replaced[phi] = only;
                changed = true;
            }
        }
    }
    return changed;
}

// ---- nodes that nobody uses ----

static bool may_go(const Node *n)
{
    return n->op == IR_Phi || ir_is_unmade(n)
           || (ir_info(n)->flags & (IRF_PURE | IRF_LOAD)) != 0;
}

typedef struct Marks {
    Graph *g;
    bool *node, *state;
    VEC(NodeId) work;
} Marks;

static void mark(Marks *m, NodeId n)
{
    if (!n || m->node[n])
        return;
    m->node[n] = true;
    vec_push(&m->work, n);
}

static void mark_value(void *ctx, NodeId n)
{
    mark(ctx, n);
}

static void mark_state(Marks *m, StateId id)
{
    if (id)
        ir_state_each_virtual(m->g, ir_state(m->g, id), mark_value, m);
    for (; id && !m->state[id]; id = ir_state_below(m->g, ir_state(m->g, id))) {
        m->state[id] = true;
        const State *s = ir_state(m->g, id);
        const NodeId *locals, *operands;
        uint32_t count = ir_state_words(m->g, s, &locals, &operands);
        for (uint32_t i = 0; i < ir_state_locals(m->g, s); i++)
            mark(m, locals[i]);
        for (uint32_t i = 0; i < count; i++)
            mark(m, operands[i]);
    }
}

static void mark_needed(Marks *m)
{
    Graph *g = m->g;
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            if (!may_go(ir_node(g, nodes->at[k])))
                mark(m, nodes->at[k]);
    }
    for (size_t i = 0; i < g->order.len; i++)
        mark_state(m, ir_at(g, g->order.at[i])->state);
    while (m->work.len) {
        Node *n = ir_node(g, m->work.at[--m->work.len]);
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            mark(m, ir_inputs(g, n)[i]);
        mark_state(m, n->state);
    }
}

static void drop_unmarked(Graph *g, const bool *marked)
{
    for (size_t i = 0; i < g->order.len; i++) {
        IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < nodes->len; k++)
            if (marked[nodes->at[k]])
                nodes->at[kept++] = nodes->at[k];
        nodes->len = kept;
    }
}

void ir_dce(Graph *g)
{
    NodeId *replaced = vm_calloc(g->nodes.len, sizeof *replaced);
    bool any = false;
    while (drop_phis(g, replaced))
        any = true;
    if (any)
        ir_replace(g, replaced);
    vm_free(replaced);
    Marks m = {.g = g,
               .node = vm_calloc(g->nodes.len, sizeof *m.node),
               .state = vm_calloc(g->states.len, sizeof *m.state)};
    mark_needed(&m);
    drop_unmarked(g, m.node);
    vm_free(m.node);
    vm_free(m.state);
    vec_free(&m.work);
}
