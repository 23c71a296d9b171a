// SPDX-License-Identifier: Apache-2.0
// Frames of compiled code as cursors, visitors of roots and signal handlers see them, over C stacks and code made by hand.
#include "code/compiled_frame.h"

#include <stdlib.h>

#include "code/compiled_code.h"
#include "death.h"
#include "frame/frame_roots.h"
#include "frame/held_monitors.h"

#if CODE_IS_GENERATED

enum { FRAME_SIZE = 64, CODE_SIZE = 96, STACK_WORDS = 256 };
enum { RBX = 3, RDI = 7, XMM2 = CODE_FIRST_XMM + 2 };
enum {
    PUSH = 10,
    POLL = 22,
    CALL_INLINED = 32,
    RUNTIME = 48,
    CALL_OUTER = 64,
    LAST_CALL = 80,
    TAIL = 82,
    RET = 90
};                                                   // offsets
enum { OUTER, INLINED };                             // scopes
enum { IN_OUTER, IN_INLINED, BEHIND_LAST, CALLING }; // states

static Thread *self;
static const CompiledCode *code;
static const CodeBlob *stub;
static _Alignas(16) uintptr_t stack[STACK_WORDS]; // the C stack
static struct {
    uintptr_t pc, rsp, rbp; // pc: the return address of what runs
} cpu;
static uint64_t heads[32]; // of objects that are nowhere looked into but at their locks
static Object *handled;    // what a constant of the code is a handle of
static const Insn insns[2] = {{.bci = 0}, {.bci = 3}};

static Method *method(int n) // never looked into here
{
    return (Method *)(uintptr_t)(0x1000 + 16 * n);
}

static FrameMap no_slots(const Frame *f)
{
    static const uint8_t kinds[1];
    (void)f;
    return (FrameMap){kinds, 0, 0};
}

static void visit_none(Frame *f, SlotIndexVisitor visit, void *ctx)
{
    (void)f, (void)visit, (void)ctx;
}

static const Object *no_class(const Frame *f)
{
    (void)f;
    return NULL;
}

static bool is_outer(const Method *m)
{
    return m == method(1);
}

// ---- the code ----

#    define AT(place_, kind_, index_)                                         \
        {                                                                     \
            .place = PLACE_##place_, .kind = VALUE_##kind_, .index = (index_) \
        }
static const CodeValue values[] = {
    AT(SLOT, A, 0),
    AT(SLOT, J, 1),
    {0}, // locals of IN_OUTER
    AT(CONSTANT, I, 0),
    AT(SLOT, A, 3), // its operand, its lock
    AT(SLOT, F, 2),
    AT(REGISTER, A, RBX),
    AT(REGISTER, D, XMM2),
    {0}, // locals of IN_INLINED
    AT(HANDLE, A, 1),
    AT(CONSTANT, A, 2),
    {0}, // its operands
    AT(SLOT, A, 0),
    AT(SLOT, A, 0),
    {0}, // locals of BEHIND_LAST
    AT(SLOT, F, 2),
    AT(SLOT, A, 3),
    AT(SLOT, J, 1),
    {0},              // locals of CALLING
    AT(HANDLE, A, 1), // its operand
};
static const CodeState states[] = {
    [IN_OUTER] = {OUTER, 7, CODE_BEHIND, 1, 3, 1, 0, 3},
    [IN_INLINED] = {INLINED, 5, CODE_AGAIN, 0, 4, 3, 5, 9},
    [CALLING] = {INLINED, 5, CODE_BEHIND, 0, 4, 1, 15, 19},
    [BEHIND_LAST] = {OUTER, 9, CODE_BEHIND, 0, 3, 0, 12, 15},
};
static const uint32_t root_words[] = {0, 1u << 0 | 1u << 3, 1u << 0};
static const CodeSite sites[] = {
    {POLL, CODE_NO_STATE, 0, 0, 1u << RDI, SITE_RUNTIME, 0, 0, 0, false, false},
    {CALL_INLINED, CALLING, 0, 1, 0, SITE_CALL, 0, 0, 0, false, false},
    {RUNTIME, IN_INLINED, 0, 1, 1u << RBX, SITE_RUNTIME, 0, 0, 0, false, false},
    {CALL_OUTER, IN_OUTER, 0, 1, 0, SITE_CALL, 0, 0, 0, false, false},
    {LAST_CALL, BEHIND_LAST, 0, 2, 0, SITE_CALL, 0, 0, 0, false, false},
    {CODE_SIZE, BEHIND_LAST, 0, 2, 0, SITE_CALL, 0, 0, 0, false,
     false}, // a call that never returns
};
static const CodePosition positions[] = {
    {0, OUTER, 0}, {24, INLINED, 5}, {50, OUTER, 7}, {66, OUTER, 9}};

static void install(void)
{
    static const uint8_t enter[] = {0x55, 0x48,       0x89, 0xE5, 0x48, 0x81,
                                    0xEC, FRAME_SIZE, 0,    0,    0};
    uint8_t bytes[CODE_SIZE];
    memset(bytes, 0x90, sizeof bytes);
    memcpy(bytes + PUSH, enter, sizeof enter);
    bytes[TAIL] = 0xFF; // jmp [rip + x]
    bytes[TAIL + 1] = 0x25;
    bytes[RET - 1] = 0xC9; // leave
    bytes[RET] = 0xC3;
    CodeScope scopes[] = {{method(1), CODE_NO_STATE}, {method(2), IN_OUTER}};
    uint64_t constants[] = {(uint64_t)(int64_t)-5, (uintptr_t)&handled, 0};
    CompiledCode made = {.method = method(1),
                         .osr_bci = -1,
                         .frame_size = FRAME_SIZE,
                         .slot_words = 1,
                         .site_count = ARRAY_LEN(sites),
                         .state_count = ARRAY_LEN(states),
                         .value_count = ARRAY_LEN(values),
                         .scope_count = ARRAY_LEN(scopes),
                         .constant_count = ARRAY_LEN(constants),
                         .position_count = ARRAY_LEN(positions),
                         .root_count = ARRAY_LEN(root_words),
                         .sites = sites,
                         .states = states,
                         .values = values,
                         .scopes = scopes,
                         .constants = constants,
                         .positions = positions,
                         .root_words = root_words};
    code = compiled_install(&made, bytes, sizeof bytes, "outer");
    memset(bytes, 0x90, sizeof bytes);
    stub = code_install(bytes, sizeof bytes, CODE_JAVA_STUB, "stub");
    VM_CHECK(code && stub);
}

static void init(void)
{
    static const FrameMaps maps = {.map_of = no_slots,
                                   .visit_arguments = visit_none,
                                   .class_argument = no_class,
                                   .is_synchronized = is_outer};
    static const void *const handlers[1];
    HeapOptions o = {.initial = 8 << 20, .max = 32 << 20, .young = 1 << 20};
    char error[200];
    VM_CHECK(heap_init(&o, error, sizeof error) && class_space_init(1 << 30, PLACEMENT_LOW));
    threads_init(64 * 1024);
    thread_set_dispatch(handlers, handlers, handlers);
    frame_set_maps(&maps);
    compiled_frames_init();
    self = thread_attach_current(0);
    VM_CHECK(code_cache_init(1 << 20, CODE_MAPPING_ANY));
}

static Object *object(int n)
{
    return (Object *)(void *)&heads[n];
}

// ---- the stack ----

static void push(uintptr_t word)
{
    cpu.rsp -= sizeof word;
    *(uintptr_t *)cpu.rsp = word; // NOLINT: in `stack`
}

static uintptr_t in_code(uint32_t offset)
{
    return (uintptr_t)code->blob->start + offset;
}

// push rbp; mov rbp, rsp; sub rsp, FRAME_SIZE. The frame's slots get values of their own, by n.
static void enter(int n)
{
    push(cpu.rbp);
    cpu.rbp = cpu.rsp;
    cpu.rsp -= FRAME_SIZE;
    *compiled_slot(cpu.rbp, 0) = (uintptr_t)object(4 * n);
    *compiled_slot(cpu.rbp, 1) = 1000 + (uint64_t)n;
    *compiled_slot(cpu.rbp, 2) = 0xFFFFFFFF3F800000; // 1.0f with something above it
    *compiled_slot(cpu.rbp, 3) = (uintptr_t)object(4 * n + 1);
}

static Frame *push_java(Method *m, uint32_t flags)
{
    Frame *f =
        self->frame ? (Frame *)(void *)self->frame->sp : (Frame *)(void *)self->stack_base;
    *f = (Frame){.prev = self->frame,
                 .method = m,
                 .flags = flags,
                 .sp = frame_operands(f),
                 .locals = (Slot *)(void *)f,
                 .pc = m ? &insns[1] : NULL};
    f->id = m ? self->last_frame_id += FRAME_ID_STEP : 0;
    self->frame = f;
    return f;
}

// C code calls the stub that enters compiled code.
static void begin_stretch(void)
{
    (void)!push_java(NULL, FRAME_ENTRY | FRAME_COMPILED);
    cpu.rbp = 0x5555; // C code has something else in rbp
    push((uintptr_t)&begin_stretch);
    push(cpu.rbp);
    push((uintptr_t)stub->start + 40);
}

// A frame that calls at a site.
static void frame_at(int n, uint32_t site)
{
    enter(n);
    push(in_code(site));
}

static void call_c(void)
{
    frame_anchor_set(self->frame, *(void **)cpu.rsp, cpu.rbp);
    SavedRegisters *saved = compiled_registers(code, cpu.rbp);
    memset(saved, 0xEE, sizeof *saved);
    saved->at[RBX] = (uintptr_t)object(30);
    saved->at[RDI] = (uintptr_t)object(29);
    memcpy(&saved->at[XMM2], &(double){2.5}, sizeof(double));
    cpu.rsp = (uintptr_t)saved - 128;
}

// Two stretches of compiled frames with an interpreted one between them.
static void start(void)
{
    if (!self) {
        init();
        install();
    }
    for (size_t i = 0; i < ARRAY_LEN(stack); i++)
        stack[i] = in_code(LAST_CALL); // what earlier frames have left
    handled = object(31);
    self->frame = NULL;
    self->c_stack_high = (char *)&stack[STACK_WORDS];
    cpu.rsp = (uintptr_t)&stack[STACK_WORDS - 4];
    begin_stretch();
    frame_at(0, CALL_OUTER);
    frame_at(1, CALL_INLINED);
    call_c();
    (void)!push_java(method(4), 0);
    begin_stretch();
    frame_at(2, CODE_SIZE);
    frame_at(3, RUNTIME);
    call_c();
}

// ---- what is seen ----

static void print_frame(void *ctx, const FrameCursor *f)
{
    char **at = ctx;
    static const char kinds[] = {'i', 'n', 'c'};
    *at += sprintf(*at, "%c%d:%d ", kinds[f->kind], (int)(((uintptr_t)f->method - 0x1000) / 16),
                   f->bci);
}

static const char *trace_from(FrameCursor *f)
{
    static char text[400];
    char *at = text;
    *at = '\0';
    frames_trace(f, 20, NULL, print_frame, &at);
    return text;
}

static const char *trace_interrupted(uintptr_t pc, uintptr_t rsp, uintptr_t rbp)
{
    FrameCursor f;
    (void)!cursor_first_interrupted(&f, self, &(ArchPlace){.pc = pc, .sp = rsp, .fp = rbp});
    return trace_from(&f);
}

#    define OLDER_STRETCH "c2:5 c1:7 c1:7 "

TEST(a_cursor_goes_through_stretches)
{
    start();
    FrameCursor f = cursor_youngest(self);
    EXPECT_STR("c2:5 c1:7 c1:9 i4:3 " OLDER_STRETCH, trace_from(&f));
    EXPECT_INT(7, frames_count(self, 100));
    EXPECT_INT(5, frames_count(self, 5));
    EXPECT(cursor_at(&f, self, 0) && cursor_is_current(&f) && f.kind == KIND_COMPILED);
    EXPECT(cursor_at(&f, self, 1) && !cursor_is_current(&f) && f.depth == 1);
    EXPECT(cursor_at(&f, self, 4) && f.method == method(2) && !cursor_insn(&f));
    EXPECT(!cursor_at(&f, self, 7));
}

TEST(a_stretch_may_have_no_frame)
{
    start();
    frame_anchor_clear(self->frame);
    FrameCursor f = cursor_youngest(self);
    EXPECT_STR("i4:3 " OLDER_STRETCH, trace_from(&f));
    self->frame = NULL;
    begin_stretch();
    EXPECT(!cursor_first(&f, self) && !f.method);
}

TEST(a_frame_whose_entry_polls_is_not_there_yet)
{
    start();
    frame_anchor_clear(self->frame);
    begin_stretch();
    frame_at(4, CALL_OUTER);
    frame_at(5, POLL);
    call_c();
    FrameCursor f = cursor_youngest(self);
    EXPECT_STR("c1:7 i4:3 " OLDER_STRETCH, trace_from(&f));
}

TEST(compiled_frames_have_ids)
{
    start();
    FrameId last[2] = {UINT64_MAX, UINT64_MAX};
    FRAMES_EACH(f, self)
    {
        FrameCursor found;
        FrameId id = cursor_id(&f);
        EXPECT(cursor_find(&found, self, id) && found.depth == f.depth
               && found.method == f.method);
        EXPECT(id != 0 && id < last[f.kind == KIND_COMPILED]);
        last[f.kind == KIND_COMPILED] = id;
        cursor_renew(&f, id);
        EXPECT_INT(found.bci, f.bci);
        EXPECT(!cursor_find(&found, self, id + 40));
    }
}

TEST(values_come_from_all_places)
{
    start();
    FrameCursor f = cursor_youngest(self);
    static const SlotKind inlined[] = {SLOT_NUMBER, SLOT_REF, SLOT_WIDE, SLOT_NUMBER,
                                       SLOT_REF,    SLOT_REF, SLOT_UNSET};
    EXPECT_INT(4, cursor_local_count(&f));
    EXPECT_INT(3, cursor_operand_count(&f));
    for (uint32_t i = 0; i < ARRAY_LEN(inlined); i++)
        EXPECT_INT(inlined[i], cursor_slot_kind(&f, i));
    EXPECT_INT(SLOT_UNSET, cursor_slot_kind(&f, 7));
    EXPECT_INT(0x3F800000, cursor_value(&f, 0).raw);
    EXPECT(cursor_value(&f, 1).ref == object(30));
    EXPECT(cursor_value(&f, 2).d == 2.5);
    EXPECT(cursor_value(&f, 4).ref == object(31));
    EXPECT(!cursor_value(&f, 5).ref);
    EXPECT(cursor_older(&f) && cursor_local_count(&f) == 3 && cursor_operand_count(&f) == 1);
    EXPECT(cursor_value(&f, 0).ref == object(12));
    EXPECT_INT(SLOT_WIDE, cursor_slot_kind(&f, 1));
    EXPECT_INT(SLOT_NUMBER, cursor_slot_kind(&f, 2));
    EXPECT_INT(1003, cursor_value(&f, 1).l);
    EXPECT_INT(-5, cursor_value(&f, 3).i);
    EXPECT(cursor_older(&f) && cursor_slot_kind(&f, 2) == SLOT_UNSET);
}

// ---- roots ----

static void count_root(void *ctx, Object **slot)
{
    int *seen = ctx;
    for (int i = 0; i < 32; i++)
        seen[i] += *slot == object(i);
    if (*slot == object(30))
        *slot = object(28); // it moves
}

TEST(the_collector_sees_each_root_once)
{
    start();
    int seen[32] = {0};
    static const int expected[] = {0, 1, 4, 5, 8, 12, 13, 30};
    frames_visit(self, count_root, seen);
    for (int i = 0, at = 0; i < 32; i++) {
        bool is_root = at < (int)ARRAY_LEN(expected) && expected[at] == i;
        EXPECT_MSG(seen[i] == is_root, "object %d", i);
        at += is_root;
    }
    FrameCursor f = cursor_youngest(self);
    EXPECT(cursor_value(&f, 1).ref == object(28));
}

TEST(arguments_are_roots_while_an_entry_polls)
{
    start();
    begin_stretch();
    frame_at(5, POLL);
    call_c();
    int seen[32] = {0};
    frames_visit(self, count_root, seen);
    EXPECT(seen[29] == 1 && seen[20] == 0);
}

static void print_root(void *ctx, Object **slot, const FrameRoot *root)
{
    char **at = ctx;
    if (*slot)
        *at += sprintf(*at, "%d:%d:%c%d=%d ", root->depth, root->bci,
                       root->kind == FRAME_ROOT_LOCAL ? 'l' : 'o', root->index,
                       (int)((uint64_t *)(void *)*slot - heads));
}

TEST(tools_see_the_roots_of_methods)
{
    start();
    char text[400], *at = text;
    frames_visit_roots(self, print_root, &at);
    EXPECT_STR("0:5:l1=30 0:5:o4=31 1:7:l0=12 2:9:l0=8 2:9:l1=8 4:5:l1=5 4:5:o4=31 5:7:l0=4 "
               "6:7:l0=0 ",
               text);
}

static void count_handle(void *ctx, Object **slot, const FrameRoot *root)
{
    int *depth = ctx;
    (void)slot;
    *depth = root->depth;
}

TEST(handles_belong_to_native_frames_behind_stretches)
{
    start();
    HANDLE_SCOPE(self);
    self->frame = NULL;
    Frame *native = push_java(method(3), FRAME_NATIVE);
    native->pc = NULL;
    native->handles = (HandleMark){self->mutator.handles.chunk, self->mutator.handles.top};
    begin_stretch();
    frame_at(0, CALL_OUTER);
    frame_at(1, CALL_INLINED);
    call_c();
    (void)handle_new(self, object(1));
    int depth = 99;
    frames_visit_handles(self, count_handle, &depth);
    EXPECT_INT(3, depth);
}

// ---- monitors ----

static Object *held[3]; // by the three frames at IN_OUTER, the oldest first

static void print_monitor(void *ctx, const HeldMonitor *m)
{
    char **at = ctx;
    for (int i = 0; i < (int)ARRAY_LEN(held); i++)
        if (held[i] == m->object)
            *at += sprintf(*at, "%d%s=%d ", m->depth, m->kind == HELD_BY_METHOD ? "m" : "b", i);
}

TEST(monitors_are_counted_by_states)
{
    start();
    Layout *plain = class_space_alloc(sizeof *plain);
    EXPECT(plain);
    *plain = (Layout){.shape = SHAPE_INSTANCE, .instance_size = 16};
    for (size_t i = 0; i < ARRAY_LEN(held); i++) {
        held[i] = heap_alloc(self, plain, plain->instance_size);
        EXPECT(held[i] && monitor_enter_fast(self, held[i]));
    }
    self->held = (HeldMonitors){held, held + ARRAY_LEN(held), held + ARRAY_LEN(held)};
    char text[200], *at = text;
    thread_monitors_each(self, print_monitor, &at);
    EXPECT_STR("1m=2 5m=1 6m=0 ", text);
    FrameCursor f;
    EXPECT(cursor_at(&f, self, 1) && cursor_holds_monitors(&f));
    EXPECT(cursor_at(&f, self, 2) && !cursor_holds_monitors(&f));
    self->held = (HeldMonitors){0};
}

// ---- methods ----

static Method *newer(Method *m)
{
    return m == method(2) ? method(7) : m == method(4) ? method(8) : m;
}

static void count_method(void *ctx, Method *m)
{
    int *seen = ctx;
    seen[((uintptr_t)m - 0x1000) / 16]++;
}

TEST(methods_of_code_are_exchanged)
{
    start();
    install(); // code that keeps its methods stays behind
    start();
    int seen[10] = {0};
    FRAMES_EACH(f, self)
    cursor_each_method(&f, count_method, seen);
    EXPECT(seen[1] == 4 && seen[2] == 4
           && seen[4] == 1); // four pieces of code, one interpreted
    world_stop(self);
    frames_set_methods(self, newer);
    world_resume(self);
    FrameCursor f = cursor_youngest(self);
    EXPECT_STR("c7:5 c1:7 c1:9 i8:3 c7:5 c1:7 c1:7 ", trace_from(&f));
    install();
}

// ---- signal handlers ----

#    define NEWEST(first) first "c1:7 i4:3 " OLDER_STRETCH

// A stretch whose youngest frame, called from a frame at CALL_OUTER, is to be interrupted.
static void start_running(void)
{
    start();
    self->frame = self->frame->prev; // of the second stretch one frame
    begin_stretch();
    frame_at(2, CALL_OUTER);
}

TEST(a_signal_is_exact_at_each_instruction)
{
    start_running();
    frame_anchor_set(self->frame, (void *)in_code(RUNTIME),
                     cpu.rbp);              // of a frame that has gone
    uintptr_t rsp = cpu.rsp, rbp = cpu.rbp; // at the first instruction
    EXPECT_STR(NEWEST("c1:0 "), trace_interrupted(in_code(0), rsp, rbp));
    EXPECT_STR(NEWEST("c1:0 "), trace_interrupted(in_code(PUSH), rsp, rbp));
    EXPECT_STR(NEWEST("c1:9 "), trace_interrupted(in_code(TAIL), rsp, rbp));
    EXPECT_STR(NEWEST("c1:9 "), trace_interrupted(in_code(RET), rsp, rbp));
    enter(3);
    EXPECT_STR(NEWEST("c1:0 "), trace_interrupted(in_code(PUSH + 1), cpu.rbp, rbp));
    EXPECT_STR(NEWEST("c1:0 "), trace_interrupted(in_code(PUSH + 4), cpu.rbp, cpu.rbp));
    EXPECT_STR(NEWEST("c2:5 c1:7 "), trace_interrupted(in_code(25), cpu.rsp, cpu.rbp));
    EXPECT_STR(NEWEST("c1:7 "), trace_interrupted(in_code(50), cpu.rsp, cpu.rbp));
    EXPECT_STR(NEWEST("c1:9 "), trace_interrupted(in_code(RET - 1), cpu.rsp, cpu.rbp));
}

TEST(a_signal_is_exact_in_stubs_and_in_c)
{
    start_running();
    uintptr_t in_stub = (uintptr_t)stub->start + 20;
    EXPECT_STR(NEWEST(""), trace_interrupted(in_stub, cpu.rsp, cpu.rbp));
    push(1); // something that the stub keeps
    EXPECT_STR(NEWEST(""), trace_interrupted(in_stub, cpu.rsp, cpu.rbp));
    frame_anchor_set(self->frame, (void *)in_code(CALL_OUTER), cpu.rbp);
    EXPECT_STR(NEWEST(""), trace_interrupted((uintptr_t)&start, cpu.rsp - 80, 7));
    uintptr_t rbp = cpu.rbp;
    cpu.rsp += sizeof rbp;
    push(rbp); // a stub that makes a frame of its own
    EXPECT_STR(NEWEST(""), trace_interrupted(in_stub, cpu.rsp - 64, cpu.rsp));
    cpu.rsp -= sizeof(SavedRegisters); // one that saves all registers before
    push(in_code(CALL_OUTER));
    push(rbp);
    EXPECT_STR(NEWEST(""), trace_interrupted(in_stub, cpu.rsp - 16, cpu.rsp));
}

TEST(what_does_not_fit_ends_the_stretch)
{
    start_running();
    uintptr_t rsp = cpu.rsp, rbp = cpu.rbp;
    enter(3);
    static const char *const alone = "c1:7 i4:3 " OLDER_STRETCH, *const none =
                                                                     "i4:3 " OLDER_STRETCH;
    *(uintptr_t *)cpu.rbp = rbp + 8;
    EXPECT_STR(alone, trace_interrupted(in_code(50), cpu.rsp, cpu.rbp));
    *(uintptr_t *)cpu.rbp = rbp + 1;
    EXPECT_STR(alone, trace_interrupted(in_code(50), cpu.rsp, cpu.rbp));
    *(uintptr_t *)cpu.rbp = rsp - 64; // not older
    EXPECT_STR(alone, trace_interrupted(in_code(50), cpu.rsp, cpu.rbp));
    *(uintptr_t *)cpu.rbp = (uintptr_t)&stack[STACK_WORDS];
    EXPECT_STR(alone, trace_interrupted(in_code(50), cpu.rsp, cpu.rbp));
    EXPECT_STR(none, trace_interrupted(in_code(50), cpu.rsp, 12345678));
    EXPECT_STR(none, trace_interrupted((uintptr_t)stub->start + 20, cpu.rsp, 0x5555));
    frame_anchor_set(self->frame, (void *)in_code(CALL_OUTER), rbp + 16);
    EXPECT_STR(none, trace_interrupted((uintptr_t)&start, cpu.rsp, 7));
    frame_anchor_set(self->frame, (void *)in_code(CALL_OUTER), rbp); // of a frame below rsp
    EXPECT_STR(none, trace_interrupted((uintptr_t)&start, rbp + 32, 7));
}

static void walk_lost_frames(void)
{
    ((uintptr_t *)cpu.rbp)[1] = in_code(21); // no site
    FrameCursor f = cursor_youngest(self);
    (void)!trace_from(&f);
    _exit(0);
}

TEST(a_frame_that_stands_at_no_site_ends_the_process)
{
    start();
    EXPECT(dies_saying(walk_lost_frames, "site"));
}
#else
TEST(no_code_is_generated_here)
{
    TEST_SKIP("no code is generated here");
}
#endif
