// SPDX-License-Identifier: Apache-2.0
// What the branches on the way to a block say of values: a reference is not null, a number is less than another, or not
// negative. Asked where it is needed, by a walk up the dominators.
#include "class/class.h"
#include "jit/ir.h"

enum {
    MOST_STEPS = 100, // up the dominators
    MOST_VALUES = 8,  // that a number is followed through
};

// A branch whose answer is known in a block: `condition` holds of its inputs.
typedef struct Answer {
    const Node *branch;
    Condition condition;
} Answer;

Condition ir_opposite(Condition c)
{
    static const uint8_t opposites[] = {
        [CONDITION_EQ] = CONDITION_NE, [CONDITION_NE] = CONDITION_EQ,
        [CONDITION_LT] = CONDITION_GE, [CONDITION_GE] = CONDITION_LT,
        [CONDITION_GT] = CONDITION_LE, [CONDITION_LE] = CONDITION_GT,
    };
    return (Condition)opposites[c];
}

// By the edge that alone leads to a block.
static bool answer_at(const Graph *g, BlockId b, Answer *answer)
{
    const Block *block = ir_at(g, b);
    if (block->preds.len != 1)
        return false;
    const Block *pred = ir_at(g, block->preds.at[0]);
    const Node *end = ir_node(g, ir_end(pred));
    if ((end->op != IR_IfI && end->op != IR_IfA) || pred->succs.at[0] == pred->succs.at[1])
        return false;
    answer->branch = end;
    answer->condition = (Condition)end->aux;
    if (pred->succs.at[1] == b)
        answer->condition = ir_opposite(answer->condition);
    return true;
}

// ---- references ----

static bool is_null(const Graph *g, NodeId n)
{
    return ir_node(g, n)->op == IR_Const;
}

static bool is_tested(const Graph *g, NodeId n, BlockId b)
{
    Answer a;
    n = ir_unchecked(g, n);
    for (uint32_t steps = 0; b && steps < MOST_STEPS; steps++, b = ir_at(g, b)->idom) {
        if (!answer_at(g, b, &a) || a.branch->op != IR_IfA || a.condition != CONDITION_NE)
            continue;
        NodeId x = ir_unchecked(g, a.branch->in[0]), y = ir_unchecked(g, a.branch->in[1]);
        if ((x == n && is_null(g, y)) || (y == n && is_null(g, x)))
            return true;
    }
    return false;
}

// Whether a branch on the node's class, or on what it is an instance of, says that it is an instance of c.
static bool is_instance(const Graph *g, NodeId n, const Class *c, BlockId b)
{
    Answer a;
    n = ir_unchecked(g, n);
    for (uint32_t steps = 0; b && steps < MOST_STEPS; steps++, b = ir_at(g, b)->idom) {
        if (!answer_at(g, b, &a) || a.branch->op != IR_IfI || a.condition != CONDITION_NE)
            continue;
        const Node *test = ir_node(g, a.branch->in[0]), *zero = ir_node(g, a.branch->in[1]);
        if ((test->op == IR_HasClass || test->op == IR_InstanceOf) && zero->op == IR_Const
            && (int32_t)ir_value(g, zero) == 0 && ir_unchecked(g, test->in[0]) == n
            && class_is_subclass(ir_pointer(g, test), c))
            return true;
    }
    return false;
}

// ---- numbers ----

// Whether x < y is known, in block b; of any y when that is 0.
static bool is_less(const Graph *g, NodeId x, NodeId y, BlockId b)
{
    Answer a;
    for (uint32_t steps = 0; b && steps < MOST_STEPS; steps++, b = ir_at(g, b)->idom) {
        if (!answer_at(g, b, &a) || a.branch->op != IR_IfI)
            continue;
        const NodeId *in = a.branch->in;
        if (a.condition == CONDITION_LT && in[0] == x && (!y || in[1] == y))
            return true;
        if (a.condition == CONDITION_GT && in[1] == x && (!y || in[0] == y))
            return true;
    }
    return false;
}

static bool is_constant_from(const Graph *g, NodeId n, int32_t least)
{
    const Node *node = ir_node(g, n);
    return node->op == IR_Const && (int32_t)ir_value(g, node) >= least;
}

// Whether a branch says that x >= 0.
static bool is_tested_not_negative(const Graph *g, NodeId x, BlockId b)
{
    Answer a;
    for (uint32_t steps = 0; b && steps < MOST_STEPS; steps++, b = ir_at(g, b)->idom) {
        if (!answer_at(g, b, &a) || a.branch->op != IR_IfI)
            continue;
        const NodeId *in = a.branch->in;
        if ((a.condition == CONDITION_GE && in[0] == x && is_constant_from(g, in[1], 0))
            || (a.condition == CONDITION_GT && in[0] == x && is_constant_from(g, in[1], -1))
            || (a.condition == CONDITION_LE && in[1] == x && is_constant_from(g, in[0], 0))
            || (a.condition == CONDITION_LT && in[1] == x && is_constant_from(g, in[0], -1)))
            return true;
    }
    return false;
}

typedef struct Seen { // phis that are being asked for: they hold if all else does
    NodeId at[MOST_VALUES];
    uint32_t count;
} Seen;

static bool is_not_negative(const Graph *g, NodeId n, BlockId b, Seen *seen);

// Each input, where its edge comes from: a number that is below another there may be counted up by one.
static bool is_phi_not_negative(const Graph *g, NodeId phi, Seen *seen)
{
    uint32_t before = seen->count;
    for (uint32_t i = 0; i < before; i++)
        if (seen->at[i] == phi)
            return true;
    if (before == MOST_VALUES)
        return false;
    seen->at[seen->count++] = phi;
    Node *n = ir_node(g, phi);
    const Block *block = ir_at(g, n->block);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!is_not_negative(g, ir_inputs(g, n)[i], block->preds.at[i], seen)) {
            seen->count = before; // what was assumed meanwhile is not shown
            return false;
        }
    return true;
}

static bool is_not_negative(const Graph *g, NodeId n, BlockId b, Seen *seen)
{
    const Node *node = ir_node(g, n);
    switch (node->op) {
    case IR_Const: return (int32_t)ir_value(g, node) >= 0;
    case IR_ArrayLength:
    case IR_RangeCheck:
    case IR_NegSizeCheck:
    case IR_I2C: return true;
    case IR_LoadElem: return node->aux == 'C';
    case IR_AndI:
        return is_constant_from(g, node->in[0], 0) || is_constant_from(g, node->in[1], 0);
    case IR_AddI:
        if (ir_is_const(g, node->in[1]) && ir_value(g, ir_node(g, node->in[1])) == 1
            && is_less(g, node->in[0], 0, b) && is_not_negative(g, node->in[0], b, seen))
            return true;
        break;
    case IR_Phi:
        if (is_phi_not_negative(g, n, seen))
            return true;
        break;
    default: break;
    }
    return is_tested_not_negative(g, n, b);
}

bool ir_is_answered(const Graph *g, NodeId check)
{
    const Node *n = ir_node(g, check);
    Seen seen = {.count = 0};
    switch (n->op) {
    case IR_NullCheck: return is_tested(g, n->in[0], n->block);
    case IR_TypeCheck: return is_instance(g, n->in[0], ir_pointer(g, n), n->block);
    case IR_RangeCheck:
        return is_less(g, n->in[0], n->in[1], n->block)
               && is_not_negative(g, n->in[0], n->block, &seen);
    default: return false;
    }
}
