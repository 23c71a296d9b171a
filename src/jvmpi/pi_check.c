// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmpi: a report for each call that breaks a rule of the specification. The call goes on,
// or does nothing where it cannot.
#include "jvmpi/pi.h"
#include "options/options.h"
#include "service/report/agent_report.h"

static const struct {
    const char *wrong, *rule, *remedy;
} rules[] = {
#define PI_RULE(name, wrong, rule, remedy) {wrong, rule, remedy},
#include "spec/jvmpi_check_rules.def"
#undef PI_RULE
};

static void report(PiRule rule, const char *function, const AgentPlace *place)
{
    if (vm_options.check_jvmpi)
        agent_report(&(AgentReport){.interface = "JVMPI",
                                    .wrong = rules[rule].wrong,
                                    .call = function,
                                    .rule = rules[rule].rule,
                                    .remedy = rules[rule].remedy,
                                    .place = place});
}

void pi_report(PiRule rule, const char *function)
{
    report(rule, function, NULL);
}

bool pi_is_in_collection(void)
{
    const Thread *self = thread_current();
    return self && world_is_stopped()
           && atomic_load_explicit(&self->state, memory_order_relaxed) == THREAD_IN_VM;
}

void pi_check(const char *function, int where)
{
    bool own = heap_critical_depth() > 0, gc_off = own || heap_gc_disables() > 0;
    if (!(where & OUTSIDE) || !pi_is_in_collection()) {
        if ((where & GC_OFF) && !gc_off)
            pi_report(PI_GC_ENABLED, function);
        if ((where & GC_ON) && own)
            pi_report(PI_GC_DISABLED, function);
    } else {
        pi_report(PI_COLLECTION, function);
    }
    if ((where & RUNNING) && pi_threads_suspended() > 0)
        pi_report(PI_SUSPENDED, function);
}

void pi_check_started(void)
{
    PI_AGENT_EACH(a)
    if (!a->table.NotifyEvent)
        report(PI_NO_NOTIFY, "JVM_OnLoad", &(AgentPlace){.at = {a->library}, .count = 1});
}
