// SPDX-License-Identifier: Apache-2.0
// The report of a fatal signal. It is made in the handler, on the alternate stack of the
// thread, from a process that may be broken anywhere: no allocation, static buffers, no VM lock
// but the heap's for its statistics. Each part runs as an `attempt`, which a further fault,
// abort() or SECONDS without output cuts short; the report then goes on with the next part. One
// thread reports; the others are halted by a signal first, at whatever they do, and those that
// fail meanwhile wait for the end of the process.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "arch/guarded.h"
#include "base/command_list.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "code/compiled_code.h"
#include "frame/frame_cursor.h"
#include "java/stacktrace.h"
#include "java/string.h"
#include "options/options.h"
#include "platform/signal_chain.h"
#include "service/report/crash.h"
#include "service/report/crash_internal.h"

enum {
    SECONDS = 20,      // that a part may be silent
    JAVA_FRAMES = 256, // shown at most, of each thread
    THREADS = 1000
};

static const FatalSignal fatal_signals[] = {
    {SIGABRT, "SIGABRT", "abort"},
    {SIGBUS, "SIGBUS", "memory access error"},
#ifndef UNDER_ASAN
    {SIGSEGV, "SIGSEGV", "invalid memory access"},
    {SIGFPE, "SIGFPE", "arithmetic error"},
    {SIGILL, "SIGILL", "illegal instruction"},
#endif
};

Crash crash;
static _Atomic pid_t reporter;      // kernel id of the thread that reports; 0: none
static sigjmp_buf *volatile escape; // out of the innermost attempt
static int console = STDERR_FILENO, log_file = -1;
static char log_name[1024]; // empty: none
static int64_t start_nanos;

// ---- output ----

static void put(int fd, const char *text, size_t n)
{
    alarm(SECONDS);
    while (fd >= 0 && n > 0) {
        ssize_t done = write(fd, text, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        text += done;
        n -= (size_t)done;
    }
}

void crash_emit(const char *format, ...)
{
    static char text[4096];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    size_t len = MIN_OF((size_t)MAX_OF(n, 0), sizeof text - 1);
    put(console, text, len);
    put(log_file, text, len);
}

void crash_attempt(void (*part)(void *arg), void *arg)
{
    sigjmp_buf here, *volatile outer = escape;
    int failure = sigsetjmp(here, 0);
    alarm(SECONDS);
    if (failure == 0) {
        escape = &here;
        part(arg);
    }
    escape = outer;
    if (failure != 0)
        crash_emit("\n[%s here: this part is cut short]\n",
                   failure == SIGALRM ? "no progress" : "a further fault");
}

static void section(const char *title, void (*print)(void *arg), void *arg)
{
    crash_emit("\n---- %s ----\n", title);
    crash_attempt(print, arg);
}

// ---- Java threads ----

static void print_thread_name(void *arg)
{
    Thread *t = arg;
    char text[256];
    Object *o = t->java_thread ? deref(t->java_thread) : NULL;
    Object *name = o ? object_get_ref(o, OFF(Thread, name)) : NULL;
    int n = 0, len = name ? string_length(name) : 0;
    for (int i = 0; i < len && n < (int)sizeof text - 8; i++) {
        uint16_t c = string_char_at(name, i);
        n += snprintf(text + n, 8, c >= ' ' && c <= '~' ? "%c" : "\\u%04x", c);
    }
    crash_emit("\"%.*s\" ", n, text);
}

static void print_thread(void *arg)
{
    static const char *const states[] = {
        "new", "running Java or VM code", "in native code", "blocked", "waiting", "ended"};
    Thread *t = arg;
    uint32_t state = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (t->vm_name && !t->java_thread)
        crash_emit("\"%s\" ", t->vm_name);
    else
        crash_attempt(print_thread_name, t);
    crash_emit("id=%u os_id=%llu %s%s%s%s%s\n", t->id, (unsigned long long)t->os_id,
               state < ARRAY_LEN(states) ? states[state] : "?", t->daemon ? ", daemon" : "",
               t->suspended ? ", suspended" : "", t->blocked_on ? ", entering a monitor" : "",
               t->waiting_on ? ", in Object.wait" : "");
}

static void print_java_frame(const TraceEntry *e)
{
    const Method *m = e->method;
    const ClassFile *cf = method_class_file(m);
    const Module *module = m->cls->module;
    Bytes file = cf && cf->source_file ? cf_utf8(cf, cf->source_file) : (Bytes){0};
    char cls[512], place[256] = "Unknown Source";
    int line = method_line(m, e->bci);
    snprintf(cls, sizeof cls, "%s", m->cls->name->s);
    for (char *p = cls; (p = strchr(p, '/')) != NULL;)
        *p = '.';
    if (line == -2)
        snprintf(place, sizeof place, "Native Method");
    else if (file.p)
        snprintf(place, sizeof place, line >= 0 ? "%.*s:%d" : "%.*s", (int)file.len,
                 (const char *)file.p, line);
    bool named = module && module->name;
    crash_emit("\tat %s%s%s.%s(%s)\n", named ? module->name->s : "", named ? "/" : "", cls,
               m->name->s, place);
}

static TraceEntry trace[JAVA_FRAMES];
static volatile int trace_len;

static void take_frame(void *ctx, const FrameCursor *f)
{
    (void)ctx;
    trace[trace_len] = (TraceEntry){f->method, f->bci, 0};
    trace_len = trace_len + 1;
}

// Where the threads were that have halted.
typedef struct Halt {
    const Thread *thread; // NULL: not attached
    ArchPlace at;
} Halt;
static Halt halts[THREADS];
static _Atomic int halt_count, halted; // begun, and recorded

// The registers of a thread; false: they are unknown.
static bool find_place(const Thread *t, ArchPlace *at)
{
    if (t == crash.thread) {
        *at = (ArchPlace){crash.pc, crash.sp, crash.fp, crash.link};
        return true;
    }
    for (int i = 0; i < MIN_OF(halted, THREADS); i++)
        if (halts[i].thread == t) {
            *at = halts[i].at;
            return true;
        }
    return false;
}

// Copies the frames before any is printed: a thread that did not halt does not wait.
static void take_trace(void *thread)
{
    ArchPlace at;
    FrameCursor f;
    code_reading_begin(); // for good: the process ends
    (void)!cursor_first_interrupted(&f, thread, find_place(thread, &at) ? &at : NULL);
    frames_trace(&f, JAVA_FRAMES, NULL, take_frame, NULL);
}

static void print_java_stack(void *thread)
{
    trace_len = 0;
    crash_attempt(take_trace, thread);
    for (int i = 0; i < trace_len; i++)
        print_java_frame(&trace[i]);
    if (trace_len == 0 || trace_len == JAVA_FRAMES)
        crash_emit(trace_len ? "\t...\n" : "\t(no Java frames)\n");
}

static void print_all_threads(void *unused)
{
    (void)unused;
    Thread *t = threads_first;
    for (int n = 0; t && n < THREADS; t = t->next, n++) {
        crash_attempt(print_thread, t);
        if (t == crash.thread)
            crash_emit("\t(above)\n");
        else
            crash_attempt(print_java_stack, t);
    }
}

// ---- the VM ----

static void print_vm(void *unused)
{
    (void)unused;
    static char text[4096];
    struct utsname os;
    const char *home = vm_options.java_home, *command = vm_options.java_command;
    crash_emit(
        "Pellucid %s, built with %s\nJava home: %s\nJava command: %s\nVM options:", vm_version,
        __VERSION__, home ? home : "(not known yet)", command ? command : "(none)");
    for (size_t i = 0; i < vm_options.args.len; i++)
        crash_emit(" %s", vm_options.args.at[i]);
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    for (ssize_t i = 0; i < n; i++)
        text[i] = text[i] ? text[i] : ' ';
    crash_emit("\nProcess command line: %s\nUptime: %lld ms; the world is %s\n", text,
               (long long)(os_nanos() - start_nanos) / 1000000,
               world_is_stopped() ? "stopped" : "running");
    if (uname(&os) == 0)
        crash_emit("System: %s %s %s %s, %ld processors\n", os.sysname, os.release, os.version,
                   os.machine, sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_range(const char *what, PlacedRange r)
{
    crash_emit("%-15s 0x%016zx - 0x%016zx, compressed pointers count from 0x%zx\n", what,
               r.start, r.end, r.base);
}

static void print_heap(void *unused)
{
    (void)unused;
    HeapStats stats;
    heap_stats(&stats);
    crash_emit("used %zu KB, committed %zu KB, classes %zu KB, maximum %zu KB\n",
               stats.used >> 10, stats.committed >> 10, class_space_used() >> 10,
               stats.max >> 10);
    print_range("heap", heap_range());
    print_range("class space", class_space_range());
    for (int i = 0; i < HEAP_POOLS; i++)
        crash_emit("%-15s used %zu KB, committed %zu KB, maximum %zu KB\n", stats.pools[i].name,
                   stats.pools[i].used >> 10, stats.pools[i].committed >> 10,
                   stats.pools[i].max >> 10);
    crash_emit("collections: %llu young, %llu full\n", (unsigned long long)stats.young_count,
               (unsigned long long)stats.full_count);
}

static void copy_maps(void *unused)
{
    (void)unused;
    static char text[4096];
    int to = *log_name ? log_file : console;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    put(to, "\n---- Memory map ----\n", 22);
    for (ssize_t n; (n = read(fd, text, sizeof text)) > 0 || (n < 0 && errno == EINTR);)
        put(to, text, (size_t)MAX_OF(n, 0));
}

// ---- the report ----

static bool is_stack_overflow(void)
{
    uintptr_t address = (uintptr_t)crash.info->si_addr;
    uintptr_t limit = crash.thread ? (uintptr_t)crash.thread->c_stack_limit : 0;
    return crash.signal->number == SIGSEGV && crash.info->si_code > 0 && crash.sp < limit
           && address < limit && address + ALTERNATE_STACK > crash.sp;
}

static void print_headline(void *unused)
{
    (void)unused;
    const siginfo_t *info = crash.info;
    crash_emit("#\n# Pellucid %s ends after a fatal error in process %d.\n", vm_version,
               (int)getpid());
    crash_emit("# %s (signal %d, code %d): %s", crash.signal->name, crash.signal->number,
               info->si_code, crash.signal->meaning);
    if (info->si_code > 0)
        crash_emit(" at address 0x%016zx", (size_t)info->si_addr);
    else if (info->si_pid != getpid())
        crash_emit(", sent by process %d of user %d", (int)info->si_pid, (int)info->si_uid);
    if (vm_fatal_message)
        crash_emit("\n# Internal error: %s", vm_fatal_message);
    if (is_stack_overflow())
        crash_emit("\n# The C stack of the thread has overflowed.");
    crash_emit("\n# at 0x%016zx", (size_t)crash.pc);
    crash_attempt(crash_print_place, &crash.pc);
    crash_emit("\n# in thread ");
    if (crash.thread)
        crash_attempt(print_thread, crash.thread);
    else
        crash_emit("os_id=%d, which is not attached to the VM\n", (int)reporter);
    crash_emit("#\n");
    crash_attempt(crash_print_core, NULL);
}

static void handle_halt(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    int i = atomic_fetch_add(&halt_count, 1);
    if (i < THREADS)
        halts[i] = (Halt){thread_current(), arch_place(context)};
    atomic_fetch_add(&halted, 1);
    for (;;)
        pause();
}

// Sends SIGUSR2 to the threads of one buffer of directory entries of /proc/self/task; the number.
static int halt_listed(const char *entries, long len)
{
    int sent = 0;
    for (long at = 0; at < len;) {
        const struct dirent64 *e = (const void *)(entries + at);
        int id = atoi(e->d_name);
        if (id > 0 && id != reporter && syscall(SYS_tgkill, getpid(), id, SIGUSR2) == 0)
            sent++;
        at += e->d_reclen;
    }
    return sent;
}

// Halts the other threads of the process, attached or not, so that what they have can be read.
// A thread that blocks the signal goes on.
static void halt_others(void *unused)
{
    (void)unused;
    static _Alignas(8) char entries[8192];
    struct sigaction action = {.sa_sigaction = handle_halt,
                               .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), sent = 0;
    for (long n; fd >= 0 && (n = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;)
        sent += halt_listed(entries, n);
    close(fd);
    for (int i = 0; i < 200 && halted < sent; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void open_log(const char *name)
{
    command_expand(name, strlen(name), log_name, sizeof log_name);
    log_file = open(log_name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
}

// The report goes to stderr and to a file, or to where -XX:+ErrorFileToStdout and ToStderr say alone.
static void open_outputs(void *unused)
{
    (void)unused;
    if (vm_options.error_to_stdout)
        console = STDOUT_FILENO;
    if (vm_options.error_to_stdout || vm_options.error_to_stderr)
        return;
    if (vm_options.error_file && *vm_options.error_file)
        open_log(vm_options.error_file);
    static const char *const places[] = {"pellucid_err_pid%p.log",
                                         "/tmp/pellucid_err_pid%p.log"};
    for (size_t i = 0; log_file < 0 && i < ARRAY_LEN(places); i++)
        open_log(places[i]);
}

static void report(void)
{
    crash_attempt(halt_others, NULL);
    crash_attempt(open_outputs, NULL);
    crash_attempt(print_headline, NULL);
    section("Registers", crash_print_registers, NULL);
    section("Native stack", crash_print_native_stack, NULL);
    if (crash.thread)
        section("Java stack", print_java_stack, crash.thread);
    section("All threads", print_all_threads, NULL);
    section("VM", print_vm, NULL);
    section("Heap", print_heap, NULL);
    section("Events", crash_print_recent, NULL);
    crash_attempt(copy_maps, NULL);
    if (*log_name)
        crash_emit("\n# %s %s.\n", log_name,
                   log_file >= 0 ? "has this report and the memory map" : "cannot be written");
    crash_attempt(crash_run_commands, NULL);
}

static void call_abort_hook(void *unused)
{
    (void)unused;
    if (vm_options.abort_hook)
        vm_options.abort_hook();
}

NORETURN static void end_process(void)
{
    if (!vm_options.core_on_crash)
        _exit(1);
    for (size_t i = 0; i < ARRAY_LEN(fatal_signals); i++)
        signal(fatal_signals[i].number, SIG_DFL);
    abort();
}

// A signal while a report is under way.
static void handle_further(int number, pid_t self)
{
    if (self == reporter && escape)
        siglongjmp(*escape, number);
    if (number == SIGALRM) {
        if (self != reporter) // meant for the one that does not get on
            syscall(SYS_tgkill, getpid(), reporter, SIGALRM);
        return;
    }
    if (self == reporter)
        end_process();
    for (;;)
        pause();
}

static void handle_signal(int number, siginfo_t *info, void *context);

static struct sigaction action_for(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    return action;
}

// Somebody else may have taken or blocked the signal.
static void install(int number)
{
    struct sigaction action = action_for(handle_signal);
    sigaction(number, &action, NULL);
    sigaddset(&action.sa_mask, number);
    pthread_sigmask(SIG_UNBLOCK, &action.sa_mask, NULL);
}

static void handle_signal(int number, siginfo_t *info, void *context)
{
    pid_t self = (pid_t)os_thread_id(), nobody = 0;
    if (!atomic_compare_exchange_strong(&reporter, &nobody, self)) {
        handle_further(number, self);
        return;
    }
    crash = (Crash){fatal_signals, info, context, .thread = thread_current()};
    while (crash.signal->number != number)
        crash.signal++;
    crash_take_registers(context);
    for (size_t i = 0; i < ARRAY_LEN(fatal_signals); i++)
        install(fatal_signals[i].number);
    install(SIGALRM);
    report();
    if (number != SIGABRT || vm_fatal_message) // else the one who calls abort() does it
        crash_attempt(call_abort_hook, NULL);
    end_process();
}

// SIGABRT from another process is a wish that this one ends, and no crash; JNI's FatalError has said
// all. As in HotSpot the process then ends with the signal and without a report.
static bool is_unreported(const siginfo_t *info)
{
    return vm_is_abort_reported || (info->si_code == SI_USER && info->si_pid != getpid());
}
static void end_unreported(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGABRT, &action, NULL);
    raise(SIGABRT); // when the handler has returned
}

// Of these only the fault of a guarded access is the VM's own. Else first the program's handler, if it
// has one, which for SIGABRT may only see its own abort().
static void handle_first(int number, siginfo_t *info, void *context)
{
    if (number == SIGBUS && (guarded_recover(context) || compiled_recover(context)))
        return;
    bool at_peace = !atomic_load(&reporter) && !vm_fatal_message;
    if (at_peace && chain_call(number, info, context))
        return;
    if (at_peace && number == SIGABRT && is_unreported(info))
        end_unreported();
    else
        handle_signal(number, info, context);
}

// SIGPIPE and SIGXFSZ are errors of system calls to Java; SIGUSR2 ends no process with HotSpot, which
// uses it between its threads. A handler, unlike SIG_IGN, does not stay with the processes that the
// program starts.
static void handle_ignored(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)chain_call(number, info, context);
    errno = saved;
}

int JVM_handle_linux_signal(int number, siginfo_t *info, void *context, int abort_if_not)
{
    if (number == SIGPIPE || number == SIGXFSZ || number == SIGUSR2) {
        handle_ignored(number, info, context);
        return 1;
    }
    if (number == SIGBUS && (guarded_recover(context) || compiled_recover(context)))
        return 1;
    if (chain_call(number, info, context))
        return 1;
    for (size_t i = 0; abort_if_not && i < ARRAY_LEN(fatal_signals); i++)
        if (fatal_signals[i].number == number)
            handle_signal(number, info, context);
    return 0;
}

void crash_init(void)
{
    start_nanos = os_nanos();
    crash_prepare_stacks();
    struct sigaction first = action_for(handle_first), ignored = action_for(handle_ignored);
    ignored.sa_flags |= SA_RESTART;
    chain_begin();
    for (size_t i = 0; i < ARRAY_LEN(fatal_signals); i++)
        chain_install(fatal_signals[i].number, &first);
    chain_install(SIGPIPE, &ignored);
    chain_install(SIGXFSZ, &ignored);
    chain_install(SIGUSR2, &ignored);
    chain_end();
}

void crash_apply_options(void)
{
    if (vm_options.allow_user_handlers)
        chain_yield();
    if (!vm_options.signal_chaining)
        chain_disable();
}
