// SPDX-License-Identifier: Apache-2.0
// Checks that have failed before, under a handler: a branch is in front of them, which leads to what throws the exception, and so to the
// landings, where the frame would else be deoptimized. The check stays behind the branch, which has answered it.
#include "interp/profile.h"
#include "jit/build.h"

bool build_has_thrown(const Builder *b, uint32_t bci)
{
    return b->source->method && profile_has_thrown(b->source->method, bci);
}

// Goes on in a new block; where the condition holds, in block `to`.
static void branch_to(Builder *b, BlockId to, NodeId x, Condition condition, NodeId y)
{
    IrOp op = ir_node(b->g, x)->type == IRT_A ? IR_IfA : IR_IfI;
    build_effect(b, op, IRT_V, 2, (NodeId[]){x, y}, condition, 0);
    ir_edge(b->g, b->block, to);
    BlockId next = build_new_block(b, b->in.bci);
    ir_edge(b->g, b->block, next);
    b->block = next;
}

// To `fail` where the check fails; what throws there.
static IrOp test(Builder *b, IrOp check, const NodeId *in, uint32_t aux, BlockId fail)
{
    NodeId zero = build_int(b, 0);
    switch (check) {
    case IR_NullCheck:
        branch_to(b, fail, in[0], CONDITION_EQ, ir_const(b->g, IRT_A, 0));
        return IR_ThrowNull;
    case IR_RangeCheck:
        branch_to(b, fail, in[0], CONDITION_LT, zero);
        branch_to(b, fail, in[0], CONDITION_GE, in[1]);
        return IR_ThrowIndex;
    case IR_ZeroCheckI: branch_to(b, fail, in[0], CONDITION_EQ, zero); return IR_ThrowZero;
    case IR_ZeroCheckL:
        branch_to(b, fail, build_binary(b, IR_CmpL, in[0], ir_const(b->g, IRT_L, 0)),
                  CONDITION_EQ, zero);
        return IR_ThrowZero;
    case IR_NegSizeCheck: branch_to(b, fail, in[0], CONDITION_LT, zero); return IR_ThrowSize;
    default: {
        VM_ASSERT(check == IR_TypeCheck);
        BlockId fits = build_new_block(b, b->in.bci);
        branch_to(b, fits, in[0], CONDITION_EQ, ir_const(b->g, IRT_A, 0));
        NodeId is = build_value(b, IR_InstanceOf, IRT_I, 1, in, aux);
        branch_to(b, fail, is, CONDITION_EQ, zero);
        build_effect(b, IR_Goto, IRT_V, 0, NULL, 0, 0);
        ir_edge(b->g, b->block, fits);
        b->block = fits;
        return IR_ThrowCast;
    }
    }
}

// Of a TypeCheck only that of a cast throws ClassCastException. Of a StoreCheck nothing but itself says whether it fails.
static bool may_throw_here(const Builder *b, IrOp check)
{
    return check == IR_TypeCheck ? b->in.op == BC_checkcast : check != IR_StoreCheck;
}

void build_test_check(Builder *b, IrOp check, uint32_t count, const NodeId *in, uint32_t aux)
{
    if (b->g->refused || !may_throw_here(b, check) || !build_handler_in_reach(b)
        || !build_has_thrown(b, b->in.bci))
        return;
    BlockId fail = build_new_block(b, b->in.bci);
    IrOp throws = test(b, check, in, aux, fail);
    BlockId next = b->block;
    b->block = fail;
    build_effect(b, throws, IRT_V, throws == IR_ThrowNull || throws == IR_ThrowZero ? 0 : count,
                 in, throws == IR_ThrowCast ? aux : 0, build_state_again(b));
    build_landings(b, true);
    b->block = b->g->refused ? 0 : next;
}
