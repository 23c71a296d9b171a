// SPDX-License-Identifier: Apache-2.0
// A native thread that says on stderr how far the program has come: one line that is written
// over on a terminal, a line each time elsewhere. It is not attached to the VM and takes no
// signals, so the VM does not know of it.
#include "calltrace.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static bool stopping; // guarded by lock
static bool running;  // of the starting and stopping thread
static uint64_t interval;
static void (*sample)(Progress *now);

static void print_line(const Progress *now, uint64_t calls_per_second, bool tty)
{
    fprintf(stderr,
            "%scalltrace: %.1f M calls (%.1f M/s), %llu methods, %llu threads, %.0f s%s",
            tty ? "\r\033[K" : "", (double)now->calls / 1e6, (double)calls_per_second / 1e6,
            (unsigned long long)now->methods, (unsigned long long)now->threads,
            (double)now->elapsed / 1e9, tty ? "" : "\n");
    fflush(stderr);
}

// Waits one interval. False when it is time to stop.
static bool sleep_interval(void)
{
    uint64_t until = agent_now() + interval;
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000u),
                         .tv_nsec = (long)(until % 1000000000u)};
    pthread_mutex_lock(&lock);
    while (!stopping && agent_now() < until) {
        pthread_cond_timedwait(&wake, &lock, &t);
    }
    bool go_on = !stopping;
    pthread_mutex_unlock(&lock);
    return go_on;
}

static void *run(void *unused)
{
    (void)unused;
    bool tty = isatty(STDERR_FILENO);
    bool printed = false;
    Progress before = {0};
    while (sleep_interval()) {
        Progress now = {0};
        sample(&now);
        double seconds = (double)(now.elapsed - before.elapsed) / 1e9;
        print_line(&now, (uint64_t)((double)(now.calls - before.calls) / seconds), tty);
        before = now;
        printed = true;
    }
    if (tty && printed) {
        fputs("\r\033[K", stderr);
    }
    return NULL;
}

bool progress_start(double seconds, void (*sampler)(Progress *now))
{
    interval = (uint64_t)(seconds * 1e9);
    sample = sampler;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    running = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return running;
}

void progress_stop(void)
{
    if (!running) {
        return;
    }
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    running = false;
}
