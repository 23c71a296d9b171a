// SPDX-License-Identifier: Apache-2.0
// What a node is known to be before it is made: constants are computed by the table's own expressions; the rest is
// rules, a row each.
#include "class/class.h"
#include "jit/ir.h"

bool ir_is_not_null(const Graph *g, NodeId n)
{
    const Node *node = ir_node(g, n);
    VM_ASSERT(node->type == IRT_A);
    if (node->op == IR_Param)
        return node->aux == 0 && !(g->source->access & ACC_STATIC); // this
    if (node->op == IR_Phi)
        return node->aux == PHI_NOT_NULL;
    if (node->op == IR_TypeCheck || node->op == IR_StoreCheck)
        return ir_is_not_null(g, node->in[0]);
    return (ir_info(node)->flags & IRF_NOT_NULL) != 0;
}

NodeId ir_unchecked(const Graph *g, NodeId n)
{
    while (ir_info(ir_node(g, n))->flags & IRF_CHECK)
        n = ir_node(g, n)->in[0];
    return n;
}

// ---- rules for a constant y ----

typedef enum Becomes { X, Y } Becomes;

static const struct {
    uint16_t op;
    int64_t y;
    Becomes becomes;
} rules[] = {
    {IR_AddI, 0, X},  {IR_AddL, 0, X},  {IR_SubI, 0, X}, {IR_SubL, 0, X}, {IR_MulI, 1, X},
    {IR_MulL, 1, X},  {IR_MulI, 0, Y},  {IR_MulL, 0, Y}, {IR_DivI, 1, X}, {IR_DivL, 1, X},
    {IR_AndI, -1, X}, {IR_AndL, -1, X}, {IR_AndI, 0, Y}, {IR_AndL, 0, Y}, {IR_OrI, 0, X},
    {IR_OrL, 0, X},   {IR_OrI, -1, Y},  {IR_OrL, -1, Y}, {IR_XorI, 0, X}, {IR_XorL, 0, X},
    {IR_ShlI, 0, X},  {IR_ShlL, 0, X},  {IR_ShrI, 0, X}, {IR_ShrL, 0, X}, {IR_UshrI, 0, X},
    {IR_UshrL, 0, X},
};

static int64_t const_number(const Graph *g, const Node *n)
{
    uint64_t bits = ir_value(g, n);
    return n->type == IRT_I ? (int32_t)bits : (int64_t)bits;
}

static NodeId by_rule(const Graph *g, IrOp op, NodeId x, NodeId y)
{
    const Node *ny = ir_node(g, y);
    if (ny->op != IR_Const || (ny->type != IRT_I && ny->type != IRT_L))
        return 0;
    int64_t value = const_number(g, ny);
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (rules[i].op == op && rules[i].y == value)
            return rules[i].becomes == X ? x : y;
    return 0;
}

// ---- two inputs that are one value ----

static NodeId of_same(Graph *g, IrOp op, NodeId x)
{
    switch (op) {
    case IR_SubI:
    case IR_XorI:
    case IR_CmpL: return ir_const(g, IRT_I, 0);
    case IR_SubL:
    case IR_XorL: return ir_const(g, IRT_L, 0);
    case IR_AndI:
    case IR_AndL:
    case IR_OrI:
    case IR_OrL: return x;
    default: return 0;
    }
}

// ---- checks that cannot fail, and what is asked of known objects ----

typedef struct Bounds {
    int32_t least, most;
} Bounds;

static Bounds bounds_of_kind(char kind)
{
    switch (kind) {
    case 'Z': return (Bounds){0, 1};
    case 'B': return (Bounds){INT8_MIN, INT8_MAX};
    case 'C': return (Bounds){0, UINT16_MAX};
    case 'S': return (Bounds){INT16_MIN, INT16_MAX};
    default: return (Bounds){INT32_MIN, INT32_MAX};
    }
}

// Between what an int always lies.
static Bounds bounds_of(const Graph *g, NodeId n)
{
    const Node *node = ir_node(g, n);
    switch (node->op) {
    case IR_TestI:
    case IR_TestA:
    case IR_InstanceOf:
    case IR_HasClass: return bounds_of_kind('Z');
    case IR_I2B: return bounds_of_kind('B');
    case IR_I2C: return bounds_of_kind('C');
    case IR_I2S: return bounds_of_kind('S');
    case IR_LoadField: return bounds_of_kind(((const Field *)ir_pointer(g, node))->kind);
    case IR_LoadElem: return bounds_of_kind((char)node->aux);
    case IR_AndI: {
        const Node *y = ir_node(g, node->in[1]);
        int64_t mask = y->op == IR_Const ? const_number(g, y) : -1;
        return mask >= 0 ? (Bounds){0, (int32_t)mask} : bounds_of_kind('I');
    }
    default: return bounds_of_kind('I');
    }
}

static bool lies_within(const Graph *g, NodeId n, Bounds wanted)
{
    Bounds is = bounds_of(g, n);
    return is.least >= wanted.least && is.most <= wanted.most;
}

// Whether a mask leaves all bits of an int that may be set: it is 2^k - 1.
static bool is_masked(const Graph *g, NodeId n, const Node *mask)
{
    int64_t bits = mask->op == IR_Const ? const_number(g, mask) : -1;
    return bits >= 0 && (bits & (bits + 1)) == 0
           && lies_within(g, n, (Bounds){0, (int32_t)bits});
}

static NodeId of_known(Graph *g, IrOp op, const NodeId *in)
{
    const Node *x = ir_node(g, in[0]);
    bool constant = x->op == IR_Const;
    switch (op) {
    case IR_NullCheck: return ir_is_not_null(g, in[0]) ? in[0] : 0;
    case IR_ZeroCheckI:
    case IR_ZeroCheckL: return constant && const_number(g, x) != 0 ? in[0] : 0;
    case IR_NegSizeCheck: return constant && const_number(g, x) >= 0 ? in[0] : 0;
    case IR_TypeCheck:
    case IR_StoreCheck: return constant ? in[0] : 0; // null
    case IR_AndI: return is_masked(g, in[0], ir_node(g, in[1])) ? in[0] : 0;
    case IR_I2B: return lies_within(g, in[0], bounds_of_kind('B')) ? in[0] : 0;
    case IR_I2C: return lies_within(g, in[0], bounds_of_kind('C')) ? in[0] : 0;
    case IR_I2S: return lies_within(g, in[0], bounds_of_kind('S')) ? in[0] : 0;
    case IR_L2I: return x->op == IR_I2L || x->op == IR_ExtendZero ? x->in[0] : 0;
    case IR_InstanceOf: return constant ? ir_const(g, IRT_I, 0) : 0;
    case IR_ArrayLength: return x->op == IR_NewArray ? x->in[0] : 0;
    case IR_RangeCheck: {
        const Node *length = ir_node(g, in[1]);
        return constant && length->op == IR_Const
                       && (uint64_t)const_number(g, x) < (uint64_t)const_number(g, length)
                   ? in[0]
                   : 0;
    }
    default: return 0;
    }
}

static NodeId compute(Graph *g, IrOp op, uint32_t count, const NodeId *in)
{
    IrValue v[2] = {{0}, {0}}, result;
    for (uint32_t i = 0; i < count; i++) {
        const Node *n = ir_node(g, in[i]);
        if (n->op != IR_Const)
            return 0;
        v[i].bits = ir_value(g, n);
    }
    bool division = op == IR_DivI || op == IR_RemI || op == IR_DivL || op == IR_RemL;
    if ((division && const_number(g, ir_node(g, in[1])) == 0)
        || !ir_compute(op, v[0], v[1], &result))
        return 0;
    return ir_const(g, (IrType)ir_ops[op].type, result.bits);
}

NodeId ir_fold(Graph *g, IrOp op, uint32_t count, const NodeId *in)
{
    VM_ASSERT(ir_ops[op].flags & (IRF_PURE | IRF_CHECK));
    if (count == 0 || count > 2)
        return 0;
    NodeId known = of_known(g, op, in);
    if (!known)
        known = compute(g, op, count, in);
    if (!known && count == 2)
        known = in[0] == in[1] ? of_same(g, op, in[0]) : by_rule(g, op, in[0], in[1]);
    return known;
}
