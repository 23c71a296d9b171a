// SPDX-License-Identifier: Apache-2.0
// src/jit's bookkeeping without a running VM: the queue of methods, the commands, code that is published and retired, with methods by hand
// and calls that are switched by nobody but the test.
#include "class/unload.h"
#include "event/event.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "jit/compile.h"
#include "jit/compile_queue.h"
#include "jit/compiled_events.h"
#include "jit/installed_code.h"
#include "jni/jni_vm.h"
#include "options/compile_command.h"
#include "options/options.h"
#include "thread/monitor.h"
#include "vmtest.h"

static Thread *self;

// ---- what the code stands in ----
static bool room = true;
static const CompiledCode *entered; // by calls
static int switched, retired;
static RetireReason retired_for;

static bool switch_entry(const CompileTask *task, const CompiledCode *code)
{
    EXPECT(task->method != NULL);
    switched++;
    if (room)
        entered = code;
    return room;
}

static void on_retired(const InstalledCode *installed, RetireReason why)
{
    EXPECT(world_is_stopped() == (why != RETIRED_DEOPTS) && installed->code);
    retired++;
    retired_for = why;
}

static int left_out; // methods whose code is entered no more
static void on_left_out(const CompileTask *task)
{
    EXPECT(task->method != NULL);
    left_out++;
}

static bool has_code(const CompileTask *task)
{
    EXPECT(task->method != NULL);
    return entered != NULL;
}

static void start(void)
{
    static const HeapWorld world = {.stop = world_stop_to_collect,
                                    .resume = world_resume,
                                    .each_mutator = threads_each_mutator,
                                    .visit_roots = threads_visit_roots,
                                    .block = thread_block,
                                    .unblock = thread_unblock};
    static const void *handlers[1];
    char error[200];
    if (self)
        return;
    symbols_init();
    HeapOptions o = {.initial = 8 << 20, .max = 32 << 20, .young = 1 << 20};
    VM_CHECK(heap_init(&o, error, sizeof error) && class_space_init(64 << 20, PLACEMENT_LOW));
    heap_set_world(&world);
    threads_init(256 * 1024);
    monitors_init();
    thread_set_dispatch(handlers, handlers, handlers);
    thread_jni_table = jni_table();
    assumptions_init(breakpoints_set);
    compile_queue_init();
    installed_init(&(InstalledHooks){.switch_entry = switch_entry,
                                     .has_code = has_code,
                                     .retired = on_retired,
                                     .left_out = on_left_out});
    self = thread_attach_current(0);
    VM_CHECK(self);
}

// ---- classes by hand ----
static ClassLoaderData loader_data;
static Class owner = {.layout.loader_data = &loader_data};
static ConstantPool pool;
static const uint8_t bytes[1];
static const CodeBlob no_code = {.start = bytes};
static const CompiledCode code = {.blob = &no_code};

static Method method_by_hand(void)
{
    return (Method){.cls = &owner, .pool = &pool};
}

static Assumptions of_body(const Method *m)
{
    Assumptions a = {0};
    vec_push(&a, ((Assumption){ASSUME_METHOD_BODY, m, m->pool}));
    return a;
}

static void count(void *ctx, const InstalledCode *installed)
{
    EXPECT(installed->task.method != NULL);
    ++*(uint32_t *)ctx;
}

static uint32_t installed_count(void)
{
    uint32_t n = 0;
    installed_each(self, count, &n);
    return n;
}

// ---- published code ----
TEST(code_is_entered_until_the_body_changes)
{
    start();
    Method m = method_by_hand();
    Assumptions a = of_body(&m);
    EXPECT_INT(PUBLISHED, installed_publish(self, &code, &(CompileTask){.method = &m}, &a));
    EXPECT(entered == &code && installed_count() == 1 && assumptions_registered() == 1);
    assumption_break(self, ASSUME_METHOD_BODY, &m);
    EXPECT(entered == NULL && retired == 1 && retired_for == ASSUME_METHOD_BODY);
    EXPECT(installed_count() == 0 && assumptions_registered() == 0);
    assumption_break(self, ASSUME_METHOD_BODY, &m); // there is none any more
    EXPECT_INT(1, retired);
    EXPECT_INT(PUBLISHED, installed_publish(self, &code, &(CompileTask){.method = &m}, &a));
    assumption_break(self, ASSUME_METHOD_BODY, &m);
    EXPECT(retired == 2 && !entered);
    vec_free(&a);
}

TEST(code_stays_when_a_breakpoint_is_set_that_it_posts)
{
    start();
    static const uint8_t code_attribute[16];
    MethodInfo info = {.code = code_attribute};
    Insn insns[] = {{.op = BC_nop}, {.op = BC_nop, .bci = 1}, {.op = BC_return, .bci = 2}};
    Method m = {.cls = &owner, .pool = &pool, .info = &info};
    m.code = insns;
    m.insn_count = ARRAY_LEN(insns);
    const CodeScope scopes[] = {{&m, CODE_NO_STATE}, {&m, 1}}; // it is inlined in itself
    const CodeState states[] = {{.kind = CODE_AGAIN, .bci = 2},
                                {.kind = CODE_PAST_BREAKPOINT, .bci = 1},
                                {.kind = CODE_PAST_BREAKPOINT, .bci = 1, .scope = 1},
                                {.kind = CODE_PAST_BREAKPOINT, .bci = 2}};
    const CodeSite sites[] = {
        {.state = CODE_NO_STATE}, {.state = 0}, {.state = 1}, {.state = 2}, {.state = 3}};
    const CompiledCode posting = {.blob = &no_code,
                                  .scopes = scopes,
                                  .states = states,
                                  .scope_count = ARRAY_LEN(scopes),
                                  .sites = sites,
                                  .site_count = ARRAY_LEN(sites)};
    Assumptions a = of_body(&m);
    vec_push(&a,
             ((Assumption){ASSUME_METHOD_BREAKPOINTS, &m, ASSUMED_NUMBER(breakpoints_set())}));
    EXPECT_INT(PUBLISHED, installed_publish(self, &posting, &(CompileTask){.method = &m}, &a));
    int before = retired;
    world_stop(self);
    EXPECT(breakpoint_set(self, &m, 1, &a));
    EXPECT(entered == &posting && retired == before);
    EXPECT(breakpoint_clear(&m, 1, &a) && breakpoint_set(self, &m, 1, &a));
    EXPECT(entered == &posting && retired == before);
    EXPECT(breakpoint_set(self, &m, 2,
                          &a)); // also set, which it does not post where it is inlined
    EXPECT(entered == NULL && retired == before + 1);
    EXPECT(retired_for == ASSUME_METHOD_BREAKPOINTS);
    breakpoints_clear_owner(&a);
    world_resume(self);
    vec_free(&a);
}

TEST(code_that_is_of_no_use_is_retired_once)
{
    start();
    Method m = method_by_hand();
    Assumptions a = of_body(&m);
    EXPECT_INT(PUBLISHED, installed_publish(self, &code, &(CompileTask){.method = &m}, &a));
    int before = retired;
    EXPECT(installed_retire(self, &code) && !installed_retire(self, &code));
    EXPECT(retired == before + 1 && retired_for == RETIRED_DEOPTS && !entered);
    EXPECT(installed_count() == 0
           && assumptions_registered() == 1);       // by the frames that may be in it
    assumption_break(self, ASSUME_METHOD_BODY, &m); // they end; it is retired already
    EXPECT(retired == before + 1 && assumptions_registered() == 0);
    vec_free(&a);
}

static void post_calls(bool posts)
{
    world_stop(self);
    installed_set_posts_calls(posts);
    world_resume(self);
}

TEST(a_method_has_a_code_of_each_version)
{
    static const CompiledCode posting = {.blob = &no_code, .posts_calls = true};
    start();
    Method m = method_by_hand();
    Assumptions a = of_body(&m);
    EXPECT_INT(PUBLISHED, installed_publish(self, &code, &(CompileTask){.method = &m}, &a));
    EXPECT(entered == &code);
    post_calls(true);
    EXPECT(entered == NULL && left_out == 1);
    EXPECT_INT(PUBLISHED, installed_publish(self, &posting, &(CompileTask){.method = &m}, &a));
    EXPECT(entered == &posting && installed_count() == 2);
    int before = switched;
    post_calls(true); // as it was
    EXPECT_INT(before, switched);
    post_calls(false);
    EXPECT(entered == &code);
    EXPECT(installed_retire(self, &posting)); // the other one is entered
    EXPECT(entered == &code && installed_count() == 1);
    EXPECT_INT(1, left_out); // by none of these: there was another to enter
    post_calls(true);
    EXPECT(entered == NULL && left_out == 2);
    post_calls(false);
    EXPECT(entered == &code);
    EXPECT_INT(PUBLISHED, installed_publish(self, &posting, &(CompileTask){.method = &m}, &a));
    EXPECT(entered == &code && left_out == 3); // the events were switched while it was made
    post_calls(true);
    EXPECT(entered == &posting);
    assumption_break(self, ASSUME_METHOD_BODY, &m);
    post_calls(false);
    EXPECT(entered == NULL && installed_count() == 0);
    vec_free(&a);
}

static int wakes;
static void wake(void)
{
    EXPECT(compiled_events_wait());
    wakes++;
}

TEST(the_thread_that_posts_is_woken)
{
    start();
    Method m = method_by_hand();
    CompiledCode named = {.blob = &no_code, .method = &m};
    Assumptions a = of_body(&m);
    compiled_events_set_wake(wake);
    EXPECT_INT(PUBLISHED, installed_publish(self, &named, &(CompileTask){.method = &m}, &a));
    EXPECT(wakes == 0 && !compiled_events_wait()); // nobody listens
    assumption_break(self, ASSUME_METHOD_BODY, &m);
    atomic_store(&event_wanted[EVENT_COMPILED_LOAD], 1);
    EXPECT_INT(PUBLISHED, installed_publish(self, &named, &(CompileTask){.method = &m}, &a));
    EXPECT(wakes == 1 && compiled_events_wait());
    atomic_store(&event_wanted[EVENT_COMPILED_LOAD], 0);
    assumption_break(self, ASSUME_METHOD_BODY, &m);
    vec_free(&a);
}

TEST(what_changed_while_it_was_compiled_is_not_entered)
{
    start();
    Method m = method_by_hand();
    Field watched = {.watch = WATCH_MODIFY};
    Assumptions a = of_body(&m);
    vec_push(&a,
             ((Assumption){ASSUME_FIELD_UNWATCHED, &watched, ASSUMED_NUMBER(WATCH_MODIFY)}));
    int before = switched;
    EXPECT_INT(PUBLISH_CHANGED,
               installed_publish(self, &code, &(CompileTask){.method = &m}, &a));
    EXPECT(switched == before && assumptions_registered() == 0);
    vec_free(&a);
}

TEST(code_that_cannot_be_called_leaves_nothing)
{
    start();
    Method m = method_by_hand();
    Assumptions a = of_body(&m);
    room = false;
    EXPECT_INT(PUBLISH_NO_ROOM,
               installed_publish(self, &code, &(CompileTask){.method = &m}, &a));
    EXPECT(installed_count() == 0 && assumptions_registered() == 0);
    room = true;
    vec_free(&a);
}

// The calls of a method of a dead class are switched by nobody: it is about to be freed.
TEST(code_goes_with_its_class)
{
    start();
    Method m = method_by_hand();
    Assumptions a = of_body(&m);
    vec_push(&a, ((Assumption){ASSUME_CLASS_ALIVE, &owner, NULL}));
    EXPECT_INT(PUBLISHED, installed_publish(self, &code, &(CompileTask){.method = &m}, &a));
    int before = switched;
    world_stop(self);
    loader_data.dead = true;
    assumptions_forget_dead();
    world_resume(self);
    EXPECT(switched == before && retired_for == ASSUME_CLASS_ALIVE);
    EXPECT(installed_count() == 0 && assumptions_registered() == 0);
    loader_data.dead = false;
    vec_free(&a);
}

// ---- the queue ----
TEST(the_heaviest_comes_first)
{
    start();
    Method m[3];
    static const uint32_t weights[] = {20, 30, 30};
    for (int i = 0; i < 3; i++) {
        m[i] = method_by_hand();
        compile_queue_add(&(CompileTask){.method = &m[i], .weight = weights[i]});
    }
    CompileTask t;
    EXPECT_INT(3, compile_queue_length());
    EXPECT(compile_queue_take(self, &t) && t.method == &m[1]); // of two, that which came first
    EXPECT(compile_queue_take(self, &t) && t.method == &m[2]);
    EXPECT(compile_queue_take(self, &t) && t.method == &m[0]);
    EXPECT(!compile_queue_take(self, &t) && compile_queue_length() == 0);
}

TEST(one_loop_of_a_method_waits_that_which_was_seen_last)
{
    start();
    Method m[2] = {method_by_hand(), method_by_hand()};
    CompileTask t;
    EXPECT_INT(JIT_NO_OSR, compile_queue_add(&(CompileTask){
                               .method = &m[0], .osr_bci = JIT_NO_OSR, .weight = 1}));
    EXPECT_INT(JIT_NO_OSR,
               compile_queue_add(&(CompileTask){.method = &m[0], .osr_bci = 7, .weight = 2}));
    EXPECT_INT(JIT_NO_OSR,
               compile_queue_add(&(CompileTask){.method = &m[1], .osr_bci = 7, .weight = 9}));
    EXPECT_INT(7,
               compile_queue_add(&(CompileTask){.method = &m[0], .osr_bci = 40, .weight = 3}));
    EXPECT_INT(40,
               compile_queue_add(&(CompileTask){.method = &m[0], .osr_bci = 7, .weight = 4}));
    EXPECT_INT(3, compile_queue_length());
    EXPECT(compile_queue_take(self, &t) && t.method == &m[1]);
    EXPECT(compile_queue_take(self, &t) && t.method == &m[0] && t.osr_bci == 7
           && t.weight == 4);
    EXPECT(compile_queue_take(self, &t) && t.method == &m[0] && t.osr_bci == JIT_NO_OSR);
    EXPECT(!compile_queue_take(self, &t));
}

// ---- commands ----
static const char *said(const char *option, const char *class_name, const char *method)
{
    CompileSubject s = {class_name, method, "(I)V"};
    const char *value = compile_command_value(option, &s);
    return value ? value : "nothing";
}

TEST(the_last_command_that_concerns_a_method_counts)
{
    char commands[] =
        "quiet\nexclude,a.b.C::f*\nexclude,*D.*g,false\nprint a/b/C.f (I)\ninline,*::*x*";
    vm_options.compile_commands = commands;
    compile_commands_read();
    EXPECT_STR("true", said("exclude", "a/b/C", "f"));
    EXPECT_STR("true", said("exclude", "a/b/C", "foo"));
    EXPECT_STR("nothing", said("exclude", "a/b/C", "g"));
    EXPECT_STR("nothing", said("exclude", "a/b/CC", "f"));
    EXPECT_STR("false", said("exclude", "a/b/D", "ing"));
    EXPECT_STR("true", said("print", "a/b/C", "f"));
    EXPECT_STR("nothing", said("print", "a/b/C", "ff"));
    EXPECT_STR("true", said("inline", "", "axb"));
    EXPECT_STR("true", said("inline", "Q", "x"));
    EXPECT_STR("nothing", said("inline", "Q", "y"));
    EXPECT(compile_command_is_given("print") && !compile_command_is_given("compileonly"));
    vm_options.compile_commands = NULL;
    compile_commands_read();
    EXPECT(!compile_command_is_given("print"));
}
