// SPDX-License-Identifier: Apache-2.0
// Native half of SignalChain: a program with signal handlers of its own. A write to a protected
// page is mended by the handler.
#define _GNU_SOURCE
#include "jnitest.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static char *volatile page;
static volatile int taken[65];

static void handle(int sig, siginfo_t *info, void *context)
{
    (void)context;
    taken[sig]++;
    if (sig == SIGSEGV && info->si_addr == page)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void handle_simple(int sig)
{
    taken[sig] += 10;
}

// What was installed before: 0 default, 1 ignored, 2 a handler.
EXPORT(jint, Java_SignalChain_install, JNIEnv *env, jclass c, jint sig, jboolean simple)
{
    (void)env, (void)c;
    struct sigaction a = {.sa_flags = simple ? 0 : SA_SIGINFO}, old;
    if (simple)
        a.sa_handler = handle_simple;
    else
        a.sa_sigaction = handle;
    sigaction(sig, &a, &old);
    return old.sa_handler == SIG_DFL ? 0 : old.sa_handler == SIG_IGN ? 1 : 2;
}

// How often the program's handler has run after a write to a page that can't be written.
EXPORT(jint, Java_SignalChain_fault, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile char *)page = 1;
    munmap(page, 4096);
    return taken[SIGSEGV];
}

EXPORT(jint, Java_SignalChain_raise, JNIEnv *env, jclass c, jint sig)
{
    (void)env, (void)c;
    raise(sig);
    return taken[sig];
}
