// SPDX-License-Identifier: Apache-2.0
// Arithmetic that cheaper nodes do as well: multiplication by a constant beside a power of two is a shift or two nodes, division by a constant is a multiplication and shifts (Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication", 1994, figure 5.2), and a mask that leaves an int of a long extends it by zeros.
#include "jit/build.h"

// ---- a node, by the width that is divided ----

typedef struct Width {
    IrType type;
    int bits;
    IrOp add, sub, neg, and, shl, shr, ushr, mul;
} Width;

static const Width ints = {IRT_I,   32,      IR_AddI, IR_SubI,  IR_NegI,
                           IR_AndI, IR_ShlI, IR_ShrI, IR_UshrI, IR_MulI};
static const Width longs = {IRT_L,   64,      IR_AddL, IR_SubL,  IR_NegL,
                            IR_AndL, IR_ShlL, IR_ShrL, IR_UshrL, IR_MulL};

static NodeId number(Builder *b, const Width *w, int64_t value)
{
    return w->type == IRT_I ? build_int(b, (int32_t)value)
                            : ir_const(b->g, IRT_L, (uint64_t)value);
}

static NodeId shift(Builder *b, IrOp op, NodeId x, int count)
{
    return build_binary(b, op, x, build_int(b, count));
}

// ---- division ----

// x + (2^k - 1) where x is below 0, else x: what a shift by k then rounds towards 0.
static NodeId biased(Builder *b, const Width *w, NodeId x, int k)
{
    NodeId sign = shift(b, w->shr, x, w->bits - 1);
    return build_binary(b, w->add, x, shift(b, w->ushr, sign, w->bits - k));
}

// x / d, for a d of at least 3 that is no power of two.
static NodeId quotient(Builder *b, const Width *w, NodeId x, uint64_t d)
{
    int log = 64 - __builtin_clzll(d); // d is above 2^(log - 1) and below 2^log
    unsigned __int128 power = (unsigned __int128)1 << (w->bits - 1 + log);
    uint64_t multiplier = (uint64_t)(power / d) + 1; // of 64 bits: less 2^64
    NodeId high;
    if (w->type == IRT_I) {
        NodeId product = build_binary(b, IR_MulL, build_unary(b, IR_I2L, x),
                                      ir_const(b->g, IRT_L, multiplier));
        high = build_unary(b, IR_L2I, shift(b, IR_ShrL, product, w->bits - 1 + log));
    } else {
        high = build_binary(b, IR_MultiplyHigh, x, ir_const(b->g, IRT_L, multiplier));
        high = shift(b, IR_ShrL, build_binary(b, IR_AddL, x, high), log - 1);
    }
    return build_binary(b, w->sub, high, shift(b, w->shr, x, w->bits - 1));
}

static NodeId divide(Builder *b, const Width *w, bool wants_rest, NodeId x, int64_t by)
{
    uint64_t d = by < 0 ? -(uint64_t)by : (uint64_t)by;
    if (d == 1)
        return wants_rest ? number(b, w, 0) : by == 1 ? x : build_unary(b, w->neg, x);
    int k = __builtin_ctzll(d);
    bool is_power = d == (uint64_t)1 << k;
    if (is_power && wants_rest) {
        NodeId whole = build_binary(b, w->and, biased(b, w, x, k), number(b, w, (int64_t)-d));
        return build_binary(b, w->sub, x, whole);
    }
    NodeId q = is_power ? shift(b, w->shr, biased(b, w, x, k), k) : quotient(b, w, x, d);
    if (wants_rest) // the sign of d is of no matter
        return build_binary(b, w->sub, x, build_binary(b, w->mul, q, number(b, w, (int64_t)d)));
    return by < 0 ? build_unary(b, w->neg, q) : q;
}

// ---- multiplication ----

static bool is_power(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

// x * by as shifts, where one or two steps do: of a power of two, or one beside it. 0: it takes more.
static NodeId multiplied(Builder *b, const Width *w, NodeId x, uint64_t by)
{
    if (is_power(by))
        return shift(b, w->shl, x, __builtin_ctzll(by));
    if (by > 1 && is_power(by - 1))
        return build_binary(b, w->add, shift(b, w->shl, x, __builtin_ctzll(by - 1)), x);
    if (is_power(by + 1) && __builtin_ctzll(by + 1) < w->bits)
        return build_binary(b, w->sub, shift(b, w->shl, x, __builtin_ctzll(by + 1)), x);
    return 0;
}

// ---- masks ----

static NodeId extended(Builder *b, NodeId x, uint64_t mask)
{
    const Node *n = ir_node(b->g, x);
    if (mask > UINT32_MAX || (n->op != IR_I2L && mask != UINT32_MAX))
        return 0;
    NodeId low = n->op == IR_I2L ? n->in[0] : build_unary(b, IR_L2I, x);
    return build_unary(b, IR_ExtendZero,
                       build_binary(b, IR_AndI, low, build_int(b, (int32_t)(uint32_t)mask)));
}

NodeId build_reduced(Builder *b, IrOp op, const NodeId *in)
{
    bool divides = op == IR_DivI || op == IR_DivL, rests = op == IR_RemI || op == IR_RemL;
    bool multiplies = op == IR_MulI || op == IR_MulL;
    if ((!divides && !rests && !multiplies && op != IR_AndL) || !ir_is_const(b->g, in[1]))
        return 0;
    uint64_t bits = ir_value(b->g, ir_node(b->g, in[1]));
    if (multiplies)
        return multiplied(b, op == IR_MulI ? &ints : &longs, in[0],
                          op == IR_MulI ? (uint32_t)bits : bits);
    if (op == IR_AndL)
        return extended(b, in[0], bits);
    bool wide = op == IR_DivL || op == IR_RemL;
    int64_t by = wide ? (int64_t)bits : (int32_t)(uint32_t)bits;
    return by == 0 ? 0 : divide(b, wide ? &longs : &ints, rests, in[0], by);
}
