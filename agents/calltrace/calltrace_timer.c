// SPDX-License-Identifier: Apache-2.0
// A thread that does something now and then. It is not attached to the VM and takes no signals,
// so the VM does not know of it.
#include "calltrace.h"

#include <signal.h>
#include <time.h>

enum { REST_FACTOR = 19 }; // rests at least so many times as long as it works

// Waits until `until`. False when it is time to stop.
static bool sleep_until(Timer *timer, uint64_t until)
{
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000u),
                         .tv_nsec = (long)(until % 1000000000u)};
    pthread_mutex_lock(&timer->lock);
    while (!timer->stopping && agent_now() < until) {
        pthread_cond_timedwait(&timer->wake, &timer->lock, &t);
    }
    bool go_on = !timer->stopping;
    pthread_mutex_unlock(&timer->lock);
    return go_on;
}

static void *run(void *arg)
{
    Timer *timer = arg;
    uint64_t rest = timer->interval;
    while (sleep_until(timer, agent_now() + rest)) {
        uint64_t began = agent_now();
        timer->tick();
        uint64_t worked = agent_now() - began;
        rest = worked * REST_FACTOR > timer->interval ? worked * REST_FACTOR : timer->interval;
    }
    return NULL;
}

bool timer_start(Timer *timer, double seconds, void (*tick)(void))
{
    assert(!timer->running);
    *timer = (Timer){.interval = (uint64_t)(seconds * 1e9), .tick = tick};
    pthread_mutex_init(&timer->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&timer->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    timer->running = pthread_create(&timer->thread, NULL, run, timer) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return timer->running;
}

void timer_stop(Timer *timer)
{
    if (!timer->running) {
        return;
    }
    pthread_mutex_lock(&timer->lock);
    timer->stopping = true;
    pthread_cond_signal(&timer->wake);
    pthread_mutex_unlock(&timer->lock);
    pthread_join(timer->thread, NULL);
    timer->running = false;
}
