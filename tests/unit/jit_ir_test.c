// SPDX-License-Identifier: Apache-2.0
// src/jit without a running VM: graphs of small pieces of code, their states, what is folded, what is refused, and
// that the verifier sees a graph that is damaged. tests/java/jit/BuildAll.java builds all of the class library.
#include "class/class.h"
#include "class/symbol.h"
#include "jit/ir.h"
#include "platform/fault.h"
#include "vmtest.h"

// ---- code by hand ----

static const ClassFile no_constants;

typedef struct Made {
    IrSource source;
    Graph g;
    bool ok;
} Made;

static void make(Made *m, uint16_t access, const char *descriptor, CodeInfo code, bool landings)
{
    m->source =
        (IrSource){.cf = &no_constants,
                   .code = code,
                   .descriptor = {(const uint8_t *)descriptor, (uint32_t)strlen(descriptor)},
                   .access = access};
    ir_init(&m->g, &m->source);
    m->ok = ir_build(&m->g, &(BuildOptions){.link = true, .landings = landings});
    StrBuf wrong = {0};
    if (m->ok)
        EXPECT_MSG(ir_verify(&m->g, &wrong), "%s", wrong.s);
    sb_free(&wrong);
}

#define CODE(...) ((const uint8_t[]){__VA_ARGS__})
#define METHOD(stack, locals, ...)                     \
    ((CodeInfo){.max_stack = (stack),                  \
                .max_locals = (locals),                \
                .code_len = sizeof(CODE(__VA_ARGS__)), \
                .code = CODE(__VA_ARGS__)})
#define MAKE(m, descriptor, ...)                                  \
    Made m;                                                       \
    make(&m, ACC_STATIC, descriptor, METHOD(__VA_ARGS__), false); \
    EXPECT(m.ok)

static uint32_t count_of(const Graph *g, IrOp op)
{
    uint32_t n = 0;
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            n += ir_node(g, nodes->at[k])->op == op;
    }
    return n;
}

// The only node of a kind.
static NodeId only(const Graph *g, IrOp op)
{
    EXPECT_INT(1, count_of(g, op));
    for (NodeId n = 1; n < g->nodes.len; n++)
        if (ir_node(g, n)->op == op)
            return n;
    return 0;
}

static const char *names(const Graph *g, NodeId n)
{
    return n ? ir_info(ir_node(g, n))->name : ".";
}

static int32_t int_of(const Graph *g, NodeId n)
{
    EXPECT_STR("Const", names(g, n));
    return (int32_t)ir_value(g, ir_node(g, n));
}

static void expect_refused(CodeInfo code, IrRefusal why)
{
    Made m;
    make(&m, ACC_STATIC, "(ILjava/lang/Object;)V", code, true);
    EXPECT(!m.ok);
    EXPECT_STR(ir_refusal_text(why), ir_refusal_text(m.g.refused));
    ir_free(&m.g);
}

// ---- values ----

TEST(constants_are_folded)
{
    MAKE(m, "()I", 2, 0, BC_bipush, 6, BC_bipush, 7, BC_imul, BC_ireturn);
    EXPECT(m.ok);
    NodeId result = ir_node(&m.g, only(&m.g, IR_Return))->in[0];
    EXPECT_INT(42, int_of(&m.g, result));
    ir_free(&m.g);
}

TEST(rules_of_neutral_operands)
{
    // (x + 0) * 1 - 0 is x; 0 + x, too
    MAKE(m, "(I)I", 2, 1, BC_iload_0, BC_iconst_0, BC_iadd, BC_iconst_1, BC_imul, BC_iconst_0,
         BC_swap, BC_iadd, BC_ireturn);
    EXPECT_STR("Param", names(&m.g, ir_node(&m.g, only(&m.g, IR_Return))->in[0]));
    ir_free(&m.g);
}

TEST(division_by_a_constant_needs_no_check_and_no_division)
{
    MAKE(m, "(I)I", 2, 1, BC_iload_0, BC_iconst_3, BC_idiv, BC_ireturn);
    EXPECT_INT(0, count_of(&m.g, IR_ZeroCheckI));
    EXPECT_INT(0, count_of(&m.g, IR_DivI));
    EXPECT_INT(1, count_of(&m.g, IR_MulL));
    ir_free(&m.g);
    MAKE(rest, "(J)J", 4, 2, BC_lload_0, BC_bipush, 8, BC_i2l, BC_lrem, BC_lreturn);
    EXPECT_INT(0, count_of(&rest.g, IR_RemL));
    EXPECT_INT(0, count_of(&rest.g, IR_MulL));
    EXPECT_INT(1, count_of(&rest.g, IR_AndL));
    ir_free(&rest.g);
}

TEST(division_by_0_is_checked)
{
    MAKE(m, "(I)I", 2, 1, BC_iload_0, BC_iconst_0, BC_irem, BC_ireturn);
    EXPECT_INT(1, count_of(&m.g, IR_ZeroCheckI));
    EXPECT_INT(1, count_of(&m.g, IR_RemI));
    ir_free(&m.g);
}

TEST(what_changes_no_bit_is_left_out)
{
    // (byte) (x & 127), (char) that, that & 255, (int) (long) that
    MAKE(m, "(I)I", 3, 1, BC_iload_0, BC_bipush, 127, BC_iand, BC_i2b, BC_i2c, BC_sipush, 0,
         255, BC_iand, BC_i2l, BC_l2i, BC_ireturn);
    EXPECT_STR("AndI", names(&m.g, ir_node(&m.g, only(&m.g, IR_Return))->in[0]));
    ir_free(&m.g);
    MAKE(kept, "(I)I", 2, 1, BC_iload_0, BC_sipush, 0, 255, BC_iand, BC_i2b, BC_bipush, 127,
         BC_iand, BC_ireturn);
    EXPECT_INT(2, count_of(&kept.g, IR_AndI));
    EXPECT_INT(1, count_of(&kept.g, IR_I2B));
    ir_free(&kept.g);
}

TEST(a_mask_of_the_lower_half_extends_by_zeros)
{
    // x & -1L >>> 32
    MAKE(m, "(I)J", 5, 1, BC_iload_0, BC_i2l, BC_iconst_m1, BC_i2l, BC_bipush, 32, BC_lushr,
         BC_land, BC_lreturn);
    NodeId result = ir_node(&m.g, only(&m.g, IR_Return))->in[0];
    EXPECT_STR("ExtendZero", names(&m.g, result));
    EXPECT_STR("Param", names(&m.g, ir_node(&m.g, result)->in[0]));
    ir_free(&m.g);
}

TEST(equal_nodes_of_a_block_are_one)
{
    MAKE(m, "(II)I", 3, 2, BC_iload_0, BC_iload_1, BC_iadd, BC_iload_0, BC_iload_1, BC_iadd,
         BC_ixor, BC_ireturn);
    EXPECT_INT(0, int_of(&m.g, ir_node(&m.g, only(&m.g, IR_Return))->in[0]));
    ir_free(&m.g);
}

// ---- states ----

TEST(a_check_shows_the_frame_before_its_instruction)
{
    // 5; a[i] with the 5 below, local 2 unset, local 3 a long
    MAKE(m, "([II)I", 4, 5, BC_lconst_1, BC_lstore_3, BC_iconst_5, BC_aload_0, BC_iload_1,
         BC_iaload, BC_iadd, BC_ireturn);
    EXPECT(m.ok);
    const Node *check = ir_node(&m.g, only(&m.g, IR_RangeCheck));
    const State *s = ir_state(&m.g, check->state);
    const NodeId *locals, *operands;
    ir_state_words(&m.g, s, &locals, &operands);
    EXPECT_INT(STATE_AGAIN, s->kind);
    EXPECT_INT(5, s->bci);
    EXPECT_INT(3, s->depth);
    EXPECT_INT(5, int_of(&m.g, operands[0]));
    EXPECT_STR("Param", names(&m.g, operands[1]));
    EXPECT_STR("Param", names(&m.g, locals[0]));
    EXPECT_STR(".", names(&m.g, locals[2]));
    EXPECT_STR("Const", names(&m.g, locals[3]));
    EXPECT_STR(".", names(&m.g, locals[4]));
    EXPECT(check->state == ir_node(&m.g, only(&m.g, IR_NullCheck))->state);
    ir_free(&m.g);
}

TEST(half_a_wide_local_is_unset)
{
    MAKE(m, "(J[I)I", 2, 3, BC_iconst_1, BC_istore_1, BC_aload_2, BC_arraylength, BC_ireturn);
    const State *s = ir_state(&m.g, ir_node(&m.g, only(&m.g, IR_NullCheck))->state);
    const NodeId *locals, *operands;
    ir_state_words(&m.g, s, &locals, &operands);
    EXPECT_STR(".", names(&m.g, locals[0]));
    EXPECT_STR("Const", names(&m.g, locals[1]));
    ir_free(&m.g);
}

TEST(a_local_of_two_kinds_is_unset)
{
    // if (i) local 2 = 1 else local 2 = null; a.length
    MAKE(m, "(I[I)I", 2, 3, BC_iload_0, BC_ifeq, 0, 8, BC_iconst_1, BC_istore_2, BC_goto, 0, 5,
         BC_aconst_null, BC_astore_2, BC_aload_1, BC_arraylength, BC_ireturn);
    EXPECT(m.ok);
    const State *s = ir_state(&m.g, ir_node(&m.g, only(&m.g, IR_NullCheck))->state);
    const NodeId *locals, *operands;
    ir_state_words(&m.g, s, &locals, &operands);
    EXPECT_STR(".", names(&m.g, locals[2]));
    EXPECT_INT(0, count_of(&m.g, IR_Phi));
    ir_free(&m.g);
}

// ---- loops ----

// i = 0; do { local 1 += i; i++ } while (i < n)
#define LOOP                                                                                 \
    METHOD(2, 3, BC_iconst_0, BC_istore_1, BC_iconst_0, BC_istore_2, BC_iload_1, BC_iload_2, \
           BC_iadd, BC_istore_1, BC_iinc, 2, 1, BC_iload_2, BC_iload_0, BC_if_icmplt, 0xff,  \
           0xf7, BC_iload_1, BC_ireturn)

TEST(a_loop_has_phis_for_what_it_stores)
{
    Made m;
    make(&m, ACC_STATIC, "(I)I", LOOP, false);
    EXPECT_INT(2, count_of(&m.g, IR_Phi)); // not for n
    EXPECT_INT(1, count_of(&m.g, IR_Poll));
    const Node *poll = ir_node(&m.g, only(&m.g, IR_Poll));
    EXPECT_INT(4, ir_state(&m.g, poll->state)->bci);
    const Block *latch = ir_at(&m.g, poll->block), *header = ir_at(&m.g, latch->succs.at[0]);
    EXPECT(header->is_header && header->loop_depth == 1 && latch->loop_depth == 1);
    EXPECT(ir_dominates(&m.g, latch->succs.at[0], poll->block));
    EXPECT(!ir_dominates(&m.g, poll->block, latch->succs.at[0]));
    ir_free(&m.g);
}

TEST(a_phi_of_two_kinds_in_a_loop_is_unset)
{
    // local 1 = 1; do { a.length; local 1 = null } while (i == 0)
    MAKE(m, "(I)V", 1, 2, BC_iconst_1, BC_istore_1, BC_iload_0, BC_pop, BC_aconst_null,
         BC_astore_1, BC_iload_0, BC_ifeq, 0xff, 0xfb, BC_return);
    EXPECT(m.ok);
    EXPECT_INT(0, count_of(&m.g, IR_Phi));
    ir_free(&m.g);
}

TEST(passes_keep_the_rules)
{
    Made m;
    make(&m, ACC_STATIC, "(I)I", LOOP, false);
    void (*const passes[])(Graph *) = {ir_thread_jumps, ir_coarsen_locks, ir_gvn,
                                       ir_branches,     ir_dce,           ir_escape,
                                       ir_unroll,       ir_layout};
    for (size_t i = 0; i < ARRAY_LEN(passes); i++) {
        StrBuf wrong = {0};
        passes[i](&m.g);
        EXPECT_MSG(ir_verify(&m.g, &wrong), "%s", wrong.s);
        sb_free(&wrong);
    }
    EXPECT_INT(3, count_of(&m.g, IR_Phi)); // two of the loop, one behind it
    EXPECT_INT(4, count_of(&m.g, IR_IfI));
    EXPECT_INT(1, count_of(&m.g, IR_Poll));
    ir_free(&m.g);
}

// In how many loops the only node of a kind is that is left.
static uint32_t depth_of(const Graph *g, IrOp op)
{
    uint32_t depth = UINT32_MAX;
    EXPECT_INT(1, count_of(g, op));
    for (size_t i = 0; i < g->order.len; i++) {
        const Block *block = ir_at(g, g->order.at[i]);
        for (uint32_t k = 0; k < block->nodes.len; k++)
            if (ir_node(g, block->nodes.at[k])->op == op)
                depth = block->loop_depth;
    }
    return depth;
}

TEST(what_each_turn_checks_the_first_one_does_before_the_loop)
{
    // s = 0; for (i = 0; i < a.length; i++) s += a[i]
    MAKE(m, "([I)I", 3, 3, BC_iconst_0, BC_istore_1, BC_iconst_0, BC_istore_2, BC_iload_2,
         BC_aload_0, BC_arraylength, BC_if_icmpge, 0, 15, BC_iload_1, BC_aload_0, BC_iload_2,
         BC_iaload, BC_iadd, BC_istore_1, BC_iinc, 2, 1, BC_goto, 0xff, 0xf1, BC_iload_1,
         BC_ireturn);
    StrBuf wrong = {0};
    EXPECT(m.ok);
    ir_gvn(&m.g);
    EXPECT_INT(1, depth_of(&m.g, IR_NullCheck));
    EXPECT(ir_peel(&m.g));
    ir_gvn(&m.g);
    ir_branches(&m.g);
    ir_dce(&m.g);
    EXPECT_MSG(ir_verify(&m.g, &wrong), "%s", wrong.s);
    EXPECT_INT(0, depth_of(&m.g, IR_NullCheck));
    EXPECT_INT(2, count_of(&m.g, IR_LoadElem));
    EXPECT(!ir_peel(&m.g));
    sb_free(&wrong);
    ir_free(&m.g);
}

TEST(monitors_that_are_entered_again_stay_entered)
{
    // synchronized (o) { } synchronized (o) { }, and with a check between
    MAKE(m, "(Ljava/lang/Object;)V", 1, 1, BC_aload_0, BC_monitorenter, BC_aload_0,
         BC_monitorexit, BC_aload_0, BC_monitorenter, BC_aload_0, BC_monitorexit, BC_return);
    EXPECT(m.ok);
    ir_gvn(&m.g);
    ir_coarsen_locks(&m.g);
    EXPECT_INT(1, count_of(&m.g, IR_MonitorEnter));
    EXPECT_INT(1, count_of(&m.g, IR_MonitorExit));
    ir_free(&m.g);
    MAKE(n, "(Ljava/lang/Object;[I)V", 1, 2, BC_aload_0, BC_monitorenter, BC_aload_0,
         BC_monitorexit, BC_aload_1, BC_arraylength, BC_pop, BC_aload_0, BC_monitorenter,
         BC_aload_0, BC_monitorexit, BC_return);
    EXPECT(n.ok);
    ir_coarsen_locks(&n.g);
    EXPECT_INT(2, count_of(&n.g, IR_MonitorEnter));
    ir_free(&n.g);
}

TEST(checks_and_loads_are_done_once)
{
    // a[i] + (i == 0 ? a[i] : 1): the second load is the first
    MAKE(m, "([II)I", 3, 2, BC_aload_0, BC_iload_1, BC_iaload, BC_iload_1, BC_ifeq, 0, 7,
         BC_iconst_1, BC_goto, 0, 6, BC_aload_0, BC_iload_1, BC_iaload, BC_iadd, BC_ireturn);
    EXPECT(m.ok);
    EXPECT_INT(2, count_of(&m.g, IR_LoadElem));
    EXPECT_INT(2, count_of(&m.g, IR_RangeCheck));
    ir_gvn(&m.g);
    EXPECT_INT(1, count_of(&m.g, IR_LoadElem));
    EXPECT_INT(1, count_of(&m.g, IR_RangeCheck));
    EXPECT_INT(1, count_of(&m.g, IR_NullCheck));
    ir_free(&m.g);
}

TEST(branches_that_are_answered_go)
{
    // x = a[i]; x != a[i] ? 1 : 2: the loads are one value
    MAKE(m, "([II)I", 4, 3, BC_aload_0, BC_iload_1, BC_iaload, BC_istore_2, BC_iload_2,
         BC_aload_0, BC_iload_1, BC_iaload, BC_if_icmpeq, 0, 5, BC_iconst_1, BC_ireturn,
         BC_iconst_2, BC_ireturn);
    StrBuf wrong = {0};
    EXPECT(m.ok);
    EXPECT_INT(1, count_of(&m.g, IR_IfI));
    ir_gvn(&m.g);
    ir_branches(&m.g);
    ir_dce(&m.g);
    EXPECT_INT(0, count_of(&m.g, IR_IfI));
    EXPECT_MSG(ir_verify(&m.g, &wrong), "%s", wrong.s);
    sb_free(&wrong);
    ir_free(&m.g);
}

TEST(a_store_ends_what_is_known)
{
    // a[0]; b[0] = 1; a[0]: two loads; and b[0] is 1
    MAKE(m, "([I[I)I", 4, 2, BC_aload_0, BC_iconst_0, BC_iaload, BC_aload_1, BC_iconst_0,
         BC_iconst_1, BC_iastore, BC_aload_0, BC_iconst_0, BC_iaload, BC_iadd, BC_aload_1,
         BC_iconst_0, BC_iaload, BC_iadd, BC_ireturn);
    ir_gvn(&m.g);
    EXPECT_INT(2, count_of(&m.g, IR_LoadElem));
    ir_free(&m.g);
}

TEST(a_narrowed_store_is_loaded_again)
{
    MAKE(m, "([BI)I", 3, 2, BC_aload_0, BC_iconst_0, BC_iload_1, BC_bastore, BC_aload_0,
         BC_iconst_0, BC_baload, BC_ireturn);
    ir_gvn(&m.g);
    EXPECT_INT(1, count_of(&m.g, IR_LoadElem));
    ir_free(&m.g);
}

// Range checks that are left of: for (i = start; !(i compare a.length); i += step) a[i]
static uint32_t checks_left(uint8_t start, uint8_t compare, uint8_t step)
{
    MAKE(m, "([II)V", 3, 3, start, BC_istore_2, BC_iload_2, BC_aload_0, BC_arraylength, compare,
         0, 13, BC_aload_0, BC_iload_2, BC_iaload, BC_pop, BC_iinc, 2, step, BC_goto, 0xff,
         0xf3, BC_return);
    EXPECT_INT(1, count_of(&m.g, IR_RangeCheck));
    ir_gvn(&m.g);
    uint32_t left = count_of(&m.g, IR_RangeCheck);
    ir_free(&m.g);
    return left;
}

TEST(range_checks_that_a_loop_has_answered_go)
{
    EXPECT_INT(0, checks_left(BC_iconst_0, BC_if_icmpge, 1));
    EXPECT_INT(1, checks_left(BC_iconst_0, BC_if_icmpgt, 1)); // i <= a.length
    EXPECT_INT(1, checks_left(BC_iload_1, BC_if_icmpge, 1));  // may begin below 0
    EXPECT_INT(1, checks_left(BC_iconst_m1, BC_if_icmpge, 1));
    EXPECT_INT(1, checks_left(BC_iconst_0, BC_if_icmpge, 2)); // may run over
    EXPECT_INT(1, checks_left(BC_iconst_0, BC_if_icmpge, 0xff));
}

TEST(null_checks_that_a_branch_has_answered_go)
{
    // a == null ? 0 : a.length
    MAKE(m, "([I)I", 1, 1, BC_aload_0, BC_ifnonnull, 0, 5, BC_iconst_0, BC_ireturn, BC_aload_0,
         BC_arraylength, BC_ireturn);
    EXPECT_INT(1, count_of(&m.g, IR_NullCheck));
    ir_gvn(&m.g);
    EXPECT_INT(0, count_of(&m.g, IR_NullCheck));
    ir_free(&m.g);
}

// Loads that are left of: x = a[0]; do { a[0]; b[0] = 0; } while (i != 0)
static uint32_t loads_left(const char *descriptor, uint8_t store)
{
    MAKE(m, descriptor, 3, 3, BC_aload_0, BC_iconst_0, BC_iaload, BC_pop, BC_aload_0,
         BC_iconst_0, BC_iaload, BC_pop, BC_aload_1, BC_iconst_0, BC_iconst_0, store,
         BC_iload_2, BC_ifne, 0xff, 0xf7, BC_return);
    ir_gvn(&m.g);
    uint32_t left = count_of(&m.g, IR_LoadElem);
    ir_free(&m.g);
    return left;
}

// The branches that are left of (local 1 = number < 0 ? 1 : 0) != 0 ? 2 : `last`; the graph as it is then in *m.
static uint32_t branches_left(Made *m, uint8_t last)
{
    make(m, ACC_STATIC, "(I)I",
         METHOD(1, 2, BC_iload_0, BC_ifge, 0, 7, BC_iconst_1, BC_goto, 0, 4, BC_iconst_0,
                BC_istore_1, BC_iload_1, BC_ifeq, 0, 5, BC_iconst_2, BC_ireturn, last,
                BC_ireturn),
         false);
    StrBuf wrong = {0};
    ir_thread_jumps(&m->g);
    ir_gvn(&m->g);
    ir_dce(&m->g);
    EXPECT_MSG(ir_verify(&m->g, &wrong), "%s", wrong.s);
    sb_free(&wrong);
    return count_of(&m->g, IR_IfI);
}

TEST(a_branch_with_a_known_answer_is_jumped_over)
{
    Made m;
    EXPECT_INT(1, branches_left(&m, BC_iconst_3));
    EXPECT_INT(0, count_of(&m.g, IR_Phi));
    ir_free(&m.g);
    EXPECT_INT(2, branches_left(&m, BC_iload_1)); // what both edges bring is read behind them
    ir_free(&m.g);
}

TEST(a_choice_between_1_and_0_is_a_value)
{
    // x < y ? 1 : 0; what chooses between other numbers stays a branch
    MAKE(m, "(II)I", 2, 2, BC_iload_0, BC_iload_1, BC_if_icmpge, 0, 7, BC_iconst_1, BC_goto, 0,
         4, BC_iconst_0, BC_ireturn);
    ir_choices(&m.g);
    StrBuf wrong = {0};
    EXPECT_MSG(ir_verify(&m.g, &wrong), "%s", wrong.s);
    sb_free(&wrong);
    EXPECT_INT(0, count_of(&m.g, IR_IfI));
    EXPECT_INT(CONDITION_LT, ir_node(&m.g, only(&m.g, IR_TestI))->aux);
    ir_free(&m.g);
    MAKE(other, "(II)I", 2, 2, BC_iload_0, BC_iload_1, BC_if_icmpge, 0, 7, BC_iconst_2, BC_goto,
         0, 4, BC_iconst_0, BC_ireturn);
    ir_choices(&other.g);
    ir_find_loops(&other.g);
    EXPECT_INT(1, count_of(&other.g, IR_IfI));
    ir_free(&other.g);
}

TEST(loads_before_a_loop_serve_in_it)
{
    EXPECT_INT(1, loads_left("([I[BI)V", BC_bastore));
    EXPECT_INT(2, loads_left("([I[II)V", BC_iastore));
}

TEST(nodes_without_use_go)
{
    MAKE(m, "([II)I", 2, 2, BC_aload_0, BC_iload_1, BC_iaload, BC_pop, BC_iload_1, BC_iconst_3,
         BC_iadd, BC_pop, BC_iload_1, BC_ireturn);
    ir_dce(&m.g);
    EXPECT_INT(0, count_of(&m.g, IR_LoadElem) + count_of(&m.g, IR_AddI));
    EXPECT_INT(1, count_of(&m.g, IR_RangeCheck)); // may throw
    ir_free(&m.g);
}

// ---- exceptions, monitors ----

TEST(a_throw_leads_to_its_handler)
{
    CodeInfo code = METHOD(1, 2, BC_aload_1, BC_athrow, BC_astore_1, BC_return);
    code.exception_count = 1;
    code.exceptions = CODE(0, 0, 0, 2, 0, 2, 0, 0);
    Made m;
    make(&m, ACC_STATIC, "(ILjava/lang/Object;)V", code, true);
    EXPECT(m.ok);
    only(&m.g, IR_Landing);
    only(&m.g, IR_Return);
    ir_layout(&m.g);
    EXPECT(ir_at(&m.g, ir_node(&m.g, only(&m.g, IR_Landing))->block)->cold);
    ir_free(&m.g);
    make(&m, ACC_STATIC, "(ILjava/lang/Object;)V", code, false);
    EXPECT_INT(0, count_of(&m.g, IR_Landing) + count_of(&m.g, IR_Return));
    ir_free(&m.g);
}

TEST(states_list_locks)
{
    Made m;
    make(&m, ACC_SYNCHRONIZED, "([I)I",
         METHOD(2, 2, BC_aload_1, BC_dup, BC_monitorenter, BC_iconst_0, BC_iaload, BC_aload_1,
                BC_monitorexit, BC_ireturn),
         false);
    EXPECT(m.ok);
    EXPECT_INT(1, ir_state(&m.g, ir_node(&m.g, only(&m.g, IR_MonitorEnter))->state)->locks);
    EXPECT_INT(2, ir_state(&m.g, ir_node(&m.g, only(&m.g, IR_MonitorExit))->state)->locks);
    EXPECT_INT(1, ir_state(&m.g, ir_node(&m.g, only(&m.g, IR_Return))->state)->locks);
    ir_free(&m.g);
}

TEST(what_is_refused)
{
    expect_refused(METHOD(1, 2, BC_jsr, 0, 3, BC_pop, BC_return), REFUSED_SUBROUTINES);
    // two blocks that lead to each other, entered at either
    expect_refused(METHOD(1, 2, BC_iload_0, BC_ifeq, 0, 6, BC_iload_0, BC_pop, BC_iload_0,
                          BC_ifeq, 0xff, 0xfd, BC_return),
                   REFUSED_IRREDUCIBLE);
    expect_refused(METHOD(1, 2, BC_aload_1, BC_monitorenter, BC_return), REFUSED_LOCKING);
    expect_refused(METHOD(1, 2, BC_aload_1, BC_monitorexit, BC_return), REFUSED_LOCKING);
    expect_refused(METHOD(1, 2, BC_iload_1, BC_pop, BC_return), REFUSED_CODE);
    expect_refused(METHOD(1, 2, BC_pop, BC_return), REFUSED_CODE);
    expect_refused(METHOD(1, 2, BC_nop), REFUSED_CODE);
    static uint8_t big[8001];
    expect_refused((CodeInfo){.max_locals = 2, .code_len = sizeof big, .code = big},
                   REFUSED_SIZE);
    expect_refused(METHOD(2, 1001, BC_aload_1, BC_arraylength, BC_pop, BC_return),
                   REFUSED_SLOTS);
}

// ---- the verifier ----

static void expect_wrong(Graph *g, const char *what)
{
    StrBuf wrong = {0};
    EXPECT(!ir_verify(g, &wrong));
    EXPECT_MSG(wrong.s && strstr(wrong.s, what), "%s, expected %s", wrong.s, what);
    sb_free(&wrong);
}

static NodeId add_of(const Made *m)
{
    for (NodeId n = 1; n < m->g.nodes.len; n++)
        if (ir_node(&m->g, n)->op == IR_AddI && ir_node(&m->g, n)->block)
            return n;
    return 0;
}

TEST(the_verifier_sees_damage)
{
    Made m;
    make(&m, ACC_STATIC, "(I)I", LOOP, false);
    Graph *g = &m.g;
    Node *add = ir_node(g, add_of(&m)), was = *add;
    add->in[0] = 0;
    expect_wrong(g, "input 0 is none");
    add->in[0] = ir_const(g, IRT_L, 1);
    add = ir_node(g, add_of(&m));
    expect_wrong(g, "is no I");
    add->in[0] = add_of(&m);
    expect_wrong(g, "is not there");
    *add = was;
    add->type = IRT_L;
    expect_wrong(g, "type");
    *add = was;
    Node *poll = ir_node(g, only(g, IR_Poll));
    StateId state = poll->state;
    poll->state = 0;
    expect_wrong(g, "no state");
    poll->state = state;
    ir_state(g, state)->kind = STATE_BEHIND;
    expect_wrong(g, "of kind");
    ir_state(g, state)->kind = STATE_AGAIN;
    Block *block = ir_at(g, poll->block);
    block->nodes.len--;
    expect_wrong(g, "ends no block");
    block->nodes.len++;
    ir_at(g, block->succs.at[0])->preds.len--;
    expect_wrong(g, "the flow has changed"); // nobody said so
    expect_wrong(g, "predecessors");
    ir_at(g, block->succs.at[0])->preds.len++;
    g->flow_known = false;
    StrBuf wrong = {0};
    EXPECT_MSG(ir_verify(g, &wrong), "%s", wrong.s);
    ir_free(g);
}

TEST(a_graph_is_printed)
{
    MAKE(m, "([I)I", 2, 1, BC_aload_0, BC_iconst_0, BC_iaload, BC_ireturn);
    StrBuf text = {0};
    ir_print(&m.g, &text);
    EXPECT(strstr(text.s, "RangeCheck I:0") != NULL);
    EXPECT(strstr(text.s, "{again @2 locals n1 operands n1 I:0}") != NULL);
    EXPECT(strstr(text.s, "Return @3") != NULL);
    sb_free(&text);
    ir_free(&m.g);
}

// Nodes name the field or method of their event, states that the method has returned.
TEST(events_are_printed)
{
    MAKE(m, "([I)I", 2, 1, BC_aload_0, BC_iconst_0, BC_iaload, BC_ireturn);
    symbols_init();
    Class c = {.name = symbol_intern("Owner")};
    Method method = {.cls = &c, .name = symbol_intern("call"), .desc = symbol_intern("()V")};
    Field field = {.cls = &c, .name = symbol_intern("field")};
    const struct {
        IrOp op;
        const void *of;
        const char *text;
    } events[] = {{IR_PostEntry, &method, " PostEntry Owner.call()V"},
                  {IR_PostExit, &method, " PostExit Owner.call()V"},
                  {IR_GetWatched, &field, " GetWatched Owner.field"},
                  {IR_PutWatched, &field, " PutWatched Owner.field"}};
    Node *n = ir_node(&m.g, only(&m.g, IR_RangeCheck));
    ir_state(&m.g, n->state)->kind = STATE_LEAVING;
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        StrBuf text = {0};
        n->op = (uint8_t)events[i].op;
        n->aux = ir_intern(&m.g, (uintptr_t)events[i].of);
        ir_print(&m.g, &text);
        EXPECT_MSG(strstr(text.s, events[i].text) != NULL, "%s", text.s);
        EXPECT_MSG(strstr(text.s, "{leaving @2") != NULL, "%s", text.s);
        sb_free(&text);
    }
    ir_free(&m.g);
}

#ifdef PELLUCID_FAULTS
static void make_loop(void *out)
{
    Made *m = out;
    make(m, ACC_STATIC, "(I)I", LOOP, false);
    ir_gvn(&m->g);
    ir_dce(&m->g);
    ir_layout(&m->g);
    ir_free(&m->g);
}

// Wherever there is no memory, the graph is given up, and nothing of it is left.
TEST(without_memory_there_is_no_graph)
{
    Made m;
    uint64_t n = 0;
    for (int done = 0; done < 3;) { // a chunk that the pool does not get is no loss
        fault_arm(FAULT_MEMORY, ++n, false);
        AttemptEnd end = attempt(make_loop, &m);
        fault_arm(FAULT_MEMORY, 0, false);
        EXPECT(end == ATTEMPT_DONE || end == ATTEMPT_NO_MEMORY);
        done = end == ATTEMPT_DONE ? done + 1 : 0;
    }
    EXPECT(n > 20);
}
#endif
