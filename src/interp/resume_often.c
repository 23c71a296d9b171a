// SPDX-License-Identifier: Apache-2.0
// See resume_often.h.
#include "interp/resume_often.h"

#ifdef PELLUCID_DEBUG
#    include <inttypes.h>
#    include <stdlib.h>

bool resume_often_on;
static uint32_t interval;
static uint64_t least;                              // resumes of the process
static _Atomic uint64_t taken[RESUME_KINDS];        // relaxed: read at the end
static _Thread_local uint32_t passed[RESUME_KINDS]; // since this thread gave up for that

static void check_taken(void)
{
    uint64_t total = 0;
    for (int kind = 0; kind < RESUME_KINDS; kind++) {
        uint64_t n = atomic_load_explicit(&taken[kind], memory_order_relaxed);
        if (n == 0 && kind != RESUME_PAST_ACCESS) // which takes an agent that watches a field
            vm_fatal("PELLUCID_RESUME: none of kind %d", kind);
        total += n;
    }
    if (total < least)
        vm_fatal("PELLUCID_RESUME: %" PRIu64 " times, not %" PRIu64, total, least);
}

void resume_often_init(void)
{
    const char *s = getenv("PELLUCID_RESUME");
    if (!s)
        return;
    char *end;
    interval = (uint32_t)strtoul(s, &end, 10);
    if (interval == 0)
        vm_fatal("PELLUCID_RESUME is '%s', not a number from 1 on", s);
    resume_often_on = true;
    if (*end != ':')
        return;
    least = strtoull(end + 1, NULL, 10);
    if (atexit(check_taken))
        vm_fatal("PELLUCID_RESUME: no room in atexit");
}

bool resume_often_is_due(const Frame *f, ResumeKind kind)
{
    if ((f->flags & FRAME_ENTRY) || ++passed[kind] <= interval)
        return false;
    passed[kind] = 0;
    atomic_fetch_add_explicit(&taken[kind], 1, memory_order_relaxed);
    return true;
}

bool resume_often_is_watched(uint16_t op)
{
    return op >= OP_getfield_watched && op <= OP_putstatic_watched;
}
#endif
