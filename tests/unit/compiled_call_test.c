// SPDX-License-Identifier: Apache-2.0
// src/interp/compiled_*.c and the stubs of src/code/java_stubs.h: compiled code made by hand is called by the interpreter, calls it, leaves
// for it, throws. The methods are made by hand, too; classes are those of the JDK, of which no Java code runs.
#include <dlfcn.h>

#include "code/java_convention.h"
#include "interp/compiled_call.h"
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
#    include "code/x86_64_asm.h"
#    include "java/engine.h"
#    include "java/exception.h"
#    include "java/string.h"
#    include "platform/native_stack.h"
#    include "thread/monitor.h"

// ---- a VM without Java code ----

static Thread *self;

static bool start(void)
{
    if (self)
        return true;
    if (!dlopen(TEST_JDK_HOME "/lib/server/libjvm.so", RTLD_LAZY | RTLD_LOCAL))
        return false;
    char error[256] = "";
    HeapOptions heap = {.initial = 16 << 20, .max = 64 << 20, .soft_ms_per_mb = 1000};
    EXPECT(heap_init(&heap, error, sizeof error) && class_space_init(64 << 20, PLACEMENT_LOW));
    EXPECT(code_cache_init(4 << 20, CODE_MAPPING_ANY));
    symbols_init();
    threads_init(0);
    monitors_init();
    strings_init();
    interp_init();
    self = thread_attach_current(0);
    EXPECT_MSG(loader_init(TEST_JDK_HOME, NULL, error, sizeof error), "%s", error);
    EXPECT(vm_classes_load(self));
    return true;
}
#    define START()   \
        if (!start()) \
        TEST_SKIP("libjimage.so wants a libjvm.so")

// ---- methods by hand ----

typedef struct HandMade {
    ClassFile cf;
    MethodInfo info;
    uint8_t code[512]; // a Code attribute from its length on
    ConstantPool pool;
    Method m;
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
    CodeValue values[64];
    CodeScope scopes[4];
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

static CodeSite *site_here(Made *k, CodeSiteKind kind, uint32_t state)
{
    CodeSite *s = &k->sites[k->code.site_count++];
    *s = (CodeSite){.offset = (uint32_t)asm_size(&k->a),
                    .state = state,
                    .landing = CODE_NO_LANDING,
                    .kind = (uint8_t)kind};
    return s;
}

static CodeSite *call_method(Made *k, const Method *callee, uint32_t state)
{
    x86_movabs_r64_i64(&k->a, RBX, (int64_t)(uintptr_t)callee);
    x86_call_m64(&k->a, x86_mem(RBX, offsetof(Method, compiled_entry)));
    return site_here(k, SITE_CALL, state);
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

static void install(Made *k)
{
    EXPECT_INT(ASM_OK, asm_finish(&k->a));
    const CompiledCode *code =
        compiled_install(&k->code, asm_code(&k->a), asm_size(&k->a), "by hand");
    EXPECT(code && method_set_compiled(k->code.method, code));
    asm_free(&k->a);
}

// ---- calls ----

TEST(the_interpreter_calls_compiled_code)
{
    START();
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
    START();
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
    sb_free(&shape);
}

TEST(compiled_code_calls_the_interpreter)
{
    START();
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

#endif
