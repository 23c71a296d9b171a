// SPDX-License-Identifier: Apache-2.0
// Says on stderr how far the program has come: one line that is written over on a terminal, a
// line each time elsewhere.
#include "calltrace.h"

#include <unistd.h>

static Timer timer;
static Progress before;
static bool tty, printed;
static void (*sample)(Progress *now);

static void print_line(const Progress *now, uint64_t calls_per_second)
{
    fprintf(stderr,
            "%scalltrace: %.1f M calls (%.1f M/s), %llu methods, %llu threads, %.0f s%s",
            tty ? "\r\033[K" : "", (double)now->calls / 1e6, (double)calls_per_second / 1e6,
            (unsigned long long)now->methods, (unsigned long long)now->threads,
            (double)now->elapsed / 1e9, tty ? "" : "\n");
    fflush(stderr);
}

static void tick(void)
{
    Progress now = {0};
    sample(&now);
    assert(now.elapsed >= before.elapsed);
    double seconds = (double)(now.elapsed - before.elapsed) / 1e9;
    print_line(&now, (uint64_t)((double)(now.calls - before.calls) / seconds));
    before = now;
    printed = true;
}

bool progress_start(double seconds, void (*sampler)(Progress *now))
{
    tty = isatty(STDERR_FILENO);
    printed = false;
    before = (Progress){0};
    sample = sampler;
    return timer_start(&timer, seconds, tick);
}

void progress_stop(void)
{
    timer_stop(&timer);
    if (tty && printed) {
        fputs("\r\033[K", stderr);
    }
}
