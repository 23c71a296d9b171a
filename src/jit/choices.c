// SPDX-License-Identifier: Apache-2.0
// Branches that do no more than to choose between 1 and 0, as comparisons whose answer is kept do, and those that choose nothing: the first
// become a value, TestI or TestA, which no processor has to predict; the others go.
#include "jit/ir.h"

typedef struct Way { // from a branch to where both of its ways meet
    BlockId
        first; // of the blocks between, each of which only goes to the next; 0: there are none
    BlockId to;
    uint32_t edge; // of `to`: which of its predecessors
} Way;

static bool find_edge(const Graph *g, BlockId from, BlockId to, uint32_t *edge)
{
    const IrList *preds = &ir_at(g, to)->preds;
    uint32_t times = 0;
    for (uint32_t i = 0; i < preds->len; i++)
        if (preds->at[i] == from) {
            *edge = i;
            times++;
        }
    return times == 1;
}

static bool only_goes(const Graph *g, BlockId b)
{
    const Block *block = ir_at(g, b);
    return block->nodes.len == 1 && block->preds.len == 1
           && ir_node(g, block->nodes.at[0])->op == IR_Goto;
}

// Edge i of b's end.
static bool follow(const Graph *g, BlockId b, uint32_t i, Way *way)
{
    BlockId from = b, to = ir_at(g, b)->succs.at[i];
    for (; only_goes(g, to); to = ir_at(g, to)->succs.at[0])
        from = to;
    *way = (Way){.first = from == b ? 0 : ir_at(g, b)->succs.at[i], .to = to};
    return find_edge(g, from, to, &way->edge);
}

static bool is_int(const Graph *g, NodeId n, int32_t value)
{
    const Node *node = ir_node(g, n);
    return node->op == IR_Const && node->type == IRT_I && (int32_t)ir_value(g, node) == value;
}

// What phi is when the branch's condition holds, less what it is else, where both are 0 or 1; other values of one: no choice.
static bool choice_of(const Graph *g, NodeId phi, const Way *ways, int *difference)
{
    const NodeId *in = ir_inputs(g, ir_node(g, phi));
    NodeId yes = in[ways[0].edge], no = in[ways[1].edge];
    *difference = 0;
    if (yes == no)
        return true;
    *difference = is_int(g, yes, 1) && is_int(g, no, 0)   ? 1
                  : is_int(g, yes, 0) && is_int(g, no, 1) ? -1
                                                          : 0;
    return *difference != 0;
}

static NodeId phi_at(const Graph *g, BlockId b, uint32_t k)
{
    const IrList *nodes = &ir_at(g, b)->nodes;
    return k < nodes->len && ir_node(g, nodes->at[k])->op == IR_Phi ? nodes->at[k] : 0;
}

static bool all_choose(const Graph *g, const Way *ways)
{
    NodeId phi;
    int difference;
    for (uint32_t k = 0; (phi = phi_at(g, ways[0].to, k)) != 0; k++)
        if (!choice_of(g, phi, ways, &difference))
            return false;
    return true;
}

// What is 1 where the condition c holds for the inputs of a branch, else 0.
static NodeId test(Graph *g, BlockId b, const Node *branch, Condition c)
{
    const Node *x = ir_node(g, branch->in[0]);
    bool is_answer = x->op == IR_InstanceOf || x->op == IR_HasClass || x->op == IR_TestI
                     || x->op == IR_TestA;
    if (is_answer && c == CONDITION_NE && is_int(g, branch->in[1], 0))
        return branch->in[0];
    IrOp op = branch->op == IR_IfI ? IR_TestI : IR_TestA;
    return ir_number(g, b, op, IRT_I, 2, branch->in, c);
}

// Phis of `to` get what the branch, which was taken from the end of b, chooses.
static void choose(Graph *g, BlockId b, const Node *branch, const Way *ways)
{
    NodeId phi;
    int difference;
    Condition c = (Condition)branch->aux;
    for (uint32_t k = 0; (phi = phi_at(g, ways[0].to, k)) != 0; k++) {
        if (!choice_of(g, phi, ways, &difference) || difference == 0)
            continue;
        NodeId value = test(g, b, branch, difference > 0 ? c : ir_opposite(c));
        ir_inputs(g, ir_node(g, phi))[ways[0].edge] = value;
    }
}

static void drop(Graph *g, const Way *way)
{
    for (BlockId b = way->first, next; b && b != way->to; b = next) {
        next = ir_at(g, b)->succs.at[0];
        ir_at(g, b)->preds.len = ir_at(g, b)->succs.len = 0;
    }
}

static void look_at(Graph *g, BlockId b)
{
    const Node branch = *ir_node(g, ir_end(ir_at(g, b)));
    Way ways[2];
    if ((branch.op != IR_IfI && branch.op != IR_IfA) || !follow(g, b, 0, &ways[0])
        || !follow(g, b, 1, &ways[1]) || ways[0].to != ways[1].to
        || ir_at(g, ways[0].to)->is_header || !all_choose(g, ways))
        return;
    ir_at(g, b)->nodes.len--;
    g->at_bci = branch.bci;
    g->at_scope = branch.scope;
    choose(g, b, &branch, ways);
    ir_add(g, b, IR_Goto, IRT_V, 0, NULL, 0);
    ir_at(g, b)->succs.len = 1;
    ir_at(g, b)->succs.at[0] = ways[0].to;
    ir_at(g, ways[0].to)->preds.at[ways[0].edge] = b;
    ir_remove_pred(g, ways[0].to, ways[1].edge);
    drop(g, &ways[0]);
    drop(g, &ways[1]);
}

void ir_choices(Graph *g)
{
    ir_find_loops(g);
    for (size_t i = g->order.len; i-- > 0;) // the innermost choice first
        if (ir_at(g, g->order.at[i])->succs.len == 2)
            look_at(g, g->order.at[i]);
}
