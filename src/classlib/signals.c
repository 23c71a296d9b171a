// SPDX-License-Identifier: Apache-2.0
// Signals: those Java handles (jdk.internal.misc.Signal) are counted by a C handler and
// dispatched by the Signal Dispatcher thread; SIGQUIT prints a thread dump.
#include <errno.h>
#include <semaphore.h>
#include <signal.h>

#include "base/output.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "event/event.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/java_thread.h"
#include "options/options.h"
#include "service/attach/attach.h"
#include "service/dump/heap_histogram.h"
#include "service/dump/thread_dump.h"

static _Atomic uint32_t pending[NSIG];
static sem_t arrived; // sem_post is safe in a handler

enum { HANDLER_DEFAULT = 0, HANDLER_IGNORE = 1, HANDLER_DISPATCH = 2 };

static void note_signal(int sig)
{
    int saved = errno;
    atomic_fetch_add(&pending[sig], 1);
    sem_post(&arrived);
    errno = saved;
}

static void install(int sig, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(sig, &action, NULL);
}

void signals_init(void)
{
    sem_init(&arrived, 0, 0);
    if (!vm_options.reduce_signals)
        install(SIGQUIT, note_signal);
}

static void print_histogram(Thread *self)
{
    StrBuf sb = {0};
    heap_histogram_print(self, true, &sb);
    fputs(sb.s, vm_stdout());
    fflush(vm_stdout());
    sb_free(&sb);
}

static void dispatch(Thread *self, int sig)
{
    if (sig == SIGQUIT) {
        if (attach_trigger(self))
            return;
        dump_threads_to_stdout(self);
        if (options_now(vm_options.print_class_histogram))
            print_histogram(self);
        event_post(self, DATA_DUMP, .unused = 0);
        return;
    }
    jvalue arg = {.i = sig};
    if (!java_call(self, MTH(Signal, dispatch), &arg, NULL)) {
        HANDLE_SCOPE(self);
        exception_print(self, exception_take(self), "Exception in Signal Dispatcher ");
    }
}

static int take_signal(void)
{
    for (int sig = 1; sig < NSIG; sig++) {
        uint32_t n = atomic_load(&pending[sig]);
        while (n && !atomic_compare_exchange_weak(&pending[sig], &n, n - 1)) {
        }
        if (n)
            return sig;
    }
    return 0;
}

// The process may have been started with these blocked: HotSpot's threads block SIGQUIT, so what a
// Java program starts (an IDE, a build tool) does. It is enough that one thread takes them.
static void unblock_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void run_dispatcher(Thread *self, void *arg)
{
    (void)arg;
    unblock_signals();
    for (;;) {
        thread_leave_vm(self, THREAD_WAITING);
        while (sem_wait(&arrived) != 0) {
        }
        thread_enter_vm(self);
        int sig = take_signal();
        if (sig)
            dispatch(self, sig);
    }
}

bool signals_start_dispatcher(Thread *self)
{
    ASSERT_MAY_GC(self);
    return java_thread_start_vm(self, "Signal Dispatcher", 9, run_dispatcher, NULL);
}

// ---- jdk.internal.misc.Signal ----

static const struct {
    const char *name;
    int number;
} names[] = {
    {"HUP", SIGHUP},       {"INT", SIGINT},     {"QUIT", SIGQUIT}, {"ILL", SIGILL},
    {"TRAP", SIGTRAP},     {"ABRT", SIGABRT},   {"IOT", SIGABRT},  {"BUS", SIGBUS},
    {"FPE", SIGFPE},       {"KILL", SIGKILL},   {"USR1", SIGUSR1}, {"SEGV", SIGSEGV},
    {"USR2", SIGUSR2},     {"PIPE", SIGPIPE},   {"ALRM", SIGALRM}, {"TERM", SIGTERM},
    {"STKFLT", SIGSTKFLT}, {"CHLD", SIGCHLD},   {"CLD", SIGCHLD},  {"CONT", SIGCONT},
    {"STOP", SIGSTOP},     {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},
    {"URG", SIGURG},       {"XCPU", SIGXCPU},   {"XFSZ", SIGXFSZ}, {"VTALRM", SIGVTALRM},
    {"PROF", SIGPROF},     {"WINCH", SIGWINCH}, {"POLL", SIGPOLL}, {"IO", SIGIO},
    {"PWR", SIGPWR},       {"SYS", SIGSYS},
};

jint JNICALL JVM_FindSignal(const char *name)
{
    if (strncmp(name, "SIG", 3) == 0)
        name += 3;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].number;
    return -1;
}

static bool is_ours(int sig)
{
    switch (sig) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGQUIT:
    case SIGKILL:
    case SIGSTOP: return true;
    case SIGHUP:
    case SIGINT:
    case SIGTERM: return vm_options.reduce_signals;
    default: return sig <= 0 || sig >= NSIG;
    }
}

void *JNICALL JVM_RegisterSignal(jint sig, void *handler)
{
    if (is_ours(sig))
        return (void *)-1;
    struct sigaction old;
    sigaction(sig, NULL, &old);
    bool termination = sig == SIGHUP || sig == SIGINT || sig == SIGTERM;
    if (termination && old.sa_handler == SIG_IGN && (intptr_t)handler == HANDLER_DISPATCH)
        return (void *)HANDLER_IGNORE; // nohup: left ignored
    switch ((intptr_t)handler) {
    case HANDLER_DEFAULT: install(sig, SIG_DFL); break;
    case HANDLER_IGNORE: install(sig, SIG_IGN); break;
    case HANDLER_DISPATCH: install(sig, note_signal); break;
    default: install(sig, (void (*)(int))(uintptr_t)handler); break;
    }
    if (old.sa_handler == note_signal)
        return (void *)HANDLER_DISPATCH;
    return old.sa_handler == SIG_DFL   ? (void *)HANDLER_DEFAULT
           : old.sa_handler == SIG_IGN ? (void *)HANDLER_IGNORE
                                       : (void *)(uintptr_t)old.sa_handler;
}

jboolean JNICALL JVM_RaiseSignal(jint sig)
{
    if (sig == SIGQUIT && vm_options.reduce_signals)
        return JNI_FALSE;
    return raise(sig) == 0;
}
