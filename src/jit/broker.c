// SPDX-License-Identifier: Apache-2.0
// See broker.h. The thread that compiles is IN_VM where it takes a method, builds its graph and publishes its code, and in a safe state else
// (jit/compile.c). Who compiles what it is about to run is IN_VM all the while, as the arguments of the call are no roots yet.
// Lock: totals_lock (RANK_COMPILE), a leaf.
#include "jit/broker.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output.h"
#include "code/code_cache.h"
#include "event/event.h"
#include "interp/osr.h"
#include "interp/profile.h"
#include "java/shutdown.h"
#include "jit/compile.h"
#include "jit/compile_print.h"
#include "jit/compiled_events.h"
#include "jit/deopt_counts.h"
#include "jit/view.h"
#include "options/flags.h"
#include "options/options.h"

enum {
    WEIGHT_LEVEL1 = 1500,      // calls and backward branches from which a method is compiled
    WEIGHT_EACH_WAITING = 100, // more for each that waits already
    WEIGHT_MOST = 12000,       // but not more
    STARTING_MILLIS = 60,      // while a program may end before code pays,
    STARTING_MILLIS_ALONE =
        200,             // likewise where it waits for the compiler, as there is one processor,
    STARTING_TIMES = 4,  // so many times that weight is asked
    WEIGHT_AGAIN = 1000, // that a method gains until it is compiled again, doubled each time
    WEIGHT_AGAIN_EARLY = 4, // likewise with JitAll
    TURNS_OSR = 20000, // backward branches of one activation from which its loop is worth code
    TURNS_ALL = 50,    // with -XX:+JitAll
    LEVEL = 1,
};

static uint32_t level1_weight;
static bool every_method, in_caller;   // -XX:+JitAll; -XX:+JitSync
static pid_t own_pid;                  // a child of fork goes on without a compiler
static _Atomic int state = BROKER_OFF; // BrokerState
static _Atomic uint32_t last_id;       // of tasks

static Mutex totals_lock = MUTEX_INIT(RANK_COMPILE);
static CompileTotals totals;
static CompileTask current; // of the compiler's thread; method NULL: none

BrokerState broker_state(void)
{
    return (BrokerState)atomic_load_explicit(&state, memory_order_relaxed);
}

// ---- figures ----

static void name_method(char *out, const Method *m)
{
    snprintf(out, COMPILED_NAME_MAX, "%s %s", m->cls->name->s, m->name->s);
}

static void count(const Method *m, bool is_compiled, const JitResult *result)
{
    mutex_lock(&totals_lock);
    totals.nanos += result->nanos;
    if (is_compiled) {
        totals.compiled++;
        totals.last_size = method_code(m).code_len;
        totals.bytes += result->bytes;
        name_method(totals.last, m);
    } else {
        totals.refused++;
        name_method(totals.last_refused, m);
    }
    mutex_unlock(&totals_lock);
}

void broker_totals(CompileTotals *out)
{
    mutex_lock(&totals_lock);
    *out = totals;
    mutex_unlock(&totals_lock);
}

// -XX:+CITime
static void print_times(Thread *self)
{
    (void)self;
    CompileTotals t;
    broker_totals(&t);
    fprintf(vm_stdout(),
            "  Total compiled methods    : %8" PRIu64 " methods\n"
            "  Total compiled bytecodes  : %8" PRIu64 " bytes\n"
            "  Average compilation speed : %8" PRIu64 " bytes/s\n",
            t.compiled, t.bytes,
            t.nanos ? (uint64_t)((double)t.bytes * 1e9 / (double)t.nanos) : 0);
}

static void set_current(const CompileTask *task)
{
    mutex_lock(&totals_lock);
    current = task ? *task : (CompileTask){0};
    mutex_unlock(&totals_lock);
}

// id, level, state (0: in use), method, code
static void describe_code(void *ctx, const InstalledCode *installed)
{
    const CompileTask *t = &installed->task;
    const CodeBlob *blob = installed->code->blob;
    uintptr_t start = (uintptr_t)blob->start;
    char *class_name = class_external_name(t->method->cls);
    sb_printf(ctx,
              "%u %u 0 %s.%s%s [0x%016" PRIxPTR ", 0x%016" PRIxPTR " - 0x%016" PRIxPTR "]\n",
              t->id, t->level, class_name, t->method->name->s, t->method->desc->s, start, start,
              start + blob->size);
    vm_free(class_name);
}

void broker_describe_code(Thread *self, StrBuf *out)
{
    installed_each(self, describe_code, out);
}

static void describe(void *ctx, const CompileTask *task)
{
    compile_print_line(ctx, task, NULL);
    sb_putc(ctx, '\n');
}

// What is compiled at the moment is never seen here by one that is IN_VM after a stop of the world, but often else.
void broker_describe_queue(Thread *self, StrBuf *out)
{
    ASSERT_IN_VM(self);
    mutex_lock(&totals_lock);
    CompileTask now = current;
    mutex_unlock(&totals_lock);
    sb_add(out, "Current compiles: \n");
    if (now.method)
        describe(out, &now);
    sb_putc(out, '\n');
    if (broker_state() == BROKER_OFF)
        return;
    sb_add(out, "Compile queue:\n");
    if (compile_queue_length() == 0)
        sb_add(out, "Empty\n");
    compile_queue_each(self, describe, out);
    sb_putc(out, '\n');
}

// ---- compiling ----

static void stop_for_want_of_room(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    atomic_store_explicit(&state, BROKER_FULL, memory_order_relaxed);
    if (atomic_flag_test_and_set(&said))
        return;
    vm_warning("CodeCache is full. Compiler has been disabled.");
    vm_warning("Try increasing the code cache size using -XX:ReservedCodeCacheSize=");
}

static void say_no_memory(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        vm_warning("no memory to compile a method: it is interpreted");
}

// InstalledHooks.swept: there may be room again.
static void on_swept(void)
{
    enum { SHARE = 64 };
    CodeCacheUse use;
    code_cache_use(&use);
    int full = BROKER_FULL;
    if (use.size - use.used >= use.size / SHARE)
        (void)!atomic_compare_exchange_strong(&state, &full, BROKER_ON);
}

// In the compiler's thread.
static MAY_GC void sweep(Thread *self)
{
    world_stop_for(self, "FreeCode");
    installed_sweep();
    world_resume(self);
}

// -XX:JitBisect: whether the compilation is one of the first n. Says which is the last.
static bool bisect_allows(const CompileTask *task)
{
    int64_t n = vm_options.jit_bisect;
    if (n == task->id)
        compile_print_last(task);
    return n < 0 || task->id <= n;
}

static void refuse(const CompileTask *task, const JitResult *result)
{
    char text[128];
    snprintf(text, sizeof text, "COMPILE SKIPPED: %s (not retryable)", result->refused);
    compile_print(task, text);
    count(task->method, false, result);
    if (result->no_room)
        stop_for_want_of_room();
    if (result->no_memory)
        say_no_memory();
}

// Whether the task is for what was heavy: a redefined method has other code.
static bool is_for_code(const CompileTask *task)
{
    const MethodProfile *p = method_profile(task->method);
    return p && (task->osr_bci == JIT_NO_OSR || profile_hot_loop(p, task->osr_bci));
}

static HotLoop *loop_of(const CompileTask *task)
{
    return profile_hot_loop(method_profile(task->method), task->osr_bci);
}

static void report_later(const CompileTask *task)
{
    if (!is_for_code(task))
        return;
    if (task->osr_bci == JIT_NO_OSR)
        profile_report_later(task->method);
    else
        profile_report_loop_later(task->method, loop_of(task), true);
}

// False: result says why not.
static bool publish(Thread *self, const CompiledCode *code, const CompileTask *task,
                    JitResult *result)
{
    attempt_pause(); // what is registered of it lives as long as the code
    PublishResult how = installed_publish(self, code, task, &result->made_for);
    attempt_resume();
    switch (how) {
    case PUBLISHED: return true;
    case PUBLISH_CHANGED:
        result->refused = "what it was made for has changed";
        result->changed = true;
        break;
    case PUBLISH_NO_ROOM:
        result->refused = "no room for its stubs";
        result->no_room = true;
        break;
    }
    return false;
}

// InstalledHooks.switch_entry.
static bool switch_entry(const CompileTask *task, const CompiledCode *code)
{
    return task->osr_bci == JIT_NO_OSR ? method_set_compiled(task->method, code)
                                       : osr_set_code(task->method, task->osr_bci, code);
}

// InstalledHooks.has_code.
static bool has_code(const CompileTask *task)
{
    return task->osr_bci == JIT_NO_OSR
               ? method_entry_kind(task->method) == ENTRY_COMPILED
               : atomic_load_explicit(&loop_of(task)->code, memory_order_relaxed) != NULL;
}

// InstalledHooks.left_out: the method was heavy, and will be asked for again.
static void on_left_out(const CompileTask *task)
{
    if (task->osr_bci == JIT_NO_OSR)
        profile_report_soon(task->method);
    else
        profile_report_loop_soon(loop_of(task));
}

// InstalledHooks.retired. Unless the class is dead, or the body another one, it may be compiled again.
static void on_retired(const InstalledCode *installed, RetireReason why)
{
    const CompileTask *task = &installed->task;
    compile_print(task, "made not entrant");
    mutex_lock(&totals_lock);
    totals.retired++;
    mutex_unlock(&totals_lock);
    if (why == ASSUME_CLASS_ALIVE || !is_for_code(task))
        return;
    bool by_tool = why == ASSUME_METHOD_BREAKPOINTS || why == ASSUME_FIELD_UNWATCHED;
    if (task->osr_bci == JIT_NO_OSR)
        profile_report_again(task->method, !by_tool);
    else
        profile_report_loop_later(task->method, loop_of(task), !by_tool);
}

// CompiledDeoptimized. Code is kept when the method would not be compiled again.
static void on_deopt(Thread *self, const CompiledCode *code, const CodeSite *site)
{
    const MethodProfile *p = method_profile(code->method);
    if (p && atomic_load_explicit(&p->compiled, memory_order_relaxed) < COMPILED_MOST
        && broker_state() == BROKER_ON && deopts_are_many(code, site, every_method))
        (void)installed_retire(self, code); // false: another thread's frame left, too
}

static void note_compilation(MethodProfile *p)
{
    uint8_t times = atomic_load_explicit(&p->compiled, memory_order_relaxed);
    atomic_store_explicit(&p->compiled, (uint8_t)MIN_OF(times + 1, UINT8_MAX),
                          memory_order_relaxed);
}

static void compile(Thread *self, const CompileTask *task)
{
    ASSERT_IN_VM(self);
    Method *m = task->method;
    if (!is_for_code(task))
        return;
    note_compilation(method_profile(m));
    compile_print(task, NULL);
    JitResult result = {0};
    HANDLE_SCOPE(self);
    View *view = view_begin(task);
    JitRequest request = {.osr_bci = task->osr_bci,
                          .aside = !task->blocking && !view,
                          .options = {.landings = true,
                                      .enters = true,
                                      .intrinsics = true,
                                      .inlines = vm_options.jit_inline,
                                      .inlines_all = vm_options.jit_inline_all,
                                      .posts_calls = installed_posts_calls()},
                          .view = view,
                          .result = &result};
    const CompiledCode *code = jit_compile(self, m, &request);
    if (code && publish(self, code, task, &result)) {
        count(m, true, &result);
    } else {
        if (code)
            installed_discard(self, code);
        refuse(task, &result);
    }
    if (result.changed || result.no_room || result.no_memory)
        report_later(task);
    view_end(view, result.refused, result.nanos);
    vec_free(&result.made_for);
}

void broker_collected(void)
{
    ASSERT_WORLD_STOPPED();
    if (broker_state() == BROKER_FULL && installed_may_free())
        installed_sweep();
}

// While the code cache is full nothing is asked for: the thread looks by itself whether code was retired meanwhile.
static const int64_t LOOK_AGAIN_NANOS = 1000 * 1000 * 1000;

// The body of the compiler's thread.
static void run(Thread *self, void *unused)
{
    (void)unused;
    os_thread_set_name("Compiler");
    for (;;) {
        CompileTask task;
        bool full = broker_state() == BROKER_FULL;
        compile_queue_wait(self, full ? LOOK_AGAIN_NANOS : -1);
        if (full && installed_may_free())
            sweep(self);
        while (compile_queue_take(self, &task)) {
            set_current(&task);
            bool on = broker_state() == BROKER_ON;
            if (on)
                compile(self, &task);
            else
                report_later(&task);
            set_current(NULL);
            thread_poll(self);
            if (installed_needs_sweep() || (on && broker_state() == BROKER_FULL))
                sweep(self);
        }
    }
}

// ---- asking ----

static bool says(const char *command, const CompileSubject *s, const char *value)
{
    const char *said = compile_command_value(command, s);
    return said && strcmp(said, value) == 0;
}

static bool is_excluded(const CompileTask *task)
{
    CompileSubject s = compile_subject(task->method);
    bool left_out = compile_command_is_given("compileonly") && !says("compileonly", &s, "true");
    if (!left_out && !says("exclude", &s, "true"))
        return false;
    compile_print_excluded(task);
    return true;
}

// -XX:CompileCommand=BackgroundCompilation,<pattern>,false
static bool is_blocking(const Method *m)
{
    CompileSubject s = compile_subject(m);
    return in_caller || says("BackgroundCompilation", &s, "false");
}

// Code that compiles needs as much of the C stack as code that calls Java.
static bool has_stack(const Thread *self)
{
    return (char *)__builtin_frame_address(0) > self->c_stack_limit;
}

// Asked for once: the limits of control groups are read from files.
static bool shares_processor(void)
{
    static _Atomic int processors;
    int count = atomic_load_explicit(&processors, memory_order_relaxed);
    if (!count)
        atomic_store_explicit(&processors, count = options_cpu_count(), memory_order_relaxed);
    return count == 1;
}

static bool is_starting(void)
{
    int64_t millis = log_uptime_nanos() / (1000 * 1000);
    return millis < STARTING_MILLIS || (millis < STARTING_MILLIS_ALONE && shares_processor());
}

// The weight that is asked of a method at the moment.
static uint32_t weight_asked(const Method *m)
{
    uint32_t most = MAX_OF((uint32_t)WEIGHT_MOST, level1_weight);
    uint64_t least =
        (uint64_t)level1_weight * (is_starting() && !is_blocking(m) ? STARTING_TIMES : 1u);
    uint64_t weight = least + (uint64_t)WEIGHT_EACH_WAITING * compile_queue_length();
    return every_method ? level1_weight : (uint32_t)MIN_OF(weight, (uint64_t)most);
}

static bool is_wanted(const Thread *self, const Method *m, uint32_t weight)
{
    return broker_state() == BROKER_ON && getpid() == own_pid && !(m->flags & METHOD_OLD)
           && weight >= weight_asked(m) && has_stack(self);
}

// A loop of m that is not compiled for now, as another one is: while it runs on, it is asked for again.
static void report_soon(const Method *m, int32_t bci)
{
    const MethodProfile *p = bci == JIT_NO_OSR ? NULL : method_profile(m);
    HotLoop *loop = p ? profile_hot_loop(p, bci) : NULL; // another body has none
    if (loop)
        profile_report_loop_soon(loop);
}

static void ask(Thread *self, Method *m, uint32_t weight, int32_t osr_bci)
{
    CompileTask task = {.method = m, .osr_bci = osr_bci, .weight = weight, .level = LEVEL};
    if (is_excluded(&task))
        return;
    task.blocking = is_blocking(m);
    task.id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    if (!bisect_allows(&task))
        return;
    if (task.blocking) {
        compile(self, &task);
    } else {
        attempt_pause();
        int32_t given_up = compile_queue_add(&task);
        attempt_resume();
        report_soon(m, given_up);
    }
}

static void on_heavy(Thread *self, Method *m, MethodProfile *p, uint32_t weight, int32_t loop)
{
    if (!is_wanted(self, m, weight))
        return;
    bool is_loop = loop != PROFILE_CALLS_ALONE;
    _Atomic uint32_t *from =
        is_loop ? &profile_hot_loop(p, loop)->reported_from : &p->reported_from;
    if (atomic_exchange_explicit(from, PROFILE_NOT_AGAIN, memory_order_relaxed)
        != PROFILE_NOT_AGAIN)
        ask(self, m, weight, is_loop ? loop : JIT_NO_OSR);
}

// ---- calls that are posted ----

// EventSwitch: the other version of code is entered while somebody wants the events of calls.
static void on_event_switch(EventId id, bool on)
{
    (void)on;
    if (id != EVENT_METHOD_ENTRY && id != EVENT_METHOD_EXIT)
        return;
    Thread *self = thread_current();
    if (self)
        world_stop(self);
    installed_set_posts_calls(event_is_wanted(EVENT_METHOD_ENTRY)
                              || event_is_wanted(EVENT_METHOD_EXIT));
    if (self)
        world_resume(self);
}

// ---- starting ----

static uint32_t scaled(double weight)
{
    double n = weight * vm_options.threshold_scaling;
    return n < 1 ? 1 : n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

// HotSpot heeds CompileThreshold when it has one compiler alone.
static uint32_t first_weight(void)
{
    bool given = flags_is("TieredCompilation", "false") && flags_is_given("CompileThreshold");
    return every_method ? 1
                        : scaled(given ? (double)flags_number("CompileThreshold")
                                       : (double)WEIGHT_LEVEL1);
}

// What every compiled method needs is not there: the system gave no region, or it is too small.
static void say_nothing_is_compiled(void)
{
    CodeCacheUse use;
    code_cache_use(&use);
    if (use.size > 0)
        stop_for_want_of_room();
    else
        vm_warning("nothing is compiled: there is no memory for generated code");
}

void broker_init(void)
{
    if (!vm_options.use_compiler)
        return;
    if (!compiled_calls_possible()) {
        say_nothing_is_compiled();
        vm_options.use_compiler = false;
        options_set_property("java.vm.info", "interpreted mode");
        return;
    }
    every_method = vm_options.jit_all || !vm_options.use_interpreter;
    in_caller = every_method || vm_options.jit_sync || !vm_options.background_compilation;
    own_pid = getpid();
    atomic_store_explicit(&state, BROKER_ON, memory_order_relaxed);
    level1_weight = first_weight();
    compile_queue_init();
    compiled_events_init();
    installed_init(&(InstalledHooks){.switch_entry = switch_entry,
                                     .has_code = has_code,
                                     .retired = on_retired,
                                     .left_out = on_left_out,
                                     .swept = on_swept});
    event_on_switch(on_event_switch);
    compiled_on_deopt(on_deopt);
    if (flags_is("CITime", "true"))
        shutdown_add(print_times);
    profile_set_compiler(on_heavy, level1_weight, every_method ? TURNS_ALL : scaled(TURNS_OSR),
                         every_method ? WEIGHT_AGAIN_EARLY : scaled(WEIGHT_AGAIN));
}

void broker_start(Thread *self)
{
    ASSERT_MAY_GC(self);
    bool wanted = broker_state() == BROKER_ON
                  && (!in_caller || compile_command_is_given("BackgroundCompilation"));
    if (wanted && !thread_start(self, NULL, 0, run, NULL)) {
        atomic_store_explicit(&state, BROKER_OFF, memory_order_relaxed);
        vm_warning("nothing is compiled: no thread could be started");
    }
}
