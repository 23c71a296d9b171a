// SPDX-License-Identifier: Apache-2.0
// src/interp without a running VM: decoding, breakpoints, reference maps of frames made by
// hand, Java arithmetic.
#include <pthread.h>

#include "frame/frame_roots.h"
#include "interp/arith.h"
#include "interp/breakpoint.h"
#include "interp/fuse.h"
#include "interp/interp.h"
#include "interp/profile.h"
#include "vmtest.h"

// ---- methods by hand ----

typedef struct HandMade {
    ClassFile cf;
    Class cls;
    MethodInfo info;
    uint8_t code[1024]; // a Code attribute from its length on
    Method m;
    ConstantPool pool;
} HandMade;

// A static method (A, I)V with 6 locals and 6 operands.
static Method *method_by_hand(HandMade *h, const uint8_t *code, size_t len)
{
    static const uint8_t bytes[] = {
        0,         CP_INTEGER, 0,    1, 0x86, 0xA0,           // 100000
        CP_LONG,   0,          0,    1, 0,    0,    0, 0, 0,  // 1L << 40
        CP_DOUBLE, 0x3F,       0xE0, 0, 0,    0,    0, 0, 0}; // 0.5
    static uint16_t cp_near[] = {0, 1, 6, 0, 15, 0};
    symbols_init();
    memset(h, 0, sizeof *h);
    h->cf.bytes = bytes;
    h->cf.cp_near = cp_near;
    h->cf.cp_count = 5;
    h->cls.cf = h->pool.cf = &h->cf;
    h->cls.name = symbol_intern("HandMade");
    uint8_t head[] = {0, 0, 0, 0, 0, 6, 0, 6, 0, 0, (uint8_t)(len >> 8), (uint8_t)len};
    VM_CHECK(sizeof head + len + 4 <= sizeof h->code);
    memcpy(h->code, head, sizeof head);
    memcpy(h->code + sizeof head, code, len);
    h->code[3] = (uint8_t)(len + 12);
    h->info.code = h->code + 4;
    bool has_jsr = memchr(code, BC_jsr, len) != NULL;
    h->m = (Method){.flags = has_jsr ? METHOD_HAS_JSR : 0,
                    .cls = &h->cls,
                    .name = symbol_intern("m"),
                    .desc = symbol_intern("(Ljava/lang/Object;I)V"),
                    .info = &h->info,
                    .pool = &h->pool,
                    .access = ACC_STATIC,
                    .ret = 'V',
                    .arg_words = 2,
                    .max_stack = 6,
                    .max_locals = 6,
                    .table_index = -1};
    method_decode(NULL, &h->m);
    return &h->m;
}

#define METHOD(h, ...)                                   \
    static const uint8_t code_[] = {__VA_ARGS__};        \
    HandMade h;                                          \
    Method *m = method_by_hand(&h, code_, sizeof code_); \
    UNUSED Insn *code = m->code;

TEST(decode_unpacks_operands)
{
    METHOD(h, BC_iconst_m1, BC_bipush, 0xFB, BC_sipush, 0x12, 0x34, BC_ldc, 1, BC_ldc2_w, 0, 2,
           BC_ldc2_w, 0, 4, BC_lload_2, BC_wide, BC_iinc, 0x01, 0x02, 0xFF, 0xFE, BC_wide,
           BC_aload, 0, 5, BC_fconst_2, BC_return);
    static const int32_t ints[] = {-1, -5, 0x1234, 100000};
    for (int i = 0; i < 4; i++) {
        EXPECT_INT(OP_const_int, code[i].op);
        EXPECT_INT(ints[i], code[i].a);
    }
    EXPECT(code[4].op == OP_const_long && code[4].l == 1ll << 40);
    EXPECT(code[5].op == OP_const_long && code[5].d == 0.5);
    EXPECT(code[6].op == OP_load2 && code[6].a == 2);
    EXPECT(code[7].op == BC_iinc && code[7].a == 0x102 && code[7].b == -2);
    EXPECT(code[8].op == OP_load1 && code[8].a == 5);
    float two = 2;
    EXPECT(code[9].op == OP_const_float && memcmp(&code[9].a, &two, sizeof two) == 0);
    EXPECT_INT(BC_return, code[10].op);
    EXPECT_INT(11, m->insn_count);
    EXPECT_INT(15, code[7].bci);
    EXPECT(method_insn_at(m, 15) == &code[7]);
    EXPECT(method_insn_at(m, 16) == NULL);
}

TEST(decode_relates_branches)
{
    METHOD(h, BC_goto, 0, 6, BC_nop, BC_nop, BC_nop, BC_iload_1, BC_ifeq, 0xFF, 0xFC, BC_goto_w,
           0xFF, 0xFF, 0xFF, 0xF6, BC_return);
    EXPECT_INT(4, code[0].a);
    EXPECT(code[5].op == BC_ifeq && code[5].a == -4);
    EXPECT(code[6].op == OP_goto_back && code[6].a == -6);
}

TEST(decode_reads_switches)
{
    METHOD(h, BC_iload_1, BC_tableswitch, 0, 0, 0, 0, 0, 23, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0,
           23, 0, 0, 0, 24, BC_nop, BC_return);
    const SwitchTable *t = code[1].p;
    EXPECT(t->low == 5 && t->high == 6 && t->count == 2 && !t->keys);
    EXPECT(t->default_target == 1 && t->targets[0] == 1 && t->targets[1] == 2);
}

TEST(breakpoints_count_and_survive_quickening)
{
    int one, other;
    METHOD(h, BC_nop, BC_iload_1, BC_pop, BC_return);
    EXPECT(!breakpoint_set(NULL, m, 9, &one));
    EXPECT(breakpoint_set(NULL, m, 1, &one) && breakpoint_set(NULL, m, 1, &other));
    EXPECT(breakpoint_set(NULL, m, 1, &one));
    EXPECT(breakpoint_is_set(m, 1, &one) && !breakpoint_is_set(m, 0, &one));
    EXPECT_INT(1, breakpoints_of(&one));
    EXPECT_INT(OP_breakpoint, code[1].op);
    EXPECT_INT(OP_load1, breakpoint_original(&code[1]));
    breakpoint_publish(m, &code[1], OP_load2);
    EXPECT_INT(OP_breakpoint, code[1].op);
    EXPECT(breakpoint_clear(m, 1, &one) && !breakpoint_clear(m, 1, &one));
    EXPECT(breakpoint_is_of(breakpoint_at(&code[1]), &other));
    EXPECT_INT(OP_breakpoint, code[1].op);
    EXPECT(breakpoint_clear(m, 1, &other));
    EXPECT_INT(OP_load2, code[1].op);
    EXPECT(!breakpoint_clear(m, 1, &other) && !breakpoint_clear(m, 0, &other));
    breakpoint_publish(m, &code[1], OP_load1);
    EXPECT_INT(OP_load1, code[1].op);
}

TEST(breakpoints_go_with_their_owner_and_with_their_method)
{
    int one, other;
    METHOD(h, BC_nop, BC_iload_1, BC_pop, BC_return);
    EXPECT(breakpoint_set(NULL, m, 0, &one) && breakpoint_set(NULL, m, 1, &one));
    EXPECT(breakpoint_set(NULL, m, 1, &other));
    breakpoints_clear_owner(&one);
    EXPECT(breakpoints_of(&one) == 0 && breakpoints_of(&other) == 1);
    EXPECT(code[0].op == BC_nop && code[1].op == OP_breakpoint);
    breakpoint_set(NULL, m, 1, &one);
    breakpoints_clear_method(m);
    EXPECT(breakpoints_of(&one) == 0 && breakpoints_of(&other) == 0);
    EXPECT_INT(OP_load1, code[1].op);
}

// ---- profiles ----

// aload_0, checkcast, pop; iload_1, iload_1, if_icmpge to the end; aload_0, instanceof, ifeq back to the iload; return.
#define PROFILED(h)                                                                            \
    fuse_init();                                                                               \
    profile_init(PROFILE_WARM, true);                                                          \
    METHOD(h, BC_aload_0, BC_checkcast, 0, 1, BC_pop, BC_iload_1, BC_iload_1, BC_if_icmpge, 0, \
           10, BC_aload_0, BC_instanceof, 0, 1, BC_ifeq, 0xFF, 0xF7, BC_return)
enum { AT_CAST = 1, AT_LOOP = 3, AT_BRANCH = 5, AT_INSTANCEOF = 7, AT_BACK = 8, INSNS = 10 };

static void ops_of(const Insn *code, uint16_t *ops)
{
    for (int i = 0; i < INSNS; i++)
        ops[i] = atomic_load(&code[i].op);
}

TEST(profiling_forms_come_and_go)
{
    PROFILED(h);
    EXPECT_INT(INSNS, m->insn_count);
    EXPECT_INT(OP_ll_if_icmpge, code[AT_LOOP].op);
    EXPECT(!method_profile(m));
    profile_on(m);
    EXPECT(method_profile(m) && profile_bytes() > 0);
    EXPECT_INT(BC_checkcast, code[AT_CAST].op); // never ran: it has no form to be profiled
    EXPECT_INT(OP_profiled_if_icmpge, code[AT_BRANCH].op);
    EXPECT_INT(OP_profiled_ifeq, code[AT_BACK].op);
    EXPECT_INT(OP_ll, code[AT_LOOP].op);
    EXPECT(profile_site(m, &code[AT_CAST]) && profile_site(m, &code[AT_INSTANCEOF]));
    EXPECT(!profile_site(m, &code[AT_BRANCH]));
    int operand;
    breakpoint_publish_with(m, &code[AT_CAST], &operand, OP_checkcast_quick);
    EXPECT(code[AT_CAST].op == OP_profiled_checkcast && code[AT_CAST].p == &operand);
    profile_off(m);
    EXPECT(code[AT_CAST].op == OP_checkcast_quick && code[AT_CAST].p == &operand);
    EXPECT_INT(BC_if_icmpge, code[AT_BRANCH].op);
    EXPECT_INT(OP_ll_if_icmpge, code[AT_LOOP].op);
    breakpoint_publish_with(m, &code[AT_INSTANCEOF], &operand, OP_instanceof_quick);
    EXPECT_INT(OP_instanceof_quick, code[AT_INSTANCEOF].op);
}

TEST(profiling_forms_stand_behind_breakpoints)
{
    int owner, operand;
    PROFILED(h);
    breakpoint_set(NULL, m, code[AT_CAST].bci, &owner);
    breakpoint_set(NULL, m, code[AT_BRANCH].bci, &owner);
    profile_on(m);
    EXPECT(code[AT_CAST].op == OP_breakpoint && code[AT_BRANCH].op == OP_breakpoint);
    EXPECT_INT(OP_profiled_if_icmpge, breakpoint_original(&code[AT_BRANCH]));
    breakpoint_publish_with(m, &code[AT_CAST], &operand, OP_checkcast_quick);
    EXPECT_INT(OP_profiled_checkcast, breakpoint_original(&code[AT_CAST]));
    breakpoint_clear(m, code[AT_BRANCH].bci, &owner);
    EXPECT_INT(OP_profiled_if_icmpge, code[AT_BRANCH].op);
    profile_off(m);
    EXPECT_INT(OP_checkcast_quick, breakpoint_original(&code[AT_CAST]));
    breakpoint_clear(m, code[AT_CAST].bci, &owner);
    EXPECT(code[AT_CAST].op == OP_checkcast_quick && code[AT_BRANCH].op == BC_if_icmpge);
}

TEST(sites_tell_two_classes_apart)
{
    static Class classes[3];
    PROFILED(h);
    profile_on(m);
    TypeSite *site = (TypeSite *)(uintptr_t)profile_site(m, &code[AT_CAST]);
    for (int i = 0; i < 6; i++)
        profile_other_class(site, &classes[i % 3]);
    profile_operand(m, &code[AT_CAST], NULL);
    EXPECT(site->classes[0] == &classes[0] && site->classes[1] == &classes[1]);
    EXPECT(site->counts[0] == 2 && site->counts[1] == 2 && site->others == 2
           && site->nulls == 1);
}

TEST(a_profile_is_ripe_when_the_method_is_heavy)
{
    PROFILED(h);
    static Frame f;
    static Thread t;
    for (int i = 0; i < PROFILE_WARM - 1; i++)
        profile_count_call(&t, m);
    EXPECT(!method_profile(m) && profile_call_count(m) == PROFILE_WARM - 1);
    profile_count_call(&t, m);
    EXPECT(method_profile(m) && method_profile(m)->on);
    f = (Frame){.method = m, .id = 77};
    t.frame = &f;
    uint32_t turns = 0;
    while (method_profile(m)->on && turns < 10 * PROFILE_RIPE) {
        turns++;
        if (--t.loop_budget < 0)
            profile_loops(&t, code);
    }
    EXPECT(turns >= PROFILE_RIPE && turns < PROFILE_RIPE + 1536);
    EXPECT(method_profile(m)->loops == turns && method_profile(m)->longest == turns);
    EXPECT_INT(PROFILE_WARM + turns, profile_weight(m));
    for (int i = 0; i < 2 * PROFILE_CALLS_MAX; i++)
        profile_count_call(&t, m);
    EXPECT(profile_call_count(m) == PROFILE_CALLS_MAX && !method_profile(m)->on);
}

TEST(nothing_is_counted_unless_it_is_wanted)
{
    PROFILED(h);
    profile_init(PROFILE_WARM, false);
    profile_init_head(code_head(code));
    static Frame f;
    static Thread t;
    f = (Frame){.method = m, .id = 77};
    t.frame = &f;
    for (int i = 0; i < 2 * PROFILE_WARM; i++)
        profile_count_call(&t, m);
    EXPECT(method_entry_kind(m) == ENTRY_JAVA_COUNTED);
    for (int i = 0; i < 2; i++) {
        t.loop_budget = -1;
        profile_loops(&t, code);
    }
    EXPECT(!method_profile(m) && profile_call_count(m) == 0 && profile_weight(m) == 0);
    EXPECT_INT(INT32_MAX - 1, t.loop_budget);
}

static uint32_t told, told_weight;
static int32_t told_loop;

static void be_told(Thread *t, Method *m, MethodProfile *p, uint32_t weight, int32_t loop)
{
    EXPECT(t && method_profile(m) == p);
    told++;
    told_weight = weight;
    told_loop = loop;
    atomic_store(&p->reported_from, PROFILE_NOT_AGAIN);
}

static void call_often(Thread *t, Method *m, int calls)
{
    for (int i = 0; i < calls; i++)
        profile_count_call(t, m);
}

TEST(a_compiler_is_told_of_heavy_methods)
{
    PROFILED(h);
    static Thread t;
    profile_set_compiler(be_told, 600, 20000, 1000);
    call_often(&t, m, 600);
    EXPECT_INT(0, told);
    call_often(&t, m, PROFILE_WARM); // counts are looked at now and then
    EXPECT(told == 1 && told_weight == 3 * PROFILE_WARM && told_loop == PROFILE_CALLS_ALONE);
    call_often(&t, m, 1000);
    EXPECT_INT(1, told);
    profile_report_later(m);
    call_often(&t, m, 900);
    EXPECT_INT(1, told);
    call_often(&t, m, 100 + PROFILE_WARM);
    EXPECT_INT(2, told);
    profile_report_later(m); // by twice as much
    call_often(&t, m, 1900);
    EXPECT_INT(2, told);
    call_often(&t, m, 100 + PROFILE_WARM);
    EXPECT_INT(3, told);
}

enum { SWITCHES = 20000 };
static Method *raced;
static _Atomic bool race_over;

static void *switch_profiling(void *unused)
{
    for (int i = 0; i < SWITCHES; i++)
        i % 2 ? profile_off(raced) : profile_on(raced);
    return unused;
}

static void *quicken_again(void *operand)
{
    for (int i = 0; i < SWITCHES; i++) {
        breakpoint_publish_with(raced, &raced->code[AT_CAST], operand, OP_checkcast_quick);
        breakpoint_publish_with(raced, &raced->code[AT_INSTANCEOF], operand,
                                OP_instanceof_quick);
    }
    return NULL;
}

static void *switch_breakpoint(void *owner)
{
    for (int i = 0; i < SWITCHES / 2; i++) {
        breakpoint_set(NULL, raced, raced->code[AT_CAST].bci, owner);
        breakpoint_set(NULL, raced, raced->code[AT_BRANCH].bci, owner);
        breakpoint_clear(raced, raced->code[AT_CAST].bci, owner);
        breakpoint_clear(raced, raced->code[AT_BRANCH].bci, owner);
    }
    return NULL;
}

// As a thread that runs the code: what an op needs is there when the op is seen. Gives the first fault.
static void *watch_ops(void *operand)
{
    while (!atomic_load(&race_over)) {
        const Insn *pc = &raced->code[AT_CAST];
        uint16_t op = atomic_load_explicit(&pc->op, memory_order_acquire);
        bool profiled = op == OP_profiled_checkcast;
        if ((profiled || op == OP_checkcast_quick) && pc->p != operand)
            return "an operand came after its op";
        if (profiled && !profile_site(raced, pc))
            return "a profiling form has no site";
    }
    return NULL;
}

// Quickening, breakpoints and profiling change one method at once; in the end each form is the right one.
TEST(profiling_quickening_and_breakpoints_race)
{
    int owner, operand;
    PROFILED(h);
    raced = m;
    void *(*const jobs[])(void *) = {switch_profiling, quicken_again, switch_breakpoint,
                                     watch_ops};
    void *const arguments[] = {NULL, &operand, &owner, &operand};
    pthread_t threads[ARRAY_LEN(jobs)];
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
        pthread_create(&threads[i], NULL, jobs[i], arguments[i]);
    void *fault = NULL;
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        atomic_store(&race_over, i == ARRAY_LEN(jobs) - 1);
        pthread_join(threads[i], &fault);
    }
    EXPECT_MSG(!fault, "%s", fault ? (char *)fault : "");
    uint16_t ops[INSNS];
    ops_of(code, ops);
    static const uint16_t plain[INSNS] = {
        OP_load1, OP_checkcast_quick,  BC_pop,  OP_ll_if_icmpge, OP_sl_if_icmpge, BC_if_icmpge,
        OP_load1, OP_instanceof_quick, BC_ifeq, BC_return};
    EXPECT(memcmp(ops, plain, sizeof ops) == 0);
    profile_on(m);
    EXPECT(code[AT_CAST].op == OP_profiled_checkcast
           && code[AT_BRANCH].op == OP_profiled_if_icmpge);
}

// ---- reference maps ----

typedef struct Stack {
    Thread thread;
    Slot slots[64];
    Frame *frame;
    char seen[64]; // R at each visited slot, else .
} Stack;

static void see(void *ctx, Object **slot)
{
    Stack *s = ctx;
    Slot *at = (Slot *)(void *)slot;
    if (at >= s->slots && at < s->slots + ARRAY_LEN(s->slots))
        s->seen[at - s->slots] = s->seen[at - s->slots] == 'R' ? '2' : 'R';
}

// What a collection visits of a frame at an instruction: the 6 locals, then `depth` operands.
static const char *visited(Stack *s, Method *m, const Insn *pc, uint32_t depth)
{
    static char text[32];
    s->frame = (Frame *)(void *)&s->slots[m->max_locals];
    *s->frame = (Frame){.method = m, .pc = pc, .locals = s->slots};
    s->frame->sp = frame_operands(s->frame) + depth;
    s->thread.frame = s->frame;
    frame_set_maps(&interp_frame_maps);
    memset(s->seen, '.', sizeof s->seen);
    frames_visit(&s->thread, see, s);
    snprintf(text, sizeof text, "%.6s|%.*s", s->seen, (int)depth,
             &s->seen[frame_operands(s->frame) - s->slots]);
    return text;
}

TEST(maps_follow_types)
{
    METHOD(h, BC_aload_0, BC_iload_1, BC_dup2, BC_pop2, BC_pop, BC_astore_2, BC_ldc2_w, 0, 2,
           BC_lstore, 3, BC_aconst_null, BC_astore, 5, BC_iconst_0, BC_istore_0, BC_return);
    static Stack s;
    EXPECT_STR("R.....|", visited(&s, m, &code[0], 0));
    EXPECT_STR("R.....|R.", visited(&s, m, &code[2], 2));
    EXPECT_STR("R.....|R.R.", visited(&s, m, &code[3], 4));
    EXPECT_STR("R.....|R", visited(&s, m, &code[5], 1));
    EXPECT_STR("R.R...|..", visited(&s, m, &code[7], 2));
    EXPECT_STR("R.R..R|", visited(&s, m, method_insn_at(m, 14), 0));
    EXPECT_STR("..R..R|", visited(&s, m, method_insn_at(m, 16), 0));
}

TEST(maps_merge_to_what_both_ways_agree_on)
{
    METHOD(h, BC_iload_1, BC_ifeq, 0, 8, BC_aload_0, BC_astore_2, BC_goto, 0, 5, BC_iconst_1,
           BC_istore_2, BC_return);
    static Stack s;
    EXPECT_STR("R.R...|", visited(&s, m, method_insn_at(m, 6), 0));
    EXPECT_STR("R.....|", visited(&s, m, method_insn_at(m, 11), 0));
}

// A subroutine that is entered with a reference in local 2 from one place and with a number
// from the other: the frame's own return address tells which.
TEST(maps_tell_subroutine_calls_apart)
{
    METHOD(h, BC_aload_0, BC_astore_2, BC_jsr, 0, 9, BC_iconst_0, BC_istore_2, BC_jsr, 0, 4,
           BC_return, BC_astore_3, BC_nop, BC_ret, 3);
    static Stack s;
    const Insn *nop = method_insn_at(m, 12);
    s.slots[3].p = (void *)method_insn_at(m, 5);
    EXPECT_STR("R.R...|", visited(&s, m, nop, 0));
    s.slots[3].p = (void *)method_insn_at(m, 10);
    EXPECT_STR("R.....|", visited(&s, m, nop, 0));
}

TEST(maps_leave_out_what_a_callee_took)
{
    METHOD(h, BC_aload_0, BC_aload_0, BC_aload_0, BC_nop, BC_return);
    static Stack s;
    EXPECT_STR("R.....|RRR", visited(&s, m, &code[3], 3));
    EXPECT_STR("R.....|R", visited(&s, m, &code[3], 1));
}

// ---- arithmetic ----

TEST(arithmetic_at_the_edges)
{
    EXPECT_INT(INT32_MIN, java_idiv(INT32_MIN, -1));
    EXPECT_INT(0, java_irem(INT32_MIN, -1));
    EXPECT_INT(INT64_MIN, java_ldiv(INT64_MIN, -1));
    EXPECT_INT(0, java_lrem(INT64_MIN, -1));
    EXPECT_INT(INT32_MAX, java_d2i(1e20));
    EXPECT_INT(INT32_MIN, java_d2i(-1e20));
    EXPECT_INT(INT32_MIN, java_d2i(-2147483648.5));
    EXPECT_INT(0, java_d2i(NAN));
    EXPECT_INT(INT64_MAX, java_d2l(9223372036854775807.0));
    EXPECT_INT(INT64_MIN, java_d2l(-INFINITY));
    EXPECT_INT(-1, java_dcmp(NAN, 1, -1));
    EXPECT_INT(1, java_dcmp(1, NAN, 1));
    EXPECT_INT(0, java_dcmp(0.0, -0.0, 1));
}
