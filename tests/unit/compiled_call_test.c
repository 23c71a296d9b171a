// SPDX-License-Identifier: Apache-2.0
// src/interp/compiled_*.c and the stubs of src/code/java_stubs.h: compiled code made by hand is called by the interpreter, calls it, leaves
// for it, throws. The methods are made by hand, too; classes are those of the JDK, of which no Java code runs.

#include "code/java_convention.h"
#include "interp/compiled_call.h"
#include "interp/osr.h"
#include "interp/profile.h"
#include "vmtest.h"

TEST(arguments_have_their_places)
{
    StrBuf shape = {0};
    static const char desc[] = "(ILjava/lang/String;[[JJBDF)[I";
    java_put_shape(&shape, desc, strlen(desc), false);
    EXPECT_STR("(ILLJBDF)L", shape.s);
    sb_free(&shape);
    static const struct {
        char kind;
        int reg, word, slot;
    } expected[] = {{'L', 7, 0, 0},   {'I', 6, 0, 1},  {'L', 2, 0, 2},  {'L', 1, 0, 3},
                    {'J', 8, 0, 4},   {'B', 9, 0, 6},  {'D', 16, 0, 7}, {'F', 17, 0, 9},
                    {'J', -1, 0, 10}, {'I', -1, 1, 12}};
    JavaArgument w = java_arguments("(ILLJBDFJI)L");
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        EXPECT(java_argument_next(&w));
        EXPECT_INT(expected[i].kind, w.kind);
        EXPECT_INT(expected[i].reg, w.reg);
        EXPECT(w.reg >= 0 || w.stack_word == expected[i].word);
        EXPECT_INT(expected[i].slot, w.slot);
    }
    EXPECT(!java_argument_next(&w));
    EXPECT_INT(2, java_stack_words("(ILLJBDFJI)L"));
    EXPECT_INT(13, java_argument_slots("(ILLJBDFJI)L"));
    EXPECT_INT(1, java_stack_words("static(DDDDDDDDD)V"));
}

#if CODE_IS_GENERATED
#    include "class/vm_classes.h"
#    include "code/compiled_frame.h"
#    include "code/x86_64_asm.h"
#    include "frame/held_monitors.h"
#    include "java/engine.h"
#    include "java/exception.h"
#    include "java/string.h"
#    include "platform/native_stack.h"
#    include "thread/monitor.h"

// ---- a VM without Java code ----

static Thread *self;

static void start(void)
{
    if (self)
        return;
    char error[256] = "";
    HeapOptions heap = {.initial = 16 << 20, .max = 64 << 20, .soft_ms_per_mb = 1000};
    EXPECT(heap_init(&heap, error, sizeof error) && class_space_init(64 << 20, PLACEMENT_LOW));
    EXPECT(code_cache_init(4 << 20, CODE_MAPPING_ANY));
    symbols_init();
    threads_init(0);
    monitors_init();
    strings_init();
    interp_init();
    compiled_frames_init();
    self = thread_attach_current(0);
    EXPECT_MSG(loader_init(TEST_JDK_HOME, NULL, error, sizeof error), "%s", error);
    EXPECT(vm_classes_load(self));
}

// ---- methods by hand ----

typedef struct HandMade {
    ClassFile cf;
    MethodInfo info;
    uint8_t code[512]; // a Code attribute from its length on
    Method m;
    ConstantPool pool; // the last, as its end is a flexible array
} HandMade;

static Method *new_method(const char *desc, uint16_t access, const uint8_t *code, size_t len)
{
    static const uint8_t bytes[] = {0};
    static uint16_t cp_near[] = {0};
    HandMade *h = vm_calloc(1, sizeof *h);
    h->cf.bytes = bytes;
    h->cf.cp_near = cp_near;
    h->cf.cp_count = 1;
    h->pool.cf = &h->cf;
    uint8_t head[] = {0, 0, 0, (uint8_t)(len + 12), 0, 40, 0, 40, 0, 0, 0, (uint8_t)len};
    memcpy(h->code, head, sizeof head);
    memcpy(h->code + sizeof head, code, len);
    h->info.code = h->code + 4;
    MethodShape shape = descriptor_method_shape(desc, strlen(desc));
    h->m = (Method){.cls = CLS(Object),
                    .name = symbol_intern("m"),
                    .desc = symbol_intern(desc),
                    .info = &h->info,
                    .pool = &h->pool,
                    .access = access,
                    .param_count = shape.param_count,
                    .arg_words = (uint8_t)(shape.arg_words + !(access & ACC_STATIC)),
                    .ret = shape.ret,
                    .max_stack = 40,
                    .max_locals = 40,
                    .table_index = -1};
    EXPECT(method_decode(self, &h->m));
    method_set_entry(&h->m, ENTRY_JAVA);
    return &h->m;
}
#    define METHOD(desc, ...)                                          \
        new_method((desc), ACC_STATIC, (const uint8_t[]){__VA_ARGS__}, \
                   sizeof((const uint8_t[]){__VA_ARGS__}))

// The instruction at a bytecode index calls the static method `callee`, as if it had run before.
static void link_call(Method *m, uint32_t bci, Method *callee)
{
    Insn *pc = method_insn_at(m, bci);
    pc->p = callee;
    pc->op = OP_invoke_static;
}

static jvalue run(Method *m, const jvalue *args)
{
    jvalue result = {0};
    FrameCursor c;
    EXPECT(!cursor_first(&c, self) && !self->frame);
    bool ok = interp_call(self, m, args, &result);
    EXPECT(ok == !exception_pending(self) && !self->frame);
    return result;
}

// ---- compiled code by hand ----

typedef struct Made { // code under way
    Asm a;
    CompiledCode code;
    CodeSite sites[8];
    CodeState states[8];
    CodeValue values[256];
    CodeScope scopes[4];
    CodeLanding landings[4];
    uint64_t constants[4];
    CodePosition position;
} Made;
enum { FRAME_BYTES = 128, LOCALS = 40 };

static void begin(Made *k, Method *m)
{
    *k = (Made){.code = {.method = m, .osr_bci = -1, .frame_size = FRAME_BYTES}};
    k->code.slot_words = 1;
    k->code.sites = k->sites;
    k->code.states = k->states;
    k->code.values = k->values;
    k->code.scopes = k->scopes;
    k->code.constants = k->constants;
    k->code.landings = k->landings;
    k->code.constant_count = ARRAY_LEN(k->constants);
    k->code.positions = &k->position;
    k->code.position_count = 1;
    static const uint32_t no_roots[8];
    k->code.root_words = no_roots;
    k->code.root_count = ARRAY_LEN(no_roots);
    k->scopes[k->code.scope_count++] = (CodeScope){m, CODE_NO_STATE};
    asm_init(&k->a);
}

static void push_frame(Made *k)
{
    x86_push_r64(&k->a, RBP);
    x86_mov_r64_r64(&k->a, RBP, RSP);
    x86_sub_r64_i32(&k->a, RSP, FRAME_BYTES);
    x86_mov_m64_i32(&k->a, x86_mem(RBP, -CODE_EVENTS_AT), 0);
}

static void return_from(Made *k)
{
    x86_leave(&k->a);
    x86_ret(&k->a);
}

static void call_address(Made *k, const void *at)
{
    x86_movabs_r64_i64(&k->a, R11, (int64_t)(uintptr_t)at);
    x86_call_r64(&k->a, R11);
}

static CodeSite *site_here(Made *k, CodeSiteKind kind, uint32_t state)
{
    CodeSite *s = &k->sites[k->code.site_count++];
    *s = (CodeSite){.offset = (uint32_t)asm_size(&k->a), .state = state, .kind = (uint8_t)kind};
    return s;
}

static CodeSite *call_method(Made *k, const Method *callee, uint32_t state)
{
    x86_movabs_r64_i64(&k->a, RBX, (int64_t)(uintptr_t)callee);
    x86_call_m64(&k->a, x86_mem(RBX, offsetof(Method, compiled_entry)));
    CodeSite *site = site_here(k, SITE_CALL, state);
    site->result = (uint8_t)(callee->ret == 'J' ? VALUE_J + 1 : VALUE_I + 1);
    return site;
}

// A state whose words are unset: set_word fills them.
static uint32_t add_state(Made *k, uint32_t scope, uint16_t bci, CodeStateKind kind,
                          uint16_t depth)
{
    CodeState *s = &k->states[k->code.state_count];
    *s = (CodeState){.scope = scope, .bci = bci, .kind = (uint8_t)kind, .depth = depth};
    s->locals = LOCALS;
    s->locals_at = k->code.value_count;
    s->operands_at = s->locals_at + LOCALS;
    k->code.value_count += LOCALS + depth;
    VM_CHECK(k->code.value_count <= ARRAY_LEN(k->values));
    return k->code.state_count++;
}

static CodeValue value(ValuePlace place, ValueKind kind, unsigned index)
{
    return (CodeValue){.place = place & 15u, .kind = kind & 15u, .index = index & 0xFFFFFFu};
}

static const CompiledCode *install_apart(Made *k)
{
    EXPECT_INT(ASM_OK, asm_finish(&k->a));
    const CompiledCode *code =
        compiled_install(&k->code, asm_code(&k->a), asm_size(&k->a), "by hand");
    EXPECT(code);
    asm_free(&k->a);
    return code;
}

static void install(Made *k)
{
    EXPECT(method_set_compiled(k->code.method, install_apart(k)));
}

// ---- calls ----

TEST(the_interpreter_calls_compiled_code)
{
    start();
    Method *m = METHOD("(II)I", BC_iconst_m1, BC_ireturn);
    jvalue args[] = {{.i = 40}, {.i = 2}};
    EXPECT_INT(-1, run(m, args).i);
    Made k;
    begin(&k, m);
    x86_lea_r32_m(&k.a, RAX, x86_mem_index(RDI, RSI, X86_TIMES_1, 0));
    x86_ret(&k.a);
    install(&k);
    EXPECT_INT(42, run(m, args).i);
    Method *caller = METHOD("(II)I", BC_iload_0, BC_iload_1, BC_invokestatic, 0, 0, BC_iconst_1,
                            BC_iadd, BC_ireturn);
    link_call(caller, 2, m);
    EXPECT_INT(43, run(caller, args).i);
    EXPECT(method_set_compiled(m, NULL) && !method_set_compiled(m, NULL));
    EXPECT_INT(-1, run(m, args).i);
}

static const char mixed[] =
    "(JFIDJDJFDIJDJFDDJDFJ)D";        // of each kind more than there are registers
static const uint8_t mixed_code[] = { // acc = acc * 3 + argument, for each
    BC_dconst_0, BC_dstore, 38};
static jvalue mixed_args[20];

static size_t put_mixed_code(uint8_t *out)
{
    size_t n = sizeof mixed_code;
    memcpy(out, mixed_code, n);
    uint8_t slot = 0;
    for (const char *p = mixed + 1; *p != ')'; p++) {
        static const char kinds[] = "IJFD";
        static const uint8_t loads[] = {BC_iload, BC_lload, BC_fload, BC_dload},
                             to_double[] = {BC_i2d, BC_l2d, BC_f2d, BC_nop};
        size_t kind = (size_t)(strchr(kinds, *p) - kinds);
        uint8_t step[] = {BC_dload, 38,          BC_iconst_3, BC_i2d,
                          BC_dmul,  loads[kind], slot,        to_double[kind],
                          BC_dadd,  BC_dstore,   38};
        memcpy(out + n, step, sizeof step);
        n += sizeof step;
        slot = (uint8_t)(slot + (*p == 'J' || *p == 'D' ? 2 : 1));
    }
    memcpy(out + n, (const uint8_t[]){BC_dload, 38, BC_dreturn}, 3);
    return n + 3;
}

static double mixed_expected(void)
{
    double acc = 0;
    int i = 0;
    for (const char *p = mixed + 1; *p != ')'; p++, i++) {
        double v = 0;
        switch (*p) {
        case 'I': v = mixed_args[i].i = -7 - i; break;
        case 'J': v = (double)(mixed_args[i].j = (int64_t)1 << (33 + i)); break;
        case 'F': v = (double)(mixed_args[i].f = 0.25f + (float)i); break;
        default: v = mixed_args[i].d = 1e9 + i;
        }
        acc = acc * 3 + v;
    }
    return acc;
}

static void add_argument(Made *k, const JavaArgument *w)
{
    bool on_stack = w->reg == JAVA_NO_REGISTER;
    X86Mem at = x86_mem(RSP, 8 + w->stack_word * 8);
    X86Xmm xmm = (X86Xmm)(w->reg - 16);
    switch (w->kind) {
    case 'I':
    case 'J':
        if (on_stack)
            x86_mov_r64_m64(&k->a, RAX, at);
        else
            x86_mov_r64_r64(&k->a, RAX, (X86Reg)w->reg);
        if (w->kind == 'I')
            x86_movsxd_r64_r32(&k->a, RAX, RAX);
        x86_cvtsi2sd_x_r64(&k->a, XMM13, RAX);
        break;
    case 'F':
        if (on_stack)
            x86_cvtss2sd_x_m32(&k->a, XMM13, at);
        else
            x86_cvtss2sd_x_x(&k->a, XMM13, xmm);
        break;
    default:
        if (on_stack)
            x86_movsd_x_m64(&k->a, XMM13, at);
        else
            x86_movaps_x_x(&k->a, XMM13, xmm);
    }
    x86_mulsd_x_x(&k->a, XMM15, XMM14);
    x86_addsd_x_x(&k->a, XMM15, XMM13);
}

TEST(arguments_of_all_kinds_arrive)
{
    start();
    double expected = mixed_expected();
    uint8_t code[400];
    Method *m = new_method(mixed, ACC_STATIC, code, put_mixed_code(code));
    Method *interpreted = new_method(mixed, ACC_STATIC, code, put_mixed_code(code));
    EXPECT(run(interpreted, mixed_args).d == expected);
    StrBuf shape = {0};
    java_put_shape(&shape, mixed, strlen(mixed), true);
    EXPECT(java_stack_words(shape.s) > 2);
    Made k;
    begin(&k, m);
    x86_mov_r32_i32(&k.a, RAX, 3);
    x86_cvtsi2sd_x_r32(&k.a, XMM14, RAX);
    x86_pxor_x_x(&k.a, XMM15, XMM15);
    for (JavaArgument w = java_arguments(shape.s); java_argument_next(&w);)
        add_argument(&k, &w);
    x86_movaps_x_x(&k.a, XMM0, XMM15);
    x86_ret(&k.a);
    install(&k);
    EXPECT(run(m, mixed_args).d == expected);
    Method *forwards = new_method(mixed, ACC_STATIC, code, put_mixed_code(code));
    begin(
        &k,
        forwards); // to an interpreted method: the first call finds its stub, the second one has it
    x86_movabs_r64_i64(&k.a, RBX, (int64_t)(uintptr_t)interpreted);
    x86_jmp_m64(&k.a, x86_mem(RBX, offsetof(Method, compiled_entry)));
    install(&k);
    EXPECT(run(forwards, mixed_args).d == expected);
    EXPECT(run(forwards, mixed_args).d == expected);
    atomic_store(&interpreted->compiled_entry,
                 java_stub(JAVA_STUB_ANY)); // had there been no room
    EXPECT(run(forwards, mixed_args).d == expected);
    sb_free(&shape);
}

TEST(compiled_code_calls_the_interpreter)
{
    start();
    Method *callee = METHOD("(I)I", BC_iload_0, BC_iconst_2, BC_imul, BC_ireturn);
    Method *m =
        METHOD("(I)I", BC_iload_0, BC_invokestatic, 0, 0, BC_iconst_1, BC_iadd, BC_ireturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    (void)call_method(&k, callee, add_state(&k, 0, 1, CODE_BEHIND, 0));
    x86_add_r32_i8(&k.a, RAX, 1);
    return_from(&k);
    install(&k);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(2 * i + 1, run(m, &(jvalue){.i = i}).i);
}

// ---- deoptimization ----

// Bytecodes that add up what a state of deoptimized code has: I 0 (register), J 1 (slot), F 3 (xmm), D 4 (constant), and operands I (register), J (slot).
// The method's beginning is never interpreted.
enum { SUM_AT = 1 }; // where the frame is deoptimized
static Method *summing_method(const char *desc)
{
    return METHOD(desc, BC_nop, BC_ladd, BC_lload_1, BC_ladd, BC_iload_0, BC_i2l, BC_ladd,
                  BC_fload_3, BC_f2l, BC_ladd, BC_dload, 4, BC_d2l, BC_ladd, BC_lreturn);
}

// A state of a summing method at SUM_AT: 3 + 5 as operands, locals 10, 20, 30, 40. The values lie where summing_values puts them.
static uint32_t add_summing_state(Made *k, uint32_t scope, CodeStateKind kind)
{
    uint32_t state = add_state(k, scope, SUM_AT, kind, 4);
    CodeValue *v = k->values + k->states[state].locals_at;
    k->constants[0] = 0x4044000000000000; // 40.0
    v[0] = value(PLACE_REGISTER, VALUE_I, RSI);
    v[1] = value(PLACE_SLOT, VALUE_J, 2);
    v[3] = value(PLACE_REGISTER, VALUE_F, 16 + 9);
    v[4] = value(PLACE_CONSTANT, VALUE_D, 0);
    CodeValue *operand = k->values + k->states[state].operands_at;
    operand[0] = value(PLACE_REGISTER, VALUE_J, R12);
    operand[2] = value(PLACE_SLOT, VALUE_J, 0);
    return state;
}

static void summing_values(Made *k)
{
    static const float thirty = 30;
    int32_t bits;
    memcpy(&bits, &thirty, sizeof bits);
    x86_movabs_r64_i64(&k->a, RSI, (int64_t)0xDEAD00000000 + 10);
    x86_mov_r64_i32(&k->a, R12, 3);
    x86_mov_r32_i32(&k->a, RAX, bits);
    x86_movd_x_r32(&k->a, XMM9, RAX);
    x86_mov_m64_i32(&k->a, x86_mem(RBP, -CODE_SLOTS_AT), 5);
    x86_mov_m64_i32(&k->a, x86_mem(RBP, -CODE_SLOTS_AT - 16), 20);
}

static Method *leaving_method(void)
{
    Method *m = summing_method("()J");
    Made k;
    begin(&k, m);
    push_frame(&k);
    summing_values(&k);
    call_address(&k, java_stub(JAVA_STUB_DEOPT));
    (void)site_here(&k, SITE_DEOPT, add_summing_state(&k, 0, CODE_AGAIN));
    install(&k);
    return m;
}

// Compiled code that calls a method ()J and adds 1000 to what it gives.
static Method *calling_method(const Method *callee)
{
    Method *m = METHOD("()J", BC_invokestatic, 0, 0, BC_lreturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    (void)call_method(&k, callee, add_state(&k, 0, 0, CODE_BEHIND, 0));
    x86_add_r64_i32(&k.a, RAX, 1000);
    return_from(&k);
    install(&k);
    return m;
}

TEST(frames_leave_with_their_values)
{
    start();
    Method *m = leaving_method();
    EXPECT_INT(108, run(m, NULL).j);
    EXPECT_INT(1108, run(calling_method(m), NULL).j);
    EXPECT_INT(2108, run(calling_method(calling_method(m)), NULL).j);
    Method *caller = METHOD("()J", BC_invokestatic, 0, 0, BC_lconst_1, BC_ladd, BC_lreturn);
    link_call(caller, 0, m);
    EXPECT_INT(109, run(caller, NULL).j);
}

TEST(inlined_frames_leave)
{
    start();
    Method *outer =
        METHOD("()J", BC_sipush, 3, 0xE8, BC_i2l, BC_invokestatic, 0, 0, BC_lsub, BC_lreturn);
    Method *inner = summing_method("(IJFD)J");
    Made k;
    begin(&k, outer);
    push_frame(&k);
    summing_values(&k);
    uint32_t call = add_state(&k, 0, 4, CODE_BEHIND, 2); // its arguments are off the stack
    k.values[k.states[call].operands_at] = value(PLACE_CONSTANT, VALUE_J, 1);
    k.constants[1] = 1000;
    k.scopes[k.code.scope_count++] = (CodeScope){inner, call};
    call_address(&k, java_stub(JAVA_STUB_DEOPT));
    (void)site_here(&k, SITE_DEOPT, add_summing_state(&k, 1, CODE_AGAIN));
    install(&k);
    EXPECT_INT(1000 - 108, run(outer, NULL).j);
    EXPECT_INT(1000 - 108 + 1000, run(calling_method(outer), NULL).j);
}

// A loop of 200,000 turns that calls, adding up; the stack is where it was, but for how a compiler of
// C aligns the first call and the others.
enum { STACK_SLACK = 64 };
static uintptr_t deepest, highest;
static const Frame *lowest_frame, *highest_frame;
static uint64_t depth_notes;
static uint64_t note_depth(Thread *t, uint64_t *outgoing)
{
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    EXPECT(t == self && (uintptr_t)outgoing > at);
    deepest = MIN_OF(deepest, at);
    highest = MAX_OF(highest, at);
    lowest_frame = depth_notes ? MIN_OF(lowest_frame, t->frame) : t->frame;
    highest_frame = MAX_OF(highest_frame, t->frame);
    depth_notes++;
    return 0;
}

TEST(leaving_takes_no_stack)
{
    start();
    Method *m = summing_method("()J");
    Made k;
    begin(&k, m);
    push_frame(&k);
    call_address(&k, java_runtime_stub(note_depth, true));
    (void)site_here(&k, SITE_RUNTIME, CODE_NO_STATE);
    summing_values(&k);
    call_address(&k, java_stub(JAVA_STUB_DEOPT));
    (void)site_here(&k, SITE_DEOPT, add_summing_state(&k, 0, CODE_AGAIN));
    install(&k);
    Method *loop = METHOD("(I)J", BC_lconst_0, BC_lstore_1, BC_lload_1, BC_invokestatic, 0, 0,
                          BC_ladd, BC_lstore_1, BC_iinc, 0, 0xFF, BC_iload_0, BC_ifgt, 0xFF,
                          0xF6, BC_lload_1, BC_lreturn);
    link_call(loop, 3, m);
    deepest = UINTPTR_MAX;
    highest = 0;
    EXPECT_INT(200000 * 108, run(loop, &(jvalue){.i = 200000}).j);
    EXPECT(highest - deepest <= STACK_SLACK);
}

// ---- loops that are entered in their middle ----

#    ifdef PELLUCID_DEBUG
enum { TURNS = 1000000 };
#    else
enum { TURNS = 20000000 }; // ten million ways in and out
#    endif
enum { LOOP_AT = 2 };
static Method *counting_method(void)
{
    static const uint8_t code[] = {
        BC_lconst_0, BC_lstore_1, BC_lload_1, BC_lconst_1, BC_ladd, BC_lstore_1, BC_iinc,   0,
        0xFF,        BC_iload_0,  BC_ifgt,    0xFF,        0xF8,    BC_lload_1,  BC_lreturn};
    return new_method("(I)J", ACC_STATIC, code, sizeof code);
}

// The loop of counting_method, which is deoptimized at once, at its beginning.
static const CompiledCode *counting_loop(Method *m)
{
    Made k;
    begin(&k, m);
    k.code.osr_bci = LOOP_AT;
    push_frame(&k);
    x86_mov_r64_m64(&k.a, RSI, x86_mem(RDI, 0));
    x86_mov_r64_m64(&k.a, RAX, x86_mem(RDI, 8));
    x86_mov_m64_r64(&k.a, x86_mem(RBP, -CODE_SLOTS_AT), RAX);
    call_address(&k, java_runtime_stub(note_depth, true));
    (void)site_here(&k, SITE_RUNTIME, CODE_NO_STATE);
    uint32_t state = add_state(&k, 0, LOOP_AT, CODE_AGAIN, 0);
    k.values[k.states[state].locals_at] = value(PLACE_REGISTER, VALUE_I, RSI);
    k.values[k.states[state].locals_at + 1] = value(PLACE_SLOT, VALUE_J, 0);
    call_address(&k, java_stub(JAVA_STUB_DEOPT));
    (void)site_here(&k, SITE_DEOPT, state);
    return install_apart(&k);
}

static const CompiledCode *loop_code;
static int loops_heavy;
static void on_heavy(Thread *t, Method *m, MethodProfile *p, uint32_t weight, int32_t loop)
{
    EXPECT(t == self && weight > 0);
    if (loop == PROFILE_CALLS_ALONE)
        return;
    EXPECT_INT(LOOP_AT, loop);
    loops_heavy++;
    atomic_store(&profile_hot_loop(p, loop)->reported_from, PROFILE_NOT_AGAIN);
    EXPECT(!loop_code || osr_set_code(m, loop, loop_code));
}

// One activation goes in and out at about each second turn; neither stack grows.
TEST(a_loop_is_entered_and_left_again_and_again)
{
    start();
    profile_set_compiler(on_heavy, 1, 1, 1);
    self->loop_budget = self->loop_grant = 0; // what it had was given when nobody asked
    Method *m = counting_method();
    loop_code = counting_loop(m);
    deepest = UINTPTR_MAX;
    highest = 0;
    highest_frame = NULL;
    depth_notes = 0;
    EXPECT_INT(TURNS, run(m, &(jvalue){.i = TURNS}).j);
    EXPECT_INT(1, loops_heavy);
    EXPECT(depth_notes > TURNS / 2);
    EXPECT(highest - deepest <= STACK_SLACK);
    EXPECT(highest_frame == lowest_frame);
    Method *caller =
        METHOD("(I)J", BC_iload_0, BC_invokestatic, 0, 0, BC_lconst_1, BC_ladd, BC_lreturn);
    link_call(caller, 1, m);
    EXPECT_INT(101, run(caller, &(jvalue){.i = 100}).j);
    loop_code = NULL;
}

// ---- the VM's functions ----

static void *frames[64];
static int frames_seen;
static uint64_t answer(Thread *t, uint64_t *outgoing)
{
    const Frame *b = t->frame;
    EXPECT(b->flags & FRAME_COMPILED && compiled_find((uintptr_t)b->anchor_pc - 1));
    EXPECT_INT(77, outgoing[1]);
    frames_seen = native_backtrace(frames, ARRAY_LEN(frames));
    return 1 << 20;
}

// Each general register that code may use gets a bit of its own; r11 is the stub's.
enum { FILLED_SUM = (1 << R14) - 1 - (1 << RSP) - (1 << RBP) - (1 << R11) };
static void fill_registers(Made *k)
{
    for (X86Reg r = RAX; r < R14; r++)
        if (r != RSP && r != RBP && r != R11)
            x86_mov_r64_i32(&k->a, r, 1 << r);
}

// rax = the sum of them all.
static void add_registers(Made *k)
{
    for (X86Reg r = RCX; r < R14; r++)
        if (r != RSP && r != RBP)
            x86_add_r64_r64(&k->a, RAX, r);
}

TEST(functions_of_the_vm_keep_all_registers)
{
    start();
    Method *m = METHOD("()J", BC_lconst_0, BC_lreturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    fill_registers(&k);
    for (int x = 0; x < 16; x++)
        x86_cvtsi2sd_x_r32(&k.a, (X86Xmm)x, RCX);
    x86_mov_m64_i32(&k.a, x86_mem(RSP, 8), 77);
    call_address(&k, java_runtime_stub(answer, true));
    (void)site_here(&k, SITE_RUNTIME, CODE_NO_STATE);
    add_registers(&k);
    for (int x = 1; x < 16; x++)
        x86_addsd_x_x(&k.a, XMM0, (X86Xmm)x);
    x86_cvttsd2si_r64_x(&k.a, RCX, XMM0);
    x86_add_r64_r64(&k.a, RAX, RCX);
    return_from(&k);
    install(&k);
    EXPECT_INT(FILLED_SUM + (1 << 20) + 16 * (1 << RCX), run(m, NULL).j);
    EXPECT(java_runtime_stub(answer, true) == java_runtime_stub(answer, true));
    EXPECT(java_runtime_stub(answer, true) != java_runtime_stub(answer, false));
    static const char *const expected[] = {"runtime call", "by hand", "enter static()J"};
    size_t named = 0;
    int last = 0; // of generated code
    for (int i = 0; i < frames_seen; i++) {
        const CodeBlob *blob = code_find((uintptr_t)frames[i] - 1);
        if (blob && named < ARRAY_LEN(expected))
            EXPECT_STR(expected[named++], blob->name);
        last = blob ? i : last;
    }
    EXPECT_INT(ARRAY_LEN(expected), named);
    EXPECT(frames_seen >= last + 5); // the interpreter's and the test's follow
}

static uint64_t counted_floats(Thread *t, uint64_t *outgoing)
{
    (void)t;
    volatile double sum = 0;
    for (int i = 1; i <= (int)outgoing[1]; i++)
        sum += 1.0 / i;
    return sum > 1;
}

TEST(functions_of_the_vm_keep_the_other_registers_of_code_without_floats)
{
    start();
    Method *m = METHOD("()J", BC_lconst_0, BC_lreturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    fill_registers(&k);
    x86_mov_m64_i32(&k.a, x86_mem(RSP, 8), 77);
    call_address(&k, java_runtime_stub(counted_floats, false));
    (void)site_here(&k, SITE_RUNTIME, CODE_NO_STATE);
    add_registers(&k);
    return_from(&k);
    install(&k);
    EXPECT_INT(FILLED_SUM + 1, run(m, NULL).j);
}

// ---- hooks ----

static void hook_code(const CompiledCode *code)
{
    world_stop(self);
    compiled_hook_frames(code);
    world_resume(self);
}

// A signal handler finds the youngest frame, which may be hooked, from C, and at the beginning of the stub that it returns to.
static void signals_see(const Thread *t, const FrameCursor *f)
{
    uintptr_t rbp = f->compiled.rbp,
              at = (uintptr_t)compiled_return_address(f->compiled.code, rbp);
    const ArchPlace in_c = {.pc = (uintptr_t)&start, .sp = (uintptr_t)&rbp, .fp = 7},
                    returned = {
                        .pc = (uintptr_t)java_stub(JAVA_STUB_LAZY), .sp = at + 8, .fp = rbp};
    FrameCursor c;
    EXPECT(cursor_first_interrupted(&c, t, &in_c) && c.method == f->method && c.bci == f->bci);
    if (compiled_is_hooked(f->compiled.code, rbp))
        EXPECT(cursor_first_interrupted(&c, t, &returned) && c.method == f->method
               && c.bci == f->bci);
}

static const CompiledCode *hooked_code; // NULL: what the youngest compiled frame runs
static uint64_t hook(Thread *t, uint64_t *outgoing)
{
    (void)outgoing;
    uintptr_t pc = (uintptr_t)t->frame->anchor_pc;
    hook_code(hooked_code ? hooked_code : compiled_find(pc - 1));
    hook_code(hooked_code ? hooked_code : compiled_find(pc - 1)); // once more changes nothing
    FrameCursor c = cursor_youngest(t);
    EXPECT(c.kind == KIND_COMPILED && c.bci == SUM_AT);
    signals_see(t, &c);
    return 1000;
}

// A compiled frame that has called a function of the VM when its code is retired. The state: as if the result were its last operand.
static Method *hooked_in_runtime(JavaRuntime *function)
{
    Method *m =
        METHOD("()J", BC_nop, BC_nop, BC_ladd, BC_ladd, BC_lload_1, BC_ladd, BC_iload_0, BC_i2l,
               BC_ladd, BC_fload_3, BC_f2l, BC_ladd, BC_dload, 4, BC_d2l, BC_ladd, BC_lreturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    summing_values(&k);
    call_address(&k, java_runtime_stub(function, true));
    site_here(&k, SITE_RUNTIME, add_summing_state(&k, 0, CODE_BEHIND))->result = VALUE_J + 1;
    x86_ud2(&k.a);
    install(&k);
    return m;
}

TEST(hooked_frames_leave_behind_functions_of_the_vm)
{
    start();
    hooked_code = NULL;
    Method *m = hooked_in_runtime(hook);
    EXPECT_INT(1108, run(m, NULL).j); // registers, slots and the result
    EXPECT_INT(2108, run(calling_method(m), NULL).j);
}

static const CompiledCode *code_of(const Method *m)
{
    return compiled_find((uintptr_t)atomic_load(&m->compiled_entry));
}

// A compiled method ()J that calls a function of the VM and gives its result.
static Method *calls_function(JavaRuntime *function)
{
    Method *m = METHOD("()J", BC_nop, BC_lconst_0, BC_lreturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    call_address(&k, java_runtime_stub(function, true));
    (void)site_here(&k, SITE_RUNTIME, add_state(&k, 0, SUM_AT, CODE_AGAIN, 0));
    x86_mov_r64_r64(&k.a, RAX, R11);
    return_from(&k);
    install(&k);
    return m;
}

TEST(hooked_frames_leave_behind_calls)
{
    start();
    Method *inner = calling_method(calls_function(hook)), *m = inner;
    for (int i = 0; i < 3; i++)
        m = calling_method(m);
    hooked_code = code_of(inner);
    EXPECT_INT(1000 + 3 * 1000, run(m, NULL).j); // but for the hooked frame each adds 1000
    EXPECT_INT(1000 + 3 * 1000, run(m, NULL).j);
    hooked_code = code_of(m); // the oldest of the stretch
    EXPECT_INT(1000 + 3 * 1000, run(m, NULL).j);
}

static jobject thrown;
static uint64_t hook_and_fail(Thread *t, uint64_t *outgoing)
{
    (void)hook(t, outgoing);
    t->exception = deref(thrown);
    return 0;
}

// An exception that comes to a hooked frame does not go to its code, but through what the interpreter has for it.
TEST(exceptions_leave_hooked_frames)
{
    start();
    HANDLE_SCOPE(self);
    Object *o = heap_alloc(self, &CLS(Throwable)->layout, CLS(Throwable)->layout.instance_size);
    thrown = handle_new(self, o);
    hooked_code = NULL;
    run(calling_method(hooked_in_runtime(hook_and_fail)), NULL);
    EXPECT(self->exception == deref(thrown));
    self->exception = NULL;
}

// ---- parked frames ----

enum {
    CHANGED_I = 100,
    CHANGED_J = 2000
}; // instead of 10 and 20: locals 0 and 1 of a summing method

// The youngest frame, of a summing method, is changed; and every other compiled frame is one that could be.
static uint64_t change(Thread *t, uint64_t *outgoing)
{
    (void)outgoing;
    FrameCursor stale = cursor_youngest(t);
    FRAMES_EACH(c, t)
    {
        FrameId id = cursor_id(&c);
        FrameCursor found, before = c;
        if (c.depth % 2 == 0)
            cursor_own(&c);
        cursor_renew(&before, id);
        EXPECT(before.method == c.method && before.bci == c.bci);
        EXPECT(cursor_find(&found, t, id) && cursor_find(&found, t, cursor_id(&c)));
        EXPECT(found.method == c.method && found.bci == c.bci);
    }
    FrameCursor c = cursor_youngest(t);
    EXPECT(c.kind == KIND_INTERPRETED && c.bci == SUM_AT && cursor_is_current(&c));
    EXPECT(cursor_value(&c, 0).i == 10 && cursor_value(&c, 1).l == 20);
    EXPECT(frame_operands(c.frame)[0].l == 3 && c.frame->sp == frame_operands(c.frame) + 4);
    cursor_set_value(&c, 0, (Slot){.l = CHANGED_I});
    cursor_set_value(&c, 1, (Slot){.l = CHANGED_J});
    EXPECT(cursor_value(&stale, 0).i == CHANGED_I);
    signals_see(t, &stale);
    return 1000;
}

TEST(parked_frames_go_on_as_they_were_changed)
{
    start();
    enum { CHANGED = 1108 - 30 + CHANGED_I + CHANGED_J };
    Method *m = hooked_in_runtime(change);
    EXPECT_INT(CHANGED, run(m, NULL).j);
    EXPECT_INT(CHANGED + 1000, run(calling_method(m), NULL).j);
    // Of two callers the older one is parked, too: it adds nothing then.
    EXPECT_INT(CHANGED + 1000, run(calling_method(calling_method(m)), NULL).j);
}

// Both frames of one piece of code are parked: the inlined one and its caller, whose operand 1000 becomes 5000.
static uint64_t change_inlined(Thread *t, uint64_t *outgoing)
{
    (void)outgoing;
    FrameCursor c;
    EXPECT(cursor_at(&c, t, 1) && c.kind == KIND_COMPILED);
    FrameId id = cursor_id(&c);
    cursor_own(&c);
    EXPECT(c.kind == KIND_INTERPRETED && c.depth == 1);
    EXPECT(c.frame->locals && frame_operands(c.frame)[0].l == 1000);
    frame_operands(c.frame)[0].l = 5000;
    EXPECT(cursor_at(&c, t, 0) && c.kind == KIND_INTERPRETED && cursor_value(&c, 0).i == 10);
    EXPECT(cursor_find(&c, t, id) && c.depth == 1);
    return 0;
}

TEST(inlined_frames_are_parked_together)
{
    start();
    Method *outer =
        METHOD("()J", BC_sipush, 3, 0xE8, BC_i2l, BC_invokestatic, 0, 0, BC_lsub, BC_lreturn);
    Method *inner = summing_method("(IJFD)J");
    Made k;
    begin(&k, outer);
    push_frame(&k);
    summing_values(&k);
    uint32_t call = add_state(&k, 0, 4, CODE_BEHIND, 2); // its arguments are off the stack
    k.values[k.states[call].operands_at] = value(PLACE_CONSTANT, VALUE_J, 1);
    k.constants[1] = 1000;
    k.scopes[k.code.scope_count++] = (CodeScope){inner, call};
    call_address(&k, java_runtime_stub(change_inlined, true));
    (void)site_here(&k, SITE_RUNTIME, add_summing_state(&k, 1, CODE_AGAIN));
    x86_ud2(&k.a);
    install(&k);
    EXPECT_INT(5000 - 108, run(outer, NULL).j);
    EXPECT_INT(5000 - 108 + 1000, run(calling_method(outer), NULL).j);
}

// ---- exceptions ----

static jobject new_throwable(void)
{
    Object *o = heap_alloc(self, &CLS(Throwable)->layout, CLS(Throwable)->layout.instance_size);
    return handle_new(self, o);
}

// All exceptions between two bytecode indices go to a handler. The next entry of m's exception table.
static void add_handler(Method *m, uint8_t from, uint8_t to, uint8_t handler, uint8_t type)
{
    HandMade *h = (HandMade *)(void *)((char *)m - offsetof(HandMade, m));
    uint8_t *table = h->code + 12 + method_code(m).code_len;
    uint8_t *entry = table + 2 + 8 * table[1]++;
    memcpy(entry, (const uint8_t[]){0, from, 0, to, 0, handler, 0, type}, 8);
    EXPECT_INT(table[1], method_code(m).exception_count);
}

// The site's code lands here.
static void land_here(Made *k, CodeSite *site, uint32_t scope, uint32_t handler)
{
    VM_CHECK(k->code.landing_count < ARRAY_LEN(k->landings));
    if (site->landing_count++ == 0)
        site->landings = k->code.landing_count;
    k->landings[k->code.landing_count++] =
        (CodeLanding){scope, handler, (uint32_t)asm_size(&k->a)};
}

// Drops the exception and returns a number.
static void catch_and_return(Made *k, int32_t number)
{
    x86_mov_m64_i32(&k->a, x86_mem(R15, THREAD_OFFSET_exception), 0);
    x86_mov_m64_i32(&k->a, x86_mem(RSP, 0), 0); // the outgoing words are where they were
    x86_mov_r32_i32(&k->a, RAX, number);
    return_from(k);
}

// Calls what the test links there; a handler at 5 gives -1.
#    define CATCHING_METHOD(desc)                                                           \
        METHOD((desc), BC_aload_0, BC_invokestatic, 0, 0, BC_ireturn, BC_pop, BC_iconst_m1, \
               BC_ireturn)
enum { CATCHES_AT = 5 };

// Compiled code that calls `callee`, of the same descriptor, for which an exception lands: it gives `number` then.
static Method *catching_method(const Method *callee, int32_t number)
{
    Method *m = CATCHING_METHOD("(Ljava/lang/Object;)I");
    add_handler(m, 1, 4, CATCHES_AT, 0);
    Made k;
    begin(&k, m);
    push_frame(&k);
    CodeSite *site = call_method(&k, callee, add_state(&k, 0, 1, CODE_BEHIND, 0));
    return_from(&k);
    land_here(&k, site, 0, CATCHES_AT);
    catch_and_return(&k, number);
    install(&k);
    return m;
}

static Method *passing_method(const Method *callee)
{
    Method *m = METHOD("(Ljava/lang/Object;)I", BC_aload_0, BC_invokestatic, 0, 0, BC_ireturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    (void)call_method(&k, callee, add_state(&k, 0, 1, CODE_BEHIND, 0));
    return_from(&k);
    install(&k);
    return m;
}

TEST(exceptions_pass_and_land)
{
    start();
    HANDLE_SCOPE(self);
    jvalue arg = {.l = new_throwable()};
    Method *thrower = METHOD("(Ljava/lang/Object;)I", BC_aload_0, BC_athrow);
    Method *passes = passing_method(passing_method(thrower));
    run(passes, &arg);
    EXPECT(self->exception == deref(arg.l));
    self->exception = NULL;
    EXPECT_INT(7, run(catching_method(passes, 7), &arg).i);
    EXPECT_INT(8, run(catching_method(thrower, 8), &arg).i);
    Method *interpreted =
        METHOD("(Ljava/lang/Object;)I", BC_aload_0, BC_invokestatic, 0, 0, BC_ireturn);
    link_call(interpreted, 1, passes);
    EXPECT_INT(9, run(catching_method(passing_method(interpreted), 9), &arg).i);
    Method *compiled = METHOD("(Ljava/lang/Object;)I", BC_aload_0, BC_athrow);
    Made k;
    begin(&k, compiled); // throws by itself
    push_frame(&k);
    x86_movabs_r64_i64(&k.a, RAX, (int64_t)(uintptr_t)java_stub(JAVA_STUB_ATHROW));
    x86_mov_r64_r64(&k.a, R11, RDI);
    x86_call_r64(&k.a, RAX);
    (void)site_here(&k, SITE_RUNTIME, add_state(&k, 0, 1, CODE_THROWING, 0));
    install(&k);
    EXPECT_INT(10, run(catching_method(compiled, 10), &arg).i);
    run(compiled, &arg);
    EXPECT(self->exception == deref(arg.l));
    self->exception = NULL;
}

static Method *throws_and_hooks(void)
{
    Method *m = METHOD("(Ljava/lang/Object;)I", BC_nop, BC_iconst_0, BC_ireturn);
    Made k;
    begin(&k, m);
    push_frame(&k);
    call_address(&k, java_runtime_stub(hook, true));
    (void)site_here(&k, SITE_RUNTIME, add_state(&k, 0, SUM_AT, CODE_AGAIN, 0));
    x86_mov_m64_r64(&k.a, x86_mem(R15, THREAD_OFFSET_exception), RDI);
    call_address(&k, java_stub(JAVA_STUB_THROW));
    (void)site_here(&k, SITE_RUNTIME, 0);
    install(&k);
    return m;
}

TEST(a_hooked_frame_is_no_place_to_land)
{
    start();
    HANDLE_SCOPE(self);
    jvalue arg = {.l = new_throwable()};
    Method *m = catching_method(throws_and_hooks(), 7);
    hooked_code = code_of(calling_method(m)); // another's
    EXPECT_INT(7, run(m, &arg).i);
    hooked_code = code_of(m);
    EXPECT_INT(-1, run(m, &arg).i);
    EXPECT(!exception_pending(self));
}

static const char one_object[] = "(Ljava/lang/Object;)I";

// Where the code has no landing for the handler that catches, the interpreter has it.
TEST(an_exception_leaves_for_its_handler)
{
    start();
    HANDLE_SCOPE(self);
    jvalue arg = {.l = new_throwable()};
    Method *thrower = METHOD(one_object, BC_aload_0, BC_athrow);
    Method *m = CATCHING_METHOD(one_object);
    add_handler(m, 0, 1, 6, 0); // not where the call is
    add_handler(m, 1, 4, CATCHES_AT, 0);
    Made k;
    begin(&k, m);
    push_frame(&k);
    CodeSite *site = call_method(&k, thrower, add_state(&k, 0, 1, CODE_BEHIND, 0));
    return_from(&k);
    land_here(&k, site, 0, 6);
    x86_ud2(&k.a);
    install(&k);
    EXPECT_INT(-1, run(m, &arg).i);
    EXPECT_INT(-1, run(passing_method(m), &arg).i);
    EXPECT(!exception_pending(self));
}

// Of inlined methods the youngest is asked first; only the oldest has code for its handler.
TEST(an_exception_lands_in_the_method_that_inlines)
{
    start();
    HANDLE_SCOPE(self);
    jvalue arg = {.l = new_throwable()};
    Method *thrower = METHOD(one_object, BC_aload_0, BC_athrow);
    Method *outer = CATCHING_METHOD(one_object), *inner = CATCHING_METHOD(one_object);
    add_handler(outer, 1, 4, CATCHES_AT, 0);
    for (int catches = 0; catches < 2; catches++) {
        if (catches)
            add_handler(inner, 1, 4, CATCHES_AT, 0);
        Made k;
        begin(&k, outer);
        push_frame(&k);
        k.scopes[k.code.scope_count++] =
            (CodeScope){inner, add_state(&k, 0, 1, CODE_BEHIND, 0)};
        CodeSite *site = call_method(&k, thrower, add_state(&k, 1, 1, CODE_BEHIND, 0));
        return_from(&k);
        land_here(&k, site, 0, CATCHES_AT);
        catch_and_return(&k, 21);
        install(&k);
        EXPECT_INT(catches ? -1 : 21, run(outer, &arg).i);
        EXPECT(!exception_pending(self));
    }
}

// A frame that holds a monitor is left by the interpreter, which gives it back.
TEST(an_exception_unlocks)
{
    start();
    HANDLE_SCOPE(self);
    jvalue arg = {.l = new_throwable()};
    Method *m = METHOD("(Ljava/lang/Object;)I", BC_aload_0, BC_athrow);
    Made k;
    begin(&k, m);
    push_frame(&k);
    x86_mov_m64_r64(&k.a, x86_mem(R15, THREAD_OFFSET_exception), RDI);
    call_address(&k, java_stub(JAVA_STUB_THROW));
    uint32_t state = add_state(&k, 0, 1, CODE_BEHIND, 0);
    k.states[state].locks = 1;
    k.values[k.code.value_count++] = value(PLACE_UNSET, VALUE_A, 0);
    (void)site_here(&k, SITE_RUNTIME, state);
    install(&k);
    VM_CHECK(monitor_enter_fast(self, deref(arg.l)));
    if (self->held.top == self->held.end)
        VM_CHECK(held_grow(self));
    *self->held.top++ = deref(arg.l); // as the code would have
    EXPECT(monitor_owner(deref(arg.l), NULL) == self);
    EXPECT_INT(6, run(catching_method(m, 6), &arg).i);
    EXPECT(!monitor_owner(deref(arg.l), NULL) && self->held.top == self->held.base);
}

// ---- requests ----

static void jump_at_limit(Made *k)
{
    AsmLabel go = asm_label(&k->a);
    x86_cmp_r64_m64(&k->a, RSP, x86_mem(R15, THREAD_OFFSET_jit_limit));
    x86_j_cc_l8(&k->a, X86_A, go);
    x86_movabs_r64_i64(&k->a, R11,
                       (int64_t)(uintptr_t)method_java_shape(k->code.method)->interpret);
    x86_jmp_r64(&k->a, R11);
    asm_bind(&k->a, go);
}

TEST(compiled_recursion_overflows_the_stack)
{
    start();
    HANDLE_SCOPE(self);
    Method *m = METHOD("(I)I", BC_iload_0, BC_invokestatic, 0, 0, BC_ireturn);
    Made k;
    begin(&k, m);
    jump_at_limit(&k);
    push_frame(&k);
    (void)call_method(&k, m, add_state(&k, 0, 1, CODE_BEHIND, 0));
    return_from(&k);
    install(&k);
    for (int i = 0; i < 3; i++) {
        run(m, &(jvalue){.i = 1});
        EXPECT(self->exception && object_class(self->exception) == CLS(StackOverflowError));
        self->exception = NULL;
    }
}

static uint64_t ask(Thread *t, uint64_t *outgoing)
{
    (void)outgoing;
    thread_request(t, POLL_TRACE); // which stays
    return 0;
}

// While something is requested frames are deoptimized: at a poll, behind a call of the interpreter, at a method's entry.
TEST(frames_give_way_to_requests)
{
    start();
    Method *m = summing_method("()J");
    Made k;
    begin(&k, m);
    push_frame(&k);
    summing_values(&k);
    call_address(&k, java_stub(JAVA_STUB_POLL)); // comes back with all values
    (void)site_here(&k, SITE_RUNTIME, add_summing_state(&k, 0, CODE_AGAIN));
    call_address(&k, java_runtime_stub(ask, true));
    (void)site_here(&k, SITE_RUNTIME, 0);
    call_address(&k, java_stub(JAVA_STUB_POLL));
    (void)site_here(&k, SITE_RUNTIME, 0);
    x86_ud2(&k.a);
    install(&k);
    EXPECT_INT(108,
               run(calling_method(m), NULL).j); // which is deoptimized, too, and adds nothing
    EXPECT(thread_jit_is_asked(self));
    thread_unrequest(self, POLL_TRACE);
    EXPECT(!thread_jit_is_asked(self));
    EXPECT_INT(108, run(m, NULL).j);
    thread_unrequest(self, POLL_TRACE);
}

#endif
