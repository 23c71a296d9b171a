// SPDX-License-Identifier: Apache-2.0
// src/classfile/bytecode, effect and flow: instructions as they are read, what they do to the operand
// stack, basic blocks and abstract interpretation of small pieces of code.
#include "classfile/flow.h"
#include "vmtest.h"

// ---- code by hand ----

static const ClassFile no_constants;

#define CODE(...) ((const uint8_t[]){__VA_ARGS__})
#define METHOD(stack, locals, ...)                     \
    ((CodeInfo){.max_stack = (stack),                  \
                .max_locals = (locals),                \
                .code_len = sizeof(CODE(__VA_ARGS__)), \
                .code = CODE(__VA_ARGS__)})
#define HANDLER(start, end, handler) 0, (start), 0, (end), 0, (handler), 0, 0
#define COVERED(method, ...)                                   \
    ((method).exception_count = sizeof(CODE(__VA_ARGS__)) / 8, \
     (method).exceptions = CODE(__VA_ARGS__))

// A lattice like that of a data flow analysis: the instruction that pushed, or stored.
enum { MIXED = 1000, CAUGHT = 2000, ARGUMENT = 3000 };

static void push_bci(FlowWord *at, const Instruction *in, char kind)
{
    for (uint32_t i = 0; i < kind_words(kind); i++)
        at[i] = in->bci + i * 100;
}

static void store_value(FlowWord *locals, const Instruction *in, FlowWord value)
{
    locals[in->local] = value;
    if (kind_is_wide(in->info->local.kind))
        locals[in->local + 1] = value + 100;
}

static const FlowLattice origins = {
    .push = push_bci, .store = store_value, .caught = CAUGHT, .mixed = MIXED};

static bool solve(Flow *f, const CodeInfo *code)
{
    if (!flow_init(f, &no_constants, code, &origins))
        return false;
    for (uint32_t i = 0; i < f->locals; i++)
        f->words[i] = ARGUMENT + i;
    return flow_solve(f);
}

// Solves, frees and says whether the code made sense.
static bool makes_sense(CodeInfo code)
{
    Flow f;
    bool ok = solve(&f, &code);
    flow_free(&f);
    return ok;
}

static const FlowState *only_state(const Flow *f, uint32_t bci)
{
    const FlowState *s = f->entry[flow_graph_block(&f->graph, bci)];
    EXPECT(s && !s->next);
    return s;
}

static void step_to(Flow *f, uint32_t bci)
{
    const FlowState *s = only_state(f, bci);
    EXPECT(s && flow_step_to(f, s, bci));
}

// Operand, from the top; local.
static FlowWord top(const Flow *f, uint32_t below)
{
    return f->words[f->locals + f->depth - 1 - below];
}

// The edges of a block as a text: "branch 3, next 1".
typedef struct EdgeText {
    char text[200];
} EdgeText;

static void add_edge(void *ctx, FlowEdge kind, uint32_t to)
{
    static const char *const names[] = {"next", "branch", "case", "jsr", "handler"};
    EdgeText *e = ctx;
    size_t len = strlen(e->text);
    snprintf(e->text + len, sizeof e->text - len, "%s%s %u", len ? ", " : "", names[kind], to);
}

static EdgeText edges(const FlowGraph *g, uint32_t block)
{
    EdgeText e = {""};
    if (!flow_graph_edges(g, block, add_edge, &e))
        strcat(e.text, "; the end");
    return e;
}

// ---- instructions ----

static Instruction read_one(const uint8_t *code, size_t len)
{
    Instruction in = {0};
    EXPECT(instruction_read(code, (uint32_t)len, 0, &in));
    EXPECT_INT(len, in.length);
    return in;
}
#define READ(...) read_one(CODE(__VA_ARGS__), sizeof(CODE(__VA_ARGS__)))

TEST(operands_are_read)
{
    EXPECT_INT(-2, READ(BC_bipush, 0xfe).value);
    EXPECT_INT(-2, READ(BC_sipush, 0xff, 0xfe).value);
    EXPECT_INT(0x81, READ(BC_ldc, 0x81).constant);
    EXPECT_INT(0x8182, READ(BC_ldc_w, 0x81, 0x82).constant);
    EXPECT_INT(0x81, READ(BC_aload, 0x81).local);
    EXPECT_INT(3, READ(BC_dstore_3).local);
    Instruction in = READ(BC_iinc, 7, 0xff);
    EXPECT(in.local == 7 && in.value == -1 && in.info->local.use == (LOCAL_READ | LOCAL_WRITE));
    EXPECT_INT(-3, READ(BC_goto, 0xff, 0xfd).offset);
    EXPECT_INT(-3, READ(BC_goto_w, 0xff, 0xff, 0xff, 0xfd).offset);
    EXPECT_INT(10, READ(BC_newarray, 10).value);
    in = READ(BC_multianewarray, 1, 2, 3);
    EXPECT(in.constant == 0x102 && in.count == 3);
    in = READ(BC_invokeinterface, 1, 2, 3, 0);
    EXPECT(in.constant == 0x102 && in.count == 3);
    EXPECT_INT(0x102, READ(BC_invokedynamic, 1, 2, 0, 0).constant);
}

TEST(wide_is_read_through)
{
    Instruction in = READ(BC_wide, BC_lload, 1, 2);
    EXPECT(in.op == BC_lload && in.local == 0x102 && in.info->local.kind == 'J');
    in = READ(BC_wide, BC_iinc, 1, 2, 0xff, 0xfe);
    EXPECT(in.op == BC_iinc && in.local == 0x102 && in.value == -2);
    in = READ(BC_wide, BC_ret, 1, 2);
    EXPECT(in.op == BC_ret && in.local == 0x102 && (in.info->flags & BCF_RET));
    EXPECT(!instruction_read(CODE(BC_wide, BC_iadd, 0, 0), 4, 0, &in));
    EXPECT(!instruction_read(CODE(BC_wide, BC_iload, 0), 3, 0, &in));
    EXPECT(!instruction_read(CODE(BC_COUNT), 1, 0, &in));
}

TEST(switches_are_read)
{
    static const uint8_t table[] = {BC_tableswitch,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    9,
                                    0xff,
                                    0xff,
                                    0xff,
                                    0xff,
                                    0,
                                    0,
                                    0,
                                    1,
                                    0,
                                    0,
                                    0,
                                    10,
                                    0,
                                    0,
                                    0,
                                    11,
                                    0,
                                    0,
                                    0,
                                    12};
    SwitchOperands s = switch_read(table, 0);
    EXPECT(s.other == 9 && s.count == 3 && s.low == -1);
    EXPECT(switch_key(&s, 0) == -1 && switch_key(&s, 2) == 1);
    EXPECT(switch_offset(&s, 0) == 10 && switch_offset(&s, 2) == 12);
    static const uint8_t lookup[] = {BC_lookupswitch,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0,
                                     9,
                                     0,
                                     0,
                                     0,
                                     2,
                                     0xff,
                                     0xff,
                                     0xff,
                                     0xfe,
                                     0,
                                     0,
                                     0,
                                     10,
                                     0,
                                     0,
                                     0,
                                     7,
                                     0,
                                     0,
                                     0,
                                     11};
    s = switch_read(lookup, 0);
    EXPECT(s.other == 9 && s.count == 2);
    EXPECT(switch_key(&s, 0) == -2 && switch_key(&s, 1) == 7);
    EXPECT(switch_offset(&s, 0) == 10 && switch_offset(&s, 1) == 11);
}

TEST(short_forms_of_locals_are_like_long_ones)
{
    static const uint8_t first[][2] = {{BC_iload, BC_iload_0}, {BC_istore, BC_istore_0}};
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t n = 0; n < 20; n++) {
            const BytecodeInfo *form = &bytecode_info[first[i][1] + n];
            const BytecodeInfo *base = &bytecode_info[first[i][0] + n / 4];
            EXPECT_MSG(form->local.use == base->local.use
                           && form->local.kind == base->local.kind && form->local.index == n % 4
                           && base->local.index == BY_OPERAND,
                       "%s", form->name);
        }
    }
}

// ---- effects by the constant pool ----

typedef struct Pool {
    uint8_t bytes[512];
    uint16_t at[40], len;
    ClassFile cf;
} Pool;

static uint16_t add(Pool *p, const uint8_t *entry, uint16_t len)
{
    p->cf.cp_count++;
    p->at[p->cf.cp_count] = p->len;
    memcpy(p->bytes + p->len, entry, len);
    p->len = (uint16_t)(p->len + len);
    return p->cf.cp_count;
}

static uint16_t add_member(Pool *p, uint8_t tag, const char *descriptor)
{
    uint8_t text[100] = {CP_UTF8, 0, (uint8_t)strlen(descriptor)};
    memcpy(text + 3, descriptor, strlen(descriptor));
    uint8_t utf8 = (uint8_t)add(p, text, (uint16_t)(3 + strlen(descriptor)));
    uint8_t nat = (uint8_t)add(p, CODE(CP_NAME_AND_TYPE, 0, utf8, 0, utf8), 5);
    return add(p, CODE(tag, 0, 0, 0, nat), 5);
}

static const ClassFile *pool_class(Pool *p)
{
    p->cf.bytes = p->bytes;
    p->cf.cp_near = p->at;
    p->cf.cp_count++;
    return &p->cf;
}

static void expect_effect(const ClassFile *cf, uint8_t op, uint16_t constant, uint32_t pops,
                          char kind)
{
    uint8_t code[5] = {op, (uint8_t)(constant >> 8), (uint8_t)constant, 3, 0};
    if (op == BC_ldc)
        code[1] = (uint8_t)constant;
    Instruction in;
    EXPECT(instruction_read(code, sizeof code, 0, &in));
    EXPECT_MSG(instruction_pop_words(cf, &in) == pops, "%s pops %u", in.info->name,
               instruction_pop_words(cf, &in));
    EXPECT_MSG(instruction_constant_kind(cf, &in) == kind, "%s has %c", in.info->name,
               instruction_constant_kind(cf, &in));
}

TEST(effects_by_constants)
{
    Pool p = {.len = 1};
    uint16_t number = add(&p, CODE(CP_INTEGER, 0, 0, 0, 1), 5);
    uint16_t wide = add(&p, CODE(CP_DOUBLE, 0, 0, 0, 0, 0, 0, 0, 1), 9);
    uint16_t string = add(&p, CODE(CP_STRING, 0, 1), 3);
    uint16_t dynamic = add_member(&p, CP_DYNAMIC, "J");
    uint16_t array = add_member(&p, CP_FIELDREF, "[J"),
             number_field = add_member(&p, CP_FIELDREF, "D");
    uint16_t method = add_member(&p, CP_METHODREF, "(IJ[[DLa;)V");
    uint16_t call = add_member(&p, CP_INVOKE_DYNAMIC, "(D)La;");
    const ClassFile *cf = pool_class(&p);
    expect_effect(cf, BC_ldc, number, 0, 'I');
    expect_effect(cf, BC_ldc2_w, wide, 0, 'D');
    expect_effect(cf, BC_ldc, string, 0, 'A');
    expect_effect(cf, BC_ldc2_w, dynamic, 0, 'J');
    expect_effect(cf, BC_getstatic, array, 0, '[');
    expect_effect(cf, BC_putstatic, array, 1, '[');
    expect_effect(cf, BC_getfield, number_field, 1, 'D');
    expect_effect(cf, BC_putfield, number_field, 3, 'D');
    expect_effect(cf, BC_invokestatic, method, 5, 'V');
    expect_effect(cf, BC_invokevirtual, method, 6, 'V');
    expect_effect(cf, BC_invokeinterface, method, 6, 'V');
    expect_effect(cf, BC_invokedynamic, call, 2, 'L');
    expect_effect(cf, BC_multianewarray, string, 3, 'A');
    expect_effect(cf, BC_getfield, 999, 1, 'A'); // no such entry
    expect_effect(cf, BC_invokevirtual, number, 1, 'I');
}

TEST(a_walk_over_a_descriptor)
{
    const char *text = "(IJ[[La/b;D)V";
    DescriptorWalk w = descriptor_walk(text, strlen(text), 1);
    EXPECT(descriptor_walk_next(&w) && w.kind == 'I' && w.index == 0 && w.slot == 1);
    EXPECT(descriptor_walk_next(&w) && w.kind == 'J' && w.index == 1 && w.slot == 2);
    EXPECT(descriptor_walk_next(&w) && w.kind == '[' && w.index == 2 && w.slot == 4);
    EXPECT(w.len == 7 && memcmp(w.type, "[[La/b;", 7) == 0);
    EXPECT(descriptor_walk_next(&w) && w.kind == 'D' && w.index == 3 && w.slot == 5);
    EXPECT(!descriptor_walk_next(&w) && *w.next == ')');
    for (uint32_t len = 0; len < strlen(text); len++) { // cut anywhere: it ends
        w = descriptor_walk(text, len, 0);
        while (descriptor_walk_next(&w))
            EXPECT(w.type + w.len <= text + len);
    }
}

// ---- blocks ----

TEST(blocks_of_a_loop)
{
    CodeInfo code = METHOD(2, 1, BC_iload_0, BC_ifeq, 0, 9, BC_iinc, 0, 0xff, BC_goto, 0xff,
                           0xf9, BC_return);
    FlowGraph g;
    EXPECT(flow_graph_init(&g, &no_constants, &code));
    EXPECT_INT(3, g.block_count);
    EXPECT(g.starts[0] == 0 && g.starts[1] == 4 && g.starts[2] == 10 && g.starts[3] == 11);
    EXPECT_STR("branch 2, next 1", edges(&g, 0).text);
    EXPECT_STR("branch 0", edges(&g, 1).text);
    EXPECT_STR("", edges(&g, 2).text);
    EXPECT(flow_graph_block(&g, 3) == 0 && flow_graph_block(&g, 9) == 1);
    flow_graph_free(&g);
}

TEST(blocks_of_handlers)
{
    CodeInfo code = METHOD(1, 1, BC_nop, BC_nop, BC_nop, BC_return, BC_astore_0, BC_return);
    COVERED(code, HANDLER(1, 3, 4), HANDLER(2, 3, 4));
    FlowGraph g;
    EXPECT(flow_graph_init(&g, &no_constants, &code));
    EXPECT_INT(5, g.block_count);
    EXPECT_STR("next 1", edges(&g, 0).text);
    EXPECT_STR("next 2, handler 4", edges(&g, 1).text);
    EXPECT_STR("next 3, handler 4, handler 4", edges(&g, 2).text);
    EXPECT_STR("", edges(&g, 3).text);
    flow_graph_free(&g);
}

TEST(ranges_that_end_within_instructions)
{
    // No verifier lets that pass: what is covered are the instructions that begin within.
    CodeInfo code = METHOD(1, 0, BC_sipush, 0, 1, BC_sipush, 0, 1, BC_pop, BC_return);
    COVERED(code, HANDLER(1, 4, 7), HANDLER(3, 90, 7));
    FlowGraph g;
    EXPECT(flow_graph_init(&g, &no_constants, &code));
    EXPECT_INT(4, g.block_count);
    EXPECT_STR("next 1", edges(&g, 0).text);
    EXPECT_STR("next 2, handler 3, handler 3", edges(&g, 1).text);
    EXPECT_STR("next 3, handler 3", edges(&g, 2).text);
    flow_graph_free(&g);
}

TEST(blocks_of_switches)
{
    CodeInfo code = METHOD(1, 0, BC_iconst_0, BC_tableswitch, 0, 0, 0, 0, 0, 23, 0, 0, 0, 5, 0,
                           0, 0, 6, 0, 0, 0, 25, 0, 0, 0, 24, BC_return, BC_return, BC_return);
    FlowGraph g;
    // the operands begin at 4, the cases go to 26 and 25, the default to 24
    EXPECT(flow_graph_init(&g, &no_constants, &code));
    EXPECT_INT(4, g.block_count);
    EXPECT_STR("case 1, case 3, case 2", edges(&g, 0).text);
    flow_graph_free(&g);
    code = METHOD(1, 0, BC_iconst_0, BC_lookupswitch, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 7,
                  0, 0, 0, 18, BC_return, BC_return);
    EXPECT(!flow_graph_init(&g, &no_constants, &code)); // the case goes into the switch
}

TEST(bounds_of_switches)
{
    FlowGraph g;
    uint8_t code[] = {BC_iconst_0, BC_tableswitch,
                      0,           0,
                      0,           0,
                      0,           23,
                      0,           0,
                      0,           0,
                      0,           0,
                      0,           1,
                      0,           0,
                      0,           23,
                      0,           0,
                      0,           23,
                      BC_return};
    CodeInfo info = {.max_stack = 1, .code_len = sizeof code, .code = code};
    EXPECT(flow_graph_init(&g, &no_constants, &info));
    flow_graph_free(&g);
    static const struct {
        uint8_t at, value;
    } wrong[] = {{7, 25},    {7, 24}, {4, 0x80},  {19, 2}, {19, 25},
                 {20, 0x7f}, {15, 2}, {15, 0xff}, {8, 1}};
    for (uint32_t i = 0; i < ARRAY_LEN(wrong); i++) {
        uint8_t before = code[wrong[i].at];
        code[wrong[i].at] = wrong[i].value;
        EXPECT_MSG(!flow_graph_init(&g, &no_constants, &info), "%u", i);
        code[wrong[i].at] = before;
    }
}

TEST(blocks_that_make_no_sense)
{
    FlowGraph g;
    CodeInfo code = METHOD(1, 0, BC_goto, 0, 1, BC_return); // into itself
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    code = METHOD(1, 0, BC_goto, 0xff, 0xff, BC_return);
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    code = METHOD(1, 0, BC_goto, 0, 4, BC_return); // to the end
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    code = METHOD(1, 0, BC_goto, 0, 5, BC_return);
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    code = METHOD(1, 0, BC_goto, 0); // cut
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    code = METHOD(1, 0, BC_sipush, 0, 1, BC_return);
    COVERED(code, HANDLER(0, 3, 1));
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    COVERED(code, HANDLER(0, 4, 4));
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    COVERED(code, HANDLER(0, 4, 200));
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
    code.code_len = 0;
    EXPECT(!flow_graph_init(&g, &no_constants, &code));
}

// ---- abstract interpretation ----

TEST(words_are_moved)
{
    static const struct {
        uint8_t op;
        const char *result; // bci of the words, the top last
    } ops[] = {{BC_pop, "012"},        {BC_pop2, "01"},        {BC_dup, "01233"},
               {BC_dup_x1, "01323"},   {BC_dup_x2, "03123"},   {BC_dup2, "012323"},
               {BC_dup2_x1, "023123"}, {BC_dup2_x2, "230123"}, {BC_swap, "0132"},
               {BC_checkcast, "0123"}};
    for (uint32_t i = 0; i < ARRAY_LEN(ops); i++) {
        CodeInfo code = METHOD(6, 0, BC_aconst_null, BC_aconst_null, BC_aconst_null,
                               BC_aconst_null, ops[i].op, 0, 0, BC_return);
        Flow f;
        EXPECT(solve(&f, &code));
        step_to(&f, ops[i].op == BC_checkcast ? 7 : 5);
        char found[8] = "";
        for (uint32_t k = 0; k < f.depth; k++)
            found[k] = (char)('0' + f.words[k]);
        EXPECT_STR(ops[i].result, found);
        flow_free(&f);
    }
}

TEST(wide_values_take_two_words)
{
    CodeInfo code = METHOD(4, 3, BC_lconst_0, BC_lstore_1, BC_iload_0, BC_lload_1, BC_pop2,
                           BC_pop, BC_return);
    Flow f;
    EXPECT(solve(&f, &code));
    step_to(&f, 1);
    EXPECT(f.depth == 2 && top(&f, 1) == 0 && top(&f, 0) == 100);
    step_to(&f, 2);
    EXPECT(f.depth == 0 && f.words[0] == ARGUMENT && f.words[1] == 0 && f.words[2] == 100);
    step_to(&f, 4);
    EXPECT(f.depth == 3 && top(&f, 2) == 2 && top(&f, 1) == 3 && top(&f, 0) == 103);
    flow_free(&f);
}

TEST(ways_meet)
{
    // 0: iload_0, ifeq 8; 4: iconst_1, goto 9; 8: iconst_2; 9: istore_1, dead code behind the return
    CodeInfo code = METHOD(1, 2, BC_iload_0, BC_ifeq, 0, 7, BC_iconst_1, BC_goto, 0, 4,
                           BC_iconst_2, BC_istore_1, BC_return, BC_nop, BC_return);
    Flow f;
    EXPECT(solve(&f, &code));
    EXPECT(f.entry[flow_graph_block(&f.graph, 11)] == NULL); // dead
    step_to(&f, 9);
    EXPECT(f.depth == 1 && top(&f, 0) == MIXED && f.words[0] == ARGUMENT);
    step_to(&f, 10);
    EXPECT(f.depth == 0 && f.words[1] == MIXED);
    flow_free(&f);
}

TEST(an_irreducible_loop)
{
    // 0: iload_0, ifeq 7; 4: iconst_0, istore_0, nop; 7: iinc 1; 10: iload_1, ifne 4; 14: return
    CodeInfo code = METHOD(1, 2, BC_iload_0, BC_ifeq, 0, 6, BC_iconst_0, BC_istore_0, BC_nop,
                           BC_iinc, 1, 1, BC_iload_1, BC_ifne, 0xff, 0xf9, BC_return);
    Flow f;
    EXPECT(solve(&f, &code));
    step_to(&f, 14);
    EXPECT(f.words[0] == MIXED && f.words[1] == ARGUMENT + 1);
    flow_free(&f);
}

TEST(handlers_see_each_store)
{
    CodeInfo code = METHOD(1, 1, BC_iconst_1, BC_istore_0, BC_nop, BC_return, BC_athrow);
    Flow f;
    COVERED(code, HANDLER(2, 3, 4));
    EXPECT(solve(&f, &code));
    step_to(&f, 4);
    EXPECT(f.depth == 1 && top(&f, 0) == CAUGHT && f.words[0] == 0);
    flow_free(&f);
    COVERED(code,
            HANDLER(0, 2,
                    4)); // the store is the last that is covered: only what was before it comes
    EXPECT(solve(&f, &code));
    step_to(&f, 4);
    EXPECT(f.depth == 1 && f.words[0] == ARGUMENT);
    flow_free(&f);
    COVERED(code, HANDLER(0, 3, 4));
    EXPECT(solve(&f, &code));
    step_to(&f, 4);
    EXPECT(f.depth == 1 && f.words[0] == MIXED);
    flow_free(&f);
}

TEST(a_subroutine_for_each_caller)
{
    // 0: jsr 9; 3: iconst_1, istore_0; 5: jsr 9; 8: return; 9: astore_1, ret 1
    CodeInfo code = METHOD(1, 2, BC_jsr, 0, 9, BC_iconst_1, BC_istore_0, BC_jsr, 0, 4,
                           BC_return, BC_astore_1, BC_ret, 1);
    Flow f;
    EXPECT(solve(&f, &code));
    EXPECT(f.graph.has_jsr);
    EXPECT_STR("jsr 3", edges(&f.graph, 0).text);
    EXPECT_STR("", edges(&f.graph, 3).text);
    step_to(&f, 3);
    EXPECT(f.words[0] == ARGUMENT && f.words[1] == FLOW_UNSET);
    step_to(&f, 8);
    EXPECT(f.words[0] == 3); // not mixed with the first call's
    uint32_t states = 0;
    for (const FlowState *s = f.entry[3]; s; s = s->next, states++) {
        EXPECT(flow_step_to(&f, s, 10));
        EXPECT(f.depth == 0 && f.words[0] == (f.words[1] == FLOW_RETURN + 3 ? ARGUMENT : 3));
        EXPECT(f.words[1] == FLOW_RETURN + 3 || f.words[1] == FLOW_RETURN + 8);
    }
    EXPECT_INT(2, states);
    flow_free(&f);
}

TEST(subroutines_within_subroutines)
{
    // 0: jsr 4; 3: return; 4: astore_0; 5: jsr 15; 8: jsr_w 15; 13: ret 0; 15: astore_1; 16: wide ret 1
    CodeInfo code = METHOD(1, 2, BC_jsr, 0, 4, BC_return, BC_astore_0, BC_jsr, 0, 10, BC_jsr_w,
                           0, 0, 0, 7, BC_ret, 0, BC_astore_1, BC_wide, BC_ret, 0, 1);
    Flow f;
    EXPECT(solve(&f, &code));
    step_to(&f, 3);
    EXPECT(f.words[0] == FLOW_UNSET && f.words[1] == FLOW_UNSET);
    step_to(&f, 13);
    EXPECT(f.words[0] == FLOW_RETURN + 3 && f.words[1] == FLOW_UNSET);
    flow_free(&f);
}

TEST(subroutines_that_double_the_states)
{
    // Of each level: store the return address, call the next level twice, return.
    enum { LEVELS = 24, BYTES = 10 };
    uint8_t code[4 + LEVELS * BYTES + 4] = {BC_jsr, 0, 4, BC_return}, *p = code + 4;
    for (uint8_t i = 0; i < LEVELS; i++, p += BYTES)
        memcpy(p, CODE(BC_astore, i, BC_jsr, 0, BYTES - 2, BC_jsr, 0, BYTES - 5, BC_ret, i),
               BYTES);
    memcpy(p, CODE(BC_astore, LEVELS, BC_ret, LEVELS), 4);
    CodeInfo info = {
        .max_stack = 1, .max_locals = LEVELS + 1, .code_len = sizeof code, .code = code};
    EXPECT(!makes_sense(info));
}

TEST(wide_locals)
{
    CodeInfo code = METHOD(2, 300, BC_lconst_1, BC_wide, BC_lstore, 1, 42, BC_wide, BC_iinc, 1,
                           0, 0, 1, BC_return);
    Flow f;
    EXPECT(solve(&f, &code));
    step_to(&f, 11);
    EXPECT(f.words[298] == 0 && f.words[299] == 100 && f.words[256] == ARGUMENT + 256);
    flow_free(&f);
    code.max_locals = 299;
    EXPECT(!makes_sense(code));
}

TEST(code_that_makes_no_sense)
{
    EXPECT(makes_sense(METHOD(1, 1, BC_iconst_0, BC_pop, BC_return)));
    EXPECT(!makes_sense(METHOD(1, 1, BC_pop, BC_return))); // nothing to pop
    EXPECT(!makes_sense(METHOD(1, 1, BC_iconst_0, BC_iadd, BC_pop, BC_return))); // too little
    EXPECT(!makes_sense(METHOD(1, 1, BC_lconst_0, BC_dup2, BC_return)));         // too much
    EXPECT(!makes_sense(METHOD(1, 1, BC_iconst_0, BC_istore_1, BC_return))); // no such local
    EXPECT(!makes_sense(METHOD(1, 1, BC_iconst_0, BC_pop))); // falls off the end
    EXPECT(!makes_sense(METHOD(1, 1, BC_ret, 0)));           // no return address
    EXPECT(!makes_sense(METHOD(1, 1, BC_ret, 9)));           // no such local
    EXPECT(!makes_sense(METHOD(1, 1, BC_jsr, 0, 3, BC_astore_0, BC_ret, 0, BC_jsr, 0, 0xff)));
    EXPECT(makes_sense(METHOD(1, 1, BC_return, BC_pop, BC_pop))); // dead code is not looked at
}

TEST(depths_that_differ)
{
    // 0: iconst_0, iconst_1, ifeq 6; 5: iconst_2; 6: no verifier lets that pass, the smaller depth holds
    CodeInfo code =
        METHOD(3, 0, BC_iconst_0, BC_iconst_1, BC_ifeq, 0, 4, BC_iconst_2, BC_pop, BC_return);
    Flow f;
    EXPECT(solve(&f, &code));
    step_to(&f, 6);
    EXPECT_INT(1, f.depth);
    flow_free(&f);
}

TEST(steps_end_at_instructions)
{
    CodeInfo code = METHOD(1, 0, BC_sipush, 0, 1, BC_pop, BC_return);
    Flow f;
    EXPECT(solve(&f, &code));
    EXPECT(flow_step_to(&f, only_state(&f, 0), 3));
    EXPECT(!flow_step_to(&f, only_state(&f, 0), 2));
    flow_free(&f);
}
