// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmpi: one line on stderr for each call that the specification does not allow where it
// is made. The call goes on.
#include <stdio.h>

#include "jvmpi/pi.h"
#include "runtime/options.h"

const char pi_in_collection[] = "not allowed in an event of a garbage collection";

void pi_report(const char *function, const char *what)
{
    if (vm_options.check_jvmpi)
        fprintf(stderr, "*** JVMPI: %s: %s\n", function, what);
}

bool pi_is_in_collection(void)
{
    const Thread *self = thread_current();
    return self && world_is_stopped()
           && atomic_load_explicit(&self->state, memory_order_relaxed) == THREAD_IN_VM;
}

void pi_check(const char *function, int where)
{
    bool gc_off = heap_critical_depth() > 0;
    if (!(where & OUTSIDE) || !pi_is_in_collection()) {
        if ((where & GC_OFF) && !gc_off)
            pi_report(function, "not allowed with GC enabled");
        if ((where & GC_ON) && gc_off)
            pi_report(function, "not allowed with GC disabled");
    } else {
        pi_report(function, pi_in_collection);
    }
    if ((where & RUNNING) && pi_threads_suspended() > 0)
        pi_report(function, "not allowed while threads are suspended");
}

void pi_check_started(void)
{
    PI_AGENT_EACH(a)
    if (!a->table.NotifyEvent)
        pi_report("JVM_OnLoad", "NotifyEvent is not set");
}
